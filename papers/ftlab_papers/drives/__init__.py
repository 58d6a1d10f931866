"""Published drives: calibrated on one or two numbers each, everything else held out."""

from ftlab_papers.drives.claims import CLAIMS
from ftlab_papers.drives.parts import parts
from ftlab_papers.drives.points import WORKLOADS, points
from ftlab_papers.experiment import Experiment
from ftlab_papers.placed import SHORTENED
from ftlab_papers.tables import changes

EXPERIMENT = Experiment(
    name="drives",
    title="Twins of published drives",
    workloads=WORKLOADS,
    points=points,
    claims=CLAIMS,
    parts=parts,
    counterfactuals=changes(__package__),
    shortened=SHORTENED,
    seeds=1,
)

__all__ = ["EXPERIMENT"]
