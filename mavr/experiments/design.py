"""What an experiment is: a design, and a sweep of one factor of it with the methods to compare.

    error(value, method) = mean over samplings of  wrong / unlabelled

One sampling draws the points and the labelled ones anew. Its seed is a function of (seed, sampling)
alone, so that every curve of a figure sees the same draws and differences between methods are
paired.
"""

from __future__ import annotations

from dataclasses import dataclass, field, fields, replace
from typing import Any

import numpy as np

from mavr.arrays import Array
from mavr.experiments.source import MAX_SAMPLINGS, IntArray, Sample, Source, true_classes
from mavr.methods import METHODS
from mavr.settings import (
    GraphSpec,
    Number,
    Parameters,
    Setting,
    checked,
    declarations,
    declared,
    scale_parameters,
    shortened,
)

LABELS = Number(
    "n_labelled",
    "Labels",
    "l",
    "Number of labelled points.",
    1,
    100_000,
    3,
    shown=(2, 20),
    logarithmic=False,
    whole=True,
)
# All settings share their draws, and with them the luck of a seed: at the paper's defaults seed 0
# has 2.1 standard errors fewer errors than usual. Of the seeds 0 to 9 this one is nearest to the
# mean of all ten (docs/figure3.md).
FIGURE_SEED = 2


@dataclass(frozen=True)
class Design:
    """One setting of an experiment: data, labels, graph and parameters; no method, no sampling.

    It is small enough to hash, to send and to put in a link.

    Attributes
    ----------
    source : where the points come from.
    arguments : (name, value) pairs for the source; what is not in it is usual.
    setting : graph and parameters; tau is a multiple of sqrt(l).
    n_labelled, how : number of labels, and how they are drawn, one of `source.draws`.
    """

    source: Source
    arguments: tuple[tuple[str, float], ...] = ()
    setting: Setting = field(default_factory=Setting)
    n_labelled: int = declared(LABELS)
    how: str = "balanced"

    def __post_init__(self) -> None:
        checked(self)
        if self.how not in self.source.draws:
            raise ValueError(
                f"how must be one of {', '.join(self.source.draws)}, got {shortened(self.how)}"
            )
        known = {about.name: about for about in self.source.arguments}
        values = {n: about.usual for n, about in known.items() if about.usual is not None}
        for name, value in self.arguments:
            if name not in known:
                raise ValueError(
                    f"{self.source.title} has no argument {name!r}; it has {', '.join(known)}"
                )
            values[name] = known[name].check(value)
        object.__setattr__(self, "arguments", tuple(sorted(values.items())))

    def having(self, **values: Any) -> Design:
        """The design with some factors, or other settings, changed.

        Parameters
        ----------
        values : fields of the design, arguments of its source, parameters, settings of the graph.
        """
        own = {f.name for f in fields(self)}
        arguments = {about.name for about in self.source.arguments} - own
        set_here = {k: v for k, v in values.items() if k in own}
        given = {k: v for k, v in values.items() if k in arguments}
        rest = {k: v for k, v in values.items() if k not in own | arguments}
        design = replace(self, **set_here)
        return replace(
            design,
            arguments=tuple((dict(design.arguments) | given).items()),
            setting=design.setting.having(**rest),
        )

    def sample(self, seed: int) -> Sample:
        """Points of one sampling, with their true classes."""
        sample = self.source(seed, **dict(self.arguments))
        true_classes(self.source, sample)
        return sample

    def labelled(self, y: IntArray, seed: int) -> IntArray:
        """Indices of the labelled points of one sampling."""
        return self.source.labelled(y, self.n_labelled, self.how, seed)

    @property
    def graph_key(self) -> tuple[Any, ...]:
        """Equal for designs with the same points and the same graph at the same seed."""
        return (self.source, self.arguments, self.setting.graph.key)


def factors(source: Source) -> dict[str, Number]:
    """Everything that can vary with this source.

    Parameters
    ----------
    source : where the points come from.

    Returns
    -------
    dict of the declarations by name: arguments of the source first, then the number of labels, the
    parameters, the settings of the graph.
    """
    found = {about.name: about for about in source.arguments}
    found |= {LABELS.name: LABELS} | _numbers(Parameters) | scale_parameters()
    return found | _numbers(GraphSpec)


def on_one_graph(factor: str) -> bool:
    """Whether the factor leaves the graph as it is, so that one decomposition serves all."""
    return factor == LABELS.name or factor in _numbers(Parameters)


def _numbers(settings: type) -> dict[str, Number]:
    return {n: about for n, about in declarations(settings).items() if isinstance(about, Number)}


@dataclass(frozen=True)
class Sweep:
    """One panel of a figure.

    Attributes
    ----------
    factor : what varies, one of `factors(design.source)`; "tau" is a multiple of sqrt(l).
    values : of the factor, each within its declared range.
    design : everything else.
    methods : names in `mavr.methods.METHODS`.
    samplings : how often points and labels are drawn.
    seed : of all samplings.
    """

    factor: str
    values: tuple[float, ...]
    design: Design
    methods: tuple[str, ...] = ("lgc", "bavr", "mavr")
    samplings: int = 100
    seed: int = 0

    def __post_init__(self) -> None:
        unknown = [m for m in self.methods if m not in METHODS]
        if unknown or not self.methods:
            raise ValueError(f"methods must be among {', '.join(METHODS)}, got {self.methods!r}")
        if not self.values:
            raise ValueError("values is empty; give at least one value of the factor")
        if not 1 <= self.samplings <= MAX_SAMPLINGS:
            raise ValueError(
                f"samplings must lie in 1..{MAX_SAMPLINGS}, got {self.samplings}; use more seeds"
            )
        known = factors(self.design.source)
        if self.factor not in known:
            raise ValueError(f"factor must be one of {', '.join(known)}, got {self.factor!r}")
        if None in self.values:
            raise ValueError(f"values of {self.factor} must be numbers, got {self.values!r}")
        values = tuple(float(known[self.factor].check(v)) for v in self.values)
        object.__setattr__(self, "values", values)

    def at(self, value: float) -> Design:
        """The design at a value of the factor."""
        return self.design.having(**{self.factor: value})


def paper_panels(
    source: Source,
    methods: tuple[str, ...] = ("lgc", "bavr", "mavr"),
    samplings: int = 100,
    seed: int = FIGURE_SEED,
) -> dict[str, Sweep]:
    """The six panels of the paper's 3circles figure (arXiv 1402.0288, Figure 3).

    Parameters
    ----------
    source : three circles, with arguments n and noise; ``datasets.source("three_circles")``.
    methods : names in `mavr.methods.METHODS`.
    samplings : draws of points and labels.
    seed : of all samplings.

    Returns
    -------
    dict of `Sweep` by factor
    """
    design = Design(source, (("n", 300), ("noise", 0.5)))
    values = {
        "noise": 0.5 * np.exp(_spaced(-1.5, 0.5, 0.1)),
        "n_labelled": _spaced(3, 20, 1),
        "n": _spaced(120, 480, 18),
        "sigma": 0.5 * np.exp(_spaced(-1, 1, 0.1)),
        "gamma": 99 * np.exp(_spaced(-4, 16, 1)),
        "tau": np.exp(_spaced(-2, 18, 1)),
    }
    return {
        factor: Sweep(factor, tuple(v), design, methods, samplings, seed)
        for factor, v in values.items()
    }


def _spaced(start: float, stop: float, step: float) -> Array:
    return np.asarray(start + step * np.arange(round((stop - start) / step) + 1), dtype=float)
