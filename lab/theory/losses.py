"""The four losses of Section 4.1 and when they agree."""

from __future__ import annotations

import streamlit as st

from lab.theory import take
from lab.theory.figures import bounds
from lab.theory.parts import beside, number, numbers, say, slider
from lab.theory.source import three_circles
from mavr.theory import losses

NAMES = ("loss 2", "loss 3", "loss 4")


@st.fragment
def draw() -> None:
    with beside("losses") as right:
        st.caption("As printed in Section 4.1 for Δ in Eq. (8); yᵢ and rᵢ are the rows of Y and H.")
        gamma = slider("Smoothness γ", "gamma.losses", (1e-2, 1e3), 1.0, log=True)
        tau = slider("Norm τ / √l", "tau.losses", (0.1, 10), 1.0, log=True)
    source = three_circles(n=90, sigma=1.0)
    norm = source.norm(tau)
    found = losses.compare(source.spectrum.Q, source.Y, gamma, norm)
    with right:
        st.caption("Three circles, 90 points, one label each, σ = 1")
        figure = bounds.loss_bars(dict(zip(NAMES, found.distances, strict=True)))
        alt = "Distance of each answer from that of loss 1"
        drawn = take.chart(figure, "losses", "Distances", alt)
        rows = [
            [name, f"{float(s.rho):.5g}".replace("-", "−"), number(d), str(differ)]
            for name, s, d, differ in zip(
                ("loss 1", *NAMES),
                found.solutions,
                (0.0, *found.distances),
                (0, *found.differ),
                strict=True,
            )
        ]
        numbers(rows, ["", "ρ", "distance", "other classes"])
        pairs = [
            ["losses 3 and 4", number(abs(found.distances[1] - found.distances[2]), 1)],
            ["loss 3 at γ and loss 1 at 2γ", number(found.to_doubled, 1)],
        ]
        numbers(pairs, ["the same answer", "distance"])
        say(
            f"At the same γ losses 1 and 3 are **{found.distances[1]:.2g} τ** apart; after γ is "
            "doubled they agree.",
            ":material/compare_arrows:",
        )
        take.export("losses", [drawn], source, gamma=gamma, tau=norm)
