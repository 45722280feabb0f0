"""Types of arrays, by what they hold, and grain of doubles; shapes stand where they are used."""

from functools import reduce
from typing import Any

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[np.float64]
Mask = npt.NDArray[np.bool_]
# Classes of points, numbers of components: whole numbers that mean something.
Integers = npt.NDArray[np.int_]
# Places in other arrays.
Index = npt.NDArray[np.intp]

# The distance from 1 to the next double, and the smallest one with all its digits.
EPS = float(np.finfo(float).eps)
TINY = float(np.finfo(float).tiny)

# Rows of doubles in a thin block that are taken together, a power of two.
ROWS = 2_048


def parts(X: Any) -> list[slice]:
    """Rows of a thin block, some at a time.

    What is made of them stays in the cache: fresh memory costs more than sums. BLAS does not copy
    so few before a product.
    """
    many = ROWS * 8 // X.dtype.itemsize
    return [slice(i, i + many) for i in range(0, len(X), many)]


def column_sums(X: Any) -> Any:
    """1'X of a thin block: a product is quicker than a sum along short rows."""
    return np.ones(len(X), dtype=X.dtype) @ X


def of_rows(all_of: np.ufunc, X: Any) -> Any:
    """np.maximum, np.logical_and or the like of each row; a column at a time is quicker."""
    return reduce(all_of, X.T)
