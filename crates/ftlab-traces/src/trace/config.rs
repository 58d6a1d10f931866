//! Settings of the input: which trace, and which of its requests.

use super::{Columns, HintBy, Shard, Stage, TimeOrder, TimeUnit, TraceOptions};
use crate::request::Op;
use crate::units::{Bytes, Duration};

crate::settings! {
    /// The trace or profile that is run.
    pub struct InputConfig in "input" {
        /// A file, `-` for standard input, or the name of a profile.
        trace: Option<String> = None, absent "`workload` is run", source "ours";
        /// Format of the trace.
        format: Option<String> = None, absent "found from its content", source "ours";
        /// How to treat times that go back.
        order: Option<TimeOrder> = None,
            absent "what the format says, which is an error for most", source "ours";
        /// The only volume to take.
        volume: Option<u32> = None, absent "all of them", source "ours";
        /// Take requests from this time since the first one on, such as `1h`.
        from: Option<Duration> = None, absent "from the first", source "ours";
        /// Take requests before this time since the first one, such as `2h30m`.
        until: Option<Duration> = None, absent "to the last", source "ours";
        /// Skip the first N requests that pass the filters.
        skip: u64 = 0, unit "requests", source "ours";
        /// Take only the first N requests after those that are skipped.
        requests: Option<u64> = None, absent "all of them", unit "requests", source "ours";
        /// What the requests are, for formats that do not say.
        op: Option<OnlyOp> = None, absent "an error for those formats", source "ours";
        /// Bytes of a page, for formats that do not say.
        unit: Option<Bytes> = None, absent "512B",
            source "ARC paper, section IV; choices.md#arc-unit";
        /// Unit of times in a text, if not the format's own; `filetime` is 100 ns.
        time_unit: Option<TimeUnit> = None, absent "as the format says", source "ours";
        /// Bytes per unit of an address in a text, if not the format's own.
        offset_unit: Option<Bytes> = None, absent "as the format says", source "ours";
        /// The stage at which requests are taken from events of Linux' block layer.
        stage: Option<Stage> = None, absent "their arrival, Q", source "ours";
        /// Take flushes from text, and keep FUA on writes. Otherwise flushes are left out, and
        /// writes with FUA become plain writes. A Parquet file has the flushes that were taken when
        /// it was converted.
        flushes: bool = false, source "choices.md#flush-off";
        /// The columns of a CSV file, as `time=ts:us,offset=lba:sectors,length=bytes,op=rw`.
        columns: Option<Columns> = None, absent "an error for such a file", source "ours";
        /// How the placement handle of a write is derived. `volume` uses the rank of its volume, in
        /// the order in which volumes are first written. `range` uses its first byte, and `size`
        /// its length, as the number of borders that it reaches. `stream` uses the sequential
        /// stream that it continues, 1 to COUNT, or 0 for none.
        hint_by: Option<HintBy> = None, absent "the trace's own handles", source "ours";
        /// Bytes written with a placement handle after which the host moves it to a new reclaim unit, before the next write.
        update_every: Option<Bytes> = None, absent "the input's own updates", in 1..,
            source "NVMe 2.1, I/O Management Send";
        /// What one device of an array gets: bytes in stripes over DEVICES, of which DEVICE counts
        /// from 0. Its first request is at time 0.
        shard: Option<Shard> = None, absent "the whole input", source "fleets.md#arrays";
    }
}

crate::choices! {
    /// The operation of all requests of a trace.
    pub enum OnlyOp {
        /// Read.
        Read = "read",
        /// Write.
        Write = "write",
        /// Trim.
        Trim = "trim",
    }
}

impl OnlyOp {
    const fn op(self) -> Op {
        match self {
            OnlyOp::Read => Op::Read,
            OnlyOp::Write => Op::Write,
            OnlyOp::Trim => Op::Trim,
        }
    }
}

crate::text_value!(Columns, "what=column or what=column:unit, separated by commas");

impl InputConfig {
    /// How the trace is read, including the requests that [`skip`](super::skip) removes.
    #[must_use]
    pub fn options(&self) -> TraceOptions {
        TraceOptions {
            format: self.format.clone(),
            order: self.order,
            volume: self.volume,
            from: self.from,
            until: self.until,
            requests: self.requests.map(|requests| match requests {
                0 => 0,
                requests => requests.saturating_add(self.skip),
            }),
            op: self.op.map(OnlyOp::op),
            unit: self.unit,
            time_unit: self.time_unit,
            offset_unit: self.offset_unit,
            stage: self.stage,
            columns: self.columns.clone(),
            flushes: self.flushes,
        }
    }
}
