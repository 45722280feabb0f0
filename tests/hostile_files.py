"""Files that are small and do much damage, or are as large as the limits allow.

Each is a function from a folder to the path of its file. `python -m tests.hostile_files FILE...`
reads them, draws their points, and prints how long each took, what came of it, and the most memory
that the process ever had.
"""

from __future__ import annotations

import io
import json
import resource
import struct
import sys
import time
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

Make = Callable[[Path], Path]
REFUSED: list[Make] = []
LARGE: list[Make] = []
TABLES: list[Make] = []
BLOCK = 1 << 20


def kept(group: list[Make]) -> Callable[[Make], Make]:
    def keep(make: Make) -> Make:
        group.append(make)
        return make

    return keep


# Archives in memory


def packed(how: int = zipfile.ZIP_DEFLATED, **members: bytes) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", how) as target:
        for name, content in members.items():
            target.writestr(f"{name}.npy", content)
    return file.getvalue()


def array(header: bytes, body: bytes = b"", version: int = 1) -> bytes:
    size = struct.pack("<H" if version == 1 else "<I", len(header))
    return b"\x93NUMPY" + bytes([version, 0]) + size + header + body


def saved(**arrays: object) -> bytes:
    file = io.BytesIO()
    np.savez_compressed(file, **{key: np.asarray(value) for key, value in arrays.items()})
    return file.getvalue()


def plain(shape: str, descr: str = "<f8") -> bytes:
    return f"{{'descr': '{descr}', 'fortran_order': False, 'shape': {shape}, }}\n".encode()


# Archives on disk


