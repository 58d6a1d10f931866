"""The report of an experiment as one HTML page."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from ftlab.report import html
from ftlab.report.html import escaped, slug
from ftlab_papers.claims import Instead, Judged
from ftlab_papers.findings import Verdict
from ftlab_papers.report import Part, Report, changes_table, explanations, findings, settings_of


def page(report: Report, images: Mapping[str, bytes]) -> str:
    """Return the page; ``images`` are its pictures by name."""
    titles = [part.title for part in report.parts]
    body = [f"<h1>{escaped(report.title)}</h1>", html.contents(titles)]
    if report.banner:
        body.append(f'<p class="banner">{escaped(report.banner)}</p>')
    body.append(f"<p>{escaped(report.summary)}</p>")
    body += [html.section(part.title, _part(part, images)) for part in report.parts]
    return html.document(report.title, "\n".join(body))


def _part(part: Part, images: Mapping[str, bytes]) -> str:
    content = [f"<p>{escaped(paragraph)}</p>" for paragraph in part.paragraphs]
    content += [html.table_of(table, "prose") for table in part.tables]
    if part.claims:
        content.append(_claims(part.claims))
    content += [_reason(each) for each in part.reasons]
    pictures = (html.figure(images[p.name], p.caption, whole=True) for p in part.pictures)
    content.append(html.figures(pictures) if part.pictures else "")
    return "\n".join(content)


def _claims(judged: Sequence[Judged]) -> str:
    """Return a table with a body for each claim, and a switch for each verdict."""
    counts = Counter(each.verdict for each in judged)
    kinds = {each.value: counts[each] for each in Verdict if counts[each]}
    head = "".join(f'<th scope="col">{each}</th>' for each in ("figure", "published", "ours"))
    bodies = "\n".join(map(_claim, judged))
    table = f'<table class="prose claims"><thead><tr>{head}</tr></thead>\n{bodies}</table>'
    return html.row_filter(kinds) + f'<div class="wide">{table}</div>'


def _claim(judged: Judged) -> str:
    """Return a row with a claim and its verdict, and one for each of its findings."""
    claim = judged.claim
    name = f"<b>{escaped(claim.id)}</b> {escaped(claim.what)} <small>{escaped(claim.where)}</small>"
    rows = [
        f'<th scope="rowgroup" colspan="2">{name}</th><td class="verdict">{_verdict(judged)}</td>'
    ]
    rows += ["".join(f"<td>{escaped(cell)}</td>" for cell in cells) for cells in findings(judged)]
    body = "".join(f"<tr>{row}</tr>" for row in rows)
    return f'<tbody class="{slug(judged.verdict.value)}">{body}</tbody>'


def _verdict(judged: Judged) -> str:
    """Return the verdict, with links to what explains it."""
    verdict = escaped(judged.verdict.value)
    if judged.verdict is Verdict.AGREES:
        return verdict
    told = [f"{each.changed.name}: {each.judged.verdict.value}" for each in judged.instead]
    small = "".join(f"<small>{escaped(each)}</small>" for each in told)
    return f'<a href="#{_name(judged)}">{verdict}</a>{small}'


def _reason(judged: Judged) -> str:
    """Return what explains a claim, under the name to which its verdict leads."""
    claim = judged.claim
    content = [
        f'<h3 id="{_name(judged)}">{escaped(claim.id)} {escaped(judged.verdict.value)}: '
        f"{escaped(claim.what)}</h3>"
    ]
    content += [f"<p>{escaped(each)}</p>" for each in explanations(judged)]
    if judged.instead:
        content.append(f"<ul>{''.join(map(_change, judged.instead))}</ul>")
        content.append(html.table_of(changes_table(judged), "prose"))
    return "\n".join(content)


def _change(instead: Instead) -> str:
    """Return what was changed, and the runs with it, folded."""
    changed = instead.changed
    runs = escaped("\n".join(instead.ran))
    settings = settings_of(changed)
    return (
        f"<li>{escaped(changed.name)}: {escaped(changed.what)}"
        f"{f', <code>{escaped(settings)}</code>' if settings else ''}"
        f"<details><summary>{len(instead.ran)} runs</summary><pre>{runs}</pre></details></li>"
    )


def _name(judged: Judged) -> str:
    return f"why-{slug(judged.claim.id)}"
