"""What our counters say of claims that did not come out as published."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import fmean, median

from ftlab import Result
from ftlab_papers.findings import number
from ftlab_papers.quantities import AMPLIFICATION, HITS, RESPONSE
from ftlab_papers.runs import Figure, NotMeasuredError, Runs, ratio
from ftlab_papers.tpftl.points import ALL, CACHES, NAMES, SHORT
from ftlab_papers.tpftl.quantities import dirty_replacements, samples_of, tp_writes

SERVICE = "service_us.mean"
VALID = "gc.mean_valid_data"
WRITTEN_BACK = "flash.programs.translation"
LAYERS = ("dftl", "sftl", "tpftl")


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


def sizes_of_requests(runs: Runs, workloads: Sequence[str] = ALL) -> str:
    """Say how many pages a request has, and what that does to hits."""
    pages = _by_workload(runs, workloads, pages_per_request, "page")
    return (
        f"A request has {pages} pages here: those after the first hit with request-level "
        "prefetching or whole pages in the cache, and miss in DFTL unless they are used again."
    )


def translation_writes(runs: Runs, workloads: Sequence[str] = ALL) -> str:
    """Say what of the writes comes from GC, which no cache avoids, and how the rest changes."""
    changes = [
        f"{SHORT[name]} {_change(runs, WRITTEN_BACK, name, 'dftl')} and "
        f"{_change(runs, WRITTEN_BACK, name, 'sftl')}"
        for name in workloads
    ]
    return (
        f"{_writes_by_gc(runs, workloads)} Written back by address translation alone (N_tw), "
        f"against DFTL and S-FTL: {'; '.join(changes)}."
    )


def _writes_by_gc(runs: Runs, workloads: Sequence[str]) -> str:
    """Say what of the writes of translation pages comes from GC, if there are any."""
    shares = _found(runs, workloads, collected, "tpftl", "%")
    if not shares:
        return "TPFTL writes no translation page."
    return (
        "Of TPFTL's writes of translation pages, updates for pages that GC moved and moves of "
        f"translation pages are {', '.join(shares)}: a cache does not avoid them."
    )


def translation_reads(runs: Runs, workloads: Sequence[str] = ALL) -> str:
    """Say how reads follow from misses and from GC."""
    hits = "; ".join(
        f"{NAMES[ftl]} {_by_workload(runs, workloads, HITS, ftl, '%')}" for ftl in LAYERS
    )
    return f"Hit ratios: {hits}. {sizes_of_requests(runs, workloads)}"


def responses(runs: Runs, workloads: Sequence[str] = ALL) -> str:
    """Say what of the response is waiting, and what service alone does."""
    waits = ", ".join(_found(runs, workloads, _wait, "dftl", "%"))
    waiting = f" Waiting for the device is {waits} of DFTL's response." if waits else ""
    changes = [
        f"{SHORT[name]} {_change(runs, SERVICE, name, 'dftl')} and "
        f"{_change(runs, SERVICE, name, 'sftl')}"
        for name in workloads
    ]
    valid = _collected_blocks(runs, workloads, "tpftl", ", whose copies all layers pay for alike")
    return (
        f"Service time alone, TPFTL against DFTL and S-FTL: {'; '.join(changes)}.{waiting} {valid}"
    )


def losses(runs: Runs, workloads: Sequence[str] = ALL) -> str:
    """Say what DFTL loses in service time, and what the optimal FTL itself spends on GC."""
    service = "; ".join(
        f"{SHORT[name]} {number(-runs.change(SERVICE, (name, 'page'), (name, 'dftl')), '%')}"
        for name in workloads
    )
    own = _by_workload(runs, workloads, AMPLIFICATION, "page")
    return (
        f"In service time without waiting DFTL loses {service}; the optimal FTL's own write "
        f"amplification is {own}, DFTL's {_by_workload(runs, workloads, AMPLIFICATION, 'dftl')}."
    )


def spread(runs: Runs, workloads: Sequence[str] = ALL) -> str:
    """Say how entries spread over translation pages."""
    found = []
    for name in workloads:
        looks = samples_of(runs[name, "dftl"])
        keys = ("entries", "dirty_entries", "translation_pages")
        entries, dirty, pages = (number(fmean(looks[key])) for key in keys)
        found.append(f"{SHORT[name]} {entries} entries, {dirty} dirty, in {pages}")
    text = f"Means over the looks: {'; '.join(found)} translation pages."
    models = [SHORT[name] for name in workloads if _is_model(runs, name)]
    if models:
        text += (
            f" How the requests of {', '.join(models)} spread over translation pages was never "
            "published; their models have it from excerpts or by assumption."
        )
    return text


def falls(runs: Runs) -> str:
    """Say how steady the number of cached translation pages is."""
    pages = samples_of(runs["financial1", "dftl"])["translation_pages"]
    text = f"It stays between {min(pages)} and {max(pages)}, median {number(median(pages))}."
    if _is_model(runs, "financial1"):
        text += (
            " A model has its sequential requests evenly over time: when the trace has phases of "
            "them was never published."
        )
    return text


def dirty(runs: Runs, workloads: Sequence[str] = ALL) -> str:
    """Say how often what is evicted is dirty."""
    found = "; ".join(
        f"{NAMES[ftl]} {_by_workload(runs, workloads, dirty_replacements, ftl, '%')}"
        for ftl in LAYERS
    )
    entries = _by_workload(runs, workloads, entries_of_node, "tpftl")
    return (
        f"Ours: {found}. A replacement is an entry that leaves, in S-FTL a whole page. In TPFTL a "
        f"node has {entries} entries, all of which one write-back cleans."
    )


def hits(runs: Runs, workloads: Sequence[str] = ALL) -> str:
    """Say the hit ratios."""
    found = "; ".join(
        f"{NAMES[ftl]} {_by_workload(runs, workloads, HITS, ftl, '%')}" for ftl in LAYERS
    )
    return f"Ours: {found}. {sizes_of_requests(runs, workloads)}"


def amplification(runs: Runs, workloads: Sequence[str] = ALL) -> str:
    """Say where programs come from."""
    own = _by_workload(runs, workloads, AMPLIFICATION, "page")
    valid = _collected_blocks(runs, workloads, "page")
    found = "; ".join(
        f"{NAMES[ftl]} {_by_workload(runs, workloads, copied, ftl)}" for ftl in LAYERS
    )
    return (
        f"The optimal FTL's own is {own}. {valid} Data pages copied for each page that the host "
        f"wrote: {found}."
    )


def techniques(runs: Runs, workloads: Sequence[str] = ALL) -> str:
    """Say what each set of techniques does to write-backs."""
    found = []
    for name in workloads:
        each = [
            f"{features} {number(runs(dirty_replacements, name, 'tpftl', features), '%')}"
            for features in ("-", "b", "c", "bc", "rsbc")
        ]
        found.append(f"{SHORT[name]}: {', '.join(each)}")
    shares = "; ".join(
        f"{features} {number(runs(collected, 'financial1', 'tpftl', features), '%')}"
        for features in ("-", "bc", "rsbc")
    )
    return (
        f"Dirty replacements of {'; '.join(found)}. Share of GC in the writes of translation pages "
        f"in Fin1: {shares}."
    )


def prefetching(runs: Runs, workloads: Sequence[str] = ALL) -> str:
    """Say what each kind of prefetching hits."""
    found = []
    for name in workloads:
        each = [
            f"{features} {number(runs(HITS, name, 'tpftl', features), '%')}"
            for features in ("-", "r", "s", "rs", "bc", "rsbc")
        ]
        found.append(f"{SHORT[name]}: {', '.join(each)}")
    return f"Hit ratios of {'; '.join(found)}. {sizes_of_requests(runs, workloads)}"


def caches(runs: Runs, workloads: Sequence[str] = ALL) -> str:
    """Say the figures of the smallest, a middle and the largest cache."""
    found = []
    for name in workloads:
        each = [
            f"{share}: {number(runs(HITS, name, 'tpftl', share), '%')}, "
            f"{number(runs(dirty_replacements, name, 'tpftl', share), '%')}, "
            f"{number(runs(RESPONSE, name, 'tpftl', share))} us"
            for share in (CACHES[0], CACHES[3], CACHES[-1])
        ]
        found.append(f"{SHORT[name]} {'; '.join(each)}")
    return f"Hit ratio, dirty replacements and response by cache: {'. '.join(found)}."


def utilization(runs: Runs, workloads: Sequence[str] = ALL) -> str:
    """Say how many entries a node has."""
    found = _by_workload(runs, workloads, entries_of_node, "tpftl")
    used = [
        f"{number(mapped_share(runs[name, 'tpftl', CACHES[-1]]), '%')} ({SHORT[name]})"
        for name in workloads
    ]
    return (
        f"Entries of a node at 1/128: {found}; the more, the less its 6 B weigh. The input uses "
        f"{', '.join(used)} of the map: once a cache holds that much, a larger one changes "
        "nothing."
    )


def cdftl(runs: Runs, workloads: Sequence[str] = ALL) -> str:
    """Say how the two compare in what decides the response."""
    found = [
        f"{SHORT[name]} hit ratio {number(runs(HITS, name, 'cdftl'), '%')} to "
        f"{number(runs(HITS, name, 'sftl'), '%')}, writes of translation pages "
        f"{number(runs(tp_writes, name, 'cdftl'))} to {number(runs(tp_writes, name, 'sftl'))}"
        for name in workloads
    ]
    return (
        f"CDFTL to S-FTL: {'; '.join(found)}. How CDFTL divided its cache is not published; half "
        "of it holds whole pages here."
    )


def adaptive(runs: Runs, workloads: Sequence[str] = ALL) -> str:
    """Say what all three respond in."""
    found = []
    for name in workloads:
        each = [number(runs(RESPONSE, name, "tpftl", features)) for features in ("bc", "rsbc")]
        each.append(number(runs(RESPONSE, name, "tpftl-adaptive")))
        found.append(f"{SHORT[name]} {', '.join(each)} us")
    return f"bc, rsbc and adaptive: {'; '.join(found)}."


def _is_model(runs: Runs, workload: str) -> bool:
    return bool(runs[workload, "page"].find("trace.format") == "generated")


def _wait(result: Result) -> float:
    return 1 - ratio(result["service_us"]["mean"], result["response_us"]["mean"])


def _change(runs: Runs, figure: Figure, workload: str, rival: str) -> str:
    try:
        return number(runs.change(figure, (workload, "tpftl"), (workload, rival)), "%+")
    except NotMeasuredError:
        return "none in either"


def _collected_blocks(runs: Runs, workloads: Sequence[str], ftl: str, more: str = "") -> str:
    """Say how full the data blocks are that an FTL collects, if it collects any."""
    valid = ", ".join(_found(runs, workloads, VALID, ftl))
    if not valid:
        return "No data block is collected."
    return f"A data block that is collected has {valid} valid pages of 64{more}."


def _by_workload(
    runs: Runs, workloads: Sequence[str], figure: Figure, ftl: str, unit: str = ""
) -> str:
    """Return a figure of an FTL on each workload that has it, as one text, which is never empty."""
    return ", ".join(_found(runs, workloads, figure, ftl, unit)) or "not measured"


def _found(
    runs: Runs, workloads: Sequence[str], figure: Figure, ftl: str, unit: str = ""
) -> list[str]:
    """Return a text for each workload that has a figure of an FTL."""
    found: list[str] = []
    for name in workloads:
        try:
            found.append(f"{number(runs(figure, name, ftl), unit)} ({SHORT[name]})")
        except NotMeasuredError:
            continue
    return found
