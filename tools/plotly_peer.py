"""The Playground's core drawn with st.plotly_chart(on_select="rerun"): the peer that bench times.

Not a part of the product. Same data, same graph, same two methods, same three panels; a click on
the first panel labels a point. `?n=300` chooses the number of points.
"""

import sys
from dataclasses import replace
from pathlib import Path

import plotly.graph_objects as go
import streamlit as st

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from lab import cache, scene
from lab.marks import Marks, labelled
from lab.theme import CLASS_COLORS
from lab.view import View

st.set_page_config(layout="wide")
n = int(st.query_params.get("n", "300"))
start = View(params=(("n", n),), seed=43)
source = cache.dataset(start, {})
first = [int((source.y == j).nonzero()[0][0]) for j in range(3)]
marks = st.session_state.setdefault(
    "marks", Marks(labels=tuple((i, int(source.y[i])) for i in first))
)


def panel(points, classes, title, key, on_select):
    colors = [CLASS_COLORS[j] if j >= 0 else "#9aa1ad" for j in classes]
    figure = go.Figure(
        go.Scatter(x=points[:, 0], y=points[:, 1], mode="markers", marker={"color": colors})
    )
    figure.update_layout(title=title, height=380, uirevision="fixed")
    return st.plotly_chart(figure, key=key, on_select=on_select, selection_mode="points")


@st.fragment
def live():
    st.session_state["step"] = step = st.session_state.get("step", 0) + 1
    picked = (st.session_state.get("labels") or {}).get("selection", {}).get("point_indices", [])
    st.session_state["marks"] = labelled(st.session_state["marks"], picked, 0)
    view = replace(start, marks=st.session_state["marks"])
    shown = cache.scene(view, {})
    graph = cache.graph(view, shown)
    shading = cache.shading(view, shown)
    p = scene.parameters(view, len(view.marks.labels), view.relation(3))
    answers = [scene.answer(m, p, graph, shown, shading) for m in ("mavr", "lgc")]
    columns = st.columns(3)
    with columns[0]:
        panel(shown.points, shown.labels, "labels", "labels", "rerun")
    for column, a in zip(columns[1:], answers, strict=True):
        with column:
            panel(shown.points, a.pred, f"{a.method} {step}", a.method, "ignore")


live()
