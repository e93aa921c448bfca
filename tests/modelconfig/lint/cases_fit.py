"""Rules on how a configuration fits its class of traffic and its model's code."""

from __future__ import annotations

from typing import Any

from backend.modelconfig.lint.model_code import read_model_source
from backend.modelconfig.lint.rule import ModelCode
from backend.workload.study import TrafficClass
from tests.modelconfig.lint.case import IO, Case, control, dynamic, sequence

IDLE = "max_sequence_idle_microseconds"


def of_class(**workload: Any) -> dict[str, Any]:
    item = TrafficClass.model_validate(
        {"name": "callers", "workload": workload, "model": {"template": "session_probe"}}
    )
    return {"item": item}


SESSIONS = of_class(answers={"relation": "parts_of_a_session"})
ALONE = of_class(answers={"relation": "independent", "order_matters": "no", "state_kind": "none"})
BY_SLOT = of_class(answers={"relation": "parts_of_a_session", "state_place": "slot"})
BY_ID = of_class(answers={"relation": "parts_of_a_session", "state_place": "correlation_id"})
TEXT_IDS = of_class(
    answers={"relation": "parts_of_a_session", "correlation_id": {"type": "string"}}
)
PAUSES = of_class(
    answers={"relation": "parts_of_a_session"},
    traffic={"longest_gap_ms": 8000},
    demand={"execution_ms": 500},
)
MANY = of_class(answers={"relation": "parts_of_a_session"}, demand={"live_sessions": 9})
LATE = of_class(demand={"deadline_ms": 50, "execution_ms": 20})


def of_code(source: str) -> dict[str, Any]:
    return {"code": read_model_source(source)}


READS_X = of_code(
    "def execute(r):\n"
    "    x = pb_utils.get_input_tensor_by_name(r, 'X')\n"
    "    return pb_utils.Tensor('Y', x.as_numpy())\n"
)

CLASS = {
    "class-stateful-mixed": Case("»dynamic_batching { }\n", "sequence_batching { }\n", SESSIONS),
    "class-slot-under-oldest": Case(sequence("»oldest { }"), sequence("direct { }"), BY_SLOT),
    "class-needless-sequence": Case("»sequence_batching { }\n", "dynamic_batching { }\n", ALONE),
    "class-idle-limit": Case(sequence(f"»{IDLE}: 8500000"), sequence(f"{IDLE}: 8500001"), PAUSES),
    "class-slots": Case(
        sequence("oldest { »max_candidate_sequences: 8 }"),
        sequence("oldest { max_candidate_sequences: 9 }"),
        MANY,
    ),
    "class-id-type": Case(
        control("{ kind: CONTROL_SEQUENCE_CORRID »data_type: TYPE_UINT64 }"),
        control("{ kind: CONTROL_SEQUENCE_CORRID data_type: TYPE_STRING }"),
        TEXT_IDS,
    ),
    "class-no-id": Case(
        "»sequence_batching { oldest { } }\n",
        control("{ kind: CONTROL_SEQUENCE_CORRID data_type: TYPE_UINT64 }"),
        BY_ID,
    ),
    "class-deadline": Case(
        dynamic("»max_queue_delay_microseconds: 30000"),
        dynamic("max_queue_delay_microseconds: 29000"),
        LATE,
    ),
}

ONE_CALLER = of_class(answers={"arrivals": "one_caller"})
BY_CONNECTION = of_class(
    answers={"relation": "parts_of_a_session", "lifecycle": {"belongs_by": "connection"}}
)

LOAD = {
    "class-lone-caller": Case(
        dynamic("»max_queue_delay_microseconds: 1"),
        dynamic("max_queue_delay_microseconds: 0"),
        ONE_CALLER,
    ),
    "class-disconnect": Case("»sequence_batching { }\n", "sequence_batching { }\n", BY_CONNECTION),
}

CODE = {
    "code-input-undeclared": Case("»" + IO.replace('"X"', '"Z"'), IO, READS_X),
    "code-output-undeclared": Case(
        IO.replace('output [ { name: "Y"', 'output [ »{ name: "Z"'), IO, READS_X
    ),
    "code-output-missing": Case(
        IO.replace("output [ {", 'output [ »{ name: "Z" data_type: TYPE_FP32 dims: [ 1 ] }, {'),
        IO,
        READS_X,
    ),
    "code-control-unread": Case(
        IO
        + control("{ kind: CONTROL_SEQUENCE_START int32_false_true: [ 0, 1 ] }").replace(
            "control_input [ {", "control_input [ »{"
        ),
        IO,
        READS_X,
    ),
    "code-session-mixed": Case(
        IO + "»dynamic_batching { }\n",
        IO + "sequence_batching { }\n",
        of_code("def execute(r):\n    return r.correlation_id()\n"),
    ),
    "code-reschedules": Case(
        "»sequence_batching { }\n",
        sequence("iterative_sequence: true"),
        of_code("def execute(r):\n    r.set_release_flags(2)\n"),
    ),
    "code-unreadable": Case(
        "»" + IO, IO, {"code": ModelCode("model.py", fault="The source is no valid Python.")}
    ),
    "code-sets-dynamic": Case(
        "»sequence_batching { }\n",
        "dynamic_batching { }\n",
        of_code("def auto_complete_config(c):\n    c.set_dynamic_batching()\n    return c\n"),
    ),
}

CASES = {**CLASS, **LOAD, **CODE}
