//! MiDAS (Oh et al., FAST 2024): a chain of groups whose sizes a model chooses.
//!
//! Idea     pages of the host go to a hot group if a filter of two bits says so, and to group 1 if not. What is valid in
//!          a victim goes to the next group, and of the last to itself. Groups are queues with target sizes: the first
//!          that is too long gives its oldest block. In the last group cost-benefit chooses. Sizes come from a model:
//!          over a window, intervals between writes of one page in a hundred are counted. A search then finds the sizes
//!          for which a Markov chain writes least. They are taken if that is less than what was written lately. A
//!          group whose victims have 10 % more valid pages than expected is merged with all behind it, as is one in
//!          which GC finds no room in 25 victims. The last group is then spread over four levels, as at the start.
//! RAM      2 bits per logical page, 8 B for one page in a hundred, 8 B per unit of the window, 9 B per block.
//! Role     it names its victims, so `gc.policy` has no say and must be `greedy`. It needs blocks of one pool.
//! Departs  the search runs at once, not on another core: runs repeat. A group that goes leaves its open block to the
//!          last one; the program of the authors copies its pages, or counts it as full. After a search without use the
//!          model begins anew; there it ends for good.

mod chain;
mod hot;
mod intervals;
mod search;

use super::{Collected, Filled, Layout, Lying, Moved, Separation, SeparationDesign, Spec, Written};
use crate::units::{Lpn, Pbn, Ratio};
use chain::Chain;
use hot::{FIRST_GROUP, HOT_GROUP, HotFilter};
use intervals::Intervals;
use search::{Known, Plan, search};
use std::collections::BTreeMap;

crate::settings! {
    /// `MiDAS`'s own parameters.
    pub struct MidasConfig in "midas" {
        /// Groups, the hot one and the last one included.
        groups: u32 = 10, in 3..=13, unit "groups", laws [3, 5, 10], source "Oh et al., FAST 2024: its program";
        /// Length of the window in which intervals are counted, in capacities of the device.
        window: Ratio = Ratio(4.0), in 0.1..=64.0, laws [0.1, 0.5].map(Ratio),
            source "Oh et al., FAST 2024: its program";
        /// What is written before the first window, in logical capacities.
        wait: Ratio = Ratio(2.0), in 0.0..=1000.0, laws [0.0, 0.5].map(Ratio),
            source "Oh et al., FAST 2024: its program";
        /// One page in this number is watched for its intervals.
        sampling: u32 = 100, in 1..=1_000_000, unit "pages", laws [1, 10],
            source "Oh et al., FAST 2024: its program";
    }
}

/// Units of the distribution in a block.
const UNITS: u32 = 4;
/// Blocks that remain free, for which no group has a size.
const FREE: u32 = 4;
/// Victims after which GC of one page is irregular.
const IRREGULAR: u32 = 25;
/// Share of a window after which valid pages are compared with the plan.
const PATIENCE: f64 = 0.3;
/// By how much the share of valid pages may exceed the plan.
const ERROR: f64 = 0.1;
/// Errors, one after another, after which the window is doubled.
const ERRORS: u32 = 2;
/// Share of valid pages in hot victims with which no sizes are sought: of several blocks, and of one.
const HOT_VALID: [f64; 2] = [0.18, 0.3];
/// Share of the device that must have no garbage to count as never written.
const STILL: f64 = 0.2;

/// Names of the full blocks of each group.
const BLOCKS: [&str; 13] = [
    "midas.blocks_0",
    "midas.blocks_1",
    "midas.blocks_2",
    "midas.blocks_3",
    "midas.blocks_4",
    "midas.blocks_5",
    "midas.blocks_6",
    "midas.blocks_7",
    "midas.blocks_8",
    "midas.blocks_9",
    "midas.blocks_10",
    "midas.blocks_11",
    "midas.blocks_12",
];

/// Pages that the host wrote, and that GC moved.
#[derive(Clone, Copy, Debug, Default)]
struct Progress {
    written: u64,
    moved: u64,
}

/// Victims of the groups, compared with a plan.
#[derive(Clone, Debug)]
struct Check {
    plan: Plan,
    /// Groups that gave a victim since the plan was made.
    collected: Vec<bool>,
    /// Whether all have: only then victims count.
    is_on: bool,
    /// Page writes that counted.
    writes: u64,
    /// By group: shares of valid pages together, and victims.
    valid: Vec<(f64, u32)>,
}

impl Check {
    fn of(plan: Plan) -> Self {
        let groups = plan.sizes.len();
        Check {
            plan,
            collected: vec![false; groups],
            is_on: false,
            writes: 0,
            valid: vec![(0.0, 0); groups],
        }
    }

    /// A group gave a victim with a share of valid pages.
    fn victim(&mut self, group: usize, level: u8, valid: f64) {
        if self.is_on {
            if let Some((shares, victims)) = self.valid.get_mut(usize::from(level)) {
                *shares += valid;
                *victims += 1;
            }
            return;
        }
        if let Some(collected) = self.collected.get_mut(group) {
            *collected = true;
        }
        self.is_on = self.collected.iter().all(|collected| *collected);
    }

