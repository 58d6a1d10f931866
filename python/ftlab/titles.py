"""FTLs as their papers write them, for tables and figures: results and files keep the keys.

>>> title("sftl"), title("tpftl(cache=8KiB)"), title("MyFtl")
('S-FTL', 'TPFTL(cache=8KiB)', 'MyFtl')
"""

from __future__ import annotations

import re

from ftlab import cores

__all__ = ["title"]
"""What other distributions may use."""

NAME = re.compile(r"[\w-]+(?=$|[ (,:])")
"""The name of an FTL at the beginning of a label."""


def title(label: object) -> str:
    """Return a label with the FTL as its paper writes it; other labels remain unchanged."""
    text = str(label)
    name = NAME.match(text)
    return cores.titles().get(name[0], name[0]) + text[name.end() :] if name else text


def plain(name: str) -> str:
    """Return what two ways to write a name have in common: its small letters and digits."""
    return re.sub(r"[-_ ]", "", name).lower()


def key(name: str) -> str:
    """Return the key of an FTL that is named as in its paper, in any case, or the name itself."""
    wanted = plain(name)
    found = (key for key, title in cores.titles().items() if wanted in (plain(key), plain(title)))
    return next(found, name)


class FtlName(str):
    """A label in a table: programs read it as it is, people its title."""

    __slots__ = ()

    @property
    def shown(self) -> str:
        """The title."""
        return title(self)
