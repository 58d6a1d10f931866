"""Searches for settings: which of many combinations are best, without running all of them.

A search is a sweep with a table ``tune`` (docs/tuning.md); it needs ``ftlab[tune]``.

>>> from ftlab.tune import search
>>> tree = {
...     "workload": {"pattern": "randwrite", "size": "16MiB", "requests": 5000},
...     "ftls": ["dftl", "tpftl"],
...     "ftl": {"cache": ["1KiB", "2KiB", "4KiB"]},
...     "tune": {"minimize": ["response_us.mean"], "limits": ["ram_bytes <= 3KiB"]},
... }
>>> (found,) = search(tree, "results")  # doctest: +SKIP
"""

from ftlab.tune.found import Candidate, Found
from ftlab.tune.goal import Goal
from ftlab.tune.search import search

__all__ = ["Candidate", "Found", "Goal", "search"]
