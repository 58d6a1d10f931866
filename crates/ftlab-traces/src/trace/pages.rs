//! How many different pages have been touched, in memory that follows the footprint.

use rustc_hash::FxHashMap;

/// Bytes of a page, as traces are usually described.
pub(super) const PAGE_BYTES: u64 = 4096;

const PAGES_PER_CHUNK: u64 = 1 << 15;
const WORDS: usize = PAGES_PER_CHUNK as usize / 64;

/// The most chunks that are kept: 1 GiB of memory, which is 32 TiB of densely used trace.
const MOST_CHUNKS: usize = 1 << 18;

/// A set of pages of several volumes: bitmaps of 2^15 pages (128 MiB), made when first touched.
pub(super) struct TouchedPages {
    chunks: Vec<Box<[u64; WORDS]>>,
    /// Only looked up, never iterated.
    index: FxHashMap<(u32, u64), usize>,
    latest: ((u32, u64), usize),
    count: u64,
    overflowed: bool,
}

impl TouchedPages {
    pub(super) fn new() -> Self {
        Self {
            chunks: Vec::new(),
            index: FxHashMap::default(),
            latest: ((0, u64::MAX), 0),
            count: 0,
            overflowed: false,
        }
    }

    /// How many pages have been touched; `None` when they did not fit the memory cap.
    pub(super) fn count(&self) -> Option<u64> {
        (!self.overflowed).then_some(self.count)
    }

    /// Touches the pages `first` to `last` of `volume`.
    pub(super) fn touch(&mut self, volume: u32, first: u64, last: u64) {
        let mut page = first;
        while page <= last && !self.overflowed {
            let chunk = page / PAGES_PER_CHUNK;
            let chunk_last = last.min(chunk * PAGES_PER_CHUNK + PAGES_PER_CHUNK - 1);
            if let Some(words) = self.chunk((volume, chunk)) {
                let added = set(words, page % PAGES_PER_CHUNK, chunk_last % PAGES_PER_CHUNK);
                self.count += added;
            }
            page = chunk_last + 1;
        }
    }

    fn chunk(&mut self, key: (u32, u64)) -> Option<&mut [u64; WORDS]> {
        if self.latest.0 != key {
            let at = match self.index.get(&key) {
                Some(&at) => at,
                None if self.chunks.len() == MOST_CHUNKS => {
                    self.overflowed = true;
                    return None;
                }
                None => {
                    self.index.insert(key, self.chunks.len());
                    self.chunks.push(Box::new([0; WORDS]));
                    self.chunks.len() - 1
                }
            };
            self.latest = (key, at);
        }
        self.chunks.get_mut(self.latest.1).map(|words| &mut **words)
    }
}

/// Sets the bits `first` to `last` and returns how many were clear.
fn set(words: &mut [u64; WORDS], first: u64, last: u64) -> u64 {
    let mut added = 0;
    let (first_word, last_word) = (first / 64, last / 64);
    for at in first_word..=last_word {
        let from = if at == first_word { first % 64 } else { 0 };
        let until = if at == last_word { last % 64 } else { 63 };
        let mask = u64::MAX >> (63 - until) & u64::MAX << from;
        let word = &mut words[at as usize];
        added += u64::from((mask & !*word).count_ones());
        *word |= mask;
    }
    added
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn counts_like_a_set() {
        let mut pages = TouchedPages::new();
        let mut model = BTreeSet::new();
        let mut state = 1u64;
        for _ in 0..2000 {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            let (volume, first) = ((state >> 62) as u32, state >> 44 & 0x1_ffff);
            let last = first + (state >> 30 & 0xff);
            pages.touch(volume, first, last);
            model.extend((first..=last).map(|page| (volume, page)));
            assert_eq!(pages.count(), Some(model.len() as u64));
        }
        pages.touch(9, 0, 4 * PAGES_PER_CHUNK);
        assert_eq!(pages.count(), Some(model.len() as u64 + 4 * PAGES_PER_CHUNK + 1));
    }
}
