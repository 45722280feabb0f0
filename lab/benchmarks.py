"""The benchmarks page's state, job, figure and table. Only the job is told of processes."""

from __future__ import annotations

import hashlib
import io
import re
import secrets
import tempfile
from collections.abc import Collection, Mapping, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, fields, replace
from functools import cache
from pathlib import Path
from typing import Any

import datasets
from lab import curves
from lab.jobs import BackgroundJob, Results, Workers
from lab.numbers import Bold, table
from lab.sweeps import MAX_SEED
from lab.theme import CLASS_COLORS
from mavr.experiments import write_csv
from mavr.experiments.benchmark import (
    COMPETITORS,
    FIRST_TUNING,
    LABELLED_SHARE,
    SIMILARITIES,
    TUNING,
    Benchmark,
    Measurement,
    Place,
    Setting,
    Task,
    choose,
    run_task,
)

SIZES = tuple(range(100, 1001, 100))
TARGETS = (5, 20, 50, 100)
FILE = "file"
DATA = {
    "digits": "Digits",
    **{name: b.title for name, b in datasets.BENCHMARKS.items()},
    FILE: "A file (.npz)",
}
# So many samplings of one place come before those of the next: what can be seen is seen early.
FIRST = 5
# An additional sampling tries every candidate and takes so many times as long as another one.
SEARCH_COST = 6.0
# Uploaded files that the server keeps; the oldest goes first.
MAX_FILES = 20
# Colour and mark; MAVR and LGC have those of the other pages.
LOOKS = {"mavr_nor": (0, 0), "mavr_un": (5, 2), "lgc": (1, 1), "laprls": (3, 3)}
ORACLE = (
    "The hyperparameters are an **oracle's choice**: for every method, similarity and n, the scale "
    "of the similarity, and for MAVR also τ, are those with the least error on ten additional "
    "samplings, measured with the true classes of the unlabelled points. Nobody has those in "
    "practice. n/10 points are labelled."
)
HOW_TO_READ = (
    "Error in %, mean ± standard error. **Bold**: the lowest mean of a row. \\*: not significantly "
    "worse than it (paired t-test, 5 %); with few samplings hardly any difference is significant."
)


@dataclass(frozen=True)
class Choice:
    """What the page shows. data : a key of DATA; low, high : the sizes n."""

    data: str = "digits"
    similarities: tuple[str, ...] = tuple(SIMILARITIES)
    methods: tuple[str, ...] = tuple(COMPETITORS)
    low: int = 100
    high: int = 200
    samplings: int = TARGETS[0]
    seed: int = 0

    @property
    def sizes(self) -> tuple[int, ...]:
        return tuple(n for n in SIZES if self.low <= n <= self.high)


ALLOWED: dict[str, Collection[Any]] = {
    "data": DATA,
    "low": SIZES,
    "high": SIZES,
    "samplings": TARGETS,
    "seed": range(MAX_SEED + 1),
}


def to_query(view: Choice) -> dict[str, str]:
    """The link: what differs from the defaults."""
    default, query = Choice(), {}
    for f in fields(Choice):
        value = getattr(view, f.name)
        if value != getattr(default, f.name):
            query[f.name] = "-".join(map(str, value)) if isinstance(value, tuple) else str(value)
    return query


def from_query(query: Mapping[str, str]) -> tuple[Choice, list[str]]:
    """The view a link means, and a sentence for each part that could not be read."""
    found: dict[str, Any] = {}
    problems = []
    for name in (f.name for f in fields(Choice) if f.name in query):
        try:
            found[name] = _read(name, query[name])
        except ValueError:
            problems.append(f"{name}={query[name]!r} in the link cannot be used.")
    view = Choice(**found)
    return replace(view, high=max(view.low, view.high)), problems


def _read(name: str, text: str) -> Any:
    if name in ("similarities", "methods"):
        known: Mapping[str, Any] = SIMILARITIES if name == "similarities" else COMPETITORS
        chosen = tuple(k for k in known if k in text.split("-"))
        if not chosen:
            raise ValueError(text)
        return chosen
    value = text if name == "data" else int(text)
    if value not in ALLOWED[name]:
        raise ValueError(text)
    return value


# Files


@cache
def _folder() -> tempfile.TemporaryDirectory[str]:
    """Emptied when the server ends."""
    return tempfile.TemporaryDirectory(prefix="mavr-lab-")


def keep_file(content: bytes, filename: str) -> str:
    """Path of an uploaded file, where the workers find it. Raises DataError for one of no use."""
    data = datasets.from_npz(content, name=filename)
    if data.y is None:
        raise datasets.DataError(
            f"{filename} has no array y with one class for each point: no error can be measured."
        )
    base = Path(_folder().name)
    stem = re.sub(r"[^\w.-]+", "_", Path(filename).stem)[:60] or "data"
    path = base / hashlib.sha256(content).hexdigest()[:16] / f"{stem}.npz"
    if not path.exists():
        path.parent.mkdir(exist_ok=True)
        # Renamed when complete: no worker ever sees half a file.
        part = path.with_suffix(f".{secrets.token_hex(4)}")
        part.write_bytes(content)
        part.replace(path)
        kept = sorted(base.glob("*/*.npz"), key=lambda file: file.stat().st_mtime)
        for old in kept[:-MAX_FILES]:
            old.unlink(missing_ok=True)
    return str(path)


def source(view: Choice, uploaded: str | None) -> str | None:
    """What the engine reads: a generator's name or a path; None where there is no file yet."""
    if view.data == "digits":
        return "digits"
    path = Path(uploaded or "") if view.data == FILE else datasets.fetched_file(view.data)
    return str(path) if path.is_file() else None


