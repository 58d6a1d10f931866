"""``ftlab results``: the results of a folder, chosen and written as tables."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import click

from ftlab.cli.output import FORMS as OF_RUNS
from ftlab.cli.output import check_parquet, form_of, output_options
from ftlab.cli.say import hand_over, say
from ftlab.cli.show import show_table, warn
from ftlab.cli.stored import results_argument, say_left_out, where_option
from ftlab.cli.words import translated
from ftlab.cli.written import check_written
from ftlab.files import write_atomically
from ftlab.points import Entry, Store
from ftlab.report import points as tables
from ftlab.report.excel import SUFFIX, workbook

FORMS = {**OF_RUNS, SUFFIX: "xlsx", ".parquet": "parquet", ".sqlite": "sqlite"}

DATA = ("json", "csv", "xlsx", "parquet", "sqlite")
"""Forms without a place for notes."""


@click.command()
@results_argument
@where_option
@click.option("--columns", "shown", metavar="NAME,...", help="Metrics and settings to show.")
@click.option("--each", is_flag=True, help="Show a row for each seed and part of the trace.")
@click.option("--means", is_flag=True, help="Write means, NAME.sd and n to data files.")
@click.option("--failed", is_flag=True, help="Show only failed points.")
@click.option("--merge", multiple=True, metavar="DIR", help="Add the results of this folder.")
@output_options
@click.pass_context
def results(context: click.Context, /, folder: str, **options: Any) -> None:
    """Show the results that a sweep left in DIR.

    Each row is a point: its FTL, the settings that differ between points, its metrics, and notes
    on its warnings or its failure. Metrics are means ± standard deviations over seeds or parts. If
    a file is damaged, unreadable or a copy, it is named and the exit code is 2.
    """
    answer = Answer.of(options)
    store = Store(folder)
    whole = True
    for other in options["merge"]:
        taken, left_out = store.merge(Store(other, clean=False))
        say(f"{taken} results taken from {other}", err=True)
        whole &= say_left_out(left_out)
    entries, left_out = store.contents()
    answer.give(entries)
    whole &= say_left_out(left_out)
    context.exit(0 if whole else 2)


@dataclass(frozen=True)
class Answer:
    """Which points are shown, with which columns, in which form."""

    form: str | None
    output: str | None
    columns: Sequence[str]
    conditions: Sequence[str]
    failed: bool
    each: bool = False
    means: bool = False

    @classmethod
    def of(cls, options: Mapping[str, Any], *reads: object) -> Answer:
        """Return what the options ask for, or fail if it cannot be written.

        ``reads`` are as of `check_written`.
        """
        form, output = form_of(options, FORMS), options["output"]
        if form == "parquet":
            check_parquet()
        check_written(*reads)
        columns = [each.strip() for each in (options.get("shown") or "").split(",")]
        conditions = options.get("conditions", ())
        chosen = [each for each in columns if each]
        flags = (bool(options.get(flag)) for flag in ("failed", "each", "means"))
        return cls(form, output, chosen, conditions, *flags)

    def give(self, entries: Sequence[Entry]) -> None:
        """Write the points, or show them."""
        chosen = tables.where(entries, self.conditions)
        if self.failed:
            chosen = [each for each in chosen if each.failed]
        if entries and not chosen:
            say(f"none of {len(entries)} points fits", err=True)
        if self.form in DATA:
            warn(tables.seed_notes(chosen))
        if not self.form:
            show_table(tables.table(chosen, self.columns, self.each))
            for note in tables.notes(chosen, self.each):
                say(translated(note))
            return
        content = self._content(chosen, self.form)
        if self.output:
            write_atomically(self.output, content)
        elif isinstance(content, str):
            hand_over(content)

    def _content(self, entries: Sequence[Entry], form: str) -> str | bytes:
        if form in ("md", "tex", "txt"):
            return tables.written(form, entries, self.columns, self.each)
        if form == "json" and not self.means:
            return tables.as_json(entries)
        found = tables.means(entries) if self.means else tables.rows(entries)
        forms: dict[str, Callable[[Sequence[tables.Row]], str | bytes]] = {
            "json": lambda rows: json.dumps(rows, indent=2, ensure_ascii=False) + "\n",
            "csv": tables.as_csv,
            "xlsx": lambda rows: workbook(tables.as_csv(rows)),
            "parquet": tables.as_parquet,
            "sqlite": tables.as_sqlite,
        }
        return forms[form](found)
