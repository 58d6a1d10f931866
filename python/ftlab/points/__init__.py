"""Points of an experiment: run once, many over one reading of their input, and kept in files.

>>> from ftlab.points import Point, run_points
>>> workload = {"pattern": "randwrite", "size": "16MiB", "requests": 1000}
>>> points = [
...     Point(f"tpftl, {cache}", {"workload": workload, "ftl": {"cache": cache}}, "tpftl")
...     for cache in ("1KiB", "2KiB")
... ]
>>> results = run_points(points, "results")  # doctest: +SKIP
"""

from ftlab.points.point import Point
from ftlab.points.runner import Told, run_points
from ftlab.points.store import Store

__all__ = ["Point", "Store", "Told", "run_points"]
