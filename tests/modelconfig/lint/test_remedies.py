"""What was probably meant is named where something near it exists (M12)."""

from __future__ import annotations

import pytest

from backend.modelconfig.lint.linter import lint_text

# text, what is said, what would be right
REMEDIES = {
    "a field": ("max_bach_size: 4", "no field 'max_bach_size'", "Did you mean max_batch_size?"),
    "a field of a section": (
        "dynamic_batching { max_queue_delay: 5 }",
        "ModelDynamicBatching has no field 'max_queue_delay'",
        "Did you mean max_queue_delay_microseconds?",
    ),
    "a field that nothing is near to": (
        "sequence_batching { oldest { xyzzy: 5 } }",
        "StrategyOldest has no field 'xyzzy'",
        "Known here: max_candidate_sequences",
    ),
    "a value": (
        "instance_group [ { kind: KIND_CPUS } ]",
        "'KIND_CPUS' is no value of kind",
        "Did you mean KIND_CPU?",
    ),
    "a type without its prefix": (
        'input [ { name: "X" data_type: FP32 dims: [ 1 ] } ]',
        "'FP32' is no value of data_type",
        "Did you mean TYPE_FP32?",
    ),
    "two schedulers": (
        "dynamic_batching { } sequence_batching { }",
        "exclude each other",
        "A model has one scheduler",
    ),
    "two strategies": (
        "sequence_batching { direct { } oldest { } }",
        "exclude each other",
        "direct for a model that finds its state by position",
    ),
    "text for a number": ('max_batch_size: "4"', "takes a whole number", "a whole number"),
    "a word for a text": ("name: asr", "takes a text in quotes", 'Write name: "asr"'),
}


@pytest.mark.parametrize(("text", "what", "fix"), REMEDIES.values(), ids=REMEDIES.keys())
def test_a_remedy_is_named(text: str, what: str, fix: str) -> None:
    found = next(item for item in lint_text(text) if item.severity == "error")
    assert what in found.message
    assert fix in found.fix
