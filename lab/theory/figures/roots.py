"""The secular equation over rho, the steps of the root finder, and the hard case."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from lab.plot import (
    GOOD,
    Figure,
    Trace,
    across,
    axis,
    band,
    curve,
    dots,
    figure,
    logarithmic,
    minus,
    named,
    numbers,
    upright,
    words,
)
from lab.theme import LEFT_COLOR, NEUTRAL, RIGHT_COLOR
from mavr.theory.hard import Comparison
from mavr.theory.root import Secular

# Decades shown below and above the border |H| = tau.
BELOW, ABOVE = -2.0, 3.5
# Poles drawn, and how far apart they must be to be told from each other.
POLES, APART = 6, 0.35


def norm_steps(s: Secular, iterates: Sequence[float], shown: int) -> Figure:
    """|H(rho)| against the distance to the pole, with the root finder's steps so far."""
    top = s.interval[1]
    width = top - s.interval[0]
    low = min(*iterates, width * 0.3) * 0.4
    grid = np.geomspace(low, max(width, 1.0) * 3, 120)
    hover = "distance to the pole %{x:.3g}<br>‖H‖ = %{y:.3g}"
    traces = [
        curve(grid, s.norm(top - grid), NEUTRAL, hover),
        words(float(grid[-1]), s.tau, "‖H‖ = τ", "top left"),
    ]
    if top + 1 > 0:
        lgc = ("LGC  ρ = −1", RIGHT_COLOR, "bottom left")
        traces.append(named(top + 1, s.norm(-1.0)[0], *lgc, hover="LGC<br>‖H‖ = %{y:.3g}"))
    traces.append(_steps(s, iterates[:shown], iterates[-1]))
    x = logarithmic("distance below the pole, γλ<sub>k₀</sub> − ρ", dtick=1)
    y = logarithmic("norm ‖H(ρ)‖", grid=True, dtick=1)
    return figure(traces, 240, x, y, [band(low, width, 0.07), across(s.tau)])


def _steps(s: Secular, done: Sequence[float], final: float) -> Trace:
    """The steps, the last one large."""
    color = [GOOD if d == final else LEFT_COLOR for d in done]
    size = [13 if d == final else 8 for d in done]
    heights = s.norm(s.interval[1] - np.array(done, dtype=float))
    hover = "step %{pointNumber}: distance %{x:.6g}<br>‖H‖ = %{y:.6g}"
    line = {"color": LEFT_COLOR, "width": 1, "dash": "dot"}
    return dots(done, heights, color, size, hover, mode="markers+lines", line=line)


@dataclass(frozen=True)
class Scale:
    """An asinh scale of rho around the first pole that the labels touch.

    Near the pole it is linear in units of `unit`, further away logarithmic, so that a root next to
    the pole and poles far above it fit into one picture.
    """

    secular: Secular
    root: float

    @property
    def anchor(self) -> float:
        return self.secular.interval[1]

    @cached_property
    def touched(self) -> np.ndarray:
        """Poles with a weight."""
        return self.secular.poles[self.secular.weights > 0]

    @cached_property
    def unit(self) -> float:
        """Fine enough to tell the second pole from the first, if the root's distance allows it."""
        delta = max(self.anchor - self.root, 1e-12)
        second = float(self.touched[1]) - self.anchor if len(self.touched) > 1 else delta
        return float(np.clip(second / 2, delta / 200, delta / 2))

    def place(self, rho: float) -> float:
        """Where rho is in the picture."""
        return float(np.arcsinh((rho - self.anchor) / self.unit))

    def rho(self, place: np.ndarray) -> np.ndarray:
        """What is at a place of the picture."""
        return self.anchor + self.unit * np.sinh(place)

    @cached_property
    def poles(self) -> list[float]:
        """The first poles that the picture keeps apart."""
        found = [self.anchor]
        for pole in self.touched[1:]:
            apart = self.place(float(pole)) - self.place(found[-1]) > APART
            if len(found) < POLES and apart:
                found.append(float(pole))
        return found

    @cached_property
    def ends(self) -> tuple[float, float]:
        """Left and right border: the interval, LGC's -1 and the last pole, with some room."""
        left = self.place(min(self.secular.interval[0], -1.0))
        right = self.place(self.poles[-1])
        room = 0.08 * (right - left + 2)
        return left - room, right + room

    def grid(self) -> np.ndarray:
        """Places for a curve: even ones, and some close to both sides of each pole, a spike."""
        left, right = self.ends
        near = np.geomspace(1e-4, 0.2, 12)
        spikes = [self.place(p) + side * near for p in self.poles for side in (-1, 1)]
        places = np.unique(np.concatenate([np.linspace(left, right, 700), *spikes]))
        return places[(places >= left) & (places <= right)]

    def ticks(self) -> list[float]:
        """The pole and powers of ten around it that the scale keeps apart."""
        left, right = self.ends
        chosen, places = [self.anchor], [0.0]
        for step in (10.0**k for k in range(12, -13, -1)):
            for rho in (self.anchor - step, self.anchor + step):
                u = self.place(rho)
                if left < u < right and all(abs(u - other) > 1.0 for other in places):
                    chosen.append(rho)
                    places.append(u)
        return chosen