def repeated(archive: zipfile.ZipFile, name: str, shape: tuple[int, ...], value: Any) -> None:
    """An array of one value over and over, never in memory as a whole."""
    value = np.asarray(value)
    count, step = int(np.prod(shape)), max(BLOCK // value.dtype.itemsize, 1)
    block = np.full(step, value).tobytes()
    with archive.open(f"{name}.npy", "w") as file:
        file.write(array(plain(str(shape), value.dtype.str)))
        for _ in range(count // step):
            file.write(block)
        file.write(block[: count % step * value.dtype.itemsize])


def repeated_in(path: Path, **arrays: tuple[tuple[int, ...], Any]) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
        for name, (shape, value) in arrays.items():
            repeated(archive, name, shape, value)
    return path


def saved_in(path: Path, **arrays: Any) -> Path:
    np.savez_compressed(path, **arrays)
    return path


def text(path: Path, *parts: str) -> Path:
    with path.open("w", newline="", encoding="utf-8") as file:
        file.writelines(parts)
    return path


# Archives that must be refused


@kept(REFUSED)
def zeros_of_a_gigabyte(folder: Path) -> Path:
    return repeated_in(folder / "zeros.npz", X=((333_000_000, 3), np.uint8(0)))


@kept(REFUSED)
def sparse_and_very_wide(folder: Path) -> Path:
    parts = {"data": np.ones(5), "indices": np.arange(5), "indptr": np.arange(6)}
    return saved_in(folder / "wide.npz", format=b"csr", shape=np.array([5, 10**7]), **parts)


@kept(REFUSED)
def sparse_and_very_tall(folder: Path) -> Path:
    parts = {"data": np.ones(1), "indices": np.zeros(1, int), "indptr": np.arange(2)}
    return saved_in(folder / "tall.npz", format=b"csr", shape=np.array([10**15, 2]), **parts)


@kept(REFUSED)
def a_million_columns(folder: Path) -> Path:
    return repeated_in(folder / "columns.npz", X=((3, 1_000_000), np.float64(1)))


@kept(REFUSED)
def very_long_words(folder: Path) -> Path:
    return repeated_in(folder / "words.npz", X=((3, 3), 1.0), y=((3,), np.array("a" * 30_000_000)))


@kept(REFUSED)
def a_bomb_packed_with_bzip2(folder: Path) -> Path:
    path = folder / "bzip2.npz"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_BZIP2) as archive:
        repeated(archive, "X", (50_000_000, 1), np.uint8(0))
    return path


@kept(REFUSED)
def an_archive_of_many_files(folder: Path) -> Path:
    path = folder / "many.npz"
    with zipfile.ZipFile(path, "w") as archive:
        for i in range(20_000):
            archive.writestr(f"{i}.npy", b"")
    return path


# Archives as large as they may be


@kept(LARGE)
def as_many_values_as_there_may_be(folder: Path) -> Path:
    return repeated_in(folder / "most.npz", X=((56_000, 1_000), np.float64(1)))


@kept(LARGE)
def as_many_whole_numbers_as_there_may_be(folder: Path) -> Path:
    return repeated_in(folder / "whole.npz", X=((200_000, 280), np.int64(7)))


@kept(LARGE)
def square_of_5000(folder: Path) -> Path:
    X = np.random.default_rng(0).integers(0, 255, (5000, 5000), dtype=np.uint8)
    path = folder / "square.npz"
    np.savez(path, X=X)
    return path


@kept(LARGE)
def many_points(folder: Path) -> Path:
    return saved_in(folder / "points.npz", X=np.random.default_rng(0).normal(size=(100_000, 3)))


@kept(LARGE)
def as_sparse_as_it_may_be(folder: Path) -> Path:
    rng = np.random.default_rng(0)
    rows, each = 200_000, 50
    # Increasing inside each row, as CSR asks for.
    steps = rng.integers(1, 6_000, (rows, each)).cumsum(axis=1).astype(np.int32)
    parts = {"data": np.ones(rows * each), "indices": steps.ravel()}
    indptr = np.arange(0, rows * each + 1, each)
    path = folder / "sparse.npz"
    np.savez(path, shape=np.array([rows, 300_000]), indptr=indptr, **parts)
    return path


@kept(LARGE)
def as_many_label_sets_as_there_may_be(folder: Path) -> Path:
    return repeated_in(
        folder / "sets.npz", X=((64_000, 2), np.float64(1)), Y=((64_000, 1_000), np.int8(1))
    )


@kept(LARGE)
def words_as_labels(folder: Path) -> Path:
    n = 190_000
    y = np.array([f"{'long' * 19}{i % 900:04}" for i in range(n)])
    return saved_in(folder / "labels.npz", X=np.ones((n, 2)), y=y)


# Tables


@kept(TABLES)
def blank_lines(folder: Path) -> Path:
    return text(folder / "blank.csv", "\n" * 50_000_000)


@kept(TABLES)
def separators_on_one_line(folder: Path) -> Path:
    return text(folder / "line.csv", "," * 50_000_000)


@kept(TABLES)
def separators_on_many_lines(folder: Path) -> Path:
    return text(folder / "lines.csv", ("," * 1999 + "\n") * 25_000)


@kept(TABLES)
def one_row_over_many_lines(folder: Path) -> Path:
    return text(
        folder / "row.csv", '1,2\n,"', '",,,,,,,,,,,,,,,,,,,,\n,,,,,,,,,,,,,"\n' * 1_000_000
    )


@kept(TABLES)
def a_quotation_mark_that_stays_open(folder: Path) -> Path:
    return text(folder / "quote.csv", '1,2\n"3,4\n', "5,6\n" * 10_000_000)


@kept(TABLES)
def as_many_cells_as_there_may_be(folder: Path) -> Path:
    row = ",".join(f"{i}.5e-3" for i in range(49))
    return text(folder / "cells.csv", f"{row},a\n" * 25_000, f"{row},b\n" * 25_000)


@kept(TABLES)
def words_where_numbers_should_be(folder: Path) -> Path:
    return text(folder / "words.csv", ",".join(["word"] * 50) + "\n", ("a," * 49 + "b\n") * 49_000)


@kept(TABLES)
def numbers_of_very_many_digits(folder: Path) -> Path:
    return text(folder / "digits.csv", ("9" * 130_000 + ",1\n") * 380)


@kept(TABLES)
def as_many_label_columns_as_there_may_be(folder: Path) -> Path:
    names = ",".join(f"label:{i}" for i in range(1000))
    return text(folder / "sets.csv", f"x,{names}\n", ("1" + ",0" * 1000 + "\n") * 2_400)


@kept(TABLES)
def characters_of_four_bytes(folder: Path) -> Path:
    return text(folder / "emoji.csv", "😀,😀\n" * 4_900_000)


def outcome(path: Path) -> str:
    """What comes of a file, its points drawn."""
    import datasets

    read = datasets.from_npz if path.suffix == ".npz" else datasets.from_csv
    try:
        data = read(path)
    except datasets.DataError as error:
        return f"DataError: {error}"
    return f"{data.points.shape} of {data.X.shape}, {data.n_classes} classes"


def main(names: list[str]) -> None:
    """Read each file; one line of JSON for each."""

    for name in names:
        start = time.process_time()
        found = outcome(Path(name))
        # Of this process alone: other work on the machine does not count.
        seconds = time.process_time() - start
        peak = _peak()
        print(json.dumps({"file": name, "seconds": seconds, "peak": peak, "is": found}))


def _peak() -> int:
    """The largest resident size in bytes."""
    status = Path("/proc/self/status")
    if status.exists():
        # On Linux the resource usage of a process begins with its parent's.
        fields = dict(line.split(":", 1) for line in status.read_text().splitlines())
        return int(fields["VmHWM"].split()[0]) * 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


if __name__ == "__main__":
    main(sys.argv[1:])
