"""``ftlab load``: IOPS and latencies over queue depth and offered load."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import click

from ftlab.cli.job import prepared
from ftlab.cli.options import ftl_option, model_options, source_options
from ftlab.cli.output import columns_option, figure_option, in_form, output_options
from ftlab.cli.progress import meter
from ftlab.cli.say import say
from ftlab.cli.sections import Verb
from ftlab.cli.show import show_table, warn
from ftlab.load import DEPTHS, LOADS, Load, drawn, measure, tables
from ftlab.report.summary import setup_line
from ftlab.report.warned import labelled
from ftlab.result import Comparison

DEFAULT = "page"


@click.command(cls=Verb)
@source_options
@ftl_option("NAME,...", f"FTLs (`ftlab list ftls`) [{DEFAULT}].")
@click.option(
    "--depths",
    metavar="N,...",
    default=",".join(map(str, DEPTHS)),
    show_default=True,
    help="Queue depths of closed loops.",
)
@click.option(
    "--loads",
    metavar="RATIO,...",
    default=",".join(f"{100 * load:.0f}%" for load in LOADS),
    show_default=True,
    help="Shares of the highest throughput.",
)
@model_options
@output_options
@figure_option
@columns_option
def load(ftl: str | None, depths: str, loads: str, **options: Any) -> None:
    """Measure throughput and latency of FTLs at several loads.

    First runs a closed loop at each queue depth. Then stretches the arrivals of TRACE to shares of
    the highest throughput found. An FTL saturates at the least depth with 95 % of that throughput.
    """
    config, ftls, outputs = prepared(options, ftl, DEFAULT)
    with meter() as progress:
        found = measure(
            config,
            ftls,
            [_number("--depths", text, int) for text in depths.split(",") if text],
            [_number("--loads", text, _ratio) for text in loads.split(",") if text],
            progress,
        )
    outputs.result(_rendered(outputs.form, found), lambda: _show(found))
    warn(_warnings(found))
    outputs.figure(lambda: drawn(found, outputs.columns_wide))


def _show(found: Sequence[Load]) -> None:
    say(setup_line(Comparison([found[0].closed[0].result])), "")
    show_table(tables(found))
    say("")
    for load in found:
        say(load.told())


def _warnings(found: Sequence[Load]) -> list[str]:
    """Return what the runs warn of, each text once behind the FTLs that it is about."""
    return labelled([load.ftl for load in found], [load.warnings() for load in found])


def _rendered(form: str | None, found: Sequence[Load]) -> str | None:
    notes = [*(load.told() for load in found), *_warnings(found)]
    return in_form(form, tables(found), [load.to_dict() for load in found], notes)


def _ratio(text: str) -> float:
    return float(text.removesuffix("%")) / (100 if text.endswith("%") else 1)


def _number(option: str, text: str, read: Callable[[str], Any]) -> Any:
    """Return a positive number of a list."""
    try:
        number = read(text.strip())
    except ValueError:
        number = 0
    if number <= 0:
        raise click.UsageError(f"{option}: found {text}, expected positive numbers with commas")
    return number
