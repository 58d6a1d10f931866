"""``ftlab compare``: several FTLs side by side."""

from __future__ import annotations

from typing import Any

import click

from ftlab.cli import parse
from ftlab.cli.again import asked
from ftlab.cli.job import perform_each, prepared
from ftlab.cli.options import ftl_option, model_options, repeated_options
from ftlab.cli.output import output_options, picture_options, rendered
from ftlab.cli.say import say
from ftlab.cli.sections import Verb
from ftlab.cli.show import show_table, show_warnings
from ftlab.cli.words import translated
from ftlab.report.summary import (
    checks_line,
    comparison_table,
    relative_table,
    setup_line,
    spread_line,
)
from ftlab.result import Comparison

DEFAULT = "page,dftl,tpftl"


@click.command(cls=Verb)
@repeated_options
@ftl_option("NAME,...", f"FTLs (`ftlab list ftls`) [{DEFAULT}].")
@click.option("--seeds", type=parse.Count(), help="Run each FTL with N seeds: mean ± deviation.")
@click.option(
    "--parts", type=parse.Count(), help="Run each FTL on N parts of the trace: mean ± deviation."
)
@model_options
@output_options
@picture_options
@click.pass_context
def compare(
    context: click.Context,
    /,
    ftl: str | None,
    seeds: int | None,
    parts: int | None,
    **options: Any,
) -> None:
    """Run several FTLs on TRACE and show them side by side.

    The trace is read once. Every FTL runs on its own device, with the same settings. A star marks
    a value if another is worse by more than 0.5 % and by more than the deviations. An FTL that
    cannot be built with these settings is left out; the exit code is then 2.

    --from RESULT.json repeats the runs in it and compares every metric bit for bit, as of `run`.
    """
    again = asked({**options, "ftl": ftl, "seeds": seeds, "parts": parts})
    if again:
        from ftlab.cli.repeat import repeat

        repeat(context, again, options)
    config, ftls, outputs = prepared(options, ftl, DEFAULT, variants=True)
    comparison, refusals = perform_each(config, ftls, seeds=seeds or 1, parts=parts)
    text = rendered(outputs.form, comparison, single=False)
    outputs.result(text, lambda: show_comparison(comparison))
    show_warnings(comparison)
    outputs.pictures(comparison)
    for why in refusals:
        say(f"error: {translated(why)}", err=True)
    context.exit(2 if refusals else 0)


def show_comparison(comparison: Comparison) -> None:
    """Print the set-up, the table, the relative table, and what was checked."""
    say(setup_line(comparison), "")
    show_table(comparison_table(comparison))
    if spread := spread_line(comparison):
        say(spread)
    if len(comparison) > 1:
        say("")
        show_table(relative_table(comparison))
    say("")
    for title, result in zip(comparison.titles, comparison, strict=True):
        say(f"{title}: {checks_line(result)}")
