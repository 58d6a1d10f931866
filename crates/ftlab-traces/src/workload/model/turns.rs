//! Whose turn it is: parts that mix, request by request, and parts that come in episodes.

use super::file::{Law, Model};
use crate::rng::Rng;
use crate::workload::alias::Alias;

/// The order in which the parts of a model make requests.
#[derive(Clone, Debug)]
pub(super) struct Turns {
    /// The parts that mix, by their shares.
    steady: Vec<usize>,
    shares: Alias,
    episodes: Vec<Episode>,
    /// The episode at work, and how many of its own requests are left.
    now: Option<(usize, u64)>,
    done: f64,
    rng: Rng,
}

/// A part that comes once in every period, at any time within it.
#[derive(Clone, Copy, Debug)]
struct Episode {
    part: usize,
    /// Its own requests.
    length: u64,
    /// Share of requests that are its own while it lasts.
    density: f64,
    /// Requests of a period, and of the part of it in which an episode may begin.
    period: f64,
    free: f64,
    /// Where the next period begins, and the next episode.
    next_period: f64,
    begin: f64,
}

impl Episode {
    fn new(part: usize, length: f64, law: &Law<'_>, rng: &mut Rng) -> Self {
        let period = length / law.share;
        let free = period - length / law.density;
        let begin = rng.unit() * free;
        // At least 1, as was checked.
        let length = length.round() as u64;
        Episode { part, length, density: law.density, period, free, next_period: period, begin }
    }
}

impl Turns {
    pub(super) fn new(model: &Model, seed: u64) -> Self {
        let mut rng = Rng::new(seed, "turns");
        let (mut steady, mut shares, mut episodes) = (Vec::new(), Vec::new(), Vec::new());
        for (part, law) in model.laws().enumerate() {
            match law.episode {
                Some(length) => episodes.push(Episode::new(part, length, &law, &mut rng)),
                None => {
                    steady.push(part);
                    shares.push(law.share);
                }
            }
        }
        Turns { steady, shares: Alias::new(&shares), episodes, now: None, done: 0.0, rng }
    }

    /// The part that makes the next request.
    #[inline]
    pub(super) fn draw(&mut self) -> usize {
        if !self.episodes.is_empty()
            && let Some(part) = self.episode()
        {
            return part;
        }
        self.steady[self.shares.draw(&mut self.rng)]
    }

    fn episode(&mut self) -> Option<usize> {
        self.done += 1.0;
        if self.now.is_none() {
            let due = self.episodes.iter().position(|episode| episode.begin < self.done)?;
            let episode = &mut self.episodes[due];
            self.now = Some((due, episode.length));
            episode.begin = episode.next_period + self.rng.unit() * episode.free;
            episode.next_period += episode.period;
        }
        let (at, left) = self.now?;
        let episode = self.episodes[at];
        if !self.rng.chance(episode.density) {
            return None;
        }
        self.now = (left > 1).then_some((at, left - 1));
        Some(episode.part)
    }
}
