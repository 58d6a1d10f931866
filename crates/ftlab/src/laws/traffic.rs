//! Random host requests on a tiny device.

use super::case::{ENTRIES, between, pick};
use crate::math::powi;
use crate::request::Op;
use crate::rng::Rng;
use crate::units::Lpn;

/// Where requests go.
#[derive(Clone, Copy, Debug)]
enum Place {
    Uniform,
    /// Density falls with the cube of the address.
    Skewed,
    /// Each request follows the one before.
    Sequential,
    /// Across the border of two translation pages.
    Borders,
    /// Nine of ten requests in a hot spot of a tenth of the pages.
    HotSpot,
}

const PLACES: [Place; 5] =
    [Place::Uniform, Place::Skewed, Place::Sequential, Place::Borders, Place::HotSpot];

/// A stream of requests.
pub struct Traffic {
    rng: Rng,
    pages: u32,
    place: Place,
    longest: u32,
    read_share: f64,
    trim_share: f64,
    next: u32,
    hot: u32,
}

impl Traffic {
    /// Mixed requests for a device of `pages` logical pages.
    pub fn draw(seed: u64, pages: u32) -> Traffic {
        let mut rng = Rng::new(seed, "traffic");
        Traffic {
            pages,
            place: pick(&mut rng, &PLACES),
            longest: pick(&mut rng, &[1, 1, 2, 6, 30]).min(pages),
            read_share: pick(&mut rng, &[0.0, 0.3, 0.6]),
            trim_share: pick(&mut rng, &[0.0, 0.0, 0.05, 0.2, 0.4]),
            next: 0,
            hot: rng.below(u64::from(pages)) as u32,
            rng,
        }
    }

    /// Writes only.
    pub fn writes(seed: u64, pages: u32) -> Traffic {
        Traffic { read_share: 0.0, trim_share: 0.0, ..Traffic::draw(seed, pages) }
    }

    /// The same with trims.
    pub fn with_trims(self) -> Traffic {
        Traffic { trim_share: 0.3, ..self }
    }

    /// The next request: what it does and its pages, ascending.
    pub fn next(&mut self) -> (Op, Vec<Lpn>) {
        let kind = self.rng.unit();
        let op = if kind < self.read_share {
            Op::Read
        } else if kind < self.read_share + self.trim_share {
            Op::Trim
        } else {
            Op::Write
        };
        let length = between(&mut self.rng, 1, self.longest);
        let first = self.first_page(length).min(self.pages - length);
        self.next = (first + length) % self.pages;
        (op, (first..first + length).map(Lpn).collect())
    }

    fn first_page(&mut self, length: u32) -> u32 {
        // Streams jump now and then; otherwise they would all begin at page 0.
        let place = if self.rng.chance(0.03) { Place::Uniform } else { self.place };
        let pages = u64::from(self.pages);
        match place {
            Place::Uniform => self.rng.below(pages) as u32,
            Place::Skewed => (powi(self.rng.unit(), 3) * f64::from(self.pages)) as u32,
            Place::Sequential => self.next,
            Place::Borders => {
                let border = self.rng.below(pages.div_ceil(ENTRIES) + 1) * ENTRIES;
                (border as u32).saturating_sub(between(&mut self.rng, 0, length))
            }
            Place::HotSpot if self.rng.chance(0.1) => self.rng.below(pages) as u32,
            Place::HotSpot => (self.hot + self.rng.below(pages.div_ceil(10)) as u32) % self.pages,
        }
    }
}
