//! The plane that is free first, its channel included, as a controller sees from its queues.

use super::{Placement, PlacementDesign, PlaneSet, Room, Spec};
use crate::flash::Flash;
use crate::units::{Lpn, Nanos};
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// (When it was free, plane) of the planes that are not full, the lowest number among equals. That a plane
/// has become busy since is noticed when it comes to the top.
#[derive(Clone, Debug)]
pub struct LeastBusy {
    queue: BinaryHeap<Reverse<(Nanos, u32)>>,
}

impl PlacementDesign for LeastBusy {
    type Settings = ();

    const SPEC: Spec = Spec {
        name: "least-busy",
        summary: "the plane that is free first, its channel included",
        source: "Hu et al., ICS 2011 (dynamic allocation)",
    };

    fn build(planes: &PlaneSet<'_>, (): ()) -> Self {
        LeastBusy { queue: planes.order.iter().map(|plane| Reverse((0, *plane))).collect() }
    }
}

impl Placement for LeastBusy {
    fn place(&mut self, _lpn: Lpn, room: &mut Room, flash: &Flash) -> u32 {
        loop {
            let Reverse((then, plane)) = self.queue.pop().expect("a plane that is not full");
            let free_at = flash.plane_free_at(plane);
            if free_at > then {
                self.queue.push(Reverse((free_at, plane)));
            } else if free_at < then {
                // The clock went back to an idle device.
                let all = self.queue.drain().map(|Reverse((_, plane))| plane).chain([plane]);
                self.queue =
                    all.map(|plane| Reverse((flash.plane_free_at(plane), plane))).collect();
            } else if room.takes(plane) {
                unless_bug!(LeastBusyLosesPlane, self.queue.push(Reverse((then, plane))));
                return plane;
            }
        }
    }

    fn watches_planes(&self) -> bool {
        true
    }

    fn has_room_again(&mut self, plane: u32) {
        self.queue.push(Reverse((0, plane)));
    }
}
