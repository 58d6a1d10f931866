"""Whether one value is better than another, or only differs (docs/choices.md#difference)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean, stdev

TOLERANCE = 0.005
"""Values that differ by no more than this share of the larger are alike."""


@dataclass(frozen=True)
class Measured:
    """A value: its mean over seeds or parts, and their standard deviation."""

    mean: float
    deviation: float = 0.0
    parts: tuple[float, ...] = ()
    """The value in each part of the input, where runs are such parts."""

    @classmethod
    def of(cls, values: Sequence[float], parts: bool = False) -> Measured:
        """Return what runs with several seeds, one, or several ``parts`` of the input measured."""
        deviation = stdev(values) if len(values) > 1 else 0.0
        return cls(fmean(values), deviation, tuple(values) if parts else ())

    def alike(self, other: Measured) -> bool:
        """Tell whether the means are the same but for the tolerance."""
        largest = max(abs(self.mean), abs(other.mean))
        return abs(self.mean - other.mean) <= TOLERANCE * largest

    def overlaps(self, other: Measured) -> bool:
        """Tell whether the deviations of seeds reach from one mean to the other's.

        In parts of one input it is the deviation of the difference that counts.
        """
        if self.parts and len(self.parts) == len(other.parts):
            differences = [b - a for a, b in zip(self.parts, other.parts, strict=True)]
            return abs(fmean(differences)) <= stdev(differences)
        return abs(self.mean - other.mean) <= self.deviation + other.deviation

    def differs(self, other: Measured) -> bool:
        """Tell whether one value may be called better than the other."""
        return not self.alike(other) and not self.overlaps(other)


def winners(values: Sequence[Measured | None], better: str) -> list[int]:
    """Return the positions of the best value and of those like it; none if none is worse.

    ``better`` is ``higher``, ``lower``, or empty for what has no best.
    """
    known = [value for value in values if value is not None]
    if not better or not known:
        return []
    choose = max if better == "higher" else min
    best = choose(known, key=lambda value: value.mean)
    if not any(best.differs(value) for value in known):
        return []
    return [at for at, value in enumerate(values) if value and not best.differs(value)]
