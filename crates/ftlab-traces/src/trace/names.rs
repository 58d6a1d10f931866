//! Volumes that have names: numbered from 0 in the order of appearance, over all files of a recording.

use rustc_hash::FxHashMap;
use std::sync::{Arc, Mutex, PoisonError};

/// The names so far. Clones, such as those of several files, number names alike.
#[derive(Clone, Default)]
pub(super) struct Names {
    /// What has been asked for here, which needs no lock.
    own: FxHashMap<Vec<u8>, u32>,
    all: Arc<Mutex<FxHashMap<Vec<u8>, u32>>>,
    latest: Option<(Vec<u8>, u32)>,
}

impl Names {
    /// The number of `name`; `None` if there would be more than `most`.
    #[inline]
    pub(super) fn number(&mut self, name: &[u8], most: usize) -> Option<u32> {
        match &self.latest {
            Some((latest, number)) if latest == name => Some(*number),
            _ => {
                let number = self.known(name, most)?;
                self.latest = Some((name.to_vec(), number));
                Some(number)
            }
        }
    }

    fn known(&mut self, name: &[u8], most: usize) -> Option<u32> {
        if let Some(number) = self.own.get(name) {
            return Some(*number);
        }
        let mut all = self.all.lock().unwrap_or_else(PoisonError::into_inner);
        let next = u32::try_from(all.len()).ok().filter(|_| all.len() < most);
        let number = match all.get(name) {
            Some(number) => *number,
            None => *all.entry(name.to_vec()).or_insert(next?),
        };
        self.own.insert(name.to_vec(), number);
        Some(number)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_numbered_alike_in_all_files() {
        let mut one = Names::default();
        let mut other = one.clone();
        assert_eq!((one.number(b"sda", 3), other.number(b"sdb", 3)), (Some(0), Some(1)));
        assert_eq!((one.number(b"sdb", 3), other.number(b"sda", 3)), (Some(1), Some(0)));
        assert_eq!((one.number(b"sdc", 3), other.number(b"sdd", 3)), (Some(2), None));
    }
}
