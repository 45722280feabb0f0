"""The error-curves page's state: one frozen object, its link, its sweeps, its way to a sampling."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from typing import Any

import numpy as np

import datasets
from lab.marks import Marks
from lab.view import View
from mavr.experiments import (
    FIGURE_SEED,
    Design,
    Sweep,
    draw_labels,
    factors,
    make_data,
    paper_panels,
    sampling_seed,
)
from mavr.experiments.sweep import WHOLE_NUMBERS
from mavr.graphs.laplacians import KINDS
from mavr.methods import METHODS
from mavr.settings import SIMILARITIES

# A link carries one seed for all samplings; the Playground's seeds have five digits.
MAX_SEED = 98
MAX_STEPS = 41
TARGETS = (5, 20, 100, 300)


@dataclass(frozen=True)
class Axis:
    """How a factor is named and where it usually runs."""

    title: str
    symbol: str
    low: float
    high: float
    log: bool


AXES = {
    "noise": Axis("Noise", "σ_ε", 0.11, 0.82, True),
    "n_labelled": Axis("Labels", "l", 3, 20, False),
    "n": Axis("Points", "n", 120, 480, False),
    "sigma": Axis("Width of the similarity", "σ", 0.18, 1.4, True),
    "gamma": Axis("Weight of the volume", "γ", 1.8, 1e9, True),
    "tau": Axis("Norm of the responses", "τ", 0.23, 1e8, True),
    "tau_factor": Axis("Norm over √l", "τ/√l", 0.1, 1e4, True),
    "n_neighbors": Axis("Neighbours", "k", 3, 21, False),
    "balance": Axis("Class balance", "γ′", 0.01, 100, True),
    "lambda_A": Axis("LapRLS, kernel norm", "λ_A", 1e-6, 1, True),
    "lambda_I": Axis("LapRLS, smoothness", "λ_I", 0.1, 1e4, True),
}


@dataclass(frozen=True)
class Curves:
    """What the page shows. figure : "paper" or "own"; everything from `data` on is the own sweep.

    show : "error", or "difference" of the methods first and second.
    """

    figure: str = "paper"
    methods: tuple[str, ...] = ("mavr", "lgc", "bavr")
    samplings: int = 100
    seed: int = FIGURE_SEED
    printed: bool = True
    show: str = "error"
    first: str = "mavr"
    second: str = "lgc"
    data: str = "two_moons"
    params: tuple[tuple[str, float], ...] = ()
    factor: str = "n_labelled"
    low: float = 2.0
    high: float = 20.0
    steps: int = 10
    log: bool = False
    similarity: str = "local_scaling"
    sigma: float = 0.5
    n_neighbors: int = 7
    laplacian: str = "normalized"
    n_labelled: int = 3
    how: str = "balanced"
    gamma: float = 99.0
    tau_factor: float = 1.0
    balance: float = 0.0


ALLOWED: dict[str, tuple[Any, ...]] = {
    "figure": ("paper", "own"),
    "show": ("error", "difference"),
    "first": tuple(METHODS),
    "second": tuple(METHODS),
    "data": tuple(datasets.GENERATORS),
    "similarity": tuple(SIMILARITIES),
    "laplacian": KINDS,
    "how": tuple(datasets.QUOTAS),
    "samplings": TARGETS,
}
# Smallest and largest number that a link may ask for: nobody waits for more.
RANGES = {
    "seed": (0, MAX_SEED),
    "steps": (2, MAX_STEPS),
    "n_neighbors": (1, 60),
    "n_labelled": (1, 500),
    "balance": (0.0, 1e6),
}


def to_query(view: Curves) -> dict[str, str]:
    """The link: what differs from the defaults."""
    default = Curves()
    query = {}
    for f in fields(Curves):
        value = getattr(view, f.name)
        if f.name != "params" and value != getattr(default, f.name):
            query[f.name] = _text(value)
    return query | {f"p.{name}": _text(value) for name, value in view.params}


def _text(value: Any) -> str:
    if isinstance(value, tuple):
        return "-".join(value)
    if isinstance(value, bool):
        return str(int(value))
    return f"{value:.12g}" if isinstance(value, float) else str(value)


def from_query(query: Mapping[str, str]) -> tuple[Curves, list[str]]:
    """The view a link means, and a sentence for each part that could not be read."""
    view, problems = Curves(), []
    for f in fields(Curves):
        if f.name not in query or f.name == "params":
            continue
        try:
            value = _read(f.name, query[f.name], getattr(view, f.name))
        except ValueError:
            problems.append(f"{f.name}={query[f.name]!r} in the link cannot be used.")
            continue
        view = replace(view, **{f.name: value})
    known = {p.name: p for p in datasets.GENERATORS[view.data].params}
    params = {}
    for key, text in query.items():
        p = known.get(key.removeprefix("p."))
        if key.startswith("p.") and p is not None:
            try:
                params[p.name] = p.clamped(_number(text))
            except ValueError:
                problems.append(f"{key}={text!r} in the link cannot be used.")
    view = replace(view, params=tuple(sorted(params.items())))
    if view.factor not in factors(view.data):
        problems.append(f"{view.data} has no {view.factor!r}; the number of labels varies instead.")
        view = replace(view, factor="n_labelled", low=2.0, high=20.0, log=False)
    return view, problems


def _read(name: str, text: str, default: Any) -> Any:
    if isinstance(default, tuple):
        chosen = tuple(m for m in text.split("-") if m in METHODS)
        if not chosen:
            raise ValueError(text)
        return chosen
    if isinstance(default, bool):
        return text == "1"
    value = text if isinstance(default, str) else type(default)(_number(text))
    if name in ALLOWED and value not in ALLOWED[name]:
        raise ValueError(text)
    if name in RANGES and not RANGES[name][0] <= value <= RANGES[name][1]:
        raise ValueError(text)
    if isinstance(default, float) and name != "balance" and value <= 0:
        raise ValueError(text)
    return value


def _number(text: str) -> float:
    value = float(text)
    if not np.isfinite(value):
        raise ValueError(text)
    return value


def axis(factor: str, data: str) -> Axis:
    """How a factor is shown; arguments of a data set have their slider's range."""
    if factor in AXES and (factor not in ("noise", "n") or data == "three_circles"):
        return AXES[factor]
    for p in datasets.GENERATORS[data].params:
        if p.name == factor:
            known = AXES.get(factor)
            return Axis(p.label, known.symbol if known else p.name, p.low, p.high, False)
    return AXES[factor]


