"""One step of a lesson on the page: text and controls beside the board, and what is done."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import streamlit as st

from lab.board import stage
from lab.board.answers import Result
from lab.board.face import Classes
from lab.board.view import CODEC, View
from lab.export.menu import CLASSES, menu
from lab.lessons import controls
from lab.lessons.link import lesson_link
from lab.lessons.progress import progress, remember
from lab.lessons.reader import Lesson, Step
from lab.page import Page
from lab.text import plain

Go = Callable[[str | None, int], None]
FACE = Classes(max_height=340)


class StepPage(Page[View]):
    """The board of a step. Its address is that of the step, whatever is done on the board."""

    def __init__(self, lesson: Lesson, at: int) -> None:
        super().__init__(f"lesson.{lesson.name}.{at}", CODEC, lesson.steps[at].start)
        self.address = {"lesson": lesson.name, "step": str(at + 1)}

    def link(self) -> dict[str, str]:
        return self.address

    def save_link(self) -> None:
        """The page of lessons writes the address."""


def step_page(lesson: Lesson, at: int) -> StepPage:
    """What this visitor has on the board of a step."""
    pages: dict[Any, StepPage] = st.session_state.setdefault("lessons.pages", {})
    # A lesson that was changed and loaded again begins anew.
    key = (lesson.name, at, lesson.steps[at].start)
    if key not in pages:
        pages[key] = StepPage(lesson, at)
    return pages[key]


def draw(lesson: Lesson, at: int, go: Go) -> None:
    """The step, its board, and the way on."""
    step, page = lesson.steps[at], step_page(lesson, at)
    _head(lesson, at, go)
    with st.container(key="lesson_step"):
        told, board = st.columns([1, 3], gap="medium")
    with told:
        _told(step, page)
    with board:
        stage.draw(page, FACE, lambda page, result: _below(lesson, at, page, result, go))
    with st.container(key="lesson_take", horizontal=True, horizontal_alignment="right"):
        # A link of this very board; the Playground opens it.
        lesson_link(page, controls.offered, opens=".")
        menu(page, FACE, CLASSES)


def _head(lesson: Lesson, at: int, go: Go) -> None:
    with st.container(horizontal=True, vertical_alignment="center", key="lesson_head"):
        st.button(
            "All lessons",
            icon=":material/arrow_back:",
            type="tertiary",
            on_click=go,
            args=(None, 0),
        )
        st.caption(f"{plain(lesson.title)} · step {at + 1} of {len(lesson.steps)}")
        st.space("stretch")
        st.button("Back", disabled=at == 0, on_click=go, args=(lesson.name, at - 1))
        st.button("Skip", on_click=go, args=lesson.after(at), help="Go on without doing it.")
    st.progress((at + 1) / len(lesson.steps))


def _told(step: Step, page: StepPage) -> None:
    st.markdown(f"# {plain(step.title)}")
    if step.text:
        st.markdown(step.text)
    st.markdown(f"**To do:** {step.do}")
    controls.beside(page, FACE, step.controls)
    with st.popover("Hint", icon=":material/lightbulb:"):
        st.markdown(step.hint)
        st.button("Show it", key=page.key("show"), on_click=page.put, args=(step.solution,))
    if page.history.past:
        st.button(
            "Start again", key=page.key("again"), type="tertiary", on_click=page.put,
            args=(step.start,), icon=":material/restart_alt:",
        )  # fmt: skip


def passed(step: Step, result: Result) -> bool:
    """Whether what is to be done is done."""
    return all(check.passes(result) for check in step.checks)


def _below(lesson: Lesson, at: int, page: Page[View], result: Result, go: Go) -> None:
    step, done = lesson.steps[at], progress()
    now = passed(step, result)
    if now:
        done.add(lesson.name, at)
    remember()
    if now or done.has(lesson.name, at):
        _done(lesson, at, now, go)
    controls.below(page, FACE, step.controls, result)


def _done(lesson: Lesson, at: int, now: bool, go: Go) -> None:
    step, last = lesson.steps[at], at + 1 == len(lesson.steps)
    with st.container(key="lesson_done", horizontal=True, vertical_alignment="center"):
        words = (step.seen or "That is it.") if now else "You have done this step before."
        st.success(words, icon=":material/check_circle:", width="stretch")
        if st.button("Finish" if last else "Next step", type="primary", key="lesson_next"):
            go(*lesson.after(at))
            st.rerun()
