//! The map on flash: translation pages, and the global translation directory (GTD) that finds them.
//!
//! A translation page holds the mappings of `page size / 4` consecutive logical pages. What it holds
//! can be seen only after reading it: [`TranslationPages::mapping`] refuses to look at any other page.

use super::block_pool::{BlockPool, Stream};
use super::page_map::PageMap;
use crate::flash::{Cause, Flash, Geometry, Owner};
use crate::units::{Lpn, Ppn, Vtpn};

/// A changed mapping.
pub type Change = (Lpn, Option<Ppn>);

/// All translation pages of a device.
#[derive(Clone, Debug)]
pub struct TranslationPages {
    /// The GTD: `VTPN -> PTPN`, 4 B each, always in RAM.
    directory: Vec<Ppn>,
    /// What the translation pages on flash say.
    content: PageMap,
    /// log2 of the mappings on a page.
    entries_shift: u32,
    /// The translation page whose image is in RAM.
    in_ram: Option<Vtpn>,
}

impl TranslationPages {
    /// Programs all translation pages, in order, with no page mapped (`FlashSim` starts so).
    pub fn format(pool: &mut BlockPool, flash: &mut Flash) -> Self {
        let geometry: &Geometry = flash.geometry();
        let content = PageMap::new(geometry.logical_pages);
        let entries_shift = geometry.entries_per_translation_page().ilog2();
        let directory = (0..geometry.translation_pages())
            .map(|vtpn| {
                let ppn = pool.next_page(Stream::Translation, flash);
                flash.program(ppn, Owner::Translation(Vtpn(vtpn)), Cause::Translation);
                ppn
            })
            .collect();
        TranslationPages { directory, content, entries_shift, in_ram: None }
    }

    /// log2 of the mappings on a translation page: `VTPN = LPN >> shift`.
    #[inline]
    #[must_use]
    pub const fn entries_shift(&self) -> u32 {
        self.entries_shift
    }

    /// The translation page that holds the mapping of a logical page.
    #[inline]
    #[must_use]
    pub const fn page_of(&self, lpn: Lpn) -> Vtpn {
        Vtpn(lpn.0 >> self.entries_shift)
    }

    /// The last logical page whose mapping is on the same translation page, on this device.
    #[inline]
    #[must_use]
    pub fn last_on_page(&self, vtpn: Vtpn) -> Lpn {
        let last = ((u64::from(vtpn.0) + 1) << self.entries_shift) - 1;
        Lpn(last.min(self.content.len() as u64 - 1) as u32)
    }

    /// The first logical page whose mapping is on a translation page.
    #[inline]
    #[must_use]
    pub const fn first_on_page(&self, vtpn: Vtpn) -> Lpn {
        Lpn(vtpn.0 << self.entries_shift)
    }

    /// Bytes of the GTD.
    #[must_use]
    pub fn directory_bytes(&self) -> u64 {
        4 * self.directory.len() as u64
    }

    /// Reads a translation page from flash; its mappings can be seen until another page is read.
    #[inline]
    pub fn read(&mut self, vtpn: Vtpn, flash: &mut Flash, cause: Cause) {
        flash.read(self.directory[vtpn.index()], cause);
        self.in_ram = Some(vtpn);
    }

    /// A mapping on the translation page that was read or written last.
    ///
    /// # Panics
    /// When another page was: nobody looks at flash for free.
    #[inline]
    #[must_use]
    pub fn mapping(&self, lpn: Lpn) -> Option<Ppn> {
        assert_eq!(self.in_ram, Some(self.page_of(lpn)), "translation page was not read");
        self.content.get(lpn)
    }

    /// All mappings on the translation page that was read or written last.
    ///
    /// # Panics
    /// When another page was.
    #[must_use]
    pub fn image(&self, vtpn: Vtpn) -> PageMap {
        assert_eq!(self.in_ram, Some(vtpn), "translation page was not read");
        self.content.part(self.first_on_page(vtpn), self.last_on_page(vtpn))
    }

    /// Programs a new version of a translation page with `changes`; the old one, which the caller
    /// has read or holds whole in RAM, is superseded.
    pub fn write(
        &mut self,
        vtpn: Vtpn,
        changes: &[Change],
        cause: Cause,
        pool: &mut BlockPool,
        flash: &mut Flash,
    ) {
        for &(lpn, ppn) in changes {
            debug_assert_eq!(self.page_of(lpn), vtpn);
            self.content.replace(lpn, ppn);
        }
        let new = pool.next_page(Stream::Translation, flash);
        flash.program(new, Owner::Translation(vtpn), cause);
        pool.invalidate(self.directory[vtpn.index()], flash);
        self.directory[vtpn.index()] = new;
        self.in_ram = Some(vtpn);
    }

    /// Read, modify, write: one read and one program, however many mappings change.
    pub fn rewrite(
        &mut self,
        vtpn: Vtpn,
        changes: &[Change],
        cause: Cause,
        pool: &mut BlockPool,
        flash: &mut Flash,
    ) {
        self.read(vtpn, flash, cause);
        self.write(vtpn, changes, cause, pool, flash);
    }

    /// GC moves a translation page; only the GTD changes.
    pub fn migrate(&mut self, from: Ppn, pool: &mut BlockPool, flash: &mut Flash) {
        let to = pool.next_page(Stream::Translation, flash);
        if let Owner::Translation(vtpn) = flash.relocate(from, to, Cause::GcTranslation) {
            self.directory[vtpn.index()] = to;
        }
    }

    /// What flash says about a logical page, for audits.
    #[must_use]
    pub fn audit_mapping(&self, lpn: Lpn) -> Option<Ppn> {
        self.content.get(lpn)
    }

    /// Checks that the GTD points at a valid copy of every translation page.
    ///
    /// # Panics
    /// When it does not.
    pub fn audit(&self, flash: &Flash) {
        for (number, ppn) in self.directory.iter().enumerate() {
            let owner = Some(Owner::Translation(Vtpn(number as u32)));
            assert_eq!(flash.audit_owner(*ppn), owner, "GTD entry {number}");
            assert!(flash.is_valid(*ppn), "GTD entry {number} points at a dead page");
        }
    }
}
