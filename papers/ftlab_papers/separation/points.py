"""What is run: each separation under each victim policy, in a volume and on a device.

The key of a point is where it runs (`VOLUME` or `DEVICE`), the input, the scheme and the victim
policy, and what is changed behind them. In SSD-iq's grids (`STEADY`) the policy is the scheme.
"""

from __future__ import annotations

from pathlib import Path

from ftlab.points import Config, Point, merge
from ftlab_papers.inputs import Source, Sources, Workload
from ftlab_papers.runs import Key
from ftlab_papers.separation.generators import PAGE, generated, page_writes
from ftlab_papers.volumes import MIB, statistics_of

VOLUME, DEVICE, STEADY = "volume", "device", "steady"

PRXY = Workload("prxy", ("MSR_prxy_0.first20000.csv",), modelled=False)
HPL = Workload("hplajw", ("HP_hplajw_1week.csv",), modelled=False)
FINANCIAL1 = Workload("financial1", ("Financial1.spc", "financial1.parquet"))
WORKLOADS = (PRXY, HPL, FINANCIAL1)

REAL = (PRXY.name, HPL.name)
"""Traces that were recorded."""

EXACT = {"zipf": (12_000, 120_000), "shift": (12_000, 30_000), "mixed": (12_288, 60_000)}
"""Pages and writes of the generated inputs."""

LARGE = {"zipf": (131_072, 1_310_720), "shift": (131_072, 327_680), "mixed": (131_072, 640_000)}
"""The same on a device of 1,024 logical blocks, where six open blocks are little."""

LARGE_NAMES = tuple(f"{kind}, large" for kind in LARGE)

SEEDS_APART = 3
REQUESTS = 300_000
"""Of a profile, its first ones."""

AUTHORS = {"mean": "real", "queue": True}
"""SepBIT as the program of its authors has it."""

SCHEMES: dict[str, Config] = {
    "NoSep": {"ftl": {"separation": "none"}},
    "SepGC": {"ftl": {"separation": "copies"}},
    "DAC": {
        "ftl": {"separation": "temperature"},
        "temperature": {"regions": 6, "young": "1000000%"},
    },
    "SFS": {"ftl": {"separation": "sfs"}, "sfs": {"dead": "nothing"}},
    "ETI": {"ftl": {"separation": "eti"}},
    "MQ": {"ftl": {"separation": "multi-queue"}},
    "SFR": {"ftl": {"separation": "sfr"}},
    "FADaC": {"ftl": {"separation": "fadac"}},
    "WARCIP": {"ftl": {"separation": "warcip"}},
    "MultiLog": {"ftl": {"separation": "multilog"}},
    "UW": {"ftl": {"separation": "sepbit"}, "sepbit": {**AUTHORS, "parts": "written"}},
    "GW": {"ftl": {"separation": "sepbit"}, "sepbit": {**AUTHORS, "parts": "moved"}},
    "SepBIT": {"ftl": {"separation": "sepbit"}, "sepbit": AUTHORS},
    "FK": {"ftl": {"separation": "fk"}},
    "NoDaP": {"ftl": {"separation": "nodap"}},
}
"""Schemes by the names that papers give them."""

ORACLES = ("FK", "NoDaP")
"""Schemes that know when a page dies, as no device can."""

OWN_VICTIMS: dict[str, Config] = {
    "MiDAS": {"ftl": {"separation": "midas"}},
    "2R-greedy": {"ftl": {"separation": "copies"}, "gc": {"policy": "2r-greedy"}},
    "2R-FIFO": {"ftl": {"separation": "copies"}, "gc": {"policy": "2r-fifo"}},
}
"""Schemes with victims of their own, which need a device."""

ITS_OWN = "its own"
"""The policy of those."""

GREEDY, COST_BENEFIT = "greedy", "ramcloud-cost-benefit"
POLICIES: dict[str, Config] = {
    GREEDY: {},
    COST_BENEFIT: {},
    "fifo": {},
    "windowed-greedy": {"window": 0.9},
    "d-choices": {"choices_share": "20%"},
    "random": {},
}
"""Victim policies, and their settings."""

