"""MAVR and its neighbours, live: LGC, effective alpha, one knob, Poisson learning."""

from __future__ import annotations

import numpy as np
import streamlit as st

from lab.theory import codes, take
from lab.theory.figures import bounds
from lab.theory.parts import beside, key, number, numbers, slider, told
from lab.theory.source import Source, current, graph
from mavr.graphs.graph import Graph
from mavr.settings import GraphSpec
from mavr.solvers.spectrum import spectrum_of
from mavr.theory import links


@st.fragment
def draw() -> None:
    source = current()
    with beside("links") as right:
        st.caption(f"Computed for {source.title}, unrelated classes. {source.note}")
        gamma, tau = source.sliders()
        k = slider("Multiply γ and divide τ by", "factor", (0.01, 100), 10, log=True)
    with right:
        _pairs(source, gamma, tau, k)
        st.markdown(told("poisson").words)
        _poisson(source)


def _pairs(source: Source, gamma: float, tau: float, k: float) -> None:
    """Two ways to one answer, each pair with how far apart they come out."""
    S, Y = source.spectrum, source.Y
    alpha = links.with_effective_alpha(S, Y, gamma, tau)
    knob = links.one_knob(S, Y, None, gamma, tau, k)
    pairs = []
    # LGC's own formula has the normalized Laplacian.
    if source.graph.kind == "normalized" and source.graph.power == 1:
        pairs.append(("ρ = −1 and LGC's formula", links.as_lgc(S, Y, gamma)))
    pairs.append((f"MAVR and LGC with α = {float(alpha.first.alpha):.6g}", alpha))
    pairs.append((f"(γ, τ) and ({k:g} γ, τ/{k:g})", knob))
    rows = [[name, str(link.differ), number(link.distance, 1)] for name, link in pairs]
    tips = ["", "Points with another class.", "Of the two tables H, each scaled to norm 1."]
    numbers(rows, ["two ways to one answer", "points that differ", "distance"], tips)
    both = (("first", alpha.first, gamma, tau), ("scaled", knob.second, gamma * k, tau / k))
    table = [
        [name, number(float(s.rho)), f"{float(s.alpha):.6g}", *map(number, (g, t, g * t))]
        for name, s, g, t in both
    ]
    numbers(table, ["", "ρ", "effective α", "γ", "τ", "γτ"])


def _plain(source: Source) -> Graph | None:
    """The same points with L = D - W, if the graph is in one piece."""
    n = source.graph.n
    spec = GraphSpec.of("local_scaling", n_neighbors=min(7, n - 1), laplacian="unnormalized")
    try:
        found = graph(source.digest, spec, source.X)
    except ValueError:
        # Points that have no distances, or too few of them.
        return None
    return found if spectrum_of(found).structure.n_components == 1 else None


@st.cache_data(max_entries=32, show_spinner=False)
def _limit(digest: str, balance: float, extra: bool, _graph: Graph, _Y: np.ndarray) -> links.Limit:
    taus = np.sqrt(_Y.sum()) * np.geomspace(0.1, 1e6, 8)
    return links.to_poisson(spectrum_of(_graph), _Y, 1.0, balance, taus)


def _poisson(source: Source) -> None:
    plain = _plain(source)
    if plain is None or source.truth is None or len(source.labelled) < 2:
        st.caption("Shown for a connected graph with labels of two classes.")
        return
    Y = np.array(source.Y)
    unequal = st.toggle(
        "One label more for the first class",
        key=key("unequal"),
        help="Then balance is needed: compare the two curves.",
    )
    spare = np.flatnonzero((source.truth == 0) & ~Y.any(axis=1))
    if unequal and len(spare):
        Y[spare[0], 0] = 1.0
    balanced, alone = (_limit(source.digest, b, unequal, plain, Y) for b in (1e4, 0.0))
    curves = {"balance γ′ = 10⁴": balanced.differ, "no balance": alone.differ}
    figure = bounds.limit(balanced.minus_rho, curves)
    alt = "Points that differ from Poisson learning"
    drawn = take.chart(figure, "poisson", "Poisson learning", alt)
    st.caption(f"{plain.n} points, nearest-neighbour graph, D − W.")
    points = "X" if any(line.startswith("X = ") for line in source.code) else "data.X"
    changes, k = codes.changes("Y", source.Y, Y), min(7, plain.n - 1)
    take.export("links", [drawn], source, changes=changes, points=points, k=k)
