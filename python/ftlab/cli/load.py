"""``ftlab load``: IOPS and latencies over queue depth and offered load."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import click

from ftlab.cli.job import configuration, one, print_resolved
from ftlab.cli.options import ftl_option, model_options, source_options
from ftlab.cli.output import Outputs, figure_option, output_options
from ftlab.cli.progress import meter
from ftlab.cli.show import show_table
from ftlab.load import DEPTHS, LOADS, Load, measure

DEFAULT = "page"


@click.command()
@source_options
@ftl_option(f"The FTL (`ftlab list ftls`) [{DEFAULT}].")
@click.option(
    "--depths",
    metavar="N,...",
    default=",".join(map(str, DEPTHS)),
    show_default=True,
    help="Requests outstanding in a closed loop.",
)
@click.option(
    "--loads",
    metavar="RATIO,...",
    default=",".join(f"{100 * load:.0f}%" for load in LOADS),
    show_default=True,
    help="Shares of the highest throughput, with the input's arrivals.",
)
@model_options
@output_options
@figure_option
def load(ftl: str | None, depths: str, loads: str, print_config: bool, **options: Any) -> None:
    """Run one FTL on TRACE at several loads, and show what it serves and how fast.

    First in a closed loop at each queue depth; then with the arrivals of TRACE, stretched to shares
    of the highest throughput so found.
    """
    config, ftls = configuration(options, ftl, DEFAULT)
    chosen = one(ftls, "load")
    if print_config:
        print_resolved(config, ftls, options["as_json"])
        return
    outputs = Outputs.of(options, config, chosen)
    with meter() as progress:
        found = measure(
            config,
            chosen,
            [_number("--depths", text, int) for text in depths.split(",") if text],
            [_number("--loads", text, _ratio) for text in loads.split(",") if text],
            progress,
        )
    outputs.figure(found.plot)
    outputs.result(_rendered(outputs.form, found), lambda: show_table(found.table()))


def _rendered(form: str | None, found: Load) -> str | None:
    table = found.table()
    forms: dict[str, Callable[[], str]] = {
        "json": lambda: json.dumps(found.rows(), indent=2) + "\n",
        "csv": table.csv,
        "md": table.markdown,
        "tex": table.latex,
        "txt": table.text,
    }
    return forms[form]() if form else None


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
