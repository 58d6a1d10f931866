"""Results of points as tables: a row for each, with what it warns of."""

from __future__ import annotations

import io
import json
import sqlite3
from collections.abc import Iterable, Mapping, Sequence
from itertools import chain
from typing import Any

from ftlab.errors import ConfigError
from ftlab.names import in_any_case, near
from ftlab.points.conditions import CONDITION, FTL, holds
from ftlab.points.order import differing, setting
from ftlab.points.point import canonical
from ftlab.points.store import Entry, Failure
from ftlab.report.difference import Measured
from ftlab.report.numbers import by_name
from ftlab.report.summary import HEADLINES
from ftlab.report.tables import ABSENT, Table, columns_of, csv_of_rows, printable, wording
from ftlab.report.warned import alike, once, warned
from ftlab.result import Result
from ftlab.seeds import NO_EFFECT, without_effect
from ftlab.spread import axes, of_groups
from ftlab.titles import FtlName
from ftlab.units import kinds

SHOWN = (
    "mapping.hit_ratio",
    "write_amplification",
    "flash.erases",
    "response_us.mean",
    "response_us.p99",
    "ram_bytes",
)
"""The figures of a table for which nothing else was asked."""

FIGURES = {figure.path: figure for figure in HEADLINES}

Row = Mapping[str, Any]


def rows(entries: Sequence[Entry]) -> list[Row]:
    """Return everything that is known of each point: names as in `ftlab.Result.flat`.

    Before them ``label``, ``digest``, ``error`` and ``warnings``, which is one text.
    """
    return [_row(entry) for entry in entries]


def _row(entry: Entry) -> Row:
    told = {"label": entry.label, "digest": entry.digest, "error": None}
    if isinstance(entry.outcome, Failure):
        known = entry.identity.get("config", entry.config)
        config = {**known, "input": entry.config.get("input", {})}
        flat = Result({"ftl": entry.ftl, "config": config}).flat()
        return {**told, "error": str(entry.outcome), "warnings": None, **flat}
    warnings = " | ".join(entry.outcome.get("warnings") or [])
    return {**told, "warnings": warnings, **entry.outcome.flat()}


def where(entries: Sequence[Entry], conditions: Sequence[str]) -> list[Entry]:
    """Return the points for which conditions on settings and metrics hold.

    A metric may be named as its column is. A point without it does not meet the condition; one that
    does not obey a setting does.
    """
    if not conditions:
        return list(entries)
    all_rows = rows(entries)
    labels = {figure.label: path for path, figure in FIGURES.items()}
    known = [*names(all_rows), *FIGURES, *labels]
    found = []
    for entry, row in zip(entries, all_rows, strict=True):

        def look(key: str, entry: Entry = entry, row: Row = row) -> Any:
            return value_of(entry, row, key)

        named = [_by_path(each, labels) for each in conditions]
        if all(holds(each, known, look, lambda key: key in kinds()) for each in named):
            found.append(entry)
    return found


def _by_path(condition: str, labels: Mapping[str, str]) -> str:
    """Return a condition with the path of a metric that is named as its column is."""
    found = CONDITION.fullmatch(condition)
    path = labels.get(in_any_case(found[1], labels)) if found else None
    return f"{path} {found[2]} {found[3]}" if found and path else condition


def names(all_rows: Sequence[Row]) -> list[str]:
    """Return the names of columns; a setting has one without ``config.``, too."""
    columns = list(dict.fromkeys(name for row in all_rows for name in row))
    settings = [each.removeprefix("config.") for each in columns if each.startswith("config.")]
    return [*columns, *(each for each in settings if each not in columns)]


def value_of(entry: Entry, row: Row, name: str) -> Any:
    """Return a metric or a setting of a point, whose row is known; None where there is none."""
    if name in FIGURES and isinstance(entry.outcome, Result):
        return FIGURES[name].of(entry.outcome)
    return row.get(name, row.get(f"config.{name}"))


def groups(entries: Sequence[Entry]) -> list[list[Entry]]:
    """Return the entries of each point: those that differ in seeds or parts of the input only.

    Those that failed for one reason are apart from others.
    """
    apart = axes([entry.config for entry in entries])
    keys = [key for key in differing(entries) if key not in apart]
    found: dict[Any, list[Entry]] = {}
    for entry in entries:
        reason = str(entry.outcome) if entry.failed else ""
        point = (entry.ftl, reason, *(repr(setting(entry, key)) for key in keys))
        found.setdefault(point, []).append(entry)
    return list(found.values())


