"""Small strategies that everything is drawn from, weighted towards the edges of what fits."""

from __future__ import annotations

from typing import Any, Final

from hypothesis import strategies as st
from tritonclient.grpc import model_config_pb2

FOLDER: Final = "the_model_under_test"
"""The name that a generated file carries; each case gets its own in its place."""
SUPPORT: Final = "support_step"
"""A model that stands beside every case, for ensembles to name."""

DATA_TYPES: Final = tuple(number for number in model_config_pb2.DataType.values() if number != 0)
UINT64: Final = 2**64 - 1
INT64: Final = 2**63 - 1
UINT32: Final = 2**32 - 1
INT32: Final = 2**31 - 1

NAMES: Final = (
    "INPUT0", "OUTPUT0", "in", "x", "A b", "model/part:0", "größe", "数", "n" * 200, "'q'",
    *(f"tensor_{number}" for number in range(16)),
)  # fmt: skip
TAG_KEYS: Final = ("", "a", "7", "team", "a_b", "Z" * 40)
"""Keys of ``metric_tags`` that make a Prometheus label behind Triton's underscore."""

batch_sizes = st.sampled_from((4, 0, 1, 2, 8, 7, 16, 128, 1000, 4))
microseconds = st.sampled_from((0, 1, 100, 5_000, 1_000_000, UINT64 // 2, UINT64))
texts = st.sampled_from(("", "x", "1", "a b", "é日", "\t\n\"'\\", "\0", "v" * 300, "$$HOME"))
shares = st.sampled_from((0.0, 1.0, 0.5, 0.25, 1e-30, 1.0 - 2**-24))
data_types = st.sampled_from(DATA_TYPES)
small_dims = st.lists(st.sampled_from((1, 2, 3, 4, 16)), min_size=1, max_size=4)
dims = st.one_of(
    small_dims,
    st.lists(st.sampled_from((-1, 1, 2, 224)), min_size=1, max_size=4),
    st.sampled_from(([INT32], [2**31], [INT64], [1] * 9, [-1] * 8, [-1])),
)


def sometimes(draw: Any, one_in: int) -> bool:
    """True once in so many draws, and never in the simplest example."""
    return bool(draw(st.integers(0, one_in - 1)) == one_in - 1)


def names(draw: Any, count: int, taken: set[str]) -> list[str]:
    """So many names that differ from each other and from those taken, which they join."""
    free = [name for name in NAMES if name not in taken]
    found = draw(st.permutations(free))[:count]
    taken.update(found)
    return list(found)
