"""The sidebar of the multi-label page, and the row of the threshold."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import streamlit as st

from datasets import DataError, Dataset
from lab.controls import action, data_sliders, graph_sliders, setting
from lab.data import GENERATORS, SEED, Data, title
from lab.page import Page
from lab.prior import prior_control
from lab.sets.answers import Result, reach
from lab.sets.face import Sets
from lab.sets.labels import Labels, given
from lab.sets.view import THRESHOLD, TOY, LabelView, fresh_view, preset, source_of
from lab.sliders import Slider, sliders
from lab.text import plain
from lab.uploads import uploader, uploads
from mavr.settings import Number, Parameters, declarations

# Some points must be left to be judged.
MAX_SHARE = 0.9
FILE_HELP = (
    "NPZ with X and Y, one column of Y per label: 1 and 0, NaN where unknown; or 1, -1 and 0, "
    "where 0 is unknown. CSV: numeric columns, and a column label:name for each label with 1, 0 "
    "or nothing."
)
LabelPage = Page[LabelView]


def main_sliders(view: LabelView) -> list[Slider]:
    """The settings one uses most."""
    usual = fresh_view(view.data, uploads()).setting
    now = view.setting.parameters
    items = [
        Slider(about, getattr(now, name), getattr(usual.parameters, name) or about.usual)
        for name, about in declarations(Parameters).items()
        if name in ("gamma", "balance") or (name == "tau" and now.tau is not None)
    ]
    return items + graph_sliders(view.setting.graph, usual.graph)


def _main(page: LabelPage, face: Sets) -> None:
    """In a fragment."""
    sliders(page, face, "main", main_sliders(page.view))


def graph_controls(page: LabelPage) -> None:
    """How points become a graph."""
    setting(page, "setting.graph.similarity")
    setting(page, "setting.graph.laplacian")
    setting(page, "standardise")


def data_controls(page: LabelPage, face: Sets) -> None:
    """The toy set with its size and seed, or a file."""
    data, files = page.view.data, uploads()
    options = list(dict.fromkeys([TOY, *files, data.name]))
    page.widget(
        st.selectbox, "data", data.name, lambda name: _show(page, name), "Data set", options,
        format_func=lambda name: title(name, files),
    )  # fmt: skip
    if problem := st.session_state.pop(page.key("data_problem"), None):
        st.error(plain(problem), icon=":material/error:")
    if data.uploaded:
        return
    st.caption(GENERATORS[TOY].help)
    st.fragment(sliders, key=page.key("points"))(page, face, "data", data_sliders(data))
    page.widget(
        st.number_input, "seed", data.seed,
        lambda seed: page.put(face.changed(page.view, {"seed": str(int(seed))}, uploads())),
        SEED.label, 0, int(SEED.high), help="Another sample.",
    )  # fmt: skip


def _show(page: LabelPage, name: str) -> None:
    try:
        page.show(fresh_view(Data(name), uploads()))
    except DataError as error:
        st.session_state[page.key("data_problem")] = str(error)


def labelled_share(data: Dataset, labels: Labels) -> float:
    """The share of the points that are labelled now."""
    return float(given(data, labels).any(axis=1).mean())


def share_slider(view: LabelView, data: Dataset) -> Slider:
    """How many points have labels; back to as many as the set comes with."""
    usual = fresh_view(view.data, uploads()).labels
    now, back = (
        labels.share if labels.share >= 0 else round(labelled_share(data, labels), 2)
        for labels in (view.labels, usual)
    )
    about = declarations(Labels)["share"]
    assert isinstance(about, Number)
    return Slider(replace(about, low=0.0, shown=(0.0, MAX_SHARE)), now, back)


def _share(page: LabelPage, face: Sets, data: Dataset) -> None:
    """In a fragment."""
    sliders(page, face, "share", [share_slider(page.view, data)])


def label_controls(page: LabelPage, face: Sets, data: Dataset) -> None:
    """Which points are labelled, and what they tell."""
    labels = page.view.labels

    def draw(seed: int) -> None:
        now = page.view.labels
        share = now.share if now.share >= 0 else labelled_share(data, now)
        page.change("labels", Labels(share=share, draw=seed, tells=now.tells))

    setting(page, "labels.tells")
    st.fragment(_share, key=page.key("share"))(page, face, data)
    page.widget(
        st.number_input, "draw", labels.draw, lambda seed: draw(int(seed)), "Draw seed", 0, 99_999,
    )  # fmt: skip
    own, none = Labels(tells=labels.tells), Labels(share=0.0, tells=labels.tells)
    action(
        page, "restore", "Restore given labels", lambda: page.change("labels", own),
        help="Those of the points that the data set itself labels.",
        disabled=not len(data.labelled),
    )  # fmt: skip
    action(page, "clear", "Clear", lambda: page.change("labels", none))


def _norm_control(page: LabelPage) -> None:
    page.widget(
        st.toggle, "constrained", page.view.setting.parameters.tau is not None,
        lambda on: page.change("setting.parameters.tau", 1.0 if on else None),
        "Fix the norm of the responses",
        help="MAVR's constraint ‖H‖ = τ√l. Off: the unconstrained problem. Has and has not cancel "
        "when smoothed, so a large norm adds a constant to all responses.",
    )  # fmt: skip


def sidebar(page: LabelPage, face: Sets) -> Dataset | None:
    """All of it; the data set, or None where it cannot be shown."""
    with st.sidebar:
        try:
            data = source_of(page.view, uploads())
        except DataError as error:
            st.info(plain(str(error)), icon=":material/upload_file:")
            data = None
        if data is not None:
            st.fragment(_main, key=page.key("main"))(page, face)
            _norm_control(page)
            prior_control(page, data.n_classes)
        with st.expander("Data", expanded=True):
            data_controls(page, face)
            if data is not None and data.note:
                st.caption(plain(data.note))
        if data is not None:
            with st.expander("Labels", expanded=True):
                label_controls(page, face, data)
            with st.expander("Graph"):
                graph_controls(page)
            with st.expander("Show"):
                setting(page, "errors")
        uploader(
            page, "Your own label sets (NPZ or CSV)", FILE_HELP, lambda name: _opened(page, name)
        )
    return data


def _opened(page: LabelPage, name: str) -> None:
    fresh = fresh_view(Data(name), uploads())
    # A link to this very file keeps its labels and settings.
    if page.view.data.name != name:
        page.show(fresh)


def threshold_row(page: LabelPage, face: Sets, result: Result | None) -> None:
    """The rule, and the slider where the threshold is set by hand."""
    if result is None:
        return
    view = page.view
    with st.container(key="labelsets_threshold"):
        rule, each, slider = st.columns([1.7, 1, 3], vertical_alignment="center", gap="medium")
    with rule:
        setting(page, "rule", width="stretch")
    with each:
        setting(page, "per_label")
    with slider:
        if view.rule != "preset":
            st.caption(_rule_words(view))
        elif not view.per_label:
            sliders(page, face, "threshold", _thresholds(view, result, all_labels=False))
        else:
            with st.popover("Thresholds of the labels", width="stretch"):
                sliders(page, face, "thresholds", _thresholds(view, result, all_labels=True))


def _rule_words(view: LabelView) -> str:
    if view.rule == "learned":
        return "The best F1 on the labelled points decides."
    if view.per_label:
        return "Each label as often as among the labelled points."
    return "As many labels in all as among the labelled points."


def _thresholds(view: LabelView, result: Result, *, all_labels: bool) -> list[Slider]:
    names = result.data.class_names
    T = preset(view, len(names))
    half = max(reach(result.answers, result.given), float(np.abs(T).max()))
    about = replace(THRESHOLD, shown=(-half, half))
    usual = 0.0 if view.data.uploaded else THRESHOLD.usual
    if not all_labels:
        return [Slider(about, float(T[0]), usual)]
    return [
        Slider(replace(about, link=f"T.{j}", word=name, symbol=""), float(T[j]), usual)
        for j, name in enumerate(names)
    ]
