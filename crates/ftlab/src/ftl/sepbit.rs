//! SepBIT, separation by inferred block invalidation time (Wang et al., FAST 2022).
//!
//! Idea     page mapping with six frontiers. What will be overwritten soon should not share blocks with what
//!          will not. A page that the host writes is *short-lived* (class 1) if the version that it replaces
//!          lived for less than `l` page writes of the host, else it goes to class 2. What GC moves out of
//!          class 1 goes to class 3, and what it moves out of any other to class 4, 5 or 6, by its age: below
//!          4 `l`, below 16 `l`, or older. `l` is the mean lifespan of the last 16 blocks of class 1 that were
//!          collected, and infinite before.
//! RAM      4 B per logical page for the map, 4 B for when the host wrote it last, and 4 B per block for when
//!          its first page was written.
//! Role     what placement by temperature can save at the same over-provisioning: compare it with `page`.
//! Departs  the paper is known to us by its abstract and by those who cite it. It is about log-structured
//!          storage: a block of it is a page here, its segment a block. It keeps the time of the last write
//!          beside each page, and in RAM only for a queue of recent ones; here it is in RAM for all, which
//!          changes no decision. Victims are chosen by `gc.policy`.
//! Not here a placement by planes; the class of a block after a power cut: blocks found full are of class 6,
//!          and no lifespan is known.

use super::parts::block_pool::{BlockPool, Stream};
use super::parts::page_map::PageMap;
use super::parts::survey::{Filled, Survey};
use super::{Ftl, FtlMetrics, RamUse};
use crate::error::Error;
use crate::flash::{Cause, Device, Flash, Owner};
use crate::ftl::design::{Design, Mount, Setup, Spec};
use crate::units::{Lpn, Ppn};
use std::collections::BTreeMap;

crate::settings! {
    /// SepBIT's own parameters.
    pub struct SepbitConfig in "sepbit" {
        /// Blocks of class 1 that are collected before their mean lifespan is taken anew.
        window: u32 = 16, in 1.., unit "blocks", laws [1, 2, 16], source "Wang et al., FAST 2022";
        /// Factor between the ages that bound the classes of moved pages: so many mean lifespans, and so many
        /// times more.
        growth: u64 = 4, in 1..=1024, laws [1, 4, 16], source "Wang et al., FAST 2022";
    }
}

const CLASSES: u8 = 6;
/// Class 1: short-lived pages of the host.
const SHORT: u8 = 0;
/// Class 2: other pages of the host.
const LONG: u8 = 1;
/// Class 3: what is moved out of class 1.
const MOVED_SHORT: u8 = 2;
/// Classes 4 to 6: what is moved out of others, the youngest first.
const MOVED: u8 = 3;

/// Page mapping with frontiers by inferred lifespan.
#[derive(Clone, Debug)]
pub struct Sepbit {
    map: PageMap,
    pool: BlockPool,
    settings: SepbitConfig,
    /// Pages that the host wrote, modulo 2^32, as all times.
    now: u32,
    /// When the host wrote a page last.
    written: Vec<u32>,
    /// When the first page of a block was written.
    opened: Vec<u32>,
    lifespan: Lifespan,
    /// Pages of the host that went to class 1, since measuring started.
    short_pages: u64,
}

/// The mean lifespan of the blocks of class 1, window by window, in page writes of the host.
#[derive(Clone, Debug, Default)]
struct Lifespan {
    sum: u64,
    blocks: u32,
    /// Of the last window that is full; infinite before.
    mean: Option<u64>,
}

impl Lifespan {
    /// A block was collected after so many page writes.
    fn add(&mut self, age: u32, window: u32) {
        self.sum += u64::from(age);
        self.blocks += 1;
        if self.blocks == window {
            *self = Lifespan { mean: Some(self.sum / u64::from(window)), ..Lifespan::default() };
        }
    }

    /// Whether an age is below so many means.
    fn is_longer_than(&self, age: u32, times: u64) -> bool {
        self.mean.is_none_or(|mean| u64::from(age) < mean * times)
    }
}

impl Design for Sepbit {
    type Settings = SepbitConfig;

    const SPEC: Spec = Spec {
        name: "sepbit",
        title: "SepBIT",
        summary: "page mapping, six frontiers: pages are put together by how long they may live",
        source: "Wang et al., FAST 2022",
        ..Spec::OWN_FRONTIERS
    };
    const MOUNT: Option<Mount<Self>> = Some(Self::mount);

    fn build(setup: &Setup<SepbitConfig>, flash: &mut Flash) -> Result<Self, Error> {
        let geometry = flash.geometry();
        let spread = unless_bug!(SepbitReserveIsShort, u32::from(CLASSES - MOVED), 0);
        Ok(Sepbit {
            map: PageMap::new(geometry.logical_pages),
            pool: BlockPool::with_levels(&setup.collection()?, geometry, CLASSES, spread)?,
            settings: setup.own.clone(),
            now: 0,
            written: vec![0; geometry.logical_pages as usize],
            opened: vec![0; geometry.blocks() as usize],
            lifespan: Lifespan::default(),
            short_pages: 0,
        })
    }
}

