"""``ftlab trace``: look into traces and write them, one file for each verb."""

from __future__ import annotations

import click

from ftlab.cli.trace.compare import compare
from ftlab.cli.trace.convert import convert
from ftlab.cli.trace.curve import curve
from ftlab.cli.trace.fit import fit
from ftlab.cli.trace.generate import generate
from ftlab.cli.trace.info import info
from ftlab.cli.trace.split import split


@click.group()
def trace() -> None:
    """Inspect, convert, compare and model traces."""


for verb in (info, curve, compare, convert, split, fit, generate):
    trace.add_command(verb)
