"""``ftlab trace fit``: a trace as a readable model."""

from __future__ import annotations

import tomllib
from typing import Any

import click

from ftlab.cli.options import source_config, source_options
from ftlab.cli.progress import meter
from ftlab.cli.say import hand_over, say
from ftlab.cli.sections import Verb
from ftlab.cli.written import Written, check_written
from ftlab.files import write_atomically
from ftlab.source import fitted


@click.command(cls=Verb)
@source_options
@click.option(
    "-o",
    "--output",
    type=Written(),
    metavar="FILE",
    help="The .toml file to write [standard output].",
)
def fit(output: str | None, **options: Any) -> None:
    """Fit a workload model to TRACE, in one pass.

    The model is a short text file: `ftlab trace generate` makes requests of it, and every command
    that takes a trace takes it too. A last line says how near its stream is to the trace.
    """
    config = source_config(options)
    if output is not None:
        if not output.endswith(".toml"):
            raise click.UsageError(f"found {output!r}, expected a name that ends in .toml")
        check_written(config)
    with meter() as progress:
        text = fitted(config, progress)
    if output is None:
        hand_over(text)
    else:
        write_atomically(output, text)
    say(tomllib.loads(text)["nearness"], err=True)
