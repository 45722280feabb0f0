"""The popover "Export" of a page with a picture."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Generic, TypeVar

import streamlit as st

from datasets import Dataset
from lab.board.face import Face
from lab.board.view import View
from lab.export.code import classes_code, sets_code
from lab.export.drawing import classes_svg, sets_svg
from lab.export.table import classes_table, sets_table
from lab.export.viewfile import read_view, write_view
from lab.page import Page
from lab.scripts import SAVE, made
from lab.sets.view import LabelView
from lab.text import plain
from lab.uploads import uploads

V = TypeVar("V")
Files = Mapping[str, Dataset]

HERE = Path(__file__).parent
# Endings of file names, and types.
KINDS = {
    "SVG": ("svg", "image/svg+xml"),
    "CSV": ("csv", "text/csv"),
    "JSON": ("json", "application/json"),
    "Python": ("py", "text/x-python"),
}
PNG_CSS = HERE / "png.css"
PNG = '<div class="png"><button type="button">PNG</button><div aria-live="polite"></div></div>'


@dataclass(frozen=True)
class Offer:
    """What a page hands out beside its view.

    Attributes
    ----------
    code : Python that computes the picture.
    table : makes the CSV when it is asked for.
    rows : what the lines of the table are.
    drawing : the picture as SVG; empty where the picture itself has a button for it.
    """

    code: str
    table: Callable[[], str]
    rows: str
    drawing: str = ""


@dataclass(frozen=True)
class Kind(Generic[V]):
    """What can be taken away from a kind of board."""

    name: str
    code: Callable[[V, Files], str]
    table: Callable[[Any], str]
    svg: Callable[[V, Any], str]


CLASSES: Kind[View] = Kind("classes", classes_code, classes_table, classes_svg)
SETS: Kind[LabelView] = Kind("sets", sets_code, sets_table, sets_svg)


def menu(page: Page[V], face: Face[V], kind: Kind[V]) -> None:
    """The menu of a board."""

    def offer() -> Offer:
        view, files = page.view, uploads()
        # The visitor's files by themselves: what a download asks for runs outside of this script.
        kept = dict(files)
        code, result = kind.code(view, files), face.compute(view, files)
        return Offer(
            code, lambda: kind.table(face.compute(view, kept)), "Points", kind.svg(view, result)
        )

    export_menu(page, kind.name, offer)


def export_menu(page: Page[Any], kind: str, offer: Callable[[], Offer]) -> None:
    """Draw a menu; nothing is made before it is opened. kind : of view, in its file."""
    with st.container(width="content"):
        st.fragment(_menu, key=page.key("export"))(page, kind, offer)


def _menu(page: Page[Any], kind: str, offer: Callable[[], Offer]) -> None:
    box = export_box(page.key("export.box"))
    if not box.open:
        return
    with box:
        try:
            _offers(page, kind, offer())
        except ValueError as error:
            st.info(plain(str(error)), icon=":material/upload_file:")
        _import(page, kind)


def export_box(key: str) -> Any:
    """The popover. With a callback it tells whether it is open, and runs again when it is."""
    return st.popover("Export", icon=":material/download:", key=key, on_change="rerun")


def _offers(page: Page[Any], kind: str, offer: Offer) -> None:
    name = f"mavr-{page.name}"
    picture, table, link = st.columns(3)
    with picture:
        st.markdown("**Picture**")
        if offer.drawing:
            download(page.key("export.SVG"), "SVG", lambda: offer.drawing, name)
            component = made("png", PNG_CSS, SAVE, HERE / "png.js", html=PNG)
            component(key=page.key("export.png"), data={"svg": offer.drawing, "name": name})
        else:
            st.caption("SVG and PNG: the buttons at the picture.")
    with table:
        st.markdown(f"**{offer.rows}**")
        download(page.key("export.CSV"), "CSV", offer.table, name)
    with link:
        st.markdown("**View**")
        written = write_view(kind, page.codec.write(page.view))
        download(page.key("export.JSON"), "JSON", lambda: written, name)
    st.markdown("**The same picture with the library**")
    st.code(offer.code, height=260)
    download(page.key("export.Python"), "Python", lambda: offer.code, name)


def download(key: str, kind: str, make: Callable[[], str], name: str) -> None:
    """A button for a file of one of `KINDS` that is made when it is asked for."""
    ending, mime = KINDS[kind]
    st.download_button(
        kind, make, f"{name}.{ending}", mime, key=key, on_click="ignore", width="stretch"
    )


def _import(page: Page[Any], kind: str) -> None:
    def adopt(content: bytes) -> None:
        view, problems = read_view(content, kind, page.codec)
        page.show(view)
        page.problems = problems

    opener(page.key, adopt)


def opener(
    key: Callable[[str], str],
    adopt: Callable[[bytes], None],
    label: str = "Open a view (JSON)",
    types: Sequence[str] = ("json",),
) -> None:
    """Where a file is opened; adopt : takes its content, or raises ValueError with a sentence."""
    name, problem, done = key("import"), key("import_problem"), key("import_done")

    def take() -> None:
        file = st.session_state.get(name)
        st.session_state[problem] = None
        if file is None:
            return
        try:
            adopt(file.getvalue())
            # A callback of a fragment: the whole page shows the view.
            st.session_state[done] = True
        except ValueError as error:
            st.session_state[problem] = str(error)

    st.file_uploader(label, type=types, key=name, on_change=take)
    if sentence := st.session_state.get(problem):
        st.error(plain(sentence), icon=":material/error:")
    if st.session_state.pop(done, False):
        st.rerun()