# The job


@dataclass(frozen=True)
class Unit:
    """One sampling of one place; those from FIRST_TUNING on are for choosing the settings."""

    benchmark: Benchmark
    sampling: int

    @property
    def place(self) -> tuple[str, int]:
        return self.benchmark.similarities[0], self.benchmark.n[0]

    @property
    def tuning(self) -> bool:
        return self.sampling >= FIRST_TUNING


class BenchmarkJob(BackgroundJob):
    """All places of a benchmark: for each the search for its settings, then the samplings."""

    def __init__(self, benchmark: Benchmark, target: int, workers: Workers, results: Results):
        self.benchmark = benchmark
        # One for each place, whatever else was asked for: others find its samplings.
        self._places = [
            Benchmark(benchmark.data, (n,), (kind,), benchmark.methods, 1, benchmark.seed)
            for n in benchmark.n
            for kind in benchmark.similarities
        ]
        self._chosen: dict[tuple[str, int], dict[str, Setting]] = {}
        super().__init__(target, workers, results)

    def rows(self) -> list[Measurement]:
        """Without those that only served the choice."""
        return [row for row in super().rows() if row.sampling < FIRST_TUNING]

    @property
    def searching(self) -> bool:
        """Whether some settings are still to be chosen."""
        with self._lock:
            return any(unit not in self._done for p in self._places for unit in _searches(p))

    def _tasks(self) -> list[Unit]:
        first = min(FIRST, self.target)
        early = [
            unit
            for place in self._places
            for unit in (*_searches(place), *(Unit(place, k) for k in range(first)))
        ]
        late = [Unit(place, k) for k in range(first, self.target) for place in self._places]
        return early + late

    def _size(self, some: Sequence[Unit]) -> float:
        return sum((SEARCH_COST if u.tuning else 1.0) * u.place[1] ** 1.5 for u in some)

    def _ready(self, task: Unit) -> bool:
        if task.tuning or task.place in self._chosen:
            return True
        with self._lock:
            if any(unit not in self._done for unit in _searches(task.benchmark)):
                return False
            tried = [
                row
                for row in self._rows
                if row.sampling >= FIRST_TUNING and (row.similarity, row.n) == task.place
            ]
        found = choose(tried)
        self._chosen[task.place] = {method: s for (_, _, method), s in found.items()}
        return True

    def _submit(self, task: Unit) -> Future[list[Any]]:
        kind, n = task.place
        settings = []
        for method in task.benchmark.methods:
            if task.tuning:
                wanted = tuple(task.benchmark.settings(kind, method))
            else:
                wanted = (self._chosen[task.place][method],)
            settings.append((kind, method, wanted))
        work = Task(task.benchmark, n, task.sampling, tuple(settings))
        return self._workers.submit(work, run_task)


def _searches(place: Benchmark) -> list[Unit]:
    return [Unit(place, FIRST_TUNING + k) for k in range(TUNING)]


# What is shown


def payload(benchmark: Benchmark, places: Sequence[Place], rows: int) -> dict[str, Any]:
    """What the figure is sent: one panel for each similarity."""
    at = {(p.similarity, p.method, p.n): p for p in places}
    return {
        "rows": rows,
        "panels": [
            {
                "id": kind,
                "title": SIMILARITIES[kind].title.capitalize(),
                "symbol": "points n",
                "note": "error, %",
                "log": False,
                "signed": False,
                "x": list(benchmark.n),
                "series": [
                    _curve(method, [at.get((kind, method, n)) for n in benchmark.n])
                    for method in benchmark.methods
                ],
                "printed": [],
            }
            for kind in benchmark.similarities
        ],
        "legend": [
            {"name": title(m), "color": CLASS_COLORS[LOOKS[m][0]], "mark": LOOKS[m][1]}
            for m in benchmark.methods
        ],
        "picked": None,
        "strip": None,
        "still": True,
        "file": "benchmarks",
    }


def _curve(method: str, known: Sequence[Place | None]) -> dict[str, Any]:
    color, mark = LOOKS[method]
    more = [f", {p.unreached:.1f} unreached" if p and p.unreached else "" for p in known]
    return curves.curve(method, title(method), CLASS_COLORS[color], mark, known, more)


def title(method: str) -> str:
    """Its name, with the Laplacian in words where only that tells two apart."""
    about = COMPETITORS[method]
    return f"MAVR, {about.laplacian}" if about.method == "mavr" else about.title


def means_table(benchmark: Benchmark, places: Sequence[Place]) -> str:
    """HTML: one row for each similarity and n, the best in bold, a star for those close to it."""
    at = {(p.similarity, p.n, p.method): p for p in places}
    lines = []
    for kind in benchmark.similarities:
        for n in benchmark.n:
            cells = [at.get((kind, n, m)) for m in benchmark.methods]
            if any(cells):
                count = str(max(p.samplings for p in cells if p))
                head = [SIMILARITIES[kind].title.capitalize(), str(n), str(n // LABELLED_SHARE)]
                lines.append([*head, *map(_mean, cells), count])
    head = ["similarity", "n", "labels", *map(title, benchmark.methods), "samplings"]
    return table(lines, head, light=True)


def as_csv(rows: Sequence[Measurement]) -> str:
    file = io.StringIO()
    write_csv(sorted(rows, key=lambda r: (r.similarity, r.n, r.method, r.sampling)), file)
    return file.getvalue()


def _mean(place: Place | None) -> str:
    if place is None:
        return "–"
    text = f"{100 * place.mean:.1f} ± {100 * place.standard_error:.1f}"
    if place.best:
        return Bold(text)
    return text + "*" if place.close else text
