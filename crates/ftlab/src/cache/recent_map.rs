//! Values under dense keys, in the order of their use: every operation in constant time.

use super::links::{Links, List};
use super::slab::Slab;
use super::tokens::Tokens;

/// A map from keys below a bound that knows which value was used least recently.
#[derive(Clone, Debug)]
pub struct RecentMap<T> {
    items: Slab<(u32, T)>,
    tokens: Tokens,
    links: Links,
    /// Tokens by use, the newest in front.
    recency: List,
}

impl<T> RecentMap<T> {
    /// No values yet, for keys below `keys`.
    #[must_use]
    pub fn new(keys: u32) -> Self {
        RecentMap {
            items: Slab::default(),
            tokens: Tokens::new(keys),
            links: Links::default(),
            recency: List::default(),
        }
    }

    /// Number of values.
    #[inline]
    #[must_use]
    pub const fn len(&self) -> usize {
        self.items.len()
    }

    /// Whether there is no value.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.items.is_empty()
    }

    /// Whether a key has a value.
    #[inline]
    #[must_use]
    pub fn contains(&self, key: u32) -> bool {
        self.tokens.contains(key)
    }

    /// The value of a key.
    #[inline]
    #[must_use]
    pub fn get(&self, key: u32) -> Option<&T> {
        self.tokens.get(key).map(|token| &self.items[token].1)
    }

    /// The value of a key, which does not count as its use.
    #[inline]
    pub fn get_mut(&mut self, key: u32) -> Option<&mut T> {
        self.tokens.get(key).map(|token| &mut self.items[token].1)
    }

    /// Notes the use of a key, if it has a value.
    #[inline]
    pub fn touch(&mut self, key: u32) {
        if let Some(token) = self.tokens.get(key) {
            self.links.touch(&mut self.recency, token);
        }
    }

    /// Gives a key that has none a value, which is the one used last.
    pub fn insert(&mut self, key: u32, value: T) {
        debug_assert!(!self.contains(key));
        let token = self.items.insert((key, value));
        self.links.grow(self.items.tokens());
        self.links.push_front(&mut self.recency, token);
        self.tokens.set(key, token);
    }

    /// Takes the value of a key out.
    pub fn remove(&mut self, key: u32) -> Option<T> {
        let token = unless_bug!(LogsMergedKeepsOwner, self.tokens.take(key), self.tokens.get(key))?;
        self.links.remove(&mut self.recency, token);
        Some(self.items.remove(token).1)
    }

    /// The key that was used least recently.
    #[must_use]
    pub fn least_recent(&self) -> Option<u32> {
        (!self.recency.is_empty()).then(|| self.items[self.recency.back()].0)
    }

    /// The keys with their values, in no order that means anything.
    pub fn iter(&self) -> impl Iterator<Item = (u32, &T)> {
        self.items.iter().map(|(_, (key, value))| (*key, value))
    }

    /// Recomputes what is known twice.
    ///
    /// # Panics
    /// When it differs.
    pub fn audit(&self) {
        self.links.audit(&self.recency);
        assert_eq!(self.recency.len(), self.items.len(), "values by recency");
        let keys = self.tokens.audit_len();
        assert_eq!(keys, self.items.len(), "keys with a value");
        for (token, (key, _)) in self.items.iter() {
            assert_eq!(self.tokens.get(*key), Some(token), "token of key {key}");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::Rng;

    #[test]
    fn a_recent_map_behaves_as_a_list_of_pairs() {
        let mut rng = Rng::new(1, "recent");
        let mut map = RecentMap::new(10);
        let mut model: Vec<(u32, u64)> = Vec::new();
        for step in 0..20_000 {
            let key = rng.below(10) as u32;
            let at = model.iter().position(|(other, _)| *other == key);
            match (at, rng.below(3)) {
                (None, 0) => {
                    map.insert(key, step);
                    model.push((key, step));
                }
                (None, _) => map.touch(key),
                (Some(at), 0) => assert_eq!(map.remove(key), Some(model.remove(at).1)),
                (Some(at), _) => {
                    map.touch(key);
                    let pair = model.remove(at);
                    model.push(pair);
                }
            }
            map.audit();
            assert_eq!(map.len(), model.len());
            assert_eq!(map.least_recent(), model.first().map(|(key, _)| *key));
            let value = model.iter().find(|(other, _)| *other == key).map(|(_, value)| value);
            assert_eq!(map.get(key), value);
        }
    }
}
