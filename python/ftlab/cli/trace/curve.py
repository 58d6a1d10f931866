"""``ftlab trace curve``: hit ratios of mapping caches of every size, from one pass."""

from __future__ import annotations

import json
from typing import Any

import click

from ftlab.cli.options import setting_options, setting_tree, source_config, source_options
from ftlab.cli.output import Outputs, figure_option, in_form, output_options
from ftlab.cli.progress import meter
from ftlab.cli.say import say
from ftlab.cli.sections import Verb
from ftlab.cli.show import show_table
from ftlab.config import merge
from ftlab.curve import ENTRY_BYTES, MissRatioCurve, curve_of
from ftlab.report.numbers import count, ratio, size
from ftlab.report.tables import Table

DEVICE = ("--page", "--capacity", "--address")


@click.command(cls=Verb)
@source_options
@setting_options(DEVICE)
@output_options
@figure_option
def curve(**options: Any) -> None:
    """Show hit ratios of LRU mapping caches of every size.

    Reads TRACE once. The caches work as in `dftl` with dftl.replacement=lru and begin empty.
    """
    config = merge([source_config(options), setting_tree(DEVICE, options)])
    outputs = Outputs.of(options, config)
    with meter() as progress:
        found = curve_of(config, progress)
    outputs.result(_rendered(outputs.form, found), lambda: _show(found))
    outputs.figure(found.plot)


def _rendered(form: str | None, found: MissRatioCurve) -> str | None:
    """Return the curve in the requested form; as CSV it has every size."""
    if form == "csv":
        return found.to_csv()
    return in_form(form, _table(found), json.loads(found.to_json()), [_note(found)])


def _table(found: MissRatioCurve) -> Table:
    """Return one row for each power of two, and one for all pages."""
    powers = (1 << power for power in range(found.pages.bit_length()))
    sizes = [each for each in powers if found.pages_per_sample <= each < found.pages]
    rows = [
        [count(each), size(ENTRY_BYTES * each), ratio(found.hit_ratio(each))]
        for each in [*sizes, found.pages]
    ]
    return Table(["entries", "cache of dftl", "hit ratio"], rows)


def _note(found: MissRatioCurve) -> str:
    """Return a note on what was counted, in pages of which size."""
    pages = f"{count(found.pages)} pages of {size(found.page_bytes)}"
    sampled = f", estimated from one of {found.pages_per_sample} pages"
    told = f"{count(found.accesses)} page accesses to {pages}"
    return told + sampled if found.pages_per_sample > 1 else told


def _show(found: MissRatioCurve) -> None:
    show_table(_table(found))
    say("", _note(found))
