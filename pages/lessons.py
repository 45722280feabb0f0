"""Lessons: short stories in steps, each with something to do on a board."""

from __future__ import annotations

import streamlit as st

from lab.address import Address, backs
from lab.export.menu import opener
from lab.lessons.progress import progress, remember
from lab.lessons.reader import Lesson
from lab.lessons.shelf import add, shelf
from lab.lessons.step import draw
from lab.text import plain

ADDRESS, WRITTEN, BACKS = "lessons.address", "lessons.written", "lessons.backs"


def address() -> Address:
    found: Address = st.session_state.setdefault(ADDRESS, Address())
    return found


def go(name: str | None, step: int) -> None:
    """Another step, or all lessons; Back leads away from it."""
    query = {} if name is None else {"lesson": name, "step": str(step + 1)}
    address().set(query, push=True)


def where(lessons: dict[str, Lesson]) -> tuple[Lesson, int] | None:
    """The lesson and step of the address; None for all lessons."""
    pressed = backs("lessons.back")
    address().opened(pressed)
    if pressed != st.session_state.get(BACKS, 0) and not st.query_params:
        # Back to all lessons, whose address is bare.
        address().set({})
    st.session_state[BACKS] = pressed
    query = address().query
    lesson = lessons.get(query.get("lesson", ""))
    if lesson is None:
        if "lesson" in query:
            st.warning("This lesson is not here. A lesson of your own is to be loaded again.")
        return None
    text = query.get("step", "1")
    step = int(text) - 1 if text.isascii() and text.isdigit() and len(text) < 4 else 0
    return lesson, min(max(step, 0), len(lesson.steps) - 1)


def take(content: bytes) -> None:
    """A visitor's own lesson. Raises LessonError."""
    go(add(content).name, 0)


def card(lesson: Lesson, next_one: bool) -> None:
    """A lesson among all: what it is about, how far one is, the way in."""
    n, done = len(lesson.steps), progress().done.get(lesson.name, [])
    left = [k for k in range(n) if k not in done]
    with st.container(border=True, height="stretch", key=f"lesson_card_{lesson.name}"):
        st.markdown(f"## {plain(lesson.title)}")
        st.markdown(plain(lesson.about))
        st.space("stretch")
        with st.container(horizontal=True, vertical_alignment="center"):
            word = "Again" if not left else "Continue" if done else "Start"
            st.button(
                word, key=f"lessons.open.{lesson.name}", on_click=go,
                args=(lesson.name, left[0] if left else 0),
                type="primary" if next_one else "secondary",
            )  # fmt: skip
            st.caption(f"{n - len(left)} of {n} steps · {lesson.minutes} min")


def overview(lessons: dict[str, Lesson]) -> None:
    """All lessons, four to a row."""
    st.title("Lessons", anchor=False)
    st.caption(
        "Each takes about five minutes: read a little, do one thing on the board, go on when it "
        "is done. What you have done is kept in this browser."
    )
    remember()
    items = list(lessons.values())
    done = progress().done
    unfinished = [x.name for x in items if len(done.get(x.name, [])) < len(x.steps)]
    for first in range(0, len(items), 4):
        for column, lesson in zip(st.columns(4), items[first : first + 4], strict=False):
            with column:
                card(lesson, lesson.name in unfinished[:1])
    with st.expander("A lesson of your own"):
        st.caption(
            "A lesson is one text file; docs/lessons.md says how to write one. The views in it "
            "are links, copied from the Playground."
        )
        opener(lambda word: f"lessons.{word}", take, "Lesson (MD)", ["md", "txt"])


found = shelf()
here = where(found.lessons)
if here is None:
    for problem in found.problems:
        st.warning(plain(problem), icon=":material/error:")
    overview(found.lessons)
else:
    draw(*here, go)
address().write(WRITTEN)
