"""A plane of values as one SVG picture in print quality. No Streamlit here."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from lab.export import svg
from lab.map.request import Axis
from lab.text import short

# As the browser draws it (js/scale.js).
VIRIDIS = ("#440154", "#482475", "#414487", "#355f8d", "#2a788e", "#21918c", "#22a884", "#44bf70",
           "#7ad151", "#bddf26", "#fde725")  # fmt: skip
SIGNED = ("#0b4f8a", "#3f7cb5", "#7fa9cf", "#bcd2e4", "#efefef", "#ecccb3", "#dd9f6f", "#c26f31",
          "#8f4508")  # fmt: skip
SIDE, LEFT, TOP, BELOW, LEGEND = 480, 70, 40, 56, 44


def color(ramp: Sequence[str], share: float) -> str:
    """The colour at a share of a ramp, between its two nearest stops.

    >>> color(("#000000", "#ff0000"), 0.5)
    '#800000'
    """
    place = min(max(share, 0.0), 1.0) * (len(ramp) - 1)
    k = min(int(place), len(ramp) - 2)
    ends = [[int(stop[i : i + 2], 16) for i in (1, 3, 5)] for stop in ramp[k : k + 2]]
    mixed = [round(a + (b - a) * (place - k)) for a, b in zip(*ends, strict=True)]
    return "#" + "".join(f"{value:02x}" for value in mixed)


def plane_svg(
    title: str, share: np.ndarray, x: Axis, y: Axis, ramp: Sequence[str], ends: tuple[str, str]
) -> str:
    """share : (rows of y, columns of x) places on the ramp, nan for none; ends : of the scale."""
    rows, columns = share.shape
    w, h = SIDE / columns, SIDE / rows
    width, height = LEFT + SIDE + 30, TOP + SIDE + BELOW + LEGEND
    parts = [svg.text(LEFT, TOP - 14, title, 15, font_weight="600")]
    for i, j in np.argwhere(np.isfinite(share)).tolist():
        # A hair of overlap: no light shines between two cells.
        place = f'x="{LEFT + j * w:.2f}" y="{TOP + SIDE - (i + 1) * h:.2f}"'
        size = f'width="{w + 0.3:.2f}" height="{h + 0.3:.2f}"'
        parts.append(f'<rect {place} {size} fill="{color(ramp, float(share[i, j]))}"/>')
    parts += [_ticks(x, True), _ticks(y, False)]
    parts.append(svg.text(LEFT + SIDE / 2, TOP + SIDE + 42, x.name, 14, text_anchor="middle"))
    turned = f"rotate(-90 16 {TOP + SIDE / 2})"
    parts.append(svg.text(16, TOP + SIDE / 2, y.name, 14, text_anchor="middle", transform=turned))
    parts.append(_scale(ramp, ends))
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" '
        f'viewBox="0 0 {width} {height}"><rect width="100%" height="100%" fill="#fff"/>'
        f"{''.join(parts)}</svg>"
    )


def _ticks(axis: Axis, across: bool) -> str:
    """About five values of an axis, at their cells."""
    values = [float(v) for v in axis.values]
    step = SIDE / len(values)
    parts = []
    for k in sorted({round(t) for t in np.linspace(0, len(values) - 1, 5)}):
        at = (k + 0.5) * step
        if across:
            parts.append(
                svg.text(LEFT + at, TOP + SIDE + 18, short(values[k]), 12, text_anchor="middle")
            )
        else:
            parts.append(
                svg.text(LEFT - 8, TOP + SIDE - at + 4, short(values[k]), 12, text_anchor="end")
            )
    return "".join(parts)


def _scale(ramp: Sequence[str], ends: tuple[str, str]) -> str:
    """The colours from the lowest to the highest value."""
    y, n = TOP + SIDE + BELOW, 60
    width = SIDE / 2
    parts = [
        f'<rect x="{LEFT + k * width / n:.2f}" y="{y}" width="{width / n + 0.3:.2f}" height="10" '
        f'fill="{color(ramp, k / (n - 1))}"/>'
        for k in range(n)
    ]
    low = svg.text(LEFT, y + 26, ends[0], 12)
    return "".join(parts) + low + svg.text(LEFT + width, y + 26, ends[1], 12, text_anchor="end")
