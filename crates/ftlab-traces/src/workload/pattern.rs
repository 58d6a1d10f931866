//! The patterns by name, in fio's words where fio has one.

crate::choices! {
    /// Where the requests of a generated workload go. A new one is a line here and a placement in
    /// `place.rs`.
    pub enum Pattern {
        /// Sequential, in one or more streams that take turns.
        Seq = "seq",
        /// Uniformly random.
        Rand = "rand",
        /// Zipf popularity with exponent zipf_theta.
        Zipf = "zipf",
        /// hot_share of the space gets hot_access of the requests.
        HotCold = "hotcold",
        /// CACH-FTL's synthetic workload (its Table 2).
        Cachftl = "cachftl",
        /// Several writers, each with a range and a handle (parts).
        Parts = "parts",
        /// fio's read: seq, reads only.
        Read = "read",
        /// fio's write: seq, writes only.
        Write = "write",
        /// fio's rw: seq, reads and writes mixed by read_share.
        Rw = "rw",
        /// fio's randread: rand, reads only.
        RandRead = "randread",
        /// fio's randwrite: rand, writes only.
        RandWrite = "randwrite",
        /// fio's randrw: rand, reads and writes mixed by read_share.
        RandRw = "randrw",
    }
}

impl Pattern {
    /// The share of reads that the name itself fixes.
    pub(super) const fn read_share(self) -> Option<f64> {
        match self {
            Pattern::Read | Pattern::RandRead => Some(1.0),
            Pattern::Write | Pattern::RandWrite => Some(0.0),
            _ => None,
        }
    }

    /// The share of reads where nothing is said: fio's `rwmixread` is 50 %.
    pub(super) fn usual_read_share(self) -> Option<f64> {
        matches!(self, Pattern::Rw | Pattern::RandRw).then_some(0.5)
    }
}
