"""Views that teach one thing each. A preset is data: a view and the sentence that goes with it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from lab.board.marks import Marks, labelled
from lab.board.view import View, fresh_view
from lab.data import Data, load
from lab.page import Page

# What the Playground opens with.
FIRST = "beats"


@dataclass(frozen=True)
class Preset:
    title: str
    lesson: str
    make: Callable[[], View]


@dataclass
class Opened:
    """The example that a page shows, at first the one it opens with.

    name : whose sentence is shown; view : as it came; picked : chosen by the visitor.
    """

    name: str | None = FIRST
    view: View | None = None
    picked: str | None = None

    def open(self, page: Page[View], name: str | None) -> None:
        """Show an example, or forget which one it was."""
        self.name = self.picked = name
        if name is not None:
            self.view = PRESETS[name].make()
            page.show(self.view)

    def sentence(self, now: View) -> str:
        """What the example teaches; marked when the view is no longer the example's."""
        if self.view is None:
            self.view = PRESETS[FIRST].make()
            self.name = FIRST if now == self.view else None
        # Other points of the same set keep the place of what stands below.
        if self.name is None or now.data.name != self.view.data.name:
            return ""
        mark = marked(same(now, self.view))
        return f"**{PRESETS[self.name].title}.** {PRESETS[self.name].lesson} {mark}"


def same(now: View, then: View) -> bool:
    """Whether a view says what an example said: what is drawn beside the answers does not count."""
    beside = ("shade", "errors", "disagree", "suggest")
    return replace(now, **{name: getattr(then, name) for name in beside}) == then


def marked(unchanged: bool) -> str:
    """That an example was changed. Its place is kept (lab/style.css): a board under the hand must
    not move when it comes."""
    return "~~(You have changed it.)~~" if unchanged else "*(You have changed it.)*"


def _agree() -> View:
    view = fresh_view(Data("three_circles", (("noise", 0.2),), seed=1))
    return replace(view, setting=view.setting.having(sigma=1.0))


def _collapse() -> View:
    view = fresh_view(Data("unequal_blobs", seed=2))
    return replace(view, right="mavr", own=True, second=replace(view.second, balance=1.0))


def _wrong_label() -> View:
    view = fresh_view(Data("two_moons", seed=2))
    source = load(view.data, {})
    upper = np.flatnonzero(np.asarray(source.y) == 0)
    odd = int(upper[source.points[upper, 1].argmax()])
    marks = labelled(view.marks, [odd], 1)
    return replace(view, marks=marks, setting=view.setting.having(balance=1.0))


def _attraction() -> View:
    view = fresh_view(Data("rings", seed=0))
    P = np.eye(4)
    P[0, 1] = P[1, 0] = -0.9
    return replace(view, setting=view.setting.having(P=P))


def _disconnected() -> View:
    view = fresh_view(Data("three_circles", (("noise", 0.1),), seed=1))
    spec = view.setting.having(similarity="knn", n_neighbors=5)
    return replace(view, setting=spec, marks=Marks(labels=view.marks.labels[:2]))


PRESETS: dict[str, Preset] = {
    "beats": Preset(
        "Where MAVR beats LGC",
        "Three circles with one label each. With MAVR a label travels further along its circle "
        "before it leaks to the next: its effective α is nearer to 1 than LGC's 0.99.",
        lambda: fresh_view(Data("three_circles", seed=43)),
    ),
    "agree": Preset(
        "Where they agree",
        "Little noise and a wide kernel: the circles are easy, and both methods say the same.",
        _agree,
    ),
    "collapse": Preset(
        "Collapse without balance",
        "One label per blob, and the class whose label is best connected takes over (left, nearly "
        "two thirds wrong). The class-balance term (right) takes that advantage away.",
        _collapse,
    ),
    "wrong_label": Preset(
        "A wrong label and what it does",
        "One point on the upper moon carries the label of the lower one, and both methods get more "
        "than a third of the points wrong. Erase it (right-click): MAVR has no error left.",
        _wrong_label,
    ),
    "moons": Preset(
        "Two moons, one label each",
        "The classic: the graph follows the shape, and with two labels at most one point of 300 is "
        "wrong.",
        lambda: fresh_view(Data("two_moons", seed=8)),
    ),
    "no_label": Preset(
        "A class without labels",
        "Four rings, three labels. P repels class 4 from classes 2 and 3, and class 4 takes the "
        "ring without label. LGC knows nothing of a fourth class and splits that ring.",
        lambda: fresh_view(Data("rings", seed=0)),
    ),
    "attraction": Preset(
        "Two classes that attract",
        "P₁₂ = −0.9: classes 1 and 2 attract, and the ring without label falls to class 3 alone. "
        "LGC, with unrelated classes, splits it between classes 2 and 3.",
        _attraction,
    ),
    "disconnected": Preset(
        "Points that no label reaches",
        "Five neighbours leave the circles unconnected, and the outer circle has no label. Its "
        "points stay grey: no class is claimed for them.",
        _disconnected,
    ),
}
