"""Load, unload and look at models of a running Triton through its HTTP API."""

from __future__ import annotations

import http.client
import json
import select
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final
from urllib.parse import quote

from backend.contracts.errors import EnvironmentMissing, ModelLoadFailed, ServerFailed
from backend.contracts.values import Value
from backend.runtime.load_failure import (
    fault_of_machine,
    reason_from_answer,
    reason_from_log,
)
from backend.runtime.server import Endpoints
from backend.runtime.server_log import read_from, size

LOAD_DEADLINE_S: Final = 120.0
UNLOAD_DEADLINE_S: Final = 60.0
ANSWER_DEADLINE_S: Final = 10.0
_POLL_S: Final = 0.2
_LOG_WAIT_S: Final = 1.0


class ModelState(Value):
    """A line of the repository index; ``state`` is empty for a model that was never loaded."""

    name: str
    version: str = ""
    state: str = ""
    reason: str = ""


class ModelControl:
    """The model-control calls to one server, each on a connection of its own."""

    def __init__(
        self,
        endpoints: Endpoints,
        *,
        log_path: Path | None = None,
        watch: Callable[[], Callable[[], str | None]] | None = None,
    ) -> None:
        """Talk to a server.

        Args:
            endpoints: Of the server.
            log_path: Its log, where one can be read: the only place that tells why Triton could
                not read a ``config.pbtxt``.
            watch: Called when a load begins; what it returns is asked while the load is waited
                for, and gives a sentence once waiting has become pointless.
        """
        self._endpoint = endpoints.http
        self._log = log_path
        self._watch = watch

    def load(self, name: str, deadline_s: float = LOAD_DEADLINE_S) -> None:
        """Load a model from the repository, or load it anew, and wait until it is ready.

        Args:
            name: The model's name.
            deadline_s: How long the load may take, in seconds.

        Raises:
            EnvironmentMissing: if this machine kept Triton from it.
            ModelLoadFailed: with Triton's reason in ``why``; also if the load takes too long or
                the model's process dies.
            ServerFailed: if the server does not answer, or ends.
        """
        offset = size(self._log) if self._log is not None else 0
        status, text = self._exchange(
            "POST", f"/v2/repository/models/{quote(name, safe='')}/load", {}, deadline_s, name
        )
        if status != 200:
            raise self._refused(name, text, offset)
        if not self.model_ready(name):
            raise ModelLoadFailed(
                f"Triton loaded the model '{name}' but does not report it as ready.",
                why=self._reason_in_index(name),
                next_step=self._see_log(),
            )

    def unload(self, name: str, deadline_s: float = UNLOAD_DEADLINE_S) -> None:
        """Unload a model and wait until it is gone, about 1.2 s per instance.

        Raises:
            ServerFailed: if the server does not answer, refuses, or still holds it at the deadline.
        """
        self.begin_unload(name)
        self.wait_unloaded(name, deadline_s)

    def begin_unload(self, name: str) -> None:
        """Ask for a model's unload; its instances end one after another, idle meanwhile.

        Raises:
            ServerFailed: if the server does not answer, or refuses.
        """
        # answered late when the server is still busy with the end of other models' instances
        path = f"/v2/repository/models/{quote(name, safe='')}/unload"
        self._json("POST", path, {}, UNLOAD_DEADLINE_S)

    def wait_unloaded(self, name: str, deadline_s: float = UNLOAD_DEADLINE_S) -> None:
        """Wait until nothing of a model is left.

        Raises:
            ServerFailed: if the server does not answer, or still holds it at the deadline.
        """
        give_up = time.monotonic() + deadline_s
        while any(m.name == name and m.state not in ("", "UNAVAILABLE") for m in self.index()):
            if time.monotonic() > give_up:
                raise ServerFailed(
                    f"The model '{name}' was still there {deadline_s:g} seconds after its unload.",
                    next_step="Restart the server.",
                )
            time.sleep(0.02)

    def index(self) -> tuple[ModelState, ...]:
        """All models of the repository with their state.

        Raises:
            ServerFailed: if the server does not answer.
        """
        found = self._json("POST", "/v2/repository/index", {})
        return tuple(ModelState.model_validate(entry) for entry in found)

    def model_config(self, name: str) -> dict[str, Any]:
        """The configuration that a loaded model runs with, defaults filled in.

        Raises:
            ServerFailed: if the server does not answer, or has not loaded the model.
        """
        return dict(self._json("GET", f"/v2/models/{quote(name, safe='')}/config"))

    def server_metadata(self) -> dict[str, Any]:
        """Name, version and extensions of the server.

        Raises:
            ServerFailed: if the server does not answer.
        """
        return dict(self._json("GET", "/v2"))

    def model_ready(self, name: str) -> bool:
        """Whether a model is loaded and ready for requests.

        Raises:
            ServerFailed: if the server does not answer.
        """
        status, _ = self._exchange("GET", f"/v2/models/{quote(name, safe='')}/ready")
        return status == 200

    def _refused(self, name: str, answer: str, offset: int) -> ModelLoadFailed | EnvironmentMissing:
        reason = reason_from_answer(name, answer)
        give_up = time.monotonic() + _LOG_WAIT_S
        while reason is None and self._log is not None:
            reason = reason_from_log(name, read_from(self._log, offset))
            if time.monotonic() > give_up:
                break
            time.sleep(_POLL_S / 10)
        mend = fault_of_machine(reason) if reason else None
        if mend is not None:
            return EnvironmentMissing(
                f"This machine kept Triton from loading the model '{name}'.",
                why=reason or "",
                next_step=mend,
            )
        return ModelLoadFailed(
            f"Triton could not load the model '{name}'.",
            why=reason or f"Triton says no more than: {answer.strip()}",
            next_step="Correct the model or its config.pbtxt. " + self._see_log(),
        )

    def _reason_in_index(self, name: str) -> str:
        states = [m for m in self.index() if m.name == name]
        return "; ".join(f"version {m.version}: {m.state} {m.reason}".strip() for m in states)

    def _see_log(self) -> str:
        return f"The server's log: {self._log}" if self._log is not None else ""

    def _json(
        self,
        method: str,
        path: str,
        body: dict[str, Any] | None = None,
        deadline_s: float = ANSWER_DEADLINE_S,
    ) -> Any:
        status, text = self._exchange(method, path, body, deadline_s)
        if status != 200:
            raise ServerFailed(
                f"The server at {self._endpoint} refused {path}.", why=f"HTTP {status}: {text}"
            )
        try:
            return json.loads(text) if text else {}
        except json.JSONDecodeError as error:
            raise ServerFailed(
                f"The answer of {self._endpoint}{path} is not JSON.", why=text[:200]
            ) from error

    def _exchange(
        self,
        method: str,
        path: str,
        body: dict[str, Any] | None = None,
        deadline_s: float = ANSWER_DEADLINE_S,
        loading: str | None = None,
    ) -> tuple[int, str]:
        """Status and text of an answer; ``loading`` names the model if a load is waited for."""
        connection = http.client.HTTPConnection(self._endpoint, timeout=ANSWER_DEADLINE_S)
        try:
            content = None if body is None else json.dumps(body).encode()
            connection.request(method, path, content, {"Content-Type": "application/json"})
            self._wait_readable(connection, path, deadline_s, loading)
            response = connection.getresponse()
            return response.status, response.read().decode("utf-8", errors="replace")
        except (OSError, http.client.HTTPException) as error:
            raise ServerFailed(
                f"The server at {self._endpoint} does not answer.",
                why=f"{path}: {error or type(error).__name__}",
                next_step=self._see_log(),
            ) from error
        finally:
            connection.close()

    def _wait_readable(
        self,
        connection: http.client.HTTPConnection,
        path: str,
        deadline_s: float,
        loading: str | None,
    ) -> None:
        """Wait for the first byte of the answer, asking now and then if it can still come."""
        give_up = time.monotonic() + deadline_s
        watch = self._watch() if loading is not None and self._watch is not None else None
        readable = select.poll()
        readable.register(connection.sock, select.POLLIN)
        while not readable.poll(_POLL_S * 1000):
            late = time.monotonic() > give_up
            if loading is None:
                if late:
                    raise ServerFailed(
                        f"The server at {self._endpoint} did not answer {path} within"
                        f" {deadline_s:g} seconds.",
                        next_step=self._see_log(),
                    )
                continue
            ended = watch() if watch is not None else None
            if ended or late:
                raise ModelLoadFailed(
                    f"Triton could not load the model '{loading}'.",
                    why=ended or f"The load was not finished after {deadline_s:g} seconds.",
                    next_step="Restart the server before anything else: it waits for this model"
                    f" for ever. {self._see_log()}".rstrip(),
                )
