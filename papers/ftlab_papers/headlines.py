"""The main results of a paper on top of its report: published, by default, on a real beginning."""

from __future__ import annotations

from collections.abc import Sequence

from ftlab.report.tables import ABSENT, Table
from ftlab_papers.claims import Judged
from ftlab_papers.findings import Finding, Verdict

HEADER = ("claim", "what", "published", "by default", "real beginning", "order", "size")


def headline_table(judged: Sequence[Judged]) -> Table:
    """Return a row for each figure of the paper's main results.

    The order is shown if what is found has the published sign or order, the size if it is met by
    the rule. The real beginning of a trace is looped in place of its model.
    """
    rows = []
    for each in judged:
        if each.claim.headline:
            rows += [_row(each, at) for at in range(len(each.findings))]
    return Table(HEADER, rows)


def _row(judged: Judged, at: int) -> list[str]:
    finding, claim = judged.findings[at], judged.claim
    what = f"{claim.what}: {finding.what}" if finding.what else claim.what
    return [
        claim.id,
        what,
        finding.published,
        finding.ours,
        "; ".join(_on_beginnings(judged, at)) or ABSENT,
        "yes" if finding.verdict in (Verdict.AGREES, Verdict.DIRECTION) else "no",
        "yes" if finding.verdict is Verdict.AGREES else "no",
    ]


def _on_beginnings(judged: Judged, at: int) -> list[str]:
    """Return what a finding is with each real beginning, where it is another."""

    def found(way: Judged) -> Finding | None:
        return way.findings[at] if len(way.findings) == len(judged.findings) else None

    told = []
    for each in judged.instead:
        if each.changed.real and (finding := found(each.judged)):
            told.append(f"{each.changed.name}: {finding.ours}")
    return told
