"""DAC, an FTL of its own for ftlab.

>>> import ftlab, ftlab_dac
>>> trace = ftlab.Workload("randwrite", bs="4k", size="64MiB", requests=2000)
>>> result = ftlab.simulate(trace, ftl=ftlab_dac.DAC(regions=6))
>>> result.ftl
'dac'
"""

from __future__ import annotations

from dataclasses import KW_ONLY

from ftlab.config import Quantity
from ftlab.ftls import NamedFtl
from ftlab.settings import setting

__all__ = ["DAC"]


class DAC(NamedFtl):
    """Page mapping; pages move between regions of different temperature.

    Parameters
    ----------
    regions
        Regions of different temperature. Default: 4. Range: 1 to 8.
    young
        Age below which an update is one of a hot page: a share of the logical pages, in page
        writes. Default: 25%.
    """

    registered = "dac"

    _: KW_ONLY
    regions: int | None = setting("dac.regions")
    young: Quantity | None = setting("dac.young")
