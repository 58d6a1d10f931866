"""``ftlab check``: the laws that every FTL obeys, held against one."""

from __future__ import annotations

import click

from ftlab import names as names_of
from ftlab.blame import places
from ftlab.check import Verdict, verdicts
from ftlab.cli import parse
from ftlab.cli.completion import names
from ftlab.cli.progress import meter
from ftlab.cli.say import say


@click.command()
@click.argument("ftl", shell_complete=names("ftls", files=True))
@click.option(
    "--cases",
    type=parse.Count(),
    default=300,
    show_default=True,
    help="Devices, settings and requests to try, drawn at random; the same ones every time.",
)
@click.option("--case", metavar="CASE", help="Try this one alone, as a broken law prints it.")
@click.pass_context
def check(context: click.Context, ftl: str, cases: int, case: str | None) -> None:
    """Hold FTL, the name of one or FILE.py[:CLASS], to the laws that every FTL obeys.

    Prints a line for each law, and for one that is broken what happened and the command that makes
    it happen again; the exit code is 1 then.
    """
    ftl = names_of.ftl(ftl)
    with meter() as progress:
        found = verdicts(ftl, cases, case, progress)
    for verdict in found:
        say(*_lines(verdict, ftl))
    context.exit(0 if all(verdict.holds for verdict in found) else 1)


def _lines(verdict: Verdict, ftl: str) -> list[str]:
    """Return what is said of a law."""
    if verdict.holds:
        return [f"holds   {verdict.law} ({verdict.cases} cases)"]
    told = [
        *str(verdict.message).splitlines(),
        *(places(verdict.exception) if verdict.exception else []),
        f"ftlab check {ftl} --case '{verdict.case}'",
    ]
    return [f"BROKEN  {verdict.law}", *(f"        {each}" for each in told)]
