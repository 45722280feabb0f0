"""What an experiment varies: a frozen specification, small enough to hash, send and put in a link.

    error(value, method) = mean over samplings of  wrong / unlabelled

One sampling draws the points and the labelled ones anew. Its seed is a function of (seed, sampling)
alone, so that every curve of a figure sees the same draws and differences between methods are
paired.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from functools import lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt

import datasets
from datasets import Dataset
from mavr.graphs.graph import Graph
from mavr.graphs.similarities import similarity
from mavr.methods import METHODS
from mavr.settings import SIMILARITIES, Parameters

# Samplings of one seed; the next seed starts its own draws beyond them.
MAX_SAMPLINGS = 1000
# All settings share their draws, and with them the luck of a seed: at the paper's defaults seed 0
# has 2.1 standard errors fewer errors than usual. Of the seeds 0 to 9 this one is nearest to the
# mean of all ten (docs/figure3.md).
FIGURE_SEED = 2
WHOLE_NUMBERS = frozenset({"n", "n_labelled", "n_neighbors", "arms", "outliers"})


@dataclass(frozen=True)
class Design:
    """One setting: data, graph, labels and parameters, without the method and the sampling.

    data : name in `datasets.GENERATORS`, or the path of an .npz file with X and y; params : its
    arguments as sorted pairs; tau : None for tau_factor times the square root of the number of
    labels.
    """

    data: str = "three_circles"
    params: tuple[tuple[str, float], ...] = ()
    similarity: str = "gaussian"
    sigma: float = 0.5
    n_neighbors: int = 7
    laplacian: str = "normalized"
    n_labelled: int = 3
    how: str = "balanced"
    gamma: float = 99.0
    tau: float | None = None
    tau_factor: float = 1.0
    balance: float = 0.0
    P: tuple[tuple[float, ...], ...] | None = None
    lambda_A: float = 1e-3
    lambda_I: float = 99.0

    def __post_init__(self) -> None:
        if self.similarity not in SIMILARITIES:
            raise ValueError(
                f"similarity must be one of {', '.join(SIMILARITIES)}, got {self.similarity!r}"
            )
        if self.how not in datasets.QUOTAS:
            raise ValueError(f"how must be one of {', '.join(datasets.QUOTAS)}, got {self.how!r}")
        if self.data not in datasets.GENERATORS and not self.data.endswith(".npz"):
            raise ValueError(
                f"data must be one of {', '.join(datasets.GENERATORS)} or the path of an .npz "
                f"file, got {self.data!r}"
            )
        object.__setattr__(self, "params", tuple(sorted(dict(self.params).items())))

    def with_factor(self, factor: str, value: float) -> Design:
        """The design with one factor set: a field of its own, or an argument of the data."""
        value = int(value) if factor in WHOLE_NUMBERS else float(value)
        if factor in PARAMETERS:
            return replace(self, **{factor: value})  # type: ignore[arg-type]
        return replace(self, params=tuple((dict(self.params) | {factor: value}).items()))

    def parameters(self, l: int) -> Parameters:
        """What the methods read, with l labelled points."""
        tau = self.tau_factor if self.tau is None else self.tau / np.sqrt(l)
        return Parameters(
            self.gamma, float(tau), self.balance, self.P, self.lambda_A, self.lambda_I
        )

    @property
    def graph_key(self) -> tuple[Any, ...]:
        """What points and graph depend on, besides the seed."""
        scale = self.sigma if self.similarity == "gaussian" else self.n_neighbors
        return (self.data, self.params, self.similarity, scale, self.laplacian)


# Factors that are fields of a design; every other factor is an argument of the data.
PARAMETERS = frozenset(f.name for f in fields(Design)) - {
    "data", "params", "similarity", "laplacian", "how", "P",
}  # fmt: skip
# They leave the graph as it is, so that one decomposition serves all their values.
ON_ONE_GRAPH = frozenset(
    {"n_labelled", "gamma", "tau", "tau_factor", "balance", "lambda_A", "lambda_I"}
)


@dataclass(frozen=True)
class Sweep:
    """One panel: a factor, its values, the methods to compare, and how often to sample."""

    factor: str
    values: tuple[float, ...]
    design: Design = field(default_factory=Design)
    methods: tuple[str, ...] = ("lgc", "bavr", "mavr")
    samplings: int = 100
    seed: int = 0

    def __post_init__(self) -> None:
        object.__setattr__(self, "values", tuple(float(v) for v in self.values))
        unknown = [m for m in self.methods if m not in METHODS]
        if unknown or not self.methods:
            raise ValueError(f"methods must be among {', '.join(METHODS)}, got {self.methods!r}")
        if not self.values:
            raise ValueError("values is empty; give at least one value of the factor")
        if not 1 <= self.samplings <= MAX_SAMPLINGS:
            raise ValueError(
                f"samplings must lie in 1..{MAX_SAMPLINGS}, got {self.samplings}; use more seeds"
            )
        if self.factor not in factors(self.design.data):
            raise ValueError(
                f"factor must be one of {', '.join(factors(self.design.data))}, got {self.factor!r}"
            )

    def at(self, value: float) -> Design:
        return self.design.with_factor(self.factor, value)


def factors(data: str) -> tuple[str, ...]:
    """Everything that can vary for this data set."""
    generator = datasets.GENERATORS.get(data)
    own = tuple(p.name for p in generator.params) if generator else ("n",)
    return own + tuple(sorted(PARAMETERS))


def sampling_seed(seed: int, sampling: int) -> int:
    """Seed of points and labels: what a link to this very sampling carries."""
    return MAX_SAMPLINGS * seed + sampling


@dataclass(frozen=True)
class Draw:
    """The points of one sampling and the graph on them; what no label and no parameter moves."""

    data: Dataset
    graph: Graph
    y: npt.NDArray[np.int64]


def draw(design: Design, seed: int) -> Draw:
    """Points and graph of one sampling."""
    data = make_data(design.data, dict(design.params), seed)
    if data.y is None:
        raise ValueError(f"{data.name} has no true classes: its error cannot be measured")
    W = similarity(design.similarity, data.X, sigma=design.sigma, n_neighbors=design.n_neighbors)
    return Draw(data, Graph(W, design.laplacian), data.y)


def make_data(name: str, params: Mapping[str, float], seed: int) -> Dataset:
    """A generated set, or n points drawn from an .npz file."""
    if name in datasets.GENERATORS:
        return datasets.GENERATORS[name].function(seed=seed, **params)
    data = _from_npz(name)
    return datasets.subset(data, int(params.get("n", data.n)), seed=seed)


@lru_cache(maxsize=2)
def _from_npz(path: str) -> Dataset:
    return datasets.from_npz(path)


def draw_labels(design: Design, y: npt.NDArray[np.int64], seed: int) -> npt.NDArray[np.int64]:
    """Indices of the labelled points of one sampling."""
    return datasets.draw_labels(y, design.n_labelled, design.how, seed)


def _spaced(start: float, stop: float, step: float) -> npt.NDArray[np.float64]:
    return np.asarray(start + step * np.arange(round((stop - start) / step) + 1), dtype=float)


def paper_panels(
    methods: tuple[str, ...] = ("lgc", "bavr", "mavr"),
    samplings: int = 100,
    seed: int = FIGURE_SEED,
) -> dict[str, Sweep]:
    """The six panels of the paper's 3circles figure (arXiv 1402.0288, Figure 3)."""
    design = Design(params=(("n", 300), ("noise", 0.5)))
    l = design.n_labelled
    values = {
        "noise": 0.5 * np.exp(_spaced(-1.5, 0.5, 0.1)),
        "n_labelled": _spaced(3, 20, 1),
        "n": _spaced(120, 480, 18),
        "sigma": 0.5 * np.exp(_spaced(-1, 1, 0.1)),
        "gamma": 99 * np.exp(_spaced(-4, 16, 1)),
        "tau": np.sqrt(l) * np.exp(_spaced(-2, 18, 1)),
    }
    return {
        factor: Sweep(factor, tuple(v), design, methods, samplings, seed)
        for factor, v in values.items()
    }
