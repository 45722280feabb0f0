"""The paper's benchmarks from OpenML and scikit-learn, cached on disk."""

from __future__ import annotations

import os
import tempfile
import warnings
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from http.client import HTTPException
from pathlib import Path
from string import ascii_uppercase, digits
from typing import Any

import numpy as np
import scipy.sparse as sp

from datasets.labels import number_classes
from datasets.model import DataError, Dataset
from datasets.npzfile import from_npz
from mavr.settings import Setting

# Called with the fraction done and a line of text.
Progress = Callable[[float, str], object]


@dataclass(frozen=True)
class Benchmark:
    """A set that is downloaded.

    Attributes
    ----------
    source : where from, for messages.
    download : ``download(data_home)`` returns X and the labels.
    names : of the classes, instead of their own, if there are as many.
    """

    title: str
    source: str
    download: Callable[[str], tuple[Any, Any]]
    names: tuple[str, ...] | None
    setting: Setting


def fetch(
    name: str,
    path: str | os.PathLike[str] | None = None,
    cache_dir: str | os.PathLike[str] | None = None,
    progress: Progress | None = None,
) -> Dataset:
    """A benchmark of the paper.

    The first call downloads, which takes minutes for the larger sets; the next ones read the cache.

    Parameters
    ----------
    name : key of `BENCHMARKS`.
    path : a local .npz file to read instead of the network.
    cache_dir : folder of the cache; where not given, one in scikit-learn's data home.
    progress : called with the fraction done and a line of text.

    Raises
    ------
    DataError
        If the set can be neither read nor downloaded, or the cache not written.
    """
    if name not in BENCHMARKS:
        raise DataError(f"name must be one of {', '.join(BENCHMARKS)}, got {name!r}")
    benchmark, report = BENCHMARKS[name], progress or (lambda fraction, message: None)
    if path is not None:
        report(0.0, f"Reading {path}")
        data = _dressed(from_npz(path), benchmark)
    else:
        data = _cached(name, benchmark, _cache_folder(cache_dir), report)
    report(1.0, f"{benchmark.title} is ready")
    return data


def fetched_file(name: str, cache_dir: str | os.PathLike[str] | None = None) -> Path:
    """Where `fetch` keeps a benchmark; there is a file once it has been fetched."""
    return _cache_folder(cache_dir) / f"{name}.npz"


def _cached(name: str, benchmark: Benchmark, folder: Path, report: Progress) -> Dataset:
    file = folder / f"{name}.npz"
    if file.exists():
        report(0.1, f"Reading {benchmark.title} from the cache")
        try:
            return _dressed(from_npz(file), benchmark)
        except DataError:
            report(0.1, "The cached copy is damaged and will be replaced")
    report(0.2, f"Downloading {benchmark.title} from {benchmark.source}")
    X, labels = _download(name, benchmark, folder)
    report(0.8, f"Storing {benchmark.title} in {folder}")
    y, names = number_classes(np.asarray(labels).astype(str), X.shape[0])
    _store(file, X, y, names)
    return _dressed(from_npz(file), benchmark)


def _download(name: str, benchmark: Benchmark, folder: Path) -> tuple[Any, Any]:
    try:
        with warnings.catch_warnings():
            # One warning per retry; if all fail, the error below says so once.
            warnings.simplefilter("ignore", UserWarning)
            return benchmark.download(str(folder))
    # Connection refused, no name service, a time-out, a server's error page, a bad checksum.
    except (OSError, HTTPException, ValueError) as error:
        raise DataError(
            f"{benchmark.title} could not be downloaded: tried {benchmark.source}, which gave "
            f"{type(error).__name__}: {error}. Check the network, or give a local .npz file with "
            f"arrays X and y: fetch({name!r}, path='{name}.npz')"
        ) from error


def _store(file: Path, X: Any, y: np.ndarray, names: tuple[str, ...]) -> None:
    parts = (
        {"format": np.array(b"csr"), "shape": np.array(X.shape), "data": X.data}
        | {"indices": X.indices, "indptr": X.indptr}
        if sp.issparse(X)
        else {"X": X}
    )
    try:
        # A name of its own, then renamed: no reader ever sees half a file.
        handle, part = tempfile.mkstemp(suffix=".npz", dir=file.parent)
        os.close(handle)
        np.savez_compressed(part, y=y, class_names=np.array(names), **parts)
        os.replace(part, file)
    except OSError as error:
        raise DataError(
            f"cannot write {str(file)!r}: {error.strerror}; choose another cache_dir"
        ) from error


def _cache_folder(cache_dir: str | os.PathLike[str] | None) -> Path:
    from sklearn.datasets import get_data_home

    try:
        folder = Path(cache_dir) if cache_dir is not None else Path(get_data_home()) / "mavr"
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise DataError(
            f"cannot make the cache folder: {error}; choose another cache_dir"
        ) from error
    return folder


def _dressed(data: Dataset, benchmark: Benchmark) -> Dataset:
    own = benchmark.names or ()
    names = own if len(own) == data.n_classes else data.class_names
    return replace(data, name=benchmark.title, class_names=names, setting=benchmark.setting)


def _openml(data_id: int, data_home: str) -> tuple[Any, Any]:
    from sklearn.datasets import fetch_openml

    X, y = fetch_openml(
        data_id=data_id, data_home=data_home, as_frame=False, return_X_y=True, parser="auto"
    )
    return np.asarray(X, dtype=np.float32), y


def _newsgroups(data_home: str) -> tuple[Any, Any]:
    from sklearn.datasets import fetch_20newsgroups
    from sklearn.feature_extraction.text import TfidfVectorizer

    posts = fetch_20newsgroups(
        data_home=data_home, subset="all", remove=("headers", "footers", "quotes")
    )
    # Words of fewer than five posts link almost nothing and are most of the vocabulary.
    vectorizer = TfidfVectorizer(min_df=5, stop_words="english", sublinear_tf=True)
    X = vectorizer.fit_transform(posts.data).astype(np.float32)
    return X, np.asarray(posts.target_names)[posts.target]


def _on_openml(title: str, data_id: int, names: str) -> Benchmark:
    setting = Setting().having(similarity="knn", n_neighbors=10, balance=1.0)
    where = f"https://www.openml.org/d/{data_id}"
    return Benchmark(title, where, partial(_openml, data_id), tuple(names), setting)


BENCHMARKS: dict[str, Benchmark] = {
    # OpenML numbers the digits of USPS from 1, and the letters of Isolet too.
    "usps": _on_openml("USPS", 41082, digits),
    "mnist": _on_openml("MNIST", 554, digits),
    "isolet": _on_openml("Isolet", 300, ascii_uppercase),
    "20news": Benchmark(
        "20 Newsgroups",
        "the mirror that scikit-learn's fetch_20newsgroups uses",
        _newsgroups,
        None,
        Setting().having(similarity="cosine", n_neighbors=7, balance=1.0),
    ),
}
