"""What the report on CACH-FTL shows."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from statistics import fmean, median

from ftlab.report.tables import ABSENT, Table
from ftlab.style import Draw
from ftlab_papers.cachftl import variant_parts
from ftlab_papers.cachftl.claims import (
    RIVALS,
    Choice,
    against,
    best,
    default,
    gap,
    gaps,
    of_trace,
    sample,
    thresholds,
    to_bmr,
    traces_of,
    volumes,
)
from ftlab_papers.cachftl.points import (
    ADAPTIVE,
    ALL_THRESHOLDS,
    ARRIVALS,
    ENOUGH,
    FTLS,
    GRID_REQUESTS,
    NAMES,
    PREFIX_VOLUME,
    RESERVE,
    SEQUENTIAL,
    SHORT,
    SPARES,
    STREAMS,
    THRESHOLDS,
    TRACES,
    WRITES,
)
from ftlab_papers.cells import cell
from ftlab_papers.charts import bars, lines, panels, plain
from ftlab_papers.claims import Judged
from ftlab_papers.findings import number
from ftlab_papers.inputs import Sources
from ftlab_papers.marks import Mark, Marks, Series, known
from ftlab_papers.measures import at, relative
from ftlab_papers.quantities import RESPONSE, erases
from ftlab_papers.report import Part, Picture, claim_parts
from ftlab_papers.runs import Figure, NotMeasuredError, Runs

SHOWN = (1, 4, 8, 16, 32)
"""Thresholds in Figure 7."""

SMALL = 10_000
"""Requests below which a volume is marked as small."""

SETUP = (
    "The device is the preset cachftl (section 5.1): pages of 4 KiB, 64 in a block, 25 us, 200 us "
    "and 1.5 ms for read, program and erase, one operation at a time. It is as large as the volume "
    "or the synthetic workload, with 10 % more blocks: the PMR of CACH-FTL, log blocks of FAST, "
    "the spare blocks of PM; BM leaves them unused. Above each FTL is C-lash with 2 MiB, 6 blocks "
    "and 128 pages. The input is played twice before it is measured. What C-lash still holds at "
    "the end is in no figure.",
    "Volumes are those of the real traces where there are any, else of the built-in models, whose "
    "volumes differ less from each other than the paper says of the real ones.",
)

VARIED = (
    "Settings are varied on {of} of each volume: {thresholds} and "
    f"over-provisioning {', '.join(map(str, SPARES))} %."
)
FEW = f"thresholds {', '.join(map(str, THRESHOLDS))}"
ALL = f"all thresholds from {THRESHOLDS[0]} to {THRESHOLDS[-1]}"


BEGINNING = (
    "The first 50,002 requests of the real Financial1, with its volumes over each other, on one "
    "device of their size: the warm-up plays them twice before they are measured.",
)


def parts(runs: Runs, sources: Sources, judged: Sequence[Judged]) -> list[Part]:
    """Return the report: set-up, verdicts, claims, figures, volumes, adaptive one, variants."""
    return [
        Part(
            "What was run", (SETUP[0], f"{SETUP[1]} {_varied_on(runs)}"), [_inputs(runs, sources)]
        ),
        *claim_parts(judged),
        Part("Figures", (), (), _pictures(runs, judged)),
        Part(
            "Means and medians",
            (
                "Over the volumes of each trace, with the default settings. A few volumes can make "
                f"a mean; those of less than {SMALL:,} requests are left out once. The second PM "
                "has no more spare blocks than its GC needs; the paper gives it none.",
            ),
            [_middles(runs, trace) for trace in traces_of(runs)],
        ),
        Part(
            "Volumes",
            (
                "Mean response in us with the default settings. Volumes of less than "
                f"{SMALL:,} requests are marked with an asterisk.",
            ),
            [_volumes(runs)],
        ),
        *([Part("The real beginning", BEGINNING, [_beginning(runs)])] if _has_prefix(runs) else []),
        Part(
            "Open choice: what makes a block worth PMR-GC",
            (
                "The paper contradicts itself on how many superseded pages a block of the PMR must "
                "have (cachftl.enough): Algorithm 2 says one, 4.3.2 enough, 4.3.3 the pages to be "
                "evicted, which is the default. Mean and median over the volumes of each trace, "
                "with the default settings.",
            ),
            [_enough(runs, trace) for trace in traces_of(runs)],
        ),
        Part(
            "Open choice: what sequential requests go on from",
            (
                "The previous request (runs of geometric length, the words of DiskSim's "
                "generator), or the last sequential one (workload.sequential = stream). How much "
                "slower CACH-FTL is than PM, and the share of groups that go to the BMR.",
            ),
            [_streams(runs)],
        ),
        Part(
            "Best settings",
            ("How many volumes have which best setting, by mean response.",),
            [_best_settings(runs)],
        ),
        Part(
            "Adaptive CACH-FTL",
            (
                "Mean response in us with 10 % over-provisioning, on the beginning of each volume: "
                "the best, the median and the worst fixed threshold, the threshold by measured "
                "costs, and that with blocks of the BMR rewritten out of place.",
            ),
            [_adaptive(runs)],
        ),
        variant_parts.part(runs, sources),
    ]


def _varied_on(runs: Runs) -> str:
    """Tell on what settings were varied."""
    names = volumes(runs, *TRACES)
    if names and len(thresholds(runs, names[0])) == len(ALL_THRESHOLDS):
        return VARIED.format(of="all requests", thresholds=ALL)
    return VARIED.format(of=f"at most the first {GRID_REQUESTS:,} requests", thresholds=FEW)


def _inputs(runs: Runs, sources: Sources) -> Table:
    rows = []
    for trace in TRACES:
        names = volumes(runs, trace)
        hosts = [runs[volume, "page"]["host"] for volume in names]
        files = {sources[volume].file for volume in names}
        rows.append(
            [
                trace,
                str(len(files)),
                f"{sum(host['requests'] for host in hosts):,}",
                f"{sum(host['page_reads'] for host in hosts):,}",
                f"{sum(host['page_writes'] for host in hosts):,}",
            ]
        )
    return Table(["trace", "volumes", "requests", "page reads", "page writes"], rows)


def _pictures(runs: Runs, judged: Sequence[Judged]) -> list[Picture]:
    mark = Marks(runs, known(each.claim for each in judged))
    traces = traces_of(runs)
    samples = [sample(runs, trace) for trace in traces if _is_sampled(runs, trace)]
    return [
        Picture(
            "fig4",
            f"Figure 4. Default settings, means over volumes: (a), (b). {AGAINST}",
            lambda: panels(_by_trace(mark, traces, default), columns=2),
        ),
        Picture(
            "fig5",
            f"Figure 5. The best settings of each volume: (a), (b). {AGAINST}",
            lambda: panels(_by_trace(mark, traces, best), columns=2),
        ),
        Picture(
            "fig6",
            "Figure 6. Synthetic workloads, response in ms: (a) sequential requests, (b) those as "
            "one stream, (c) mean time between arrivals, (d) number of writes. Below, CACH-FTL's "
            "change against the others; hollow: published.",
            lambda: panels(
                [draw(mark, *each) for draw in (_varied, _gaps) for each in _VARIED], columns=4
            ),
        ),
        Picture(
            "fig7",
            "Figure 7. The volume of each trace whose gain over FAST is nearest to the paper's: "
            "response in ms and, below, erases over over-provisioning, a line for FAST and for "
            "each threshold.",
            lambda: panels(
                [
                    _settings(mark, figure, unit, volume)
                    for figure, unit in ((RESPONSE, 1000.0), (erases, 1.0))
                    for volume in samples
                ],
                columns=max(len(samples), 1),
            ),
        ),
    ]


AGAINST = (
    "Below, CACH-FTL's change against the others: (c) response, (d) erases; outlined: published."
)


def _by_trace(mark: Marks, traces: Sequence[str], choice: Choice) -> list[Draw]:
    groups = [SHORT[trace] for trace in traces]

    def means(figure: Figure, unit: float) -> list[Series]:
        return [
            Series(name, [mark(of_trace(figure, t, ftl, choice) / unit) for t in traces], ftl)
            for ftl, name in NAMES.items()
        ]

    def changes(figure: Figure) -> list[Series]:
        return [
            Series(NAMES[ftl], [mark(against(figure, t, ftl, choice)) for t in traces], ftl)
            for ftl in RIVALS.values()
        ]

    return [
        bars("Mean response, ms", groups, means(RESPONSE, 1000)),
        bars("Erases", groups, means(erases, 1)),
        bars("Response, against", groups, changes(RESPONSE), percent=True),
        bars("Erases, against", groups, changes(erases), percent=True),
    ]


_VARIED: Sequence[tuple[str, Sequence[int], str]] = (
    *((name, SEQUENTIAL, f"{name}, %") for name in STREAMS),
    ("arrivals", ARRIVALS, "time between arrivals, ms"),
    ("writes", WRITES, "writes"),
)


def _varied(mark: Marks, what: str, values: Sequence[int], label: str) -> Draw:
    def marks(ftl: str) -> list[Mark]:
        return [mark(at(RESPONSE, f"{what} {each}", ftl) / 1000) for each in values]

    series = [Series(name, marks(ftl), ftl) for ftl, name in NAMES.items()]
    return lines("", [plain(each) for each in values], series, label=label)


def _gaps(mark: Marks, what: str, values: Sequence[int], label: str) -> Draw:
    """Return how to draw CACH-FTL's change against the others."""
    series = [
        Series(NAMES[ftl], [mark(gap(f"{what} {each}", ftl)) for each in values], ftl)
        for ftl in RIVALS.values()
    ]
    shown = [plain(each) for each in values]
    return lines("against", shown, series, percent=True, label=label)


