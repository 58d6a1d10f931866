"""The points: DLOOP, DFTL and FAST on each workload, over capacity, page size and extra blocks.

The key of a point is the workload, the setting that is varied and the FTL. The mapping cache or the
time of a transfer follows where it is varied.
"""

from __future__ import annotations

from collections.abc import Iterator

from ftlab.points import Config, Point, merge
from ftlab_papers.inputs import FINANCIAL1_BEGINNING, FINANCIAL1_PREFIX, Prefix, Sources, Workload
from ftlab_papers.prefixes import FIRST_SEED

FTLS = ("dloop", "dftl", "fast")
CAPACITIES = ("4 GB", "8 GB", "16 GB", "32 GB", "64 GB")
PAGES = ("2 KB", "4 KB", "8 KB", "16 KB")
EXTRAS = ("3 %", "5 %", "7 %", "10 %")
CACHES = ("16 KiB", "64 KiB", "256 KiB", "1 MiB")
"""Sizes tried under Financial1, as the paper does not state the size of the mapping cache."""

SHORT = "50 us"
"""The bus time of a 4 KB page in section III.A, where Table I has 102 us.

It is tried for pages of any size.
"""

TRANSFER_NS = 49_152
"""For any page: 12 ns for each byte of 4 KB, the 50 us of section III.A."""

SWEEPS = {"capacity": CAPACITIES, "page size": PAGES, "extra blocks": EXTRAS}

FIN1, FIN2, TPCC, EXCHANGE, BUILD = "financial1", "financial2", "tpcc", "exchange", "build"
TPCC_PREFIX = Prefix(("tpcc-small.mqsim.trace",), 52, slower=16)
"""0.14 s of 16 devices laid over each other: the requests and the rate of one device."""

WORKLOADS = (
    Workload(
        FIN1, ("Financial1.spc", "Financial1.trace"), (FINANCIAL1_PREFIX, FINANCIAL1_BEGINNING)
    ),
    Workload(FIN2, ("Financial2.spc", "Financial2.trace")),
    Workload(TPCC, ("tpcc.csv",), (TPCC_PREFIX,)),
    Workload(EXCHANGE, ("exchange.csv",)),
    Workload(BUILD, ("build.csv",)),
)
ALL = (FIN1, FIN2, TPCC, EXCHANGE, BUILD)

HOT_FTLS = ("dloop", "dloop-hot", "dftl")
SKEWS: dict[str, Config] = {
    name: {
        "workload": {
            "pattern": "rand",
            "bs": "8KiB",
            "align": align,
            "size": "4GiB",
            "requests": 300_000,
            "interarrival": "10ms",
        }
    }
    for name, align in (("hot planes", "32KiB"), ("even planes", "8KiB"))
}
"""Writes of two pages over 4 GB.

They go to the first two pages of every eight, on two planes of eight, or to any pages.
"""


def device(capacity: str = "8 GB", page: str = "4 KB", extra: str = "3 %") -> Config:
    """Return the device of a point: 2048 data blocks of 64 pages in each plane."""
    gigabytes, kilobytes = (int(text.split()[0]) for text in (capacity, page))
    planes = gigabytes * 8 // kilobytes
    return {
        "capacity": f"{gigabytes}GiB",
        "page": f"{kilobytes}k",
        "over_provisioning": extra.replace(" ", ""),
        "channels": 2,
        "planes_per_die": 2,
        "chips_per_channel": planes // 4,
    }


def short_transfer(page: str) -> Config:
    """Return the time per byte at which a page of this size takes 50 us on the bus."""
    size = int(page.split()[0]) << 10
    return {"device": {"transfer_per_byte": f"{TRANSFER_NS // size}ns"}}


def settings() -> Iterator[tuple[str, Config]]:
    """Yield the device of each setting that is varied; the others are at their defaults."""
    yield from ((each, device(capacity=each)) for each in CAPACITIES)
    yield from ((each, device(page=each)) for each in PAGES)
    yield from ((each, device(extra=each)) for each in EXTRAS)


def points(inputs: Sources) -> dict[tuple[str, ...], Point]:
    """Return every FTL on every workload at every setting.

    Other caches and short transfers have the first seed only.
    """
    common: Config = {"preset": "dloop", "run": {"address": "modulo"}}
    found: dict[tuple[str, ...], Config] = {
        (name, setting, ftl): merge([common, {"device": shape}, source.config])
        for name, source in inputs.items()
        for setting, shape in settings()
        for ftl in FTLS
    }
    for capacity in (CAPACITIES[0], CAPACITIES[-1]):
        for ftl in ("dloop", "dftl"):
            for cache in CACHES:
                setup = found[FIN1, capacity, ftl]
                cached: Config = {"ftl": {"cache": cache}}
                found[FIN1, capacity, ftl, cache] = merge([setup, cached, FIRST_SEED])
    short = [(TPCC, each, short_transfer("4 KB")) for each in CAPACITIES]
    short += [(name, page, short_transfer(page)) for name in inputs for page in PAGES]
    for name, setting, transfer in short:
        for ftl in FTLS:
            setup = found[name, setting, ftl]
            found[name, setting, ftl, SHORT] = merge([setup, transfer, FIRST_SEED])
    for name, each in SKEWS.items():
        for ftl in HOT_FTLS:
            found[name, CAPACITIES[0], ftl] = merge([common, {"device": device("4 GB")}, each])
    return {key: Point(", ".join(key), config, key[2]) for key, config in found.items()}
