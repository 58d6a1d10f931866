//! Settings of garbage collection (choices.md#gc-levels).

use crate::error::Error;
use crate::units::Ratio;

crate::settings! {
    /// Garbage collection of a page-mapped region.
    pub struct GcConfig in "gc" {
        /// Which closed block is collected. At the last free block, and after a run of as many victims
        /// as there are blocks, the most wasteful block is taken instead (`forced_victims`). Among equals the block
        /// with the lowest number is taken by `greedy`, `ramcloud-cost-benefit`, `cat` and `cost-hotness`. Numbers of a volume
        /// are in the order in which blocks were opened. `cost-benefit`, `fifo` and `windowed-greedy` take the oldest.
        policy: String = String::from(super::GREEDY), source "choices.md#gc-victim";
        /// Free blocks at which GC starts when a frontier needs a block.
        low: u32 = 3, in 1.., unit "blocks", laws 1..=5, source "FlashSim; choices.md#gc-levels";
        /// Free blocks at which a batch ends; more than `low`.
        high: u32 = 4, unit "blocks", laws 2..=9,
            source "FlashSim's page FTL; choices.md#gc-levels";
        /// Whether GC copies go to the host's open block.
        copies: Copies = Copies::Shared, laws Copies::ALL, source "FlashSim; choices.md#gc-copies";
        /// Whether GC runs up to `high` or frees one block at a time.
        mode: GcMode = GcMode::Batch, laws GcMode::ALL, source "FlashSim; choices.md#gc-batch";
        /// Whether GC copies inside a plane skip the controller, and how they keep the parity of a
        /// page's number.
        copy_back: Option<CopyBack> = None, absent "off; greedy for dloop",
            laws [None, Some(CopyBack::Off), Some(CopyBack::Greedy), Some(CopyBack::InOrder)],
            source "FlashSim; choices.md#dloop-parity";
        /// Whether an OOB read is counted and charged for each page of a victim. If not, validity and
        /// owner are known from RAM and from the copied page itself.
        oob_scan: bool = false, laws [false, true], source "choices.md#gc-oob-scan";
        /// What starts GC: few free blocks when one is needed or before each page, as in a device, or much garbage, as
        /// in a log-structured volume.
        start: GcStart = GcStart::FreeBlocks, source "Wang et al., SepBIT, FAST 2022";
        /// Share of garbage above which GC starts, and from which a block may be collected (`start = garbage`).
        garbage: Ratio = Ratio(0.15), in 0.01..=0.9, source "Wang et al., SepBIT, FAST 2022";
        /// Blocks that are collected after a request that writes when there is too much garbage (`start = garbage`).
        victims: u32 = 1, in 1..=1024, unit "blocks", source "Wang et al., SepBIT, FAST 2022";
        /// When a frontier gets a block (`start = each-page`).
        open: Opens = Opens::OnDemand, source "fdp.md#rules";
        /// Free blocks at which a block is collected behind a page of the host; 0 means never (`start = each-page`).
        background: u32 = 0, unit "blocks", source "fdp.md#rules";
        /// Share of garbage from which a block with valid pages is collected so (`start = each-page`).
        lazy: Ratio = Ratio(0.0), in 0.0..=1.0, source "fdp.md#rules";
    }
    check |own| {
        if own.high > own.low {
            return Ok(());
        }
        let message = format!("found {}, expected more than gc.low = {}", own.high, own.low);
        unless_bug!(GcBatchEndsAtOnce, Err(Error::config("gc.high", message)), Ok(()))
    }
}

impl GcConfig {
    /// How GC copies pages inside a plane, where no FTL has a default of its own.
    #[must_use]
    pub fn copy_back(&self) -> CopyBack {
        self.copy_back.unwrap_or(CopyBack::Off)
    }
}

crate::choices! {
    /// Where GC copies go.
    pub enum Copies {
        /// Into the block that the host writes.
        Shared = "shared",
        /// Into an open block of their own.
        Own = "own",
    }
}

crate::choices! {
    /// How GC copies pages inside a plane.
    pub enum CopyBack {
        /// Through the controller.
        Off = "off",
        /// By copy-back; of the pages left, one that fits the parity of the next free page goes first.
        Greedy = "greedy",
        /// By copy-back, in the order of the pages.
        InOrder = "in-order",
    }
}

crate::choices! {
    /// How much GC does once it has started.
    pub enum GcMode {
        /// Collect until `gc.high` blocks are free.
        Batch = "batch",
        /// Collect only while no block may be opened: one block at a time when copies are shared.
        Single = "single",
    }
}

crate::choices! {
    /// What starts GC.
    pub enum GcStart {
        /// A frontier needs a block, and `gc.low` blocks are free: a device of fixed size.
        FreeBlocks = "free-blocks",
        /// A request that writes is over, and more than the share `gc.garbage` of all pages in use is garbage: a volume that grows.
        Garbage = "garbage",
        /// A page of the host is next, `gc.low` or fewer blocks are free, and a full block has garbage: a controller
        /// that keeps a reserve.
        EachPage = "each-page",
    }
}

crate::choices! {
    /// When a frontier gets a block, where GC starts before each page.
    pub enum Opens {
        /// A page needs it.
        OnDemand = "on-demand",
        /// At the start, and as soon as the block before is full.
        Ahead = "ahead",
    }
}
