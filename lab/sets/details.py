"""What stands below the board of label sets: P and where it comes from, measures."""

from __future__ import annotations

import numpy as np
import streamlit as st

from lab import relation
from lab.board.draft import Draft
from lab.board.stage import again
from lab.charts import chart
from lab.page import Page
from lab.sets import answers as compute
from lab.sets import charts
from lab.sets.answers import Answer, Result
from lab.sets.face import Sets
from lab.sets.view import RELATIONS, STRENGTH, LabelView
from lab.sliders import Slider, sliders
from lab.text import plain
from mavr.settings import frozen_rows

LabelPage = Page[LabelView]

# Label sets written out below the numbers.
MAX_LISTED = 4


def measures(page: LabelPage, result: Result) -> None:
    """The curves over the threshold, and the numbers of both P."""

    def show(identity: bool) -> None:
        page.change("identity", identity)
        again(page)

    page.widget(
        st.segmented_control, "identity", page.view.identity, show, "Responses and curves shown",
        [False, True], format_func=lambda k: "With P = I" if k else "With P", required=True,
    )  # fmt: skip
    shown = result.answers[int(page.view.identity)]
    curves = compute.metric_curves(shown, result.data, result.given)
    if curves is not None:
        alt = "Hamming loss, subset accuracy, F1 and ranking loss against the threshold"
        chart(charts.metric_figure(curves), page.key("curves"), alt)
    st.html(charts.score_table(result.answers))
    judged = int(compute.asked(result.data, result.given).sum())
    on = (
        f"Measured on the {judged} points without labels."
        if judged
        else "Measured where a point has no label here and all its true labels are known."
    )
    st.caption(f"{on} {plain(_unseen(shown, result))}")


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


def relation_panel(page: LabelPage, face: Sets, result: Result) -> None:
    """P: where it comes from, the table, and the way out of one that cannot be used."""
    relation.head(page)

    def choose(origin: str) -> None:
        """From co-occurrence to one's own: begin with what co-occurrence gave."""
        page.keep(Draft).clear()
        if origin == "own" and page.view.setting.parameters.P is None:
            rows = frozen_rows(np.round(result.P, 3))
            page.change("setting.parameters.P", rows)
        page.change("relation", origin)
        again(page)

    page.widget(
        st.segmented_control, "relation", page.view.relation, choose, "Where P comes from",
        list(RELATIONS), format_func=RELATIONS.get, required=True, label_visibility="collapsed",
    )  # fmt: skip
    relation.editor(page, face, result.P, result.data.class_names)


def formula(page: LabelPage, face: Sets) -> None:
    """How co-occurrence makes P, and how strong it is."""
    if page.view.relation != "co-occurrence":
        return
    st.markdown("## How co-occurrence makes P")
    st.latex(r"P = I - s\,R\,/\,\lVert R\rVert_2")
    st.caption(
        "R holds the correlation of each two labels over the points where both are known, 0 on its "
        "diagonal. Labels that are often together get a negative entry of P: they attract. The "
        "eigenvalues of P lie in 1 ± s, so it stays positive definite."
    )
    sliders(page, face, "strength", [Slider(STRENGTH, page.view.strength, STRENGTH.usual)])
