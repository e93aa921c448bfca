"""Whether a Docker engine answers on this machine."""

from __future__ import annotations

import http.client
import json
import os
import socket
from pathlib import Path
from typing import Final
from urllib.parse import urlsplit

TIMEOUT_S: Final = 2.0


class _SocketConnection(http.client.HTTPConnection):
    """HTTP over a Unix socket."""

    def __init__(self, path: str) -> None:
        super().__init__("localhost", timeout=TIMEOUT_S)
        self._path = path

    def connect(self) -> None:
        """Connect to the socket instead of a host."""
        self.sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.sock.settimeout(TIMEOUT_S)
        self.sock.connect(self._path)


def engine_addresses() -> tuple[str, ...]:
    """Where an engine would be: ``DOCKER_HOST`` alone if set, else the usual sockets."""
    configured = os.environ.get("DOCKER_HOST")
    if configured:
        return (configured,)
    places = [Path("/var/run/docker.sock")]
    runtime = os.environ.get("XDG_RUNTIME_DIR")
    if runtime:
        places.append(Path(runtime) / "docker.sock")
    return tuple(f"unix://{place}" for place in places)


def engine_version(address: str) -> tuple[str | None, str]:
    """Version of the engine at an address, else null and why it does not answer."""
    parts = urlsplit(address)
    connection: http.client.HTTPConnection
    if parts.scheme == "unix":
        if not hasattr(socket, "AF_UNIX"):
            return None, f"{address} cannot be tried from this system"
        connection = _SocketConnection(parts.path)
    elif parts.scheme in ("tcp", "http") and parts.hostname:
        connection = http.client.HTTPConnection(
            parts.hostname, parts.port or 2375, timeout=TIMEOUT_S
        )
    else:
        return None, f"{address} is not tried by this check"
    try:
        connection.request("GET", "/version")
        answer = connection.getresponse()
        body = json.loads(answer.read())
    except FileNotFoundError:
        return None, f"{address} does not exist"
    except (OSError, http.client.HTTPException, ValueError) as error:
        return None, f"{address}: {error}"
    finally:
        connection.close()
    version = body.get("Version") if isinstance(body, dict) else None
    if answer.status != 200 or version is None:
        return None, f"{address} answered with HTTP {answer.status}"
    return str(version), ""
