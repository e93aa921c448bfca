"""A model template: what a model of ours declares about itself, as a frozen value."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from pydantic import Field

from backend.contracts.values import Value

DataType = Literal[
    "BOOL", "UINT8", "UINT16", "UINT32", "UINT64", "INT8", "INT16", "INT32", "INT64",
    "FP16", "FP32", "FP64", "BF16", "BYTES",
]  # fmt: skip
"""Tensor types in the spelling of the inference protocol (``TYPE_STRING`` is ``BYTES`` there)."""

TemplateBackend = Literal[
    "python", "onnxruntime", "tensorrt", "pytorch", "tensorflow", "openvino", "dali", "vllm",
    "tensorrtllm", "custom",
]  # fmt: skip
"""A folder of ``model_templates`` is always ``python``; a model that is only declared may name any.
"""

StatePlace = Literal["none", "slot", "correlation_id", "request"]
"""Where a model keeps a session's state: nowhere, by position in the batch (as direct-strategy
models do), in a table keyed by correlation ID (as oldest-strategy models do), or carried in each
request."""


class Tensor(Value):
    """One input or output; ``dims`` without the batch dimension, -1 for a variable one.

    A dimension may name a parameter of the template (e.g. ``input_bytes``): the parameter's value
    is then the dimension.
    """

    name: str
    data_type: DataType
    dims: tuple[int | str, ...]
    about: str = ""


class Parameter(Value):
    """A setting of the template, written into ``config.pbtxt`` ``parameters`` as text."""

    name: str
    kind: Literal["integer", "number", "choice"]
    default: int | float | str
    minimum: float | None = None
    maximum: float | None = None
    choices: tuple[str, ...] = ()
    unit: str = ""
    about: str


class OutputRule(Value):
    """How an output is compared with its reference: equal within ``absolute``, or the same label.

    ``label``: index of the largest element must be equal as well (a classifier's decision).
    """

    output: str
    absolute: float = 0.0
    label: bool = False
    why: str


class Decision(Value):
    """What a reply means to the user: at or above ``threshold``, ``output`` is *positive*.

    For a classifier (``threshold`` null) the decision is the label with the largest probability.
    ``unit`` is what one reply stands for ("frame"), ``session`` what a session is ("caller"),
    ``stretch`` what a run of positive replies is ("sentence"; empty: "stretch of speech"),
    ``unit_ms`` how long a unit lasts in the session's own time (null: it has no length).
    """

    output: str
    threshold: float | None = None
    positive: str = ""
    negative: str = ""
    labels_file: str | None = None
    unit: str
    session: str
    stretch: str = ""
    unit_ms: float | None = Field(default=None, gt=0)


class Samples(Value):
    """Sample inputs kept with the template.

    ``generated``: inputs are random bytes made from the seed (the probe).
    ``clips``: each ``.npz`` file is one session's recording: array ``frames`` with shape
    ``[steps, *dims]``; a session takes a clip and a starting frame, and runs on through it.
    ``items``: each ``.npz`` file is one independent request: array ``item`` with shape ``dims``.

    An array may be kept in a smaller type than the input's. A number ``scale`` beside it is what
    its values are multiplied with (sound kept as 16-bit samples).
    """

    kind: Literal["generated", "clips", "items"]
    input: str
    folder: str | None = None
    about: str = ""


class Template(Value):
    """A folder of ``model_templates``: what the console knows of the model before running it."""

    name: str
    title: str
    about: str
    backend: TemplateBackend = "python"
    stateful: bool
    state_places: tuple[StatePlace, ...] = Field(
        description="the places this template can keep its state; the first is the default"
    )
    oracle: Literal["hash_chain", "isolated_replay"]
    max_batch_size: int
    inputs: tuple[Tensor, ...]
    outputs: tuple[Tensor, ...]
    parameters: tuple[Parameter, ...] = ()
    rules: tuple[OutputRule, ...] = ()
    decision: Decision | None = None
    samples: Samples
    requires: tuple[str, ...] = Field(
        default=(), description="Python packages that the model imports, as pip would name them"
    )
    folder: Path = Field(exclude=True)

    def parameter_values(
        self, chosen: dict[str, int | float | str]
    ) -> dict[str, int | float | str]:
        """All parameters with their values: the chosen ones over the defaults (unchecked)."""
        return {p.name: chosen.get(p.name, p.default) for p in self.parameters}
