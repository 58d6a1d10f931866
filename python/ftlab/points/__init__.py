"""Points of an experiment: each run once, and kept in a file the moment it ends.

>>> import ftlab
>>> from ftlab.points import Point, run_points
>>> workload = ftlab.Workload("randwrite", size="16MiB", requests=1000)
>>> points = [Point.of(workload, ftlab.TPFTL(cache)) for cache in ("1KiB", "2KiB")]
>>> results = run_points(points, "results")  # doctest: +SKIP
"""

from ftlab.config import Config, merge
from ftlab.points.derived import Columns, derived
from ftlab.points.dispatch import Told
from ftlab.points.grid import points_of
from ftlab.points.point import Point
from ftlab.points.runner import complete, missing, run_points, try_points
from ftlab.points.store import Entry, Failure, Store

__all__ = [
    "Columns",
    "Config",
    "Entry",
    "Failure",
    "Point",
    "Store",
    "Told",
    "complete",
    "derived",
    "merge",
    "missing",
    "points_of",
    "run_points",
    "try_points",
]
