"""Commands with many options: `--help` lists these under headings."""

from __future__ import annotations

import click

from ftlab.cli.options import MODEL, ORDERS, SOURCE

HEADINGS = {
    "Trace": {"workload", "from", "requests", "flushes", *ORDERS, *(each.name for each in SOURCE)},
    "Device, FTL and run": {
        *("config", "no_verify", "overrides", "print_config", "trust"),
        *(each.name for each in MODEL),
    },
    "Output": {
        *("as_json", "as_csv", "output", "plot", "panel", "columns_wide", "report"),
        *("timeline", "timeline_operations", "timeline_from", "log", "series", "slowest", "folder"),
    },
}
"""Headings, and the options below each; those of the command alone come first."""

LONGEST = 28
"""Characters of an option beyond which its help begins on a line of its own."""


class Verb(click.Command):
    """A command whose help has its options in sections."""

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the options of each section; all have their help in one column."""
        rows: dict[str, list[tuple[str, str]]] = {"Options": [], **{each: [] for each in HEADINGS}}
        for param in self.get_params(ctx):
            record = param.get_help_record(ctx) if isinstance(param, click.Option) else None
            if record:
                rows[_heading(param)].append(record)
        names = [name for section in rows.values() for name, _ in section]
        width = max(len(name) for name in names if len(name) <= LONGEST)
        for heading, section in rows.items():
            if section:
                with formatter.section(heading):
                    formatter.write_dl([(f"{name:{width}}", help) for name, help in section], width)


def _heading(param: click.Parameter) -> str:
    return next((each for each, names in HEADINGS.items() if param.name in names), "Options")
