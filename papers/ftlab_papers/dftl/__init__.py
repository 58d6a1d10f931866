"""DFTL's journal version (Kim, Gupta & Urgaonkar, 2013): the claims of its abstract.

DFTL against hybrid FTLs on a volume of financial1 and on TPC-H, with and without a write-back cache
at equal RAM, and under growing load. The device is that of the preset ``dftl-asplos09``; for the
workload see choices.md#journal-workload.
"""

from ftlab_papers.dftl.claims import CLAIMS
from ftlab_papers.dftl.counterfactuals import COUNTERFACTUALS
from ftlab_papers.dftl.parts import parts
from ftlab_papers.dftl.points import WORKLOADS, points, prepare
from ftlab_papers.experiment import Experiment

EXPERIMENT = Experiment(
    name="dftl",
    title="A Temporal Locality-Aware Page-Mapped Flash Translation Layer",
    workloads=WORKLOADS,
    prepare=prepare,
    points=points,
    claims=CLAIMS,
    parts=parts,
    counterfactuals=COUNTERFACTUALS,
)

__all__ = ["EXPERIMENT"]
