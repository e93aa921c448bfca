"""A ``template.yaml`` as a value: what is wrong in one is said with its file, line and key."""

from __future__ import annotations

import difflib
import json
from pathlib import Path
from typing import Any, Final

from pydantic import BaseModel, ValidationError
from ruamel.yaml import YAML
from ruamel.yaml.comments import CommentedMap, CommentedSeq
from ruamel.yaml.error import MarkedYAMLError, YAMLError

from backend.contracts.errors import InputError
from backend.templates.template import (
    Decision,
    OutputRule,
    Parameter,
    Samples,
    Template,
    Tensor,
)

FILE_NAME: Final = "template.yaml"

_VALUES: Final[dict[tuple[str, ...], type[BaseModel]]] = {
    (): Template,
    ("inputs",): Tensor,
    ("outputs",): Tensor,
    ("parameters",): Parameter,
    ("rules",): OutputRule,
    ("decision",): Decision,
    ("samples",): Samples,
}
"""Which value stands at a place of the file, positions in lists left out."""

Place = tuple[str | int, ...]


class TemplateFile:
    """One ``template.yaml``: the value it holds and the lines its keys stand on."""

    def __init__(self, path: Path) -> None:
        """Read and check the file; ``template`` is its value.

        Raises:
            InputError: if it cannot be read, is no YAML, or has unknown keys or wrong types.
        """
        self.path = path
        self._data = _mapping(path)
        try:
            if "folder" in self._data:
                raise self.error("Unknown key 'folder'.", ("folder",))
            # As JSON a list is fit for a tuple although values are strict.
            text = json.dumps({**self._data, "folder": str(path.parent)}, default=str)
            self.template = Template.model_validate_json(text)
        except ValidationError as error:
            raise self._first_fault(error) from error

    def error(self, what: str, place: Place, *, why: str = "", next_step: str = "") -> InputError:
        """An error about the value at ``place`` (keys and positions from the top of the file)."""
        key = ".".join(str(part) for part in place)
        return InputError(
            what, why=why, next_step=next_step, file=self.path, line=self._line(place), key=key
        )

    def _line(self, place: Place) -> int:
        """Line, from 1, of the deepest part of ``place`` that stands in the file."""
        node: Any = self._data
        line = 0
        for part in place:
            if isinstance(node, CommentedMap) and part in node:
                line = node.lc.key(part)[0]
            elif isinstance(node, CommentedSeq) and isinstance(part, int) and part < len(node):
                line = node.lc.item(part)[0]
            else:
                break
            node = node[part]
        return int(line) + 1

    def _first_fault(self, error: ValidationError) -> InputError:
        faults = error.errors(include_url=False)
        # A misspelt key is also a missing one: the spelling is what helps.
        fault = next((item for item in faults if item["type"] == "extra_forbidden"), faults[0])
        place: Place = fault["loc"]
        more = f"{len(faults) - 1} more after this one." if len(faults) > 1 else ""
        name = str(place[-1]) if place else ""
        if fault["type"] == "extra_forbidden":
            known = _VALUES[tuple(part for part in place[:-1] if isinstance(part, str))]
            fields = [field for field in known.model_fields if field != "folder" or place[:-1]]
            near = difflib.get_close_matches(name, fields, n=1)
            return self.error(
                f"Unknown key '{name}'.",
                place,
                why=more,
                next_step=f"Did you mean '{near[0]}'?" if near else f"Known: {', '.join(fields)}.",
            )
        if fault["type"] == "missing":
            return self.error(f"The key '{name}' is missing.", place[:-1], why=more)
        # Alternatives of a type stand behind the place, e.g. (..., 'dims', 0, 'int').
        shown = tuple(part for part in place if part not in ("int", "str", "float"))
        where = ".".join(str(part) for part in shown)
        return self.error(
            f"'{where}' is {fault['input']!r}: {fault['msg'][:1].lower()}{fault['msg'][1:]}.",
            shown,
            why=more,
        )


def _mapping(path: Path) -> CommentedMap:
    try:
        data = YAML(typ="rt").load(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise InputError(
            "The template's description cannot be read.", why=str(error), file=path
        ) from error
    except UnicodeDecodeError as error:
        raise InputError(
            "The template's description is not UTF-8 text.", why=str(error), file=path
        ) from error
    except MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        raise InputError(
            f"This is no valid YAML: {error.problem or error.context}.",
            file=path,
            line=mark.line + 1 if mark is not None else None,
        ) from error
    except YAMLError as error:
        raise InputError("This is no valid YAML.", why=str(error), file=path) from error
    if not isinstance(data, CommentedMap):
        raise InputError(
            "A template's description is a mapping of keys to values.", file=path, line=1
        )
    return data
