//! A buffer alone, for worked examples. Blocks have 4 pages, and each step returns the groups that
//! left.

use super::{BufferConfig, WriteBuffer, buffers};
use crate::device::DeviceConfig;
use crate::flash::Geometry;
use crate::request::Op;
use crate::settings::{Section, Sections};
use crate::units::{Bytes, Lpn};

/// A device of 64 logical blocks of 4 pages, for buffers of `pages` pages.
pub fn geometry() -> Geometry {
    let device = DeviceConfig { page: Bytes(512), pages_per_block: 4, ..DeviceConfig::default() };
    Geometry::new(&device, 64 * 4 * 512).expect("a device")
}

pub struct Bench {
    pub buffer: Box<dyn WriteBuffer>,
    held: Vec<u32>,
}

impl Bench {
    /// A buffer with default settings.
    pub fn plain(policy: &str, pages: u64) -> Bench {
        Bench::of(policy, pages, &Sections::default())
    }

    /// A buffer with its policy's own settings.
    pub fn new<S: Section>(policy: &str, pages: u64, own: S) -> Bench {
        let mut settings = Sections::default();
        settings.set(own);
        Bench::of(policy, pages, &settings)
    }

    fn of(policy: &str, pages: u64, settings: &Sections) -> Bench {
        let config = BufferConfig { size: Bytes(512 * pages), ..BufferConfig::default() };
        let buffers = buffers();
        let named = buffers.find(policy, &[]).expect("a buffer of the list");
        let buffer = (named.build)(&config, settings, &geometry()).expect("a buffer");
        Bench { buffer, held: Vec::new() }
    }

    fn access(&mut self, lpn: u32, op: Op) -> Vec<Vec<u32>> {
        let mut groups = Vec::new();
        if self.held.contains(&lpn) {
            self.buffer.touch(Lpn(lpn), op);
        } else {
            while !self.buffer.has_room() {
                groups.extend(self.evict());
            }
            self.buffer.insert(Lpn(lpn), op);
            self.held.push(lpn);
        }
        self.buffer.audit();
        groups
    }

    /// One step of eviction: the group that left, if any.
    pub fn evict(&mut self) -> Option<Vec<u32>> {
        let mut leaving = Vec::new();
        self.buffer.evict(&mut leaving);
        let group: Vec<u32> = leaving.iter().map(|lpn| lpn.0).collect();
        self.held.retain(|lpn| !group.contains(lpn));
        self.buffer.audit();
        assert_eq!(self.buffer.len(), self.held.len());
        Some(group).filter(|group| !group.is_empty())
    }

    /// Writes pages one by one; the groups that left, in order.
    pub fn writes(&mut self, pages: &[u32]) -> Vec<Vec<u32>> {
        pages.iter().flat_map(|lpn| self.access(*lpn, Op::Write)).collect()
    }

    /// Reads pages: a hit, or a page kept after a read from flash.
    pub fn reads(&mut self, pages: &[u32]) -> Vec<Vec<u32>> {
        pages.iter().flat_map(|lpn| self.access(*lpn, Op::Read)).collect()
    }
}
