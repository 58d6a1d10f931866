//! FTLs that lose or mix up data of the host, or hide what it waits for: each is refused in a plain run, by what it
//! does wrong. Each is a right page map with one wrong rule.

use ftlab::catalog::Catalog;
use ftlab::error::Error;
use ftlab::flash::{Cause, Flash, Owner};
use ftlab::ftl::parts::page_map::PageMap;
use ftlab::ftl::{self, Access, Design, Ftl, FtlMetrics, RamUse, Setup, Spec};
use ftlab::laws::{LAWS, hold};
use ftlab::placement::planes::Planes;
use ftlab::request::{Meta, Op};
use ftlab::rng::Rng;
use ftlab::session;
use ftlab::units::{Lpn, Ppn};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

/// What it does wrong.
#[derive(Clone, Copy, PartialEq)]
enum Cheat {
    Nothing,
    ReadsBeside,
    SkipsRead,
    ReadsTwice,
    ReadsInRam,
    WritesBeside,
    WritesOnePage,
    WritesTwice,
    SkipsWrite,
    KeepsWrites,
    TrimsBeside,
    TrimsInGc,
    TrimsWhileIdle,
    WritesWhileIdle,
    IgnoresTrims,
    BeginsTwice,
    BeginsNone,
    BeginsLate,
    BeginsAllAtOnce,
    AsksItself,
    WorksFirst,
    KeepsUnread,
    DropsUnwritten,
    TrimsAndWrites,
}

const ALL: [Cheat; 24] = [
    Cheat::Nothing,
    Cheat::ReadsBeside,
    Cheat::SkipsRead,
    Cheat::ReadsTwice,
    Cheat::ReadsInRam,
    Cheat::WritesBeside,
    Cheat::WritesOnePage,
    Cheat::WritesTwice,
    Cheat::SkipsWrite,
    Cheat::KeepsWrites,
    Cheat::TrimsBeside,
    Cheat::TrimsInGc,
    Cheat::TrimsWhileIdle,
    Cheat::WritesWhileIdle,
    Cheat::IgnoresTrims,
    Cheat::BeginsTwice,
    Cheat::BeginsNone,
    Cheat::BeginsLate,
    Cheat::BeginsAllAtOnce,
    Cheat::AsksItself,
    Cheat::WorksFirst,
    Cheat::KeepsUnread,
    Cheat::DropsUnwritten,
    Cheat::TrimsAndWrites,
];

#[derive(Clone)]
struct Cheating<const NUMBER: usize> {
    map: PageMap,
    pool: Planes,
}

impl<const NUMBER: usize> Cheating<NUMBER> {
    const CHEAT: Cheat = ALL[NUMBER];

    fn is(cheat: Cheat) -> bool {
        Self::CHEAT == cheat
    }

    fn remap(&mut self, lpn: Lpn, new: Option<Ppn>, flash: &mut Flash) {
        if let Some(old) = self.map.replace(lpn, new) {
            self.pool.invalidate(old, flash);
        }
    }

    fn put(&mut self, lpn: Lpn, flash: &mut Flash) {
        let map = &mut self.map;
        let new =
            self.pool.host_page(lpn, Meta::UNSET, flash, |lpn, to| _ = map.replace(lpn, Some(to)));
        flash.program(new, Owner::Data(lpn), Cause::Host);
        self.remap(lpn, Some(new), flash);
    }

    fn forget(&mut self, lpn: Lpn, flash: &mut Flash) {
        self.remap(lpn, None, flash);
        flash.trim(lpn);
    }

    /// Reads a page for another reason, as a map on flash asks for.
    fn look_up(&self, lpn: Lpn, flash: &mut Flash) {
        if let Some(ppn) = self.map.get(lpn) {
            flash.read(ppn, Cause::Translation);
        }
    }

    fn begin(&self, lpn: Lpn, flash: &mut Flash) {
        match Self::CHEAT {
            Cheat::BeginsTwice => {
                flash.begin_page();
                self.look_up(lpn, flash);
                flash.begin_page();
            }
            Cheat::WorksFirst => {
                flash.begin_page();
                self.look_up(lpn, flash);
                flash.work_before_pages(|_| {});
            }
            Cheat::BeginsLate => {
                self.look_up(lpn, flash);
                flash.begin_page();
            }
            Cheat::BeginsNone | Cheat::BeginsAllAtOnce => {}
            _ => flash.begin_page(),
        }
    }
}

/// The page beside another.
fn beside(lpn: Lpn) -> Lpn {
    Lpn(lpn.0 ^ 1)
}

impl<const NUMBER: usize> Design for Cheating<NUMBER> {
    type Settings = ();
    const SPEC: Spec = Spec { name: "cheating", summary: "one wrong rule", ..Spec::PAGE_LEVEL };

