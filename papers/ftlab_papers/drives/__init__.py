"""Published drives: calibrated on one or two numbers each, everything else held out."""

from ftlab_papers.drives.claims import CLAIMS
from ftlab_papers.drives.parts import parts
from ftlab_papers.drives.points import points
from ftlab_papers.placed import experiment

EXPERIMENT = experiment(
    __package__,
    name="drives",
    title="Twins of published drives",
    points=points,
    claims=CLAIMS,
    parts=parts,
)

__all__ = ["EXPERIMENT"]
