"""DLOOP (Abdurrab, Xie & Wang, IPDPS 2013): its evaluation, section V.

The device is that of the preset ``dloop``: planes of 2048 data blocks, so a device of another
capacity or page size has as many planes as it needs, half of them on each channel. Where the paper
is silent: a mapping cache of 64 KiB (and others, for Financial1); every request of the trace is
served once as a write before measuring (FlashSim's warm-up); addresses beyond the device wrap
around; FAST has all spare blocks but one as log blocks; SDRPP counts every flash operation, those
of the map and of GC included (choices.md#dloop-silent, choices.md#sdrpp).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from statistics import fmean
from typing import TYPE_CHECKING

from ftlab.config import Config, merge
from ftlab.experiments.claims import (
    Claim,
    Finding,
    Judged,
    NotMeasuredError,
    Runs,
    bound,
    change,
    number,
    order,
    value,
)
from ftlab.experiments.experiment import Experiment
from ftlab.experiments.inputs import Sources, Workload
from ftlab.experiments.report import Part, Picture, claim_parts
from ftlab.points import Point
from ftlab.report.tables import Table

if TYPE_CHECKING:
    from matplotlib.figure import Figure as Drawing

FTLS = ("dloop", "dftl", "fast")
RIVALS = {"dftl": "vs DFTL", "fast": "vs FAST"}
CAPACITIES = ("4 GB", "8 GB", "16 GB", "32 GB", "64 GB")
PAGES = ("2 KB", "4 KB", "8 KB", "16 KB")
EXTRAS = ("3 %", "5 %", "7 %", "10 %")
CACHES = ("16 KiB", "64 KiB", "256 KiB", "1 MiB")
"""The paper does not say how large the mapping cache is: tried under Financial1."""

SWEEPS = {"capacity": CAPACITIES, "page size": PAGES, "extra blocks": EXTRAS}

FIN1, FIN2, TPCC, EXCHANGE, BUILD = "financial1", "financial2", "tpcc", "exchange", "build"
WORKLOADS = (
    Workload(FIN1, ("Financial1.spc", "Financial1.trace")),
    Workload(FIN2, ("Financial2.spc", "Financial2.trace")),
    Workload(TPCC, ("tpcc.csv",)),
    Workload(EXCHANGE, ("exchange.csv",)),
    Workload(BUILD, ("build.csv",)),
)
ALL = (FIN1, FIN2, TPCC, EXCHANGE, BUILD)

RESPONSE = "response_us.mean"
SDRPP = "planes.sdrpp"
Find = Callable[[Runs], Iterable[Finding]]


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


def settings() -> Iterator[tuple[str, Config]]:
    """Yield the device of each setting that is varied; the others are at their defaults."""
    yield from ((each, device(capacity=each)) for each in CAPACITIES)
    yield from ((each, device(page=each)) for each in PAGES)
    yield from ((each, device(extra=each)) for each in EXTRAS)


def points(inputs: Sources) -> dict[tuple[str, ...], Point]:
    """Return every FTL on every workload at every setting."""
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
                found[FIN1, capacity, ftl, cache] = merge([setup, {"ftl": {"cache": cache}}])
    return {key: Point(", ".join(key), config, key[2]) for key, config in found.items()}


def against(workload: str, setting: str, **published: float) -> Find:
    """Return the changes of DLOOP's mean response against those of its rivals."""
    return lambda runs: [
        change(RIVALS[rival], figure, gain(runs, workload, setting, rival))
        for rival, figure in published.items()
    ]


def gain(runs: Runs, workload: str, setting: str, rival: str) -> float:
    """Return the change of DLOOP's mean response against a rival's."""
    return runs.change(RESPONSE, (workload, setting, "dloop"), (workload, setting, rival))


def mean_gain(runs: Runs, workloads: Iterable[str], places: Iterable[str], rival: str) -> float:
    """Return the mean of DLOOP's change over workloads and settings."""
    keys = [(workload, setting) for workload in workloads for setting in places]
    return fmean(gain(runs, workload, setting, rival) for workload, setting in keys)


