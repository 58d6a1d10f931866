"""``ftlab compare``: several FTLs side by side."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NoReturn

import click

from ftlab.cli import parse
from ftlab.cli.again import asked, read, say_differences
from ftlab.cli.job import configuration, perform, print_resolved
from ftlab.cli.options import ftl_option, model_options, source_options
from ftlab.cli.output import Outputs, output_options, picture_options, rendered
from ftlab.cli.say import say
from ftlab.cli.show import show_table, show_warnings
from ftlab.points.grid import label, leaves, varied
from ftlab.points.point import canonical
from ftlab.report.summary import (
    checks_line,
    comparison_table,
    relative_table,
    setup_line,
    spread_line,
)
from ftlab.result import Comparison, Result
from ftlab.spread import axes

DEFAULT = "page,dftl,tpftl"


@click.command()
@source_options
@ftl_option(f"FTLs, with commas between [{DEFAULT}].")
@click.option("--seeds", type=parse.Count(), help="Run each FTL with N seeds: mean ± deviation.")
@click.option(
    "--parts", type=parse.Count(), help="Run each FTL on N parts of the trace: mean ± deviation."
)
@model_options
@output_options
@picture_options
@click.pass_context
def compare(
    context: click.Context,
    /,
    ftl: str | None,
    seeds: int | None,
    parts: int | None,
    print_config: bool,
    **options: Any,
) -> None:
    """Run several FTLs on TRACE and show them side by side.

    The trace is read once. Every FTL runs on its own device, with the same settings. A star marks
    a value if another is worse by more than 0.5 % and by more than the deviations.

    --from RESULT.json repeats the runs in it and compares every metric bit for bit, as of `run`.
    """
    again = asked({**options, "ftl": ftl})
    if again:
        _repeat(context, again, options)
    config, ftls = configuration(options, ftl, DEFAULT, variants=True)
    if print_config:
        print_resolved(config, ftls, options["as_json"])
        return
    outputs = Outputs.of(options, config, ftls)
    comparison = perform(config, ftls, seeds=seeds or 1, parts=parts)
    text = rendered(outputs.form, comparison, single=False)
    outputs.result(text, lambda: show_comparison(comparison))
    show_warnings(comparison)
    outputs.pictures(comparison)


def _repeat(context: click.Context, path: str, options: Mapping[str, Any]) -> NoReturn:
    """Repeat the runs in a file, show them, and end with whether all are as before."""
    stored = read(path)
    if options["trace"]:
        stored = [each.on(options["trace"], path) for each in stored]
    outputs = Outputs.of(options, *(each.config for each in stored))
    results = [perform(each.config, [each.ftl], obeyed=False)[0] for each in stored]
    comparison = repeated_comparison(results)
    text = rendered(outputs.form, comparison, single=False)
    outputs.result(text, lambda: show_comparison(comparison))
    show_warnings(comparison)
    outputs.pictures(comparison)
    alike = [say_differences(each.result, new) for each, new in zip(stored, results, strict=True)]
    context.exit(0 if all(alike) else 1)


def repeated_comparison(results: Sequence[Result]) -> Comparison:
    """Return results side by side: those that differ in seeds or parts only are runs of one."""
    configs = [result["config"].to_dict() for result in results]
    apart = axes(configs)
    groups: dict[str, list[int]] = {}
    for at, (result, config) in enumerate(zip(results, configs, strict=True)):
        point = {key: value for key, value in leaves(config) if key not in apart}
        groups.setdefault(canonical({**point, "ftl of the point": result["ftl"]}), []).append(at)
    firsts = [group[0] for group in groups.values()]
    labels = []
    for at in firsts:
        alike = [configs[each] for each in firsts if results[each]["ftl"] == results[at]["ftl"]]
        differing = [key for key in varied(alike) if key not in apart]
        labels.append(label(results[at]["ftl"], configs[at], differing))
    more = zip(*([results[at] for at in group[1:]] for group in groups.values()), strict=False)
    return Comparison([results[at] for at in firsts], labels, list(more))


def show_comparison(comparison: Comparison) -> None:
    """Print the set-up, the table, the relative table, and what was checked."""
    say(setup_line(comparison), "")
    show_table(comparison_table(comparison))
    if spread := spread_line(comparison):
        say(spread)
    if len(comparison) > 1:
        say("")
        show_table(relative_table(comparison))
    say("")
    for title, result in zip(comparison.titles, comparison, strict=True):
        say(f"{title}: {checks_line(result)}")
