//! The data block of each logical block: a table in RAM, or a map on flash (choices.md#log-maps).
//!
//! On flash the table is on translation pages, 4 B for each logical block. They have their own
//! blocks at the start of the device, with greedy collection. RAM holds the page used last. A
//! change is programmed at once, because the replaced block is about to be erased.

use crate::error::Error;
use crate::flash::{BlockKind, Cause, Device, Flash, Geometry, Owner};
use crate::ftl::parts::page_map::PageMap;
use crate::ftl::parts::translation_pages::TranslationPages;
use crate::gc::{self, Gc, GcConfig, GcMode};
use crate::placement::Class;
use crate::placement::allocation::Place;
use crate::placement::planes::Planes;
use crate::placement::region::Region;
use crate::settings::Sections;
use crate::units::{Lbn, Lpn, Pbn, Ppn, Vtpn};

crate::choices! {
    /// The place of a block map.
    pub enum LogMap {
        /// In RAM, all of it.
        Ram = "ram",
        /// On flash, one page of it in RAM.
        Flash = "flash",
    }
}

/// The place of its pages.
const MAP: Place = Place { plane: 0, class: Class::MAP };

impl LogMap {
    /// Blocks at the start of a device that hold only its block map.
    #[must_use]
    pub fn blocks(self, geometry: &Geometry) -> u32 {
        match self {
            LogMap::Ram => 0,
            LogMap::Flash => pages_of(geometry).div_ceil(geometry.pages_per_block) + SPARE_BLOCKS,
        }
    }
}

/// Blocks beyond those that the map fills, so that collecting it always gains a block. A
/// [`BlockPool`](crate::placement::block_pool::BlockPool) with `gc.high` = 2 needs as many.
const SPARE_BLOCKS: u32 = 5;

/// Translation pages of a block map.
const fn pages_of(geometry: &Geometry) -> u32 {
    geometry.logical_blocks().div_ceil(geometry.entries_per_translation_page())
}

/// `LBN -> PBN`.
#[derive(Clone, Debug)]
pub enum BlockMap {
    /// `PBN + 1`, or 0: untouched parts cost no memory.
    Ram(Vec<u32>),
    /// On flash.
    Flash(Box<FlashMap>),
}

impl BlockMap {
    /// No logical block has a data block yet.
    ///
    /// # Errors
    /// [`Error::Config`] when the device has too few blocks for a map on flash.
    pub fn new(place: LogMap, flash: &mut Flash) -> Result<Self, Error> {
        Ok(match place {
            LogMap::Ram => BlockMap::Ram(vec![0; flash.geometry().logical_blocks() as usize]),
            LogMap::Flash => {
                let nothing = PageMap::new(flash.geometry().logical_pages);
                BlockMap::Flash(Box::new(FlashMap::program(nothing, flash)?))
            }
        })
    }

    /// The map of these data blocks after power was lost. A map on flash is programmed anew,
    /// without reading the old one.
    ///
    /// # Errors
    /// As [`BlockMap::new`].
    pub fn holding(homes: &[Option<Pbn>], place: LogMap, flash: &mut Flash) -> Result<Self, Error> {
        Ok(match place {
            LogMap::Ram => {
                BlockMap::Ram(homes.iter().map(|home| home.map_or(0, |pbn| pbn.0 + 1)).collect())
            }
            LogMap::Flash => {
                let mut content = PageMap::new(flash.geometry().logical_pages);
                for (lbn, home) in (0..).map(Lpn).zip(homes) {
                    content.replace(lbn, home.map(|pbn| Ppn(pbn.0)));
                }
                for pbn in (0..place.blocks(flash.geometry())).map(Pbn) {
                    flash.erase(pbn, BlockKind::Translation, Cause::GcTranslation);
                }
                BlockMap::Flash(Box::new(FlashMap::program(content, flash)?))
            }
        })
    }

    /// The data block of a logical block.
    #[inline]
    pub fn get(&mut self, lbn: Lbn, flash: &mut Flash) -> Option<Pbn> {
        match self {
            BlockMap::Ram(blocks) => blocks[lbn.index()].checked_sub(1).map(Pbn),
            BlockMap::Flash(map) => map.get(lbn, flash),
        }
    }

    /// Sets the data block of a logical block.
    #[inline]
    pub fn set(&mut self, lbn: Lbn, pbn: Option<Pbn>, flash: &mut Flash) {
        match self {
            BlockMap::Ram(blocks) => blocks[lbn.index()] = pbn.map_or(0, |pbn| pbn.0 + 1),
            BlockMap::Flash(map) => map.set(lbn, pbn, flash),
        }
    }

    /// The data block of a logical block without a read, as only the simulator knows it. It is for
    /// audits, and for data that a device has in RAM in addition to the map.
    #[inline]
    #[must_use]
    pub fn peek(&self, lbn: Lbn) -> Option<Pbn> {
        match self {
            BlockMap::Ram(blocks) => blocks[lbn.index()].checked_sub(1).map(Pbn),
            BlockMap::Flash(map) => map.pages.mapping_on_flash(Lpn(lbn.0)).map(|ppn| Pbn(ppn.0)),
        }
    }

