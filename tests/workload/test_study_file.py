"""Study files (M44): every fault is named with file, line and key, and the nearest right key."""

from __future__ import annotations

from pathlib import Path

import pytest

from backend.contracts.errors import InputError
from backend.workload.answers import Answers, CorrelationId, Lifecycle, Serving
from backend.workload.declared_model import DeclaredModel, DeclaredState, DeclaredTensor
from backend.workload.demand import Demand
from backend.workload.study import (
    CandidateChoice,
    Matrix,
    ModelChoice,
    Study,
    TrafficClass,
    Workload,
)
from backend.workload.study_file import (
    load_source,
    load_study,
    source_from_text,
    study_from_text,
    study_to_yaml,
)
from backend.workload.traffic import Gaps, LengthGroup, Objectives, Traffic

GOOD = """\
schema: 1
name: captions
matrix:
  instances: [1, 2]
  concurrency: [4]
  mix: [short]
classes:
  - name: live
    workload:
      answers:
        relation: parts_of_a_session
        order_matters: yes
      traffic:
        sessions: 8
        mixes:
          short:
            - {group: brief, share: 0.5, steps: [2, 4]}
            - {group: lengthy, share: 0.5, steps: [5, 9]}
    model:
      template: session_probe
      parameters: {service_ms: 1}
    candidates:
      - sequence-oldest
      - {name: dynamic, max_batch_size: 4}
"""

DECLARED = (
    "{max_batch_size: 8, inputs: [{name: X, data_type: FP32, dims: [80]}], "
    "outputs: [{name: Y, data_type: FP32, dims: [5]}]}"
)


def changed(old: str, new: str) -> str:
    assert GOOD.count(old) == 1, old
    return GOOD.replace(old, new)


def refused(text: str) -> InputError:
    with pytest.raises(InputError) as caught:
        study_from_text(text, file="s.yaml")
    return caught.value


def test_a_study_is_read_with_its_own_values_and_defaults_for_the_rest() -> None:
    study = study_from_text(GOOD)
    item = study.class_named("live")
    assert study.rounds == 3
    assert item.workload.answers.order_matters == "yes"
    assert item.workload.traffic.mixes["short"][1] == LengthGroup(
        group="lengthy", share=0.5, steps=(5, 9)
    )
    assert item.candidates == (
        CandidateChoice(name="sequence-oldest"),
        CandidateChoice(name="dynamic", max_batch_size=4),
    )
    assert [cell.name for cell in study.cells(item)] == [
        "instances=1,concurrency=4,mix=short",
        "instances=2,concurrency=4,mix=short",
    ]


