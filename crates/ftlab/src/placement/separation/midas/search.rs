//! The sizes of the groups: a model of what a chain of groups writes, and a search for the best sizes.
//!
//! A group of `s` blocks with the share `t` of the traffic keeps a page for `s / t` block writes of the host. What is
//! overwritten in that time, by the distribution of intervals, is not valid in its victims. The last group takes the
//! rest, and writes what greedy does to pages of two temperatures (Desnoyers, TOS 2014).
//!
//! The search adds groups one at a time, with the best size of each, and fits all sizes again in four rounds. Two
//! rules are those of the program of the authors. The two temperatures are means over all sizes that were tried. The live
//! pages of the hot group do not count while its own size is chosen.

use super::hot::HotGroup;
use crate::math::exp_m1;
use crate::model::{double_until, root};
use std::ops::Range;

/// Rounds in which all sizes are fitted again.
const ROUNDS: usize = 4;
/// Sizes of the hot group that are tried, in blocks.
const HOT_SIZES: Range<u32> = 1..30;
/// A larger hot group must save so much.
const HOT_GAIN: f64 = 0.05;
/// With more valid pages in victims, or with less traffic, the hot group keeps its size.
const HOT_VALID: f64 = 0.1;
const HOT_TRAFFIC: f64 = 0.15;
/// Intervals up to this share of their mean are hot in the last group.
const HOT_INTERVAL: f64 = 0.7;
/// The last group keeps one in ten blocks at least; the chain ends as much before the window.
const LAST_SHARE: u32 = 10;
/// More than this is no prediction.
const MOST_AMPLIFICATION: f64 = 100.0;

/// What is known when sizes are chosen.
#[derive(Clone, Copy, Debug)]
pub(super) struct Known {
    /// Blocks that groups may have.
    pub blocks: u32,
    pub pages_per_block: u32,
    /// Page writes of a unit of the distribution.
    pub unit: u32,
    /// Pages with data that are written now and then.
    pub live: f64,
    pub hot: HotGroup,
}

/// Sizes of groups.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Plan {
    /// Blocks of each group, its open one included.
    pub sizes: Vec<u32>,
    /// Expected share of valid pages in its victims.
    pub valid: Vec<f64>,
    pub write_amplification: f64,
}

/// The best sizes of the groups, the hot one in front, if three or more are of use.
pub(super) fn search(counts: &[f64], known: &Known, most_groups: usize) -> Option<Plan> {
    let mut search = Search::new(counts, known, most_groups - 1);
    let mut best = search.alone()?;
    best = search.add_groups(&best);
    for _ in 0..ROUNDS {
        best = search.fit_hot_group(best);
        best = search.fit_groups(best);
    }
    best.sizes.insert(0, search.hot.blocks);
    best.valid.insert(0, 0.0);
    (best.sizes.len() > 2).then_some(best)
}

/// What of the traffic goes to the hot group.
#[derive(Clone, Copy, Debug)]
struct HotShare {
    blocks: u32,
    /// Units that its pages spend there.
    units: usize,
    traffic: f64,
    /// Share of valid pages in its victims.
    valid: f64,
}

/// How the pages of the last group differ, over all sizes that were tried.
#[derive(Clone, Copy, Debug, Default)]
struct Temperatures {
    updates: f64,
    hot_updates: f64,
    /// Pages, to a factor: updates x interval.
    pages: f64,
    hot_pages: f64,
}

struct Search<'a> {
    known: &'a Known,
    /// Updates with intervals below each unit.
    updates: Vec<f64>,
    /// The sums of these.
    twice: Vec<f64>,
    /// Updates x interval, in blocks.
    times: Vec<f64>,
    /// Block writes of a unit.
    unit: f64,
    /// Groups of the chain behind the hot group.
    most_groups: usize,
    /// The hot group keeps its size.
    is_fixed: bool,
    hot: HotShare,
    temperatures: Temperatures,
}