def best(runs: Runs, settings: Sequence[str], figure: str = RESPONSE) -> Iterator[Finding]:
    """Yield for each workload at how many settings DLOOP has the lowest figure."""
    for workload in ALL:
        lowest = sum(
            runs(figure, workload, setting, "dloop")
            <= min(runs(figure, workload, setting, rival) for rival in RIVALS)
            for setting in settings
        )
        yield bound(f"{workload}: settings with DLOOP best", lowest, above=len(settings))


def falling(runs: Runs, figure: str, workload: str, settings: Sequence[str]) -> Iterator[Finding]:
    """Yield for each FTL whether a figure falls from setting to setting."""
    for ftl in FTLS:
        figures = {each: runs(figure, workload, each, ftl) for each in reversed(settings)}
        yield order(f"{workload}, {ftl}", figures)


def sdrpp(workload: str, setting: str, **published: float) -> Find:
    """Return the SDRPP of FTLs."""
    return lambda runs: [
        value(ftl, figure, runs(SDRPP, workload, setting, ftl)) for ftl, figure in published.items()
    ]


def sdrpp_gap(workload: str, setting: str, **published: float) -> Find:
    """Return by how much the SDRPP of rivals is above DLOOP's."""
    return lambda runs: [
        change(
            f"{rival} - dloop",
            figure,
            runs(SDRPP, workload, setting, rival) - runs(SDRPP, workload, setting, "dloop"),
            "+",
        )
        for rival, figure in published.items()
    ]


def worst(workload: str, ftl: str, settings: Sequence[str]) -> Find:
    """Return at how many settings an FTL has the highest mean response."""

    def find(runs: Runs) -> list[Finding]:
        highest = sum(
            runs(RESPONSE, workload, each, ftl)
            >= max(runs(RESPONSE, workload, each, other) for other in FTLS)
            for each in settings
        )
        return [bound(f"settings with {ftl} worst", highest, above=len(settings))]

    return find


def d2(runs: Runs) -> list[Finding]:
    """Hold a copy-back against a copy over the bus, by the prose's 50 us of transfer."""
    times = runs[FIN1, "8 GB", "dloop"]["config"]["device"]
    read, program = (times[key] for key in ("read", "program"))
    return [value("time saved", 0.307, 1 - (read + program) / (read + program + 100_000), "%")]


def d3(runs: Runs) -> list[Finding]:
    """Count the pages skipped for the parity rule."""
    return [
        bound(f"{name}: wasted / moved pages", wasted(runs, name), below=0.5, unit="%")
        for name in ALL
        if runs[name, "4 GB", "dloop"]["gc"]["copied_pages"] > 0
    ]


def wasted(runs: Runs, workload: str) -> float:
    """Return the pages that DLOOP skips for each that it moves, at 4 GB."""
    copied = runs("gc.copied_pages", workload, "4 GB", "dloop")
    return runs("flash.wasted_pages", workload, "4 GB", "dloop") / copied


def d8(runs: Runs) -> list[Finding]:
    """Whether the gain over DFTL is smallest for Financial2."""
    others = [name for name in ALL if name != FIN2]
    theirs = min(-mean_gain(runs, [name], CAPACITIES, "dftl") for name in others)
    ours = -mean_gain(runs, [FIN2], CAPACITIES, "dftl")
    return [order("gain over DFTL", {"financial2": ours, "the least other": theirs}, "%")]


def d9(runs: Runs) -> list[Finding]:
    """Whether DFTL loses more on TPC-C than elsewhere."""
    ours = -mean_gain(runs, [TPCC], CAPACITIES, "dftl")
    others = -mean_gain(runs, [name for name in ALL if name != TPCC], CAPACITIES, "dftl")
    return [order("gain over DFTL", {"the others' mean": others, "tpcc": ours}, "%")]


def d20(runs: Runs) -> list[Finding]:
    """SDRPP of Build at both ends of the page sizes."""
    small = {ftl: runs(SDRPP, BUILD, "2 KB", ftl) for ftl in ("dftl", "dloop")}
    return [order("2 KB", small), *sdrpp_gap(BUILD, "16 KB", dftl=0.2, fast=0.3)(runs)]


