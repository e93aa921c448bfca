"""Why Triton refused a model, from its answer and, where that says nothing, from its log.

A ``config.pbtxt`` that Triton cannot read or accept is answered with "failed to poll from model
repository" only; the log then has ``Poll failed for model directory 'M': …`` and, for a file that
is no valid text format, protobuf's own line with ``line:column`` before it (seen with 24.10).
"""

from __future__ import annotations

import json
import re
from typing import Final

_SAYS_NOTHING: Final = "failed to poll from model repository"
_PARSE_ERROR: Final = re.compile(
    r"Error parsing text-format inference\.ModelConfig: (?:(\d+):(\d+): )?(.*)$"
)
_STAGE: Final = re.compile(r"load failed for model '[^']*': (?:version \d+ is at \w+ state: )?")


def reason_from_answer(name: str, answer: str) -> str | None:
    """Triton's reason in the answer of a load call; null if the answer does not hold one."""
    try:
        body = json.loads(answer)
    except json.JSONDecodeError:
        return answer.strip() or None
    text = str(body.get("error", "")) if isinstance(body, dict) else str(body)
    if not text or _SAYS_NOTHING in text:
        return None
    reason = _STAGE.sub("", text).strip()
    # the list of versions ends each entry with a semicolon
    reason = re.sub(r"\s*;\s*$", "", reason).strip()
    return reason + _hint(name, reason)


def reason_from_log(name: str, log: str) -> str | None:
    """The reason in what the server logged since the call; null if it is not there (yet)."""
    quoted = re.escape(name)
    failed = re.compile(
        rf"\"?(?:Poll failed for model directory|failed to poll model) '{quoted}': (.*?)\"?$"
    )
    parse_errors: list[str] = []
    for line in log.splitlines():
        parsed = _PARSE_ERROR.search(line)
        if parsed:
            row, column, text = parsed.groups()
            place = f"config.pbtxt line {row}, column {column}: " if row else "config.pbtxt: "
            parse_errors.append(place + text)
            continue
        found = failed.search(line)
        if found:
            return "\n".join((*parse_errors, found.group(1))) if parse_errors else found.group(1)
        if "Poll failed for model directory" in line:
            # what was parsed until here was another model's
            parse_errors = []
    return None


def fault_of_machine(reason: str) -> str | None:
    """What to do about the machine, where the reason is its fault and not the model's; else null.

    Triton gives such faults as text only, the operating system's own words among them.
    """
    if "No space left on device" in reason or "shared memory" in reason.lower():
        return "Free shared memory (/dev/shm), or make it larger; 'doctor' says how much there is."
    if "execute permission" in reason:
        return "Install the packages as the user who runs this, or make them readable: 'make venv'."
    return None


def _hint(name: str, reason: str) -> str:
    """What Triton's advice leaves out: it suggests ``runtime`` where the backend is not there."""
    if "unable to find backend library" in reason:
        return (
            f"\nThis server does not have the backend that the config.pbtxt of '{name}' names; "
            "the embedded server has the Python backend only."
        )
    return ""
