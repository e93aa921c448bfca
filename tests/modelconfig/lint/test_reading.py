"""What is handed over: forms, templates, and files that are something else (M12)."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from google.protobuf import json_format, text_format
from tritonclient.grpc import model_config_pb2

from backend.modelconfig.lint.linter import lint_text
from backend.modelconfig.lint.reading import read_configuration

GOLDEN = sorted((Path(__file__).parents[1] / "golden").glob("*.pbtxt"))
EFFECTIVE = sorted((Path(__file__).parents[1] / "effective_24_10").glob("*.json"))


def rules(data: str | bytes) -> list[tuple[str, int | None, int | None]]:
    return [(item.rule, item.line, item.column) for item in lint_text(data)]


@pytest.mark.parametrize("path", GOLDEN, ids=lambda path: path.stem)
def test_a_configuration_means_what_protobuf_reads(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    expected = text_format.Parse(text, model_config_pb2.ModelConfig())
    reading = read_configuration(text)
    assert reading.troubles == ()
    assert reading.config == expected


@pytest.mark.parametrize("path", EFFECTIVE, ids=lambda path: path.stem)
def test_the_answer_of_the_config_endpoint_is_read_with_places(path: Path) -> None:
    lines = path.read_text(encoding="utf-8").splitlines(keepends=True)
    text = "".join(line for line in lines if not line.startswith("#"))
    reading = read_configuration(text)
    assert reading.form == "json"
    assert reading.config == json_format.Parse(text, model_config_pb2.ModelConfig())
    line, column = reading.places["max_batch_size"]
    assert text.splitlines()[line - 1][column - 1 :].startswith('"max_batch_size"')


def test_json_is_linted_at_the_place_of_the_member() -> None:
    text = json.dumps({"name": "a", "max_batch_size": -1}, indent=1)
    assert text.splitlines()[2] == ' "max_batch_size": -1'
    assert ("max-batch-size-negative", 3, 2) in rules(text)


def test_json_takes_whole_numbers_as_text_and_values_by_name() -> None:
    text = (
        '{"input": [{"name": "X", "data_type": "TYPE_FP32", "dims": ["-1", 4]}],\n'
        ' "dynamic_batching": {"max_queue_delay_microseconds": "5"}}'
    )
    reading = read_configuration(text)
    assert reading.troubles == ()
    assert list(reading.config.input[0].dims) == [-1, 4]
    assert reading.config.dynamic_batching.max_queue_delay_microseconds == 5


TEMPLATES = {
    "shell": 'name: "a"\nmax_batch_size: ${SIZE}\nfoo: 1\n',
    "Jinja": 'name: "a"\nmax_batch_size: {{ size }}\nfoo: 1\n',
    "ERB": 'name: "a"\nmax_batch_size: <%= size %>\nfoo: 1\n',
    "make": 'name: "a"\nmax_batch_size: $(SIZE)\nfoo: 1\n',
    "autoconf": 'name: "a"\nmax_batch_size: @SIZE@\nfoo: 1\n',
    "printf": 'name: "a"\nmax_batch_size: %(size)d\nfoo: 1\n',
}


@pytest.mark.parametrize("text", TEMPLATES.values(), ids=TEMPLATES.keys())
def test_a_hole_of_a_template_is_said_and_the_rest_is_checked(text: str) -> None:
    found = rules(text)
    assert ("placeholder", 2, 17) in found
    assert ("unknown-field", 3, 1) in found
    assert not any(rule == "syntax" for rule, _, _ in found)


def test_a_hole_that_stands_for_a_whole_section_is_passed_over() -> None:
    found = rules('name: "a"\n{{ instance_groups }}\nmax_batch_size: -1\n')
    assert ("placeholder", 2, 1) in found
    assert ("max-batch-size-negative", 3, 1) in found


def test_nothing_is_said_of_the_value_that_fills_a_hole() -> None:
    found = rules("max_batch_size: 4\ndynamic_batching { preferred_batch_size: [ ${A}, 9 ] }\n")
    assert [item for item in found if item[0] == "preferred-size"] == [("preferred-size", 2, 50)]


OTHERS = {
    "nothing": (b"", "empty-file"),
    "blanks": (b" \n\t\n", "empty-file"),
    "a link": (b"../../common/config.pbtxt", "git-link"),
    "a link with a line end": (b"base/config.pbtxt\n", "git-link"),
    "a pointer of LFS": (
        b"version https://git-lfs.github.com/spec/v1\noid sha256:4d7a\nsize 12345\n",
        "git-link",
    ),
    "an include": (b'name: "a"\n#include "b.pbtxt"\ninclude "b.pbtxt"\n', "include"),
    "a web page": (b"<html><body>404</body></html>", "not-a-configuration"),
    "YAML": (b"---\nname: a\n", "not-a-configuration"),
    "INI": (b"[model]\nname = a\n", "not-a-configuration"),
    "UTF-16": ("name: 'a'".encode("utf-16"), "not-a-configuration"),
    "a program": (b"\x7fELF\x02\x01\x01\0\0\0", "not-a-configuration"),
    "a byte order mark": (b"\xef\xbb\xbfname: 'a'\n", "byte-order-mark"),
}


@pytest.mark.parametrize(("data", "rule"), OTHERS.values(), ids=OTHERS.keys())
def test_what_is_no_configuration_is_called_what_it_is(data: bytes, rule: str) -> None:
    (finding,) = lint_text(data)
    assert finding.rule == rule
    assert finding.severity == "error"
    assert finding.line is not None


def test_a_commented_include_is_a_comment() -> None:
    assert not any(rule == "include" for rule, _, _ in rules('name: "a"\n#include "b.pbtxt"\n'))


# text, and where the server itself says that it breaks (line, column); seen on release 24.10
BREAKS = {
    "no colon": ("max_batch_size 4", (1, 16)),
    "two separators": ('name: "a";;', (1, 11)),
    "an escape that is none": (r'name: "a\q"', (1, 7)),
    "a text over two lines": ('name: "a\nb"', (1, 7)),
    "a list without commas": ("input { dims: [ 1 2 ] }", (1, 19)),
    "a comma too many": ("input { dims: [ 1, ] }", (1, 20)),
    "a list for one value": ("max_batch_size: [ 4 ]", (1, 19)),
    "a number with a unit": ("max_batch_size: 4MB", (1, 18)),
    "a fraction": ("max_batch_size: 4.0", (1, 17)),
    "octal that is none": ("max_batch_size: 08", (1, 17)),
    "a plus sign": ("max_batch_size: +4", (1, 17)),
    "true in capitals": ("dynamic_batching { preserve_ordering: TRUE }", (1, 39)),
    "a wrong bracket": ("dynamic_batching { ]", (1, 20)),
    "a bracket too many": ("name: 'a' }", (1, 11)),
    "a comment of another language": ("// name", (1, 1)),
}


@pytest.mark.parametrize(("text", "place"), BREAKS.values(), ids=BREAKS.keys())
def test_what_protobuf_cannot_read_has_its_place(text: str, place: tuple[int, int]) -> None:
    found = [item for item in lint_text(text) if item.severity == "error"]
    assert (found[0].line, found[0].column) == place
    assert found[0].rule in ("syntax", "wrong-type")


# text that 24.10 reads, and what it means
READS = {
    "hexadecimal": ("max_batch_size: 0x10", 16),
    "octal": ("max_batch_size: 010", 8),
    "a semicolon": ("max_batch_size: 3;", 3),
    "a comma": ("max_batch_size: 3, name: 'a'", 3),
    "a comment": ("max_batch_size: # how many\n 3", 3),
}


@pytest.mark.parametrize(("text", "size"), READS.values(), ids=READS.keys())
def test_what_protobuf_reads_is_read_alike(text: str, size: int) -> None:
    reading = read_configuration(text)
    assert reading.troubles == ()
    assert reading.config.max_batch_size == size


def test_all_troubles_are_found_not_only_the_first() -> None:
    found = rules("foo: 1\nmax_batch_size: 'x'\ninput { data_type: FP32 }\n")
    assert [
        item for item in found if item[0] in ("unknown-field", "wrong-type", "unknown-value")
    ] == [("unknown-field", 1, 1), ("wrong-type", 2, 17), ("unknown-value", 3, 20)]


@pytest.mark.parametrize("number", ["--5", "5" * 5000, "-" * 40, "+5", "5 ", ""])
def test_a_text_of_json_that_is_no_number_is_said_at_its_place(number: str) -> None:
    found = read_configuration('{"max_batch_size": "' + number + '"}').troubles
    assert [(item.rule, item.line, item.column) for item in found] == [("wrong-type", 1, 20)]


def test_keys_of_a_map_are_texts_in_json() -> None:
    """As the configuration endpoint writes them."""
    policies = '{"1": {"max_queue_size": 3}, "18446744073709551615": {}}'
    text = '{"dynamic_batching": {"priority_queue_policy": ' + policies + "}}"
    reading = read_configuration(text)
    assert reading.troubles == ()
    found = reading.config.dynamic_batching.priority_queue_policy
    assert sorted(found) == [1, 2**64 - 1]
    assert found[1].max_queue_size == 3
    assert reading.places["dynamic_batching.priority_queue_policy[1]"] == (1, 49)
    for key in ("x", "-1", "18446744073709551616"):
        broken = read_configuration(text.replace('"1"', f'"{key}"')).troubles
        assert [(item.rule, item.column) for item in broken] == [("wrong-type", 49)]


def test_a_number_beyond_32_bits_is_refused_in_json_and_endless_in_text() -> None:
    """As protobuf does: its JSON reader refuses it, its text reader takes infinity."""
    text = '{"sequence_batching": {"direct": {"minimum_slot_utilization": 1e39}}}'
    assert [item.rule for item in read_configuration(text).troubles] == ["wrong-type"]
    plain = "sequence_batching { direct { minimum_slot_utilization: 1e39 } }"
    assert read_configuration(plain).troubles == ()
