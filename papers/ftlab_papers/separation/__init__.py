"""Data separation: published schemes side by side, in a volume and on a device."""

from ftlab_papers.experiment import Experiment
from ftlab_papers.separation.claims import CLAIMS
from ftlab_papers.separation.parts import parts
from ftlab_papers.separation.points import WORKLOADS, points, prepare
from ftlab_papers.tables import changes

EXPERIMENT = Experiment(
    name="separation",
    title="Data separation",
    workloads=WORKLOADS,
    prepare=prepare,
    points=points,
    claims=CLAIMS,
    parts=parts,
    counterfactuals=changes(__package__),
)

__all__ = ["EXPERIMENT"]
