"""``ftlab trace``: look into traces and write them, one file for each verb."""

from __future__ import annotations

import click

from ftlab.cli.trace.compare import compare
from ftlab.cli.trace.convert import convert
from ftlab.cli.trace.info import info
from ftlab.cli.trace.split import split


@click.group()
def trace() -> None:
    """Look into traces, and write them in other formats."""


for verb in (info, compare, convert, split):
    trace.add_command(verb)
