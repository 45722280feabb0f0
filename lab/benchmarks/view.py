"""Everything the benchmarks page shows, as one frozen object, its link, and its files."""

from __future__ import annotations

import re
import secrets
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp

import datasets
from datasets import DataError, Dataset
from lab.curves.view import SEED as CURVES_SEED
from lab.curves.view import samplings_choice
from lab.data import is_file_name
from lab.link import Codec, LinkError, Part, declared_parts, several_part
from mavr.experiments import Benchmark
from mavr.experiments.benchmark import COMPETITORS, PANELS, PAPER_METHODS
from mavr.settings import Number, declared, shortened

SIZES = tuple(range(100, 1001, 100))
# A file of the visitor's own, not given yet.
ANY_FILE = "file"
DATA = {"digits": "Digits", **{name: b.title for name, b in datasets.BENCHMARKS.items()}}
# Uploaded files that the server keeps; the oldest goes first.
MAX_FILES = 20
SEED = replace(CURVES_SEED, usual=0)


def _size(name: str, word: str, usual: int) -> Any:
    help = "Number of points, in steps of 100."
    return declared(
        Number(name, word, "", help, SIZES[0], SIZES[-1], usual, logarithmic=False, whole=True)
    )


@dataclass(frozen=True)
class BenchmarkView:
    """What is measured.

    Attributes
    ----------
    data : a key of `DATA`, the name of an upload, or "file" for one that is not given yet.
    similarities : names in `PANELS`, one panel each.
    methods : names in `COMPETITORS`.
    low, high : ends of the sizes n.
    """

    data: str = "digits"
    similarities: tuple[str, ...] = tuple(PANELS)
    methods: tuple[str, ...] = PAPER_METHODS
    low: int = _size("low", "Points from", 100)
    high: int = _size("high", "Points to", 200)
    samplings: str = samplings_choice((5, 20, 50, 100), 5)
    seed: int = declared(SEED)

    @property
    def sizes(self) -> tuple[int, ...]:
        """The sizes n to draw."""
        low, high = sorted((self.low, self.high))
        return tuple(n for n in SIZES if low <= n <= high)

    @property
    def target(self) -> int:
        """How many samplings to compute."""
        return int(self.samplings)

    def benchmark(self, source: datasets.Generated | datasets.Stored) -> Benchmark:
        """What is to be run."""
        panels = tuple(PANELS[name] for name in self.similarities)
        return Benchmark(source, self.sizes, panels, self.methods, seed=self.seed)


def _read_data(view: BenchmarkView, own: Mapping[str, str]) -> BenchmarkView:
    name = own["data"]
    if name not in DATA and name != ANY_FILE and not is_file_name(name):
        raise LinkError(f"the data set {shortened(name)} is not known here")
    return replace(view, data=name)


def _checked_sizes(view: BenchmarkView, own: Mapping[str, str]) -> BenchmarkView:
    for part in declared_parts(BenchmarkView, only=("low", "high")):
        view = part.read(view, mine) if (mine := part.own(own)) else view
    low = view.low
    view = replace(view, high=max(low, view.high))
    for n in (low, view.high):
        if n not in SIZES:
            raise LinkError(f"the sizes go in steps of 100, got {n}")
    return view


CODEC: Codec[BenchmarkView] = Codec(
    BenchmarkView,
    (
        Part(lambda: ("data",), _read_data, lambda view: {"data": view.data}),
        several_part("similarities", PANELS),
        several_part("methods", COMPETITORS),
        Part(
            lambda: ("low", "high"),
            _checked_sizes,
            lambda view: {"low": str(view.low), "high": str(view.high)},
        ),
        *declared_parts(BenchmarkView, only=("samplings", "seed")),
    ),
    always=frozenset(),
)


# Files


@cache
def _folder() -> tempfile.TemporaryDirectory[str]:
    """Emptied when the server ends."""
    return tempfile.TemporaryDirectory(prefix="mavr-lab-")


def stored(name: str, data: Dataset) -> datasets.Stored:
    """An upload as a file, where the workers find it. Raises DataError for one of no use."""
    if data.y is None:
        raise DataError(
            f"{data.name} gives no class for each point, so no error can be measured. Give a file "
            "with a column or array of classes."
        )
    base = Path(_folder().name)
    stem = re.sub(r"[^\w.-]+", "_", Path(data.name).stem)[:60] or "data"
    path = base / name.rpartition(":")[2] / f"{stem}.npz"
    if not path.exists():
        path.parent.mkdir(exist_ok=True)
        # Renamed when complete: no worker ever sees half a file.
        part = path.with_suffix(f".{secrets.token_hex(4)}")
        with part.open("wb") as file:
            _save(file, data)
        part.replace(path)
        kept = sorted(base.glob("*/*.npz"), key=lambda file: file.stat().st_mtime)
        for old in kept[:-MAX_FILES]:
            old.unlink(missing_ok=True)
    return datasets.Stored(str(path))


def _save(file: Any, data: Dataset) -> None:
    """As `datasets.from_npz` reads it."""
    y = np.asarray(data.y)
    if sp.issparse(data.X):
        X = sp.csr_array(data.X)
        arrays = {"data": X.data, "indices": X.indices, "indptr": X.indptr}
        np.savez(file, **arrays, shape=X.shape, format=b"csr", y=y)
    else:
        np.savez(file, X=data.X, y=y)


def source_of(
    view: BenchmarkView, uploads: Mapping[str, Dataset]
) -> datasets.Generated | datasets.Stored | None:
    """Where the points come from; None where there is no file yet. Raises DataError."""
    if view.data == "digits":
        return datasets.Generated("digits")
    if view.data in uploads:
        return stored(view.data, uploads[view.data])
    if view.data not in DATA:
        return None
    path = datasets.fetched_file(view.data)
    return datasets.Stored(str(path)) if path.is_file() else None
