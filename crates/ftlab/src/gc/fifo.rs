//! FIFO: the block that was closed longest ago, whatever it holds.

use super::in_order::InOrder;
use super::{Closed, Moment, PolicyDesign, Pool, Spec, VictimPolicy};
use crate::units::Pbn;

/// The closed blocks in the order in which they were closed.
#[derive(Clone, Debug)]
pub struct Fifo {
    closed: InOrder,
}

impl PolicyDesign for Fifo {
    type Settings = ();

    const SPEC: Spec = Spec {
        name: "fifo",
        summary: "the block closed longest ago",
        source: "Desnoyers, SYSTOR 2012",
    };

    fn build(pool: &Pool, (): ()) -> Self {
        Fifo { closed: InOrder::new(pool.blocks) }
    }
}

impl VictimPolicy for Fifo {
    fn close(&mut self, block: Closed) {
        self.closed.push(block);
    }

    #[inline]
    fn shrink(&mut self, _pbn: Pbn, _valid: u32, _now: u64) {}

    fn remove(&mut self, pbn: Pbn, _valid: u32) {
        self.closed.remove(pbn);
    }

    fn choose(&mut self, _now: Moment) -> Option<Pbn> {
        self.closed.iter().next()
    }
}
