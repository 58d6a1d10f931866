"""Frames: what a run looks like as it goes."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any, TypeAlias

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Numbers: TypeAlias = npt.NDArray[np.integer[Any]]

FREE, DATA, LOG, TRANSLATION, OPEN = range(5)
"""What a block is, by its number in `Frame.states`."""

CLASSES = 16
"""Classes that a separation has at most; behind `OPEN` each has a state for its full blocks."""

STATES = (
    "free",
    "data",
    "log",
    "translation",
    "open (not full)",
    *(f"class {number}" for number in range(1, CLASSES + 1)),
)
"""Their names; only blocks of data or translation pages are told to be open."""


@dataclass(frozen=True)
class Figures:
    """Figures of a stretch of requests; None where there is none."""

    hit_ratio: float | None
    write_amplification: float | None
    mean_us: float | None
    p99_us: float | None


@dataclass(frozen=True)
class Frame:
    """A run at one moment of its measured phase."""

    requests: int
    """Served so far."""
    of: int | None
    """Requests of the input, if that can be known."""
    time_s: float
    """Completion of the last of them, simulated."""
    so_far: Figures
    """Since measuring started: at the end, those of the result."""
    window: Figures
    """Since the frame before."""
    planes: list[float]
    """Share of the time since the frame before that each plane was busy."""
    operations: dict[str, int]
    """Flash operations so far, by cause."""
    erases: int
    """Block erases so far."""
    valid: Numbers
    """Of each block, pages that hold the newest version of something."""
    written: Numbers
    """Of each block, pages programmed or skipped since its last erase."""
    pages: Numbers
    """Of each block, the pages that it has."""
    kind: Numbers
    """Of each block, what it holds: `FREE`, `DATA`, `LOG` or `TRANSLATION`."""
    class_: Numbers
    """Of each block, the class of its pages from 1; 0 where pages are not separated."""

    @classmethod
    def of_core(cls, found: Mapping[str, Any]) -> Frame:
        """Return the frame that the core tells."""
        told = {each.name: found[each.name.rstrip("_")] for each in fields(cls)}
        stretches = {name: Figures(**found[name]) for name in ("so_far", "window")}
        return cls(**{**told, **stretches})

    @property
    def states(self) -> npt.NDArray[np.uint8]:
        """What each block is: `OPEN`, its class, or its kind; a log block stays one."""
        import numpy as np  # Half of the time that ftlab would take to import.

        has_room = (self.written < self.pages) & np.isin(self.kind, (DATA, TRANSLATION))
        kind = np.where(self.class_ > 0, OPEN + self.class_, self.kind)
        return np.where(has_room, OPEN, kind).astype(np.uint8)

    @property
    def busy(self) -> float:
        """Mean of `planes`."""
        return sum(self.planes) / len(self.planes)


Show: TypeAlias = Callable[[Frame], object]
