"""Figures 4 and 5 compared with each other.

Two things hold for every trace:

* *same runs*: Figure 5 varies no setting of PM and BM, so the ratio of BM's response to PM's is the
  same in both figures;
* *best*: Figure 5 includes the default settings, so its best settings are faster. Against the same
  BM, they gain at least as much as the default.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

from ftlab_papers.findings import NEAR_LEAST, NEAR_RATIO


@dataclass(frozen=True)
class Gains:
    """CACH-FTL / other - 1 of a trace's response time, compared with PM and with BM."""

    over_pm: float
    over_bm: float

    @property
    def bm_over_pm(self) -> float:
        """Return BM's response time over PM's, which both changes imply."""
        return (1 + self.over_pm) / (1 + self.over_bm)


def worse_at_best(default: Mapping[str, Gains], best: Mapping[str, Gains]) -> list[str]:
    """Return the traces on which the best settings gain less over BM than the default."""
    return [trace for trace in default if best[trace].over_bm > default[trace].over_bm]


def not_the_same_runs(default: Mapping[str, Gains], best: Mapping[str, Gains]) -> list[str]:
    """Return the traces whose two ratios of BM to PM differ by more than a change may be off."""
    apart = []
    for trace in default:
        (low, high), (least, most) = _span(default[trace]), _span(best[trace])
        if high < least or most < low:
            apart.append(trace)
    return apart


def _span(gains: Gains) -> tuple[float, float]:
    """Return the range of BM over PM in which both changes are met (findings.RULE)."""
    (low_pm, high_pm), (low_bm, high_bm) = map(_met, (gains.over_pm, gains.over_bm))
    highest = Gains(high_pm, low_bm).bm_over_pm if low_bm > -1 else math.inf
    return Gains(low_pm, high_bm).bm_over_pm, highest


def _met(change: float) -> tuple[float, float]:
    within = max(NEAR_RATIO * abs(change), NEAR_LEAST)
    return change - within, change + within
