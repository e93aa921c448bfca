"""Decide: write a record with its evidence, accept or reject it, open and export earlier ones."""

from __future__ import annotations

from pathlib import Path

import streamlit as st

from backend.contracts.errors import InputError
from backend.contracts.run_directory import RunDirectory
from backend.records.bundle import bundle, bundle_name
from backend.records.choices import unsupported
from backend.records.html import to_html
from backend.records.interchange import to_json
from backend.records.lifecycle import reject
from backend.records.markdown import to_markdown
from backend.records.record import DecisionRecord
from backend.store.entries import StoredRecord
from backend.store.store import Store
from pages.parts import choose, errors, guard, journey, layout, record_form, records, verdicts
from pages.parts.figures import moment
from pages.parts.glossary import term
from pages.parts.words import plain

guard.framed("decide")


def page() -> None:
    number = journey.opened("record") if "run" not in st.query_params else None
    if number is not None:
        with errors.shown():
            stored = find(number)
            one(stored)
            earlier(stored.number)
            return
        journey.forget("record")
    layout.head(
        "Write the decision",
        "What was chosen, because of what, with the evidence; once accepted it cannot change.",
    )
    with errors.shown():
        run = choose.run("A decision rests on a run: choose one, or open an earlier record.")
        if run is not None:
            record_form.form(run)
    earlier(None)


def find(number: str) -> StoredRecord:
    if not number.isdigit():
        raise InputError(
            f"'{number}' is not the number of a record.", next_step="Choose one of the list."
        )
    with Store() as store:
        return store.get_record(int(number))


def one(stored: StoredRecord) -> None:
    record = stored.record
    layout.head(
        f"{record.number}. {plain(record.title)}",
        "A decision record: the decision first, then what it rests on.",
    )
    standing(record)
    actions(stored)
    records.read(record)
    exports(record)
    st.caption(
        f"Content digest {stored.content_sha256[:16]}…, version {stored.version}. This page's "
        "address opens the record again."
    )


def standing(record: DecisionRecord) -> None:
    mark = verdicts.record(record.status)
    line = mark.text()
    step = record.last_step(record.status)
    if step is not None:
        line += f" by **{plain(step.by)}**, {moment(step.at)}"
    else:
        line += f", written by **{plain(record.author)}**, {moment(record.created_at)}"
    st.markdown(line, help=term("decision record"))
    if step is not None and step.note:
        st.caption(plain(step.note))
    if record.status == "accepted":
        st.caption(
            ":material/lock: Accepted: its content can no longer change. A later record can "
            "replace it."
        )
    with st.container(horizontal=True):
        if record.superseded_by is not None:
            layout.link(
                "decide", f"Replaced by record {record.superseded_by}", ":material/arrow_forward:",
                {"record": str(record.superseded_by)},
            )  # fmt: skip
        if record.supersedes is not None:
            layout.link(
                "decide", f"Replaces record {record.supersedes}", ":material/arrow_back:",
                {"record": str(record.supersedes)},
            )  # fmt: skip
        run = Path(record.evidence.run_path)
        if (journey.place().runs / record.evidence.run).is_dir():
            layout.link(
                "compare", "Open its run", ":material/compare_arrows:",
                {"run": record.evidence.run},
            )  # fmt: skip
        elif not run.is_dir():
            st.caption("Its run directory is not on this machine; the record holds its figures.")


def actions(stored: StoredRecord) -> None:
    record = stored.record
    if record.status == "proposed":
        with st.container(border=True):
            decide(stored)
    elif record.status == "accepted" and (journey.place().runs / record.evidence.run).is_dir():
        replace(record)


def replace(record: DecisionRecord) -> None:
    if st.button(
        "Write a record that replaces it", icon=":material/history:", key="decide_replace"
    ):
        again = {"run": record.evidence.run, "supersedes": str(record.number)}
        st.switch_page("pages/decide.py", query_params=again)


def decide(stored: StoredRecord) -> None:
    record = stored.record
    st.markdown("**Accept or reject it**")
    doubts = unsupported(record)
    left, right = st.columns(2)
    by = left.text_input("Who decides", key=f"decide_by_{record.number}")
    note = right.text_input(
        "Accept despite the evidence, because" if doubts else "A word on why (optional)",
        key=f"decide_note_{record.number}",
    )
    for doubt in doubts:
        st.warning(plain(doubt), icon=":material/warning:")
    if record.supersedes is not None:
        st.caption(f"Accepting it supersedes record {record.supersedes}.")
    with st.container(horizontal=True):
        accepted = st.button(
            "Accept", type="primary", icon=":material/verified:", key="decide_accept"
        )
        rejected = st.button("Reject", icon=":material/block:", key="decide_reject")
    with errors.shown():
        if accepted:
            with Store() as store:
                store.accept_record(stored.number, by, stored.version, despite=note)
            st.rerun()
        if rejected:
            with Store() as store:
                store.change_record(reject(record, by, because=note), stored.version)
            st.rerun()


def exports(record: DecisionRecord) -> None:
    st.subheader("Take it along", anchor=False)
    name = bundle_name(record).removesuffix(".zip")
    run = RunDirectory(Path(record.evidence.run_path))
    with st.container(horizontal=True):
        for label, data, ending, mime in (
            ("Markdown", lambda: to_markdown(record).encode(), "md", "text/markdown"),
            ("Printable page", lambda: to_html(record).encode(), "html", "text/html"),
            ("JSON", lambda: to_json(record).encode(), "json", "application/json"),
            ("Bundle with evidence", lambda: bundle(record, run), "zip", "application/zip"),
        ):
            st.download_button(
                label,
                data,
                file_name=f"{name}.{ending}",
                mime=mime,
                icon=":material/download:",
                on_click="ignore",
                key=f"decide_export_{ending}",
            )


def earlier(shown: int | None) -> None:
    st.header("Records", anchor=False)
    with errors.shown():
        found = [item for item in records.summaries() if item.number != shown]
        if not found:
            st.caption("No other record." if shown else "No record yet.")
        for item in found[:30]:
            records.line(item)


page()