def table(entries: Sequence[Entry], columns: Sequence[str] = (), each: bool = False) -> Table:
    """Return a row for each point: FTL, settings that differ, figures, notes on its warnings.

    Figures are means over seeds or parts of the input with their deviations, and n is how many.
    With ``each``, every run has a row of its own.
    """
    points = [[entry] for entry in entries] if each else groups(entries)
    several = any(len(point) > 1 for point in points)
    hidden = axes([entry.config for entry in entries]) if several else []
    settings = [key for key in differing(entries) if key not in hidden]
    figures = _named(columns, entries) or [
        path for path in SHOWN if any(_has(e, path) for e in entries)
    ]
    told = dict(zip(map(id, entries), _told(entries), strict=True))
    notes = list(alike(chain(*told.values())))
    counts = ["n"] if several else []
    header = [FTL, *settings, *counts, *(FIGURES[f].label if f in FIGURES else f for f in figures)]
    cells = [
        [
            FtlName(point[0].ftl),
            *(_setting(point[0], key) for key in settings),
            *(str(len(point)) for _ in counts),
            *(_figure(point, path) for path in figures),
            _numbers([told[id(entry)] for entry in point], notes),
        ]
        for point in points
    ]
    if not notes:
        return Table(header, [row[:-1] for row in cells])
    return Table([*header, "notes"], cells)


def _numbers(told: Iterable[Iterable[str]], notes: Sequence[str]) -> str:
    """Return the numbers of the notes that the runs of a point have, each once."""
    texts = set(map(wording, chain(*told)))
    return ", ".join(str(n) for n, text in enumerate(notes, 1) if text in texts) or ABSENT


def notes(entries: Sequence[Entry], each: bool = False) -> list[str]:
    """Return what the deviations are of, and the texts that the notes of the table point to."""
    told = [f"{number}: {text}" for number, text in enumerate(warnings(entries), 1)]
    spread = [] if each else spread_notes(entries)
    return [*spread, *told, *seed_notes(entries)]


def warnings(entries: Sequence[Entry]) -> list[str]:
    """Return what runs warn of and why runs failed; texts that differ in numbers only are one."""
    return once(chain(*_told(entries)))


def spread_notes(entries: Sequence[Entry]) -> list[str]:
    """Return what the deviations of these points are of, if they have any."""
    text = of_groups([_results(point) for point in groups(entries)])
    return [text] if text else []


def _results(point: Sequence[Entry]) -> list[Result]:
    return [entry.outcome for entry in point if isinstance(entry.outcome, Result)]


def seed_notes(entries: Sequence[Entry]) -> list[str]:
    """Return what to say of points that were run with several seeds, which changed nothing."""
    seeds: dict[str, list[Result]] = {}
    for entry in entries:
        if isinstance(entry.outcome, Result):
            run = {k: v for k, v in entry.config.get("run", {}).items() if k != "seed"}
            point = canonical({"config": {**entry.config, "run": run}, "ftl": entry.ftl})
            seeds.setdefault(point, []).append(entry.outcome)
    several = [runs for runs in seeds.values() if len(runs) > 1]
    idle = sum(map(without_effect, several))
    where = "" if idle == len(several) else f"at {idle:,} of {len(several):,} points "
    return [where + NO_EFFECT] if idle else []


def _told(entries: Sequence[Entry]) -> list[list[str]]:
    """Return for each entry why it failed, or what it warns of next to the others."""
    outcomes = [entry.outcome for entry in entries]
    texts = iter(warned([each for each in outcomes if isinstance(each, Result)]))
    return [[f"failed: {e}"] if isinstance(e, Failure) else next(texts) for e in outcomes]


def _has(entry: Entry, path: str) -> bool:
    return isinstance(entry.outcome, Result) and FIGURES[path].of(entry.outcome) is not None


def _named(columns: Sequence[str], entries: Sequence[Entry]) -> list[str]:
    """Return the columns of these names, in any case; raises `ftlab.ConfigError` for another."""
    known = [*FIGURES, *names(rows(entries))] if set(columns) - set(FIGURES) else list(FIGURES)
    found = [in_any_case(each, known) for each in columns]
    unknown = next((each for each in found if each not in known), None)
    if unknown:
        raise ConfigError(f'no column of the name "{unknown}"{near(unknown, known)}')
    return found


def _setting(entry: Entry, key: str) -> str:
    value = setting(entry, key)
    return ABSENT if value is None else str(value)


