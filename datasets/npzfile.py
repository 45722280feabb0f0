"""NumPy archives as data sets: X with y or Y, dense, or the CSR arrays of scipy.sparse.save_npz.

Nothing is unpickled, and nothing in the file is trusted: sizes are checked before arrays are
read, and the structure of a sparse matrix before it is used.
"""

from __future__ import annotations

import io
import lzma
import struct
import zipfile
import zlib
from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from datasets.csvfile import MAX_MAGNITUDE, natural_order, partly_known
from datasets.model import UNKNOWN, DataError, Dataset, IntArray
from datasets.tables import Source, read_bytes, source_name

# Of the file, and of its arrays when unpacked: MNIST as 8-byte numbers is 0.44 GB.
MAX_NPZ_BYTES = 1_000_000_000
MAX_NPZ_CLASSES = 1_000
SPARSE_KEYS = ("data", "indices", "indptr", "shape")
KEYS = ("X", "y", "Y", "class_names", "label_names", "format", *SPARSE_KEYS)
# What a damaged archive makes zipfile, its decompressors and NumPy's header parser raise.
DAMAGE = (
    ValueError, EOFError, OSError, KeyError, MemoryError, NotImplementedError, RuntimeError,
    TypeError, AttributeError, OverflowError, IndexError, SyntaxError, struct.error, zlib.error,
    lzma.LZMAError, zipfile.BadZipFile,
)  # fmt: skip


def from_npz(source: Source, name: str | None = None) -> Dataset:
    """Read a path, bytes or an open file with `X` and `y`, or `X` and `Y` (multi-label).

    Classes are numbered in the order of their values, -1 being unknown; `class_names` (or
    `label_names`) in the file, one per class, name them. Y holds 0 and 1, NaN being unknown; or
    -1, 0 and 1, 0 being unknown.
    """
    arrays = _read_arrays(read_bytes(source, MAX_NPZ_BYTES))
    X = _points(arrays)
    title = name or source_name(source, "NPZ")
    note = ""
    if X.shape[1] > 2:
        method = "truncated SVD" if sp.issparse(X) else "PCA"
        note = f"{X.shape[1]} features; the picture shows their main plane ({method})."
    if "Y" in arrays:
        Y = _label_sets(arrays["Y"], X.shape[0])
        names = _names(arrays, Y.shape[1]) or tuple(str(j) for j in range(Y.shape[1]))
        return Dataset(title, X, class_names=names, Y=Y, labelled=partly_known(Y), note=note)
    if "y" not in arrays:
        return Dataset(title, X, note=note)
    y, found = number_classes(arrays["y"], X.shape[0])
    names = _names(arrays, len(found)) or found
    return Dataset(title, X, y if names else None, names, note=note)


def number_classes(labels: npt.NDArray[Any], n: int) -> tuple[IntArray, tuple[str, ...]]:
    """Labels as 0..c-1 in the order of their values, and the values as names."""
    if labels.shape != (n,):
        raise DataError(
            f"y must have one label per row of X ({n}), got shape {labels.shape}; "
            "several labels per point go into Y"
        )
    if labels.dtype.kind == "f" and (np.abs(labels) < 2**53).all():
        whole = labels.astype(np.int64)
        labels = whole if (whole == labels).all() else labels
    if labels.dtype.kind not in "biuU":
        raise DataError(f"y must hold whole numbers or words, got dtype {labels.dtype}")
    values, inverse = np.unique(labels, return_inverse=True)
    words = [str(int(value)) if labels.dtype.kind != "U" else str(value) for value in values]
    known = set(words) - {str(UNKNOWN), ""}
    if len(known) > MAX_NPZ_CLASSES:
        raise DataError(
            f"y holds {len(known):,} different labels, more than the limit of {MAX_NPZ_CLASSES:,}"
        )
    names = natural_order(known) if labels.dtype.kind == "U" else sorted(known, key=int)
    rank = {word: j for j, word in enumerate(names)}
    classes = np.array([rank.get(word, UNKNOWN) for word in words], dtype=np.int64)
    return classes[inverse], tuple(names)


def _read_arrays(content: bytes) -> dict[str, npt.NDArray[Any]]:
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            wanted = {
                info.filename.removesuffix(".npy"): info
                for info in archive.infolist()
                if info.filename.removesuffix(".npy") in KEYS
            }
            if sum(info.file_size for info in wanted.values()) > MAX_NPZ_BYTES:
                raise DataError(
                    f"the arrays take more than {MAX_NPZ_BYTES:,} bytes, the limit; "
                    "store fewer rows or smaller numbers"
                )
            return {key: _read_array(archive, info) for key, info in wanted.items()}
    except DataError:
        raise
    except DAMAGE as error:
        raise DataError(
            f"the file is not a readable .npz archive ({error or type(error).__name__}); write it "
            "with numpy.savez(file, X=X, y=y), arrays of numbers or text, no Python objects"
        ) from error


