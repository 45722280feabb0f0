"""From an uploaded file to a rectangular table of strings, or an error that says which cell.

Rows and columns are numbered from 1 as a spreadsheet shows them, the header being row 1.
"""

from __future__ import annotations

import csv
import os
import re
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

from datasets.model import DataError

MAX_CSV_BYTES = 50_000_000
MAX_CSV_ROWS = 200_000
MAX_CSV_COLUMNS = 2_000
# 9,298 digits of 256 pixels fit. So many cells take about 5 seconds and 0.4 GB.
MAX_CSV_CELLS = 2_500_000
# A sheet that was exported to its last row has 1,048,576, most of them blank.
MAX_CSV_LINES = 1_100_000
# Separators by preference, where a file would fit several equally well.
SEPARATORS = {"\t": "tab", ";": "semicolon", ",": "comma"}
# The part of the file that decides on the separator.
SNIFFED_LINES = 50
SNIFFED_CHARACTERS = 200_000
SHOWN_CHARACTERS = 40
NAME_CHARACTERS = 100
# How a file begins that is no table, and what it is.
NO_TABLE = {
    b"pk\x03\x04": "an Excel workbook or another zip archive",
    b"\xd0\xcf\x11\xe0": "an Excel workbook of an old version",
    b"\x1f\x8b": "packed by gzip",
    b"\x89png": "a picture",
    b"%pdf": "a PDF document",
    b"<!doctype": "a web page",
    b"<html": "a web page",
    b"<?xml": "XML",
    b"{": "JSON",
}
# A line, with its end; as a pattern it is found without a copy of the text.
LINE = re.compile(r"[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+")

Source = str | os.PathLike[str] | bytes | bytearray | memoryview | IO[Any]


@dataclass(frozen=True)
class Table:
    """Cells without surrounding blanks; `numbers[i]` is the spreadsheet row of `rows[i]`."""

    rows: list[list[str]]
    numbers: list[int]
    separator: str


def read_bytes(source: Source, limit: int) -> bytes:
    """Content of a path, of bytes or of an open file; refuses more than `limit` bytes."""
    if isinstance(source, bytes | bytearray | memoryview):
        content = bytes(source)
    elif isinstance(source, str | os.PathLike):
        with open_path(source) as file:
            content = file.read(limit + 1)
    else:
        raw = source.read(limit + 1)
        content = raw.encode("utf-8", "surrogateescape") if isinstance(raw, str) else bytes(raw)
    if len(content) > limit:
        raise DataError(
            f"the file has more than {limit:,} bytes, the limit; keep fewer rows or columns"
        )
    return content


def open_path(source: str | os.PathLike[str]) -> IO[bytes]:
    """A file to read bytes from; a `DataError` says why it cannot be opened."""
    path = Path(source)
    try:
        return path.open("rb")
    except (OSError, ValueError) as error:  # ValueError: a NUL in the path
        reason = getattr(error, "strerror", None) or str(error)
        raise DataError(f"cannot read {str(path)!r}: {reason}; check the path") from error


def source_name(source: Source, default: str) -> str:
    """Name of the file without folder and ending, `default` where it has none."""
    if isinstance(source, str | os.PathLike):
        return Path(source).stem or default
    name = getattr(source, "name", None)
    return Path(name).stem or default if isinstance(name, str) else default


def read_table(content: bytes) -> Table:
    """Every row that is not blank.

    A `DataError` says that the content is no text, too large, or its rows differ in length.
    """
    text = _decode(content)
    separator = _sniff(text)
    rows: list[list[str]] = []
    numbers: list[int] = []
    number = cells = 0
    lines = Lines(text, separator)
    try:
        for number, row in enumerate(csv.reader(lines, delimiter=separator, strict=True), start=1):
            lines.unread = 0
            # Rows left blank, or of separators alone, end many exported sheets.
            if any(row) and any(row := [cell.strip() for cell in row]):
                cells += len(row)
                _check_size(row, number, len(rows), cells)
                rows.append(row)
                numbers.append(number)
    except csv.Error as error:
        raise DataError(
            f"row {number + 1} cannot be read: {error}; look for a quotation mark that is not "
            "closed, or remove the quotation marks"
        ) from error
    if not rows:
        raise DataError("the file is empty; it needs one row per point, one column per feature")
    _check_lengths(rows, numbers, separator)
    return Table(rows, numbers, separator)


