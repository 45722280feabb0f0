"""The sidebar: every control with its scale, one line of help and a way back to its usual value."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

import numpy as np
import streamlit as st

import datasets
from lab import cache
from lab.session import WIDGET_FIELDS, Session, add_upload, draw, fresh_view, uploads
from lab.view import View
from mavr.methods import METHODS

SIMILARITY_NAMES = {
    "gaussian": "Gaussian, width σ",
    "local_scaling": "Self-tuned (local scaling)",
    "cosine": "Cosine, mutual neighbours",
    "knn": "Nearest neighbours, sparse",
}
LAPLACIAN_NAMES = {"normalized": "normalized", "unnormalized": "unnormalized"}
DRAW_NAMES = {
    "balanced": "balanced over classes",
    "per_class": "this many per class",
    "stratified": "as the class sizes",
    "uniform": "any points",
}


def logarithmic(low: float, high: float, per_decade: int = 4) -> tuple[float, ...]:
    """Values from low to high in equal ratios, written with two digits."""
    count = round(np.log10(high / low) * per_decade) + 1
    return tuple(float(f"{v:.2g}") for v in np.geomspace(low, high, count))


@dataclass(frozen=True)
class Scale:
    """A parameter on a logarithmic slider."""

    label: str
    help: str
    values: tuple[float, ...]


GAMMA = logarithmic(1e-3, 1e9, 4)
TAU = logarithmic(1e-3, 1e8, 4)
SCALES = {
    "sigma": Scale(
        "Width σ",
        "Points closer than about 2σ count as similar.",
        logarithmic(0.02, 20, 12),
    ),
    "gamma": Scale(
        "Smoothness γ", "Weight of the volume term: larger means smoother responses.", GAMMA
    ),
    "tau": Scale(
        "Norm τ / √l",
        "Size of all responses together, as a multiple of √(number of labels). Only γτ matters "
        "while balance is 0.",
        TAU,
    ),
    "balance": Scale(
        "Balance γ′",
        "Pulls the total response of all classes together. With few labels it prevents one class "
        "from taking everything.",
        (0.0, *logarithmic(1e-3, 1e3, 4)),
    ),
    "lambda_A": Scale("LapRLS λ_A", "Weight of the kernel norm.", logarithmic(1e-6, 1e3, 2)),
    "lambda_I": Scale(
        "LapRLS λ_I", "Weight of smoothness on the graph.", logarithmic(1e-3, 1e6, 2)
    ),
}
SCALES |= {f"{name}_2": SCALES[name] for name in ("gamma", "tau", "balance")}


def _format(value: float) -> str:
    if value == 0:
        return "0"
    if 1e-3 <= abs(value) < 1e5:
        return f"{value:g}"
    return f"{value:.1e}".replace("e+0", "e").replace("e-0", "e-").replace("e+", "e")


def scale(session: Session, name: str, usual: float, label: str | None = None) -> float:
    """A logarithmic slider; a value from a link that is none of its steps becomes one."""
    s, key = SCALES[name], session.key(name)
    value = float(st.session_state[key])
    options = sorted({*s.values, value, usual})
    # The button keeps its place, unseen at the usual value: a slider that moved on the page while
    # it is dragged would be a new one to the browser, and lose the hand on it.
    slider, back = st.columns([6, 1], vertical_alignment="bottom", gap="small")
    with slider:
        chosen = st.select_slider(
            label or s.label, options, key=key, format_func=_format, help=s.help
        )
    back.button(
        "",
        icon=":material/restart_alt:",
        key=f"{key}.reset",
        help=f"Back to {_format(usual)}",
        type="tertiary",
        disabled=value == usual,
        on_click=_set,
        args=(key, usual),
    )
    return chosen


def _set(key: str, value: object) -> None:
    st.session_state[key] = value


def usual_view(view: View) -> View:
    """The values that reset goes back to: the data set's own setting."""
    if view.data.startswith("file:") and view.data not in uploads():
        return View()
    return fresh_view(view.data, dict(view.params), view.seed, view.unknown)


def data_controls(session: Session, names: Iterable[str]) -> None:
    """Which data set, its sliders and its seed. Changing them starts afresh."""
    key = session.key("data")
    options = [*names, *(d for d in uploads())]
    if st.session_state[key] not in options:
        options.append(st.session_state[key])
    st.selectbox(
        "Data set",
        options,
        key=key,
        format_func=_data_title,
        on_change=_data_changed,
        args=(session,),
    )
    generator = datasets.GENERATORS.get(session.view.data)
    if generator is None:
        return
    st.caption(generator.help)
    values = dict(session.view.params)
    for p in generator.params:
        name = session.key(f"p.{p.name}")
        st.session_state.setdefault(name, values.get(p.name, p.usual))
        st.slider(
            p.label,
            p.low,
            p.high,
            key=name,
            help=p.help,
            on_change=_params_changed,
            args=(session,),
        )
    st.number_input(
        "Seed",
        0,
        99_999,
        key=session.key("seed"),
        help="Another seed draws another sample and other labels.",
        on_change=_params_changed,
        args=(session,),
    )


