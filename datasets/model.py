"""What a data set is: points, truth, given labels, and the setting it is to be solved with."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from mavr.settings import Setting

IntArray = npt.NDArray[np.int64]
FloatArray = npt.NDArray[np.float64]
T = TypeVar("T", bound=np.generic)

# Beyond this the square of a distance between two points overflows.
MAX_MAGNITUDE = 1e150
# Above this many features the main plane is found by random projections: an exact one takes a
# time that grows with their cube.
MAX_EXACT_FEATURES = 1_000
# Above this many values the picture is computed with numbers of 4 bytes.
MAX_DOUBLES = 5_000_000

# Truth that nobody knows: an outlier, or a row of a file without a label.
UNKNOWN = -1
# Classes, or labels of a multi-label set, that a file may have.
MAX_LABELS = 1_000


class DataError(ValueError):
    """Data that cannot be used; the message says what was wrong, where, and what to do."""


@dataclass(frozen=True, eq=False)
class Dataset:
    """Points with what is known about them. Arrays are read-only.

    Attributes
    ----------
    X : (n, d) array or CSR matrix.
    y : (n,) classes 0..c-1, -1 where the truth is unknown; None if there is none.
    Y : (n, c) 0/1 array, -1 where unknown, the truth of a multi-label set; None otherwise.
    labelled : indices of the points whose label is given, increasing.
    setting : graph and parameters to solve it with; None where nobody chose any.
    note : where it comes from and what was done to it, in sentences.
    """

    name: str
    X: Any
    y: IntArray | None = None
    class_names: tuple[str, ...] = ()
    Y: npt.NDArray[np.int8] | None = None
    labelled: IntArray = field(default_factory=lambda: np.empty(0, dtype=np.int64))
    setting: Setting | None = None
    note: str = ""

    def __post_init__(self) -> None:
        put = object.__setattr__  # the dataclass is frozen
        put(self, "X", _frozen_points(self.X))
        put(self, "class_names", tuple(str(name) for name in self.class_names))
        put(self, "labelled", _frozen(np.unique(np.asarray(self.labelled, dtype=np.int64))))
        if self.y is not None:
            put(self, "y", _frozen(_classes(self.y, self.n, self.n_classes)))
        if self.Y is not None:
            put(self, "Y", _frozen(_label_sets(self.Y, self.n, self.n_classes)))
        if len(self.labelled) and not 0 <= self.labelled[0] <= self.labelled[-1] < self.n:
            raise DataError(f"labelled must hold indices in 0..{self.n - 1}, got {self.labelled}")

    def __setstate__(self, state: dict[str, Any]) -> None:
        # Unpickled arrays are writable again.
        for key, value in state.items():
            if sp.issparse(value):
                value = _frozen_points(value)
            elif isinstance(value, np.ndarray):
                value = _frozen(value)
            self.__dict__[key] = value

    @property
    def n(self) -> int:
        return int(self.X.shape[0])

    @property
    def n_classes(self) -> int:
        return len(self.class_names)

    @property
    def is_sparse(self) -> bool:
        return bool(sp.issparse(self.X))

    @cached_property
    def points(self) -> FloatArray:
        """(n, 2) positions to draw the points at: X itself in the plane, else its main plane."""
        return _frozen(np.ascontiguousarray(plane(self.X), dtype=np.float64))


def plane(X: Any) -> FloatArray:
    """Positions to draw points at.

    Parameters
    ----------
    X : (n, d) array or sparse matrix of finite numbers.

    Returns
    -------
    (n, 2) array
        X itself in the plane, padded on a line; beyond, the two leading principal components
        (sparse: of a truncated SVD, which needs no centring). The same X gives the same picture.

    Examples
    --------
    >>> plane(np.array([[1.0], [2.0]]))
    array([[1., 0.],
           [2., 0.]])
    """
    n, d = X.shape
    if n == 1 and d > 2:
        columns = np.zeros((1, 2))  # one point has no variance
    elif d <= 2:
        columns = np.asarray(X.toarray() if sp.issparse(X) else X, dtype=np.float64)
    elif sp.issparse(X):
        columns = _singular(X)
    else:
        columns = _principal(np.asarray(X))
    return np.pad(columns, ((0, 0), (0, 2 - columns.shape[1])))


def _principal(X: npt.NDArray[Any]) -> FloatArray:
    from sklearn.decomposition import PCA

    n, d = X.shape
    # Scaling first keeps squares of very large or small values in range, and so does centring
    # the digits of small differences between large values.
    scale = max(float(X.max()), -float(X.min())) or 1.0
    # A picture needs no more digits, and a copy of a large set should not take more than it.
    small = X.dtype == np.float32 or X.size > MAX_DOUBLES
    A = np.empty(X.shape, dtype=np.float32 if small else np.float64)
    np.divide(X, scale, out=A, casting="same_kind")
    A -= A.mean(axis=0, dtype=np.float64).astype(A.dtype)
    # The signs are fixed by PCA: the largest loading of each axis is positive.
    solver = "covariance_eigh" if d <= MAX_EXACT_FEATURES else "randomized"
    pca = PCA(min(2, n), svd_solver=solver, random_state=0, copy=False)
    with np.errstate(invalid="ignore", divide="ignore"):  # the variance may be 0, or 0/0
        return np.asarray(pca.fit_transform(A), dtype=np.float64) * scale


def _singular(X: Any) -> FloatArray:
    from sklearn.decomposition import TruncatedSVD

    scale = float(abs(X).max()) or 1.0
    svd = TruncatedSVD(2, random_state=0)
    with np.errstate(invalid="ignore", divide="ignore"):  # as above
        return np.asarray(svd.fit_transform(X.astype(np.float64) / scale)) * scale


def _frozen(array: npt.NDArray[T]) -> npt.NDArray[T]:
    view = array.view()
    view.flags.writeable = False
    return view


def _frozen_points(X: Any) -> Any:
    if not sp.issparse(X):
        X = np.asarray(X)
        if X.ndim != 2 or 0 in X.shape:
            raise DataError(f"X must be an (n, d) array with n, d >= 1, got shape {X.shape}")
        return _frozen(X)
    X = sp.csr_matrix(X, copy=True)
    if 0 in X.shape:
        raise DataError(f"X must have n, d >= 1, got shape {X.shape}")
    X.sum_duplicates()  # sorts the indices too: nothing is left to do in place later
    for part in (X.data, X.indices, X.indptr):
        part.flags.writeable = False
    return X


def _classes(y: npt.ArrayLike, n: int, n_classes: int) -> IntArray:
    values = np.array(y, dtype=np.int64)
    if values.shape != (n,):
        raise DataError(f"y must have one entry per point ({n}), got shape {values.shape}")
    if values.min() < UNKNOWN or values.max() >= n_classes:
        raise DataError(
            f"y must lie in -1..{n_classes - 1}, as there are {n_classes} class names, "
            f"got {values.min()}..{values.max()}"
        )
    return values


def _label_sets(Y: npt.ArrayLike, n: int, n_classes: int) -> npt.NDArray[np.int8]:
    values = np.array(Y, dtype=np.int8)
    if values.shape != (n, n_classes):
        raise DataError(f"Y must have shape ({n}, {n_classes}), got {values.shape}")
    return values
