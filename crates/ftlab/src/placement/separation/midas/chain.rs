//! The groups: a chain of queues of full blocks, each as long as it should be, and what is collected of them.
//!
//! ```text
//! hot -> 1 -> 2 -> ... -> last: what is valid in a victim goes to the next group, and of the last to itself
//! ```
//!
//! The first group that is too long gives its oldest block. If none is, a block of the last group is collected by
//! cost-benefit. In a *spread* last group pages climb three levels more, each with blocks of its own. A chain begins as
//! such a group alone, to which blocks of the hot group belong, too.
//!
//! Each group writes to the open block of a class. When a group is no longer there, what is left of its open block takes
//! pages of the last group.

use crate::gc::ByValid;
use crate::units::Pbn;
use std::collections::VecDeque;

/// Levels of a last group that is spread.
const LEVELS: usize = 4;

/// What a block is to the chain.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Free,
    Open,
    Full,
}

#[derive(Clone, Copy, Debug)]
struct Block {
    state: State,
    /// The group, or the level of a last one that is spread.
    level: u8,
    valid: u32,
    /// When it was filled.
    filled: u64,
}

/// Groups of blocks.
#[derive(Clone, Debug)]
pub(super) struct Chain {
    blocks: Vec<Block>,
    pages_per_block: u32,
    classes: u8,
    /// The class of each level.
    class_of: Vec<u8>,
    /// Classes of groups that are no longer there, with an open block.
    left_over: VecDeque<u8>,
    /// Classes with an open block.
    open: Vec<Option<Pbn>>,
    /// The last group.
    last: usize,
    is_spread: bool,
    /// Full blocks that each group should have.
    targets: Vec<u32>,
    /// The full blocks of each group but the last, the oldest in front.
    queues: Vec<VecDeque<Pbn>>,
    /// Those of the last.
    mixed: ByValid,
    /// Full blocks of the hot group, in whichever queue.
    hot_blocks: u32,
}

/// How many classes there are with some groups: one more for each level of a last group that is spread.
pub(super) const fn classes(groups: u8) -> u8 {
    groups + LEVELS as u8 - 1
}

impl Chain {
    /// One group that is spread, and the hot one.
    pub fn new(blocks: u32, pages_per_block: u32, groups: u8) -> Self {
        let block = Block { state: State::Free, level: 0, valid: 0, filled: 0 };
        let classes = classes(groups);
        Chain {
            blocks: vec![block; blocks as usize],
            pages_per_block,
            classes,
            class_of: (0..=LEVELS as u8).collect(),
            left_over: VecDeque::new(),
            open: vec![None; classes.into()],
            last: 1,
            is_spread: true,
            targets: vec![0],
            queues: vec![VecDeque::new()],
            mixed: ByValid::new(blocks, pages_per_block),
            hot_blocks: 0,
        }
    }

    /// The number of the last group.
    pub const fn last(&self) -> usize {
        self.last
    }

    pub const fn is_spread(&self) -> bool {
        self.is_spread
    }

    /// The group of a block, or its level in a last one that is spread.
    pub fn level(&self, block: Pbn) -> u8 {
        self.blocks[block.index()].level
    }

    /// Page writes since a block was filled; an open one has no age.
    pub fn age(&self, block: Pbn, now: u64) -> u64 {
        let block = &self.blocks[block.index()];
        if block.state == State::Full { now - block.filled } else { 0 }
    }

    pub fn valid(&self, block: Pbn) -> u32 {
        self.blocks[block.index()].valid
    }

    /// Full blocks of the hot group.
    pub const fn hot_blocks(&self) -> u32 {
        self.hot_blocks
    }

    /// Full blocks of each group, the hot one in front.
    pub fn sizes(&self) -> Vec<u32> {
        let mut sizes = vec![0; self.last + 1];
        for block in self.blocks.iter().filter(|block| block.state == State::Full) {
            sizes[usize::from(block.level).min(self.last)] += 1;
        }
        sizes
    }

    /// Full blocks without garbage in the last group.
    pub fn unwritten_blocks(&self) -> u32 {
        let is_still = |block: &&Block| {
            block.state == State::Full
                && usize::from(block.level) >= self.last
                && block.valid == self.pages_per_block
        };
        self.blocks.iter().filter(is_still).count() as u32
    }

