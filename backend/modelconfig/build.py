"""Builds the ``ModelConfig`` message of a candidate: Triton's own protobuf, never pasted text."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final

from tritonclient.grpc import model_config_pb2

from backend.contracts.errors import InputError
from backend.modelconfig.candidate import Candidate, ControlInput
from backend.modelconfig.control_inputs import NAMES, default_controls
from backend.modelconfig.lint.release import EMBEDDED, Release
from backend.modelconfig.refusals import refuse
from backend.templates.template import Template, Tensor
from backend.workload.declared_model import DeclaredState

ModelConfig = model_config_pb2.ModelConfig
Control = model_config_pb2.ModelSequenceBatching.Control
QueuePolicy = model_config_pb2.ModelQueuePolicy

_PLATFORMS: Final = {"tensorflow": "tensorflow_savedmodel"}
"""Where Triton refuses a file that names the backend alone."""
_FLAGS: Final = {"INT32": "int32_false_true", "FP32": "fp32_false_true", "BOOL": "bool_false_true"}


def build(candidate: Candidate, template: Template, release: Release = EMBEDDED) -> Any:
    """The ``ModelConfig`` of a candidate for a template's model.

    Args:
        candidate: What is to be served.
        template: Its model.
        release: The release that is to serve it.

    Raises:
        InputError: if Triton would refuse it, or the model cannot serve it.
    """
    values = template.parameter_values(candidate.parameters)
    config = ModelConfig(
        name=candidate.model_name,
        backend=template.backend,
        platform=_PLATFORMS.get(template.backend, ""),
        max_batch_size=candidate.max_batch_size,
    )
    config.version_policy.latest.num_versions = candidate.versions_served
    for tensor in template.inputs:
        entry = config.input.add()
        _tensor(entry, tensor, values, template)
        entry.allow_ragged_batch = tensor.name in candidate.ragged_inputs
        entry.optional = tensor.name in candidate.optional_inputs
    for tensor in template.outputs:
        _tensor(config.output.add(), tensor, values, template)
    if not candidate.is_sequence:
        _carried_states(config, candidate)
    kind = model_config_pb2.ModelInstanceGroup.Kind.Value(candidate.instance_kind)
    config.instance_group.add(count=candidate.instances, kind=kind)
    for name, value in values.items():
        config.parameters[name].string_value = parameter_text(value)
    _SCHEDULERS[candidate.name](config, candidate)
    if candidate.decoupled:
        config.model_transaction_policy.decoupled = True
    for size in candidate.warm_up_batch_sizes:
        _warm_up(config, size, candidate)
    _fits_model(candidate, template)
    refuse(config, release)
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
    entry.data_type = _type(tensor.data_type)
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


def _carried_states(config: Any, candidate: Candidate) -> None:
    """State tensors where no sequence batcher carries them: clients send and get them."""
    for state in candidate.states:
        for entries, name in (
            (config.input, state.input_name),
            (config.output, state.output_name),
        ):
            entries.add(name=name, data_type=_type(state.data_type), dims=state.dims)


def _dynamic(config: Any, candidate: Candidate) -> None:
    batching = config.dynamic_batching
    batching.SetInParent()
    batching.preferred_batch_size.extend(candidate.preferred_batch_sizes)
    batching.max_queue_delay_microseconds = candidate.max_queue_delay_microseconds or 0
    batching.preserve_ordering = candidate.preserve_ordering
    batching.priority_levels = candidate.priority_levels
    batching.default_priority_level = candidate.default_priority_level
    if candidate.queue_policy is not None:
        policy = candidate.queue_policy
        batching.default_queue_policy.timeout_action = QueuePolicy.TimeoutAction.Value(
            policy.timeout_action
        )
        batching.default_queue_policy.default_timeout_microseconds = (
            policy.default_timeout_microseconds
        )
        batching.default_queue_policy.max_queue_size = policy.max_queue_size


def _direct(config: Any, candidate: Candidate) -> None:
    direct = config.sequence_batching.direct
    direct.SetInParent()
    direct.max_queue_delay_microseconds = candidate.max_queue_delay_microseconds or 0
    direct.minimum_slot_utilization = candidate.minimum_slot_utilization or 0.0
    _sequence(config, candidate)


def _oldest(config: Any, candidate: Candidate) -> None:
    oldest = config.sequence_batching.oldest
    oldest.SetInParent()
    oldest.max_candidate_sequences = candidate.max_candidate_sequences or 0
    oldest.preferred_batch_size.extend(candidate.preferred_batch_sizes)
    oldest.max_queue_delay_microseconds = candidate.max_queue_delay_microseconds or 0
    oldest.preserve_ordering = candidate.preserve_ordering
    _sequence(config, candidate)


def _sequence(config: Any, candidate: Candidate) -> None:
    """What both strategies have: idle limit, control inputs, states."""
    batching = config.sequence_batching
    if candidate.max_sequence_idle_microseconds is not None:
        batching.max_sequence_idle_microseconds = candidate.max_sequence_idle_microseconds
    for control in controls_of(candidate):
        entry = batching.control_input.add(name=control.name).control.add(
            kind=Control.Kind.Value(f"CONTROL_SEQUENCE_{control.kind}")
        )
        if control.kind == "CORRID":
            entry.data_type = _type(control.data_type)
        else:
            getattr(entry, _FLAGS[control.data_type]).extend((0, 1))
    for state in candidate.states:
        _state(batching.state.add(), state)


def controls_of(candidate: Candidate) -> tuple[ControlInput, ...]:
    """A candidate's control inputs: its own, or those that its strategy needs."""
    if candidate.controls is not None:
        return candidate.controls
    numeric = candidate.correlation_id_type == "uint64"
    return default_controls(candidate.name, numeric_ids=numeric)


