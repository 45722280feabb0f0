"""Every setting of a plane at once: predictions of one or two methods over two settings.

A plane has two axes among the parameters (gamma, tau, balance, an entry of P), the parameters of
the similarity (sigma, n_neighbors) and whatever the caller's points depend on (noise, number of
labels). Cells on one graph share its decomposition, and cells that differ in nothing a method uses
share its answer. Classes are those of `mavr.solve`.

>>> import numpy as np
>>> from mavr.experiments.grid import Axis, Points, solve_grid
>>> X = np.array([[0.0], [0.4], [1.0], [3.0], [3.5]])
>>> points = Points(X, given=[0, -1, -1, 1, -1], truth=[0, 0, 0, 1, 1])
>>> axes = Axis.between("gamma", 1, 100, 3), Axis.between("sigma", 0.2, 0.5, 2)
>>> found = solve_grid(points, *axes, methods=("mavr", "lgc"))
>>> found.labels.shape, float(found.measures["error"].max())
((2, 2, 3, 5), 0.0)
"""

from mavr.experiments.grid.answers import Answers, Grid, answer_cells, solve_grid
from mavr.experiments.grid.plane import Axis, Points, cell_setting

__all__ = ["Answers", "Axis", "Grid", "Points", "answer_cells", "cell_setting", "solve_grid"]
