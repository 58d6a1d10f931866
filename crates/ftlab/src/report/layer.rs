//! What the FTL did: flash operations by cause, address translation, garbage collection, merges, RAM.

use super::ratio;
use crate::buffer::BufferManager;
use crate::figures::figures;
use crate::flash::{BlockKind, Cause, Ledger, Operation};
use crate::ftl::{GcMetrics, MappingCounts, MappingMetrics, MergeCounts, PrefetchMetrics, RamUse};
use crate::gc::CopyBack;
use crate::simulate::Outcome;
use std::collections::BTreeMap;

/// Counts by cause.
pub type ByCause = BTreeMap<&'static str, u64>;

fn by_cause(ledger: &Ledger, operation: Operation) -> ByCause {
    Cause::ALL.iter().map(|cause| (cause.name(), ledger.get(operation, *cause))).collect()
}

figures! {
    /// Flash operations by cause.
    pub struct FlashReport {
        pub(super) of(ledger: &Ledger, copy_back: CopyBack);
        let beside = [Cause::Checkpoint, Cause::Trim];
        /// Pages read.
        reads: ByCause = by_cause(ledger, Operation::Read), unit "pages by cause", better Lower,
            source "TPFTL 3.1", live "ftlab_flash_operations_total{operation=\"read\"}";
        /// Spare areas read alone (glossary.md#oob).
        oob_reads: ByCause = by_cause(ledger, Operation::ReadOob), unit "reads by cause", better Lower,
            live "ftlab_flash_operations_total{operation=\"read_oob\"}";
        /// Pages programmed: `translation` = N_tw, `gc_data` = N_md, `gc_mapping` = N_dt, `gc_translation` = N_mt.
        programs: ByCause = by_cause(ledger, Operation::Program), unit "pages by cause", better Lower,
            source "TPFTL 3.1", live "ftlab_flash_operations_total{operation=\"program\"}";
        /// Pages moved inside a plane (glossary.md#copy-back).
        copybacks: ByCause = by_cause(ledger, Operation::CopyBack), unit "pages by cause", better Lower,
            live "ftlab_flash_operations_total{operation=\"copyback\"}";
        /// Blocks erased, by content: `data`, `log`, `translation`, `checkpoint` and `trim`.
        erases: ByCause = BlockKind::ALL
            .iter()
            .map(|kind| (kind.name(), ledger.erases(*kind)))
            .chain(beside.map(|cause| (cause.name(), ledger.get(Operation::Erase, cause))))
            .collect(), unit "blocks by content", better Lower, source "TPFTL 5.2(4)",
            label "block erases", live "ftlab_flash_operations_total{operation=\"erase\"}";
        /// Pages skipped because copy-back keeps the parity of page numbers.
        wasted_pages: Option<u64> = (copy_back != CopyBack::Off).then(|| ledger.wasted_pages()),
            unit "pages", better Lower, null "without copy-back";
    }
}

/// Translation pages of an operation, for any cause.
fn of_map(ledger: &Ledger, operation: Operation) -> u64 {
    let causes = [Cause::Translation, Cause::GcMapping, Cause::GcTranslation];
    causes.iter().map(|cause| ledger.get(operation, *cause)).sum()
}

