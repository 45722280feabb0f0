"""The sidebar of the error curves. Widgets are filled from the view, and read back into it."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import streamlit as st

import datasets
from lab.controls import DRAW_NAMES, LAPLACIAN_NAMES, SIMILARITY_NAMES
from lab.pagestate import PageState
from lab.session import fresh_view
from lab.sweeps import (
    MAX_SEED,
    MAX_STEPS,
    TARGETS,
    Curves,
    axis,
    from_query,
    full_params,
    to_query,
)
from mavr.experiments import factors
from mavr.experiments.sweep import WHOLE_NUMBERS
from mavr.methods import METHODS

PAGE = "curves"
FIGURES = {"paper": "The paper's six", "own": "Your own"}
SHOWN = {"error": "Error", "difference": "Difference"}


STATE = PageState(PAGE, Curves, from_query, to_query)
_key, _widget = STATE.key, STATE.widget
open_view, show, save_link = STATE.open, STATE.show, STATE.save


def sidebar(view: Curves) -> Curves:
    """All controls; the view they mean."""
    with st.sidebar:
        figure = _widget(
            st.segmented_control, view, "figure", "Figure", list(FIGURES),
            format_func=FIGURES.get, required=True,
            help="The six panels of the paper, or one factor of any data set.",
        )  # fmt: skip
        view = replace(view, figure=figure)
        if figure == "own":
            view = _own(view)
        with st.expander("Methods", expanded=True):
            view = _methods(view)
        with st.expander("Samplings", expanded=True):
            target = _widget(
                st.segmented_control, view, "samplings", "Up to", list(TARGETS), required=True,
                help="Each sampling draws the points and the labelled ones anew.",
            )  # fmt: skip
            seed = _widget(
                st.number_input, view, "seed", "Seed", 0, MAX_SEED,
                help="Another seed draws other samplings, the same for all methods and settings.",
            )  # fmt: skip
    return replace(view, samplings=int(target), seed=int(seed))


def _methods(view: Curves) -> Curves:
    key = _key("w.methods")
    st.session_state.setdefault(key, list(view.methods))
    chosen = st.multiselect(
        "Compare",
        list(METHODS),
        key=key,
        format_func=lambda m: METHODS[m].title,
        help="  \n".join(f"**{m.title}**: {m.help}" for m in METHODS.values()),
    )
    methods = tuple(chosen) or view.methods
    shown = _widget(
        st.segmented_control, view, "show", "Show", list(SHOWN), format_func=SHOWN.get,
        required=True,
        help="Errors of all methods, or the paired difference of two with its 95 % interval.",
    )  # fmt: skip
    view = replace(view, methods=methods, show=shown)
    if shown == "difference":
        left, right = st.columns(2)
        view = replace(view, first=_one_of(left, view, "first", methods, 0))
        view = replace(view, second=_one_of(right, view, "second", methods, 1))
    if view.figure == "paper":
        printed = _widget(
            st.toggle, view, "printed", "Printed curves behind",
            help="As read off the paper's figure (LGC, BAVR and MAVR).",
        )  # fmt: skip
        view = replace(view, printed=printed)
    return view


def _one_of(column: Any, view: Curves, name: str, methods: tuple[str, ...], place: int) -> str:
    key = _key(f"w.{name}")
    if st.session_state.get(key, getattr(view, name)) not in methods:
        st.session_state[key] = methods[min(place, len(methods) - 1)]
    label = "Of" if name == "first" else "minus"
    return _widget(
        column.selectbox, view, name, label, list(methods),
        format_func=lambda m: METHODS[m].title,
    )  # fmt: skip


def _own(view: Curves) -> Curves:
    with st.expander("Data", expanded=True):
        st.session_state.setdefault(_key("w.data"), view.data)
        st.selectbox(
            "Data set",
            list(datasets.GENERATORS),
            key=_key("w.data"),
            format_func=lambda name: datasets.GENERATORS[name].title,
            on_change=_data_changed,
        )
    with st.expander("Factor", expanded=True):
        view = _factor(view)
    with st.expander("Held fixed", expanded=False):
        view = _fixed(view)
    return view


def _data_changed() -> None:
    """A new data set comes in its own setting."""
    view: Curves = st.session_state[_key("view")]
    show(for_data(view, st.session_state[_key("w.data")]))


def for_data(view: Curves, data: str) -> Curves:
    """A data set in its usual setting, labels varying from one per class upwards."""
    usual = fresh_view(data)
    c = len({j for _, j in usual.marks.labels})
    return replace(
        view,
        figure="own",
        data=data,
        params=(),
        factor="n_labelled",
        low=float(max(c, 2)),
        high=float(max(20, 4 * c)),
        log=False,
        similarity=usual.similarity,
        sigma=usual.sigma,
        n_neighbors=usual.n_neighbors,
        laplacian=usual.laplacian,
        n_labelled=max(c, 2),
        gamma=usual.gamma,
        tau_factor=usual.tau,
        balance=usual.balance,
    )


def _factor(view: Curves) -> Curves:
    choices = list(factors(view.data))
    st.session_state.setdefault(_key("w.factor"), view.factor)
    factor = st.selectbox(
        "Varies",
        choices,
        key=_key("w.factor"),
        format_func=lambda f: f"{axis(f, view.data).title} {axis(f, view.data).symbol}".replace(
            "_", ""
        ),
        on_change=_factor_changed,
    )
    low, high = st.columns(2)
    whole = factor in WHOLE_NUMBERS
    for column, name, label in ((low, "low", "From"), (high, "high", "To")):
        value = _widget(
            column.number_input, view, name, label, 1e-9, 1e12,
            format="%.0f" if whole else "%.4g",
        )  # fmt: skip
        view = replace(view, **{name: float(value)})
    steps = _widget(st.slider, view, "steps", "Values", 2, MAX_STEPS)
    log = _widget(st.toggle, view, "log", "In equal ratios", help="A logarithmic axis.")
    return replace(view, factor=factor, steps=int(steps), log=bool(log))


def _factor_changed() -> None:
    view: Curves = st.session_state[_key("view")]
    factor = st.session_state[_key("w.factor")]
    about = axis(factor, view.data)
    # A slider's range may begin at 0, where there is nothing to see on any axis.
    low = about.low or about.high / 20
    show(replace(view, factor=factor, low=float(low), high=float(about.high), log=about.log))


def _fixed(view: Curves) -> Curves:
    params = full_params(view)
    for p in datasets.GENERATORS[view.data].params:
        if p.name == view.factor:
            continue
        key = _key(f"w.p.{p.name}")
        st.session_state.setdefault(key, p.check(params[p.name]))
        params[p.name] = st.slider(p.label, p.low, p.high, key=key, help=p.help)
    view = replace(view, params=tuple(sorted(params.items())))
    if view.factor != "n_labelled":
        view = _number(view, "n_labelled", "Labels l", 1, 500)
    for name, label, names in (
        ("how", "Labels drawn", DRAW_NAMES),
        ("similarity", "Similarity", SIMILARITY_NAMES),
        ("laplacian", "Laplacian", LAPLACIAN_NAMES),
    ):
        chosen = _widget(st.selectbox, view, name, label, list(names), format_func=names.get)
        view = replace(view, **{name: chosen})
    scale = "sigma" if view.similarity == "gaussian" else "n_neighbors"
    labels: dict[str, tuple[str, Any, Any]] = {
        "sigma": ("Width σ", 1e-6, 1e6),
        "n_neighbors": ("Neighbours k", 1, 60),
        "gamma": ("Weight γ", 1e-6, 1e12),
        "tau_factor": ("Norm τ/√l", 1e-6, 1e12),
        "balance": ("Balance γ′", 0.0, 1e6),
    }
    for name in (scale, "gamma", "tau_factor", "balance"):
        if name != view.factor and not (name == "tau_factor" and view.factor == "tau"):
            view = _number(view, name, *labels[name])
    return view


def _number(view: Curves, name: str, label: str, low: Any, high: Any) -> Curves:
    more = {} if isinstance(low, int) else {"format": "%.4g"}
    value = _widget(st.number_input, view, name, label, low, high, **more)
    return replace(view, **{name: type(getattr(view, name))(value)})
