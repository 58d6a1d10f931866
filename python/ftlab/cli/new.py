"""``ftlab new``: the start of a custom FTL, with its tests."""

from __future__ import annotations

import shlex
from pathlib import Path

import click

from ftlab.cli.say import say


@click.command()
@click.argument("name", type=click.Path(path_type=Path))
@click.option("--rust", "is_rust", is_flag=True, help="Write a crate in the new folder NAME.")
@click.option(
    "--source",
    type=click.Path(path_type=Path),
    metavar="FOLDER",
    help="Clone of ftlab that the crate is built from [that of this ftlab].",
)
def new(name: Path, is_rust: bool, source: Path | None) -> None:
    """Write the start of a custom FTL with its tests.

    NAME.py becomes an FTL in Python with test_NAME.py next to it. With --rust, the folder NAME
    becomes a crate and a Python package. The last line printed is the command that checks the FTL.
    No file is overwritten.
    """
    from ftlab import starts

    if is_rust:
        files = starts.rust(name, source)
        steps = [f"cd {_quoted(name)}", "cargo test", "pip install .", f"ftlab check {name.name}"]
    elif name.suffix != ".py" or source:
        given = f"--source {source}" if source else str(name)
        raise click.UsageError(f"`{given}` is for --rust; for an FTL in Python write NAME.py")
    else:
        files = starts.python(name)
        steps = [f"pytest {_quoted(files[1])}", f"ftlab check {_quoted(name)}"]
    say(*(f"wrote {each}" for each in files), "", *steps)


def _quoted(path: Path) -> str:
    """Return a path as a word of a shell, which no option looks like."""
    text = str(path)
    return shlex.quote(f"./{text}" if text.startswith("-") else text)
