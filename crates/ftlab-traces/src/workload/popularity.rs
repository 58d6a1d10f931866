//! How often the pages of a stationary workload are written, as its pattern says.
//!
//! `rand`, `zipf` and `hotcold` draw each request without a memory. What comes next then depends on nothing but these
//! shares. Ranks of Zipf's law that are written almost equally often are taken together.

use super::config::{Plan, WorkloadConfig, check};
use super::pattern::Pattern;
use super::place::hot_slots;
use super::zipf::mass;
use crate::error::Error;
use crate::units::Bytes;

/// Ranks of Zipf's law that are groups of their own. Behind them a group has one rank for each 512 before it.
const SINGLE_RANKS: u64 = 512;

/// Pages that are written equally often.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PageGroup {
    /// How many.
    pub pages: u64,
    /// Their share of the writes.
    pub writes: f64,
}

impl WorkloadConfig {
    /// The pages that requests of this size write, by how often they are written.
    ///
    /// # Errors
    /// [`Error::Config`] when a setting is wrong, or when requests depend on those before them.
    pub fn popularity(&self, page_bytes: u64) -> Result<Vec<PageGroup>, Error> {
        let plan = self.plan()?;
        let is_known = match plan.pattern {
            Pattern::Rand | Pattern::RandRead | Pattern::RandWrite | Pattern::RandRw => {
                !plan.random_map
            }
            Pattern::Zipf | Pattern::HotCold => true,
            _ => false,
        };
        let what = if plan.random_map { "a random map" } else { plan.pattern.name() };
        let expected = "rand, zipf or hotcold, whose requests do not depend on those before them";
        check("pattern", is_known, &what, expected)?;
        let is_page = plan.sizes.iter().all(|(size, _)| u64::from(*size) == page_bytes);
        let (found, page) = (Bytes(plan.longest()), Bytes(page_bytes));
        let expected = format!("requests of one page ({page})");
        check("bs", is_page && plan.align == page_bytes, &found, &expected)?;
        check("read_share", plan.read_share < 1.0, &plan.read_share, "writes")?;
        Ok(groups(&plan))
    }
}

fn groups(plan: &Plan) -> Vec<PageGroup> {
    let slots = plan.slots();
    match plan.pattern {
        Pattern::Zipf => zipf(slots, plan.zipf_theta),
        Pattern::HotCold => {
            let hot = hot_slots(plan);
            let writes = if hot == slots { 1.0 } else { plan.hot_access };
            let groups = [
                PageGroup { pages: hot, writes },
                PageGroup { pages: slots - hot, writes: 1.0 - writes },
            ];
            groups.into_iter().filter(|group| group.pages > 0).collect()
        }
        _ => vec![PageGroup { pages: slots, writes: 1.0 }],
    }
}

fn zipf(slots: u64, theta: f64) -> Vec<PageGroup> {
    let mut groups = Vec::new();
    let mut done = 0;
    while done < slots {
        let pages = (1 + done / SINGLE_RANKS).min(slots - done);
        groups.push(PageGroup { pages, writes: mass(done + 1..=done + pages, theta) });
        done += pages;
    }
    let all: f64 = groups.iter().map(|group| group.writes).sum();
    groups.iter_mut().for_each(|group| group.writes /= all);
    groups
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::powf;
    use crate::units::Ratio;

    fn config(pattern: Pattern) -> WorkloadConfig {
        WorkloadConfig { pattern, size: Some(Bytes(40_000 * 4096)), ..WorkloadConfig::default() }
    }

    fn total(groups: &[PageGroup]) -> (u64, f64) {
        let writes = groups.iter().map(|group| group.writes).sum();
        (groups.iter().map(|group| group.pages).sum(), writes)
    }

    #[test]
    fn every_page_and_every_write_is_in_a_group() {
        for pattern in [Pattern::Rand, Pattern::Zipf, Pattern::HotCold] {
            let (pages, writes) = total(&config(pattern).popularity(4096).expect("a law"));
            assert_eq!(pages, 40_000, "{pattern:?}");
            assert!((writes - 1.0).abs() < 1e-12, "{pattern:?}: {writes}");
        }
    }

    #[test]
    fn ranks_have_the_weights_of_the_law() {
        let theta = 0.9;
        let groups = WorkloadConfig { zipf_theta: theta, ..config(Pattern::Zipf) }
            .popularity(4096)
            .expect("a law");
        let weight = |rank: u64| powf(rank as f64, -theta);
        let all: f64 = (1..=40_000).map(weight).sum();
        let mut rank = 1;
        for group in groups {
            let expected = (rank..rank + group.pages).map(weight).sum::<f64>() / all;
            assert!((group.writes / expected - 1.0).abs() < 1e-6, "at rank {rank}");
            rank += group.pages;
        }
    }

    #[test]
    fn the_hot_part_is_that_of_the_pattern() {
        let config = WorkloadConfig {
            hot_share: Ratio(0.1),
            hot_access: Ratio(0.9),
            ..config(Pattern::HotCold)
        };
        let expected = [(4_000, 0.9), (36_000, 1.0 - 0.9)];
        let expected = expected.map(|(pages, writes)| PageGroup { pages, writes });
        assert_eq!(config.popularity(4096).expect("two parts"), expected);
    }

    #[test]
    fn what_has_no_such_shares_is_refused() {
        let passes = WorkloadConfig { random_map: true, ..config(Pattern::Rand) };
        let large = WorkloadConfig { bs: Bytes(8192), ..config(Pattern::Rand) };
        for (config, key) in [
            (config(Pattern::Seq), "workload.pattern"),
            (passes, "workload.pattern"),
            (large, "workload.bs"),
            (config(Pattern::RandRead), "workload.read_share"),
        ] {
            let told = config.popularity(4096).expect_err("no such shares").to_string();
            assert!(told.contains(key), "{told}");
        }
    }
}
