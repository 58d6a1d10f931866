"""The findings of a search as tables, JSON and CSV."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from typing import Any

from ftlab.plugins import shown
from ftlab.report.difference import Measured, winners
from ftlab.report.numbers import written
from ftlab.report.summary import Figure
from ftlab.report.tables import ABSENT, Table, csv_of_rows
from ftlab.result import Result
from ftlab.seeds import NO_EFFECT, without_effect
from ftlab.titles import title
from ftlab.tune import Candidate, Found

OVER = "over the limit"
SHOWN = 10
"""Rows of a front in a table."""


def tables(all_found: Sequence[Found]) -> list[Table]:
    """Return a table for each input: the front of the search, then its rivals."""
    return [_table(found) for found in all_found]


def _table(found: Found) -> Table:
    figures = _figures(found)
    best, rivals = found.best()[:SHOWN], found.rivals()
    header = [found.input, "settings", *(figure.label for figure in figures)]
    rows = [["found", _settings(each), *_cells(each, figures)] for each in best]
    rows += [["against", _settings(each), *_cells(each, figures)] for each in rivals]
    return Table(header, rows, _winners(found, [*best, *rivals]))


def _figures(found: Found) -> list[Figure]:
    """Return the objectives, and the metrics that have limits."""
    limited = (limit.figure for limit in found.goal.limits)
    return list({each.path: each for each in (*found.goal.objectives, *limited)}.values())


def _settings(each: Candidate) -> str:
    """Return an FTL and its chosen settings."""
    return " ".join(
        [title(shown(each.ftl)), *(f"{k}={shown(v)}" for k, v in each.settings.items())]
    )


def _cells(each: Candidate, figures: Sequence[Figure]) -> list[str]:
    """Return each metric's mean over seeds, and the largest deviation of a seed."""
    if each.failure:
        return ["failed", *[ABSENT] * (len(figures) - 1)]
    cells = [_cell(each.results, figure) for figure in figures]
    if not each.fits and cells:
        cells[0] += f" ({OVER})"
    return cells


def _cell(results: Sequence[Result], figure: Figure) -> str:
    known = figure.of_all(results)
    if not known:
        return figure.absent
    mean = sum(known) / len(known)
    spread = max(abs(value - mean) for value in known)
    told = written(mean, figure.unit) + (f" ± {written(spread, figure.unit)}" if spread else "")
    doubt = next(filter(None, map(figure.doubt, results)), "")
    return told + (f" ({doubt})" if doubt else "")


def _winners(found: Found, rows: Sequence[Candidate]) -> frozenset[tuple[int, int]]:
    """Return the places of the best values of each objective among fitting candidates."""
    best = set()
    for column, figure in enumerate(found.goal.objectives):
        better = "higher" if figure.path in found.goal.largest else "lower"
        known = [figure.measured(each.results) if each.fits else None for each in rows]
        best |= {(row, column + 2) for row in winners(known, better)}
    return frozenset(best)


def notes(found: Found) -> list[str]:
    """Return what a table leaves out."""
    ran = [each for each in found.trials if each.points]
    failed = [each for each in ran if each.values is None]
    counts = {
        "against conditions": len(found.trials) - len(ran),
        "over a limit": sum(each.values is not None and not each.fits for each in ran),
        "failed": len(failed),
    }
    points = len({point.digest for each in ran for point in each.points})
    told = [f"{len(found.trials):,} trials", f"{points:,} different points"]
    told += [f"{count:,} {what}" for what, count in counts.items() if count]
    reasons = Counter(each.failure or "a figure is missing" for each in failed)
    lines = [f"{found.input}: {', '.join(told)}"]
    lines += [f"{count:,} failed: {reason}" for reason, count in reasons.most_common(1)]
    several = [each.results for each in [*ran, *found.against] if len(each.results) > 1]
    if several and all(map(without_effect, several)):
        lines.append(NO_EFFECT)
    front = len(found.best())
    if front > SHOWN:
        lines.append(f"{front:,} points are on the front, of which {SHOWN} are shown; JSON has all")
    return lines if front else [*lines, "no trial has all figures and keeps all limits"]


def verdict(found: Found) -> str | None:
    """Return by how much the best of the search is ahead of its rivals."""
    ends = _ends(found)
    if not ends:
        return None
    change, rival = _change(found, *ends), _settings(ends[1])
    preposition = "as" if change == SAME else "than"
    return f"{found.input}: {change} {preposition} {rival} in {found.goal.objectives[0].label}"


