"""Cells of a report's tables."""

from __future__ import annotations

from ftlab.experiments.findings import number
from ftlab.experiments.measures import Term
from ftlab.experiments.runs import NotMeasuredError, Runs
from ftlab.report.tables import ABSENT


def cell(runs: Runs, term: Term, unit: str = "") -> str:
    """Return a figure as text, or that it does not exist."""
    try:
        return number(term(runs), unit)
    except NotMeasuredError:
        return ABSENT
