"""Study files: YAML in, a study out, and back; every fault is named with its line."""

from __future__ import annotations

import json
from dataclasses import dataclass
from io import StringIO
from pathlib import Path
from typing import Any

from pydantic import ValidationError
from ruamel.yaml import YAML
from ruamel.yaml.comments import CommentedMap, CommentedSeq
from ruamel.yaml.scalarstring import LiteralScalarString

from backend.contracts.errors import InputError
from backend.workload.study import STUDY_SCHEMA, Study
from backend.workload.study_fault import faults_of, wrong_file
from backend.workload.study_keys import path_text
from backend.workload.yaml_tree import MOST_CHARACTERS, YamlTree, read_yaml


@dataclass(frozen=True)
class StudySource:
    """A study together with the file that it was read from.

    What needs more than the file to be checked (does the template exist, are its parameters right)
    is checked by whoever can; ``fault`` then names the line.
    """

    study: Study
    file: str
    tree: YamlTree

    def line_of(self, *place: str | int) -> int:
        """The line of e.g. ``"classes", 0, "model", "template"``, or of what is around it."""
        return self.tree.line_of(place)

    def fault(self, what: str, *place: str | int, why: str = "", next_step: str = "") -> InputError:
        """An error at a place of this file."""
        return InputError(
            what,
            why=why,
            next_step=next_step,
            file=self.file,
            line=self.line_of(*place),
            key=path_text(place),
        )


def load_study(path: Path) -> Study:
    """The study of a file.

    Raises:
        InputError: if the file cannot be read or is wrong; names file, line and key.
    """
    return load_source(path).study


def load_source(path: Path) -> StudySource:
    """The study of a file, with the lines of its parts.

    Raises:
        InputError: as ``load_study``.
    """
    try:
        with path.open("rb") as file:
            # more than the characters allowed can take (four bytes each) is refused anyway
            content = file.read(4 * MOST_CHARACTERS + 1)
    except FileNotFoundError as error:
        raise InputError(
            f"There is no study file {path}.",
            why=_nearby(path),
            next_step="Check the path; the examples are in the folder studies.",
        ) from error
    except IsADirectoryError as error:
        raise InputError(
            f"{path} is a folder, not a study file.",
            why=_nearby(path / "any.yaml"),
            next_step="Name a file in it.",
        ) from error
    except OSError as error:
        raise InputError(
            f"The study file {path} cannot be read.",
            why=error.strerror or str(error),
            next_step="Check its permissions.",
        ) from error
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InputError(
            "The file is not UTF-8 text.",
            why=f"Byte {error.start} is {content[error.start]:#04x}.",
            file=path,
            line=content.count(b"\n", 0, error.start) + 1,
            next_step="Save it as UTF-8 text.",
        ) from error
    return source_from_text(text, file=str(path))


def study_from_text(text: str, file: str = "study.yaml") -> Study:
    """The study of a text; ``file`` is how messages call it.

    Raises:
        InputError: as ``load_study``.
    """
    return source_from_text(text, file).study


def source_from_text(text: str, file: str = "study.yaml") -> StudySource:
    """The study of a text, with the lines of its parts.

    Raises:
        InputError: as ``load_study``; all faults are listed, the first as the message.
    """
    tree = read_yaml(text, file)
    if not isinstance(tree.data, dict):
        kind = "a list" if isinstance(tree.data, list) else "a single value"
        raise InputError(
            f"The file holds {kind}; a study is a mapping of keys to values.",
            file=file,
            line=tree.line_of(()),
            next_step="Begin with 'schema: 1', or copy one of the example files.",
        )
    faults = list(tree.faults)
    study: Study | None = None
    try:
        # by way of JSON: strict checking takes a list for a tuple there, and nothing else loosely
        study = Study.model_validate_json(json.dumps(tree.data))
    except ValidationError as error:
        faulty = {fault.place for fault in faults}
        faults += [fault for fault in faults_of(error, tree) if fault.place not in faulty]
    if "schema" not in tree.data:
        raise InputError(
            "The file does not say its schema.",
            file=file,
            line=tree.line_of(()),
            key="schema",
            next_step=f"Put 'schema: {STUDY_SCHEMA}' first.",
            why="\n".join(f"{file}:{fault.line}: {fault.what}" for fault in faults),
        )
    if study is None or faults:
        raise wrong_file(faults, file)
    return StudySource(study=study, file=file, tree=tree)


def study_to_yaml(study: Study) -> str:
    """A study as the text of a study file: ``schema`` first, defaults left out.

    Reading the text back gives an equal study.
    """
    plain = study.model_dump(mode="json", by_alias=True, exclude_defaults=True)
    document = CommentedMap({"schema": STUDY_SCHEMA})
    for key, value in plain.items():
        if key != "schema":
            document[key] = _laid_out(value, key)
    stream = StringIO()
    yaml = YAML(typ="rt", pure=True)
    yaml.width = 100
    yaml.indent(mapping=2, sequence=4, offset=2)
    yaml.dump(document, stream)
    return stream.getvalue()


def _laid_out(value: Any, key: str) -> Any:
    """Plain data with the layout of a hand-written file: short lists stay on one line."""
    if isinstance(value, str):
        return LiteralScalarString(value) if _fits_a_block(value) else value
    if isinstance(value, dict):
        return CommentedMap({name: _laid_out(inner, name) for name, inner in value.items()})
    if isinstance(value, list):
        if key == "candidates":
            value = [item["name"] if set(item) == {"name"} else item for item in value]
        laid = CommentedSeq([_laid_out(item, "") for item in value])
        if all(not isinstance(item, dict | list) for item in value):
            laid.fa.set_flow_style()
        return laid
    return value


def _fits_a_block(text: str) -> bool:
    """Whether a literal block (``|``) keeps the text as it is."""
    lines = text.split("\n")
    return (
        len(lines) > 1
        and bool(lines[0].strip())
        and all(line == line.rstrip() and line.isprintable() for line in lines)
        and not any(line.startswith(" ") for line in lines)
    )


def _nearby(path: Path) -> str:
    """Study files beside the one that is missing."""
    if not path.parent.is_dir():
        return f"There is no folder {path.parent} either."
    found = sorted(entry.name for entry in path.parent.glob("*.y*ml"))
    return f"In {path.parent} there are: {', '.join(found)}." if found else ""
