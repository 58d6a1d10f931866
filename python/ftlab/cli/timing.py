"""The option that says where the time of many points went."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any, TypeAlias

import click

from ftlab.cli.say import say

Command: TypeAlias = Callable[..., Any]


def timing_option(command: Command) -> Command:
    """Add ``--timing``, which writes to standard error what the cores did."""

    @wraps(command)
    def run(*arguments: Any, timing: bool, **options: Any) -> Any:
        from ftlab.points.timing import timed

        try:
            with timed() as found:
                return command(*arguments, **options)
        finally:
            if timing:
                say(*found.text().splitlines(), err=True)

    option: Callable[[Command], Command] = click.option(
        "--timing", is_flag=True, help="Print how busy the cores were."
    )
    return option(run)
