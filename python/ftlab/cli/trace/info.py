"""``ftlab trace info``: the content of a trace."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import click

from ftlab.cli import parse
from ftlab.cli.options import source_config, source_options
from ftlab.cli.output import Outputs, figure_option, output_options
from ftlab.cli.progress import meter
from ftlab.cli.say import say
from ftlab.cli.sections import Verb
from ftlab.cli.show import show_sections, show_table, warn
from ftlab.config import merge, nested
from ftlab.record import Record
from ftlab.report.characteristics import characteristics_sections, characteristics_tables
from ftlab.report.numbers import by_name
from ftlab.report.summary import Section, text_of, words
from ftlab.report.tables import Table
from ftlab.report.warned import SECTOR, too_short
from ftlab.result import Result
from ftlab.source import characteristics, statistics

if TYPE_CHECKING:
    from matplotlib.figure import Figure

LABELS = {
    "name": "name",
    "format": "format",
    "units": "units",
    "duration_s": "duration",
    "requests_per_s": "requests per second",
    "span_bytes": "address span",
    "used_bytes": "address span, volumes apart",
    "end_bytes": "last address",
    "address_space_bytes": "device needed",
    "volumes_count": "volumes",
    "unique_pages_4k": "distinct 4 KiB pages",
    "requests": "requests",
    "reads": "reads",
    "writes": "writes",
    "trims": "trims",
    "flushes": "flushes",
    "write_ratio": "share of writes",
    "mean_bytes": "mean size",
    "mean_read_bytes": "mean size of reads",
    "mean_write_bytes": "mean size of writes",
    "aligned_4k_ratio": "aligned to 4 KiB",
    "sequential_requests_ratio": "sequential requests",
    "sequential_pages_ratio": "sequential pages",
    "digest": "digest",
}
"""Statistics in their order: the first ones show whether the units are right."""

COLUMNS = ("volume", "handle", "requests", "first_byte", "end_byte")
"""Columns that come first in the table of volumes."""

PAGES = ("page_bytes", "page_accesses", "pages_per_sample")
"""Metrics that are shown in a separate section."""


@click.command(cls=Verb)
@source_options
@click.option("--full", is_flag=True, help="Show sizes, arrivals, working set and miss ratios.")
@click.option("--page", metavar="SIZE", help="Page size for counting accesses [4KiB].")
@output_options
@figure_option
def info(full: bool, page: str | None, **options: Any) -> None:
    """Print the statistics and the format of TRACE.

    --json and --plot have all that --full shows.
    """
    config = source_config(options)
    outputs = Outputs.of(options, config)
    if outputs.form in ("md", "tex"):
        raise click.UsageError("statistics of a trace are written as .json, .csv or .txt")
    full = full or bool(page or outputs.plot) or outputs.form == "json"
    if page:
        config = merge([config, nested("device.page", parse.value(page))])
    with meter() as progress:
        found = (characteristics if full else statistics)(config, progress)
    texts = {
        "json": found.to_json() + "\n",
        "csv": Result(found).to_csv(),
        "txt": _text(found),
    }
    text = texts[outputs.form] if outputs.form else None
    outputs.result(text, lambda: _show(found))
    short = too_short(found.mean_bytes or SECTOR) if found.format == "csv" else ""
    warn([*found.warnings, *filter(None, [short])])
    outputs.figure(lambda: _figure(found))


def _figure(record: Record) -> Figure:
    from ftlab.plot_traces import small_multiples

    return small_multiples([record], [record["name"]])


def _show(record: Record) -> None:
    """Print the record, then those that are tables."""
    show_sections(_sections(record))
    for title, table in _tables(record):
        say("", title)
        show_table(table)


def _text(record: Record) -> str:
    """Return what `_show` prints in a pipe."""
    tables = [f"\n{title}\n{table.text()}" for title, table in _tables(record)]
    return "".join([text_of(_sections(record)), *tables])


def _sections(record: Record) -> list[Section]:
    """Return a section of single metrics, and the sections of `--full` if requested."""
    more = characteristics_sections(record) if "footprint" in record else []
    return [("trace", _lines(record)), *more]


def _lines(record: Record) -> list[tuple[str, str]]:
    """Return the statistics of a record that exist, each in the unit that its name states."""
    keys = [
        *(key for key in LABELS if key in record),
        *(key for key in record if key not in LABELS),
    ]
    return [
        (LABELS.get(key, words(key)), by_name(key, value))
        for key in keys
        if (value := record[key]) is not None
        if not isinstance(value, Record | list) and key not in PAGES
        if key != "flushes" or value > 0
    ]


def _tables(record: Record) -> list[tuple[str, Table]]:
    """Return the lists of records, such as one for each volume, as tables."""
    lists = {
        key: value
        for key, value in record.items()
        if isinstance(value, list) and value and isinstance(value[0], Record)
    }
    tables = [(words(key), _table(rows)) for key, rows in lists.items()]
    return [*tables, *(characteristics_tables(record) if "footprint" in record else [])]


def _table(records: Sequence[Record]) -> Table:
    columns = [key for key in COLUMNS if key in records[0]]
    columns += [key for key in records[0] if key not in COLUMNS]
    rows = [[by_name(key, record.get(key)) for key in columns] for record in records]
    return Table([words(key) for key in columns], rows)