    /// The level that what is valid in a block of a level goes to.
    pub fn next(&self, level: u8) -> u8 {
        let end = if self.is_spread { self.last + LEVELS - 1 } else { self.last };
        if usize::from(level) < end { level + 1 } else { level }
    }

    /// The class that a page of a level is written to.
    pub fn class(&self, level: u8) -> u8 {
        match self.left_over.front() {
            Some(class) if usize::from(level) == self.last => *class,
            _ => self.class_of[usize::from(level)],
        }
    }

    fn level_of(&self, class: u8) -> Option<usize> {
        self.class_of.iter().position(|known| *known == class)
    }

    /// Whether full blocks of a level are collected with those of the last group.
    const fn is_mixed(&self, level: usize) -> bool {
        level >= self.last || self.last == 1
    }

    /// A page lies in a block of a class.
    pub fn placed(&mut self, block: Pbn, class: u8) {
        if self.blocks[block.index()].state == State::Free {
            let level = self.level_of(class).unwrap_or(self.last);
            if self.level_of(class).is_none() && !self.left_over.contains(&class) {
                self.left_over.push_back(class);
            }
            let opened = &mut self.blocks[block.index()];
            (opened.state, opened.level) = (State::Open, level as u8);
            self.open[usize::from(class)] = Some(block);
        }
        self.blocks[block.index()].valid += 1;
    }

    /// A page in a block was superseded.
    pub fn died(&mut self, block: Pbn) {
        let known = &mut self.blocks[block.index()];
        known.valid -= unless_bug!(MidasDeathUnseen, 1, 0);
        let (valid, state, level) = (known.valid, known.state, usize::from(known.level));
        if state == State::Full && self.is_mixed(level) {
            self.mixed.shrink(block, valid);
        }
    }

    /// The open block of a class is full.
    pub fn filled(&mut self, block: Pbn, class: u8, now: u64) {
        if self.open[usize::from(class)].take_if(|open| *open == block).is_some() {
            self.left_over.retain(|left| *left != class);
        }
        let known = &mut self.blocks[block.index()];
        (known.state, known.filled) = (State::Full, now);
        self.hot_blocks += u32::from(known.level == 0);
        self.enqueue(block);
    }

    fn enqueue(&mut self, block: Pbn) {
        let Block { level, valid, filled, .. } = self.blocks[block.index()];
        if self.is_mixed(level.into()) {
            self.mixed.add(block, valid, (filled, block.0.into()));
        } else {
            self.queues[usize::from(level)].push_back(block);
        }
    }

    /// The group that gives a block, and the block. `None` if no block is full.
    pub fn victim(&self, now: u64) -> Option<(usize, Pbn)> {
        let is_long = |group: &usize| self.queues[*group].len() > self.targets[*group] as usize;
        let long = (0..self.queues.len()).find(is_long);
        if let Some(group) = long
            && let Some(block) = self.queues[group].front()
        {
            return Some((group, *block));
        }
        let oldest = || {
            let (group, queue) =
                self.queues.iter().enumerate().find(|(_, queue)| !queue.is_empty())?;
            Some((group, *queue.front()?))
        };
        self.mixed.best_by_age(now).map(|block| (self.last, block)).or_else(oldest)
    }

    /// A block is collected: its pages are about to move, and it is free then.
    pub fn collected(&mut self, block: Pbn) {
        let Block { level, valid, .. } = self.blocks[block.index()];
        let free = Block { state: State::Free, level: 0, valid: 0, filled: 0 };
        self.blocks[block.index()] = free;
        self.hot_blocks -= u32::from(level == 0);
        if self.is_mixed(level.into()) {
            unless_bug!(MidasKeepsCollected, self.mixed.remove(block, valid));
        } else {
            self.queues[usize::from(level)].retain(|queued| *queued != block);
        }
    }

    /// Every block that can be a victim, with its valid pages.
    pub fn full_blocks(&self) -> Vec<(Pbn, u32)> {
        let queued = self.queues.iter().flatten().map(|block| (*block, self.valid(*block)));
        queued.chain(self.mixed.iter()).collect()
    }

