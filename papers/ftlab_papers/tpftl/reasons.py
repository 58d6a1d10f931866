"""What our counters say of claims that do not agree: values for the words of ``text.md``."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from statistics import fmean, median
from typing import TypeAlias

from ftlab import Result
from ftlab_papers.findings import number
from ftlab_papers.quantities import AMPLIFICATION, HITS, RESPONSE
from ftlab_papers.runs import Figure, Key, NotMeasuredError, Runs, ratio
from ftlab_papers.tables import Words
from ftlab_papers.tpftl.points import ALL, CACHES, NAMES, SHORT
from ftlab_papers.tpftl.quantities import dirty_replacements, samples_of, tp_writes

SERVICE = "service_us.mean"
WRITTEN_BACK = "flash.programs.translation"
LAYERS = ("dftl", "sftl", "tpftl")

WORDS = Words(__package__)

Value: TypeAlias = Callable[[Runs, Sequence[str]], str]
"""Returns a text of runs on workloads."""


def pages_per_request(result: Result) -> float:
    """Return the page accesses of a request."""
    host = result["host"]
    return ratio(host["page_reads"] + host["page_writes"], host["requests"])


def collected(result: Result) -> float:
    """Return the share of garbage collection in the programs of translation pages."""
    programs = result["flash"]["programs"]
    by_gc = programs["gc_mapping"] + programs["gc_translation"]
    return ratio(by_gc, by_gc + programs["translation"])


def copied(result: Result) -> float:
    """Return the data pages that garbage collection copied, for each page that the host wrote."""
    return ratio(result["flash"]["programs"]["gc_data"], result["host"]["page_writes"])


def entries_of_node(result: Result) -> float:
    """Return the cached entries for each translation page that has any."""
    mapping = result["mapping"]
    return ratio(mapping["cached_entries"], mapping["cached_translation_pages"])


def mapped_share(result: Result) -> float:
    """Return the cached entries as a share of all logical pages."""
    pages = result["device"]["capacity_bytes"] / result["config"]["device"]["page"]
    return ratio(result["mapping"]["cached_entries"], pages)


def says(heading: str, **values: Value) -> Callable[..., str]:
    """Return how to say the words under a heading of runs on workloads, by default on all."""

    def reason(runs: Runs, *workloads: str) -> str:
        return WORDS(heading, **{k: each(runs, workloads or ALL) for k, each in values.items()})

    return reason


def of(figure: Figure, ftl: str, unit: str = "") -> Value:
    """Return a figure of an FTL on each workload that has it, as one text, which is never empty."""
    return lambda runs, names: _found(runs, names, figure, ftl, unit) or "not measured"


def of_layers(figure: Figure, unit: str = "") -> Value:
    """Return a figure of DFTL, S-FTL and TPFTL on each workload."""
    return lambda runs, names: "; ".join(
        f"{NAMES[ftl]} {of(figure, ftl, unit)(runs, names)}" for ftl in LAYERS
    )


def each(text: Callable[[Runs, str], str], between: str = "; ") -> Value:
    """Return a text of each workload behind its name."""
    return lambda runs, names: between.join(f"{SHORT[name]} {text(runs, name)}" for name in names)


def of_techniques(figure: Figure, *features: str) -> Value:
    """Return a figure of TPFTL with each set of techniques, on each workload."""

    def found(runs: Runs, name: str) -> str:
        return _listed(runs, figure, "%", {each: (name, "tpftl", each) for each in features})

    return lambda runs, names: "; ".join(f"{SHORT[name]}: {found(runs, name)}" for name in names)


def against_both(figure: Figure) -> Value:
    """Return TPFTL's change against DFTL and S-FTL on each workload."""

    def change(runs: Runs, name: str, rival: str) -> str:
        try:
            return number(runs.change(figure, (name, "tpftl"), (name, rival)), "%+")
        except NotMeasuredError:
            return "none in either"

    return each(lambda runs, name: f"{change(runs, name, 'dftl')} and {change(runs, name, 'sftl')}")


def collected_blocks(ftl: str, more: str = "") -> Value:
    """Return how full the data blocks are that an FTL collects, if it collects any."""

    def text(runs: Runs, names: Sequence[str]) -> str:
        if valid := _found(runs, names, "gc.mean_valid_data", ftl):
            return f"A data block that is collected has {valid} valid pages of 64{more}."
        return "No data block is collected."

    return text


def _found(
    runs: Runs, names: Sequence[str], figure: Figure, ftl: str, unit: str = "", behind: str = ""
) -> str:
    """Return a figure of an FTL on each workload that has it."""
    found: list[str] = []
    for name in names:
        try:
            found.append(f"{number(runs(figure, name, ftl), unit)} ({SHORT[name]})")
        except NotMeasuredError:
            continue
    return ", ".join(found)


def _listed(runs: Runs, figure: Figure, unit: str, points: dict[str, Key]) -> str:
    """Return a figure of points behind their names."""
    return ", ".join(f"{what} {number(runs(figure, *key), unit)}" for what, key in points.items())


def _wait(result: Result) -> float:
    return 1 - ratio(result["service_us"]["mean"], result["response_us"]["mean"])


def _waiting(runs: Runs, names: Sequence[str]) -> str:
    waits = _found(runs, names, _wait, "dftl", "%")
    return f" Waiting for the device is {waits} of DFTL's response." if waits else ""


