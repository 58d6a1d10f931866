"""Published evaluations, run again: a folder for each paper.

``points`` is what is run, ``claims`` what the paper says, ``parts`` what the report shows.
"""

from ftlab.experiments.experiment import SEEDS, Experiment, reproduce

__all__ = ["SEEDS", "Experiment", "reproduce"]