impl<'a> Search<'a> {
    fn new(counts: &[f64], known: &'a Known, most_groups: usize) -> Self {
        let unit = f64::from(known.unit) / f64::from(known.pages_per_block);
        let running = |values: &mut dyn Iterator<Item = f64>| -> Vec<f64> {
            let sums = values.scan(0.0, |sum, value| {
                *sum += value;
                Some(*sum)
            });
            std::iter::once(0.0).chain(sums).collect()
        };
        let updates = running(&mut counts.iter().copied());
        let twice = running(&mut updates[1..].iter().copied());
        let times =
            counts.iter().zip(0_u32..).map(|(count, units)| count * f64::from(units) * unit);
        let times = running(&mut times.into_iter());
        let HotGroup { traffic, valid, blocks } = known.hot;
        let mut search = Search {
            known,
            updates,
            twice,
            times,
            unit,
            most_groups,
            is_fixed: valid > HOT_VALID || traffic < HOT_TRAFFIC,
            hot: HotShare { blocks: blocks as u32, units: 0, traffic, valid },
            temperatures: Temperatures::default(),
        };
        search.hot.units = search.index((blocks - 0.5) / traffic);
        search
    }

    fn total(&self) -> f64 {
        self.updates.last().copied().unwrap_or_default()
    }

    /// Units of the window.
    const fn window(&self) -> usize {
        self.updates.len() - 1
    }

    /// The first unit that begins at a time in blocks, or later.
    fn index(&self, time: f64) -> usize {
        ((time / self.unit).ceil().max(0.0) as usize).min(self.window())
    }

    /// Blocks that are kept free of the chain.
    const fn margin(&self) -> u32 {
        self.known.blocks / LAST_SHARE
    }

    /// The hot group with at least these blocks: pages that are overwritten within some units are in it.
    fn hot_share(&self, blocks: u32) -> Option<HotShare> {
        let shares = (1..=self.window()).map(|units| {
            let traffic = self.updates[units] / self.total();
            let blocks = (units as f64 * self.unit * traffic + 0.5).floor() as u32;
            HotShare { blocks, units, traffic, valid: 0.0 }
        });
        shares.into_iter().find(|share| share.blocks >= blocks)
    }

    /// The hot group and one other.
    fn alone(&mut self) -> Option<Plan> {
        if self.is_fixed {
            let sizes = vec![self.known.blocks.checked_sub(self.hot.blocks)?];
            let plan = self.plan(sizes, self.hot, false)?;
            return (plan.write_amplification <= MOST_AMPLIFICATION).then_some(plan);
        }
        let mut best: Option<Plan> = None;
        let mut tried = 0;
        for blocks in HOT_SIZES {
            if blocks <= tried {
                continue;
            }
            let Some(hot) = self.hot_share(blocks) else { break };
            tried = hot.blocks;
            let sizes = vec![self.known.blocks.saturating_sub(hot.blocks)];
            let Some(plan) = self.plan(sizes, hot, false) else { break };
            let most =
                best.as_ref().map_or(f64::INFINITY, |best| best.write_amplification - HOT_GAIN);
            if plan.write_amplification >= most {
                break;
            }
            (self.hot, best) = (hot, Some(plan));
        }
        best
    }

    /// Adds groups in front of the last, each with its best size.
    fn add_groups(&mut self, first: &Plan) -> Plan {
        let (mut best, mut latest) = (first.clone(), first.clone());
        let mut most = first.sizes[0].saturating_sub(self.margin());
        while latest.sizes.len() < self.most_groups {
            let group = latest.sizes.len() - 1;
            latest.sizes.insert(group, 0);
            let Some(found) = self.best_size(&latest.sizes, group, most, false) else { break };
            most -= found.sizes[group];
            latest = found;
            if latest.write_amplification < best.write_amplification {
                best = latest.clone();
            }
        }
        best
    }

    /// Chooses the size of the hot group again.
    fn fit_hot_group(&mut self, mut best: Plan) -> Plan {
        if self.is_fixed {
            return best;
        }
        let mut sizes = best.sizes.clone();
        let last = sizes.len() - 1;
        let rest = sizes[last] + self.hot.blocks;
        let mut tried = 0;
        for blocks in HOT_SIZES {
            if blocks <= tried {
                continue;
            }
            let Some(hot) = self.hot_share(blocks) else { break };
            tried = hot.blocks;
            sizes[last] = rest.saturating_sub(hot.blocks);
            let Some(plan) = self.plan(sizes.clone(), hot, false) else { break };
            if plan.write_amplification < best.write_amplification {
                (self.hot, best) = (hot, plan);
            }
        }
        best
    }

