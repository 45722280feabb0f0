"""Theorem 4: labels with noise, the error against a truth, and the bounds."""

from __future__ import annotations

import numpy as np
import streamlit as st

import datasets
from lab import theory_figures
from lab.board import chart
from lab.numbers import number
from lab.theme import LEFT_COLOR, RIGHT_COLOR
from lab.theory.parts import beside, choice, key, numbers, presets, say, slider
from lab.theory_figures import GOOD
from mavr import decompose, laplacian, local_scaling_similarity
from mavr.solvers.spectrum import Spectrum
from mavr.theory import accuracy

WORDS = """
Suppose there is a true answer **H\\*** and the labels are H\\* plus noise. How far from H\\* is
what we compute? Theorem 4 answers with a bound made of three parts: how much smoothing bends
the truth (**bias**), how far ρ is from −1, and the **noise**.

We draw the noise many times and measure. Two printed bounds turn out too small; the corrected
ones hold.
"""
EXAMPLES = {"circles": "90 points", "two": "two points", "one": "one number"}
TRUTHS = {"classes": "true classes", "smooth": "smooth", "rough": "rough"}
TRUTH_HELP = (
    "True classes: 1 for the own class. Smooth: mixes the three lowest eigenvectors. Rough: a "
    "random table, as rough as noise."
)
PRESETS = {
    "Fails at ρ = −1": (
        "One number, λ = 0.01, γ = 99: the bias is a hundred times the printed bound.",
        {"example": "one", "kind": "free", "gamma4": 99.0, "noise": 0.0},
    ),
    "Fails at ‖H‖ = τ": (
        "Two joined points: the printed first term is 0, the error is not.",
        {
            "example": "two",
            "kind": "tau",
            "gamma4": 99.0,
            "noise": 0.01,
            "tau4": 1.0,
            "angle4": 0.3,
        },
    ),
    "E max": (
        "One number with λ = 0: the mean of a maximum exceeds the maximum of the means.",
        {"example": "flat", "kind": "tau", "gamma4": 99.0, "noise": 0.15, "tau4": 0.75},
    ),
    "90 points": (
        "Three circles, the true classes as H*.",
        {"example": "circles", "kind": "free", "gamma4": 1.0, "noise": 0.3, "truth": "classes"},
    ),
}


@st.cache_resource(max_entries=4, show_spinner=False)
def _circles() -> tuple[Spectrum, np.ndarray]:
    data = datasets.three_circles(n=90, seed=1)
    spectrum = decompose(laplacian(local_scaling_similarity(data.X, 7)))
    return spectrum, np.eye(3)[data.y]


def problem(example: str, truth: str, angle: float) -> tuple[Spectrum, np.ndarray]:
    """The spectrum and H*."""
    if example == "one":
        Q, H, _ = accuracy.one_number()
        return decompose(Q), H
    if example == "flat":
        return decompose(np.zeros((1, 1))), np.ones((1, 1))
    if example == "two":
        Q, H, _, _ = accuracy.two_points(angle)
        return decompose(Q), H
    spectrum, H = _circles()
    if truth == "smooth":
        H = spectrum.V[:, :3] @ (spectrum.V[:, :3].T @ H)
    elif truth == "rough":
        H = np.random.default_rng(0).standard_normal(H.shape)
    return spectrum, H


@st.fragment
def draw() -> None:
    with beside("Accuracy (Theorem 4)", WORDS) as right:
        presets("accuracy", PRESETS)
        examples = EXAMPLES
        if st.session_state.get(key("example")) == "flat":
            examples = EXAMPLES | {"flat": "one number, λ = 0"}
        example = choice("Data", "example", examples, "circles")
        truth = "classes"
        if example == "circles":
            truth = choice("Truth H*", "truth", TRUTHS, "classes", TRUTH_HELP)
        angle = 0.3
        if example == "two":
            angle = slider(
                "Truth H*: angle to two equal responses",
                "angle4",
                (0, 0.1, 0.2, 0.3, 0.5, 0.7, 0.9, 1.2),
                0.3,
                "0: both points agree. The larger, the rougher the truth.",
            )
        kinds = {"free": "without constraint", "tau": "with ‖H‖ = τ"}
        kind = choice("Problem", "kind", kinds, "free")
        gammas = (0.01, 0.1, 0.3, 1, 3, 10, 30, 99, 300, 1000)
        gamma = slider("Smoothness γ", "gamma4", gammas, 1.0)
        noise = slider("Noise, standard deviation", "noise", (0, 0.01, 0.03, 0.1, 0.3, 1), 0.3)
        tau = 1.0
        if kind == "tau":
            tau = slider("Norm τ / ‖H*‖", "tau4", (0.1, 0.3, 0.5, 0.75, 0.9, 1, 1.5, 3), 1.0)
    spectrum, H = problem(example, truth, angle)
    t = accuracy.truth(spectrum, H, noise)
    with right:
        if kind == "free":
            _free(accuracy.free(t, gamma), gamma)
        else:
            _constrained(accuracy.constrained(t, gamma, tau * float(np.linalg.norm(H))))


