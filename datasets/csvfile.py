"""A user's CSV file as a data set.

Feature columns are numbers. The label column is one called label, class, klass, target or y, or
else the last column if it holds words. An empty label, or -1, is unlabelled. Several labels per
point take one column each, headed `label:name`, with 1 for has it, 0 or -1 for has it not, and
nothing where that is unknown.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from datasets.model import MAX_LABELS, UNKNOWN, DataError, Dataset, FloatArray, IntArray
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
# Beyond this the square of a distance between two points overflows.
MAX_MAGNITUDE = 1e150
LABEL_NAMES = ("label", "class", "klass", "target")
# Also the name of a coordinate, so it counts only where no column is called x.
WEAK_LABEL_NAME = "y"
UNLABELLED = ("", "nan")
# How a spreadsheet or pandas heads the column of row numbers.
INDEX_NAMES = ("", "unnamed: 0")

NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?|[+-]?(nan|inf|infinity)", re.I | re.A)
DECIMAL_COMMA = re.compile(r"[+-]?\d*,\d+([eE][+-]?\d+)?", re.A)


def from_csv(source: Source, name: str | None = None) -> Dataset:
    """Read a path, bytes or an open file; a `DataError` names the row and column at fault."""
    table = read_table(read_bytes(source, MAX_CSV_BYTES))
    header, rows, numbers = _split_header(table)
    notes: list[str] = []
    if len(rows) < MIN_CSV_ROWS:
        raise DataError(
            f"the file has too few rows of data ({len(rows)}); "
            f"give one row per point, at least {MIN_CSV_ROWS}"
        )
    if len(rows) > MAX_CSV_ROWS:
        raise DataError(f"the file has more than {MAX_CSV_ROWS:,} rows, the limit; keep fewer rows")
    columns = [[row[j] for row in rows] for j in range(len(rows[0]))]
    sets = label_set_columns(header)
    if header is not None and sets:
        return _with_label_sets(source, name, table, header, columns, sets, numbers)
    label = _label_column(header, columns, notes)
    features = _feature_columns(header, columns, label, notes)
    if not features:
        raise DataError(
            "no feature column is left beside the labels; add at least one column of numbers, "
            "columns being separated by comma, semicolon or tab"
        )
    comma = table.separator != "," and _decimal_commas([columns[j] for j in features])
    if comma:
        notes.append("Decimal commas were read as decimal points.")
    X = np.column_stack([_numbers(columns[j], j, numbers, header, comma) for j in features])
    y, names = _labels(columns[label]) if label is not None else (None, ())
    labelled = np.empty(0, dtype=np.int64) if y is None else np.flatnonzero(y >= 0)
    if y is not None:
        notes.append(f"Labelled points: {len(labelled)} of {len(y)}; classes: {len(names)}.")
    if X.shape[1] > 2:
        notes.append(
            f"{X.shape[1]} features; the picture shows the plane of largest variance (PCA)."
        )
    title = short(name or source_name(source, "CSV"))
    return Dataset(title, X, y if names else None, names, labelled=labelled, note=" ".join(notes))


def _with_label_sets(
    source: Source,
    name: str | None,
    table: Table,
    header: list[str],
    columns: list[list[str]],
    sets: list[int],
    numbers: list[int],
) -> Dataset:
    notes: list[str] = []
    if len(sets) > MAX_LABELS:
        raise DataError(
            f"the file has {len(sets):,} label columns, more than the limit of {MAX_LABELS:,}; "
            "keep fewer"
        )
    features = [j for j in _feature_columns(header, columns, None, notes) if j not in set(sets)]
    if not features:
        raise DataError(
            "no feature column is left beside the label columns; add at least one column of numbers"
        )
    comma = table.separator != "," and _decimal_commas([columns[j] for j in features])
    X = np.column_stack([_numbers(columns[j], j, numbers, header, comma) for j in features])
    Y = np.column_stack([_label_set(columns[j], j, numbers, header) for j in sets])
    names = tuple(short(header[j].partition(":")[2].strip()) for j in sets)
    if X.shape[1] > 2:
        notes.append(
            f"{X.shape[1]} features; the picture shows the plane of largest variance (PCA)."
        )
    title = short(name or source_name(source, "CSV"))
    return Dataset(title, X, class_names=names, Y=Y, labelled=partly_known(Y), note=" ".join(notes))


def label_set_columns(header: list[str] | None) -> list[int]:
    """Columns that say of every point whether it has one label.

    >>> label_set_columns(["x", "label:red", "Label: blue"])
    [1, 2]
    """
    return [
        j for j, cell in enumerate(header or ()) if re.fullmatch(r"label\s*:\s*\S.*", cell, re.I)
    ]


def _label_set(
    column: list[str], j: int, numbers: list[int], header: list[str]
) -> npt.NDArray[np.int8]:
    known = {"1": 1, "0": 0, "-1": 0, "": UNKNOWN}
    words = ["" if cell.lower() in UNLABELLED else _label(cell) for cell in column]
    for word, written, number in zip(words, column, numbers, strict=True):
        if word not in known:
            raise DataError(
                f"{_where(number, j, header)}: {shown(written)} says neither 1 (has the label) nor "
                "0 (has it not); leave it empty where that is unknown"
            )
    return np.array([known[word] for word in words], dtype=np.int8)


def partly_known(Y: npt.NDArray[np.int8]) -> IntArray:
    """Points to take as labelled: those that say something, if not all is known."""
    some = (Y != UNKNOWN).any(axis=1) & bool((Y == UNKNOWN).any())
    return np.flatnonzero(some)


def _split_header(table: Table) -> tuple[list[str] | None, list[list[str]], list[int]]:
    first, rest = table.rows[0], table.rows[1:]
    named = any(cell.lower() in LABEL_NAMES for cell in first)
    # Words above numbers are names. A row with a number in it is data, perhaps with a typo.
    words = not any(_is_number(cell) for cell in first) and (
        not rest or any(_is_number(cell) for row in rest for cell in row)
    )
    if named or words:
        return first, rest, table.numbers[1:]
    return None, table.rows, table.numbers


def _label_column(
    header: list[str] | None, columns: list[list[str]], notes: list[str]
) -> int | None:
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


def _feature_columns(
    header: list[str] | None, columns: list[list[str]], label: int | None, notes: list[str]
) -> list[int]:
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


def _decimal_commas(columns: list[list[str]]) -> bool:
    return any(DECIMAL_COMMA.fullmatch(cell) for column in columns for cell in column)


def _numbers(
    column: list[str], j: int, numbers: list[int], header: list[str] | None, comma: bool
) -> FloatArray:
    cells = [cell.replace(",", ".") for cell in column] if comma else column
    for cell, written, number in zip(cells, column, numbers, strict=True):
        if not NUMBER.fullmatch(cell):
            problem = f"{shown(written)} is not a number" if cell else "the cell is empty"
            remedy = "write a number" if cell else "fill it in or delete the row"
            raise DataError(f"{_where(number, j, header)}: {problem}; {remedy}")
    values = np.array(cells, dtype=np.float64)
    bad = np.flatnonzero(~(np.abs(values) <= MAX_MAGNITUDE))  # also catches NaN
    if len(bad):
        i = bad[0]
        raise DataError(
            f"{_where(numbers[i], j, header)}: {shown(column[i])} is not a finite number below "
            f"{MAX_MAGNITUDE:g}; correct it or delete the row"
        )
    return values


def _where(number: int, j: int, header: list[str] | None) -> str:
    title = f" ({shown(header[j])})" if header and header[j] else ""
    return f"row {number}, column {j + 1}{title}"


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


def natural_order(words: Sequence[str] | set[str]) -> list[str]:
    """Sorted with numbers in the words by value.

    >>> natural_order({"class 10", "class 9", "Class 1"})
    ['Class 1', 'class 9', 'class 10']
    """

    def key(word: str) -> tuple[list[tuple[int, int, str]], str]:
        parts = re.findall(r"\d+|\D+", word, re.A)
        # Digits come before letters; a very long run of digits is compared by its length first.
        ranked = [
            (0, len(part.lstrip("0")), part.lstrip("0"))
            if part[0] in "0123456789"
            else (1, 0, part.casefold())
            for part in parts
        ]
        return ranked, word

    return sorted(words, key=key)