# what is wrong, the faulty text, line, key, words of the message, words of the remedy
FAULTS = {
    "unknown key": (
        changed("sessions: 8", "sesions: 8"),
        14,
        "classes[0].workload.traffic.sesions",
        "Unknown key 'sesions' in classes[0].workload.traffic",
        "Did you mean 'sessions'?",
    ),
    "known key in the wrong place": (
        changed("    model:", "    gaps: {kind: none}\n    model:"),
        19,
        "classes[0].gaps",
        "Unknown key 'gaps' in classes[0]",
        "belongs in classes[].workload.traffic",
    ),
    "unknown key like none": (
        changed("name: captions", "name: captions\nxyzzy: 1"),
        3,
        "xyzzy",
        "Unknown key 'xyzzy' in the file",
        "Known keys here: schema, name",
    ),
    "text for a number": (
        changed("sessions: 8", "sessions: eight"),
        14,
        "classes[0].workload.traffic.sessions",
        "sessions is 'eight'",
        "must be a whole number",
    ),
    "fraction for a count": (
        changed("sessions: 8", "sessions: 8.5"),
        14,
        "classes[0].workload.traffic.sessions",
        "sessions is 8.5",
        "must be a whole number",
    ),
    "number for text": (
        changed("matrix:", "triton_release: 24.10\nmatrix:"),
        3,
        "triton_release",
        "triton_release is 24.10",
        'write "24.10" with the quotes',
    ),
    "zero sessions": (
        changed("sessions: 8", "sessions: 0"),
        14,
        "classes[0].workload.traffic.sessions",
        "sessions is 0",
        "must be at least 1",
    ),
    "shares that do not give 1": (
        changed("share: 0.5, steps: [5, 9]", "share: 0.4, steps: [5, 9]"),
        16,
        "classes[0].workload.traffic.mixes.short",
        "the shares of the mix add up to 0.9; they must give 1",
        "line 16",
    ),
    "a length group called all": (
        changed(
            "group: lengthy, share: 0.5, steps: [5, 9]", "group: all, share: 0.5, steps: [5, 9]"
        ),
        18,
        "classes[0].workload.traffic.mixes.short[1].group",
        "a length group cannot be called 'all'",
        "line 18",
    ),
    "steps reversed": (
        changed("steps: [5, 9]", "steps: [9, 5]"),
        18,
        "classes[0].workload.traffic.mixes.short[1].steps",
        "steps [9, 5]: the first number must not be larger",
        "line 18",
    ),
    "steps of zero": (
        changed("steps: [2, 4]", "steps: [0, 4]"),
        17,
        "classes[0].workload.traffic.mixes.short[0].steps[0]",
        "steps[0] is 0",
        "must be at least 1",
    ),
    "one step count": (
        changed("steps: [2, 4]", "steps: [4]"),
        17,
        "classes[0].workload.traffic.mixes.short[0].steps[1]",
        "has 1 entry; it needs two",
        "[5, 20]",
    ),
    "a length group twice": (
        changed("group: lengthy", "group: brief"),
        18,
        "classes[0].workload.traffic.mixes.short[1]",
        "the mix names the length group 'brief' twice",
        "line 18",
    ),
    "a mix without groups": (
        changed(
            "          short:\n            - {group: brief, share: 0.5, steps: [2, 4]}\n"
            "            - {group: lengthy, share: 0.5, steps: [5, 9]}",
            "          short: []",
        ),
        16,
        "classes[0].workload.traffic.mixes.short",
        "has no length group",
        "line 16",
    ),
    "a mix that no class has": (
        changed("mix: [short]", "mix: [short, long]"),
        6,
        "matrix.mix[1]",
        "matrix.mix names 'long', which no class defines; defined: short",
        "line 6",
    ),
    "a mix with an unfit name": (
        changed("          short:", "          Short one:"),
        16,
        "classes[0].workload.traffic.mixes.Short one",
        "The name 'Short one'",
        "lower-case letters",
    ),
    "a misspelt answer": (
        changed("relation: parts_of_a_session", "relation: parts_of_sesion"),
        11,
        "classes[0].workload.answers.relation",
        "relation is 'parts_of_sesion'",
        "Did you mean 'parts_of_a_session'?",
    ),
    "a switch for yes": (
        changed("order_matters: yes", "order_matters: true"),
        12,
        "classes[0].workload.answers.order_matters",
        "order_matters is the YAML switch 'true'",
        "Write yes",
    ),
    "a misspelt candidate": (
        changed("- sequence-oldest", "- sequence-odlest"),
        23,
        "classes[0].candidates[0]",
        "candidates[0] is 'sequence-odlest'",
        "Did you mean 'sequence-oldest'?",
    ),
    "a candidate twice": (
        changed("- sequence-oldest", "- dynamic"),
        24,
        "classes[0].candidates[1]",
        "the class names the candidate 'dynamic' twice",
        "line 24",
    ),
    "a value that the candidate has no field for": (
        changed(
            "{name: dynamic, max_batch_size: 4}", "{name: dynamic, max_candidate_sequences: 4}"
        ),
        24,
        "classes[0].candidates[1].max_candidate_sequences",
        "'dynamic' has no max_candidate_sequences",
        "line 24",
    ),
    "a preferred size above the largest": (
        changed("max_batch_size: 4}", "max_batch_size: 4, preferred_batch_sizes: [2, 8]}"),
        24,
        "classes[0].candidates[1].preferred_batch_sizes[1]",
        "a preferred batch size of 8 is above max_batch_size 4",
        "line 24",
    ),
    "no template": (
        changed("      template: session_probe\n", ""),
        19,
        "classes[0].model",
        "has neither a template nor declared tensors",
        "Add 'template'",
    ),
    "a template and declared tensors": (
        changed("      parameters: {service_ms: 1}", f"      declared: {DECLARED}"),
        20,
        "classes[0].model.template",
        "has no template",
        "Remove 'template', or 'declared'",
    ),
    "parameters of declared tensors": (
        changed("      template: session_probe\n", f"      declared: {DECLARED}\n"),
        21,
        "classes[0].model.parameters",
        "has no parameters",
        "Remove 'parameters'",
    ),
    "a dimension that cannot be": (
        changed(
            "      template: session_probe\n      parameters: {service_ms: 1}",
            f"      declared: {DECLARED.replace('[80]', '[-1, 0]')}",
        ),
        20,
        "classes[0].model.declared.inputs[0].dims[1]",
        "a dimension is 0; it is at least 1, or -1",
        "batch dimension is left out",
    ),
    "a tensor's type as Triton's file has it": (
        changed(
            "      template: session_probe\n      parameters: {service_ms: 1}",
            f"      declared: {DECLARED.replace('FP32', 'TYPE_FP32', 1)}",
        ),
        20,
        "classes[0].model.declared.inputs[0].data_type",
        "data_type is 'TYPE_FP32'",
        "Did you mean 'FP32'?",
    ),
    "a parameter that is a list": (
        changed("{service_ms: 1}", "{service_ms: [1]}"),
        21,
        "classes[0].model.parameters.service_ms",
        "service_ms is a list",
        "must be a number or text",
    ),
    "a parameter without a value": (
        changed("{service_ms: 1}", "{service_ms: }"),
        21,
        "classes[0].model.parameters.service_ms",
        "service_ms is empty",
        "must be a number or text",
    ),
    "a study name in capitals": (
        changed("name: captions", "name: Captions"),
        2,
        "name",
        "name is 'Captions'",
        "lower-case letters, digits and hyphens",
    ),
    "a class name with a hyphen": (
        changed("name: live", "name: live-one"),
        8,
        "classes[0].name",
        "classes[0].name is 'live-one'",
        "lower-case letters, digits and underscores",
    ),
    "a cell twice": (
        changed("instances: [1, 2]", "instances: [2, 2]"),
        4,
        "matrix.instances[1]",
        "the list names 2 twice",
        "line 4",
    ),
    "no cell": (
        changed("instances: [1, 2]", "instances: []"),
        4,
        "matrix.instances",
        "matrix.instances has 0 entries",
        "at least 1",
    ),
    "more requests than can be planned": (
        changed("steps: [5, 9]", "steps: [5, 1000000]"),
        14,
        "classes[0].workload.traffic.sessions",
        "may be more than 5000000 requests in one cell",
        "line 14",
    ),
    "a mean for no gaps": (
        changed(
            "        sessions: 8", "        gaps: {kind: none, mean_ms: 5}\n        sessions: 8"
        ),
        14,
        "classes[0].workload.traffic.gaps.mean_ms",
        "have no mean",
        "line 14",
    ),
    "a number that is none": (
        changed(
            "        sessions: 8", "        gaps: {kind: fixed, mean_ms: .inf}\n        sessions: 8"
        ),
        14,
        "classes[0].workload.traffic.gaps.mean_ms",
        "'.inf' is not a finite number",
        "Write a number",
    ),
    "a key twice": (
        changed("sessions: 8", "sessions: 8\n        sessions: 9"),
        15,
        "classes[0].workload.traffic.sessions",
        "The key 'sessions' stands here twice; it was first on line 14",
        "Keep one",
    ),
    "two classes of one name": (
        GOOD + "  - name: live\n    model: {template: session_probe}\n",
        25,
        "classes[1].name",
        "two classes have the name 'live'",
        "line 25",
    ),
    "a list where a mapping belongs": (
        changed(
            "matrix:\n  instances: [1, 2]\n  concurrency: [4]\n  mix: [short]",
            "matrix: [1, 2]",
        ),
        3,
        "matrix",
        "matrix is a list",
        "must be a mapping",
    ),
    "a text where a list belongs": (
        changed("instances: [1, 2]", "instances: 2"),
        4,
        "matrix.instances",
        "matrix.instances is 2",
        "must be a list",
    ),
    "a tag": (
        changed("name: live", "name: !!python/object:os.system live"),
        8,
        "classes[0].name",
        "the tag '!!python/object:os.system'",
        "Remove it",
    ),
    "a merge key": (
        changed("      parameters:", "      <<: {template: other}\n      parameters:"),
        21,
        "classes[0].model",
        "the merge key '<<'",
        "Write the keys out",
    ),
    "another schema": (
        changed("schema: 1", "schema: 2"),
        1,
        "schema",
        "schema is 2",
        "'schema: 1'",
    ),
    "no schema": (
        changed("schema: 1\n", ""),
        1,
        "schema",
        "does not say its schema",
        "Put 'schema: 1' first",
    ),
}


