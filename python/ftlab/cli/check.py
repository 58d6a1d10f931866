"""``ftlab check``: the FTL checks on one FTL."""

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
    broken = [verdict for verdict in found if not verdict.holds]
    for verdict in found:
        say(*_lines(verdict, ftl, verdict is broken[0] if broken else False))
    if len(broken) > 1:
        say(f"{len(broken)} of {len(found)} laws are broken; begin with the first")
    context.exit(1 if broken else 0)


def _lines(verdict: Verdict, ftl: str, whole: bool) -> list[str]:
    """Return the output on a check; ``whole`` adds the last operations before the failure."""
    if verdict.holds:
        cases = "case" if verdict.cases == 1 else "cases"
        return [f"holds   {verdict.law} ({verdict.cases} {cases})"]
    rule, before, operations = str(verdict.message).partition("; last operations: ")
    told = [
        *rule.splitlines(),
        *([f"last operations: {operations.strip('; ')}"] if before and whole else []),
        *(places(verdict.exception) if verdict.exception else []),
        f"ftlab check {ftl} --case '{verdict.case}'",
    ]
    return [f"BROKEN  {verdict.law}", *(f"        {each}" for each in told)]
