"""Random streams that depend on names, so that one choice never disturbs another."""

from __future__ import annotations

import hashlib
import json

import numpy as np


def stream(*names: int | str) -> np.random.Generator:
    """A generator seeded by a hash of the names: the same names give the same draws anywhere."""
    digest = hashlib.blake2b(json.dumps(names).encode(), digest_size=16).digest()
    return np.random.Generator(np.random.PCG64(int.from_bytes(digest, "little")))