@pytest.mark.parametrize("case", FAULTS.values(), ids=FAULTS.keys())
def test_a_fault_names_line_key_and_remedy(case: tuple[str, int, str, str, str]) -> None:
    text, line, key, what, remedy = case
    error = refused(text)
    assert error.what.startswith(f"s.yaml:{line}: "), error.text()
    assert (error.line, error.key) == (line, key)
    assert what.lower() in error.what.lower(), error.what
    assert remedy in error.next_step, error.next_step


def test_all_faults_of_a_file_are_listed_in_its_order() -> None:
    text = changed("name: captions", "name: Captions").replace("sessions: 8", "sessions: 0")
    error = refused(text.replace("instances: [1, 2]", "instances: [0]"))
    assert error.line == 2
    others = error.why.splitlines()
    assert others[0] == "2 more in this file:"
    assert others[1].startswith("s.yaml:4: matrix.instances[0] is 0. It must be at least 1.")
    assert others[2].startswith("s.yaml:14: ")


def test_a_list_with_one_wrong_entry_is_not_called_empty() -> None:
    error = refused(changed("sessions: 8", "sessions: 0"))
    assert "entries" not in error.text()


NOT_YAML = {
    "unclosed list": ("schema: 1\nname: [a\n", 2),
    "a tab": ("schema: 1\nmatrix:\n\tinstances: [1]\n", 3),
    "two values on a line": ("schema: 1\nname: a: b\n", 2),
    "an alias of nothing": ("schema: 1\nname: *nobody\n", 2),
    "two documents": ("schema: 1\n---\nname: a\n", 2),
    "a control character": ("schema: 1\nname: a\x01b\n", 2),
    "empty": ("", 1),
    "only a comment": ("# nothing yet\n", 1),
    "a list": ("- schema\n", 1),
    "a word": ("schema\n", 1),
}


