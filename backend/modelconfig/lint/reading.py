"""Reads what a user hands over: text form, JSON, a template, or something that is none of them.

Triton reads ``config.pbtxt`` only; the JSON form is what its configuration endpoint answers.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final, Literal

from tritonclient.grpc import model_config_pb2

from backend.modelconfig.lint.binding import Bound, bind
from backend.modelconfig.lint.json_syntax import parse_json
from backend.modelconfig.lint.placeholders import is_statement
from backend.modelconfig.lint.text_syntax import parse_text
from backend.modelconfig.lint.tokens import PLACEHOLDER, Lines
from backend.modelconfig.lint.tree import Block, Trouble
from backend.modelconfig.lint.watched import Gaps

MOST_CHARACTERS: Final = 1024 * 1024

Form = Literal["text", "json", "template", "none"]

_LFS: Final = re.compile(r"version https://git-lfs")
_GIT_LINK: Final = re.compile(
    r"(?:\.{0,2}/)?[\w.\-]+(?:/[\w.\-]+)+|\.{1,2}/[\w.\-]+|[\w\-]+\.pbtxt"
)
_INCLUDE: Final = re.compile(r"^[ \t]*(?:include|import)\b.*$", re.MULTILINE)
_HTML: Final = re.compile(r"\s*<(?:!doctype|html|\?xml)\b", re.IGNORECASE)
_YAML: Final = re.compile(r"(?:---|%YAML)[ \t]*(?:\n|$)")
_SECTION: Final = re.compile(r"\[[\w .-]+\][ \t]*\n\s*[\w.-]+\s*=")
_COMMENT: Final = re.compile(r"#[^\n]*")
_TWICE: Final = ("field-twice", "two-schedulers", "two-strategies")


@dataclass(frozen=True)
class Hole:
    """A placeholder of a template; ``path`` is the field that it fills, empty between fields."""

    text: str
    line: int
    column: int
    path: str = ""


@dataclass(frozen=True)
class Reading:
    """What was read.

    ``config`` holds what could be understood, also where troubles remain. ``holes``: a template's
    placeholders. ``form`` is *none* where the file is something else.
    ``cut``: reading stopped before the end, so that what is not there may stand further down.
    ``root`` and ``open``: the tree, and the plain values of it that a placeholder fills, by path.
    ``gaps``: the rest of what a template leaves open.
    """

    form: Form
    config: Any
    places: dict[str, tuple[int, int]] = field(default_factory=dict)
    troubles: tuple[Trouble, ...] = ()
    holes: tuple[Hole, ...] = ()
    cut: bool = False
    root: Block = field(default_factory=lambda: Block(1, 1))
    open: Mapping[str, Any] = field(default_factory=dict)
    gaps: Gaps = field(default_factory=Gaps)


def read_configuration(data: str | bytes) -> Reading:
    """Read a file's contents; never raises, whatever they are."""
    text, trouble = _decoded(data)
    if trouble is None:
        trouble = _something_else(text)
    if trouble is not None:
        return Reading("none", model_config_pb2.ModelConfig(), troubles=(trouble,))
    if text.lstrip().startswith("{") and not PLACEHOLDER.match(text.lstrip()):
        root, broken = parse_json(text)
        return _bound("json", root, bind(root, json=True), broken, ())
    root, broken, between = parse_text(text)
    holes = tuple(Hole(token.text, token.line, token.column) for token in between)
    bound = bind(root)
    form: Form = "template" if holes or bound.holes else "text"
    return _bound(form, root, bound, broken, holes)


def _bound(
    form: Form, root: Block, bound: Bound, broken: Trouble | None, between: tuple[Hole, ...]
) -> Reading:
    holes = [*between]
    holes += [Hole(item.text, item.line, item.column, path) for path, item in bound.holes]
    # branches of a template may hold the same field: only one of them is written out
    branches = any(is_statement(hole.text) for hole in between)
    troubles = [item for item in bound.troubles if not (branches and item.rule in _TWICE)]
    troubles += [broken] if broken is not None else []
    return Reading(
        form,
        bound.config,
        bound.places,
        tuple(sorted(troubles, key=lambda item: (item.line, item.column))),
        tuple(sorted(holes, key=lambda item: (item.line, item.column))),
        cut=broken is not None,
        root=root,
        open=bound.open,
        gaps=Gaps(frozenset(bound.blocks), frozenset(bound.filled), frozenset(bound.doubts)),
    )


def _decoded(data: str | bytes) -> tuple[str, Trouble | None]:
    if isinstance(data, bytes):
        if data.startswith((b"\xff\xfe", b"\xfe\xff")) or b"\0" in data[:512]:
            wide = data.startswith((b"\xff\xfe", b"\xfe\xff"))
            what = "The file is UTF-16 text." if wide else "The file is not text: it has NUL bytes."
            fix = "Save it as UTF-8." if wide else "Give the text file config.pbtxt."
            return "", Trouble("not-a-configuration", what, fix, 1, 1)
        # protobuf's parser minds bytes outside ASCII only between texts and comments
        text = data.decode("utf-8", "surrogateescape")
    else:
        text = data
    if text.startswith("\ufeff"):
        what = "The file begins with a byte order mark, which Triton's parser does not skip."
        return "", Trouble("byte-order-mark", what, "Save it as UTF-8 without a mark.", 1, 1)
    if len(text) > MOST_CHARACTERS:
        what = f"The file has more than the {MOST_CHARACTERS:,} characters that are read."
        return "", Trouble("not-a-configuration", what, "Check that this is the right file.", 1, 1)
    return text, None


def _something_else(text: str) -> Trouble | None:
    """What the file is, where it is plainly not a configuration."""

    def found(rule: str, what: str, fix: str, offset: int = 0) -> Trouble:
        return Trouble(rule, what, fix, *Lines(text).at(offset))

    bare = _COMMENT.sub("", text).strip()
    if not bare:
        what = "The file is empty." if not text.strip() else "The file holds comments only."
        return found(
            "empty-file",
            what,
            "Begin with name, backend, max_batch_size, input and output.",
        )
    if _LFS.match(text.lstrip()):
        return found(
            "git-link",
            "This is a pointer of Git LFS: the file itself was not fetched.",
            "Run 'git lfs pull', then give the file again.",
        )
    if "\n" not in bare and _GIT_LINK.fullmatch(bare):
        return found(
            "git-link",
            f"This is a link: the file holds only the path '{bare[:80]}'.",
            "Give the file that it points to. (Git writes a symbolic link so where the system has "
            "none.)",
        )
    if _HTML.match(text):
        return found(
            "not-a-configuration",
            "This is a page of HTML or XML, as saved from a browser.",
            "Download the raw file.",
        )
    if _YAML.match(text):
        return found(
            "not-a-configuration",
            "This is YAML.",
            'Triton reads protobuf\'s text format: name: "value", section { … }.',
        )
    if _SECTION.match(text.lstrip()):
        return found("not-a-configuration", "This is an INI file.", "Give config.pbtxt.")
    include = _INCLUDE.search(text)
    if include:
        return found(
            "include",
            f"'{include[0].strip()[:60]}' would bring in another file; protobuf's text format has "
            "no such line.",
            "Put the other file's lines here.",
            include.start() + len(include[0]) - len(include[0].lstrip()),
        )
    return None
