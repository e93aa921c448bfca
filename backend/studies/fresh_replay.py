"""Each session alone on an instance that nobody has used: what it gets with no past at all.

The model is loaded anew for every session, so that what one session leaves behind, in a slot, a
table or a variable, cannot reach the reference of the next.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from itertools import count
from typing import Final

import numpy as np
import pyarrow as pa

from backend.contracts.errors import ServerFailed
from backend.load.closed_loop import send
from backend.load.replies import decode
from backend.modelconfig.text import candidate_text
from backend.runtime.control import ModelControl
from backend.runtime.embedded import EmbeddedServer
from backend.runtime.repository import assemble
from backend.sessions.plan import Plan
from backend.sessions.planning import make_reference_plan
from backend.studies.preparation import PreparedClass
from backend.studies.reference import reference_candidate
from backend.studies.serving import REPLY_TIMEOUT_S, interface_of

COPIES: Final = 6
"""Models by turns: an instance takes a second to end, in which the next one is loaded."""


def replay_fresh(
    server: EmbeddedServer,
    control: ModelControl,
    prepared: PreparedClass,
    plan: Plan,
    *,
    stop: Callable[[], bool],
) -> pa.Table:
    """The replies of every session of a plan, each alone on a freshly loaded instance.

    Args:
        server: A running server.
        control: Loads and unloads on it.
        prepared: The class.
        plan: Its plan; gaps and the order of an interleaved run are left out.
        stop: Says whether the user wants it ended.

    Raises:
        ModelLoadFailed: if Triton refuses the model.
        ServerFailed: if a request is not answered.
    """
    alone = make_reference_plan(plan)
    inputs = prepared.inputs(alone)
    sessions = np.asarray(alone.table["session"])
    found, used = [], set()
    for number in count():
        rows = np.flatnonzero(sessions == number)
        if not len(rows) or stop():
            break
        candidate = reference_candidate(prepared)
        name = f"{candidate.model_name}_alone_{number % COPIES}"
        if name in used:
            control.wait_unloaded(name)
        used.add(name)
        candidate = candidate.model_copy(update={"model_name": name})
        assemble(
            server.repository, name, prepared.template, candidate_text(candidate, prepared.template)
        )
        control.load(name)
        try:
            part = replace(alone, table=alone.table.take(rows))
            model = interface_of(prepared, candidate)
            sent = send(
                part,
                [inputs[row] for row in rows],
                model,
                server.endpoints.grpc,
                stop=stop,
                reply_timeout_s=REPLY_TIMEOUT_S,
            )
            if sent.count("ok") < len(rows) and not stop():
                told = "; ".join(dict.fromkeys(error for error in sent.errors if error))
                raise ServerFailed(
                    f"Session {number} of class '{prepared.item.name}' could not be replayed "
                    "alone.",
                    why=told,
                    next_step="See server.log in the run directory.",
                )
            found.append(decode(sent, model))
        finally:
            if server.is_alive():
                control.begin_unload(name)
    for name in sorted(used):
        control.wait_unloaded(name)
    return pa.concat_tables(found)
