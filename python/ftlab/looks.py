"""How things look in figures: an FTL has the same colour, dash, marker and hatch in every one.

Each colour has a contrast of 3 to 1 or more on white and on the dark page of a report, so that one
palette serves both. FTLs of one family share a colour and differ in the rest.
"""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

__all__ = ["Look", "numbered", "of_ftl"]
"""What other distributions may use."""

BLUE, VERMILION, GREEN, PINK = "#0072B2", "#D55E00", "#009E73", "#CC6699"
AMBER, SKY, VIOLET, RED = "#B57E00", "#3D97CF", "#7D62D9", "#C8324A"
OLIVE, BROWN, TEAL, GREY = "#7F8C1A", "#A06A42", "#12929C", "#7F7F7F"
COLOURS = (BLUE, VERMILION, GREEN, PINK, AMBER, SKY, VIOLET, RED, OLIVE, BROWN, TEAL, GREY)

DASHES = ("-", "--", "-.", ":")
HATCHES = ("", "///", "...", "xxx")
MARKERS = ("o", "s", "^", "D", "v", "P", "X", "<", ">", "h", "p", "d")

FAMILIES: dict[str, tuple[str, ...]] = {
    GREY: ("page", "hat", "sepbit", "zones"),
    BLUE: ("dftl", "cftl", "aps"),
    VERMILION: ("tpftl", "tpftl-adaptive"),
    GREEN: ("dloop", "dloop-hot"),
    PINK: ("cachftl", "last"),
    AMBER: ("fast", "bast"),
    SKY: ("gftl", "kast", "sast"),
    VIOLET: ("mnftl", "mnftl-hybrid", "aftl"),
    RED: ("superblock", "nftl", "nftl-chain", "rnftl"),
    OLIVE: ("block-optimized", "block"),
    BROWN: ("cdftl", "treeftl"),
    TEAL: ("sftl", "zftl", "waftl"),
}
"""FTLs by colour, one for each dash, marker and hatch in turn."""


CAUSES = {
    "host": BLUE,
    "translation": AMBER,
    "gc_data": VERMILION,
    "gc_mapping": PINK,
    "gc_translation": VIOLET,
    "merge": RED,
    "padding": TEAL,
    "read_modify_write": OLIVE,
    "wear": BROWN,
    "checkpoint": GREEN,
    "trim": GREY,
}
"""What flash operations are done for, by the names of the ledger."""


@dataclass(frozen=True)
class Look:
    """Colour, dash of a line, marker of its points, hatch of a bar."""

    colour: str
    dash: str
    marker: str
    hatch: str

    @property
    def line(self) -> dict[str, Any]:
        """What matplotlib calls them for a line."""
        return {"color": self.colour, "linestyle": self.dash, "marker": self.marker}

    @property
    def bar(self) -> dict[str, Any]:
        """What matplotlib calls them for a bar."""
        return {"facecolor": self.colour, "edgecolor": "white", "hatch": self.hatch}


def numbered(number: int) -> Look:
    """Return the look of one of many things in order: 48 of them differ."""
    place, turn = number % len(COLOURS), number // len(COLOURS) % len(DASHES)
    return Look(COLOURS[place], DASHES[turn], MARKERS[place], HATCHES[turn])


def of_ftl(name: str, variant: int = 0) -> Look:
    """Return the look of an FTL, ``variant`` counting those that differ in settings only.

    One that is not ours has a look by its name, which is the same each time.
    """
    family = next((family for family in FAMILIES.items() if name in family[1]), None)
    if family is None:
        return numbered(zlib.crc32(name.encode()) % 48 + variant * len(COLOURS))
    colour, members = family
    place = COLOURS.index(colour) + len(COLOURS) * (members.index(name) + variant)
    return numbered(place)


def of_ftls(names: Sequence[str]) -> list[Look]:
    """Return looks for FTLs in order; the second of a name is its first variant.

    Where there are more of one than dashes, they have colours of their own.
    """
    return [
        of_ftl(name, names[:place].count(name))
        if names.count(name) <= len(DASHES)
        else numbered(names[:place].count(name))
        for place, name in enumerate(names)
    ]
