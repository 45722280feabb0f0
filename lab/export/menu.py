"""The popover "Export" of a page with a board."""

from __future__ import annotations

from collections.abc import Callable, Mapping
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
from lab.export.viewfile import ViewError, read_view, write_view
from lab.page import Page
from lab.scripts import source
from lab.sets.view import LabelView
from lab.text import plain
from lab.uploads import uploads

V = TypeVar("V")
Files = Mapping[str, Dataset]

HERE = Path(__file__).parent
PNG = '<div class="png"><button type="button">PNG</button><div aria-live="polite"></div></div>'


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
    """Draw it; nothing is made before it is opened."""
    st.fragment(_menu, key=page.key("export"))(page, face, kind)


def _menu(page: Page[V], face: Face[V], kind: Kind[V]) -> None:
    # With a callback it tells whether it is open, and runs again when it is opened.
    box = st.popover(
        "Export", icon=":material/download:", key=page.key("export.box"), on_change="rerun"
    )
    if not box.open:
        return
    with box:
        try:
            _offers(page, face, kind)
        except ValueError as error:
            st.info(plain(str(error)), icon=":material/upload_file:")
        _import(page, kind)


def _offers(page: Page[V], face: Face[V], kind: Kind[V]) -> None:
    view, files, name = page.view, uploads(), f"mavr-{page.name}"
    # The visitor's files by themselves: what a download asks for runs outside of this script.
    kept = dict(files)
    code = kind.code(view, files)
    result = face.compute(view, files)
    picture, table, link = st.columns(3)
    with picture:
        st.markdown("**Picture**")
        drawing = kind.svg(view, result)
        _download(page, "SVG", lambda: drawing, f"{name}.svg", "image/svg+xml")
        _png(page, drawing, name)
    with table:
        st.markdown("**Points**")
        _download(
            page, "CSV", lambda: kind.table(face.compute(view, kept)), f"{name}.csv", "text/csv"
        )
    with link:
        st.markdown("**View**")
        written = write_view(kind.name, page.link())
        _download(page, "JSON", lambda: written, f"{name}.json", "application/json")
    st.markdown("**The same picture with the library**")
    st.code(code, height=260)
    _download(page, "Python", lambda: code, f"{name}.py", "text/x-python")


def _download(
    page: Page[V], label: str, make: Callable[[], str], file_name: str, mime: str
) -> None:
    key = page.key(f"export.{label}")
    st.download_button(label, make, file_name, mime, key=key, on_click="ignore", width="stretch")


def _png(page: Page[V], drawing: str, name: str) -> None:
    component = st.components.v2.component(
        "mavr_png",
        html=PNG,
        css=source(HERE / "png.css"),
        js=source(HERE / "png.js"),
    )
    component(key=page.key("export.png"), data={"svg": drawing, "name": name})


def _import(page: Page[V], kind: Kind[V]) -> None:
    key, problem = page.key("import"), page.key("import_problem")

    def take() -> None:
        file = st.session_state.get(key)
        st.session_state[problem] = None
        if file is None:
            return
        try:
            view, problems = read_view(file.getvalue(), kind.name, page.codec)
        except ViewError as error:
            st.session_state[problem] = str(error)
            return
        page.show(view)
        page.problems = problems
        # A callback of a fragment: the whole page shows the view.
        st.session_state[page.key("import_done")] = True

    st.file_uploader("Open a view (JSON)", type=["json"], key=key, on_change=take)
    if sentence := st.session_state.get(problem):
        st.error(plain(sentence), icon=":material/error:")
    if st.session_state.pop(page.key("import_done"), False):
        st.rerun()
