"""What a chart's Vega-Lite says, wherever it stands in layers and panels."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any


def nodes(spec: Any) -> Iterator[dict[str, Any]]:
    """Every object in a specification."""
    if isinstance(spec, dict):
        yield spec
        for key, value in spec.items():
            if key not in ("datasets", "data"):
                yield from nodes(value)
    elif isinstance(spec, list):
        for value in spec:
            yield from nodes(value)


def encodings(spec: dict[str, Any], channel: str) -> list[dict[str, Any]]:
    """Every encoding of one channel."""
    return [
        node["encoding"][channel] for node in nodes(spec) if channel in node.get("encoding", {})
    ]


def marks(spec: dict[str, Any]) -> set[str]:
    """The kinds of marks."""
    found = set()
    for node in nodes(spec):
        if "mark" in node:
            mark = node["mark"]
            found.add(mark if isinstance(mark, str) else mark["type"])
    return found


def rows(spec: dict[str, Any]) -> list[dict[str, Any]]:
    """All rows of all data sets."""
    return [row for values in spec["datasets"].values() for row in values]


def axis_titles(spec: dict[str, Any], channel: str) -> set[str]:
    """Titles of one channel's axes."""
    axes = (encoding.get("axis") for encoding in encodings(spec, channel))
    return {axis["title"] for axis in axes if axis and axis.get("title")}


def assert_reads_in_both_themes(spec: dict[str, Any]) -> None:
    """Transparent ground; text only where the theme colours it; legends below."""
    assert spec["background"] == "transparent"
    assert "text" not in marks(spec)
    for node in nodes(spec):
        for key in ("labelColor", "titleColor", "subtitleColor"):
            assert key not in node
        legend = node.get("legend")
        if legend:
            assert legend["orient"] == "bottom"
    for title in (node["title"] for node in nodes(spec) if isinstance(node.get("title"), dict)):
        assert "color" not in title
