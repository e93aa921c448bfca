"""All questions in the order in which they are asked."""

from __future__ import annotations

from typing import Final

from backend.workload.question_forms import SHAPE_IS_NO_EVIDENCE
from backend.workload.questions_of_ids import IDS
from backend.workload.questions_of_life import LIFE
from backend.workload.questions_of_meaning import MEANING
from backend.workload.questions_of_service import SERVICE

__all__ = ["QUESTION_TEXTS", "SHAPE_IS_NO_EVIDENCE"]

QUESTION_TEXTS: Final = (*MEANING, *LIFE, *IDS, *SERVICE)
