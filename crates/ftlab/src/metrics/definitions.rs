//! The metrics that comparisons show and papers define: name, unit, formula, source. The documents
//! list every key of a result.

/// Which direction is better.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Better {
    /// More is better.
    Higher,
    /// Less is better.
    Lower,
    /// Neither.
    Neither,
}

/// A metric of the result.
#[derive(Clone, Copy, Debug)]
pub struct Metric {
    /// The key in the result, `section.name`.
    pub name: &'static str,
    /// The unit.
    pub unit: &'static str,
    /// How it is computed.
    pub formula: &'static str,
    /// Who defines it.
    pub source: &'static str,
    /// Which direction is better.
    pub better: Better,
}

const fn metric(
    name: &'static str,
    unit: &'static str,
    better: Better,
    formula: &'static str,
    source: &'static str,
) -> Metric {
    Metric { name, unit, formula, source, better }
}

use Better::{Higher, Lower, Neither};

/// The metrics, in the order of a result.
pub const METRICS: &[Metric] = &[
    metric("host.requests", "requests", Neither, "requests served while measuring", ""),
    metric(
        "host.page_reads",
        "pages",
        Neither,
        "page accesses of read requests",
        "TPFTL 3.1, N_pa (1 - R_w)",
    ),
    metric(
        "host.page_writes",
        "pages",
        Neither,
        "page accesses of write requests",
        "TPFTL 3.1, N_pa R_w",
    ),
    metric("host.duration_s", "s", Neither, "time of the last completion", ""),
    metric("flash.reads.CAUSE", "pages", Lower, "page reads by cause", "TPFTL 3.1"),
    metric(
        "flash.programs.CAUSE",
        "pages",
        Lower,
        "page programs by cause: host, translation = N_tw, gc_data = N_md, gc_mapping = N_dt, gc_translation = N_mt, merge, padding",
        "TPFTL 3.1",
    ),
    metric(
        "flash.erases.KIND",
        "blocks",
        Lower,
        "erases of data, log and translation blocks, and of those of checkpoints and tombstones",
        "TPFTL 5.2(4)",
    ),
    metric(
        "mapping.hit_ratio",
        "ratio",
        Higher,
        "hits / lookups, one lookup per page access, trims included",
        "TPFTL 5.1, H_r",
    ),
    metric(
        "mapping.dirty_replacement_probability",
        "ratio",
        Lower,
        "dirty entries replaced / entries replaced",
        "TPFTL 5.1, P_rd",
    ),
    metric(
        "mapping.gc_hit_ratio",
        "ratio",
        Higher,
        "mappings of moved pages found in the cache / pages moved",
        "TPFTL 3.1, H_gcr",
    ),
    metric(
        "mapping.translation_reads",
        "pages",
        Lower,
        "translation page reads, in translation and in GC",
        "TPFTL 5.2(2)",
    ),
    metric(
        "mapping.translation_writes",
        "pages",
        Lower,
        "translation page programs, N_tw + N_dt + N_mt",
        "TPFTL 5.2(2)",
    ),
    metric(
        "mapping.space_utilization",
        "ratio",
        Higher,
        "entries cached x 8 B / cache budget: 1 is what DFTL reaches",
        "TPFTL Figure 10",
    ),
    metric(
        "buffer.hit_ratio",
        "ratio",
        Higher,
        "page reads and writes of the host that find their page in the write buffer / all of them",
        "",
    ),
    metric(
        "buffer.absorbed",
        "pages",
        Higher,
        "page writes never programmed: overwritten or trimmed in the write buffer",
        "",
    ),
    metric(
        "buffer.mean_group_pages",
        "pages",
        Higher,
        "pages of a group that the write buffer gives to the FTL",
        "CACH-FTL 3.2",
    ),
    metric("gc.runs", "runs", Neither, "times that GC was started", ""),
    metric(
        "gc.mean_valid_data",
        "pages",
        Lower,
        "valid pages in a collected data block",
        "TPFTL 3.1, V_d",
    ),
    metric(
        "gc.mean_valid_translation",
        "pages",
        Lower,
        "valid pages in a collected translation block",
        "TPFTL 3.1, V_t",
    ),
    metric(
        "merges.KIND",
        "merges",
        Lower,
        "merges of log blocks: switch, partial, full; each erases one data block",
        "DLOOP II.A",
    ),
    metric(
        "merges.copied_pages",
        "pages",
        Lower,
        "pages copied by merges and by rewrites of blocks",
        "",
    ),
    metric(
        "write_amplification",
        "ratio",
        Lower,
        "pages programmed / pages written by the host",
        "TPFTL Equation 12, A",
    ),
    metric(
        "byte_write_amplification",
        "ratio",
        Lower,
        "bytes programmed / bytes written by the host",
        "",
    ),
    metric("response_us.mean", "us", Lower, "completion - issue, reads and writes", "TPFTL 5.1"),
    metric("response_us.p99", "us", Lower, "99th percentile, within 0.1 %", ""),
    metric("read_response_us.mean", "us", Lower, "completion - issue, reads", ""),
    metric("write_response_us.mean", "us", Lower, "completion - issue, writes", ""),
    metric("service_us.mean", "us", Lower, "last flash operation's end - first one's start", ""),
    metric(
        "planes.sdrpp",
        "ln(operations)",
        Lower,
        "natural logarithm of the population standard deviation, over planes, of flash operations",
        "DLOOP V.A",
    ),
    metric(
        "planes.host_sdrpp",
        "ln(operations)",
        Lower,
        "the same of the operations for the host and the map: without collection and merges",
        "DLOOP V.A, V.D",
    ),
    metric("planes.busy_fraction", "ratio", Neither, "time a plane is held / duration", ""),
    metric(
        "wear.erases_stddev",
        "erases",
        Lower,
        "population standard deviation over blocks, warm-up included",
        "",
    ),
    metric(
        "recovery.time_s",
        "s",
        Lower,
        "until the FTL has mounted after a power cut at the end, with run.recovery",
        "",
    ),
    metric(
        "recovery.at_risk_bytes_max",
        "B",
        Lower,
        "the most of timeline.at_risk_bytes, with run.recovery",
        "",
    ),
    metric("ram_bytes.tables", "B", Lower, "always resident tables", "choices.md#ram-payload"),
    metric("ram_bytes.buffer", "B", Lower, "pages of the write buffer", "choices.md#ram-payload"),
    metric("ram_bytes.cache", "B", Lower, "budget of the mapping cache", "choices.md#ram-payload"),
    metric(
        "energy.flash_j.CAUSE",
        "J",
        Lower,
        "power x time of each operation, by cause",
        "choices.md#energy",
    ),
    metric("energy.ram_j", "J", Lower, "energy.ram x RAM x duration", "choices.md#energy"),
    metric("energy.total_j", "J", Lower, "flash, buses and RAM", "choices.md#energy"),
    metric(
        "energy.nj_per_host_byte",
        "nJ",
        Lower,
        "energy.total_j / bytes read and written by the host",
        "choices.md#energy",
    ),
    metric(
        "speed.flash_ops_per_s",
        "1/s",
        Higher,
        "(reads + programs + 2 copy-backs + erases) / wall_s",
        "",
    ),
    metric("checks.violations", "", Lower, "broken rules and invariants: 0, or the run failed", ""),
];
