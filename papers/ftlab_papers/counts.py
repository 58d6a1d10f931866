"""How many claims have which verdict, the paper's own first.

Apart from them are those that cannot fail or say what another says, and those of this project.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from ftlab.report.tables import Table
from ftlab_papers.claims import Explained, Group, Judged
from ftlab_papers.findings import Verdict

OUTCOMES = {
    Verdict.AGREES: ("agrees", "agree"),
    Verdict.DIRECTION: ("has the published direction only", "have the published direction only"),
    Verdict.DIFFERS: ("differs", "differ"),
    Verdict.NOT_MEASURED: ("was not measured", "were not measured"),
}
"""Verdicts as what one claim does, and what several do."""

REASONS = {
    Explained.BY_ONE: ("agrees when one thing is changed", "agree when one thing is changed"),
    Explained.BY_PROOF: ("cannot agree by the paper's own numbers",) * 2,
    Explained.OPEN: (
        "is explained by nothing that was tried",
        "are explained by nothing that was tried",
    ),
}
"""Explanations as what one claim does, and what several do."""


def of_group(judged: Sequence[Judged], group: Group) -> list[Judged]:
    """Return the claims of a group."""
    return [each for each in judged if each.claim.group is group]


def summary(judged: Sequence[Judged]) -> str:
    """Return the result in a few sentences, the paper's claims first."""
    papers = of_group(judged, Group.PAPER)
    explained = Counter(each.explained for each in papers if each.explained)
    told = [f"Of {len(papers)} claims of the paper {_outcomes(papers)}."] if papers else []
    if explained:
        told.append(f"Of those that do not agree {_counted(explained, REASONS)}.")
    if apart := of_group(judged, Group.APART):
        told.append(f"{len(apart)} more cannot fail or say what another says.")
    if ours := of_group(judged, Group.OURS):
        told.append(f"Of {len(ours)} claims of this project {_outcomes(ours)}.")
    return " ".join(told)


def _outcomes(judged: Sequence[Judged]) -> str:
    return _counted(Counter(each.verdict for each in judged), OUTCOMES)


def _counted(kinds: Counter[Any], does: Mapping[Any, tuple[str, str]]) -> str:
    told = [f"{kinds[kind]} {does[kind][kinds[kind] > 1]}" for kind in does if kinds[kind]]
    return " and ".join(filter(None, [", ".join(told[:-1]), *told[-1:]]))


def count_table(judged: Sequence[Judged]) -> Table:
    """Return how many claims of each group have each verdict."""
    rows = []
    for group in Group:
        found = Counter(each.verdict for each in of_group(judged, group))
        if found:
            counts = [str(found[each]) for each in Verdict]
            rows.append([group.value, str(found.total()), *counts])
    return Table(["claims", "all", *(each.value for each in Verdict)], rows)


def explained_table(judged: Sequence[Judged]) -> Table:
    """Return by what the paper's claims that do not agree are explained."""
    rows = []
    for kind in Explained:
        found = [each for each in of_group(judged, Group.PAPER) if each.explained is kind]
        if found:
            rows.append([kind.value, str(len(found)), ", ".join(map(_tried, found))])
    return Table(["claims that do not agree", "how many", "which, and changes tried"], rows)


def _tried(judged: Judged) -> str:
    return f"{judged.claim.id} ({len(judged.instead)})"
