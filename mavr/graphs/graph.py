"""A similarity with its Laplacian, and room for whatever else is computed from it once.

It sees no labels. This is what the dashboard caches.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, TypeVar

import scipy.sparse as sp

from mavr.graphs.laplacians import Laplacian, graph_laplacian
from mavr.graphs.similarities import similarity_of
from mavr.settings import GraphSpec

T = TypeVar("T")
# Results of `Graph.once` of one function with different arguments that are kept.
MAX_KEPT = 4


@dataclass(frozen=True, eq=False)
class Graph:
    """A graph on n points.

    Attributes
    ----------
    W : (n, n) similarity, dense or sparse.
    kind, self_loops : of the Laplacian L, see `mavr.laplacian`.
    power : Q = L^power.
    """

    W: Any
    kind: str = "normalized"
    power: int = 1
    self_loops: bool = False
    _kept: dict[Any, Any] = field(default_factory=dict, init=False, repr=False)

    @property
    def n(self) -> int:
        return int(self.W.shape[0])

    @property
    def sparse(self) -> bool:
        return bool(sp.issparse(self.W))

    @property
    def L(self) -> Laplacian:
        """The Laplacian itself, made now."""
        return graph_laplacian(self.W, self.kind, self.self_loops)

    @cached_property
    def Q(self) -> Any:
        """The matrix of the volume term: a Laplacian, or the power of a dense one."""
        Q = replace(self.L, power=self.power)
        return Q if self.sparse or self.power == 1 else Q.toarray()

    def once(self, make: Callable[..., T], *arguments: Any) -> T:
        """`make(self, *arguments)`, computed once and kept with the graph."""
        key = (make, arguments)
        if key not in self._kept:
            self._kept[key] = make(self, *arguments)
            same = [k for k in self._kept if k[0] is make]
            for old in same[:-MAX_KEPT]:
                del self._kept[old]
        found: T = self._kept[key]
        return found

    def dense_up_to(self, most: int) -> Graph:
        """The same with a dense W where there are at most so many points."""
        if not self.sparse or self.n > most:
            return self
        return replace(self, W=self.W.toarray())

    @property
    def nbytes(self) -> int:
        """Memory held, for bounding a cache."""
        parts = [self.W, self.__dict__.get("Q"), *self._kept.values()]
        return sum(_size(part) for part in parts)


def graph_of(spec: GraphSpec, X: Any) -> Graph:
    """The graph that a spec makes of the points X : (n, d)."""
    return Graph(similarity_of(spec, X), spec.laplacian, spec.power, spec.self_loops)


def _size(part: Any) -> int:
    if sp.issparse(part):
        return int(part.data.nbytes + part.indices.nbytes + part.indptr.nbytes)
    return int(getattr(part, "nbytes", 0))
