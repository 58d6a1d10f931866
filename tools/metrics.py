"""The tables of `docs/results.md`, for `settings.py`: metrics as the core declares them.

A comment before each table names its sections or metrics. Sections after `as` have the same.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Sequence
from pathlib import Path

from ftlab.metrics import METRICS, Metric
from ftlab.report.tables import Table

PAGE = Path(__file__).parent.parent / "docs" / "results.md"
TABLE = re.compile(r"(<!-- metrics: (.*?)(?: as (.*?))? -->\n).*?(<!-- end -->)", re.DOTALL)


def linked(text: str) -> str:
    """Return a text with links to the places of other pages that it names."""
    return re.sub(r"\b([a-z-]+)\.md(?:#([a-z0-9-]+))?", _link, text)


def _link(found: re.Match[str]) -> str:
    return f"[{(found[2] or found[1]).replace('-', ' ')}]({found[0]})"


def of(name: str) -> list[Metric]:
    """Return the metrics of a section, or the one of that name."""
    rows = [each for each in METRICS.values() if f"{each.name}.".startswith(f"{name}.")]
    return rows or sys.exit(f"{PAGE.name}: found {name}, expected a metric or section of a result")


def table(names: Sequence[str], has_others: bool) -> str:
    """Return a table; the keys of a section that stands alone are relative to it."""
    above, cells = "", []
    for name in names:
        rows = of(name)
        nulls = {each.null.partition("; ")[0] for each in rows}
        always = nulls.pop() if len(nulls) == 1 and len(rows) > 1 else ""
        above += f"`{name}` is `null` {always}.\n\n" if always and not has_others else ""
        for each in rows:
            key = each.name.removeprefix(f"{name}.") if len(names) == 1 else each.name
            formula = each.formula.partition(": ")[2] if has_others else each.formula
            null = each.null.removeprefix(always).removeprefix("; ")
            parts = [formula, null and f"`null` {null}.", each.source and f"Source: {each.source}."]
            meaning = linked(" ".join(filter(None, parts)))
            cells.append([f"`{key}`", each.unit, each.better, meaning])
    return above + Table(["key", "unit", "better", "meaning"], cells).markdown(prose=True)


def page() -> str:
    """Return the page with its tables written anew; every metric has to stand in one."""
    told = []

    def written(found: re.Match[str]) -> str:
        names, others = found[2].split(), (found[3] or "").split()
        told.extend(each.name for name in [*names, *others] for each in of(name))
        return found[1] + table(names, bool(others)) + found[4]

    text = TABLE.sub(written, PAGE.read_text("utf-8"))
    if left := [name for name in METRICS if told.count(name) != 1]:
        sys.exit(f"{PAGE.name}: found {', '.join(left)} in no table or several, expected one")
    return text
