"""What stands above the map: its two axes with their ends, and what its colour means."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from functools import partial
from typing import Any

import streamlit as st

from datasets import DataError
from lab.board.scene import scene_of
from lab.controls import action, setting
from lab.data import load
from lab.map.axes import AxisView, offered
from lab.map.ranges import ends_of
from lab.map.view import QUANTITIES, MapView
from lab.page import Page
from lab.uploads import uploads
from mavr.methods import METHODS
from mavr.settings import Number

PARTS = ("axes", "colour")


def head(page: Page[MapView], parts: Collection[str] = PARTS) -> None:
    """Choices of the axes and of the colour, or of one of them, in one row where it fits."""
    try:
        source = load(page.view.board.data, uploads())
    except DataError:
        return
    known = offered(page.view.board, source)
    if not {page.view.x.name, page.view.y.name} <= set(known):
        return
    board = page.view.board
    titles = {"left": METHODS[board.left].title, "right": METHODS[board.right].title}
    with st.container(key="map_head", horizontal=True, vertical_alignment="bottom", gap="small"):
        if "axes" in parts:
            _axis(page, "x", "Across", known)
            _axis(page, "y", "Upwards", known)
        if "colour" in parts:
            _colour(page, titles)
        if "axes" in parts:
            with st.popover("Ranges", icon=":material/straighten:", width=170):
                for name, both in zip(("x", "y"), _ends(page, known), strict=True):
                    _range(page, name, known[getattr(page.view, name).name], both)


def _colour(page: Page[MapView], titles: dict[str, str]) -> None:
    setting(page, "show", format_func=lambda name: QUANTITIES[name].word, width=170)
    if QUANTITIES[page.view.show].number:
        page.field(st.selectbox, "side", "Of", list(titles), format_func=titles.get, width=170)


def _axis(page: Page[MapView], name: str, word: str, known: dict[str, Number]) -> None:
    axis: AxisView = getattr(page.view, name)
    other = getattr(page.view, "y" if name == "x" else "x")

    def adopt(chosen: str) -> None:
        if chosen == other.name:
            # Both at once: the axes change places.
            page.put(replace(page.view, x=page.view.y, y=page.view.x))
        else:
            page.change(name, AxisView(chosen))

    page.widget(
        st.selectbox, name, axis.name, adopt, word, list(known),
        format_func=lambda n: f"{known[n].word} {known[n].symbol}".strip(), width=170,
    )  # fmt: skip


def _ends(page: Page[MapView], known: dict[str, Number]) -> list[tuple[float, float]]:
    """Of both axes; what was chosen, where that makes no map."""
    view = page.view
    axes = (view.x, view.y)
    abouts = [known[axis.name] for axis in axes]
    try:
        return ends_of(axes, abouts, view.board, scene_of(view.board, uploads()))
    except ValueError:
        return [
            (axis.low or about.low, axis.high or about.high)
            for axis, about in zip(axes, abouts, strict=True)
        ]


def _range(page: Page[MapView], name: str, about: Number, both: tuple[float, float]) -> None:
    axis: AxisView = getattr(page.view, name)

    def put(which: str, value: Any) -> None:
        if value is not None:
            page.change(name, replace(getattr(page.view, name), **{which: float(value)}))

    st.caption(f"{about.label}, within {about.range}")
    ends = (("low", "From"), ("high", "To"))
    for column, (which, word), value in zip(st.columns(2), ends, both, strict=True):
        with column:
            page.widget(
                st.number_input, f"{name}.{which}", float(value), partial(put, which), word,
                format="%.4g", step=None,
            )  # fmt: skip
    usual = AxisView(axis.name)
    action(page, f"{name}.usual", "Usual range", lambda: page.change(name, usual))
