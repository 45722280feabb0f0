"""What the map draws, and how changes of settings move it: for the script and the live channel."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np

from lab.board.answers import Answer, Result, compute, relative_margin
from lab.board.face import Classes, Files, read_changes, with_data
from lab.board.picture import Picture
from lab.board.tables import digest
from lab.board.view import View, fresh_view
from lab.data import load
from lab.link import Codec
from lab.map.axes import current
from lab.map.job import MapJob
from lab.map.request import NUMBERS, TIED, TIED_WIDE, about_axes, request_of
from lab.map.view import CODEC, QUANTITIES, MapView
from lab.text import duration

# Chunks of one message: about a megabyte at 300 points.
MAX_CHUNKS = 24
BOARD = Classes()


@dataclass(frozen=True)
class Shown:
    """What the map shows: the board at the current setting, the usual errors, the job.

    outdated : the job's map is that of another setting; only the board is that of this one.
    """

    board: Result
    usual: tuple[float | None, float | None]
    job: MapJob
    outdated: bool = False

    @property
    def answers(self) -> Any:
        return self.board.answers


@dataclass(frozen=True)
class MapFace:
    """The map of one job."""

    job: MapJob
    codec: ClassVar[Codec[MapView]] = CODEC

    def base(self, view: MapView) -> str:
        return digest(view.board.data)

    def apply(self, view: MapView, event: dict[str, Any], files: Files) -> MapView:
        return view

    def changed(self, view: MapView, changes: Mapping[str, str], files: Files) -> MapView:
        after = read_changes(self.codec, view, changes)
        if after.board.data == view.board.data:
            return after
        return replace(after, board=with_data(after.board, after.board.data, files))

    def quick(self, view: MapView, files: Files) -> bool:
        return BOARD.quick(view.board, files)

    def apart(self, view: MapView) -> bool:
        # The map that it shows a part of is here.
        return False

    def compute(self, view: MapView, files: Files, coarse: bool = False) -> Shown:
        self.job.watch()
        # A setting that is no axis makes another map: the script's work, when the hand rests.
        if request_of(view, files) != self.job.request:
            return Shown(compute(view.board, files), (None, None), self.job, outdated=True)
        # While the map fills, the browser asks again and again about the same board.
        if self.job.shown is None or self.job.shown[0] != view.board:
            shown = Shown(compute(view.board, files), usual_errors(view.board, files), self.job)
            self.job.shown = view.board, shown
        found: Shown = self.job.shown[1]
        return found

    def picture(self, view: MapView, result: Shown, have: str | None) -> Picture:
        points, _, rest = (have or "").partition("|")
        of, _, count = rest.partition(":")
        mid = digest(self.job.request)
        known = int(count) if of == mid and count.isdigit() else 0
        rows = self.job.rows()
        sent = rows[known : known + MAX_CHUNKS]
        board = BOARD.picture(view.board, result.board, points or None)
        return board | {
            "kind": "map",
            "map": plane_picture(view, result, mid),
            "chunks": [dict(vars(chunk)) for chunk in sent],
            "first_chunk": known,
            "all_chunks": len(rows),
            "progress": progress_picture(self.job),
        }


def usual_errors(board: View, files: Files) -> tuple[float | None, float | None]:
    """Errors of both methods at the data set's usual setting, with these labels."""
    if load(board.data, files).y is None:
        return None, None
    usual = replace(board, setting=fresh_view(board.data, files).setting)
    answers = compute(replace(usual, suggest=False, shade=False), files).answers
    return (answers[0].error, answers[1].error) if answers else (None, None)


def plane_picture(view: MapView, result: Shown, mid: str) -> Picture:
    """The axes, the place of the current setting, and the quantity."""
    request, c = result.job.request, result.board.scene.n_classes
    abouts = about_axes(view, result.board.scene.data)
    axes = []
    for axis, about in zip((request.x, request.y), abouts, strict=True):
        at = current(view.board, axis.name, c)
        axes.append(
            {
                "name": axis.name,
                "word": about.word,
                "symbol": about.symbol,
                "values": list(axis.values),
                "log": about.logarithmic,
                "at": at if at == at else None,
            }
        )
    return {
        "id": mid,
        "outdated": result.outdated,
        "axes": axes,
        "numbers": list(NUMBERS),
        "tied": TIED if c < TIED else TIED_WIDE,
        "show": view.show,
        "side": 0 if view.side == "left" else 1,
        "quantity": dict(vars(QUANTITIES[view.show])),
        "usual": list(result.usual),
        "exact": [exact_numbers(answer) for answer in result.board.answers[:2]],
        "knows_truth": result.board.scene.truth is not None,
    }


def exact_numbers(answer: Answer) -> dict[str, float | None]:
    """The numbers beside the board at the very setting, which may lie between two cells."""
    s = answer.solution
    sizes = np.bincount(s.labels[~s.unreached], minlength=1)
    rho = float(np.mean(s.rho))
    found = {
        "tied": float(s.ties.mean()),
        "largest": float(sizes.max() / max(sizes.sum(), 1)),
        "margin": float(relative_margin(s.H).mean()),
        "effective": answer.parameters.gamma / -rho if rho < 0 else float("nan"),
        "rho": rho,
        "volume": float(s.volume),
    }
    return {name: value if np.isfinite(value) else None for name, value in found.items()}


def progress_picture(job: MapJob) -> Picture:
    """How far the job is."""
    p = job.progress()
    seconds = p.seconds_left or 0.0
    left = f", {duration(seconds)} left" if seconds >= 1 else ""
    return {"state": p.state, "share": p.share, "left": left, "problem": p.problem}
