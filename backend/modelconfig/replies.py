"""Whether a request may get several replies: Triton's decoupled transaction policy.

Source: Triton server, ``docs/user_guide/decoupled_models.md``.
"""

from __future__ import annotations

from backend.contracts.errors import InputError
from backend.contracts.values import Value
from backend.modelconfig.backend_support import support
from backend.templates.template import Template
from backend.workload.answers import Replies


class Transaction(Value):
    """The policy and its reason; no reason where there is nothing to say."""

    decoupled: bool
    reason: str = ""


def transaction(template: Template, replies: Replies, *, declared: bool) -> Transaction:
    """The transaction policy of a class's model.

    Args:
        template: The model.
        replies: The answer about replies to a request.
        declared: The model is known by its tensors alone; else it is one of our templates.

    Raises:
        InputError: if several replies are asked of a backend that sends one.
    """
    if not declared:
        if replies != "many":
            return Transaction(decoupled=False)
        return Transaction(
            decoupled=False,
            reason="The answers say that a request gets several replies, but this template's model "
            "sends one: not decoupled.",
        )
    known = support(template.backend, "decoupled")
    if template.backend == "vllm":
        return Transaction(decoupled=True, reason=f"{known.why} {_STREAM}")
    if replies != "many":
        return Transaction(decoupled=False)
    if known.answer != "yes":
        raise InputError(
            f"A request is to get several replies, but the backend is '{template.backend}'.",
            why=f"{known.why} Source: {known.source}.",
            next_step="Answer that a request gets one reply, or serve the model with a backend "
            "that can send several, such as python.",
            key="replies",
        )
    return Transaction(
        decoupled=True,
        reason=f"A request may get several replies, or none. {known.why} {_STREAM} In a session "
        "the next request may begin once execute has returned, before the last reply.",
    )


_STREAM = "Clients need a gRPC stream: one HTTP request and one unary call take one reply."