figures! {
    /// Mapping cache.
    pub struct MappingReport {
        pub(super) of(mapping: MappingMetrics, ledger: &Ledger, ram: &RamReport);
        let counts = mapping.counts;
        let entries = mapping.occupancy.entries;
        /// Requested translations: one per page access, trims included.
        lookups: u64 = counts.lookups, unit "pages", source "choices.md#hit-ratio";
        /// Translations found in RAM.
        hits: u64 = counts.hits, unit "pages";
        /// Hits / lookups.
        hit_ratio: Option<f64> = ratio(counts.hits, counts.lookups), unit "ratio", better Higher,
            null "without lookups", source "TPFTL 5.1, H_r (choices.md#hit-ratio)",
            label "mapping hit ratio", live "ftlab_mapping_hit_ratio";
        /// Evicted entries. `cdftl`, `sftl` and `zftl` evict translation pages or batches.
        replacements: u64 = counts.replacements, unit "entries", source "choices.md#replacement-unit";
        /// Evicted entries that were dirty.
        dirty_replacements: u64 = counts.dirty_replacements, unit "entries", better Lower;
        /// Dirty replacements / replacements.
        dirty_replacement_probability: Option<f64> = ratio(counts.dirty_replacements, counts.replacements),
            unit "ratio", better Lower, null "without replacements", source "TPFTL 5.1, P_rd",
            label "dirty replacement probability";
        /// Mappings of moved pages found in the cache / pages moved.
        gc_hit_ratio: Option<f64> = ratio(mapping.gc_hits, mapping.gc_lookups), unit "ratio", better Higher,
            null "if GC moves no page", source "TPFTL 3.1, H_gcr";
        /// Translation pages read, for any cause.
        translation_reads: u64 = of_map(ledger, Operation::Read) + of_map(ledger, Operation::CopyBack),
            unit "pages", better Lower, source "TPFTL 5.2(2)", label "translation page reads";
        /// Translation pages programmed, for any cause: N_tw + N_dt + N_mt.
        translation_writes: u64 = of_map(ledger, Operation::Program) + of_map(ledger, Operation::CopyBack),
            unit "pages", better Lower, source "TPFTL 5.2(2)", label "translation page writes";
        /// Entries in the cache at the end.
        cached_entries: u64 = entries, unit "entries";
        /// Translation pages with an entry in the cache at the end.
        cached_translation_pages: u64 = mapping.occupancy.translation_pages, unit "pages";
        /// Cached mappings x 8 B / budget of the cache, at the end. A full cache of DFTL has 1. Figure 10 of TPFTL
        /// shows this minus 1, at most 8 / 6 - 1. FTLs that cache whole pages count all their mappings.
        space_utilization: Option<f64> = (ram.cache > 0).then(|| 8.0 * entries as f64 / ram.cache as f64),
            unit "ratio", better Higher, null "without a cache", source "TPFTL Figure 10";
    }
}

figures! {
    /// Mappings that are loaded ahead, and what misses come from.
    pub struct PrefetchReport {
        pub(super) of(ahead: PrefetchMetrics, counts: MappingCounts);
        let PrefetchMetrics { with_request, successors, misses, .. } = ahead;
        /// Lookups while selective prefetching is on / lookups.
        on_ratio: Option<f64> = ratio(ahead.lookups_while_on, counts.lookups), unit "ratio",
            null "without lookups", source "TPFTL 4.3";
        /// Times that selective prefetching is switched on or off.
        switches: u64 = ahead.switches, unit "switches", source "TPFTL 4.3";
        /// Entries loaded because the request goes on to them.
        request_loaded: u64 = with_request.loaded, unit "entries", source "TPFTL 4.3";
        /// Of these, looked up by the host before they are evicted.
        request_used: u64 = with_request.used, unit "entries", better Higher;
        /// Of these, evicted before the host looks them up.
        request_unused: u64 = with_request.unused, unit "entries", better Lower;
        /// Entries loaded because they follow a cached run.
        successors_loaded: u64 = successors.loaded, unit "entries", source "TPFTL 4.3";
        /// Of these, looked up by the host before they are evicted.
        successors_used: u64 = successors.used, unit "entries", better Higher;
        /// Of these, evicted before the host looks them up.
        successors_unused: u64 = successors.unused, unit "entries", better Lower;
        /// Misses of mappings that were not in the cache since measuring started.
        misses_new: u64 = misses.new, unit "misses";
        /// Misses of mappings that were evicted after the host used them.
        misses_evicted: u64 = misses.evicted, unit "misses", better Lower;
        /// Misses of mappings that were prefetched and evicted before the host used them.
        misses_evicted_unused: u64 = misses.evicted_unused, unit "misses", better Lower;
        /// Of all misses, those of a page whose predecessor is cached while selective prefetching is off.
        misses_in_sequence: u64 = misses.in_sequence, unit "misses", better Lower;
    }
}

