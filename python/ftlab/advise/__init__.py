"""Advice for who chooses a device: candidates for a workload, what each costs, which to take.

A candidate is an FTL with settings such as the over-provisioning. Each runs twice on a used device:
in a closed loop, and at the rate of the input.

>>> from ftlab.advise import Targets, advise
>>> tree = {
...     "workload": {"pattern": "randwrite", "size": "16MiB", "requests": 5000},
...     "ftls": ["page", "tpftl"],
...     "device": {"over_provisioning": ["7%", "28%"]},
... }
>>> advice = advise(tree, "results", Targets(years=3, dwpd=1))  # doctest: +SKIP
"""

from ftlab.advise.advice import Advice, advise
from ftlab.advise.candidate import Candidate
from ftlab.advise.targets import Prices, Targets

__all__ = ["Advice", "Candidate", "Prices", "Targets", "advise"]
