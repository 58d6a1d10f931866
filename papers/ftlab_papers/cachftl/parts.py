"""What the report on CACH-FTL shows."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from statistics import fmean, median

from ftlab.report.tables import ABSENT, Table
from ftlab.style import Draw
from ftlab_papers.cachftl import variants
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
from ftlab_papers.cachftl.quantities import (
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
from ftlab_papers.cachftl.reasons import WORDS
from ftlab_papers.charts import bars, lines, panels, plain
from ftlab_papers.claims import Judged
from ftlab_papers.findings import number
from ftlab_papers.inputs import Sources
from ftlab_papers.marks import Mark, Marks, Series, known
from ftlab_papers.measures import at, relative
from ftlab_papers.quantities import RESPONSE, cell, erases
from ftlab_papers.report import Part, claim_parts
from ftlab_papers.runs import Figure, NotMeasuredError, Runs
from ftlab_papers.tables import Pictures

SHOWN = (1, 4, 8, 16, 32)
"""Thresholds in Figure 7."""

SMALL = 10_000
"""Requests below which a volume is marked as small."""


def parts(runs: Runs, sources: Sources, judged: Sequence[Judged]) -> list[Part]:
    """Return the report: set-up, verdicts, claims, figures, volumes, adaptive one, variants."""
    part, traces = WORDS.part, traces_of(runs)
    beginning = [part("The real beginning", [_beginning(runs)])] if _has_prefix(runs) else []
    return [
        part("What was run", [_inputs(runs, sources)], None, **_varied_on(runs)),
        *claim_parts(judged),
        part("Figures", (), _figures(runs, judged)),
        part("Means and medians", [_middles(runs, trace) for trace in traces], small=SMALL),
        part("Volumes", [_volumes(runs)], small=SMALL),
        *beginning,
        part(
            "Open choice: what makes a block worth PMR-GC",
            [_enough(runs, trace) for trace in traces],
        ),
        part("Open choice: what sequential requests go on from", [_streams(runs)]),
        part("Best settings", [_best_settings(runs)]),
        part("Adaptive CACH-FTL", [_adaptive(runs)]),
        variants.part(runs, sources),
    ]


def _varied_on(runs: Runs) -> dict[str, str]:
    """Return on what settings were varied."""
    spares, names = ", ".join(map(str, SPARES)), volumes(runs, *TRACES)
    if names and len(thresholds(runs, names[0])) == len(ALL_THRESHOLDS):
        every = f"all thresholds from {THRESHOLDS[0]} to {THRESHOLDS[-1]}"
        return {"varied_on": "all requests", "thresholds": every, "spares": spares}
    few = f"thresholds {', '.join(map(str, THRESHOLDS))}"
    first = f"at most the first {GRID_REQUESTS:,} requests"
    return {"varied_on": first, "thresholds": few, "spares": spares}


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


def _figures(runs: Runs, judged: Sequence[Judged]) -> Pictures:
    mark = Marks(runs, known(each.claim for each in judged))
    traces = traces_of(runs)
    samples = [sample(runs, trace) for trace in traces if _is_sampled(runs, trace)]
    synthetic = [draw(mark, *each) for draw in (_varied, _gaps) for each in _VARIED]
    settings = [
        _settings(mark, figure, unit, volume)
        for figure, unit in ((RESPONSE, 1000.0), (erases, 1.0))
        for volume in samples
    ]
    return {
        "fig4": lambda: panels(_by_trace(mark, traces, default), columns=2),
        "fig5": lambda: panels(_by_trace(mark, traces, best), columns=2),
        "fig6": lambda: panels(synthetic, columns=4),
        "fig7": lambda: panels(settings, columns=max(len(samples), 1)),
    }


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