def _value(runs: Runs, figure: Figure, *key: str) -> float | None:
    try:
        return runs(figure, *key)
    except NotMeasuredError:
        return None


def _is_sampled(runs: Runs, trace: str) -> bool:
    """Tell whether a trace has gains over FAST."""
    try:
        return bool(gaps(runs, "fast", trace))
    except NotMeasuredError:
        return False


def _settings(mark: Marks, figure: Figure, unit: float, volume: str) -> Draw:
    def over(ftl: str, *key: str) -> list[Mark]:
        return [mark(at(figure, volume, ftl, str(spare), *key) / unit) for spare in SPARES]

    series = [Series("FAST", over("fast"), "fast")]
    series += [Series(f"threshold {each}", over("cachftl", str(each))) for each in SHOWN]
    return lines(volume, SPARES, series, label="over-provisioning, %")


def _volumes(runs: Runs) -> Table:
    rows = []
    for volume in volumes(runs, *TRACES):
        result = runs[volume, "cachftl"]
        rows.append(
            [
                f"{volume} *" if _is_small(runs, volume) else volume,
                f"{result['device']['capacity_bytes'] >> 20:,} MiB",
                *(cell(runs, at(RESPONSE, volume, ftl)) for ftl in FTLS),
                number(to_bmr(result), "%"),
                f"{result['gc']['runs']:,}",
                f"{result['gc']['background_runs']:,}",
            ]
        )
    header = ["volume", "device", *NAMES.values(), "groups to BMR", "GC runs", "idle GC runs"]
    return Table(header, rows)


