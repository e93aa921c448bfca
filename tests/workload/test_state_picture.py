"""The drawing as a picture of its own (M05)."""

from __future__ import annotations

from xml.etree import ElementTree as ET

from backend.workload.answers import Answers
from backend.workload.questions import with_answer
from backend.workload.state_machine import machine
from backend.workload.state_picture import to_svg

SVG = "{http://www.w3.org/2000/svg}"


def texts(root: ET.Element) -> list[str]:
    return [element.text or "" for element in root.iter(f"{SVG}text")]


def test_it_names_every_state_transition_and_guard() -> None:
    drawn = machine(with_answer(Answers(), "relation", "parts_of_a_session"))
    root = ET.fromstring(to_svg(drawn, "Calls"))
    shown = " | ".join(texts(root))
    for state in drawn.states:
        assert state.label in shown
    for step in drawn.transitions:
        assert step.trigger in shown
        assert not step.guard or f"[{step.guard}]" in shown


def test_it_can_be_read_without_being_seen() -> None:
    drawn = machine(Answers())
    root = ET.fromstring(to_svg(drawn, "Calls <of> & more"))
    assert root.get("role") == "img"
    assert root.findtext(f"{SVG}title") == "Calls <of> & more"
    description = root.findtext(f"{SVG}desc") or ""
    assert all(problem.sentence in description for problem in drawn.problems)


def test_problems_have_their_numbers_and_dashes() -> None:
    answers = with_answer(Answers(), "relation", "parts_of_a_session")
    drawn = machine(with_answer(answers, "end_marked", "no"))
    (problem,) = [item for item in drawn.problems if item.trigger == "END"]
    root = ET.fromstring(to_svg(drawn, "Calls"))
    assert f"END? ({problem.number})" in texts(root)
    assert any(path.get("stroke-dasharray") for path in root.iter(f"{SVG}path"))


def test_no_two_labels_stand_on_each_other() -> None:
    answers = with_answer(Answers(), "relation", "parts_of_a_session")
    for question, value in (("id_unique", "no"), ("id_reused", "yes"), ("end_marked", "no")):
        answers = with_answer(answers, question, value)
    root = ET.fromstring(to_svg(machine(answers), "Calls"))
    boxes = []
    for element in root.iter(f"{SVG}text"):
        size = float(element.get("font-size", "0"))
        # an upper bound for the sans-serif faces of browsers
        width = 0.62 * size * len(element.text or "")
        x, y = float(element.get("x", "0")), float(element.get("y", "0"))
        left = {"middle": x - width / 2, "end": x - width}.get(element.get("text-anchor", ""), x)
        boxes.append((left, y - size, left + width, y, element.text))
    for number, first in enumerate(boxes):
        for second in boxes[number + 1 :]:
            apart = (
                first[2] <= second[0]
                or second[2] <= first[0]
                or first[3] <= second[1]
                or second[3] <= first[1]
            )
            assert apart, (first[4], second[4])


def test_what_is_written_stays_inside_the_picture_and_its_boxes() -> None:
    answers = with_answer(Answers(), "relation", "parts_of_a_session")
    broken = with_answer(with_answer(answers, "order", "no"), "state_kind", "none")
    broken = with_answer(broken, "state_place", "slot")
    for drawn in (machine(broken), machine(Answers(relation="independent", order_matters="yes"))):
        root = ET.fromstring(to_svg(drawn, "Calls"))
        for element in root.iter(f"{SVG}text"):
            if element.get("text-anchor") is None:
                size, text = float(element.get("font-size", "0")), element.text or ""
                end = float(element.get("x", "0")) + 0.55 * size * len(text)
                assert end <= float(root.get("width", "0")), text
        for group in root.iter(f"{SVG}g"):
            box = group.find(f"{SVG}rect")
            if box is None:  # a transition's words
                continue
            for element in group.iter(f"{SVG}text"):
                size, text = float(element.get("font-size", "0")), element.text or ""
                assert 0.55 * size * len(text) <= float(box.get("width", "0")), text


def test_numbers_of_a_state_stand_below_its_name() -> None:
    drawn = machine(Answers(relation="independent", order_matters="yes"))
    shown = texts(ET.fromstring(to_svg(drawn, "Labels")))
    assert "request in service" in shown
    assert "(1)" in shown
