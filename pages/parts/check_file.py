"""Check a configuration that exists: what is wrong in it, what it does, how it differs (M12)."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Final

import pandas as pd
import streamlit as st

from backend.contracts.errors import InputError
from backend.modelconfig.compare import differences
from backend.modelconfig.explain import explain
from backend.modelconfig.lint.finding import Finding
from backend.modelconfig.lint.linter import lint_reading
from backend.modelconfig.lint.model_folder import Source, of_data, read_source
from backend.modelconfig.lint.reading import Reading
from backend.modelconfig.lint.release import Release
from backend.modelconfig.lint.report import counted, to_json, to_text
from backend.modelconfig.lint.sarif import to_sarif
from backend.workload.study import TrafficClass
from pages.parts import candidates, errors, linked
from pages.parts.words import breakable, plain

WAYS: Final = {"paste": "Paste it", "upload": "Upload it", "path": "On this machine"}
ICONS: Final = {
    "error": ":red[:material/cancel:] error",
    "warning": ":orange[:material/warning:] warning",
    "info": ":blue[:material/info:] remark",
}
EXAMPLE: Final = """name: "asr"
backend: "python"
max_batch_size: 8
input [ { name: "AUDIO" data_type: TYPE_FP32 dims: [ -1 ] } ]
output [ { name: "TEXT" data_type: TYPE_STRING dims: [ 1 ] } ]
dynamic_batching {
  preferred_batch_size: [ 4, 16 ]
  default_queue_policy { max_queue_size: 100 }
}
"""
_FOLDER_HINT: Final = "The path of a config.pbtxt, or of a model's folder in a repository."


def page(item: TrafficClass, shown: list[candidates.Shown], planned: str) -> None:
    """The whole part of the page.

    Args:
        item: The class that the file is to serve.
        shown: The proposed candidates, to compare with.
        planned: The release that the study names.
    """
    st.markdown(
        "Hand over a `config.pbtxt`, the JSON of Triton's configuration endpoint, or a template of "
        "one. It is read and checked here; nothing is loaded or run."
    )
    given = take()
    if given is None:
        st.info(
            "Findings will stand here: what is wrong and where, what Triton does, what to write "
            "instead, and where that can be read.",
            icon=":material/hourglass_empty:",
        )
        return
    release, fits = options(item, planned)
    if release is None:
        return
    reading = given.reading
    findings = lint_reading(
        reading,
        release=release,
        folder=given.folder,
        item=item if fits else None,
        code=given.code,
        files=given.files,
        file=given.name,
    )
    summary(given, findings, release)
    table(findings)
    numbered(given, findings)
    if reading.cut:
        st.info(
            "What it makes Triton do is not told: it could be read up to the place above only, and "
            "what stands below may change everything. Correct it there first.",
            icon=":material/content_cut:",
        )
    elif reading.form != "none":
        meaning(reading, release)
        compare(reading, shown, release)


def take() -> Source | None:
    """The file in the way that the user chose; null as long as there is none."""
    way = linked.one_of("How to hand it over", list(WAYS), "way", format_func=WAYS.__getitem__)
    if way == "upload":
        file = st.file_uploader("A file of at most 1 MB", key="check_upload", max_upload_size=1)
        return None if file is None else of_data(file.getvalue(), file.name)
    if way == "path":
        path = st.text_input("Path", key="check_path", help=_FOLDER_HINT, placeholder="models/asr")
        if not path.strip():
            return None
        with errors.shown():
            return read_source(Path(path.strip()).expanduser())
        return None
    text = st.text_area(
        "Text of the file",
        key="check_text",
        height=260,
        placeholder=EXAMPLE,
        help="Checked as soon as you leave the field (Ctrl+Enter checks at once).",
    )
    if not text.strip():
        return None
    return of_data(text.encode("utf-8", "replace"), "pasted text")


def options(item: TrafficClass, planned: str) -> tuple[Release | None, bool]:
    """The release to check for, and whether to check against the class."""
    left, right = st.columns(2, vertical_alignment="bottom")
    text = left.text_input(
        "Release of Triton",
        planned,
        key="check_release",
        help="Year and month of the container, such as 24.10. Fields and faults differ by release.",
    )
    fits = right.checkbox(
        f"Also check that it fits the class {plain(item.name)}",
        value=True,
        key="check_fits",
        help="Compares with the answers and the traffic on the page Describe: scheduler, idle "
        "limit, slots, IDs.",
    )
    try:
        return Release.of(text.strip()), fits
    except InputError as error:
        errors.show(error)
        return None, fits


def summary(given: Source, findings: tuple[Finding, ...], release: Release) -> None:
    """How it stands, in one line, and the findings to take along."""
    wrong = any(finding.severity == "error" for finding in findings)
    line = f"{plain(given.name)}, for release {release}: **{counted(findings)}**"
    if wrong:
        st.error(line, icon=":material/cancel:")
    elif findings:
        st.warning(line, icon=":material/warning:")
    else:
        st.success(line, icon=":material/check_circle:")
    with st.container(horizontal=True):
        for label, name, text in (
            ("Text", "txt", to_text(given.name, findings)),
            ("JSON", "json", json.dumps(to_json(findings), indent=1)),
            ("SARIF", "sarif", json.dumps(to_sarif([(given.name, findings)], str(release)))),
        ):
            st.download_button(
                label,
                text,
                file_name=f"lint.{name}",
                icon=":material/download:",
                on_click="ignore",
                key=f"check_download_{name}",
            )


def table(findings: tuple[Finding, ...]) -> None:
    """Every finding: place, what is wrong, what follows, what to write."""
    for number, finding in enumerate(findings):
        where = "the whole file" if finding.line is None else f"{finding.line}:{finding.column}"
        with st.container(border=True, key=f"check_finding_{number}"):
            st.markdown(
                f"**{ICONS[finding.severity]} · {plain(where)}** · {plain(finding.message)}  \n"
                f"{plain(finding.effect)}  \n"
                f":material/edit: {plain(finding.fix)}"
            )
            field = f"Field {breakable(finding.field)} · " if finding.field else ""
            st.caption(f"{field}Rule {plain(finding.rule)} · {breakable(finding.source)}")


def numbered(given: Source, findings: tuple[Finding, ...]) -> None:
    """The file with line numbers, so that places can be found."""
    with st.expander("The file with line numbers", icon=":material/code:"):
        lines = given.data.decode("utf-8", "replace").splitlines()
        marked = {finding.line for finding in findings if finding.severity == "error"}
        warned = {finding.line for finding in findings if finding.severity == "warning"}
        signs = ["✗" if n in marked else "!" if n in warned else " " for n in _up_to(len(lines))]
        text = "\n".join(
            f"{sign} {number:>4}  {line}"
            for number, (sign, line) in enumerate(zip(signs, lines, strict=True), start=1)
        )
        st.code(text, language=None)
        st.caption("✗ an error on this line, ! a warning")


def _up_to(count: int) -> range:
    return range(1, count + 1)


def meaning(reading: Reading, release: Release) -> None:
    """What the file makes Triton do."""
    with st.expander("What it makes Triton do", icon=":material/subject:", expanded=True):
        if reading.holes:
            st.caption(
                "For each placeholder a plausible value is taken; what is told depends on it."
            )
        st.markdown("\n".join(f"- {plain(text)}" for text in explain(reading.config, release)))


def compare(reading: Reading, shown: list[candidates.Shown], release: Release) -> None:
    """What differs from a proposed candidate, with Triton's defaults filled in."""
    proposed = [found for found in shown if found.config is not None]
    if not proposed:
        return
    names = [found.name for found in proposed]
    name = linked.select("Compare it with the proposal", names, "against")
    other = next(found for found in proposed if found.name == name)
    found = differences(reading.config, other.config, release)
    if not found:
        st.markdown("Nothing differs once Triton's defaults are filled in.")
        return
    st.table(
        pd.DataFrame(
            [
                [
                    breakable(row.field),
                    "not set" if row.left is None else breakable(row.left),
                    "not set" if row.right is None else breakable(row.right),
                    plain(row.effect),
                ]
                for row in found
            ],
            columns=["Field", "This file", f"Proposal {name}", "What it decides"],
        ),
        hide_index=True,
    )
