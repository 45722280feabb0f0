"""A few controls of a board by name: what a step of a lesson, or a lesson link, leaves to move."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from typing import Any, TypeVar

import streamlit as st

from datasets import DataError
from lab import controls
from lab.board import details
from lab.board.face import Classes
from lab.board.view import SECOND, View
from lab.data import GENERATORS, load
from lab.map.view import MapView
from lab.page import Page
from lab.sets import controls as sets
from lab.sets import details as sets_details
from lab.sets.answers import Result as SetResult
from lab.sets.face import Sets
from lab.sets.view import LabelView, source_of
from lab.sliders import Slider, sliders
from lab.uploads import uploads
from mavr.settings import Parameters, declarations, scale_parameters

V = TypeVar("V")

# Beside the sliders, which have the names of their numbers in a link.
GROUPS = {
    "methods": "Methods",
    "data": "Data set",
    "graph": "Graph",
    "draw": "Draw labels",
    "show": "What is shown",
    "P": "Class relation P",
    "split": "Split the tie",
}
SET_GROUPS = {
    "data": "Data set",
    "draw": "Draw labels",
    "graph": "Graph",
    "threshold": "Threshold",
    "P": "Class relation P",
    "measures": "Measures",
}
MAP_GROUPS = {
    **{"axes": "Axes", "colour": "Colour"},
    **{name: GROUPS[name] for name in ("methods", "data", "graph", "draw", "show")},
}


def known_controls() -> tuple[str, ...]:
    """Every name of a control of a board of classes."""
    numbers = [about.link for about in declarations(Parameters).values()]
    second = [f"{declarations(Parameters)[name].link}2" for name in SECOND]
    scales = [about.link for about in scale_parameters().values()]
    data = [f"p.{p.name}" for made in GENERATORS.values() for p in made.params]
    return tuple(dict.fromkeys([*numbers, *second, *scales, *data, *GROUPS]))


def offered(view: View) -> dict[str, str]:
    """Controls that a view has now, by name, with their words."""
    return _words(_sliders(view)) | GROUPS


def offered_map(view: MapView) -> dict[str, str]:
    """Controls of a map, by name, with their words."""
    return _words(_sliders(view.board)) | MAP_GROUPS


def _words(items: Iterable[Slider]) -> dict[str, str]:
    return {s.about.link: s.about.label for s in items}


def _sliders(view: View) -> list[Slider]:
    usual = controls.usual_view(view)
    return [
        *controls.parameter_sliders(view, usual),
        *controls.graph_sliders(view.setting.graph, usual.setting.graph),
        *controls.data_sliders(view.data),
    ]


def _beside(
    page: Page[V],
    face: Any,
    names: Collection[str],
    known: Callable[[V], list[Slider]],
    groups: Mapping[str, Callable[[], Any]],
) -> None:
    """The sliders, then the groups of controls, in the order of the names."""

    def numbers() -> None:
        found = {s.about.link: s for s in known(page.view)}
        sliders(page, face, "few", [found[name] for name in names if name in found])

    st.fragment(numbers, key=page.key("few"))()
    for name in names:
        if name in groups:
            with st.container(key=f"lesson_group_{name}"):
                groups[name]()


def beside(page: Page[View], face: Classes, names: Collection[str]) -> None:
    """The controls that stand beside the board."""
    groups = {
        "methods": lambda: controls.method_controls(page),
        "data": lambda: controls.data_controls(page, face, GENERATORS_OF_CLASSES),
        "graph": lambda: controls.graph_controls(page),
        "draw": lambda: _draw(page),
        "show": lambda: controls.show_controls(page),
        "split": lambda: controls.setting(page, "split"),
    }
    _beside(page, face, names, _sliders, groups)


GENERATORS_OF_CLASSES = tuple(name for name in GENERATORS if name != "multilabel")


def _draw(page: Page[View]) -> None:
    try:
        controls.label_controls(page, load(page.view.data, uploads()))
    except DataError:
        return  # the file of a link is missing: the board says so


def below(page: Page[View], face: Classes, names: Iterable[str], result: Any) -> None:
    """The controls that need an answer."""
    if "P" in names:
        details.relation_editor(page, face, result)


def offered_sets(view: LabelView) -> dict[str, str]:
    """Controls of a board of label sets, by name, with their words."""
    return _words(_set_sliders(view)) | SET_GROUPS


def _set_sliders(view: LabelView) -> list[Slider]:
    return [*sets.main_sliders(view), *controls.data_sliders(view.data)]


def beside_sets(page: Page[LabelView], face: Sets, names: Collection[str]) -> None:
    """The same for a board of label sets."""
    groups = {
        "data": lambda: sets.data_controls(page, face),
        "draw": lambda: sets.label_controls(page, face, source_of(page.view, uploads())),
        "graph": lambda: sets.graph_controls(page),
    }
    try:
        source_of(page.view, uploads())
    except DataError:
        groups = {}  # the file of a link is missing: the board says so
    _beside(page, face, names, _set_sliders, groups)


def below_sets(page: Page[LabelView], face: Sets, names: Iterable[str], result: SetResult) -> None:
    if "P" in names:
        sets_details.relation_panel(page, face, result)
        sets_details.formula(page, face)
    if "measures" in names:
        sets_details.measures(page, result)
