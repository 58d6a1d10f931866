//! What the host will write, for those who ask: an oracle is no device, and a bound for all that are.
//!
//! ```text
//! first run    notes each page that the host writes or trims
//! second run   knows for each write when its page is written again, or trimmed
//! ```
//!
//! Both runs must write the same pages in the same order.

use crate::units::Lpn;
use rustc_hash::FxHashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// A version that is never superseded.
const NEVER: u32 = u32::MAX;

/// The pages that the host writes, noted by one run and known by another. Copies share it.
#[derive(Clone, Debug, Default)]
pub struct Future(Arc<Mutex<Told>>);

#[derive(Debug, Default)]
struct Told {
    /// The page of each write.
    written: Vec<Lpn>,
    /// The number of the write before which each version is superseded or trimmed.
    deaths: Vec<u32>,
    /// The number of the last write of a page with data.
    last: FxHashMap<Lpn, u32>,
    state: State,
}

/// What is done with the pages that the host writes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum State {
    /// Nothing: nobody will ask.
    #[default]
    Unknown,
    /// They are noted.
    Noted,
    /// All of them were noted before.
    Known,
}

impl Future {
    fn told(&self) -> MutexGuard<'_, Told> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Write `number` of the host, counted from 0, is of this page. Returns the number of the write before which it is
    /// superseded or trimmed, where that is known.
    ///
    /// # Panics
    /// When the run before wrote another page.
    #[must_use]
    pub fn death(&self, number: u32, lpn: Lpn) -> Option<u32> {
        let mut told = self.told();
        match told.state {
            State::Unknown => return None,
            State::Noted => {
                told.note(number, lpn);
                return None;
            }
            State::Known => {}
        }
        let before = told.written.get(number as usize);
        assert_eq!(
            before,
            Some(&lpn),
            "write {number} of the host, when the input was read first and now: the order of writes depends on what \
             separates pages, so nobody knows the future"
        );
        let death = Some(told.deaths[number as usize]).filter(|death| *death != NEVER);
        unless_bug!(FutureIsLate, death, death.map(|death| death + 1))
    }

    /// The host trims a page in front of write `number`.
    pub fn trimmed(&self, number: u32, lpn: Lpn) {
        let mut told = self.told();
        if told.state == State::Noted {
            told.dies(number, lpn);
        }
    }

    /// Notes from now on what the host writes.
    pub fn note(&self) {
        self.told().state = State::Noted;
    }

    /// Knows from now on what another run has noted.
    pub fn learn(&self, noted: &Future) {
        let noted = std::mem::take(&mut *noted.told());
        *self.told() = Told { last: FxHashMap::default(), state: State::Known, ..noted };
    }
}

impl Told {
    fn note(&mut self, number: u32, lpn: Lpn) {
        // After a power cut the writes before it were noted by nobody.
        if number as usize == self.written.len() {
            self.dies(number, lpn);
            self.last.insert(lpn, number);
            self.written.push(lpn);
            self.deaths.push(NEVER);
        }
    }

    fn dies(&mut self, number: u32, lpn: Lpn) {
        if let Some(last) = self.last.remove(&lpn) {
            self.deaths[last as usize] = number;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_version_dies_when_its_page_is_written_again_or_trimmed() {
        let noted = Future::default();
        noted.note();
        for (number, lpn) in [(0, 7), (1, 8), (2, 7), (3, 9)] {
            assert_eq!(noted.death(number, Lpn(lpn)), None, "nobody knows yet");
            if number == 2 {
                noted.trimmed(3, Lpn(8));
            }
        }
        let known = Future::default();
        known.learn(&noted);
        let deaths = [(0, 7), (1, 8), (2, 7), (3, 9)].map(|(n, lpn)| known.death(n, Lpn(lpn)));
        assert_eq!(deaths, [Some(2), Some(3), None, None]);
    }

    #[test]
    #[should_panic(expected = "nobody knows the future")]
    fn another_order_of_writes_is_no_future() {
        let (noted, known) = (Future::default(), Future::default());
        noted.note();
        assert_eq!(noted.death(0, Lpn(7)), None);
        known.learn(&noted);
        let _ = known.death(0, Lpn(8));
    }
}
