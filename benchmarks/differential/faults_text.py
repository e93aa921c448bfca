"""Faults that only the text can have: what protobuf cannot read."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from hypothesis import strategies as st

from benchmarks.differential.spelling import plain

Edit = Callable[[Any, Any], str]
"""Takes Hypothesis' ``draw`` and a ``ModelConfig``; returns a text."""

_SCHEDULERS: Final = ("dynamic_batching", "sequence_batching", "ensemble_scheduling")


def _added(config: Any, text: str) -> str:
    return f"{plain(config)}{text}\n"


def _two_schedulers(draw: Any, config: Any) -> str:
    for name in _SCHEDULERS:
        config.ClearField(name)
    first, second, _ = draw(st.permutations(_SCHEDULERS))
    return _added(config, f"{first} {{ }} {second} {{ }}")


def _two_strategies(draw: Any, config: Any) -> str:
    for name in _SCHEDULERS:
        config.ClearField(name)
    first, second = draw(st.permutations(("direct", "oldest")))
    return _added(config, f"sequence_batching {{ {first} {{ }} {second} {{ }} }}")


def _two_of_another(draw: Any, config: Any) -> str:
    config.ClearField("version_policy")
    return _added(config, "version_policy { latest { num_versions: 1 } all { } }")


def _unknown_field(draw: Any, config: Any) -> str:
    return _added(config, draw(st.sampled_from((
        "foo: 1", "maxBatchSize: 4", "Dynamic_batching { }", "optimization { foo { bar: 1 } }",
        "input { name: 'z' shape: [1] }", "scheduling_choice { }", "sequence_batching_ { }",
        "model_warmup { inputs { key: 'a' values { } } }", "generative: true", "a.b: 1",
    ))))  # fmt: skip


def _newer_field(draw: Any, config: Any) -> str:
    config.ClearField("dynamic_batching")
    config.ClearField("sequence_batching")
    return _added(config, draw(st.sampled_from((
        "model_metrics { }", "ensemble_scheduling { max_inflight_requests: 4 }",
    ))))  # fmt: skip


def _wrong_type(draw: Any, config: Any) -> str:
    fields = draw(st.sampled_from((
        ("platform", "5"), ("platform", "word"), ("platform", "{ }"), ("runtime", "true"),
        ("default_model_filename", "-'x'"), ("optimization", "1"), ("optimization", "'x'"),
        ("response_cache", "{ enable: 'true' }"), ("response_cache", "{ enable: 2 }"),
        ("response_cache", "{ enable: TRUE }"), ("response_cache", "{ enable: -1 }"),
        ("optimization", "{ priority: 'PRIORITY_MAX' }"), ("optimization", "{ priority: NOPE }"),
        ("optimization", "{ priority: 1.0 }"), ("optimization", "{ priority { } }"),
        ("optimization", "{ graph { level: 1.0 } }"), ("optimization", "{ graph { level: 1e3 } }"),
        ("optimization", "{ graph { level: +1 } }"), ("optimization", "{ graph { level: 09 } }"),
        ("optimization", "{ graph { level: inf } }"), ("optimization", "{ graph { level: 0x } }"),
    )))  # fmt: skip
    config.ClearField(fields[0])
    return _added(config, ": ".join(fields))


def _out_of_range(draw: Any, config: Any) -> str:
    config.ClearField("optimization")
    return _added(config, "optimization { " + draw(st.sampled_from((
        "graph { level: 2147483648 }", "graph { level: -2147483649 }",
        "gather_kernel_buffer_threshold: -1", "gather_kernel_buffer_threshold: 4294967296",
        "gather_kernel_buffer_threshold: -0", "priority: 4294967296",
        "cuda { graph_spec { input { key: 'x' value { dim: 9223372036854775808 } } } }",
        "cuda { graph_spec { input { key: 'x' value { dim: 0x10000000000000000 } } } }",
    ))) + " }")  # fmt: skip


def _twice(draw: Any, config: Any) -> str:
    config.ClearField("optimization")
    config.ClearField("response_cache")
    config.ClearField("runtime")
    return _added(config, draw(st.sampled_from((
        "backend: 'python'", "response_cache { } response_cache { }",
        "optimization { priority: 0 priority: 0 }", "runtime: '' runtime: ''",
        "parameters { key: 'a' key: 'a' }", "max_batch_size: 1 max_batch_size: 1",
    ))))  # fmt: skip


def _broken_syntax(draw: Any, config: Any) -> str:
    return _added(config, draw(st.sampled_from((
        "}", "]", ">", "optimization {", "optimization { >", "optimization < }", "runtime 'x'",
        "runtime:", "runtime: 'x", 'runtime: "x\ny"', "input [ { ]", "input [ , ]", ",,", "@", "?",
        "// no comment", "/* no comment */", "5: 6", "'runtime': 'x'", "[a.b]: 1", "[a.b/c.D] { }",
        "version_policy { specific { versions: [1,] } }", "optimization [ { } ]", "\0", "# \0",
        "version_policy { specific { versions: [1 1] } }", "instance_group [ { } { } ]", "é",
        "version_policy { specific { versions [1] } }", "runtime: ['']", "\N{NO-BREAK SPACE}",
        "version_policy { specific { versions: [[1]] } }", "runtime: null", "\x01", "-runtime: ''",
        "runtime: “x”", "max_batch_size", "runtime = ''", "runtime: \\'\\'", "\N{BYTE ORDER MARK}",
    ))))  # fmt: skip


def _bad_escape(draw: Any, config: Any) -> str:
    escape = draw(st.sampled_from((r"\q", r"\x", r"\u12", r"\8", r"\X41", "\\\n", "\0", r"\U0001")))
    return _added(config, f'parameters {{ key: "a{escape}" }}')


EDITS: Final[tuple[tuple[str, Edit], ...]] = (
    ("1", _two_schedulers),
    ("2", _two_strategies),
    ("3", _two_of_another),
    ("3", _unknown_field),
    ("3", _newer_field),
    ("3", _wrong_type),
    ("3", _out_of_range),
    ("3", _twice),
    ("3", _broken_syntax),
    ("3", _bad_escape),
)
"""By the number of the rejection in ``reasons.py``."""