def overview(all_found: Sequence[Found]) -> Table | None:
    """Return a row for each of several inputs: the best of the search and the best rival."""
    known = [(found, ends) for found in all_found if (ends := _ends(found))]
    if len(known) < 2:
        return None
    figures = _figures(known[0][0])
    labels = [figure.label for figure in figures]
    header = ["input", "found", *labels, "", "the best of those against", *labels]
    rows = [
        [
            *[found.input, _settings(best), *_cells(best, figures), _change(found, best, rival)],
            *[_settings(rival), *_cells(rival, figures)],
        ]
        for found, (best, rival) in known
    ]
    return Table(header, rows)


SAME = "as good"
"""The verdict if the best of the search is also a rival."""

OVERLAP = "seeds overlap"
"""The mark of a difference within the deviations of seeds."""


def _ends(found: Found) -> tuple[Candidate, Candidate] | None:
    """Return the best of the search and the best rival, if both have metrics."""
    ends = [*found.best()[:1], *[each for each in found.rivals() if each.fits][:1]]
    return (ends[0], ends[1]) if len(ends) == 2 and all(each.values for each in ends) else None


def _change(found: Found, best: Candidate, rival: Candidate) -> str:
    """Return by how much one candidate is better or worse than another, with doubts."""
    figure = found.goal.objectives[0]
    ours, theirs = (_objective(each, figure) for each in (best, rival))
    if ours.alike(theirs):
        return SAME
    ahead = (ours.mean < theirs.mean) != (figure.path in found.goal.largest)
    share = f"{100 * abs(ours.mean / theirs.mean - 1):.1f} %" if theirs.mean else None
    told = f"{share or written(ours.mean, figure.unit)} {'better' if ahead else 'worse'}"
    doubts = {figure.doubt(run) for each in (best, rival) for run in each.results} - {""}
    overlap = [OVERLAP] if ours.overlaps(theirs) else []
    return " ".join([told, *(f"({doubt})" for doubt in [*overlap, *sorted(doubts)])])


def _objective(each: Candidate, figure: Figure) -> Measured:
    """Return the first objective of a candidate that has it."""
    values = [value for run in each.results if (value := figure.of(run)) is not None]
    return Measured.of(values or [each.values[0] if each.values else 0.0])


def rows(all_found: Sequence[Found]) -> list[dict[str, Any]]:
    """Return all values of every candidate; objectives and limited metrics are means."""
    found_rows = []
    for found in all_found:
        best = {id(each) for each in found.best()}
        for number, each in enumerate([*found.trials, *found.against], 1):
            means = {figure.path: _mean(each, figure) for figure in _figures(found)}
            found_rows.append(
                {
                    "input": found.input,
                    "trial": None if each.against else number,
                    "against": each.against,
                    "ftl": shown(each.ftl),
                    "settings": {key: _plain(value) for key, value in each.settings.items()},
                    **means,
                    "fits": each.fits,
                    "best": id(each) in best,
                    "error": each.failure,
                    "points": [point.digest for point in each.points],
                }
            )
    return found_rows


def _mean(each: Candidate, figure: Figure) -> float | None:
    known = figure.of_all(each.results)
    return sum(known) / len(known) if known else None


def _plain(value: Any) -> Any:
    return value if isinstance(value, str | int | float | list) else shown(value)


def as_json(all_found: Sequence[Found]) -> str:
    """Return every candidate; the results are in the folder, by the digests of its points."""
    return json.dumps(rows(all_found), indent=2, ensure_ascii=False) + "\n"


def as_csv(all_found: Sequence[Found]) -> str:
    """Return a row for every candidate, with a column for each setting."""
    flat = (
        {**{k: v for k, v in row.items() if k != "settings"}, **row["settings"]}
        for row in rows(all_found)
    )
    return csv_of_rows([{name: _text(value) for name, value in row.items()} for row in flat])


def _text(value: Any) -> Any:
    return " ".join(map(str, value)) if isinstance(value, list) else value


def as_text(all_found: Sequence[Found], form: str) -> str:
    """Return the tables in Markdown, LaTeX or aligned text, with their notes."""
    parts = []
    for found, table in zip(all_found, tables(all_found), strict=True):
        told = [*notes(found), *filter(None, [verdict(found)])]
        parts.append(table.with_notes(form, told))
    if last := overview(all_found):
        parts.append(last.with_notes(form, []))
    return "\n".join(parts)
