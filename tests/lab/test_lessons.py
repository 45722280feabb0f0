"""Lessons: every step can be done, and a bad file gets a sentence with its line."""

from __future__ import annotations

import re
from dataclasses import replace
from urllib.parse import parse_qsl

import pytest

from lab.board.answers import compute
from lab.board.view import CODEC, View
from lab.lessons.checks import CHECKS
from lab.lessons.controls import GROUPS, MAP_GROUPS, known_controls, offered
from lab.lessons.frame import frame
from lab.lessons.link import parameters
from lab.lessons.progress import Progress
from lab.lessons.reader import LessonError, Step, read_lesson
from lab.lessons.shelf import OURS, ours, read_folder
from lab.lessons.step import passed
from lab.text import plain
from tests.lab.driver import App

STEPS = [
    pytest.param(step, id=f"{name}-{k}")
    for name, lesson in ours().items()
    for k, step in enumerate(lesson.steps, 1)
]


def done(step: Step, at: str) -> bool:
    view = replace(getattr(step, at), shade=False)
    return passed(step, compute(view, {}))


def test_there_are_eight_lessons_and_no_other_file():
    assert len(ours()) == 8
    assert {path.stem for path in OURS.iterdir()} == set(ours())


@pytest.mark.parametrize("step", STEPS)
def test_a_step_is_not_done_at_its_start_and_done_at_its_solution(step):
    assert not done(step, "start")
    assert done(step, "solution")


@pytest.mark.parametrize("step", STEPS)
def test_a_step_shows_the_controls_that_its_solution_moves(step):
    """What differs between start and solution can be changed on the board or by a control."""
    before, after = CODEC.write(step.start), CODEC.write(step.solution)
    moved = {k for k in before | after if before.get(k) != after.get(k)}
    groups = {"left": "methods", "right": "methods", "labels": "labels"}
    needed = {groups.get(name, name) for name in moved}
    assert needed <= {"labels", *step.controls}


GOOD = """---
title: One step
about: A lesson of the tests.
minutes: 3
---

## First
start: https://lab.example/?data=two_moons&labels=
controls: gamma, P
check: classes-labelled 2
check: no-tie
solution: ?data=two_moons&labels=95.0_226.1
hint: Click.

Some text.

Do: Label one point of each moon.
"""


def test_a_file_of_ones_own():
    lesson = read_lesson(GOOD.encode(), "mine")
    (step,) = lesson.steps
    assert (lesson.title, lesson.minutes, step.title) == ("One step", 3, "First")
    assert (step.text, step.do) == ("Some text.", "Label one point of each moon.")
    assert step.controls == ("gamma", "P")
    assert [check.name for check in step.checks] == ["classes-labelled", "no-tie"]
    assert not done(step, "start")
    assert done(step, "solution")
    assert read_lesson(GOOD.replace("\n", "\r\n").encode("utf-8-sig"), "mine") == lesson


@pytest.mark.parametrize(
    ("old", "new", "line", "words"),
    [
        ("---\ntitle", "title", 1, "begins with a line ---"),
        ("title: One step\n", "", 4, "no title"),
        ("minutes: 3", "minutes: soon", 4, "minutes must be"),
        ("minutes: 3", "colour: red", 4, "not known here"),
        ("## First", "First", 7, "begins with ##"),
        ("## First", "## ", 7, "no title"),
        ("controls: gamma, P", "controls: gamma, colour", 9, "no control 'colour'"),
        ("classes-labelled 2", "be-happy", 10, "no check 'be-happy'"),
        ("classes-labelled 2", "classes-labelled two", 10, "needs a number"),
        ("classes-labelled 2", "classes-labelled inf", 10, "needs a number"),
        ("check: no-tie", "check: no-tie 3", 11, "takes no number"),
        ("?data=two_moons&labels=95.0_226.1", "?data=nowhere&labels=", 12, "not known here"),
        ("?data=two_moons&labels=95.0_226.1", "?colour=red", 12, "no part of a link"),
        ("?data=two_moons&labels=95.0_226.1", "?data=two_moons&gamma=-1", 12, "γ must be in"),
        ("?data=two_moons&labels=95.0_226.1", "?data=file:0123456789abcdef", 12, "uploaded"),
        ("hint: Click.\n", "", 7, "needs a line hint:"),
        ("hint: Click.", "hint: Click.\nhint: Again.", 14, "given twice"),
        ("Some text.", "word " * 61, 7, "60 is the most"),
        ("Do: Label", "Label", 7, "nothing to do"),
    ],
)  # fmt: skip
def test_a_bad_file_gets_a_sentence_with_the_line(old, new, line, words):
    assert old in GOOD
    with pytest.raises(LessonError, match=r"^Line ") as error:
        read_lesson(GOOD.replace(old, new, 1).encode(), "mine")
    assert error.value.line == line
    assert words in str(error.value)


@pytest.mark.parametrize(
    "content", [b"", b"---", b"---\ntitle: a\n---\n", b"\xff", b"---\n" * 9, b"x" * 300_000]
)
def test_what_is_no_lesson_is_said(content):
    with pytest.raises(LessonError, match=r"^Line \d+: [A-Z]"):
        read_lesson(content, "mine")


