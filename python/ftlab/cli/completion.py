"""What a shell completes: names of the catalogue, also behind a comma, and files."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import TypeAlias

import click
from click.shell_completion import CompletionItem

Complete: TypeAlias = Callable[[click.Context, click.Parameter, str], list[CompletionItem]]


def names(*kinds: str, files: bool = False) -> Complete:
    """Return what completes the names of these kinds of the catalogue, and files."""

    def complete(
        context: click.Context, parameter: click.Parameter, incomplete: str
    ) -> list[CompletionItem]:
        from ftlab.catalogue import catalog

        with warnings.catch_warnings(action="ignore"):
            known = [each["name"] for kind in kinds for each in catalog()[kind]]
        before, comma, begun = incomplete.rpartition(",")
        found = [CompletionItem(before + comma + n) for n in known if n.startswith(begun)]
        return [*found, *([CompletionItem(incomplete, type="file")] if files else [])]

    return complete
