"""``ftlab run``: one FTL, a readable summary."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import chain
from typing import Any

import click

from ftlab import cores, course
from ftlab.cli import parse
from ftlab.cli.again import asked, elsewhere, say_differences
from ftlab.cli.again import one as the_one
from ftlab.cli.job import configuration, one, perform, print_resolved
from ftlab.cli.options import ftl_option, model_options, repeated_options
from ftlab.cli.output import (
    Outputs,
    check_parquet,
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
from ftlab.files import write_atomically
from ftlab.ftls import own
from ftlab.plugins import resolved
from ftlab.report.fdp import events_text, stats_text, status_text
from ftlab.report.summary import run_summary
from ftlab.result import Result

DEFAULT = "tpftl"
ZONED = "zones.width"
"""A setting that FTLs on zoned drives obey: such a drive has no handles."""


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
@click.option(
    "--series",
    type=Written(),
    metavar="FILE",
    help="Write the course as a table: .csv or .parquet.",
)
@click.option("--slowest", is_flag=True, help="Show the slowest requests and their waits.")
@click.option("--fdp", is_flag=True, help="Print the text of nvme fdp stats, status, events.")
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
    series = options["series"]
    if series and suffix_of("--series", series, (".csv", ".parquet")) == ".parquet":
        check_parquet()
    if print_config:
        print_resolved(config, ftls, options["as_json"])
        return
    if options["fdp"]:
        _check_handles(config, chosen, options)
    outputs = Outputs.of(options, config, chosen)
    with elsewhere("run", again, options["trace"]):
        comparison = perform(config, [chosen], obeyed=not again, log=log)
    text = rendered(outputs.form, comparison, single=True)
    outputs.result(text, lambda: _show(comparison[0], options["fdp"]))
    show_warnings(comparison)
    outputs.schedule(comparison[0])
    if series:
        _write_course(series, comparison[0])
    outputs.pictures(comparison)
    if again:
        context.exit(0 if say_differences(before, comparison[0]) else 1)


def _check_handles(config: Config, ftl: str, options: Mapping[str, Any]) -> None:
    """Raise an error if a run is not that of a drive with placement handles, or shows no text."""
    form = next((each for each in ("json", "csv") if options[f"as_{each}"]), None)
    if form or options["output"]:
        found = f"--{form}" if form else f"--output {options['output']}"
        raise click.UsageError(f"--fdp and {found} exclude each other")
    separation = resolved(config, ftl)["ftl"]["separation"]
    if separation != "handles":
        raise click.UsageError(f"--fdp: found separation {separation}, expected handles")
    name, _ = own(ftl)
    collecting = {*chain(*cores.obeying("ftl.separation"))} - {*chain(*cores.obeying(ZONED))}
    if name not in collecting:
        raise click.UsageError(f"--fdp: found {name}, expected placement handles")


def _write_course(path: str, result: Result) -> None:
    """Write the course of a run as a table."""
    from ftlab.report.points import as_csv, as_parquet

    write = as_csv if path.lower().endswith(".csv") else as_parquet
    write_atomically(path, write(course.rows(result)))


def _show(result: Result, as_drive: bool) -> None:
    """Print a result: the summary, or what the command ``nvme`` prints of a drive."""
    if as_drive:
        texts = (stats_text(result), status_text(result), events_text(result))
        hand_over("\n\n".join(text.rstrip("\n") for text in texts if text))
    else:
        show_sections(run_summary(result))
