//! The order inside a block. A read follows the erase and the program of its page. A program
//! follows the erase and the programs before it. An erase follows all of them.

use super::log::Kind;
use crate::units::Nanos;
use std::collections::VecDeque;
use std::hint::black_box;

/// Programs of a plane that are remembered one by one.
const MOST_PROGRAMS: usize = 1024;

/// A page: its block, and its number there.
pub(super) type Page = (u32, u32);

/// When what was placed on a block ends.
#[derive(Clone, Copy, Debug, Default)]
struct Block {
    /// The last program, or the erase.
    changed_at: Nanos,
    /// The last read.
    read_at: Nanos,
    /// The erase.
    erased_at: Nanos,
}

/// The last programs of a plane.
#[derive(Clone, Debug, Default)]
struct Programs {
    /// Each with its end.
    recent: VecDeque<(Page, Nanos)>,
    /// When all forgotten programs are done.
    forgotten: Nanos,
}

/// Blocks of a device on which a later operation may begin before an earlier one.
#[derive(Clone, Debug)]
pub(super) struct Blocks {
    /// Empty where everything is done in order.
    blocks: Vec<Block>,
    programs: Vec<Programs>,
}

impl Blocks {
    pub fn new(blocks: u32, planes: u32) -> Self {
        Blocks {
            blocks: vec![Block::default(); blocks as usize],
            programs: vec![Programs::default(); planes as usize],
        }
    }

    pub fn reset(&mut self) {
        self.blocks.fill(Block::default());
        self.programs.fill(Programs::default());
    }

    /// Prefetches the state of a block.
    #[inline]
    pub fn load_early(&self, block: u32) {
        black_box(self.blocks.get(block as usize).map(|block| block.changed_at));
    }

    /// When an operation that is ready at `from` can begin.
    #[inline]
    pub fn ready(&self, kind: Kind, plane: u32, page: Page, from: Nanos) -> Nanos {
        let Some(block) = self.blocks.get(page.0 as usize) else { return from };
        from.max(match kind {
            Kind::Read | Kind::ReadOob if block.changed_at <= from => 0,
            Kind::Read | Kind::ReadOob => unless_bug!(
                BlocksReadTooSoon,
                self.programs[plane as usize].end_of(page, block),
                block.erased_at
            ),
            Kind::Program | Kind::CopyBack => {
                unless_bug!(BlocksProgramTooSoon, block.changed_at, block.erased_at)
            }
            Kind::Erase => unless_bug!(
                BlocksEraseTooSoon,
                block.changed_at.max(block.read_at),
                block.changed_at
            ),
        })
    }

    /// Notes an operation that ends at `end`; no later operation is ready before `now`.
    #[inline]
    pub fn note(&mut self, kind: Kind, plane: u32, page: Page, end: Nanos, now: Nanos) {
        let Some(block) = self.blocks.get_mut(page.0 as usize) else { return };
        match kind {
            Kind::Read | Kind::ReadOob => block.read_at = block.read_at.max(end),
            Kind::Erase => *block = Block { changed_at: end, read_at: 0, erased_at: end },
            Kind::Program | Kind::CopyBack => {
                block.changed_at = end;
                self.programs[plane as usize].push(page, end, now);
            }
        }
    }

    /// The program of a page, the last one of its block, ends later than was noted.
    pub fn delay(&mut self, plane: u32, page: Page, end: Nanos) {
        let Some(block) = self.blocks.get_mut(page.0 as usize) else { return };
        block.changed_at = end;
        let mut recent = self.programs[plane as usize].recent.iter_mut().rev();
        if let Some((_, noted)) = recent.find(|(of, _)| *of == page) {
            *noted = end;
        }
    }
}

impl Programs {
    fn push(&mut self, page: Page, end: Nanos, now: Nanos) {
        while self.recent.front().is_some_and(|(_, end)| *end <= now) {
            self.recent.pop_front();
        }
        if self.recent.is_empty() {
            // Restarts at the first slot, because the next one is in no cache.
            self.recent.clear();
        }
        if self.recent.len() == MOST_PROGRAMS {
            let end = self.recent.pop_front().map_or(0, |(_, end)| end);
            self.forgotten = unless_bug!(BlocksForget, self.forgotten.max(end), 0);
        }
        self.recent.push_back((page, end));
    }

    /// When a page of a block is programmed, as far as known. If it is not programmed, when it is
    /// erased.
    fn end_of(&self, page: Page, block: &Block) -> Nanos {
        let own = self.recent.iter().rev().find(|(of, _)| *of == page);
        own.map_or(self.forgotten.min(block.changed_at), |(_, end)| *end).max(block.erased_at)
    }
}