    /// Chooses the sizes of the other groups again, one after another, and that of one more.
    fn fit_groups(&mut self, mut best: Plan) -> Plan {
        for group in 0..self.most_groups - 1 {
            let mut sizes = best.sizes.clone();
            let last = sizes.len() - 1;
            if group < last {
                sizes[last] += std::mem::take(&mut sizes[group]);
            } else if sizes.len() < self.most_groups {
                sizes.insert(last, 0);
            } else {
                break;
            }
            let most = sizes[sizes.len() - 1].saturating_sub(self.margin());
            let found = self.best_size(&sizes, group, most, true);
            let is_better = |found: &Plan| found.write_amplification < best.write_amplification;
            match found.filter(is_better) {
                Some(found) => best = found,
                None if group >= last => break,
                None => {}
            }
        }
        best
    }

    /// The best size of a group below some blocks, which the last group gives.
    fn best_size(&mut self, sizes: &[u32], group: usize, most: u32, ends: bool) -> Option<Plan> {
        let mut best: Option<Plan> = None;
        let last = sizes.len() - 1;
        for blocks in 1..most {
            let mut sizes = sizes.to_vec();
            sizes[group] = blocks;
            sizes[last] -= blocks;
            match self.plan(sizes, self.hot, true) {
                Some(plan) => {
                    let most = best.as_ref().map_or(f64::INFINITY, |best| best.write_amplification);
                    if plan.write_amplification < most {
                        best = Some(plan);
                    }
                }
                None if ends => break,
                None => {}
            }
        }
        best
    }

    /// What groups of these sizes write, if they can be. The live pages of the hot group count if `counts_hot` says so.
    fn plan(&mut self, sizes: Vec<u32>, hot: HotShare, counts_hot: bool) -> Option<Plan> {
        let total = self.total();
        let (mut past, mut left) = match self.is_fixed {
            true => ((f64::from(hot.blocks) - 0.5) / hot.traffic, total - self.updates[hot.units]),
            false => (hot.units as f64 * self.unit, total - self.updates[hot.units]),
        };
        let mut live = 0.0;
        if counts_hot || self.is_fixed {
            let share = if self.is_fixed { hot.traffic } else { 1.0 };
            let units = hot.units as f64;
            live += f64::from(self.known.unit) * share * (units - self.twice[hot.units] / total);
        }
        let mut traffic = 1.0 - hot.traffic * (1.0 - hot.valid);
        let mut flows = vec![traffic];
        let mut valid = Vec::with_capacity(sizes.len());
        let (last, chain) = sizes.split_last()?;
        let end = self.window() as f64 * self.unit - f64::from(self.margin());
        for blocks in chain {
            let time = (f64::from(*blocks) - 0.5) / traffic;
            if time.floor() + past >= end {
                return None;
            }
            let (from, to) = (self.index(past), self.index(past + time));
            let units = (to - from) as f64;
            let updates = self.updates[to] - self.updates[from];
            let gone = self.twice[to] - self.twice[from] - units * self.updates[from];
            live += f64::from(self.known.unit) * traffic * (units - gone / left);
            let share = 1.0 - updates / left;
            if share <= 0.0 {
                return None;
            }
            (left, past, traffic) = (left - updates, past + time, traffic * share);
            valid.push(share);
            flows.push(traffic);
        }
        valid.push(self.last_group(*last, past, live)?);
        let write_amplification = amplification(&flows, hot, valid[valid.len() - 1]);
        Some(Plan { sizes, valid, write_amplification })
    }

    /// The share of valid pages in victims of the last group, whose pages live longer than `past` blocks. `live` pages are
    /// in other groups.
    fn last_group(&mut self, blocks: u32, past: f64, live: f64) -> Option<f64> {
        let (window, from) = (self.window(), self.index(past));
        let updates = self.updates[window] - self.updates[from];
        let times = self.times[window] - self.times[from];
        let mean = if updates > 0.0 { times / updates } else { 0.0 };
        let hot = (((HOT_INTERVAL * mean / self.unit).floor() as usize + 1).min(window)).max(from);
        let all = &mut self.temperatures;
        all.updates += updates;
        all.hot_updates += self.updates[hot] - self.updates[from];
        all.pages += times;
        all.hot_pages += self.times[hot] - self.times[from];
        let (updates, pages) = (all.hot_updates / all.updates, all.hot_pages / all.pages);
        let in_last = self.known.live - live;
        if in_last <= 0.0 {
            return None;
        }
        let greedy = 1.0 + 0.5 / f64::from(self.known.pages_per_block);
        let space = f64::from(blocks) * f64::from(self.known.pages_per_block) / in_last;
        let amplification = of_two_temperatures(greedy * space, updates, pages)? / greedy;
        (amplification > 1.0).then(|| 1.0 - 1.0 / amplification)
    }
}

