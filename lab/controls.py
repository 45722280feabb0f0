"""The sidebar of a page with a board: what one uses most stands first."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Any

import streamlit as st

from datasets import DataError, Dataset
from datasets.sources import DRAWS
from lab.board.face import Classes, with_data
from lab.board.scene import drawn_labels, scene_of, suited
from lab.board.view import SECOND, View, fresh_view
from lab.data import GENERATORS, HIDDEN, SEED, Data, load, title
from lab.link import get_at
from lab.page import Page
from lab.prior import prior_control
from lab.sliders import Slider, sliders
from lab.text import plain
from lab.uploads import uploader, uploads
from mavr.methods import METHODS
from mavr.settings import Choice, Flag, GraphSpec, Number, Parameters, declarations

FILE_HELP = (
    "Numeric columns are features; a column named label, class, y or target holds classes, empty "
    "where unknown."
)
# Letters of all options together that fit side by side into the sidebar.
MAX_SEGMENTS = 26
BoardPage = Page[View]


def setting(page: Page[Any], path: str, **more: Any) -> Any:
    """The widget of a declared choice or flag at a dotted path of the view."""
    *parents, name = path.split(".")
    about = declarations(get_at(page.view, tuple(parents)))[name]
    if isinstance(about, Flag):
        widget, args = st.toggle, (about.label,)
    elif isinstance(about, Choice) and len("".join(about.options().values())) <= MAX_SEGMENTS:
        widget, args = st.segmented_control, (about.label, list(about.options()))
        more = {"format_func": about.options().get, "required": True} | more
    else:
        widget, args = st.selectbox, (about.label, list(about.options()))
        more = {"format_func": about.options().get} | more
    return page.field(widget, path, *args, help=about.help, **more)


def action(page: Page[Any], name: str, label: str, do: Callable[..., None], **more: Any) -> None:
    """A button as wide as the sidebar."""
    st.button(label, key=page.key(name), width="stretch", on_click=do, **more)


def usual_view(view: View) -> View:
    """The values that reset goes back to: the data set's own setting."""
    if view.data.uploaded and view.data.name not in uploads():
        return View()
    return fresh_view(view.data, uploads())


def parameter_sliders(view: View, usual: View) -> list[Slider]:
    """gamma, tau and balance where a method shown uses them, then those of the right method."""
    left, right = METHODS[view.left].uses, METHODS[view.right].uses
    found = _sliders(view.setting.parameters, usual.setting.parameters, left | right)
    if view.own:
        for s in _sliders(view.second, usual.second, right & set(SECOND)):
            link, word = f"{s.about.link}2", f"{s.about.label}, right"
            about = replace(s.about, link=link, word=word, symbol="", unit="")
            found.append(replace(s, about=about))
    return found


def _sliders(now: Parameters, usual: Parameters, names: Iterable[str]) -> list[Slider]:
    return [
        Slider(about, getattr(now, name), getattr(usual, name))
        for name, about in declarations(Parameters).items()
        if name in names and isinstance(about, Number)
    ]


def graph_sliders(spec: GraphSpec, usual: GraphSpec) -> list[Slider]:
    """The parameters of the similarity in use."""
    found = []
    for about in spec.about.parameters:
        back = usual.value(about.name) if usual.similarity == spec.similarity else about.usual
        found.append(Slider(about, spec.value(about.name), back))
    return found


def data_sliders(data: Data) -> list[Slider]:
    """The parameters of a generated set."""
    values = data.values
    return [Slider(replace(p, link=f"p.{p.name}"), values[p.name], p.usual) for p in data.numbers]


def _main(page: BoardPage, face: Classes) -> None:
    """In a fragment: the settings one uses most."""
    view, usual = page.view, usual_view(page.view)
    items = parameter_sliders(view, usual) + graph_sliders(view.setting.graph, usual.setting.graph)
    sliders(page, face, "main", items)


def method_controls(page: BoardPage) -> None:
    left, right = st.container(key="sides").columns(2)
    with left:
        setting(page, "left")
    with right:
        setting(page, "right")
    if set(SECOND) & METHODS[page.view.right].uses:
        setting(page, "own")
    used = METHODS[page.view.left].uses | METHODS[page.view.right].uses
    source = _loaded(page) if "class_prior" in used else None
    if source is not None:
        prior_control(page, source.n_classes + page.view.marks.extra)


def data_controls(page: BoardPage, face: Classes, names: Iterable[str]) -> None:
    """Which data set, its sliders and its seed."""
    data, files = page.view.data, uploads()
    options = [*names, *files]
    options += [data.name] if data.name not in options else []
    page.widget(
        st.selectbox, "data", data.name, lambda name: show_data(page, Data(name)), "Data set",
        options, format_func=lambda name: title(name, files),
    )  # fmt: skip
    if data.uploaded:
        if data.name in files and files[data.name].note:
            st.caption(plain(files[data.name].note))
        return
    st.caption(GENERATORS[data.name].help)
    st.fragment(sliders, key=page.key("points"))(page, face, "data", data_sliders(data))
    page.widget(
        st.number_input, "seed", data.seed,
        lambda seed: page.put(with_data(page.view, replace(data, seed=int(seed)), uploads())),
        SEED.label, 0, int(SEED.high), help=SEED.help,
    )  # fmt: skip


