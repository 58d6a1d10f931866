"""``ftlab sweep``: every combination of several values, each run once and kept in a file."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import click

from ftlab.cli import parse
from ftlab.cli.cluster import cluster_option, workers
from ftlab.cli.compare import DEFAULT
from ftlab.cli.job import setup
from ftlab.cli.options import (
    Command,
    ftl_option,
    model_options,
    refuses_print_config,
    sources_options,
)
from ftlab.cli.output import output_options
from ftlab.cli.progress import points_meter
from ftlab.cli.results import Answer
from ftlab.cli.say import say
from ftlab.cli.sections import Verb
from ftlab.cli.timing import timing_option
from ftlab.config import Config, merge
from ftlab.points import Failure, Point, complete, missing
from ftlab.points.grid import points_of
from ftlab.spread import in_parts

FOLDER = "ftlab-results"

when_option: Callable[[Command], Command] = click.option(
    "--when",
    multiple=True,
    metavar="CONDITION",
    help="Run only points that meet it, as 'ftl.cache < buffer.size'.",
)
"""Adds the option with conditions."""

results_option: Callable[[Command], Command] = click.option(
    "--results",
    "folder",
    metavar="DIR",
    default=FOLDER,
    help=f"Folder of results, which are not run again [{FOLDER}].",
)
"""Adds the option that names the folder of results."""


@click.command(cls=Verb)
@refuses_print_config
@sources_options
@ftl_option("NAME,...", f"FTLs (`ftlab list ftls`) [{DEFAULT}].")
@click.option("--seeds", type=parse.Count(), help="Run each point with N seeds.")
@click.option("--parts", type=parse.Count(), help="Run each point on N parts of each trace.")
@when_option
@model_options
@results_option
@click.option("--missing", "only_missing", is_flag=True, help="Print points without a result.")
@click.option("--retry", is_flag=True, help="Run failed points again.")
@cluster_option
@timing_option
@output_options
@click.pass_context
def sweep(context: click.Context, /, print_config: bool, **options: Any) -> None:
    """Run every combination of several values and keep results.

    Options of the device, FTL and run, and --set, take several values:

        ftlab sweep A.csv B.csv --ftl dftl,tpftl --cache 8KiB,32KiB --seeds 5

    A file of --config may have lists, ranges, conditions and grids. Each result is a file. An
    interrupted sweep resumes, and a point that fails stops no other.
    """
    if print_config:
        raise click.UsageError("--print-config belongs to run and compare")
    tree = swept(options)
    answer = Answer.of(options, tree)
    points = points_of(tree)
    folder = options["folder"]
    if options["only_missing"]:
        for point in missing(points, folder):
            say(point.label)
        return
    with workers(options["cluster"], folder) as executor, points_meter() as progress:
        found = complete(
            points, folder, retry=options["retry"], progress=progress, executor=executor
        )
    told = zip(points, found, strict=True)
    answer.give([replace(each, label=point.label) for point, each in told if each])
    outcomes = [each.outcome for each in found if each]
    failures = [each for each in outcomes if isinstance(each, Failure)]
    context.exit(_code(points, failures, len(points) - len(outcomes), folder))


def swept(options: dict[str, Any]) -> Config:
    """Return the sweep that the options describe."""
    traces = options.pop("traces")
    options["trace"] = traces[0] if traces else None
    tree, ftls = setup(options, options["ftl"], DEFAULT, parse.values)
    more: Config = {"ftls": ftls}
    if len(traces) > 1:
        more["input"] = {"trace": list(traces)}
    if options["seeds"] is not None:
        more["seeds"] = options["seeds"]
    if options.get("parts"):
        if options["seeds"] is not None:
            raise click.UsageError("--parts: found --seeds, too, expected one of the two")
        tree = _in_parts(tree, list(traces), options["parts"])
    if options["when"]:
        told = tree.get("when", [])
        more["when"] = [*([told] if isinstance(told, str) else told), *options["when"]]
    return merge([tree, more])


def _in_parts(tree: Config, traces: list[str], count: int) -> Config:
    """Return a sweep whose points run on each of ``count`` parts of their traces."""
    if "grid" in tree or "seeds" in tree:
        raise click.UsageError("--parts: found a grid or seeds in the file, expected neither")
    named: list[Config] = [{"input": {"trace": trace}} for trace in traces] or [{}]
    return {**tree, "grid": [merge([each, in_parts(merge([tree, each]), count)]) for each in named]}


def _code(points: list[Point], failures: list[Failure], gone: int, folder: str) -> int:
    """Tell how many points failed and of how many the result is gone; return the exit code."""
    if gone:
        say(
            f"{gone} of {len(points)} results were removed from {folder}, or damaged, meanwhile; "
            "the same command runs these points again",
            err=True,
        )
    again = sum(each.momentary for each in failures)
    kept = len(failures) - again
    if again:
        say(
            f"{again} of {len(points)} points failed for want of memory, threads or a file; "
            "the same command runs them again",
            err=True,
        )
    if kept:
        say(
            f"{kept} of {len(points)} points failed; --retry runs them again, and "
            f"`ftlab run --from` one whose file is in {folder}",
            err=True,
        )
    if not failures:
        return 2 if gone else 0
    broken = any(failure.error in ("InternalError", "RuleError") for failure in failures)
    return 1 if broken else 2
