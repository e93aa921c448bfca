"""Reading template.yaml: the shipped ones, and what is said of a wrong one."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from backend.contracts.errors import InputError
from backend.templates.reader import (
    TEMPLATES,
    check_parameters,
    list_templates,
    load_template,
    missing_requirements,
)

Change = Callable[[str, str], Path]


@pytest.fixture
def changed(tmp_path: Path) -> Change:
    """A root with a copy of the probe in which one piece of text is replaced."""

    def make(old: str, new: str) -> Path:
        folder = tmp_path / "session_probe"
        shutil.copytree(TEMPLATES / "session_probe", folder, dirs_exist_ok=True)
        text = (TEMPLATES / "session_probe" / "template.yaml").read_text()
        assert text.count(old) >= 1
        (folder / "template.yaml").write_text(text.replace(old, new, 1))
        return tmp_path

    return make


def _last_line_with(file: Path, text: str) -> int:
    lines = file.read_text().splitlines()
    return max(number for number, line in enumerate(lines, start=1) if text in line)


def test_the_templates_are_there_by_name():
    names = ["gru_stream", "magika", "session_probe", "silero_vad"]
    assert [t.name for t in list_templates()] == names


def test_the_probe_declares_what_sessions_need():
    probe = load_template("session_probe")
    assert probe.stateful
    assert probe.oracle == "hash_chain"
    assert probe.state_places == ("correlation_id", "slot")
    assert {t.name: (t.data_type, t.dims) for t in (*probe.inputs, *probe.outputs)} == {
        "CHUNK": ("UINT8", ("input_bytes",)),
        "STATE_BEFORE": ("UINT8", (16,)),
        "STATE_AFTER": ("UINT8", (16,)),
        "INSTANCE": ("BYTES", (1,)),
        "SEEN": ("INT64", (5,)),
    }
    assert probe.folder == TEMPLATES / "session_probe"


def test_the_detector_declares_its_tolerance_and_decision():
    silero = load_template("silero_vad")
    assert silero.rules[0].absolute == 0.001
    assert silero.decision is not None
    decision = silero.decision
    assert (decision.threshold, decision.positive, decision.negative) == (0.5, "speech", "silence")
    assert (decision.unit, decision.session, decision.stretch) == ("frame", "caller", "sentence")


def test_magika_is_stateless_and_judged_by_label():
    magika = load_template("magika")
    assert not magika.stateful
    assert magika.state_places == ("none",)
    assert magika.rules[0].label


def test_a_missing_template_lists_those_there_are_and_the_nearest():
    with pytest.raises(InputError) as caught:
        load_template("silero")
    assert "no model template 'silero'" in caught.value.what
    assert "magika, session_probe, silero_vad" in caught.value.why
    assert caught.value.next_step == "Did you mean 'silero_vad'?"


def test_a_name_cannot_lead_out_of_the_folder():
    with pytest.raises(InputError):
        load_template("../model_templates/magika")


def test_an_empty_folder_has_no_templates(tmp_path):
    assert list_templates(tmp_path) == ()
    with pytest.raises(InputError, match="none"):
        load_template("session_probe", tmp_path)


def test_a_changed_file_is_read_again(changed):
    root = changed("title: Session probe", "title: First")
    assert load_template("session_probe", root).title == "First"
    changed("title: Session probe", "title: Second title")
    assert load_template("session_probe", root).title == "Second title"


@pytest.mark.parametrize(
    ("old", "new", "at", "says"),
    [
        ("max_batch_size: 16", "max_batch_sise: 16", "max_batch_sise", "max_batch_size"),
        ("max_batch_size: 16", "max_batch_size: many", "max_batch_size", "'max_batch_size'"),
        ("    data_type: UINT8", "    data_typ: UINT8", "data_typ:", "data_type"),
        ("    data_type: UINT8", "    data_type: TYPE_UINT8", "TYPE_UINT8", "TYPE_UINT8"),
        ("title: Session probe\n", "", "name: session_probe", "'title' is missing"),
        ("name: session_probe", "name: probe", "name: probe", "folder 'session_probe'"),
        ("name: session_probe", "folder: /tmp\nname: session_probe", "folder:", "'folder'"),
        ("dims: [input_bytes]", "dims: [input_size]", "input_size", "'input_size'"),
        ("dims: [16]", "dims: [0]", "dims: [0]", "at least 1"),
        ("output: STATE_BEFORE", "output: STATES", "output: STATES", "no output 'STATES'"),
        ("  input: CHUNK", "  input: CHUNKS", "input: CHUNKS", "no input 'CHUNKS'"),
        ("default: 64", "default: 0", "default: 0", "default of 'input_bytes'"),
        ("requires: [numpy]", "requires: [numpy==1]", "requires", "'numpy==1'"),
        ("stateful: true", "stateful: false", "state_places", "stateful is false"),
        ("[correlation_id, slot]\noracle", "[slot]\noracle", "name: state_place", "offers"),
        ("  kind: generated", "  kind: clips", "samples:", "need a folder"),
        ("name: STATE_AFTER", "name: STATE_BEFORE", "name: STATE_BEFORE", "twice"),
    ],
)
def test_a_wrong_description_names_file_line_and_key(changed, old, new, at, says):
    root = changed(old, new)
    with pytest.raises(InputError) as caught:
        load_template("session_probe", root)
    error = caught.value
    assert error.file == root / "session_probe" / "template.yaml"
    assert says in error.text()
    assert error.line == _last_line_with(error.file, at)


def test_an_unknown_key_gets_the_nearest_right_one(changed):
    with pytest.raises(InputError, match="Did you mean 'state_places'"):
        load_template("session_probe", changed("state_places:", "state_place:"))


@pytest.mark.parametrize(
    ("text", "line"),
    [("name: [a\ntitle: b\n", 2), ("name: a\nname: b\n", 2), ("- just\n- a list\n", 1), ("", 1)],
)
def test_what_is_no_yaml_mapping_names_the_line(tmp_path, text, line):
    (tmp_path / "broken").mkdir()
    (tmp_path / "broken" / "template.yaml").write_text(text)
    with pytest.raises(InputError) as caught:
        load_template("broken", tmp_path)
    assert caught.value.line == line


def test_a_description_that_is_no_text_is_refused(tmp_path):
    (tmp_path / "broken").mkdir()
    (tmp_path / "broken" / "template.yaml").write_bytes(b"name: \xff\xfe")
    with pytest.raises(InputError, match="UTF-8"):
        load_template("broken", tmp_path)


def test_a_template_without_its_model_is_refused(changed):
    root = changed("Session probe", "Session probe")
    (root / "session_probe" / "1" / "model.py").unlink()
    with pytest.raises(InputError, match=r"1/model\.py is missing"):
        load_template("session_probe", root)


def test_chosen_parameters_stand_over_the_defaults():
    probe = load_template("session_probe")
    assert check_parameters(probe, {"service_ms": 2.5, "state_place": "slot"}) == {
        "state_place": "slot",
        "fault": "none",
        "service_ms": 2.5,
        "service_ms_per_item": 0,
        "input_bytes": 64,
    }
    assert check_parameters(load_template("magika"), {}) == {}


@pytest.mark.parametrize(
    ("chosen", "says"),
    [
        ({"sevice_ms": 1}, "Did you mean 'service_ms'?"),
        ({"service_ms": -1}, "a number from 0 to 60000 ms"),
        ({"service_ms": float("nan")}, "a number from 0 to 60000 ms"),
        ({"service_ms": "2"}, "a number from 0 to 60000 ms"),
        ({"input_bytes": 1.5}, "a whole number from 1 to 1048576 bytes"),
        ({"input_bytes": True}, "a whole number from 1 to 1048576 bytes"),
        ({"input_bytes": 2_000_000}, "a whole number from 1 to 1048576 bytes"),
        ({"state_place": "slots"}, "correlation_id or slot"),
        ({"state_place": "slots"}, "Did you mean 'slot'?"),
    ],
)
def test_a_wrong_parameter_names_itself_and_what_is_allowed(chosen, says):
    with pytest.raises(InputError) as caught:
        check_parameters(load_template("session_probe"), chosen)
    assert says in caught.value.text()
    assert caught.value.key == next(iter(chosen))


def test_missing_packages_are_named_as_pip_names_them():
    magika = load_template("magika")
    other = magika.model_copy(update={"requires": ("numpy", "no-such-package-of-ours")})
    assert missing_requirements(other) == ("no-such-package-of-ours",)