def full_params(view: Curves) -> dict[str, float]:
    """Every argument of the data set, said or not: a generator's own defaults may differ."""
    defaults = {p.name: p.usual for p in datasets.GENERATORS[view.data].params}
    return defaults | dict(view.params)


def sweeps(view: Curves) -> tuple[Sweep, ...]:
    """What is to be computed. Raises ValueError for a range that cannot be."""
    if view.figure == "paper":
        return tuple(paper_panels(view.methods, seed=view.seed).values())
    return (_own_sweep(view),)


def _own_sweep(view: Curves) -> Sweep:
    low, high = sorted((view.low, view.high))
    if view.log and low <= 0:
        raise ValueError("A logarithmic range must start above 0.")
    spaced = np.geomspace if view.log else np.linspace
    values = [float(f"{v:.6g}") for v in spaced(low, high, view.steps)]
    if view.factor in WHOLE_NUMBERS:
        values = [float(round(v)) for v in values]
    design = Design(
        data=view.data,
        params=tuple(full_params(view).items()),
        similarity=view.similarity,
        sigma=view.sigma,
        n_neighbors=view.n_neighbors,
        laplacian=view.laplacian,
        n_labelled=view.n_labelled,
        how=view.how,
        gamma=view.gamma,
        tau_factor=view.tau_factor,
        balance=view.balance,
    )
    return Sweep(view.factor, tuple(dict.fromkeys(values)), design, view.methods, seed=view.seed)


def playground_view(sweep: Sweep, value: float, sampling: int, left: str, right: str) -> View:
    """One sampling as the Playground shows it: the setting, the seed, the labels."""
    design = sweep.at(value)
    seed = sampling_seed(sweep.seed, sampling)
    data = make_data(design.data, dict(design.params), seed)
    assert data.y is not None
    labelled = draw_labels(design, data.y, seed)
    parameters = design.parameters(len(labelled))
    assert parameters.tau is not None
    return View(
        data=design.data,
        params=design.params,
        seed=seed,
        marks=Marks(labels=tuple((int(i), int(data.y[i])) for i in labelled)),
        similarity=design.similarity,
        sigma=design.sigma,
        n_neighbors=design.n_neighbors,
        laplacian=design.laplacian,
        left=left,
        right=right,
        gamma=design.gamma,
        tau=float(parameters.tau),
        balance=design.balance,
        lambda_A=design.lambda_A,
        lambda_I=design.lambda_I,
        P=design.P,
    )
