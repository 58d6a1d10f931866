//! The history of requests, and places that last: requests repeated however old they are.
//!
//! With a law of recency alone, the set of hot places drifts away. Real traces go back to the same
//! places for hours. A request drawn uniformly among all earlier ones is likelier at a place that
//! was used often (Simon, On a class of skew distribution functions, Biometrika 42, 1955). Requests
//! that were issued together recur together, so a draw begins a chunk of requests.

use super::file::Reuse;
use super::space::Extent;
use crate::rng::Rng;

/// Marks that there is no place.
const NOWHERE: u32 = u32::MAX;

/// The requests of a part by their places in its ring.
#[derive(Clone, Debug)]
pub(super) struct History {
    extents: Vec<Extent>,
    /// Where the request at each place was repeated; empty if nothing lasts.
    again: Vec<u32>,
    /// Requests so far.
    count: u64,
    newest: usize,
    /// The probabilities that a chunk begins, and that it ends after a request.
    begin: f64,
    end: f64,
    /// The request of the chunk that was repeated last.
    chunk: Option<usize>,
}

impl History {
    /// A history with `places` places in its ring, a power of two.
    pub(super) fn new(places: usize, reuse: &Reuse) -> Self {
        let nowhere = Extent { volume: 0, start: 0, sectors: 0 };
        let lasting = reuse.lasting;
        History {
            extents: vec![nowhere; places],
            again: if lasting > 0.0 { vec![NOWHERE; places] } else { Vec::new() },
            count: 0,
            newest: 0,
            // Stationary: lasting = (1 - lasting) x begin x chunk.
            begin: (lasting / (1.0 - lasting) / reuse.chunk).min(1.0),
            end: 1.0 / reuse.chunk,
            chunk: None,
        }
    }

    /// The request at `place`.
    #[inline]
    pub(super) fn at(&self, place: usize) -> Extent {
        self.extents[place]
    }

    /// Remembers the newest request, which repeats the one at `again`.
    #[inline]
    pub(super) fn remember(&mut self, place: usize, extent: Extent, again: Option<usize>) {
        self.extents[place] = extent;
        self.count += 1;
        self.newest = place;
        if !self.again.is_empty() {
            self.again[place] = NOWHERE;
            if let Some(before) = again.filter(|before| *before != place) {
                // Places of a ring of at most 2^23.
                self.again[before] = place as u32;
            }
        }
    }

    /// The place of an earlier request that is repeated now, if any.
    #[inline]
    pub(super) fn draw(&mut self, rng: &mut Rng) -> Option<usize> {
        if self.again.is_empty() || self.count == 0 {
            return None;
        }
        let mask = self.extents.len() - 1;
        self.chunk = match self.chunk {
            Some(place) if place != self.newest && !rng.chance(self.end) => {
                Some((place + 1) & mask)
            }
            None if rng.chance(self.begin) => {
                let back = rng.below(self.count.min(self.extents.len() as u64));
                Some(self.newest.wrapping_sub(back as usize) & mask)
            }
            _ => None,
        };
        self.chunk
    }

    /// The latest place of the request at `place`.
    pub(super) fn latest(&mut self, place: usize) -> usize {
        let Extent { volume, start, .. } = self.extents[place];
        let mut at = place;
        loop {
            let next = self.again[at] as usize;
            if self.again[at] == NOWHERE {
                return at;
            }
            // A place that another request has taken since ends the path.
            let there = self.extents[next];
            if (there.volume, there.start) != (volume, start) {
                return at;
            }
            // Halves the path for the next search.
            self.again[at] = match self.again[next] {
                NOWHERE => next as u32,
                beyond => beyond,
            };
            at = next;
        }
    }
}
