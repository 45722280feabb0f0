"""The live part of the multi-label page: at a click only this runs again."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import streamlit as st

from datasets import DataError, Dataset
from lab import canvas, relation
from lab.board import chart
from lab.cache import digest
from lab.labelsets import answers as compute
from lab.labelsets import cache, charts, component
from lab.labelsets.answers import Answer
from lab.labelsets.controls import threshold_row
from lab.labelsets.labels import Signs, apply, given
from lab.labelsets.session import LabelSession
from mavr import relations

# Label sets written out below the numbers.
MAX_LISTED = 4


@dataclass(frozen=True, eq=False)
class Result:
    """answers : with P and with I, or none where nothing is labelled."""

    data: Dataset
    given: Signs
    answers: list[Answer]

    @property
    def P(self) -> np.ndarray:
        return self.answers[0].P


def take_events(session: LabelSession, data: Dataset) -> str | None:
    """Apply what the canvas sent since the last run; which points the browser holds."""
    base = digest(cache.data_key(session.view))
    events, have = canvas.new_events(session.key("board"), session.ack)
    for event in events:
        # An event for another data set came too late: it is acknowledged, not applied.
        if event.get("base") == base:
            session.history = apply(session.history, event, data)
        session.ack = event["seq"]
    if events:
        session.change(labels=session.history.now)
    edit = relation.new_edit(session.key("P"))
    if edit is not None and len(edit) == data.n_classes:
        adopt(session, edit)
    return have


def solve(session: LabelSession, data: Dataset) -> Result:
    """Label sets with the view's P and with P = I."""
    view = session.view
    Y = given(data, view.labels)
    if not Y.any():
        return Result(data, Y, [])
    graph = cache.graph(view, data)
    P = compute.relation(view, Y.astype(float))
    both = [compute.answer(view, graph, data, Y, p) for p in (P, np.eye(len(P)))]
    return Result(data, Y, both)


def prepare(session: LabelSession, data: Dataset) -> Result | None:
    """Take what the browser sent, solve, show the threshold. Errors become one sentence here."""
    session.read()
    session.have = take_events(session, data)
    try:
        result = solve(session, data)
    except (ValueError, DataError) as error:
        st.error(str(error), icon=":material/error:")
        return None
    # The row keeps its place when there is nothing to decide: if the canvas moved up, the browser
    # would make a new one and lose the zoom.
    with st.container():
        if result.answers:
            half = compute.reach(result.answers, result.given)
            threshold_row(session, data.n_classes, half)
    return result


def panels(session: LabelSession, result: Result) -> None:
    """The canvas."""
    session.step += 1
    component.mount()(
        key=session.key("board"),
        data=component.payload(
            session.view,
            result.data,
            result.given,
            result.answers,
            base=digest(cache.data_key(session.view)),
            places=cache.places(session.view, result.data),
            have=session.have,
            step=session.step,
            ack=session.ack,
            can_undo=bool(session.history.past),
            can_redo=bool(session.history.future),
        ),
        on_events_change=lambda: None,
    )


def measures(session: LabelSession, result: Result) -> None:
    """The curves over the threshold, and the numbers of both P."""
    titles = [a.title for a in result.answers]
    st.segmented_control(
        "Responses and curves shown",
        [0, 1],
        key=session.key("shown"),
        format_func=lambda k: "With P" if k == 0 else "With P = I",
        required=True,
        help=f"The panels of single labels and the curves: {titles[0]}, or {titles[1]}.",
    )
    shown = result.answers[session.view.shown]
    curves = compute.metric_curves(shown, result.data, result.given)
    if curves is not None:
        alt = "Hamming loss, subset accuracy, F1 and ranking loss against the threshold"
        chart(charts.metric_figure(curves), session.key("curves"), alt)
    st.html(charts.score_table(result.answers))
    judged = int(compute.asked(result.data, result.given).sum())
    on = (
        f"Measured on the {judged} points without labels."
        if judged
        else "Measured where a point has no label here and all its true labels are known."
    )
    st.caption(f"{on} {_unseen(shown, result)}")


def _unseen(shown: Answer, result: Result) -> str:
    names, new = result.data.class_names, compute.unseen_sets(shown, result.given)
    if not new:
        return "No label set was found that no labelled point has."
    listed = [
        f"{' + '.join(names[j] for j in labels)} ({count})"
        for labels, count in list(new.items())[:MAX_LISTED]
    ]
    more = f" and {len(new) - MAX_LISTED} more" if len(new) > MAX_LISTED else ""
    return f"Found though no labelled point has them: {', '.join(listed)}{more}."


def relation_panel(session: LabelSession, result: Result) -> None:
    """P: where it comes from, the table, and the way out of an inadmissible one."""
    c, names = result.data.n_classes, result.data.class_names
    draft = session.draft if session.draft is not None and len(session.draft) == c else None
    P = result.P if draft is None else draft
    source, key = session.key("relation"), session.key("P")
    st.session_state[source] = session.view.relation
    st.segmented_control(
        "Where P comes from",
        list(compute.NAMES),
        key=source,
        format_func={"co-occurrence": "Co-occurrence", "own": "Your own"}.get,
        required=True,
        label_visibility="collapsed",
        on_change=_choose,
        args=(session, relation.frozen(np.round(result.P, 3))),
    )
    relation.editor(key, P, names)
    if draft is not None:
        st.warning(relation.problem(P) or "", icon=":material/warning:")
        st.button(
            "Repair P",
            key=f"{key}.repair",
            help="The nearest symmetric matrix whose eigenvalues are all well above 0.",
            on_click=adopt,
            args=(session, relation.frozen(np.round(relations.repair(P), 4))),
        )


def _choose(session: LabelSession, rows: relation.Rows) -> None:
    """From co-occurrence to one's own: begin with what co-occurrence gave."""
    chosen = st.session_state[session.key("relation")]
    session.draft = None
    own = session.view.P if session.view.P is not None else rows
    session.change(relation=chosen, P=own if chosen == "own" else session.view.P)


def adopt(session: LabelSession, rows: relation.Rows) -> None:
    """Use P if it is admissible, else keep it as a draft."""
    P = np.array(rows)
    if relation.problem(P) is None:
        session.draft = None
        session.change(relation="own", P=rows)
    else:
        session.draft = P
