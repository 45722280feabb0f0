"""One sampling of a sweep as the Playground shows it."""

from __future__ import annotations

from dataclasses import replace

import datasets
from lab.board.marks import Marks
from lab.board.view import View
from lab.data import Data
from mavr.experiments import Sweep, sampling_seed


def playground_view(sweep: Sweep, value: float, sampling: int, left: str, right: str) -> View:
    """The setting, the seed and the labels of a sampling, and two methods."""
    design = sweep.at(value)
    source = design.source
    assert isinstance(source, datasets.Generated)
    seed = sampling_seed(sweep.seed, sampling)
    sample = design.sample(seed)
    y = sample.y
    assert y is not None
    data = Data(source.name).having(**dict(design.arguments))
    return View(
        data=replace(data, seed=seed),
        marks=Marks(labels=tuple((int(i), int(y[i])) for i in design.labelled(y, seed))),
        setting=design.setting,
        left=left,
        right=right,
    )


def sides(method: str, methods: tuple[str, ...]) -> tuple[str, str]:
    """The picked method beside MAVR, or MAVR beside LGC."""
    if method != "mavr":
        return "mavr", method
    return "mavr", next((m for m in ("lgc", *methods) if m in methods and m != "mavr"), "lgc")
