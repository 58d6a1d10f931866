"""Directives of the pages about FTLs and separations.

`memory` draws a picture; `settings-of`, `settings-of-separation` and `ftl-index` are tables.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from docutils import nodes
from memory_picture import PictureError, draw
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

from ftlab import _core
from ftlab.record import Record

PLAYGROUND = Path(__file__).parents[2] / "target" / "playground.html"
"""The page that `make docs` puts next to these, where it was built."""

SHARED = ("gc", "ftl", "log")
"""Sections that several FTLs obey; what is an FTL's own comes before them."""
KINDS = {
    "flash": "Page-level, the map on flash and a part of it in RAM",
    "RAM, collects": "Page-level, the whole map in RAM",
    "RAM, merges": "Block-mapped and log-block: the map in RAM",
    "OOB": "For MLC, the map in OOBs",
}


class Memory(SphinxDirective):
    """A picture of RAM and flash, its steps below it; the argument says what it shows."""

    has_content = True
    required_arguments = 1
    final_argument_whitespace = True

    def run(self) -> list[nodes.Node]:
        """Return the picture and the list of its steps."""
        try:
            svg, steps = draw("\n".join(self.content), self.arguments[0])
        except PictureError as error:
            raise self.error(str(error)) from error
        text = "\n".join(f"{number}. {words}" for number, words in enumerate(steps, 1))
        return [nodes.raw("", svg, format="html"), *self.parse_text_to_nodes(text)]


class FromCatalogue(SphinxDirective):
    """Text made of the catalogue, in Markdown."""

    lines: Callable[..., Iterator[str]]

    def run(self) -> list[nodes.Node]:
        """Return what the lines say."""
        text = "\n".join(type(self).lines(Record(json.loads(_core.catalog())), *self.arguments))
        return self.parse_text_to_nodes(text)


def settings_lines(everything: Record, name: str) -> Iterator[str]:
    """Yield the table of the settings of an FTL or of a buffer: default, meaning, evidence."""
    named = [each for each in (*everything.ftls, *everything.buffers) if each.name == name]
    if not named:
        raise ValueError(f"found {name!r}, expected the name of an FTL or a buffer")
    if named[0] in everything.ftls and PLAYGROUND.is_file():
        link = f"../_static/playground.html#start={name}"
        yield f'<p><a href="{link}">Run it in the browser</a></p>\n'
    yield from table_of(sorted(named[0].settings, key=lambda row: row.section in SHARED))


def separation_lines(everything: Record, *names: str) -> Iterator[str]:
    """Yield the table of the settings of separations."""
    found = {each.name: each.settings for each in everything.separations}
    for name in names:
        if name not in found:
            raise ValueError(f"found {name!r}, expected the name of a separation")
    yield from table_of([row for name in names for row in found[name]])


def table_of(rows: Sequence[Record]) -> Iterator[str]:
    """Yield a table of settings."""
    if not rows:
        yield "None."
        return
    yield "| setting | default | meaning | evidence |"
    yield "| :-- | :-- | :-- | :-- |"
    for row in rows:
        cells = [f"[`{row.key}`](/settings.md#{row.section})", row.default, told(row), row.source]
        yield f"| {' | '.join(map(linked, cells))} |"


def told(row: Record) -> str:
    """Return the meaning of a setting, and of each value that has a name."""
    values = row["values"] if row.kind == "choice" else []
    return " ".join([row.meaning, *(f"`{name}`: {text.rstrip('.')}." for name, text in values)])


def linked(source: str) -> str:
    """Return a source with links to the register of choices."""
    return re.sub(r"choices\.md#([a-z0-9-]+)", r"[\1](/choices.md#\1)", source)


def kind_of(ftl: Record) -> str:
    """Return which kind of FTL this is."""
    if ftl.map != "RAM":
        return str(ftl.map)
    return "RAM, collects" if ftl.cleaning == "collects" else "RAM, merges"


def index_lines(everything: Record) -> Iterator[str]:
    """Yield the table of all FTLs, each with its page."""
    for kind, title in KINDS.items():
        yield f"\n**{title}**\n"
        yield "| FTL | what it does | source |"
        yield "| :-- | :-- | :-- |"
        for ftl in everything.ftls:
            if kind_of(ftl) == kind:
                page = f"[`{ftl.name}`](/ftls/{ftl.name}.md)"
                yield f"| {page} | {ftl.summary} | {ftl.source} |"


class SettingsOf(FromCatalogue):
    """The settings of one FTL or buffer."""

    lines = settings_lines
    required_arguments = 1


class SettingsOfSeparation(FromCatalogue):
    """The settings of separations of one page."""

    lines = separation_lines
    required_arguments = 1
    optional_arguments = 3


class FtlIndex(FromCatalogue):
    """All FTLs by kind."""

    lines = index_lines


def setup(app: Sphinx) -> dict[str, bool]:
    """Tell Sphinx of the directives."""
    app.add_directive("memory", Memory)
    app.add_directive("settings-of", SettingsOf)
    app.add_directive("settings-of-separation", SettingsOfSeparation)
    app.add_directive("ftl-index", FtlIndex)
    app.add_css_file("memory.css")
    return {"parallel_read_safe": True}
