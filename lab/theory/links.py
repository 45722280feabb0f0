"""MAVR and its neighbours, live: LGC, effective alpha, one knob, Poisson learning."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import streamlit as st

from lab import cache, theory_figures
from lab.board import chart
from lab.controls import GAMMA, logarithmic
from lab.numbers import number
from lab.session import uploads
from lab.theory.parts import beside, key, numbers, slider
from lab.theory.source import Source, current
from mavr.graphs.graph import Graph
from mavr.solvers.spectrum import spectrum_of, state_of
from mavr.theory import links

WORDS = """
**LGC** is MAVR without the norm constraint and without class relations: ρ = −1.

**Effective α.** With unrelated classes, MAVR with any τ gives the classes of LGC with
α = γ/(γ − ρ). That one number says what τ does.

**One knob.** Multiply γ by a factor and divide τ by it: H shrinks by the factor and keeps its
direction, so no class changes. Only the product γτ matters, as long as there is no balance term.
"""
POISSON = """
**Poisson learning** (Calder 2020) puts a source on every label and lets it spread. Balanced MAVR
with the plain Laplacian D − W becomes it as ρ → 0. With equally many labels per class the balance
term changes nothing at all. With unequal numbers it keeps the classes level, but the two methods
no longer agree: Poisson learning subtracts the mean label, which then favours some classes.
"""


@st.fragment
def draw() -> None:
    source = current()
    with beside("Links to other methods", WORDS) as right:
        st.caption(f"Computed for {source.title}, unrelated classes. {source.note}")
        d, usual = source.digest, source.view
        gamma = slider("Smoothness γ", f"gamma.{d}", GAMMA[:33], usual.gamma, fmt="{:.3g}")
        factor = slider("Norm τ / √l", f"tau.{d}", logarithmic(1e-2, 1e3), usual.tau, fmt="{:.3g}")
        k = slider("γ times, τ divided by", "factor", (0.01, 0.1, 0.5, 2, 10, 100), 10)
    tau = factor * source.tau / usual.tau
    S, Y = source.spectrum, source.Y
    alpha = links.with_effective_alpha(S, Y, gamma, tau)
    knob = links.one_knob(S, Y, None, gamma, tau, k)
    rows = []
    if usual.laplacian == "normalized":
        lgc = links.as_lgc(S, Y, gamma)
        rows.append(["ρ = −1 and LGC's formula", str(lgc.differ), f"{lgc.distance:.0e}"])
    mine = f"MAVR and LGC with α = {float(alpha.first.alpha):.6g}"
    rows.append([mine, str(alpha.differ), f"{alpha.distance:.0e}"])
    rows.append([f"(γ, τ) and ({k:g} γ, τ/{k:g})", str(knob.differ), f"{knob.distance:.0e}"])
    with right:
        tips = ["", "Points with another class.", "Of the two tables H, each scaled to norm 1."]
        numbers(rows, ["two ways to one answer", "points that differ", "distance"], tips)
        head = ["", "ρ", "effective α", "γ", "τ", "γτ"]
        pair = (("first", alpha.first, gamma, tau), ("scaled", knob.second, gamma * k, tau / k))
        table = [
            [name, number(float(s.rho)), f"{float(s.alpha):.6g}", *map(number, (g, t, g * t))]
            for name, s, g, t in pair
        ]
        numbers(table, head)
        st.markdown(POISSON)
        _poisson(source)


def _plain(source: Source) -> Graph | None:
    """The same points with L = D - W and a graph without pieces that hardly touch."""
    view = replace(
        source.view,
        laplacian="unnormalized",
        similarity="local_scaling",
        n_neighbors=7,
    )
    graph = cache.graph(view, cache.scene(view, uploads()))
    usable = hasattr(state_of(graph), "lam") and spectrum_of(graph).structure.n_components == 1
    return graph if usable else None


@st.cache_data(max_entries=32, show_spinner=False)
def _limit(digest: str, balance: float, extra: bool, _graph: Graph, _Y: np.ndarray) -> links.Limit:
    taus = np.sqrt(_Y.sum()) * np.geomspace(0.1, 1e6, 8)
    return links.to_poisson(spectrum_of(_graph), _Y, 1.0, balance, taus)


def _poisson(source: Source) -> None:
    graph = _plain(source)
    truth = source.scene.truth
    if graph is None or truth is None or source.Y.any(axis=1).sum() < 2:
        st.caption("Shown for a connected graph with labels of two classes.")
        return
    Y = np.array(source.Y)
    unequal = st.toggle(
        "One label more for the first class",
        key=key("unequal"),
        help="Then balance is needed: compare the two curves.",
    )
    if unequal:
        alive = truth[source.scene.alive]
        spare = np.flatnonzero((alive == 0) & ~Y.any(axis=1))
        if len(spare):
            Y[spare[0], 0] = 1.0
    name = source.digest
    balanced = _limit(name, 1e4, unequal, graph, Y)
    plain = _limit(name, 0.0, unequal, graph, Y)
    curves = {"balance γ′ = 10⁴": balanced.differ, "no balance": plain.differ}
    figure = theory_figures.limit(balanced.minus_rho, curves)
    chart(figure, key("poisson"), "Points that differ from Poisson learning")
    st.caption(f"{source.graph.n} points, nearest-neighbour graph, D − W.")
