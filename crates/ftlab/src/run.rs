//! Settings of a run itself: what comes before measuring, and what is watched.

use crate::address::AddressPolicy;
use crate::warmup::{WINDOWS, Warmup};

crate::settings! {
    /// How a run is prepared and measured.
    pub struct RunConfig in "run" {
        /// What happens before measuring starts.
        warmup: Warmup = Warmup::NONE, source "choices.md#warmup";
        /// Windows after which a warm-up until steady gives up.
        warmup_limit: u32 = 50, in WINDOWS as u32..=100_000, unit "windows",
            source "ours: at least 25 capacities of writes, where uniform writes need less than 10";
        /// How volumes share the device.
        address: AddressPolicy = AddressPolicy::Compact, source "choices.md#volumes";
        /// Seed of everything random.
        seed: u64 = 1, source "ours";
        /// Whether the version of every page read is compared with the last one written.
        verify: bool = true, source "ours";
        /// Requests between two checks of every invariant; 0 means only at the end.
        audit: u64 = 0, unit "requests", source "ours";
        /// Whether the FTL is mounted when all is measured, as after a power cut, on a copy of the device. Those that
        /// obey ftl.power_safe are mounted with that alone.
        recovery: bool = false, source "ours";
        /// Page accesses between two looks into the mapping cache, each a walk over it; 0 means never.
        samples: u64 = 0, unit "page accesses", source "ours";
        /// Whether service and waiting times are divided by what they are spent on (`ftlab explain`).
        causes: bool = false, source "ours";
        /// Flash operations whose times are kept, at most.
        timeline: u32 = 0, unit "operations", source "ours";
        /// Flash operations of the measured phase before these.
        timeline_from: u64 = 0, unit "operations", source "ours";
    }
}
