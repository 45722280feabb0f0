"""Shapes of the boards as SVG: marks of the classes, pies, hatched discs, shading, legends."""

from __future__ import annotations

import base64
import math
import struct
import zlib
from collections.abc import Sequence
from html import escape

import numpy as np

from lab.theme import CLASS_COLORS, class_color

INK, QUIET, LINE = "#222222", "#9aa1ad", "#d9dbe0"
FONT = "system-ui, -apple-system, 'Segoe UI', Helvetica, Arial, sans-serif"

# As the boards draw them: sides, turn and size of each class's mark; 0 sides is a disc.
_FORMS = (
    (0, 0.0, 1.0),
    (4, math.pi / 4, 0.88 * math.sqrt(2)),
    (3, -math.pi / 2, 1.22),
    (4, 0.0, 1.22),
    (3, math.pi / 2, 1.22),
    (5, -math.pi / 2, 1.12),
    (6, 0.0, 1.1),
)


def mark(j: int, x: float, y: float, r: float, look: str) -> str:
    """The mark of class j."""
    k = j % (len(_FORMS) + 1)
    if k == len(_FORMS):
        sizes = [1.35 * r * (0.5 if m % 2 else 1.0) for m in range(10)]
        return _polygon(x, y, sizes, -math.pi / 2, look)
    sides, turn, size = _FORMS[k]
    if not sides:
        return disc(x, y, r, look)
    return _polygon(x, y, [size * r] * sides, turn, look)


def _polygon(x: float, y: float, sizes: Sequence[float], turn: float, look: str) -> str:
    step = 2 * math.pi / len(sizes)
    at = [(x + s * math.cos(turn + k * step), y + s * math.sin(turn + k * step))
          for k, s in enumerate(sizes)]  # fmt: skip
    return f'<polygon points="{" ".join(f"{a:.2f},{b:.2f}" for a, b in at)}" {look}/>'


def disc(x: float, y: float, r: float, look: str) -> str:
    return f'<circle cx="{x:.2f}" cy="{y:.2f}" r="{r:.2f}" {look}/>'


def fill(color: str) -> str:
    return f'fill="{color}"'


def outline(color: str, width: float) -> str:
    return f'fill="none" stroke="{color}" stroke-width="{width:g}"'


def labelled(j: int, x: float, y: float, r: float) -> str:
    """A point whose class is given: larger, with an outline."""
    edge = mark(j, x, y, 1.7 * r, 'fill="white" stroke="white" stroke-width="3.4"')
    look = f'fill="{class_color(j)}" stroke="{INK}" stroke-width="1.6"'
    return edge + mark(j, x, y, 1.7 * r, look)


def hatched(x: float, y: float, r: float) -> str:
    """A tied or undecided point."""
    look = f'fill="url(#hatch)" stroke="{INK}" stroke-width="0.9"'
    return disc(x, y, 1.05 * r, look)


def cross(x: float, y: float, r: float) -> str:
    s = 0.55 * r
    return (
        f'<path d="M{x - s:.2f},{y - s:.2f}L{x + s:.2f},{y + s:.2f}'
        f'M{x + s:.2f},{y - s:.2f}L{x - s:.2f},{y + s:.2f}" {outline(QUIET, 1.3)}/>'
    )


def sector(x: float, y: float, r: float, part: int, parts: int, look: str) -> str:
    """One of several equal sectors of a disc, from the top, clockwise."""
    if parts == 1:
        return disc(x, y, r, look)
    a, b = (2 * math.pi * k / parts - math.pi / 2 for k in (part, part + 1))
    long = int(b - a > math.pi)
    return (
        f'<path d="M{x:.2f},{y:.2f}L{x + r * math.cos(a):.2f},{y + r * math.sin(a):.2f}'
        f'A{r:.2f},{r:.2f} 0 {long} 1 {x + r * math.cos(b):.2f},{y + r * math.sin(b):.2f}Z" '
        f"{look}/>"
    )


def faded(color: str, t: float) -> str:
    """A colour mixed with white; t = 1 is the colour."""
    parts = [int(color[k : k + 2], 16) for k in (1, 3, 5)]
    return "#" + "".join(f"{round(255 + (v - 255) * t):02x}" for v in parts)


def text(x: float, y: float, words: str, size: float = 14, **more: str) -> str:
    look = "".join(f' {key.replace("_", "-")}="{value}"' for key, value in more.items())
    fill_ = "" if "fill" in more else f' fill="{INK}"'
    return f'<text x="{x:.1f}" y="{y:.1f}" font-size="{size:g}"{fill_}{look}>{escape(words)}</text>'


def shading(grid: np.ndarray, shape: Sequence[int], box: Sequence[float]) -> str:
    """Cells between the points as an image; box : x, y, width, height of all cells."""
    columns, rows = shape
    x, y, width, height = box
    png = _png(np.where(grid >= 0, grid % len(CLASS_COLORS) + 1, 0).reshape(rows, columns))
    return (
        f'<image x="{x:.2f}" y="{y:.2f}" width="{width:.2f}" height="{height:.2f}" opacity="0.17" '
        f'preserveAspectRatio="none" href="data:image/png;base64,{png}"/>'
    )


def _png(index: np.ndarray) -> str:
    """A picture of palette indices; 0 is transparent, k the k-th colour of the classes."""

    def chunk(name: bytes, body: bytes) -> bytes:
        check = zlib.crc32(name + body)
        return struct.pack(">I", len(body)) + name + body + struct.pack(">I", check)

    rows, columns = index.shape
    head = struct.pack(">IIBBBBB", columns, rows, 8, 3, 0, 0, 0)
    palette = bytes.fromhex("ffffff" + "".join(color[1:] for color in CLASS_COLORS))
    # Each row begins with its filter, 0: none.
    raw = np.hstack([np.zeros((rows, 1), dtype="u1"), index.astype("u1")]).tobytes()
    parts = [(b"IHDR", head), (b"PLTE", palette), (b"tRNS", b"\0"),
             (b"IDAT", zlib.compress(raw, 9)), (b"IEND", b"")]  # fmt: skip
    made = b"\x89PNG\r\n\x1a\n" + b"".join(chunk(*part) for part in parts)
    return base64.b64encode(made).decode("ascii")


def document(width: float, height: float, title: str, about: str, body: Sequence[str]) -> str:
    """A whole picture on white; about : what it was made from."""
    hatch = (
        '<pattern id="hatch" width="3" height="3" patternUnits="userSpaceOnUse" '
        'patternTransform="rotate(45)"><rect width="3" height="3" fill="white"/>'
        f'<path d="M0,0V3" stroke="{INK}" stroke-width="1.6"/></pattern>'
    )
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:g} {height:g}" '
        f'width="{width:g}" height="{height:g}" role="img" font-family="{FONT}">'
        f"<title>{escape(title)}</title><desc>{escape(about)}</desc><defs>{hatch}</defs>"
        f'<rect width="100%" height="100%" fill="white"/>{"".join(body)}</svg>\n'
    )
