"""The figures and tables of TPFTL's paper, drawn from our results as the paper draws them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from statistics import fmean
from typing import TYPE_CHECKING, Any

from ftlab import ConfigError, Record, model
from ftlab.points import Config, merge
from ftlab.report.tables import ABSENT, Table
from ftlab.source import characteristics, columns
from ftlab.style import Draw
from ftlab_papers.charts import bars, curves, lines, panels
from ftlab_papers.claims import Judged
from ftlab_papers.findings import number
from ftlab_papers.inputs import Sources
from ftlab_papers.marks import Mark, Marks, Series, known
from ftlab_papers.measures import at, mean, relative
from ftlab_papers.quantities import AMPLIFICATION, HITS, RESPONSE, cell, erases
from ftlab_papers.report import Part, claim_parts, unexplained
from ftlab_papers.runs import Figure, NotMeasuredError, Runs
from ftlab_papers.tables import Pictures
from ftlab_papers.tpftl import choices
from ftlab_papers.tpftl.claims import WRITE_DOMINANT, ablation, against, loss
from ftlab_papers.tpftl.points import (
    ALL,
    CACHES,
    FEATURES,
    FINANCIAL,
    FTLS,
    LOADED,
    LOADS,
    MSR,
    NAMES,
    SHORT,
)
from ftlab_papers.tpftl.quantities import (
    dirty_replacements,
    mean_dirty,
    per_page,
    samples_of,
    tp_reads,
    tp_writes,
    utilization_gain,
)
from ftlab_papers.tpftl.reasons import WORDS

if TYPE_CHECKING:
    from matplotlib.axes import Axes

GROUPS = [SHORT[name] for name in ALL]
MAP_REQUESTS = 50_000
"""Requests in the map of accesses (Figure 2a)."""

MOST_DIRTY = 200
"""The end of the axis of Figure 1b."""


def parts(runs: Runs, sources: Sources, judged: Sequence[Judged]) -> list[Part]:
    """Return the report: set-up, claims, orderings, figures, tables."""
    published = [each for each in judged if not each.claim.own]
    own = [each for each in judged if each.claim.own]
    part = WORDS.part
    return [
        part("Set-up", [_inputs(runs, sources)]),
        part("Table 4", [_table_4(sources)]),
        *claim_parts(published),
        replace(part("Orderings"), claims=own, reasons=unexplained(own)),
        part("Figures", (), _figures(runs, sources, judged), outlined=WORDS("Outlined")),
        part("Table 2", [_table_2(runs)]),
        part("All layers", [_layers(runs)]),
        part("MSR under load", [_loads(runs)]),
        part("Techniques", [_techniques(runs)]),
        part("Open choices", [choices.table(runs)], requests=choices.REQUESTS),
        part("The models of section 3.1", [_models(runs)]),
    ]


def _inputs(runs: Runs, sources: Sources) -> Table:
    """Return the input of each workload."""
    header = ["workload", "input", "requests", "page accesses", "written", "digest"]
    rows = []
    for name in ALL:
        result = runs[name, "page"]
        host = result["host"]
        accesses = host["page_reads"] + host["page_writes"]
        rows.append(
            [
                name,
                sources[name].described,
                f"{host['requests']:,}",
                f"{accesses:,}",
                number(host["page_writes"] / max(accesses, 1), "%"),
                str(result.find("trace.digest")),
            ]
        )
    return Table(header, rows)


RW = ("reads", "writes")

TABLE_4 = {
    "write ratio": ("77.9 %", "18 %", "82.4 %", "88.7 %"),
    "mean request, KB": ("3.5", "2.4", "9", "7.2"),
    "sequential reads": ("1.5 %", "0.8 %", "47.2 %", "22.6 %"),
    "sequential writes": ("1.8 %", "0.5 %", "6 %", "7.1 %"),
    "address space, MB": ("512", "512", "16,384", "16,384"),
}


def _table_4(sources: Sources) -> Table:
    ours = zip(*(_specification(sources[name].config) for name in ALL), strict=True)
    rows = []
    for (figure, published), found in zip(TABLE_4.items(), ours, strict=True):
        rows += [[f"{figure}, paper", *published], [f"{figure}, ours", *found]]
    return Table(["", *GROUPS], rows)


def _specification(config: Config) -> list[str]:
    """Return the values of Table 4 of an input."""
    found = characteristics(merge([config, {"run": {"address": "overlay"}}]))
    sequential = [found["sequentiality"][f"overlaid_sequential_{each}_ratio"] for each in RW]
    return [
        number(found["writes"] / found["requests"], "%"),
        f"{found['mean_bytes'] / 1024:.1f}",
        *(ABSENT if each is None else number(each, "%") for each in sequential),
        f"{found['address_space_bytes'] / 2**20:,.0f}",
    ]


def _table_2(runs: Runs) -> Table:
    paper = {"performance": (0.634, 0.526, 0.594, 0.582), "erasure": (0.459, 0.526, 0.304, 0.562)}
    figures: Sequence[Figure] = (RESPONSE, erases)
    rows = []
    for (name, published), figure in zip(paper.items(), figures, strict=True):
        ours = [cell(runs, loss(figure, each), "%") for each in ALL]
        rows += [[f"{name}, paper", *(number(each, "%") for each in published)]]
        rows += [[f"{name}, ours", *ours]]
    return Table(["", *GROUPS], rows)


COLUMNS: Mapping[str, tuple[Figure, str]] = {
    "P": (dirty_replacements, "%"),
    "hit ratio": (HITS, "%"),
    "TP reads": (tp_reads, ""),
    "TP writes": (tp_writes, ""),
    "response, us": (RESPONSE, ""),
    "service, us": ("service_us.mean", ""),
    "WA": (AMPLIFICATION, ""),
    "erases": (erases, ""),
    "V": ("gc.mean_valid_data", ""),
}


def _rows(runs: Runs, keys: Sequence[tuple[str, ...]]) -> Table:
    rows = [
        [
            " ".join((SHORT[key[0]], *key[1:])),
            *(cell(runs, at(figure, *key), unit) for figure, unit in COLUMNS.values()),
        ]
        for key in keys
    ]
    return Table(["", *COLUMNS], rows)


def _layers(runs: Runs) -> Table:
    return _rows(runs, [(name, ftl) for name in ALL for ftl in FTLS])


def _loads(runs: Runs) -> Table:
    rows = []
    for name in MSR:
        for load in LOADS:
            keys = [(name, ftl, f"load {load}") for ftl in LOADED]
            cells = [cell(runs, at(RESPONSE, *key)) for key in keys]
            page, dftl, *_ = keys
            lost = cell(runs, -relative(RESPONSE, page, dftl), "%")
            rows.append([SHORT[name], f"{load}", *cells, lost])
    header = ["", "load", *(f"{NAMES[ftl]}, us" for ftl in LOADED), "DFTL loses"]
    return Table(header, rows)


def _techniques(runs: Runs) -> Table:
    return _rows(runs, [(name, "tpftl", features) for name in ALL for features in FEATURES])


TERMS = {
    "translation_us": "T_at, us (Eq. 1)",
    "gc_data_us": "T_gcd, us (Eq. 10)",
    "gc_translation_us": "T_gct, us (Eq. 11)",
    "write_amplification": "A (Eq. 13)",
}
MODELS = ("paper", "merged")


def _models(runs: Runs) -> Table:
    """Return each term of the models and its measured value; the last row is the mean error."""
    rows = []
    errors: dict[str, list[float]] = {each: [] for each in MODELS}
    for name in ALL:
        for ftl in ("dftl", "tpftl"):
            try:
                found = model.translation(runs[name, ftl])
            except ConfigError:
                continue
            for term, label in TERMS.items():
                measured = found.find(f"measured.{term}")
                cells = [f"{SHORT[name]} {ftl}", label, _number(measured)]
                for source in MODELS:
                    predicted = found.find(f"{source}.{term}")
                    cells += [_number(predicted), ABSENT]
                    if predicted is not None and measured:
                        error = predicted / measured - 1
                        errors[source].append(abs(error))
                        cells[-1] = number(error, "%+")
                rows.append(cells)
    means = [[ABSENT, number(fmean(each), "%") if each else ABSENT] for each in errors.values()]
    rows.append(["all", "mean of |error|", ABSENT, *means[0], *means[1]])
    return Table(["run", "term", "measured", "paper", "error", "merged", "error"], rows)


def _number(figure: float | None) -> str:
    return ABSENT if figure is None else number(figure)


def _figures(runs: Runs, sources: Sources, judged: Sequence[Judged]) -> Pictures:
    """Return functions that draw the figures, in the order of the paper."""
    mark = Marks(runs, known(each.claim for each in judged))
    gain = _by_cache(mark, "Cache space utilisation", utilization_gain, True)
    return {
        "fig1": lambda: panels([_entries_over_time(runs), _dirty_distribution(runs)], columns=2),
        "fig2": lambda: panels([_access_map(sources), _cached_pages(runs)], columns=2),
        "fig6": lambda: panels(_figure_6(mark), columns=2),
        "fig7": lambda: panels(_figure_7(mark)),
        "fig8": lambda: panels(_figure_8(mark)),
        "fig9": lambda: panels(_figure_9(mark)),
        "fig10": lambda: panels([gain], wide=True),
    }


def _by_ftl(mark: Marks, title: str, figure: Figure, *, percent: bool = False) -> Draw:
    series = [Series(NAMES[f], [mark(at(figure, name, f)) for name in ALL], f) for f in NAMES]
    return bars(title, GROUPS, series, percent=percent)


MEANS: Mapping[str, Sequence[str]] = {"Fin mean": FINANCIAL, "MSR mean": MSR, "all": ALL}


def _against_dftl(mark: Marks, title: str, figure: Figure) -> Draw:
    """Return a function that draws multiples of DFTL's metric, and the mean changes."""

    def marks(ftl: str) -> list[Mark]:
        each = [against(figure, name, "dftl", ftl) + 1 for name in ALL]
        means = [mean(against(figure, n, "dftl", ftl) for n in names) for names in MEANS.values()]
        return [mark(term) for term in (*each, *(one + 1 for one in means))]

    series = [Series(NAMES[ftl], marks(ftl), ftl) for ftl in NAMES]
    return bars(title, [*GROUPS, *MEANS], series)


