//! Write amplification of a page-mapped device under random writes of single pages. The writes are
//! uniform, or differ between classes of pages.
//!
//! `u` is the share of pages that hold valid data: logical over physical pages. Physical pages are
//! only those that valid data may occupy when a victim is chosen ([`shared_frontier`],
//! [`separate_frontiers`]). All results are limits for many blocks.
//!
//! * FIFO: P. Desnoyers, Analytic modeling of SSD write performance, SYSTOR 2012; L. Xiang and
//!   B. Kurkoski, An improved analytical expression for write amplification in NAND flash, ICNC 2012.
//! * Random and d choices: B. Van Houdt, A mean field model for a class of garbage collection
//!   algorithms in flash-based solid state drives, SIGMETRICS 2013.
//! * Classes: P. Desnoyers, Analytic models of SSD write performance, ACM Transactions on Storage 10, 2014.
//! * Greedy: the fixed point of the same mean field for d to infinity, solved here in closed form;
//!   compare W. Bux and I. Iliadis, Performance of greedy garbage collection in flash-based
//!   solid-state drives, Performance Evaluation 67, 2010.
//! * Trims: T. Frankie, G. Hughes and K. Kreutz-Delgado, A mathematical model of the trim command in
//!   NAND-flash SSDs, ACM SE 2012.

use super::{double_until, root};
use crate::math::{exp, exp_m1, powi};

/// Random victims: `1 / (1 - u)`.
#[must_use]
pub fn random(u: f64) -> f64 {
    1.0 / (1.0 - u)
}

/// The block closed longest ago, whatever the block size: `1 / (1 - X)` with
/// `X = exp(-(1 - X) / u)`, X < 1.
#[must_use]
pub fn fifo(u: f64) -> f64 {
    // X = 1 is a root too; starting at u the iteration falls monotonically to the other one.
    let mut valid = u;
    loop {
        let next = exp(-(1.0 - valid) / u);
        if next >= valid {
            return 1.0 / (1.0 - valid);
        }
        valid = next;
    }
}

/// [`fifo`], where each class has a share of the logical pages and of the writes: `sum a_i / (1 - X_i)`.
///
/// A written page of class i is valid when its block is collected with `X_i = exp(-(a_i / s_i) t)`.
/// Here `t` is the number of writes for each logical page in between. These writes and the copies
/// fill the device: `t sum a_i / (1 - X_i) = 1 / u`. Under [`random`] victims classes change
/// nothing.
#[must_use]
pub fn fifo_of_classes(u: f64, classes: &[Class]) -> f64 {
    let amplification = |writes: f64| -> f64 {
        let written = classes.iter().filter(|class| class.writes > 0.0);
        written.map(|c| c.writes / -exp_m1(-c.writes / c.pages * writes)).sum()
    };
    // A class that is never written is copied each time.
    let still: f64 = classes.iter().filter(|class| class.writes == 0.0).map(|c| c.pages).sum();
    let excess = |writes: f64| writes * amplification(writes) + still - 1.0 / u;
    let high = double_until(1.0, excess);
    let writes = root(0.0, high, excess);
    amplification(writes) + still / writes
}

/// Pages that are written equally often.
#[derive(Clone, Copy, Debug)]
pub struct Class {
    /// Share of the logical pages.
    pub pages: f64,
    /// Share of the writes.
    pub writes: f64,
}

/// The block with the fewest valid pages; 1 where `u` is so small that victims are empty.
///
/// Victims have `m` or `m - 1` valid pages. With `H_k = 1 + 1/2 + ... + 1/k`, `m` is the integer for
/// which `f = (b u - m) / ((b - m) - m (H_b - H_m))` programs per block time leave a share
/// `n = 1 - f (H_b - H_m)` of blocks at level `m` with `0 <= m n <= f`; the answer is `f / u`.
#[must_use]
pub fn greedy(u: f64, pages_per_block: u32) -> f64 {
    let b = f64::from(pages_per_block);
    let mut harmonic_above = (1..=pages_per_block).map(|k| 1.0 / f64::from(k)).sum::<f64>();
    for level in 1..pages_per_block {
        let m = f64::from(level);
        harmonic_above -= 1.0 / m;
        let programs = (b * u - m) / ((b - m) - m * harmonic_above);
        let share = 1.0 - programs * harmonic_above;
        if programs > 0.0 && share >= -1e-12 && m * share <= programs + 1e-12 {
            return programs / u;
        }
    }
    1.0
}

/// The fewest valid pages among `choices` random blocks.
///
/// From the fullest level down, the share `n_j` of blocks with `j` valid pages solves
/// `j n_j = f (1 - (S + n_j)^d)`, where `S` is the share above; `f` is such that `sum j n_j = b u`.
#[must_use]
pub fn d_choices(u: f64, pages_per_block: u32, choices: u32) -> f64 {
    let wanted = f64::from(pages_per_block) * u;
    let excess = |f| valid_pages(f, pages_per_block, choices) - wanted;
    let high = double_until(1.0, excess);
    root(0.0, high, excess) / u
}

/// Mean valid pages of a block at `f` programs per block time.
fn valid_pages(f: f64, pages_per_block: u32, choices: u32) -> f64 {
    let (mut above, mut mean) = (0.0, 0.0);
    for level in (1..=pages_per_block).rev() {
        let j = f64::from(level);
        let flow = |share: f64| j * share - f * (1.0 - powi(above + share, choices as i32));
        let most = 1.0 - above;
        let share = if flow(most) <= 0.0 { most } else { root(0.0, most, flow) };
        above += share;
        mean += j * share;
    }
    mean
}

