"""The quantities of TPFTL's evaluation, by the paper's definitions."""

from __future__ import annotations

from collections.abc import Sequence

from ftlab import Record, Result
from ftlab_papers.runs import NotMeasuredError, ratio

FULL_ENTRY_BYTES, ENTRY_BYTES = 8, 6


def dirty_replacements(result: Result) -> float | None:
    """Return the probability of replacing a dirty entry: dirty entries replaced / replaced.

    It is 0 if no entry was replaced.
    """
    mapping = result.find("mapping")
    if mapping is None:
        return None
    return ratio(mapping["dirty_replacements"], mapping["replacements"] or 1)


def tp_reads(result: Result) -> float:
    """Return the reads of translation pages for any cause; 0 with the whole map in RAM."""
    return float(result.find("mapping.translation_reads") or 0)


def tp_writes(result: Result) -> float:
    """Return the programs of translation pages for any cause; 0 with the whole map in RAM."""
    return float(result.find("mapping.translation_writes") or 0)


def utilization_gain(result: Result) -> float | None:
    """Return the size of the cached entries at 8 B each over their actual size, - 1.

    This is the improvement of cache space utilisation (Figure 10). DFTL takes 8 B for an entry.
    TPFTL takes 6 B and a node for each translation page, so its limit is 8 / 6 - 1. The state is
    that at the end of the run (choices.md#cache-use).
    """
    mapping = result.find("mapping")
    if mapping is None or not mapping["cached_entries"]:
        return None
    entries, nodes = mapping["cached_entries"], mapping["cached_translation_pages"]
    node_bytes = result["config"]["tpftl"]["node_bytes"]
    used = ENTRY_BYTES * entries + node_bytes * nodes
    return float(FULL_ENTRY_BYTES * entries / used - 1)


def entry_bytes(result: Result) -> float:
    """Return the bytes per entry of a full cache, without its nodes."""
    mapping, budget = result["mapping"], result["ram_bytes"]["cache"]
    nodes = mapping["cached_translation_pages"] if result["ftl"].startswith("tpftl") else 0
    node_bytes = result["config"]["tpftl"]["node_bytes"]
    return ratio(budget - node_bytes * nodes, mapping["cached_entries"])


def samples_of(result: Result) -> Record:
    """Return the samples of the cache; raises `NotMeasuredError` if there are none."""
    found: Record | None = result.find("samples")
    if not found or not found["entries"]:
        raise NotMeasuredError(f"{result['ftl']} on {result['trace']['name']} has no samples")
    return found


def per_page(looks: Record) -> list[float]:
    """Return the mean number of entries in a cached translation page, at each sample."""
    pairs = zip(looks["entries"], looks["translation_pages"], strict=True)
    return [entries / pages for entries, pages in pairs if pages]


def share_of_pages(pages_by_dirty_entries: Sequence[int], above: int) -> float:
    """Return the share of cached translation pages with more than ``above`` dirty entries."""
    return ratio(sum(pages_by_dirty_entries[above + 1 :]), sum(pages_by_dirty_entries))


def mean_dirty(pages_by_dirty_entries: Sequence[int]) -> float:
    """Return the mean number of dirty entries in a cached translation page."""
    dirty = sum(count * pages for count, pages in enumerate(pages_by_dirty_entries))
    return ratio(dirty, sum(pages_by_dirty_entries))
