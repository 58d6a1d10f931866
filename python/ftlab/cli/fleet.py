"""``ftlab fleet``: the volumes of a trace, or an array, each on a device of its own, and all."""

from __future__ import annotations

from typing import Any

import click

from ftlab.cli import parse
from ftlab.cli.cluster import cluster_option, workers
from ftlab.cli.job import configuration
from ftlab.cli.options import ftl_option, model_options, refuses_print_config, source_options
from ftlab.cli.output import Outputs, output_options, reported
from ftlab.cli.progress import points_meter
from ftlab.cli.run import DEFAULT
from ftlab.cli.say import say
from ftlab.cli.sections import Verb
from ftlab.cli.show import show_table
from ftlab.cli.sweep import results_option
from ftlab.cli.timing import timing_option
from ftlab.cli.words import translated
from ftlab.fleet import STRIPE, Fleet
from ftlab.points.volumes import LEAST_REQUESTS
from ftlab.report import fleet as report


@click.command(cls=Verb)
@refuses_print_config
@source_options
@ftl_option("NAME,...", f"FTLs (`ftlab list ftls`) [{DEFAULT}].")
@click.option(
    "--least",
    type=parse.Count(),
    help=f"Skip volumes with fewer requests [{LEAST_REQUESTS}].",
)
@click.option("--devices", type=parse.Count(), help="Stripe TRACE over this many devices.")
@click.option("--stripe", metavar="SIZE", help=f"Bytes that a device takes in turn [{STRIPE}].")
@model_options
@results_option
@cluster_option
@timing_option
@output_options
@click.pass_context
def fleet(
    context: click.Context,
    /,
    ftl: str | None,
    print_config: bool,
    least: int | None,
    devices: int | None,
    stripe: str | None,
    **options: Any,
) -> None:
    """Run each volume of TRACE on its own device.

    With --devices, run each device of an array (RAID 0), which takes its stripes of TRACE. Devices
    do not wait for each other, and a request over several is one request of each.

    The write amplification of a fleet is the pages that all its devices program / the pages that
    hosts write. Percentiles count each volume once and need 20 volumes. Both leave out volumes
    without an erase. JSON and CSV have all volumes.
    """
    if print_config:
        raise click.UsageError("--print-config belongs to run and compare")
    if devices is None and stripe is not None:
        raise click.UsageError("--stripe belongs to an array; set --devices")
    if devices is not None and least is not None:
        raise click.UsageError("--least belongs to volumes, and --devices runs all devices")
    config, ftls = configuration(options, ftl, DEFAULT)
    outputs = Outputs.of(options, config, ftls)
    with workers(options["cluster"], options["folder"]) as executor, points_meter() as progress:
        found = Fleet.run(
            config,
            ftls,
            options["folder"],
            least=(least := least or LEAST_REQUESTS),
            devices=devices,
            stripe=stripe or STRIPE,
            progress=progress,
            executor=executor,
        )
    text = reported(outputs.form, report, found, least)
    outputs.result(text, lambda: _show(found, least))
    context.exit(2 if any(found.failed(each) for each in found.ftls) else 0)


def _show(found: Fleet, least: int) -> None:
    say(report.setup(found), "")
    for table in report.tables(found):
        show_table(table)
        say("")
    for note in report.notes(found, least):
        say(translated(note))
