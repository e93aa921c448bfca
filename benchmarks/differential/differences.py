"""Files that the linter refuses although the server loads them, as ``docs/linter.md`` explains."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from hypothesis import strategies as st
from tritonclient.grpc import model_config_pb2

from benchmarks.differential.faults_scheduling import sequence_section
from benchmarks.differential.spelling import plain


def _empty(draw: Any, config: Any) -> str:
    return str(draw(st.sampled_from(("", "\n", "# nothing yet\n", " \t\r\n"))))


def _text_ids(draw: Any, config: Any) -> str:
    entry = sequence_section(config).control_input.add(name="ID")
    entry.control.add(
        kind=model_config_pb2.ModelSequenceBatching.Control.CONTROL_SEQUENCE_CORRID,
        data_type=model_config_pb2.TYPE_STRING,
    )
    return plain(config)


def _passive(draw: Any, config: Any) -> str:
    sequence_section(config)
    del config.instance_group[:]
    for passive in (False, True):
        config.instance_group.add(
            kind=model_config_pb2.ModelInstanceGroup.KIND_CPU, passive=passive
        )
    return plain(config)


DIFFERENCES: Final[dict[str, Callable[[Any, Any], str]]] = {
    "known: empty file": _empty,
    "known: text IDs": _text_ids,
    "known: passive group": _passive,
}
