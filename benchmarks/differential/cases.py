"""What is judged: one ``config.pbtxt`` as bytes, and where it came from."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Case:
    """A file for the folder ``name``; ``origin`` names the strategy, or the fault put in."""

    name: str
    text: bytes
    origin: str


@dataclass(frozen=True)
class Verdict:
    """What the server made of a case.

    ``outcome``: ``loads``; ``refused``; ``died`` where the server ended, alone with this case;
    ``hung`` where the load was not over in time, alone with this case. ``stage``: where it was
    refused: ``parse`` (protobuf could not read the file), ``poll`` (read, and found wrong) or
    ``load`` (found wrong while the model was made). ``reason``: Triton's own words.
    """

    outcome: str
    stage: str = ""
    reason: str = ""

    @property
    def loads(self) -> bool:
        """Whether the model was ready in the end."""
        return self.outcome == "loads"
