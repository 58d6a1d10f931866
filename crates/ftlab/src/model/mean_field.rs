//! Write amplification where classes of pages are written at different rates and share blocks,
//! under victims with few valid pages. It is a mean field after B. Van Houdt, On the necessity of
//! hot and cold data identification to reduce the write amplification in flash-based SSDs,
//! Performance Evaluation 82, 2014.
//!
//! The state of a block is its number of valid hot and cold pages. A victim is the one with the
//! fewest valid pages among `choices` random blocks. It is filled again with its valid pages and
//! with writes of the host. As the number of blocks grows, the shares of blocks by state tend to a
//! fixed point, at which the flows into and out of each state are equal.

use super::greedy_gc::Class;
use super::root;
use crate::math::{exp, powi};

/// The most pages of a block: the number of states is its square.
pub const MOST_PAGES: u32 = 128;

/// A number of choices that equals greedy to a thousandth.
pub const GREEDY: u32 = 1000;

/// Rounds until the victims converge; each goes half of the way.
const MOST_ROUNDS: u32 = 5000;

/// Write amplification at utilisation `u` with two classes of pages, hot and cold, both written.
/// `None` if victims still change after the last round.
#[must_use]
pub fn of_classes(u: f64, pages_per_block: u32, choices: u32, classes: &[Class; 2]) -> Option<f64> {
    let field = Field::new(u, pages_per_block as usize, choices, *classes);
    let hot = u * classes[0].pages * field.pages as f64 / 2.0;
    let cold = u * classes[1].pages * field.pages as f64 / 2.0;
    let mut victims = field.nothing();
    victims[(hot + cold) as usize][hot as usize] = 1.0;
    let mut amplification = 0.0;
    for _ in 0..MOST_ROUNDS {
        let next = field.victims_after(&victims);
        for (old, new) in victims.iter_mut().flatten().zip(next.iter().flatten()) {
            *old = f64::midpoint(*old, *new);
        }
        let found = field.pages as f64 / field.gain(&victims);
        if (found / amplification - 1.0_f64).abs() < 1e-9 {
            return Some(found);
        }
        amplification = found;
    }
    None
}

struct Field {
    u: f64,
    pages: usize,
    choices: u32,
    /// Hot and cold.
    classes: [Class; 2],
    /// The probability that `k` of `n` pages of the host in a block are hot, as `[n][k]`.
    hot_writes: Vec<Vec<f64>>,
}

/// Shares of blocks by valid pages, and by how many of these are hot.
type States = Vec<Vec<f64>>;

impl Field {
    fn new(u: f64, pages: usize, choices: u32, classes: [Class; 2]) -> Self {
        let [hot, cold] = classes.map(|class| class.writes);
        let mut hot_writes = vec![vec![1.0]];
        for writes in 0..pages {
            let chances: &Vec<f64> = &hot_writes[writes];
            let kept = chances.iter().map(|chance| chance * cold).chain([0.0]);
            let gained = [0.0].into_iter().chain(chances.iter().map(|chance| chance * hot));
            hot_writes.push(kept.zip(gained).map(|(kept, gained)| kept + gained).collect());
        }
        Field { u, pages, choices, classes, hot_writes }
    }

    fn nothing(&self) -> States {
        (0..=self.pages).map(|valid| vec![0.0; valid + 1]).collect()
    }

    /// Pages of the host for which a victim makes room.
    fn gain(&self, victims: &States) -> f64 {
        let share = |valid: usize| victims[valid].iter().sum::<f64>();
        (0..=self.pages).map(|valid| share(valid) * (self.pages - valid) as f64).sum()
    }

    /// The victims, one for each block in the unit of time, if such victims are filled again.
    fn victims_after(&self, victims: &States) -> States {
        let writes = self.gain(victims);
        let [hot, cold] = self
            .classes
            .map(|class| class.writes * writes / (self.u * self.pages as f64 * class.pages));
        let (mut found, mut above) = (self.nothing(), 0.0);
        let mut inflow = self.filled(victims);
        for valid in (0..=self.pages).rev() {
            let dies = |number: usize| number as f64 * hot + (valid - number) as f64 * cold;
            let left = |rate: f64| -> Vec<f64> {
                inflow.iter().enumerate().map(|(i, flow)| flow / (dies(i) + rate)).collect()
            };
            // A level is chosen if all choices have at least as many valid pages, and not all of
            // them more.
            let excess = |log: f64| {
                let share: f64 = left(exp(log)).iter().sum();
                let all = |share: f64| powi(share, self.choices as i32);
                exp(log) * share - (all((above + share).min(2.0)) - all(above))
            };
            let rate = exp(root(-700.0, 50.0, excess));
            let blocks = left(rate);
            above += blocks.iter().sum::<f64>();
            found[valid] = blocks.iter().map(|share| rate * share).collect();
            let below = |i: usize| {
                blocks[i + 1] * (i + 1) as f64 * hot + blocks[i] * (valid - i) as f64 * cold
            };
            inflow = (0..valid).map(below).collect();
        }
        let all: f64 = found.iter().flatten().sum();
        found.iter_mut().flatten().for_each(|share| *share /= all);
        found
    }

    /// Full blocks by their hot pages: those of a victim, and those of the host that fill it.
    fn filled(&self, victims: &States) -> Vec<f64> {
        let mut full = vec![0.0; self.pages + 1];
        for (valid, shares) in victims.iter().enumerate() {
            let by_hot = &self.hot_writes[self.pages - valid];
            for (hot, share) in shares.iter().enumerate().filter(|(_, share)| **share > 1e-15) {
                for (more, chance) in by_hot.iter().enumerate() {
                    full[hot + more] += share * chance;
                }
            }
        }
        full
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::greedy_gc::{d_choices, greedy};

    fn classes(pages: f64, writes: f64) -> [Class; 2] {
        [Class { pages, writes }, Class { pages: 1.0 - pages, writes: 1.0 - writes }]
    }

    #[test]
    fn classes_that_are_written_alike_are_one() {
        for (u, pages) in [(0.7, 16), (0.85, 16), (0.75, 32)] {
            for share in [0.2, 0.5] {
                let alike = classes(share, share);
                let found = |choices| of_classes(u, pages, choices, &alike).expect("converges");
                let off = found(10) / d_choices(u, pages, 10) - 1.0;
                assert!(off.abs() < 1e-6, "{off} at {u}");
                let off = found(GREEDY) / greedy(u, pages) - 1.0;
                assert!(off.abs() < 2e-3, "{off} at {u}");
            }
        }
    }

    /// Another code follows the shares of blocks by state in time, in Euler steps, until they
    /// remain constant. Blocks have 64 pages, and a fifth of the pages gets four fifths of the
    /// writes.
    #[test]
    fn hot_pages_cost_what_another_code_finds() {
        for (choices, expected) in [(10, 3.808_564_3), (GREEDY, 3.724_180_6)] {
            let found = of_classes(870.0 / 1023.0, 64, choices, &classes(0.2, 0.8));
            let found = found.expect("converges");
            assert!((found / expected - 1.0).abs() < 1e-5, "{found}, expected {expected}");
        }
    }
}