impl Ftl for Sepbit {
    fn read(&mut self, pages: &[Lpn], flash: &mut Flash) {
        for &lpn in pages {
            flash.begin_page();
            flash.host_read(lpn, self.map.get(lpn));
        }
    }

    fn write(&mut self, pages: &[Lpn], flash: &mut Flash) {
        for &lpn in pages {
            flash.begin_page();
            let class = self.class_of_write(lpn);
            if self.pool.must_collect(Stream::Level(class)) {
                self.reclaim(class, flash);
            }
            let new = self.next_page(class, flash);
            flash.program(new, Owner::Data(lpn), Cause::Host);
            self.remap(lpn, Some(new), flash);
            self.written[lpn.index()] = self.now;
            self.now = self.now.wrapping_add(1);
            self.short_pages += u64::from(class == SHORT);
        }
    }

    fn trim(&mut self, pages: &[Lpn], flash: &mut Flash) {
        for &lpn in pages {
            flash.begin_page();
            self.remap(lpn, None, flash);
            flash.trim(lpn);
        }
    }

    fn locate(&self, lpn: Lpn) -> Option<Ppn> {
        self.map.get(lpn)
    }

    fn ram(&self) -> RamUse {
        let words = self.map.len() + self.written.len() + self.opened.len();
        RamUse { tables: 4 * words as u64, ..RamUse::default() }
    }

    fn metrics(&self) -> FtlMetrics {
        let own = BTreeMap::from([
            ("sepbit.short_pages", self.short_pages),
            ("sepbit.lifespan", self.lifespan.mean.unwrap_or_default()),
        ]);
        FtlMetrics { gc: Some(self.pool.metrics()), own, ..FtlMetrics::default() }
    }

    fn reset_metrics(&mut self) {
        self.pool.reset_counts();
        self.short_pages = 0;
    }

    fn audit(&self, device: &Device) {
        device.audit();
        self.pool.audit(device);
        device.audit_map(0..self.map.len() as u32, |lpn| self.map.get(lpn));
    }
}

impl Sepbit {
    /// Goes on after power was lost. The sequence number of a page is the time when it was written.
    fn mount(setup: &Setup<SepbitConfig>, flash: &mut Flash) -> Result<Self, Error> {
        let mut ftl = Self::build(setup, flash)?;
        let pages = Survey::of(0..flash.geometry().blocks(), Filled::InOrder, flash)
            .newest(flash.geometry());
        for page in &pages {
            flash.revive(page.ppn);
            if let Owner::Data(lpn) = page.owner {
                ftl.written[lpn.index()] = page.sequence as u32;
            }
        }
        ftl.now = pages.iter().map(|page| page.sequence as u32).max().unwrap_or_default();
        ftl.opened.fill(ftl.now);
        let classes: Vec<Stream> = (0..CLASSES).rev().map(Stream::Level).collect();
        ftl.pool.recover(&classes, |_| false, flash);
        ftl.map.fill(&pages);
        Ok(ftl)
    }

    fn age(&self, lpn: Lpn) -> u32 {
        self.now.wrapping_sub(self.written[lpn.index()])
    }

    /// The class of a page that the host writes.
    fn class_of_write(&self, lpn: Lpn) -> u8 {
        let replaces = self.map.get(lpn).is_some();
        if replaces && self.lifespan.is_longer_than(self.age(lpn), 1) { SHORT } else { LONG }
    }

    /// The class of a page that GC moves.
    fn class_of_move(&self, from: u8, lpn: Lpn) -> u8 {
        let (age, growth) = (self.age(lpn), self.settings.growth);
        match from {
            SHORT => MOVED_SHORT,
            _ if self.lifespan.is_longer_than(age, growth) => MOVED,
            _ if self.lifespan.is_longer_than(age, growth * growth) => MOVED + 1,
            _ => MOVED + 2,
        }
    }

    fn next_page(&mut self, class: u8, flash: &Flash) -> Ppn {
        let page = self.pool.next_page(Stream::Level(class), flash);
        let block = flash.geometry().block_of(page);
        if flash.geometry().first_page(block) == page {
            self.opened[block.index()] = self.now;
        }
        page
    }

    fn remap(&mut self, lpn: Lpn, new: Option<Ppn>, flash: &mut Flash) {
        if let Some(old) = self.map.replace(lpn, new) {
            self.pool.invalidate(old, flash);
        }
    }

    fn reclaim(&mut self, class: u8, flash: &mut Flash) {
        self.pool.start_gc();
        while !self.pool.collected_enough(Stream::Level(class)) {
            self.collect(flash);
        }
    }

