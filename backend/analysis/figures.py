"""The figures that findings carry: name, formula, unit, which way is better. One table of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal

from backend.analysis.quantiles import PERMILLES

Quantity = Literal["queue", "response", "compute", "start_wait"]

QUANTITIES: Final[dict[Quantity, str]] = {
    "queue": "queue time",
    "response": "response time",
    "compute": "compute time",
    "start_wait": "start wait",
}
"""What is measured per answered request, all in milliseconds.

    queue       compute_start_ns - queue_start_ns (Triton's trace)
    response    received_ns - sent_ns in a closed loop, received_ns - scheduled_ns in an open loop
    compute     compute_end_ns - compute_start_ns (Triton's trace): input, model and output
    start_wait  queue time of sequence starts alone: what a newcomer waits for a slot
"""


@dataclass(frozen=True)
class Figure:
    """One figure: a quantile of a quantity, or throughput (``quantity`` null)."""

    name: str
    title: str
    unit: str
    quantity: Quantity | None = None
    permille: int = 0

    @property
    def more_is_better(self) -> bool:
        """Throughput should be high, waiting low."""
        return self.quantity is None


THROUGHPUT: Final = Figure("throughput_per_s", "throughput", "requests/s")

FIGURES: Final[dict[str, Figure]] = {
    THROUGHPUT.name: THROUGHPUT,
    **{
        f"{quantity}_{name}_ms": Figure(
            name=f"{quantity}_{name}_ms",
            title=f"{title} {'p99.9' if name == 'p999' else name}",
            unit="ms",
            quantity=quantity,
            permille=permille,
        )
        for quantity, title in QUANTITIES.items()
        for name, permille in PERMILLES.items()
    },
}
"""By the name that ``GroupFinding.intervals`` and ``Comparison.figure`` use."""
