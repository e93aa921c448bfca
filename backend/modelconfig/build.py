"""Builds the ``ModelConfig`` message of a candidate: Triton's own protobuf, never pasted text."""

from __future__ import annotations

from typing import Any, Final

from tritonclient.grpc import model_config_pb2

from backend.contracts.errors import InputError
from backend.modelconfig.candidate import Candidate
from backend.modelconfig.refusals import refuse
from backend.templates.template import Template, Tensor

ModelConfig = model_config_pb2.ModelConfig
Control = model_config_pb2.ModelSequenceBatching.Control

START: Final = "START"
END: Final = "END"
READY: Final = "READY"
CORRID: Final = "CORRID"


def build(candidate: Candidate, template: Template) -> Any:
    """The ``ModelConfig`` of a candidate for a template's model.

    Raises:
        InputError: if Triton would refuse it, or the model cannot serve it.
    """
    values = template.parameter_values(candidate.parameters)
    config = ModelConfig(
        name=candidate.model_name,
        backend=template.backend,
        max_batch_size=candidate.max_batch_size,
    )
    for tensor in template.inputs:
        _tensor(config.input.add(), tensor, values, template)
    for tensor in template.outputs:
        _tensor(config.output.add(), tensor, values, template)
    kind = model_config_pb2.ModelInstanceGroup.Kind.Value(candidate.instance_kind)
    config.instance_group.add(count=candidate.instances, kind=kind)
    for name, value in values.items():
        config.parameters[name].string_value = parameter_text(value)
    _SCHEDULERS[candidate.name](config, candidate)
    _fits_model(candidate, template)
    refuse(config)
    return config


def parameter_text(value: int | float | str) -> str:
    """A parameter as ``config.pbtxt`` holds it: plain digits, no needless ``.0``."""
    if isinstance(value, float):
        return str(int(value)) if value.is_integer() and abs(value) < 1e15 else repr(value)
    return str(value)


def data_type_name(data_type: str) -> str:
    """Triton's name of a tensor type: ``BYTES`` is ``TYPE_STRING`` there."""
    return "TYPE_STRING" if data_type == "BYTES" else f"TYPE_{data_type}"


def _tensor(
    entry: Any, tensor: Tensor, values: dict[str, int | float | str], template: Template
) -> None:
    entry.name = tensor.name
    entry.data_type = model_config_pb2.DataType.Value(data_type_name(tensor.data_type))
    for dim in tensor.dims:
        size = values.get(dim) if isinstance(dim, str) else dim
        if not isinstance(size, int) or isinstance(size, bool) or (size < 1 and size != -1):
            raise InputError(
                f"A dimension of {tensor.name} in the template '{template.name}' is '{dim}', "
                f"which gives {size!r}.",
                why="A dimension is a whole number of at least 1, or -1 for a variable one.",
                next_step=f"Correct the parameter or the template '{template.name}'.",
            )
        entry.dims.append(size)


def _no_batching(config: Any, candidate: Candidate) -> None:
    """No scheduler section: Triton's default scheduler executes each request by itself."""


def _dynamic(config: Any, candidate: Candidate) -> None:
    config.dynamic_batching.SetInParent()
    config.dynamic_batching.preferred_batch_size.extend(candidate.preferred_batch_sizes)
    config.dynamic_batching.max_queue_delay_microseconds = (
        candidate.max_queue_delay_microseconds or 0
    )


def _direct(config: Any, candidate: Candidate) -> None:
    direct = config.sequence_batching.direct
    direct.SetInParent()
    direct.max_queue_delay_microseconds = candidate.max_queue_delay_microseconds or 0
    direct.minimum_slot_utilization = candidate.minimum_slot_utilization or 0.0
    _idle_limit(config, candidate)
    _flag(config, START, Control.CONTROL_SEQUENCE_START)
    _flag(config, END, Control.CONTROL_SEQUENCE_END)
    # without it a model cannot tell the padding of silent slots from data
    _flag(config, READY, Control.CONTROL_SEQUENCE_READY)


def _oldest(config: Any, candidate: Candidate) -> None:
    oldest = config.sequence_batching.oldest
    oldest.SetInParent()
    oldest.max_candidate_sequences = candidate.max_candidate_sequences or 0
    oldest.preferred_batch_size.extend(candidate.preferred_batch_sizes)
    oldest.max_queue_delay_microseconds = candidate.max_queue_delay_microseconds or 0
    _idle_limit(config, candidate)
    _flag(config, START, Control.CONTROL_SEQUENCE_START)
    _flag(config, END, Control.CONTROL_SEQUENCE_END)
    if candidate.correlation_id_type == "uint64":
        # never TYPE_STRING: the Python backend cannot deliver it, the model asks the request
        entry = config.sequence_batching.control_input.add(name=CORRID)
        entry.control.add(
            kind=Control.CONTROL_SEQUENCE_CORRID, data_type=model_config_pb2.TYPE_UINT64
        )


def _idle_limit(config: Any, candidate: Candidate) -> None:
    if candidate.max_sequence_idle_microseconds is not None:
        config.sequence_batching.max_sequence_idle_microseconds = (
            candidate.max_sequence_idle_microseconds
        )


def _flag(config: Any, name: str, kind: int) -> None:
    """One control input of its own: several kinds in one tensor overwrite each other."""
    entry = config.sequence_batching.control_input.add(name=name)
    entry.control.add(kind=kind, int32_false_true=(0, 1))


_SCHEDULERS: Final = {
    "no-batching": _no_batching,
    "dynamic": _dynamic,
    "sequence-direct": _direct,
    "sequence-oldest": _oldest,
}


def _fits_model(candidate: Candidate, template: Template) -> None:
    """The model's own limits, which Triton does not know."""
    if candidate.max_batch_size < 1:
        raise InputError(
            f"'{candidate.name}' of {candidate.model_name} has max_batch_size 0.",
            why="With 0 Triton forms no batches and the tensors have no batch dimension; "
            f"the template '{template.name}' has one.",
            next_step="Set max_batch_size to at least 1.",
            key="max_batch_size",
        )
    if candidate.max_batch_size > template.max_batch_size:
        raise InputError(
            f"'{candidate.name}' of {candidate.model_name} has max_batch_size "
            f"{candidate.max_batch_size}.",
            why=f"The model of the template '{template.name}' takes at most "
            f"{template.max_batch_size} requests in one execution.",
            next_step=f"Set max_batch_size to at most {template.max_batch_size}.",
            key="max_batch_size",
        )
    taken = {tensor.name for tensor in template.inputs} & {START, END, READY, CORRID}
    if candidate.is_sequence and taken:
        raise InputError(
            f"The template '{template.name}' has an input named {', '.join(sorted(taken))}.",
            why="Triton writes its control inputs under these names; a tensor listed as an input "
            "as well would have to come from every client.",
            next_step="Rename the input in the template.",
        )
