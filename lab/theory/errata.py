"""What differs from the paper, each with a button that opens its demonstration."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import streamlit as st

from lab.theory.parts import key, put


@dataclass(frozen=True)
class Erratum:
    """section and values : what the button opens."""

    where: str
    printed: str
    instead: str
    section: str
    values: Mapping[str, Any]


ERRATA = {
    "shortcut": Erratum(
        "Shortcut for P = I",
        "z = VᵀY1: add the classes, then turn.",
        "$z_k^2$ is the squared length of row k of VᵀY. Sums let classes cancel, and ‖H‖ misses τ.",
        "pitfalls",
        {"pitfall": "shortcut", "sigma.wide": 3.0, "tau.short": 1.0},
    ),
    "recovery": Erratum(
        "Recovery of H",
        "H from the eigenvectors of Q.",
        "Right on paper; in floating point responses below 10⁻¹⁶ of the largest are noise. Solve "
        "by elimination.",
        "pitfalls",
        {"pitfall": "recovery", "sigma": 0.5, "seed": 0},
    ),
    "hard": Erratum(
        "Theorem 2, hard case",
        "The root in $[\\rho_0,\\gamma\\lambda_{k_0})$ is the minimum.",
        "If z₁ = 0 and τ is large, that root lies above γλ₁ and is no minimum; ρ = γλ₁ is.",
        "hard",
        {"z1": 0.0, "radius": 1.5},
    ),
    "ties": Erratum(
        "Serendipity figure",
        "Every unlabelled group in a colour of its own.",
        "Classes that P treats alike have equal columns of H: the colours rest on rounding.",
        "pitfalls",
        {"pitfall": "ties"},
    ),
    "free": Erratum(
        "Theorem 4, no constraint",
        "Bias² at most $C_h/4$.",
        "At most $\\gamma C_h/4$. For γ = 99 the printed bound is up to 99 times too small.",
        "accuracy",
        {"example": "one", "kind": "free", "gamma4": 99.0, "noise": 0.0},
    ),
    "first": Erratum(
        "Theorem 4, first term",
        "$\\sqrt{C_h}\\,\\gamma\\sqrt{\\lambda_1}/C$, which is 0 for every Laplacian.",
        "$\\sqrt{C_h}/(2\\sqrt{C/\\gamma-\\lambda_1})$ unless C/γ ≤ 2λ₁: the largest value is "
        "not at λ₁.",
        "accuracy",
        {
            "example": "two",
            "kind": "tau",
            "gamma4": 99.0,
            "noise": 0.01,
            "tau4": 1.0,
            "angle4": 0.3,
        },
    ),
    "max": Erratum(
        "Theorem 4, second term",
        "E max(a, b) ≤ max(E a, b).",
        "The mean of a maximum is at least the maximum of the means, and may be larger.",
        "accuracy",
        {"example": "flat", "kind": "tau", "gamma4": 99.0, "noise": 0.15, "tau4": 0.75},
    ),
}


def show(name: str) -> None:
    """Open a demonstration; for callbacks."""
    erratum = ERRATA[name]
    put({"section": erratum.section, **erratum.values})


def draw() -> None:
    st.markdown("#### What differs from the paper")
    st.markdown(
        "The method stands. These places of the text need care; each button opens a live "
        "demonstration, and each claim is checked by a test."
    )
    widths = [1.25, 2, 3, 0.9]
    for name, e in ERRATA.items():
        columns = st.columns(widths, gap="medium", vertical_alignment="center")
        columns[0].markdown(f"**{e.where}**")
        columns[1].markdown(f":gray[printed] {e.printed}")
        columns[2].markdown(f":gray[instead] {e.instead}")
        columns[3].button(
            "Show",
            key=key(f"show.{name}"),
            icon=":material/play_circle:",
            help=f"Open the demonstration: {e.where}",
            on_click=show,
            args=(name,),
            width="stretch",
        )
    st.markdown(
        "**One bound can be sharper.** Of the two terms that bound the change of the constrained "
        "responses only the first is needed; see *Stability*."
    )
