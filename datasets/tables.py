"""From an uploaded file to a rectangular table of strings, or an error that says which cell.

Rows and columns are numbered from 1 as a spreadsheet shows them, the header being row 1.
"""

from __future__ import annotations

import csv
import io
import os
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

from datasets.model import DataError

MAX_CSV_BYTES = 50_000_000
MAX_CSV_ROWS = 50_000
MAX_CSV_COLUMNS = 2_000
# Separators by preference, where a file would fit several equally well.
SEPARATORS = {"\t": "tab", ";": "semicolon", ",": "comma"}
# The part of the file that decides on the separator.
SNIFFED_LINES = 50
SNIFFED_CHARACTERS = 200_000
SHOWN_CHARACTERS = 40

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
        content = _read_path(Path(source), limit)
    else:
        raw = source.read(limit + 1)
        content = raw.encode("utf-8", "surrogateescape") if isinstance(raw, str) else bytes(raw)
    if len(content) > limit:
        raise DataError(
            f"the file has more than {limit:,} bytes, the limit; keep fewer rows or columns"
        )
    return content


def _read_path(path: Path, limit: int) -> bytes:
    try:
        with path.open("rb") as file:
            return file.read(limit + 1)
    except (OSError, ValueError) as error:  # ValueError: a NUL in the path
        reason = getattr(error, "strerror", None) or str(error)
        raise DataError(f"cannot read {str(path)!r}: {reason}; check the path") from error


def source_name(source: Source, default: str) -> str:
    """Name of the file without folder and ending."""
    if isinstance(source, str | os.PathLike):
        return Path(source).stem or default
    name = getattr(source, "name", None)
    return Path(name).stem or default if isinstance(name, str) else default


def read_table(content: bytes) -> Table:
    """Every row that is not blank, all of the same length."""
    text = _decode(content)
    separator = _sniff(text)
    rows: list[list[str]] = []
    numbers: list[int] = []
    number = 0
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=separator, strict=True)
    try:
        for number, cells in enumerate(reader, start=1):
            row = [cell.strip() for cell in cells]
            if any(row):  # rows left blank, or of separators alone, end many exported sheets
                _check_size(row, number, len(rows))
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


def shown(value: str) -> str:
    """The value for a message, cut if it is long."""
    cut = len(value) > SHOWN_CHARACTERS
    return repr(value[:SHOWN_CHARACTERS] + ("…" if cut else ""))


def _decode(content: bytes) -> str:
    if content.startswith(b"PK\x03\x04"):
        raise DataError(
            "the file is an Excel workbook or another zip archive, not CSV; save the sheet as "
            "'CSV UTF-8' and load that"
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
        counts = [_unquoted(line).count(separator) for line in lines]
        regular = sum(count == counts[0] for count in counts) / len(counts)
        return counts[0] > 0, regular

    # max() keeps the first of equals: decimal commas are as regular as the semicolons between.
    return max(SEPARATORS, key=fit)


def _unquoted(line: str) -> str:
    """The line without what stands in quotation marks."""
    return "".join(line.split('"')[::2])


def _check_size(row: list[str], number: int, n_rows: int) -> None:
    if len(row) > MAX_CSV_COLUMNS:
        raise DataError(
            f"row {number} has {len(row):,} columns, more than the limit of {MAX_CSV_COLUMNS:,}; "
            "keep fewer features"
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