/// Pages written for each of the host: by traffic into each group of the chain.
fn amplification(flows: &[f64], hot: HotShare, last_valid: f64) -> f64 {
    let (first, rest) = (flows[0], &flows[1..]);
    let copies_of_hot = hot.traffic * hot.valid;
    let Some((last, chain)) = rest.split_last() else {
        return 1.0 + copies_of_hot + first * last_valid / (1.0 - last_valid);
    };
    1.0 + copies_of_hot + chain.iter().sum::<f64>() + last / (1.0 - last_valid)
}

/// Write amplification of pages in `space` times their room, where a share of the pages gets a share of the updates:
/// `1 + sum r / (exp(r space / (f W)) - 1) = W`.
fn of_two_temperatures(space: f64, updates: f64, pages: f64) -> Option<f64> {
    if !(space > 1.0 && updates.is_finite() && pages.is_finite()) {
        return None;
    }
    let copies = |updates: f64, pages: f64, w: f64| match updates > 0.0 && pages > 0.0 {
        true => updates / exp_m1(updates * space / (pages * w)),
        false => 0.0,
    };
    let excess =
        |w: f64| w - 1.0 - copies(updates, pages, w) - copies(1.0 - updates, 1.0 - pages, w);
    if excess(MOST_AMPLIFICATION * MOST_AMPLIFICATION) <= 0.0 {
        return None;
    }
    Some(root(1.0, double_until(2.0, excess), excess))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::exp;
    use crate::model::greedy_gc::fifo;

    #[test]
    fn equal_temperatures_are_uniform_writes() {
        for space in [1.05, 1.2, 2.0] {
            let found = of_two_temperatures(space, 0.3, 0.3).expect("room");
            assert!((found / fifo(1.0 / space) - 1.0).abs() < 1e-9, "{found} at {space}");
        }
        assert_eq!(of_two_temperatures(1.0, 0.3, 0.3), None, "no spare room");
    }

    #[test]
    fn a_chain_passes_on_what_is_valid() {
        let hot = HotShare { blocks: 1, units: 1, traffic: 0.25, valid: 0.2 };
        // 0.8 of the traffic enters, half of it goes on, then a quarter; of the last group half comes back.
        let found = amplification(&[0.8, 0.4, 0.1], hot, 0.5);
        assert!((found - (1.0 + 0.05 + 0.4 + 0.1 / 0.5)).abs() < 1e-12, "{found}");
        let alone = amplification(&[0.8], hot, 0.5);
        assert!((alone - (1.0 + 0.05 + 0.8)).abs() < 1e-12, "{alone}");
    }

    const KNOWN: Known = Known {
        blocks: 1000,
        pages_per_block: 64,
        unit: 16,
        live: 58_000.0,
        hot: HotGroup { traffic: 0.01, valid: 0.05, blocks: 1.0 },
    };

    /// Intervals of pages of which each hundredth is as hot as its rank says.
    fn skewed() -> Vec<f64> {
        let weights: f64 = (1..=100).map(|rank| 1.0 / f64::from(rank)).sum();
        let mut counts = vec![0.0; 16_000];
        for rank in 1..=100 {
            let share = 1.0 / f64::from(rank) / weights;
            // 580 pages, each written every 580 / share page writes.
            let mean = 580.0 / share / 16.0;
            for (units, count) in counts.iter_mut().enumerate() {
                *count +=
                    1e6 * share * (exp(-(units as f64) / mean) - exp(-(units as f64 + 1.0) / mean));
            }
        }
        counts
    }

    #[test]
    fn groups_that_are_found_write_less_than_one_and_fill_the_device() {
        let counts = skewed();
        let mut alone = Search::new(&counts, &KNOWN, 9);
        let one = alone.alone().expect("a size").write_amplification;
        let plan = search(&counts, &KNOWN, 10).expect("groups");
        assert!(plan.write_amplification < 0.95 * one, "{plan:?}, one group {one}");
        assert_eq!(plan.sizes.iter().sum::<u32>(), 1000);
        assert!((3..=10).contains(&plan.sizes.len()), "{plan:?}");
        let few = search(&counts, &KNOWN, 4).expect("groups");
        assert!(few.sizes.len() <= 4 && few.write_amplification >= plan.write_amplification);
    }

    #[test]
    fn without_updates_there_is_nothing_to_choose() {
        assert_eq!(search(&[0.0; 100], &KNOWN, 10), None);
    }
}
