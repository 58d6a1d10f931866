"""``ftlab endurance``: a workload on a device until its blocks are worn out."""

from __future__ import annotations

from typing import Any

import click

from ftlab import endurance as lives
from ftlab.cli import parse
from ftlab.cli.job import prepared
from ftlab.cli.options import ftl_option, model_options, source_options
from ftlab.cli.output import columns_option, figure_option, output_options
from ftlab.cli.progress import meter
from ftlab.cli.sections import Verb
from ftlab.cli.show import warn
from ftlab.report.summary import in_a_line
from ftlab.report.warned import labelled
from ftlab.simulation import check_obeyed
from ftlab.titles import title

DEFAULT = "page,dftl,tpftl"


@click.command(cls=Verb)
@source_options
@ftl_option("NAME,...", f"FTLs (`ftlab list ftls`) [{DEFAULT}].")
@click.option(
    "--scale",
    type=parse.Count(),
    help="1 runs the whole lifetime; N projects it from shorter ones.",
)
@click.option(
    "--passes",
    type=parse.Count(),
    default=lives.PASSES,
    help="Maximum of passes over TRACE [1000000].",
)
@model_options
@output_options
@figure_option
@columns_option
def endurance(ftl: str | None, scale: int | None, passes: int, **options: Any) -> None:
    """Replay TRACE on FTLs until the device is worn out.

    Set the erases that a block endures: --set device.endurance=1000. With --set device.cell=slc,
    mlc or tlc they are 100000, 3000 and 1000 by default. Every read is verified.
    """
    config, ftls, outputs = prepared(options, ftl, DEFAULT)
    check_obeyed(config, ftls)
    with meter() as progress:
        reports = [lives.endurance(config, each, scale, passes, progress) for each in ftls]
    outputs.records(reports, lives.table, lives.drawn, [in_a_line(reports[0].setup), ""])
    warn(labelled([title(each.ftl) for each in reports], [each.warnings for each in reports]))