fn copied(ledger: &Ledger, cause: Cause) -> u64 {
    ledger.get(Operation::Program, cause) + ledger.get(Operation::CopyBack, cause)
}

figures! {
    /// Garbage collection of page-level FTLs.
    pub struct GcReport {
        pub(super) of(gc: &GcMetrics, ledger: &Ledger);
        let counts = gc.counts;
        /// Starts of GC; a run may collect several blocks (glossary.md#victim).
        runs: u64 = counts.runs, unit "runs";
        /// Data blocks collected.
        data_blocks: u64 = counts.data_blocks, unit "blocks";
        /// Translation blocks collected.
        translation_blocks: u64 = counts.translation_blocks, unit "blocks";
        /// Valid pages that GC moves.
        copied_pages: u64 = copied(ledger, Cause::GcData)
            + unless_bug!(ReportMapCopiesUntold, copied(ledger, Cause::GcTranslation), 0),
            unit "pages", better Lower, label "pages copied by GC";
        /// Mean of the valid pages in a collected data block.
        mean_valid_data: Option<f64> = ratio(counts.valid_data, counts.data_blocks), unit "pages", better Lower,
            null "if none is collected", source "TPFTL 3.1, V_d";
        /// Mean of the valid pages in a collected translation block.
        mean_valid_translation: Option<f64> = ratio(counts.valid_translation, counts.translation_blocks),
            unit "pages", better Lower, null "if none is collected", source "TPFTL 3.1, V_t";
        /// Free blocks at which GC starts: `gc.low`, or the minimum of the FTL if that is higher.
        low: u32 = gc.low, unit "blocks";
        /// Free blocks at which a batch ends: `gc.high`, or the minimum of the FTL if that is higher.
        high: u32 = gc.high, unit "blocks";
        /// Victims that the policy did not choose: at the last free block, or to end a run.
        forced_victims: u64 = counts.forced_victims, unit "blocks";
        /// Starts of GC in idle time.
        background_runs: Option<u64> = gc.background_runs, unit "runs", null "if GC never starts in idle time";
    }
}

figures! {
    /// Merges of block-mapped and log-block FTLs. Each merge makes one data block and erases the old one, so
    /// `flash.erases.data` is the sum of the three kinds.
    pub struct MergeReport {
        pub(super) of(merges: MergeCounts, ledger: &Ledger);
        /// Merges in which a log block held all pages at their offsets: no copies.
        switch: u64 = merges.switch, unit "merges", source "DLOOP II.A";
        /// Merges in which a log block held some pages at their offsets, and was completed.
        partial: u64 = merges.partial, unit "merges", better Lower, source "DLOOP II.A";
        /// Merges in which the newest pages were copied to a fresh block.
        full: u64 = merges.full, unit "merges", better Lower, source "DLOOP II.A";
        /// Pages copied by merges and by rewrites of blocks.
        copied_pages: u64 = copied(ledger, Cause::Merge), unit "pages", better Lower, label "pages copied by merges";
    }
}

figures! {
    /// RAM of a controller.
    #[derive(Copy)]
    pub struct RamReport {
        pub(super) of(outcome: &Outcome<'_>);
        let RamUse { tables, cache, buffer } = outcome.ftl.ram();
        /// Tables that are always resident.
        tables: Option<u64> = outcome.ftl.states_ram().then(|| tables + outcome.flash.wear_bytes()),
            unit "bytes", better Lower, null "if the FTL does not state its RAM", source "choices.md#ram-payload",
            label "RAM of tables";
        /// Budget of the mapping cache.
        cache: u64 = cache, unit "bytes", better Lower, source "choices.md#ram-payload",
            label "RAM of the mapping cache";
        /// Pages of the write buffer, and pages that an FTL cleans with.
        buffer: u64 = buffer + outcome.buffer.map_or(0, BufferManager::bytes), unit "bytes", better Lower,
            source "choices.md#ram-payload", label "RAM of the write buffer";
    }
}

impl RamReport {
    /// All of it, if it is known.
    pub(super) fn total(&self) -> Option<u64> {
        self.tables.map(|tables| tables + self.cache + self.buffer)
    }
}
