//! Oracles: what could be saved if the future were known.
//!
//! Idea     pages go together that die at about the same time. The rest of a page's life counts in page writes of the
//!          host, until it is written again or trimmed. Pages that never die go to the last class.
//!          ```text
//!          fk      class = rest / pages of a block       SepBIT's future knowledge
//!          nodap   class = bounds that the rest reaches  the oracle of NoDaP
//!          ```
//! RAM      4 B per logical page for its death. No device knows it: the whole input is read before.
//! Departs  with few classes `fk` is no bound: a scheme may move fewer pages. Of `nodap` only the outline is public. Its bounds are settings, and `gc.policy` chooses victims.

use super::{Layout, Moved, Separation, SeparationDesign, Spec, Written};
use crate::math::powi;
use crate::units::Ratio;
use std::fmt::Debug;
use std::marker::PhantomData;

crate::settings! {
    /// Parameters of the oracle by blocks.
    pub struct FkConfig in "fk" {
        /// Classes by the rest of a page's life.
        classes: u32 = 6, in 1..=16, laws [1, 3, 6], source "Wang et al., SepBIT, FAST 2022";
    }
}

crate::settings! {
    /// Parameters of the oracle by bounds.
    pub struct NodapConfig in "nodap" {
        /// Classes by the rest of a page's life.
        classes: u32 = 7, in 1..=16, laws [1, 3, 7], source "DOGI, FAST 2026";
        /// Rest of a life below which a page goes to the first class: a share of the logical pages, in page writes.
        first: Ratio = Ratio(0.01), in 0.0.., laws [0.0, 0.1, 1.0].map(Ratio), source "ours";
        /// Factor between the bounds of classes.
        growth: u32 = 4, in 1..=1024, laws [1, 4], source "ours";
    }
}

/// Future knowledge, with bounds by a rule.
#[derive(Clone, Debug)]
pub struct Oracle<Rule> {
    /// The rest of a life from which a page goes beyond each class but the last.
    bounds: Vec<f64>,
    logical_pages: u32,
    rule: PhantomData<Rule>,
}

/// Bounds that are blocks apart.
#[derive(Clone, Debug)]
pub struct Blocks;

/// Bounds that grow by a factor.
#[derive(Clone, Debug)]
pub struct Growing;

pub type Fk = Oracle<Blocks>;
pub type Nodap = Oracle<Growing>;

impl SeparationDesign for Fk {
    type Settings = FkConfig;

    const SPEC: Spec = Spec {
        name: "fk",
        summary: "an oracle: by when a page is written again, in blocks",
        source: "Wang et al., SepBIT, FAST 2022",
    };

    fn build(layout: &Layout, own: FkConfig) -> Self {
        let bound = |class: u32| f64::from(class) * f64::from(layout.pages_per_block);
        Oracle::of((1..own.classes).map(bound).collect(), layout)
    }
}

impl SeparationDesign for Nodap {
    type Settings = NodapConfig;

    const SPEC: Spec = Spec {
        name: "nodap",
        summary: "an oracle: by when a page is written again, with bounds that grow",
        source: "DOGI, FAST 2026",
    };

    fn build(layout: &Layout, own: NodapConfig) -> Self {
        let first = own.first.0 * f64::from(layout.logical_pages);
        let bound = |class: u32| first * powi(own.growth.into(), class as i32);
        Oracle::of((0..own.classes - 1).map(bound).collect(), layout)
    }
}

impl<Rule> Oracle<Rule> {
    fn of(bounds: Vec<f64>, layout: &Layout) -> Self {
        Oracle { bounds, logical_pages: layout.logical_pages, rule: PhantomData }
    }

    fn class(&self, rest: Option<u32>) -> u8 {
        let rest = rest.map_or(f64::INFINITY, f64::from);
        self.bounds.partition_point(|bound| rest >= *bound) as u8
    }
}

impl<Rule: Clone + Debug + Send + 'static> Separation for Oracle<Rule> {
    fn classes(&self) -> u8 {
        self.bounds.len() as u8 + 1
    }

    fn of_write(&mut self, page: Written) -> u8 {
        self.class(page.rest)
    }

    fn of_move(&mut self, page: Moved) -> u8 {
        self.class(page.rest)
    }

    fn asks_for_future(&self) -> bool {
        true
    }

    fn uses_ages(&self) -> bool {
        false
    }

    fn ram(&self) -> u64 {
        4 * u64::from(self.logical_pages)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_go_together_that_die_together() {
        let layout = Layout::of_pages(100);
        let rests = [Some(0), Some(3), Some(4), Some(15), Some(900), None];
        let fk = Fk::build(&layout, FkConfig { classes: 3 });
        assert_eq!(rests.map(|rest| fk.class(rest)), [0, 0, 1, 2, 2, 2], "blocks of four");
        let own = NodapConfig { classes: 4, first: Ratio(0.01), growth: 4 };
        let nodap = Nodap::build(&layout, own);
        assert_eq!(rests.map(|rest| nodap.class(rest)), [0, 1, 2, 2, 3, 3], "1, 4 and 16 pages");
    }
}
