"""A rule's smallest failing file and its fixed twin; ``»`` marks where the finding belongs."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

MARK = "»"

IO = (
    'input [ { name: "X" data_type: TYPE_FP32 dims: [ 1 ] } ]\n'
    'output [ { name: "Y" data_type: TYPE_FP32 dims: [ 1 ] } ]\n'
)
"""Tensors of a model, for rules that need some."""

LABELLED = (
    'output [ { name: "Y" data_type: TYPE_FP32 dims: [ 1 ] label_filename: "labels.txt" } ]\n'
)

CONTROLS = (
    'control_input [ { name: "START" control [ '
    "{ kind: CONTROL_SEQUENCE_START int32_false_true: [ 0, 1 ] } ] } ]\n"
)


@dataclass(frozen=True)
class Case:
    """``known``: further arguments of ``lint_text``, such as the release."""

    failing: str
    fixed: str
    known: dict[str, Any] = field(default_factory=dict)

    @property
    def text(self) -> str:
        return self.failing.replace(MARK, "")

    @property
    def place(self) -> tuple[int, int]:
        before = self.failing[: self.failing.index(MARK)]
        return before.count("\n") + 1, len(before) - (before.rfind("\n") + 1) + 1


def sequence(inner: str, top: str = "max_batch_size: 4\n") -> str:
    return f"{top}sequence_batching {{\n{inner}\n}}\n"


def control(inner: str) -> str:
    """One control input named C; its control on a line of its own."""
    return sequence(f'control_input [ {{ name: "C" control [\n{inner}\n] }} ]')


def state(inner: str) -> str:
    """One state named S of one FP32; what is given stands on a line of its own."""
    return sequence(
        'state [ { input_name: "S" output_name: "T" data_type: TYPE_FP32 dims: [ 1 ]\n'
        f"{inner}\n}} ]"
    )


def tensor(inner: str, top: str = "") -> str:
    return f"{top}input [\n{inner}\n]\n"


def dynamic(inner: str, top: str = "max_batch_size: 4\n") -> str:
    return f"{top}dynamic_batching {{\n{inner}\n}}\n"


def group(inner: str, top: str = "") -> str:
    return f"{top}instance_group [\n{inner}\n]\n"
