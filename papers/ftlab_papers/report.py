"""The report of an experiment, as Markdown and as one HTML page, with its figures as files."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from ftlab.files import make_folder, write_atomically
from ftlab.report.tables import ABSENT, Table
from ftlab_papers.claims import Claim, Counterfactual, Judged, published
from ftlab_papers.counts import count_table, explained_table, summary
from ftlab_papers.findings import RULE, Verdict
from ftlab_papers.headlines import headline_table
from ftlab_papers.scores import Score, score_table

if TYPE_CHECKING:
    from matplotlib.figure import Figure

MARKDOWN, HTML, JSON = FILES = ("report.md", "report.html", "claims.json")
"""The files of a report, without its figures."""


@dataclass(frozen=True)
class Picture:
    """A figure: the name of its file, a caption, and how to draw it."""

    name: str
    caption: str
    draw: Callable[[], Figure]


@dataclass(frozen=True)
class Part:
    """A heading with paragraphs, tables, pictures and claims."""

    title: str
    paragraphs: Sequence[str] = ()
    tables: Sequence[Table] = ()
    pictures: Sequence[Picture] = ()
    claims: Sequence[Judged] = ()
    """Claims whose published values are shown next to ours."""

    reasons: Sequence[Judged] = ()
    """Claims that are shown with their explanation."""


@dataclass(frozen=True)
class Report:
    """The content of the report of an experiment."""

    title: str
    parts: Sequence[Part]
    judged: Sequence[Judged]
    scores: Sequence[Score] = ()
    """What each change gains and breaks."""

    cut: int | None = None
    """Requests at which each input was cut short."""

    shortened: str = ""
    """A description of what was run, if that is not the first requests of each input."""

    @property
    def banner(self) -> str:
        """The text that must be read first, if any."""
        if self.cut is None:
            return ""
        if self.shortened:
            return f"{self.shortened}: these verdicts mean nothing."
        return (
            f"Only the first {self.cut:,} requests of each input were run: these verdicts mean "
            "nothing."
        )

    @property
    def summary(self) -> str:
        """The results in a few sentences."""
        return summary(self.judged)


def write(report: Report, folder: str | Path) -> list[Path]:
    """Write ``report.md``, ``report.html``, ``claims.json`` and the figures; return their paths."""
    from ftlab_papers.page import page

    target = make_folder(folder)
    images = {each.name: _image(each) for part in report.parts for each in part.pictures}
    files: dict[str, str | bytes] = {f"{name}.svg": image for name, image in images.items()}
    files[JSON] = json.dumps([_plain(each) for each in report.judged], indent=2) + "\n"
    files[MARKDOWN] = _markdown(report)
    files[HTML] = page(report, images)
    for name, content in files.items():
        write_atomically(target / name, content)
    return [target / name for name in files]


def claim_table(judged: Sequence[Judged]) -> Table:
    """Return a row for each finding: published and our values, and the verdict of the claim.

    The first finding of a claim has its name.
    """
    rows = []
    for each in judged:
        named = [each.claim.id, each.claim.where, each.claim.what]
        for what, said, found in findings(each):
            rows.append([*named, what, said, found, each.verdict.value if named[0] else ""])
            named = [""] * len(named)
    return Table(["claim", "where", "what", "figure", "published", "ours", "verdict"], rows)


def findings(judged: Judged) -> list[tuple[str, str, str]]:
    """Return subject, published value and our value for each statement of a claim."""
    said = [(each.what, each.published) for each in judged.claim.statements]
    found = [each.ours for each in judged.findings] or [ABSENT] * len(said)
    return [(what, text, ours) for (what, text), ours in zip(said, found, strict=True)]


def changes_table(judged: Judged) -> Table:
    """Return a row for each finding: published, ours, and ours with each change."""
    columns = [findings(each.judged) for each in judged.instead]
    rows = [
        [what, said, found, *(column[at][2] for column in columns)]
        for at, (what, said, found) in enumerate(findings(judged))
    ]
    header = [f"{each.changed.name}: {each.judged.verdict.value}" for each in judged.instead]
    return Table(["figure", "published", f"ours: {judged.verdict.value}", *header], rows)


def unexplained(judged: Sequence[Judged]) -> list[Judged]:
    """Return the claims that need a reason: those that do not agree."""
    return [each for each in judged if each.verdict is not Verdict.AGREES]


def explanations(judged: Judged) -> list[str]:
    """Return what our counters show about a claim, and why it cannot agree, if known."""
    proof = judged.claim.proof
    return [*filter(None, [judged.note]), *([f"It cannot agree: {proof}"] if proof else [])]


def settings_of(changed: Counterfactual) -> str:
    """Return the settings laid over each point, as command-line options, if they are the same."""
    if callable(changed.sections):
        return ""
    return " ".join(
        f"--set {section}.{key}={value}"
        for section, keys in changed.sections.items()
        for key, value in keys.items()
    )


LISTED = ("claim", "counts among those", "where", "what", "published")


def published_table(claims: Sequence[Claim]) -> Table:
    """Return a row for each claim with its published values."""
    return Table(LISTED, [[cell.replace("\n", " ") for cell in _listed(each)] for each in claims])


def _listed(claim: Claim) -> list[str]:
    return [claim.id, claim.group.value, claim.where, claim.what, published(claim)]


def claim_parts(judged: Sequence[Judged]) -> list[Part]:
    """Return the rule with the number of claims for each verdict, and the claims."""
    return [
        Part("Verdicts", [RULE], [count_table(judged), explained_table(judged)]),
        Part("Published and ours", (), claims=judged),
        *([Part("Why", WHY, reasons=unexplained(judged))] if unexplained(judged) else []),
    ]


def headlines(judged: Sequence[Judged]) -> Part:
    """Return the paper's main results, which open the report."""
    return Part("Headlines", HEADLINES, [headline_table(judged)])


