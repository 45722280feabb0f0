"""The strip of numbers under the canvas: one row per method, every symbol with its word."""

from __future__ import annotations

import html
import math

import numpy as np

from lab.scene import Answer

COLUMNS = (
    ("error", "Share of unlabelled points with a wrong class; an undecided point counts as wrong."),
    ("tied", "Points whose two best classes differ by less than the solver's error bound."),
    ("unreached", "Points with no label in their component of the graph: no class is claimed."),
    ("multiplier ρ", "Multiplier of the norm constraint; −1 means no constraint, as in LGC."),
    (
        "effective α",
        "With unrelated classes and no balance, LGC with this α gives the same classes.",
    ),
    ("volume V(H)", "tr(HᵀQHP)/‖H‖²: small means smooth responses, a large volume."),
    ("solved in", "Time of this solve on the server, and how the responses were computed."),
)
STYLE = """<style>
.numbers{width:100%;border-collapse:collapse;font-size:.86rem;font-variant-numeric:tabular-nums}
.numbers th{font-weight:400;opacity:.62;text-align:right;padding:2px 10px 2px 0;white-space:nowrap}
.numbers td{text-align:right;padding:3px 10px 3px 0;white-space:nowrap;border-top:1px solid
rgba(128,128,128,.22)} .numbers th:first-child,.numbers td:first-child{text-align:left}
.numbers td:first-child{font-weight:600} .numbers.light td:first-child{font-weight:400}
.numbers [title]{cursor:help}
.numbers-wrap{overflow-x:auto}
</style>"""


def number(value: float) -> str:
    """Three digits, a true minus sign, a dash for what has no value."""
    if not math.isfinite(value):
        return "–"
    return f"{value:.3g}".replace("-", "−")


def percent(value: float | None) -> str:
    """A share with one decimal, a dash where there is none."""
    return "–" if value is None else f"{100 * value:.1f} %"


def _several(value: float | np.ndarray) -> str:
    values = np.atleast_1d(np.asarray(value, dtype=float))
    if len(values) == 1:
        return number(float(values[0]))
    return f"{number(float(values.min()))} … {number(float(values.max()))}"


def _row(side: str, a: Answer) -> str:
    s = a.solution
    cells = [
        percent(a.error),
        str(a.n_tied),
        str(a.n_unreached),
        _several(s.rho),
        _several(s.alpha),
        number(s.volume),
        f"{1000 * a.seconds:.1f} ms",
    ]
    tips = [""] * 6 + [f"{s.method}; {s.status.value}"]
    body = "".join(
        f'<td data-number="{html.escape(name)}" title="{html.escape(tip)}">{cell}</td>'
        for cell, (name, _), tip in zip(cells, COLUMNS, tips, strict=True)
    )
    return f'<tr data-side="{side}"><td>{html.escape(a.title)}</td>{body}</tr>'


class Bold(str):
    """A cell of a table that stands out."""


def _cell(cell: str) -> str:
    text = html.escape(cell)
    return f"<td><b>{text}</b></td>" if isinstance(cell, Bold) else f"<td>{text}</td>"


def table(
    rows: list[list[str]], head: list[str], tips: list[str] | None = None, light: bool = False
) -> str:
    """HTML of a plain table in the same style; the first column is the name.

    light : names in a light face, so that only `Bold` cells stand out.
    """
    tips = tips or [""] * len(head)
    top = "".join(
        f'<th title="{html.escape(tip)}">{html.escape(name)}</th>'
        for name, tip in zip(head, tips, strict=True)
    )
    body = "".join("<tr>" + "".join(map(_cell, row)) + "</tr>" for row in rows)
    names = "numbers light" if light else "numbers"
    inner = f'<table class="{names}"><tr>{top}</tr>{body}</table>'
    return f'{STYLE}<div class="numbers-wrap">{inner}</div>'


def strip(answers: tuple[Answer, ...], disagree: int, n: int) -> str:
    """HTML of the strip; the first two rows are the ones that may differ."""
    head = "".join(f'<th title="{html.escape(tip)}">{name}</th>' for name, tip in COLUMNS)
    rows = "".join(map(_row, ("left", "right", "third"), answers))
    note = f"differ on {disagree} of {n} points" if disagree else "the same classes everywhere"
    return (
        f'{STYLE}<div class="numbers-wrap"><table class="numbers"><tr><th>{note}</th>{head}</tr>'
        f"{rows}</table></div>"
    )
