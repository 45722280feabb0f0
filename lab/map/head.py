"""What stands above the map: its two axes with their ends, and what its colour means."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import streamlit as st

from datasets import DataError
from lab.board.scene import scene_of
from lab.controls import setting
from lab.data import load
from lab.map.axes import AxisView, ends, offered
from lab.map.view import QUANTITIES, MapView
from lab.page import Page
from lab.uploads import uploads
from mavr.methods import METHODS
from mavr.settings import Number


def head(page: Page[MapView]) -> None:
    """Choices of the axes and of the colour."""
    try:
        source = load(page.view.board.data, uploads())
    except DataError:
        return
    known = offered(page.view.board, source)
    with st.container(key="map_head"):
        across, up, colour, side = st.columns([1, 1, 1, 1], vertical_alignment="bottom")
    with across:
        _axis(page, "x", "Across", known)
    with up:
        _axis(page, "y", "Upwards", known)
    with colour:
        setting(page, "show", format_func=lambda name: QUANTITIES[name].word)
    if QUANTITIES[page.view.show].number:
        with side:
            board = page.view.board
            names = {"left": METHODS[board.left].title, "right": METHODS[board.right].title}
            setting(page, "side", format_func=names.get)


def _axis(page: Page[MapView], name: str, word: str, known: dict[str, Number]) -> None:
    axis: AxisView = getattr(page.view, name)
    if axis.name not in known:
        return
    other = getattr(page.view, "y" if name == "x" else "x")
    choose, range_ = st.columns([3, 1], vertical_alignment="bottom", gap="small")

    def adopt(chosen: str) -> None:
        if chosen == other.name:
            # Both at once: the axes change places.
            page.put(replace(page.view, x=page.view.y, y=page.view.x))
        else:
            page.change(name, AxisView(chosen))

    with choose:
        page.widget(
            st.selectbox, name, axis.name, adopt, word, list(known),
            format_func=lambda n: known[n].label,
        )  # fmt: skip
    with (
        range_,
        st.popover("", icon=":material/straighten:", help="Where the axis begins and ends"),
    ):
        _range(page, name, known[axis.name])


def _range(page: Page[MapView], name: str, about: Number) -> None:
    axis: AxisView = getattr(page.view, name)
    board = page.view.board
    c = scene_of(board, uploads()).n_classes
    try:
        low, high = ends(axis, about, board, c)
    except ValueError:
        low, high = axis.low or about.low, axis.high or about.high

    def putting(which: str) -> Callable[[Any], None]:
        def put(value: Any) -> None:
            if value is not None:
                page.change(name, replace(getattr(page.view, name), **{which: float(value)}))

        return put

    st.caption(f"{about.label}, {about.range}")
    for which, word, value in (("low", "From", low), ("high", "To", high)):
        page.widget(
            st.number_input, f"{name}.{which}", float(value), putting(which), word,
            format="%.4g", step=None,
        )  # fmt: skip
    st.button(
        "Usual range", key=page.key(f"{name}.usual"), width="stretch",
        on_click=lambda: page.change(name, AxisView(axis.name)),
    )  # fmt: skip