    /// A class that no group writes to, one without an open block if there is.
    fn unused_class(&mut self) -> u8 {
        let is_unused = |class: &u8| !self.class_of.contains(class);
        let unused = (0..self.classes).filter(is_unused);
        let class = unused.min_by_key(|class| self.left_over.contains(class));
        let class = class.expect("a class for each level");
        self.left_over.retain(|left| *left != class);
        class
    }

    /// No group writes to a class: what is left of its open block is for the last.
    fn leave(&mut self, class: u8) {
        if self.open[usize::from(class)].is_some() {
            self.left_over.push_back(class);
        }
    }

    /// Spreads the last group over levels.
    pub fn spread(&mut self) {
        if !self.is_spread {
            self.is_spread = true;
            for _ in 1..LEVELS {
                let class = self.unused_class();
                self.class_of.push(class);
            }
        }
    }

    /// All levels of the last group are one.
    fn gather(&mut self) {
        if std::mem::take(&mut self.is_spread) {
            for class in self.class_of.split_off(self.last + 1) {
                self.leave(class);
            }
            let last = self.last as u8;
            self.blocks.iter_mut().for_each(|block| block.level = block.level.min(last));
        }
    }

    /// The group before the last becomes part of it; at the end the hot group does, too.
    pub fn merge(&mut self) {
        let merged = self.last - 1;
        if merged == 0 {
            return;
        }
        self.targets.truncate(merged);
        let queue = self.queues.pop();
        self.last = merged;
        let class = self.class_of.remove(merged);
        self.leave(class);
        for block in &mut self.blocks {
            block.level -= u8::from(usize::from(block.level) > merged);
        }
        queue.into_iter().flatten().for_each(|block| self.enqueue(block));
        if merged == 1 {
            let hot = std::mem::take(&mut self.queues[0]);
            hot.into_iter().for_each(|block| self.enqueue(block));
        }
    }

