"""Binds a tree to Triton's ``ModelConfig``: what each part means, and which parts mean nothing.

Follows ``TextFormat::Parser::ParserImpl`` of protobuf (``ConsumeField``, ``ConsumeFieldValue``),
which Triton reads ``config.pbtxt`` with, and for JSON ``util::JsonStringToMessage``. All troubles
of a file are found, not only the first.
"""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from google.protobuf.descriptor import FieldDescriptor
from tritonclient.grpc import model_config_pb2

from backend.modelconfig.fields import is_map
from backend.modelconfig.lint.placeholders import is_comment, is_hole, is_statement, stand_in
from backend.modelconfig.lint.scalars import WrongValueError, scalar_value, takes_quotes
from backend.modelconfig.lint.tree import Block, Entry, Scalar, Trouble

_EXCLUSIVE: Final = {
    "scheduling_choice": "A model has one scheduler: keep dynamic_batching for requests that stand "
    "alone, sequence_batching for parts of a session.",
    "strategy_choice": "Keep direct for a model that finds its state by position, oldest for one "
    "that finds it by correlation ID.",
    "policy_choice": "Keep one of latest, all and specific.",
}


@dataclass
class Bound:
    """What a tree means.

    ``places``: line and column of every field that is written, by path with indices
    (``input[0].dims[1]``, ``parameters["key"]``). ``holes``: values that are a placeholder, or hold
    one, with their paths; ``open``: the plain ones, with the field that they fill. ``blocks``:
    sections with placeholders between their fields; ``filled``: sections, lists and maps that one
    fills; ``doubts``: fields in branches of a template, which may be missing or be another.
    """

    config: Any
    places: dict[str, tuple[int, int]] = field(default_factory=dict)
    troubles: list[Trouble] = field(default_factory=list)
    holes: list[tuple[str, Scalar]] = field(default_factory=list)
    open: dict[str, Any] = field(default_factory=dict)
    blocks: set[str] = field(default_factory=set)
    filled: set[str] = field(default_factory=set)
    doubts: set[str] = field(default_factory=set)


def bind(root: Block, *, json: bool = False, stand_ins: Mapping[str, Any] | None = None) -> Bound:
    """Bind a whole configuration.

    Args:
        root: Its tree.
        json: Whether that was JSON.
        stand_ins: Values for placeholders, by path; for others there is a plausible one.
    """
    bound = Bound(model_config_pb2.ModelConfig())
    _Binder(bound, json, stand_ins or {}).message(root, bound.config, "")
    return bound


