//! APS (Shim, Seo, Kim & Maeng, MSST 2010: an adaptive partitioning scheme), as its abstract and TPFTL
//! 2.2 describe it.
//!
//! Idea     RAM is divided into a part for translation pages and one for data pages, each under
//!          LRU. Ghosts remember pages that have left. When a ghost is requested again, it shows
//!          the flash time that a larger part would have saved. A page of RAM moves to the part
//!          whose ghosts would have saved more.
//! RAM      page size + 4 B per page of either kind + 4 B per ghost + GTD. Each part has as many ghosts
//!          as the pool has room for pages.
//! Departs  a reconstruction: we know the paper by its abstract. Three rules are ours
//!          (choices.md#aps-ghosts). Mappings are cached as whole translation pages. A ghost of the
//!          map would have saved a page read, one of the data a read or a program. The boundary
//!          moves by one page when one side is ahead by `inertia`.
//! Options  `map`, where the boundary begins; `inertia`.
//!
//! A data page needs no mapping in RAM, so a write looks up its mapping when it leaves.

use super::{Pool, Pooled};
use crate::cache::recent_map::RecentMap;
use crate::error::Error;
use crate::flash::Geometry;
use crate::ftl::design::{Setup, Spec};
use crate::request::Op;
use crate::units::{Duration, Lpn, Ratio, Vtpn};
use std::collections::BTreeMap;

const HEADER_BYTES: u64 = 4;
const GHOST_BYTES: u64 = 4;

crate::settings! {
    /// APS's own parameters.
    pub struct ApsConfig in "aps" {
        /// Share of the pool that is initially for translation pages.
        map: Ratio = Ratio(0.5), in 0.0..=1.0, laws [0.0, 0.1, 0.5, 1.0].map(Ratio),
            source "choices.md#aps-ghosts";
        /// Lead in flash time of the ghosts of one part at which a page of RAM moves.
        inertia: Duration = Duration(2_000_000), laws [0, 100, 1000, 10_000].map(Duration),
            source "ten programs; choices.md#aps-ghosts";
    }
}

/// The ghosts: numbers of pages that have left; the oldest is dropped first.
#[derive(Clone, Debug)]
struct Ghosts {
    capacity: usize,
    pages: RecentMap<()>,
}

impl Ghosts {
    fn new(capacity: usize, numbers: u32) -> Self {
        Ghosts { capacity, pages: RecentMap::new(numbers) }
    }

    fn add(&mut self, number: u32) {
        if self.pages.len() == self.capacity {
            let oldest = self.pages.least_recent().expect("it is full");
            self.pages.remove(oldest);
        }
        self.pages.insert(number, ());
    }

    /// Removes a page from the ghosts; returns whether it was one.
    fn take(&mut self, number: u32) -> bool {
        self.pages.remove(number).is_some()
    }
}

/// One of the two parts: its pages by use, and the ghosts of those that have left.
#[derive(Clone, Debug)]
struct Part {
    pages: RecentMap<()>,
    ghosts: Ghosts,
}

impl Part {
    fn new(ghosts: usize, numbers: u32) -> Self {
        Part { pages: RecentMap::new(numbers), ghosts: Ghosts::new(ghosts, numbers) }
    }

    /// Uses a page, which may be new. Returns whether it was a ghost, which a larger part would
    /// still have.
    fn touch(&mut self, number: u32) -> bool {
        if self.pages.contains(number) {
            self.pages.touch(number);
            return false;
        }
        self.pages.insert(number, ());
        self.ghosts.take(number)
    }

    fn remove(&mut self, number: u32) {
        self.pages.remove(number);
        self.ghosts.add(number);
    }

    fn audit(&self, pages: usize, what: &str) {
        self.pages.audit();
        self.ghosts.pages.audit();
        assert_eq!(self.pages.len(), pages, "{what}");
        assert!(self.ghosts.pages.len() <= self.ghosts.capacity, "ghosts of {what}");
        let both = self.pages.iter().find(|(number, ())| self.ghosts.pages.contains(*number));
        assert!(both.is_none(), "{both:?} of {what} is here and a ghost");
    }
}

/// Two parts and the boundary between them.
#[derive(Clone, Debug)]
pub struct Aps {
    map: Part,
    data: Part,
    page_bytes: u64,
    /// Pages that the pool has room for.
    room: u64,
    /// Of these, the part for translation pages; at least one.
    map_room: u64,
    read_ns: i64,
    program_ns: i64,
    inertia_ns: i64,
    /// Flash time by which the ghosts of the map lead those of the data since the boundary moved,
    /// ns.
    lead_ns: i64,
    moves: u64,
}

