"""``ftlab trace``: look into traces, one file for each verb."""

from __future__ import annotations

import click

from ftlab.cli.trace.compare import compare
from ftlab.cli.trace.info import info


@click.group()
def trace() -> None:
    """Look into traces."""


for verb in (info, compare):
    trace.add_command(verb)
