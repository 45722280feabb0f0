"""A user's CSV file as a data set.

Feature columns are numbers. The label column is one called label, class, klass, target or y, or
else the last column if it holds words. An empty label, or -1, is unlabelled. Several labels per
point take one column each, headed `label:name`, with 1 for has it, 0 or -1 for has it not, and
nothing where that is unknown.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from datasets.labels import natural_order, partly_known
from datasets.model import (
    MAX_LABELS,
    MAX_MAGNITUDE,
    UNKNOWN,
    DataError,
    Dataset,
    FloatArray,
    IntArray,
)
from datasets.tables import (
    MAX_CSV_BYTES,
    MAX_CSV_ROWS,
    Source,
    Table,
    read_bytes,
    read_table,
    short,
    shown,
    source_name,
)

MAX_CSV_CLASSES = 100
MIN_CSV_ROWS = 2
LABEL_NAMES = ("label", "class", "klass", "target")
# Also the name of a coordinate, so it counts only where no column is called x.
WEAK_LABEL_NAME = "y"
UNLABELLED = ("", "nan")
# How a spreadsheet or pandas heads the column of row numbers.
INDEX_NAMES = ("", "unnamed: 0")

NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?|[+-]?(nan|inf|infinity)", re.I | re.A)
DECIMAL_COMMA = re.compile(r"[+-]?\d*,\d+([eE][+-]?\d+)?", re.A)


def from_csv(source: Source, name: str | None = None) -> Dataset:
    """Read a table.

    Parameters
    ----------
    source : path, bytes or open file.
    name : name of the set; that of the file where not given.

    Returns
    -------
    Dataset
        The labels of the file are both its truth and given; y is None without any.

    Raises
    ------
    DataError
        If the file cannot be used; the message names the row and column at fault.
    """
    sheet = _sheet(read_table(read_bytes(source, MAX_CSV_BYTES)))
    notes: list[str] = []
    sets = label_set_columns(sheet.header)
    label = None if sets else _label_column(sheet, notes)
    features = [j for j in _feature_columns(sheet, label, notes) if j not in set(sets)]
    if not features:
        first = sheet.columns[label or 0][0]
        raise DataError(
            f"the file has no column of numbers, only labels such as {shown(first)}; a point needs "
            "at least one column of numbers, columns being separated by comma, semicolon or tab"
        )
    X = _points(sheet, features, notes)
    title = short(name or source_name(source, "CSV"))
    if sets:
        names, Y = _label_sets(sheet, sets)
        note = " ".join(notes)
        return Dataset(title, X, class_names=names, Y=Y, labelled=partly_known(Y), note=note)
    if label is None:
        return Dataset(title, X, note=" ".join(notes))
    y, names = _labels(sheet.columns[label])
    labelled = np.flatnonzero(y >= 0)
    notes.insert(0, f"Labelled points: {len(labelled)} of {len(y)}; classes: {len(names)}.")
    return Dataset(title, X, y if names else None, names, labelled=labelled, note=" ".join(notes))


@dataclass(frozen=True)
class Sheet:
    """A table by columns, its header apart; `numbers[i]` is the spreadsheet row of row i."""

    header: list[str] | None
    columns: list[list[str]]
    numbers: list[int]
    separator: str

    def where(self, i: int, j: int) -> str:
        """The place of a cell for a message."""
        title = f" ({shown(self.header[j])})" if self.header and self.header[j] else ""
        return f"row {self.numbers[i]}, column {j + 1}{title}"


def _sheet(table: Table) -> Sheet:
    first, rest = table.rows[0], table.rows[1:]
    named = any(cell.lower() in LABEL_NAMES for cell in first)
    # Words above numbers are names. A row with a number in it is data, perhaps with a typo.
    words = not any(_is_number(cell) for cell in first) and (
        not rest or any(_is_number(cell) for row in rest for cell in row)
    )
    headed = named or words
    rows, numbers = (rest, table.numbers[1:]) if headed else (table.rows, table.numbers)
    if len(rows) < MIN_CSV_ROWS:
        raise DataError(
            f"the file has too few rows of data ({len(rows)}); "
            f"give one row per point, at least {MIN_CSV_ROWS}"
        )
    if len(rows) > MAX_CSV_ROWS:
        raise DataError(f"the file has more than {MAX_CSV_ROWS:,} rows, the limit; keep fewer rows")
    columns = [list(column) for column in zip(*rows, strict=True)]
    return Sheet(first if headed else None, columns, numbers, table.separator)


def _points(sheet: Sheet, features: list[int], notes: list[str]) -> FloatArray:
    comma = sheet.separator != "," and any(
        DECIMAL_COMMA.fullmatch(cell) for j in features for cell in sheet.columns[j]
    )
    if comma:
        notes.append("Decimal commas were read as decimal points.")
    X = np.column_stack([_numbers(sheet, j, comma) for j in features])
    if X.shape[1] > 2:
        notes.append(
            f"{X.shape[1]} features; the picture shows the plane of largest variance (PCA)."
        )
    return X


def label_set_columns(header: list[str] | None) -> list[int]:
    """Columns that say of every point whether it has one label.

    >>> label_set_columns(["x", "label:red", "Label: blue"])
    [1, 2]
    """
    return [
        j for j, cell in enumerate(header or ()) if re.fullmatch(r"label\s*:\s*\S.*", cell, re.I)
    ]


def _label_sets(sheet: Sheet, sets: list[int]) -> tuple[tuple[str, ...], npt.NDArray[np.int8]]:
    """The names of the labels, and which point has which."""
    if len(sets) > MAX_LABELS:
        raise DataError(
            f"the file has {len(sets):,} label columns, more than the limit of {MAX_LABELS:,}; "
            "keep fewer"
        )
    titles = sheet.header or []
    names = tuple(short(titles[j].partition(":")[2].strip()) for j in sets)
    return names, np.column_stack([_label_set(sheet, j) for j in sets])


def _label_set(sheet: Sheet, j: int) -> npt.NDArray[np.int8]:
    known = {"1": 1, "0": 0, "-1": 0, "": UNKNOWN}
    words = ["" if cell.lower() in UNLABELLED else _label(cell) for cell in sheet.columns[j]]
    for i, word in enumerate(words):
        if word not in known:
            raise DataError(
                f"{sheet.where(i, j)}: {shown(sheet.columns[j][i])} says neither 1 (has the label) "
                "nor 0 (has it not); leave it empty where that is unknown"
            )
    return np.array([known[word] for word in words], dtype=np.int8)


def _label_column(sheet: Sheet, notes: list[str]) -> int | None:
    header, columns = sheet.header, sheet.columns
    if header is not None:
        names = [cell.lower() for cell in header]
        found = [j for j, name in enumerate(names) if name in LABEL_NAMES]
        if len(found) > 1:
            raise DataError(
                f"columns {found[0] + 1} ({shown(header[found[0]])}) and {found[1] + 1} "
                f"({shown(header[found[1]])}) could both be the labels; rename or remove one"
            )
        if found:
            return found[0]
        if WEAK_LABEL_NAME in names:
            if "x" not in names:
                return names.index(WEAK_LABEL_NAME)
            notes.append("The columns x and y were read as coordinates.")
    last = [cell for cell in columns[-1] if not _is_unlabelled(cell)]
    # Most, not any: a single typo in a column of numbers must not turn it into labels.
    if sum(not _is_number(cell) for cell in last) > len(last) / 2:
        return len(columns) - 1
    return None


def _feature_columns(sheet: Sheet, label: int | None, notes: list[str]) -> list[int]:
    header, columns = sheet.header, sheet.columns
    features = [j for j in range(len(columns)) if j != label]
    if features and not any(columns[features[-1]]) and not (header and header[features[-1]]):
        features.pop()  # a separator at the end of every line
    if (
        header is not None
        and len(features) > 1
        and features[0] == 0
        and header[0].lower() in INDEX_NAMES
        and _counts_rows(columns[0])
    ):
        notes.append("The first column numbers the rows and was left out.")
        features.pop(0)
    return features


def _counts_rows(column: list[str]) -> bool:
    return any(column == [str(i) for i in range(start, start + len(column))] for start in (0, 1))


def _numbers(sheet: Sheet, j: int, comma: bool) -> FloatArray:
    column = sheet.columns[j]
    cells = [cell.replace(",", ".") for cell in column] if comma else column
    bad = [i for i, cell in enumerate(cells) if not NUMBER.fullmatch(cell)]
    if bad:
        raise DataError(_no_number(sheet, bad[0], j, alone=len(bad) <= len(cells) / 2))
    values = np.array(cells, dtype=np.float64)
    (beyond,) = np.nonzero(~(np.abs(values) <= MAX_MAGNITUDE))  # also catches NaN
    if len(beyond):
        i = int(beyond[0])
        raise DataError(
            f"{sheet.where(i, j)}: {shown(column[i])} is not a finite number below "
            f"{MAX_MAGNITUDE:g}; correct it or delete the row"
        )
    return values


def _no_number(sheet: Sheet, i: int, j: int, alone: bool) -> str:
    """What to say of a cell that is no number; alone : most cells of its column are."""
    cell = sheet.columns[j][i]
    problem = f"{shown(cell)} is not a number" if cell else "the cell is empty"
    remedy = ("write one such as 1200.5" if cell else "fill it in") + " or delete the row"
    if not alone:
        problem += ", like most of this column"
        remedy = (
            "write numbers such as 1200.5, without units, or remove the column, or call it label "
            "if it holds the classes"
        )
    return f"{sheet.where(i, j)}: {problem}; {remedy}"


def _labels(column: list[str]) -> tuple[IntArray, tuple[str, ...]]:
    words = ["" if _is_unlabelled(cell) else _label(cell) for cell in column]
    names = natural_order(set(words) - {""})
    if len(names) > MAX_CSV_CLASSES:
        raise DataError(
            f"the label column holds {len(names):,} different labels, more than the limit of "
            f"{MAX_CSV_CLASSES}; {shown(names[0])} and {shown(names[1])} are two of them. "
            "If the column is no label, rename or remove it"
        )
    index = {name: j for j, name in enumerate(names)} | {"": UNKNOWN}
    return np.array([index[word] for word in words], dtype=np.int64), tuple(map(short, names))


def _is_unlabelled(cell: str) -> bool:
    return cell.lower() in UNLABELLED or _label(cell) == str(UNKNOWN)


def _label(cell: str) -> str:
    """The label as written; whole numbers without a fraction, so that 1 and 1.0 are one class."""
    if not NUMBER.fullmatch(cell):
        return cell
    value = float(cell)
    return str(int(value)) if abs(value) < 2**53 and value == int(value) else cell


def _is_number(cell: str) -> bool:
    return bool(NUMBER.fullmatch(cell) or DECIMAL_COMMA.fullmatch(cell))
