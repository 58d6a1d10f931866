//! Values under dense, reusable `u32` tokens.

use super::links::NIL;

#[derive(Clone, Debug)]
enum Slot<T> {
    Taken(T),
    /// The next free slot, or [`NIL`].
    Free(u32),
}

/// Storage whose tokens remain small: a freed token is used again first.
#[derive(Clone, Debug)]
pub struct Slab<T> {
    slots: Vec<Slot<T>>,
    free: u32,
    len: usize,
}

impl<T> Default for Slab<T> {
    fn default() -> Self {
        Slab { slots: Vec::new(), free: NIL, len: 0 }
    }
}

impl<T> Slab<T> {
    /// Stores a value and returns its token.
    #[inline]
    pub fn insert(&mut self, value: T) -> u32 {
        self.len += 1;
        let token = self.free;
        if token == NIL {
            self.slots.push(Slot::Taken(value));
            return self.slots.len() as u32 - 1;
        }
        match std::mem::replace(&mut self.slots[token as usize], Slot::Taken(value)) {
            Slot::Free(next) => self.free = next,
            Slot::Taken(_) => unreachable!("the free list holds free slots"),
        }
        token
    }

    /// Takes a value out.
    ///
    /// # Panics
    /// When the token is not in use.
    #[inline]
    pub fn remove(&mut self, token: u32) -> T {
        self.len -= 1;
        match std::mem::replace(&mut self.slots[token as usize], Slot::Free(self.free)) {
            Slot::Taken(value) => {
                self.free = token;
                value
            }
            Slot::Free(_) => panic!("token {token} is not in use"),
        }
    }

    /// Number of values.
    #[must_use]
    pub const fn len(&self) -> usize {
        self.len
    }

    /// Whether there is no value.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Most tokens used at once so far; all tokens are below this number.
    #[inline]
    #[must_use]
    pub fn tokens(&self) -> usize {
        self.slots.len()
    }

    /// The values, to change them.
    pub fn values_mut(&mut self) -> impl Iterator<Item = &mut T> {
        self.slots.iter_mut().filter_map(|slot| match slot {
            Slot::Taken(value) => Some(value),
            Slot::Free(_) => None,
        })
    }

    /// The values with their tokens, in token order.
    pub fn iter(&self) -> impl Iterator<Item = (u32, &T)> {
        self.slots.iter().enumerate().filter_map(|(token, slot)| match slot {
            Slot::Taken(value) => Some((token as u32, value)),
            Slot::Free(_) => None,
        })
    }
}

impl<T> std::ops::Index<u32> for Slab<T> {
    type Output = T;
    #[inline]
    fn index(&self, token: u32) -> &T {
        match &self.slots[token as usize] {
            Slot::Taken(value) => value,
            Slot::Free(_) => panic!("token {token} is not in use"),
        }
    }
}

impl<T> std::ops::IndexMut<u32> for Slab<T> {
    #[inline]
    fn index_mut(&mut self, token: u32) -> &mut T {
        match &mut self.slots[token as usize] {
            Slot::Taken(value) => value,
            Slot::Free(_) => panic!("token {token} is not in use"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn freed_tokens_are_used_again() {
        let mut slab = Slab::default();
        let [a, b, c] = ["a", "b", "c"].map(|v| slab.insert(v));
        assert_eq!((a, b, c), (0, 1, 2));
        assert_eq!(slab.remove(b), "b");
        assert_eq!(slab.remove(a), "a");
        assert_eq!(slab.insert("d"), a);
        assert_eq!(slab.insert("e"), b);
        assert_eq!((slab.len(), slab.tokens(), slab[c], slab[a]), (3, 3, "c", "d"));
        assert!(slab.iter().map(|(t, v)| (t, *v)).eq([(0, "d"), (1, "e"), (2, "c")]));
    }
}
