"""What the report on CACH-FTL shows."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from statistics import fmean, median

from ftlab.experiments.cachftl.claims import best, default, mean, volumes
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
from ftlab.experiments.charts import Draw, Series, bars, lines, panels
from ftlab.experiments.claims import Judged
from ftlab.experiments.findings import number
from ftlab.experiments.inputs import Sources
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
        Part("Figures", (), (), _pictures(runs)),
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


def _pictures(runs: Runs) -> list[Picture]:
    return [
        Picture(
            "fig4",
            "Figure 4. Default settings, means over volumes: (a) response in ms, (b) erases.",
            lambda: panels(_by_trace(runs, default), columns=2),
        ),
        Picture(
            "fig5",
            "Figure 5. The best settings of each volume: (a) response in ms, (b) erases.",
            lambda: panels(_by_trace(runs, best), columns=2),
        ),
        Picture(
            "fig6",
            "Figure 6. Synthetic workloads, response in ms: (a) sequential requests, (b) mean time "
            "between arrivals, (c) number of writes.",
            lambda: panels(
                [
                    _varied(runs, "sequential", SEQUENTIAL, "sequential, %"),
                    _varied(runs, "arrivals", ARRIVALS, "time between arrivals, ms"),
                    _varied(runs, "writes", WRITES, "writes"),
                ]
            ),
        ),
        Picture(
            "fig7",
            "Figure 7. The first volume of each trace: response in ms by threshold, a line for "
            "each over-provisioning.",
            lambda: panels([_settings(runs, trace) for trace in TRACES]),
        ),
    ]


def _by_trace(runs: Runs, choice: object) -> list[Draw]:
    pick = best if choice is best else default

    def series(figure: Figure, unit: float) -> Series:
        return {
            NAMES[ftl]: [_mean(runs, figure, trace, ftl, pick, unit) for trace in TRACES]
            for ftl in FTLS
        }

    groups = [SHORT[trace] for trace in TRACES]
    return [
        bars("Mean response, ms", groups, series(RESPONSE, 1000)),
        bars("Erases", groups, series(erases, 1), names=False),
    ]


def _mean(
    runs: Runs, figure: Figure, trace: str, ftl: str, choice: object, unit: float
) -> float | None:
    try:
        return mean(runs, figure, trace, ftl, best if choice is best else default) / unit
    except NotMeasuredError:
        return None


def _value(runs: Runs, figure: Figure, *key: str) -> float | None:
    try:
        return runs(figure, *key)
    except NotMeasuredError:
        return None


def _ms(runs: Runs, *key: str) -> float | None:
    found = _value(runs, RESPONSE, *key)
    return None if found is None else found / 1000


def _varied(runs: Runs, what: str, values: Sequence[int], label: str) -> Draw:
    series = {NAMES[ftl]: [_ms(runs, f"{what} {each}", ftl) for each in values] for ftl in FTLS}
    shown = [f"{each / 1e6:g}M" if each >= 1e6 else _thousands(each) for each in values]
    return lines("", shown, series, label=label)


def _thousands(number_: int) -> str:
    return f"{number_ // 1000}k" if number_ >= 1000 else str(number_)


def _settings(runs: Runs, trace: str) -> Draw:
    names = volumes(runs, trace)
    volume = names[0] if names else trace
    series = {
        f"{spare} %": [_ms(runs, volume, "cachftl", str(spare), str(each)) for each in THRESHOLDS]
        for spare in SPARES
    }
    return lines(SHORT[trace], THRESHOLDS, series, label="threshold, pages")


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
