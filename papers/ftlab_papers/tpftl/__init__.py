"""TPFTL (Zhou et al., EuroSys 2015): its evaluation, section by section.

The device is that of the preset ``tpftl-eurosys15``. Where the paper is silent: every request of
the trace is served once as a write before measuring (FlashSim's warm-up), and requests arrive at
the times of the trace.
"""

from ftlab_papers.experiment import Experiment
from ftlab_papers.tpftl.changes import CHANGES, FULL
from ftlab_papers.tpftl.claims import CLAIMS
from ftlab_papers.tpftl.parts import parts
from ftlab_papers.tpftl.points import WORKLOADS, points

EXPERIMENT = Experiment(
    name="tpftl",
    title="TPFTL: An Efficient Page-level FTL to Optimize Address Translation in Flash Memory",
    workloads=WORKLOADS,
    points=points,
    claims=CLAIMS,
    parts=parts,
    counterfactuals=CHANGES,
    of_prefixes=FULL,
)

__all__ = ["EXPERIMENT"]
