//! Which plane a page of the host goes to.
//!
//! ```text
//! single        one frontier for the whole device, in whichever plane its block lies (FlashSim)
//! striped       LPN mod planes (DLOOP, equation 1): a page never leaves its plane
//! round-robin   the next plane in turn
//! least-busy    the plane that is free first, its channel included, as a controller's queues tell
//! ```
//!
//! Planes are counted in an allocation order: `CWDP` goes from channel to channel first, then to the
//! next way (chip), die and plane (Hu et al., ICS 2011). Round-robin and least-busy pass by a plane that
//! is full of valid pages, since GC could not make room there.

use crate::flash::{Flash, Geometry};
use crate::units::{Lpn, Nanos, Vtpn};
use serde::{Deserialize, Serialize};
use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};

/// How the planes of a device share the pages of the host.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Placement {
    /// One frontier and one free pool for all planes (`FlashSim`).
    #[default]
    Single,
    /// By logical page (DLOOP, equation 1).
    Striped,
    /// Plane after plane.
    RoundRobin,
    /// The plane that is free first.
    LeastBusy,
}

/// The order in which planes are counted: a permutation of channel, way, die and plane, of which the
/// first changes fastest.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub struct PlaneOrder([char; 4]);

impl Default for PlaneOrder {
    fn default() -> Self {
        PlaneOrder(['P', 'D', 'W', 'C'])
    }
}

impl TryFrom<String> for PlaneOrder {
    type Error = String;
    fn try_from(text: String) -> Result<Self, String> {
        let letters: Vec<char> = text.to_ascii_uppercase().chars().collect();
        let all = "CWDP".chars().all(|letter| letters.contains(&letter));
        match letters[..] {
            [a, b, c, d] if all => Ok(PlaneOrder([a, b, c, d])),
            _ => Err(format!("found {text:?}, expected the letters C, W, D and P in any order")),
        }
    }
}

impl From<PlaneOrder> for String {
    fn from(order: PlaneOrder) -> String {
        order.0.iter().collect()
    }
}

impl PlaneOrder {
    /// The planes of a device in this order.
    #[must_use]
    pub fn planes(self, geometry: &Geometry) -> Vec<u32> {
        let [channels, ways, dies, planes] = geometry.shape();
        // How many of each level there are, and how far apart their plane numbers are.
        let level = |letter: char| match letter {
            'C' => (channels, ways * dies * planes),
            'W' => (ways, dies * planes),
            'D' => (dies, planes),
            _ => (planes, 1),
        };
        let levels = self.0.map(level);
        let plane_at = |mut position: u32| {
            let mut plane = 0;
            for (count, stride) in levels {
                plane += position % count * stride;
                position /= count;
            }
            plane
        };
        (0..geometry.planes()).map(plane_at).collect()
    }
}

/// Chooses planes. A device with one frontier counts as one plane, number 0.
#[derive(Clone, Debug)]
pub struct Chooser {
    /// Plane numbers in the order of allocation.
    order: Vec<u32>,
    rule: Rule,
    room: Room,
}

#[derive(Clone, Debug)]
enum Rule {
    Single,
    Striped,
    /// The planes that are not full, the next one first.
    RoundRobin(VecDeque<u32>),
    /// (When it was free, plane) of the planes that are not full, the lowest number among equals. That
    /// a plane has become busy since is noticed when it comes to the top.
    LeastBusy(BinaryHeap<Reverse<(Nanos, u32)>>),
}

/// How full of valid pages each plane is, where pages may go to any.
#[derive(Clone, Debug)]
struct Room {
    valid: Vec<u32>,
    most: u32,
    /// Planes that were passed by because they were full.
    passed_by: Vec<bool>,
}

impl Room {
    fn new(planes: u32, most: u32) -> Self {
        let planes = planes as usize;
        Room { valid: vec![0; planes], most, passed_by: vec![false; planes] }
    }

    /// Whether a plane takes another page of the host; one that does not is passed by.
    fn takes(&mut self, plane: u32) -> bool {
        let takes = self.valid[plane as usize] < self.most;
        self.passed_by[plane as usize] = !takes;
        takes
    }

    /// A page was superseded. Returns whether its plane is to be considered again.
    fn lost(&mut self, plane: u32) -> bool {
        self.valid[plane as usize] -= 1;
        let has_room = self.valid[plane as usize] < self.most;
        has_room && std::mem::take(&mut self.passed_by[plane as usize])
    }
}

impl Chooser {
    /// Chooses among the planes of a device, each of which may hold up to `most_valid` valid pages.
    #[must_use]
    pub fn new(
        placement: Placement,
        order: PlaneOrder,
        geometry: &Geometry,
        most_valid: u32,
    ) -> Self {
        let order = order.planes(geometry);
        let rule = match placement {
            Placement::Single => Rule::Single,
            Placement::Striped => Rule::Striped,
            Placement::RoundRobin => Rule::RoundRobin(order.iter().copied().collect()),
            Placement::LeastBusy => {
                Rule::LeastBusy(order.iter().map(|plane| Reverse((0, *plane))).collect())
            }
        };
        let room = Room::new(geometry.planes(), most_valid);
        Chooser { order, rule, room }
    }

    /// The choice of one.
    #[must_use]
    pub fn single() -> Self {
        Chooser { order: vec![0], rule: Rule::Single, room: Room::new(0, 0) }
    }

    /// The plane for a page of the host.
    ///
    /// # Panics
    /// When all planes are full of valid pages: the device is smaller than its logical pages.
    #[inline]
    pub fn place(&mut self, lpn: Lpn, flash: &Flash) -> u32 {
        match &mut self.rule {
            Rule::Single => 0,
            Rule::Striped => self.order[lpn.index() % self.order.len()],
            Rule::RoundRobin(turns) => loop {
                let plane = turns.pop_front().expect("a plane that is not full");
                if self.room.takes(plane) {
                    turns.push_back(plane);
                    return plane;
                }
            },
            Rule::LeastBusy(queue) => loop {
                let Reverse((then, plane)) = queue.pop().expect("a plane that is not full");
                let free_at = flash.plane_free_at(plane);
                if free_at > then {
                    queue.push(Reverse((free_at, plane)));
                } else if free_at < then {
                    // The clock went back to an idle device.
                    let all = queue.drain().map(|Reverse((_, plane))| plane).chain([plane]);
                    *queue =
                        all.map(|plane| Reverse((flash.plane_free_at(plane), plane))).collect();
                } else if self.room.takes(plane) {
                    queue.push(Reverse((then, plane)));
                    return plane;
                }
            },
        }
    }

    /// The plane of a translation page.
    #[inline]
    #[must_use]
    pub fn home(&self, vtpn: Vtpn) -> u32 {
        match self.rule {
            Rule::Single => 0,
            _ => self.order[vtpn.index() % self.order.len()],
        }
    }

    /// A page was programmed in a plane, which is no copy of one there.
    #[inline]
    pub fn gained(&mut self, plane: u32) {
        if matches!(self.rule, Rule::RoundRobin(_) | Rule::LeastBusy(_)) {
            self.room.valid[plane as usize] += 1;
        }
    }

    /// A page of a plane was superseded.
    #[inline]
    pub fn lost(&mut self, plane: u32) {
        match &mut self.rule {
            Rule::Single | Rule::Striped => {}
            Rule::RoundRobin(turns) => {
                if self.room.lost(plane) {
                    turns.push_back(plane);
                }
            }
            Rule::LeastBusy(queue) => {
                if self.room.lost(plane) {
                    queue.push(Reverse((0, plane)));
                }
            }
        }
    }
}
