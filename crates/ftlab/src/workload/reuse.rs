//! Temporal locality: how long ago the next address was last used.
//!
//! A table gives the share of requests whose address was last used more than so many requests ago.
//! That survival function *is* a miss ratio curve: an LRU cache which holds the distinct pages of
//! the last `t` requests misses exactly the requests of a greater age (average footprint theory:
//! the miss ratio is the growth rate of the footprint; Xiang et al., HOTL, ASPLOS'13). So a curve
//! m(c) becomes a table by t(c) = integral of dc / m(c), and a generator that draws ages
//! from the table has the curve without a stack search: constant time, one ring of recent requests.
//!
//! An address used again moves to the head; its old place is marked dead, so an age always counts
//! from the *last* use. A draw that meets a dead place goes to the nearest older one alive.

use crate::rng::Rng;

/// Steps of the inverted table: ages between two steps are interpolated.
const STEPS: usize = 4096;

/// Words of 64 places searched for one that is alive before a dead one is taken.
const SEARCH_WORDS: u64 = 8;

/// The law of ages.
#[derive(Clone, Debug)]
pub(super) struct Ages {
    /// Age below which `i / STEPS` of all requests lie.
    quantiles: Vec<f64>,
    /// Share of requests to an address that was never used.
    fresh: f64,
}

impl Ages {
    /// The law with these points (age in requests, share of requests older), ages ascending from
    /// at least 1, shares descending from 1; the last share is that of fresh addresses.
    pub(super) fn new(survival: &[(f64, f64)]) -> Self {
        let fresh = survival[survival.len() - 1].1;
        let mut quantiles = Vec::with_capacity(STEPS + 1);
        let mut segment = 0;
        for step in 0..=STEPS {
            let older = 1.0 - step as f64 / STEPS as f64 * (1.0 - fresh);
            while segment + 2 < survival.len() && survival[segment + 1].1 > older {
                segment += 1;
            }
            let ((young, high), (old, low)) = (survival[segment], survival[segment + 1]);
            let part = ((high - older) / (high - low)).clamp(0.0, 1.0);
            quantiles.push(young * (old / young).powf(part));
        }
        Ages { quantiles, fresh }
    }

    /// The greatest age.
    pub(super) fn oldest(&self) -> u64 {
        self.quantiles[STEPS].ceil() as u64
    }

    /// The age of the next request's address; `None` for one never used.
    #[inline]
    pub(super) fn draw(&self, rng: &mut Rng) -> Option<u64> {
        let u = (rng.unit() - self.fresh) / (1.0 - self.fresh);
        if u < 0.0 {
            return None;
        }
        let scaled = u * STEPS as f64;
        let step = (scaled as usize).min(STEPS - 1);
        let (low, high) = (self.quantiles[step], self.quantiles[step + 1]);
        Some((low + (high - low) * (scaled - step as f64)).round() as u64)
    }
}

/// One request as it is remembered.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Visit {
    /// First sector of 512 B, within the volume.
    pub(super) sector: u32,
    /// Sectors of 512 B.
    pub(super) sectors: u16,
    /// Index of the volume.
    pub(super) volume: u16,
}

/// The last requests, a power of two of them.
#[derive(Clone, Debug)]
pub(super) struct History {
    visits: Vec<Visit>,
    /// One bit a place: not used again since.
    alive: Vec<u64>,
    /// Requests remembered so far.
    count: u64,
    mask: u64,
}

impl History {
    /// Room for ages up to `oldest`.
    pub(super) fn new(oldest: u64) -> Self {
        let places = (oldest + 64 * SEARCH_WORDS).next_power_of_two().max(128);
        History {
            visits: vec![Visit::default(); places as usize],
            alive: vec![0; (places / 64) as usize],
            count: 0,
            mask: places - 1,
        }
    }

    /// Remembers the newest request.
    #[inline]
    pub(super) fn push(&mut self, visit: Visit) {
        let place = self.count & self.mask;
        self.visits[place as usize] = visit;
        self.alive[(place / 64) as usize] |= 1 << (place % 64);
        self.count += 1;
    }

    /// The request of this age (1 is the previous one), which the caller is about to repeat, or
    /// the nearest older one alive; `None` if the stream is not that old.
    #[inline]
    pub(super) fn take(&mut self, age: u64) -> Option<Visit> {
        let age = age.max(1);
        let wanted = self.count.checked_sub(age)?;
        let position = self.nearest_alive(wanted).unwrap_or(wanted);
        let place = position & self.mask;
        self.alive[(place / 64) as usize] &= !(1 << (place % 64));
        Some(self.visits[place as usize])
    }

    /// The position alive at or before `wanted`, within the words searched.
    #[inline]
    fn nearest_alive(&self, wanted: u64) -> Option<u64> {
        let mut word = wanted / 64;
        let mut bits = self.word(word) & (u64::MAX >> (63 - wanted % 64));
        for _ in 0..SEARCH_WORDS {
            if bits != 0 {
                return Some(word * 64 + 63 - u64::from(bits.leading_zeros()));
            }
            word = word.checked_sub(1)?;
            bits = self.word(word);
        }
        None
    }

    /// The bits of 64 positions; positions overwritten since lie beyond every age that is drawn.
    #[inline]
    fn word(&self, word: u64) -> u64 {
        self.alive[(word & (self.mask / 64)) as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ages_follow_the_table() {
        let ages = Ages::new(&[(1.0, 1.0), (10.0, 0.6), (1000.0, 0.2)]);
        assert_eq!(ages.oldest(), 1000);
        let mut rng = Rng::new(5, "test");
        let draws: Vec<Option<u64>> = (0..200_000).map(|_| ages.draw(&mut rng)).collect();
        let share = |limit: u64| {
            draws.iter().filter(|a| a.is_none_or(|a| a > limit)).count() as f64 / 200_000.0
        };
        assert!((share(10) - 0.6).abs() < 0.01, "{}", share(10));
        assert!((share(999) - 0.2).abs() < 0.01, "{}", share(999));
        // Halfway in the logarithm of the age is halfway in the share.
        assert!((share(100) - 0.4).abs() < 0.01, "{}", share(100));
    }

    #[test]
    fn a_repeated_request_is_found_at_its_last_use_only() {
        let mut history = History::new(100);
        for sector in 0..10 {
            history.push(Visit { sector, sectors: 1, volume: 0 });
        }
        let visit = history.take(3).expect("ten requests are remembered");
        assert_eq!(visit.sector, 7);
        history.push(visit);
        // The place of sector 7 is dead now: the same place yields the one before it.
        assert_eq!(history.take(4).map(|v| v.sector), Some(6));
        assert_eq!(history.take(1).map(|v| v.sector), Some(7));
        assert!(history.take(12).is_none());
    }
}