    fn build(setup: &Setup, flash: &mut Flash) -> Result<Self, Error> {
        let map = PageMap::new(flash.geometry().logical_pages);
        Ok(Cheating { map, pool: Planes::new(&setup.placing()?, flash, 1, 0)? })
    }
}

impl<const NUMBER: usize> Ftl for Cheating<NUMBER> {
    fn read(&mut self, Access { pages, .. }: Access<'_>, flash: &mut Flash) {
        if Self::is(Cheat::BeginsAllAtOnce) {
            pages.iter().for_each(|_| flash.begin_page());
        }
        for &lpn in pages {
            self.begin(lpn, flash);
            let is_last = pages.last() == Some(&lpn);
            match Self::CHEAT {
                Cheat::ReadsBeside => flash.host_read(beside(lpn), self.map.get(beside(lpn))),
                Cheat::SkipsRead if is_last => self.look_up(lpn, flash),
                Cheat::ReadsTwice => {
                    flash.host_read(lpn, self.map.get(lpn));
                    flash.host_read(lpn, self.map.get(lpn));
                }
                Cheat::ReadsInRam => flash.host_read_kept(lpn),
                Cheat::AsksItself => ftl::access(&mut Idle, Op::Flush, &[], flash),
                Cheat::KeepsUnread => flash.keep_read(lpn),
                _ => flash.host_read(lpn, self.map.get(lpn)),
            }
        }
    }

    fn write(&mut self, Access { pages, .. }: Access<'_>, flash: &mut Flash) {
        if Self::is(Cheat::BeginsAllAtOnce) {
            pages.iter().for_each(|_| flash.begin_page());
        }
        for &lpn in pages {
            self.begin(lpn, flash);
            let is_last = pages.last() == Some(&lpn);
            let is_mapped = self.map.get(lpn).is_some();
            match Self::CHEAT {
                Cheat::WritesBeside => self.put(beside(lpn), flash),
                Cheat::WritesOnePage if is_mapped => self.put(Lpn(0), flash),
                Cheat::SkipsWrite if is_mapped && is_last => {}
                Cheat::KeepsWrites if is_mapped => flash.keep_write(lpn),
                Cheat::DropsUnwritten if is_mapped => {
                    flash.keep_write(lpn);
                    flash.drop_kept(lpn);
                }
                Cheat::TrimsInGc if is_mapped => {
                    let another = (0..self.map.len() as u32).map(Lpn);
                    let another = another.filter(|other| !pages.contains(other));
                    let mapped = another.into_iter().find(|other| self.map.get(*other).is_some());
                    mapped.into_iter().for_each(|other| self.forget(other, flash));
                    self.put(lpn, flash);
                }
                Cheat::WritesTwice => {
                    self.put(lpn, flash);
                    self.put(lpn, flash);
                }
                _ => self.put(lpn, flash),
            }
        }
    }

    fn trim(&mut self, Access { pages, .. }: Access<'_>, flash: &mut Flash) {
        for &lpn in pages {
            flash.begin_page();
            match Self::CHEAT {
                Cheat::IgnoresTrims => {}
                Cheat::TrimsAndWrites => {
                    self.forget(lpn, flash);
                    self.put(lpn, flash);
                }
                Cheat::TrimsBeside => {
                    self.forget(lpn, flash);
                    self.forget(beside(lpn), flash);
                }
                _ => self.forget(lpn, flash),
            }
        }
    }

    fn uses_idle_time(&self) -> bool {
        matches!(Self::CHEAT, Cheat::TrimsWhileIdle | Cheat::WritesWhileIdle)
    }

    fn background(&mut self, flash: &mut Flash) -> bool {
        if !self.uses_idle_time() {
            return false;
        }
        let mapped = (0..self.map.len() as u32).map(Lpn).find(|lpn| self.map.get(*lpn).is_some());
        let Some(lpn) = mapped else { return false };
        match Self::is(Cheat::TrimsWhileIdle) {
            true => self.forget(lpn, flash),
            false => self.put(lpn, flash),
        }
        true
    }

    fn ram(&self) -> RamUse {
        RamUse { tables: 4 * self.map.len() as u64, ..RamUse::default() }
    }

    fn metrics(&self) -> FtlMetrics {
        FtlMetrics::of(&self.pool)
    }

    fn reset_metrics(&mut self) {
        self.pool.reset_counts();
    }
}

/// Requests of one to three pages of 4 KiB on 4 MiB, 10 ms apart: half are writes, a tenth are trims.
fn trace() -> PathBuf {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join("cheats.csv");
    let mut rng = Rng::new(1, "cheats");
    let lines: String = (0..4000)
        .map(|number| {
            let op = ["r", "w", "w", "w", "w", "w", "t", "r", "r", "r"][rng.below(10) as usize];
            let (page, pages) = (rng.below(1022), 1 + rng.below(3));
            format!("{},{},{},{op}\n", 10 * number, 4096 * page, 4096 * pages)
        })
        .collect();
    std::fs::write(&path, format!("time,offset,length,op\n{lines}")).expect("a file");
    path
}