def changes_of(scores: Sequence[Score], judged: Sequence[Judged]) -> Part:
    """Return the scoreboard of every change."""
    return Part("Changes", CHANGES, [score_table(scores, judged)])


HEADLINES = (
    "What the paper's abstract and conclusion say, and what they rest on. The order is shown if "
    "the sign or order is the published one, the size if the rule of the verdicts is met. A real "
    "beginning is looped in place of the model.",
)

CHANGES = (
    "One thing is changed at a time. Each row counts the claims of the paper that agree with it, "
    "those that it gains and those that it breaks. Claims at whose points it was not run are left "
    "out of the count; `ftlab reproduce PAPER --scoreboard` runs them.",
)

WHY = (
    "Each claim that does not agree: what our counters say of it, and what comes out when one "
    "named thing is changed. The runs with that change are among the results, by their digests.",
)


def _plain(judged: Judged) -> dict[str, object]:
    claim = judged.claim
    return {
        "id": claim.id,
        "group": claim.group.value,
        "headline": claim.headline,
        "where": claim.where,
        "what": claim.what,
        "published": published(claim),
        "verdict": judged.verdict.value,
        "findings": _plain_findings(judged),
        "note": judged.note,
        "explained": judged.explained.value if judged.explained else None,
        "proof": claim.proof,
        "instead": [
            {
                "change": each.changed.what,
                "settings": settings_of(each.changed),
                "verdict": each.judged.verdict.value,
                "findings": _plain_findings(each.judged),
            }
            for each in judged.instead
        ],
    }


def _plain_findings(judged: Judged) -> list[dict[str, str]]:
    return [{**asdict(each), "verdict": each.verdict.value} for each in judged.findings]


def _image(picture: Picture) -> bytes:
    from ftlab.style import image

    return image(picture.draw())


def _markdown(report: Report) -> str:
    blocks = [f"# {report.title}", *([f"**{report.banner}**"] if report.banner else [])]
    blocks.append(report.summary)
    for part in report.parts:
        blocks += [f"## {part.title}", *part.paragraphs]
        blocks += [table.markdown(prose=True).rstrip() for table in part.tables]
        if part.claims:
            blocks.append(claim_table(part.claims).markdown(prose=True).rstrip())
        for each in part.reasons:
            blocks += _reason(each)
        blocks += [
            f"![{each.caption}]({each.name}.svg)\n\n{each.caption}" for each in part.pictures
        ]
    return "\n\n".join(blocks) + "\n"


def _reason(judged: Judged) -> list[str]:
    """Return the explanation of a claim as Markdown."""
    blocks = [f"### {judged.claim.id}: {judged.claim.what}", *explanations(judged)]
    for each in judged.instead:
        settings = settings_of(each.changed)
        blocks.append(f"* {each.changed.what}{f': `{settings}`' if settings else ''}")
    if judged.instead:
        blocks.append(changes_table(judged).markdown(prose=True).rstrip())
    return blocks
