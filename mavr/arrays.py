"""Types of arrays, by what they hold, and grain of doubles; shapes stand where they are used."""

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
