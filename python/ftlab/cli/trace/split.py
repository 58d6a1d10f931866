"""``ftlab trace split``: a file for each volume of a trace."""

from __future__ import annotations

from typing import Any

import click

from ftlab.cli.options import source_config, source_options
from ftlab.cli.progress import meter
from ftlab.cli.say import say
from ftlab.cli.sections import Verb
from ftlab.source import parts


@click.command(cls=Verb)
@source_options
@click.option(
    "-o", "--output", metavar="FOLDER", required=True, help="The new folder for the files."
)
def split(output: str, **options: Any) -> None:
    """Write each volume of TRACE to its own Parquet file."""
    config = source_config(options)
    with meter() as progress:
        written = parts(config, output, progress)
    requests = sum(part.requests for part in written)
    say(f"{output}: {len(written):,} volumes, {requests:,} requests as parquet")
