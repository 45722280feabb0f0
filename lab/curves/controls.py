"""The sidebar of the error curves."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

import streamlit as st

import datasets
from lab.board.view import METHOD_HELP, METHOD_TITLES, fresh_view
from lab.controls import setting
from lab.curves.figure import symbol
from lab.curves.view import LOG, SEED, STEPS, Curves
from lab.data import Data
from lab.page import Page
from lab.prior import prior_control
from mavr.experiments import factors
from mavr.experiments.design import LABELS
from mavr.methods import METHODS
from mavr.settings import Number, Parameters, declarations, scale_parameters

CurvesPage = Page[Curves]


def sidebar(page: CurvesPage) -> None:
    """All controls."""
    with st.sidebar:
        setting(page, "figure")
        if page.view.figure == "own":
            with st.expander("Data", expanded=True):
                _data(page)
            with st.expander("Factor", expanded=True):
                _factor(page)
            with st.expander("Held fixed", expanded=False):
                _fixed(page)
        with st.expander("Methods", expanded=True):
            _methods(page)
        with st.expander("Random repeats", expanded=True):
            samplings_and_seed(page, SEED, "Up to")


def samplings_and_seed(page: Page[Any], seed: Number, label: str) -> None:
    """How many samplings, and which."""
    about = declarations(page.view)["samplings"]
    options = list(about.options())
    page.field(st.segmented_control, "samplings", label, options, required=True, help=about.help)
    number(page, "seed", seed, page.view.seed, partial(page.change, "seed"))


def several(
    page: Page[Any], path: str, label: str, known: dict[str, str], help: str, word: str
) -> None:
    """A choice of one or more names; with none of them nothing changes."""

    def adopt(chosen: list[str]) -> None:
        page.change(path, tuple(name for name in known if name in chosen) or now)

    now = getattr(page.view, path)
    page.widget(
        st.multiselect, path, list(now), adopt, label, list(known), format_func=known.get,
        help=help, placeholder=f"one {word} or more",
    )  # fmt: skip


def _methods(page: CurvesPage) -> None:
    several(page, "methods", "Compare", METHOD_TITLES, METHOD_HELP, "method")
    setting(page, "show")
    view = page.view
    if view.show == "difference":
        labels = zip(st.columns(2), ("first", "second"), view.pair, strict=True)
        for column, path, method in labels:
            page.widget(
                column.selectbox, path, method, partial(page.change, path),
                declarations(view)[path].label, list(view.methods), format_func=METHOD_TITLES.get,
            )  # fmt: skip
    if view.figure == "paper":
        setting(page, "printed")


def number(
    page: Page[Any],
    name: str,
    about: Number,
    value: Any,
    adopt: Callable[[Any], None],
    label: str = "",
) -> None:
    """A field for a declared number; what is typed beyond its range becomes the nearest end."""
    kind = int if about.whole else float
    low = 0.0 if about.zero else about.low
    more: dict[str, Any] = {} if about.whole else {"format": "%.4g"}
    empty: tuple[None, ...] = ()
    if about.none:
        empty, more["placeholder"] = (None,), "no constraint"

    def take(typed: Any) -> None:
        adopt(None if typed is None else about.clamped(typed))

    page.widget(
        st.number_input, name, None if value is None else kind(value), take,
        label or about.label, kind(low), kind(about.high), *empty, help=about.help, **more,
    )  # fmt: skip


def _data(page: CurvesPage) -> None:
    page.widget(
        st.selectbox, "data", page.view.data, lambda name: page.show(for_data(page.view, name)),
        "Data set", list(datasets.GENERATORS),
        format_func=lambda name: datasets.GENERATORS[name].title,
    )  # fmt: skip


def for_data(view: Curves, name: str) -> Curves:
    """A data set in its usual setting, labels varying from one per class upwards."""
    usual = fresh_view(Data(name))
    classes = max(2, len({j for _, j in usual.marks.labels}))
    design = replace(
        view.design,
        source=datasets.Generated(name),
        arguments=(),
        setting=usual.setting,
        n_labelled=classes,
    )
    view = replace(view, figure="own", design=design).varying(LABELS.name)
    return replace(view, low=float(classes), high=float(max(20, 4 * classes)))


def _factor(page: CurvesPage) -> None:
    view = page.view
    known = factors(view.design.source)
    # Scales of other similarities change nothing; one that a link names is shown all the same.
    others = set(scale_parameters()) - set(view.design.setting.graph.arguments) - {view.factor}
    names = [name for name in known if name not in others]
    page.widget(
        st.selectbox, "factor", view.factor, lambda name: page.put(page.view.varying(name)),
        "Varies", names, format_func=lambda name: _factor_title(known[name]),
    )  # fmt: skip
    for column, name, label in zip(st.columns(2), ("low", "high"), ("From", "To"), strict=True):
        with column:
            _end(page, name, label)
    ends = (int(STEPS.low), int(STEPS.high))
    page.field(st.slider, "steps", STEPS.label, *ends, help=STEPS.help)
    page.field(st.toggle, "log", LOG.label, help=LOG.help)


def _end(page: CurvesPage, name: str, label: str) -> None:
    view = page.view
    # A sweep has no end "none".
    about = replace(view.about, none=False, help=view.about.range.removesuffix(" or None"))
    number(
        page, f"{name}.{view.factor}", about, getattr(view, name),
        lambda value: page.change(name, float(value)), label,
    )  # fmt: skip


def _factor_title(about: Number) -> str:
    return f"{about.word} {symbol(about).replace('_', '')}"


def _fixed(page: CurvesPage) -> None:
    view, design = page.view, page.view.design
    values = dict(design.arguments)
    for about in (*design.source.arguments, LABELS):
        value = values.get(about.name, design.n_labelled)
        if about.name != view.factor:
            number(page, about.name, about, value, _having(page, about.name))
    titles = dict(design.source.draws)
    page.widget(
        st.selectbox, "how", design.how, _having(page, "how"), "Labels drawn", list(titles),
        format_func=titles.get, help="How the points to label are chosen.",
    )  # fmt: skip
    for name in ("similarity", "laplacian", "self_loops"):
        setting(page, f"design.setting.graph.{name}")
    for about in design.setting.graph.about.parameters:
        if about.name != view.factor:
            value = design.setting.graph.value(about.name)
            number(page, about.name, about, value, _having(page, about.name))
    used = frozenset().union(*(METHODS[m].uses for m in view.methods))
    for name, about in declarations(Parameters).items():
        if name in used and name != view.factor and isinstance(about, Number):
            value = getattr(design.setting.parameters, name)
            number(page, name, about, value, _having(page, name), _factor_title(about))
    if "class_prior" in used:
        prior = design.setting.parameters.class_prior
        count = len(prior) if isinstance(prior, tuple) else 0
        prior_control(page, count, "design.setting.parameters.class_prior", own=False)


def _having(page: CurvesPage, name: str) -> Callable[[Any], None]:
    return lambda value: page.change("design", page.view.design.having(**{name: value}))
