"""Figures in a command: matplotlib is loaded before any run."""

from __future__ import annotations

import os
from importlib.util import find_spec

import click

from ftlab.errors import ConfigError

FOREIGN = ("MPLBACKEND", "SOURCE_DATE_EPOCH")
"""Environment variables of other programs, which are ignored: figures have no window and no date.

Notebooks set the first one to a backend of their own matplotlib.
"""


def need(what: str) -> None:
    """Raise an error if ``what`` is requested and cannot be drawn."""
    if find_spec("matplotlib") is None:
        raise click.UsageError(f"{what} needs matplotlib: pip install 'ftlab[plot]'")
    load()


def load_if_there() -> None:
    """Import matplotlib if it is installed, for code that also works without it."""
    if find_spec("matplotlib"):
        load()


def load() -> None:
    """Import matplotlib without the user's settings: ftlab has its own style."""
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
