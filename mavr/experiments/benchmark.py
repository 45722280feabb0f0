"""The paper's benchmark protocol (arXiv 1402.0288, Figure 4): error against n on real data.

    l = n / 10 labels;   sigma = median distance x {1/16 ... 1},   k in {1, 3, 5, 7, 9},
    tau = sqrt(l) x {1/16 ... 1};   gamma = lambda_I = 99 (local scaling: 1),
    lambda_A = 1e-3 (cosine: 1e3)

For every method, similarity and n the scale of the similarity and tau are those with the least
mean error on ten additional samplings, measured with the true classes of the unlabelled points: an
oracle's choice, the same for all methods, that nobody has in practice.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from mavr.experiments.source import MAX_SAMPLINGS, Source
from mavr.settings import Setting

FRACTIONS = (1 / 16, 1 / 8, 1 / 4, 1 / 2, 1.0)
NEIGHBORS = (1.0, 3.0, 5.0, 7.0, 9.0)
TUNING = 10
# The additional samplings are the last ones of a seed, whatever number is asked for.
FIRST_TUNING = MAX_SAMPLINGS - TUNING
LABELLED_SHARE = 10


@dataclass(frozen=True)
class Competitor:
    """A method as it takes part.

    Attributes
    ----------
    title : its name in tables.
    method : name in `mavr.methods.METHODS`.
    changes : (name, value) pairs of what it has otherwise than the panel's setting.
    tuned : whether tau is chosen, too.
    only : similarities it is measured with; all where None.
    """

    title: str
    method: str
    changes: tuple[tuple[str, Any], ...]
    tuned: bool = False
    only: tuple[str, ...] | None = None

    @property
    def laplacian(self) -> str:
        return str(dict(self.changes)["laplacian"])

    def joins(self, panel: Panel) -> bool:
        """Whether it is measured with this similarity."""
        return self.only is None or panel.similarity in self.only


COMPETITORS: dict[str, Competitor] = {
    "mavr_nor": Competitor("MAVR, L_nor", "mavr", (("laplacian", "normalized"),), tuned=True),
    "mavr_un": Competitor("MAVR, L_un", "mavr", (("laplacian", "unnormalized"),), tuned=True),
    "lgc": Competitor("LGC", "lgc", (("laplacian", "normalized"),)),
    "laprls": Competitor("LapRLS", "laprls", (("laplacian", "unnormalized"),)),
    # The paper's exception, "panel (i) where lambda_A = 1e-3 gave lower error rates of LapRLS".
    "laprls_weak": Competitor(
        "LapRLS, λₐ = 10⁻³",
        "laprls",
        (("laplacian", "unnormalized"), ("lambda_A", 1e-3)),
        only=("cosine",),
    ),
}
PAPER_METHODS = ("mavr_nor", "mavr_un", "lgc", "laprls")


@dataclass(frozen=True)
class Panel:
    """A similarity with what is fixed for it, and what the oracle chooses from.

    Attributes
    ----------
    title : its name in tables.
    setting : graph and parameters.
    scale : the parameter of the similarity that is chosen.
    scales : its candidates; multiples of the median distance if `relative`.
    """

    title: str
    setting: Setting
    scale: str
    scales: tuple[float, ...]
    relative: bool = False

    @property
    def similarity(self) -> str:
        return self.setting.graph.similarity


def _panel(
    title: str, similarity: str, weight: float, lambda_A: float, scale: str, *scales: Any
) -> Panel:
    setting = Setting().having(
        similarity=similarity, gamma=weight, lambda_I=weight, lambda_A=lambda_A
    )
    return Panel(title, setting, scale, *scales)


PANELS: dict[str, Panel] = {
    "gaussian": _panel("Gaussian", "gaussian", 99.0, 1e-3, "sigma", FRACTIONS, True),
    "local_scaling": _panel("local scaling", "local_scaling", 1.0, 1e-3, "n_neighbors", NEIGHBORS),
    "cosine": _panel("cosine", "cosine", 99.0, 1e3, "n_neighbors", NEIGHBORS),
}


@dataclass(frozen=True)
class Candidate:
    """What the oracle chooses: scale of the similarity, and tau as a multiple of sqrt(l)."""

    scale: float
    tau: float = 1.0


@dataclass(frozen=True)
class Benchmark:
    """Error against n.

    Attributes
    ----------
    source : of the points; it takes the argument n.
    n : sizes to draw.
    panels : one for each similarity.
    methods : names in `COMPETITORS`.
    samplings : beside the ten additional ones that the oracle sees.
    seed : of all samplings.
    """

    source: Source
    n: tuple[int, ...] = (100, 200, 300, 400, 500)
    panels: tuple[Panel, ...] = tuple(PANELS.values())
    methods: tuple[str, ...] = PAPER_METHODS
    samplings: int = 100
    seed: int = 0

    def __post_init__(self) -> None:
        if not self.panels:
            raise ValueError(f"panels is empty; give some of {', '.join(PANELS)}")
        if not self.methods or not set(self.methods) <= set(COMPETITORS):
            raise ValueError(
                f"methods must be some of {', '.join(COMPETITORS)}, got {', '.join(self.methods)}"
            )
        if not 1 <= self.samplings <= FIRST_TUNING:
            raise ValueError(f"samplings must lie in 1..{FIRST_TUNING}, got {self.samplings}")
        if not self.n or min(self.n) < 2 * LABELLED_SHARE:
            raise ValueError(f"n must be at least {2 * LABELLED_SHARE}, got {self.n}")

    def trials(self) -> tuple[tuple[Panel, str], ...]:
        """The panels with the methods that are measured in each."""
        return tuple(
            (panel, method)
            for panel in self.panels
            for method in self.methods
            if COMPETITORS[method].joins(panel)
        )


def candidates(panel: Panel, method: str) -> tuple[Candidate, ...]:
    """What the oracle chooses from for a method."""
    taus = FRACTIONS if COMPETITORS[method].tuned else (1.0,)
    return tuple(Candidate(scale, tau) for scale in panel.scales for tau in taus)
