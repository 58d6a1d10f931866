//! FIFO: the block that was closed longest ago, whatever it holds.

use super::{Closed, Moment, PolicyDesign, Pool, Spec, VictimPolicy};
use crate::cache::block_lists::BlockLists;
use crate::units::Pbn;

/// The closed blocks in the order in which they were closed.
#[derive(Clone, Debug)]
pub struct Fifo {
    closed: BlockLists,
}

impl PolicyDesign for Fifo {
    type Settings = ();

    const SPEC: Spec = Spec {
        name: "fifo",
        summary: "the block closed longest ago",
        source: "Desnoyers, SYSTOR 2012",
    };

    fn build(pool: &Pool, (): ()) -> Self {
        Fifo { closed: BlockLists::new(1, pool.blocks) }
    }
}

impl VictimPolicy for Fifo {
    fn close(&mut self, Closed { pbn, .. }: Closed) {
        self.closed.push(0, pbn);
    }

    #[inline]
    fn shrink(&mut self, _pbn: Pbn, _valid: u32, _now: u64) {}

    fn remove(&mut self, pbn: Pbn, _valid: u32) {
        self.closed.remove(0, pbn);
    }

    fn choose(&mut self, _now: Moment) -> Option<Pbn> {
        self.closed.oldest(0)
    }
}
