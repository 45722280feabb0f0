"""What can be taken away from a section: its charts as pictures and numbers, and code for them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import streamlit as st

from lab import charts
from lab.export.menu import PNG_CSS, download, export_box, opener
from lab.export.table import written
from lab.export.viewfile import read_link, write_view
from lab.scripts import SAVE, made
from lab.theory.address import link
from lab.theory.codes import script
from lab.theory.parts import key, put
from lab.theory.source import Source

HERE = Path(__file__).parent
BUTTONS = """<div class="png pair"><button type="button" data-kind="svg">SVG</button>
<button type="button" data-kind="png">PNG</button><div aria-live="polite"></div></div>"""


@dataclass(frozen=True)
class Chart:
    """name : of the chart's key; make : its numbers as CSV, when the menu is opened."""

    name: str
    title: str
    make: Callable[[], str]


def chart(figure: dict[str, Any], name: str, title: str, alt: str) -> Chart:
    """Draw a figure without tools; what can be taken of it."""
    charts.chart(figure, key(name), alt)
    return Chart(name, title, lambda: figure_table(figure))


def figure_table(figure: dict[str, Any]) -> str:
    """One row for every mark, cell or place of a line; `value` is what hovering says beside."""
    layout = figure["layout"]
    head = ["series", *(_word(layout.get(f"{axis}axis", {}), axis) for axis in "xy"), "value"]
    return written(head, [row for trace in figure["data"] for row in _rows(trace)])


def _word(axis: dict[str, Any], usual: str) -> str:
    """What an axis measures; a scale of its own is told by its ticks only."""
    text = "" if "tickvals" in axis else axis.get("title", {}).get("text", "")
    return re.sub(r"<[^>]*>", "", text) or usual


def _rows(trace: dict[str, Any]) -> Iterable[list[Any]]:
    name = trace.get("name", "")
    if trace["type"] == "heatmap":
        for i, row in enumerate(reversed(trace["z"])):
            yield from ([name, j + 1, i + 1, value] for j, value in enumerate(row))
        return
    if trace.get("mode") == "text":
        return
    x, y = list(trace["x"]), list(trace["y"])
    told = trace.get("customdata") or trace.get("error_y", {}).get("array") or trace.get("text")
    told = told if isinstance(told, list) and len(told) == len(x) else [""] * len(x)
    yield from ([name, *row] for row in zip(x, y, told, strict=True))


def export(
    section: str, charts: Sequence[Chart], source: Source | None = None, /, **values: Any
) -> None:
    """The menu of a section; nothing is made before it is opened.

    source, values : what its code computes with (`lab.theory.codes`).
    """
    code = script(section, source, **values)
    st.fragment(_menu, key=key(f"export.{section}"))(section, code, charts)


def _menu(section: str, code: str, charts: Sequence[Chart]) -> None:
    box = export_box(key(f"export.{section}.box"))
    if not box.open:
        return
    with box:
        for chart in charts:
            _chart(section, chart)
        st.markdown("**The same numbers with the library**")
        st.code(code, height=260)
        download(key("export.Python"), "Python", lambda: code, f"mavr-theory-{section}")
        _view(section)


def _view(section: str) -> None:
    """The section with what its controls say, as a file, and back."""
    view = write_view("theory", {"section": st.session_state[key("section")], **link().said})
    download(key(f"export.JSON{section}"), "JSON", lambda: view, "mavr-theory")

    def adopt(content: bytes) -> None:
        if wanted := read_link(content, "theory"):
            # What the file does not name is where it starts.
            put(link().starts)
            link().wanted = wanted

    opener(lambda word: key(f"{word}.{section}"), adopt)


def _chart(section: str, chart: Chart) -> None:
    name = f"mavr-theory-{section}-{re.sub(r'[^a-z0-9]+', '-', chart.name.lower())}"
    title, picture, table = st.columns([2, 2, 1], vertical_alignment="center")
    title.markdown(chart.title)
    with picture:
        files = (PNG_CSS, HERE / "take.css", SAVE, HERE / "take.js")
        component = made("take", *files, html=BUTTONS)
        place = re.sub(r"[^a-zA-Z0-9_-]", "-", f"st-key-{key(chart.name)}")
        component(key=key(f"take.{chart.name}"), data={"place": place, "name": name})
    # Made here: what a download asks for runs outside of this script.
    numbers = chart.make()
    with table:
        download(key(f"export.CSV{chart.name}"), "CSV", lambda: numbers, name)
