"""MNFTL (Qin et al., DAC 2011): its Table 2, its RAM, and its table checked against itself.

The device is that of the preset ``mnftl-dac11``: one page access for each request, no queue, empty
at first. That is what the paper's own figures imply (`ftlab_papers.mnftl.proofs`,
choices.md#mnftl-device).
"""

from ftlab_papers.experiment import Experiment
from ftlab_papers.mnftl import variants
from ftlab_papers.mnftl.claims import CLAIMS, COUNTERFACTUALS
from ftlab_papers.mnftl.parts import parts
from ftlab_papers.mnftl.points import WORKLOADS, points

EXPERIMENT = Experiment(
    name="mnftl",
    title="MNFTL: An Efficient Flash Translation Layer for MLC NAND Flash Memory Storage Systems",
    workloads=WORKLOADS,
    points=points,
    claims=(*CLAIMS, *variants.CLAIMS),
    parts=parts,
    counterfactuals=(*COUNTERFACTUALS, *variants.COUNTERFACTUALS),
)

__all__ = ["EXPERIMENT"]
