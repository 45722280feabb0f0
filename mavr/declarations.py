"""What a setting is: a number, a choice, a flag or proportions; its words, its range, its link.

A declaration checks a value and says what is wrong with it, and writes it into a link and back.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Set
from dataclasses import dataclass, field, fields
from math import isfinite
from typing import Any

Rows = tuple[tuple[float, ...], ...]

# Longer texts are no numbers: Python reads them, in a time that grows with their square.
MAX_DIGITS = 40
# Proportions are relative: larger shares say nothing that smaller ones do not.
MAX_SHARE = 1e12


@dataclass(frozen=True)
class Number:
    """A number with its range.

    Attributes
    ----------
    name : attribute, keyword of an estimator and, with dashes, option of the command line.
    word, symbol, unit, help : what a reader sees.
    low, high : the least and the largest value, both included.
    usual : the value that nobody has to set.
    shown : ends of its slider; the range where not given.
    link : its name in a link; `name` where not given.
    logarithmic : equal steps of the slider are equal ratios.
    whole : whole numbers only.
    zero : 0 is allowed below `low`, to switch the term off.
    none : None is allowed, and means no constraint.
    names : strings that stand for a value; who takes them reads them first.
    """

    name: str
    word: str
    symbol: str
    help: str
    low: float
    high: float
    usual: float | None
    shown: tuple[float, float] | None = None
    link: str = ""
    logarithmic: bool = True
    whole: bool = False
    zero: bool = False
    none: bool = False
    unit: str = ""
    names: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "link", self.link or self.name)
        object.__setattr__(self, "shown", self.shown or (self.low, self.high))

    @property
    def label(self) -> str:
        """Word, symbol and unit."""
        return " ".join(filter(None, (self.word, self.symbol, self.unit)))

    @property
    def range(self) -> str:
        """The range in words."""
        more = (" or 0" if self.zero else "") + (" or None" if self.none else "")
        return f"{self.low:g} … {self.high:g}{more}"

    def check(self, value: Any) -> Any:
        """The value as a number of the right kind; ValueError says what is wrong with it."""
        if value is None and self.none:
            return None
        try:
            number = float(value)
        except (TypeError, ValueError, OverflowError):
            kinds = one_of(["a number", *_more(self.none, self.names)])
            raise ValueError(f"{self.name} must be {kinds}, got {shortened(value)}") from None
        inside = self.low <= number <= self.high or (self.zero and number == 0)
        if not (isfinite(number) and inside):
            raise ValueError(f"{self.name} must be in {self.range}, got {number:g}")
        if self.whole and number != int(number):
            raise ValueError(f"{self.name} must be a whole number, got {number:g}")
        return int(number) if self.whole else number

    def clamped(self, value: float) -> float:
        """The nearest value of the range."""
        if not value and self.zero:
            return 0.0
        value = min(max(value, self.low), self.high)
        return round(value) if self.whole else value

    def read(self, text: str) -> Any:
        """The value that `write` wrote."""
        if text == "none" and self.none:
            return None
        if len(text) > MAX_DIGITS:
            raise ValueError(f"{self.name} must be a number, got a text of {len(text)} characters")
        return self.check(text)

    def write(self, value: Any) -> str:
        """The shortest text that reads back as the same number."""
        return "none" if value is None else write_number(value)


@dataclass(frozen=True)
class _Named:
    """A declaration without symbol: its word is its label."""

    name: str
    word: str
    help: str
    link: str = field(default="", kw_only=True)

    def __post_init__(self) -> None:
        object.__setattr__(self, "link", self.link or self.name)

    @property
    def label(self) -> str:
        return self.word


@dataclass(frozen=True)
class Choice(_Named):
    """One of several names. `options` maps each to its title; it may grow while the app runs."""

    options: Callable[[], Mapping[str, str]]
    usual: str

    def check(self, value: Any) -> str:
        """The name itself; ValueError lists the names there are."""
        if value not in self.options():
            raise ValueError(
                f"{self.name} must be one of {', '.join(self.options())}, got {shortened(value)}"
            )
        return str(value)

    def read(self, text: str) -> str:
        return self.check(text)

    def write(self, value: str) -> str:
        return value


@dataclass(frozen=True)
class Flag(_Named):
    """Yes or no."""

    usual: bool = False

    def check(self, value: Any) -> bool:
        """The truth value itself, also as 0 or 1; other things are not taken for one."""
        if getattr(value, "ndim", 0) or value not in (False, True):
            raise ValueError(f"{self.name} must be True or False, got {shortened(value)}")
        return bool(value)

    def read(self, text: str) -> bool:
        """1 and 0, as links write them."""
        if text not in ("0", "1"):
            raise ValueError(f"{self.name} must be 0 or 1, got {shortened(text)}")
        return text == "1"

    def write(self, value: bool) -> str:
        return "1" if value else "0"


@dataclass(frozen=True)
class Proportions(_Named):
    """A share for each class: None for equal ones, "labels" to estimate them.

    names : strings that stand for a value; who takes them reads them first.
    """

    usual: None = None
    names: tuple[str, ...] = ()

    def check(self, value: Any) -> Any:
        """A tuple of numbers, "labels" or None."""
        if value is None or (isinstance(value, str) and value == "labels"):
            return value
        if keyed(value) or isinstance(value, Set):
            raise ValueError(
                f"{self.name} must be a list in the order of the classes, got {shortened(value)}; "
                "give its numbers alone"
            )
        try:
            shares = tuple(float(share) for share in value)
        except (TypeError, ValueError, OverflowError):
            shares = ()
        if isinstance(value, str) or not shares:
            kinds = one_of(["proportions", *_more(True, (*self.names, "labels"))])
            raise ValueError(f"{self.name} must be {kinds}, got {shortened(value)}")
        if not all(0 <= share <= MAX_SHARE for share in shares) or not any(shares):
            raise ValueError(
                f"{self.name} must be >= 0, at most {MAX_SHARE:g} and not all 0, "
                f"got {shortened(list(shares))}"
            )
        return shares

    def read(self, text: str) -> Any:
        """``equal``, ``labels``, or numbers as in ``1~3~9``, ``1:3:9`` or ``1, 3, 9``."""
        if text in ("equal", "labels"):
            return None if text == "equal" else text
        words = [word for word in re.split(r"[~:;,\s]+", text) if word]
        if any(len(word) > MAX_DIGITS for word in words):
            raise ValueError(f"{self.name} must be numbers, got {shortened(text)}")
        try:
            return self.check([float(word) for word in words])
        except ValueError as error:
            if words and "could not convert" not in str(error):
                raise
            raise ValueError(
                f"{self.name} must be equal, labels, or numbers as in 1:3:9, got {shortened(text)}"
            ) from None

    def write(self, value: Any) -> str:
        if value is None or isinstance(value, str):
            return value or "equal"
        return "~".join(write_number(share) for share in value)


Declared = Number | Choice | Flag | Proportions


def declared(about: Declared) -> Any:
    """A dataclass field with its declaration; the usual value is the default."""
    return field(default=about.usual, metadata={"about": about})


def declarations(settings: Any) -> dict[str, Any]:
    """The declarations of a dataclass by field, those that have one."""
    return {f.name: f.metadata["about"] for f in fields(settings) if "about" in f.metadata}


def checked(settings: Any) -> None:
    """Check every declared field of a frozen dataclass, in its `__post_init__`."""
    for name, about in declarations(settings).items():
        object.__setattr__(settings, name, about.check(getattr(settings, name)))


def write_number(value: float) -> str:
    """The shortest text that reads back as the same number."""
    if isinstance(value, float) and value == int(value) and abs(value) < 1e15:
        return repr(int(value))
    return repr(value)


def shortened(value: object, most: int = 40) -> str:
    """A value as it may stand in a sentence."""
    text = repr(value)
    return text if len(text) <= most else f"{text[: most - 1]}…"


def one_of(kinds: list[str]) -> str:
    """Kinds of values as a sentence lists them."""
    return " or ".join(filter(None, (", ".join(kinds[:-1]), kinds[-1])))


def _more(none: bool, names: tuple[str, ...]) -> list[str]:
    return ["None"] * none + [f'"{name}"' for name in names]


def keyed(value: Any) -> bool:
    """Whether a value is a mapping, or as a pandas Series: numbers by name."""
    return isinstance(value, Mapping) or (hasattr(value, "keys") and hasattr(value, "items"))


def frozen_rows(P: Iterable[Iterable[float]]) -> Rows:
    """A matrix as nested tuples, to compare and to hash."""
    return tuple(tuple(float(entry) for entry in row) for row in P)
