//! Buffers that evict all pages of a logical block together: they differ in the order of the blocks.

use super::groups::Groups;
use super::{BufferConfig, BufferDesign, WriteBuffer};
use crate::error::Error;
use crate::flash::Geometry;
use crate::named::Spec;
use crate::request::Op;
use crate::settings::Group;
use crate::units::Lpn;
use std::fmt::Debug;

/// An access of the host to a page of a group.
#[derive(Clone, Copy, Debug)]
pub struct Access {
    /// The group.
    pub group: u32,
    /// Its pages, this one included.
    pub pages: u32,
    /// The page's offset in its block.
    pub offset: u32,
    /// Read or write.
    pub op: Op,
    /// Whether the group has just been founded.
    pub is_new: bool,
    /// Accesses so far, this one included.
    pub now: u64,
}

/// The order in which groups leave.
pub trait Order: Clone + Send + Debug + 'static {
    /// Its own settings, in the table `buffer`.
    type Settings: Group;
    /// The buffer that it makes.
    const SPEC: Spec;

    /// An order without groups, in a buffer of `capacity` pages.
    fn build(own: Self::Settings, geometry: &Geometry, capacity: usize) -> Self;

    /// Notes an access; the group is entered when it is new.
    fn touch(&mut self, access: Access);

    /// A page of a group was trimmed; `pages` are left.
    fn shrink(&mut self, group: u32, pages: u32);

    /// The group to evict next. The caller ensures that there is one.
    fn victim(&mut self, groups: &Groups, now: u64) -> u32;

    /// Forgets a group, which leaves or has lost its last page.
    fn remove(&mut self, group: u32);

    /// Whether a group that leaves is completed to a whole block.
    fn pads(&self) -> bool {
        false
    }

    /// Recomputes the invariants.
    ///
    /// # Panics
    /// When one does not hold.
    fn audit(&self, groups: &Groups);
}

/// A buffer of `capacity` pages that evicts whole groups.
#[derive(Clone, Debug)]
pub struct GroupBuffer<O> {
    capacity: usize,
    pages_per_block: u32,
    groups: Groups,
    order: O,
    now: u64,
}

impl<O: Order> BufferDesign for GroupBuffer<O> {
    type Settings = O::Settings;

    const SPEC: Spec = O::SPEC;

    fn build(config: &BufferConfig, own: O::Settings, geometry: &Geometry) -> Result<Self, Error> {
        let capacity = config.pages(geometry)?;
        Ok(GroupBuffer {
            capacity,
            pages_per_block: geometry.pages_per_block,
            groups: Groups::new(geometry),
            order: O::build(own, geometry, capacity),
            now: 0,
        })
    }
}

impl<O: Order> GroupBuffer<O> {
    fn accessed(&mut self, group: u32, lpn: Lpn, op: Op, is_new: bool) {
        self.now += 1;
        let offset = lpn.0 % self.pages_per_block;
        let pages = self.groups.get(group).pages;
        self.order.touch(Access { group, pages, offset, op, is_new, now: self.now });
    }
}

impl<O: Order> WriteBuffer for GroupBuffer<O> {
    fn has_room(&self) -> bool {
        self.groups.pages() < self.capacity
    }

    fn insert(&mut self, lpn: Lpn, op: Op) {
        let group = self.groups.insert(lpn);
        self.accessed(group, lpn, op, self.groups.get(group).pages == 1);
    }

    fn touch(&mut self, lpn: Lpn, op: Op) {
        let group = self.groups.find(lpn).expect("the page is here");
        self.accessed(group, lpn, op, false);
    }

    fn evict(&mut self, leaving: &mut Vec<Lpn>) {
        let victim = self.order.victim(&self.groups, self.now);
        self.order.remove(victim);
        self.groups.take(victim, leaving);
    }

    fn remove(&mut self, lpn: Lpn) {
        match self.groups.remove(lpn) {
            (group, true) => self.order.shrink(group, self.groups.get(group).pages),
            (group, false) => self.order.remove(group),
        }
    }

    fn len(&self) -> usize {
        self.groups.pages()
    }

    fn pads(&self) -> bool {
        self.order.pads()
    }

    fn audit(&self) {
        assert!(self.len() <= self.capacity, "{} pages in {}", self.len(), self.capacity);
        self.groups.audit();
        self.order.audit(&self.groups);
    }
}