def _data_title(name: str) -> str:
    if name in datasets.GENERATORS:
        return datasets.GENERATORS[name].title
    known = uploads().get(name)
    return known.name if known else "a file not uploaded yet"


def _data_changed(session: Session) -> None:
    keep = {k: getattr(session.view, k) for k in ("left", "right", "shade", "errors", "disagree")}
    session.show(replace(fresh_view(st.session_state[session.key("data")]), **keep))


def _params_changed(session: Session) -> None:
    """New points: the parameters stay, the labels are drawn again for the new points."""
    view = session.view
    generator = datasets.GENERATORS[view.data]
    params = {p.name: st.session_state[session.key(f"p.{p.name}")] for p in generator.params}
    changed = {p.name: params[p.name] for p in generator.params if params[p.name] != p.usual}
    seed = int(st.session_state[session.key("seed")])
    fresh = fresh_view(view.data, changed, seed, view.unknown)
    view = replace(view, params=fresh.params, seed=seed, marks=fresh.marks)
    session.view = view
    session.history = type(session.history)(view.marks)
    session.curve = []


def unknown_control(session: Session, source: datasets.Dataset) -> None:
    """Hide one class: it becomes the first, and every other gets one label."""
    plain = cache.dataset(replace(session.view, unknown=-1), uploads())
    key = session.key("unknown")
    st.session_state.setdefault(key, session.view.unknown)
    st.selectbox(
        "All but one class known",
        range(-1, plain.n_classes),
        key=key,
        format_func=lambda j: "as the paper" if j < 0 else f"{plain.class_names[j]} unknown",
        on_change=_unknown_changed,
        args=(session,),
        help="One label for every class but this one. It becomes class 1, which "
        "P repels from all others.",
    )


def _unknown_changed(session: Session) -> None:
    view, unknown = session.view, int(st.session_state[session.key("unknown")])
    session.show(fresh_view(view.data, dict(view.params), view.seed, unknown))


def upload_control(session: Session) -> None:
    file = st.file_uploader(
        "Your own points (CSV or NPZ)",
        type=["csv", "tsv", "txt", "npz"],
        key=session.key("file"),
        help="Numeric columns are features; a column named label, class, y or target holds "
        "classes, empty where unknown.",
    )
    seen = session.key("file_seen")
    if file is None:
        return
    if st.session_state.get(seen) != file.file_id:
        st.session_state[seen] = file.file_id
        st.session_state.pop(session.key("file_error"), None)
        try:
            name = add_upload(file.getvalue(), file.name)
        except datasets.DataError as error:
            st.session_state[session.key("file_error")] = str(error)
        else:
            # A link to this very file keeps its labels and settings.
            if session.view.data != name:
                session.show(fresh_view(name))
                st.session_state[seen] = file.file_id
            st.rerun()
    if problem := st.session_state.get(session.key("file_error")):
        st.error(problem, icon=":material/error:")


def label_controls(session: Session, names: tuple[str, ...], has_truth: bool) -> None:
    """Draw labels at random, or clear them."""
    if has_truth:
        how = st.selectbox(
            "Draw labels",
            list(DRAW_NAMES),
            key=session.key("draw_how"),
            format_func=DRAW_NAMES.get,
            help="How the points to label are chosen.",
        )
        count, seed = st.columns(2)
        l = count.number_input(
            "How many",
            1,
            500,
            1 if how == "per_class" else len(names),
            key=session.key(f"draw_l.{how}"),
        )
        s = seed.number_input(
            "Draw", 0, 99_999, 0, key=session.key("draw_seed"), help="Seed of the draw."
        )
        withheld = st.multiselect(
            "Withhold classes",
            list(names),
            key=session.key("withheld"),
            help="Classes that get no label: can the method find them?",
            placeholder="none",
        )
    left, right = st.columns(2)
    if has_truth:
        left.button(
            "Draw",
            key=session.key("draw"),
            width="stretch",
            on_click=_draw,
            args=(session, int(l), how, int(s), [names.index(w) for w in withheld]),
        )
    right.button(
        "Clear",
        key=session.key("clear"),
        width="stretch",
        on_click=lambda: session.put(replace(session.view.marks, labels=())),
    )
    if problem := st.session_state.pop(session.key("draw_error"), None):
        st.error(problem, icon=":material/error:")


