"""The sidebar and the row of the threshold."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import streamlit as st

from datasets import DataError, Dataset
from lab import controls
from lab.labelsets import cache
from lab.labelsets.answers import preset
from lab.labelsets.labels import Labels, given
from lab.labelsets.session import LabelSession, fresh_view
from lab.labelsets.view import TOY, LabelView
from lab.session import add_upload, uploads

RULE_NAMES = {
    "preset": "By hand",
    "learned": "Learned",
    "frequency": "Frequencies",
}
RULE_HELP = (
    "A point has a label if its response reaches the threshold T.  \n"
    "**By hand**: the slider.  \n"
    "**Learned**: the T with the best F1 on labelled points, each judged by "
    "the response it would have without its own labels.  \n"
    "**Frequencies**: a label goes to that share of the unlabelled points which it has among "
    "the labelled ones."
)
TELL_NAMES = {
    "all": "all: has and has not",
    "has": "only what they have",
    "one": "one label each",
}
# Some points must be left to be judged.
MAX_SHARE = 90
FILE_HELP = (
    "NPZ with X and Y, one column of Y per label: 1 and 0, NaN where unknown; or 1, -1 and 0, "
    "where 0 is unknown. CSV: numeric columns, and a column label:name for each label with 1, 0 "
    "or nothing."
)


def data_controls(session: LabelSession) -> None:
    """The toy set with its size and seed, or a file."""
    options = [TOY, *uploads()]
    if session.view.data not in options:
        options.append(session.view.data)
    key = session.key("data")
    st.session_state[key] = session.view.data
    st.selectbox(
        "Data set", options, key=key, format_func=_title, on_change=_other_data, args=(session,)
    )
    if session.view.data == TOY:
        st.caption("Three discs that overlap; a point's labels are the discs it is in.")
        more = {"on_change": _other_points, "args": (session,)}
        st.slider("Points", 60, 1200, step=12, key=session.key("n"), **more)
        st.number_input("Seed", 0, 99_999, key=session.key("seed"), help="Another sample.", **more)
    upload_control(session)


def _title(name: str) -> str:
    if name == TOY:
        return "Overlapping discs"
    known = uploads().get(name)
    return known.name if known else "a file not uploaded yet"


def _other_data(session: LabelSession) -> None:
    try:
        session.show(fresh_view(st.session_state[session.key("data")]))
    except DataError as error:
        st.session_state[session.key("file_error")] = str(error)


def _other_points(session: LabelSession) -> None:
    """New points: the settings stay, labels set by hand belonged to the old ones."""
    n, seed = (int(st.session_state[session.key(name)]) for name in ("n", "seed"))
    labels = replace(session.view.labels, rows=())
    session.view = replace(session.view, n=n, seed=seed, labels=labels)
    session.history = type(session.history)(labels)


def upload_control(session: LabelSession) -> None:
    file = st.file_uploader(
        "Your own label sets (NPZ or CSV)",
        type=["npz", "csv", "tsv", "txt"],
        key=session.key("file"),
        help=FILE_HELP,
    )
    seen, problem = session.key("file_seen"), session.key("file_error")
    if file is not None and st.session_state.get(seen) != file.file_id:
        st.session_state[seen] = file.file_id
        st.session_state.pop(problem, None)
        try:
            name = add_upload(file.getvalue(), file.name)
            fresh = fresh_view(name)
        except DataError as error:
            st.session_state[problem] = str(error)
        else:
            # A link to this very file keeps its labels and settings.
            if session.view.data != name:
                session.show(fresh)
                st.session_state[seen] = file.file_id
            st.rerun()
    if sentence := st.session_state.get(problem):
        st.error(sentence, icon=":material/error:")


def label_controls(session: LabelSession, data: Dataset) -> None:
    """Which points are labelled, and what they tell."""
    labels = session.view.labels
    own = len(data.labelled) > 0
    percent, draw, tells = (session.key(name) for name in ("share", "draw", "tells"))
    labelled = int(given(data, labels).any(axis=1).sum())
    share = labels.share if labels.share >= 0 else labelled / data.n
    st.session_state[percent] = min(round(100 * share), MAX_SHARE)
    st.session_state[draw] = labels.draw
    st.session_state[tells] = labels.tells
    more = {"on_change": _draw, "args": (session,)}
    st.selectbox(
        "Labelled points tell",
        list(TELL_NAMES),
        key=tells,
        format_func=TELL_NAMES.get,
        help="Label vectors in {-1, 0, 1}; in {0, 1}, where nothing is denied; or partly labelled "
        "points, each with one entry.",
        on_change=_tell,
        args=(session,),
    )
    st.slider(
        "Share labelled, %",
        0,
        MAX_SHARE,
        key=percent,
        help=f"Of all points, drawn at random. Now {labelled} of {data.n} are labelled.",
        **more,
    )
    number, first, clear = st.columns([1.2, 1, 1], vertical_alignment="bottom", gap="small")
    number.number_input("Draw", 0, 99_999, key=draw, help="Seed of the draw.", **more)
    first.button(
        "Given",
        key=session.key("own"),
        help="The points that the data set itself labels.",
        disabled=not own,
        width="stretch",
        on_click=lambda: session.put(Labels(tells=session.view.labels.tells)),
    )
    clear.button(
        "Clear",
        key=session.key("clear"),
        width="stretch",
        on_click=lambda: session.put(Labels(share=0.0, tells=session.view.labels.tells)),
    )


def _draw(session: LabelSession) -> None:
    state = st.session_state
    share = float(state[session.key("share")]) / 100
    tells = session.view.labels.tells
    session.put(Labels(share=share, draw=int(state[session.key("draw")]), tells=tells))


def _tell(session: LabelSession) -> None:
    labels = session.view.labels
    session.put(replace(labels, tells=st.session_state[session.key("tells")], rows=()))


def problem_controls(session: LabelSession, usual: LabelView) -> None:
    """gamma, tau, balance."""
    controls.scale(session, "gamma", usual.gamma)
    st.toggle(
        "Fix the norm of the responses",
        key=session.key("constrained"),
        help="MAVR's constraint ‖H‖ = τ. Off: the unconstrained problem. Has and has not "
        "cancel when smoothed, so a large norm adds a constant to all responses.",
    )
    if st.session_state[session.key("constrained")]:
        controls.scale(session, "tau", usual.tau)
    controls.scale(session, "balance", usual.balance)


def graph_controls(session: LabelSession, usual: LabelView, data: Dataset) -> None:
    controls.graph_controls(session, usual, data.n)
    st.toggle(
        "Standardise features",
        key=session.key("standardise"),
        help="Every feature with mean 0 and variance 1, so that none counts more for its unit.",
    )


def sidebar(session: LabelSession) -> Dataset | None:
    """All of it; the data set, or None where it cannot be shown."""
    with st.sidebar:
        with st.expander("Data", expanded=True):
            data_controls(session)
        try:
            data = cache.dataset(session.view, uploads())
            usual = fresh_view(session.view.data, session.view.n, session.view.seed)
        except DataError as error:
            st.info(str(error), icon=":material/upload_file:")
            return None
        if data.note:
            st.caption(data.note)
        with st.expander("Labels", expanded=True):
            label_controls(session, data)
        with st.expander("Method", expanded=True):
            problem_controls(session, usual)
        with st.expander("Graph", expanded=False):
            graph_controls(session, usual, data)
        with st.expander("Show", expanded=False):
            st.toggle(
                "Ring wrong sets",
                key=session.key("errors"),
                help="A ring around points whose predicted set is not the true one.",
            )
    session.read()
    return data


def threshold_row(session: LabelSession, n_labels: int, half: float) -> None:
    """The rule, and the slider where the threshold is set by hand; half : of its range."""
    with st.container(key="labelsets_threshold"):
        rule, each, slider = st.columns([1.7, 1, 3], vertical_alignment="bottom", gap="medium")
    rule.segmented_control(
        "Threshold",
        list(RULE_NAMES),
        key=session.key("rule"),
        format_func=RULE_NAMES.get,
        required=True,
        help=RULE_HELP,
    )
    each.toggle(
        "One per label",
        key=session.key("per_label"),
        help="A threshold for each label, or one for all.",
    )
    view = session.view
    with slider:
        if view.rule != "preset":
            st.caption(
                "The best F1 on the labelled points decides."
                if view.rule == "learned"
                else "Each label as often as among the labelled points."
                if view.per_label
                else "As many labels in all as among the labelled points."
            )
        elif not view.per_label:
            _slider(session, "Threshold T", 0, n_labels, half)
        else:
            with st.popover("Thresholds of the labels", width="stretch"):
                data = cache.dataset(view, uploads())
                for j, name in enumerate(data.class_names):
                    _slider(session, name, j, n_labels, half)


def _slider(session: LabelSession, title: str, j: int, n_labels: int, half: float) -> None:
    key = session.key(f"T.{j}")
    T = preset(session.view, n_labels)
    # A threshold from a link may lie beyond the responses: the slider reaches it.
    half = max(half, float(np.abs(T).max()))
    st.session_state[key] = float(T[j])
    st.slider(
        title,
        -half,
        half,
        step=half / 100,
        key=key,
        format=f"%.{max(0, 2 - int(np.floor(np.log10(half))))}f",
        on_change=_set_threshold,
        args=(session, j, n_labels),
    )


def _set_threshold(session: LabelSession, j: int, n_labels: int) -> None:
    value = float(st.session_state[session.key(f"T.{j}")])
    T = [float(t) for t in preset(session.view, n_labels)]
    T[j] = value
    session.change(thresholds=tuple(T) if session.view.per_label else (value,))
