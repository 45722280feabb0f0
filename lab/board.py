"""The live part of a page. At a click the canvas and its numbers run again; P and charts follow."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import streamlit as st

from datasets import DataError
from lab import cache, canvas, figures, numbers, relation, suggest
from lab.marks import MAX_CLASSES, apply
from lab.scene import (
    Answer,
    Scene,
    answer,
    mark_disagreement,
    parameters,
    present,
    relative_margin,
    split_ties,
)
from lab.session import Session, uploads
from lab.view import View
from mavr import relations
from mavr.graphs.graph import Graph
from mavr.settings import norm
from mavr.solvers.spectrum import spectrum_of, state_of


@dataclass(frozen=True, eq=False)
class Result:
    """What one run of the board computed."""

    scene: Scene
    graph: Graph
    answers: tuple[Answer, ...]
    disagree: int

    @property
    def left(self) -> Answer:
        return self.answers[0]

    @property
    def right(self) -> Answer:
        return self.answers[1]


def take_events(session: Session) -> str | None:
    """Apply what the canvas and P's table sent since; which points the browser holds."""
    key = session.key("board")
    events, have = canvas.new_events(key, session.ack)
    if events:
        source = cache.dataset(session.view, uploads())
        base = cache.digest(cache.data_key(session.view))
        for event in events:
            # An event for another data set came too late: it is acknowledged, not applied.
            if event.get("base") == base:
                session.history = apply(session.history, event, source.n, source.n_classes)
            session.ack = event["seq"]
        session.view = replace(session.view, marks=session.history.now)
    if (edit := relation.new_edit(session.key("P"))) is not None:
        _adopt(session, edit)
    return have


def compute(session: Session, also: tuple[str, ...] = ()) -> Result | None:
    """The answers of the left and right method and of further ones; None without any label."""
    view = session.view
    scene = cache.scene(view, uploads())
    graph = cache.graph(view, scene)
    if not scene.Y.any():
        return None
    shading = cache.shading(view, scene) if view.shade else None
    P = view.relation(scene.n_classes)
    l = int((scene.labels >= 0).sum())
    runs = [
        (view.left, parameters(view, l, P)),
        (view.right, parameters(view, l, P, right=True)),
        # Shown for what balance does: with some, whatever the other methods have.
        *((m, replace(parameters(view, l, P), balance=view.balance or 1.0)) for m in also),
    ]
    answers = [answer(method, p, graph, scene, shading) for method, p in runs]
    if view.split:
        answers[0] = _split(answers[0], scene, graph, view, shading)
    return Result(scene, graph, tuple(answers), mark_disagreement(*answers[:2]))


def _split(left: Answer, scene: Scene, graph: Graph, view: View, shading: Any) -> Answer:
    labels = split_ties(left.solution, graph.W, view.seed)
    if labels is None:
        return left
    ties = np.zeros_like(left.solution.ties)
    H = np.array(left.solution.H)
    rows = np.arange(len(H))
    # For drawing only: the chosen class takes the group's response, the others in it none.
    for group in left.solution.interchangeable:
        members = np.isin(labels, group) & left.solution.ties
        value = H[:, group[0]].copy()
        H[np.ix_(members, list(group))] = 0.0
        H[rows[members], labels[members]] = value[members]
    solved = replace(left.solution, labels=labels, ties=ties, H=H)
    split = present(left.method, left.parameters, solved, left.seconds, scene, shading)
    return replace(split, n_tied=left.n_tied, title=f"{left.title}, tie split")


def suggestions(session: Session, result: Result) -> list[dict[str, Any]]:
    """The points to label next, as the canvas draws them."""
    scene, s = result.scene, result.left.solution
    index = np.flatnonzero(scene.alive)
    open_ = scene.labels[index] < 0
    found = [{"index": suggest.least_certain(relative_margin(s.H), open_), "kind": "least certain"}]
    state = state_of(result.graph)
    if hasattr(state, "lam"):
        labelled = np.flatnonzero(~open_)
        best = suggest.v_optimal(state, session.view.gamma, suggest.shift(s), labelled)
        found.append({"index": best, "kind": "most informative"})
    return [f | {"index": int(index[f["index"]])} for f in found if f["index"] is not None]


def live(
    session: Session,
    details: Callable[[Session, Result], None],
    also: tuple[str, ...] = (),
    max_height: int = 330,
) -> None:
    """The board, and below it the page's own details of what the board shows."""
    canvas.offer()
    st.fragment(_front, key=session.key("front"))(session, also, max_height)
    st.fragment(_rest, key=session.key("rest"))(session, details)


def again(session: Session) -> None:
    """In the callback of a widget among the details: the board answers too."""
    st.rerun([session.key("front"), session.key("rest")])


def _front(session: Session, also: tuple[str, ...], max_height: int) -> None:
    session.result = draw(session, also, max_height)


def _rest(session: Session, details: Callable[[Session, Result], None]) -> None:
    canvas.follow(session.key("follow"), session.step)
    if session.result is not None:
        details(session, session.result)
    session.save_link()


