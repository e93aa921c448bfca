"""Answers on the correlation ID that cannot all be true."""

from __future__ import annotations

from typing import Final

from backend.workload.contradiction import AnswerRule, sessions

ID_RULES: Final = (
    AnswerRule(
        "session-without-id",
        ("relation", "id_type"),
        lambda a: sessions(a) and a.correlation_id.type == "none",
        "Requests are said to be parts of a session, yet no id is sent. The sequence batcher "
        "refuses requests without a correlation ID.",
        "absent->starting",
        blocks=True,
    ),
    AnswerRule(
        "keyed-without-id",
        ("state_place", "id_type"),
        lambda a: (
            a.state_place == "correlation_id"
            and a.correlation_id.type == "none"
            and not sessions(a)
        ),
        "The model is said to look up state by correlation ID, yet no id is sent.",
        "absent->starting",
        blocks=True,
    ),
    AnswerRule(
        "shared-id",
        ("relation", "id_unique"),
        lambda a: sessions(a) and a.correlation_id.unique == "no",
        "Requests are said to be parts of one session each, yet two live sessions may have one id. "
        "The second START takes over the first session's slot.",
        "idle->starting",
    ),
    AnswerRule(
        "reused-but-never-ended",
        ("id_reused", "end_marked"),
        lambda a: (
            a.relation != "independent"
            and a.correlation_id.reused_after_end == "yes"
            and a.lifecycle.end_marked == "no"
        ),
        "An id is said to be used again after its session's end, yet no request marks the end. "
        "Until the idle limit passes, the new session continues the old one's slot.",
        "ended->starting",
    ),
    AnswerRule(
        "text-id-numeric-control",
        ("id_type", "id_control"),
        lambda a: (
            a.correlation_id.type == "string"
            and a.correlation_id.control_type in ("uint64", "int64", "uint32", "int32")
        ),
        "Ids are said to be text, yet the model is said to read a number. Up to release 24.12 it "
        "gets a meaningless one, and a long text ends the server; from 25.01 on every request is "
        "refused.",
        "absent->starting",
    ),
    AnswerRule(
        "numeric-id-text-control",
        ("id_type", "id_control"),
        lambda a: a.correlation_id.type == "uint64" and a.correlation_id.control_type == "string",
        "Ids are said to be whole numbers, yet the model is said to read text.",
        "absent->starting",
    ),
    AnswerRule(
        "uuid-but-number",
        ("id_type", "id_made_as"),
        lambda a: a.correlation_id.type == "uint64" and a.correlation_id.made_as == "uuid_text",
        "Ids are said to be whole numbers, yet they are said to be made as the text of a UUID.",
        "absent->starting",
    ),
    AnswerRule(
        "unique-but-per-client",
        ("id_unique", "id_scope", "id_made_as"),
        lambda a: (
            a.correlation_id.unique == "yes"
            and a.correlation_id.unique_scope == "client"
            and a.correlation_id.made_as in ("counter", "name")
        ),
        "An id is said never to be used by two live sessions, yet nobody looks beyond one client, "
        "and ids are counted up or names.",
        "absent->starting",
    ),
    AnswerRule(
        "names-but-never-reused",
        ("id_made_as", "id_reused"),
        lambda a: (
            a.relation != "independent"
            and a.correlation_id.made_as == "name"
            and a.correlation_id.reused_after_end == "no"
        ),
        "Ids are said to be names, yet none is said to be used again: a name comes back with its "
        "owner's next session.",
        "absent->starting",
    ),
    AnswerRule(
        "belongs-by-id-but-none",
        ("belongs_by", "id_type"),
        lambda a: a.lifecycle.belongs_by == "correlation_id" and a.correlation_id.type == "none",
        "The correlation ID is said to tell which session a request belongs to, yet none is said "
        "to be sent.",
        "absent->starting",
        blocks=True,
    ),
    AnswerRule(
        "counted-by-clients-for-all",
        ("id_made_as", "id_assigned_by", "id_scope"),
        lambda a: (
            a.relation != "independent"
            and a.correlation_id.made_as == "counter"
            and a.correlation_id.assigned_by == "client"
            and a.correlation_id.unique_scope == "service"
        ),
        "Each client is said to count its own ids up, yet they are said to differ in the whole "
        "service: two clients that both begin to count use the same ones.",
        "absent->starting",
    ),
)
