"""How commands are told which stored results they are about."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import click

from ftlab.cli.say import say

if TYPE_CHECKING:
    from ftlab.points.store import LeftOut

RESULT = "JSON of `ftlab run --json`"
"""What messages call a file with a result."""

results_argument = click.argument("folder", metavar="DIR")

where_option = click.option(
    "--where",
    "conditions",
    multiple=True,
    metavar="CONDITION",
    help="Only points that meet it, as 'ftl.cache >= 8KiB'.",
)
"""Adds the option with conditions."""

TOLD = 3
"""Files that are named where more are left out."""


def say_left_out(files: Sequence[LeftOut]) -> bool:
    """Tell which files of a folder have no result that can be believed; return whether none."""
    if not files:
        return True
    named = [f"{each.path.name} ({each.why})" for each in files[:TOLD]]
    more = [f"{len(files) - TOLD} more"] if len(files) > TOLD else []
    count = f"{len(files)} files are" if len(files) > 1 else "1 file is"
    say(f"{files[0].path.parent}: {count} left out: {', '.join([*named, *more])}", err=True)
    return False
