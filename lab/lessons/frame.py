"""A lesson link inside of another web page: the iframe, and how tall its content is.

An embedded lesson is at most `WIDTH` pixels wide with its controls above the board, so that its
height depends on what is shown and not on the page around it. The numbers are measured in Chromium;
tests/browser/test_frames.py holds every one of them against what a frame needs.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping

from datasets import DataError
from lab.board.view import View
from lab.data import load
from lab.map.view import MapView
from lab.sets.view import LabelView, source_of
from lab.uploads import uploads

WIDTH = 800
# Fonts of another machine are a little wider: a line may wrap that did not wrap here.
SPARE = 26
# The boards with their numbers and the way to the full page.
CLASSES, SETS, MAP = 532, 713, 1091
SLIDER = 57
# Groups of controls, beside a data set's sliders and P.
GROUPS: Mapping[str, int] = {
    "methods": 151,
    "data": 192,
    "graph": 81,
    "draw": 286,
    "show": 71,
    "split": 37,
    "threshold": 156,
    "measures": 666,
    "colour": 84,
    "axes": 84,
}
OF_SETS: Mapping[str, int] = {**GROUPS, "draw": 194}
NOTE, LETTERS, LINE = 51, 92, 24
# A toolbar or a legend with more names than this may need another line.
FEW, TOOLBAR = 4, 36
# P below a board of classes: a row for each class; of label sets, with its formula.
P_HEAD, P_ROW, P_LEAST, P_SETS = 154, 34, 240, 455
# Single labels stand four in a row.
ROW_OF_LABELS, LABELS_ACROSS = 240, 4

AnyView = View | LabelView | MapView


def height(view: AnyView, names: Collection[str], note: str) -> int:
    """Pixels that a lesson page of this view, with these controls and this note, needs."""
    board = view.board if isinstance(view, MapView) else view
    sliders = [name for name in names if name not in GROUPS and name != "P"]
    total = SPARE + _picture(view) + SLIDER * len(sliders) + (5 if sliders else 0)
    groups = OF_SETS if isinstance(view, LabelView) else GROUPS
    total += sum(groups[name] for name in names if name in groups)
    if "data" in names:
        total += SLIDER * len(board.data.numbers)
    if "P" in names:
        total += _relation(view)
    if note:
        total += NOTE + LINE * math.ceil(len(note) / LETTERS)
    return total


def _picture(view: AnyView) -> int:
    c = _classes(view)
    wrapped = TOOLBAR if c > FEW else 0
    if isinstance(view, LabelView):
        return SETS + wrapped + ROW_OF_LABELS * (math.ceil(c / LABELS_ACROSS) - 1)
    return (MAP if isinstance(view, MapView) else CLASSES) + wrapped


def _relation(view: AnyView) -> int:
    rows = P_ROW * _classes(view)
    if isinstance(view, LabelView):
        return P_SETS + max(0, rows - 3 * P_ROW)
    return max(P_LEAST, P_HEAD + rows)


def _classes(view: AnyView) -> int:
    try:
        if isinstance(view, LabelView):
            return source_of(view, uploads()).n_classes
        board = view.board if isinstance(view, MapView) else view
        return load(board.data, uploads()).n_classes + board.marks.extra
    except DataError:
        return 1  # the file of a link is missing: the page says so, and draws no board


def frame(link: str, height: int) -> str:
    """The link in an iframe."""
    source = f"{link}&embed=true".replace("&", "&amp;").replace('"', "%22")
    return (
        f'<iframe src="{source}" width="100%" height="{height}" style="border: 0" '
        'title="MAVR Lab"></iframe>'
    )
