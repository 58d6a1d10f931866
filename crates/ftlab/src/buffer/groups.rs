//! Pages in RAM, grouped by logical block.

use crate::cache::slab::Slab;
use crate::cache::tokens::Tokens;
use crate::flash::Geometry;
use crate::units::{Lbn, Lpn};

/// The pages of one logical block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Group {
    /// The logical block.
    pub lbn: Lbn,
    /// How many of its pages are here; never 0.
    pub pages: u32,
}

/// Groups by token and by logical block, each with a bit for each page of its block.
#[derive(Clone, Debug)]
pub struct Groups {
    geometry: Geometry,
    groups: Slab<Group>,
    of_block: Tokens,
    bits: Vec<u64>,
    words: usize,
    pages: usize,
}

impl Groups {
    /// No groups.
    #[must_use]
    pub fn new(geometry: &Geometry) -> Self {
        Groups {
            geometry: geometry.clone(),
            groups: Slab::default(),
            of_block: Tokens::new(geometry.logical_blocks()),
            bits: Vec::new(),
            words: geometry.pages_per_block.div_ceil(64) as usize,
            pages: 0,
        }
    }

    /// Pages in all groups.
    #[inline]
    #[must_use]
    pub const fn pages(&self) -> usize {
        self.pages
    }

    /// Number of groups.
    #[must_use]
    pub const fn len(&self) -> usize {
        self.groups.len()
    }

    /// Whether there is no group.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.groups.is_empty()
    }

    /// Tokens are below this.
    #[must_use]
    pub fn tokens(&self) -> usize {
        self.groups.tokens()
    }

    /// The group of a page's logical block.
    #[inline]
    #[must_use]
    pub fn find(&self, lpn: Lpn) -> Option<u32> {
        self.find_block(self.geometry.logical_block_of(lpn))
    }

    /// The group of a logical block.
    #[inline]
    #[must_use]
    pub fn find_block(&self, lbn: Lbn) -> Option<u32> {
        self.of_block.get(lbn.0)
    }

    /// The group with this token.
    #[inline]
    #[must_use]
    pub fn get(&self, token: u32) -> Group {
        self.groups[token]
    }

    /// The groups with their tokens.
    pub fn iter(&self) -> impl Iterator<Item = (u32, Group)> {
        self.groups.iter().map(|(token, group)| (token, *group))
    }

    /// Whether a page is here.
    #[inline]
    #[must_use]
    pub fn holds(&self, lpn: Lpn) -> bool {
        self.find(lpn).is_some_and(|token| {
            let (word, bit) = self.bit(token, lpn);
            self.bits[word] & bit != 0
        })
    }

    #[inline]
    fn bit(&self, token: u32, lpn: Lpn) -> (usize, u64) {
        let offset = self.geometry.offset_of(lpn);
        (token as usize * self.words + (offset / 64) as usize, 1 << (offset % 64))
    }

    /// Adds a page that is not here. Returns its group, which is new if it has no other page.
    pub fn insert(&mut self, lpn: Lpn) -> u32 {
        let token = self.find(lpn).unwrap_or_else(|| self.add_group(lpn));
        let (word, bit) = self.bit(token, lpn);
        debug_assert_eq!(self.bits[word] & bit, 0, "page {lpn} is here already");
        self.bits[word] |= bit;
        self.groups[token].pages += 1;
        self.pages += 1;
        token
    }

    fn add_group(&mut self, lpn: Lpn) -> u32 {
        let lbn = self.geometry.logical_block_of(lpn);
        let token = self.groups.insert(Group { lbn, pages: 0 });
        self.of_block.set(lbn.0, token);
        self.bits.resize(self.groups.tokens() * self.words, 0);
        token
    }

    /// Removes a page that is here. Returns its group's token, and whether the group is still there.
    ///
    /// # Panics
    /// When the page is not here.
    pub fn remove(&mut self, lpn: Lpn) -> (u32, bool) {
        let token = self.find(lpn).expect("the page is here");
        let (word, bit) = self.bit(token, lpn);
        assert!(self.bits[word] & bit != 0, "page {lpn} is not here");
        self.bits[word] &= !bit;
        self.pages -= 1;
        self.groups[token].pages -= 1;
        let stays = self.groups[token].pages > 0;
        if !stays {
            self.of_block.take(self.groups.remove(token).lbn.0);
        }
        (token, stays)
    }

    /// The pages of a group, ascending.
    pub fn pages_of(&self, token: u32) -> impl Iterator<Item = Lpn> {
        let all = self.geometry.logical_pages_of(self.groups[token].lbn);
        all.filter(|lpn| self.holds(*lpn))
    }

    /// Removes a group and appends its pages, ascending.
    pub fn take(&mut self, token: u32, pages: &mut Vec<Lpn>) {
        let Group { lbn, pages: count } = self.groups.remove(token);
        self.of_block.take(lbn.0);
        self.pages -= count as usize;
        let first = self.geometry.first_logical_page(lbn).0;
        let words = token as usize * self.words..(token as usize + 1) * self.words;
        for (number, word) in self.bits[words].iter_mut().enumerate() {
            let mut bits = std::mem::take(word);
            while bits != 0 {
                pages.push(Lpn(first + 64 * number as u32 + bits.trailing_zeros()));
                bits &= bits - 1;
            }
        }
    }

    /// Counts the pages again.
    ///
    /// # Panics
    /// When the counts are wrong.
    pub fn audit(&self) {
        let mut pages = 0;
        for (token, group) in self.iter() {
            assert_eq!(self.find_block(group.lbn), Some(token), "the group of block {}", group.lbn);
            let words = token as usize * self.words..(token as usize + 1) * self.words;
            let bits: u32 = self.bits[words].iter().map(|word| word.count_ones()).sum();
            assert!(bits == group.pages && bits > 0, "{bits} pages of block {}", group.lbn);
            pages += bits as usize;
        }
        assert_eq!(pages, self.pages, "pages in all groups");
    }
}
