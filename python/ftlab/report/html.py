"""One HTML file with everything: tables, figures, configuration, and the data to download.

The page loads nothing. Its policy allows only its own style sheet and script, by their digests, and
images that are part of the page. Every text from outside is escaped.
"""

from __future__ import annotations

import base64
import hashlib
import html
import json
import re
from collections.abc import Iterable, Mapping, Sequence
from importlib import resources

from ftlab.report.lead import lead
from ftlab.report.summary import (
    MEASURED,
    checks_line,
    comparison_table,
    cost_table,
    lines_of,
    relative_table,
    run_summary,
    setup_line,
    spread_line,
    warning_lines,
)
from ftlab.report.tables import Table, printable
from ftlab.result import Comparison, Result

__all__ = [
    "contents",
    "document",
    "escaped",
    "figure",
    "figures",
    "row_filter",
    "section",
    "slug",
    "table_of",
]
"""The names for other distributions."""

FIGURES = {
    "latency": (
        "Distribution of response times",
        "Share of requests that complete within a time. A curve further left is faster.",
    ),
    "timeline": (
        "Progress of the run",
        "Hit ratio of the mapping cache and write amplification over simulated time.",
    ),
    "warmup": (
        "Steady state",
        "Write amplification in each window of the warm-up.",
    ),
    "operations": (
        "Flash operations",
        "Flash operations by cause. Each panel has its own scale.",
    ),
}
"""The title and explanation of each figure."""


def report(comparison: Comparison, title: str | None = None) -> str:
    """Return the report of one or several results as a complete HTML document."""
    first: Result = comparison[0]
    heading = title or f"{first.find('trace.name')}: {', '.join(comparison.titles)}"
    relative = relative_table(comparison) if len(comparison) > 1 else None
    setup = f"{setup_line(comparison)}; ftlab {first.find('ftlab')}"
    body = [
        f"<h1>{escaped(heading)}</h1>",
        *(f'<p class="lead">{escaped(sentence)}</p>' for sentence in lead(comparison)),
        f'<p class="quiet">{escaped(setup)}</p>',
        _warnings(comparison),
        section("Result", _result(comparison)),
        section("Figures", _figures(comparison)),
        section("Costs by cause", table_of(cost_table(comparison), "pinned")),
        section(f"Relative to {comparison.titles[0]}", table_of(relative, "pinned"))
        if relative
        else "",
        section("Each run", "\n".join(_details(*each) for each in _labelled(comparison))),
        section("Configuration", _configuration(comparison)),
        section("Data", _downloads(comparison)),
    ]
    return document(heading, "\n".join(part for part in body if part))


def _result(comparison: Comparison) -> str:
    """Return the table of all results, and the meaning of its deviations."""
    table = table_of(comparison_table(comparison, MEASURED), "pinned")
    spread = spread_line(comparison)
    return f'{table}\n<p class="quiet">{escaped(spread)}</p>' if spread else table


def document(title: str, body: str, styles: Sequence[str] = (), scripts: Sequence[str] = ()) -> str:
    """Return a page with a policy that blocks all external content.

    ``styles`` and ``scripts`` name what it needs in addition to those of reports.
    """
    style = "".join(asset(f"{name}.css") for name in ("report", *styles))
    script = "".join(asset(f"{name}.js") for name in ("report", *scripts))
    return page(title, f"<main>\n{body}\n</main>", style, script, "img-src data:")


def page(title: str, body: str, style: str, script: str, allowed: str, code: str = "") -> str:
    """Return a page whose policy allows its style, its script, and the ``allowed`` sources.

    ``code`` names other code that its script may run.
    """
    policy = "; ".join(
        [
            "default-src 'none'",
            allowed,
            f"style-src '{_digest(style)}'",
            f"script-src '{_digest(script)}'{code and f' {code}'}",
            "base-uri 'none'",
            "form-action 'none'",
        ]
    )
    return f"""<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{escaped(title)}</title>
<style>{style}</style>
</head>
<body>
{body}
<script>{script}</script>
</body>
</html>
"""


def asset(name: str) -> str:
    """Return the text of a file that is shipped with this module."""
    return resources.files("ftlab.report").joinpath(name).read_text("utf-8")


def _digest(text: str) -> str:
    """Return the digest by which a content security policy names an inline element."""
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


def escaped(value: object) -> str:
    """Return a text that no browser reads as markup, with control characters escaped."""
    lines = str(value).split("\n")
    return html.escape("\n".join(map(printable, lines)), quote=True)


def script_data(data: object) -> str:
    """Return JSON for a script element, whose end it cannot contain."""
    return json.dumps(data, separators=(",", ":")).replace("<", "\\u003c")


def section(title: str, content: str) -> str:
    """Return content under a heading, to which `contents` links."""
    name = slug(title)
    return f'<section id="{name}">\n<h2>{escaped(title)}</h2>\n{content}\n</section>'


def contents(titles: Iterable[str]) -> str:
    """Return links to sections."""
    links = (f'<a href="#{slug(title)}">{escaped(title)}</a>' for title in titles)
    return f"<nav>{' '.join(links)}</nav>"


def slug(text: str) -> str:
    """Return a text as a name for links and classes."""
    return re.sub(r"[^a-z0-9]+", "-", text.lower()).strip("-")


