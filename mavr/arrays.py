"""Types of arrays, by what they hold; shapes are said where they are used."""

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[np.float64]
Mask = npt.NDArray[np.bool_]
# Classes of points, numbers of components: whole numbers that mean something.
Integers = npt.NDArray[np.int_]
# Places in other arrays.
Index = npt.NDArray[np.intp]
