"""``ftlab tune``: the best of many combinations of settings, without running all of them."""

from __future__ import annotations

from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import click

import ftlab
from ftlab.cli import parse
from ftlab.cli.cluster import cluster_option, workers
from ftlab.cli.compare import DEFAULT
from ftlab.cli.options import ftl_option, model_options, refuses_print_config, sources_options
from ftlab.cli.output import Outputs, figure_option, output_options, reported
from ftlab.cli.progress import points_meter
from ftlab.cli.say import say
from ftlab.cli.sections import Verb
from ftlab.cli.show import show_table
from ftlab.cli.sweep import results_option, swept, when_option
from ftlab.cli.timing import timing_option
from ftlab.cli.words import translated
from ftlab.config import Config, given, merge
from ftlab.documents import TooDeepError, from_toml
from ftlab.errors import ConfigError
from ftlab.report import tune as report

SEARCHES = Path(ftlab.__file__).parent / "searches"
"""The built-in searches, each a file."""


@click.command(cls=Verb)
@refuses_print_config
@sources_options
@ftl_option("NAME,...", f"FTLs (`ftlab list ftls`) [{DEFAULT}].")
@click.option("--minimize", metavar="METRIC,...", help="Metrics to minimise, as response_us.mean.")
@click.option("--maximize", metavar="METRIC,...", help="Metrics to maximise.")
@click.option(
    "--limit",
    "limits",
    multiple=True,
    metavar="CONDITION",
    help="Constraint, as 'ram_bytes <= 64KiB'.",
)
@click.option("--trials", type=parse.Count(), help="Combinations to try [100].")
@click.option("--volumes", is_flag=True, help="Search separately for each volume.")
@click.option("--least", type=parse.Count(), help="Skip volumes with fewer requests [1000].")
@click.option("--seeds", type=parse.Count(), help="Try each combination with N seeds.")
@when_option
@model_options
@results_option
@cluster_option
@timing_option
@output_options
@figure_option
def tune(print_config: bool, **options: Any) -> None:
    """Search for the settings that optimise metrics.

    The space is a sweep: several values on the command line, or a file of `ftlab sweep`, given as
    FILE.toml or with --config, which may have a table [tune]. Two files come with ftlab:
    cachftl-threshold and ram-budget; give them TRACES. With several objectives the answer is the
    Pareto front. An interrupted search resumes.
    """
    if print_config:
        raise click.UsageError("--print-config belongs to run and compare")
    if find_spec("optuna") is None:
        raise click.UsageError("tune needs Optuna: pip install 'ftlab[tune]'")
    from ftlab.tune import Found, search

    named = {each: file for each in options["traces"] if (file := _file(each))}
    if len(named) > 1:
        raise click.UsageError(f"found the searches {', '.join(named)}, expected one")
    for name, file in named.items():
        if options["config"]:
            raise click.UsageError(f"found --config {options['config']} and {name}, expected one")
        options["config"] = file
        options["traces"] = tuple(each for each in options["traces"] if each != name)
    tree = _tree(options)
    outputs = Outputs.of(options, tree)
    folder = options["folder"]
    with workers(options["cluster"], folder) as executor, points_meter("trials") as progress:
        found: Sequence[Found] = search(tree, folder, progress=progress, executor=executor)
    outputs.result(reported(outputs.form, report, found), lambda: _show(found))
    if outputs.plot:
        from ftlab.plot_tune import fronts

        outputs.figure(lambda: fronts(found))
    if not any(each.best() for each in found):
        raise click.exceptions.Exit(1)


def _tree(options: dict[str, Any]) -> Config:
    """Return the sweep that the options describe, with what they say of the search."""
    asked = {
        "minimize": _list(options["minimize"]),
        "maximize": _list(options["maximize"]),
        "limits": list(options["limits"]) or None,
        "trials": options["trials"],
        "volumes": options["volumes"] or None,
        "least": options["least"],
    }
    return merge([swept(options), {"tune": given(**asked)}])


def _file(name: str) -> str | None:
    """Return the file of a search, or of a built-in one; models of workloads are TOML, too."""
    built_in = {path.stem: path for path in SEARCHES.glob("*.toml")}
    path = built_in.get(name, Path(name))
    if path.suffix != ".toml":
        return None
    try:
        tree = from_toml(path.read_text("utf-8"))
    except TooDeepError as error:
        raise ConfigError(f"{name}: {error}, expected a search") from error
    except (OSError, ValueError):
        return None
    return str(path) if "ftls" in tree or "tune" in tree else None


def _list(text: str | None) -> list[str] | None:
    return None if text is None else parse.names(text)


def _show(all_found: Sequence[Any]) -> None:
    for found, table in zip(all_found, report.tables(all_found), strict=True):
        show_table(table, prose=True)
        for line in report.notes(found):
            say(translated(line))
        say(report.verdict(found) or "")
    if overview := report.overview(all_found):
        show_table(overview, prose=True)
