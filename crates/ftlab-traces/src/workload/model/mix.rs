//! Sizes of requests.

use super::file::Sizes;
use super::space::SECTOR;
use crate::rng::Rng;
use crate::workload::alias::Alias;

/// Sizes in sectors with their weights.
#[derive(Clone, Debug)]
pub(super) struct Mix {
    sectors: Vec<u32>,
    weights: Alias,
}

impl Mix {
    /// The sizes of reads and of writes.
    pub(super) fn both(sizes: &Sizes) -> [Mix; 2] {
        let pair = [(&sizes.read, &sizes.write), (&sizes.write, &sizes.read)];
        pair.map(|(own, other)| {
            let mix = if own.is_empty() { other } else { own };
            let weights: Vec<f64> = mix.iter().map(|entry| entry.1).collect();
            Mix {
                // Checked to be at most a GiB.
                sectors: mix.iter().map(|entry| (entry.0.0 / SECTOR) as u32).collect(),
                weights: Alias::new(&weights),
            }
        })
    }

    /// Sectors of the next request.
    #[inline]
    pub(super) fn draw(&self, rng: &mut Rng) -> u32 {
        self.sectors[self.weights.draw(rng)]
    }
}
