"""The translation layers as Python objects: a name, a mapping-cache budget, and parameters."""

from __future__ import annotations

from typing import Any, ClassVar

from ftlab.config import Config, Quantity, given


class Ftl:
    """A flash translation layer by its registered name, for example ``Ftl("tpftl")``.

    Parameters
    ----------
    name
        Name in the registry (``ftlab list ftls``); a wrong one is a `ConfigError` at run time.
    cache
        RAM of the mapping cache, bytes or text (``"8KiB"``), without the global directory.
    **parameters
        The FTL's own settings, checked by the core when a run starts.
    """

    def __init__(self, name: str, /, cache: Quantity | None = None, **parameters: Any) -> None:
        self.name = name
        self.cache = cache
        self.parameters = parameters

    def config(self) -> Config:
        """Return the sections that this FTL adds to the configuration."""
        shared = given(cache=self.cache)
        own = given(**self.parameters)
        return {**({"ftl": shared} if shared else {}), **({self.section: own} if own else {})}

    @property
    def section(self) -> str:
        """The section of its own settings: a variant NAME-VARIANT has those of NAME."""
        return self.name.partition("-")[0]

    def __str__(self) -> str:
        """Name and whatever was set, to tell two variants of one FTL apart."""
        settings = {**given(cache=self.cache), **self.parameters}
        inside = ", ".join(f"{key}={value}" for key, value in settings.items())
        return f"{self.name}({inside})" if inside else self.name

    def __repr__(self) -> str:
        """Text that names the FTL and its settings."""
        return f"<{type(self).__name__} {self}>"


class _Named(Ftl):
    """An FTL whose class says its name."""

    registered: ClassVar[str]

    def __init__(self, cache: Quantity | None = None, **parameters: Any) -> None:
        super().__init__(self.registered, cache, **parameters)


class Page(_Named):
    """The full page map in RAM: the ideal that the others approach."""

    registered = "page"


class DFTL(_Named):
    """DFTL (Gupta et al., ASPLOS'09): map entries cached on demand, segmented LRU."""

    registered = "dftl"


class CDFTL(_Named):
    """CDFTL (Qin et al., RTAS'11): cached entries, and whole pages that take the dirty ones in."""

    registered = "cdftl"


class SFTL(_Named):
    """S-FTL (Jiang et al., MSST'11): whole translation pages, compressed, and a dirty buffer."""

    registered = "sftl"


class HAT(_Named):
    """HAT (Hu et al., MSST'10): the full page map on a chip of its own, hidden behind the flash."""

    registered = "hat"


class ZFTL(_Named):
    """ZFTL (Wang et al., ICCT'11): the map of one zone at a time, two tiers, batched eviction."""

    registered = "zftl"


class TPFTL(_Named):
    """TPFTL (Zhou et al., EuroSys'15): a two-level LRU with prefetching and batched write-back."""

    registered = "tpftl"


class TPFTLAdaptive(_Named):
    """TPFTL that prefetches successors while the measured use of what it prefetched is worth it."""

    registered = "tpftl-adaptive"


def as_ftl(ftl: Ftl | str) -> Ftl:
    """Return ``ftl`` itself, or the FTL of that name."""
    return Ftl(ftl) if isinstance(ftl, str) else ftl
