"""The scoreboard of a change: what it gains among all claims of the paper, and what it breaks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ftlab.report.tables import Table
from ftlab_papers.claims import Counterfactual, Group, Judged
from ftlab_papers.counts import of_group
from ftlab_papers.findings import Verdict


@dataclass(frozen=True)
class Score:
    """The result of one change: for each claim its verdict, or None where it was not run."""

    changed: Counterfactual
    verdicts: Sequence[tuple[Judged, Verdict | None]]

    @property
    def gained(self) -> list[str]:
        """Return the claims that agree with the change only."""
        return [
            each.claim.id
            for each, verdict in self._of_the_paper
            if verdict is Verdict.AGREES is not each.verdict
        ]

    @property
    def broken(self) -> list[str]:
        """Return the claims that agree without the change only."""
        return [
            each.claim.id
            for each, verdict in self._of_the_paper
            if each.verdict is Verdict.AGREES and verdict not in (Verdict.AGREES, None)
        ]

    @property
    def agreeing(self) -> int:
        """Return how many claims agree with the change."""
        return sum(verdict is Verdict.AGREES for _, verdict in self._of_the_paper)

    @property
    def judged(self) -> int:
        """Return how many claims were judged with the change."""
        return sum(verdict is not None for _, verdict in self._of_the_paper)

    @property
    def _of_the_paper(self) -> list[tuple[Judged, Verdict | None]]:
        return [each for each in self.verdicts if each[0].claim.group is Group.PAPER]


HEADER = ("change", "agree", "gained", "broken", "net", "not run")


def score_table(scores: Sequence[Score], judged: Sequence[Judged]) -> Table:
    """Return a row for each change: how many claims agree with it, gained, broken, and the net."""
    papers = of_group(judged, Group.PAPER)
    agree = sum(each.verdict is Verdict.AGREES for each in papers)
    rows = [["none", f"{agree} of {len(papers)}", "", "", "", ""]]
    for each in scores:
        gained, broken = each.gained, each.broken
        rows.append(
            [
                each.changed.what,
                f"{each.agreeing} of {each.judged}",
                " ".join(gained),
                " ".join(broken),
                f"{len(gained) - len(broken):+d}",
                str(len(papers) - each.judged),
            ]
        )
    return Table(HEADER, rows)