def _is_small(runs: Runs, volume: str) -> bool:
    return int(runs[volume, "page"]["host"]["requests"]) < SMALL


def _middles(runs: Runs, trace: str) -> Table:
    """Return mean and median response and erases of each FTL over the volumes of a trace."""
    names = volumes(runs, trace)
    large = [name for name in names if not _is_small(runs, name)]
    settings = {name: (ftl,) for ftl, name in NAMES.items()} | {"PM, reserve": ("page", RESERVE)}
    rows = []
    for label, key in settings.items():
        cells = []
        for figure in (RESPONSE, erases):
            for among in (names, large):
                found = [runs(figure, name, *key) for name in among]
                cells += [number(of(found)) if found else ABSENT for of in (fmean, median)]
        rows.append([label, *cells])
    header = [
        f"{what}, {of}{among}"
        for what in ("response, us", "erases")
        for among in ("", ", not small")
        for of in ("mean", "median")
    ]
    few = f"{SHORT[trace]}, {len(names)} volumes, {len(names) - len(large)} small"
    return Table([few, *header], rows)


def _has_prefix(runs: Runs) -> bool:
    return (PREFIX_VOLUME, "page") in set(runs)


def _beginning(runs: Runs) -> Table:
    rows = [
        [
            name,
            *(number(runs(figure, PREFIX_VOLUME, ftl)) for figure in (RESPONSE, erases)),
            *(
                cell(runs, relative(figure, (PREFIX_VOLUME, "cachftl"), (PREFIX_VOLUME, ftl)), "%+")
                for figure in (RESPONSE, erases)
            ),
        ]
        for ftl, name in NAMES.items()
    ]
    changes = ["CACH-FTL against it: response", "erases"]
    return Table(["FTL", "mean response, us", "erases", *changes], rows)


