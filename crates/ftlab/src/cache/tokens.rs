//! From a dense key to a token: 4 bytes for each possible key.

/// Tokens by key. Tables begin as zeroes, so parts that are never touched cost nothing.
#[derive(Clone, Debug)]
pub struct Tokens {
    /// Token + 1, or 0.
    table: Vec<u32>,
}

impl Tokens {
    /// No tokens for any of `keys` keys.
    #[must_use]
    pub fn new(keys: u32) -> Self {
        Tokens { table: vec![0; keys as usize] }
    }

    /// The token of a key.
    #[inline]
    #[must_use]
    pub fn get(&self, key: u32) -> Option<u32> {
        self.table[key as usize].checked_sub(1)
    }

    /// Whether a key has a token.
    #[inline]
    #[must_use]
    pub fn contains(&self, key: u32) -> bool {
        self.table[key as usize] != 0
    }

    /// Gives a key a token.
    #[inline]
    pub fn set(&mut self, key: u32, token: u32) {
        self.table[key as usize] = token + 1;
    }

    /// Takes the token of a key away; returns it.
    #[inline]
    pub fn take(&mut self, key: u32) -> Option<u32> {
        std::mem::take(&mut self.table[key as usize]).checked_sub(1)
    }

    /// Number of keys with a token. It counts them, so it is for audits only.
    #[must_use]
    pub fn audit_len(&self) -> usize {
        self.table.iter().filter(|token| **token != 0).count()
    }
}
