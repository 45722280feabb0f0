"""The editor of P: a symmetric table whose numbers can be dragged, the graph of the classes, the
eigenvalues, named matrices, and the way out of one that cannot be used."""

from __future__ import annotations

from pathlib import Path
from typing import Any, TypeVar

import numpy as np
import streamlit as st

from lab.board.draft import Draft
from lab.board.face import Face
from lab.board.stage import BoardState, adopt, again
from lab.link import read_rows, write_rows
from lab.page import Page
from lab.scripts import TEXT, component
from lab.text import number
from lab.theme import class_color
from mavr import relations
from mavr.settings import Rows, frozen_rows

V = TypeVar("V")

HERE = Path(__file__).parent
MEANING = (
    "A positive entry (orange, solid) repels: where one class has a large response the other is "
    "pushed down. A negative entry (blue, dashed) attracts: the two may rise together. A larger "
    "diagonal entry makes the response of a class smoother and smaller. Drag a number sideways."
)
MAX_ENTRY = 1e6


def named(n_classes: int) -> dict[str, Rows]:
    """Matrices of this size that have a name."""
    found = {"Classes unrelated (P = I)": frozen_rows(np.eye(n_classes))}
    for name, P in relations.PAPER.items():
        if len(P) == n_classes:
            found[f"{name} of the paper"] = frozen_rows(P)
    if n_classes > 1:
        for j in range(n_classes):
            P = relations.repelled(n_classes, j)
            found[f"Class {j + 1} repelled by the others"] = frozen_rows(P)
    return found


def problem(P: np.ndarray) -> str | None:
    """Why P cannot be used, or None."""
    try:
        relations.check(P, len(P))
    except ValueError:
        low = relations.eigenvalues(P)[0]
        return (
            f"This P is not positive definite: its smallest eigenvalue is {number(low)}, it must "
            "be above 0. The pictures still use the last valid P. Raise the diagonal, lower the "
            "entries off it, or repair it."
        )
    return None


def head(page: Page[V]) -> None:
    """The title, and beside it what is wrong with the matrix shown; the board leads here."""
    with st.container(key="P_head", gap="small"):
        st.markdown("## Class relation P", help=MEANING)
        if why := page.keep(Draft).problem(page.view):
            st.warning(why, icon=":material/warning:")


def editor(page: Page[V], face: Face[V], P: np.ndarray, names: tuple[str, ...]) -> None:
    """Table and graph of P; a change goes into the view if it can be used, else it is a draft."""
    draft = page.keep(Draft).shown(page.view)
    shown = P if draft is None else draft
    key = page.key("P")

    def take() -> None:
        sent = (st.session_state.get(key) or {}).get("sent")
        changes = sent.get("changes") if isinstance(sent, dict) else None
        text = changes.get("P") if isinstance(changes, dict) else None
        use(page, face, _read(text, len(P)), sent)

    component(HERE, TEXT)(
        key=key,
        data={
            "P": frozen_rows(shown),
            "names": names,
            "colors": tuple(class_color(j) for j in range(len(names))),
            "changed": page.keep(BoardState).changed,
            "spoken": "Class relation: " + spoken(shown, names),
        },
        on_sent_change=take,
    )
    values = ", ".join(number(v) for v in relations.eigenvalues(shown))
    st.caption(f"Eigenvalues of P: {values}", help=MEANING)
    if draft is not None:
        st.button(
            "Repair P",
            key=page.key("P.repair"),
            help="The nearest symmetric matrix whose eigenvalues are all well above 0.",
            on_click=use,
            args=(page, face, np.round(relations.repair(draft), 4)),
        )


def tools(page: Page[V], face: Face[V], P: np.ndarray) -> None:
    """Named matrices, and a step back towards unrelated classes."""
    choices = named(len(P))
    known = next((n for n, rows in choices.items() if rows == frozen_rows(P)), "Own matrix")
    left, right = st.columns([3, 2], vertical_alignment="bottom")
    with left, st.popover(known, width="stretch"):
        for name, rows in choices.items():
            st.button(
                name,
                key=page.key(f"P.{name}"),
                on_click=use,
                args=(page, face, np.array(rows)),
                width="stretch",
                type="tertiary",
            )
    off = ~np.eye(len(P), dtype=bool)
    right.button(
        "Weaken",
        key=page.key("P.weaken"),
        on_click=use,
        args=(page, face, np.where(off, P / 2, P)),
        disabled=not P[off].any(),
        help="Halves the entries off the diagonal: weaker relations between the classes.",
        width="stretch",
    )


def use(page: Page[V], face: Face[V], P: np.ndarray | None, sent: Any = None) -> None:
    """Take P into the view if it can be used, else keep it as a draft; then the board answers."""
    draft = page.keep(Draft)
    if P is not None and (why := problem(P)) is not None:
        draft.put(P, why, page.view)
    elif P is not None:
        draft.clear()
        seq = sent["seq"] if isinstance(sent, dict) and type(sent.get("seq")) is int else 0
        seq = max(seq, page.keep(BoardState).changed + 1)
        adopt(page, face, "P", {"seq": seq, "changes": {"P": write_rows(frozen_rows(P))}})
    again(page)


def _read(text: Any, size: int) -> np.ndarray | None:
    """P as the table sent it; None where it is no matrix of this size."""
    try:
        P = np.array(read_rows("P", text), dtype=float) if isinstance(text, str) else None
    except ValueError:
        return None
    good = P is not None and P.shape == (size, size) and bool((np.abs(P) <= MAX_ENTRY).all())
    return P if good else None


def spoken(P: np.ndarray, names: tuple[str, ...]) -> str:
    """The relations in words."""
    pairs = [
        f"{names[j]} and {names[k]} {'repel' if P[j, k] > 0 else 'attract'} with {abs(P[j, k]):g}"
        for j in range(len(P))
        for k in range(j + 1, len(P))
        if P[j, k]
    ]
    return "; ".join(pairs) or "all classes are unrelated"
