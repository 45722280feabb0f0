"""Everything the error-curves page shows, as one frozen object, its link, and its sweeps."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from math import inf, sqrt
from typing import Any

import numpy as np

import datasets
from lab.board.view import METHOD_TITLES
from lab.data import read_params_of
from lab.link import (
    Codec,
    LinkError,
    Part,
    as_number,
    choice,
    declared_parts,
    flag,
    put_at,
    read_value,
    setting_parts,
    several_part,
    text_part,
)
from mavr.experiments import FIGURE_SEED, Design, Sweep, factors, paper_panels
from mavr.methods import METHODS
from mavr.settings import Flag, Number, Setting, declared, shortened

THREE_CIRCLES = datasets.Generated("three_circles")
# A link carries one seed for all samplings; the Playground's seeds have five digits.
SEED = Number(
    "seed", "Seed", "", "Another seed draws other points and labels, the same for all methods.",
    0, 98, FIGURE_SEED, logarithmic=False, whole=True,
)  # fmt: skip
STEPS = Number(
    "steps", "Values", "", "Number of values of the factor.", 2, 41, 10,
    logarithmic=False, whole=True,
)  # fmt: skip


def samplings_choice(targets: tuple[int, ...], usual: int) -> Any:
    """A field of a view: how many samplings to compute."""
    titles = {str(target): str(target) for target in targets}
    help = "Each repeat draws the points, and which of them are labelled, anew."
    return choice("samplings", "Random repeats", help, titles, str(usual))


def _own_design() -> Design:
    setting = Setting().having(similarity="local_scaling")
    return Design(datasets.Generated("two_moons"), setting=setting)


@dataclass(frozen=True)
class Curves:
    """The paper's six panels, or one sweep of the visitor's own.

    Attributes
    ----------
    figure : "paper" or "own"; everything from `design` on is the own sweep.
    show : "error", or "difference" of the methods first and second.
    design : data, labels, graph and parameters that stay fixed.
    factor, low, high, steps, log : what varies, from where to where, and how it is spaced.
    """

    figure: str = choice(
        "figure",
        "Figure",
        "The six panels of the paper, or one factor of any data set.",
        {"paper": "The paper's six", "own": "Your own"},
        "paper",
    )
    methods: tuple[str, ...] = ("mavr", "lgc", "bavr")
    samplings: str = samplings_choice((5, 20, 100, 300), 100)
    seed: int = declared(SEED)
    printed: bool = flag(
        "printed",
        "Printed curves behind",
        "As read off the paper's figure (LGC, BAVR and MAVR).",
        True,
    )
    show: str = choice(
        "show",
        "Show",
        "Errors of all methods, or the paired difference of two with its 95 % interval.",
        {"error": "Error", "difference": "Difference"},
        "error",
    )
    first: str = choice("first", "Of", "", METHOD_TITLES, "mavr")
    second: str = choice("second", "minus", "", METHOD_TITLES, "lgc")
    design: Design = field(default_factory=_own_design)
    factor: str = "n_labelled"
    low: float = 2.0
    high: float = 20.0
    steps: int = declared(STEPS)
    log: bool = False

    @property
    def data(self) -> str:
        """The name of the data set."""
        source = self.design.source
        assert isinstance(source, datasets.Generated)
        return source.name

    @property
    def about(self) -> Number:
        """The declaration of the factor."""
        return factors(self.design.source)[self.factor]

    @property
    def pair(self) -> tuple[str, str]:
        """The methods whose difference is shown, among those that are compared."""
        first = self.first if self.first in self.methods else self.methods[0]
        return first, self.second if self.second in self.methods else self.methods[-1]

    @property
    def target(self) -> int:
        """How many samplings to compute."""
        return int(self.samplings)

    def varying(self, factor: str) -> Curves:
        """Another factor, over its usual range."""
        low, high, log = usual_range(factors(self.design.source)[factor])
        return replace(self, factor=factor, low=low, high=high, log=log)


def usual_range(about: Number) -> tuple[float, float, bool]:
    """Ends of a sweep over a factor, and whether in equal ratios."""
    low, high = about.shown or (about.low, about.high)
    # A range may begin at 0, where there is nothing to see on any axis.
    return float(low or high / 20), float(high), about.logarithmic


def sweeps(view: Curves) -> tuple[Sweep, ...]:
    """What is to be computed. Raises ValueError for a range that cannot be."""
    if view.figure == "paper":
        return tuple(paper_panels(THREE_CIRCLES, view.methods, seed=view.seed).values())
    low, high = sorted((view.low, view.high))
    if view.log and low <= 0:
        raise ValueError("A range in equal ratios must start above 0.")
    spaced = np.geomspace if view.log else np.linspace
    values = [float(f"{v:.6g}") for v in spaced(low, high, view.steps)]
    if view.about.whole:
        values = [float(round(v)) for v in values]
    design = with_own_scales(view.design)
    return (Sweep(view.factor, tuple(dict.fromkeys(values)), design, view.methods, seed=view.seed),)


def with_own_scales(design: Design) -> Design:
    """Without the scales of similarities that were left: equal sweeps find each other's results."""
    graph = design.setting.graph
    scales = tuple(sorted(graph.arguments.items()))
    return replace(design, setting=replace(design.setting, graph=replace(graph, scales=scales)))


