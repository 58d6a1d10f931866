//! The flash translation layers, one file each.
//!
//! To add one, write `ftl/NAME.rs` with a type that implements [`Ftl`] and [`Design`]. Add its line
//! to [`Catalog::standard`](crate::catalog::Catalog::standard). The command line, the comparison,
//! the FTL checks and the benchmark then include it.

pub mod access;
pub mod block_optimized;
pub mod cachftl;
pub mod demand;
pub mod design;
pub mod dloop;
pub mod gftl;
pub mod hat;
pub mod idle;
pub mod log_block;
pub mod mnftl;
pub mod page;
pub mod parts;
pub mod sepbit;
pub mod superblock;
pub mod zones;

pub use crate::placement::block_pool::GcMetrics;
use crate::placement::planes::Planes;
use crate::placement::separation::{ClassPages, Classes};
pub use access::{Access, access};
pub use block_optimized::BlockOptimizedConfig;
pub use cachftl::CachftlConfig;
pub use demand::{
    ApsConfig, CdftlConfig, CftlConfig, DftlConfig, FtlConfig, SftlConfig, TpftlConfig, ZftlConfig,
};
pub use design::{Cleaning, Design, MapPlace, Mount, Setup, Spec, Variant};
pub use gftl::GftlConfig;
pub use idle::IdleSteps;
pub use log_block::{
    AftlConfig, FastConfig, FastRules, KastConfig, LastConfig, LogConfig, RnftlConfig, SastConfig,
    WaftlConfig,
};
pub use mnftl::hybrid::MnftlHybridConfig;
pub use mnftl::{MnftlConfig, MnftlMapping, MnftlVictim};
pub use superblock::SuperblockConfig;

use crate::figures::counts;
use crate::flash::{Device, Flash};
use crate::request::Meta;
use crate::units::{Lpn, Pbn, Ppn};
use crate::zones::ZonesMetrics;
use dyn_clone::DynClone;
use parts::held_pages::BufferCounts;
use serde::Serialize;
use std::collections::BTreeMap;