impl Pool for Aps {
    const DATA_HEADER_BYTES: u64 = HEADER_BYTES;
    const NEEDS_MAP: bool = false;
    const FIGURES: [&'static str; 6] = [
        "aps.absorbed_writes",
        "aps.data_pages",
        "aps.dirty_pages",
        "aps.flushed_pages",
        "aps.read_hits",
        "aps.write_hits",
    ];

    type Settings = ApsConfig;

    const SPEC: Spec = Spec {
        name: "aps",
        title: "APS",
        summary: "one pool for translation pages and data pages, divided where ghosts say it saves most",
        source: "Shim, Seo, Kim & Maeng, MSST 2010",
        translates_late: true,
        ..Spec::DEMAND_PAGED
    };

    fn build(setup: &Setup<ApsConfig>, geometry: &Geometry) -> Result<Self, Error> {
        let ApsConfig { map: Ratio(share), inertia } = setup.own;
        let page_bytes = u64::from(geometry.page_bytes) + HEADER_BYTES;
        let room = setup.ftl.cache_bytes(geometry) / page_bytes;
        let device = &setup.device;
        let transfer = device.transfer_per_byte.0 * u64::from(geometry.page_bytes);
        Ok(Aps {
            map: Part::new(room as usize, geometry.translation_pages()),
            data: Part::new(room as usize, geometry.logical_pages),
            page_bytes,
            room,
            map_room: ((room as f64 * share) as u64).max(1),
            read_ns: (device.read.0 + transfer) as i64,
            program_ns: (device.program.0 + transfer) as i64,
            inertia_ns: inertia.0 as i64,
            lead_ns: 0,
            moves: 0,
        })
    }

    fn use_map(&mut self, vtpn: Vtpn) {
        if self.map.touch(vtpn.0) {
            self.weigh(self.read_ns);
        }
    }

    fn use_data(&mut self, lpn: Lpn, op: Op) {
        if self.data.touch(lpn.0) {
            self.weigh(if op == Op::Read { -self.read_ns } else { -self.program_ns });
        }
    }

    fn next(&self) -> Pooled {
        let oldest_data = self.data.pages.least_recent();
        match oldest_data {
            Some(lpn) if self.map.pages.len() as u64 <= self.map_room => Pooled::Data(Lpn(lpn)),
            _ => Pooled::Map(Vtpn(self.map.pages.least_recent().expect("a full pool has pages"))),
        }
    }

    fn remove(&mut self, page: Pooled) {
        match page {
            Pooled::Map(vtpn) => self.map.remove(vtpn.0),
            Pooled::Data(lpn) => self.data.remove(lpn.0),
        }
    }

    fn trim(&mut self, lpn: Lpn) {
        self.data.pages.remove(lpn.0);
        self.data.ghosts.take(lpn.0);
    }

    fn extra_ram(&self) -> u64 {
        GHOST_BYTES * (self.map.ghosts.capacity + self.data.ghosts.capacity) as u64
    }

    fn metrics(&self) -> BTreeMap<&'static str, u64> {
        BTreeMap::from([
            ("aps.boundary_moves", self.moves),
            ("aps.map_bytes", self.map_room * self.page_bytes),
        ])
    }

    fn reset_metrics(&mut self) {
        self.moves = 0;
    }

    fn audit(&self, is_mapped: &dyn Fn(Vtpn) -> bool, map_pages: usize, data_pages: usize) {
        self.map.audit(map_pages, "translation pages");
        self.data.audit(data_pages, "data pages");
        for (vtpn, ()) in self.map.pages.iter() {
            assert!(is_mapped(Vtpn(vtpn)), "translation page {vtpn} is not in RAM");
        }
        assert!((1..=self.room).contains(&self.map_room), "boundary at {}", self.map_room);
        assert!(self.lead_ns.abs() <= self.inertia_ns, "lead of {} ns", self.lead_ns);
    }
}

impl Aps {
    /// Pages that are the part for translation pages.
    #[cfg(test)]
    pub(super) const fn map_room(&self) -> u64 {
        self.map_room
    }

    /// Counts a ghost that was requested: `saved_ns` is positive for the map, negative for data.
    fn weigh(&mut self, saved_ns: i64) {
        self.lead_ns += saved_ns;
        if self.lead_ns.abs() <= self.inertia_ns {
            return;
        }
        let before = self.map_room;
        self.map_room = match self.lead_ns > 0 {
            true => (before + 1).min(self.room),
            false => unless_bug!(ApsNoRoomForMap, (before - 1).max(1), before - 1),
        };
        self.moves += u64::from(self.map_room != before);
        self.lead_ns = 0;
    }
}
