"""What the report on CACH-FTL shows."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from statistics import fmean, median

from ftlab.experiments.cachftl.claims import (
    RIVALS,
    Choice,
    against,
    best,
    default,
    gap,
    of_trace,
    volumes,
)
from ftlab.experiments.cachftl.points import (
    ADAPTIVE,
    ARRIVALS,
    ENOUGH,
    FTLS,
    GRID_REQUESTS,
    NAMES,
    SEQUENTIAL,
    SHORT,
    SPARES,
    THRESHOLDS,
    TRACES,
    WRITES,
)
from ftlab.experiments.charts import Draw, bars, lines, panels, plain
from ftlab.experiments.claims import Judged
from ftlab.experiments.findings import number
from ftlab.experiments.inputs import Sources
from ftlab.experiments.marks import Mark, Marks, Series, known
from ftlab.experiments.measures import at
from ftlab.experiments.quantities import RESPONSE, erases
from ftlab.experiments.report import Part, Picture, claim_parts
from ftlab.experiments.runs import Figure, NotMeasuredError, Runs
from ftlab.report.tables import ABSENT, Table

SETUP = (
    "The device is the preset cachftl (section 5.1): pages of 4 KiB, 64 in a block, 25 us, 200 us "
    "and 1.5 ms for read, program and erase, one operation at a time. It is as large as the volume "
    "or the synthetic workload, with 10 % more blocks: the PMR of CACH-FTL, log blocks of FAST, "
    "the spare blocks of PM; BM leaves them unused. Above each FTL is C-lash with 2 MiB, 6 blocks "
    "and 128 pages. The input is played twice before it is measured. What C-lash still holds at "
    "the end is in no figure.",
    "Volumes are those of the real traces where there are any, else of the built-in models, whose "
    "volumes differ less from each other than the paper says of the real ones. Settings are varied "
    f"on the first {GRID_REQUESTS:,} requests of each volume: thresholds {THRESHOLDS[0]} to "
    f"{THRESHOLDS[-1]} and over-provisioning {', '.join(map(str, SPARES))} %.",
)


def parts(runs: Runs, sources: Sources, judged: Sequence[Judged]) -> list[Part]:
    """Return the report: set-up, verdicts, claims, figures, volumes, adaptive CACH-FTL."""
    return [
        Part("What was run", SETUP, [_inputs(runs, sources)]),
        *claim_parts(judged),
        Part("Figures", (), (), _pictures(runs, judged)),
        Part("Volumes", ("Mean response in us with the default settings.",), [_volumes(runs)]),
        Part(
            "Open choice: what makes a block worth PMR-GC",
            (
                "The paper contradicts itself on how many superseded pages a block of the PMR must "
                "have (cachftl.enough): Algorithm 2 says one, 4.3.2 enough, 4.3.3 the pages to be "
                "evicted, which is the default. Mean and median over the volumes of each trace, "
                "with the default settings.",
            ),
            [_enough(runs, trace) for trace in TRACES if volumes(runs, trace)],
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
    ]


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
    traces = [trace for trace in TRACES if volumes(runs, trace)]
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
            "Figure 6. Synthetic workloads, response in ms: (a) sequential requests, (b) mean time "
            "between arrivals, (c) number of writes. Below, CACH-FTL's change against the others; "
            "hollow: published.",
            lambda: panels([draw(mark, *each) for draw in (_varied, _gaps) for each in _VARIED]),
        ),
        Picture(
            "fig7",
            "Figure 7. The first volume of each trace: response in ms by threshold, a line for "
            "each over-provisioning.",
            lambda: panels([_settings(runs, mark, trace) for trace in traces]),
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
    ("sequential", SEQUENTIAL, "sequential, %"),
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


def _settings(runs: Runs, mark: Marks, trace: str) -> Draw:
    volume = volumes(runs, trace)[0]

    def marks(spare: int) -> list[Mark]:
        keys = ((volume, "cachftl", str(spare), str(each)) for each in THRESHOLDS)
        return [mark(at(RESPONSE, *key) / 1000) for key in keys]

    series = [Series(f"{spare} %", marks(spare)) for spare in SPARES]
    shown = [str(each) if each in (1, 8, 16, 24, 32) else "" for each in THRESHOLDS]
    return lines(SHORT[trace], shown, series, label="threshold, pages")


def _value(runs: Runs, figure: Figure, *key: str) -> float | None:
    try:
        return runs(figure, *key)
    except NotMeasuredError:
        return None


def _volumes(runs: Runs) -> Table:
    rows = []
    for volume in volumes(runs, *TRACES):
        result = runs[volume, "cachftl"]
        own = result["own"]
        groups = own["cachftl.pmr_groups"] + own["cachftl.bmr_groups"]
        rows.append(
            [
                volume,
                f"{result['device']['capacity_bytes'] >> 20:,} MiB",
                *(_text(_value(runs, RESPONSE, volume, ftl)) for ftl in FTLS),
                number(own["cachftl.bmr_groups"] / max(groups, 1), "%"),
                f"{result['gc']['runs']:,}",
                f"{result['gc']['background_runs']:,}",
            ]
        )
    header = ["volume", "device", *NAMES.values(), "groups to BMR", "GC runs", "idle GC runs"]
    return Table(header, rows)


def _text(figure: float | None) -> str:
    return ABSENT if figure is None else number(figure)


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
            known = [each for each in found if each is not None]
            cells += [number(of(known)) if known else ABSENT for of in (fmean, median)]
        rows.append([label, *cells])
    header = ["response, us", "median", "erases", "median", "write amplification", "median"]
    return Table([f"{SHORT[trace]}, enough", *header], rows)


def _best_settings(runs: Runs) -> Table:
    found = Counter(best(runs, volume, "cachftl")[2:] for volume in volumes(runs, *TRACES))
    rows = [
        [str(each), *(str(found[str(spare), str(each)]) for spare in SPARES)]
        for each in THRESHOLDS
        if any((str(spare), str(each)) in found for spare in SPARES)
    ]
    return Table(["threshold", *(f"{spare} %" for spare in SPARES)], rows)


def _adaptive(runs: Runs) -> Table:
    rows = []
    for volume in volumes(runs, *TRACES):
        fixed = sorted(runs(RESPONSE, volume, "cachftl", "10", str(each)) for each in THRESHOLDS)
        switched = [
            _value(runs, RESPONSE, volume, "cachftl", "adaptive", each) for each in ADAPTIVE
        ]
        some = (fixed[0], median(fixed), fixed[-1])
        rows.append([volume, *map(number, some), *map(_text, switched)])
    return Table(["volume", "best", "median", "worst", *ADAPTIVE], rows)
