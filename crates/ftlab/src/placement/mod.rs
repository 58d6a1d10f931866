//! Where a page goes: between the flash, which knows pages, and the FTLs, which know what they are for.
//!
//! Two questions are independent: which plane takes a page ([`allocation`]), and which pages share blocks: those of one
//! [`Class`], which a [`separation`] may choose. [`Planes`](planes::Planes) has the blocks of a device and answers both;
//! [`BlockPool`](block_pool::BlockPool) has those of one plane.

#![allow(clippy::inline_always)] // a class is asked for with every page

pub mod allocation;
pub mod block_pool;
pub mod free_blocks;
pub mod planes;
pub mod region;
pub mod separation;
pub mod survey;

pub use crate::class::Class;

use crate::gc::{Copies, Gc};
use crate::settings::Sections;
use allocation::{BuildPlacement, PlaneOrder};
use separation::BuildSeparation;

/// What decides where pages go, as it is configured.
#[derive(Clone)]
pub struct Placing<'a> {
    /// Garbage collection.
    pub gc: Gc,
    /// Which plane takes a page.
    pub allocation: &'a BuildPlacement,
    /// How planes are counted.
    pub order: PlaneOrder,
    /// Which pages share blocks: the name of the rule, and the rule.
    pub separation: (&'a str, &'a BuildSeparation),
    /// The settings of all of these.
    pub settings: &'a Sections,
}

impl Placing<'_> {
    /// Whether GC copies have blocks of their own, where no class says so.
    #[must_use]
    pub fn copies(&self) -> Copies {
        match self.separation.1 {
            BuildSeparation::Copies => Copies::Own,
            BuildSeparation::Together | BuildSeparation::Classes(_) => self.gc.copies,
        }
    }
}
