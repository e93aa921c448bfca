"""Raw input tensors of a plan, byte for byte."""

from __future__ import annotations

import struct
from dataclasses import replace

import numpy as np
import pytest

from backend.contracts.errors import InputError
from backend.sessions.inputs import input_bytes
from backend.sessions.planning import make_plan
from backend.templates.samples import Sample
from backend.templates.template import Samples, Tensor
from backend.workload.answers import Answers

INDEPENDENT = Answers(relation="independent", state_kind="none")


def test_generated_inputs_are_those_in_the_plan(study_of, probe, cell_of) -> None:
    study = study_of()
    plan = make_plan(study, study.classes[0], probe, (), cell_of())
    assert input_bytes(plan, probe, ()) == plan.table["input"].to_pylist()


def test_clips_give_the_named_row_little_endian(study_of, detector_of, cell_of) -> None:
    # element k of row r is 10 r + k, stored big-endian: the bytes on the wire are little-endian
    array = (np.arange(5)[:, None] * 10 + np.arange(4)).astype(">f4")
    study = study_of(sessions=2)
    template, samples = detector_of(), (Sample(name="a", array=array),)
    plan = make_plan(study, study.classes[0], template, samples, cell_of())
    rows = plan.table["sample_row"].to_pylist()
    assert input_bytes(plan, template, samples) == [
        struct.pack("<4f", *(10 * row + k for k in range(4))) for row in rows
    ]


def test_text_items_are_preceded_by_their_length(study_of, detector_of, cell_of) -> None:
    template = detector_of(
        inputs=(Tensor(name="TEXT", data_type="BYTES", dims=(2,)),),
        samples=Samples(kind="items", input="TEXT", folder="samples"),
    )
    samples = (Sample(name="a", array=np.array(["hé", ""])),)
    study = study_of(answers=INDEPENDENT, mixes={}, sessions=2)
    plan = make_plan(study, study.classes[0], template, samples, cell_of(mix="single"))
    assert input_bytes(plan, template, samples) == [b"\x03\0\0\0h\xc3\xa9\0\0\0\0"] * 2


def test_samples_that_are_gone_are_named(study_of, detector_of, cell_of) -> None:
    template = detector_of()
    samples = (Sample(name="a", array=np.zeros((3, 4), np.float32)),)
    study = study_of()
    plan = make_plan(study, study.classes[0], template, samples, cell_of())
    with pytest.raises(InputError, match="sample 'a'"):
        input_bytes(plan, template, (replace(samples[0], name="b"),))
    with pytest.raises(InputError, match="has 1"):
        input_bytes(plan, template, (Sample(name="a", array=np.zeros((1, 4), np.float32)),))


def test_numbers_of_another_kind_are_refused(study_of, detector_of, cell_of) -> None:
    template = detector_of(inputs=(Tensor(name="FRAME", data_type="INT32", dims=(4,)),))
    samples = (Sample(name="a", array=np.zeros((3, 4), np.float32)),)
    study = study_of()
    plan = make_plan(study, study.classes[0], template, samples, cell_of())
    with pytest.raises(InputError, match="float32 where the model takes INT32"):
        input_bytes(plan, template, samples)
