//! The loops of `page` and `dftl`, stripped: their tables, the checks of each page, and nothing else.
//!
//! They keep what a checked FTL cannot do without, in the containers of the simulator: the map, owners, valid bits and
//! versions of pages, the state of blocks, victims by valid pages, counts by cause, the last operations, the pages that
//! the host asks for, and the times of requests. `dftl` has translation pages, their directory and a cache of entries,
//! too. They have one device, one policy and no settings.

use crate::contest::Run;
use crate::machine::cost;
use ftlab::cache::aged_segments::AgedSegments;
use ftlab::cache::min_tree::MinTree;
use ftlab::cache::slab::Slab;
use ftlab::cache::tokens::Tokens;
use ftlab::metrics::latency::Latencies;
use ftlab::request::{Op, Request};
use std::ops::Range;

pub const PER_BLOCK: u32 = 64;
/// Mappings on a translation page, as a power of two.
const ENTRIES_SHIFT: u32 = 10;
/// Entries of the cache, and those in its real segment: as many as `dftl` has by default.
const CACHED: usize = 1024;
const REAL: usize = 819;
/// Free blocks below which garbage is collected.
const LOW: usize = 4;
const NONE: u32 = u32::MAX;

/// Frontiers of user pages and of translation pages.
const DATA: usize = 0;
const MAP: usize = 1;

/// Operations, and what each takes.
const READ: usize = 0;
const PROGRAM: usize = 1;
const ERASE: usize = 2;
const TIMES: [u64; 3] = [25_000, 200_000, 1_500_000];

/// Causes of operations.
const HOST: usize = 0;
const TRANSLATION: usize = 1;
const COLLECTION: usize = 2;

/// A run of requests on a device of so many bytes.
type Runs = fn(&[Request], u64) -> Run;

/// The loops, by name.
pub const LOOPS: [(&str, Runs); 2] = [(Large::NAME, page), ("dftl-loop", dftl)];

/// The loop of a name.
pub fn find(name: &str) -> Option<Runs> {
    LOOPS.iter().find(|(own, _)| *own == name).map(|(_, run)| *run)
}

/// Runs `page`: one pass over `requests`, after one pass of warm-up as writes.
fn page(requests: &[Request], capacity: u64) -> Run {
    let pages = (capacity / 4096) as u32;
    run(Whole::new(pages), Nand::new(pages, spare(pages)), requests)
}

/// The loop of `page` on a device of any size.
pub struct Large(Loop<Whole>);

impl Large {
    /// The name of its rows.
    pub const NAME: &str = "page-loop";
    /// Requests whose entries are loaded together.
    const TOGETHER: usize = 32;

    /// A device with blocks of 64 pages, of which nothing is written.
    pub fn new(pages: u32, blocks: u32) -> Self {
        Large(Loop::new(Whole::new(pages), Nand::new(pages, blocks)))
    }

    /// Writes a page with each request. `early` loads the entries of the next requests together.
    pub fn write(&mut self, requests: &[Request], early: bool) -> Run {
        let before = self.0.nand.operations();
        let mut places = Vec::with_capacity(Self::TOGETHER);
        let cost = cost(|| {
            for batch in requests.chunks(Self::TOGETHER) {
                if early {
                    self.load(batch, &mut places);
                }
                self.0.pass(batch, |_| true);
            }
        });
        Run { operations: self.0.nand.operations() - before, cost }
    }

    fn load(&self, batch: &[Request], places: &mut Vec<u32>) {
        let Loop { map, nand, .. } = &self.0;
        for lpn in batch.iter().map(|request| (request.offset / 4096) as usize) {
            std::hint::black_box(nand.versions[lpn]);
            places.push(map.places[lpn]);
        }
        for ppn in places.drain(..).filter(|ppn| *ppn != NONE) {
            std::hint::black_box(nand.valid[(ppn / PER_BLOCK) as usize]);
            std::hint::black_box(nand.blocks[(ppn / PER_BLOCK) as usize].valid);
        }
    }
}

/// Blocks of a device with 15 % more than its logical pages.
const fn spare(pages: u32) -> u32 {
    pages / PER_BLOCK * 115 / 100
}

/// Runs `dftl` in the same way.
fn dftl(requests: &[Request], capacity: u64) -> Run {
    let pages = (capacity / 4096) as u32;
    let mut nand = Nand::new(pages, spare(pages));
    run(Cached::new(pages, &mut nand), nand, requests)
}

