"""Every data set of the paper, more shapes to play with, and the user's own files.

All return a frozen `Dataset`; whatever is random is an argument called `seed`. Data that cannot
be used raise `DataError`, whose message says where the fault is and what to do.
"""

from __future__ import annotations

from datasets.csvfile import MAX_CSV_CLASSES, MIN_CSV_ROWS, from_csv
from datasets.draws import QUOTAS, draw_labels, subset
from datasets.fetch import BENCHMARKS, fetch, fetched_file
from datasets.model import MAX_LABELS, MAX_MAGNITUDE, UNKNOWN, DataError, Dataset
from datasets.npzfile import MAX_NPZ_BYTES, MAX_NPZ_CLASSES, MAX_NPZ_COLUMNS, MAX_NPZ_ROWS, from_npz
from datasets.panels import PANELS, Panel
from datasets.serendipity import all_but_one, disc_outliers, serendipity
from datasets.shapes import (
    MAX_POINTS,
    digits,
    grid_outliers,
    multilabel,
    spiral,
    three_circles,
    two_moons,
    unequal_blobs,
)
from datasets.sources import GENERATORS, Generated, Generator, Stored, source
from datasets.tables import MAX_CSV_BYTES, MAX_CSV_COLUMNS, MAX_CSV_ROWS

__all__ = [
    "BENCHMARKS",
    "GENERATORS",
    "MAX_CSV_BYTES",
    "MAX_CSV_CLASSES",
    "MAX_CSV_COLUMNS",
    "MAX_CSV_ROWS",
    "MAX_LABELS",
    "MAX_MAGNITUDE",
    "MAX_NPZ_BYTES",
    "MAX_NPZ_CLASSES",
    "MAX_NPZ_COLUMNS",
    "MAX_NPZ_ROWS",
    "MAX_POINTS",
    "MIN_CSV_ROWS",
    "PANELS",
    "QUOTAS",
    "UNKNOWN",
    "DataError",
    "Dataset",
    "Generated",
    "Generator",
    "Panel",
    "Stored",
    "all_but_one",
    "digits",
    "disc_outliers",
    "draw_labels",
    "fetch",
    "fetched_file",
    "from_csv",
    "from_npz",
    "grid_outliers",
    "multilabel",
    "serendipity",
    "source",
    "spiral",
    "subset",
    "three_circles",
    "two_moons",
    "unequal_blobs",
]
