"""``ftlab reproduce``: a paper's evaluation, its figures and claims compared with ours."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path

import click

from ftlab.cli import drawing
from ftlab.cli.progress import points_meter
from ftlab.cli.say import say
from ftlab.cli.show import show_table
from ftlab.cli.timing import timing_option
from ftlab.cli.written import check_inside
from ftlab_papers import PAPERS, SEEDS, Experiment
from ftlab_papers import reproduce as run
from ftlab_papers.counts import count_table, explained_table
from ftlab_papers.inputs import modelled, parts, sources
from ftlab_papers.report import FILES, published_table, write

QUICK_REQUESTS = 5_000


@click.command()
@click.argument("paper", type=click.Choice(PAPERS, case_sensitive=False))
@click.option("--traces", metavar="DIR", help="Folder of real traces [built-in models].")
@click.option(
    "--results",
    metavar="DIR",
    default="ftlab-results",
    show_default=True,
    help="Results of single runs; those that are there are not run again.",
)
@click.option("--out", metavar="DIR", help="Folder of the report [ftlab-reproduce/PAPER].")
@click.option(
    "--seeds",
    metavar="N",
    type=click.IntRange(1),
    help=f"Inputs of each model, each made with another seed [{SEEDS}; 1 with --quick].",
)
@click.option("--quick", is_flag=True, help=f"The first {QUICK_REQUESTS:,} requests of each input.")
@click.option("--whole", is_flag=True, help="Run all settings that PAPER varies: takes longer.")
@click.option(
    "--scoreboard", is_flag=True, help="Judge all claims with every change: takes longer."
)
@timing_option
@click.option("--list", "listed", is_flag=True, help="Show the claims of PAPER and stop.")
def reproduce(
    paper: str,
    traces: str | None,
    results: str,
    out: str | None,
    seeds: int | None,
    quick: bool,
    whole: bool,
    scoreboard: bool,
    listed: bool,
) -> None:
    """Reproduce the evaluation of PAPER and judge its claims.

    The report has the paper's figures and tables with the values measured here, and a row with the
    verdict for each claim. An interrupted run resumes.
    """
    drawing.need("reproduce")
    experiment: Experiment = import_module(f"ftlab_papers.{paper.replace('-', '_')}").EXPERIMENT
    if listed:
        show_table(published_table(experiment.claims), prose=True)
        return
    if whole and experiment.whole is None:
        raise click.UsageError(
            f"--whole: found {paper}, of which nothing is left out, expected cachftl"
        )
    folder = Path(out) if out else Path("ftlab-reproduce", paper)
    inputs = sources(experiment.workloads, traces, None)
    reads = [file for each in inputs.values() for file in each.files]
    check_inside(folder, [*FILES, "*.svg"], reads, results)
    if traces is not None:
        lacking = modelled(inputs, traces)
        for text in [*([lacking] if lacking else []), *parts(inputs)]:
            say(f"warning: {text}", err=True)
    requests = QUICK_REQUESTS if quick else None
    count = seeds or (1 if quick else experiment.seeds)
    with points_meter() as progress:
        report = run(
            experiment,
            results,
            traces=traces,
            requests=requests,
            seeds=count,
            whole=whole,
            scoreboard=scoreboard,
            progress=progress,
        )
    write(report, folder)
    show_table(count_table(report.judged))
    say("")
    show_table(explained_table(report.judged))
    if report.banner:
        say("", report.banner)
    say("", f"Written: {folder}/report.html, report.md, claims.json and the figures")
