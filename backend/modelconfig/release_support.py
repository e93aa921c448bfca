"""What a candidate needs that a release of Triton does not have yet (M11)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from backend.contracts.errors import InputError
from backend.modelconfig.candidate import Candidate
from backend.modelconfig.lint.release import Release
from backend.modelconfig.lint.release_fields import FIELDS, VALUES
from backend.templates.template import Template

_OPTIONAL: Final = "inference.ModelInput.optional"
_INITIAL: Final = "inference.ModelSequenceBatching.State.initial_state"

ORDER_KEPT: Final = Release(23, 9)
"""``oldest`` has the field one release before it does anything."""


def check_release(candidate: Candidate, template: Template, release: Release) -> None:
    """Refuse what the release does not know: it would refuse the whole file.

    Raises:
        InputError: naming what is too new and since when it exists.
    """
    for what, since, instead in _needs(candidate, template):
        if since > release:
            raise InputError(
                f"'{candidate.name}' of {candidate.model_name} needs {what}, which release "
                f"{release} does not have.",
                why=f"It exists from release {since} on.",
                next_step=f"Serve with release {since} or later, or {instead}.",
                key="triton_release",
            )


def _needs(candidate: Candidate, template: Template) -> Iterator[tuple[str, Release, str]]:
    """What is needed, since when it exists, what would do without it."""
    if candidate.optional_inputs:
        names = ", ".join(candidate.optional_inputs)
        yield f"optional inputs ({names})", FIELDS[_OPTIONAL], "let clients send every input"
    states = candidate.states
    if candidate.is_sequence and any(state.initial != "uninitialised" for state in states):
        yield (
            "a first value for its states (initial_state)",
            FIELDS[_INITIAL],
            "let the model begin afresh on START and declare them uninitialised",
        )
    if candidate.preserve_ordering and candidate.name == "sequence-oldest":
        yield "preserve_ordering under oldest", ORDER_KEPT, "leave preserve_ordering out"
    types = {tensor.data_type for tensor in (*template.inputs, *template.outputs)}
    if "BF16" in types | {state.data_type for state in states}:
        yield "tensors of type BF16", VALUES["TYPE_BF16"], "use another type"
