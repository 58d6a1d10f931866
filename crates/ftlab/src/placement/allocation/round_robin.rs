//! Plane after plane, in the order of allocation.

use super::{Placement, PlacementDesign, PlaneSet, Room, Spec};
use crate::flash::Flash;
use crate::units::Lpn;
use std::collections::VecDeque;

/// The planes that are not full, the next one first.
#[derive(Clone, Debug)]
pub struct RoundRobin {
    turns: VecDeque<u32>,
}

impl PlacementDesign for RoundRobin {
    type Settings = ();

    const SPEC: Spec = Spec {
        name: "round-robin",
        summary: "the next plane in turn",
        source: "Hu et al., ICS 2011 (dynamic allocation)",
    };

    fn build(planes: &PlaneSet<'_>, (): ()) -> Self {
        RoundRobin { turns: planes.order.iter().copied().collect() }
    }
}

impl Placement for RoundRobin {
    fn place(&mut self, _lpn: Lpn, room: &mut Room, _flash: &Flash) -> u32 {
        loop {
            let plane = self.turns.pop_front().expect("a plane that is not full");
            if room.takes(plane) {
                unless_bug!(RoundRobinLosesTurn, self.turns.push_back(plane));
                return plane;
            }
        }
    }

    fn has_room_again(&mut self, plane: u32) {
        self.turns.push_back(plane);
    }
}
