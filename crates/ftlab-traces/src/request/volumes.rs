//! What is known of each volume while requests stream by.

use crate::error::Error;
use rustc_hash::FxHashMap;

/// Volumes that are believed. More mean that a column was misread, and would fill the memory.
/// The largest public fleets have some thousands.
pub const MOST_VOLUMES: usize = 1 << 16;

/// One value per volume, found in a few nanoseconds.
pub(crate) struct Volumes<T> {
    rows: Vec<(u32, T)>,
    /// Only looked up, never iterated.
    index: FxHashMap<u32, usize>,
    latest: usize,
}

impl<T> Volumes<T> {
    pub(crate) fn new() -> Self {
        Self { rows: Vec::new(), index: FxHashMap::default(), latest: 0 }
    }

    /// The value of `volume`; `first` makes it when the volume appears.
    ///
    /// # Errors
    /// [`Error::Config`] beyond [`MOST_VOLUMES`].
    #[inline]
    pub(crate) fn of(&mut self, volume: u32, first: impl FnOnce() -> T) -> Result<&mut T, Error> {
        // Traces stay on a volume for a while, and most have one.
        if self.rows.get(self.latest).is_none_or(|row| row.0 != volume) {
            self.latest = self.find(volume, first)?;
        }
        Ok(&mut self.rows[self.latest].1)
    }

    /// All volumes in the order in which they appeared.
    pub(crate) fn rows_mut(&mut self) -> &mut [(u32, T)] {
        &mut self.rows
    }

    /// All volumes in ascending order.
    pub(crate) fn sorted(mut self) -> Vec<(u32, T)> {
        self.rows.sort_unstable_by_key(|row| row.0);
        self.rows
    }

    fn find(&mut self, volume: u32, first: impl FnOnce() -> T) -> Result<usize, Error> {
        if let Some(&at) = self.index.get(&volume) {
            return Ok(at);
        }
        if self.rows.len() == MOST_VOLUMES {
            return Err(Error::config(
                "input.format",
                format!(
                    "found more than {MOST_VOLUMES} volumes, expected a few; is this the right \
                     format?"
                ),
            ));
        }
        self.index.insert(volume, self.rows.len());
        self.rows.push((volume, first()));
        Ok(self.rows.len() - 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_column_that_was_misread_does_not_fill_the_memory() {
        let mut volumes = Volumes::new();
        for volume in 0..MOST_VOLUMES as u32 {
            volumes.of(volume, || ()).expect("one of those that are believed");
        }
        volumes.of(7, || ()).expect("one that is known");
        let error = volumes.of(u32::MAX, || ()).expect_err("one too many").to_string();
        assert_eq!(
            error,
            "input.format: found more than 65536 volumes, expected a few; is this the right format?"
        );
    }
}