# The link


def _read_data(view: Curves, own: Mapping[str, str]) -> Curves:
    name = own["data"]
    if name not in datasets.GENERATORS:
        raise LinkError(f"the data set {shortened(name)} is not known here")
    source = datasets.Generated(name)
    view = replace(view, design=replace(view.design, source=source, arguments=()))
    return view if view.factor in factors(source) else view.varying("n_labelled")


def _read_arguments(view: Curves, own: Mapping[str, str]) -> Curves:
    params = read_params_of(view.design.source.arguments, own)
    return replace(view, design=view.design.having(**params))


def _write_arguments(view: Curves) -> dict[str, str]:
    known = {about.name: about for about in view.design.source.arguments}
    return {
        f"p.{name}": known[name].write(value)
        for name, value in view.design.arguments
        if value != known[name].usual
    }


def _read_factor(view: Curves, own: Mapping[str, str]) -> Curves:
    if own["varies"] not in factors(view.design.source):
        raise LinkError(
            f"{view.design.source.title} has no {shortened(own['varies'])}; the number of labels "
            "varies instead"
        )
    return view.varying(own["varies"])


def _range_part(name: str) -> Part[Curves]:
    """An end of the range, or how it is spaced; written where it is not usual for the factor."""

    def read(view: Curves, own: Mapping[str, str]) -> Curves:
        value = read_value(LOG if name == "log" else view.about, own[name])
        if value is None:
            raise LinkError(f"a range must begin and end at a number, got {shortened(own[name])}")
        return put_at(view, (name,), value if name == "log" else float(value))

    def write(view: Curves) -> dict[str, str]:
        value, usual = getattr(view, name), getattr(view.varying(view.factor), name)
        about: Any = LOG if name == "log" else view.about
        return {} if value == usual else {name: about.write(value)}

    return Part(lambda: (name,), read, write)


# In links of the first version: other names, the range 2 to 20 for every factor, tau as a norm.
OLDER_NAMES = {
    "factor": "varies",
    "similarity": "graph",
    "laplacian": "L",
    "n_neighbors": "k",
    "tau_factor": "tau",
}


def _older(query: dict[str, str]) -> dict[str, str]:
    """A link of the first version as one of today's."""
    renamed = {OLDER_NAMES.get(name, name): text for name, text in query.items()}
    if "graph" in renamed:
        renamed.setdefault("k", "7")
    if "factor" not in query:
        return renamed
    renamed = {"low": "2", "high": "20", "log": "0"} | renamed
    if query["factor"] == "tau_factor":
        renamed["varies"] = "tau"
    elif query["factor"] == "tau":
        labels = as_number(query.get("n_labelled", "3"))
        for name in ("low", "high"):
            end = as_number(renamed[name])
            # What is no positive number stays: its own part says so.
            if 0 < end < inf and 0 < labels < inf:
                renamed[name] = f"{end / sqrt(labels):.6g}"
    return renamed


LOG = Flag("log", "In equal ratios", "A logarithmic axis.")
CODEC: Codec[Curves] = Codec(
    Curves,
    (
        *declared_parts(Curves),
        several_part("methods", METHODS),
        Part(lambda: ("data",), _read_data, lambda view: {"data": view.data}),
        Part(lambda: ("p.",), _read_arguments, _write_arguments),
        text_part("how", ("design", "how"), str, str),
        *declared_parts(Design, ("design",)),
        *setting_parts(("design", "setting")),
        Part(lambda: ("varies",), _read_factor, lambda view: {"varies": view.factor}),
        *map(_range_part, ("low", "high", "log")),
    ),
    always=frozenset(),
    older=_older,
)