/// Where the pages are.
trait Map {
    /// The place of a page that the host accesses next.
    fn find(&mut self, lpn: u32, nand: &mut Nand) -> u32;
    /// Changes the place of the page that was found last.
    fn set(&mut self, lpn: u32, ppn: u32);
    /// Notes the new places of pages, by owner, that were moved.
    fn moved(&mut self, pages: &[(u32, u32)], nand: &mut Nand);
}

fn run(map: impl Map, nand: Nand, requests: &[Request]) -> Run {
    let mut ftl = Loop::new(map, nand);
    ftl.pass(requests, |_| true);
    ftl.nand.ledger = Default::default();
    let cost = cost(|| ftl.pass(requests, |op| op == Op::Write));
    std::hint::black_box((ftl.times.map(|times| times.sum()), ftl.nand.last));
    Run { operations: ftl.nand.operations(), cost }
}

struct Loop<M> {
    map: M,
    nand: Nand,
    moved: Vec<(u32, u32)>,
    /// Response times of reads and of writes, and service times.
    times: [Latencies; 3],
}

impl<M: Map> Loop<M> {
    fn new(map: M, nand: Nand) -> Self {
        Loop { map, nand, moved: Vec::new(), times: Default::default() }
    }

    fn pass(&mut self, requests: &[Request], is_write: impl Fn(Op) -> bool) {
        let begin = self.nand.clock;
        for request in requests {
            let (first, last) = (request.offset / 4096, (request.end() - 1) / 4096);
            let start = self.nand.clock.max(begin + request.time);
            self.nand.clock = start;
            let writes = is_write(request.op);
            self.nand.asked = first as u32..last as u32 + 1;
            for lpn in first as u32..=last as u32 {
                if writes { self.write(lpn) } else { self.read(lpn) }
            }
            assert!(self.nand.asked.is_empty(), "pages that are not served");
            let end = self.nand.clock;
            self.times[usize::from(writes)].record(end - begin - request.time);
            self.times[2].record(end - start);
        }
    }

    #[inline]
    fn read(&mut self, lpn: u32) {
        self.collect_if_due();
        let ppn = self.map.find(lpn, &mut self.nand);
        self.nand.read_newest(lpn, ppn);
    }

    #[inline]
    fn write(&mut self, lpn: u32) {
        self.collect_if_due();
        let old = self.map.find(lpn, &mut self.nand);
        let ppn = self.nand.next(DATA);
        let stamp = self.nand.new_version(lpn);
        self.nand.program(ppn, lpn, stamp, HOST);
        self.map.set(lpn, ppn);
        if old != NONE {
            self.nand.supersede(old);
        }
    }

    #[inline]
    fn collect_if_due(&mut self) {
        while self.nand.free.len() < LOW {
            self.collect();
        }
    }

    #[inline(never)]
    fn collect(&mut self) {
        self.moved.clear();
        let victim = self.nand.closed.min().expect("closed blocks");
        self.nand.closed.remove(victim);
        let class = if self.nand.holds_map(victim) { MAP } else { DATA };
        self.nand.relocate(victim, class, &mut self.moved);
        self.map.moved(&self.moved, &mut self.nand);
        self.nand.erase(victim);
    }
}

#[derive(Clone, Copy, Default)]
struct Block {
    written: u16,
    valid: u16,
    erases: u32,
}

#[derive(Clone, Copy)]
struct Frontier {
    next: u32,
    end: u32,
    block: u32,
}

/// The device: what it checks of each page.
struct Nand {
    /// By physical page: 0, or owner + 1; translation pages follow the logical ones.
    owners: Vec<u32>,
    stamps: Vec<u16>,
    versions: Vec<u16>,
    valid: Vec<u64>,
    blocks: Vec<Block>,
    closed: MinTree,
    free: Vec<u32>,
    frontiers: [Frontier; 2],
    /// The pages that the host asks for and that are not served yet.
    asked: Range<u32>,
    clock: u64,
    /// Operations by kind and cause, and the last of them.
    ledger: [[u64; 3]; 3],
    last: [u64; 16],
    booked: usize,
}

impl Nand {
    fn new(pages: u32, blocks: u32) -> Self {
        let none = Frontier { next: 0, end: 0, block: NONE };
        Nand {
            owners: vec![0; (blocks * PER_BLOCK) as usize],
            stamps: vec![0; (blocks * PER_BLOCK) as usize],
            versions: vec![0; pages as usize],
            valid: vec![0; blocks as usize],
            blocks: vec![Block::default(); blocks as usize],
            closed: MinTree::new(blocks),
            free: (0..blocks).rev().collect(),
            frontiers: [none; 2],
            asked: 0..0,
            clock: 0,
            ledger: Default::default(),
            last: [0; 16],
            booked: 0,
        }
    }