def draw(session: Session, also: tuple[str, ...] = (), max_height: int = 330) -> Result | None:
    """Canvas and numbers. Errors of the core become one sentence here."""
    try:
        have = take_events(session)
        scene = cache.scene(session.view, uploads())
        result = compute(session, also)
    except (ValueError, DataError) as error:
        st.error(str(error), icon=":material/error:")
        return None
    session.step += 1
    _mount(session, scene, result, have, max_height)
    if result is None:
        st.info("No point is labelled. Choose a class above and click a point on the left.")
        return None
    _remember_error(session, result)
    return result


def _mount(
    session: Session, scene: Scene, result: Result | None, have: str | None, max_height: int
) -> None:
    view = session.view
    marks = view.marks
    key = cache.data_key(view)
    data = canvas.payload(
        view,
        scene,
        list(result.answers) if result else [],
        cache.shading(view, scene) if view.shade else None,
        base=cache.digest(key),
        pid=cache.digest((key, marks.added, marks.moved)),
        have=have,
        step=session.step,
        ack=session.ack,
        can_undo=bool(session.history.past),
        can_redo=bool(session.history.future),
        can_add_class=scene.n_classes < MAX_CLASSES,
        suggestions=suggestions(session, result) if view.suggest and result else [],
        below=_numbers(scene, result) if result else "",
        max_height=max_height,
    )
    canvas.component()(key=session.key("board"), data=data, on_events_change=lambda: None)


def _numbers(scene: Scene, result: Result) -> str:
    return numbers.strip(result.answers, result.disagree, int(scene.alive.sum()))


def _remember_error(session: Session, result: Result) -> None:
    """One point of the error curve per number of labels; another setting starts it again."""
    view = session.view
    setting = repr(replace(view, marks=cache.without_labels(view.marks), shade=True, suggest=False))
    labels = int((result.scene.labels >= 0).sum())
    point = {"labels": labels, "left": result.left.error, "right": result.right.error}
    if session.curve_of != setting:
        session.curve_of, session.curve = setting, []
    if not session.curve or session.curve[-1] != point:
        session.curve = [*session.curve[-199:], point]


def relation_editor(session: Session, scene: Scene) -> None:
    """P: presets, table, graph, and the way out of an inadmissible one."""
    n_classes, names = scene.n_classes, scene.names
    key = session.key("P")
    st.markdown("#### Class relation P", help=relation.MEANING)
    current = (
        session.draft if session.draft is not None and len(session.draft) == n_classes else None
    )
    P = session.view.relation(n_classes) if current is None else current
    choices = relation.presets(n_classes)
    head, action = st.columns([3, 2], vertical_alignment="bottom")
    shown = next((n for n, rows in choices.items() if rows == relation.frozen(P)), "own matrix")
    with head, st.popover(f"P: {shown}", width="stretch"):
        for name, rows in choices.items():
            st.button(
                name,
                key=f"{key}.{name}",
                on_click=_adopt_now,
                args=(session, rows),
                width="stretch",
                type="tertiary",
            )
    action.button(
        "Weaken",
        key=f"{key}.scale",
        on_click=_adopt_now,
        args=(session, relation.frozen(np.where(np.eye(n_classes, dtype=bool), P, P / 2))),
        help="Halves the entries off the diagonal: weaker relations between the classes.",
        width="stretch",
    )
    relation.editor(key, P, names, on_edit=lambda: again(session))
    if session.draft is not None and current is not None:
        st.warning(relation.problem(P) or "", icon=":material/warning:")
        st.button(
            "Repair P",
            key=f"{key}.repair",
            help="The nearest symmetric matrix whose eigenvalues are all well above 0.",
            on_click=_adopt_now,
            args=(session, relation.frozen(np.round(relations.repair(P), 4))),
        )


def _adopt(session: Session, rows: relation.Rows) -> None:
    """Use P if it is admissible, else keep it as a draft."""
    P = np.array(rows)
    if relation.problem(P) is None:
        session.draft = None
        session.view = replace(session.view, P=None if (np.eye(len(P)) == P).all() else rows)
    else:
        session.draft = P


def _adopt_now(session: Session, rows: relation.Rows) -> None:
    _adopt(session, rows)
    again(session)


def secular_chart(session: Session, result: Result) -> None:
    """Where the norm meets tau, for the left method if it has a norm, else the right one."""
    for a in (result.left, result.right):
        if a.method == "mavr" and hasattr(state_of(result.graph), "lam"):
            p = a.parameters
            tau = norm(p.tau, int((result.scene.labels >= 0).sum())) or 1.0
            grid, norms = figures.norm_curve(
                spectrum_of(result.graph), result.scene.Y, p.P, p.gamma, tau, p.balance
            )
            figure = figures.secular_figure(grid, norms, tau, a.solution)
            chart(figure, session.key("secular"), "Norm of the responses against minus rho")
            return
    st.caption("Shown when one of the two methods is MAVR on a dense graph.")


def error_chart(session: Session, result: Result) -> None:
    if result.left.error is None:
        st.caption("Shown when the true classes are known.")
        return
    figure = figures.label_curve(session.curve, result.left.title, result.right.title)
    chart(figure, session.key("curve"), "Error against the number of labels")


def chart(figure: Any, key: str, alt: str) -> None:
    """A small figure without tools."""
    st.plotly_chart(figure, key=key, config={"displayModeBar": False}, alt=alt)