def _by_gc(runs: Runs, names: Sequence[str]) -> str:
    shares = _found(runs, names, collected, "tpftl", "%")
    return WORDS("writes by GC", shares=shares) if shares else "TPFTL writes no translation page."


def _service(runs: Runs, name: str) -> str:
    return number(-runs.change(SERVICE, (name, "page"), (name, "dftl")), "%")


def _looks(runs: Runs, name: str) -> str:
    looks = samples_of(runs[name, "dftl"])
    keys = ("entries", "dirty_entries", "translation_pages")
    entries, dirty, pages = (number(fmean(looks[key])) for key in keys)
    return f"{entries} entries, {dirty} dirty, in {pages}"


def _spread_of_models(runs: Runs, names: Sequence[str]) -> str:
    models = ", ".join(SHORT[name] for name in names if _is_model(runs, name))
    return f" {WORDS('spread of models', models=models)}" if models else ""


def _falls_of_a_model(runs: Runs, _: Sequence[str]) -> str:
    return f" {WORDS('falls of a model')}" if _is_model(runs, "financial1") else ""


def _is_model(runs: Runs, workload: str) -> bool:
    return bool(runs[workload, "page"].find("trace.format") == "generated")


def _cached_pages(work: Callable[[Sequence[int]], str]) -> Value:
    """Return what a function makes of the numbers of translation pages in DFTL's cache in Fin1."""
    return lambda runs, _: work(samples_of(runs["financial1", "dftl"])["translation_pages"])


def _shares_of_gc(runs: Runs, _: Sequence[str]) -> str:
    features = ("-", "bc", "rsbc")
    return "; ".join(
        f"{each} {number(runs(collected, 'financial1', 'tpftl', each), '%')}" for each in features
    )


def _at_caches(runs: Runs, name: str) -> str:
    """Return the figures of the smallest, a middle and the largest cache."""
    return "; ".join(
        f"{share}: {number(runs(HITS, name, 'tpftl', share), '%')}, "
        f"{number(runs(dirty_replacements, name, 'tpftl', share), '%')}, "
        f"{number(runs(RESPONSE, name, 'tpftl', share))} us"
        for share in (CACHES[0], CACHES[3], CACHES[-1])
    )


def _used(runs: Runs, names: Sequence[str]) -> str:
    largest = CACHES[-1]
    return ", ".join(
        f"{number(mapped_share(runs[name, 'tpftl', largest]), '%')} ({SHORT[name]})"
        for name in names
    )


def _cdftl_to_sftl(runs: Runs, name: str) -> str:
    hits, writes = (
        [number(runs(figure, name, ftl), unit) for ftl in ("cdftl", "sftl")]
        for figure, unit in ((HITS, "%"), (tp_writes, ""))
    )
    return f"hit ratio {' to '.join(hits)}, writes of translation pages {' to '.join(writes)}"


def _adaptive(runs: Runs, name: str) -> str:
    keys = [(name, "tpftl", "bc"), (name, "tpftl", "rsbc"), (name, "tpftl-adaptive")]
    return f"{', '.join(number(runs(RESPONSE, *key)) for key in keys)} us"


SIZES = says("sizes", pages=of(pages_per_request, "page"))


def _sizes(runs: Runs, names: Sequence[str]) -> str:
    return SIZES(runs, *names)


REASONS = {
    "translation_writes": says(
        "translation_writes", changes=against_both(WRITTEN_BACK), by_gc=_by_gc
    ),
    "translation_reads": says("translation_reads", hits=of_layers(HITS, "%"), sizes=_sizes),
    "responses": says(
        "responses",
        waiting=_waiting,
        changes=against_both(SERVICE),
        valid=collected_blocks("tpftl", ", whose copies all layers pay for alike"),
    ),
    "losses": says(
        "losses",
        service=each(_service),
        own=of(AMPLIFICATION, "page"),
        dftl=of(AMPLIFICATION, "dftl"),
    ),
    "spread": says("spread", looks=each(_looks), models=_spread_of_models),
    "falls": says(
        "falls",
        least=_cached_pages(lambda pages: str(min(pages))),
        most=_cached_pages(lambda pages: str(max(pages))),
        median=_cached_pages(lambda pages: number(median(pages))),
        model=_falls_of_a_model,
    ),
    "dirty": says(
        "dirty", ours=of_layers(dirty_replacements, "%"), entries=of(entries_of_node, "tpftl")
    ),
    "hits": says("hits", ours=of_layers(HITS, "%"), sizes=_sizes),
    "amplification": says(
        "amplification",
        own=of(AMPLIFICATION, "page"),
        valid=collected_blocks("page"),
        copied=of_layers(copied),
    ),
    "techniques": says(
        "techniques",
        dirty=of_techniques(dirty_replacements, "-", "b", "c", "bc", "rsbc"),
        shares=_shares_of_gc,
    ),
    "prefetching": says(
        "prefetching", hits=of_techniques(HITS, "-", "r", "s", "rs", "bc", "rsbc"), sizes=_sizes
    ),
    "caches": says("caches", caches=each(_at_caches, ". ")),
    "utilization": says("utilization", entries=of(entries_of_node, "tpftl"), used=_used),
    "cdftl": says("cdftl", found=each(_cdftl_to_sftl)),
    "adaptive": says("adaptive", found=each(_adaptive)),
}
"""By the names under which the table of claims has them."""
