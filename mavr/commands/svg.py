"""Figures as SVG text: panels of curves with error bars, and panels of points.

Self-contained (no script, no font file) and plain: it opens in a browser, prints, and scales.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from math import ceil, floor, log10
from operator import attrgetter
from pathlib import Path
from typing import Any

import numpy as np

from mavr.solvers.solution import Solution

# Okabe and Ito's colours: told apart by colour-blind eyes.
COLORS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#882255", "#332288")
GREY = "#9aa0a6"
DASH = "5 3"
INK = "#30343b"
STYLE = (
    "text{font-family:system-ui,-apple-system,'Segoe UI',Helvetica,Arial,sans-serif;"
    f"fill:{INK};font-size:12px}}.title{{font-size:14px;font-weight:600}}"
    ".tick{font-size:11px;fill:#62676f;font-variant-numeric:tabular-nums}"
)
MARGIN = {"left": 44, "right": 10, "top": 30, "bottom": 40}


@dataclass(frozen=True)
class Curve:
    """A line through points with error bars; `behind` draws it dashed, without bars."""

    x: Sequence[float]
    y: Sequence[float]
    bar: Sequence[float]
    color: str
    behind: bool = False


def measured(color: str, points: Sequence[Any], x: str) -> Curve:
    """Means of error rates with their standard errors in %, over the attribute x of the points."""
    points = sorted(points, key=attrgetter(x))
    means, errors = ([100 * getattr(p, f) for p in points] for f in ("mean", "standard_error"))
    return Curve([getattr(p, x) for p in points], means, errors, color)


@dataclass(frozen=True)
class CurvePanel:
    title: str
    x_label: str
    curves: Sequence[Curve]
    log_x: bool = False


@dataclass(frozen=True)
class ScatterPanel:
    """Points with their classes (-1 is drawn hollow) and the ones that carry a label."""

    title: str
    subtitle: str
    x: Sequence[float]
    y: Sequence[float]
    classes: Sequence[int]
    labelled: Sequence[int]


def document(
    panels: Sequence[CurvePanel | ScatterPanel],
    columns: int,
    size: tuple[int, int],
    legend: Sequence[tuple[str, str, str]] = (),
) -> str:
    """The panels in rows; legend : name, colour and dash of each entry; size : of one panel."""
    width, height = size
    rows = -(-len(panels) // columns)
    top = 34 if legend else 0
    full = (width * columns, height * rows + top)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {full[0]} {full[1]}" '
        f'width="{full[0]}" height="{full[1]}" role="img">',
        f"<style>{STYLE}</style>",
        f'<rect width="{full[0]}" height="{full[1]}" fill="#fff"/>',
        *_legend(legend),
    ]
    for k, panel in enumerate(panels):
        x, y = width * (k % columns), height * (k // columns) + top
        drawn = _curves(panel, size) if isinstance(panel, CurvePanel) else _points(panel, size)
        parts += [f'<g transform="translate({x},{y})">', *drawn, "</g>"]
    return "\n".join([*parts, "</svg>", ""])


def picture(
    path: str | Path,
    points: np.ndarray,
    labelled: Iterable[int],
    answers: Mapping[str, Solution | np.ndarray],
) -> None:
    """Write one panel of points for each answer; hollow where no class is claimed.

    Parameters
    ----------
    path : of the SVG file.
    points : (n, 2) places.
    labelled : points that carry a label.
    answers : by their titles; a solution, or the class of each point, -1 for none.
    """
    x, y = np.asarray(points, dtype=float).T.tolist()
    given = list(labelled)
    panels = []
    for title, answer in answers.items():
        if isinstance(answer, Solution):
            answer = np.where(answer.ties | answer.unreached, -1, answer.labels)
        open_ = int((answer < 0).sum())
        said = f"{len(x)} points, {len(given)} labelled" + (f", {open_} open" if open_ else "")
        panels.append(ScatterPanel(title, said, x, y, answer.tolist(), given))
    Path(path).write_text(document(panels, min(len(panels), 3), (420, 460)), encoding="utf-8")


def _legend(entries: Sequence[tuple[str, str, str]]) -> list[str]:
    parts, x = [], MARGIN["left"]
    for name, color, dash in entries:
        parts.append(
            f'<line x1="{x}" y1="20" x2="{x + 26}" y2="20" stroke="{color}" stroke-width="2.5" '
            f'stroke-dasharray="{dash}"/><text x="{x + 33}" y="24">{escape(name)}</text>'
        )
        x += 60 + 7 * len(name)
    return parts


def ticks(low: float, high: float, about: int = 5) -> list[float]:
    """Round numbers from low to high.

    >>> ticks(0.0, 0.46)
    [0.0, 0.1, 0.2, 0.3, 0.4]
    """
    raw = (high - low) / about or 1.0
    unit = 10.0 ** floor(log10(raw))
    step = next(unit * m for m in (1, 2, 5, 10) if unit * m >= raw * 0.999)
    return [round(k * step, 12) for k in range(ceil(low / step), floor(high / step + 1e-9) + 1)]


def _log_ticks(low: float, high: float) -> list[float]:
    powers = range(floor(log10(low)), ceil(log10(high)) + 1)
    factors = (1, 2, 5) if high / low < 30 else (1,)
    found = [f * 10.0**p for p in powers for f in factors if low <= f * 10.0**p <= high]
    return found[:: 1 + len(found) // 6]


def _name(value: float, log: bool) -> str:
    if log and (value >= 1e4 or value < 1e-2):
        return f'10<tspan dy="-5" font-size="8">{round(log10(value))}</tspan>'
    return f"{value:g}"


def _curves(panel: CurvePanel, size: tuple[int, int]) -> list[str]:
    left, top = MARGIN["left"], MARGIN["top"]
    right, bottom = size[0] - MARGIN["right"], size[1] - MARGIN["bottom"]
    xs = [x for curve in panel.curves for x in curve.x]
    low, high = min(xs), max(xs)
    most = max(y + b for c in panel.curves for y, b in zip(c.y, c.bar, strict=True)) * 1.05 or 1.0

    def px(x: float) -> float:
        if high == low:
            return (left + right) / 2
        share = log10(x / low) / log10(high / low) if panel.log_x else (x - low) / (high - low)
        return left + 8 + (right - left - 16) * share

    def py(y: float) -> float:
        return bottom - (bottom - top) * y / most

    parts = [f'<text class="title" x="{left}" y="18">{escape(panel.title)}</text>']
    for y in ticks(0.0, most):
        parts.append(
            f'<line x1="{left}" x2="{right}" y1="{py(y):.1f}" y2="{py(y):.1f}" stroke="#e6e8eb"/>'
            f'<text class="tick" x="{left - 6}" y="{py(y) + 4:.1f}" text-anchor="end">{y:g}</text>'
        )
    for x in _log_ticks(low, high) if panel.log_x else ticks(low, high):
        parts.append(
            f'<line x1="{px(x):.1f}" x2="{px(x):.1f}" y1="{bottom}" y2="{bottom + 4}" '
            f'stroke="{GREY}"/><text class="tick" x="{px(x):.1f}" y="{bottom + 17}" '
            f'text-anchor="middle">{_name(x, panel.log_x)}</text>'
        )
    middle = (left + right) / 2
    parts.append(
        f'<text x="{middle}" y="{bottom + 33}" text-anchor="middle">{escape(panel.x_label)}</text>'
    )
    # Printed curves lie behind ours.
    for curve in sorted(panel.curves, key=lambda curve: not curve.behind):
        parts += _curve(curve, px, py)
    return parts


def _curve(curve: Curve, px, py) -> list[str]:  # type: ignore[no-untyped-def]
    places = [(px(x), py(y)) for x, y in zip(curve.x, curve.y, strict=True)]
    line = " ".join(f"{x:.1f},{y:.1f}" for x, y in places)
    look = 'stroke-width="1.5" stroke-opacity="0.45"' if curve.behind else 'stroke-width="1.8"'
    parts = [
        f'<polyline points="{line}" fill="none" stroke="{curve.color}" {look} '
        f'stroke-dasharray="{DASH if curve.behind else ""}" stroke-linejoin="round"/>'
    ]
    if curve.behind:
        return parts
    for (x, y), mean, bar in zip(places, curve.y, curve.bar, strict=True):
        parts.append(
            f'<path d="M{x:.1f} {py(max(mean - bar, 0)):.1f}V{py(mean + bar):.1f}" '
            f'stroke="{curve.color}"/><circle cx="{x:.1f}" cy="{y:.1f}" r="2.2" '
            f'fill="{curve.color}"/>'
        )
    return parts


def _points(panel: ScatterPanel, size: tuple[int, int]) -> list[str]:
    width, height = size[0] - 24, size[1] - 64
    low_x, low_y = min(panel.x), min(panel.y)
    span = max((max(panel.x) - low_x) / width, (max(panel.y) - low_y) / height) or 1.0
    shift_x = 12 + (width - (max(panel.x) - low_x) / span) / 2
    shift_y = 50 + (height - (max(panel.y) - low_y) / span) / 2
    top = max(panel.y)
    given = set(panel.labelled)
    parts = [
        f'<text class="title" x="12" y="18">{escape(panel.title)}</text>',
        f'<text class="tick" x="12" y="36">{escape(panel.subtitle)}</text>',
    ]
    stars = []
    for i, (x, y, j) in enumerate(zip(panel.x, panel.y, panel.classes, strict=True)):
        px, py = shift_x + (x - low_x) / span, shift_y + (top - y) / span
        fill, line = (COLORS[j % len(COLORS)], "none") if j >= 0 else ("#fff", GREY)
        place = f'cx="{px:.1f}" cy="{py:.1f}" fill="{fill}"'
        parts.append(f'<circle {place} r="2.6" stroke="{line}"/>')
        if i in given:
            stars.append(f'<circle {place} r="6.5" stroke="{INK}" stroke-width="1.8"/>')
    return parts + stars
