//! Kills the server inside the one write of the journal that ends a request, and inside that of
//! recovery. Any part of the entries may be there. In each case the FTL recovers. Each page of an
//! acknowledged request reads as acknowledged. Each page of the request in flight reads as before
//! or after it. A second recovery finds the state that the first one found.

use super::*;
use ftlab::catalog::{Catalog, Entry};
use ftlab::rng::Rng;
use serde_json::json;
use std::fs;
use std::os::unix::fs::FileExt;
use std::path::Path;

const SECTOR: usize = 128;
const PAGE: usize = 512;
const PAGES_PER_BLOCK: usize = 8;
const PAGES: usize = 14 * PAGES_PER_BLOCK;
/// The most sectors of a request: more than two blocks.
const LONGEST: u64 = 80;
/// One in this many recoveries that change the device is cut at each of its entries.
const MOUNTS: u64 = 4;

/// The possible contents of a logical page.
#[derive(Clone)]
struct Page {
    /// The acknowledged content.
    holds: Vec<u8>,
    /// The content that the request in flight writes.
    next: Option<Vec<u8>>,
    /// All earlier contents; any of them may return after a trim.
    past: Vec<Vec<u8>>,
    is_trimmed: bool,
}

/// All that a device has promised.
struct Promises {
    pages: Vec<Page>,
    keeps_trims: bool,
}

/// A request, in bytes.
struct Asked {
    op: Op,
    offset: usize,
    data: Vec<u8>,
}

impl Asked {
    /// A write of parts of pages and of whole ones, one of zeroes, or a trim.
    fn draw(rng: &mut Rng, number: u32) -> Asked {
        let sectors = (PAGES * PAGE / SECTOR) as u64;
        let most = if rng.chance(0.3) { LONGEST } else { 12 };
        let count = 1 + rng.below(most);
        let offset = rng.below(sectors - count) as usize * SECTOR;
        let op = if rng.chance(0.2) { Op::Trim } else { Op::Write };
        let fill = if rng.chance(0.15) { 0 } else { number };
        let data = fill.to_le_bytes().repeat(count as usize * SECTOR / 4);
        Asked { op, offset, data }
    }

    fn serve(&self, live: &mut Live) {
        let (offset, length) = (self.offset as u64, self.data.len() as u32);
        let done = match self.op {
            Op::Trim => live.trim(offset, length),
            _ => live.write(0, offset, &self.data, false),
        };
        done.expect("it is served");
    }
}

impl Promises {
    fn new(keeps_trims: bool) -> Self {
        let holds = vec![0; PAGE];
        let page = Page { past: vec![holds.clone()], holds, next: None, is_trimmed: false };
        Promises { pages: vec![page; PAGES], keeps_trims }
    }

    /// Records that a request is sent.
    fn send(&mut self, asked: &Asked) {
        let end = asked.offset + asked.data.len();
        for (number, page) in self.pages.iter_mut().enumerate() {
            let (start, stop) = (number * PAGE, (number + 1) * PAGE);
            let (from, to) = (start.max(asked.offset), stop.min(end));
            let is_whole = (from, to) == (start, stop);
            if from >= to || asked.op == Op::Trim && !is_whole {
                continue;
            }
            let mut next = page.holds.clone();
            match asked.op {
                Op::Trim => next.fill(0),
                _ => next[from - start..to - start]
                    .copy_from_slice(&asked.data[from - asked.offset..to - asked.offset]),
            }
            page.next = Some(next);
        }
    }

    /// Records that the request is acknowledged.
    fn acknowledge(&mut self, op: Op) {
        for page in &mut self.pages {
            if let Some(next) = page.next.take() {
                page.is_trimmed = op == Op::Trim && !self.keeps_trims;
                page.past.push(next.clone());
                page.holds = next;
            }
        }
    }

    /// Panics if a page has neither of its possible contents.
    fn hold(&self, found: &[Vec<u8>], is_trim: bool, place: &str) {
        for (number, (page, found)) in self.pages.iter().zip(found).enumerate() {
            let may_be_any = page.is_trimmed || is_trim && page.next.is_some() && !self.keeps_trims;
            let is_right = *found == page.holds
                || page.next.as_ref() == Some(found)
                || may_be_any && page.past.contains(found);
            let told =
                |bytes: &[u8]| -> Vec<u8> { bytes.iter().step_by(SECTOR).copied().collect() };
            assert!(
                is_right,
                "{place}: logical page {number} has {:?}, acknowledged was {:?}, in flight {:?}",
                told(found),
                told(&page.holds),
                page.next.as_deref().map(told)
            );
        }
    }
}

fn opening(image: &Path, ftl: &str, trim: &str) -> Opening {
    let settings = json!({
        "device": {
            "capacity": PAGES * PAGE,
            "page": PAGE,
            "sector": SECTOR,
            "pages_per_block": PAGES_PER_BLOCK,
            "over_provisioning": 0.8,
            "trim": trim,
        },
        "ftl": { "cache": 3 * PAGE },
    });
    Opening {
        image: image.into(),
        settings: settings.as_object().expect("a table").clone(),
        ftl: Some(ftl.into()),
        paced: false,
        record: None,
        hint: None,
    }
}

fn read_all(live: &mut Live) -> Vec<Vec<u8>> {
    let read = |page: usize| {
        let mut bytes = Vec::new();
        live.read((page * PAGE) as u64, PAGE as u32, &mut bytes).expect("it reads");
        bytes
    };
    (0..PAGES).map(read).collect()
}

