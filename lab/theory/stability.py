"""Theorem 3: change one label and see how far the responses move, against the bounds."""

from __future__ import annotations

import numpy as np
import streamlit as st

from lab.theme import LEFT_COLOR, NEUTRAL
from lab.theory import codes, take
from lab.theory.figures import bounds
from lab.theory.parts import beside, choice, number, numbers, slider
from lab.theory.source import Source, current
from mavr.theory import stability
from mavr.theory.stability import Stability

ACTIONS = {"flip": "flip", "move": "move", "add": "add", "remove": "remove"}
ACTION_HELP = (
    "Flip: another class. Move: to the nearest point. Add: a second label next to it. "
    "Remove: no label there."
)


def changed(source: Source, action: str, which: int) -> tuple[np.ndarray, list[int]]:
    """Y after one change, and the points it concerns."""
    Y = np.array(source.Y)
    labelled = source.labelled
    i = int(labelled[which % len(labelled)])
    row = Y[i].copy()
    if action == "flip":
        Y[i] = np.roll(row, 1)
        return Y, [i]
    if action == "remove":
        Y[i] = 0.0
        return Y, [i]
    # The nearest point in the plane without a label.
    distance = np.linalg.norm(source.points - source.points[i], axis=1)
    distance[labelled] = np.inf
    j = int(distance.argmin())
    Y[j] = row
    if action == "move":
        Y[i] = 0.0
    return Y, [i, j] if action == "move" else [j]


@st.fragment
def draw() -> None:
    source = current()
    with beside("stability") as right:
        _formulas()
        st.caption(f"Computed for {source.title}. {source.note}")
        action, which = _change(len(source.labelled))
        gamma, tau = source.sliders()
    Y, points = changed(source, action, which)
    found = stability.compare(source.spectrum, source.Y, Y, source.P, gamma, tau)
    with right:
        st.caption("How far each point's response moved; the star is the label that changed")
        figure = bounds.moved_map(source.points, found.moved, points, source.labelled.tolist())
        moved = take.chart(figure, "moved", "Points", "Change of the response of each point")
        charts = [moved, *_bars(found)]
        _constants(found, stability.uniform_C(source.spectrum, source.labelled, tau))
        changes = codes.changes("after", source.Y, Y)
        take.export("stability", charts, source, changes=changes, gamma=gamma, tau=tau)


def _formulas() -> None:
    st.latex(
        r"\begin{aligned}\|H-H'\|\le{}&\|Y-Y'\|/C\\"
        r"&+|\rho-\rho'|\\&\;\times\min\{\|Y\|,\|Y'\|\}/C^2\quad(18)\end{aligned}"
    )
    st.latex(r"\|H-H'\|\le\|Y-Y'\|/C+\|Y\|\|Y'\|/\tau C^2")
    st.caption(
        "Eq. (18) and its consequence, which has no number, as printed; the last term is over τC². "
        "The one-term bound:"
    )
    st.latex(r"\|H-H'\|\le\frac{\|Y-Y'\|}{\gamma\lambda_1-\frac12(\rho+\rho')}")


def _change(count: int) -> tuple[str, int]:
    """What is done, and to which label."""
    action = choice("Change one label", "action", ACTIONS, "move", ACTION_HELP)
    if action == "remove" and count == 1:
        st.caption("The only label stays: it is flipped instead.")
        action = "flip"
    # A slider needs two ends.
    which = slider("Which label", "which", (1, count), 1, whole=True) if count > 1 else 1
    return action, int(which) - 1


def _bars(found: Stability) -> list[take.Chart]:
    first = found.change / found.C if found.C > 0 else np.inf

    def terms(total: float, word: str) -> list[tuple[str, float]]:
        rest = total - first if found.C > 0 else 0.0
        return [("change of the labels", first), (word, rest)]

    rows: list[bounds.Bar] = [
        ("measured ‖H − H′‖", [("measured", found.constrained)], LEFT_COLOR),
        ("one-term bound", [("bound", found.one_term)], NEUTRAL),
        ("Eq. (18)", terms(found.two_terms, "change of ρ"), NEUTRAL),
        ("its consequence", terms(found.corollary, "‖Y‖‖Y′‖/(τC²)"), NEUTRAL),
    ]
    free: list[bounds.Bar] = [
        ("measured, no constraint", [("measured", found.free)], LEFT_COLOR),
        ("‖Y − Y′‖/C, C = 1 + γλ₁", [("bound", found.free_bound)], NEUTRAL),
    ]
    constrained, without = bounds.bounds(rows, "with ‖H‖ = τ"), bounds.bounds(free, "ρ = −1")
    return [
        take.chart(constrained, "bars", "Bounds, ‖H‖ = τ", "Change and bounds"),
        take.chart(without, "bars.free", "Bounds, ρ = −1", "Without the constraint"),
    ]


def _constants(found: Stability, C_all: float) -> None:
    rows = [
        ["change of the labels ‖Y − Y′‖", number(found.change)],
        ["ρ before and after", f"{number(found.rho)} → {number(found.rho_after)}"],
        ["C, smaller distance to the pole", number(found.C)],
        ["C for any classes of these points", number(C_all) if C_all else "–"],
        ["C without the constraint", f"{found.change / found.free_bound:.6g}"],
    ]
    numbers(rows, ["constants", ""])
