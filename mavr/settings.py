"""Everything that can be set, declared once.

`GraphSpec` says how points become a graph, `Parameters` what a method is run with. Each field
carries its declaration: word, symbol, help, range, scale, usual value and name in a link. Checks
and their sentences, links, cache keys, sliders, options of the command line and parameters of the
estimators are derived from it.

tau is a multiple of sqrt(l) throughout, l the number of labelled points, and None for the
unconstrained problem. `norm` turns it into what `mavr.solve` takes.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, fields, replace
from math import sqrt
from typing import Any

from mavr.declarations import (
    Choice,
    Declared,
    Flag,
    Number,
    Proportions,
    Rows,
    checked,
    declarations,
    declared,
    frozen_rows,
    shortened,
    write_number,
)

__all__ = [
    "LAPLACIANS", "SIMILARITIES", "Choice", "Declared", "Flag", "GraphSpec", "Number",
    "Parameters", "Proportions", "Rows", "Setting", "Similarity", "checked",
    "declarations", "declared", "frozen_rows", "norm", "register_similarity", "scale_parameters",
    "shortened", "write_number",
]  # fmt: skip


@dataclass(frozen=True)
class Similarity:
    """A way to compare points: its names, its parameters, and the function.

    Attributes
    ----------
    function : ``function(X, **parameters)`` makes W, dense or sparse.
    extend : ``extend(X, **parameters)`` makes the weights of new points, see
        `mavr.graphs.extension`; where it is None, the function is called with the new points added.
    features : whether X must be dense: the function takes distances between its rows.
    """

    name: str
    title: str
    help: str
    function: Callable[..., Any]
    parameters: tuple[Number, ...]
    extend: Callable[..., Any] | None = None
    features: bool = True


# Those of mavr.graphs.similarities, and a user's own.
SIMILARITIES: dict[str, Similarity] = {}


def register_similarity(similarity: Similarity) -> None:
    """Offer a similarity everywhere: select boxes, links, command line, estimators."""
    SIMILARITIES[similarity.name] = similarity


def scale_parameters() -> dict[str, Number]:
    """Parameters of all similarities by name; of those with one name the first declaration."""
    found: dict[str, Number] = {}
    for similarity in SIMILARITIES.values():
        for about in similarity.parameters:
            found.setdefault(about.name, about)
    return found


LAPLACIANS = {"normalized": "normalized", "unnormalized": "unnormalized"}


@dataclass(frozen=True)
class GraphSpec:
    """How points become a graph: the similarity with its parameters, and the Laplacian.

    `scales` holds (name, value) pairs of the similarities' parameters, those of similarities that
    were left as well; what is not in it is usual.

    Examples
    --------
    >>> import mavr
    >>> spec = GraphSpec.of("knn", n_neighbors=5)
    >>> spec.arguments["n_neighbors"], spec.having(n_neighbors=12).arguments["n_neighbors"]
    (5, 12)
    """

    similarity: str = declared(
        Choice(
            "similarity",
            "Similarity",
            "What makes two points neighbours on the graph.",
            lambda: {name: s.title for name, s in SIMILARITIES.items()},
            "gaussian",
            link="graph",
        )
    )
    scales: tuple[tuple[str, float], ...] = ()
    self_loops: bool = declared(
        Flag(
            "self_loops",
            "Self-loops",
            "Every point is similar to itself, Wᵢᵢ = 1, as the printed formula read literally "
            "says. Usually Wᵢᵢ = 0. It changes the normalized Laplacian only.",
            link="loops",
        )
    )
    laplacian: str = declared(
        Choice(
            "laplacian",
            "Laplacian",
            "Normalized weighs every point alike; unnormalized lets well-connected points resist "
            "more.",
            lambda: LAPLACIANS,
            "normalized",
            link="L",
        )
    )
    power: int = declared(
        Number(
            "power",
            "Power of the Laplacian",
            "p",
            "Q = L^p. Above 1, responses are smooth in a stricter sense, and nothing spikes at a "
            "label.",
            1,
            4,
            1,
            logarithmic=False,
            whole=True,
        )
    )

    def __post_init__(self) -> None:
        checked(self)
        known = scale_parameters() | {p.name: p for p in self.about.parameters}
        values = {name: known[name].check(v) for name, v in self.scales if name in known}
        # Specs that mean the same are equal.
        kept = {name: v for name, v in values.items() if v != known[name].usual}
        object.__setattr__(self, "scales", tuple(sorted(kept.items())))

    @classmethod
    def of(cls, similarity: str, **values: Any) -> GraphSpec:
        """A spec from keywords: fields, and parameters of similarities."""
        return cls(similarity=similarity).having(**values)

    @property
    def about(self) -> Similarity:
        """The declaration of its similarity."""
        return SIMILARITIES[self.similarity]

    @property
    def arguments(self) -> dict[str, Any]:
        """What the similarity is called with."""
        return {p.name: self.value(p.name) for p in self.about.parameters}

    def arguments_for(self, n: int) -> dict[str, Any]:
        """The same for n points: more neighbours than there are others are taken for all."""
        found = self.arguments
        if "n_neighbors" in found:
            found["n_neighbors"] = max(1, min(found["n_neighbors"], n - 1))
        return found

    def value(self, name: str) -> Any:
        """The value of a parameter of a similarity, usual where it was not set."""
        known = scale_parameters() | {p.name: p for p in self.about.parameters}
        return dict(self.scales).get(name, known[name].usual)

    def having(self, **values: Any) -> GraphSpec:
        """The spec with some fields, or parameters of similarities, changed."""
        own = {f.name for f in fields(self)}
        unknown = set(values) - own - set(scale_parameters())
        if unknown:
            raise ValueError(f"{sorted(unknown)[0]} is no setting of a graph")
        scales = dict(self.scales) | {k: v for k, v in values.items() if k not in own}
        kept = {k: v for k, v in values.items() if k in own}
        return replace(self, **({"scales": tuple(scales.items())} | kept))

    @property
    def key(self) -> tuple[Any, ...]:
        """Equal for specs that make the same graph."""
        arguments = tuple(sorted(self.arguments.items()))
        return (self.similarity, arguments, self.self_loops, self.laplacian, self.power)


GAMMA = Number(
    "gamma",
    "Smoothness",
    "γ",
    "Weight of the volume term: larger means smoother responses.",
    1e-12,
    1e15,
    99.0,
    shown=(1e-3, 1e9),
)
TAU = Number(
    "tau",
    "Response size",
    "τ",
    "Size of all responses together, as a multiple of √(number of labels). Only γτ matters while "
    "balance is 0.",
    1e-12,
    1e15,
    1.0,
    shown=(1e-3, 1e8),
    none=True,
    unit="(×\u00a0√labels)",
)
BALANCE = Number(
    "balance",
    "Balance",
    "γ′",
    "Pulls the total response of all classes together. With few labels it prevents one class from "
    "taking everything.",
    1e-12,
    1e12,
    0.0,
    shown=(1e-3, 1e3),
    zero=True,
)
LAMBDA_A = Number(
    "lambda_A",
    "Kernel norm",
    "λₐ",
    "LapRLS: weight of the norm in the kernel's space.",
    1e-12,
    1e12,
    1e-3,
    shown=(1e-6, 1e3),
    link="lambdaA",
)
LAMBDA_I = Number(
    "lambda_I",
    "Smoothness of LapRLS",
    "λᵢ",
    "LapRLS: weight of smoothness on the graph.",
    1e-12,
    1e12,
    99.0,
    shown=(1e-3, 1e6),
    link="lambdaI",
    zero=True,
)
CLASS_PRIOR = Proportions(
    "class_prior",
    "Class proportions",
    "What the balance term pulls the classes' total responses to: equal totals, proportions "
    "estimated from the labels, or your own, one for each class. Nothing while balance is 0.",
    link="prior",
)


@dataclass(frozen=True)
class Parameters:
    """What the methods take; each reads what it knows. P is a tuple of rows, None for I."""

    gamma: float = declared(GAMMA)
    tau: float | None = declared(TAU)
    balance: float = declared(BALANCE)
    P: Rows | None = None
    lambda_A: float = declared(LAMBDA_A)
    lambda_I: float = declared(LAMBDA_I)
    class_prior: tuple[float, ...] | str | None = declared(CLASS_PRIOR)

    def __post_init__(self) -> None:
        checked(self)
        if self.P is not None:
            object.__setattr__(self, "P", frozen_rows(self.P))


@dataclass(frozen=True)
class Setting:
    """A graph and parameters: what a data set, a view or an experiment contains."""

    graph: GraphSpec = field(default_factory=GraphSpec)
    parameters: Parameters = field(default_factory=Parameters)

    def having(self, **values: Any) -> Setting:
        """The setting with some parameters, or settings of the graph, changed."""
        own = {f.name for f in fields(Parameters)}
        return Setting(
            self.graph.having(**{k: v for k, v in values.items() if k not in own}),
            replace(self.parameters, **{k: v for k, v in values.items() if k in own}),
        )


def norm(tau: float | None, n_labelled: int) -> float | None:
    """The norm of H for tau, a multiple of the square root of the number of labelled points."""
    return None if tau is None else tau * sqrt(max(n_labelled, 1))
