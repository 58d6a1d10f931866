"""``ftlab advise``: which FTL and over-provisioning to choose for a workload, and why."""

from __future__ import annotations

from functools import partial
from typing import Any

import click

from ftlab.advise import Advice, Prices, Targets
from ftlab.advise import advise as advised
from ftlab.cli import parse
from ftlab.cli.cluster import cluster_option, workers
from ftlab.cli.job import refuse_sweeps, setup
from ftlab.cli.options import (
    ftl_option,
    model_options,
    refuses_print_config,
    retold,
    source_options,
)
from ftlab.cli.output import (
    Outputs,
    columns_option,
    figure_option,
    output_options,
    report_option,
    reported,
)
from ftlab.cli.progress import points_meter
from ftlab.cli.say import paragraphs
from ftlab.cli.sections import Verb
from ftlab.cli.show import show_table
from ftlab.cli.sweep import results_option
from ftlab.cli.timing import timing_option
from ftlab.cli.words import translated
from ftlab.config import Config, given, merge
from ftlab.report import advise as report
from ftlab.report.doubts import doubts

DEFAULT = "page,dftl,tpftl,fast"
SPARE = ("7%", "15%", "28%")
"""Over-provisionings: of capacities in powers of 1000, of enterprise drives, and between."""
WARMUP = "random:1"


@click.command(cls=Verb)
@retold(
    {
        "over_provisioning": f"Spare spaces to try, as shares of capacity [{','.join(SPARE)}].",
        "warmup": f"One of `ftlab list warmups` [{WARMUP}].",
        "host": None,
    }
)
@refuses_print_config
@source_options
@ftl_option("NAME,...", f"FTLs (`ftlab list ftls`) [{DEFAULT}].")
@click.option("--years", type=parse.Number(), default=5.0, help="Lifetime to reach [5].")
@click.option("--dwpd", type=parse.Number(), help="Drive writes per day [the trace's rate].")
@click.option("--p99", metavar="TIME", type=parse.Time(), help="Limit of the p99 response, as 2ms.")
@click.option("--endurance", type=parse.Count(), help="Erases a block endures [by device.cell].")
@click.option("--depth", type=parse.Count(), default=1, help="Queue depth of the closed loop [1].")
@click.option("--flash-price", type=parse.Number(), default=1.0, help="Price of 1 GB flash [1].")
@click.option("--ram-price", type=parse.Number(0), default=50.0, help="Price of 1 GB RAM [50].")
@model_options
@results_option
@cluster_option
@timing_option
@output_options
@report_option
@figure_option
@columns_option
@click.pass_context
def advise(context: click.Context, /, print_config: bool, **options: Any) -> None:
    """Recommend an FTL and over-provisioning for TRACE.

    Runs each FTL with each over-provisioning (--over-provisioning 7%,15%,28%) in a closed loop and
    at the trace's rate, on a full, used device (--warmup random:1). The cheapest candidate that
    meets all targets is recommended. Model options and --set take several values with commas.

    The exit code is 1 if no candidate meets all targets, 2 if one failed.
    """
    if print_config:
        raise click.UsageError("--print-config belongs to run and compare")
    tree = _tree(options)
    outputs = Outputs.of(options, tree)
    folder = options["folder"]
    targets = Targets(options["years"], options["dwpd"], options["p99"])
    prices = Prices(options["flash_price"], options["ram_price"])
    with workers(options["cluster"], folder) as executor, points_meter() as progress:
        found = advised(
            tree,
            folder,
            targets,
            prices=prices,
            depth=options["depth"],
            progress=progress,
            executor=executor,
        )
    outputs.result(reported(outputs.form, report, found), lambda: _show(found))
    if outputs.plot:
        from ftlab.plot_advise import drawn

        outputs.figure(lambda: drawn(found, outputs.columns_wide))
    outputs.document(partial(report.as_html, found))
    failed = any(each.failure for each in found.candidates)
    context.exit(2 if failed else 0 if found.pick() else 1)


def _tree(options: dict[str, Any]) -> Config:
    """Return the sweep that the options describe, with what they leave open."""
    tree, ftls = setup(options, options["ftl"], DEFAULT, parse.values)
    refuse_sweeps(tree, options["config"])
    open_to_us: Config = {
        "device": {"over_provisioning": list(SPARE)},
        "run": {"warmup": WARMUP},
    }
    asked = {"device": given(endurance=options["endurance"])}
    return merge([open_to_us, tree, asked, {"ftls": ftls}])


def _show(advice: Advice) -> None:
    paragraphs(report.setup(advice), report.targets_line(advice), "")
    show_table(report.table(advice))
    paragraphs("", report.legend(advice), "", *report.verdict(advice), "", "What not to believe:")
    paragraphs(*map(translated, doubts(advice)), bullet="* ")
