"""Theorem 4: labels with noise, the error against a truth, and the bounds."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import streamlit as st

import datasets
from lab.plot import GOOD, minus
from lab.theme import LEFT_COLOR, RIGHT_COLOR
from lab.theory import take
from lab.theory.figures import bounds
from lab.theory.parts import beside, choice, number, numbers, presets, say, slider
from lab.theory.source import graph
from mavr import decompose
from mavr.settings import GraphSpec
from mavr.solvers.spectrum import Spectrum, spectrum_of
from mavr.theory import accuracy
from mavr.theory.truth import Truth, one_number, truth, two_points

EXAMPLES = {"circles": "90 points", "two": "two points", "one": "λ = 0.01", "flat": "λ = 0"}
EXAMPLE_HELP = "The last two are one point and one class, so that Q is one number λ."
TRUTHS = {"classes": "true classes", "smooth": "smooth", "rough": "rough"}
TRUTH_HELP = (
    "True classes: 1 for the own class. Smooth: mixes the three lowest eigenvectors. Rough: a "
    "random table of the same norm, as rough as noise."
)
KINDS = {"free": "without constraint", "tau": "with ‖H‖ = τ"}
# Settings that the errata open, too.
# Eq. (20) without gamma.
FAILS_FREE = {"example": "one", "kind": "free", "gamma4": 99.0, "noise": 0.0}
# E|Y|^2 = 0.9803 <= 1: one labelled position, noise in both.
FAILS_AT_TAU = {
    "example": "two",
    "kind": "tau",
    "gamma4": 99.0,
    "noise": 0.01,
    "tau4": 1.0,
    "angle4": 0.3,
    "labelled": 1,
}
# A small C: C / gamma <= 2 lam_1, the supremum is at lam_1.
SQUARE_ROOT = {"example": "one", "kind": "tau", "gamma4": 99.0, "noise": 0.0, "tau4": 1.0}
# E|Y|^2 = 0.8^2 + 0.6^2 = 1, tau = 0.5.
MEAN_OF_MAXIMUM = {
    "example": "flat",
    "kind": "tau",
    "gamma4": 99.0,
    "noise": 0.6,
    "tau4": 0.625,
}
PRESETS = {
    "Fails at ρ = −1": (
        "One number, λ = 0.01, γ = 99: the bias is a hundred times the printed bound.",
        FAILS_FREE,
    ),
    "Fails at ‖H‖ = τ": (
        "Two joined points, one labelled: the printed first term is 0, the error is not.",
        FAILS_AT_TAU,
    ),
    "E max": (
        "One number with λ = 0: the mean of a maximum exceeds the maximum of the means.",
        MEAN_OF_MAXIMUM,
    ),
    "90 points": (
        "Three circles, the true classes as H*.",
        {"example": "circles", "kind": "free", "gamma4": 1.0, "noise": 0.3, "truth": "classes"},
    ),
}
FREE = (
    r"\begin{aligned}\mathbb E\|H-H^*\|^2\le{}&(C_h/4)\|H^*\|^2\\"
    r"&+\tilde l\sigma_l^2+\tilde u\sigma_u^2\quad(20)\end{aligned}"
)
CONSTRAINED = (
    r"\begin{aligned}&\mathbb E\|H-H^*\|\le(\sqrt{C_h}\,\gamma\lambda_{PQ,1}/C)\|H^*\|\\"
    r"&\quad+\bigl(\max\{a_0,\,\gamma\lambda_{PQ,1}-C+1\}/C\bigr)\|H^*\|\\"
    r"&\quad+\sqrt{\tilde l\sigma_l^2+\tilde u\sigma_u^2}/C\quad(19)\\"
    r"&\;a_0=\sqrt{\tilde l}/\tau-\gamma\lambda_{PQ,1}-1\end{aligned}"
)
CORRECTED = (
    "As printed, a₀ written apart. With b = γλ₁ − C + 1, corrected: S in the place of γλ₁/C, "
    "the largest √λ/(λ − λ₁ + C/γ); and b + l̃/(4τ²s) in the place of the maximum while "
    "√l̃/τ < 2s, s = 2 + 2γλ₁ − C. C is the smallest γλ₁ − ρ of the draws."
)
GAMMAS = (0.01, 1000.0)
# Sentence, icon, and whether it is good news.
Verdict = tuple[str, str, bool | None]
CHECK, WARNING = ":material/check:", ":material/warning:"
NOTHING = "E‖Y‖² is above l̃: the theorem says nothing here, and neither do we."
NO_VERDICT: Verdict = (NOTHING, ":material/info:", None)
# The names of what is drawn in the code for it.
SHOWN = {"free": ("bias2", "variance", "printed", "corrected", "noise"), "tau": ("measured",)}
TERMS = """for name in ("printed", "rooted", "corrected"):
    terms = getattr(found, name)
    drawn[name] = [terms.smoothing, terms.multiplier, terms.noise]"""
SUM = ("smoothing", "ρ against −1", "noise")


@dataclass(frozen=True)
class Made:
    """A spectrum S and a truth H, and lines of Python that make them."""

    spectrum: Spectrum
    H: np.ndarray
    code: tuple[str, ...]


CIRCLES = (
    "data = datasets.three_circles(n=90, seed=1)",
    'S = spectrum_of(mavr.make_graph(data.X, "local_scaling", n_neighbors=7))',
    "H = np.eye(3)[data.y]",
)
SMOOTH = "H = S.V[:, :3] @ (S.V[:, :3].T @ H)"
ROUGH = (
    "rough = np.random.default_rng(0).standard_normal(H.shape)",
    "H = rough * np.linalg.norm(H) / np.linalg.norm(rough)",
)


def _circles(kind: str) -> Made:
    data = datasets.three_circles(n=90, seed=1)
    spec = GraphSpec.of("local_scaling", n_neighbors=7)
    spectrum = spectrum_of(graph("circles.90.1", spec, data.X))
    H, code = np.eye(3)[data.y], CIRCLES
    if kind == "smooth":
        H, code = spectrum.V[:, :3] @ (spectrum.V[:, :3].T @ H), (*CIRCLES, SMOOTH)
    elif kind == "rough":
        rough = np.random.default_rng(0).standard_normal(H.shape)
        H, code = rough * np.linalg.norm(H) / np.linalg.norm(rough), (*CIRCLES, *ROUGH)
    return Made(spectrum, H, code)


def _data(example: str) -> Made:
    """The spectrum and H*, with the controls that belong to the example."""
    if example == "circles":
        return _circles(choice("Truth H*", "truth", TRUTHS, "classes", TRUTH_HELP))
    if example == "two":
        tip = "0: both points agree. The larger, the rougher the truth."
        angle = slider("Truth H*: angle to two equal responses", "angle4", (0, 1.2), 0.3, tip)
        Q, H = two_points(angle)
        made = f"two_points({angle!r})"
    else:
        values = (0.01, 1.0) if example == "one" else (0.0, 0.8)
        Q, H = one_number(*values)
        made = f"one_number{values!r}"
    return Made(decompose(Q), H, (f"Q, H = truth.{made}", "S = mavr.decompose(Q)"))


@st.fragment
def draw() -> None:
    with beside("accuracy") as right:
        presets("accuracy", PRESETS)
        example = choice("Data", "example", EXAMPLES, "circles", EXAMPLE_HELP)
        made = _data(example)
        labelled = len(made.H)
        if example == "two":
            points = {1: "one point", 2: "both points"}
            labelled = int(choice("Labelled", "labelled", points, 1))
        kind = choice("Problem", "kind", KINDS, "free")
        gamma = slider("Smoothness γ", "gamma4", GAMMAS, 1.0, log=True)
        noise = slider("Noise, standard deviation", "noise", (0.001, 1), 0.3, log=True, zero=True)
        t = truth(made.spectrum, made.H, noise, labelled=range(labelled))
        if kind == "tau":
            tau = slider("Norm τ / ‖H*‖", "tau4", (0.1, 3), 1.0, log=True) * t.size
    with right:
        if kind == "free":
            drawn = _free(t, accuracy.free(t, gamma))
            given, terms = f"free(t, {gamma!r})", ""
        else:
            drawn = _constrained(t, accuracy.constrained(t, gamma, tau))
            given, terms = f"constrained(t, {gamma!r}, {tau})", TERMS
        shown = ", ".join(f'"{name}": found.{name}' for name in SHOWN[kind])
        code = {"made": "\n".join(made.code), "given": given, "shown": shown, "terms": terms}
        take.export("accuracy", [drawn], noise=noise, labelled=labelled, **code)


def _bars(t: Truth, bars: list[bounds.Bar], unit: str, verdict: Verdict) -> take.Chart:
    """The errors beside their bounds, and the verdict, if the theorem applies."""
    title = "Error and bounds"
    drawn = take.chart(bounds.bounds(bars, unit), "accuracy", title, title)
    say(*(verdict if t.assumed else NO_VERDICT))
    return drawn


def _assumption(t: Truth) -> None:
    """What Theorem 4 assumes of the truth and the noise."""
    verdict = "assumed, and holds" if t.assumed else "assumed, and does not hold"
    rows = [
        ["E‖Y‖²", f"{t.expected_labels:.4g}"],
        ["labelled positions l̃", str(t.positions)],
        ["E‖Y‖² ≤ l̃", verdict],
        ["roughness V(H*)", number(t.C_h)],
    ]
    numbers(rows, ["the truth", ""])


def _free(t: Truth, f: accuracy.Free) -> take.Chart:
    st.latex(FREE)
    st.caption("As printed. The bias term must be (γ*C*ₕ/4)‖H\\*‖².")
    rows: list[bounds.Bar] = [
        ("measured", [("bias²", f.bias2), ("noise that stays", f.variance)], LEFT_COLOR),
        ("bound as printed", [("bias", f.printed), ("noise", f.noise)], RIGHT_COLOR),
        ("bound corrected", [("bias", f.corrected), ("noise", f.noise)], GOOD),
    ]
    drawn = _bars(t, rows, "mean squared error", _free_verdict(f))
    table = [
        ["measured", number(f.measured)],
        ["exact, from the spectrum", number(f.exact)],
        ["of which bias²", number(f.bias2)],
    ]
    numbers(table, ["mean squared error", ""])
    _assumption(t)
    return drawn


def _free_verdict(f: accuracy.Free) -> Verdict:
    if f.printed_holds:
        return "Both bounds hold here. For γ ≤ 1 the printed one always does.", CHECK, None
    times = f.exact / f.printed_bound if f.printed_bound else np.inf
    words = f"The bound as printed **fails**: the error is {number(times)} times as large. "
    return words + "The corrected one holds.", WARNING, False


def _constrained(t: Truth, f: accuracy.Constrained) -> take.Chart:
    st.latex(CONSTRAINED)
    st.caption(CORRECTED)
    bars: list[bounds.Bar] = [("measured", [("error", f.measured)], LEFT_COLOR)]
    table = []
    for name, terms, color in (
        ("as printed", f.printed, RIGHT_COLOR),
        ("with √λ₁ for λ₁", f.rooted, RIGHT_COLOR),
        ("corrected", f.corrected, GOOD),
    ):
        values = (terms.smoothing, terms.multiplier, terms.noise)
        bars.append((name, list(zip(SUM, values, strict=True)), color))
        table.append([name, *map(number, (*values, terms.sum))])
    drawn = _bars(t, bars, "mean error", _verdict(f))
    numbers([*table, ["measured", "", "", "", number(f.measured)]], ["", *SUM, "sum"])
    step = {
        "E max(a, b)": f.mean_max,
        "max(E a, b), which the proof puts above it": f.max_mean,
        "printed in its place": f.printed_max,
        "what bounds it": f.corrected_max,
        "C": f.C,
        "mean ρ": f.mean_rho,
    }
    rows = [[name, minus(f"{value:.4g}")] for name, value in step.items()]
    numbers(rows, ["second term, a = ‖Y‖/τ − γλ₁ − 1", ""])
    _assumption(t)
    return drawn


def _verdict(f: accuracy.Constrained) -> Verdict:
    if f.C <= 0:
        return "A draw is a hard case: C = 0, and there is no bound.", WARNING, False
    if not f.printed_holds:
        words = "The bound as printed **fails**: the error is larger. The corrected one holds."
        return words, WARNING, False
    if not f.step_holds:
        words = "Both sums hold here, but E max(a, b) is **above** what is printed in its place: "
        return words + "the step of the proof does not hold.", WARNING, False
    return "Both bounds hold here.", CHECK, None
