//! How evenly accesses fall on pages by their number modulo a power of two, which is how pages are
//! dealt to planes and channels.

use serde::Serialize;

/// Accesses to the busiest of the pages that have the same number modulo a power of two, as a
/// multiple of an even share: 1 where all are equally busy.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Evenness {
    /// Even or odd pages.
    pub busiest_of_2: f64,
    /// Modulo 4.
    pub busiest_of_4: f64,
    /// Modulo 8.
    pub busiest_of_8: f64,
}

/// Accesses by the number of their page modulo 8.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Residues([u64; 8]);

impl Residues {
    #[inline]
    pub(super) fn add(&mut self, page: u64) {
        self.0[page as usize % self.0.len()] += 1;
    }

    pub(super) fn finish(&self) -> Evenness {
        let all = self.0.iter().sum::<u64>().max(1) as f64;
        let busiest = |modulus: usize| {
            let of = |residue: usize| self.0[residue..].iter().step_by(modulus).sum::<u64>();
            (0..modulus).map(of).max().unwrap_or(0) as f64 * modulus as f64 / all
        };
        Evenness { busiest_of_2: busiest(2), busiest_of_4: busiest(4), busiest_of_8: busiest(8) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_busiest_pages_are_told_in_even_shares() {
        let mut residues = Residues::default();
        [0, 8, 16, 1, 2, 3, 4, 12].iter().for_each(|page| residues.add(*page));
        // Even pages 6 of 8; those that 4 divides 5 of 8; those that 8 divides 3 of 8.
        let expected = Evenness { busiest_of_2: 1.5, busiest_of_4: 2.5, busiest_of_8: 3.0 };
        assert_eq!(residues.finish(), expected);
    }
}