def poles_figure(s: Secular, root: float) -> Figure:
    """log(|H| / tau) over the first poles: g is positive above 0. The scale of rho is asinh."""
    scale = Scale(s, root)
    places = scale.grid()
    rho = scale.rho(places)
    level = np.log10(s.norm(rho) / s.tau)
    shown = np.where((level >= BELOW) & (level <= ABOVE), level, np.nan)
    hover = "ρ = %{customdata:.4g}<br>‖H‖ = τ × 10^%{y:.2f}"
    at_one = float(np.log10(s.norm(-1.0)[0] / s.tau))
    traces = [
        curve(places, shown, NEUTRAL, hover, customdata=numbers(rho)),
        _at(scale, root, 0.0, minus(f"root ρ = {root:.3g}"), GOOD, "top left"),
        _at(scale, -1.0, at_one, "LGC ρ = −1", RIGHT_COLOR, "bottom right"),
    ]
    poles = [upright(scale.place(p), opacity=0.45 if k else 0.9) for k, p in enumerate(scale.poles)]
    shapes = [band(scale.place(s.interval[0]), 0.0, 0.09), *poles, across(0.0)]
    ticks = scale.ticks()
    x = axis(
        "multiplier ρ",
        zeroline=False,
        tickvals=[scale.place(t) for t in ticks],
        ticktext=[minus(f"{t:.3g}") for t in ticks],
        range=list(scale.ends),
    )
    y = axis("log₁₀(‖H‖ / τ)", grid=True, zeroline=False, range=[BELOW, ABOVE])
    return figure(traces, 240, x, y, shapes)


def _at(scale: Scale, rho: float, level: float, name: str, color: str, position: str) -> Trace:
    """A named rho on the curve, kept inside the picture."""
    height = float(np.clip(level, BELOW, ABOVE))
    return named(scale.place(rho), height, name, color, position, hover=name, cliponaxis=False)


def _degrees(h: np.ndarray) -> float:
    return float(np.degrees(np.arctan2(h[1], h[0])) % 360)


def landscape(degrees: np.ndarray, values: np.ndarray, found: Comparison) -> Figure:
    """The objective all the way round the circle, its minima and the naive root's point."""
    traces = [curve(degrees, values, NEUTRAL, "%{x:.0f}°: objective %{y:.3f}")]
    style: dict[str, Any] = {"size": 12, "hover": "minimum %{y:.3f}"}
    for h in found.minima:
        at = (_degrees(h), found.objective)
        traces.append(named(*at, "minimum", GOOD, "bottom center", **style))
    if found.hard:
        style |= {"hover": "stationary, objective %{y:.3f}", "marker": {"symbol": "diamond"}}
        at = (_degrees(found.naive_h), found.naive_objective)
        traces.append(named(*at, "root in the interval", RIGHT_COLOR, "top center", **style))
    spread = float(np.ptp(values))
    low, high = float(values.min()) - 0.14 * spread, float(values.max()) + 0.06 * spread
    x = axis("direction of h on the circle, degrees", range=[0, 360], dtick=60)
    return figure(traces, 330, x, axis("objective", grid=True, nticks=6, range=[low, high]))


def two_roots(printed: Secular, right: Secular) -> Figure:
    """The norm by row norms and by the printed sums; both cross tau, at different rho."""
    ends = [-printed.root, -right.root]
    grid = np.geomspace(min(ends) / 8, max(ends) * 8, 120)
    traces = []
    for s, name, color, dash in (
        (right, "‖H(ρ)‖", GOOD, "solid"),
        (printed, "what the shortcut takes for it", RIGHT_COLOR, "dash"),
    ):
        hover = f"{name}<br>−ρ = %{{x:.3g}}: %{{y:.3g}}"
        traces.append(curve(grid, s.norm(-grid), color, hover, dash, name=name))
        hover = f"root, −ρ = {-s.root:.4g}"
        traces.append(dots(-s.root, s.tau, color, 10, hover, showlegend=False))
    norm = (-printed.root, right.norm(printed.root)[0], "the norm it gets", RIGHT_COLOR)
    hover, style = "‖H‖ = %{y:.4g}", {"symbol": "x"}
    traces.append(named(*norm, "bottom left", 10, hover=hover, marker=style, showlegend=False))
    x, y = logarithmic("−ρ", dtick=1), logarithmic("norm", grid=True, dtick=1)
    return figure(traces, 290, x, y, [across(right.tau, NEUTRAL)], legend=True)
