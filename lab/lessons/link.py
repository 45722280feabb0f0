"""Lesson links: a view with a note, and only the controls that a teacher leaves.

`keep` names the controls, separated by commas; `note` is plain text. Both stand in the address
beside the view's own parameters.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, TypeVar, cast
from urllib.parse import urlencode, urljoin

import streamlit as st

from lab.board import stage
from lab.board.face import Classes
from lab.board.view import View
from lab.lessons import controls
from lab.lessons.frame import WIDTH, frame, height
from lab.map import stage as map_stage
from lab.map.head import PARTS, head
from lab.map.view import MapView
from lab.page import Page
from lab.sets.controls import threshold_row
from lab.sets.face import Sets
from lab.sets.view import LabelView
from lab.text import plain

V = TypeVar("V")

MAX_NOTE = 300
MAX_KEPT = 40
APART = ("P", "threshold", "measures", *PARTS)
BARE = """<style>
.stAppHeader, [data-testid="stHeader"], .st-key-phone_pages { display: none !important; }
[data-testid="stLayoutWrapper"]:has(> .st-key-phone_pages) { display: none !important; }
[data-sidebar] [data-testid="stAppViewContainer"] { padding-left: 0 !important; }
.stMainBlockContainer { padding-top: 1.2rem; padding-bottom: 0.6rem; }
</style>"""


def kept(page: Page[Any]) -> tuple[str, ...]:
    """Names of the controls that stay."""
    names = [name.strip() for name in page.lesson.get("keep", "").split(",")]
    return tuple(dict.fromkeys(filter(None, names[:MAX_KEPT])))


def parameters(names: list[str], note: str) -> dict[str, str]:
    """What a lesson link has beside the view; `keep` is there even where nothing stays."""
    text = " ".join(note.split())[:MAX_NOTE]
    return {"keep": ",".join(names)} | ({"note": text} if text else {})


def lesson_page(page: Page[View], face: Classes) -> bool:
    """The page of a lesson link, if it was opened by one: note, board and a few controls."""
    names = kept(page)

    def below(page: Page[View], result: Any) -> None:
        controls.below(page, face, names, result)

    beside = partial(controls.beside, page, face, names)
    return _frame(page, controls.offered, beside, partial(stage.draw, page, face, below))


def lesson_sets_page(page: Page[LabelView], face: Sets) -> bool:
    """The same for a board of label sets."""
    names = kept(page)

    def below(page: Page[LabelView], result: Any) -> None:
        controls.below_sets(page, face, names, result)

    def above(page: Page[LabelView], result: Any) -> None:
        if "threshold" in names:
            threshold_row(page, face, result)

    beside = partial(controls.beside_sets, page, face, names)
    return _frame(
        page, controls.offered_sets, beside, partial(stage.draw, page, face, below, above)
    )


def lesson_map_page(page: Page[MapView]) -> bool:
    """The same for the map, whose board has no controls below it."""
    names = kept(page)

    def beside() -> None:
        known, inner = controls.offered_map(page.view), cast(Any, map_stage.Inner(page))
        controls.beside(inner, Classes(), [name for name in names if name in known])

    def board() -> None:
        if parts := [name for name in PARTS if name in names]:
            head(page, parts)
        map_stage.draw(page, lambda page, job: None)

    return _frame(page, controls.offered_map, beside, board)


def _frame(
    page: Page[V],
    offered: Callable[[V], Mapping[str, str]],
    beside: Callable[[], None],
    draw: Callable[[], None],
) -> bool:
    """Draw a lesson's page, if it is one."""
    if not page.lesson:
        return False
    st.html(BARE)
    page.show_problems()
    if note := page.lesson.get("note", "")[:MAX_NOTE]:
        st.info(plain(note), icon=":material/sticky_note_2:")
    # What stands below the board, or above it, needs no column of its own.
    known = offered(page.view)
    column = any(name in known and name not in APART for name in kept(page))
    embedded = st.context.is_embedded
    if embedded:
        # However wide the page around it: the height of its frame is fixed (lab/lessons/frame.py).
        st.html(f"<style>.stMainBlockContainer {{ max-width: {WIDTH}px; }}</style>")
    with st.container(key="lesson_embedded" if embedded else "lesson_link"):
        if column and embedded:
            beside()
            board = st.container()
        elif column:
            told, board = st.columns([1, 3.4], gap="medium")
            with told:
                beside()
        else:
            board = st.container()
        with board:
            draw()
    st.button(
        "Open the full page",
        key=page.key("full"),
        type="tertiary",
        icon=":material/open_in_full:",
        on_click=_leave,
        args=(page,),
    )
    return True


def _leave(page: Page[Any]) -> None:
    page.lesson = {}
    page.show(page.view)


def lesson_link(page: Page[V], offered: Callable[[V], Mapping[str, str]], opens: str = "") -> None:
    """The button that makes a lesson link of what the page shows.

    opens : the page of the link, relative to this one's address.
    """
    if st.button("Lesson link", icon=":material/school:", key=page.key("lesson"), help=HELP):
        _dialog(page, offered(page.view), opens)


HELP = "A link for a class: this view, a note, and only the controls that you choose."


@st.dialog("Lesson link", width="medium")
def _dialog(page: Page[Any], words: Mapping[str, str], opens: str) -> None:
    st.caption("Who opens the link sees your note, the board, and only the controls you choose.")
    names = st.multiselect(
        "Controls that stay", list(words), format_func=lambda name: words[name], placeholder="none",
        key=page.key("lesson.keep"),
    )  # fmt: skip
    note = st.text_area(
        "Note", max_chars=MAX_NOTE, key=page.key("lesson.note"), height=90,
        placeholder="Label one more point so that every ring is right.",
    )  # fmt: skip
    here = (st.context.url or "").partition("?")[0]
    query = page.codec.write(page.view) | parameters(names, note)
    link = f"{urljoin(here, opens)}?{urlencode(query)}"
    st.caption("The link")
    st.code(link, language=None, wrap_lines=True)
    tall = height(page.view, names, " ".join(note.split()))
    st.caption("For a web page, in a column that is 800 pixels wide or wider")
    st.code(frame(link, tall), language="html", wrap_lines=True)
