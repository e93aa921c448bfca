"""The example studies that a new study can begin from, and the half-minute cut of one."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from backend.contracts.errors import InputError
from backend.workload.study import Study, TrafficClass
from backend.workload.study_file import load_study

STUDIES: Final = Path(__file__).resolve().parents[2] / "studies"
DEMONSTRATION: Final = "voice-activity"
_ORDER: Final = ("voice-activity", "streaming-captions", "slot-state", "file-labels", "mixed")


def examples() -> tuple[Study, ...]:
    """The example studies, the ones that explain most first."""
    files = {path.stem: path for path in STUDIES.glob("*.yaml")}
    known = [name for name in _ORDER if name in files]
    others = sorted(set(files) - set(known))
    return tuple(load_study(files[name]) for name in [*known, *others])


def demonstration() -> Study:
    """Eight callers on two instances, once, under the right and the wrong batcher.

    A cut of the voice-activity study: the same model, callers and seed, fewer trials.

    Raises:
        InputError: if the study's file is missing.
    """
    path = STUDIES / f"{DEMONSTRATION}.yaml"
    if not path.exists():
        raise InputError(
            f"The example study {path} is missing.",
            next_step="Restore the folder 'studies' of this checkout.",
        )
    study = load_study(path)
    return study.model_copy(
        update={
            "name": f"{DEMONSTRATION}-demo",
            "title": "What the wrong batcher does to eight callers",
            "rounds": 1,
            "matrix": study.matrix.model_copy(update={"instances": (2,)}),
            "classes": tuple(_two_candidates(item) for item in study.classes),
        }
    )


def _two_candidates(item: TrafficClass) -> TrafficClass:
    kept = [choice for choice in item.candidates if choice.name in ("sequence-oldest", "dynamic")]
    known = {choice.name for choice in kept}
    names = [name for name in ("sequence-oldest", "dynamic") if name not in known]
    return TrafficClass.model_validate(
        {**item.model_dump(), "candidates": [*(c.model_dump() for c in kept), *names]}
    )
