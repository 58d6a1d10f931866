//! Decides which groups are small.
//!
//! The adaptive rule compares two costs, in time of the flash:
//!
//! ```text
//! to the BMR  others x (read + program) + erase       the pages of the block beside the group
//! to the PMR  pages x cost                            the recent cost of GC for a page of the PMR
//! ```
//!
//! A group is small while the PMR is cheaper. The cost of GC is measured. GC on which a host waits
//! counts in full, GC in idle time by the configured weight. The threshold therefore follows the
//! workload: the number of pages of a block that meet, and the amount of idle time. It also follows
//! the state of the flash: the number of other pages of a block.

use crate::device::DeviceConfig;

/// One of this many groups for the BMR goes to the PMR all the same, so that its cost is measured.
const TRIAL: u64 = 64;

/// Commands that GC has issued.
#[derive(Clone, Copy, Debug, Default)]
pub struct Work {
    pub reads: u64,
    pub programs: u64,
    pub erases: u64,
}

impl Work {
    /// The sum of the work of both regions.
    pub const fn plus(self, other: Work) -> Work {
        Work {
            reads: self.reads + other.reads,
            programs: self.programs + other.programs,
            erases: self.erases + other.erases,
        }
    }

    /// The work done since `then`.
    pub const fn since(self, then: Work) -> Work {
        Work {
            reads: self.reads - then.reads,
            programs: self.programs - then.programs,
            erases: self.erases - then.erases,
        }
    }
}

/// The rule.
#[derive(Clone, Debug)]
pub struct Redirect {
    threshold: u32,
    adaptive: Option<Costs>,
}

/// Measured costs of GC, ns.
#[derive(Clone, Debug)]
struct Costs {
    read: f64,
    program: f64,
    erase: f64,
    idle_weight: f64,
    /// Pages of the host that went to the PMR, and the cost of GC meanwhile; both decay.
    pages: f64,
    gc: f64,
    window: f64,
    large: u64,
}

impl Redirect {
    /// A fixed threshold.
    pub const fn fixed(threshold: u32) -> Self {
        Redirect { threshold, adaptive: None }
    }

    /// The adaptive rule; it learns from about the last `window` pages.
    pub fn adaptive(device: &DeviceConfig, idle_weight: f64, window: u64) -> Self {
        let transfer = device.transfer_per_byte.0 * device.page.0;
        let costs = Costs {
            read: (device.read.0 + transfer) as f64,
            program: (device.program.0 + transfer) as f64,
            erase: device.erase.0 as f64,
            idle_weight,
            pages: 0.0,
            gc: 0.0,
            window: window as f64,
            large: 0,
        };
        Redirect { threshold: 0, adaptive: Some(costs) }
    }

    /// Whether the rule uses the number of other pages of a block.
    pub const fn is_adaptive(&self) -> bool {
        self.adaptive.is_some()
    }

    /// Whether a group goes to the PMR, given the number of other pages of its block.
    pub fn is_small(&mut self, pages: usize, others: usize) -> bool {
        let Some(costs) = &mut self.adaptive else { return pages <= self.threshold as usize };
        let bmr = others as f64 * (costs.read + costs.program) + costs.erase;
        if pages as f64 * costs.gc_per_page() <= bmr {
            return true;
        }
        costs.large += 1;
        costs.large.is_multiple_of(TRIAL)
    }

    /// Notes pages that go to the PMR.
    pub fn note_pages(&mut self, pages: usize) {
        if let Some(costs) = &mut self.adaptive {
            costs.pages += pages as f64;
            if costs.pages > 2.0 * costs.window {
                costs.pages /= 2.0;
                costs.gc /= 2.0;
            }
        }
    }

    /// Notes work of GC.
    pub fn note_gc(&mut self, done: Work, in_idle_time: bool) {
        if let Some(costs) = &mut self.adaptive {
            let spent = costs.read * done.reads as f64
                + costs.program * done.programs as f64
                + costs.erase * done.erases as f64;
            costs.gc += if in_idle_time { costs.idle_weight * spent } else { spent };
        }
    }

    /// The cost of GC for a page of the PMR, ns; 0 with a fixed threshold.
    pub fn gc_cost(&self) -> u64 {
        self.adaptive.as_ref().map_or(0, |costs| costs.gc_per_page() as u64)
    }
}

impl Costs {
    fn gc_per_page(&self) -> f64 {
        if self.pages > 0.0 { self.gc / self.pages } else { 0.0 }
    }
}
