//! The table of write buffers.

use super::bpac::Bpac;
use super::bplru::Bplru;
use super::cflru::Cflru;
use super::clash::Clash;
use super::clc::Clc;
use super::fab::Fab;
use super::group_buffer::{GroupBuffer, Order};
use super::lb_clock::LbClock;
use super::lru::Lru;
use super::pud_lru::PudLru;
use super::recently_evicted::RecentlyEvicted;
use super::{BufferConfig, NONE, WriteBuffer};
use crate::error::Error;
use crate::flash::Geometry;
use crate::ftl::Parameter;

/// Makes an empty buffer for a device.
pub type Build = fn(&BufferConfig, &Geometry) -> Result<Box<dyn WriteBuffer>, Error>;

/// A registered write buffer.
#[derive(Clone, Copy, Debug)]
pub struct Entry {
    /// The name, the value of `buffer.policy`.
    pub name: &'static str,
    /// One line for lists.
    pub summary: &'static str,
    /// The paper.
    pub source: &'static str,
    /// Its own parameters.
    pub parameters: &'static [Parameter],
    /// The buffer, empty.
    pub build: Build,
}

const fn parameter(key: &'static str, default: &'static str, meaning: &'static str) -> Parameter {
    Parameter { key, default, meaning }
}

const RECENT: Parameter =
    parameter("buffer.recent", "10%", "share of the pages whose groups were used lately");

/// A buffer that evicts all pages of a block in this order.
fn by_block<O: Order>(
    config: &BufferConfig,
    geometry: &Geometry,
) -> Result<Box<dyn WriteBuffer>, Error> {
    Ok(Box::new(GroupBuffer::<O>::build(config, geometry)?))
}

/// All write buffers.
pub const BUFFERS: &[Entry] = &[
    Entry {
        name: "lru",
        summary: "write-back cache of single pages, read or written; the oldest leaves",
        source: "Kim, Gupta & Urgaonkar, DFTL's journal version, 2013",
        parameters: &[],
        build: |config, geometry| Ok(Box::new(Lru::build(config, geometry)?)),
    },
    Entry {
        name: "clash",
        summary: "single pages until some of one block have met, then blocks; the oldest block leaves",
        source: "Boukhobza, Olivier & Rubini, C-lash, 2011; CACH-FTL 4.1",
        parameters: &[parameter("buffer.page_space", "25%", "share of the p-space, at least")],
        build: |config, geometry| Ok(Box::new(Clash::build(config, geometry)?)),
    },
    Entry {
        name: "bplru",
        summary: "blocks by their last write, completed with pages from flash when they leave",
        source: "Kim & Ahn, FAST 2008",
        parameters: &[parameter("buffer.padding", "true", "complete the blocks that leave")],
        build: by_block::<Bplru>,
    },
    Entry {
        name: "fab",
        summary: "the block with most pages leaves",
        source: "Jo et al., IEEE Transactions on Consumer Electronics 2006",
        parameters: &[],
        build: by_block::<Fab>,
    },
    Entry {
        name: "lb-clock",
        summary: "of the blocks not written again lately, the one with most pages leaves",
        source: "Debnath et al., MASCOTS 2009",
        parameters: &[],
        build: by_block::<LbClock>,
    },
    Entry {
        name: "cflru",
        summary: "page cache; of those used longest ago, a clean page leaves first",
        source: "Park et al., CASES 2006",
        parameters: &[parameter(
            "buffer.window",
            "25%",
            "share in which a clean page leaves first",
        )],
        build: |config, geometry| Ok(Box::new(Cflru::build(config, geometry)?)),
    },
    Entry {
        name: "pud-lru",
        summary: "of the blocks not updated often, the one with most pages leaves",
        source: "Hu et al., MASCOTS 2010",
        parameters: &[parameter(
            "buffer.update_distance",
            "the pages of the buffer",
            "page accesses from update to update that count as often",
        )],
        build: by_block::<PudLru>,
    },
    Entry {
        name: "clc",
        summary: "the block with most pages leaves, but for those used lately",
        source: "Kang et al., IEEE Transactions on Computers 2009",
        parameters: &[RECENT],
        build: by_block::<Clc>,
    },
    Entry {
        name: "bpac",
        summary: "single pages while they are written again, then blocks; the border adapts",
        source: "Wu, Eckart & He, MSST 2010",
        parameters: &[],
        build: |config, geometry| Ok(Box::new(Bpac::build(config, geometry)?)),
    },
    Entry {
        name: "ref",
        summary: "blocks that left a short while ago leave first, then the oldest",
        source: "Seo & Shin, IEEE Transactions on Consumer Electronics 2008",
        parameters: &[RECENT, parameter("buffer.evicted_blocks", "8", "blocks that left last")],
        build: by_block::<RecentlyEvicted>,
    },
];

/// The buffer called `name`.
///
/// # Errors
/// [`Error::Unknown`] when there is none.
pub fn find(name: &str) -> Result<&'static Entry, Error> {
    let known = || std::iter::once(NONE).chain(BUFFERS.iter().map(|entry| entry.name));
    BUFFERS
        .iter()
        .find(|entry| entry.name == name)
        .ok_or_else(|| Error::unknown("write buffer", name, known()))
}
