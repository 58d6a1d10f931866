"""Flash caches with FDP: CacheLib's two caches, their closed form, and LMCache's objects."""

from ftlab_papers.fdp_cache.claims import CLAIMS
from ftlab_papers.fdp_cache.parts import parts
from ftlab_papers.fdp_cache.points import points
from ftlab_papers.placed import experiment

EXPERIMENT = experiment(
    __package__,
    name="fdp-cache",
    title="Flash caches with FDP",
    points=points,
    claims=CLAIMS,
    parts=parts,
)

__all__ = ["EXPERIMENT"]