    fn operations(&self) -> u64 {
        self.ledger.iter().flatten().sum()
    }

    #[inline]
    fn book(&mut self, operation: usize, cause: usize, address: u32) {
        self.last[self.booked % 16] = (operation << 40 | cause << 32) as u64 | u64::from(address);
        self.booked += 1;
        self.ledger[operation][cause] += 1;
        self.clock += TIMES[operation];
    }

    #[inline]
    fn serve(&mut self, lpn: u32) {
        assert_eq!(self.asked.next(), Some(lpn), "the next page that the host asks for");
    }

    #[inline]
    fn next(&mut self, class: usize) -> u32 {
        let frontier = &mut self.frontiers[class];
        if frontier.next == frontier.end {
            return self.open(class);
        }
        frontier.next += 1;
        frontier.next - 1
    }

    #[inline(never)]
    fn open(&mut self, class: usize) -> u32 {
        let full = self.frontiers[class].block;
        if full != NONE {
            self.closed.lower(full, self.blocks[full as usize].valid);
        }
        let block = self.free.pop().expect("spare blocks");
        let first = block * PER_BLOCK;
        self.frontiers[class] = Frontier { next: first + 1, end: first + PER_BLOCK, block };
        first
    }

    #[inline]
    fn new_version(&mut self, lpn: u32) -> u16 {
        self.serve(lpn);
        let version = &mut self.versions[lpn as usize];
        *version = version.wrapping_add(1);
        *version
    }

    /// An erased page, the next of its block, gets an owner and a version.
    #[inline]
    fn program(&mut self, ppn: u32, owner: u32, stamp: u16, cause: usize) {
        let block = &mut self.blocks[(ppn / PER_BLOCK) as usize];
        let is_next = u32::from(block.written) == ppn % PER_BLOCK;
        assert!(is_next && self.owners[ppn as usize] == 0, "page {ppn}");
        block.written += 1;
        block.valid += 1;
        self.valid[(ppn / PER_BLOCK) as usize] |= 1 << (ppn % PER_BLOCK);
        self.owners[ppn as usize] = owner + 1;
        self.stamps[ppn as usize] = stamp;
        self.book(PROGRAM, cause, ppn);
    }

    #[inline]
    fn supersede(&mut self, ppn: u32) {
        let number = ppn / PER_BLOCK;
        let (valid, bit) = (&mut self.valid[number as usize], 1 << (ppn % PER_BLOCK));
        assert!(*valid & bit != 0, "page {ppn}");
        *valid &= !bit;
        let block = &mut self.blocks[number as usize];
        block.valid -= 1;
        if self.frontiers.iter().all(|frontier| frontier.block != number) {
            self.closed.lower(number, block.valid);
        }
    }

    /// The host gets the newest version of its page.
    #[inline]
    fn read_newest(&mut self, lpn: u32, ppn: u32) {
        self.serve(lpn);
        if ppn == NONE {
            assert_eq!(self.versions[lpn as usize], 0, "page {lpn} holds data");
        } else {
            let is_valid = self.valid[(ppn / PER_BLOCK) as usize] >> (ppn % PER_BLOCK) & 1 == 1;
            let is_newest = self.stamps[ppn as usize] == self.versions[lpn as usize];
            assert!(is_valid && is_newest && self.owners[ppn as usize] == lpn + 1, "page {lpn}");
        }
        self.book(READ, HOST, ppn);
    }

    #[inline]
    fn read(&mut self, ppn: u32) {
        assert!(self.owners[ppn as usize] != 0, "page {ppn}");
        self.book(READ, TRANSLATION, ppn);
    }

    fn holds_map(&self, block: u32) -> bool {
        self.owners[(block * PER_BLOCK) as usize] as usize > self.versions.len()
    }

    /// Moves the valid pages of a block; adds their owners and new places to `moved`.
    fn relocate(&mut self, block: u32, class: usize, moved: &mut Vec<(u32, u32)>) {
        let mut left = std::mem::take(&mut self.valid[block as usize]);
        while left != 0 {
            let from = block * PER_BLOCK + left.trailing_zeros();
            left &= left - 1;
            let owner = self.owners[from as usize] - 1;
            let to = self.next(class);
            self.book(READ, COLLECTION, from);
            self.program(to, owner, self.stamps[from as usize], COLLECTION);
            moved.push((owner, to));
        }
        self.blocks[block as usize].valid = 0;
    }

    fn erase(&mut self, number: u32) {
        let block = &mut self.blocks[number as usize];
        assert_eq!(block.valid, 0, "block {number}");
        block.written = 0;
        block.erases += 1;
        self.owners[(number * PER_BLOCK) as usize..][..PER_BLOCK as usize].fill(0);
        self.free.push(number);
        self.book(ERASE, COLLECTION, number);
    }
}