static TRACE: LazyLock<PathBuf> = LazyLock::new(trace);

/// An FTL that serves nothing, behind the back of which another makes requests of its own.
struct Idle;

impl Ftl for Idle {
    fn read(&mut self, _: Access<'_>, _: &mut Flash) {}

    fn write(&mut self, _: Access<'_>, _: &mut Flash) {}

    fn trim(&mut self, _: Access<'_>, _: &mut Flash) {}

    fn ram(&self) -> RamUse {
        RamUse::default()
    }

    fn metrics(&self) -> FtlMetrics {
        FtlMetrics::default()
    }

    fn reset_metrics(&mut self) {}
}

/// Runs one on them beside `page`, and returns its error.
fn told<const NUMBER: usize>(buffer: &Value) -> Option<String> {
    let catalog = Catalog::standard().with::<Cheating<NUMBER>>();
    let tree = json!({
        "device": { "capacity": "4MiB", "pages_per_block": 16 },
        "input": {
            "trace": TRACE.to_str(), "format": "csv",
            "columns": "time=time:ms,offset=offset:bytes,length=length:bytes,op=op",
        },
        "run": { "warmup": "sequential" },
        "buffer": buffer,
    });
    let config = catalog.resolve(tree.as_object().expect("a table")).expect("a configuration");
    let report = session::run(&catalog, &config, &["cheating", "page"], &mut |_| Ok(()));
    report.err().map(|error| error.to_string())
}

fn refused<const NUMBER: usize>(rule: &str) {
    for buffer in [json!({}), json!({ "policy": "lru", "size": "64KiB" })] {
        let error = told::<NUMBER>(&buffer).unwrap_or_else(|| panic!("{rule}: no word"));
        assert!(error.contains(rule), "expected {rule:?}, found {error:?}");
        assert!(error.contains("cheating"), "{error:?} names the FTL");
    }
}

/// The FTL checks find it, too, with the rule of the device.
fn breaks_a_law<const NUMBER: usize>(rule: &str) {
    let catalog = Catalog::default().with::<Cheating<NUMBER>>();
    let broken = hold(&catalog, LAWS[0], 100).expect_err("a law that is broken").to_string();
    assert!(broken.contains(rule), "expected {rule:?}, found {broken:?}");
}

const READ: &str = "only a page that the host asks to read is read for it, once";
const WRITTEN: &str = "only a page that the host asks to write is written for it, once";
const TRIMMED: &str = "only a page that the host asks to trim is trimmed, once";
const SERVED: &str = "a page that is begun is served, once, before the next is begun";

#[test]
fn a_right_ftl_passes() {
    assert_eq!(told::<0>(&json!({})), None);
}

#[test]
fn the_ftl_checks_find_what_a_run_finds() {
    breaks_a_law::<1>(READ);
    breaks_a_law::<2>("every page that the host asks to read is read");
    breaks_a_law::<5>(WRITTEN);
    breaks_a_law::<8>("every page that the host writes is programmed");
    breaks_a_law::<10>(TRIMMED);
    breaks_a_law::<14>("a page that the host trims holds no data");
    breaks_a_law::<15>(SERVED);
    breaks_a_law::<16>("begin_page is called once for each page of a request");
}

#[test]
fn reads_are_of_the_pages_that_the_host_asks_for() {
    refused::<1>(READ);
    refused::<2>("every page that the host asks to read is read");
    refused::<3>(READ);
    refused::<4>("a page is read from RAM when it was kept there");
}

#[test]
fn writes_are_of_the_pages_that_the_host_asks_for() {
    refused::<5>(WRITTEN);
    refused::<6>(WRITTEN);
    refused::<7>(WRITTEN);
    refused::<8>("every page that the host writes is programmed");
    refused::<9>("a page whose newest version is in RAM is read from there");
}

#[test]
fn trims_are_of_the_pages_that_the_host_asks_for() {
    refused::<10>(TRIMMED);
    refused::<11>(TRIMMED);
    refused::<23>(WRITTEN);
    refused::<14>("a page that the host trims holds no data");
}

#[test]
fn idle_time_serves_no_host() {
    refused::<12>(TRIMMED);
    refused::<13>(WRITTEN);
}

#[test]
fn each_page_is_begun_once_and_before_anything_is_done_for_it() {
    refused::<15>(SERVED);
    refused::<16>("begin_page is called once for each page of a request");
    refused::<17>("a page is begun before anything is done for it");
    refused::<18>(SERVED);
    refused::<20>(SERVED);
}

#[test]
fn an_ftl_makes_no_requests_of_its_own() {
    refused::<19>("an FTL serves the request that it was given, and makes none of its own");
}

#[test]
fn ram_holds_what_was_read_or_written_and_owes_what_was_written() {
    refused::<21>("a page is kept in RAM when it was read last");
    refused::<22>("a page leaves RAM when it is on flash, too");
}
