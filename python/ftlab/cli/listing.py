"""``ftlab list``: everything that can be named."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import click

from ftlab.catalogue import catalog
from ftlab.cli.say import hand_over, say
from ftlab.cli.show import show_table
from ftlab.names import ftl, in_any_case, near
from ftlab.record import Record
from ftlab.report.settings import settings_table
from ftlab.report.tables import ABSENT, Table

KINDS = {
    "ftls": "ftls",
    "settings": "settings",
    "buffers": "buffers",
    "gc": "policies",
    "placements": "placements",
    "separations": "separations",
    "presets": "presets",
    "formats": "formats",
    "profiles": "profiles",
    "patterns": "patterns",
    "warmups": "warmups",
    "metrics": "metrics",
}

WITH_SETTINGS = ("ftls", "buffers", "gc", "placements", "separations")

SHARED = ("gc", "ftl", "log")
"""Sections that many FTLs obey."""


class Kind(click.Choice[str]):
    """A kind of names; a message about another word says how a name is looked up."""

    def get_invalid_choice_message(self, value: Any, ctx: click.Context | None) -> str:
        """Return what was found, what was expected, and the way to a single name."""
        return (
            f'found "{value}", expected one of {", ".join(KINDS)}; '
            "for a single name, add it: ftlab list ftls tpftl"
        )


@click.command("list")
@click.argument("kind", metavar="[KIND]", type=Kind(list(KINDS)), required=False)
@click.argument("name", required=False)
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def listing(kind: str | None, name: str | None, as_json: bool) -> None:
    """List FTLs, settings, presets and all other names.

    KIND is ftls, settings, buffers, gc, placements, separations, presets, formats, profiles,
    patterns, warmups or metrics; without it all are listed. NAME selects one: "list ftls tpftl".
    After "settings", NAME is a section, a key or an FTL: "list settings gc".
    """
    everything = catalog()
    chosen = {each: everything[key] for each, key in KINDS.items() if kind in (None, each)}
    if kind and name:
        chosen = {kind: _named(kind, name, everything)}
    if as_json:
        plain = {key: [_plain(each) for each in rows] for key, rows in chosen.items()}
        hand_over(json.dumps(plain[kind] if kind else plain, indent=2, ensure_ascii=False))
        return
    for position, (title, rows) in enumerate(chosen.items()):
        if not kind:
            if position:
                say("")
            say(f"{title}:")
        _show(title, rows, alone=name is not None)


def _named(kind: str, name: str, everything: Record) -> list[Record]:
    """Return the rows of one name."""
    if kind == "settings":
        return _settings_of(name, everything)
    rows = everything[KINDS[kind]]
    name = ftl(name) if kind == "ftls" else in_any_case(name, [each["name"] for each in rows])
    found = [each for each in rows if each["name"] == name]
    return found or _refuse(kind, name, [each["name"] for each in rows])


def _settings_of(name: str, everything: Record) -> list[Record]:
    """Return the settings of a section or an FTL, or the one of a key."""
    rows: list[Record] = everything["settings"]
    obeyed = {ftl["name"]: ftl["settings"] for ftl in everything["ftls"]}
    known = dict.fromkeys([each["section"] for each in rows] + list(obeyed))
    keys = [each["key"] for each in rows]
    name = in_any_case(name, [*known, *keys])
    name = name if name in known or name in keys else ftl(name)
    found = [each for each in rows if name in (each["section"], each["key"])]
    if name in obeyed:
        return list(obeyed[name])
    return found or _refuse("settings", name, known, keys)


def _refuse(kind: str, name: str, known: Iterable[str], more: Iterable[str] = ()) -> Any:
    """Fail, with the name that is near if there is one."""
    nearest = near(name, [*known, *more])
    raise click.UsageError(f'no {kind} of the name "{name}"{nearest}; known: {", ".join(known)}')


def _show(kind: str, rows: Sequence[Any], alone: bool) -> None:
    """Print rows, and below those of names their settings."""
    if kind == "settings":
        show_table(settings_table(rows), prose=True)
        return
    show_table(_table(rows), prose=True)
    if kind in WITH_SETTINGS:
        say("")
        table = settings_table(rows[0]["settings"]) if alone else _own(kind.removesuffix("s"), rows)
        show_table(table, prose=True)


def _table(entries: Sequence[Any]) -> Table:
    """Return one row for each entry and one column for each of its texts."""
    rows = [entry if isinstance(entry, Mapping) else {"name": entry} for entry in entries]
    names = [name for row in rows for name, value in row.items() if not isinstance(value, list)]
    first = [each for each in ("name", "title") if each in names]
    columns = list(dict.fromkeys([*first, *names]))
    cells = [[row.get(column) for column in columns] for row in rows]
    return Table(columns, [[ABSENT if c in (None, "") else str(c) for c in row] for row in cells])


def _own(kind: str, entries: Sequence[Record]) -> Table:
    """Return the settings that entries have of their own: of FTLs not those that many obey."""
    rows = [
        [entry["name"], each["key"], each["default"], each["meaning"]]
        for entry in entries
        for each in entry["settings"]
        if kind != "ftl" or each["section"] not in SHARED
    ]
    return Table([kind, "setting", "default", "meaning"], rows)


def _plain(value: Any) -> Any:
    return value.to_dict() if isinstance(value, Record) else value
