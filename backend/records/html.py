"""A record as one printable HTML page: no script, nothing fetched, every text escaped."""

from __future__ import annotations

import re
from html import escape
from typing import Final

from backend.records.blocks import Block, Bullets, Code, Heading, Paragraph, Table
from backend.records.document import document
from backend.records.record import DecisionRecord

STYLE: Final = """
:root { color-scheme: light; }
body { font: 16px/1.5 system-ui, sans-serif; color: #14181f; background: #fff;
  max-width: 60rem; margin: 2rem auto; padding: 0 1rem; }
h1 { font-size: 1.7rem; line-height: 1.2; } h2 { font-size: 1.25rem; margin-top: 2rem; }
h3 { font-size: 1.05rem; }
.table { overflow-x: auto; }
table { border-collapse: collapse; font-size: .875rem; }
th, td { border: 1px solid #767d88; padding: .25rem .5rem; text-align: left;
  vertical-align: top; }
.pairs td { overflow-wrap: anywhere; }
th { background: #eef1f4; } .n { text-align: right; font-variant-numeric: tabular-nums; }
pre { background: #f4f6f8; border: 1px solid #767d88; padding: .75rem; overflow-x: auto;
  font-size: .8125rem; }
@media print {
  body { font-size: 10pt; margin: 0; max-width: none; }
  pre { white-space: pre-wrap; } h2, h3 { break-after: avoid; } tr { break-inside: avoid; }
  thead { display: table-header-group; } table { font-size: 8pt; }
}
"""


def to_html(record: DecisionRecord) -> str:
    """The whole record as a page of its own."""
    blocks = "\n".join(_written(block) for block in document(record))
    policy = "default-src 'none'; style-src 'unsafe-inline'"
    return (
        "<!doctype html>\n"
        '<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{escape(record.title)}</title>\n<style>{STYLE}</style>\n</head>\n"
        f"<body>\n<main>\n{blocks}\n</main>\n</body>\n</html>\n"
    )


def _written(block: Block) -> str:
    if isinstance(block, Heading):
        return f"<h{block.level}>{escape(block.text)}</h{block.level}>"
    if isinstance(block, Paragraph):
        paragraphs = re.split(r"\n\s*\n", block.text.strip())
        texts = ["<br>".join(escape(line) for line in text.splitlines()) for text in paragraphs]
        if block.strong:
            texts = [f"<strong>{text}</strong>" for text in texts]
        return "\n".join(f"<p>{text}</p>" for text in texts)
    if isinstance(block, Bullets):
        tag = "ol" if block.numbered else "ul"
        items = "".join(f"<li>{escape(item)}</li>" for item in block.items)
        return f"<{tag}>{items}</{tag}>"
    if isinstance(block, Table):
        return _table(block)
    return _code(block)


def _table(table: Table) -> str:
    def cell(tag: str, place: int, text: str) -> str:
        kind = ' class="n"' if place in table.numeric else ""
        lines = "<br>".join(escape(line) for line in text.splitlines())
        return f"<{tag}{kind}>{lines}</{tag}>"

    def cells(row: tuple[str, ...], tag: str) -> str:
        return "".join(cell(tag, place, text) for place, text in enumerate(row))

    head = f"<thead><tr>{cells(table.header, 'th')}</tr></thead>"
    if not any(table.header):
        # a list of names and values: the name heads its row
        rows = "".join(
            f'<tr><th scope="row">{escape(row[0])}</th><td>{escape(row[1])}</td></tr>'
            for row in table.rows
        )
        return f'<div class="table pairs"><table><tbody>{rows}</tbody></table></div>'
    rows = "".join(f"<tr>{cells(row, 'td')}</tr>" for row in table.rows)
    return f'<div class="table"><table>{head}<tbody>{rows}</tbody></table></div>'


def _code(code: Code) -> str:
    return f"<pre><code>{escape(code.text.rstrip())}</code></pre>"
