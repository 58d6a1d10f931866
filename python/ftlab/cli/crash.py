"""``ftlab crash``: power cuts in a run on any trace."""

from __future__ import annotations

from typing import Any

import click

from ftlab import crash as crashes
from ftlab.cli import parse
from ftlab.cli.job import prepared
from ftlab.cli.options import ftl_option, model_options, source_options
from ftlab.cli.output import columns_option, figure_option, output_options
from ftlab.cli.progress import meter
from ftlab.cli.say import say
from ftlab.cli.sections import Verb
from ftlab.errors import ConfigError
from ftlab.simulation import check_obeyed

DEFAULT = "page,dftl,tpftl"


@click.command(cls=Verb)
@source_options
@ftl_option("NAME,...", f"FTLs (`ftlab list ftls`) [{DEFAULT}].")
@click.option(
    "--cuts",
    type=parse.Count(),
    default=crashes.CUTS,
    help="Cuts; half as many more cut recoveries [10000].",
)
@click.option("--at", metavar="CUT", help="Make only this cut of a violation.")
@model_options
@output_options
@figure_option
@columns_option
def crash(ftl: str | None, cuts: int, at: str | None, **options: Any) -> None:
    """Cut the power of FTLs on TRACE and verify what survives.

    Cuts come at random programs and erases, before or in the middle of one. After every other cut
    a second one comes, while the FTL mounts or soon after. The exit code is 1 if acknowledged data
    is lost.
    """
    config, ftls, outputs = prepared(options, ftl, DEFAULT)
    check_obeyed(config, ftls)
    crashes.check_mounts(ftls)
    one = _cut(at) if at else None
    with meter() as progress:
        reports = [crashes.crash(config, each, cuts, one, progress) for each in ftls]
    outputs.records(reports, crashes.table, crashes.drawn)
    violations = list(filter(None, map(crashes.violation, reports)))
    for line in violations:
        say(*line.splitlines(), err=True)
    if violations:
        raise click.exceptions.Exit(1)


def _cut(text: str) -> crashes.Cut:
    try:
        return crashes.cut(text)
    except ConfigError as error:
        raise click.UsageError(f"--at: {error}") from error
