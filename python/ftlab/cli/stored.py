"""How commands are told which stored results they are about."""

from __future__ import annotations

import click

RESULT = "JSON of `ftlab run --json`"
"""What messages call a file with a result."""

results_argument = click.argument("folder", metavar="DIR")

where_option = click.option(
    "--where",
    "conditions",
    multiple=True,
    metavar="CONDITION",
    help="Only points for which it holds, as 'ftl.cache >= 8KiB'; may be repeated.",
)
