"""A record as Markdown with front matter, as decision records in a repository are kept (MADR)."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from typing import Final

from backend.records.blocks import Block, Bullets, Code, Heading, Paragraph, Table
from backend.records.document import date_of, document
from backend.records.record import DecisionRecord, content_sha256

_ANYWHERE: Final = re.compile(r"([\\`*\[\]|~$])")
_UNDERSCORE_AT_EDGE: Final = re.compile(r"(?<![A-Za-z0-9])_|_(?![A-Za-z0-9])")
_MARKS: Final = re.compile(r"[<>&\[\]*`_|~]")
_AT_LINE_START: Final = re.compile(r"^(\s*)(?:([#+\-=]+)|(\d+)(?=[.)](?:\s|$)))")


def to_markdown(record: DecisionRecord) -> str:
    """The whole record as one Markdown text; every text of the user's is escaped."""
    front = [
        "---",
        f"number: {record.number if record.number is not None else 'null'}",
        f"title: {_quoted(_one_line(record.title))}",
        f"status: {record.status}",
        f"date: {date_of(record).date().isoformat()}",
        f"decision-makers: [{', '.join(_quoted(name) for name in record.deciders)}]",
        f"author: {_quoted(_one_line(record.author))}",
        f"supersedes: {_or_null(record.supersedes)}",
        f"superseded-by: {_or_null(record.superseded_by)}",
        f"content-sha256: {content_sha256(record)}",
        "---",
    ]
    body = [_written(block) for block in document(record)]
    return "\n".join(front) + "\n\n" + "\n\n".join(body) + "\n"


def escaped(text: str) -> str:
    """Plain text so that Markdown shows it as it is: no markup and no HTML of its own."""
    return "\n".join(_unmarked(_inline(line)) for line in text.splitlines())


def _inline(line: str) -> str:
    """A line that stands inside a cell or a heading, where only inline marks count."""
    safe = _ANYWHERE.sub(r"\\\1", line)
    safe = safe.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return _UNDERSCORE_AT_EDGE.sub(r"\\_", safe)


def _unmarked(line: str) -> str:
    """A line that must not begin a heading, list or rule."""
    start = _AT_LINE_START.match(line)
    if start is None:
        return line
    indent, mark, digits = start.groups()
    rest = line[start.end() :]
    return f"{indent}{digits}\\{rest}" if digits else f"{indent}\\{mark}{rest}"


def _written(block: Block) -> str:
    if isinstance(block, Heading):
        return f"{'#' * block.level} {_inline(_one_line(block.text))}"
    if isinstance(block, Paragraph):
        return _broken(block)
    if isinstance(block, Bullets):
        return "\n".join(
            f"{f'{place}.' if block.numbered else '-'} {escaped(_one_line(item))}"
            for place, item in enumerate(block.items, start=1)
        )
    if isinstance(block, Table):
        return _table(block)
    return _fenced(block)


def _table(table: Table) -> str:
    rule = ["---:" if place in table.numeric else "---" for place in range(len(table.header))]
    rows: list[Sequence[str]] = [[_inline(name) for name in table.header], rule]
    rows += [[_cell(text) for text in row] for row in table.rows]
    return "\n".join(f"| {' | '.join(row)} |" for row in rows)


def _cell(text: str) -> str:
    return "<br>".join(_inline(line) for line in text.splitlines())


def _fenced(code: Code) -> str:
    """A fence longer than any run of backticks inside, so that the text cannot end it."""
    longest = max((len(run) for run in re.findall(r"`+", code.text)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}protobuf\n{code.text.rstrip()}\n{fence}"


def _broken(block: Paragraph) -> str:
    """Lines and paragraphs of a longer text, kept."""
    mark = "**" if block.strong else ""
    paragraphs = re.split(r"\n\s*\n", block.text.strip())
    return "\n\n".join(
        mark + "  \n".join(escaped(line.strip()) for line in paragraph.splitlines()) + mark
        for paragraph in paragraphs
    )


def _one_line(text: str) -> str:
    return " ".join(text.split())


def _quoted(text: str) -> str:
    """A YAML string without any character that a reader unaware of front matter would act on."""
    plain = json.dumps(text, ensure_ascii=False)
    return _MARKS.sub(lambda mark: f"\\u{ord(mark.group()):04x}", plain)


def _or_null(number: int | None) -> str:
    return "null" if number is None else str(number)