    fn collect(&mut self, flash: &mut Flash) {
        let (victim, stream) = self.pool.take_victim(flash);
        let Stream::Level(class) = stream else { panic!("block {victim} is of no class") };
        if class == SHORT {
            let age = self.now.wrapping_sub(self.opened[victim.index()]);
            self.lifespan.add(age, self.settings.window);
        }
        let mut pages = flash.valid_pages(victim);
        while let Some(from) = pages.next(flash) {
            let cause = unless_bug!(SepbitMovesAsMap, Cause::GcData, Cause::Translation);
            let page = flash.load(from, cause);
            let Owner::Data(lpn) = flash.owner_of(&page) else { panic!("no map is on flash") };
            let to = self.next_page(self.class_of_move(class, lpn), flash);
            flash.store(to, page, cause);
            flash.invalidate(from);
            unless_bug!(SepbitGcLeavesMap, self.map.replace(lpn, Some(to)));
        }
        self.pool.release(victim, flash);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ftl::parts::bench::{Bench, P};

    fn write(bench: &mut Bench<Sepbit>, pages: impl IntoIterator<Item = u32>) {
        pages.into_iter().for_each(|lpn| bench.ftl.write(&[Lpn(lpn)], &mut bench.flash));
        bench.ftl.audit(&bench.flash);
    }

    fn collect(bench: &mut Bench<Sepbit>) {
        bench.ftl.collect(&mut bench.flash);
        bench.ftl.audit(&bench.flash);
    }

    /// The block and the page in it that hold each page.
    fn places<const N: usize>(bench: &Bench<Sepbit>, pages: [u32; N]) -> [(u32, u32); N] {
        let place = |lpn| bench.ftl.map.get(Lpn(lpn)).expect("a page that was written").0;
        pages.map(|lpn| (place(lpn) / P, place(lpn) % P))
    }

    /// 32 pages that were written at the times 0 to 31 are in the blocks 0 to 7, of class 2. The lifespan is
    /// that of the last block of class 1 that was collected, and ages double.
    fn bench() -> Bench<Sepbit> {
        Bench::new(8, 14, |setup| setup.own = SepbitConfig { window: 1, growth: 2 })
    }

    #[test]
    fn before_a_lifespan_is_known_every_page_that_is_replaced_is_short_lived() {
        let mut bench = bench();
        write(&mut bench, [5]);
        assert_eq!(places(&bench, [4, 5]), [(1, 0), (8, 0)]);
        bench.ftl.trim(&[Lpn(6)], &mut bench.flash);
        write(&mut bench, [6]);
        assert_eq!(places(&bench, [6]), [(9, 0)], "a page that replaces none is not");
    }

    #[test]
    fn the_worked_example_fills_a_block_of_each_class() {
        let mut bench = bench();
        write(&mut bench, [0, 1, 2, 3, 0, 1, 2]);
        assert_eq!(places(&bench, [3, 0, 2]), [(8, 3), (9, 0), (9, 2)], "class 1");
        collect(&mut bench);
        assert_eq!(bench.ftl.lifespan.mean, None, "block 0 had no valid page and was of class 2");
        collect(&mut bench);
        assert_eq!(places(&bench, [3]), [(10, 0)], "class 3, out of class 1");
        assert_eq!(bench.ftl.lifespan.mean, Some(39 - 32), "block 8 was opened at time 32");
        write(&mut bench, [0, 31]);
        assert_eq!(places(&bench, [0]), [(9, 3)], "class 1: the version before lived for 3");
        assert_eq!(places(&bench, [31]), [(11, 0)], "class 2: the version before lived for 9");
        collect(&mut bench);
        assert_eq!(places(&bench, [28, 30]), [(12, 0), (12, 2)], "class 4: ages 13 and 11");
        (0..3).for_each(|_| collect(&mut bench));
        assert_eq!(places(&bench, [4, 11]), [(13, 0), (14, 3)], "class 6: ages 37 and 30");
        assert_eq!(places(&bench, [12, 13]), [(15, 0), (15, 1)], "class 6: ages 29 and 28");
        assert_eq!(places(&bench, [14, 15]), [(16, 0), (16, 1)], "class 5: ages 27 and 26");
        assert_eq!(bench.ftl.short_pages, 8);
    }

    /// A tenth of the pages gets nine tenths of the writes.
    #[test]
    fn it_copies_less_than_one_frontier_does_where_some_pages_are_hot() {
        fn copies<F: Design>() -> u64 {
            let mut bench = Bench::<F>::new(100, 25, |_| {});
            let mut rng = crate::rng::Rng::new(1, "hot");
            bench.flash.start_measuring();
            for _ in 0..40_000 {
                let page = if rng.chance(0.9) { rng.below(40) } else { 40 + rng.below(360) };
                bench.ftl.write(&[Lpn(page as u32)], &mut bench.flash);
            }
            bench.ftl.audit(&bench.flash);
            bench.flash.ledger().get(crate::flash::Operation::Program, Cause::GcData)
        }
        let (separated, together) = (copies::<Sepbit>(), copies::<super::super::page::PageFtl>());
        assert!(separated * 10 < together * 9, "{separated} copies, {together} together");
    }
}
