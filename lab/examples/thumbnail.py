"""A small picture of an answer, as SVG."""

from __future__ import annotations

import numpy as np

from lab.board.answers import TIE, Answer
from lab.board.scene import Scene
from lab.theme import class_color

SIDE = 120
PAD = 7


def svg(scene: Scene, a: Answer) -> str:
    """Points in their predicted colours; tied ones as rings, unreached ones grey."""
    points = scene.points
    low, high = points.min(axis=0), points.max(axis=0)
    scale = (SIDE - 2 * PAD) / max(*(high - low), 1e-9)
    at = (points - (low + high) / 2) * scale * np.array([1, -1]) + SIDE / 2
    parts = []
    for i in np.flatnonzero(scene.alive):
        x, y = at[i]
        spot = f'cx="{x:.1f}" cy="{y:.1f}"'
        if scene.labels[i] >= 0:
            parts.append(
                f'<circle {spot} r="4" fill="{class_color(scene.labels[i])}" stroke="#6b7280" '
                'stroke-width="1.4"/>'
            )
        elif a.pred[i] < 0:
            parts.append(f'<circle {spot} r="1.7" fill="none" stroke="#8a8f99"/>')
        elif a.flags[i] & TIE:
            parts.append(f'<circle {spot} r="1.7" fill="none" stroke="#6b7280" stroke-width=".7"/>')
        else:
            parts.append(f'<circle {spot} r="1.9" fill="{class_color(a.pred[i])}"/>')
    return (
        f'<svg viewBox="0 0 {SIDE} {SIDE}" width="{SIDE}" height="{SIDE}" '
        'xmlns="http://www.w3.org/2000/svg" '
        f'role="img" aria-hidden="true">{"".join(parts)}</svg>'
    )
