"""Published evaluations, run again: a folder for each paper.

``points`` is what is run, ``claims`` what the paper says, ``parts`` what the report shows.
"""

from ftlab_papers.experiment import SEEDS, Experiment, reproduce

PAPERS = ("tpftl", "cachftl", "mnftl", "dloop", "dftl", "separation", "warp", "drives", "fdp-cache")
"""The papers: each is a package here, whose evaluation is called ``EXPERIMENT``."""

__all__ = ["PAPERS", "SEEDS", "Experiment", "reproduce"]
