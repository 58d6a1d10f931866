"""Percentages of 5.2 that can be read in two ways: as points, which is judged, or relatively."""

from __future__ import annotations

from dataclasses import replace

from ftlab_papers.claims import Claim
from ftlab_papers.findings import Bound, Statement
from ftlab_papers.quantities import HITS
from ftlab_papers.tpftl.claims import (
    RIVALS,
    WRITE_DOMINANT,
    ablations,
    against,
    bounds_on,
    means,
)
from ftlab_papers.tpftl.points import FINANCIAL, MSR, SHORT
from ftlab_papers.tpftl.quantities import dirty_replacements


def lowered(workload: str, rival: str) -> Statement:
    """Return by how much TPFTL lowers the probability of replacing a dirty entry (T13)."""
    return Bound(
        f"{SHORT[workload]} {RIVALS[rival]}",
        against(dirty_replacements, workload, rival),
        above=-0.884,
        below=-0.58,
        unit="%+",
        directed=True,
    )


RELATIVE = {
    "T13": [lowered(name, rival) for name in WRITE_DOMINANT for rival in RIVALS],
    "T16": means(HITS, FINANCIAL, dftl=0.148, sftl=0.155),
    "T17": [*means(HITS, MSR, dftl=0.164, sftl=0.0), *bounds_on(HITS, MSR, above=0.95)],
    "T35": ablations(HITS, r=0.047, s=0.056, rs=0.11),
}
"""What these claims say if a percentage is a relative change (choices.md#tpftl-lowered)."""


def read_relatively(claim: Claim) -> Claim:
    """Return a claim with its percentages read as relative changes."""
    return replace(claim, statements=RELATIVE.get(claim.id, claim.statements))
