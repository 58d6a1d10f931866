"""Running all results of a file again, side by side: what ``compare --from`` does."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NoReturn

import click

from ftlab.cli.again import elsewhere, read, say_differences
from ftlab.cli.compare import show_comparison
from ftlab.cli.job import perform
from ftlab.cli.output import Outputs, rendered
from ftlab.cli.show import show_warnings
from ftlab.plugins import resolved
from ftlab.points.grid import label, leaves, varied
from ftlab.points.point import canonical
from ftlab.result import Comparison, Result
from ftlab.spread import axes


def repeat(context: click.Context, path: str, options: Mapping[str, Any]) -> NoReturn:
    """Repeat the runs in a file, show them, and end with whether all are as before."""
    stored = read(path)
    if options["trace"]:
        stored = [each.on(options["trace"], path) for each in stored]
    outputs = Outputs.of(options, *(each.config for each in stored))
    for each in stored:
        resolved(each.config, each.ftl)
    with elsewhere("compare", path, options["trace"]):
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