def _state(entry: Any, state: DeclaredState) -> None:
    entry.input_name = state.input_name
    entry.output_name = state.output_name
    entry.data_type = _type(state.data_type)
    entry.dims.extend(state.dims)
    if state.initial == "uninitialised":
        return
    initial = entry.initial_state.add(
        name=f"{state.input_name}_initial",
        data_type=entry.data_type,
        # Triton itself takes 1 for a variable dimension of a first state
        dims=[1 if dim == -1 else dim for dim in state.dims],
    )
    if state.initial == "file":
        initial.data_file = state.file or ""
    else:
        initial.zero_data = True


def _warm_up(config: Any, size: int, candidate: Candidate) -> None:
    """One sample of zeros; a sequence model's controls are inputs of it as well."""
    sample = config.model_warmup.add(name=f"zeros_{size}", batch_size=size)
    for tensor in config.input:
        if not tensor.optional:
            _zeros(sample.inputs[tensor.name], tensor.data_type, tensor.dims)
    if candidate.is_sequence:
        for control in controls_of(candidate):
            _zeros(sample.inputs[control.name], _type(control.data_type), (1,))


def _zeros(entry: Any, data_type: int, dims: Iterable[int]) -> None:
    entry.data_type = data_type
    entry.dims.extend(dims)
    entry.zero_data = True


def _type(name: str) -> int:
    """The number of a type in Triton's protocol, from its name in the inference protocol's."""
    spelled = data_type_name("BYTES" if name == "STRING" else name)
    return int(model_config_pb2.DataType.Value(spelled))


_SCHEDULERS: Final = {
    "no-batching": _no_batching,
    "dynamic": _dynamic,
    "sequence-direct": _direct,
    "sequence-oldest": _oldest,
}


def _fits_model(candidate: Candidate, template: Template) -> None:
    """The model's own limits, which Triton does not know."""
    if template.max_batch_size == 0:
        if candidate.max_batch_size:
            raise InputError(
                f"'{candidate.name}' of {candidate.model_name} has max_batch_size "
                f"{candidate.max_batch_size}.",
                why=f"The model '{template.name}' has no batch dimension.",
                next_step="Set max_batch_size to 0.",
                key="max_batch_size",
            )
    elif candidate.max_batch_size < 1:
        raise InputError(
            f"'{candidate.name}' of {candidate.model_name} has max_batch_size 0.",
            why="With 0 Triton forms no batches and the tensors have no batch dimension; "
            f"the template '{template.name}' has one.",
            next_step="Set max_batch_size to at least 1.",
            key="max_batch_size",
        )
    elif candidate.max_batch_size > template.max_batch_size:
        raise InputError(
            f"'{candidate.name}' of {candidate.model_name} has max_batch_size "
            f"{candidate.max_batch_size}.",
            why=f"The model of the template '{template.name}' takes at most "
            f"{template.max_batch_size} requests in one execution.",
            next_step=f"Set max_batch_size to at most {template.max_batch_size}.",
            key="max_batch_size",
        )
    taken = {tensor.name for tensor in template.inputs} & set(NAMES)
    taken |= {state.input_name for state in candidate.states} & set(NAMES)
    if candidate.is_sequence and taken:
        raise InputError(
            f"The template '{template.name}' has an input named {', '.join(sorted(taken))}.",
            why="Triton writes its control inputs under these names; a tensor listed as an input "
            "as well would have to come from every client.",
            next_step="Take it out of the inputs if it is the control input, or rename it.",
        )
