"""``ftlab run``: one FTL, a readable summary."""

from __future__ import annotations

from typing import Any

import click

from ftlab.cli.job import configuration, perform, print_resolved
from ftlab.cli.options import model_options, source_options
from ftlab.cli.output import Outputs, output_options, picture_options, rendered
from ftlab.cli.show import show_sections, show_warnings
from ftlab.report.summary import run_summary


@click.command()
@source_options
@click.option("--ftl", default="tpftl", show_default=True, help="The FTL (`ftlab list ftls`).")
@model_options
@output_options
@picture_options
def run(ftl: str, print_config: bool, **options: Any) -> None:
    """Run one FTL on TRACE and summarise what it did.

    TRACE is a file (plain, .gz, .bz2, .xz or .zst), - for standard input, or the name of a
    built-in profile (`ftlab list profiles`).
    """
    config = configuration(options)
    if print_config:
        print_resolved(config)
        return
    outputs = Outputs.of(options)
    comparison = perform(config, [ftl])
    outputs.pictures(comparison)
    text = rendered(outputs.form, comparison, single=True)
    outputs.result(text, lambda: show_sections(run_summary(comparison[0])))
    show_warnings(comparison)