class Lines:
    """Lines of a text for csv.reader, with a bound on what makes one row.

    The reader hands a row over when it is complete; a hostile one would fill the memory before.
    """

    def __init__(self, text: str, separator: str) -> None:
        self.lines = LINE.finditer(text)
        self.separator = separator
        self.number = 0
        # Separators since the last complete row, those in quotation marks included.
        self.unread = 0

    def __iter__(self) -> Lines:
        return self

    def __next__(self) -> str:
        line = next(self.lines).group()
        self.number += 1
        self.unread += line.count(self.separator)
        if self.unread > MAX_CSV_COLUMNS + csv.field_size_limit():
            raise DataError(
                f"line {self.number} has {self.unread + 1:,} columns, more than the limit of "
                f"{MAX_CSV_COLUMNS:,}; keep fewer features"
            )
        if self.number > MAX_CSV_LINES:
            raise DataError(f"the file has more than {MAX_CSV_LINES:,} lines; remove blank ones")
        return line


def short(value: str, most: int = NAME_CHARACTERS) -> str:
    """The value, cut if it is long.

    >>> short("abcdef", 3)
    'abc…'
    """
    return value[:most] + ("…" if len(value) > most else "")


def shown(value: str) -> str:
    """A cell for a message: in quotation marks, on one line, cut if it is long."""
    return repr(short(value, SHOWN_CHARACTERS))


def brief(value: object) -> str:
    """What a library said about a file for a message: one line, not long."""
    return short(" ".join(str(value)[:1000].split()), 100) or type(value).__name__


def _decode(content: bytes) -> str:
    start = content[:64].removeprefix(b"\xef\xbb\xbf").lstrip().lower()
    for sign, what in NO_TABLE.items():
        if start.startswith(sign):
            raise DataError(
                f"the file is {what}, not CSV; save its table as 'CSV UTF-8' and load that. "
                "A NumPy archive needs the ending .npz"
            )
    if content.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise DataError("the file is encoded as UTF-16; save it as 'CSV UTF-8'")
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        # Positions count from after the byte-order mark, which holds no line end or separator.
        where = _position(error.object, error.start)
        value = error.object[error.start : error.start + 1]
        raise DataError(
            f"{where}: the byte 0x{value.hex()} is not UTF-8 text; "
            "save the file as 'CSV UTF-8' (if it is a text file at all)"
        ) from error
    if "\x00" in text:
        where = _position(content, content.index(b"\x00"))
        raise DataError(
            f"{where}: a NUL byte, so this is a binary file, not CSV; export it as 'CSV UTF-8'"
        )
    return text


def _position(content: bytes, offset: int) -> str:
    before = content[:offset].replace(b"\r\n", b"\n").replace(b"\r", b"\n")
    line = before.rpartition(b"\n")[2]
    separator = _sniff(content[:offset].decode("latin-1")).encode()
    row, column = before.count(b"\n") + 1, line.count(separator) + 1
    return f"row {row}, column {column}"


def _sniff(text: str) -> str:
    """The separator that cuts the first lines into the same number of cells, of most cells."""
    start = text[:SNIFFED_CHARACTERS].splitlines()
    lines = [line for line in start if line.strip()][:SNIFFED_LINES]
    if not lines:
        return ","

    def fit(separator: str) -> tuple[bool, float]:
        # What stands in quotation marks does not separate.
        counts = ["".join(line.split('"')[::2]).count(separator) for line in lines]
        regular = sum(count == counts[0] for count in counts) / len(counts)
        return counts[0] > 0, regular

    # max() keeps the first of equals: decimal commas are as regular as the semicolons between.
    return max(SEPARATORS, key=fit)


def _check_size(row: list[str], number: int, n_rows: int, cells: int) -> None:
    if len(row) > MAX_CSV_COLUMNS:
        raise DataError(
            f"row {number} has {len(row):,} columns, more than the limit of {MAX_CSV_COLUMNS:,}; "
            "keep fewer features"
        )
    if cells > MAX_CSV_CELLS:
        raise DataError(
            f"the file has more than {MAX_CSV_CELLS:,} cells, the limit; keep fewer rows or "
            "columns, or store it as .npz"
        )
    if n_rows > MAX_CSV_ROWS:  # one more than the limit is allowed here, for a header
        raise DataError(f"the file has more than {MAX_CSV_ROWS:,} rows, the limit; keep fewer rows")


def _check_lengths(rows: list[list[str]], numbers: list[int], separator: str) -> None:
    width = len(rows[0])
    for row, number in zip(rows, numbers, strict=True):
        if len(row) != width:
            raise DataError(
                f"row {number} has another number of columns ({len(row)}) than row {numbers[0]} "
                f"({width}); its first value is {shown(row[0])}. Every row needs the same number "
                f"of values, separated by {SEPARATORS[separator]}s"
            )