    /// The first of some groups behind the hot one in whose victims too much is valid. It counts anew.
    fn error(&mut self, groups: usize) -> Option<usize> {
        let exceeds = |group: &usize| {
            let (shares, victims) = self.valid[*group];
            shares / f64::from(victims) - self.plan.valid[*group] >= ERROR
        };
        let found = (1..groups.min(self.valid.len())).find(exceeds);
        self.writes = 0;
        self.valid.fill((0.0, 0));
        found
    }

    /// Whether a group is in the first half of the chain.
    const fn is_early(&self, group: usize) -> bool {
        group <= self.plan.sizes.len() / 2
    }
}

/// Groups whose sizes a model chooses.
#[derive(Clone, Debug)]
pub struct Midas {
    layout: Layout,
    groups: u8,
    chain: Chain,
    filter: HotFilter,
    intervals: Intervals,
    /// The block of each page with data.
    places: Vec<Option<Pbn>>,
    live: u32,
    /// Page writes of the host.
    now: u64,
    /// Since the last capacity of page writes.
    progress: Progress,
    /// Write amplification of the capacity of page writes before, infinite at first.
    lately: f64,
    check: Option<Check>,
    /// Errors of the plan in force, and plans in turn that had some.
    has_erred: bool,
    errors: u32,
    /// The group that the last victim was named for, and the level of its pages.
    victim_of: usize,
    collecting: u8,
    /// Victims since the host wrote a page.
    victims: u32,
    is_irregular: bool,
    searches: u64,
    plans: u64,
    merges: u64,
}

impl SeparationDesign for Midas {
    type Settings = MidasConfig;

    const SPEC: Spec = Spec {
        name: "midas",
        summary: "a chain of groups whose sizes a model chooses; it names its victims",
        source: "Oh et al., FAST 2024",
    };

    fn build(layout: &Layout, own: MidasConfig) -> Self {
        let Layout { logical_pages, pages_per_block, blocks, .. } = *layout;
        let unit = unit(layout);
        let capacity = f64::from(blocks) * f64::from(pages_per_block);
        let window = (capacity * own.window.0 / f64::from(unit)).max(1.0);
        let window = window.min(f64::from(u32::MAX / unit - 1)) as u32;
        let wait = (f64::from(logical_pages) * own.wait.0) as u64;
        Midas {
            layout: *layout,
            groups: own.groups as u8,
            chain: Chain::new(blocks, pages_per_block, own.groups as u8),
            filter: HotFilter::new(logical_pages),
            intervals: Intervals::new(logical_pages, own.sampling, unit, window, wait),
            places: vec![None; logical_pages as usize],
            live: 0,
            now: 0,
            progress: Progress::default(),
            lately: f64::INFINITY,
            check: None,
            has_erred: false,
            errors: 0,
            victim_of: 0,
            collecting: 0,
            victims: 0,
            is_irregular: false,
            searches: 0,
            plans: 0,
            merges: 0,
        }
    }
}

/// Pages of a unit of the distribution.
fn unit(layout: &Layout) -> u32 {
    (layout.pages_per_block / UNITS).max(1)
}

impl Midas {
    /// Pages of the device.
    fn capacity(&self) -> u64 {
        u64::from(self.layout.blocks) * u64::from(self.layout.pages_per_block)
    }

    fn merge(&mut self) {
        self.chain.merge();
        self.merges += 1;
        if self.chain.last() == 1 {
            self.check = None;
        }
    }

    /// At the end of a window: new sizes, if they are expected to write less than was written lately.
    fn choose_sizes(&mut self) {
        self.searches += 1;
        let hot = self.filter.measured();
        let most = HOT_VALID[usize::from(hot.blocks <= 1.0)];
        let sizes = self.chain.sizes();
        let in_last = sizes[sizes.len() - 1];
        if hot.valid > most || in_last == 0 {
            self.intervals.double();
            self.intervals.restart();
            return;
        }
        let pages = f64::from(self.layout.pages_per_block);
        let still = pages * (f64::from(self.chain.unwritten_blocks()) - 0.05 * f64::from(in_last));
        let still = if still < STILL * self.capacity() as f64 { 0.0 } else { still };
        let known = Known {
            blocks: self.layout.blocks.saturating_sub(FREE),
            pages_per_block: self.layout.pages_per_block,
            unit: unit(&self.layout),
            live: f64::from(self.live) - still,
            hot,
        };
        let plan = search(&self.intervals.distribution(), &known, self.groups.into());
        let erred = std::mem::take(&mut self.has_erred);
        match plan.filter(|plan| plan.write_amplification <= self.lately) {
            Some(plan) => {
                self.errors = if erred { self.errors + 1 } else { 0 };
                if self.errors >= ERRORS {
                    self.intervals.double();
                }
                self.chain.arrange(&plan.sizes);
                self.check = Some(Check::of(plan));
                self.plans += 1;
            }
            None => self.errors += u32::from(erred),
        }
        self.intervals.restart();
    }

