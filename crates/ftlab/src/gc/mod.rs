//! Victim selection: which closed block garbage collection takes next. One file a policy.

mod cost_benefit;
mod d_choices;
mod fifo;
mod greedy;

use crate::config::{GcConfig, Policy};
use crate::rng::Rng;
use crate::units::Pbn;

/// A registered policy.
#[derive(Clone, Copy, Debug)]
pub struct PolicyEntry {
    /// The name, the value of `gc.policy`.
    pub name: &'static str,
    /// One line for lists.
    pub summary: &'static str,
    /// Where it comes from.
    pub source: &'static str,
}

/// All policies.
pub const POLICIES: &[PolicyEntry] = &[
    PolicyEntry {
        name: "greedy",
        summary: "fewest valid pages, lowest block number among equals",
        source: "FlashSim, TPFTL, DLOOP",
    },
    PolicyEntry {
        name: "cost-benefit",
        summary: "largest age x (1 - u) / 2u",
        source: "Gupta et al., DFTL, ASPLOS 2009",
    },
    PolicyEntry {
        name: "fifo",
        summary: "the block closed longest ago",
        source: "Desnoyers, SYSTOR 2012",
    },
    PolicyEntry {
        name: "random",
        summary: "any closed block",
        source: "Van Houdt, SIGMETRICS 2013",
    },
    PolicyEntry {
        name: "d-choices",
        summary: "fewest valid pages among gc.choices random blocks",
        source: "Van Houdt, SIGMETRICS 2013",
    },
];

/// What a policy is told about the closed blocks of a device, and what it answers.
trait VictimPolicy {
    /// A block was filled; it has `valid` valid pages.
    fn close(&mut self, pbn: Pbn, valid: u32, now: u64);
    /// A page of a closed block was invalidated; `valid` are left.
    fn shrink(&mut self, pbn: Pbn, valid: u32, now: u64);
    /// A closed block with `valid` valid pages is a candidate no more.
    fn remove(&mut self, pbn: Pbn, valid: u32);
    /// The block to collect; it stays a candidate until removed.
    fn choose(&mut self, now: u64) -> Option<Pbn>;
}

/// The closed blocks of a device under the policy of its configuration.
#[derive(Clone, Debug)]
pub enum Victims {
    /// Fewest valid pages.
    Greedy(greedy::Greedy),
    /// Largest age x (1 - u) / 2u.
    CostBenefit(cost_benefit::CostBenefit),
    /// Closed longest ago.
    Fifo(fifo::Fifo),
    /// Random, or the best of a few random blocks.
    DChoices(d_choices::DChoices),
}

macro_rules! dispatch {
    ($self:ident, $policy:ident => $call:expr) => {
        match $self {
            Victims::Greedy($policy) => $call,
            Victims::CostBenefit($policy) => $call,
            Victims::Fifo($policy) => $call,
            Victims::DChoices($policy) => $call,
        }
    };
}

impl Victims {
    /// No closed blocks, on a device of `blocks` blocks.
    #[must_use]
    pub fn new(gc: &GcConfig, blocks: u32, pages_per_block: u32, seed: u64) -> Self {
        let sampled = |choices| {
            Victims::DChoices(d_choices::DChoices::new(blocks, choices, Rng::new(seed, "gc")))
        };
        match gc.policy {
            Policy::Greedy => Victims::Greedy(greedy::Greedy::new(blocks, pages_per_block)),
            Policy::CostBenefit => {
                Victims::CostBenefit(cost_benefit::CostBenefit::new(blocks, pages_per_block))
            }
            Policy::Fifo => Victims::Fifo(fifo::Fifo::new(blocks)),
            Policy::Random => sampled(1),
            Policy::DChoices => sampled(gc.choices),
        }
    }

    /// A block was filled; it has `valid` valid pages. `now` counts page programs.
    pub fn close(&mut self, pbn: Pbn, valid: u32, now: u64) {
        dispatch!(self, policy => policy.close(pbn, valid, now));
    }

    /// A page of a closed block was invalidated; `valid` are left.
    #[inline]
    pub fn shrink(&mut self, pbn: Pbn, valid: u32, now: u64) {
        dispatch!(self, policy => policy.shrink(pbn, valid, now));
    }

    /// A closed block with `valid` valid pages is a candidate no more.
    pub fn remove(&mut self, pbn: Pbn, valid: u32) {
        dispatch!(self, policy => policy.remove(pbn, valid));
    }

    /// The block to collect; it stays a candidate until removed.
    pub fn choose(&mut self, now: u64) -> Option<Pbn> {
        dispatch!(self, policy => policy.choose(now))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn victims(policy: Policy) -> Victims {
        Victims::new(&GcConfig { policy, ..GcConfig::default() }, 100, 8, 1)
    }

    /// Blocks 7, 3 and 5 are closed in this order; 3 and 5 lose pages.
    fn three_blocks(policy: Policy) -> Victims {
        let mut victims = victims(policy);
        victims.close(Pbn(7), 6, 10);
        victims.close(Pbn(3), 6, 20);
        victims.close(Pbn(5), 6, 30);
        victims.shrink(Pbn(5), 5, 40);
        victims.shrink(Pbn(3), 5, 41);
        victims
    }

    #[test]
    fn greedy_takes_the_fewest_valid_pages_and_then_the_lowest_block() {
        let mut victims = three_blocks(Policy::Greedy);
        assert_eq!(victims.choose(50), Some(Pbn(3)));
        victims.shrink(Pbn(5), 4, 51);
        assert_eq!(victims.choose(52), Some(Pbn(5)));
        victims.remove(Pbn(5), 4);
        victims.remove(Pbn(3), 5);
        assert_eq!(victims.choose(53), Some(Pbn(7)));
        victims.remove(Pbn(7), 6);
        assert_eq!(victims.choose(54), None);
    }

    #[test]
    fn fifo_takes_the_block_closed_first() {
        let mut victims = three_blocks(Policy::Fifo);
        assert_eq!(victims.choose(50), Some(Pbn(7)));
        victims.remove(Pbn(7), 6);
        assert_eq!(victims.choose(50), Some(Pbn(3)));
    }

    /// Scores at 50: block 7: 40 x 2/12; block 5: 10 x 3/10; block 3: 9 x 3/10.
    #[test]
    fn cost_benefit_weighs_age_against_valid_pages() {
        let mut victims = three_blocks(Policy::CostBenefit);
        assert_eq!(victims.choose(50), Some(Pbn(7)));
        victims.remove(Pbn(7), 6);
        assert_eq!(victims.choose(50), Some(Pbn(5)));
        for valid in (0..5).rev() {
            victims.shrink(Pbn(3), valid, 49);
        }
        assert_eq!(victims.choose(50), Some(Pbn(3)), "an empty block costs nothing");
    }

    #[test]
    fn random_is_fair_and_many_choices_are_greedy() {
        let mut victims = three_blocks(Policy::Random);
        let mut drawn = [0; 100];
        (0..3000).for_each(|_| drawn[victims.choose(50).expect("three blocks").index()] += 1);
        assert!([3, 5, 7].iter().all(|b: &usize| (900..1100).contains(&drawn[*b])), "{drawn:?}");
        let mut victims = three_blocks(Policy::DChoices);
        victims.shrink(Pbn(7), 0, 45);
        let hits = (0..1000).filter(|_| victims.choose(50) == Some(Pbn(7))).count();
        assert!(hits > 950, "10 draws of 3 miss one of them in 2 %: {hits}");
    }
}
