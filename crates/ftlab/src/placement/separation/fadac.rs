//! FADaC, a self-adapting data classifier by fading averages (Kremer & Brinkmann, SYSTOR 2019), as the evaluation of
//! SepBIT has it (Wang et al., FAST 2022).
//!
//! Idea     each page has a count: the host's writes raise it, GC lowers it. The mean of all counts fades: a request of
//!          `n` pages moves it by `(n - mean) / pages in use`. Class `i` takes the pages with a count of up to `10^i` means.
//! RAM      4 B per logical page for its count.
//! Departs  the paper is known to us by that evaluation's program. Pages in use are those with data, and what is
//!          superseded in open blocks.

use super::{Layout, Moved, Requested, Separation, SeparationDesign, Spec, Written};
use crate::units::Lpn;

crate::settings! {
    /// FADaC's own parameters.
    pub struct FadacConfig in "fadac" {
        /// Classes by counts.
        classes: u32 = 6, in 1..=16, laws [1, 3, 6], source "Wang et al., SepBIT, FAST 2022";
        /// Factor between the counts that bound classes.
        growth: u32 = 10, in 2..=1024, laws [2, 10], source "Wang et al., SepBIT, FAST 2022";
    }
}

/// Separation by counts against their fading mean; the last class is the hottest.
#[derive(Clone, Debug)]
pub struct Fadac {
    counts: Vec<u32>,
    mean: f64,
    last: u8,
    growth: f64,
}

impl Fadac {
    fn class(&self, lpn: Lpn) -> u8 {
        let count = f64::from(self.counts[lpn.index()]);
        let mut bound = self.mean;
        let mut class = 0;
        while class < self.last && bound > 0.0 && count > bound {
            bound *= self.growth;
            class += 1;
        }
        class
    }
}

impl SeparationDesign for Fadac {
    type Settings = FadacConfig;

    const SPEC: Spec = Spec {
        name: "fadac",
        summary: "by the writes of a page against a fading mean (FADaC)",
        source: "Kremer & Brinkmann, SYSTOR 2019; Wang et al., SepBIT, FAST 2022",
    };

    fn build(layout: &Layout, own: FadacConfig) -> Self {
        Fadac {
            counts: vec![0; layout.logical_pages as usize],
            mean: 0.0,
            last: own.classes as u8 - 1,
            growth: own.growth.into(),
        }
    }
}

impl Separation for Fadac {
    fn classes(&self) -> u8 {
        self.last + 1
    }

    fn requested(&mut self, request: Requested) {
        if request.stored > 0 {
            let stored = f64::from(request.stored);
            self.mean = self.mean + f64::from(request.pages) / stored - self.mean / stored;
        }
    }

    fn of_write(&mut self, page: Written) -> u8 {
        let count = &mut self.counts[page.lpn.index()];
        *count = count.saturating_add(1);
        self.class(page.lpn)
    }

    fn of_move(&mut self, page: Moved) -> u8 {
        let count = &mut self.counts[page.lpn.index()];
        *count = count.saturating_sub(1);
        self.class(page.lpn)
    }

    fn trimmed(&mut self, lpn: Lpn) {
        self.counts[lpn.index()] = 0;
    }

    fn watches_blocks(&self) -> bool {
        true
    }

    fn uses_ages(&self) -> bool {
        false
    }

    fn ram(&self) -> u64 {
        4 * self.counts.len() as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn classes_are_powers_of_the_mean() {
        let own = FadacConfig { classes: 3, growth: 10 };
        let mut fadac = Fadac::build(&Layout::of_pages(8), own);
        let write = |fadac: &mut Fadac| fadac.of_write(Written::of(Lpn(3), Some(1)));
        assert_eq!(write(&mut fadac), 0, "no mean is known");
        let request = Requested { first: Lpn(0), pages: 4, time: 0, stored: 8 };
        fadac.requested(request);
        fadac.requested(request);
        assert_eq!(fadac.mean, 0.5 + (4.0 - 0.5) / 8.0);
        assert_eq!([(); 9].map(|()| write(&mut fadac))[..], [1, 1, 1, 1, 1, 1, 1, 1, 2]);
        assert_eq!(fadac.of_move(Moved::of(Lpn(3), 2, 1)), 1, "9 is less than 10 means");
        fadac.trimmed(Lpn(3));
        assert_eq!(fadac.of_move(Moved::of(Lpn(3), 2, 1)), 0);
    }
}
