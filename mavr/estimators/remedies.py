"""What to do, as a warning says it: what helps, and nothing that is set already."""

from __future__ import annotations

from typing import Any

from mavr.settings import SIMILARITIES

# Of the normalized Laplacian: responses hardly leave their labels' surroundings.
SMALL_GAMMA = 1.0


def of_collapse(similarity: Any) -> str:
    """Another estimator, for a method that has no balance term."""
    given = isinstance(similarity, str) and similarity == "precomputed"
    kept = '"precomputed"' if given else ""
    return f"use MAVRClassifier({kept}), which has balance=1"


def of_gaps(similarity: Any) -> str:
    """How to join the pieces of a graph of this similarity."""
    known = SIMILARITIES.get(similarity) if isinstance(similarity, str) else None
    if known is None or not known.parameters:
        return "add similarities between the pieces of the graph"
    return f"join the graph with a larger {' or '.join(p.name for p in known.parameters)}"
