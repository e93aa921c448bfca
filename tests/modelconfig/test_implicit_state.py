"""State that Triton carries (M09, M11): who may have it, how it begins, how it is paired."""

from __future__ import annotations

import pytest
from tritonclient.grpc import model_config_pb2 as pb

from backend.contracts.errors import InputError
from tests.modelconfig.declared_models import FRAME, config, declared, propose, state


@pytest.mark.parametrize("backend", ["onnxruntime", "tensorrt", "pytorch"])
@pytest.mark.parametrize("name", ["sequence-direct", "sequence-oldest"])
def test_a_state_is_written_for_backends_that_write_it(backend: str, name: str) -> None:
    item = declared(backend, hardware="gpu", states=(state(dims=(2, -1)),))
    (found,) = config(item, name).sequence_batching.state
    assert (found.input_name, found.output_name, list(found.dims)) == ("h_in", "h_out", [2, -1])
    (initial,) = found.initial_state
    # as Triton's own first value, 1 where the dimension is variable
    assert (initial.zero_data, list(initial.dims), initial.data_type) == (
        True,
        [2, 1],
        pb.TYPE_FP32,
    )
    assert initial.name


@pytest.mark.parametrize("backend", ["python", "openvino", "tensorflow", "custom"])
def test_other_backends_are_refused_with_the_reason(backend: str) -> None:
    with pytest.raises(InputError, match=f"its backend is '{backend}'") as caught:
        propose(declared(backend, states=(state(),)), "sequence-oldest")
    assert "Source:" in caught.value.why


def test_a_first_value_can_come_from_a_file_or_from_nowhere() -> None:
    item = declared(
        states=(
            state("a", initial="file", file="a.bin"),
            state("b", initial="uninitialised"),
        )
    )
    first, second = config(item, "sequence-oldest").sequence_batching.state
    assert first.initial_state[0].data_file == "a.bin"
    assert list(second.initial_state) == []
    assert "whatever the memory holds" in propose(item, "sequence-oldest").reasons["states"]


def test_names_that_do_not_sort_alike_are_refused() -> None:
    """Every release read pairs states by sorted names: a and b would be swapped from request 2."""
    crossed = (
        state("a", output_name="z_out"),
        state("b", output_name="y_out"),
    )
    with pytest.raises(InputError, match="'a_in' stands beside the output 'y_out'") as caught:
        propose(declared(states=crossed), "sequence-oldest")
    assert "swapped" in caught.value.why
    # near miss: another order of entries with names that sort alike
    alike = (state("b"), state("a"))
    assert len(config(declared(states=alike), "sequence-direct").sequence_batching.state) == 2


def test_a_state_from_a_file_needs_the_file_and_one_size() -> None:
    with pytest.raises(InputError, match="a file that is not named"):
        propose(declared(states=(state(initial="file"),)), "sequence-oldest")
    open_size = state(initial="file", file="a.bin", dims=(-1,))
    with pytest.raises(InputError, match="begins with the contents of a file"):
        propose(declared(states=(open_size,)), "sequence-oldest")


def test_a_state_that_is_also_an_input_is_refused() -> None:
    same = state(input_name=FRAME.name)
    with pytest.raises(InputError, match="'FRAME' is named twice"):
        propose(declared(states=(same,)), "sequence-oldest")


@pytest.mark.parametrize("name", ["dynamic", "no-batching"])
def test_without_the_sequence_batcher_clients_carry_the_state(name: str) -> None:
    """M04: the same model then has its state in each request."""
    item = declared("onnxruntime", states=(state(),))
    found = config(item, name)
    assert [entry.name for entry in found.input] == ["FRAME", "h_in"]
    assert [entry.name for entry in found.output] == ["LABEL", "h_out"]
    assert not found.HasField("sequence_batching")
    assert "clients send h_in" in propose(item, name).reasons["states"]
