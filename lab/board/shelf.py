"""Graphs of many points on disk, by content, where the host has named a folder for them.

A server that is started again, and a file that is brought again, find their neighbours there. It is
a cache of plain arrays: reading it runs nothing, and without it the graph is made anew.
"""

from __future__ import annotations

import hashlib
import os
import tempfile
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from mavr.settings import GraphSpec

FOLDER = "MAVR_GRAPHS"
# What all of them together may take; the oldest go first.
MAX_BYTES = 2 << 30
# Says how they were made: to be raised when neighbours or weights are found in another way.
MAKING = 1


def kept(spec: GraphSpec, X: Any, make: Callable[[], Any]) -> Any:
    """The similarity of these points, read or made and written; made if there is no folder.

    X : (n, d) array; the rows of a sparse one are not kept.
    """
    folder = os.environ.get(FOLDER)
    if not folder or sp.issparse(X):
        return make()
    place = Path(folder) / f"{_digest(spec, X)}.npz"
    try:
        W = sp.csr_array(sp.load_npz(place))
    except (OSError, ValueError, KeyError, zipfile.BadZipFile):
        W = make()
        if sp.issparse(W):
            _write(place, W)
    return W


def _digest(spec: GraphSpec, X: npt.NDArray[np.float64]) -> str:
    told = repr((MAKING, spec.similarity, spec.arguments, X.shape))
    return hashlib.sha256(told.encode() + np.ascontiguousarray(X).tobytes()).hexdigest()


def _write(place: Path, W: Any) -> None:
    """Whole or not at all: two processes may write the same."""
    try:
        place.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile(dir=place.parent, suffix=".part", delete=False) as part:
            sp.save_npz(part, W, compressed=False)
        os.replace(part.name, place)
        held = sorted(place.parent.glob("*.npz"), key=lambda p: p.stat().st_mtime)
        sizes = [p.stat().st_size for p in held]
        while sum(sizes) > MAX_BYTES:
            held.pop(0).unlink(missing_ok=True)
            sizes.pop(0)
    except OSError:
        # A full or closed disk is no reason not to answer.
        return
