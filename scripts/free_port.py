"""Says in words when the port that `make app` wants is taken: ``free_port.py PORT``."""

from __future__ import annotations

import socket
import sys


def main(argument: str) -> int:
    """Return 0 when the port can be bound on the loopback interface, else 2 with a message."""
    if not argument.isdigit() or not 0 < int(argument) < 65536:
        print(f"PORT={argument} is not a port: a number from 1 to 65535.", file=sys.stderr)
        return 2
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as probe:
        # as the server itself does: a port that only waits out its old connections is free
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("127.0.0.1", int(argument)))
        except OSError as error:
            print(
                f"Port {argument} on 127.0.0.1 cannot be used.\n"
                f"Why: {error.strerror}. Is the console already running there?\n"
                f"Next: open http://127.0.0.1:{argument}, or choose another port: "
                f"make app PORT={int(argument) % 65535 + 1}",
                file=sys.stderr,
            )
            return 2
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1] if len(sys.argv) > 1 else ""))
