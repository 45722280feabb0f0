"""A small picture of an answer, as SVG."""

from __future__ import annotations

import numpy as np

from lab.board.answers import TIE, Answer
from lab.board.scene import Scene
from lab.theme import class_color

SIDE = 120
PAD = 7


def svg(scene: Scene, a: Answer) -> str:
    """Points in their predicted colours; tied ones as rings, unreached ones grey.

    One path for all points that look alike: a page has fifteen pictures.
    """
    points = scene.points
    low, high = points.min(axis=0), points.max(axis=0)
    scale = (SIDE - 2 * PAD) / max(*(high - low), 1e-9)
    at = (points - (low + high) / 2) * scale * np.array([1, -1]) + SIDE / 2
    open_ = scene.alive & (scene.labels < 0)
    tied = open_ & (a.flags & TIE > 0) & (a.pred >= 0)
    parts = [_rings(at[open_ & (a.pred < 0)], "#8a8f99", 1), _rings(at[tied], "#6b7280", 0.7)]
    for j in range(scene.n_classes):
        parts.append(_dots(at[open_ & ~tied & (a.pred == j)], class_color(j), 3.8))
    for j in range(scene.n_classes):
        given = at[scene.alive & (scene.labels == j)]
        parts += [_dots(given, "#6b7280", 9.4), _dots(given, class_color(j), 6.6)]
    return (
        f'<svg viewBox="0 0 {SIDE} {SIDE}" width="{SIDE}" height="{SIDE}" '
        'xmlns="http://www.w3.org/2000/svg" '
        f'role="img" aria-hidden="true">{"".join(parts)}</svg>'
    )


def _dots(at: np.ndarray, color: str, width: float) -> str:
    """Points as the round ends of lines without length."""
    return _path("".join(f"M{x:.1f} {y:.1f}h0" for x, y in at), color, width)


def _rings(at: np.ndarray, color: str, width: float) -> str:
    arcs = "a1.7 1.7 0 1 0 3.4 0a1.7 1.7 0 1 0-3.4 0"
    return _path("".join(f"M{x - 1.7:.1f} {y:.1f}{arcs}" for x, y in at), color, width)


def _path(d: str, color: str, width: float) -> str:
    look = f'fill="none" stroke="{color}" stroke-width="{width:g}" stroke-linecap="round"'
    return f'<path d="{d}" {look}/>' if d else ""
