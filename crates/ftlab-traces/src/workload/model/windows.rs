//! What lasts and what grows in the first requests of a stream: the facts that even a short part of
//! a trace shows. Volumes are laid over each other.

use crate::request::{Op, Request};
use rustc_hash::{FxHashMap, FxHashSet};

/// Requests of a window.
const WINDOW: u64 = 10_000;
/// Windows that are looked at.
const WINDOWS: u64 = 5;
/// Bytes of a page.
const PAGE: u64 = 4096;
/// Bytes of a sector, and sectors whose bits share a word.
const SECTOR: u64 = 512;
const WORD: u64 = 64;

/// The first requests of a stream, and the sectors that all of it read.
#[derive(Clone, Debug, Default)]
pub(super) struct Windows {
    requests: u64,
    /// Pages written in the first window.
    first: FxHashSet<u64>,
    /// Pages written in later windows, and those of them that the first one wrote.
    later: [u64; 2],
    /// Pages at which writes started.
    starts: FxHashSet<u64>,
    /// Writes and different starts among the first 10,000 and 50,000 requests.
    grown: [[u64; 2]; 2],
    writes: u64,
    reads: u64,
    /// First sectors of the first million reads.
    read_starts: FxHashSet<u64>,
    read: FxHashMap<u64, u64>,
}

impl Windows {
    pub(super) fn add(&mut self, request: &Request) {
        if request.op == Op::Read {
            self.add_read(request);
        } else if self.requests < WINDOWS * WINDOW {
            self.add_write(request);
        }
        self.requests += 1;
    }

    fn add_write(&mut self, request: &Request) {
        for page in request.offset / PAGE..=(request.end() - 1) / PAGE {
            if self.requests < WINDOW {
                self.first.insert(page);
            } else {
                self.later[0] += 1;
                self.later[1] += u64::from(self.first.contains(&page));
            }
        }
        self.writes += 1;
        self.starts.insert(request.offset / PAGE);
        let grown = [self.writes, self.starts.len() as u64];
        self.grown[1] = grown;
        if self.requests < WINDOW {
            self.grown[0] = grown;
        }
    }

    fn add_read(&mut self, request: &Request) {
        self.reads += 1;
        if self.reads <= 1_000_000 {
            self.read_starts.insert(request.offset / SECTOR);
        }
        let (first, last) = (request.offset / SECTOR, (request.end() - 1) / SECTOR);
        for word in first / WORD..=last / WORD {
            let from = first.saturating_sub(word * WORD);
            let to = (last - word * WORD).min(WORD - 1);
            *self.read.entry(word).or_default() |= u64::MAX >> (WORD - 1 - to) & u64::MAX << from;
        }
    }

    /// Of the pages written in the windows behind the first: percent that the first one wrote.
    pub(super) fn first_window_percent(&self) -> f64 {
        100.0 * self.later[1] as f64 / self.later[0] as f64
    }

    /// Different pages at which writes start, percent of the writes, in the first 10,000 (0) or
    /// 50,000 (1) requests.
    pub(super) fn starts_percent(&self, which: usize) -> f64 {
        let [writes, starts] = self.grown[which];
        100.0 * starts as f64 / writes as f64
    }

    /// Different first sectors of the first million reads.
    pub(super) fn first_sectors(&self) -> u64 {
        self.read_starts.len() as u64
    }

    /// Different sectors that were read.
    pub(super) fn sectors_read(&self) -> u64 {
        self.read.values().map(|word| u64::from(word.count_ones())).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_lasts_and_what_grows_is_counted() {
        let mut windows = Windows::default();
        let mut add = |count, offset, op| {
            for _ in 0..count {
                windows.add(&Request::new(op, offset, 1024));
            }
        };
        add(9_000, 4096, Op::Write);
        add(1_000, 63 * 512, Op::Read);
        add(3, 4096, Op::Write);
        add(1, 8192 - 512, Op::Write);
        // Five pages, four of them in the first window.
        assert_eq!(windows.first_window_percent(), 80.0);
        assert_eq!(windows.starts_percent(0), 100.0 / 9_000.0);
        assert_eq!(windows.starts_percent(1), 100.0 / 9_004.0);
        assert_eq!((windows.first_sectors(), windows.sectors_read()), (1, 2));
    }
}
