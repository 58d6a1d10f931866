"""DFTL's journal version (Kim, Gupta & Urgaonkar, 2013): the claims of its abstract.

DFTL against hybrid FTLs on a volume of financial1 and on TPC-H, with and without a write-back cache
at equal RAM, and under growing load. The device is that of the preset ``dftl-asplos09``; for the
workload see choices.md#journal-workload.
"""

from collections.abc import Callable

from ftlab_papers.dftl.claims import CLAIMS
from ftlab_papers.dftl.parts import parts
from ftlab_papers.dftl.points import FIN, FOLD, NEAREST, PREFIX_LOOP, WORKLOADS, points, prepare
from ftlab_papers.experiment import Experiment
from ftlab_papers.runs import Key
from ftlab_papers.tables import changes


def _on(workload: str) -> Callable[[Key], Key]:
    """Return what names the same point of a workload in place of Financial."""
    return lambda key: (workload, *key[1:]) if key[0] == FIN else key


EXPERIMENT = Experiment(
    name="dftl",
    title="A Temporal Locality-Aware Page-Mapped Flash Translation Layer",
    workloads=WORKLOADS,
    prepare=prepare,
    points=points,
    claims=CLAIMS,
    parts=parts,
    counterfactuals=changes(
        __package__,
        point={each: _on(each) for each in (*NEAREST[1:], FOLD, PREFIX_LOOP)},
        real={PREFIX_LOOP: True},
    ),
)

__all__ = ["EXPERIMENT"]
