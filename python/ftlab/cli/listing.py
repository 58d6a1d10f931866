"""``ftlab list``: everything that can be named."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

import click

from ftlab.catalogue import catalog
from ftlab.cli.show import show_table
from ftlab.report.tables import ABSENT, Table

KINDS = {
    "ftls": "ftls",
    "buffers": "buffers",
    "gc": "policies",
    "presets": "presets",
    "formats": "formats",
    "profiles": "profiles",
    "patterns": "patterns",
    "metrics": "metrics",
}


WITH_PARAMETERS = ("ftls", "buffers")


@click.command("list")
@click.argument("kind", type=click.Choice(list(KINDS)), required=False)
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def listing(kind: str | None, as_json: bool) -> None:
    """List what can be named: each row a name, a line about it, and where it comes from."""
    everything = catalog().to_dict()
    chosen = {kind: everything[KINDS[kind]]} if kind else _by_kind(everything)
    if as_json:
        click.echo(json.dumps(chosen[kind] if kind else chosen, indent=2, ensure_ascii=False))
        return
    for position, (title, entries) in enumerate(chosen.items()):
        if not kind:
            click.echo(f"{'' if position == 0 else chr(10)}{title}:")
        show_table(_table(entries), prose=True)
    if kind in WITH_PARAMETERS:
        click.echo()
        show_table(_parameters(kind.removesuffix("s"), everything[kind]), prose=True)


def _by_kind(everything: Mapping[str, Any]) -> dict[str, Any]:
    return {kind: everything[key] for kind, key in KINDS.items()}


def _table(entries: Sequence[Any]) -> Table:
    """Return one row for each entry and one column for each of its texts."""
    rows = [entry if isinstance(entry, Mapping) else {"name": entry} for entry in entries]
    names = [name for row in rows for name, value in row.items() if not isinstance(value, list)]
    columns = list(dict.fromkeys(names))
    return Table(columns, [[_cell(row.get(column)) for column in columns] for row in rows])


def _parameters(kind: str, entries: Sequence[Mapping[str, Any]]) -> Table:
    """Return the settings of all FTLs or buffers, by the key that ``--set`` takes."""
    rows = [
        [entry["name"], each["key"], _cell(each["default"]), _cell(each["meaning"])]
        for entry in entries
        for each in entry.get("parameters", [])
    ]
    return Table([kind, "parameter", "default", "meaning"], rows)


def _cell(value: Any) -> str:
    return ABSENT if value is None or value == "" else str(value)