def _figure(point: Sequence[Entry], path: str) -> str:
    runs = _results(point)
    if not runs:
        return "failed"
    if path in FIGURES:
        return FIGURES[path].cell(*runs)
    values = [row.get(path, row.get(f"config.{path}")) for row in map(_row, point)]
    numbers = [each for each in values if isinstance(each, float)]
    if len(set(numbers)) > 1 and len(numbers) == len(values):
        found = Measured.of(numbers)
        return f"{by_name(path, found.mean)} ± {by_name(path, found.deviation)}"
    told = dict.fromkeys(
        ABSENT
        if each is None or each == ""
        else by_name(path, each)
        if isinstance(each, float)
        else str(each)
        for each in values
    )
    return ", ".join(told)


def means(entries: Sequence[Entry]) -> list[Row]:
    """Return a row for each point: means over seeds or parts, deviations as ``NAME.sd``, and n."""
    return [_mean(point) for point in groups(entries)]


def _mean(point: Sequence[Entry]) -> Row:
    found = rows(point)
    told: dict[str, Any] = {"ftl": point[0].ftl, "n": len(point)}
    for name in dict.fromkeys(name for row in found for name in row):
        values = [row.get(name) for row in found]
        numbers = [float(each) for each in values if isinstance(each, int | float)]
        setting = name.startswith("config.") or any(isinstance(each, bool) for each in values)
        if 1 < len(numbers) == len(values) and not setting:
            measured = Measured.of(numbers)
            told |= {name: measured.mean, f"{name}.sd": measured.deviation}
        elif len({repr(value) for value in values}) == 1:
            told[name] = values[0]
    return told


def written(
    form: str, entries: Sequence[Entry], columns: Sequence[str] = (), each: bool = False
) -> str:
    """Return the table with its notes below, in Markdown, LaTeX or aligned text."""
    return table(entries, columns, each).with_notes(form, notes(entries, each))


def as_json(entries: Sequence[Entry]) -> str:
    """Return a list with label, digest, and the whole result or the failure of each point."""
    found: list[dict[str, Any]] = []
    for entry in entries:
        known = {"label": entry.label, "digest": entry.digest}
        if isinstance(entry.outcome, Failure):
            given = {"config": entry.config, "ftl": entry.ftl}
            found.append({**known, "error": str(entry.outcome), **given})
        else:
            found.append({**known, "result": entry.outcome.to_dict()})
    return json.dumps(found, indent=2, ensure_ascii=False) + "\n"


def as_csv(all_rows: Sequence[Row]) -> str:
    """Return all columns of `rows` or `means` as CSV; what does not exist is empty."""
    return csv_of_rows(all_rows)


def as_sqlite(all_rows: Sequence[Row]) -> bytes:
    """Return a database with all columns of `rows` or `means` in the table ``results``."""
    columns, cells = columns_of(all_rows)
    columns = _for_sql(columns)
    cells = [[_in_64_bits(cell) for cell in row] for row in cells]
    with sqlite3.connect(":memory:") as database:
        if len(columns) > (most := database.getlimit(sqlite3.SQLITE_LIMIT_COLUMN)):
            raise ConfigError(
                f"found {len(columns):,} figures and settings, expected at most {most:,}, "
                "which SQLite has columns for; write .csv or .parquet"
            )
        quoted = ", ".join('"' + each.replace('"', '""') + '"' for each in columns)
        database.execute(f"create table results ({quoted})")
        places = ", ".join("?" for _ in columns)
        database.executemany(f"insert into results values ({places})", cells)
        database.commit()
        return database.serialize()


def _for_sql(columns: Sequence[str]) -> list[str]:
    """Return names for columns: SQLite knows no case, and no NUL."""
    found: dict[str, str] = {}
    for each in map(printable, columns):
        name, number = each, 1
        while name.lower() in found:
            number += 1
            name = f"{each}_{number}"
        found[name.lower()] = name
    return list(found.values())


def _in_64_bits(cell: Any) -> Any:
    """Return a cell that SQLite can hold: a whole number that is too large is a text."""
    return str(cell) if isinstance(cell, int) and not -(2**63) <= cell < 2**63 else cell


def as_parquet(all_rows: Sequence[Row]) -> bytes:
    """Return all columns of `rows` or `means` as Parquet; needs pandas and pyarrow."""
    import pandas as pd

    columns, cells = columns_of(all_rows)
    buffer = io.BytesIO()
    pd.DataFrame(cells, columns=columns).to_parquet(buffer, index=False)
    return buffer.getvalue()