@pytest.mark.parametrize(("text", "line"), NOT_YAML.values(), ids=NOT_YAML.keys())
def test_what_is_no_study_at_all_is_refused_with_its_line(text: str, line: int) -> None:
    error = refused(text)
    assert error.line == line, error.text()
    assert error.next_step


def test_aliases_that_multiply_each_other_are_refused_at_once() -> None:
    text = "a: &a [x, x, x, x, x, x, x, x, x]\n"
    for before, name in zip("abcdefg", "bcdefgh", strict=True):
        text += f"{name}: &{name} [{', '.join([f'*{before}'] * 9)}]\n"
    assert "far more values" in refused(text).what


@pytest.mark.parametrize(
    "text", ["&a [*a]", "a: &a {b: *a}", "[" * 5000, "a:\n" + " " * 300 * 1024]
)
def test_endless_or_huge_files_are_refused(text: str) -> None:
    assert refused(text).what


def test_an_alias_may_be_used_twice() -> None:
    text = changed(
        "      template: session_probe\n      parameters: {service_ms: 1}",
        "      template: &t session_probe\n      parameters: {service_ms: 1}",
    )
    study = study_from_text(text + "  - {name: second, model: {template: *t}}\n")
    assert study.class_named("second").model.template == "session_probe"


def test_a_file_that_is_not_there_or_not_text_is_refused_plainly(tmp_path: Path) -> None:
    (tmp_path / "other.yaml").write_text(GOOD)
    with pytest.raises(InputError, match="There is no study file") as caught:
        load_study(tmp_path / "mine.yaml")
    assert "other.yaml" in caught.value.why
    with pytest.raises(InputError, match="is a folder"):
        load_study(tmp_path)
    (tmp_path / "latin.yaml").write_bytes(b"schema: 1\nname: caf\xe9\n")
    with pytest.raises(InputError, match="not UTF-8") as caught:
        load_study(tmp_path / "latin.yaml")
    assert caught.value.line == 2


def test_a_byte_order_mark_and_windows_line_ends_are_read(tmp_path: Path) -> None:
    path = tmp_path / "windows.yaml"
    path.write_bytes(b"\xef\xbb\xbf" + GOOD.replace("\n", "\r\n").encode())
    assert load_study(path) == study_from_text(GOOD)


def test_a_source_names_the_line_of_what_others_find_wrong() -> None:
    source = source_from_text(GOOD, "s.yaml")
    assert source.line_of("classes", 0, "model", "template") == 20
    assert source.line_of("classes", 0, "model", "parameters", "service_ms") == 21
    # what the file leaves out is found at what is around it
    assert source.line_of("classes", 0, "workload", "traffic", "gaps", "kind") == 13
    error = source.fault("There is no template.", "classes", 0, "model", "template")
    assert error.what.startswith("s.yaml:20: ")
    assert error.key == "classes[0].model.template"


def test_reading_a_source_keeps_the_file_name(tmp_path: Path) -> None:
    path = tmp_path / "study.yaml"
    path.write_text(GOOD)
    assert load_source(path).file == str(path)


AWKWARD_TEXTS = (
    "plain",
    "two\nlines",
    "ends with a line end\n",
    "  begins with spaces",
    "trailing space \nsecond",
    "yes",
    "24.10",
    "null",
    "# no comment",
    "key: value",
    "quote ' and \" and \\",
    "tab\there",
    "a: {b}",
    "snow ☃ and 漢字",
    "x" * 300,
    "word " * 60,
    "- dash",
    "*alias &anchor !tag",
    "\n\nleading lines",
    "\u2028 separator",
)


