"""``ftlab trace info``: what is in a trace."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import click

from ftlab.cli.options import source_config, source_options
from ftlab.cli.output import Outputs, output_options
from ftlab.cli.progress import meter
from ftlab.cli.show import show_sections, show_table
from ftlab.report.numbers import by_name
from ftlab.report.summary import Section, text_of, words
from ftlab.report.tables import Table
from ftlab.result import Record, Result
from ftlab.traces import statistics


@click.command()
@source_options
@output_options
def info(**options: Any) -> None:
    """Read TRACE once and print its statistics and the format detected."""
    config = source_config(options)
    outputs = Outputs.of(options)
    if outputs.form in ("md", "tex"):
        raise click.UsageError("statistics of a trace are written as .json, .csv or .txt")
    with meter() as progress:
        found = statistics(config, progress)
    texts = {
        "json": found.to_json() + "\n",
        "csv": Result(found).to_csv(),
        "txt": _text(found),
    }
    text = texts[outputs.form] if outputs.form else None
    outputs.result(text, lambda: _show(found))


def _show(record: Record) -> None:
    """Print the record, then those that are tables."""
    show_sections(_sections(record))
    for title, table in _tables(record):
        click.echo(f"\n{title}")
        show_table(table)


def _text(record: Record) -> str:
    """Return what `_show` prints in a pipe."""
    tables = [f"\n{title}\n{table.text()}" for title, table in _tables(record)]
    return "".join([text_of(_sections(record)), *tables])


def _sections(record: Record) -> list[Section]:
    """Return one section of single figures, and one for each group of them."""
    groups = {key: value for key, value in record.items() if isinstance(value, Record)}
    sections = [("trace", _lines(record))]
    sections += [(words(key), _lines(group)) for key, group in groups.items()]
    return [(title, lines) for title, lines in sections if lines]


def _lines(record: Record) -> list[tuple[str, str]]:
    """Return the figures of a record that exist, each in the unit that its name says."""
    return [
        (words(key), by_name(key, value))
        for key, value in record.items()
        if value is not None and not isinstance(value, Record | list)
    ]


def _tables(record: Record) -> list[tuple[str, Table]]:
    """Return the lists of records, such as one for each volume, as tables."""
    lists = {
        key: value
        for key, value in record.items()
        if isinstance(value, list) and value and isinstance(value[0], Record)
    }
    return [(words(key), _table(rows)) for key, rows in lists.items()]


def _table(records: Sequence[Record]) -> Table:
    columns = list(records[0])
    rows = [[by_name(key, record.get(key)) for key in columns] for record in records]
    return Table([words(key) for key in columns], rows)
