"""NumPy archives as data sets: X with y or Y, dense, or the CSR arrays of scipy.sparse.save_npz.

Nothing in the file is trusted: shapes are checked before arrays are read, and the structure of a
sparse matrix before it is used.
"""

from __future__ import annotations

import zipfile
from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from datasets.archive import Array, Member, members, opened, read
from datasets.labels import number_classes, partly_known
from datasets.model import MAX_LABELS, MAX_MAGNITUDE, UNKNOWN, DataError, Dataset
from datasets.tables import Source, brief, short, source_name

# Of the file. Its arrays have limits of their own, in numbers of values: MNIST has 55 million,
# and together they stay below 1 GB whatever the file holds.
MAX_NPZ_BYTES = 500_000_000
MAX_NPZ_VALUES = 56_000_000
MAX_NPZ_ROWS = 200_000
MAX_NPZ_COLUMNS = 100_000
MAX_NPZ_CLASSES = MAX_LABELS
MIN_ROWS = 2
# A value of a sparse matrix takes its column as well, and is copied once.
MAX_SPARSE_VALUES = 10_000_000
MAX_SPARSE_COLUMNS = 300_000
# Of y, Y and the names of classes, each.
MAX_LABEL_BYTES = 64_000_000
# As a number of NumPy: a plain one would be cast to the array's type, and overflow there.
LARGEST = np.float64(MAX_MAGNITUDE)
SPARSE_KEYS = ("data", "indices", "indptr", "shape")
KEYS = ("X", "y", "Y", "class_names", "label_names", "format", *SPARSE_KEYS)


def from_npz(source: Source, name: str | None = None) -> Dataset:
    """Read an archive with `X` and `y`, or `X` and `Y` (several labels per point).

    Classes are numbered in the order of their values, -1 being unknown; `class_names` (or
    `label_names`) in the file, one per class, name them. Y holds 0 and 1, NaN being unknown; or
    -1, 0 and 1, 0 being unknown.

    Parameters
    ----------
    source, name : as in `from_csv`.

    Returns
    -------
    Dataset
        With X as float32 where that is exact, else as float64; y is None without labels.

    Raises
    ------
    DataError
        If the file cannot be used; the message says what is wrong with it.
    """
    with opened(source, MAX_NPZ_BYTES) as archive:
        found = members(archive, KEYS)
        X = _points(archive, found)
        arrays = _label_arrays(archive, found)
    title = short(name or source_name(source, "NPZ"))
    notes = []
    if X.shape[1] > 2:
        method = "truncated SVD" if sp.issparse(X) else "PCA"
        notes.append(f"{X.shape[1]} features; the picture shows their main plane ({method}).")
    if "Y" in arrays:
        Y = _label_sets(arrays["Y"], X.shape[0])
        names = _names(arrays, tuple(map(str, range(Y.shape[1]))), notes)
        note = " ".join(notes)
        return Dataset(title, X, class_names=names, Y=Y, labelled=partly_known(Y), note=note)
    if "y" not in arrays:
        return Dataset(title, X, note=" ".join(notes))
    y, values = number_classes(arrays["y"], X.shape[0])
    names = _names(arrays, values, notes)
    return Dataset(title, X, y if names else None, names, note=" ".join(notes))


def _points(archive: zipfile.ZipFile, found: Mapping[str, Member]) -> Any:
    if "X" in found:
        return _dense_points(archive, found["X"])
    if all(key in found for key in SPARSE_KEYS):
        return _sparse_points(archive, found)
    if "format" in found:
        _check_format(archive, found["format"])
    names = sorted(name.removesuffix(".npy") for name in archive.namelist())
    there = brief(", ".join(names) or "nothing")
    raise DataError(
        f"the file has no array called X, only: {there}; store the points by "
        "numpy.savez(file, X=X, y=y), or a sparse matrix by scipy.sparse.save_npz"
    )


def _dense_points(archive: zipfile.ZipFile, X: Member) -> Array:
    if len(X.shape) != 2 or X.shape[0] < MIN_ROWS or not X.shape[1]:
        raise DataError(
            "X must be a table with one row per point and one column per feature, got an array of "
            f"shape {_shape(X)}; store X.reshape(len(X), -1), with at least {MIN_ROWS} rows"
        )
    _check_shape(X.shape, MAX_NPZ_COLUMNS)
    if X.size > MAX_NPZ_VALUES:
        raise DataError(
            f"X has {X.size:,} values, more than the limit of {MAX_NPZ_VALUES:,}; "
            "store fewer rows or columns"
        )

    def check(block: Array, place: int) -> None:
        bad = np.flatnonzero(~(np.abs(block) <= LARGEST))  # also catches NaN
        if len(bad):
            at = int(place + bad[0])
            i, j = divmod(at, X.shape[1]) if not X.column_major else divmod(at, X.shape[0])[::-1]
            raise DataError(
                f"X[{i}, {j}] is {block[bad[0]]}; every entry must be finite and below "
                f"{MAX_MAGNITUDE:g}, correct it or drop the row"
            )

    return read(archive, X, _float_type(X.dtype, "X"), check)


