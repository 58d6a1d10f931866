"""``ftlab run``: one FTL, a readable summary."""

from __future__ import annotations

from typing import Any

import click

from ftlab.cli.job import configuration, perform, print_resolved
from ftlab.cli.options import model_options, source_options
from ftlab.cli.output import Outputs, output_options, picture_options, rendered
from ftlab.cli.show import show_sections, show_warnings
from ftlab.config import merge
from ftlab.files import write_atomically
from ftlab.report.summary import run_summary
from ftlab.schedule import chrome_trace


@click.command()
@source_options
@click.option("--ftl", default="tpftl", show_default=True, help="The FTL (`ftlab list ftls`).")
@model_options
@output_options
@picture_options
@click.option(
    "--timeline",
    metavar="FILE",
    help="Write when each operation was done as .json for Perfetto and chrome://tracing.",
)
@click.option(
    "--timeline-operations",
    type=click.IntRange(min=1),
    default=10_000,
    show_default=True,
    help="Operations that the timeline shows.",
)
@click.option(
    "--timeline-from",
    type=click.IntRange(min=0),
    default=0,
    show_default=True,
    help="Operations before these.",
)
def run(ftl: str, print_config: bool, **options: Any) -> None:
    """Run one FTL on TRACE and summarise what it did.

    TRACE is a file (plain, .gz, .bz2, .xz or .zst), - for standard input, or the name of a
    built-in profile (`ftlab list profiles`).
    """
    config = configuration(options)
    timeline = options["timeline"]
    if timeline:
        window = {"timeline": options["timeline_operations"]}
        window["timeline_from"] = options["timeline_from"]
        config = merge([config, {"run": window}])
    if print_config:
        print_resolved(config, ftl)
        return
    outputs = Outputs.of(options, config, ftl)
    comparison = perform(config, [ftl])
    outputs.pictures(comparison)
    if timeline:
        write_atomically(timeline, chrome_trace(comparison[0]))
    text = rendered(outputs.form, comparison, single=True)
    outputs.result(text, lambda: show_sections(run_summary(comparison[0])))
    show_warnings(comparison)
