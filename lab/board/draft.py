"""A class relation P that is being edited and cannot be used yet."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np


@dataclass
class Draft:
    """P : as it was typed, None where there is none; why : what is wrong with it; of : what of the
    view it is an edit of."""

    P: np.ndarray | None = None
    why: str = ""
    of: Any = None

    def put(self, P: np.ndarray, why: str, view: Any) -> None:
        """Keep a P that cannot be used."""
        self.P, self.why, self.of = P, why, _edited(view)

    def clear(self) -> None:
        self.P = None

    def shown(self, view: Any) -> np.ndarray | None:
        """The draft, while the view still has the P that it is an edit of."""
        return self.P if self.of == _edited(view) else None

    def problem(self, view: Any) -> str:
        """What is wrong with the draft shown; nothing where there is none."""
        return "" if self.shown(view) is None else self.why


def _edited(view: Any) -> tuple[Any, ...]:
    extra = view.marks.extra if hasattr(view, "marks") else 0
    return view.data, extra, view.setting.parameters.P
