"""Plain tables of numbers as HTML; every cell is escaped."""

from __future__ import annotations

import html
from collections.abc import Iterable, Mapping

STYLE = """<style>
.numbers{width:100%;border-collapse:collapse;font-size:.86rem;font-variant-numeric:tabular-nums}
.numbers th{font-weight:400;opacity:.78;text-align:right;padding:2px 10px 2px 0;
vertical-align:bottom}
.numbers td{text-align:right;padding:3px 10px 3px 0;white-space:nowrap;border-top:1px solid
rgba(128,128,128,.22)} .numbers th:first-child,.numbers td:first-child{text-align:left}
.numbers td:first-child{font-weight:600} .numbers.light td:first-child{font-weight:400}
.numbers [title]{cursor:help}
.numbers-wrap{overflow-x:auto;position:relative}
@container (max-width:760px){.numbers-wrap:has(.told){padding-top:1.4rem}
.told{position:absolute;top:0;left:0;white-space:nowrap}}
.numbers-wrap:focus-visible{outline:2px solid rgba(70,119,179,.9)}
</style>"""
# A table that is wider than a phone is scrolled: by the keyboard, too.
WRAP = '<div class="numbers-wrap" tabindex="0" role="group" aria-label="Numbers">'


# Above the names of the rows: a head that says nothing is none.
CORNER = '<td style="border:0"></td>'


class Cell(str):
    """A cell of a table with attributes of its own, such as a tip."""

    attributes: dict[str, str]

    def __new__(cls, text: str, **attributes: str) -> Cell:
        cell = super().__new__(cls, text)
        cell.attributes = attributes
        return cell


class Bold(Cell):
    """A cell of a table that stands out."""


def _cell(cell: str) -> str:
    said = _attributes(cell.attributes) if isinstance(cell, Cell) else ""
    text = html.escape(cell)
    return f"<td{said}>{f'<b>{text}</b>' if isinstance(cell, Bold) else text}</td>"


def row(cells: Iterable[str], **attributes: str) -> str:
    """HTML of a row."""
    return f"<tr{_attributes(attributes)}>{''.join(map(_cell, cells))}</tr>"


def _attributes(given: Mapping[str, str]) -> str:
    return "".join(f' {k.replace("_", "-")}="{html.escape(v)}"' for k, v in given.items())


def table(
    rows: list[list[str]], head: list[str], tips: list[str] | None = None, light: bool = False
) -> str:
    """HTML of a plain table in the same style; the first column is the name.

    light : names in a light face, so that only `Bold` cells stand out.
    """
    tips = tips or [""] * len(head)
    top = "".join(
        f'<th title="{html.escape(tip)}">{html.escape(name)}</th>' if name else CORNER
        for name, tip in zip(head, tips, strict=True)
    )
    body = "".join(map(row, rows))
    names = "numbers light" if light else "numbers"
    inner = f'<table class="{names}"><tr>{top}</tr>{body}</table>'
    return f"{STYLE}{WRAP}{inner}</div>"
