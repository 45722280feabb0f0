"""What a step of a lesson waits for: questions about a view and its answer, by name."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from lab.board.answers import TIE, Answer, Result
from lab.board.view import View

Ask = Callable[[View, Result, float], bool]


@dataclass(frozen=True)
class Check:
    """A question; number : what its number means, empty where it takes none."""

    about: str
    ask: Ask
    number: str = ""


@dataclass(frozen=True)
class Asked:
    """A check of a step with its number."""

    name: str
    number: float = 0.0

    def passes(self, view: View, result: Result) -> bool:
        """Whether it holds; nothing holds while no point is labelled."""
        return bool(result.answers) and CHECKS[self.name].ask(view, result, self.number)


def _error(a: Answer) -> float:
    """Share of wrong, tied or unreached points in per cent; without a truth nothing is right."""
    return 100.0 if a.not_right is None else 100 * a.not_right


def _labelled(result: Result) -> int:
    return int((result.scene.labels >= 0).sum())


def _alone(result: Result, number: float) -> bool:
    """Whether a class has just the points that are its own."""
    scene, a, j = result.scene, result.left, int(number) - 1
    if scene.truth is None or j >= scene.n_classes:
        return False
    own, said = scene.truth == j, (a.pred == j) & (a.flags & TIE == 0)
    return bool((own == said)[scene.alive].all())


def _tied(a: Answer) -> int:
    """Points drawn as tied: none once the tie is split."""
    return int((a.flags & TIE).astype(bool).sum())


def _largest_share(result: Result) -> float:
    pred = result.left.pred[result.scene.alive]
    pred = pred[pred >= 0]
    return 100 * float(np.bincount(pred).max()) / max(len(pred), 1) if len(pred) else 0.0


def _alpha(result: Result) -> float:
    return float(np.max(result.left.solution.alpha))


CHECKS: dict[str, Check] = {
    "all-right": Check(
        "the left method has no wrong, tied or unreached point",
        lambda view, r, x: (
            r.left.n_wrong == r.left.n_tied == r.left.n_unreached == 0 and r.left.error is not None
        ),
    ),
    "error-below": Check(
        "the left method's share of points that are not right is below x %",
        lambda view, r, x: _error(r.left) < x,
        "per cent",
    ),
    "error-above": Check(
        "the left method's share of points that are not right is above x %",
        lambda view, r, x: _error(r.left) > x,
        "per cent",
    ),
    "right-error-below": Check(
        "the right method's share of points that are not right is below x %",
        lambda view, r, x: _error(r.right) < x,
        "per cent",
    ),
    "better-by": Check(
        "the left method has fewer points that are not right than the right one, by x %",
        lambda view, r, x: _error(r.right) - _error(r.left) >= x,
        "per cent",
    ),
    "agree": Check("both methods say the same of every point", lambda view, r, x: r.disagree == 0),
    "disagree": Check(
        "the methods disagree on at least x points",
        lambda view, r, x: r.disagree >= x,
        "points",
    ),
    "labels": Check(
        "at least x points are labelled", lambda view, r, x: _labelled(r) >= x, "points"
    ),
    "labels-at-most": Check(
        "at most x points are labelled", lambda view, r, x: _labelled(r) <= x, "points"
    ),
    "classes-labelled": Check(
        "at least x classes have a label",
        lambda view, r, x: len(set(r.scene.labels[r.scene.labels >= 0].tolist())) >= x,
        "classes",
    ),
    "volume-below": Check(
        "V(H) of the left method is below x",
        lambda view, r, x: r.left.solution.volume < x,
        "a number above 0",
    ),
    "class-alone": Check(
        "the left method gives class x just its own points",
        lambda view, r, x: _alone(r, x),
        "number of the class, from 1",
    ),
    "one-class-takes": Check(
        "the left method gives one class at least x % of the points",
        lambda view, r, x: _largest_share(r) >= x,
        "per cent",
    ),
    "no-class-takes": Check(
        "the left method gives no class x % of the points",
        lambda view, r, x: _largest_share(r) < x,
        "per cent",
    ),
    "tied": Check(
        "at least x points of the left method are tied",
        lambda view, r, x: _tied(r.left) >= x,
        "points",
    ),
    "no-tie": Check("no point of the left method is tied", lambda view, r, x: _tied(r.left) == 0),
    "unreached": Check(
        "no label reaches at least x points",
        lambda view, r, x: r.left.n_unreached >= x,
        "points",
    ),
    "all-reached": Check("a label reaches every point", lambda view, r, x: r.left.n_unreached == 0),
    "alpha-above": Check(
        "the effective α of the left method is above x",
        lambda view, r, x: _alpha(r) > x,
        "a number from 0 to 1",
    ),
    "alpha-below": Check(
        "the effective α of the left method is below x",
        lambda view, r, x: _alpha(r) < x,
        "a number from 0 to 1",
    ),
    "P-changed": Check(
        "P is not I",
        lambda view, r, x: bool(
            (view.relation(r.scene.n_classes) != np.eye(r.scene.n_classes)).any()
        ),
    ),
}
