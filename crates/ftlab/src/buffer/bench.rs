//! A buffer alone, for worked examples: blocks of 4 pages, and each step tells what left.

use super::{BufferConfig, WriteBuffer, find};
use crate::config::DeviceConfig;
use crate::flash::Geometry;
use crate::request::Op;
use crate::units::{Bytes, Lpn};

/// A device of 64 logical blocks of 4 pages, for buffers of so many pages.
pub fn geometry() -> Geometry {
    let device = DeviceConfig { page: Bytes(512), pages_per_block: 4, ..DeviceConfig::default() };
    Geometry::new(&device, 64 * 4 * 512).expect("a device")
}

pub struct Bench {
    pub buffer: Box<dyn WriteBuffer>,
    held: Vec<u32>,
}

impl Bench {
    pub fn new(policy: &str, pages: u64, configure: impl FnOnce(&mut BufferConfig)) -> Bench {
        let mut config = BufferConfig { size: Bytes(512 * pages), ..BufferConfig::default() };
        configure(&mut config);
        let build = find(policy).expect("a registered buffer").build;
        Bench { buffer: build(&config, &geometry()).expect("a buffer"), held: Vec::new() }
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
