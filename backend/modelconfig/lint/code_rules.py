"""Whether a configuration fits the Python model that it serves."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from backend.modelconfig.lint.refused_scheduling import dynamic, sequence
from backend.modelconfig.lint.release import Release
from backend.modelconfig.lint.rule import Context, Hit, LintRule

_INPUT: Final = "Triton python_backend, README.md, execute; pb_utils.get_input_tensor_by_name"
_OUTPUT: Final = "Triton python_backend, README.md, execute; pb_utils.InferenceResponse"


def _controls(context: Context) -> dict[str, int]:
    section = sequence(context)
    entries = section.control_input if section is not None else ()
    return {entry.name: index for index, entry in enumerate(entries)}


def _states(context: Context) -> tuple[set[str], set[str]]:
    section = sequence(context)
    entries = section.state if section is not None else ()
    return {s.input_name for s in entries}, {s.output_name for s in entries}


def _reads_undeclared(context: Context) -> Iterator[Hit]:
    code = context.code
    if code is None:
        return
    known = {entry.name for entry in context.config.input}
    known |= {entry.target_name[0] for entry in context.config.batch_input if entry.target_name}
    known |= set(_controls(context)) | _states(context)[0]
    for name, line in code.inputs:
        if name not in known:
            yield Hit(
                "sequence_batching" if sequence(context) is not None else "",
                f"The model reads the tensor '{name}' ({code.file}, line {line}), which is neither "
                "an input nor a control input here.",
                "It gets None, and every request fails or is served without it.",
                f"Declare '{name}' as an input, or as a control input if it tells START, END, "
                "READY or the correlation ID.",
            )


def _writes_undeclared(context: Context) -> Iterator[Hit]:
    code = context.code
    if code is None or not context.config.output:
        return
    known = {entry.name for entry in context.config.output} | _states(context)[1]
    for name, line in code.outputs:
        if name not in known:
            yield Hit(
                "output[0]",
                f"The model makes the tensor '{name}' ({code.file}, line {line}), which is no "
                "output here.",
                "A response that holds it is refused: the request fails.",
                f"Declare '{name}' as an output.",
            )


def _never_written(context: Context) -> Iterator[Hit]:
    code = context.code
    if code is None or not code.complete_outputs:
        return
    made = {name for name, _ in code.outputs}
    for index, entry in enumerate(context.config.output):
        if entry.name and entry.name not in made:
            yield Hit(
                f"output[{index}]",
                f"The model never makes the output '{entry.name}' ({code.file}).",
                "A client that asks for it gets an error.",
                "Leave it out, or let the model make it.",
            )


def _never_read(context: Context) -> Iterator[Hit]:
    code = context.code
    if code is None or not code.complete_inputs:
        return
    read = {name for name, _ in code.inputs}
    for name, index in _controls(context).items():
        if name and name not in read:
            yield Hit(
                f"sequence_batching.control_input[{index}]",
                f"The model never reads the control input '{name}' ({code.file}).",
                "It is told something that it does not heed.",
                "Leave it out, or let the model read it.",
            )


def _fault(context: Context) -> Iterator[Hit]:
    if context.code is not None and context.code.fault:
        yield Hit(
            "",
            context.code.fault,
            "Where Triton's Python cannot read it either, the model is refused. What the file "
            "declares is not compared with what the model uses.",
            "Correct the model's source.",
        )


def _auto_complete(context: Context) -> Iterator[Hit]:
    code = context.code
    if code is not None and code.sets_dynamic_batching and sequence(context) is not None:
        yield Hit(
            "sequence_batching",
            f"The model's auto_complete_config sets the dynamic batcher ({code.file}).",
            "With auto-completion on, the model is refused: the file has chosen sequence_batching.",
            "Leave set_dynamic_batching out of the model.",
        )


def _mixed(context: Context) -> Iterator[Hit]:
    code = context.code
    if code is None or dynamic(context) is None:
        return
    read = [
        words
        for words, used in (
            ("the correlation ID", code.reads_correlation_id),
            ("the flags START and END", code.reads_flags),
        )
        if used
    ]
    if read:
        yield Hit(
            "dynamic_batching",
            f"The model reads {' and '.join(read)} of its requests ({code.file}).",
            "The dynamic batcher heeds neither: requests of one session are merged, run in any "
            "order and on any instance, each with a memory of its own.",
            "Write sequence_batching if the model keeps anything between requests.",
        )


def _reschedules(context: Context) -> Iterator[Hit]:
    code, section = context.code, sequence(context)
    if code is None or not code.sets_reschedule:
        return
    if section is None or not section.iterative_sequence:
        yield Hit(
            "sequence_batching" if section is not None else "",
            f"The model sets the release flags of its requests ({code.file}), and the sequences "
            "are not iterative.",
            "A request that is rescheduled is refused inside the server: the log says so, and the "
            "client gets no answer (seen on 24.10).",
            "Write iterative_sequence: true in sequence_batching.",
        )


RULES: Final = (
    LintRule("code-session-mixed", "warning", "The model reads sessions, and the dynamic batcher "
             "mixes them", "Triton server, docs/user_guide/architecture.md, Stateful Models",
             _mixed),
    LintRule("code-reschedules", "warning", "Rescheduling without iterative sequences",
             "Triton server, docs/user_guide/decoupled_models.md; core, "
             "src/infer_request.cc, InferenceRequest::Release", _reschedules,
             since=Release(23, 11)),
    LintRule("code-input-undeclared", "error", "The model reads a tensor that is not declared",
             _INPUT, _reads_undeclared),
    LintRule("code-output-undeclared", "error", "The model makes a tensor that is not declared",
             _OUTPUT, _writes_undeclared),
    LintRule("code-output-missing", "warning", "A declared output that the model never makes",
             _OUTPUT, _never_written),
    LintRule("code-control-unread", "info", "A control input that the model never reads", _INPUT,
             _never_read),
    LintRule("code-unreadable", "warning", "A model's source that is no Python",
             "Triton python_backend, src/pb_stub.cc, ModelContext::StubSetup", _fault),
    LintRule("code-sets-dynamic", "error", "The model asks for the dynamic batcher",
             "Triton python_backend, README.md, auto_complete_config", _auto_complete),
)  # fmt: skip
