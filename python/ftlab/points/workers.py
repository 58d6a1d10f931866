"""Where points run when not in this process: any executor, a Dask client, or submitit's."""

from __future__ import annotations

import os
from collections.abc import Callable
from concurrent.futures import Executor
from dataclasses import dataclass
from typing import Any

AHEAD = 2
"""Batches given out for each that a worker can run, so that none waits for the next."""

SLOTS = 16
"""Batches that an executor which does not tell is held to run at a time."""

UNBOUNDED = 1 << 30


@dataclass(frozen=True)
class Workers:
    """An executor and how work is given to it."""

    executor: Executor
    slots: Callable[[], int]
    """How many batches it runs at a time."""
    patient: bool = False
    """Whether handing work over takes minutes: then each slot is given its share at once."""

    def at_a_time(self) -> int:
        """Return how many batches may be under way."""
        return UNBOUNDED if self.patient else AHEAD * self.slots()

    @classmethod
    def of(cls, given: Any, slots: int | None = None) -> Workers:
        """Return the workers of an executor, a Dask client or cluster, or a submitit executor.

        ``slots`` says how many batches it runs at a time where it does not tell.
        """
        if isinstance(given, Workers):
            return given
        if isinstance(given, Executor):
            known = slots or getattr(given, "_max_workers", None) or SLOTS
            return cls(given, lambda: known)
        if hasattr(given, "get_client"):
            given = given.get_client()
        if hasattr(given, "get_executor") and hasattr(given, "nthreads"):
            return cls(
                given.get_executor(pure=False), lambda: max(1, sum(given.nthreads().values()))
            )
        if hasattr(given, "map_array"):
            from ftlab.points.jobs import Jobs

            known = slots or os.cpu_count() or 1
            return cls(Jobs(given), lambda: known, patient=True)
        raise TypeError(
            f"executor: found {given!r}, expected a concurrent.futures.Executor, a Dask client or "
            "a submitit executor"
        )
