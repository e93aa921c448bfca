"""A lint rule: one small unit that looks at a configuration and says where it is broken."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from backend.modelconfig.lint.finding import Severity
from backend.modelconfig.lint.release import Release
from backend.workload.study import TrafficClass


@dataclass(frozen=True)
class Hit:
    """A place that breaks a rule.

    ``path`` names the field, with indices (``instance_group[0].gpus[1]``). Where the file does not
    hold it, the finding stands at the nearest section above that it does hold.
    """

    path: str
    message: str
    effect: str
    fix: str


@dataclass(frozen=True)
class ModelCode:
    """What a Python model's source uses, read from its syntax tree; nothing is executed.

    ``inputs`` and ``outputs``: tensor names given to ``get_input_tensor_by_name`` and to
    ``Tensor(...)`` as plain text, each with its line in ``file``. ``complete`` is false where some
    name is computed, so that a name not found proves nothing. ``fault`` says why it is no Python,
    where it is none.
    """

    file: str
    inputs: tuple[tuple[str, int], ...] = ()
    outputs: tuple[tuple[str, int], ...] = ()
    complete_inputs: bool = True
    complete_outputs: bool = True
    reads_correlation_id: bool = False
    reads_flags: bool = False
    sets_reschedule: bool = False
    sets_dynamic_batching: bool = False
    fault: str = ""


@dataclass(frozen=True)
class Context:
    """All that a rule may look at. ``config`` is a ``ModelConfig``; rules never change it.

    Args:
        config: What the file says, nothing filled in.
        release: The release of Triton that is to load it.
        backend: The backend, from the file or, where the file names none, from the caller.
        written: Whether the file itself holds a field, by path (``written("input[0].reshape")``).
        folder: Name of the model's folder, where the file was found in a repository.
        item: The class of traffic that the model is to serve.
        code: The Python model's source, where it is at hand.
        files: Bytes of every file in the model's folder by its path from there, folders with ``/``
            at their end; null where the folder is not at hand.
        gpus: Whether the machine that is to load it has a GPU; null where that is not known.
    """

    config: Any
    release: Release
    backend: str
    written: Callable[[str], bool]
    folder: str | None = None
    item: TrafficClass | None = None
    code: ModelCode | None = None
    files: Mapping[str, int] | None = None
    gpus: bool | None = None


@dataclass(frozen=True)
class LintRule:
    """One rule of the linter.

    ``since`` and ``until`` (both inclusive) bound the releases in which it applies. ``source`` is
    the public document and section, or source file and function, that it follows from.
    """

    id: str
    severity: Severity
    title: str
    source: str
    check: Callable[[Context], Iterable[Hit]]
    since: Release | None = None
    until: Release | None = None

    def applies_to(self, release: Release) -> bool:
        """Whether the rule speaks of this release."""
        return (self.since is None or release >= self.since) and (
            self.until is None or release <= self.until
        )
