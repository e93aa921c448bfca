"""Triton's HTTP service, as far as telemetry needs it: one GET or POST, its JSON or text back."""

from __future__ import annotations

import http.client
import json
from typing import Any, Final

from backend.contracts.errors import ServerFailed

TIMEOUT_S: Final = 10.0


def exchange(endpoint: str, path: str, body: dict[str, Any] | None = None) -> str:
    """GET a path, or POST a JSON body to it; returns the text of the answer.

    Args:
        endpoint: ``host:port``.
        path: Path with its leading slash.
        body: Posted as JSON if given.

    Raises:
        ServerFailed: if nobody answers, or the answer is not 200.
    """
    connection = http.client.HTTPConnection(endpoint, timeout=TIMEOUT_S)
    try:
        if body is None:
            connection.request("GET", path)
        else:
            content = json.dumps(body).encode()
            connection.request("POST", path, content, {"Content-Type": "application/json"})
        response = connection.getresponse()
        text = response.read().decode("utf-8", errors="replace")
    except (OSError, http.client.HTTPException) as error:
        raise ServerFailed(
            f"The server at {endpoint} does not answer.",
            why=f"{path}: {error or type(error).__name__}",
            next_step="Read the end of the server's log.",
        ) from error
    finally:
        connection.close()
    if response.status != 200:
        raise ServerFailed(
            f"The server at {endpoint} refused {path}.", why=f"HTTP {response.status}: {text}"
        )
    return text


def exchange_json(endpoint: str, path: str, body: dict[str, Any] | None = None) -> dict[str, Any]:
    """As ``exchange``, with the answer's JSON object.

    Raises:
        ServerFailed: as ``exchange``, or if the answer is not a JSON object.
    """
    text = exchange(endpoint, path, body)
    try:
        value = json.loads(text)
    except json.JSONDecodeError as error:
        raise ServerFailed(
            f"The answer of {endpoint}{path} is not JSON.", why=text[:200]
        ) from error
    if not isinstance(value, dict):
        raise ServerFailed(f"The answer of {endpoint}{path} is no JSON object.", why=text[:200])
    return value
