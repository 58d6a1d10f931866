"""``ftlab run``: one FTL, a readable summary."""

from __future__ import annotations

from typing import Any

import click

from ftlab.cli import parse
from ftlab.cli.again import asked, elsewhere, say_differences
from ftlab.cli.again import one as the_one
from ftlab.cli.job import configuration, one, perform, print_resolved
from ftlab.cli.options import ftl_option, model_options, repeated_options
from ftlab.cli.output import (
    Outputs,
    is_figure,
    output_options,
    picture_options,
    rendered,
    suffix_of,
)
from ftlab.cli.say import hand_over
from ftlab.cli.sections import Verb
from ftlab.cli.show import show_sections, show_warnings
from ftlab.cli.written import Written
from ftlab.config import Config, merge
from ftlab.plugins import resolved
from ftlab.report.fdp import has_handles, stats_text, status_text
from ftlab.report.summary import run_summary
from ftlab.result import Result

DEFAULT = "tpftl"


@click.command(cls=Verb)
@repeated_options
@ftl_option("NAME", f"The FTL (`ftlab list ftls`) [{DEFAULT}].")
@model_options
@output_options
@picture_options
@click.option(
    "--timeline",
    type=Written(),
    metavar="FILE",
    help="Write times of operations: .json, or a figure.",
)
@click.option(
    "--timeline-operations",
    type=parse.Count(),
    help="Operations in the timeline [10000; figure: 60].",
)
@click.option(
    "--timeline-from",
    type=click.IntRange(min=0),
    metavar="N",
    default=0,
    help="Skip this many operations first [0].",
)
@click.option(
    "--log",
    type=Written(),
    metavar="FILE",
    help="Write a .parquet file with a row per request.",
)
@click.option("--slowest", is_flag=True, help="Show the slowest requests and their waits.")
@click.option("--fdp", is_flag=True, help="Print the text of nvme fdp stats and status.")
@click.pass_context
def run(context: click.Context, /, ftl: str | None, print_config: bool, **options: Any) -> None:
    """Run one FTL on TRACE and summarise the result.

    TRACE is a file (plain, compressed or in an archive), - for standard input, or the name of a
    built-in profile (`ftlab list profiles`). A folder, or a pattern in quotes, is one recording in
    several files.

    --from RESULT.json repeats that run and compares every metric bit for bit. The exit code is 1 if
    one differs. A TRACE given with it is the same trace in another place.
    """
    before = None
    again = asked({**options, "ftl": ftl})
    if again:
        stored = the_one(again)
        stored = stored.on(options["trace"], again) if options["trace"] else stored
        config, chosen, before = stored.config, stored.ftl, stored.result
        ftls = [chosen]
    else:
        config, ftls = configuration(options, ftl, DEFAULT)
        chosen = one(ftls, "run")
    timeline = options["timeline"]
    if timeline and not again:
        shown = options["timeline_operations"] or (60 if is_figure(timeline) else 10_000)
        window = {"timeline": shown, "timeline_from": options["timeline_from"]}
        config = merge([config, {"run": window}])
    log = options["log"]
    if log:
        suffix_of("--log", log, (".parquet",))
    if (log or options["slowest"]) and not again:
        config = merge([config, {"run": {"causes": True}}])
    if print_config:
        print_resolved(config, ftls, options["as_json"])
        return
    if options["fdp"]:
        _check_handles(config, chosen)
    outputs = Outputs.of(options, config, chosen)
    with elsewhere("run", again, options["trace"]):
        comparison = perform(config, [chosen], obeyed=not again, log=log)
    text = rendered(outputs.form, comparison, single=True)
    outputs.result(text, lambda: _show(comparison[0], options["fdp"]))
    show_warnings(comparison)
    outputs.schedule(comparison[0])
    outputs.pictures(comparison)
    if again:
        context.exit(0 if say_differences(before, comparison[0]) else 1)


def _check_handles(config: Config, ftl: str) -> None:
    """Raise an error if a run is not that of a drive with placement handles."""
    separation = resolved(config, ftl)["ftl"]["separation"]
    if separation != "handles":
        raise click.UsageError(f"--fdp: found separation {separation}, expected handles")


def _show(result: Result, as_drive: bool) -> None:
    """Print a result: the summary, or what the command ``nvme`` prints of a drive."""
    if as_drive:
        if not has_handles(result):
            raise click.UsageError(f"--fdp: found {result['ftl']}, expected placement handles")
        hand_over(stats_text(result) + "\n" + status_text(result).rstrip("\n"))
    else:
        show_sections(run_summary(result))