/// Share of logical pages in use when a share `trims < 1/2` of all operations trims a random page in
/// use and the others write a random page: `(1 - 2q) / (1 - q)`. It multiplies `u`.
#[must_use]
pub fn in_use_with_trims(trims: f64) -> f64 {
    (1.0 - 2.0 * trims) / (1.0 - trims)
}

/// The range of `u` on a finite device.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Utilization {
    /// Every page that is not in reserve counts as a candidate: an optimistic estimate.
    pub least: f64,
    /// Open blocks and their pages are left out: a pessimistic estimate.
    pub most: f64,
}

/// Host writes and copies share one open block, and collection starts when `reserve` blocks are
/// free: `u_1 = U / ((N - r) b)` to `u_2 = (U - b/2) / ((N - r - 1) b)`.
#[must_use]
pub fn shared_frontier(
    logical_pages: u32,
    blocks: u32,
    pages_per_block: u32,
    reserve: u32,
) -> Utilization {
    let b = f64::from(pages_per_block);
    let logical = f64::from(logical_pages);
    Utilization {
        least: logical / (f64::from(blocks - reserve) * b),
        most: (logical - b / 2.0) / (f64::from(blocks - reserve - 1) * b),
    }
}

/// Host writes and copies have an open block each, and collection starts when `reserve` blocks are
/// free: `U / ((N - t) b)` to `(U - b) / ((N - t - 2) b)`.
#[must_use]
pub fn separate_frontiers(
    logical_pages: u32,
    blocks: u32,
    pages_per_block: u32,
    reserve: u32,
) -> Utilization {
    let b = f64::from(pages_per_block);
    let logical = f64::from(logical_pages);
    Utilization {
        least: logical / (f64::from(blocks - reserve) * b),
        most: (logical - b) / (f64::from(blocks - reserve - 2) * b),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn assert_rounds_to(found: f64, expected: f64, decimals: i32) {
        let unit = powi(10.0, -decimals);
        assert!((found - expected).abs() <= 0.501 * unit, "found {found}, expected {expected}");
    }

    /// Spare factor; random, FIFO; greedy with 64, 128, 256 pages; d = 2 and 10 with 64 pages.
    /// Computed independently, with other root finders.
    const TABLE: [(f64, [f64; 7]); 5] = [
        (0.07, [14.286, 7.3177, 6.6155, 6.9450, 7.1240, 9.6354, 6.8939]),
        (0.10, [10.000, 5.1787, 4.8213, 4.9922, 5.0832, 6.8516, 5.0002]),
        (0.15, [6.667, 3.5187, 3.3536, 3.4344, 3.4759, 4.6475, 3.4636]),
        (0.25, [4.000, 2.2007, 2.1396, 2.1696, 2.1851, 2.8613, 2.1980]),
        (0.50, [2.000, 1.2550, 1.2389, 1.2469, 1.2509, 1.5262, 1.2612]),
    ];

    #[test]
    fn the_reference_table_is_reproduced() {
        for (spare, expected) in TABLE {
            let u = 1.0 - spare;
            assert_rounds_to(random(u), expected[0], 3);
            assert_rounds_to(fifo(u), expected[1], 4);
            for (pages, expected) in [64, 128, 256].into_iter().zip(&expected[2..5]) {
                assert_rounds_to(greedy(u, pages), *expected, 4);
            }
            assert_rounds_to(d_choices(u, 64, 2), expected[5], 4);
            assert_rounds_to(d_choices(u, 64, 10), expected[6], 4);
        }
    }

    #[test]
    fn classes_that_are_written_alike_are_one() {
        for (spare, _) in TABLE {
            let u = 1.0 - spare;
            let [hot, cold] = [0.2, 0.8].map(|share| Class { pages: share, writes: share });
            assert_rounds_to(fifo_of_classes(u, &[hot, cold]), fifo(u), 9);
        }
    }

    /// Cold pages without writes take their room from the others, and are copied once in each pass.
    /// The amplification is that of the other pages on the remaining device, plus the copies.
    #[test]
    fn what_is_never_written_is_copied_at_each_pass() {
        let classes = [Class { pages: 0.2, writes: 1.0 }, Class { pages: 0.8, writes: 0.0 }];
        let u = 0.8;
        let found = fifo_of_classes(u, &classes);
        // A pass writes 1 / u pages for each logical one, 0.8 of them copies of cold pages. The hot
        // pages are on a device of 1 / u - 0.8 = 0.45 pages, of which 0.2 are in use.
        let hot = fifo(0.2 / 0.45);
        assert_rounds_to(found, hot * (1.0 / u) / 0.45, 9);
    }

    /// Xiang & Kurkoski 2012 print 2.36 for 30 % over-provisioning.
    #[test]
    fn fifo_agrees_with_its_source() {
        assert_rounds_to(fifo(1.0 / 1.3), 2.36, 2);
    }

    #[test]
    fn one_choice_is_random_and_many_are_greedy() {
        for u in [0.5, 0.7, 0.9] {
            assert_rounds_to(d_choices(u, 32, 1), random(u), 9);
            let many = d_choices(u, 32, 100_000);
            assert!((many / greedy(u, 32) - 1.0).abs() < 1e-3, "{many} at {u}");
        }
    }

    #[test]
    fn large_blocks_make_greedy_fifo() {
        let gap = |pages| fifo(0.8) - greedy(0.8, pages);
        assert!(gap(64) > gap(512) && gap(512) > gap(4096) && gap(4096) > 0.0);
        assert!(gap(4096) < 0.005, "{}", gap(4096));
    }
}
