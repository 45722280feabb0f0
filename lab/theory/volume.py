"""The large volume principle: in two dimensions by hand, in three by drawing points."""

from __future__ import annotations

import numpy as np
import streamlit as st

from lab.export.table import written
from lab.theory import ellipse, take
from lab.theory.figures import volumes
from lab.theory.figures.volumes import pattern
from lab.theory.parts import beside, key, number, numbers, presets, say, slider
from mavr.theory import volume

EIGENVALUES = (ellipse.LOWEST, ellipse.HIGHEST)
PICTURES = {
    "Long and thin": (
        "A long axis between two quadrants' borders: two classes take most of the area.",
        {"lam1": 0.25, "lam2": 4.0, "angle": 45, "h": (1.2, 1.2)},
    ),
    "Round": (
        "Equal eigenvalues: all classes have the same area, nothing is preferred.",
        {"lam1": 1.0, "lam2": 1.0, "angle": 0, "h": (1.0, 0.6)},
    ),
    "Along an axis": (
        "The long axis lies on the border of two classes: their areas are equal again.",
        {"lam1": 0.25, "lam2": 4.0, "angle": 0, "h": (1.5, 0.3)},
    ),
    "h in a small class": (
        "h points where the ellipse is short: V(h) is large.",
        {"lam1": 0.25, "lam2": 2.0, "angle": 40, "h": (-1.1, 1.3)},
    ),
}


def _picture() -> ellipse.Picture:
    moved = ellipse.dragged(key("picture"))
    if moved is not None:
        st.session_state[key("lam1")] = round(moved.lam1, 3)
        st.session_state[key("lam2")] = round(moved.lam2, 3)
        st.session_state[key("angle")] = round(float(np.degrees(moved.angle)), 1)
        st.session_state[key("h")] = (moved.hx, moved.hy)
    hx, hy = st.session_state.setdefault(key("h"), (0.9, 1.1))
    lam1 = slider(
        "Eigenvalue λ₁ of Q", "lam1", EIGENVALUES, 0.354, "The axis v₁ is 1/√λ₁ long.", log=True
    )
    lam2 = slider(
        "Eigenvalue λ₂ of Q", "lam2", EIGENVALUES, 2.0, "The axis v₂ is 1/√λ₂ long.", log=True
    )
    degrees = slider("Angle of v₁, °", "angle", (-90, 90), 30, "Degrees from the first axis.")
    return ellipse.Picture(lam1, lam2, float(np.radians(degrees)), hx, hy)


@st.fragment
def plane() -> None:
    with beside("volume") as right:
        picture = _picture()
        presets("volume", PICTURES)
    V = volume.rotation(picture.angle)
    Q = volume.form([picture.lam1, picture.lam2], V)
    h = np.array([picture.hx, picture.hy])
    areas = volume.quadrant_areas(Q)
    mine = volume.quadrant_of(h)
    value = volume.volume_of(Q, h)
    names = [pattern(s) for s in volume.QUADRANTS]
    largest = bool(areas[mine] >= areas.max() * (1 - 1e-9))
    with right:
        st.caption("Drag h, or an end of the axes v₁ and v₂. Arrow keys work, too.")
        spoken = f"h is in class {names[mine]}, area {areas[mine]:.2f}; V of h is {value:.2f}."
        ellipse.draw(key("picture"), picture, spoken)
        share = 100 * areas / areas.sum()
        rows = [["exact area", *(f"{a:.3f}" for a in areas), f"{areas.sum():.3f}"]]
        rows.append(["share", *(f"{s:.1f} %" for s in share), "100 %"])
        numbers(rows, ["signs of h", *names, "all"])
        cos = np.abs(V.T @ h) / np.linalg.norm(h)
        found = [f"{value:.3f}", f"{1 / np.sqrt(value):.3f}", f"{cos[0]:.3f}", f"{cos[1]:.3f}"]
        head = ["", "V(h)", "border along h, 1/√V", "cos(h, v₁)", "cos(h, v₂)"]
        numbers([[f"h in {names[mine]}", *found]], head)
        if np.ptp(areas) < 1e-9:
            words = "All four classes have the same area here: the principle prefers none."
        elif largest:
            words = "h is in a class of the **larger** area: the principle prefers it."
        else:
            words = "h is in a class of the **smaller** area: the principle prefers the others."
        say(words, ":material/balance:")
        _take_plane(picture, areas)


def _take_plane(picture: ellipse.Picture, areas: np.ndarray) -> None:
    rows = [[pattern(s), float(area)] for s, area in zip(volume.QUADRANTS, areas, strict=True)]
    table = written(["signs of h", "area"], rows)
    chart = take.Chart("picture", "The ellipse", lambda: table)
    axes = {"lam1": picture.lam1, "lam2": picture.lam2, "angle": picture.angle}
    take.export("volume", [chart], h=[float(picture.hx), float(picture.hy)], **axes)


@st.cache_data(max_entries=64, show_spinner=False)
def _thrown(lams: tuple[float, ...], yaw: float, pitch: float, count: int) -> volume.Sampled:
    return volume.sample(volume.form(lams, volume.rotation_3d(yaw, pitch)), count, seed=0)


@st.cache_data(max_entries=64, show_spinner=False)
def _never_hit(n: int, count: int) -> int:
    return volume.sample(volume.chain(n), count, seed=0).empty


@st.fragment
def space() -> None:
    with beside("space") as right:
        tip = "How many times as long the longest axis is."
        ratio = slider("Longest axis / shortest", "ratio", (1, 8), 3, tip, log=True)
        turn = slider("Turn the ellipsoid, °", "turn", (0, 180), 40)
        thrown = int(slider("Points thrown", "thrown", (200, 100_000), 5000, log=True))
        n = int(slider("Points n of a larger data set", "points", (3, 14), 12, whole=True))
    lams = (1 / ratio, 1.0, float(ratio))
    yaw, pitch = float(np.radians(turn)), 0.5
    sampled = _thrown(lams, yaw, pitch, thrown)
    exact = volume.octant_volumes(volume.form(lams, volume.rotation_3d(yaw, pitch)))
    with right:
        picture, bars = st.columns([1, 1.25])
        with picture:
            cloud, alt = volumes.cloud(sampled, 0.5), "Thrown points by octant"
            charts = [take.chart(cloud, "cloud", "Thrown points", alt)]
        with bars:
            octants = volumes.octant_bars(sampled, exact)
            alt = "Volume of each octant, estimated and exact"
            charts.append(take.chart(octants, "octants", "Volumes", alt))
        off = float(np.abs(sampled.volumes - exact).max() / exact.max())
        best = pattern(volume.signs(3)[int(exact.argmax())])
        head = ["three points", "largest class", "its volume", "estimate", "worst error"]
        row = [f"{thrown:,} thrown", best, number(exact.max())]
        numbers([[*row, number(sampled.volumes[exact.argmax()]), f"{100 * off:.1f} %"]], head)
        empty = _never_hit(n, thrown)
        say(
            f"{n} points in a row have {2**n:,} classes; {thrown:,} thrown points "
            f"never reached {empty:,} of them.",
            ":material/scatter_plot:",
        )
        form = {"lams": list(lams), "yaw": yaw, "pitch": pitch}
        take.export("space", charts, count=thrown, **form)