def effect(runs: Runs, workload: str, ftl: str) -> float:
    """Return the change of the mean response from 3 to 10 % of extra blocks."""
    return runs.change(RESPONSE, (workload, "10 %", ftl), (workload, "3 %", ftl))


def d25(runs: Runs) -> list[Finding]:
    """Extra blocks under Financial2."""
    slight = [
        bound(f"{ftl}, 3 to 10 %", effect(runs, FIN2, ftl), above=-0.1, below=0.1, unit="%+")
        for ftl in ("dloop", "dftl")
    ]
    fast = bound("fast, 3 to 10 %", effect(runs, FIN2, "fast"), below=0.0, unit="%+")
    return [*slight, fast, *worst(FIN2, "fast", EXTRAS)(runs)]


def d26(runs: Runs) -> list[Finding]:
    """Extra blocks under TPC-C."""
    flat = effect(runs, TPCC, "dloop")
    return [
        bound("fast, 3 to 10 %", effect(runs, TPCC, "fast"), below=0.0, unit="%+"),
        bound("dloop, 3 to 10 %", flat, above=-0.1, below=0.1, unit="%+"),
        *worst(TPCC, "dftl", EXTRAS)(runs),
    ]


def reason(workload: str, setting: str) -> Callable[[Runs], str]:
    """Return what the counters of the three FTLs say at a point."""

    def why(runs: Runs) -> str:
        def said(ftl: str) -> str:
            result = runs[workload, setting, ftl]
            busiest = max(result["planes"]["busy_fraction"])
            pages = sum(result["flash"]["programs"].values())
            pages += sum(result["flash"]["copybacks"].values())
            per_write = pages / max(result["host"]["page_writes"], 1)
            erases = sum(result["flash"]["erases"].values())
            return f"{ftl} {per_write:.2f}, {erases:,} and {100 * busiest:.1f} %"

        counted = "; ".join(said(ftl) for ftl in FTLS)
        return (
            f"Pages programmed per page written, erases and the busiest plane's share: {counted}."
        )

    return why


def spread(workload: str, setting: str) -> Callable[[Runs], str]:
    """Return how evenly the three FTLs use the planes at a point."""

    def why(runs: Runs) -> str:
        def said(ftl: str) -> str:
            operations = runs[workload, setting, ftl]["planes"]["requests"]
            return f"{ftl} {min(operations):,} to {max(operations):,}"

        return f"Operations of a plane: {'; '.join(said(ftl) for ftl in FTLS)}."

    return why


