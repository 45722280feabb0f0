"""A value with what undo and redo lead to."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Generic, TypeVar

T = TypeVar("T")

MAX_STEPS = 200


@dataclass(frozen=True)
class History(Generic[T]):
    """now : the value; past : older ones, oldest first; future : undone ones, next first."""

    now: T
    past: tuple[T, ...] = ()
    future: tuple[T, ...] = ()

    def put(self, value: T) -> History[T]:
        """A new value; what was undone is gone. The same value again is no step."""
        if value == self.now:
            return self
        return History(value, (*self.past[1 - MAX_STEPS :], self.now))

    def undo(self) -> History[T]:
        if not self.past:
            return self
        return History(self.past[-1], self.past[:-1], (self.now, *self.future))

    def redo(self) -> History[T]:
        if not self.future:
            return self
        return History(self.future[0], (*self.past, self.now), self.future[1:])
