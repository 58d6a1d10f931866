"""The files that a command writes: each can be written, and none is also read."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

import click

from ftlab.errors import ConfigError
from ftlab.files import check_writable, make_folder, named_files


class Written(click.ParamType[str]):
    """The name of a file that a command writes, and of others in its folder with that suffix."""

    name = "file"

    def __init__(self, *beside: str) -> None:
        self.ends: tuple[str, ...] = ("", *beside)


def check_written(*trees: object) -> None:
    """Raise an error if an output of this command cannot be written, is read, or is another one.

    Every other parameter may name a file that is read, or a folder of results. ``trees`` are
    configurations and names, which may name more.
    """
    outputs, others = _parameters(click.get_current_context())
    reads = [*named_files(others, *trees)]
    folders = [each for each in dict.fromkeys(reads) if os.path.isdir(each)]
    for output in outputs:
        check_writable(output, reads)
        for folder in folders:
            _check_kept(output, folder)
    if len({Path(output).resolve() for output in outputs}) < len(outputs):
        raise click.UsageError("two outputs have the same file name")


def check_inside(folder: Path, names: Sequence[str], reads: Sequence[Path], results: str) -> None:
    """Make a folder, and raise an error if a file of it cannot be written, is read, or is a result.

    ``names`` may have wildcards for existing files; ``results`` is the folder of results.
    """
    make_folder(folder)
    outputs = [folder / name for name in names if "*" not in name]
    there = (each for name in names if "*" in name for each in sorted(folder.glob(name)))
    for output in (*outputs, *filter(Path.is_file, there)):
        check_writable(output, reads)
        if os.path.isdir(results):
            _check_kept(str(output), results)


def _parameters(context: click.Context) -> tuple[list[str], list[object]]:
    """Return the names of outputs, and all other arguments except choices from a list."""
    outputs: list[str] = []
    others: list[object] = []
    for parameter in context.command.params:
        value = context.params.get(parameter.name or "")
        if value is None:
            continue
        if isinstance(parameter.type, Written):
            outputs += [f"{value}{end}" for end in parameter.type.ends]
        elif not isinstance(parameter.type, click.Choice):
            others.append(value)
    return outputs, others


def _check_kept(output: str, folder: str) -> None:
    """Raise an error if a file is, or would be, one that a folder of results keeps."""
    from ftlab.points import Store

    if Store(folder, clean=False).keeps(output):
        raise ConfigError(
            f"{output}: is one of the results in {folder}, expected another file to write"
        )