    /// Gives the chain as many groups as there are sizes, in blocks with their open ones: what is too long gives its
    /// oldest blocks to the last.
    pub fn arrange(&mut self, sizes: &[u32]) {
        let (new_last, was_alone) = (sizes.len() - 1, self.last == 1);
        self.gather();
        while self.last > new_last {
            self.merge();
        }
        if was_alone {
            // The full blocks of the hot group are a queue again.
            let mut hot: Vec<Pbn> = self.mixed.iter().map(|(block, _)| block).collect();
            hot.retain(|block| self.level(*block) == 0);
            hot.sort_by_key(|block| self.blocks[block.index()].filled);
            for block in &hot {
                self.mixed.remove(*block, self.valid(*block));
            }
            self.queues[0] = hot.into();
        }
        let old_last = self.last;
        for block in self.blocks.iter_mut().filter(|block| usize::from(block.level) >= old_last) {
            block.level = new_last as u8;
        }
        for group in old_last..new_last {
            let class = self.unused_class();
            self.class_of.insert(group, class);
            self.queues.push(VecDeque::new());
        }
        self.last = new_last;
        // The first group has one block less, for what it writes while another is collected.
        let target = |(group, size): (usize, &u32)| size.saturating_sub(1 + u32::from(group == 1));
        self.targets = sizes[..new_last].iter().enumerate().map(target).collect();
        for group in 0..new_last {
            while self.queues[group].len() > self.targets[group] as usize {
                let Some(block) = self.queues[group].pop_front() else { break };
                self.blocks[block.index()].level = new_last as u8;
                self.hot_blocks -= u32::from(group == 0);
                self.enqueue(block);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Blocks of 2 pages.
    struct Bench {
        chain: Chain,
        now: u64,
    }

    impl Bench {
        fn new() -> Self {
            Bench { chain: Chain::new(40, 2, 5), now: 0 }
        }

        /// Fills a block of a level.
        fn fill(&mut self, block: u32, level: u8) {
            let class = self.chain.class(level);
            for _ in 0..2 {
                self.chain.placed(Pbn(block), class);
                self.now += 1;
            }
            self.chain.filled(Pbn(block), class, self.now);
        }

        fn victim(&self) -> Option<(usize, u32)> {
            self.chain.victim(self.now).map(|(group, block)| (group, block.0))
        }

        fn sizes(&self) -> Vec<u32> {
            self.chain.sizes()
        }
    }

    #[test]
    fn a_chain_begins_as_one_group_of_four_levels() {
        let mut bench = Bench::new();
        assert_eq!([0, 1, 2, 3, 4].map(|level| bench.chain.next(level)), [1, 2, 3, 4, 4]);
        for (block, level) in [(5, 1), (6, 0), (7, 3)] {
            bench.fill(block, level);
        }
        bench.chain.died(Pbn(6));
        assert_eq!(bench.victim(), Some((1, 6)), "a block of the hot group is one of all");
        bench.chain.collected(Pbn(6));
        assert_eq!(bench.victim(), Some((1, 5)), "none has garbage");
        bench.chain.died(Pbn(7));
        assert_eq!(bench.victim(), Some((1, 7)));
        assert_eq!(bench.chain.level(Pbn(7)), 3);
    }

    #[test]
    fn a_group_that_is_too_long_gives_its_oldest_block() {
        let mut bench = Bench::new();
        for (block, level) in [(0, 0), (1, 1), (2, 2), (3, 0), (4, 0)] {
            bench.fill(block, level);
        }
        bench.chain.arrange(&[3, 4, 20]);
        assert_eq!(
            bench.sizes(),
            [2, 0, 3],
            "the oldest hot block is in the last, as are all levels"
        );
        assert_eq!(bench.victim(), Some((2, 0)), "no group is too long, and none has garbage");
        bench.fill(8, 1);
        bench.fill(9, 0);
        assert_eq!(bench.victim(), Some((0, 3)));
        bench.chain.collected(Pbn(3));
        assert_eq!(bench.chain.next(0), 1);
        bench.fill(10, 1);
        assert_eq!(bench.victim(), Some((2, 0)));
        bench.fill(11, 1);
        assert_eq!(bench.victim(), Some((1, 8)));
        assert_eq!([1, 2].map(|level| bench.chain.next(level)), [2, 2], "the last goes to itself");
    }

    #[test]
    fn merged_groups_are_part_of_the_last_and_their_open_blocks_are_filled_by_it() {
        let mut bench = Bench::new();
        bench.chain.arrange(&[3, 4, 5, 20]);
        for (block, level) in [(0, 0), (1, 1), (2, 2), (3, 3)] {
            bench.fill(block, level);
        }
        let [first, second, last] = [1, 2, 3].map(|level| bench.chain.class(level));
        bench.chain.placed(Pbn(12), second);
        bench.chain.merge();
        assert_eq!(bench.sizes(), [1, 1, 2]);
        assert_eq!(bench.chain.class(2), second, "what is left of its block");
        bench.chain.placed(Pbn(12), second);
        bench.chain.filled(Pbn(12), second, bench.now);
        assert_eq!((bench.chain.level(Pbn(12)), bench.chain.class(2)), (2, last));
        bench.chain.merge();
        assert_eq!((bench.sizes(), bench.chain.class(1)), (vec![1, 4], last));
        assert_eq!(bench.chain.last(), 1);
        bench.chain.merge();
        assert_eq!(bench.chain.last(), 1, "it is the only one");
        for block in [0, 1, 2, 3, 12] {
            assert!(bench.victim().is_some(), "{block} of all is collected");
            let (_, victim) = bench.chain.victim(bench.now).expect("a block");
            bench.chain.collected(victim);
        }
        assert_eq!(bench.victim(), None);
        assert_ne!(first, last);
    }

    /// A class whose group is gone while GC makes room for its page.
    #[test]
    fn a_page_may_open_a_block_of_a_class_that_no_group_has() {
        let mut bench = Bench::new();
        bench.chain.arrange(&[3, 4, 20]);
        let class = bench.chain.class(1);
        bench.chain.merge();
        bench.chain.placed(Pbn(7), class);
        assert_eq!((bench.chain.level(Pbn(7)), bench.chain.class(1)), (1, class));
        bench.chain.spread();
        assert_eq!(bench.chain.class_of.len(), 5);
        let mut classes = bench.chain.class_of.clone();
        classes.sort_unstable();
        classes.dedup();
        assert_eq!(classes.len(), 5, "each level has a class of its own");
    }
}