/// A flash translation layer: serves page accesses through [`Flash`], its only access to the medium.
///
/// It never sees the trace, the clock, or another FTL. It calls [`Flash::begin_page`] once for each
/// page that it serves. A rule of the flash that it breaks panics in [`Flash`].
pub trait Ftl: Send {
    /// Reads the pages of one host request, or of one group flushed by a buffer, ascending.
    fn read(&mut self, access: Access<'_>, flash: &mut Flash);

    /// Writes pages, ascending.
    fn write(&mut self, access: Access<'_>, flash: &mut Flash);

    /// Trims the pages of an access: from now on they hold no data. Each page is begun;
    /// [`Flash::trim`] is for the mapped ones.
    ///
    /// An FTL with writes in its own RAM first forgets those of all these pages. A version that it
    /// programs now would count as written after the trim
    /// ([`tombstones`](crate::flash::Tombstone)).
    fn trim(&mut self, access: Access<'_>, flash: &mut Flash);

    /// Before an access with these attributes the host moves its placement handle to a new unit,
    /// and leaves the one that it fills as it is. Without handles nothing happens.
    fn update_handle(&mut self, _meta: Meta, _flash: &mut Flash) {}

    /// The number of pages that a write of these pages of one logical block would copy now to
    /// reclaim space. It is exact for one page. A write buffer may use it before it chooses. `None`
    /// where it is unknown.
    fn cost_of_writing(&self, pages: &[Lpn], flash: &Flash) -> Option<u64> {
        let _ = (pages, flash);
        None
    }

    /// The present place of a page in the tables of the simulator. Called some requests before the
    /// access, to prefetch tables that are too large for the processor's caches. It has no effect
    /// on decisions. `None` without such a table.
    fn locate(&self, lpn: Lpn) -> Option<Ppn> {
        let _ = lpn;
        None
    }

    /// The place of the translation page that an access to a page would read now. Called as
    /// [`locate`](Self::locate) is. `None` if the access would read none.
    fn locate_map(&self, lpn: Lpn) -> Option<Ppn> {
        let _ = lpn;
        None
    }

    /// Whether [`Ftl::background`] ever has work. It is a constant, so that other FTLs pay nothing.
    fn uses_idle_time(&self) -> bool {
        false
    }

    /// Takes one step of deferred work. Called while the device is idle and the host is in open
    /// loop. Returns whether there was a step to take. Between two requests there are at most ten
    /// steps for each page of the device ([`IdleSteps`]).
    ///
    /// A step is not interrupted: a request that arrives during it is served after it and before
    /// the next step. Flash and map must therefore be consistent after each step.
    fn background(&mut self, flash: &mut Flash) -> bool {
        let _ = flash;
        false
    }

    /// Whether the FTL itself uses the attributes of a write, in addition to a separation. If
    /// neither does, a buffer writes a group at once, whatever the attributes of its pages.
    fn hears_attributes(&self) -> bool {
        false
    }

    /// Counts of the pages in the FTL's own RAM; all zero for an FTL that keeps none there.
    fn buffered(&self) -> BufferCounts {
        BufferCounts::default()
    }

    /// Programs the pages whose newest version is in the FTL's own RAM. Called when the host
    /// flushes, or the measured phase is over.
    fn flush(&mut self, flash: &mut Flash) {
        let _ = flash;
    }

    /// Programs those of these pages whose newest version is in the FTL's own RAM. By default it
    /// programs all others there, too. A write with FUA is durable when it is acknowledged.
    fn flush_pages(&mut self, pages: &[Lpn], flash: &mut Flash) {
        let _ = pages;
        self.flush(flash);
    }

    /// RAM in use, in bytes, by one rule for all FTLs: payload fields only (choices.md#ram-payload).
    fn ram(&self) -> RamUse;

    /// Whether [`Ftl::ram`] states the amount: that of a class in Python may be unknown.
    fn states_ram(&self) -> bool {
        true
    }

    /// Lookups and replacements since measuring started; `None` when the whole map is in RAM. Cheap.
    fn mapping_counts(&self) -> Option<MappingCounts> {
        None
    }

    /// The translation pages with entries in the mapping cache, by VTPN; `None` when the whole map
    /// is in RAM. It scans the cache.
    fn cached_pages(&self) -> Option<Vec<CachedPage>> {
        None
    }

    /// Pages by class of the separation since measuring started; none without one. It is asked often where
    /// [`metrics`](Self::metrics) has classes: an FTL that has them at hand overrides it.
    fn class_pages(&self) -> ClassPages {
        self.metrics().classes.as_ref().map_or_else(ClassPages::default, Classes::pages)
    }

    /// Pages that are now only in the RAM of cleaning. Cheap.
    fn pages_in_ram(&self) -> u32 {
        0
    }

    /// The log blocks: blocks with updates that wait for a merge. For pictures; an FTL without them has none.
    fn log_blocks(&self) -> Vec<Pbn> {
        Vec::new()
    }

    /// The class of user pages that a block holds, where pages are separated. For pictures.
    fn class_of(&self, _pbn: Pbn) -> Option<u8> {
        None
    }

    /// The metrics that the FTL keeps itself, since measuring started.
    fn metrics(&self) -> FtlMetrics;

    /// Sets the metrics to zero; the state remains.
    fn reset_metrics(&mut self);

    /// The counts that the FTL checks need to balance the books, in addition to the metrics of
    /// every FTL.
    fn accounts(&self) -> Accounts {
        Accounts::default()
    }

    /// Recomputes every invariant from scratch: those of the device, and those of the FTL, such as
    /// that its map finds each page.
    ///
    /// # Panics
    /// When one does not hold.
    fn audit(&self, device: &Device) {
        device.audit();
    }
}

/// Methods of a box that call those of the FTL in it.
macro_rules! boxed {
    (&mut: $($name:ident($($arg:ident: $type:ty),*) $(-> $out:ty)?;)*) => {
        $(fn $name(&mut self, $($arg: $type),*) $(-> $out)? { (**self).$name($($arg),*) })*
    };
    (&: $($name:ident($($arg:ident: $type:ty),*) $(-> $out:ty)?;)*) => {
        $(fn $name(&self, $($arg: $type),*) $(-> $out)? { (**self).$name($($arg),*) })*
    };
}

/// An FTL whose type is known only at run time.
impl<F: Ftl + ?Sized> Ftl for Box<F> {
    boxed! { &mut:
        read(access: Access<'_>, flash: &mut Flash);
        write(access: Access<'_>, flash: &mut Flash);
        trim(access: Access<'_>, flash: &mut Flash);
        update_handle(meta: Meta, flash: &mut Flash);
        background(flash: &mut Flash) -> bool;
        flush(flash: &mut Flash);
        flush_pages(pages: &[Lpn], flash: &mut Flash);
        reset_metrics();
    }
    boxed! { &:
        cost_of_writing(pages: &[Lpn], flash: &Flash) -> Option<u64>;
        locate(lpn: Lpn) -> Option<Ppn>;
        locate_map(lpn: Lpn) -> Option<Ppn>;
        uses_idle_time() -> bool;
        hears_attributes() -> bool;
        buffered() -> BufferCounts;
        ram() -> RamUse;
        states_ram() -> bool;
        mapping_counts() -> Option<MappingCounts>;
        class_pages() -> ClassPages;
        cached_pages() -> Option<Vec<CachedPage>>;
        pages_in_ram() -> u32;
        log_blocks() -> Vec<Pbn>;
        class_of(pbn: Pbn) -> Option<u8>;
        metrics() -> FtlMetrics;
        accounts() -> Accounts;
        audit(device: &Device);
    }
}

/// An FTL that can be copied in its present state, and whose type is known only at run time.
pub trait CopyableFtl: Ftl + DynClone {}

impl<F: Ftl + Clone> CopyableFtl for F {}

dyn_clone::clone_trait_object!(CopyableFtl);

/// The counts that the FTL checks need to balance the books, in addition to the metrics of every
/// FTL, since measuring started.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Accounts {
    /// Translation pages read for another reason than a miss, if whole pages are cached; `None` if single
    /// entries are.
    pub other_loads: Option<u64>,
    /// Whether a miss may write several translation pages back, one for each dirty entry that it
    /// evicts.
    pub writes_each_victim: bool,
    /// Pages on flash that hold a directory of translation pages, or a block map, now.
    pub directories: u32,
    /// Blocks at the start of the device that hold only a block map.
    pub map_blocks: u32,
    /// Programs of such pages.
    pub directory_writes: u64,
    /// Whether blocks are divided into regions that exchange none, or into zones of several blocks
    /// or of a part of one.
    pub regions: bool,
    /// Whether GC may take a block before it is full.
    pub collects_unfilled: bool,
    /// Blocks that were rewritten or filled with the pages of a logical block.
    pub blocks_filled: u64,
    /// Pages copied individually, without a merge.
    pub pages_moved: u64,
    /// Data blocks that merges have replaced and not erased.
    pub blocks_kept: u64,
    /// Merges of logical blocks that had no data block before.
    pub blocks_founded: u64,
    /// Time of a lookup on the chip with the map, which does one thing at a time, ns; 0 without one.
    pub map_lookup: u64,
    /// A bound on the merges that one page of the host causes; `None` if unbounded.
    pub associativity: Option<Associativity>,
}

/// A bound on the merges that one page of the host causes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Associativity {
    /// Logical blocks merged, at most.
    pub blocks: u64,
    /// Log blocks reclaimed, at most.
    pub logs: u64,
    /// Most logical blocks merged for one page so far.
    pub most_merged: u64,
}

/// RAM in use, in bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct RamUse {
    /// Tables that are always resident: the page map, or the GTD.
    pub tables: u64,
    /// Budget of the mapping cache.
    pub cache: u64,
    /// Budget of the write buffer, and of the pages that cleaning holds.
    pub buffer: u64,
}

/// Metrics that an FTL keeps itself.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FtlMetrics {
    /// Address translation; `None` when the whole map is in RAM.
    pub mapping: Option<MappingMetrics>,
    /// Mappings that are loaded ahead; `None` when none is.
    pub prefetch: Option<PrefetchMetrics>,
    /// Garbage collection; `None` when blocks are merged instead.
    pub gc: Option<GcMetrics>,
    /// Merges; `None` when garbage is collected instead.
    pub merges: Option<MergeCounts>,
    /// The classes of pages; `None` when they are not separated.
    pub classes: Option<Classes>,
    /// Zones; `None` when the drive has none.
    pub zones: Option<ZonesMetrics>,
    /// Metrics of this FTL only, by name.
    pub own: BTreeMap<&'static str, u64>,
}

impl FtlMetrics {
    /// The metrics of the blocks that an FTL writes to: of GC, of classes, and of the separation.
    #[must_use]
    pub fn of(pool: &Planes) -> Self {
        let (gc, classes) = (Some(pool.metrics()), pool.classes());
        FtlMetrics { gc, classes, own: pool.own_metrics(), ..FtlMetrics::default() }
    }
}

/// Merges since measuring started: each makes a data block and erases the one that it replaces.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct MergeCounts {
    /// A log block that held all pages at their offsets became the data block: no copies.
    pub switch: u64,
    /// A log block that held some pages at their offsets was completed, and became the data block.
    pub partial: u64,
    /// The newest pages of the logical block were copied to a fresh block.
    pub full: u64,
}

impl MergeCounts {
    /// Merges of any kind.
    #[must_use]
    pub const fn total(&self) -> u64 {
        self.switch + self.partial + self.full
    }
}

/// Address translation through a mapping cache.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MappingMetrics {
    /// Lookups and replacements since measuring started.
    pub counts: MappingCounts,
    /// Mappings changed because GC moved a user page, since measuring started.
    pub gc_lookups: u64,
    /// Of these, found in the cache.
    pub gc_hits: u64,
    /// The present contents of the cache.
    pub occupancy: Occupancy,
}

