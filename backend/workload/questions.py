"""The questions that decide between the batchers, asked about meaning, never about tensor shapes.

Each names the field of ``Answers`` that it sets. "I don't know" is always an option, says what it
leads to, and is treated as the careful case.
"""

from __future__ import annotations

from typing import Any

from backend.contracts.errors import InputError
from backend.contracts.values import Value
from backend.workload.answers import Answers
from backend.workload.question import UNKNOWN, Option, Question
from backend.workload.question_texts import QUESTION_TEXTS

__all__ = [
    "QUESTIONS",
    "UNKNOWN",
    "Answered",
    "Option",
    "Question",
    "answer_text",
    "answer_to",
    "answered",
    "question",
    "relevant_questions",
    "with_answer",
]

QUESTIONS: tuple[Question, ...] = QUESTION_TEXTS
"""In the order in which they are asked."""

_BY_ID = {item.id: item for item in QUESTIONS}
_ALWAYS = (
    "relation",
    "order",
    "state_kind",
    "state_place",
    "batch_mates",
    "replies",
    "shapes",
    "arrivals",
    "backend",
    "hardware",
)


def question(question_id: str) -> Question:
    """The question of that id.

    Raises:
        InputError: if there is none.
    """
    try:
        return _BY_ID[question_id]
    except KeyError as error:
        raise InputError(
            f"There is no question '{question_id}'.",
            next_step=f"Questions: {', '.join(_BY_ID)}.",
        ) from error


def answer_to(answers: Answers, question_id: str) -> str | tuple[str, ...]:
    """The answer as it stands; a tuple where several values may be chosen."""
    value: Any = answers
    for name in question(question_id).field:
        value = getattr(value, name)
    if question(question_id).multiple:
        known = {option.value for option in question(question_id).options}
        return tuple(item for item in value if item in known)
    return str(value)


def answered(answers: Answers, question_id: str) -> bool:
    """Whether the user has said something other than "I don't know"."""
    return answer_to(answers, question_id) != UNKNOWN


def answer_text(answers: Answers, question_id: str) -> str:
    """The answer in the words of its option."""
    asked = question(question_id)
    answer = answer_to(answers, question_id)
    chosen = answer if isinstance(answer, tuple) else (answer,)
    return ", ".join(asked.option(value).label for value in chosen) or "Nothing"


def with_answer(answers: Answers, question_id: str, value: str | tuple[str, ...]) -> Answers:
    """The answers with one of them changed.

    Args:
        answers: The answers so far.
        question_id: The question to answer anew.
        value: One of the question's option values; a tuple of them where several may be chosen.

    Raises:
        InputError: if the question or the value does not exist.
    """
    asked = question(question_id)
    chosen = value if isinstance(value, tuple) else (value,)
    for item in chosen:
        asked.option(item)
    new: str | tuple[str, ...]
    if asked.multiple:
        new = _several(asked, answers, chosen)
    elif len(chosen) == 1:
        new = chosen[0]
    else:
        raise InputError(
            f"The question '{question_id}' takes one answer, not {len(chosen)}.",
            next_step="Choose one.",
        )
    data = answers.model_dump()
    inner = data
    for name in asked.field[:-1]:
        inner = inner[name]
    inner[asked.field[-1]] = new
    return Answers.model_validate(data)


def relevant_questions(answers: Answers) -> tuple[Question, ...]:
    """The questions that can still matter, in order.

    Requests that are independent, free in their order and without state have no sessions to ask
    about.
    """
    free = (
        answers.relation == "independent"
        and answers.order_matters == "no"
        and answers.state_kind == "none"
    )
    return tuple(item for item in QUESTIONS if not free or item.id in _ALWAYS)


def _several(asked: Question, answers: Answers, chosen: tuple[str, ...]) -> tuple[str, ...]:
    """The new value of a field with several values; what the question does not ask about stays."""
    offered = tuple(option.value for option in asked.options if option.value != UNKNOWN)
    value: Any = answers
    for name in asked.field:
        value = getattr(value, name)
    kept = tuple(item for item in value if item not in offered)
    return kept + (offered if UNKNOWN in chosen else tuple(i for i in offered if i in chosen))


class Answered(Value):
    """A question together with the answer that was given."""

    question: str
    answer: str
    text: str

    @staticmethod
    def of(answers: Answers, question_id: str) -> Answered:
        """The answer to one question as a value of its own."""
        answer = answer_to(answers, question_id)
        plain = ", ".join(answer) if isinstance(answer, tuple) else answer
        return Answered(question=question_id, answer=plain, text=answer_text(answers, question_id))