def _enough(runs: Runs, trace: str) -> Table:
    """Return what comes of each number of superseded pages, and of PM."""
    settings: list[tuple[str, tuple[str, ...]]] = [
        ("PM", ("page",)),
        ("the pages to be evicted", ("cachftl",)),
        *((str(pages), ("cachftl", "enough", str(pages))) for pages in ENOUGH),
    ]
    figures: tuple[Figure, ...] = (RESPONSE, erases, "write_amplification")
    rows = []
    for label, key in settings:
        cells = []
        for figure in figures:
            found = [_value(runs, figure, name, *key) for name in volumes(runs, trace)]
            there = [each for each in found if each is not None]
            cells += [number(of(there)) if there else ABSENT for of in (fmean, median)]
        rows.append([label, *cells])
    header = ["response, us", "median", "erases", "median", "write amplification", "median"]
    return Table([f"{SHORT[trace]}, enough", *header], rows)


def _streams(runs: Runs) -> Table:
    rows = []
    for percent in SEQUENTIAL:
        cells = []
        for name in STREAMS:
            keys = [(f"{name} {percent}", ftl) for ftl in ("cachftl", "page")]
            cells += [
                cell(runs, relative(RESPONSE, *keys), "%+"),
                cell(runs, at(to_bmr, *keys[0]), "%"),
            ]
        rows.append([f"{percent} %", *cells])
    header = [f"{name}: {what}" for name in STREAMS.values() for what in ("against PM", "to BMR")]
    return Table(["sequential", *header], rows)


def _best_settings(runs: Runs) -> Table:
    found = Counter(best(runs, volume, "cachftl")[2:] for volume in volumes(runs, *TRACES))
    rows = [
        [str(each), *(str(found[str(spare), str(each)]) for spare in SPARES)]
        for each in ALL_THRESHOLDS
        if any((str(spare), str(each)) in found for spare in SPARES)
    ]
    return Table(["threshold", *(f"{spare} %" for spare in SPARES)], rows)


def _adaptive(runs: Runs) -> Table:
    rows = []
    for volume in volumes(runs, *TRACES):
        varied = thresholds(runs, volume)
        fixed = sorted(runs(RESPONSE, volume, "cachftl", "10", str(each)) for each in varied)
        switched = [
            cell(runs, at(RESPONSE, volume, "cachftl", "adaptive", each)) for each in ADAPTIVE
        ]
        some = (fixed[0], median(fixed), fixed[-1])
        rows.append([volume, *map(number, some), *switched])
    return Table(["volume", "best", "median", "worst", *ADAPTIVE], rows)
