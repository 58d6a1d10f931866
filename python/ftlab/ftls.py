"""The translation layers as Python objects: a name, a budget, and parameters."""

from __future__ import annotations

from typing import Any, ClassVar

from ftlab.config import Config, Quantity, given

VARIANTS = {"tpftl-adaptive": "tpftl", "dloop": "dftl", "dloop-hot": "dftl"}
"""FTLs that have the settings of another one."""


class Ftl:
    """A flash translation layer by its registered name, for example ``Ftl("tpftl")``.

    Parameters
    ----------
    name
        Name in the registry (``ftlab list ftls``); a wrong one is a `ConfigError` at run time.
    cache
        RAM of the mapping cache, bytes or text (``"8KiB"``), without the global directory.
    log_blocks
        Log blocks of a log-block FTL; by default all spare blocks but one.
    **parameters
        The FTL's own settings, checked by the core when a run starts.
    """

    def __init__(
        self,
        name: str,
        /,
        cache: Quantity | None = None,
        log_blocks: int | None = None,
        **parameters: Any,
    ) -> None:
        self.name = name
        self.cache = cache
        self.log_blocks = log_blocks
        self.parameters = parameters

    def config(self) -> Config:
        """Return the sections that this FTL adds to the configuration."""
        sections = {
            "ftl": given(cache=self.cache),
            "log": given(blocks=self.log_blocks),
            self.section: given(**self.parameters),
        }
        return {name: section for name, section in sections.items() if section}

    @property
    def section(self) -> str:
        """The section of its own settings: a variant shares that of the FTL it varies."""
        return VARIANTS.get(self.name, self.name)

    def __str__(self) -> str:
        """Name and whatever was set, to tell two variants of one FTL apart."""
        settings = {**given(cache=self.cache, log_blocks=self.log_blocks), **self.parameters}
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


class DLOOP(_Named):
    """DLOOP (Abdurrab et al., IPDPS'13): DFTL striped over planes, with copy-back in each."""

    registered = "dloop"


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


class TreeFTL(_Named):
    """TreeFTL (Wang & Wong, DATE'13): data pages below their translation pages, in one pool."""

    registered = "treeftl"


class APS(_Named):
    """APS (Shim et al., MSST'10): one pool for mappings and data, divided as ghosts say."""

    registered = "aps"


class TPFTL(_Named):
    """TPFTL (Zhou et al., EuroSys'15): a two-level LRU with prefetching and batched write-back."""

    registered = "tpftl"


class TPFTLAdaptive(_Named):
    """TPFTL that prefetches successors while the measured use of what it prefetched is worth it."""

    registered = "tpftl-adaptive"


class Block(_Named):
    """Block-level mapping: every page overwritten moves its block."""

    registered = "block"


class BlockOptimized(_Named):
    """Block-level mapping, in place, one erase for each request and block (CACH-FTL's BM)."""

    registered = "block-optimized"


class NFTL(_Named):
    """NFTL (Ban, 1999): one replacement block for each logical block, searched by OOB reads."""

    registered = "nftl"


class NFTLChain(_Named):
    """NFTL (Ban, 1999) as the Linux driver has it: chains of replacement blocks."""

    registered = "nftl-chain"


class BAST(_Named):
    """BAST (Kim et al., 2002): a log block for each logical block that is being overwritten."""

    registered = "bast"


class FAST(_Named):
    """FAST (Lee et al., TECS'07): a sequential log block and random ones that all blocks share."""

    registered = "fast"


class LAST(_Named):
    """LAST (Lee et al., 2008): log blocks for sequential writes, for hot and for cold ones."""

    registered = "last"


class KAST(_Named):
    """KAST (Cho et al., DATE'09): log blocks of K logical blocks at most bound the merges."""

    registered = "kast"


class AFTL(_Named):
    """AFTL (Wu & Kuo, ICCAD'06): pages of full replacement blocks get mappings of their own."""

    registered = "aftl"


class WAFTL(_Named):
    """WAFTL (Wei et al., MSST'11): a zone logs all writes; few pages of a block are page-mapped."""

    registered = "waftl"


class CFTL(_Named):
    """CFTL (Park et al., MASCOTS'11): runs of pages cached; what is only read is block-mapped."""

    registered = "cftl"


class CACHFTL(_Named):
    """CACH-FTL (Boukhobza et al., 2014): small groups of pages wait in page-mapped blocks."""

    registered = "cachftl"


class MNFTL(_Named):
    """MNFTL (Qin et al., DAC'11): blocks of each logical block's own, their map in OOBs."""

    registered = "mnftl"


class MNFTLHybrid(_Named):
    """MNFTL behind a log of blocks in SLC mode."""

    registered = "mnftl-hybrid"


class GFTL(_Named):
    """GFTL (Choudhuri & Givargis, CODES+ISSS'08): blocks cleaned step by step; a write buffer."""

    registered = "gftl"


class Superblock(_Named):
    """Superblock FTL (Kang et al., EMSOFT'06): logical blocks that share data and log blocks."""

    registered = "superblock"


def as_ftl(ftl: Ftl | str) -> Ftl:
    """Return ``ftl`` itself, or the FTL of that name."""
    return Ftl(ftl) if isinstance(ftl, str) else ftl
