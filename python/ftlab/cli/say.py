"""The one way to standard output and standard error."""

from __future__ import annotations

import sys

import click

from ftlab.report.tables import printable


def say(*lines: str, err: bool = False) -> None:
    """Print lines for people: control characters, which names may hold, are written out."""
    for line in lines:
        click.echo(printable(line), err=err)


def hand_over(text: str) -> None:
    """Print a text of lines as it is, for machines; on a terminal, for people, as `say` does."""
    if sys.stdout.isatty():
        say(*text.removesuffix("\n").split("\n"))
    else:
        click.echo(text, nl=not text.endswith("\n"))
