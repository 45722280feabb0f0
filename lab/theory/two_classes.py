"""Two classes that are each other's opposite: V(H) = V(h_1)."""

from __future__ import annotations

import numpy as np
import streamlit as st

from lab.theory import take
from lab.theory.figures import volumes
from lab.theory.parts import beside, numbers, presets, say, slider
from mavr.theory import kronecker, volume

PRESETS = {
    "The binary case": ("h₁ + h₂ = 0, P = I.", {"coupling2": 0.0, "sum2": 0.0}),
    "Related classes": ("P has 0.5 beside its diagonal.", {"coupling2": 0.5, "sum2": 0.0}),
    "Not opposite": ("h₁ + h₂ is not 0.", {"coupling2": 0.0, "sum2": 1.0}),
}
Q = volume.form([0.3, 1.5], volume.rotation(0.6))


def curves(P: np.ndarray, extra: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Degrees of h_1 on the unit circle, V(h_1), and V(H) with h_1 + h_2 = (extra, 0)."""
    degrees = np.linspace(0.0, 180.0, 91)
    directions = np.stack([np.cos(np.radians(degrees)), np.sin(np.radians(degrees))], axis=1)
    binary = [volume.volume_of(Q, h) for h in directions]
    multi = [
        kronecker.volume_both_ways(P, Q, kronecker.opposite(h, np.array([extra, 0.0])))[0]
        for h in directions
    ]
    return degrees, np.array(binary), np.array(multi)


def _ellipse(form: np.ndarray) -> np.ndarray:
    """Points of h' form h = 1."""
    angles = np.linspace(0, 2 * np.pi, 181)
    directions = np.stack([np.cos(angles), np.sin(angles)], axis=1)
    size = np.sqrt(np.einsum("ki,ij,kj->k", directions, form, directions))
    return np.asarray(directions / size[:, None])


@st.fragment
def draw() -> None:
    with beside("two") as right:
        st.caption(
            "As printed at the end of Section 3.2, below Eq. (7), for h₁ + h₂ = 0 and P = I₂."
        )
        degrees = slider("Direction of h₁, °", "angle2", (0, 180), 60)
        p = slider("Entry p of P beside its diagonal", "coupling2", (-0.5, 0.75), 0)
        extra = slider("First entry of h₁ + h₂", "sum2", (0, 2), 0)
        presets("two", PRESETS)
    P = kronecker.two_classes(p)
    angle = np.radians(degrees)
    h = np.array([np.cos(angle), np.sin(angle)])
    H = kronecker.opposite(h, np.array([extra, 0.0]))
    by_matrix, _ = kronecker.volume_both_ways(P, Q, H)
    binary = volume.volume_of(Q, h)
    with right:
        # (h, -h)' (P x Q) (h, -h) = (2 - 2 p) h'Qh
        cut = volumes.cut_ellipse(_ellipse(Q), _ellipse((2 - 2 * p) * Q), h)
        alt = "The binary ellipse and the cut of the long one"
        charts = [take.chart(cut, "cut", "Ellipse and cut", alt)]
        both = volumes.two_classes(*curves(P, extra), degrees)
        alt = "V of h1 and of H over the direction of h1"
        charts.append(take.chart(both, "two", "Volumes", alt))
        rows = [["V(h₁), binary", f"{binary:.6f}"], ["V(H), two classes", f"{by_matrix:.6f}"]]
        numbers(rows, [f"h₁ at {degrees:g}°", "volume"])
        if abs(by_matrix - binary) < 1e-12:
            say("V(H) = V(h₁): the binary case.", ":material/check:", good=True)
        else:
            words = "h₁ + h₂ ≠ 0" if extra else "P ≠ I"
            say(f"{words}: V(H) is another number.", ":material/info:")
        take.export("two", charts, coupling=p, extra=extra)
