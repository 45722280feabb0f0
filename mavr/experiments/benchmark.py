"""The paper's benchmark protocol (arXiv 1402.0288, Figure 4): error against n on real data.

    l = n / 10 labels;   sigma = median distance x {1/16 ... 1},   k in {1, 3, 5, 7, 9},
    tau = sqrt(l) x {1/16 ... 1};   gamma = lambda_I = 99 (local scaling: 1),
    lambda_A = 1e-3 (cosine: 1e3)

For every method, similarity and n the scale of the similarity and tau are those with the least
mean error on ten additional samplings, measured with the true classes of the unlabelled points: an
oracle's choice, the same for all methods, that nobody has in practice.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp
from joblib import Parallel, delayed
from scipy.spatial.distance import pdist
from scipy.stats import t as student
from threadpoolctl import threadpool_limits

import datasets
from datasets import Dataset
from mavr.experiments.batch import Case, Outcome, run_batch
from mavr.experiments.sweep import MAX_SAMPLINGS, make_data, sampling_seed
from mavr.graphs.graph import Graph
from mavr.graphs.similarities import similarity
from mavr.settings import Parameters

Array = npt.NDArray[np.float64]

FRACTIONS = (1 / 16, 1 / 8, 1 / 4, 1 / 2, 1.0)
NEIGHBORS = (1.0, 3.0, 5.0, 7.0, 9.0)
TUNING = 10
# The additional samplings are the last ones of a seed, whatever number is asked for.
FIRST_TUNING = MAX_SAMPLINGS - TUNING
LABELLED_SHARE = 10
# A sparse similarity of so few points is solved faster as a dense one.
MAX_DENSE = 3000


@dataclass(frozen=True)
class Competitor:
    """A method of `mavr.methods` on one of the Laplacians; tuned : whether tau is chosen, too."""

    title: str
    method: str
    laplacian: str
    tuned: bool = False


COMPETITORS: dict[str, Competitor] = {
    "mavr_nor": Competitor("MAVR, L_nor", "mavr", "normalized", tuned=True),
    "mavr_un": Competitor("MAVR, L_un", "mavr", "unnormalized", tuned=True),
    "lgc": Competitor("LGC", "lgc", "normalized"),
    "laprls": Competitor("LapRLS", "laprls", "unnormalized"),
}


@dataclass(frozen=True)
class Kind:
    """A similarity with its candidates (fractions of the median distance, or k) and weights."""

    title: str
    scales: tuple[float, ...]
    weight: float
    lambda_A: float


SIMILARITIES: dict[str, Kind] = {
    "gaussian": Kind("Gaussian", FRACTIONS, 99.0, 1e-3),
    "local_scaling": Kind("local scaling", NEIGHBORS, 1.0, 1e-3),
    "cosine": Kind("cosine", NEIGHBORS, 99.0, 1e3),
}


@dataclass(frozen=True)
class Setting:
    """What the oracle chooses: scale of the similarity, and tau / sqrt(l)."""

    scale: float
    tau_factor: float = 1.0


@dataclass(frozen=True)
class Benchmark:
    """data : name in `datasets.GENERATORS`, or the path of an .npz file; n : sizes to draw."""

    data: str = "digits"
    n: tuple[int, ...] = (100, 200, 300, 400, 500)
    similarities: tuple[str, ...] = tuple(SIMILARITIES)
    methods: tuple[str, ...] = tuple(COMPETITORS)
    samplings: int = 100
    seed: int = 0

    def __post_init__(self) -> None:
        for given, known in ((self.similarities, SIMILARITIES), (self.methods, COMPETITORS)):
            if not given or not set(given) <= set(known):
                raise ValueError(f"expected some of {', '.join(known)}, got {', '.join(given)}")
        if not 1 <= self.samplings <= FIRST_TUNING:
            raise ValueError(f"samplings must lie in 1..{FIRST_TUNING}, got {self.samplings}")
        if not self.n or min(self.n) < 2 * LABELLED_SHARE:
            raise ValueError(f"n must be at least {2 * LABELLED_SHARE}, got {self.n}")

    def settings(self, kind: str, method: str) -> list[Setting]:
        """The candidates of a method."""
        factors = FRACTIONS if COMPETITORS[method].tuned else (1.0,)
        return [Setting(s, f) for s in SIMILARITIES[kind].scales for f in factors]


@dataclass(frozen=True, slots=True)
class Measurement:
    """One method on one sampling; error as everywhere: ties and unreached points are wrong."""

    data: str
    similarity: str
    n: int
    method: str
    sampling: int
    scale: float
    tau_factor: float
    error: float
    unreached: int

    @property
    def setting(self) -> Setting:
        return Setting(self.scale, self.tau_factor)


@dataclass(frozen=True)
class Task:
    """One sampling of n points; the settings to measure, per similarity and method."""

    benchmark: Benchmark
    n: int
    sampling: int
    settings: tuple[tuple[str, str, tuple[Setting, ...]], ...]


def run_benchmark(benchmark: Benchmark, n_jobs: int | None = None) -> Iterator[Measurement]:
    """Choose the settings, then measure; measurements as they are finished."""
    chosen = choose(search(benchmark, n_jobs))
    parallel = Parallel(n_jobs=n_jobs, return_as="generator_unordered")
    work = [
        Task(
            benchmark,
            n,
            sampling,
            tuple(
                (kind, method, (chosen[kind, n, method],))
                for kind in benchmark.similarities
                for method in benchmark.methods
            ),
        )
        for sampling in range(benchmark.samplings)
        for n in benchmark.n
    ]
    for rows in parallel(delayed(run_task)(task) for task in work):
        yield from rows


def search(benchmark: Benchmark, n_jobs: int | None = None) -> list[Measurement]:
    """Every candidate on the additional samplings."""
    candidates = tuple(
        (kind, method, tuple(benchmark.settings(kind, method)))
        for kind in benchmark.similarities
        for method in benchmark.methods
    )
    work = [
        Task(benchmark, n, FIRST_TUNING + k, candidates) for k in range(TUNING) for n in benchmark.n
    ]
    found = Parallel(n_jobs=n_jobs)(delayed(run_task)(task) for task in work)
    return [row for rows in found for row in rows]


def choose(rows: Iterable[Measurement]) -> dict[tuple[str, int, str], Setting]:
    """The setting with the least mean error for each (similarity, n, method); the first of equals.

    Errors are summed as whole numbers, so that the order of the rows is of no matter.
    """
    total: dict[tuple[str, int, str], dict[Setting, int]] = {}
    for row in rows:
        at = total.setdefault((row.similarity, row.n, row.method), {})
        at[row.setting] = at.get(row.setting, 0) + round(row.error * 1e12)
    return {
        key: min(sorted(at, key=lambda s: (s.scale, s.tau_factor)), key=lambda s: at[s])
        for key, at in total.items()
    }


def run_task(task: Task) -> list[Measurement]:
    """All measurements of one sampling; settings that share a graph share its spectrum."""
    seed = sampling_seed(task.benchmark.seed, task.sampling)
    data = make_data(task.benchmark.data, {"n": task.n}, seed)
    if data.y is None:
        raise ValueError(f"{data.name} has no true classes: its error cannot be measured")
    labelled = datasets.draw_labels(data.y, task.n // LABELLED_SHARE, "balanced", seed)
    rows = []
    with threadpool_limits(limits=1):
        for kind, scale, laplacian, wanted in _by_graph(task):
            graph = Graph(_similarity(kind, data, scale), laplacian)
            cases = [_case(kind, method, factor, labelled, data) for method, factor in wanted]
            outcomes = run_batch(graph, cases, spectral=len(wanted) > 1)
            for (method, factor), outcome in zip(wanted, outcomes, strict=True):
                error, unreached = _score(outcome, data.y, labelled)
                rows.append(
                    Measurement(
                        data.name, kind, task.n, method, task.sampling,
                        scale, factor, error, unreached,
                    )
                )  # fmt: skip
    return rows


def _by_graph(task: Task) -> list[tuple[str, float, str, list[tuple[str, float]]]]:
    """Settings grouped by (similarity, scale, Laplacian), each with its (method, tau factor)s."""
    groups: dict[tuple[str, float, str], list[tuple[str, float]]] = {}
    for kind, method, settings in task.settings:
        for setting in settings:
            key = (kind, setting.scale, COMPETITORS[method].laplacian)
            groups.setdefault(key, []).append((method, setting.tau_factor))
    return [(*key, wanted) for key, wanted in groups.items()]


def _similarity(kind: str, data: Dataset, scale: float) -> Array:
    X = data.X
    if kind == "cosine":
        W = similarity("cosine", X, n_neighbors=int(scale))
        return np.asarray(W.toarray()) if W.shape[0] <= MAX_DENSE else W
    X = X.toarray() if sp.issparse(X) else np.asarray(X, dtype=float)
    if kind == "gaussian":
        # Zero only if most points coincide; any positive width will do then.
        median = float(np.median(pdist(X))) or 1.0
        return np.asarray(similarity(kind, X, sigma=scale * median))
    return np.asarray(similarity(kind, X, n_neighbors=int(scale)))


def _case(
    kind: str, method: str, factor: float, labelled: npt.NDArray[np.int64], data: Dataset
) -> Case:
    assert data.y is not None
    weight = SIMILARITIES[kind].weight
    parameters = Parameters(
        gamma=weight,
        tau=factor,
        lambda_A=SIMILARITIES[kind].lambda_A,
        lambda_I=weight,
    )
    points, classes = tuple(labelled.tolist()), tuple(data.y[labelled].tolist())
    return Case(COMPETITORS[method].method, points, classes, data.n_classes, parameters)


def _score(
    outcome: Outcome, y: npt.NDArray[np.int64], labelled: npt.NDArray[np.int64]
) -> tuple[float, int]:
    counted = y >= 0
    counted[labelled] = False
    wrong = ((outcome.labels != y) | outcome.ties) & counted
    return float(wrong.sum() / counted.sum()), int((outcome.unreached & counted).sum())


@dataclass(frozen=True)
class Place:
    """A point of a panel. best : the lowest mean; close : not significantly above the best."""

    data: str
    similarity: str
    n: int
    method: str
    mean: float
    standard_error: float
    samplings: int
    scale: float
    tau_factor: float
    unreached: float
    best: bool
    close: bool


def summarise_benchmark(rows: Iterable[Measurement], level: float = 0.05) -> list[Place]:
    """Means and standard errors; a paired t-test of each method against the best of its place."""
    groups: dict[tuple[str, str, int], dict[str, list[Measurement]]] = {}
    for row in sorted(rows, key=lambda row: row.sampling):
        methods = groups.setdefault((row.data, row.similarity, row.n), {})
        methods.setdefault(row.method, []).append(row)
    places = []
    for key in sorted(groups):
        errors = {m: np.array([row.error for row in some]) for m, some in groups[key].items()}
        best = min(errors, key=lambda m: float(errors[m].mean()))
        for method in (m for m in COMPETITORS if m in errors):
            places.append(_place(key, groups[key][method], errors, method, best, level))
    return places


def _place(
    key: tuple[str, str, int],
    rows: Sequence[Measurement],
    errors: Mapping[str, Array],
    method: str,
    best: str,
    level: float,
) -> Place:
    error, m = errors[method], len(rows)
    return Place(
        *key,
        method,
        float(error.mean()),
        float(error.std(ddof=1) / np.sqrt(m)) if m > 1 else 0.0,
        m,
        rows[0].scale,
        rows[0].tau_factor,
        float(np.mean([row.unreached for row in rows])),
        method == best,
        _p_value(error - errors[best]) >= level,
    )


def _p_value(gap: Array) -> float:
    """Two-sided paired t-test of "no difference"; without any spread it is certain."""
    m = len(gap)
    se = float(gap.std(ddof=1) / np.sqrt(m)) if m > 1 else 0.0
    if se <= 1e-15:
        return float(abs(gap.mean()) <= 1e-15)
    return 2 * float(student.sf(abs(float(gap.mean())) / se, m - 1))
