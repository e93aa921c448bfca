"""Which rejection a reason of Triton's is, by words that only that one has.

Rejections are numbered in the order of loading: reading the file, checking it, making instances,
making the model. What 24.10 refuses beside those has a name instead.
"""

from __future__ import annotations

import re
from typing import Final

from benchmarks.differential.cases import Verdict

_PATTERNS: Final = (
    ("1", r"another member of oneof \"scheduling_choice\""),
    ("2", r"another member of oneof \"strategy_choice\""),
    ("6", r"'max_batch_size' must be non-negative"),
    ("7", r"dynamic batching preferred size must be positive"),
    ("8", r"dynamic batching preferred size must be <="),
    ("9", r"default priority level must be in range"),
    ("10", r"priority queue policy must have priority level in range"),
    ("11", r"Only one priority level is allowed"),
    ("12", r"Queue policy can not have DELAY"),
    ("14", r"Response Cache does not currently support .* with sequence batching"),
    ("15", r"Response Cache does not currently support .* 'decoupled'"),
    ("16", r"control tensor must have a name"),
    ("17", r"is specified for multiple control kinds"),
    ("18", r"specifies multiple CONTROL_SEQUENCE"),
    ("22", r"must not specify either 'int32_false_true'"),
    ("19", r"must specify either 'int32_false_true'"),
    ("20", r"specifies more than one from"),
    ("21", r"must have exactly 2 entries"),
    ("23", r"unexpected data type for control CONTROL_SEQUENCE_CORRID"),
    ("24", r"sequence batching preferred batch size must be"),
    ("25", r"minimum slot utilization must be in range"),
    ("26", r"ensemble scheduling (cannot|must) be set|must have platform type 'ensemble'"),
    ("27", r"should not be specified for ensemble|can not be specified for ensemble|"
           r"must specify 'step'"),
    ("28", r"for ensemble|in ensemble|of ensemble|between ensembles"),
    ("29", r"unexpected platform type|unexpected 'platform' and 'backend' pair"),
    ("30", r"unexpected directory name"),
    ("image format", r"NHWC/NCHW require 3 dims"),
    ("batch output", r"batch output kind|unknown target output"),
    ("34", r"batch input (kind|data type)|unknown source input"),
    ("32", r"cannot have empty reshape|different (size|number of variable-size dimensions) for dims"
           r" and reshape|reshape dimensions must be"),
    ("33", r"only supported for (the )?TensorRT platform"),
    ("31", r"must specify '(name|data_type|dims)'|dimension must be integer >= 1"),
    ("36", r"but specifies one or more GPUs"),
    ("38", r"specifies profile field|invalid profile"),
    ("39", r"cannot be specified with sequence batcher"),
    ("40", r"must contain exactly one or zero element"),
    ("41", r"does not match the state data type|'name' must be set when using initial_state|"
           r"dimensions in 'initial_state'|contains variable dimensions|'state' dim description"),
    ("42", r"specified more than once|to have state_data set|initial_state setting expects"),
    ("44", r"warmup s|\[request id: <id_unknown>\] "),
    ("group kind", r"has unexpected kind"),
    ("version policy", r"at least one version must be available"),
    ("name in shell", r"No module named 'model'"),
    ("cpu only", r"FORCE_CPU_ONLY_INPUT_TENSORS"),
    ("library path", r"Batching library path not found"),
    ("agent", r"unable to find 'libtritonrepoagent_"),
    ("step version", r"whose required version"),
    ("python file", r"Model name must end with|No module named"),
)  # fmt: skip
_COMPILED: Final = tuple((rule, re.compile(pattern)) for rule, pattern in _PATTERNS)

TITLES: Final = {
    "1": "two schedulers",
    "2": "two strategies",
    "3": "text that cannot be read otherwise",
    "6": "negative max_batch_size",
    "7": "dynamic: preferred size not positive",
    "8": "dynamic: preferred size above max_batch_size",
    "9": "default priority outside the levels",
    "10": "queue policy of a level that is not there",
    "11": "order kept with several priorities",
    "12": "order kept with DELAY by default",
    "13": "order kept with DELAY at a level",
    "14": "cache with sequences",
    "15": "cache with a decoupled model",
    "16": "control without a name",
    "17": "two controls of one name",
    "18": "one kind of control twice",
    "19": "flag without values",
    "20": "flag with values of two types",
    "21": "flag without exactly two values",
    "22": "correlation ID with values of a flag",
    "23": "correlation ID of another type",
    "24": "sequences: preferred size that cannot be",
    "25": "share of slots outside 0 to 1",
    "26": "ensemble without its platform, or the reverse",
    "27": "section that no ensemble has",
    "28": "steps and tensors of an ensemble",
    "29": "unknown platform",
    "30": "name other than the folder's",
    "31": "tensor without name, type or dims",
    "32": "reshape that does not fit",
    "33": "kind of tensor that only TensorRT has",
    "34": "batch input that cannot be made",
    "36": "GPUs of a group without one",
    "38": "profile without TensorRT",
    "39": "custom batching with sequences",
    "40": "several initial states",
    "41": "initial state unlike its state",
    "42": "initial state without data, or twice",
    "44": "warm-up that cannot be run",
}
"""Rejections that one file for a Python model can meet on a machine without GPUs.

Left out: 4 and 5 are about calls of the load API; 35 is newer than 24.10; 37 needs to know the
machine; 43 needs a rate limiter that is switched on; 45 is about a model's code.
"""

REACHABLE: Final = tuple(TITLES)


def rule_of(verdict: Verdict) -> str:
    """The rejection that a verdict speaks of; empty where it loads, its outcome where it died."""
    if verdict.loads:
        return ""
    if verdict.outcome != "refused":
        return verdict.outcome
    for rule, pattern in _COMPILED:
        if pattern.search(verdict.reason):
            return rule
    return "3" if verdict.stage == "parse" else "other"
