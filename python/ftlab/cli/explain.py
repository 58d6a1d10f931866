"""``ftlab explain``: why one run takes longer than another."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

import click

from ftlab import lookups
from ftlab.cli import parse
from ftlab.cli.job import configuration, perform, print_resolved
from ftlab.cli.options import ftl_option, model_options, source_options
from ftlab.cli.output import Outputs, columns_option, figure_option, in_form, output_options
from ftlab.cli.say import say
from ftlab.cli.sections import Verb
from ftlab.cli.show import show_table, show_warnings
from ftlab.config import merge
from ftlab.explain import drawn, moved_table, parts_of, sentence, table_of
from ftlab.report.causes import slow
from ftlab.report.summary import setup_line
from ftlab.result import Comparison

DEFAULT = "dftl,tpftl"


@click.command(cls=Verb)
@source_options
@ftl_option("NAME,...", f"Two FTLs, or one with --change [{DEFAULT}].")
@click.option(
    "--change",
    metavar="KEY=VALUE",
    multiple=True,
    help="Run the FTL again with this setting.",
)
@model_options
@output_options
@figure_option
@columns_option
def explain(ftl: str | None, change: tuple[str, ...], print_config: bool, **options: Any) -> None:
    """Explain the difference between two runs on TRACE.

    The mean service time of a request is divided by the flash operations that it needs, its wait by
    the work that earlier requests left. The parts add up to the difference of the mean responses.
    """
    config, ftls = configuration(options, ftl, DEFAULT, variants=True)
    if len(ftls) != (1 if change else 2):
        found = ", ".join(ftls)
        raise click.UsageError(f"found {found}, expected two FTLs, or one and --change KEY=VALUE")
    if print_config:
        print_resolved(config, ftls, options["as_json"])
        return
    watched = merge([config, {"run": {"causes": True}}])
    outputs = Outputs.of(options, config, ftls)
    if change:
        changed = merge([watched, parse.overrides(change)])
        # The change first: if it cannot be built, nothing has been run in vain.
        second, first = perform(changed, ftls)[0], perform(watched, ftls)[0]
        names = labels = [*Comparison([first]).titles, " ".join(change)]
    else:
        first, second = both = perform(watched, ftls)
        names, labels = list(both.labels), list(both.titles)
    parts = parts_of(first, second)
    table, moved = table_of(labels, parts), moved_table(labels, first, second)
    shares = lookups.shares_of(first, second)
    plain = {
        "runs": names,
        "parts": [{**asdict(part), "difference": part.difference} for part in parts],
        "lookups": [dict(zip(("share", "first", "second"), row, strict=True)) for row in shares],
        "moved": [dict(zip(moved.header, row, strict=True)) for row in moved.rows],
    }

    def show() -> None:
        say(setup_line(Comparison([first])), "", sentence(labels, parts), "")
        show_table(table)
        if shares:
            say("", lookups.sentence(labels, first, second), "")
            show_table(lookups.lookups_table(labels, shares))
        say("")
        show_table(moved)
        say("")
        for label, result in zip(labels, (first, second), strict=True):
            say(f"slowest request of {label}: {slow(result['causes']['slowest'][0])}")

    outputs.result(in_form(outputs.form, table, plain), show)
    show_warnings(Comparison([first, second], names))
    outputs.figure(lambda: drawn(labels, parts, outputs.columns_wide))