def show_data(page: BoardPage, data: Data) -> None:
    """Another data set in its own setting; what is shown of it stays."""
    kept = ("left", "right", "shade", "errors", "disagree")
    fresh = fresh_view(data, uploads())
    page.show(replace(fresh, **{name: getattr(page.view, name) for name in kept}))


def unknown_control(page: BoardPage) -> None:
    """Hide one class: every other gets one label."""
    data = page.view.data
    plain_set = load(replace(data, unknown=-1), uploads())
    names = plain_set.class_names
    page.widget(
        st.selectbox, "unknown", data.unknown,
        lambda j: page.show(fresh_view(replace(data, unknown=int(j)), uploads())),
        HIDDEN.label, range(-1, plain_set.n_classes),
        format_func=lambda j: "as given" if j < 0 else names[j],
        help="One label for every class but this one, which P repels from all others.",
    )  # fmt: skip


def label_controls(page: BoardPage, source: Dataset) -> None:
    """Draw labels at random, restore the given ones, or clear them."""
    names, key = source.class_names, page.key
    if source.y is not None:
        how = st.selectbox(
            "Draw labels",
            list(DRAWS),
            key=key("draw_how"),
            format_func=lambda name: DRAWS[name],
            help="How the points to label are chosen.",
        )
        count, seed = st.columns(2)
        usual = 1 if how == "per_class" else len(names)
        l = count.number_input("How many", 1, 500, min(usual, 500), key=key(f"draw_l.{how}"))
        s = seed.number_input("Draw seed", 0, 99_999, 0, key=key("draw_seed"))
        withheld = st.multiselect(
            "Classes left without labels",
            range(len(names)),
            key=key("withheld"),
            format_func=lambda j: names[j],
            help="Classes that get no label: can the method find them?",
            placeholder="none",
        )
        asked = (page, int(l), str(how), int(s), list(withheld))
        action(page, "draw", "Draw labels", _draw, args=asked)
    action(
        page, "restore", "Restore given labels",
        lambda: page.change("marks.labels", usual_view(page.view).marks.labels),
        help="Those the data set comes with.",
    )  # fmt: skip
    action(page, "clear", "Clear", lambda: page.change("marks.labels", ()))
    if problem := st.session_state.pop(key("draw_problem"), None):
        st.error(plain(problem), icon=":material/error:")


def _draw(page: BoardPage, count: int, how: str, seed: int, withheld: list[int]) -> None:
    """New labels at random in place of all others."""
    try:
        labels = drawn_labels(scene_of(page.view, uploads()), count, how, seed, withheld)
    except DataError as error:
        st.session_state[page.key("draw_problem")] = str(error)
        return
    page.change("marks.labels", labels)


def graph_controls(page: BoardPage) -> None:
    for name in ("similarity", "laplacian", "self_loops"):
        setting(page, f"setting.graph.{name}")


def show_controls(page: BoardPage) -> None:
    for name in ("shade", "errors", "disagree", "suggest"):
        setting(page, name)


def sidebar(
    page: BoardPage, face: Classes, names: Iterable[str], *, hide_a_class: bool = False
) -> None:
    """The whole sidebar of a page with a board of classes."""
    with st.sidebar:
        source = _loaded(page)
        if source is not None:
            _suit(page, source)
            st.fragment(_main, key=page.key("main"))(page, face)
            with st.expander("Methods", expanded=True):
                method_controls(page)
        with st.expander("Data", expanded=True):
            data_controls(page, face, names)
            if hide_a_class and source is not None and source.y is not None:
                unknown_control(page)
        if source is not None:
            with st.expander("Graph"):
                graph_controls(page)
            with st.expander("Labels"):
                label_controls(page, source)
            with st.expander("Show"):
                show_controls(page)
        uploader(page, "Your own points (CSV or NPZ)", FILE_HELP, lambda name: _opened(page, name))


def _suit(page: BoardPage, source: Dataset) -> None:
    """So many points take a sparse graph by themselves, whatever the link or the box says."""
    fitting = suited(page.view, source.n)
    if fitting != page.view:
        page.put(fitting)
        st.caption(
            f"{source.n:,} points take the graph of nearest neighbours: the others would join "
            "every two points."
        )


def _loaded(page: BoardPage) -> Dataset | None:
    try:
        return load(page.view.data, uploads())
    except DataError:
        return None  # the file of a link is missing: the page says so


def _opened(page: BoardPage, name: str) -> None:
    # A link to this very file keeps its labels and settings.
    if page.view.data.name != name:
        page.show(fresh_view(Data(name), uploads()))
