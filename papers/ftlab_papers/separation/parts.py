"""What the report on separations shows."""

from __future__ import annotations

from collections.abc import Sequence

from ftlab import Result, model
from ftlab.points import Config
from ftlab.report.tables import ABSENT, Table
from ftlab_papers.charts import bars, lines, panels
from ftlab_papers.claims import Judged
from ftlab_papers.findings import number, spread
from ftlab_papers.inputs import Sources
from ftlab_papers.marks import Marks, Series, known
from ftlab_papers.measures import at
from ftlab_papers.quantities import AMPLIFICATION, erases
from ftlab_papers.report import Part, claim_parts
from ftlab_papers.runs import Figure, NotMeasuredError, Runs
from ftlab_papers.separation.claims import WORDS
from ftlab_papers.separation.generators import PAGE
from ftlab_papers.separation.points import (
    BLOCK,
    CHANGES,
    COST_BENEFIT,
    DEVICE,
    EXACT,
    FILL,
    GREEDY,
    ITS_OWN,
    LARGE_NAMES,
    MAIN,
    ORACLES,
    OWN_VICTIMS,
    PASSES,
    POLICIES,
    REAL,
    REGIONS,
    SCHEMES,
    SKEWS,
    STEADY,
    VOLUME,
    ZIPFED,
    ZONED,
    stationary,
)
from ftlab_papers.tables import Pictures

ZIPF = "zipf"
"""The input that is stationary after its first writes."""


def parts(runs: Runs, sources: Sources, judged: Sequence[Judged]) -> list[Part]:
    """Return the report."""
    part = WORDS.part
    volume, device = (_inputs(runs, where) for where in (VOLUME, DEVICE))
    real = [name for name in REAL if name in volume]
    return [
        part("What was run", [_sources(runs, sources)]),
        *claim_parts(judged),
        part(
            "In a volume",
            [_grid(runs, VOLUME, name) for name in volume],
            _pictures(runs, judged, volume),
        ),
        part("On a device", [*(_grid(runs, DEVICE, name) for name in device), _own(runs, device)]),
        part("Distance to the bound", [_bounds(runs, volume)]),
        part("Garbage at collection", [_garbage(runs, volume), *_classes(runs, volume)]),
        part("When GC starts, and size of a block", [_changed(runs, name) for name in real]),
        part("Skew", [_skew(runs)]),
        part(
            "Two regions and the optimum",
            [_regions(runs, "zone", ZONED), _regions(runs, "exponent", ZIPFED)],
        ),
        part("RAM", [_ram(runs, device)]),
    ]


def garbage_at_collection(result: Result) -> float:
    """Return the share of garbage in the blocks that are collected."""
    pages = erases(result) * float(result["config"]["device"]["pages_per_block"])
    return 1 - float(result["gc"]["copied_pages"]) / pages if pages else 0.0


def _inputs(runs: Runs, where: str) -> list[str]:
    names = dict.fromkeys(key[1] for key in runs if key[0] == where and len(key) == 4)
    return [name for name in names if not name.startswith("Zipf ")]


def _sources(runs: Runs, sources: Sources) -> Table:
    rows = []
    for name in sources:
        where = DEVICE if name in LARGE_NAMES else VOLUME
        host = runs[where, name, "NoSep", GREEDY]["host"]
        rows.append([name, f"{host['requests']:,}", f"{host['page_writes']:,}"])
    return Table(["input", "requests", "page writes"], rows)


def _grid(runs: Runs, where: str, name: str) -> Table:
    """Return the write amplification of each scheme under each victim policy."""
    rows = [
        [scheme, *(_cell(runs, AMPLIFICATION, where, name, scheme, policy) for policy in POLICIES)]
        for scheme in SCHEMES
    ]
    return Table([name, *POLICIES], rows)


def _own(runs: Runs, names: Sequence[str]) -> Table:
    """Return the write amplification of schemes with victims of their own."""
    rows = [
        [scheme, *(_cell(runs, AMPLIFICATION, DEVICE, name, scheme, ITS_OWN) for name in names)]
        for scheme in OWN_VICTIMS
    ]
    return Table(["victims of its own", *names], rows)


def _bounds(runs: Runs, names: Sequence[str]) -> Table:
    """Return the least of all schemes in a volume, compared with what oracles reach."""
    schemes = [each for each in SCHEMES if each not in ORACLES]
    rows = []
    for name in names:
        found = {
            (runs(AMPLIFICATION, VOLUME, name, scheme, policy), scheme, policy)
            for scheme in schemes
            for policy in POLICIES
        }
        least, scheme, policy = min(found)
        oracles = [
            min(runs(AMPLIFICATION, VOLUME, name, oracle, each) for each in POLICIES)
            for oracle in ORACLES
        ]
        bound = number(_fluid(name)) if name == ZIPF else ABSENT
        cells = [number(least), *(number(each) for each in oracles), bound]
        rows.append([name, f"{scheme}, {policy}", *cells])
    header = ["input", "least of all schemes", "its write amplification"]
    return Table([*header, *ORACLES, "optimum of separation by frequency"], rows)


def _fluid(name: str) -> float:
    """Return the least that separation by frequency reaches where GC starts at 15 % of garbage."""
    pages, _ = EXACT[name]
    workload = {"pattern": "zipf", "zipf_theta": 1, "bs": PAGE, "size": pages * PAGE}
    return float(model.separation(fill=0.85, workload=workload)["write_amplification"])


