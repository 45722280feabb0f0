"""The Playground drawn with st.plotly_chart(on_select="rerun"): the peer that bench times.

Not a part of the product. The same page: sidebar, data, graph, methods, three panels and numbers; a
click on the first panel labels a point. The charts and P below the numbers are left out, which only
makes it faster. `?n=300` chooses the number of points.
"""

import sys
from dataclasses import replace
from pathlib import Path

import plotly.graph_objects as go
import streamlit as st

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import datasets
from lab import controls
from lab.board.answers import compute
from lab.board.face import Classes
from lab.board.marks import labelled
from lab.board.tables import strip
from lab.board.view import CODEC, fresh_view
from lab.data import Data
from lab.page import open_page
from lab.theme import CLASS_COLORS

st.set_page_config(layout="wide")
n = int(st.session_state.setdefault("n", st.query_params.get("n", "300")))
st.query_params.clear()
page = open_page("peer", CODEC, lambda: fresh_view(Data(params=(("n", n),), seed=43)))


def panel(points, classes, title, key, on_select):
    colors = [CLASS_COLORS[j] if j >= 0 else "#9aa1ad" for j in classes]
    figure = go.Figure(
        go.Scatter(x=points[:, 0], y=points[:, 1], mode="markers", marker={"color": colors})
    )
    figure.update_layout(title=title, height=380, uirevision="fixed")
    return st.plotly_chart(figure, key=key, on_select=on_select, selection_mode="points")


@st.fragment
def live(page):
    st.session_state["step"] = step = st.session_state.get("step", 0) + 1
    picked = (st.session_state.get("labels") or {}).get("selection", {}).get("point_indices", [])
    page.put(replace(page.view, marks=labelled(page.view.marks, picked, 0)))
    result = compute(page.view, {})
    columns = st.columns(3)
    with columns[0]:
        panel(result.scene.points, result.scene.labels, "labels", "labels", "rerun")
    for column, a in zip(columns[1:], result.answers, strict=True):
        with column:
            panel(result.scene.points, a.pred, f"{a.method} {step}", a.method, "ignore")
    st.html(strip(result.answers, result.disagree, n))


st.title("Playground", anchor=False)
controls.sidebar(page, Classes(), datasets.GENERATORS)
live(page)
