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

from mavr.arrays import Array
from mavr.commands.reading import data_sets
from mavr.graphs.graph import graph_of
from mavr.methods import METHODS
from mavr.settings import (
    Choice,
    Declared,
    Flag,
    GraphSpec,
    Parameters,
    Proportions,
    Setting,
    declarations,
    scale_parameters,
)
from mavr.solvers.solution import Solution

# Points of a file have no common width.
USUAL = Setting().having(similarity="local_scaling")


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
    parser.add_argument("--out", type=Path, metavar="CSV", help="default: standard output")
    add_setting(parser, USUAL)
    parser.set_defaults(run=run_command)


def run_command(arguments: argparse.Namespace) -> int:
    """Read, solve, write."""
    setting = read_setting(arguments, USUAL)
    X, Y, names = _read(arguments.file, arguments.label_column)
    graph = graph_of(setting.graph, X)
    solution = METHODS[arguments.method].run(graph, Y, setting.parameters)
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


def _read(path: Path, label_column: str | None) -> tuple[Any, Array, list[str]]:
    """X, one-hot labels Y : (n, c) with rows of zeros for the unlabelled, and class names."""
    datasets = data_sets()
    if path.suffix.lower() == ".npz":
        if label_column is not None:
            raise ValueError("--label-column is for CSV files; an NPZ file has its labels in y")
        data = datasets.from_npz(path)
    elif label_column is not None:
        content = _with_label_column(path.read_bytes(), label_column)
        data = datasets.from_csv(io.BytesIO(content), path.stem)
    else:
        data = datasets.from_csv(path)
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
    table = data_sets().tables.read_table(content)
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


# Options of the command line, derived from the declarations of `mavr.settings`.


def setting_declarations() -> dict[str, Declared]:
    """Everything of a `Setting` that one word can say, by name."""
    return declarations(GraphSpec) | scale_parameters() | declarations(Parameters)


def add_setting(parser: argparse.ArgumentParser, usual: Setting) -> None:
    """An option for each of them; what is not given is as in `usual`."""
    group = parser.add_argument_group("graph and parameters")
    for name, about in setting_declarations().items():
        how, values = _taken(about, name, usual)
        said = f"{about.label}. {about.help} ({values})".replace("%", "%%")
        group.add_argument("--" + name.replace("_", "-"), dest=name, help=said, **how)


def read_setting(arguments: argparse.Namespace, usual: Setting) -> Setting:
    """The setting that the options mean; ValueError says what is wrong with one."""
    values = {}
    for name, about in setting_declarations().items():
        given = getattr(arguments, name)
        if given is not None:
            values[name] = given if isinstance(about, Flag) else about.read(given)
    return usual.having(**values)


def _taken(about: Declared, name: str, usual: Setting) -> tuple[dict[str, Any], str]:
    """How the parser takes a value, and which ones there are, in words."""
    if isinstance(about, Flag):
        return {"action": "store_true", "default": None}, "default: no"
    if isinstance(about, Choice):
        values = f"{', '.join(about.options())}; default: {getattr(usual.graph, name)}"
        return {"metavar": "NAME"}, values
    default = f"default: {about.write(about.usual)}"
    if isinstance(about, Proportions):
        return {"metavar": "SHARES"}, f"equal, labels, or numbers as in 1:3:9; {default}"
    return {"metavar": "NUMBER"}, f"{about.range.replace('None', 'none')}; {default}"
