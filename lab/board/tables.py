"""The strip of numbers under the board: one row per method, every symbol with its word."""

from __future__ import annotations

import hashlib
import html
from collections.abc import Callable

import numpy as np

from lab.board.answers import Answer
from lab.board.compare import Comparison
from lab.tables import STYLE, WRAP, Cell, row
from lab.text import duration, near_one, number, percent

COLUMNS = (
    ("wrong", "Share of the unlabelled points that have a wrong class; tied ones claim none."),
    ("tied", "Points whose two best classes differ by less than the solver's error bound."),
    ("no label connected", "Points with no label in their part of the graph: no class is claimed."),
    ("multiplier ρ", "Multiplier of the norm constraint; −1 means no constraint, as in LGC."),
    (
        "effective α",
        "With unrelated classes and no balance, LGC with this α gives the same classes.",
    ),
    ("volume V(H)", "tr(HᵀQHP)/‖H‖²: small means smooth responses, a large volume."),
    ("solved in", "Time of this solve on the server, and how the responses were computed."),
)
# Letters that fit into one line on a phone.
MAX_LINE = 54


def digest(key: object) -> str:
    """A short name for a frozen key, the same in every process."""
    return hashlib.sha256(repr(key).encode()).hexdigest()[:16]


def _several(value: float | np.ndarray, write: Callable[[float], str] = number) -> str:
    values = np.atleast_1d(np.asarray(value, dtype=float))
    low, high = write(float(values.min())), write(float(values.max()))
    return low if low == high else f"{low} … {high}"


def _row(side: str, a: Answer) -> str:
    s = a.solution
    cells = [
        percent(a.error),
        str(a.n_tied),
        str(a.n_unreached),
        _several(s.rho),
        _several(s.alpha, near_one),
        number(s.volume),
        duration(a.seconds),
    ]
    named = [Cell(text, data_number=n) for text, (n, _) in zip(cells, COLUMNS, strict=True)]
    named[-1].attributes["title"] = f"{s.method}; {s.status.value}"
    return row([a.title, *named], data_side=side)


def strip(answers: tuple[Answer, ...], compared: Comparison) -> str:
    """HTML of the strip; the first two rows are the ones that may differ. Empty for no answer."""
    if not answers:
        return ""
    head = "".join(f'<th title="{html.escape(tip)}">{name}</th>' for name, tip in COLUMNS)
    rows = "".join(map(_row, ("left", "right", "third"), answers))
    said = told(answers, compared)
    look = "told long" if len(said) > MAX_LINE else "told"
    first = f'<th><span class="{look}">{html.escape(said)}</span></th>'
    return f'{STYLE}{WRAP}<table class="numbers"><tr>{first}{head}</tr>{rows}</table></div>'


def told(answers: tuple[Answer, ...], compared: Comparison) -> str:
    """Whether the two methods shown agree, in words."""
    return f"{' and '.join(a.title for a in answers[:2])} {compared.words}"


def part(count: int, n: int) -> str:
    """HTML of the sentence that says how many points are drawn."""
    return f'<p class="part">{count:,} of {n:,} points are drawn; all are solved and counted.</p>'
