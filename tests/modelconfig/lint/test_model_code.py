"""What a Python model's source is said to use (M11)."""

from __future__ import annotations

import pytest

from backend.modelconfig.lint.model_code import read_model_source

ASKS = """
class TritonPythonModel:
    def execute(self, requests):
        replies = []
        for request in requests:
            asked = pb_utils.get_input_tensor_by_name(request, "TEXT")
            inner = pb_utils.InferenceRequest(
                model_name="tokens",
                requested_output_names=["IDS"],
                inputs=[pb_utils.Tensor("INNER", asked.as_numpy())],
            ).exec()
            ids = pb_utils.get_output_tensor_by_name(inner, "IDS")
            MADE
        return replies
"""


def outputs(made: str) -> tuple[set[str], bool]:
    code = read_model_source(ASKS.replace("MADE", made))
    return {name for name, _ in code.outputs}, code.complete_outputs


def test_what_is_sent_to_another_model_is_no_output() -> None:
    inside = 'replies.append(pb_utils.InferenceResponse([pb_utils.Tensor("LABEL", ids)]))'
    assert outputs(inside) == ({"LABEL"}, False)
    named = 'out = pb_utils.Tensor("LABEL", ids); replies.append(pb_utils.InferenceResponse([out]))'
    assert outputs(named) == (set(), False)


def test_a_model_that_asks_nobody_names_all_its_outputs() -> None:
    source = 'def execute(r):\n    out = pb_utils.Tensor("LABEL", 1)\n    return out\n'
    code = read_model_source(source)
    assert (code.outputs, code.complete_outputs) == ((("LABEL", 2),), True)


@pytest.mark.parametrize(
    ("flags", "gives_back"),
    [
        ("pb_utils.TRITONSERVER_REQUEST_RELEASE_RESCHEDULE", True),
        ("pb_utils.TRITONSERVER_REQUEST_RELEASE_ALL", False),
        ("2", True),
    ],
)
def test_only_a_request_that_is_given_back_is_rescheduled(flags: str, gives_back: bool) -> None:
    """Triton core, ``tritonserver.h``: RELEASE_ALL lets a request go as usual."""
    code = read_model_source(f"def execute(r):\n    r.set_release_flags({flags})\n")
    assert code.sets_reschedule is gives_back


def test_flags_of_something_else_are_no_requests() -> None:
    assert read_model_source("x = request.flags()").reads_flags
    assert not read_model_source("x = array.flags.writeable").reads_flags
