//! From an address to a token: 4 bytes for each address of the device.

/// Tokens by address. Tables begin as zeroes, so parts that are never touched cost nothing.
#[derive(Clone, Debug)]
pub struct Tokens {
    /// Token + 1, or 0.
    table: Vec<u32>,
}

impl Tokens {
    /// No tokens for any of so many addresses.
    #[must_use]
    pub fn new(addresses: u32) -> Self {
        Tokens { table: vec![0; addresses as usize] }
    }

    /// The token of an address.
    #[inline]
    #[must_use]
    pub fn get(&self, address: u32) -> Option<u32> {
        self.table[address as usize].checked_sub(1)
    }

    /// Gives an address a token.
    #[inline]
    pub fn set(&mut self, address: u32, token: u32) {
        self.table[address as usize] = token + 1;
    }

    /// Takes the token of an address away.
    #[inline]
    pub fn clear(&mut self, address: u32) {
        self.table[address as usize] = 0;
    }
}
