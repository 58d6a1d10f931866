"""Published evaluations, run again: one file for each paper."""

from ftlab.experiments.experiment import Experiment, reproduce

__all__ = ["Experiment", "reproduce"]
