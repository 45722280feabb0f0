"""The editor of P: a symmetric table, the graph of the classes, eigenvalues, presets, repair."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import streamlit as st

from lab.theme import class_color
from lab.view import Rows
from mavr import relations

HERE = Path(__file__).parent
MEANING = (
    "A positive entry (orange, solid) makes it costly for two classes to rise together over the "
    "graph: where one has a large response the other is pushed down. A negative entry (blue, "
    "dashed) lets them rise together. A larger diagonal entry makes the response of a class "
    "smoother and smaller."
)


@cache
def _source(name: str) -> str:
    return (HERE / name).read_text(encoding="utf-8")


def component() -> Any:
    return st.components.v2.component(
        "mavr_relation",
        html=_source("relation.html"),
        css=_source("relation.css"),
        js=_source("relation.js"),
    )


def frozen(P: np.ndarray) -> Rows:
    return tuple(tuple(float(v) for v in row) for row in P)


def presets(n_classes: int) -> dict[str, Rows]:
    """Named matrices of this size."""
    named = {"I: unrelated classes": frozen(np.eye(n_classes))}
    for name, P in relations.PAPER.items():
        if len(P) == n_classes:
            named[f"{name} of the paper"] = frozen(P)
    if n_classes > 1:
        for j in range(n_classes):
            named[f"class {j + 1} repelled by the others"] = frozen(
                relations.repelled(n_classes, j)
            )
    return named


def problem(P: np.ndarray) -> str | None:
    """Why P cannot be used, or None."""
    try:
        relations.check(P, len(P))
    except ValueError:
        low = relations.eigenvalues(P)[0]
        return (
            f"This P is not positive definite: its smallest eigenvalue is {low:.3g}, it must be "
            "above 0. The panels still show the last P that was. Raise the diagonal, lower the "
            "entries off it, or repair it."
        )
    return None


def new_edit(key: str) -> Rows | None:
    """P as the user last changed it in the table, once."""
    acks = st.session_state.setdefault(f"{key}.acks", {"seq": 0})
    edited = (st.session_state.get(f"{key}.matrix") or {}).get("edit")
    if not edited or edited["seq"] <= acks["seq"]:
        return None
    acks["seq"] = edited["seq"]
    P = np.array(edited["P"], dtype=float)
    square = P.ndim == 2 and P.shape[0] == P.shape[1]
    return frozen(P) if square and np.isfinite(P).all() else None


def editor(
    key: str, P: np.ndarray, names: tuple[str, ...], on_edit: Callable[[], None] = lambda: None
) -> None:
    """Draw the table and graph of P, admissible or not; `new_edit` has what the user does."""
    component()(
        key=f"{key}.matrix",
        data={
            "P": P.tolist(),
            "names": list(names),
            "colors": [class_color(j) for j in range(len(names))],
            "ack": st.session_state.setdefault(f"{key}.acks", {"seq": 0})["seq"],
            "spoken": "Class relation: " + _spoken(P, names),
        },
        on_edit_change=on_edit,
    )
    values = "  ".join(f"{v:.3g}" for v in relations.eigenvalues(P))
    st.caption(f"Eigenvalues of P: {values}", help=MEANING)


def _spoken(P: np.ndarray, names: tuple[str, ...]) -> str:
    pairs = [
        f"{names[j]} and {names[k]} {'repel' if P[j, k] > 0 else 'attract'} with {abs(P[j, k]):g}"
        for j in range(len(P))
        for k in range(j + 1, len(P))
        if P[j, k]
    ]
    return "; ".join(pairs) or "all classes are unrelated"
