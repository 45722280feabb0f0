"""The panels of the paper's serendipity figure, and "all but one known" variants, as views."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from lab.session import fresh_view
from lab.view import View
from mavr import relations


@dataclass(frozen=True)
class Panel:
    """title and what the paper, or we, say it shows; P by name; unknown : class hidden, or -1."""

    title: str
    lesson: str
    data: str
    relation: str
    unknown: int = -1

    def view(self) -> View:
        view = fresh_view(self.data, unknown=self.unknown)
        if self.unknown < 0:
            P = None if self.relation == "I" else _rows(relations.PAPER[self.relation])
            view = replace(view, P=P)
        left = "lgc" if self.relation == "I" else view.left
        right = "mavr" if left == "lgc" else "lgc"
        # Tied classes are drawn split in the figure, as the paper's are; the page says so.
        return replace(view, left=left, right=right, split=self.relation in ("P4", "P5", "P6"))


def _rows(P: np.ndarray) -> tuple[tuple[float, ...], ...]:
    return tuple(tuple(float(v) for v in row) for row in P)


PANELS: dict[str, Panel] = {
    "1-I": Panel(
        "Data 1, LGC", "LGC has no fourth class: ring 4 joins a ring that is known.", "rings", "I"
    ),
    "1-P1": Panel("Data 1, P1", "Classes 3 and 4 are related: ring 4 joins ring 3.", "rings", "P1"),
    "1-P2": Panel("Data 1, P2", "Classes 2 and 4 are related: ring 4 joins ring 2.", "rings", "P2"),
    "1-P3": Panel(
        "Data 1, P3", "Class 4 is repelled by 2 and 3: ring 4 is a class of its own.", "rings", "P3"
    ),
    "2-P4": Panel(
        "Data 2, P4", "One label on ring 1, three classes to be found.", "rings_one", "P4"
    ),
    "3-P5": Panel("Data 3, P5", "A smile, one label.", "smile", "P5"),
    "4-P5": Panel("Data 4, P5", "Two blobs in a background, one label.", "blobs_background", "P5"),
    "5-P6": Panel("Data 5, P6", "Four bars, one label.", "bars", "P6"),
    "5i-P5": Panel("Data 5 (ICML), P5", "A disc in two rings, one label.", "disc_rings", "P5"),
    "2-but": Panel(
        "Rings, all but one", "Three rings known, the first to be found.", "rings_one", "", 0
    ),
    "3-but": Panel("Smile, all but one", "Every shape known but one eye.", "smile", "", 0),
    "4-but": Panel(
        "Blobs, all but one",
        "The background is the class without a label.",
        "blobs_background",
        "",
        2,
    ),
    "5-but": Panel("Bars, all but one", "Three bars known, the first to be found.", "bars", "", 0),
    "5i-but": Panel(
        "Disc, all but one", "Both rings known, the disc to be found.", "disc_rings", "", 0
    ),
}
