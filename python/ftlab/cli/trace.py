"""``ftlab trace``: what is in a trace."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import click

from ftlab import _core
from ftlab.cli.options import source_config, source_options
from ftlab.cli.output import Outputs, output_options
from ftlab.cli.progress import meter
from ftlab.cli.show import show_sections, show_table
from ftlab.report.numbers import by_name
from ftlab.report.summary import Section, text_of, words
from ftlab.report.tables import Table
from ftlab.result import Record, Result


@click.group()
def trace() -> None:
    """Look into traces."""


@trace.command()
@source_options
@output_options
def info(**options: Any) -> None:
    """Read TRACE once and print its statistics and the format detected."""
    config = source_config(options)
    outputs = Outputs.of(options)
    if outputs.form in ("md", "tex"):
        raise click.UsageError("statistics of a trace are written as .json, .csv or .txt")
    with meter() as progress:
        statistics = Result(json.loads(_core.trace_info(json.dumps(config), progress)))
    texts = {
        "json": statistics.to_json() + "\n",
        "csv": statistics.to_csv(),
        "txt": _text(statistics),
    }
    text = texts[outputs.form] if outputs.form else None
    outputs.result(text, lambda: _show(statistics))


def _show(statistics: Record) -> None:
    """Print the statistics, then those that are tables."""
    show_sections(_sections(statistics))
    for title, table in _tables(statistics):
        click.echo(f"\n{title}")
        show_table(table)


def _text(statistics: Record) -> str:
    """Return what `_show` prints in a pipe."""
    tables = [f"\n{title}\n{table.text()}" for title, table in _tables(statistics)]
    return "".join([text_of(_sections(statistics)), *tables])


def _sections(statistics: Record) -> list[Section]:
    """Return one section of single figures, and one for each group of them."""
    groups = {key: value for key, value in statistics.items() if isinstance(value, Record)}
    sections = [("trace", _lines(statistics))]
    sections += [(words(key), _lines(group)) for key, group in groups.items()]
    return [(title, lines) for title, lines in sections if lines]


def _lines(record: Record) -> list[tuple[str, str]]:
    """Return the figures of a record that exist, each in the unit that its name says."""
    return [
        (words(key), by_name(key, value))
        for key, value in record.items()
        if value is not None and not isinstance(value, Record | list)
    ]


def _tables(statistics: Record) -> list[tuple[str, Table]]:
    """Return the lists of records, such as one for each volume, as tables."""
    lists = {
        key: value
        for key, value in statistics.items()
        if isinstance(value, list) and value and isinstance(value[0], Record)
    }
    return [(words(key), _table(rows)) for key, rows in lists.items()]


def _table(records: Sequence[Record]) -> Table:
    columns = list(records[0])
    rows = [[by_name(key, record.get(key)) for key in columns] for record in records]
    return Table([words(key) for key in columns], rows)
