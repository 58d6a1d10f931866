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
    help="Devices, settings and requests to try, drawn by a fixed seed.",
)
@click.option("--case", metavar="CASE", help="Try only this case of a broken law.")
@click.pass_context
def check(context: click.Context, ftl: str, cases: int, case: str | None) -> None:
    """Check that FTL keeps data and obeys the rules of NAND.

    FTL is a name or FILE.py[:CLASS]. Prints a line for each law. For a broken one it shows what
    happened and the command that repeats it, and the exit code is 1.
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
        cases = "case" if verdict.cases == 1 else "cases"
        return [f"holds   {verdict.law} ({verdict.cases} {cases})"]
    told = [
        *str(verdict.message).splitlines(),
        *(places(verdict.exception) if verdict.exception else []),
        f"ftlab check {ftl} --case '{verdict.case}'",
    ]
    return [f"BROKEN  {verdict.law}", *(f"        {each}" for each in told)]