counts! {
    plus since;
    /// Lookups and replacements of a mapping cache.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
    pub struct MappingCounts {
        /// Page accesses translated.
        pub lookups: u64,
        /// Of these, found in the cache.
        pub hits: u64,
        /// Entries evicted.
        pub replacements: u64,
        /// Of these, dirty when chosen.
        pub dirty_replacements: u64,
    }
}

/// Mappings that a cache loads ahead, and the origins of its misses, since measuring started.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PrefetchMetrics {
    /// Lookups while successors are prefetched.
    pub lookups_while_on: u64,
    /// Number of times that it was switched on or off.
    pub switches: u64,
    /// Loaded with a miss because its request continues with them.
    pub with_request: Ahead,
    /// Loaded with a miss because they follow a cached run.
    pub successors: Ahead,
    /// The origins of misses.
    pub misses: Misses,
}

/// The fate of entries that were loaded ahead. The rest of them wait in the cache.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Ahead {
    /// Entries loaded.
    pub loaded: u64,
    /// Of these, looked up by the host before they left.
    pub used: u64,
    /// Of these, evicted before that.
    pub unused: u64,
}

/// Misses by where their mapping was before.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Misses {
    /// It was not in the cache since measuring started.
    pub new: u64,
    /// It was used, and evicted.
    pub evicted: u64,
    /// It was loaded ahead, and evicted before it was used.
    pub evicted_unused: u64,
    /// Of all misses, those next to a cached predecessor while successors are not prefetched.
    pub in_sequence: u64,
}

