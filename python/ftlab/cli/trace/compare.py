"""``ftlab trace compare``: how alike two traces are."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import click

from ftlab.cli import parse
from ftlab.cli.options import (
    model_config,
    model_options,
    pair_config,
    pair_options,
    refuses_print_config,
)
from ftlab.cli.output import Outputs, figure_option, in_form, output_options
from ftlab.cli.progress import meter
from ftlab.cli.say import say
from ftlab.cli.sections import Verb
from ftlab.cli.show import show_table
from ftlab.config import Config, merge
from ftlab.configuration_file import load
from ftlab.report.similarity import run_line, similarity_table
from ftlab.similarity import FTLS, compare_sources


@click.command(cls=Verb)
@refuses_print_config
@pair_options
@click.option(
    "--ftl",
    metavar="NAME,...",
    default=",".join(FTLS),
    help=f"FTLs to run on both; none for no runs [{','.join(FTLS)}].",
)
@model_options
@output_options
@figure_option
def compare(ftl: str, print_config: bool, **options: Any) -> None:
    """Show how alike the traces A and B are, also to FTLs.

    An option that selects requests holds for both traces. With a comma it has a value for each:
    "--skip 0,50000" compares two parts of a trace.
    """
    sources = pair_config(options)
    if print_config:
        raise click.UsageError("--print-config belongs to run and compare")
    ftls = [] if ftl == "none" else parse.names(ftl)
    device = _device(options)
    outputs = Outputs.of(options, sources, device, ftls)
    with meter() as progress:
        found = compare_sources(sources, device, ftls, progress)
    table = similarity_table(found)
    is_json = outputs.form == "json"
    text = found.to_json() + "\n" if is_json else in_form(outputs.form, table, None)

    def show() -> None:
        show_table(table)
        say("", run_line(found))

    outputs.result(text, show)
    outputs.figure(found.plot)


def _device(options: Mapping[str, Any]) -> Config:
    """Return the settings of both runs, without their requests."""
    file = load(options["config"]) if options["config"] else {}
    others = {key: value for key, value in file.items() if key not in ("ftls", "input", "workload")}
    return merge([others, model_config(options)])