/// The image of a device, and copies of it in the states that kills leave.
struct Session<'a> {
    catalog: &'a Catalog,
    opening: Opening,
    live: Live,
    promises: Promises,
    rng: Rng,
    cuts: u64,
}

impl Session<'_> {
    /// Serves a request, and cuts the journal at each of its entries.
    fn step(&mut self, number: u32) {
        let asked = Asked::draw(&mut self.rng, number);
        if self.rng.chance(0.5) {
            self.live.image.flush().expect("it syncs");
        }
        let start = self.live.image.journal();
        let before = fs::read(&self.opening.image).expect("an image");
        self.promises.send(&asked);
        asked.serve(&mut self.live);
        let end = self.live.image.journal();
        // A checkpoint in the middle leaves no part of its entries.
        if start.generation == end.generation {
            let bytes = fs::read(&self.opening.image).expect("an image");
            // If it ran out of slots, a barrier was in the middle, and all that was written before
            // it is there.
            for entry in start.entries.max(end.durable)..end.entries {
                let mut cut = bytes.clone();
                let lost = end.place(entry)..end.place(end.entries);
                cut[lost.clone()].copy_from_slice(&before[lost]);
                let place = format!("request {number} at entry {entry} of {}", end.entries);
                self.mount(&cut, asked.op == Op::Trim, &place);
            }
        }
        self.promises.acknowledge(asked.op);
    }

    /// Recovers from the state after a kill, compares, recovers again, and sometimes cuts the
    /// journal of recovery.
    fn mount(&mut self, left: &[u8], is_trim: bool, place: &str) {
        self.cuts += 1;
        let opening = self.put(left);
        let report = fsck(self.catalog, &opening.image).expect("an image");
        assert_eq!((report.broken, report.damaged), (None, 0), "fsck, {place}");
        let mut live = opening.open(self.catalog).expect("it mounts");
        let (journal, erases) = (live.image.journal(), live.mount.expect("it mounts").erases);
        let mounted = fs::read(&opening.image).expect("an image");
        let found = read_all(&mut live);
        self.promises.hold(&found, is_trim, place);
        drop(live);
        let mut live = opening.open(self.catalog).expect("it mounts again");
        assert!(read_all(&mut live) == found, "{place}: a second mount finds something else");
        drop(live);
        // With more erases, a barrier is in the middle.
        if self.rng.below(MOUNTS) > 0 || erases > journal.spare_slots() {
            return;
        }
        for number in 0..journal.entries {
            self.cuts += 1;
            let mut cut = mounted.clone();
            cut[journal.place(number)..journal.place(journal.entries)].fill(0);
            let mut live = self.put(&cut).open(self.catalog).expect("it mounts");
            let place = format!("{place}, then entry {number} of its mount");
            self.promises.hold(&read_all(&mut live), is_trim, &place);
            live.close().expect("the books balance");
        }
    }

    /// Makes another image with these bytes.
    fn put(&self, bytes: &[u8]) -> Opening {
        let image = self.opening.image.with_extension("cut");
        let file = File::options().write(true).create(true).truncate(false).open(&image);
        file.and_then(|file| file.write_all_at(bytes, 0)).expect("it writes");
        Opening { image, ..self.opening.clone() }
    }
}

/// Kills the server of an FTL at each entry of `requests` requests; returns the number of kills.
fn kill(catalog: &Catalog, ftl: &str, trim: &str, seed: u64, requests: u32) -> u64 {
    // A barrier costs nothing in memory.
    let in_memory = Path::new("/dev/shm");
    let folder = if in_memory.is_dir() { in_memory.into() } else { std::env::temp_dir() };
    let image = folder.join(format!("ftlab-kills-{}-{ftl}-{trim}-{seed}", std::process::id()));
    let opening = opening(&image, ftl, trim);
    let live = opening.open(catalog).expect("a new image");
    let promises = Promises::new(trim == "durable");
    let rng = Rng::new(seed, "kills");
    let mut session = Session { catalog, opening, live, promises, rng, cuts: 0 };
    (1..=requests).for_each(|number| session.step(number));
    let copy = session.put(&[]).image;
    [image, copy].iter().for_each(|image| fs::remove_file(image).expect("it goes"));
    session.cuts
}

/// Tests every served FTL, or those that `FTLAB_KILLS_FTLS` names, with `FTLAB_KILLS_REQUESTS`
/// requests each.
fn kill_all(trim: &str) {
    let catalog = Catalog::standard();
    let requests = std::env::var("FTLAB_KILLS_REQUESTS");
    let requests = requests.map_or(12, |asked| asked.parse().expect("a number"));
    let asked = std::env::var("FTLAB_KILLS_FTLS").unwrap_or_default();
    let is_asked = |name: &str| asked.is_empty() || asked.split(',').any(|each| each == name);
    let served = |name: &str| is_asked(name) && able(&catalog, name).is_ok();
    let mut cuts = 0;
    for name in catalog.ftls().iter().map(Entry::name).filter(|name| served(name)) {
        let killed = (1..=requests)
            .step_by(60)
            .map(|seed| kill(&catalog, name, trim, seed.into(), requests.min(60)));
        let killed: u64 = killed.sum();
        eprintln!("{name}: {killed} journals cut, trims are {trim}");
        cuts += killed;
    }
    eprintln!("{cuts} journals cut");
}

#[test]
fn a_journal_that_is_cut_at_any_entry_loses_nothing_acknowledged() {
    kill_all("hint");
}

#[test]
fn a_journal_that_is_cut_at_any_entry_keeps_durable_trims() {
    kill_all("durable");
}
