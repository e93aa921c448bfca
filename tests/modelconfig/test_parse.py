"""Reading ``config.pbtxt`` (M12): line, column, and what was probably meant."""

from __future__ import annotations

from pathlib import Path

import pytest

from backend.contracts.errors import InputError
from backend.modelconfig.parse import load_config, parse

# text, line, column, what, remedy
FAULTS = {
    "unknown field": (
        'name: "a"\nmax_bach_size: 4\n',
        2,
        1,
        "has no field 'max_bach_size'",
        "Did you mean max_batch_size?",
    ),
    "unknown nested field": (
        "dynamic_batching {\n  max_queue_delay: 5\n}\n",
        2,
        3,
        "ModelDynamicBatching has no field 'max_queue_delay'",
        "Did you mean max_queue_delay_microseconds?",
    ),
    "unknown field of a strategy": (
        "sequence_batching {\n oldest { xyzzy: 5 } }\n",
        2,
        11,
        "StrategyOldest has no field 'xyzzy'",
        "Known here: max_candidate_sequences",
    ),
    "both schedulers": (
        "dynamic_batching { }\nsequence_batching { }\n",
        2,
        1,
        "dynamic_batching and sequence_batching exclude each other",
        "A model has one scheduler",
    ),
    "both strategies": (
        "sequence_batching {\n  direct { }\n  oldest { }\n}\n",
        3,
        3,
        "direct and oldest exclude each other",
        "direct for a model that finds its state by position",
    ),
    "a field twice": (
        "max_batch_size: 1\nmax_batch_size: 2\n",
        2,
        17,
        "max_batch_size stands there twice",
        "Keep one",
    ),
    "unknown value": (
        "instance_group [ { kind: KIND_CPUS } ]\n",
        1,
        26,
        "'KIND_CPUS' is no value of ModelInstanceGroup.Kind",
        "Did you mean KIND_CPU?",
    ),
    "a type without its prefix": (
        "input [ { data_type: FP32 } ]\n",
        1,
        22,
        "'FP32' is no value of DataType",
        "Did you mean TYPE_FP32?",
    ),
    "text for a number": (
        'max_batch_size: "4"\n',
        1,
        17,
        "Couldn't parse integer",
        "Correct the line",
    ),
    "too large a number": (
        "max_batch_size: 99999999999\n",
        1,
        17,
        "Value out of range",
        "Correct the line",
    ),
    "a negative delay": (
        "dynamic_batching {\n  max_queue_delay_microseconds: -5\n}\n",
        2,
        33,
        "Value out of range",
        "Correct the line",
    ),
    "an unclosed text": ('name: "a\n', 1, 7, "String missing ending quote", "Correct the line"),
    "a missing comma": ("input {\n dims: [1 2]\n}\n", 2, 11, 'Expected ","', "Correct the line"),
    "a shell placeholder": (
        "max_batch_size: ${MAX_BATCH}\n",
        1,
        17,
        "placeholder of a template language",
        "Fill the template in first",
    ),
    "a template placeholder": (
        'name: "a"\nmax_batch_size: {{ size }}\n',
        2,
        17,
        "placeholder of a template language",
        "Fill the template in first",
    ),
    "an unclosed section": (
        "dynamic_batching {\n",
        None,
        None,
        "",
        "Correct the line",
    ),
}


@pytest.mark.parametrize("case", FAULTS.values(), ids=FAULTS.keys())
def test_a_fault_is_named_with_line_column_and_remedy(case) -> None:
    text, line, column, what, remedy = case
    with pytest.raises(InputError) as caught:
        parse(text, "model/config.pbtxt")
    error = caught.value
    assert what in error.what, error.what
    assert remedy in error.next_step, error.next_step
    if line is not None:
        assert error.line == line
        assert error.what.startswith(f"model/config.pbtxt:{line}: ")
        assert f"column {column}" in error.why, error.why


@pytest.mark.parametrize("text", ["", "\n\n", "# only a comment\n"])
def test_an_empty_file_is_refused(text: str) -> None:
    with pytest.raises(InputError, match="empty"):
        parse(text)


def test_what_triton_reads_is_read() -> None:
    config = parse(
        """
        # comments, both list styles, separators
        name: "a", max_batch_size: 8;
        input [{ name: "X" data_type: TYPE_FP32 dims: [ 4 ] }]
        input { name: "Y" data_type: TYPE_INT8 dims: 1 dims: 2 }
        """
    )
    assert [list(tensor.dims) for tensor in config.input] == [[4], [1, 2]]


def test_a_file_that_cannot_be_read_is_refused_plainly(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="cannot be read"):
        load_config(tmp_path / "none.pbtxt")
    (tmp_path / "binary.pbtxt").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(InputError, match="not UTF-8"):
        load_config(tmp_path / "binary.pbtxt")
    (tmp_path / "good.pbtxt").write_text('name: "a"\n')
    assert load_config(tmp_path / "good.pbtxt").name == "a"


def test_a_huge_text_is_refused_without_reading_it() -> None:
    with pytest.raises(InputError, match="characters"):
        parse("#" * (1024 * 1024 + 1))
