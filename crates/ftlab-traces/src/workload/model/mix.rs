//! Sizes of requests.

use super::space::SECTOR;
use crate::rng::Rng;
use crate::units::Bytes;
use crate::workload::alias::Alias;

/// Sizes in sectors with their weights.
#[derive(Clone, Debug)]
pub(super) struct Mix {
    sectors: Vec<u32>,
    weights: Alias,
}

impl Mix {
    /// The sizes of reads and of writes; a table that is left out is the other one.
    pub(super) fn both(read: &[(Bytes, f64)], write: &[(Bytes, f64)]) -> [Mix; 2] {
        [(read, write), (write, read)]
            .map(|(own, other)| Mix::new(if own.is_empty() { other } else { own }))
    }

    /// The sizes of reads and of writes; those of `all` where a table is left out.
    pub(super) fn or(read: &[(Bytes, f64)], write: &[(Bytes, f64)], all: &[Mix; 2]) -> [Mix; 2] {
        let [reads, writes] = all.each_ref().map(Clone::clone);
        [Mix::some(read).unwrap_or(reads), Mix::some(write).unwrap_or(writes)]
    }

    /// These sizes with their weights.
    pub(super) fn new(mix: &[(Bytes, f64)]) -> Mix {
        let weights: Vec<f64> = mix.iter().map(|entry| entry.1).collect();
        Mix {
            // Checked to be at most a GiB.
            sectors: mix.iter().map(|entry| (entry.0.0 / SECTOR) as u32).collect(),
            weights: Alias::new(&weights),
        }
    }

    /// These sizes, if there are any.
    pub(super) fn some(mix: &[(Bytes, f64)]) -> Option<Mix> {
        (!mix.is_empty()).then(|| Mix::new(mix))
    }

    /// Sectors of the next request.
    #[inline]
    pub(super) fn draw(&self, rng: &mut Rng) -> u32 {
        self.sectors[self.weights.draw(rng)]
    }
}