@pytest.mark.parametrize("text", AWKWARD_TEXTS)
def test_texts_come_back_as_they_were(text: str) -> None:
    study = Study(
        name="round",
        title=text,
        about=text,
        classes=(
            TrafficClass(
                name="a", about=text, model=ModelChoice(template="t", parameters={"p": text})
            ),
        ),
    )
    assert study_from_text(study_to_yaml(study)) == study


def test_a_written_study_begins_with_its_schema_and_leaves_defaults_out() -> None:
    study = Study(name="small", classes=(TrafficClass(name="a", model=ModelChoice(template="t")),))
    assert study_to_yaml(study) == (
        "schema: 1\nname: small\nclasses:\n  - name: a\n    model:\n      template: t\n"
    )


def test_every_field_comes_back() -> None:
    study = Study(
        name="full",
        title="All fields",
        about="x",
        seed=5,
        rounds=2,
        triton_release="25.01",
        matrix=Matrix(instances=(1, 3), concurrency=(2, 4), mix=("short",)),
        classes=(
            TrafficClass(
                name="a",
                about="y",
                workload=Workload(
                    answers=Answers(
                        relation="parts_of_a_session",
                        order_matters="no",
                        state_kind="session_object",
                        state_place="request",
                        lifecycle=Lifecycle(
                            start_marked="no", end_marked="yes", ends_on=("end_mark",)
                        ),
                        correlation_id=CorrelationId(
                            type="string", assigned_by="server", unique="no", reused_after_end="yes"
                        ),
                    ),
                    traffic=Traffic(
                        sessions=3,
                        mixes={"short": (LengthGroup(group="g", share=1.0, steps=(1, 2)),)},
                        gaps=Gaps(kind="exponential", mean_ms=2.5),
                        time_scale=0.01,
                        longest_gap_ms=9.0,
                        objectives=Objectives(response_p99_ms=5.0, queue_p99_ms=1.5),
                    ),
                ),
                model=ModelChoice(template="t", parameters={"n": 1, "x": 0.5, "s": "slot"}),
                candidates=(
                    CandidateChoice(
                        name="sequence-oldest",
                        max_batch_size=4,
                        preferred_batch_sizes=(2, 4),
                        max_queue_delay_microseconds=100,
                        max_candidate_sequences=9,
                        max_sequence_idle_microseconds=1,
                    ),
                    CandidateChoice(name="sequence-direct", minimum_slot_utilization=0.5),
                    CandidateChoice(name="no-batching"),
                ),
            ),
        ),
    )
    text = study_to_yaml(study)
    assert study_from_text(text) == study
    assert "mix: [short]" in text
    assert "      - no-batching" in text


def test_answers_demand_and_declared_tensors_come_back() -> None:
    study = Study(
        name="declared",
        classes=(
            TrafficClass(
                name="a",
                workload=Workload(
                    answers=Answers(
                        batch_mates_matter="no",
                        replies="many",
                        shapes="ragged",
                        arrivals="bursty",
                        lifecycle=Lifecycle(
                            belongs_by="connection", waits_for_reply="no", end_marked="sometimes"
                        ),
                        correlation_id=CorrelationId(
                            made_as="hash",
                            control_type="uint32",
                            unique_scope="gateway",
                            may_be_empty="yes",
                        ),
                        serving=Serving(backend="onnxruntime", hardware="gpu"),
                    ),
                    demand=Demand(
                        rate_per_s=12.5,
                        live_sessions=40,
                        execution_ms=3.5,
                        deadline_ms=80.0,
                        when_late="refuse",
                        priority_levels=2,
                        cancel_share=0.25,
                    ),
                ),
                model=ModelChoice(
                    declared=DeclaredModel(
                        max_batch_size=8,
                        inputs=(
                            DeclaredTensor(name="X", data_type="FP32", dims=(-1, 80)),
                            DeclaredTensor(
                                name="BIAS", data_type="BYTES", dims=(1,), optional=True
                            ),
                        ),
                        outputs=(DeclaredTensor(name="Y", data_type="INT64", dims=(5,)),),
                        states=(
                            DeclaredState(
                                input_name="H",
                                output_name="H_OUT",
                                data_type="FP16",
                                dims=(64,),
                                initial="file",
                                file="h0",
                            ),
                        ),
                        keeps_state="yes",
                    )
                ),
            ),
        ),
    )
    assert study_from_text(study_to_yaml(study)) == study
