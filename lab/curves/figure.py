"""The figure of error curves: panels drawn in the browser, and what they are sent, as plain dicts.

A component rather than a chart: it is redrawn in place while numbers arrive, so neither the pointer
nor a click is lost.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from lab.curves.view import Curves
from lab.scripts import SAVE, TEXT, TICKS, made
from lab.theme import METHOD_COLORS, NEUTRAL
from mavr.experiments import Row, Sweep, factors, paired, printed_figure, summarise
from mavr.methods import METHODS
from mavr.settings import Number

HERE = Path(__file__).parent
# The colours that the Playground gives MAVR and LGC, then the rest.
METHOD_ORDER = ("mavr", "lgc", "bavr", "laprls", "unconstrained", "lgc_balanced")
CONFIDENCE = 0.95
# What an axis shows in place of the declared symbol.
SYMBOLS = {"noise": "σ_ε", "tau": "τ / √l", "n": "n"}
# The panels of the paper whose values stand in equal ratios.
PAPER_RATIOS = frozenset({"noise", "sigma", "gamma", "tau"})


def component() -> Any:
    """The mounting function of the figure."""
    files = (HERE / name for name in ("curves.html", "curves.css", "chart.js", "main.js"))
    return made("curves", SAVE, TICKS, TEXT, *files)


def symbol(about: Number) -> str:
    """The letter of a factor, its name where it has none; what follows _ is an index."""
    return SYMBOLS.get(about.name) or about.symbol or about.name


def color(method: str) -> str:
    return METHOD_COLORS[METHOD_ORDER.index(method)]


def payload(
    view: Curves, sweeps: Sequence[Sweep], rows: list[Row], picked: dict[str, Any] | None
) -> dict[str, Any]:
    """Everything the figure shows."""
    shown = _differences if view.show == "difference" else _errors
    panels = [_panel(view, sweep, shown(view, sweep, rows)) for sweep in sweeps]
    return {
        "rows": len(rows),
        "panels": panels,
        "legend": _legend(view),
        "picked": picked,
        "strip": strip(sweeps, rows, picked) if picked else None,
    }


def _panel(view: Curves, sweep: Sweep, series: list[dict[str, Any]]) -> dict[str, Any]:
    about = factors(sweep.design.source)[sweep.factor]
    log = sweep.factor in PAPER_RATIOS if view.figure == "paper" else view.log
    return {
        "id": sweep.factor,
        "title": about.word,
        "symbol": symbol(about),
        "note": "difference, % points" if view.show == "difference" else "error, %",
        "log": log,
        "signed": view.show == "difference",
        "x": list(sweep.values),
        "series": series,
        "printed": _printed(view, sweep),
    }


def _errors(view: Curves, sweep: Sweep, rows: Iterable[Row]) -> list[dict[str, Any]]:
    points = summarise(row for row in rows if row.factor == sweep.factor)
    series = []
    for method in sweep.methods:
        mine = {p.value: p for p in points if p.method == method}
        known = [mine.get(v) for v in sweep.values]
        more = [f", {p.ties:.1f} tied" if p and p.ties else "" for p in known]
        name, mark = METHODS[method].title, METHOD_ORDER.index(method)
        series.append(curve(method, name, color(method), mark, known, more))
    return series


def curve(
    method: str, name: str, color: str, mark: int, known: Sequence[Any], more: Sequence[str]
) -> dict[str, Any]:
    """One curve of means with standard errors; None where there is no value yet.

    more : what is said of each point after its numbers.
    """
    said = [
        p and f"{100 * p.mean:.1f} ± {100 * p.standard_error:.1f} %{text}"
        for p, text in zip(known, more, strict=True)
    ]
    ends = [p and (p.mean - p.standard_error, p.mean + p.standard_error) for p in known]
    about = {"id": method, "name": name, "color": color, "mark": mark}
    return about | _values(known, ends, said)


def _values(known: Sequence[Any], ends: Sequence[Any], said: Sequence[Any]) -> dict[str, Any]:
    """Means in per cent with their ends, how many samplings, and what is said of each."""
    return {
        "y": [p and 100 * p.mean for p in known],
        "low": [both and 100 * both[0] for both in ends],
        "high": [both and 100 * both[1] for both in ends],
        "n": [p.samplings if p else 0 for p in known],
        "said": said,
    }


def _differences(view: Curves, sweep: Sweep, rows: Iterable[Row]) -> list[dict[str, Any]]:
    mine = [row for row in rows if row.factor == sweep.factor]
    first, second = view.pair
    found = {d.value: d for d in paired(mine, first, second, CONFIDENCE)}
    known = [found.get(v) for v in sweep.values]
    said = [
        d and f"{100 * d.mean:+.1f} [{100 * d.low:+.1f}, {100 * d.high:+.1f}]".replace("-", "−")
        for d in known
    ]
    about = {"id": first, "name": _difference_name(view), "color": color(first), "mark": 0}
    ends = [d and (d.low, d.high) for d in known]
    return [about | {"band": True} | _values(known, ends, said)]


def _difference_name(view: Curves) -> str:
    first, second = view.pair
    return f"{METHODS[first].title} − {METHODS[second].title}"


def _printed(view: Curves, sweep: Sweep) -> list[dict[str, Any]]:
    if view.figure != "paper" or not view.printed:
        return []
    panel = printed_figure()[sweep.factor]
    if view.show == "difference":
        first, second = view.pair
        if not {first, second} <= panel.errors.keys():
            return []
        gap = np.subtract(panel.errors[first], panel.errors[second])
        curves = {first: gap.tolist()}
    else:
        curves = {m: list(e) for m, e in panel.errors.items() if m in sweep.methods}
    return [
        {
            "id": method,
            "color": NEUTRAL if view.show == "difference" else color(method),
            "x": list(panel.values),
            "y": [100 * e for e in errors],
        }
        for method, errors in curves.items()
    ]


def _legend(view: Curves) -> list[dict[str, Any]]:
    entries: list[dict[str, Any]]
    if view.show == "difference":
        name = f"{_difference_name(view)}, mean and 95 % interval"
        entries = [{"name": name, "color": color(view.pair[0]), "mark": 0}]
    else:
        entries = [
            {"name": METHODS[m].title, "color": color(m), "mark": METHOD_ORDER.index(m)}
            for m in view.methods
        ]
    if view.figure == "paper" and view.printed:
        entries.append({"name": "as printed", "color": NEUTRAL, "dash": True})
    return entries


def strip(
    sweeps: Sequence[Sweep], rows: Iterable[Row], picked: dict[str, Any]
) -> dict[str, Any] | None:
    """The samplings behind a picked point, and the one whose error is nearest to the mean."""
    sweep = next((s for s in sweeps if s.factor == picked["panel"]), None)
    if sweep is None:
        return None
    here: dict[str, dict[int, float]] = {}
    for row in rows:
        if row.factor == sweep.factor and row.value == picked["value"]:
            here.setdefault(row.method, {})[row.sampling] = 100 * row.error
    method = picked["method"] if picked["method"] in here else next(iter(here), None)
    if method is None:
        return None
    samplings = sorted(set.intersection(*(set(errors) for errors in here.values())))
    mean = float(np.mean([here[method][k] for k in samplings]))
    about = factors(sweep.design.source)[sweep.factor]
    return {
        "title": f"{about.word} {symbol(about).replace('_', '')} = {picked['value']:.4g}",
        "note": f"Every dot is one of {len(samplings)} repeats; click one to open it.",
        "samplings": samplings,
        "typical": min(samplings, key=lambda k: abs(here[method][k] - mean)),
        "rows": [
            {
                "name": METHODS[m].title,
                "color": color(m),
                "errors": [here[m][k] for k in samplings],
            }
            for m in sweep.methods
            if m in here
        ],
    }