def _draw(session: Session, count: int, how: str, seed: int, withheld: list[int]) -> None:
    try:
        draw(session, count, how, seed, withheld)
    except datasets.DataError as error:
        st.session_state[session.key("draw_error")] = str(error)


def graph_controls(session: Session, usual: View, n: int) -> None:
    similarity = st.selectbox(
        "Similarity",
        list(SIMILARITY_NAMES),
        key=session.key("similarity"),
        format_func=SIMILARITY_NAMES.get,
        help="What makes two points neighbours on the graph.",
    )
    if similarity == "gaussian":
        scale(session, "sigma", usual.sigma)
    else:
        key = session.key("n_neighbors")
        most = max(2, min(60, n - 1))
        st.session_state[key] = min(max(int(st.session_state[key]), 1), most)
        st.slider(
            "Neighbours k",
            1,
            most,
            key=key,
            help="How many nearest points set a point's scale or edges.",
        )
    st.segmented_control(
        "Laplacian",
        list(LAPLACIAN_NAMES),
        key=session.key("laplacian"),
        format_func=LAPLACIAN_NAMES.get,
        help="Normalized weighs every point alike; unnormalized lets well-connected points "
        "resist more.",
        required=True,
    )


def method_controls(session: Session, usual: View) -> None:
    left, right = st.columns(2)
    for column, name, label in ((left, "left", "Left"), (right, "right", "Right")):
        column.selectbox(
            label,
            list(METHODS),
            key=session.key(name),
            format_func=lambda m: METHODS[m].title,
            help="  \n".join(f"**{m.title}**: {m.help}" for m in METHODS.values()),
        )
    chosen = [METHODS[st.session_state[session.key(n)]] for n in ("left", "right")]
    uses = chosen[0].uses | chosen[1].uses
    for name, symbol in (("gamma", "gamma"), ("tau", "tau"), ("balance", "balance")):
        if symbol in uses:
            scale(session, name, getattr(usual, name))
    if {"gamma", "tau", "balance"} & chosen[1].uses:
        own = st.toggle(
            "Own parameters on the right",
            key=session.key("own"),
            help="Compare two settings, of one method or of two.",
        )
        if own:
            for name in ("gamma", "tau", "balance"):
                if name in chosen[1].uses:
                    scale(
                        session, f"{name}_2", getattr(usual, name), f"{SCALES[name].label}, right"
                    )
    if "lambda_A" in uses:
        scale(session, "lambda_A", 1e-3)
        scale(session, "lambda_I", 99.0)


def show_controls(session: Session) -> None:
    st.toggle(
        "Shade the plane",
        key=session.key("shade"),
        help="Colour the space between the points by what the method would say there.",
    )
    st.toggle(
        "Ring errors", key=session.key("errors"), help="A ring around points whose class is wrong."
    )
    st.toggle(
        "Ring disagreement",
        key=session.key("disagree"),
        help="A ring around points that the two methods answer differently.",
    )
    st.toggle(
        "What to label next",
        key=session.key("suggest"),
        help="Marks the least certain point, and the point whose label would lower the "
        "variance of all responses most.",
    )


def sidebar(session: Session, names: Iterable[str], *, hide_a_class: bool = False) -> None:
    """The whole sidebar of a page with a point canvas; afterwards the view is what it says."""
    with st.sidebar:
        with st.expander("Data", expanded=True):
            data_controls(session, names)
            upload_control(session)
        try:
            source = cache.dataset(session.view, uploads())
        except datasets.DataError:
            return  # the file of a link is missing: the page says so, the uploader is above
        usual = usual_view(session.view)
        if hide_a_class and source.y is not None:
            unknown_control(session, source)
        with st.expander("Methods", expanded=True):
            method_controls(session, usual)
        with st.expander("Graph", expanded=not hide_a_class):
            graph_controls(session, usual, source.n)
        with st.expander("Labels", expanded=False):
            label_controls(session, source.class_names, source.y is not None)
        with st.expander("Show", expanded=False):
            show_controls(session)
    _read(session)


def _read(session: Session) -> None:
    """Widgets into the view. What a page does not show keeps its value."""
    values = {name: st.session_state.get(session.key(name)) for name in WIDGET_FIELDS}
    # A new data set or seed makes a new view, in its own callback.
    shown = {k: v for k, v in values.items() if v is not None and k not in ("data", "seed")}
    session.view = replace(session.view, **shown)