def _free(f: accuracy.Free, gamma: float) -> None:
    st.latex(
        r"\begin{aligned}\mathbb E\|H-H^*\|^2&\le \tfrac{\gamma}{4}C_h+\mathbb E\|E\|^2\\"
        r"C_h&=\operatorname{tr}(H^{*\top}QH^*P)\end{aligned}"
    )
    st.caption("The printed bias term is C_h/4, without γ. 400 draws of the noise.")
    rows = [
        ("measured", [("bias²", f.bias2), ("noise that stays", f.measured - f.bias2)], LEFT_COLOR),
        ("bound as printed", [("C_h/4", f.C_h / 4), ("noise", f.noise)], RIGHT_COLOR),
        ("bound corrected", [("γ C_h/4", gamma * f.C_h / 4), ("noise", f.noise)], GOOD),
    ]
    chart(theory_figures.bounds(rows, "mean squared error"), key("accuracy"), "Error and bounds")
    rows = [
        ["measured", number(f.measured)],
        ["exact, from the spectrum", number(f.exact)],
        ["of which bias²", number(f.bias2)],
        ["roughness of the truth C_h", number(f.C_h)],
    ]
    numbers(rows, ["mean squared error", ""])
    if f.exact > f.printed * (1 + 1e-12):
        times = f.exact / f.printed if f.printed else np.inf
        say(
            f"The bound as printed **fails**: the error is {number(times)} times as large. The "
            "corrected one holds.",
            ":material/warning:",
            good=False,
        )
    else:
        say("Both bounds hold here. For γ ≤ 1 the printed one always does.", ":material/check:")


def _constrained(f: accuracy.Constrained) -> None:
    st.latex(
        r"\begin{aligned}\mathbb E\|H-H^*\|\le{}&\sqrt{C_h}\,S\\"
        r"&+\|H^*\|\,\mathbb E\max(a,b)/C\\&+\sqrt{\mathbb E\|E\|^2}/C\end{aligned}"
    )
    st.caption(
        "S is the largest √λ/(λ − λ₁ + C/γ). The printed first term takes its value at λ₁, which "
        "is 0 for a graph, and the printed second term is max(E a, b). a = ‖Y‖/τ − γλ₁ − 1, "
        "b = 1 + γλ₁ − C; C is the smallest γλ₁ − ρ in 400 draws."
    )
    names = ("smoothing", "ρ against −1", "noise")
    printed = (f.printed_first, f.printed_middle, f.last)
    corrected = (f.first, f.middle, f.last)
    rows = [
        ("measured", [("error", f.measured)], LEFT_COLOR),
        ("terms as printed", list(zip(names, printed, strict=True)), RIGHT_COLOR),
        ("corrected", list(zip(names, corrected, strict=True)), GOOD),
    ]
    chart(theory_figures.bounds(rows, "mean error"), key("accuracy"), "Error and bounds")
    head = ["", *names, "sum"]
    table = [
        ["as printed", *map(number, (*printed, f.printed))],
        ["corrected", *map(number, (*corrected, f.corrected))],
        ["measured", "", "", "", number(f.measured)],
    ]
    numbers(table, head)
    head = ["", "C", "mean ρ", "max(E a, b)", "E max(a, b)"]
    numbers([["draws", *(f"{v:.4g}".replace("-", "−") for v in _step(f))]], head)
    if f.C <= 0:
        say("A draw is a hard case: C = 0, and there is no bound.", ":material/warning:", False)
    elif f.measured > f.printed:
        say(
            "With the terms as printed the bound **fails**: the error is larger. The corrected one "
            "holds.",
            ":material/warning:",
            good=False,
        )
    elif f.mean_max > f.max_mean * (1 + 1e-9):
        say(
            "Both sums hold here, but E max(a, b) is **above** max(E a, b): the printed step of "
            "the proof does not.",
            ":material/warning:",
            good=False,
        )
    else:
        say("Both bounds hold here.", ":material/check:")


def _step(f: accuracy.Constrained) -> tuple[float, ...]:
    return f.C, f.mean_rho, f.max_mean, f.mean_max
