"""Frames: the state of a run while it proceeds."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any, TypeAlias

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Numbers: TypeAlias = npt.NDArray[np.integer[Any]]

FREE, DATA, LOG, TRANSLATION, OPEN = range(5)
"""The states of a block in `Frame.states`."""

CLASSES = 16
"""The most classes of a separation; after `OPEN`, each has a state for its full blocks."""

STATES = (
    "free",
    "data",
    "log",
    "translation",
    "open (not full)",
    *(f"class {number}" for number in range(1, CLASSES + 1)),
)
"""The names of the states; only blocks of data or translation pages can be open."""


@dataclass(frozen=True)
class Figures:
    """Metrics of a part of the requests; None for those that do not exist."""

    hit_ratio: float | None
    write_amplification: float | None
    mean_us: float | None
    p99_us: float | None


@dataclass(frozen=True)
class Frame:
    """A run at one moment of its measured phase."""

    requests: int
    """Requests served so far."""
    of: int | None
    """Requests of the input, if their number is known."""
    time_s: float
    """Completion of the last of them, simulated, in seconds."""
    so_far: Figures
    """Metrics since measuring started: at the end, those of the result."""
    window: Figures
    """Metrics since the previous frame."""
    planes: list[float]
    """Share of the time since the previous frame that each plane was busy."""
    operations: dict[str, int]
    """Flash operations so far, by cause."""
    erases: int
    """Block erases so far."""
    valid: Numbers
    """For each block, its valid pages."""
    written: Numbers
    """For each block, pages programmed or skipped since its last erase."""
    pages: Numbers
    """For each block, its number of pages."""
    kind: Numbers
    """For each block, its content: `FREE`, `DATA`, `LOG` or `TRANSLATION`."""
    class_: Numbers
    """For each block, the class of its pages from 1; 0 if pages are not separated."""

    @classmethod
    def of_core(cls, found: Mapping[str, Any]) -> Frame:
        """Return the frame from the values of the core."""
        told = {each.name: found[each.name.rstrip("_")] for each in fields(cls)}
        stretches = {name: Figures(**found[name]) for name in ("so_far", "window")}
        return cls(**{**told, **stretches})

    @property
    def states(self) -> npt.NDArray[np.uint8]:
        """The state of each block: `OPEN`, its class, or its kind; a log block is always `LOG`."""
        import numpy as np  # Half of the time that ftlab would take to import.

        has_room = (self.written < self.pages) & np.isin(self.kind, (DATA, TRANSLATION))
        kind = np.where(self.class_ > 0, OPEN + self.class_, self.kind)
        return np.where(has_room, OPEN, kind).astype(np.uint8)

    @property
    def busy(self) -> float:
        """Mean of `planes`."""
        return sum(self.planes) / len(self.planes)


Show: TypeAlias = Callable[[Frame], object]