MAIN = ("NoSep", "SepGC", "SepBIT")
GARBAGE = ("10%", "15%", "20%", "25%")
SEGMENTS = {16: 4, 32: 2, 64: 1}
"""Pages of a block, and victims of a GC, which collects as many pages with each."""

CHANGES: dict[str, Config] = {
    **{garbage: {"gc": {"garbage": garbage}} for garbage in GARBAGE},
    **{
        f"{pages} pages": {"device": {"pages_per_block": pages}, "gc": {"victims": victims}}
        for pages, victims in SEGMENTS.items()
    },
}
"""What is changed of a volume, one thing at a time."""

SKEWS = (0.0, 0.2, 0.4, 0.6, 0.8, 1.0)
SKEWED_PAGES = 131_072

ZONES = (0.5, 0.6, 0.7, 0.8, 0.9, 0.95)
"""Shares of the pages that get the rest of the writes, and the others the share (SSD-iq)."""

ZIPFS = tuple(tenths / 10 for tenths in range(11))
"""Exponents of SSD-iq's second grid."""

REGIONS: dict[str, Config] = {
    GREEDY: {"ftl": {"separation": "none"}},
    **{policy: {"ftl": {"separation": "copies"}} for policy in ("2r-greedy", "2r-fifo")},
}
"""Victim policies of SSD-iq's grids, each with what it separates."""

PASSES = (16, 20)
"""As many writes as there are pages, so often; what the longer run adds is the steady state."""

BLOCK, FILL, LOGICAL_BLOCKS, SPARE_BLOCKS = 512, 0.875, 224, 33
"""Of a device in SSD-iq's grids: pages of a block, its fill, and blocks, one of them in reserve."""


def prepare(sources: Sources, results: Path) -> dict[str, Source]:
    """Return the inputs: generated ones, writes of real traces, and the profile."""
    profile = sources[FINANCIAL1.name]
    seed, most = profile.seed, profile.requests or max(REQUESTS, *map(max, LARGE.values()))
    found = {}
    for names, sizes in ((tuple(EXACT), EXACT), (LARGE_NAMES, LARGE)):
        for number, (name, kind) in enumerate(zip(names, sizes, strict=True)):
            pages, writes = (min(each, most) for each in sizes[kind])
            made = 1 + number + SEEDS_APART * (seed - 1)
            file = generated(kind, pages, writes, made, results)
            found[name] = Source(Workload(name, ()), file, None, seed)
    for name in REAL:
        if name in sources:
            file = page_writes(sources[name].config, results)
            found[name] = Source(sources[name].workload, file, None, seed)
    return found | {FINANCIAL1.name: profile}


def points(sources: Sources) -> dict[Key, Point]:
    """Return all points."""
    found: dict[Key, Point] = {}

    def add(key: Key, *parts: Config) -> None:
        scheme = (SCHEMES | OWN_VICTIMS)[key[2]]
        found[key] = Point(" ".join(key), merge([*parts, scheme]), "page")

    for name, source in sources.items():
        volume, device = _volume(name, source), _device(name, source)
        for scheme in SCHEMES:
            for policy in POLICIES:
                if name not in LARGE_NAMES:
                    add((VOLUME, name, scheme, policy), volume, _gc(policy))
                if name in LARGE_NAMES or name == FINANCIAL1.name:
                    add((DEVICE, name, scheme, policy), device, _gc(policy))
        if name in LARGE_NAMES or name == FINANCIAL1.name:
            for scheme in OWN_VICTIMS:
                add((DEVICE, name, scheme, ITS_OWN), device)
        if name in REAL:
            for scheme in MAIN:
                for change, section in CHANGES.items():
                    add((VOLUME, name, scheme, GREEDY, change), volume, _gc(GREEDY), section)
    for theta in SKEWS:
        for scheme in MAIN:
            skewed = _skewed(theta, sources[FINANCIAL1.name].seed)
            add((VOLUME, f"Zipf {theta:g}", scheme, GREEDY), skewed, _gc(GREEDY))
    for name, workload in (ZONED | ZIPFED).items():
        for passes in PASSES:
            device = _full(workload, passes, sources[FINANCIAL1.name])
            for policy, section in REGIONS.items():
                key = (STEADY, name, policy, f"{passes} passes")
                parts = (device, section, {"gc": {"policy": policy}})
                found[key] = Point(" ".join(key), merge(parts), "page")
    return found


