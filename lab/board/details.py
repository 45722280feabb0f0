"""What stands below a board of classes: P, charts, and the explanation of ties."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

import streamlit as st

from lab import relation
from lab.board.answers import Result, compute
from lab.board.face import Classes
from lab.board.far import spectrum_at_hand
from lab.board.measures import tie_sentences
from lab.board.view import View
from lab.charts import chart, label_curve, norm_curve, secular_figure
from lab.link import get_at, put_at
from lab.page import Page
from lab.text import plain
from lab.uploads import uploads
from mavr.collapse import collapse
from mavr.methods import METHODS
from mavr.settings import norm

# Labellings on the way, of those that came within one look, that are computed for the curve.
MAX_BETWEEN = 12
MAX_POINTS_BETWEEN = 3000


@dataclass
class LabelCurve:
    """Errors as labels are added, while the setting stays; one point per change."""

    points: list[dict[str, Any]] = field(default_factory=list)
    of: View | None = None
    last: View | None = None

    def follow(self, page: Page[View], result: Result) -> None:
        """Take the view as it is now, and the labellings on the way to it since the last time."""
        now, past = page.view, page.history.past
        if self.last in past and _without_labels(now) == self.of:
            between = past[past.index(self.last) + 1 :]
            for view in between[-MAX_BETWEEN:]:
                asked = _without_labels(view) == self.of and view.marks.labels
                # What takes long is not computed again for the way there.
                if asked and len(result.scene.alive) <= MAX_POINTS_BETWEEN:
                    self.add(view, compute(replace(view, shade=False), uploads()))
        self.add(now, result)
        self.last = now

    def add(self, view: View, result: Result) -> None:
        """Another setting starts it again."""
        of = _without_labels(view)
        if self.of != of:
            self.of, self.points = of, []
        labels = int((result.scene.labels >= 0).sum())
        errors = {"left": result.left.not_right, "right": result.right.not_right}
        point = {"labels": labels, **errors}
        if not self.points or self.points[-1] != point:
            self.points = [*self.points[-199:], point]


def _without_labels(view: View) -> View:
    return replace(view, marks=replace(view.marks, labels=()), shade=True, suggest=False)


def relation_editor(page: Page[View], face: Classes, result: Result) -> None:
    """P: what is wrong with it, named matrices, table and graph."""
    scene = result.scene
    P = page.view.relation(scene.n_classes)
    relation.head(page)
    relation.tools(page, face, P)
    relation.editor(page, face, P, scene.names)


def secular_chart(page: Page[View], result: Result) -> None:
    """Where the norm meets tau, for the left method if it has a norm, else the right one."""
    labelled = int((result.scene.labels >= 0).sum())
    for a in (result.left, result.right):
        p = a.parameters
        tau = norm(p.tau, labelled)
        if a.method != "mavr" or tau is None:
            continue
        spectrum = spectrum_at_hand(page.view, result.scene)
        if spectrum is not None:
            curve = norm_curve(spectrum, result.scene.Y, p, tau)
            figure = secular_figure(*curve, tau, a.solution, a.title)
            chart(figure, page.key("secular"), f"Norm of the responses of {a.title} against −ρ")
            return
    st.caption("Shown when one of the two methods is MAVR on a dense graph.")


def error_chart(page: Page[View], result: Result) -> None:
    """The error against the number of labels."""
    if result.left.error is None:
        st.caption("Shown when the true classes are known.")
        return
    curve = page.keep(LabelCurve)
    curve.follow(page, result)
    figure = label_curve(curve.points, result.left.title, result.right.title)
    chart(figure, page.key("curve"), "Share of points not right against the number of labels")


def explain_collapse(page: Page[View], result: Result) -> None:
    """Say that one class takes nearly all, and offer the remedy."""
    for a, side in ((result.left, "left"), (result.right, "right")):
        uses_balance = "balance" in METHODS[a.method].uses
        if (uses_balance and a.parameters.balance) or not (uses_balance or a.method == "lgc"):
            continue
        found = collapse(a.solution, result.scene.Y)
        if found is None:
            continue
        name = plain(result.scene.names[found.column])
        st.warning(
            f"{a.title} collapses: class **{name}** takes {100 * found.share:.0f} % of the points "
            f"with {100 * found.labels:.0f} % of the labels, because the responses hardly differ "
            f"from point to point. By what differs it would take {100 * found.without:.0f} %. The "
            "class-balance term takes the common part away.",
            icon=":material/compress:",
        )
        if st.button("Switch balance on", key=page.key("balance_on")):
            page.put(with_balance(page.view, side))
            # Methods and sliders beside the board show it, too.
            st.rerun()
        return


def with_balance(view: View, side: str) -> View:
    """The view with balance for the method on a side; LGC becomes the one that has it."""
    path = ("second",) if side == "right" and view.own else ("setting", "parameters")
    if getattr(view, side) == "lgc":
        view = replace(view, **{side: "lgc_balanced"})  # type: ignore[arg-type]
    balance = get_at(view, path).balance or 1.0
    return put_at(view, (*path, "balance"), balance)


def explain_ties(result: Result) -> bool:
    """Say why points are tied; whether there is something to say."""
    left = result.left
    if not left.n_tied:
        return False
    words = " ".join(tie_sentences(left.solution.interchangeable, result.scene.names))
    words = words or "Their two best classes are equal as far as arithmetic can tell."
    st.info(f"{left.n_tied} points are tied. {words}", icon=":material/balance:")
    return True
