"""The report of an experiment, as Markdown and as one HTML page, with its figures as files."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from ftlab.errors import ConfigError
from ftlab.experiments.claims import Claim, Judged, ours, published
from ftlab.experiments.findings import RULE, Verdict
from ftlab.files import write_atomically
from ftlab.report import html
from ftlab.report.tables import ABSENT, Table

if TYPE_CHECKING:
    from matplotlib.figure import Figure


@dataclass(frozen=True)
class Picture:
    """A figure: the name of its file, a caption, and how to draw it."""

    name: str
    caption: str
    draw: Callable[[], Figure]


@dataclass(frozen=True)
class Part:
    """A heading with paragraphs, tables and pictures."""

    title: str
    paragraphs: Sequence[str] = ()
    tables: Sequence[Table] = ()
    pictures: Sequence[Picture] = ()


@dataclass(frozen=True)
class Report:
    """Everything that an experiment shows."""

    title: str
    parts: Sequence[Part]
    judged: Sequence[Judged]
    cut: int | None = None
    """Requests at which each input was cut short."""

    @property
    def banner(self) -> str:
        """The text that must be read first, if there is one."""
        if self.cut is None:
            return ""
        return (
            f"Only the first {self.cut:,} requests of each input were run: these verdicts mean "
            "nothing."
        )


def write(report: Report, folder: str | Path) -> list[Path]:
    """Write ``report.md``, ``report.html``, ``claims.json`` and the figures; return their paths."""
    target = Path(folder)
    try:
        target.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise ConfigError(f"{target}: cannot make this folder: {error.strerror}") from error
    images = {each.name: _image(each) for part in report.parts for each in part.pictures}
    files: dict[str, str | bytes] = {f"{name}.svg": image for name, image in images.items()}
    files["claims.json"] = json.dumps([_plain(each) for each in report.judged], indent=2) + "\n"
    files["report.md"] = _markdown(report)
    files["report.html"] = _html(report, images)
    for name, content in files.items():
        write_atomically(target / name, content)
    return [target / name for name in files]


def claim_table(judged: Sequence[Judged]) -> Table:
    """Return a row for each claim: what was published, ours, the verdict and what explains it."""
    header = [*LISTED, "ours", "verdict", "what our counters say"]
    changed = any(map(_instead, judged))
    rows = [
        [
            *_listed(each.claim),
            ours(each) or ABSENT,
            each.verdict.value,
            each.note,
            *([_instead(each)] if changed else []),
        ]
        for each in judged
    ]
    last = ["what one change does, or why nothing can"] if changed else []
    return Table([*header, *last], rows)


LISTED = ("claim", "where", "what", "published")


def published_table(claims: Sequence[Claim]) -> Table:
    """Return a row for each claim: what is published."""
    return Table(LISTED, [[cell.replace("\n", " ") for cell in _listed(each)] for each in claims])


def _listed(claim: Claim) -> list[str]:
    return [claim.id, claim.where, claim.what, published(claim)]


def _instead(judged: Judged) -> str:
    proof = judged.claim.proof if judged.verdict is not Verdict.AGREES else ""
    return ";\n".join(
        [
            *([f"It cannot agree: {proof}"] if proof else []),
            *(
                f"{changed.what}: {found.verdict.value} ({ours(found) or found.note})"
                for changed, found in judged.instead
            ),
        ]
    )


def count_table(judged: Sequence[Judged]) -> Table:
    """Return how many claims have each verdict."""
    counts = Counter(each.verdict for each in judged)
    return Table(["verdict", "claims"], [[each.value, str(counts[each])] for each in Verdict])


def claim_parts(judged: Sequence[Judged]) -> list[Part]:
    """Return the rule with how many claims have each verdict, and the claims."""
    return [
        Part("Verdicts", [RULE], [count_table(judged)]),
        Part("Claims", (), [claim_table(judged)]),
    ]


def _plain(judged: Judged) -> dict[str, object]:
    findings = [
        {"what": each.what, "published": each.published, "ours": each.ours}
        | {"verdict": each.verdict.value}
        for each in judged.findings
    ]
    claim = judged.claim
    return {
        "id": claim.id,
        "where": claim.where,
        "what": claim.what,
        "published": published(claim),
        "verdict": judged.verdict.value,
        "findings": findings,
        "note": judged.note,
        "proof": claim.proof,
        "instead": [
            {"change": changed.what, "verdict": found.verdict.value, "ours": ours(found)}
            for changed, found in judged.instead
        ],
    }


def _image(picture: Picture) -> bytes:
    from ftlab.plot import image

    return image(picture.draw())


def _markdown(report: Report) -> str:
    blocks = [f"# {report.title}", *([f"**{report.banner}**"] if report.banner else [])]
    for part in report.parts:
        blocks += [f"## {part.title}", *part.paragraphs]
        blocks += [table.markdown(prose=True).rstrip() for table in part.tables]
        blocks += [
            f"![{each.caption}]({each.name}.svg)\n\n{each.caption}" for each in part.pictures
        ]
    return "\n\n".join(blocks) + "\n"


def _table(table: Table) -> str:
    """Return a table; one of claims with a switch for each verdict."""
    if "verdict" not in table.header[1:]:
        return html.table_of(table, "prose")
    column = list(table.header).index("verdict")
    counts = Counter(row[column] for row in table.rows)
    kinds = {each.value: counts[each.value] for each in Verdict if counts[each.value]}
    return html.row_filter(kinds) + html.table_of(table, "prose", kind_of_row=column)


def _html(report: Report, images: dict[str, bytes]) -> str:
    body = [f"<h1>{html.escaped(report.title)}</h1>"]
    body.append(html.contents(part.title for part in report.parts))
    if report.banner:
        body.append(f'<p class="banner">{html.escaped(report.banner)}</p>')
    for part in report.parts:
        content = [f"<p>{html.escaped(paragraph)}</p>" for paragraph in part.paragraphs]
        content += [_table(table) for table in part.tables]
        content += [html.figure(images[each.name], each.caption) for each in part.pictures]
        body.append(html.section(part.title, "\n".join(content)))
    return html.document(report.title, "\n".join(body))
