//! Whose turn it is: parts that mix, request by request, and parts that come in episodes.

use super::file::Model;
use crate::rng::Rng;
use crate::workload::alias::Alias;

/// The order in which the parts of a model make requests.
#[derive(Clone, Debug)]
pub(super) struct Turns {
    /// The parts that mix, by their shares.
    steady: Vec<usize>,
    shares: Alias,
    episodes: Vec<Episode>,
    /// The episode at work.
    now: Option<usize>,
    rng: Rng,
}

/// A part that comes and goes.
#[derive(Clone, Copy, Debug)]
struct Episode {
    part: usize,
    /// Chances that it begins at a request outside of episodes, and ends behind one of its own.
    begin: f64,
    end: f64,
    /// Share of requests that are its own while it lasts.
    density: f64,
}

impl Turns {
    pub(super) fn new(model: &Model, seed: u64) -> Self {
        let laws: Vec<_> = model.laws().enumerate().collect();
        let of_time = |law: &super::file::Law<'_>| law.share / law.density;
        let busy: f64 =
            laws.iter().filter(|(_, law)| law.episode.is_some()).map(|row| of_time(&row.1)).sum();
        let episodes = laws.iter().filter_map(|(part, law)| {
            let length = law.episode?;
            let begin = of_time(law) / (length / law.density) / (1.0 - busy);
            Some(Episode { part: *part, begin, end: 1.0 / length, density: law.density })
        });
        let steady: Vec<_> = laws.iter().filter(|(_, law)| law.episode.is_none()).collect();
        let shares: Vec<f64> = steady.iter().map(|(_, law)| law.share).collect();
        Turns {
            steady: steady.iter().map(|(part, _)| *part).collect(),
            shares: Alias::new(&shares),
            episodes: episodes.collect(),
            now: None,
            rng: Rng::new(seed, "turns"),
        }
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
        if self.now.is_none() {
            let mut chance = self.rng.unit();
            self.now = self.episodes.iter().position(|episode| {
                chance -= episode.begin;
                chance < 0.0
            });
        }
        let episode = self.episodes[self.now?];
        if !self.rng.chance(episode.density) {
            return None;
        }
        if self.rng.chance(episode.end) {
            self.now = None;
        }
        Some(episode.part)
    }
}
