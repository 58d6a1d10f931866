"""What DLOOP's paper claims: D1 to D33, in the order of the paper."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import combinations
from math import comb

from ftlab_papers.dloop.points import (
    ALL,
    BUILD,
    CAPACITIES,
    EXCHANGE,
    EXTRAS,
    FIN1,
    FIN2,
    FTLS,
    PAGES,
    TPCC,
)
from ftlab_papers.findings import NEAR_LEAST, Bound, Change, Order, Statement, Value
from ftlab_papers.measures import Measure, Of, at, how_many, least, mean, most, relative
from ftlab_papers.quantities import RESPONSE, erases
from ftlab_papers.runs import NotMeasuredError, Runs
from ftlab_papers.tables import Says, Words, claims

WORDS = Words(__package__)

RIVALS = {"dftl": "vs DFTL", "fast": "vs FAST"}
SDRPP = "planes.host_sdrpp"
"""Of operations for the host and the map (choices.md#sdrpp)."""


def gain(workload: str, setting: str, rival: str) -> Measure:
    """Return the change of DLOOP's mean response against a rival's."""
    return relative(RESPONSE, (workload, setting, "dloop"), (workload, setting, rival))


def mean_gain(workloads: Iterable[str], settings: Iterable[str], rival: str) -> Measure:
    """Return the mean of DLOOP's change over workloads and settings."""
    places = list(settings)
    return mean(gain(name, setting, rival) for name in workloads for setting in places)


def against(workload: str, setting: str, **published: float) -> list[Statement]:
    """Return the changes of DLOOP's mean response against those of its rivals."""
    return [
        Change(RIVALS[rival], said, gain(workload, setting, rival))
        for rival, said in published.items()
    ]


def best(
    settings: Sequence[str], figure: str = RESPONSE, workloads: Sequence[str] = ALL
) -> list[Statement]:
    """Return for each workload at how many settings DLOOP has the lowest figure."""

    def lowest(workload: str) -> Measure:
        return how_many(
            (
                at(figure, workload, setting, "dloop"),
                least(at(figure, workload, setting, rival) for rival in RIVALS),
            )
            for setting in settings
        )

    return [
        Bound(f"{name}: settings with DLOOP best", lowest(name), above=len(settings))
        for name in workloads
    ]


def worst(workload: str, ftl: str, settings: Sequence[str]) -> Statement:
    """Return at how many settings an FTL has the highest mean response."""
    highest = how_many(
        (
            most(at(RESPONSE, workload, setting, other) for other in FTLS),
            at(RESPONSE, workload, setting, ftl),
        )
        for setting in settings
    )
    return Bound(f"settings with {ftl} worst", highest, above=len(settings))


def falling(figure: str, workload: str, settings: Sequence[str]) -> list[Statement]:
    """Return for each FTL that a figure falls from setting to setting."""
    return [
        Order(
            f"{workload}, {ftl}",
            {each: at(figure, workload, each, ftl) for each in reversed(settings)},
        )
        for ftl in FTLS
    ]


def pairs_that_fall(
    workloads: Sequence[str], settings: Sequence[str], ftl: str, *behind: str
) -> Measure:
    """Return in how many pairs of settings, over all workloads, the mean response falls."""
    pairs = [(name, *pair) for name in workloads for pair in combinations(settings, 2)]
    return len(pairs) - how_many(
        (at(RESPONSE, name, one, ftl, *behind), at(RESPONSE, name, other, ftl, *behind))
        for name, one, other in pairs
    )


def trend(settings: Sequence[str]) -> list[Statement]:
    """Return that of each FTL most pairs fall, of all workloads (choices.md#dloop-trend)."""
    pairs = len(ALL) * comb(len(settings), 2)
    return [
        Bound(
            f"{ftl}: pairs that fall, of {pairs}",
            pairs_that_fall(ALL, settings, ftl),
            above=pairs // 2 + 1,
        )
        for ftl in FTLS
    ]


def sdrpp(workload: str, setting: str, **published: float) -> list[Statement]:
    """Return the order of the SDRPP of FTLs, and how far rivals are above DLOOP.

    SDRPP is a logarithm: 25 % of 11.3 is a factor of 17, so that its value says nothing.
    """
    ascending = sorted(published, key=published.__getitem__)
    order = Order("", {ftl: at(SDRPP, workload, setting, ftl) for ftl in ascending})
    gaps = {rival: round(published[rival] - published["dloop"], 6) for rival in RIVALS}
    return [order, *sdrpp_gap(workload, setting, **gaps)]


def sdrpp_gap(workload: str, setting: str, **published: float) -> list[Statement]:
    """Return by how much the SDRPP of rivals is above DLOOP's."""
    own = at(SDRPP, workload, setting, "dloop")
    return [
        Change(f"{rival} - dloop", said, at(SDRPP, workload, setting, rival) - own, "+")
        for rival, said in published.items()
    ]


def saved_by_copy_back() -> Measure:
    """Return the time that a copy-back saves, by the prose's 50 us of transfer."""
    device = (FIN1, "8 GB", "dloop")
    copy = at("config.device.read", *device) + at("config.device.program", *device)
    return 1 - copy / (copy + 100_000)


def most_wasted() -> Measure:
    """Return the most pages that DLOOP skips for each victim, at 4 GB, on any workload.

    Normally it is one page at most; the extreme, half of those moved, "rarely happens" (III.A).
    """

    def find(*counts: float) -> float:
        pairs = list(zip(counts[::2], counts[1::2], strict=True))
        if not any(erased for _, erased in pairs):
            raise NotMeasuredError("no block was collected")
        return max(skipped / erased for skipped, erased in pairs if erased)

    figures = ("flash.wasted_pages", erases)
    return Of(find, tuple(at(figure, name, "4 GB", "dloop") for name in ALL for figure in figures))


def effect(workload: str, ftl: str) -> Measure:
    """Return the change of the mean response from 3 to 10 % of extra blocks."""
    return relative(RESPONSE, (workload, "10 %", ftl), (workload, "3 %", ftl))


def difference(workload: str, settings: Sequence[str]) -> Callable[[str], Measure]:
    """Return by how much the SDRPP of an FTL changes over the settings."""
    first, *_, last = settings
    return lambda ftl: at(SDRPP, workload, last, ftl) - at(SDRPP, workload, first, ftl)


def faster(change: Callable[[str], Measure], settings: Sequence[str], unit: str) -> list[Statement]:
    """Return that over the settings a figure of each rival falls, and more than DLOOP's."""
    first, *_, last = settings
    over = f"{first} to {last}"
    return [
        each
        for rival in RIVALS
        for each in (
            Bound(f"{rival}, {over}", change(rival), below=-NEAR_LEAST, unit=unit),
            Order(over, {rival: change(rival), "dloop": change("dloop")}, unit),
        )
    ]


def flat(workload: str, ftl: str) -> Statement:
    """Return that extra blocks hardly matter."""
    return Bound(f"{ftl}, 3 to 10 %", effect(workload, ftl), above=-0.1, below=0.1, unit="%+")


def helped(workload: str) -> Statement:
    """Return that extra blocks make FAST faster."""
    return Bound("fast, 3 to 10 %", effect(workload, "fast"), below=-NEAR_LEAST, unit="%+")


def counts(runs: Runs, workload: str, setting: str) -> str:
    """Return what the counters of the three FTLs say at a point."""

    def said(ftl: str) -> str:
        result = runs[workload, setting, ftl]
        busiest = max(result["planes"]["busy_fraction"])
        pages = sum(result["flash"]["programs"].values())
        pages += sum(result["flash"]["copybacks"].values())
        per_write = pages / max(result["host"]["page_writes"], 1)
        erases = sum(result["flash"]["erases"].values())
        return f"{ftl} {per_write:.2f}, {erases:,} and {100 * busiest:.1f} %"

    return WORDS("counts", ftls="; ".join(map(said, FTLS)))


def spread(runs: Runs, workload: str, setting: str) -> str:
    """Return how evenly the three FTLs use the planes at a point."""

    def said(ftl: str) -> str:
        served = runs[workload, setting, ftl]["planes"]["host_requests"]
        all_operations = runs("planes.sdrpp", workload, setting, ftl)
        return f"{ftl} {min(served):,} to {max(served):,} ({all_operations:.2f})"

    return WORDS("spread", ftls="; ".join(map(said, FTLS)))


SAYS: Says = {
    "D1": [
        Change(RIVALS[rival], said, mean_gain(ALL, ["64 GB"], rival))
        for rival, said in (("dftl", -0.578), ("fast", -0.855))
    ],
    "D2": Value("time saved", 0.307, saved_by_copy_back(), "%"),
    "D3": Bound("most wasted pages of a victim, on average", most_wasted(), below=1),
    "D4": best(CAPACITIES),
    "D5": [each for name in ALL for each in falling(RESPONSE, name, CAPACITIES)],
    "D6": against(FIN1, "4 GB", dftl=-0.7, fast=-0.9),
    "D7": [
        Value(ftl, ms, at(RESPONSE, FIN1, "64 GB", ftl) / 1000, "ms")
        for ftl, ms in (("dloop", 0.43), ("dftl", 2.0), ("fast", 11.4))
    ],
    "D8": Order(
        "gain over DFTL",
        {
            "financial2": -mean_gain([FIN2], CAPACITIES, "dftl"),
            "the least other": least(
                -mean_gain([name], CAPACITIES, "dftl") for name in ALL if name != FIN2
            ),
        },
        "%",
    ),
    "D9": Order(
        "gain over DFTL",
        {
            "the others' mean": -mean_gain(
                [name for name in ALL if name != TPCC], CAPACITIES, "dftl"
            ),
            "tpcc": -mean_gain([TPCC], CAPACITIES, "dftl"),
        },
        "%",
    ),
    "D10": [
        *sdrpp(FIN1, "4 GB", dloop=11.6, fast=12.1, dftl=12.8),
        *falling(SDRPP, FIN1, CAPACITIES),
    ],
    "D11": sdrpp_gap(TPCC, "4 GB", dftl=0.8, fast=1.0),
    "D12": sdrpp_gap(TPCC, "64 GB", dftl=1.2, fast=1.6),
    "D13": [*best(PAGES), *trend(PAGES)],
    "D14": against(FIN1, "2 KB", dftl=-0.77, fast=-0.9),
    "D15": Change("vs DFTL", -0.65, mean_gain([FIN2], PAGES, "dftl")),
    "D16": [worst(TPCC, "dftl", PAGES)],
    "D17": [
        Change("vs DFTL", -0.81, mean_gain([EXCHANGE], PAGES, "dftl")),
        Bound(
            "fast, 2 to 16 KB",
            relative(RESPONSE, (EXCHANGE, "16 KB", "fast"), (EXCHANGE, "2 KB", "fast")),
            below=-0.5,
            unit="%+",
        ),
    ],
    "D18": [*sdrpp(FIN1, "2 KB", dloop=12.2, dftl=13.0, fast=13.9), *falling(SDRPP, FIN1, PAGES)],
    "D19": sdrpp_gap(FIN2, "2 KB", dftl=0.5, fast=0.7),
    "D20": [
        Order("2 KB", {ftl: at(SDRPP, BUILD, "2 KB", ftl) for ftl in ("dftl", "dloop")}),
        *sdrpp_gap(BUILD, "16 KB", dftl=0.2, fast=0.3),
    ],
    "D21": best(EXTRAS),
    "D22": Bound(
        "dftl, 7 to 10 %",
        relative(RESPONSE, (FIN1, "10 %", "dftl"), (FIN1, "7 %", "dftl")),
        above=NEAR_LEAST,
        unit="%+",
    ),
    "D23": against(FIN1, "3 %", dftl=-0.66, fast=-0.9),
    "D24": against(FIN1, "7 %", dftl=-0.6, fast=-0.9),
    "D25": [flat(FIN2, "dloop"), flat(FIN2, "dftl"), helped(FIN2), worst(FIN2, "fast", EXTRAS)],
    "D26": [helped(TPCC), flat(TPCC, "dloop"), worst(TPCC, "dftl", EXTRAS)],
    "D27": sdrpp(FIN1, "3 %", dloop=11.3, dftl=12.2, fast=11.8),
    "D28": best(EXTRAS, SDRPP),
    "D29": Order("16 KB", {ftl: at(RESPONSE, FIN1, "16 KB", ftl) for ftl in ("dftl", "dloop")}),
    "D30": faster(difference(FIN2, PAGES), PAGES, "+"),
    "D31": best(PAGES, SDRPP, [EXCHANGE]),
    "D32": faster(
        lambda ftl: relative(RESPONSE, (EXCHANGE, "16 KB", ftl), (EXCHANGE, "2 KB", ftl)),
        PAGES,
        "%+",
    ),
    "D33": [
        Bound(f"{ftl}, 3 to 10 %", difference(FIN1, EXTRAS)(ftl), above=NEAR_LEAST, unit="+")
        for ftl in RIVALS
    ],
}

CLAIMS = claims(
    __package__, SAYS, {"counts": counts, "spread": spread}, {"D29": WORDS("proof of D29")}
)
