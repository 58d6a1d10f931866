"""``ftlab trace``: look into traces, one file for each verb."""

from __future__ import annotations

import click

from ftlab.cli.trace.info import info


@click.group()
def trace() -> None:
    """Look into traces."""


for verb in (info,):
    trace.add_command(verb)
