"""Which backends write back the state that Triton carries with a sequence's slot.

Source: Triton user guide, docs/user_guide/architecture.md, Implicit State Management; the backends'
sources: only these three answer a request for a state's output with ``TRITONBACKEND_StateUpdate``.
"""

from __future__ import annotations

from typing import Final

STATE_WRITERS: Final = ("onnxruntime", "tensorrt", "pytorch")
NEVER_WRITERS: Final = ("python", "tensorflow", "openvino", "dali", "vllm", "tensorrtllm")
IMPLICIT_STATE_SINCE: Final = (21, 11)
"""The first release with ``state`` in ``sequence_batching``."""
