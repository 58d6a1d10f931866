"""``ftlab trace convert``: a trace in another format."""

from __future__ import annotations

from typing import Any

import click

from ftlab.cli.options import Command, decorated, source_config, source_options
from ftlab.cli.progress import meter
from ftlab.cli.say import say
from ftlab.cli.sections import Verb
from ftlab.cli.written import Written, check_written
from ftlab.config import Config
from ftlab.report.numbers import by_name
from ftlab.source import converted


def output_options(command: Command) -> Command:
    """Add the options that say which file is written, and how."""
    options = [
        click.option(
            "-o",
            "--output",
            type=Written(),
            metavar="FILE",
            required=True,
            help="The .parquet, .spc, .mqsim or .disksim file to write.",
        ),
        click.option("--to", metavar="FORMAT", help="Format, if the name does not state it."),
    ]
    return decorated(command, options)


def write(config: Config, output: str, to: str | None) -> None:
    """Write the requests that a configuration names, and say what was written."""
    if output != "-":
        check_written(config)
    with meter() as progress:
        written = converted(config, output, to, progress)
    if output != "-":
        size = by_name("size_bytes", written.bytes)
        say(f"{output}: {written.requests:,} requests as {written.format}, {size}")


@click.command(cls=Verb)
@source_options
@output_options
def convert(output: str, to: str | None, **options: Any) -> None:
    """Write TRACE in another format, in one pass.

    The end of the name selects the format: .parquet, .spc, .mqsim or .disksim. A further .zst or
    .gz compresses text. "-o -" is standard output and needs --to.
    """
    write(source_config(options), output, to)
