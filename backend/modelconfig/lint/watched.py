"""A configuration that notes which of the things that a template leaves open were looked at.

A placeholder for a section, or one between fields, may bring anything: no value can stand in for
it. So the rules look at a template through these views. What is written is theirs to see; whoever
asks for what is not written there, for how many there are, or reads a list to its end, has
looked at what nobody knows yet, and what follows from that is not said.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, fields
from typing import Any, Final

from google.protobuf.descriptor import FieldDescriptor

from backend.modelconfig.fields import is_map
from backend.modelconfig.lint.rule import Context, Hit


@dataclass(frozen=True)
class Gaps:
    """What a template leaves open, by path.

    Args:
        blocks: Sections that may hold more than is written; the empty path is the whole file.
        fields: Sections, lists and maps that a placeholder fills.
        doubts: Fields that stand in a template's branches, and may be missing or be another.
    """

    blocks: frozenset[str] = frozenset()
    fields: frozenset[str] = frozenset()
    doubts: frozenset[str] = frozenset()

    def __bool__(self) -> bool:
        return bool(self.blocks or self.fields or self.doubts)


def settled_hits(
    check: Callable[[Context], Iterable[Hit]], context: Context, gaps: Gaps
) -> list[Hit]:
    """What a rule says without having looked at what a template leaves open.

    Args:
        check: The rule's own.
        context: What it may look at.
        gaps: What is open.
    """
    notes = _Notes(gaps, context.written)
    found = []
    for hit in check(_watched(context, notes)):
        inside = all(_within(hit.path, path) for path in notes.doubted)
        if inside and not notes.missed:
            found.append(hit)
    return found


def _within(path: str, above: str) -> bool:
    return path == above or path.startswith((f"{above}.", f"{above}["))


@dataclass
class _Notes:
    """What a rule has looked at: ``missed`` is anything that is not known at all."""

    gaps: Gaps
    written: Callable[[str], bool]
    missed: bool = False
    doubted: set[str] = field(default_factory=set)

    def seen(self, path: str) -> None:
        if path in self.gaps.doubts:
            self.doubted.add(path)


class _WatchedContext(Context):
    """The backend comes from the file, too: where that may name one yet, nobody knows it."""

    def __getattribute__(self, name: str) -> Any:
        if name == "backend":
            config = super().__getattribute__("config")
            if not config.backend:
                _ = config.platform
        return super().__getattribute__(name)


def _watched(context: Context, notes: _Notes) -> Context:
    def written(path: str) -> bool:
        notes.seen(path)
        there = notes.written(path)
        holder = path.rpartition(".")[0]
        filled = any(_within(path, above) for above in notes.gaps.fields)
        if not there and (filled or holder in notes.gaps.blocks):
            notes.missed = True
        return there

    known = {item.name: getattr(context, item.name) for item in fields(Context)}
    known["config"] = _Message(context.config, "", "" in notes.gaps.blocks, notes)
    return _WatchedContext(**{**known, "written": written})


class _Message:
    """A section; ``open``: it may hold more than is written."""

    def __init__(self, message: Any, path: str, open_: bool, notes: _Notes) -> None:
        self._message = message
        self._path = path
        self._open = open_
        self._notes = notes
        self.DESCRIPTOR: Final = message.DESCRIPTOR

    def __getattr__(self, name: str) -> Any:
        known = self.DESCRIPTOR.fields_by_name.get(name)
        value = getattr(self._message, name)
        return value if known is None else self._view(known, value)

    def __eq__(self, other: object) -> bool:
        self._notes.missed = True
        return bool(self._message == (other._message if isinstance(other, _Message) else other))

    __hash__ = None  # type: ignore[assignment]

    def HasField(self, name: str) -> bool:
        """As of the message."""
        there = bool(self._message.HasField(name))
        self._asked(self.DESCRIPTOR.fields_by_name[name], there)
        return there

    def WhichOneof(self, group: str) -> str | None:
        """As of the message."""
        chosen: str | None = self._message.WhichOneof(group)
        for item in self.DESCRIPTOR.oneofs_by_name[group].fields:
            self._notes.seen(self._where(item))
        if chosen is None and self._open:
            self._notes.missed = True
        return chosen

    def ListFields(self) -> Iterator[tuple[Any, Any]]:
        """As of the message, one after another: the end is known where nothing may follow."""
        for known, value in self._message.ListFields():
            yield known, self._view(known, value)
        if self._open:
            self._notes.missed = True

    def _where(self, known: Any) -> str:
        return f"{self._path}.{known.name}" if self._path else str(known.name)

    def _asked(self, known: Any, there: bool) -> None:
        self._notes.seen(self._where(known))
        group = known.containing_oneof
        chosen = self._message.WhichOneof(group.name) if group is not None else None
        other = self.DESCRIPTOR.fields_by_name[chosen] if chosen is not None else None
        settled = other is not None and self._where(other) not in self._notes.gaps.doubts
        if self._open and not there and not settled:
            self._notes.missed = True

    def _view(self, known: Any, value: Any) -> Any:
        where, notes = self._where(known), self._notes
        if is_map(known) or known.is_repeated:
            notes.seen(where)
            open_ = self._open or where in notes.gaps.fields
            return (_Map if is_map(known) else _List)(value, where, open_, notes)
        if known.type != FieldDescriptor.TYPE_MESSAGE:
            self._asked(known, notes.written(where))
            return value
        there = bool(self._message.HasField(known.name))
        self._asked(known, there)
        return _section(value, where, notes, unknown=self._open and not there)


def _section(value: Any, where: str, notes: _Notes, *, unknown: bool = False) -> _Message:
    gaps = notes.gaps
    return _Message(value, where, unknown or where in gaps.blocks or where in gaps.fields, notes)


class _List:
    """A list of values or sections; ``open``: it may be longer."""

    def __init__(self, values: Any, path: str, open_: bool, notes: _Notes) -> None:
        self._values = values
        self._path = path
        self._open = open_
        self._notes = notes

    def __iter__(self) -> Iterator[Any]:
        for index in range(len(self._values)):
            yield self._at(index)
        self._to_the_end()

    def __len__(self) -> int:
        self._to_the_end()
        return len(self._values)

    def __bool__(self) -> bool:
        if not self._values:
            self._to_the_end()
        return bool(self._values)

    def __contains__(self, value: object) -> bool:
        return any(item == value for item in self)

    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, slice) or not 0 <= index < len(self._values):
            self._to_the_end()
            return list(self)[index]
        return self._at(index)

    def __eq__(self, other: object) -> bool:
        return list(self) == (list(other) if isinstance(other, _List) else other)

    __hash__ = None  # type: ignore[assignment]

    def _at(self, index: int) -> Any:
        where = f"{self._path}[{index}]"
        self._notes.seen(where)
        value = self._values[index]
        return _section(value, where, self._notes) if hasattr(value, "DESCRIPTOR") else value

    def _to_the_end(self) -> None:
        if self._open:
            self._notes.missed = True


class _Map:
    """A map; ``open``: it may have more keys."""

    def __init__(self, values: Any, path: str, open_: bool, notes: _Notes) -> None:
        self._values = values
        self._path = path
        self._open = open_
        self._notes = notes

    def __iter__(self) -> Iterator[Any]:
        yield from self._values
        self._to_the_end()

    def __len__(self) -> int:
        self._to_the_end()
        return len(self._values)

    def __bool__(self) -> bool:
        if not self._values:
            self._to_the_end()
        return bool(self._values)

    def __contains__(self, key: object) -> bool:
        there = key in self._values
        if not there:
            self._to_the_end()
        return there

    def __getitem__(self, key: Any) -> Any:
        shown = f'["{key}"]' if isinstance(key, str) else f"[{key}]"
        if key not in self:
            raise KeyError(key)
        value = self._values[key]
        where = f"{self._path}{shown}"
        return _section(value, where, self._notes) if hasattr(value, "DESCRIPTOR") else value

    def keys(self) -> Iterator[Any]:
        """As of the map."""
        return iter(self)

    def values(self) -> Iterator[Any]:
        """As of the map."""
        return (self[key] for key in self)

    def items(self) -> Iterator[tuple[Any, Any]]:
        """As of the map."""
        return ((key, self[key]) for key in self)

    def _to_the_end(self) -> None:
        if self._open:
            self._notes.missed = True
