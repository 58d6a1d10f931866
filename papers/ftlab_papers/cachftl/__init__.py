"""CACH-FTL (Boukhobza, Olivier & Rubini, Computers 3(1), 2014): its evaluation.

Every volume of Financial1, Financial2 and Cello99 is a device of its own, with C-lash above each
FTL, and so are the synthetic workloads. The device is that of the preset ``cachftl``; the input is
played twice before it is measured.
"""

from ftlab_papers.cachftl import variants
from ftlab_papers.cachftl.changes import CHANGES
from ftlab_papers.cachftl.claims import PROOFS, SAYS
from ftlab_papers.cachftl.parts import parts
from ftlab_papers.cachftl.points import WORKLOADS, points, prepare, whole
from ftlab_papers.cachftl.reasons import REASONS
from ftlab_papers.experiment import Experiment
from ftlab_papers.tables import claims

EXPERIMENT = Experiment(
    name="cachftl",
    title="A Scalable and Highly Configurable Cache-Aware Hybrid Flash Translation Layer",
    workloads=WORKLOADS,
    prepare=prepare,
    points=points,
    whole=whole,
    claims=claims(
        __package__,
        {**SAYS, **variants.SAYS},
        {**REASONS, **variants.REASONS},
        PROOFS,
        variants.NAMED,
    ),
    parts=parts,
    counterfactuals=CHANGES,
)

__all__ = ["EXPERIMENT"]
