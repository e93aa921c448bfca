"""Control inputs by strategy, backend and id type (M09, M11)."""

from __future__ import annotations

import pytest
from tritonclient.grpc import model_config_pb2 as pb

from backend.contracts.errors import InputError
from backend.modelconfig.lint.release import Release
from tests.modelconfig.declared_models import config, declared, propose, state


def controls(item: object, name: str = "sequence-oldest", **given: object) -> dict[str, str]:
    found = {}
    for entry in config(item, name, **given).sequence_batching.control_input:
        (control,) = entry.control
        kind = pb.ModelSequenceBatching.Control.Kind.Name(control.kind)
        data_type = pb.DataType.Name(control.data_type)
        found[entry.name] = kind.rpartition("_")[2] + (
            f" {data_type}" if kind.endswith("CORRID") else ""
        )
    return found


FLAGS = {"START": "START", "END": "END"}


@pytest.mark.parametrize(
    ("reads", "written"),
    [
        ("unknown", "TYPE_UINT64"),
        ("uint64", "TYPE_UINT64"),
        ("int64", "TYPE_INT64"),
        ("uint32", "TYPE_UINT32"),
        ("int32", "TYPE_INT32"),
    ],
)
@pytest.mark.parametrize("backend", ["python", "onnxruntime", "tensorrt", "pytorch"])
def test_a_number_is_passed_on_as_the_model_reads_it(
    backend: str, reads: str, written: str
) -> None:
    item = declared(backend, hardware="unknown", ids={"type": "uint64", "control_type": reads})
    assert controls(item) == {**FLAGS, "CORRID": f"CORRID {written}"}


def test_direct_is_given_the_id_only_where_the_model_reads_it() -> None:
    assert controls(declared(), "sequence-direct") == {**FLAGS, "READY": "READY"}
    reading = declared(ids={"type": "uint64", "control_type": "int64"})
    assert controls(reading, "sequence-direct") == {
        **FLAGS,
        "READY": "READY",
        "CORRID": "CORRID TYPE_INT64",
    }


def test_a_model_that_is_not_given_the_id_has_no_such_input() -> None:
    item = declared(ids={"type": "uint64", "control_type": "none"})
    assert controls(item) == FLAGS
    assert (
        "has to come from elsewhere"
        in (propose(item, "sequence-oldest").reasons["correlation_id_type"])
    )


@pytest.mark.parametrize("reads", ["unknown", "string", "uint64"])
def test_text_ids_are_never_an_input_of_a_python_model(reads: str) -> None:
    """24.10 fails on them; the model can ask the request."""
    assert controls(declared("python", ids={"type": "string", "control_type": reads})) == FLAGS


def test_text_ids_are_passed_on_where_the_model_takes_text() -> None:
    item = declared(ids={"type": "string", "control_type": "string"})
    assert controls(item) == {**FLAGS, "CORRID": "CORRID TYPE_STRING"}
    assert controls(declared(ids={"type": "string"})) == FLAGS


@pytest.mark.parametrize(
    ("backend", "ids", "why"),
    [
        ("onnxruntime", {"type": "string", "control_type": "uint64"}, "past the end"),
        ("onnxruntime", {"type": "uint64", "control_type": "string"}, "does not turn"),
        ("tensorrt", {"type": "string", "control_type": "string"}, "no text tensors"),
    ],
)
def test_an_id_that_the_model_cannot_read_is_refused_with_the_reason(
    backend: str, ids: dict[str, str], why: str
) -> None:
    with pytest.raises(InputError) as caught:
        propose(declared(backend, hardware="unknown", ids=ids), "sequence-oldest")
    assert why in caught.value.why


def test_narrow_types_are_said_to_cut_ids() -> None:
    narrow = {"type": "uint64", "control_type": "uint32"}
    reason = propose(declared(ids=narrow), "sequence-oldest").reasons["correlation_id_type"]
    assert "low 32 bits" in reason
    assert "4,294,967,296" in reason
    hashed = propose(declared(ids={**narrow, "made_as": "hash"}), "sequence-oldest")
    assert "ids here are hashed or random" in hashed.reasons["correlation_id_type"]
    wide = propose(declared(ids={"type": "uint64"}), "sequence-oldest")
    assert "32 bits" not in wide.reasons["correlation_id_type"]


def test_what_a_text_id_does_depends_on_the_release() -> None:
    """M11."""
    item = declared(ids={"type": "uint64"})
    old = propose(item, "sequence-oldest", release=Release(24, 12))
    assert "on release 24.12 a text id can end the server" in old.reasons["correlation_id_type"]
    new = propose(item, "sequence-oldest", release=Release(25, 1))
    assert "a text id is refused" in new.reasons["correlation_id_type"]


def test_a_state_that_triton_keeps_needs_no_id() -> None:
    assert controls(declared(states=(state(),))) == FLAGS
    reading = declared(states=(state(),), ids={"control_type": "uint64"})
    assert "CORRID" in controls(reading)