/// The entries of one translation page in a mapping cache.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CachedPage {
    /// Entries in the cache.
    pub entries: u32,
    /// Of these, dirty.
    pub dirty: u32,
}

/// The contents of a mapping cache.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Occupancy {
    /// Entries.
    pub entries: u64,
    /// Translation pages with an entry in the cache.
    pub translation_pages: u64,
    /// Bytes in use.
    pub bytes: u64,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::device::{DeviceConfig, Trims};
    use crate::flash::{BlockKind, Cause, Event, Owner, Tombstone};
    use crate::request::Op;

    /// Keeps writes in RAM without a way to program some of them; erases a block when it trims.
    #[derive(Default)]
    struct Keeping {
        in_ram: Vec<Lpn>,
    }

    impl Ftl for Keeping {
        fn read(&mut self, _: Access<'_>, _: &mut Flash) {}

        fn write(&mut self, Access { pages, .. }: Access<'_>, flash: &mut Flash) {
            for &lpn in pages {
                flash.begin_page();
                flash.keep_write(lpn);
                self.in_ram.push(lpn);
            }
        }

        fn trim(&mut self, Access { pages, .. }: Access<'_>, flash: &mut Flash) {
            pages.iter().for_each(|_| flash.begin_page());
            flash.erase(Pbn(0), BlockKind::Data, Cause::GcData);
        }

        fn flush(&mut self, flash: &mut Flash) {
            for lpn in self.in_ram.drain(..) {
                let next = flash.next_page(Pbn(0));
                flash.program(next, Owner::Data(lpn), Cause::Host);
            }
        }

        fn ram(&self) -> RamUse {
            RamUse::default()
        }

        fn metrics(&self) -> FtlMetrics {
            FtlMetrics::default()
        }

        fn reset_metrics(&mut self) {}
    }

    #[test]
    fn a_write_with_fua_flushes_all_where_less_is_not_known() {
        let mut flash = Device::new(&Setup::<()>::default().device, 64 * 4096).expect("a device");
        let mut ftl = Keeping::default();
        access(&mut ftl, Op::Write, &[Lpn(1)], &mut flash);
        assert_eq!(ftl.in_ram, [Lpn(1)]);
        access(&mut ftl, Op::WriteThrough, &[Lpn(2)], &mut flash);
        assert_eq!(ftl.in_ram, []);
    }

    /// The block may have the newest version of the page, while an older one is elsewhere.
    #[test]
    fn a_tombstone_is_there_before_gc_destroys_anything() {
        let device = DeviceConfig { trim: Trims::Durable, ..Setup::<()>::default().device };
        let mut flash = Device::new(&device, 64 * 4096).expect("a device");
        flash.tell();
        access(&mut Keeping::default(), Op::Trim, &[Lpn(1), Lpn(2)], &mut flash);
        let buried = Tombstone { first: Lpn(1), count: 2, sequence: 0 };
        match flash.events()[..] {
            [Event::Trim(tombstone), Event::Erase { .. }] => assert_eq!(tombstone, buried),
            ref events => panic!("{events:?}"),
        }
    }
}
