"""``ftlab plot``: a figure of a folder of results."""

from __future__ import annotations

from typing import Any

import click

from ftlab.cli import drawing
from ftlab.cli.output import FIGURE_KINDS, Outputs, columns_option, suffix_of
from ftlab.cli.say import say
from ftlab.cli.stored import results_argument, say_left_out, where_option
from ftlab.cli.words import translated
from ftlab.cli.written import Written, check_written
from ftlab.points import Store
from ftlab.report.points import seed_notes, spread_notes, where


@click.command()
@results_argument
@click.option("--x", required=True, metavar="NAME", help="The setting on the axis, as ftl.cache.")
@click.option(
    "--y",
    required=True,
    metavar="NAME,...",
    help="The figures (docs: results), as mapping.hit_ratio; a panel for each.",
)
@where_option
@columns_option
@click.option(
    "-o",
    "--output",
    type=Written(),
    required=True,
    metavar="FILE",
    help="A .pdf, .svg, .png or .html.",
)
@click.pass_context
def plot(context: click.Context, /, folder: str, x: str, y: str, **options: Any) -> None:
    """Draw the results in DIR over a setting.

    Each FTL and each other setting that differs is a line. Points that differ in the seed or in the
    part of the trace only are one point, with whiskers for the standard deviation. If a file is
    damaged, unreadable or a copy, it is named and the exit code is 2.
    """
    output = options["output"]
    suffix_of("--output", output, FIGURE_KINDS)
    check_written()
    drawing.need("plot")
    from ftlab.plot_points import over

    entries, left_out = Store(folder).contents()
    failed = sum(each.failed for each in entries)
    chosen = where(entries, options["conditions"])
    figures = [each.strip() for each in y.split(",") if each.strip()]
    columns = int(options["columns_wide"] or 0) or None
    Outputs(None, plot=output).figure(lambda: over(chosen, x, figures, columns))
    if failed:
        say(f"{failed} of {len(entries)} points failed and are not drawn", err=True)
    for note in seed_notes(chosen):
        say(f"warning: {translated(note)}", err=True)
    say(f"Written: {output}")
    for note in spread_notes(chosen):
        say(f"Whiskers: {note}")
    context.exit(0 if say_left_out(left_out) else 2)