def _by_technique(mark: Marks, title: str, figure: Figure) -> Draw:
    """Return a function that draws multiples of the metric of TPFTL without any technique."""
    marks = [mark(ablation(figure, each, "-") + 1) for each in FEATURES]
    return bars(title, FEATURES, [Series("", marks, "tpftl")])


def _by_cache(mark: Marks, title: str, figure: Figure, percent: bool = False) -> Draw:
    def marks(name: str) -> list[Mark]:
        return [mark(at(figure, name, "tpftl", share)) for share in CACHES]

    series = [Series(SHORT[name], marks(name)) for name in ALL]
    return lines(title, CACHES, series, percent=percent, label=CACHE_LABEL)


CACHE_LABEL = "cache / whole map"


def _figure_6(mark: Marks) -> list[Draw]:
    return [
        _by_ftl(mark, "Dirty replacements", dirty_replacements, percent=True),
        _by_ftl(mark, "Hit ratio", HITS, percent=True),
        _against_dftl(mark, "Hit ratio / DFTL's", HITS),
        _against_dftl(mark, "Translation page reads / DFTL's", tp_reads),
        _against_dftl(mark, "Translation page writes / DFTL's", tp_writes),
        _against_dftl(mark, "Response time / DFTL's", RESPONSE),
        _by_ftl(mark, "Write amplification", AMPLIFICATION),
        _against_dftl(mark, "Write amplification / DFTL's", AMPLIFICATION),
    ]