def test_too_many_steps_are_said():
    head, step = GOOD.split("## First")
    with pytest.raises(LessonError, match="30 is the most"):
        read_lesson(head + ("## First" + step) * 31, "mine")


def test_a_folder_of_the_host(tmp_path):
    (tmp_path / "b-good.md").write_text(GOOD, encoding="utf-8")
    (tmp_path / "a-bad.md").write_text(GOOD.replace("## First", "First"), encoding="utf-8")
    (tmp_path / "notes.txt").write_text("no lesson", encoding="utf-8")
    found = read_folder(tmp_path)
    assert list(found.lessons) == ["here-b-good"]
    (problem,) = found.problems
    assert problem.startswith("The lesson a-bad.md cannot be used. Line 7: ")
    assert read_folder(tmp_path / "nowhere").lessons == {}


def test_progress_takes_what_a_browser_remembers_and_nothing_else():
    kept = Progress()
    kept.add("ties", 1)
    kept.take({"ties": [0, 1, "x", -1, 10**9, True], "more": "no", 3: [1]})
    assert kept.done == {"ties": [0, 1]}
    kept.take(["no"])
    assert kept.has("ties", 0)
    assert not kept.has("volume", 0)


def test_the_docs_name_every_check_and_control():
    text = (OURS.parents[2] / "docs" / "lessons.md").read_text(encoding="utf-8")
    for name in [*CHECKS, *GROUPS]:
        assert f"`{name}`" in text, name


def test_a_lesson_link_is_kept_beside_the_view_and_is_bounded():
    names = ["gamma", "P"]
    assert parameters(names, " a\n  note ") == {"keep": "gamma,P", "note": "a note"}
    assert parameters([], "") == {"keep": ""}
    assert len(parameters([], "x" * 999)["note"]) == 300


def test_a_frame_holds_the_link_as_one_attribute():
    text = frame('http://lab.example/?note=a"><script>&keep=gamma', 620)
    assert text.count('"') == 2 * 5
    assert "&amp;keep=gamma&amp;embed=true" in text


def test_every_control_of_a_default_view_has_a_known_name():
    assert set(offered(View())) <= set(known_controls())


NOTE = "Find *the* ridge."
LESSON = {"data": "three_circles", "p.n": "60", "seed": "3", "note": NOTE}


def test_a_lesson_link_of_the_map_shows_note_map_and_its_controls_only():
    app = App("map", LESSON | {"keep": "tau,colour,nonsense"})
    assert not app.test.exception
    assert [i.value for i in app.test.info] == [plain(NOTE)]
    assert len(app.components("map")) == 1
    assert set(app.sliders()) == {"tau"}
    assert [s.label for s in app.test.selectbox] == ["Colour", "Of"]
    assert not app.test.title
    app.test.selectbox[0].set_value("evidence").run()
    assert "show=evidence" in app.link()
    assert "keep=tau%2Ccolour%2Cnonsense" in app.link()

    app.test.button("map.full").click().run()
    assert [t.value for t in app.test.title] == ["Map"]
    assert {"gamma", "tau", "sigma"} <= set(app.sliders())
    assert "note" not in app.link()
    assert app.view.show == "evidence"


@pytest.mark.parametrize("kept", ["", *MAP_GROUPS])
def test_each_group_of_controls_of_the_map_can_stay(kept):
    app = App("map", LESSON | {"keep": kept})
    assert not app.test.exception
    assert len(app.components("map")) == 1
    names = {"axes": "Across", "colour": "Colour", "graph": "Similarity", "data": "Data set",
             "methods": "Left", "draw": "Draw labels"}  # fmt: skip
    shown = {s.label for s in app.test.selectbox}
    assert {name for name, label in names.items() if label in shown} == {kept} & set(names)
    assert bool(app.test.toggle) == (kept in ("show", "graph", "methods"))


def test_the_map_offers_a_lesson_link():
    app = App("map", {"data": "three_circles", "p.n": "60"})
    app.test.session_state["map.lesson.keep"] = ["gamma", "axes"]
    app.test.button("map.lesson").click().run()
    assert not app.test.exception
    words = app.test.multiselect("map.lesson.keep").options
    assert {"Axes", "Colour", "Smoothness γ"} <= set(words)
    texts = [c.value for c in app.test.code]
    assert "keep=gamma%2Caxes" in texts[0]
    assert texts[1].startswith("<iframe src=")


LINKS = re.findall(
    r"\]\(\./(\w*)\?([^)]*)\)", (OURS.parents[1] / "guide/help.md").read_text("utf-8")
)


@pytest.mark.parametrize(("page", "query"), LINKS)
def test_a_link_of_the_tour_opens_without_a_complaint(page, query):
    view, problems = CODEC.read(dict(parse_qsl(query, keep_blank_values=True)))
    assert problems == []
    assert compute(replace(view, shade=False), {}).answers


def test_the_tour_has_links():
    assert len(LINKS) >= 6