/// The map of `page`.
struct Whole {
    places: Vec<u32>,
}

impl Whole {
    fn new(pages: u32) -> Self {
        Whole { places: vec![NONE; pages as usize] }
    }
}

impl Map for Whole {
    #[inline]
    fn find(&mut self, lpn: u32, _: &mut Nand) -> u32 {
        self.places[lpn as usize]
    }

    #[inline]
    fn set(&mut self, lpn: u32, ppn: u32) {
        self.places[lpn as usize] = ppn;
    }

    fn moved(&mut self, pages: &[(u32, u32)], _: &mut Nand) {
        for (lpn, ppn) in pages {
            self.places[*lpn as usize] = *ppn;
        }
    }
}

#[derive(Clone, Copy, Debug)]
struct Entry {
    lpn: u32,
    ppn: u32,
    dirty: bool,
}

/// The map of `dftl`: all of it in translation pages, and a part in RAM.
struct Cached {
    on_flash: Vec<u32>,
    directory: Vec<u32>,
    entries: Slab<Entry>,
    tokens: Tokens,
    order: AgedSegments,
    found: u32,
    uncached: Vec<(u32, u32)>,
}

impl Cached {
    fn new(pages: u32, nand: &mut Nand) -> Self {
        let translation_pages = pages >> ENTRIES_SHIFT;
        let directory = (0..translation_pages).map(|vtpn| {
            let ppn = nand.next(MAP);
            nand.program(ppn, pages + vtpn, 0, TRANSLATION);
            ppn
        });
        Cached {
            directory: directory.collect(),
            on_flash: vec![NONE; pages as usize],
            entries: Slab::default(),
            tokens: Tokens::new(pages),
            order: AgedSegments::new(REAL),
            found: 0,
            uncached: Vec::new(),
        }
    }

    /// Read, modify, write of a translation page.
    fn rewrite(&mut self, vtpn: u32, nand: &mut Nand) {
        let old = self.directory[vtpn as usize];
        nand.read(old);
        let new = nand.next(MAP);
        nand.program(new, self.on_flash.len() as u32 + vtpn, 0, TRANSLATION);
        nand.supersede(old);
        self.directory[vtpn as usize] = new;
    }

    #[inline]
    fn evict(&mut self, nand: &mut Nand) {
        let token = self.order.victim().expect("a full cache");
        self.order.remove(token);
        let Entry { lpn, ppn, dirty } = self.entries.remove(token);
        self.tokens.take(lpn);
        if dirty {
            self.on_flash[lpn as usize] = ppn;
            self.rewrite(lpn >> ENTRIES_SHIFT, nand);
        }
    }
}

impl Map for Cached {
    #[inline]
    fn find(&mut self, lpn: u32, nand: &mut Nand) -> u32 {
        if let Some(token) = self.tokens.get(lpn) {
            self.order.touch(token);
            self.found = token;
            return self.entries[token].ppn;
        }
        if self.entries.len() == CACHED {
            self.evict(nand);
        }
        nand.read(self.directory[(lpn >> ENTRIES_SHIFT) as usize]);
        let ppn = self.on_flash[lpn as usize];
        self.found = self.entries.insert(Entry { lpn, ppn, dirty: false });
        self.tokens.set(lpn, self.found);
        self.order.insert(self.found);
        ppn
    }

    #[inline]
    fn set(&mut self, _: u32, ppn: u32) {
        let entry = &mut self.entries[self.found];
        (entry.ppn, entry.dirty) = (ppn, true);
    }

    fn moved(&mut self, pages: &[(u32, u32)], nand: &mut Nand) {
        for &(owner, to) in pages {
            if let Some(vtpn) = owner.checked_sub(self.on_flash.len() as u32) {
                self.directory[vtpn as usize] = to;
            } else if let Some(token) = self.tokens.get(owner) {
                let entry = &mut self.entries[token];
                (entry.ppn, entry.dirty) = (to, true);
            } else {
                self.uncached.push((owner, to));
            }
        }
        let mut uncached = std::mem::take(&mut self.uncached);
        uncached.sort_unstable();
        for page in uncached.chunk_by(|a, b| a.0 >> ENTRIES_SHIFT == b.0 >> ENTRIES_SHIFT) {
            for (lpn, ppn) in page {
                self.on_flash[*lpn as usize] = *ppn;
            }
            self.rewrite(page[0].0 >> ENTRIES_SHIFT, nand);
        }
        uncached.clear();
        self.uncached = uncached;
    }
}