def _figure_7(mark: Marks) -> list[Draw]:
    return [
        _against_dftl(mark, "Erases / DFTL's", erases),
        _by_technique(mark, "Dirty replacements / without", dirty_replacements),
        _by_technique(mark, "Hit ratio / without", HITS),
    ]


def _figure_8(mark: Marks) -> list[Draw]:
    return [
        _by_technique(mark, "Response time / without", RESPONSE),
        _by_technique(mark, "Write amplification / without", AMPLIFICATION),
        _by_cache(mark, "Dirty replacements", dirty_replacements, percent=True),
    ]


def _figure_9(mark: Marks) -> list[Draw]:
    def marks(name: str) -> list[Mark]:
        whole = (name, "tpftl", CACHES[-1])
        return [mark(relative(RESPONSE, (name, "tpftl", s), whole) + 1) for s in CACHES]

    response = [Series(SHORT[name], marks(name)) for name in ALL]
    return [
        _by_cache(mark, "Hit ratio", HITS, percent=True),
        lines("Response time / with all cached", CACHES, response, label=CACHE_LABEL),
        _by_cache(mark, "Write amplification", AMPLIFICATION),
    ]


def _entries_over_time(runs: Runs) -> Draw:
    found = {
        SHORT[name]: (_millions(looks), per_page(looks))
        for name, looks in _looks(runs, ALL).items()
    }
    title = "Entries in a cached translation page"
    return curves(title, found, x="page accesses (millions)", y="mean of entries", ylim=(0, None))


