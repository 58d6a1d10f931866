"""Figures in a command: matplotlib is there, and loads, before anything is run."""

from __future__ import annotations

import os
from importlib.util import find_spec

import click

from ftlab.errors import ConfigError

FOREIGN = ("MPLBACKEND", "SOURCE_DATE_EPOCH")
"""What the environment says for other programs: figures have no window and no date. Notebooks set
the first for a matplotlib that has their backend."""


def need(what: str) -> None:
    """Raise an error where ``what`` is asked for and cannot be drawn."""
    if find_spec("matplotlib") is None:
        raise click.UsageError(f"{what} needs matplotlib: pip install 'ftlab[plot]'")
    load()


def load_if_there() -> None:
    """Import matplotlib for what does without where it is not installed."""
    if find_spec("matplotlib"):
        load()


def load() -> None:
    """Import matplotlib, with none of the user's settings: ftlab has a style of its own."""
    for name in FOREIGN:
        os.environ.pop(name, None)
    os.environ["MATPLOTLIBRC"] = os.devnull
    try:
        import matplotlib  # noqa: F401
    except Exception as error:
        told = " ".join(f"{type(error).__name__}: {error}".split())
        raise ConfigError(
            f"matplotlib cannot be loaded: {told}; a file matplotlibrc in this folder may be why"
        ) from error