def _read_array(archive: zipfile.ZipFile, info: zipfile.ZipInfo) -> npt.NDArray[Any]:
    with archive.open(info) as file:
        # A bound on what is unpacked, whatever the archive's directory claims.
        payload = file.read(MAX_NPZ_BYTES + 1)
    if len(payload) != info.file_size:
        raise ValueError(f"{info.filename} is cut short or longer than stated")
    array = np.lib.format.read_array(io.BytesIO(payload), allow_pickle=False)
    return np.asarray(array)


def _points(arrays: Mapping[str, npt.NDArray[Any]]) -> Any:
    if "X" in arrays:
        X = arrays["X"]
        if X.ndim != 2 or 0 in X.shape:
            raise DataError(f"X must have shape (n, d) with n, d >= 1, got {X.shape}")
        X = _as_float(X, "X")
        # Row by row in effect, but without a temporary the size of X.
        for column in range(X.shape[1]):
            bad = np.flatnonzero(~(np.abs(X[:, column]) <= np.float64(MAX_MAGNITUDE)))
            if len(bad):
                value = X[bad[0], column]
                raise DataError(
                    f"X[{bad[0]}, {column}] is {value}; every entry must be finite and below "
                    f"{MAX_MAGNITUDE:g}, correct it or drop the row"
                )
        return X
    if all(key in arrays for key in SPARSE_KEYS):
        return _sparse_points(arrays)
    raise DataError(
        f"the file has no array X (found: {', '.join(sorted(arrays)) or 'none that is known'}); "
        "store the points as X, or as scipy.sparse.save_npz does"
    )


def _sparse_points(arrays: Mapping[str, npt.NDArray[Any]]) -> sp.csr_matrix:
    kind = arrays.get("format", np.array(b"csr")).ravel()[:1].astype("S").tolist()
    if kind != [b"csr"]:
        raise DataError(f"the sparse matrix must be CSR, got {kind}; save X.tocsr()")
    data = _as_float(arrays["data"], "data")
    shape = arrays["shape"]
    if shape.shape != (2,) or shape.dtype.kind not in "iu" or shape.min() < 1:
        raise DataError(f"shape must hold two whole numbers >= 1, got {shape}")
    if not (np.abs(data) <= np.float64(MAX_MAGNITUDE)).all():
        raise DataError(f"every entry of X must be finite and below {MAX_MAGNITUDE:g}")
    try:
        size = (int(shape[0]), int(shape[1]))
        X = sp.csr_matrix((data, arrays["indices"], arrays["indptr"]), shape=size)
        X.check_format(full_check=True)  # indices out of range would crash later
    except (ValueError, TypeError, IndexError, OverflowError, MemoryError) as error:
        raise DataError(f"the CSR arrays do not fit together: {error}") from error
    return X


def _as_float(X: npt.NDArray[Any], key: str) -> npt.NDArray[Any]:
    """float32 where that is exact or already so, else float64: MNIST stays at 0.22 GB."""
    if X.dtype.kind not in "biuf":
        raise DataError(f"{key} must hold real numbers, got dtype {X.dtype}")
    small = X.dtype.itemsize <= (4 if X.dtype.kind == "f" else 2)
    return X.astype(np.float32 if small else np.float64, copy=False)


def _label_sets(Y: npt.NDArray[Any], n: int) -> npt.NDArray[np.int8]:
    if Y.ndim != 2 or Y.shape[0] != n or not 1 <= Y.shape[1] <= MAX_NPZ_CLASSES:
        raise DataError(
            f"Y must have one row per row of X ({n}) and one column per label, got {Y.shape}"
        )
    if Y.dtype.kind not in "biuf" or not (np.isin(Y, (-1, 0, 1)) | np.isnan(Y)).all():
        raise DataError(
            "Y must hold 0 and 1 only, 1 where the point has the label and NaN where nobody "
            "knows; or -1 (has it not), 0 (unknown) and 1"
        )
    denied = (Y == -1).any()
    known = np.where(Y == -1, 0, np.where(Y == 0, UNKNOWN, Y)) if denied else Y
    return np.where(np.isnan(known), UNKNOWN, known).astype(np.int8)


def _names(arrays: Mapping[str, npt.NDArray[Any]], n_classes: int) -> tuple[str, ...] | None:
    for key in ("class_names", "label_names"):
        if key in arrays and arrays[key].shape == (n_classes,):
            return tuple(str(name) for name in arrays[key])
    return None
