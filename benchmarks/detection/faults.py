"""What was foretold of each fault, as values."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from ruamel.yaml import YAML

FILE: Final = Path(__file__).with_name("foretold.yaml")
ORACLES: Final = ("hash_chain", "isolated_replay", "protocol")


@dataclass(frozen=True)
class Fault:
    """A fault with what each oracle is foretold to see of it.

    Attributes:
        name: Its name; for a fault of the probe, the value of the parameter ``fault``.
        about: What is wrong, in a sentence.
        strategies: Under which it can show: oldest, direct, dynamic.
        property: Row of the requirements that it breaks.
        foreign: Whether another session's state or reply is involved.
        unseen: By oracle that cannot see it, why the replies equal what it expects.
    """

    name: str
    about: str
    strategies: tuple[str, ...]
    property: str
    foreign: bool
    unseen: dict[str, str]

    @property
    def of_client(self) -> bool:
        """Whether the client is at fault."""
        return self.name.startswith("client_")

    @property
    def of_place(self) -> bool:
        """Whether only the place does not fit, where the model looks a state up."""
        return self.name.startswith("state_by_")


def foretold(file: Path = FILE) -> tuple[Fault, ...]:
    """All faults in the order of the file."""
    data: dict[str, Any] = YAML(typ="safe", pure=True).load(file.read_text(encoding="utf-8"))
    return tuple(
        Fault(
            name=name,
            about=str(given["about"]),
            strategies=tuple(given["strategies"]),
            property=str(given["property"]),
            foreign=bool(given["foreign"]),
            unseen={
                oracle: str(given[oracle]["no"]) for oracle in ORACLES if given[oracle] is not True
            },
        )
        for name, given in data["faults"].items()
    )