CLAIMS = (
    Claim(
        "D1",
        "I",
        "mean response at 64 GB, mean of five traces",
        lambda runs: [
            change(RIVALS[rival], figure, mean_gain(runs, ALL, ["64 GB"], rival))
            for rival, figure in (("dftl", -0.578), ("fast", -0.855))
        ],
        reason(FIN1, "64 GB"),
    ),
    Claim("D2", "III.A", "a copy-back takes less time than a copy between planes", d2),
    Claim("D3", "III.A", "the same-parity rule wastes at most half of the free pages", d3),
    Claim(
        "D4",
        "V.B, figure 8",
        "DLOOP is best at every capacity",
        lambda runs: best(runs, CAPACITIES),
        reason(BUILD, "4 GB"),
    ),
    Claim(
        "D5",
        "V.B",
        "the mean response falls with capacity",
        lambda runs: [found for name in ALL for found in falling(runs, RESPONSE, name, CAPACITIES)],
        reason(FIN1, "64 GB"),
    ),
    Claim(
        "D6",
        "V.B",
        "Financial1, 4 GB: mean response",
        against(FIN1, "4 GB", dftl=-0.7, fast=-0.9),
        reason(FIN1, "4 GB"),
    ),
    Claim(
        "D7",
        "V.B",
        "Financial1, 64 GB: mean response",
        lambda runs: [
            value(ftl, ms, runs(RESPONSE, FIN1, "64 GB", ftl) / 1000, "ms")
            for ftl, ms in (("dloop", 0.43), ("dftl", 2.0), ("fast", 11.4))
        ],
        reason(FIN1, "64 GB"),
    ),
    Claim("D8", "V.B", "the gain over DFTL is smallest for Financial2", d8, reason(FIN2, "8 GB")),
    Claim("D9", "V.B", "TPC-C: DFTL falls a lot", d9, reason(TPCC, "8 GB")),
    Claim(
        "D10",
        "V.B, figure 8",
        "Financial1, 4 GB: SDRPP, which falls with capacity",
        lambda runs: [
            *sdrpp(FIN1, "4 GB", dloop=11.6, fast=12.1, dftl=12.8)(runs),
            *falling(runs, SDRPP, FIN1, CAPACITIES),
        ],
        reason(FIN1, "4 GB"),
    ),
    Claim(
        "D11",
        "V.B",
        "TPC-C, 4 GB: SDRPP",
        sdrpp_gap(TPCC, "4 GB", dftl=0.8, fast=1.0),
        spread(TPCC, "4 GB"),
    ),
    Claim(
        "D12",
        "V.B",
        "TPC-C, 64 GB: SDRPP",
        sdrpp_gap(TPCC, "64 GB", dftl=1.2, fast=1.6),
        spread(TPCC, "64 GB"),
    ),
    Claim(
        "D13",
        "V.C, figure 9",
        "the mean response falls with page size, and DLOOP is best",
        lambda runs: [
            *best(runs, PAGES),
            *(found for name in ALL for found in falling(runs, RESPONSE, name, PAGES)),
        ],
        reason(FIN1, "16 KB"),
    ),
    Claim(
        "D14",
        "V.C",
        "Financial1, 2 KB: mean response",
        against(FIN1, "2 KB", dftl=-0.77, fast=-0.9),
        reason(FIN1, "2 KB"),
    ),
    Claim(
        "D15",
        "V.C",
        "Financial2: mean response, mean of the page sizes",
        lambda runs: [change("vs DFTL", -0.65, mean_gain(runs, [FIN2], PAGES, "dftl"))],
        reason(FIN2, "8 KB"),
    ),
    Claim("D16", "V.C", "TPC-C: DFTL is worst", worst(TPCC, "dftl", PAGES), reason(TPCC, "4 KB")),
    Claim(
        "D17",
        "V.C",
        "Exchange: mean response; FAST gets much better at 16 KB",
        lambda runs: [
            change("vs DFTL", -0.81, mean_gain(runs, [EXCHANGE], PAGES, "dftl")),
            bound(
                "fast, 2 to 16 KB",
                runs.change(RESPONSE, (EXCHANGE, "16 KB", "fast"), (EXCHANGE, "2 KB", "fast")),
                below=-0.5,
                unit="%+",
            ),
        ],
        reason(EXCHANGE, "4 KB"),
    ),
    Claim(
        "D18",
        "V.C, figure 9",
        "Financial1, 2 KB: SDRPP, which falls with page size",
        lambda runs: [
            *sdrpp(FIN1, "2 KB", dloop=12.2, dftl=13.0, fast=13.9)(runs),
            *falling(runs, SDRPP, FIN1, PAGES),
        ],
        reason(FIN1, "2 KB"),
    ),
    Claim(
        "D19",
        "V.C",
        "Financial2, 2 KB: SDRPP",
        sdrpp_gap(FIN2, "2 KB", dftl=0.5, fast=0.7),
        spread(FIN2, "2 KB"),
    ),
    Claim("D20", "V.C", "Build: SDRPP at 2 KB, and its gap at 16 KB", d20, spread(BUILD, "16 KB")),
    Claim(
        "D21",
        "V.D, figure 10",
        "DLOOP is best with any share of extra blocks",
        lambda runs: best(runs, EXTRAS),
        reason(FIN2, "3 %"),
    ),
    Claim(
        "D22",
        "V.D",
        "Financial1: DFTL's mean response rises from 7 to 10 %",
        lambda runs: [
            order(
                "dftl",
                {each: runs(RESPONSE, FIN1, each, "dftl") for each in ("7 %", "10 %")},
            )
        ],
        reason(FIN1, "10 %"),
    ),
    Claim(
        "D23",
        "V.D",
        "Financial1, 3 %: mean response",
        against(FIN1, "3 %", dftl=-0.66, fast=-0.9),
        reason(FIN1, "3 %"),
    ),
    Claim(
        "D24",
        "V.D",
        "Financial1, 7 %: mean response",
        against(FIN1, "7 %", dftl=-0.6, fast=-0.9),
        reason(FIN1, "7 %"),
    ),
    Claim("D25", "V.D", "Financial2: extra blocks matter to FAST alone", d25, reason(FIN2, "10 %")),
    Claim("D26", "V.D", "TPC-C: extra blocks help FAST alone", d26, reason(TPCC, "10 %")),
    Claim(
        "D27",
        "V.D, figure 10",
        "Financial1, 3 %: SDRPP",
        sdrpp(FIN1, "3 %", dloop=11.3, dftl=12.2, fast=11.8),
        spread(FIN1, "3 %"),
    ),
    Claim(
        "D28",
        "V.D",
        "DLOOP's SDRPP is below both",
        lambda runs: best(runs, EXTRAS, SDRPP),
        spread(FIN1, "3 %"),
    ),
)


