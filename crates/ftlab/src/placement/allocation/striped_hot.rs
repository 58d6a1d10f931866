//! Spare room where the writes are: hot planes hold fewer valid pages, so GC finds more to collect there.
//!
//! DLOOP gives each plane as many extra blocks, and names more of them for planes with hot data as future
//! work. Blocks cannot change their plane, but pages can when they are written. A quarter of the spare
//! room is shared evenly, the rest by the writes of each plane in the window before
//! (choices.md#dloop-hot).

use super::{Placement, PlacementDesign, PlaneSet, Room, Spec};
use crate::flash::Flash;
use crate::units::Lpn;

/// Writes of a window, for each plane.
const WINDOW: u64 = 1024;
/// Where a page has not been written.
const NOWHERE: u16 = u16::MAX;

/// Which plane each page is in, and how much spare room each plane is to have.
#[derive(Clone, Debug)]
pub struct StripedHot {
    /// Plane numbers in the order of allocation.
    order: Vec<u32>,
    /// By logical page; a device reads this off its map.
    plane_of: Vec<u16>,
    /// Writes of each plane in this window.
    writes: Vec<u64>,
    written: u64,
    /// Pages of spare room that each plane is to have.
    share: Vec<f64>,
    /// The plane that is asked next to take a page from another.
    turn: u32,
    most_valid: u32,
    /// A page is moved for as much: half a block.
    margin: f64,
}

impl PlacementDesign for StripedHot {
    type Settings = ();

    const SPEC: Spec = Spec {
        name: "striped-hot",
        summary: "by logical page, but hot planes hold fewer valid pages, and so have more extra blocks",
        source: "ours, after the future work of DLOOP (VI)",
    };

    /// Even shares.
    fn build(planes: &PlaneSet<'_>, (): ()) -> Self {
        let PlaneSet { order, geometry, most_valid } = *planes;
        assert!(order.len() < usize::from(NOWHERE), "{} planes", order.len());
        StripedHot {
            order: order.to_vec(),
            plane_of: vec![NOWHERE; geometry.logical_pages as usize],
            writes: vec![0; order.len()],
            written: 0,
            share: vec![0.0; order.len()],
            turn: 0,
            most_valid,
            margin: f64::from(geometry.pages_per_block) / 2.0,
        }
    }
}

impl Placement for StripedHot {
    /// A page that is new belongs to the plane that its number gives it.
    fn place(&mut self, lpn: Lpn, room: &mut Room, _flash: &Flash) -> u32 {
        let old = self.plane_of[lpn.index()];
        let first = self.order[lpn.index() % self.order.len()];
        let home = if old == NOWHERE { first } else { u32::from(old) };
        self.count(home, room);
        let plane = self.keep_or_move(home, room);
        self.plane_of[lpn.index()] = plane as u16;
        plane
    }
}

impl StripedHot {
    fn keep_or_move(&mut self, home: u32, room: &Room) -> u32 {
        if self.surplus(home, room) >= 0.0 && room.valid()[home as usize] < self.most_valid {
            return home;
        }
        let planes = self.share.len() as u32;
        self.turn = (self.turn + 1) % planes;
        if self.surplus(self.turn, room) > self.margin {
            return self.turn;
        }
        let full = |plane: u32| room.valid()[plane as usize] >= self.most_valid;
        let mut from_home = (0..planes).map(|step| (home + step) % planes);
        from_home.find(|plane| !full(*plane)).expect("a plane that is not full")
    }

    /// Spare room of a plane beyond its share, in pages.
    fn surplus(&self, plane: u32, room: &Room) -> f64 {
        let spare = f64::from(self.most_valid) - f64::from(room.valid()[plane as usize]);
        spare - self.share[plane as usize]
    }

    /// Counts a write; at the end of a window the shares change.
    fn count(&mut self, plane: u32, room: &Room) {
        self.writes[plane as usize] += 1;
        self.written += 1;
        let planes = self.writes.len() as u64;
        if self.written < WINDOW * planes {
            return;
        }
        let valid: f64 = room.valid().iter().map(|valid| f64::from(*valid)).sum();
        let spare = f64::from(self.most_valid) * planes as f64 - valid;
        for (share, writes) in self.share.iter_mut().zip(&mut self.writes) {
            let heat = *writes as f64 / self.written as f64;
            *share = spare * (0.25 / planes as f64 + 0.75 * heat);
            *writes = 0;
        }
        self.written = 0;
    }
}
