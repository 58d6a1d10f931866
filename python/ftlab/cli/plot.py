"""``ftlab plot``: a figure of a folder of results."""

from __future__ import annotations

from typing import Any

import click

from ftlab.cli import drawing
from ftlab.cli.output import FIGURE_KINDS, Outputs, columns_option, suffix_of
from ftlab.cli.say import say
from ftlab.cli.show import warn
from ftlab.cli.stored import results_argument, say_left_out, where_option
from ftlab.cli.written import Written, check_written
from ftlab.names import ftl
from ftlab.points import Store
from ftlab.report.points import seed_notes, spread_notes, where
from ftlab.units import number


@click.command()
@results_argument
@click.option(
    "--x", required=True, metavar="NAME", help="Setting or metric on the axis, as ftl.cache."
)
@click.option(
    "--y",
    required=True,
    metavar="NAME,...",
    help="Metrics, as mapping.hit_ratio; a panel for each.",
)
@where_option
@columns_option
@click.option("--facet", metavar="NAME", help="A column of panels for each value of a setting.")
@click.option("--relative", metavar="FTL", help="Draw multiples of this FTL's values.")
@click.option("--label", multiple=True, metavar="NAME=TEXT", help="Show another name.")
@click.option("--order", metavar="NAME,...", help="Lines and groups of bars that come first.")
@click.option("--ylim", metavar="LOW:HIGH", help="Ends of the value axis, as 0:100% or 1ms:.")
@click.option(
    "-o",
    "--output",
    type=Written(),
    required=True,
    metavar="FILE",
    help="The .pdf, .svg, .png or .html file to write.",
)
@click.pass_context
def plot(context: click.Context, /, folder: str, x: str, y: str, **options: Any) -> None:
    """Draw the results in DIR over a setting.

    Each FTL and each other setting that differs is a line. Points that differ in the seed or in the
    part of the trace only are one point, with whiskers for the standard deviation. "--x ram_bytes"
    compares at equal RAM. If a file is damaged, unreadable or a copy, it is named and the exit code
    is 2.
    """
    output = options["output"]
    suffix_of("--output", output, FIGURE_KINDS)
    check_written()
    drawing.need("plot")
    from ftlab.plot_points import Drawing, over

    how = Drawing(
        options["facet"],
        dict(_label(each) for each in options["label"]),
        _limits(options["ylim"]) if options["ylim"] else None,
        [each.strip() for each in (options["order"] or "").split(",") if each.strip()],
        options["relative"] and ftl(options["relative"]),
    )
    entries, left_out = Store(folder).contents()
    failed = sum(each.failed for each in entries)
    chosen = where(entries, options["conditions"])
    figures = [each.strip() for each in y.split(",") if each.strip()]
    columns = int(options["columns_wide"] or 0) or None
    Outputs(None, plot=output).figure(lambda: over(chosen, x, figures, columns, how))
    if failed:
        say(f"{failed} of {len(entries)} points failed and are not drawn", err=True)
    warn(seed_notes(chosen))
    say(f"Written: {output}")
    for note in spread_notes(chosen):
        say(f"Whiskers: {note}")
    context.exit(0 if say_left_out(left_out) else 2)


def _label(text: str) -> tuple[str, str]:
    """Return a name and the text that is shown for it."""
    name, equals, shown = text.rpartition("=")
    if not equals or not name:
        raise click.UsageError(f"--label: found {text}, expected NAME=TEXT")
    return name.strip(), shown.strip()


def _limits(text: str) -> tuple[float | None, float | None]:
    """Return the ends of an axis, as ``0:100%`` or ``1ms:``; times are in microseconds."""
    low, colon, high = (part.strip() for part in text.partition(":"))
    if not colon or not (low or high):
        raise click.UsageError(f"--ylim: found {text}, expected LOW:HIGH, as 0:100% or 1ms:")
    return _limit(low), _limit(high)


def _limit(text: str) -> float | None:
    if not text:
        return None
    for kind, scale in (("ratio", 1), ("time", 1e3), ("size", 1)):
        found = number(text, kind)
        if found is not None:
            return found / scale
    raise click.UsageError(f"--ylim: found {text}, expected a number, as 80%, 1.5 or 2ms")
