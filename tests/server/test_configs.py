"""Every candidate of every template on a real Triton (M09 to M11): loaded, with the meant effect.

Also the other way round: what the console refuses before a load, Triton refuses too.
"""

from __future__ import annotations

from pathlib import Path

import pytest

pytest.importorskip("pytriton", reason="install nvidia-pytriton==0.7.0 (Linux x86-64)")

from backend.contracts.errors import InputError, ModelLoadFailed
from backend.modelconfig.build import build
from backend.modelconfig.candidate import Candidate
from backend.modelconfig.effective import same_effect
from backend.modelconfig.parse import parse
from backend.modelconfig.propose import propose_candidate
from backend.modelconfig.refusals import refuse
from backend.modelconfig.text import candidate_text, to_text
from backend.runtime.embedded import EmbeddedServer
from backend.runtime.repository import assemble
from backend.templates.reader import list_templates, load_template
from backend.workload.answers import Answers, CorrelationId
from backend.workload.study import (
    CANDIDATE_NAMES,
    CandidateChoice,
    ModelChoice,
    TrafficClass,
    Workload,
)

pytestmark = pytest.mark.long

TEMPLATES = [template.name for template in list_templates()]


def propose(
    template: str, name: str, *, ids: str = "uint64", instances: int = 1, **given: object
) -> Candidate:
    item = TrafficClass(
        name=f"class_{template}",
        workload=Workload(answers=Answers(correlation_id=CorrelationId(type=ids))),
        model=ModelChoice(template=template),
    )
    choice = CandidateChoice(name=name, **given)
    return propose_candidate(item, choice, instances, 8, load_template(template))


def loaded_differences(server: EmbeddedServer, candidate: Candidate) -> tuple[object, ...]:
    template = load_template(candidate.template)
    name = candidate.model_name
    assemble(server.repository, name, template, candidate_text(candidate, template))
    control = server.control()
    control.load(name)
    try:
        return same_effect(build(candidate, template), control.model_config(name))
    finally:
        control.unload(name)


@pytest.mark.parametrize("name", CANDIDATE_NAMES)
@pytest.mark.parametrize("template", TEMPLATES)
def test_a_proposed_candidate_loads_and_the_server_holds_what_was_meant(
    template: str, name: str, triton: EmbeddedServer
) -> None:
    assert loaded_differences(triton, propose(template, name, instances=2)) == ()


TUNED = {
    "oldest with text ids": ("sequence-oldest", {"ids": "string"}),
    "oldest with everything set": (
        "sequence-oldest",
        {
            "max_batch_size": 4,
            "preferred_batch_sizes": (2, 4),
            "max_queue_delay_microseconds": 1500,
            "max_candidate_sequences": 12,
            "max_sequence_idle_microseconds": 1_234_567,
        },
    ),
    "direct that waits": (
        "sequence-direct",
        {"max_queue_delay_microseconds": 2000, "minimum_slot_utilization": 0.75},
    ),
    "dynamic that waits": (
        "dynamic",
        {"preferred_batch_sizes": (4, 8), "max_queue_delay_microseconds": 2000},
    ),
    "one request per batch": ("dynamic", {"max_batch_size": 1}),
}


@pytest.mark.parametrize("case", TUNED.values(), ids=TUNED.keys())
def test_the_studys_own_values_reach_the_server(
    case: tuple[str, dict[str, object]], triton: EmbeddedServer
) -> None:
    name, given = case
    candidate = propose("session_probe", name, **given)
    assert loaded_differences(triton, candidate) == ()


# changes to a good configuration that make Triton refuse it, or end the model
REFUSED = {
    "preferred above the largest": lambda c: c.dynamic_batching.preferred_batch_size.append(99),
    "preferred of nothing": lambda c: c.dynamic_batching.preferred_batch_size.append(0),
    "negative batch size": lambda c: setattr(c, "max_batch_size", -1),
    "GPUs for the CPU": lambda c: c.instance_group[0].gpus.append(0),
    "a priority without a level": lambda c: setattr(c.dynamic_batching, "priority_levels", 2),
    "a tensor of no size": lambda c: c.input[0].dims.append(0),
    "a share above the whole": lambda c: setattr(
        c.sequence_batching.direct, "minimum_slot_utilization", 1.5
    ),
    "a control without values": lambda c: c.sequence_batching.control_input.add(
        name="S"
    ).control.add(),
    "a cache for sessions": lambda c: (
        c.sequence_batching.direct.SetInParent(),
        setattr(c.response_cache, "enable", True),
    ),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_the_console_refuses_triton_refuses_too(case: str, triton: EmbeddedServer) -> None:
    template = load_template("session_probe")
    config = build(propose("session_probe", "no-batching"), template)
    config.name = "broken"
    config.max_batch_size = 4
    REFUSED[case](config)
    with pytest.raises(InputError):
        refuse(config)
    text = to_text(config)
    assert parse(text) == config
    assemble(triton.repository, "broken", template, text)
    with pytest.raises(ModelLoadFailed):
        triton.control().load("broken")
    assert triton.is_alive()


@pytest.mark.parametrize(
    "text",
    [
        "dynamic_batching { } sequence_batching { }",
        "sequence_batching { direct { } oldest { } }",
        "max_bach_size: 4",
        "max_batch_size: 1 max_batch_size: 2",
    ],
)
def test_what_cannot_be_parsed_here_cannot_be_there(
    text: str, triton: EmbeddedServer, tmp_path: Path
) -> None:
    template = load_template("session_probe")
    good = build(propose("session_probe", "no-batching"), template)
    good.name = "unread"
    good.ClearField("max_batch_size")
    whole = to_text(good) + text + "\n"
    with pytest.raises(InputError):
        parse(whole)
    assemble(triton.repository, "unread", template, whole)
    with pytest.raises(ModelLoadFailed):
        triton.control().load("unread")
    assert triton.is_alive()