def _dirty_distribution(runs: Runs) -> Draw:
    found, means = {}, []
    for name, looks in _looks(runs, WRITE_DOMINANT).items():
        histogram = looks["pages_by_dirty_entries"]
        total, shares = 0, []
        for pages in histogram[: MOST_DIRTY + 1]:
            total += pages
            shares.append(total / sum(histogram))
        found[SHORT[name]] = (list(range(len(shares))), shares)
        means.append(mean_dirty(histogram))
    draw_curves = curves(
        "Dirty entries", found, x="dirty entries", y="share of cached pages", ylim=(0, 1.02)
    )

    def draw(axes: Axes) -> None:
        draw_curves(axes)
        for line, middle in zip(axes.get_lines()[: len(means)], means, strict=True):
            axes.axvline(
                min(middle, MOST_DIRTY), color=line.get_color(), linestyle=":", linewidth=1
            )

    return draw


def _access_map(sources: Sources) -> Draw:
    """Return a function that draws the pages of the first requests, a dot for each request."""
    config = sources["financial1"].config

    def draw(axes: Axes) -> None:
        found = columns(config, MAP_REQUESTS)
        pages = found["offset"] // 4096
        requests = range(len(pages))
        look: dict[str, Any] = {"s": 0.2, "color": "black", "linewidths": 0, "rasterized": True}
        axes.scatter([each / 1e3 for each in requests], pages, **look)
        axes.set(title="Accesses", xlabel="requests (thousands)", ylabel="page")

    return draw


def _cached_pages(runs: Runs) -> Draw:
    found = {
        SHORT[name]: (_millions(looks), looks["translation_pages"])
        for name, looks in _looks(runs, ["financial1"]).items()
    }
    return curves("Cached translation pages", found, x="page accesses (millions)", y="pages")


def _looks(runs: Runs, workloads: Sequence[str]) -> dict[str, Record]:
    """Return the samples of DFTL's cache on the workloads that are long enough for any."""
    found = {}
    for name in workloads:
        with suppress(NotMeasuredError):
            found[name] = samples_of(runs[name, "dftl"])
    return found


def _millions(looks: Record) -> list[float]:
    return [accesses / 1e6 for accesses in looks["page_accesses"]]