def parts(runs: Runs, inputs: Sources, judged: Sequence[Judged]) -> list[Part]:
    """Return the paper's figures 8 to 10, and the claims."""
    used = Table(["workload", "input"], [[name, each.described] for name, each in inputs.items()])
    figures = [
        Picture(
            f"figure-{number}",
            f"Figure {number}: mean response (above, ms) and SDRPP (below) over {what}.",
            lambda what=what, settings=settings: drawn(runs, what, settings),  # type: ignore[misc]
        )
        for number, (what, settings) in enumerate(SWEEPS.items(), 8)
    ]
    return [
        Part("What was run", [__doc__ or ""], [used]),
        Part("Figures 8 to 10", pictures=figures),
        Part("An open choice: the mapping cache", [CACHE_TEXT], [caches(runs)]),
        *claim_parts(judged),
    ]


CACHE_TEXT = (
    "Financial1 with other mapping caches than the 64 KiB of all else here. The published means of "
    "DLOOP and DFTL at 64 GB are 0.43 and 2.0 ms."
)


def caches(runs: Runs) -> Table:
    """Return hit ratio and mean response for each size of the mapping cache."""
    rows = []
    for key in runs:
        if len(key) == 4 and key[2] == "dloop":
            _, capacity, _, cache = key
            hits = runs("mapping.hit_ratio", *key)
            ours, theirs = (
                runs(RESPONSE, FIN1, capacity, ftl, cache) / 1000 for ftl in ("dloop", "dftl")
            )
            figures = [number(hits, "%"), number(ours), number(theirs)]
            rows.append([capacity, cache, *figures, number(ours / theirs - 1, "%+")])
    return Table(["capacity", "cache", "hits", "DLOOP, ms", "DFTL, ms", "DLOOP against DFTL"], rows)


def drawn(runs: Runs, what: str, settings: Sequence[str]) -> Drawing:
    """Draw a figure: a column for each workload."""
    from ftlab.experiments.charts import lines, panels

    def series(figure: str, workload: str, scale: float) -> dict[str, list[float | None]]:
        return {
            ftl: [known(runs, figure, workload, each, ftl, scale) for each in settings]
            for ftl in FTLS
        }

    rows = [("mean response, ms", RESPONSE, 1e-3), ("SDRPP", SDRPP, 1.0)]
    draws = [
        lines(f"{workload}: {title}", settings, series(figure, workload, scale), label=what)
        for title, figure, scale in rows
        for workload in ALL
    ]
    return panels(draws, columns=len(ALL))


def known(
    runs: Runs, figure: str, workload: str, setting: str, ftl: str, scale: float
) -> float | None:
    """Return a figure for a line, or None where there is none."""
    try:
        return scale * runs(figure, workload, setting, ftl)
    except NotMeasuredError:
        return None


EXPERIMENT = Experiment(
    name="dloop",
    title="DLOOP: A Flash Translation Layer Exploiting Plane-Level Parallelism",
    workloads=WORKLOADS,
    points=points,
    claims=CLAIMS,
    parts=parts,
)
