"""The JSON of the configuration endpoint says what the text form says (M10)."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from google.protobuf import json_format, text_format
from google.protobuf.descriptor import FieldDescriptor
from tritonclient.grpc import model_config_pb2

from backend.modelconfig.fields import is_map
from backend.modelconfig.lint.linter import lint_text
from backend.modelconfig.lint.reading import read_configuration
from tests.modelconfig.lint import cases_fit, cases_refused, cases_warnings

HERE = Path(__file__).parent
CASES = {**cases_refused.CASES, **cases_warnings.CASES, **cases_fit.CASES}


def valid() -> Iterator[tuple[str, str, dict[str, Any]]]:
    for rule, case in CASES.items():
        yield f"{rule}, wrong", case.text, case.known
        yield f"{rule}, right", case.fixed, case.known
    for path in sorted(
        [*HERE.glob("documentation_24_10/*.pbtxt"), *HERE.glob("../golden/*.pbtxt")]
    ):
        yield path.name, path.read_text(encoding="utf-8"), {}


def said(text: str, known: dict[str, Any]) -> set[tuple[str, str, str]]:
    known = {key: value for key, value in known.items() if key != "file"}
    return {(item.rule, item.field, item.message) for item in lint_text(text, **known)}


@pytest.mark.parametrize("kept", [True, False], ids=["names of the file", "names of JSON"])
def test_each_valid_file_lints_the_same_in_both_forms(kept: bool) -> None:
    tried = 0
    for name, text, known in valid():
        reading = read_configuration(text)
        if reading.troubles or reading.form != "text":
            continue
        config = text_format.Parse(text, model_config_pb2.ModelConfig())
        as_json = json_format.MessageToJson(config, preserving_proto_field_name=kept)
        again = read_configuration(as_json)
        assert again.troubles == (), name
        assert again.config == config, name
        # defaults that the text form writes out are not there in JSON
        plain = text_format.MessageToString(config)
        if plain:
            assert said(as_json, known) == said(plain, known), name
        tried += 1
    assert tried > 300


def maps(descriptor: Any, seen: set[str]) -> Iterator[Any]:
    if descriptor.full_name in seen:
        return
    seen.add(descriptor.full_name)
    for field in descriptor.fields:
        if is_map(field):
            yield field
        if field.message_type is not None:
            yield from maps(field.message_type, seen)


MAPS = list(maps(model_config_pb2.ModelConfig.DESCRIPTOR, set()))


def path_to(descriptor: Any, wanted: Any) -> list[Any]:
    """Fields from a message down to one of them."""
    for field in descriptor.fields:
        if field is wanted or field.full_name == wanted.full_name:
            return [field]
        if (
            field.message_type is not None
            and not is_map(field)
            and (rest := path_to(field.message_type, wanted))
        ):
            return [field, *rest]
        if (
            is_map(field)
            and (inner := field.message_type.fields_by_name["value"].message_type)
            and (rest := path_to(inner, wanted))
        ):
            return [field, *rest]
    return []


def test_all_maps_of_the_schema_are_looked_at() -> None:
    keys = {field.full_name: field.message_type.fields_by_name["key"].type for field in MAPS}
    assert len(keys) >= 9
    assert keys["inference.ModelDynamicBatching.priority_queue_policy"] in (
        FieldDescriptor.TYPE_UINT32, FieldDescriptor.TYPE_UINT64,
    )  # fmt: skip


@pytest.mark.parametrize("field", MAPS, ids=[field.full_name for field in MAPS])
def test_a_maps_keys_are_read_by_their_type(field: Any) -> None:
    way = path_to(model_config_pb2.ModelConfig.DESCRIPTOR, field)
    inner = field.message_type.fields_by_name["value"]
    value = "{}" if inner.message_type is not None else '"1"'
    opening, closing = "{", "}"
    for step in way:
        name = f'"{step.name}": '
        if is_map(step) and step is not way[-1]:
            opening, closing = opening + name + '{"k": {', "}}" + closing
        elif step is way[-1] or not step.is_repeated:
            opening, closing = opening + name + "{", "}" + closing
        else:
            opening, closing = opening + name + "[{", "}]" + closing
    text = f'{opening}"7": {value}{closing}'
    reading = read_configuration(text)
    assert reading.troubles == ()
    assert reading.config == json_format.Parse(text, model_config_pb2.ModelConfig())
    numeric = field.message_type.fields_by_name["key"].type != FieldDescriptor.TYPE_STRING
    troubles = read_configuration(f'{opening}"seven": {value}{closing}').troubles
    assert [(item.rule, item.line, item.column) for item in troubles] == (
        [("wrong-type", 1, len(opening) + 1)] if numeric else []
    )
