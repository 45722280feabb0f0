"""A similarity with everything that is computed from it once: Laplacian, spectrum, kernels.

It sees no labels. This is what the dashboard caches per graph.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any

import scipy.sparse as sp

from mavr.laplacians import laplacian
from mavr.ridge import DeformedKernel, deform
from mavr.spectrum import Spectrum, decompose


@dataclass(frozen=True)
class Graph:
    """W : (n, n) similarity, dense or sparse; kind : which Laplacian is Q."""

    W: Any
    kind: str = "normalized"

    @property
    def n(self) -> int:
        return int(self.W.shape[0])

    @cached_property
    def Q(self) -> Any:
        return laplacian(self.W, self.kind)

    @cached_property
    def spectrum(self) -> Spectrum:
        """Of Q; a sparse Q is made dense for it."""
        return decompose(self.Q)

    @property
    def state(self) -> Any:
        """What `solve` should be given: the spectrum of a dense Q, a sparse Q itself."""
        return self.Q if sp.issparse(self.W) else self.spectrum

    def deformed(self, lambda_A: float, lambda_I: float) -> DeformedKernel:
        """LapRLS's kernel for these weights; the last few are kept."""
        return self._deformed(lambda_A, lambda_I)

    @cached_property
    def _deformed(self) -> Callable[[float, float], DeformedKernel]:
        # Per graph, not per process: it goes when the graph goes.
        return lru_cache(maxsize=4)(lambda A, I: deform(self.W, A, I))