def _sparse_points(archive: zipfile.ZipFile, found: Mapping[str, Member]) -> sp.csr_matrix:
    size = _sparse_shape(archive, found)
    data, indices, indptr = (found[key] for key in ("data", "indices", "indptr"))
    fits = data.shape == indices.shape == (data.size,) and indptr.shape == (size[0] + 1,)
    if not fits or indices.dtype.kind not in "iu" or indptr.dtype.kind not in "iu":
        raise DataError(
            "the CSR arrays do not fit together: data and indices must be as long as each other, "
            "indptr one longer than X has rows, both of whole numbers; save X with "
            "scipy.sparse.save_npz"
        )
    if data.size > MAX_SPARSE_VALUES:
        raise DataError(
            f"the sparse matrix has {data.size:,} values, more than the limit of "
            f"{MAX_SPARSE_VALUES:,}; store fewer rows"
        )

    def check(block: Array, place: int) -> None:
        if not (np.abs(block) <= LARGEST).all():
            raise DataError(f"every entry of X must be finite and below {MAX_MAGNITUDE:g}")

    values = read(archive, data, _float_type(data.dtype, "data"), check)
    try:
        places = read(archive, indices, np.int64), read(archive, indptr, np.int64)
        X = sp.csr_matrix((values, *places), shape=size)
        X.check_format(full_check=True)  # indices out of range would crash later
    except (ValueError, TypeError, IndexError, OverflowError, MemoryError) as error:
        raise DataError(
            f"the CSR arrays do not fit together: {brief(error)}; save X with scipy.sparse.save_npz"
        ) from error
    return X


def _sparse_shape(archive: zipfile.ZipFile, found: Mapping[str, Member]) -> tuple[int, int]:
    if "format" in found:
        _check_format(archive, found["format"])
    shape = found["shape"]
    if shape.shape != (2,) or shape.dtype.kind not in "iu":
        raise DataError("shape must hold two whole numbers, the rows and columns of X")
    rows, columns = (int(value) for value in read(archive, shape))
    if rows < MIN_ROWS or columns < 1:
        raise DataError(
            f"X must have at least {MIN_ROWS} rows and one column, got {rows} and {columns}"
        )
    _check_shape((rows, columns), MAX_SPARSE_COLUMNS)
    return rows, columns


def _check_format(archive: zipfile.ZipFile, member: Member) -> None:
    small = member.nbytes <= 64 and member.size == 1
    kind = str(read(archive, member).ravel().astype("U")[0]) if small else ""
    if kind != "csr":
        raise DataError(f"the sparse matrix must be CSR, got {kind!r}; save X.tocsr()")


def _check_shape(shape: tuple[int, ...], most_columns: int) -> None:
    for what, length, most in (
        ("rows", shape[0], MAX_NPZ_ROWS),
        ("columns", shape[1], most_columns),
    ):
        if length > most:
            raise DataError(
                f"X has {length:,} {what}, more than the limit of {most:,}; store fewer {what}"
            )


def _float_type(dtype: np.dtype[Any], key: str) -> type[np.floating[Any]]:
    """float32 where that is exact or already so, else float64: MNIST stays at 0.22 GB."""
    if dtype.kind not in "biuf":
        raise DataError(
            f"{key} must hold real numbers, got values of the type {dtype.name}; "
            "leave out columns of words, and convert the others with X.astype(float)"
        )
    small = dtype.itemsize <= (4 if dtype.kind == "f" else 2)
    return np.float32 if small else np.float64


def _label_arrays(archive: zipfile.ZipFile, found: Mapping[str, Member]) -> dict[str, Array]:
    arrays = {}
    for key in ("Y", "y", "class_names", "label_names"):
        if key in found:
            if found[key].nbytes > MAX_LABEL_BYTES:
                raise DataError(
                    f"{key} takes {found[key].nbytes:,} bytes, more than the limit of "
                    f"{MAX_LABEL_BYTES:,}; store it as int8, or words as numbers"
                )
            arrays[key] = read(archive, found[key], check=_check_text)
    return arrays


def _check_text(block: Array, place: int) -> None:
    """Refuse what is no text: numbers beyond Unicode, and halves of a character."""
    if block.dtype.kind == "U":
        codes = block.view(np.uint32)
        if ((codes > 0x10FFFF) | ((codes >= 0xD800) & (codes <= 0xDFFF))).any():
            raise DataError("the labels hold characters that are no Unicode; write them anew")


def _label_sets(Y: Array, n: int) -> npt.NDArray[np.int8]:
    if Y.ndim != 2 or Y.shape[0] != n or not 1 <= Y.shape[1] <= MAX_NPZ_CLASSES:
        raise DataError(
            f"Y must have one row per row of X ({n}) and one column per label, at most "
            f"{MAX_NPZ_CLASSES:,}, got {_shape(Y)}"
        )
    real = Y.dtype.kind in "biuf"
    bad = np.argwhere(~((Y == -1) | (Y == 0) | (Y == 1) | (Y != Y))) if real else np.zeros((1, 2))
    if len(bad):
        i, j = bad[0].astype(int)
        raise DataError(
            f"Y[{i}, {j}] is {brief(Y[i, j])}; Y must hold 0 and 1 only, 1 where the point has the "
            "label and NaN where nobody knows; or -1 (has it not), 0 (unknown) and 1"
        )
    sets = np.full(Y.shape, UNKNOWN, dtype=np.int8)
    sets[Y == 1] = 1
    has_not = -1 if (Y == -1).any() else 0
    sets[np.equal(Y, has_not)] = 0
    return sets


def _names(
    arrays: Mapping[str, Array], values: tuple[str, ...], notes: list[str]
) -> tuple[str, ...]:
    """The names that the file gives to its classes; where they do not fit, their values."""
    for key in ("class_names", "label_names"):
        if key in arrays and arrays[key].shape == (len(values),):
            return tuple(short(str(name)) for name in arrays[key])
        if key in arrays:
            n = arrays[key].size
            notes.append(f"{key} was left out: it has {n} names for {len(values)} classes.")
    return values


def _shape(array: Array | Member) -> str:
    """A shape for a message; an array may have up to 64 axes."""
    return brief(array.shape)
