"""``ftlab reproduce``: where the papers are installed, which are a distribution of their own."""

from __future__ import annotations

from importlib.util import find_spec

import click

from ftlab.errors import ConfigError

DISTRIBUTION = "ftlab_papers"


def verb() -> click.Command:
    """Return the command, or one that says what to install."""
    if find_spec(DISTRIBUTION) is None:
        return _absent
    from ftlab.cli.reproduce import reproduce

    return reproduce


@click.command("reproduce", context_settings={"ignore_unknown_options": True})
@click.argument("paper", nargs=-1)
def _absent(paper: tuple[str, ...]) -> None:
    """Reproduce the evaluation of PAPER; needs ftlab[papers]."""
    raise ConfigError("reproduce: found no ftlab-papers, expected it: pip install 'ftlab[papers]'")


reproduce = verb()
