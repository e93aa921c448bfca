"""What the load generator must know of a model to put a row of a plan into a request."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class ModelInterface:
    """One input tensor in, named output tensors back.

    Attributes:
        model_name: The model as the server knows it.
        input_name: Name of the input tensor.
        data_type: Its type in the inference protocol's spelling (``UINT8``, ``FP32``, ``BYTES``).
        shape: Its shape in every request, with the batch dimension (1) where the model batches.
        outputs: Names of the outputs to ask for, at least one.
        instance_output: The output in which the model names the instance that served the request
            (BYTES, one element), or null where it does not say.
        max_batch_size: The model's, 0 where it does not batch; decides how many requests at once
            warm it up.
    """

    model_name: str
    input_name: str
    data_type: str
    shape: tuple[int, ...]
    outputs: tuple[str, ...]
    instance_output: str | None = None
    max_batch_size: int = 0
