"""The one way to standard output and standard error."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from textwrap import fill

import click

from ftlab.report.tables import printable


def say(*lines: str, err: bool = False) -> None:
    """Print lines for people: control characters, which names may hold, are written out."""
    with _named("standard error" if err else "standard output"):
        for line in lines:
            click.echo(printable(line), err=err)


def paragraphs(*texts: str, bullet: str = "") -> None:
    """Print prose as `say` does; on a terminal its lines end between words."""
    if sys.stdout.isatty():
        width = shutil.get_terminal_size().columns
        behind = " " * len(bullet)
        texts = tuple(
            fill(
                printable(text),
                width,
                initial_indent=bullet,
                subsequent_indent=behind,
                break_on_hyphens=False,
            )
            for text in texts
        )
        say(*(line for text in texts for line in text.split("\n")))
    else:
        say(*(bullet + text for text in texts))


def hand_over(text: str) -> None:
    """Print a text of lines as it is, for machines; on a terminal, for people, as `say` does."""
    if sys.stdout.isatty():
        say(*text.removesuffix("\n").split("\n"))
    else:
        with _named("standard output"):
            click.echo(text, nl=not text.endswith("\n"))


@contextmanager
def _named(stream: str) -> Iterator[None]:
    """Have an error of the system say on which stream it was."""
    try:
        yield
    except OSError as error:
        error.filename = error.filename or stream
        raise
