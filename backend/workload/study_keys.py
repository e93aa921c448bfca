"""Which keys a study file may hold, and where: read from the types themselves."""

from __future__ import annotations

import difflib
import types
from collections.abc import Iterator
from typing import Annotated, Any, Literal, Union, get_args, get_origin

from backend.contracts.values import Value
from backend.workload.study import Study
from backend.workload.yaml_tree import Place


def keys_at(place: Place) -> tuple[str, ...]:
    """The keys of the mapping at a place of a study file; empty where it has no fixed keys."""
    kind = _kind_at(Study, place)
    if not _is_value(kind):
        return ()
    return tuple(spelled for spelled, _ in _keys(kind))


def homes_of(key: str) -> tuple[str, ...]:
    """Where in a study file a key would be right, e.g. ``classes[].workload.traffic``."""
    return tuple(dict.fromkeys(where for where, known in keys_below(Study, "") if known == key))


def nearest(word: str, known: tuple[str, ...]) -> str | None:
    """The known word that was probably meant, whatever its case; None where nothing is near."""
    spelled = {name.lower(): name for name in reversed(known)}
    wanted = word.lower().replace(" ", "_")
    close = difflib.get_close_matches(wanted, list(spelled), n=1, cutoff=0.6)
    return spelled[close[0]] if close else None


def path_text(place: Place) -> str:
    """A place as people write it: ``classes[0].model.template``."""
    text = ""
    for step in place:
        if isinstance(step, int):
            text += f"[{step}]"
        else:
            text += f".{step}" if text else step
    return text or "the file"


def _is_value(kind: Any) -> bool:
    return isinstance(kind, type) and issubclass(kind, Value)


def _keys(kind: type[Value]) -> Iterator[tuple[str, Any]]:
    """Spelling in the file and type of each key of a value."""
    for name, info in kind.model_fields.items():
        yield info.alias or name, info.annotation


def _kind_at(kind: Any, place: Place) -> Any:
    """The type of the value at a place below one of type ``kind``; None where there is none."""
    kind = _bare(kind)
    if not place:
        return kind
    step, rest = place[0], place[1:]
    if _is_value(kind):
        return _kind_at(dict(_keys(kind)).get(str(step)), rest)
    inner = _inside(kind)
    return _kind_at(inner, rest) if inner is not None else None


def _bare(kind: Any) -> Any:
    """Without ``Annotated`` and ``| None``."""
    if get_origin(kind) is Annotated:
        return _bare(get_args(kind)[0])
    if get_origin(kind) in (Union, types.UnionType):
        parts = [part for part in get_args(kind) if part is not type(None)]
        if len(parts) == 1:
            return _bare(parts[0])
    return kind


def _inside(kind: Any) -> Any:
    """The type of a list's items or a mapping's values."""
    origin, parts = get_origin(kind), get_args(kind)
    if origin is tuple:
        return parts[0]
    if origin is dict:
        return parts[1]
    return None


def keys_below(kind: Any, where: str) -> Iterator[tuple[str, str]]:
    """Every place below a type with each of its keys."""
    kind = _bare(kind)
    if _is_value(kind):
        for spelled, inner in _keys(kind):
            yield where or "the top of the file", spelled
            yield from keys_below(inner, f"{where}.{spelled}" if where else spelled)
    elif get_origin(kind) is not Literal:
        inner = _inside(kind)
        if inner is not None:
            yield from keys_below(inner, where + ("[]" if get_origin(kind) is tuple else ".<name>"))