    /// Bytes in RAM: the whole table, or a page of it and the places of all pages.
    #[must_use]
    pub fn ram_bytes(&self) -> u64 {
        match self {
            BlockMap::Ram(blocks) => 4 * blocks.len() as u64,
            BlockMap::Flash(map) => map.page_bytes + map.pages.directory_bytes(),
        }
    }

    /// Pages of the map on flash.
    #[must_use]
    pub fn pages(&self) -> u32 {
        match self {
            BlockMap::Ram(_) => 0,
            BlockMap::Flash(map) => (map.pages.directory_bytes() / 4) as u32,
        }
    }

    /// Checks that the map on flash is in place.
    ///
    /// # Panics
    /// When it cannot.
    pub fn audit(&self, device: &Device) {
        if let BlockMap::Flash(map) = self {
            map.pool.audit(device);
            map.pages.audit(device);
        }
    }
}

/// A block map on flash. In its [`TranslationPages`], numbers of logical blocks and blocks take the
/// places of page numbers.
#[derive(Clone, Debug)]
pub struct FlashMap {
    pages: TranslationPages,
    pool: Planes,
    page_bytes: u64,
}

impl FlashMap {
    /// Programs all pages of the map, in order.
    fn program(content: PageMap, flash: &mut Flash) -> Result<Self, Error> {
        let config = GcConfig { low: 1, high: 2, mode: GcMode::Single, ..GcConfig::default() };
        let gc = Gc::new(&config, &gc::policies(), &Sections::default(), 0)?;
        let geometry = flash.geometry();
        let region = Region {
            blocks: 0..LogMap::Flash.blocks(geometry),
            pages: 0..0,
            translation_pages: 0..pages_of(geometry),
            directory: 0..0,
        };
        let page_bytes = u64::from(geometry.page_bytes);
        let mut pool = Planes::in_region(&gc, geometry, 1, &region)?;
        let pages = TranslationPages::program_region(&region, content, &mut pool, flash);
        Ok(FlashMap { pages, pool, page_bytes })
    }

    fn get(&mut self, lbn: Lbn, flash: &mut Flash) -> Option<Pbn> {
        let vtpn = self.pages.page_of(Lpn(lbn.0));
        unless_bug!(BlockMapUnread, self.load(vtpn, flash));
        self.pages.mapping(Lpn(lbn.0)).map(|ppn| Pbn(ppn.0))
    }

    fn set(&mut self, lbn: Lbn, pbn: Option<Pbn>, flash: &mut Flash) {
        let vtpn = self.pages.page_of(Lpn(lbn.0));
        self.load(vtpn, flash);
        unless_bug!(BlockMapNoRoom, self.make_room(flash));
        let change = (Lpn(lbn.0), pbn.map(|pbn| Ppn(pbn.0)));
        self.pages.write(vtpn, &[change], Cause::Translation, &mut self.pool, flash);
    }

    /// Reads a page of the map, unless it is the one in RAM.
    fn load(&mut self, vtpn: Vtpn, flash: &mut Flash) {
        let is_there = self.pages.is_in_ram(vtpn);
        let is_missing = unless_bug!(BlockMapReadAlways, !is_there, true);
        if is_missing {
            self.pages.read(vtpn, flash, Cause::Translation);
            flash.hold_later_pages();
        }
    }

    /// Collects blocks of the map until a page of it can be programmed.
    fn make_room(&mut self, flash: &mut Flash) {
        if !self.pool.must_collect(MAP) {
            return;
        }
        self.pool.start_gc(0);
        while !self.pool.collected_enough(MAP) {
            let mut victim = self.pool.take_victim(0, flash);
            for &(owner, to) in self.pool.move_pages(&mut victim, flash) {
                if let Owner::Translation(vtpn) = owner {
                    self.pages.relocate(vtpn, to);
                }
            }
            self.pool.release(&victim, flash);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::device::DeviceConfig;
    use crate::flash::Operation;
    use crate::rng::Rng;
    use crate::units::Bytes;

    /// 8 pages of 128 entries, in 7 blocks of 4 pages: a collection moves pages of the map.
    #[test]
    fn the_map_is_what_was_set_wherever_its_pages_are_moved() {
        let device = DeviceConfig {
            page: Bytes(512),
            pages_per_block: 4,
            blocks: Some(1100),
            ..DeviceConfig::default()
        };
        let mut flash = Device::new(&device, 1024 * 4 * 512).expect("a device");
        let mut map = BlockMap::new(LogMap::Flash, &mut flash).expect("a map");
        assert_eq!((map.pages(), LogMap::Flash.blocks(flash.geometry())), (8, 7));
        let mut model = vec![None; 1024];
        let mut rng = Rng::new(1, "block map");
        for _ in 0..2000 {
            let (lbn, pbn) = (rng.below(1024) as u32, rng.below(1100) as u32);
            let pbn = Some(Pbn(pbn)).filter(|_| rng.chance(0.9));
            map.set(Lbn(lbn), pbn, &mut flash);
            model[lbn as usize] = pbn;
            let asked = rng.below(1024) as u32;
            assert_eq!(map.get(Lbn(asked), &mut flash), model[asked as usize]);
            map.audit(&flash);
        }
        assert_eq!(flash.ledger().get(Operation::Program, Cause::Translation), 8 + 2000);
        assert!(flash.ledger().get(Operation::Program, Cause::GcTranslation) > 0);
    }
}