class _Binder:
    def __init__(self, bound: Bound, json: bool, stand_ins: Mapping[str, Any]) -> None:
        self._bound = bound
        self._json = json
        self._stand_ins = stand_ins

    def message(self, block: Block, message: Any, path: str) -> None:
        """Bind a section's fields to a message."""
        seen: dict[str, int] = {}
        chosen: dict[str, str] = {}
        branches = self._between(block, path)
        for place, entry in enumerate(block.fields):
            found = self._field_of(entry, message, path)
            if found is None:
                continue
            name = found.name
            where = f"{path}.{name}" if path else name
            if place in branches:
                one = found.is_repeated and not is_map(found)
                self._bound.doubts.add(f"{where}[{seen.get(name, 0)}]" if one else where)
            self._bound.places.setdefault(where, entry.named_at)
            if is_map(found):
                self._map(entry, message, found, where)
            elif found.is_repeated:
                if isinstance(entry.value, Scalar) and entry.value.kind == "null":
                    self._empty_list(entry, found, where)
                    continue
                if isinstance(entry.value, Scalar) and entry.value.kind == "placeholder":
                    # it may bring several, or the whole list
                    self._bound.filled.add(where)
                    if found.type == FieldDescriptor.TYPE_MESSAGE:
                        self._bound.holes.append((where, entry.value))
                        continue
                index = seen.get(name, 0)
                seen[name] = index + 1
                self._element(entry, message, found, f"{where}[{index}]")
            else:
                self._singular(entry, message, found, where, seen, chosen)

    def _between(self, block: Block, path: str) -> range:
        """Notes placeholders between a section's fields; those fields that stand in branches."""
        telling = [(at, text) for at, text in block.between if not is_comment(text)]
        if telling:
            self._bound.blocks.add(path)
        statements = [at for at, text in telling if is_statement(text)]
        if len(statements) == 1:
            # the other end of the branch stands in another section
            return range(len(block.fields))
        return range(statements[0], statements[-1]) if statements else range(0)

    def _field_of(self, entry: Entry, message: Any, path: str) -> Any:
        descriptor = message.DESCRIPTOR
        found = descriptor.fields_by_name.get(entry.name)
        if found is None and self._json:
            found = descriptor.fields_by_camelcase_name.get(entry.name)
        if found is None:
            known = [item.name for item in descriptor.fields]
            close = difflib.get_close_matches(entry.name, known, n=1)
            hint = f"Did you mean {close[0]}?" if close else f"Known here: {', '.join(known)}."
            holder = (
                "A model configuration" if descriptor.name == "ModelConfig" else descriptor.name
            )
            self._trouble(
                "unknown-field",
                f"{holder} has no field '{entry.name[:60]}'.",
                hint,
                entry,
                f"{path}.{entry.name}" if path else entry.name,
            )
        return found

    def _empty_list(self, entry: Entry, found: Any, where: str) -> None:
        plain = found.type != FieldDescriptor.TYPE_MESSAGE
        if entry.listed and plain and not entry.colon:
            self._trouble("syntax", f"':' is expected after {entry.name}.",
                          f"Write {entry.name}: [ … ].", entry, where)  # fmt: skip

    def _singular(
        self,
        entry: Entry,
        message: Any,
        found: Any,
        where: str,
        seen: dict[str, int],
        chosen: dict[str, str],
    ) -> None:
        name = found.name
        if self._json and isinstance(entry.value, Scalar) and entry.value.kind == "null":
            return
        if entry.listed:
            self._trouble(
                "wrong-type", f"{name} takes one value, not a list.", "Leave the brackets out.",
                entry, where,
            )  # fmt: skip
            return
        if name in seen and (found.has_presence or _is_set(message, found)):
            self._trouble("field-twice", f"{name} stands there twice.", "Keep one of them.", entry,
                          where)  # fmt: skip
            return
        seen[name] = 1
        group = found.containing_oneof
        if group is not None:
            other = chosen.setdefault(group.name, name)
            if other != name:
                self._trouble(
                    _ONEOF_RULES.get(group.name, "field-twice"),
                    f"{name} and {other} exclude each other.",
                    _EXCLUSIVE.get(group.name, "Keep one of the two."),
                    entry,
                    where,
                )
                return
        if found.type == FieldDescriptor.TYPE_MESSAGE:
            inner = getattr(message, name)
            inner.SetInParent()
            self._section(entry, inner, where)
            return
        value = self._scalar(entry, found, where)
        if value is not None:
            self._set(message, found, value, entry, where)

    def _element(self, entry: Entry, message: Any, found: Any, where: str) -> None:
        self._bound.places.setdefault(where, (entry.line, entry.column))
        values = getattr(message, found.name)
        if found.type == FieldDescriptor.TYPE_MESSAGE:
            self._section(entry, values.add(), where)
            return
        value = self._scalar(entry, found, where)
        if value is None:
            return
        try:
            values.append(value)
        except (ValueError, TypeError) as error:
            self._refused(error, entry, where)

    def _section(self, entry: Entry, inner: Any, where: str) -> None:
        value = entry.value
        if isinstance(value, Block):
            self.message(value, inner, where)
        elif value.kind == "placeholder":
            self._bound.holes.append((where, value))
            self._bound.filled.add(where)
        else:
            self._trouble(
                "wrong-type",
                f"{entry.name} is a section, not '{value.text[:40]}'.",
                f"Write {entry.name} {{ … }}.",
                value,
                where,
            )

    def _map(self, entry: Entry, message: Any, found: Any, where: str) -> None:
        """Map entries: ``{ key: … value { … } }`` in text, members of an object in JSON."""
        inner = found.message_type.fields_by_name["value"]
        target = getattr(message, found.name)
        if not isinstance(entry.value, Block):
            if entry.listed and entry.value.kind == "null":
                return
            hole = entry.value.kind == "placeholder"
            if hole:
                self._bound.holes.append((where, entry.value))
                self._bound.filled.add(where)
            elif not (self._json and entry.value.kind == "null"):
                self._trouble("wrong-type", f"{entry.name} is a section.",
                              f"Write {entry.name} {{ … }}.", entry.value, where)  # fmt: skip
            return
        if self._json:
            for member in entry.value.fields:
                named = self._member_key(member, found, where)
                if named is not None:
                    self._map_value(member, named, target, inner, where, member)
            return
        keys = found.message_type.fields_by_name
        pair: dict[str, Entry] = {}
        if entry.value.between:
            self._between(entry.value, where)
            self._bound.filled.add(where)
        for part in entry.value.fields:
            if part.name not in keys:
                known = ", ".join(keys)
                what = f"An entry of {entry.name} has no field '{part.name[:60]}'."
                self._trouble("unknown-field", what, f"Known here: {known}.", part, where)
            elif part.name in pair:
                self._trouble("field-twice", f"{part.name} stands there twice.",
                              "Keep one of them.", part, where)  # fmt: skip
            else:
                pair[part.name] = part
        key: Any = 0 if keys["key"].cpp_type != FieldDescriptor.CPPTYPE_STRING else ""
        if "key" in pair:
            key = self._scalar(pair["key"], keys["key"], f"{where}.key")
            if key is None:
                return
            if f"{where}.key" in self._bound.open:
                self._bound.filled.add(where)
        self._map_value(
            pair.get("value", entry), key, target, inner, where, entry, given="value" in pair
        )

    def _member_key(self, member: Entry, found: Any, where: str) -> Any:
        """The key that a member's name in JSON stands for; null where it can be none."""
        key = found.message_type.fields_by_name["key"]
        if key.cpp_type == FieldDescriptor.CPPTYPE_STRING:
            return member.name
        name = Scalar("string", member.name, member.line, member.column, raw=member.name.encode())
        try:
            return scalar_value(name, key, json=True)
        except WrongValueError as error:
            self._trouble(error.rule, error.what, error.fix, name, f"{where}.key")
            return None

    def _map_value(
        self,
        entry: Entry,
        key: Any,
        target: Any,
        inner: Any,
        where: str,
        whole: Entry,
        given: bool = True,
    ) -> None:
        path = f'{where}["{key}"]' if isinstance(key, str) else f"{where}[{key}]"
        self._bound.places[path] = (whole.line, whole.column)
        if not given and where in self._bound.filled:
            self._bound.filled.add(path)
        try:
            if inner.type == FieldDescriptor.TYPE_MESSAGE:
                # a later entry with the same key replaces the earlier one
                target[key].Clear()
                target[key].SetInParent()
                if given:
                    self._section(entry, target[key], path)
            elif given:
                value = self._scalar(entry, inner, path)
                if value is not None:
                    target[key] = value
            else:
                target[key] = inner.default_value
        except (ValueError, TypeError) as error:
            self._refused(error, entry, path)

    def _scalar(self, entry: Entry, found: Any, where: str) -> Any:
        """The value of a field; null where it has none, which has then been said."""
        value = entry.value
        if isinstance(value, Block):
            self._trouble("wrong-type", f"{entry.name} is a plain value, not a section.",
                          f"Write {entry.name}: and the value.", value, where)  # fmt: skip
            return None
        if not entry.colon and value.kind != "placeholder":
            self._trouble("syntax", f"':' is expected after {entry.name}.",
                          f"Write {entry.name}: and the value.", entry, where)  # fmt: skip
            return None
        if value.kind == "placeholder" or (value.kind == "string" and is_hole(value.text)):
            self._bound.holes.append((where, value))
            self._bound.open[where] = found
            if where in self._stand_ins:
                return self._stand_ins[where]
            quoted = self._json and takes_quotes(found)
            if value.kind == "placeholder" or quoted:
                return stand_in(found)
        try:
            return scalar_value(value, found, json=self._json)
        except WrongValueError as error:
            self._trouble(error.rule, error.what, error.fix, value, where)
            return None

    def _set(self, message: Any, found: Any, value: Any, entry: Entry, where: str) -> None:
        try:
            setattr(message, found.name, value)
        except (ValueError, TypeError) as error:
            self._refused(error, entry, where)

    def _refused(self, error: Exception, entry: Entry, where: str) -> None:
        self._trouble("wrong-type", f"{entry.name} cannot hold this value: {str(error)[:120]}.",
                      "Correct the value.", entry.value, where)  # fmt: skip

    def _trouble(
        self, rule: str, what: str, fix: str, at: Entry | Scalar | Block, path: str
    ) -> None:
        self._bound.troubles.append(Trouble(rule, what, fix, at.line, at.column, path))


_ONEOF_RULES: Final = {"scheduling_choice": "two-schedulers", "strategy_choice": "two-strategies"}


def _is_set(message: Any, field: Any) -> bool:
    """As protobuf asks: a scalar without presence that holds its default is not set."""
    return any(item is field or item.name == field.name for item, _ in message.ListFields())