def _garbage(runs: Runs, names: Sequence[str]) -> Table:
    rows = [
        [
            scheme,
            *(_cell(runs, garbage_at_collection, VOLUME, name, scheme, GREEDY) for name in names),
        ]
        for scheme in SCHEMES
    ]
    return Table(["greedy", *names], rows)


def _changed(runs: Runs, name: str) -> Table:
    rows = [
        [
            scheme,
            *(_cell(runs, AMPLIFICATION, VOLUME, name, scheme, GREEDY, each) for each in CHANGES),
        ]
        for scheme in MAIN
    ]
    return Table([name, *CHANGES], rows)


def _skew(runs: Runs) -> Table:
    rows = [
        [
            f"{theta:g}",
            *(
                _cell(runs, AMPLIFICATION, VOLUME, f"Zipf {theta:g}", scheme, GREEDY)
                for scheme in MAIN
            ),
        ]
        for theta in SKEWS
    ]
    return Table(["exponent", *MAIN], rows)


def _classes(runs: Runs, names: Sequence[str]) -> list[Table]:
    """Return what SepBIT's classes hold, for each input: they are what it is judged by."""
    return [_of_classes(name, runs[VOLUME, name, "SepBIT", GREEDY]) for name in names]


def _of_classes(name: str, result: Result) -> Table:
    classes = result["classes"]
    rows = [
        ["pages of the host", *(f"{pages:,}" for pages in classes["written"])],
        ["pages that GC moves there", *(f"{pages:,}" for pages in classes["copied_to_unit"])],
        ["mean lifespan", *map(_known, classes["lifespan"])],
        ["garbage at collection", *map(_known, classes["garbage_at_collection"])],
    ]
    return Table([name, *(f"class {number}" for number in range(1, 1 + len(rows[0][1:])))], rows)


def _known(value: float | None) -> str:
    return ABSENT if value is None else number(value)


def _regions(runs: Runs, name: str, workloads: dict[str, Config]) -> Table:
    """Return the write amplification of 2R, and the optimum of separation by frequency."""
    rows = [
        [
            each.removeprefix(f"{name} "),
            *(_steady(runs, each, policy) for policy in REGIONS),
            number(_optimum(workload)),
        ]
        for each, workload in workloads.items()
    ]
    return Table([name, *REGIONS, "optimum"], rows)


def _steady(runs: Runs, name: str, policy: str) -> str:
    """Return the write amplification of what the longer of two runs adds to the shorter one."""

    def added(each: Runs) -> float:
        first, last = (each[STEADY, name, policy, f"{passes} passes"] for passes in PASSES)
        programs, writes = (_programs(last) - _programs(first), last["host"]["page_writes"])
        return programs / float(writes - first["host"]["page_writes"])

    return spread([added(each) for each in runs.seeds])


def _programs(result: Result) -> int:
    return int(sum(result["flash"]["programs"].values()))


def _optimum(workload: Config) -> float:
    found = model.separation(fill=FILL, workload=stationary(workload), pages_per_block=BLOCK)
    return float(found["write_amplification"])


def _ram(runs: Runs, names: Sequence[str]) -> Table:
    """Return what a scheme needs in RAM in addition to the map, by logical page."""

    def cell(scheme: str, name: str) -> str:
        policy = ITS_OWN if scheme in OWN_VICTIMS else GREEDY
        together, apart = (
            float(runs[DEVICE, name, *of]["ram_bytes"]["tables"])
            for of in (("NoSep", GREEDY), (scheme, policy))
        )
        pages = runs[DEVICE, name, scheme, policy]["device"]["capacity_bytes"] / PAGE
        return number((apart - together) / pages)

    schemes = [each for each in (*SCHEMES, *OWN_VICTIMS) if each not in ORACLES]
    return Table(
        ["B a page", *names], [[each, *(cell(each, name) for name in names)] for each in schemes]
    )


def _cell(runs: Runs, figure: Figure, *key: str) -> str:
    """Return the mean over seeds with its deviation, or that there is none."""
    try:
        return spread([each(figure, *key) for each in runs.seeds])
    except NotMeasuredError:
        return ABSENT


def _pictures(runs: Runs, judged: Sequence[Judged], names: Sequence[str]) -> Pictures:
    mark = Marks(runs, known(each.claim for each in judged))

    def of(name: str) -> list[Series]:
        return [
            Series(
                policy, [mark(at(AMPLIFICATION, VOLUME, name, each, policy)) for each in SCHEMES]
            )
            for policy in (GREEDY, COST_BENEFIT)
        ]

    def skewed() -> list[Series]:
        return [
            Series(
                scheme,
                [
                    mark(at(AMPLIFICATION, VOLUME, f"Zipf {theta:g}", scheme, GREEDY))
                    for theta in SKEWS
                ],
            )
            for scheme in MAIN
        ]

    shown = [bars(name, list(SCHEMES), of(name)) for name in names]
    skew = lines("Zipf", [f"{theta:g}" for theta in SKEWS], skewed(), label="exponent")
    return {
        "volume": lambda: panels(shown, columns=2),
        "skew": lambda: panels([skew]),
    }