    /// Compares victims with the plan now and then.
    fn check_plan(&mut self) {
        let patience =
            PATIENCE * f64::from(self.intervals.window()) * f64::from(unit(&self.layout));
        let groups = self.chain.last() + usize::from(!self.chain.is_spread());
        let Some(check) = self.check.as_mut().filter(|check| check.is_on) else { return };
        check.writes += 1;
        if check.writes as f64 <= patience {
            return;
        }
        if let Some(group) = check.error(groups) {
            self.has_erred |= check.is_early(group);
            self.chain.spread();
            while self.chain.last() > group {
                self.merge();
            }
        }
    }

    /// GC of one page finds no room: the groups from a level on are one.
    fn merge_from(&mut self, level: usize) {
        let last = self.chain.last();
        let mut level = level.min(last);
        if let Some(check) = &mut self.check {
            self.has_erred |= check.is_early(level);
            if !check.is_on {
                level = last - 1;
                check.is_on = true;
            }
        }
        if last == 1 {
            return;
        }
        while self.chain.last() + 1 > level && self.chain.last() > 1 {
            self.merge();
        }
        self.chain.spread();
    }
}

impl Separation for Midas {
    fn classes(&self) -> u8 {
        chain::classes(self.groups)
    }

    fn spread(&self) -> u8 {
        1
    }

    fn of_write(&mut self, page: Written) -> u8 {
        self.victims = 0;
        if self.progress.written >= self.capacity() {
            let Progress { written, moved } = std::mem::take(&mut self.progress);
            self.lately = (written + moved) as f64 / written as f64;
        }
        if self.intervals.wrote(page.lpn) {
            self.choose_sizes();
        }
        self.check_plan();
        if let Some(block) = self.places[page.lpn.index()] {
            let (level, age) = (self.chain.level(block), self.chain.age(block, self.now));
            self.filter.overwritten(page.lpn, level, age, self.chain.hot_blocks());
        }
        self.chain.class(self.filter.group(page.lpn))
    }

    fn of_move(&mut self, page: Moved) -> u8 {
        if self.collecting <= FIRST_GROUP {
            self.filter.moved(page.lpn, self.collecting, self.chain.hot_blocks());
        }
        self.chain.class(self.chain.next(self.collecting))
    }

    fn collected(&mut self, victim: Collected) {
        let level = self.chain.level(victim.block);
        let valid = f64::from(victim.valid) / f64::from(self.layout.pages_per_block);
        if level == HOT_GROUP {
            self.filter.collected(self.chain.age(victim.block, self.now), valid);
        }
        if let Some(check) = &mut self.check {
            check.victim(self.victim_of, level, valid);
        }
        self.chain.collected(victim.block);
        self.collecting = level;
        self.victims += 1;
        self.is_irregular = self.victims.is_multiple_of(IRREGULAR);
    }

    fn placed(&mut self, page: Lying, is_moved: bool) {
        self.chain.placed(page.block, page.class);
        self.places[page.lpn.index()] = Some(page.block);
        if is_moved {
            self.progress.moved += 1;
        } else {
            self.progress.written += 1;
            self.now += 1;
            self.live += 1;
        }
    }

    fn died(&mut self, page: Lying) {
        self.places[page.lpn.index()] = None;
        self.live -= 1;
        self.chain.died(page.block);
    }

    fn filled(&mut self, Filled { block, class }: Filled) {
        self.chain.filled(block, class, self.now);
    }

    fn trimmed(&mut self, lpn: Lpn) {
        self.intervals.trimmed(lpn);
    }

    fn names_victims(&self) -> bool {
        true
    }

    fn victim(&mut self) -> Option<Pbn> {
        if std::mem::take(&mut self.is_irregular) {
            self.merge_from(self.chain.next(self.collecting).into());
        }
        let (group, block) = self.chain.victim(self.now)?;
        self.victim_of = group;
        Some(block)
    }

    fn full_blocks(&self) -> Vec<(Pbn, u32)> {
        self.chain.full_blocks()
    }

    fn watches_blocks(&self) -> bool {
        true
    }

    fn uses_ages(&self) -> bool {
        false
    }

    fn ram(&self) -> u64 {
        self.filter.ram() + self.intervals.ram() + 9 * u64::from(self.layout.blocks)
    }

    fn counts(&self) -> BTreeMap<&'static str, u64> {
        let sizes = self.chain.sizes();
        let blocks = BLOCKS.iter().copied().zip(sizes.into_iter().map(u64::from));
        let own = [
            ("midas.groups", self.chain.last() as u64 + 1),
            ("midas.searches", self.searches),
            ("midas.plans", self.plans),
            ("midas.merges", self.merges),
        ];
        blocks.chain(own).collect()
    }

    fn reset_counts(&mut self) {
        (self.searches, self.plans, self.merges) = (0, 0, 0);
    }
}