ZONED: dict[str, Config] = {
    f"zone {share:g}": {"pattern": "hotcold", "hot_share": 1 - share, "hot_access": share}
    for share in ZONES
}
ZIPFED: dict[str, Config] = {
    f"exponent {theta:g}": {"pattern": "zipf", "zipf_theta": theta} for theta in ZIPFS
}
"""The workloads of SSD-iq's grids."""


def stationary(workload: Config) -> Config:
    """Return a workload over the whole device of those grids."""
    size = LOGICAL_BLOCKS * BLOCK * PAGE
    return {**workload, "read_share": 0, "bs": PAGE, "size": size}


def _full(workload: Config, passes: int, source: Source) -> Config:
    """Return a device that is written once in order, and some passes over it."""
    requests = passes * LOGICAL_BLOCKS * BLOCK
    if source.requests:
        requests = min(requests, passes * source.requests // PASSES[-1])
    return {
        "workload": {**stationary(workload), "requests": requests},
        "device": {
            "page": PAGE,
            "pages_per_block": BLOCK,
            "blocks": LOGICAL_BLOCKS + SPARE_BLOCKS,
            "capacity": LOGICAL_BLOCKS * BLOCK * PAGE,
        },
        "gc": {"low": 1, "high": 2, "mode": "single"},
        "run": {"address": "compact", "warmup": "sequential", "seed": source.seed},
    }


def _gc(policy: str) -> Config:
    return {"gc": {"policy": policy, **POLICIES[policy]}}


def _input(name: str, source: Source) -> Config:
    limit: Config = {"input": {"requests": source.requests or REQUESTS}}
    return merge([source.config, limit]) if name == FINANCIAL1.name else source.config


def _volume(name: str, source: Source) -> Config:
    """Return a volume that grows as it needs, from empty."""
    pages = 64 if name in REAL else 128
    capacity: Config = {}
    if name != FINANCIAL1.name:
        (volume,) = statistics_of(source)["volumes"]
        capacity = {"device": {"capacity": -(-int(volume["end_byte"]) // MIB) * MIB}}
    return merge(
        [
            _input(name, source),
            capacity,
            {
                "device": {"page": PAGE, "pages_per_block": pages, "over_provisioning": "150%"},
                "gc": {"start": "garbage"},
                "run": {"address": "compact", "warmup": "none"},
            },
        ]
    )


def _device(name: str, source: Source) -> Config:
    """Return a device with an eighth of spare space, which is full."""
    return merge(
        [
            _input(name, source),
            {
                "device": {
                    "capacity": "512MiB",
                    "page": PAGE,
                    "pages_per_block": 128,
                    "over_provisioning": "12.5%",
                },
                "run": {"address": "modulo", "warmup": "sequential"},
            },
        ]
    )


def _skewed(theta: float, seed: int) -> Config:
    """Return a volume that is written once in order, then at random by a Zipf law."""
    return {
        "workload": {
            "pattern": "zipf",
            "zipf_theta": theta,
            "size": SKEWED_PAGES * PAGE,
            "bs": PAGE,
            "requests": 10 * SKEWED_PAGES,
        },
        "device": {"page": PAGE, "pages_per_block": 128, "over_provisioning": "150%"},
        "gc": {"start": "garbage"},
        "run": {"address": "compact", "warmup": "none", "seed": seed},
    }
