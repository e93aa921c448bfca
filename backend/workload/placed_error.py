"""A value error that knows where inside the checked value it arose.

A validator sees a whole (a study) while the fault sits in a part (one entry of a list). Reading the
place from this error, not from its text, lets the study file's loader name the right line.
"""

from __future__ import annotations

from pydantic_core import PydanticCustomError

PLACED_ERROR = "placed_error"


def placed_error(message: str, *place: str | int, right: str = "") -> PydanticCustomError:
    """An error to raise in a validator.

    Args:
        message: What is wrong, in plain words.
        place: Keys and indices from the checked value down to the part at fault.
        right: What would be right, as a sentence.
    """
    # the text goes in as a value: braces in a user's own words must not be taken for a template
    return PydanticCustomError(
        PLACED_ERROR, "{message}", {"message": message, "place": place, "right": right}
    )
