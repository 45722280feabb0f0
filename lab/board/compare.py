"""Where two methods answer differently, and the sentence that says so."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Mask = npt.NDArray[np.bool_]
Classes = npt.NDArray[np.int16]


@dataclass(frozen=True)
class Comparison:
    """Numbers of points.

    Attributes
    ----------
    n : of all.
    differ : those that the two answer differently.
    one_open : those among them of which one method names a class and the other none, because they
        are tied or have no label connected.
    both_open : those of which neither names a class.
    """

    n: int
    differ: int
    one_open: int
    both_open: int

    @property
    def words(self) -> str:
        """What two methods do, after their names.

        >>> Comparison(300, 0, 0, 0).words, Comparison(300, 12, 5, 0).words
        ('agree everywhere', 'disagree on 12 of 300 points; on 5 of them only one names a class')
        """
        if self.differ:
            told = f"disagree on {self.differ} of {self.n} points"
            if not self.one_open:
                return told
            if self.one_open == self.differ:
                return f"{told}, where only one names a class"
            return f"{told}; on {self.one_open} of them only one names a class"
        if self.both_open == self.n:
            return "both name no class anywhere"
        if self.both_open:
            return f"agree; neither names a class for {self.both_open} of {self.n} points"
        return "agree everywhere"


def compare(
    left: tuple[Classes, Mask], right: tuple[Classes, Mask], alive: Mask
) -> tuple[Mask, Comparison]:
    """Points answered differently, and how many there are.

    left, right : the class of each point, and whether it names none: a point that is tied or has
        no label connected claims no class, whatever stands first among the equal ones.
    """
    (one, one_open), (other, other_open) = left, right
    alone = alive & (one_open != other_open)
    differ = alone | (alive & ~one_open & ~other_open & (one != other))
    both = alive & one_open & other_open
    counts = (int(mask.sum()) for mask in (alive, differ, alone, both))
    return differ, Comparison(*counts)