def row_filter(kinds: Mapping[str, int]) -> str:
    """Return a switch for each kind of claims, with their number."""
    switches = (
        f'<label class="{slug(kind)}"><input type="checkbox" checked data-rows="{slug(kind)}"> '
        f"{escaped(kind)} {count}</label>"
        for kind, count in kinds.items()
    )
    return f'<p class="filter">{" ".join(switches)}</p>'


def table_of(table: Table, kind: str = "") -> str:
    """Return a table; the best cells are bold."""
    table = table.titled()
    head = "".join(f'<th scope="col">{escaped(cell)}</th>' for cell in table.header)
    rows = "\n".join(_row(index, row, table) for index, row in enumerate(table.rows))
    return (
        f'<div class="wide"><table class="{kind}">\n<thead><tr>{head}</tr></thead>\n'
        f"<tbody>\n{rows}\n</tbody>\n</table></div>"
    )


def _row(index: int, row: Sequence[str], table: Table) -> str:
    cells = [f'<th scope="row">{escaped(row[0])}</th>']
    for column, cell in enumerate(row[1:], start=1):
        mark = ' class="best"' if (index, column) in table.best else ""
        inside = f"<b>{escaped(cell)}</b>" if mark else escaped(cell)
        cells.append(f"<td{mark}>{inside}</td>")
    return f"<tr>{''.join(cells)}</tr>"


def _labelled(comparison: Comparison) -> Iterable[tuple[str, Result]]:
    return zip(comparison.titles, comparison, strict=True)


def _warnings(comparison: Comparison) -> str:
    """Return the warnings of the runs, each text once, or an empty text."""
    items = [f"<li>{escaped(line)}</li>" for line in warning_lines(comparison)]
    return f'<ul class="warnings">{"".join(items)}</ul>' if items else ""


def _figures(comparison: Comparison) -> str:
    """Return the figures as images inside the page, or how to get them."""
    try:
        from ftlab import plot
        from ftlab.style import image
    except ImportError:
        return "<p>Figures need matplotlib: <code>pip install 'ftlab[plot]'</code>.</p>"
    windows = any(result.find("warmup.windows") for result in comparison)
    parts = []
    for name, (question, caption) in FIGURES.items():
        if windows or name != "warmup":
            svg = image(plot.FIGURES[name](list(comparison), comparison.labels))
            parts.append(figure(svg, caption, question, whole=name == "operations"))
    return figures(parts)


def figures(parts: Iterable[str]) -> str:
    """Return figures side by side if there is room."""
    return f'<div class="figures">{"".join(parts)}</div>'


def figure(svg: bytes, caption: str, title: str = "", *, whole: bool = False) -> str:
    """Return a figure as part of the page; a ``whole`` one takes the full width.

    Its values are laid over it, as no browser shows titles inside of images.
    """
    from ftlab.hover import apart
    from ftlab.style import themed

    plain, values = apart(svg)
    source = _data_url("image/svg+xml", themed(plain))
    head = f"<h3>{escaped(title)}</h3>" if title else ""
    kind = ' class="all"' if whole else ""
    shown = f'<img alt="{escaped(caption)}" src="{source}">{values}'
    return (
        f'<figure{kind}>{head}<div><div class="drawn">{shown}</div></div>'
        f"<figcaption>{escaped(caption)}</figcaption></figure>"
    )


def _details(label: str, result: Result) -> str:
    """Return the whole summary of one run, folded."""
    return (
        f"<details><summary>{escaped(label)}: {escaped(checks_line(result))}</summary>\n"
        f"{summary_of(result)}\n</details>"
    )


def summary_of(result: Result) -> str:
    """Return the summary of one run as a table."""
    rows = [
        f'<tr><th colspan="2" scope="rowgroup">{escaped(title)}</th></tr>\n'
        + "\n".join(
            f"<tr><td>{escaped(label)}</td><td>{escaped(text)}</td></tr>"
            for label, text in lines_of(content)
        )
        for title, content in run_summary(result)
    ]
    return '<table class="summary">\n' + "\n".join(rows) + "\n</table>"


def _configuration(comparison: Comparison) -> str:
    """Return the resolved configuration of each run, folded."""
    return "\n".join(configuration(*each) for each in _labelled(comparison))


def configuration(label: str, result: Result) -> str:
    """Return the resolved configuration of a run, folded."""
    tree = json.dumps(result["config"].to_dict(), indent=2, ensure_ascii=False)
    return f"<details><summary>{escaped(label)}</summary><pre>{escaped(tree)}</pre></details>"


def _downloads(comparison: Comparison) -> str:
    """Return links that save the data which the page carries."""
    files = {
        "results.json": ("application/json", comparison.to_json()),
        "results.csv": ("text/csv", comparison.to_csv()),
        "table.tex": ("text/plain", comparison_table(comparison, MEASURED).latex()),
        "table.md": ("text/plain", comparison_table(comparison, MEASURED).markdown()),
    }
    links = [
        f'<a download="{name}" href="{_data_url(kind, text.encode())}">{name}</a>'
        for name, (kind, text) in files.items()
    ]
    return f"<p>{' · '.join(links)}</p>"


def _data_url(kind: str, content: bytes) -> str:
    return f"data:{kind};base64,{base64.b64encode(content).decode()}"
