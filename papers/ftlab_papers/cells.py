"""Cells of a report's tables."""

from __future__ import annotations

from ftlab.report.tables import ABSENT
from ftlab_papers.findings import number
from ftlab_papers.measures import Term
from ftlab_papers.runs import NotMeasuredError, Runs


def cell(runs: Runs, term: Term, unit: str = "") -> str:
    """Return a figure as text, or that it does not exist."""
    try:
        return number(term(runs), unit)
    except NotMeasuredError:
        return ABSENT
