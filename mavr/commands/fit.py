"""`python -m mavr fit FILE`: classes for the unlabelled rows of a CSV or NPZ file.

The output has one row per input row: its predicted class (empty where no label reaches it), whether
it is a tie or unreached, and the response of every class.
"""

from __future__ import annotations

import argparse
import csv
import io
import sys
from pathlib import Path
from typing import Any, TextIO

import numpy as np
import numpy.typing as npt

from mavr.graphs.graph import Graph
from mavr.graphs.laplacians import KINDS
from mavr.graphs.similarities import similarity
from mavr.methods import METHODS
from mavr.settings import SIMILARITIES, Parameters
from mavr.solvers.solution import Solution

# The methods with a free P need it from somewhere; here the classes are unrelated.
DEFAULT_SIMILARITY = "local_scaling"


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """`fit` with its options."""
    parser = subparsers.add_parser(
        "fit",
        help="predict the unlabelled rows of a file",
        description="Predict the unlabelled rows (label empty or -1) of a CSV or NPZ file.",
    )
    parser.add_argument("file", type=Path, help="CSV with a label column, or NPZ with X and y")
    parser.add_argument("--label-column", metavar="NAME", help="default: label, class, target or y")
    parser.add_argument("--method", choices=sorted(METHODS), default="mavr")
    parser.add_argument("--similarity", choices=sorted(SIMILARITIES), default=DEFAULT_SIMILARITY)
    parser.add_argument("--sigma", type=float, default=0.5, help="of the Gaussian (default: 0.5)")
    parser.add_argument("--n-neighbors", type=int, default=7, help="of the others (default: 7)")
    parser.add_argument("--laplacian", choices=KINDS, default="normalized")
    parser.add_argument("--gamma", type=float, default=99.0, help="weight of the volume term")
    parser.add_argument(
        "--tau",
        type=float,
        default=1.0,
        help="norm of the responses over the root of the number of labels",
    )
    parser.add_argument("--balance", type=float, default=0.0, help="weight of the class balance")
    parser.add_argument("--out", type=Path, metavar="CSV", help="default: standard output")
    parser.set_defaults(run=run_command)


def run_command(arguments: argparse.Namespace) -> int:
    """Read, solve, write."""
    X, Y, names = _read(arguments.file, arguments.label_column)
    W = similarity(
        arguments.similarity, X, sigma=arguments.sigma, n_neighbors=arguments.n_neighbors
    )
    parameters = Parameters(gamma=arguments.gamma, tau=arguments.tau, balance=arguments.balance)
    solution = METHODS[arguments.method].run(Graph(W, arguments.laplacian), Y, parameters)
    if arguments.out is None:
        _write(sys.stdout, solution, names)
    else:
        with arguments.out.open("w", encoding="utf-8", newline="") as stream:
            _write(stream, solution, names)
    labelled = int(Y.any(axis=1).sum())
    print(
        f"{len(Y)} rows, {labelled} labelled, {len(names)} classes; {int(solution.ties.sum())} "
        f"ties, {int(solution.unreached.sum())} unreached. {solution.status.value}",
        file=sys.stderr,
    )
    return 0


def _read(path: Path, label_column: str | None) -> tuple[Any, npt.NDArray[np.float64], list[str]]:
    """X, one-hot labels Y : (n, c) with rows of zeros for the unlabelled, and class names."""
    # The library itself reads no files; only this command needs the reader.
    from datasets import from_csv, from_npz

    if path.suffix.lower() == ".npz":
        if label_column is not None:
            raise ValueError("--label-column is for CSV files; an NPZ file has its labels in y")
        data = from_npz(path)
    elif label_column is not None:
        data = from_csv(io.BytesIO(_with_label_column(path.read_bytes(), label_column)), path.stem)
    else:
        data = from_csv(path)
    if data.y is None:
        raise ValueError(
            f"{path.name} has no labels, one class a row; name the column with --label-column"
        )
    if not (data.y >= 0).any():
        raise ValueError(f"{path.name} has no labelled row; give at least one row a class")
    Y = (data.y[:, None] == np.arange(len(data.class_names))).astype(float)
    return data.X, Y, list(data.class_names)


def _with_label_column(content: bytes, wanted: str) -> bytes:
    """The same CSV, with that column, and no other, called label."""
    from datasets.tables import read_table

    table = read_table(content)
    header = table.rows[0]
    if wanted not in header:
        raise ValueError(f"no column is called {wanted!r}; the columns are {', '.join(header)}")
    place = header.index(wanted)
    renamed = ["label" if j == place else f"feature_{j}" for j in range(len(header))]
    stream = io.StringIO(newline="")
    csv.writer(stream, delimiter=table.separator).writerows([renamed, *table.rows[1:]])
    return stream.getvalue().encode()


def _write(stream: TextIO, solution: Solution, names: list[str]) -> None:
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerow(["row", "class", "tie", "unreached", *(f"response_{name}" for name in names)])
    for i, label in enumerate(solution.labels):
        flags = [int(solution.ties[i]), int(solution.unreached[i])]
        name = names[label] if label >= 0 else ""
        writer.writerow([i, name, *flags, *(f"{h:.17g}" for h in solution.H[i])])
