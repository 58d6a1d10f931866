//! The input, requests of the host, the write buffer above the FTL, and the simulation itself.

use super::{ends_behind, ratio};
use crate::buffer::{BufferManager, FlushedAtEnd};
use crate::figures::figures;
use crate::metrics::backlog::Backlog;
use crate::simulate::Outcome;
use std::time::Duration;

figures! {
    /// The input of a run.
    #[derive(Default)]
    pub struct TraceReport {
        /// File, profile or workload.
        name: String, unit "text";
        /// Name of the format.
        format: String, unit "text";
        /// Digest of the decoded requests, 16 hexadecimal digits.
        digest: Option<String>, unit "text", null "if the input is read once";
        /// Requests in the input.
        requests: Option<u64>, unit "requests", null "if the input is read once";
        /// Volumes in the input.
        volumes: Option<u64>, unit "volumes", null "if the input is read once";
        /// Address space that the input needs.
        span_bytes: Option<u64>, unit "bytes", null "if the input is read once";
    }
}

figures! {
    /// Requests of the host.
    pub struct HostReport {
        pub(super) of(outcome: &Outcome<'_>, backlog: Option<Backlog>);
        let host = &outcome.host;
        let in_ram = outcome.buffer.map(BufferManager::counts).unwrap_or_default();
        let found = backlog.filter(|backlog| backlog.requests > 0.0);
        /// Requests served while measuring.
        requests: u64 = host.requests, unit "requests";
        /// Read requests.
        reads: u64 = host.reads, unit "requests", live "ftlab_requests_total{op=\"read\"}";
        /// Write requests.
        writes: u64 = host.writes, unit "requests", live "ftlab_requests_total{op=\"write\"}";
        /// Trim requests.
        trims: u64 = host.trims, unit "requests", live "ftlab_requests_total{op=\"trim\"}";
        /// Flushes.
        flushes: u64 = host.flushes, unit "requests";
        /// Writes with FUA (glossary.md#fua), which `writes` includes.
        writes_through: u64 = host.writes_through, unit "requests";
        /// Page accesses of read requests.
        page_reads: u64 = host.page_reads, unit "pages", source "TPFTL 3.1, N_pa (1 - R_w)";
        /// Page accesses of write requests.
        page_writes: u64 = host.page_writes, unit "pages", source "TPFTL 3.1, N_pa R_w";
        /// Page writes of only part of a page; `device.partial_writes` sets their cost.
        partial_page_writes: u64 = host.partial_page_writes, unit "pages", source "choices.md#partial-pages";
        /// Pages trimmed.
        page_trims: u64 = host.page_trims, unit "pages";
        /// Page reads without data: the page was never written, or was trimmed.
        unwritten_page_reads: u64 =
            outcome.flash.unwritten_reads() + in_ram.plus(outcome.ftl.buffered()).unwritten_hits, unit "pages";
        /// Bytes of reads in the pages that they access. Bytes beyond the device's end are not counted. With
        /// `host.split = single`, bytes beyond the first page are not counted either.
        bytes_read: u64 = host.bytes_read, unit "bytes", live "ftlab_host_bytes_total{op=\"read\"}";
        /// Bytes of writes in the pages that they access, by the same rule.
        bytes_written: u64 = host.bytes_written, unit "bytes", live "ftlab_host_bytes_total{op=\"write\"}";
        /// Requests beyond the device that `run.address = modulo` maps to other addresses.
        folded_requests: u64 = host.folded, unit "requests";
        /// Requests that `run.address = modulo` cuts at the device's end.
        cut_requests: u64 = host.cut, unit "requests";
        /// Simulated time of the last completion.
        duration_s: f64 = host.duration as f64 / 1e9, unit "s";
        /// Arrival of the last request.
        last_arrival_s: Option<f64> = backlog.map(|_| host.last_arrival as f64 / 1e9),
            unit "s", null "in a closed loop";
        /// Whether requests arrived faster than the device served them, for a while or to the end. Response times
        /// then grow with the length of the input or of the burst; tables mark them.
        overloaded: Option<bool> = backlog.map(|backlog| backlog.rules() || ends_behind(host)),
            unit "yes or no", null "in a closed loop", source "choices.md#backlog";
        /// Share of reads and writes that arrived during a backlog, whether the run is overloaded or not.
        backlog_ratio: Option<f64> = backlog.map(|backlog| backlog.requests), unit "ratio", null "in a closed loop";
        /// Start of the first backlog.
        backlog_from_s: Option<f64> = found.map(|backlog| backlog.from as f64 / 1e9),
            unit "s", null "without a backlog";
        /// End of the last backlog.
        backlog_to_s: Option<f64> = found.map(|backlog| backlog.to as f64 / 1e9),
            unit "s", null "without a backlog";
        /// Share of the touched pages, warm-up included, to which `overlay` or `modulo` maps several addresses of
        /// the input.
        shared_pages_ratio: Option<f64> = outcome.shared_pages,
            unit "ratio", null "if no page can have several addresses";
    }
}

figures! {
    /// The write buffer above the FTL.
    pub struct BufferReport {
        pub(super) of(manager: &BufferManager, outcome: &Outcome<'_>);
        let counts = manager.counts();
        let hits = counts.read_hits + counts.write_hits;
        let (mean, most) = manager.pages_at_risk();
        let page_bytes = u64::from(outcome.flash.geometry().page_bytes);
        /// Page accesses of the host that hit the buffer.
        hits: u64 = hits, unit "pages";
        /// Reads among the hits.
        read_hits: u64 = counts.read_hits, unit "pages";
        /// Hits / page reads and writes of the host.
        hit_ratio: Option<f64> = ratio(hits, outcome.host.page_reads + outcome.host.page_writes),
            unit "ratio", better Higher, null "without reads and writes", label "buffer hit ratio";
        /// Page writes never programmed: overwritten or trimmed in RAM.
        absorbed: u64 = counts.absorbed, unit "pages", better Higher;
        /// Groups written to the FTL.
        flushed_groups: u64 = counts.flushed_groups, unit "groups";
        /// Page writes of the host in these groups.
        flushed_pages: u64 = counts.flushed_pages, unit "pages";
        /// Mean size of a group, padding included.
        mean_group_pages: Option<f64> = ratio(counts.flushed_pages + counts.padded_pages, counts.flushed_groups),
            unit "pages", better Higher, null "without groups", source "CACH-FTL 3.2";
        /// Pages read from flash and programmed again to complete a group.
        padded_pages: u64 = counts.padded_pages, unit "pages", better Lower;
        /// Data whose newest version is only in RAM, in the buffer or in the FTL: the mean over requests.
        at_risk_bytes_mean: f64 = mean * page_bytes as f64, unit "bytes", better Lower;
        /// The largest amount of such data after a request.
        at_risk_bytes_max: u64 = most * page_bytes, unit "bytes", better Lower;
        /// Contents of RAM at the end, not counted elsewhere.
        flushed_at_end: Option<FlushedAtEnd> = None, null "of a live device";
    }
}

figures! {
    /// Speed of the simulation.
    #[derive(Default)]
    pub struct SpeedReport {
        pub new(outcome: &Outcome<'_>, serving: Duration, reading: Duration);
        let wall_s = serving.as_secs_f64();
        let per_second = |count: u64| if wall_s > 0.0 { count as f64 / wall_s } else { 0.0 };
        /// Wall-clock time of the simulation alone.
        wall_s: f64 = wall_s, unit "s", better Lower;
        /// Requests / `wall_s`.
        requests_per_s: f64 = per_second(outcome.host.requests), unit "1/s", label "simulated requests";
        /// (reads + programs + 2 copy-backs + erases) / `wall_s`.
        flash_ops_per_s: f64 = per_second(outcome.flash.ledger().flash_operations()), unit "1/s", better Higher;
        /// Wall-clock time of reading or generating requests, which overlaps the simulation.
        trace_read_s: f64 = reading.as_secs_f64(), unit "s", better Lower;
    }
}

figures! {
    /// Checks of the simulation.
    pub struct ChecksReport {
        pub(super) of(outcome: &Outcome<'_>);
        /// Reads compared with the last write of their page.
        reads_verified: u64 = outcome.reads_verified, unit "pages";
        /// Rules of NAND checked.
        rules_checked: u64 = outcome.flash.rules_checked(), unit "rules";
        /// Broken rules and invariants: always 0, as a run with a violation fails.
        violations: u64 = 0, unit "violations", better Lower;
    }
}
