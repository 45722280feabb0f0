"""What a step of a lesson waits for: questions about an answer, by name.

docs/lessons.md says each in words.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from lab.board.answers import TIE, Answer, Result


@dataclass(frozen=True)
class Check:
    """A question about an answer and a number; number : what that means, empty for none."""

    ask: Callable[[Result, float], bool]
    number: str = ""


@dataclass(frozen=True)
class Asked:
    """A check of a step with its number."""

    name: str
    number: float = 0.0

    def passes(self, result: Result) -> bool:
        """Whether it holds; nothing holds while no point is labelled."""
        return bool(result.answers) and CHECKS[self.name].ask(result, self.number)


def _all_right(a: Answer) -> bool:
    return a.error is not None and not (a.n_wrong or a.n_tied or a.n_unreached)


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


def _related(result: Result) -> bool:
    """Whether P is not I."""
    P = np.array(result.left.parameters.P)
    return bool((np.eye(len(P)) != P).any())


CHECKS: dict[str, Check] = {
    "all-right": Check(lambda r, x: _all_right(r.left)),
    "error-below": Check(lambda r, x: _error(r.left) < x, "per cent"),
    "error-above": Check(lambda r, x: _error(r.left) > x, "per cent"),
    "right-error-below": Check(lambda r, x: _error(r.right) < x, "per cent"),
    "better-by": Check(lambda r, x: _error(r.right) - _error(r.left) >= x, "per cent"),
    "agree": Check(lambda r, x: r.disagree == 0),
    "disagree": Check(lambda r, x: r.disagree >= x, "points"),
    "labels": Check(lambda r, x: _labelled(r) >= x, "points"),
    "labels-at-most": Check(lambda r, x: _labelled(r) <= x, "points"),
    "classes-labelled": Check(lambda r, x: int(r.scene.Y.any(axis=0).sum()) >= x, "classes"),
    "volume-below": Check(lambda r, x: r.left.solution.volume < x, "a number above 0"),
    "class-alone": Check(_alone, "number of the class, from 1"),
    "one-class-takes": Check(lambda r, x: _largest_share(r) >= x, "per cent"),
    "no-class-takes": Check(lambda r, x: _largest_share(r) < x, "per cent"),
    "tied": Check(lambda r, x: _tied(r.left) >= x, "points"),
    "no-tie": Check(lambda r, x: _tied(r.left) == 0),
    "unreached": Check(lambda r, x: r.left.n_unreached >= x, "points"),
    "all-reached": Check(lambda r, x: r.left.n_unreached == 0),
    "alpha-above": Check(lambda r, x: _alpha(r) > x, "a number from 0 to 1"),
    "alpha-below": Check(lambda r, x: _alpha(r) < x, "a number from 0 to 1"),
    "P-changed": Check(lambda r, x: _related(r)),
}
