"""Numbers and sentences as they are shown."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence

from numpy.linalg import LinAlgError

# All that Markdown, and Streamlit's own additions to it, may take for more than text: every mark of
# ASCII, even the dot of "1.".
_MARKUP = re.compile(r"([!-/:-@\[-`{-~])")
# Addresses become links even with their marks escaped; an unseen joiner inside keeps them text.
_ADDRESS = re.compile(r"(www(?=\\\.)|https?(?=\\:)|@)", re.IGNORECASE)
JOINER = "\u2060"


def plain(text: str) -> str:
    """A text that Markdown shows as it is: what a visitor wrote is never markup."""
    escaped = _MARKUP.sub(r"\\\1", " ".join(str(text).split()))
    return _ADDRESS.sub(rf"\1{JOINER}", escaped)


# How a sentence begins that says what of a link could not be followed.
ONE_THING = "The link was not followed in one thing: "


def together(problems: Sequence[str]) -> list[str]:
    """Sentences as Markdown: what of a link could not be followed is one list.

    >>> print(*together([f"{ONE_THING}x is odd", f"{ONE_THING}y is not"]))
    The link was not followed in 2 things:
    - x is odd
    - y is not
    """
    things = [sentence for sentence in problems if sentence.startswith(ONE_THING)]
    if len(things) < 2:
        return [plain(sentence) for sentence in problems]
    listed = (f"\n- {plain(sentence.removeprefix(ONE_THING))}" for sentence in things)
    others = [plain(sentence) for sentence in problems if sentence not in things]
    return [*others, f"The link was not followed in {len(things)} things:{''.join(listed)}"]


# What may go wrong with a computation through no fault of the code.
FAILURES = (ValueError, MemoryError)


def remedy(error: Exception) -> str:
    """The sentence for one of `FAILURES`; our own errors are sentences already."""
    if isinstance(error, MemoryError):
        return "There is not enough memory for this: choose fewer points or fewer neighbours."
    if isinstance(error, LinAlgError):
        return (
            "The graph could not be decomposed in doubles: choose another similarity, another "
            "width or more neighbours."
        )
    return str(error)


_RAISED = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


def number(value: float, digits: int = 3) -> str:
    """A few digits, a true minus sign, powers of ten as such, a dash for what has no value."""
    if not math.isfinite(value):
        return "–"
    front, _, power = f"{value:.{digits}g}".partition("e")
    if power and 0 < int(power) < 6:
        front, power = f"{float(front) * 10 ** int(power):,.0f}", ""
    times = f"·10{str(int(power)).translate(_RAISED)}" if power else ""
    return f"{front}{times}".replace("-", "−").removeprefix("1·" if times else "")


def near_one(value: float) -> str:
    """Three digits of a number up to 1, more where rounding would make a 1 of it."""
    gap = 1 - value
    if not 0 < gap < 5e-4:
        return number(value)
    if gap < 1e-6:
        return f"1 − {gap:.1e}".replace("e-0", "e−").replace("e-", "e−")
    return f"{value:.{1 - math.floor(math.log10(gap))}f}"


def percent(value: float | None) -> str:
    """A share with one decimal, a dash where there is none."""
    return "–" if value is None else f"{100 * value:.1f} %"


def duration(seconds: float) -> str:
    """Milliseconds, seconds or minutes, in the unit that reads best."""
    if seconds < 0.1:
        return f"{1000 * seconds:.1f} ms"
    if seconds < 1:
        return f"{1000 * seconds:.0f} ms"
    return f"{seconds:.0f} s" if seconds < 90 else f"{seconds / 60:.0f} min"


def short(value: float) -> str:
    """A setting's value: plain digits where they are few, else a power of ten."""
    if value == 0:
        return "0"
    if 1e-3 <= abs(value) < 1e5:
        return f"{value:.4g}"
    return f"{value:.1e}".replace("e+0", "e").replace("e-0", "e-").replace("e+", "e")
