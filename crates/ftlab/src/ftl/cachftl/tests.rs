//! The paper's Figure 3 and costs, worked examples, and GC interrupted everywhere.

use super::*;
use crate::device::DeviceConfig;
use crate::flash::{Device, Operation};
use crate::ftl::parts::bench::{Bench, P};
use crate::rng::Rng;
use crate::units::{Bytes, Pbn};
use std::collections::BTreeSet;

/// 8 logical blocks of 4 pages, each written as a whole to the BMR. The PMR has `pmr` blocks, of
/// which a write leaves one free.
fn bench(pmr: u32, configure: impl FnOnce(&mut CachftlConfig)) -> Bench<CachFtl> {
    let mut bench = Bench::<CachFtl>::empty(8, pmr, |config| {
        config.own = CachftlConfig {
            threshold: 2,
            sync_blocks: 1,
            async_free: Ratio(0.0),
            ..CachftlConfig::default()
        };
        configure(&mut config.own);
    });
    for block in 0..8 {
        bench.write(&[0, 1, 2, 3].map(|offset| block * P + offset));
    }
    bench
}

/// Reads, programs, and erases of the PMR and of the BMR.
fn operations(flash: &Device) -> [u64; 4] {
    let ledger = flash.ledger();
    let [log, data] = [BlockKind::Log, BlockKind::Data].map(|kind| ledger.erases(kind));
    [ledger.total(Operation::Read), ledger.total(Operation::Program), log, data]
}

/// A small group hides its pages in the BMR, a large one those in the PMR (4.2).
#[test]
fn a_page_in_the_pmr_hides_the_one_in_the_bmr() {
    let mut bench = bench(4, |_| ());
    bench.write(&[29]);
    assert_eq!(operations(&bench.flash), [0, 1, 0, 0]);
    let [one, two] = [29, 30].map(|lpn| bench.ftl.find(Lpn(lpn), &bench.flash).expect("mapped"));
    assert!(one.0 >= 8 * P, "the flushed page is in the PMR");
    assert_eq!(two, Ppn(30), "the others are in their places");
    bench.ftl.read(Access::read(&[28, 29, 30, 31].map(Lpn)), &mut bench.flash);
    bench.write(&[28, 29, 30, 31]);
    assert_eq!(operations(&bench.flash), [0, 4, 0, 1], "the group has every valid page");
    assert_eq!(bench.ftl.pmr.valid_pages(), 0);
}

#[test]
fn a_group_as_large_as_the_threshold_is_small() {
    let mut bench = bench(4, |_| ());
    bench.write(&[0, 1]);
    assert_eq!(operations(&bench.flash), [0, 2, 0, 0]);
    bench.write(&[0, 1, 2]);
    assert_eq!(operations(&bench.flash), [1, 4, 0, 1], "page 3 is kept");
}

/// Section 4.3's operations at the times of the paper's device.
#[test]
fn groups_cost_what_the_paper_says() {
    let config = Setup::default();
    let mut flash = Device::new(&config.device, 16 << 20).expect("a device");
    let mut ftl = CachFtl::build(&config, &mut flash).expect("an FTL");
    let all: Vec<Lpn> = (0..64).map(Lpn).collect();
    ftl.write(Access::write(&all), &mut flash);
    for (group, time) in [(3, 600_000), (5, 15_775_000), (64, 14_300_000)] {
        flash.start_measuring();
        ftl.write(Access::write(&all[..group]), &mut flash);
        assert_eq!(flash.timeline().served().end, time, "a group of {group}");
        ftl.write(Access::write(&all), &mut flash);
    }
}

/// The PMR of Figure 3 (c): full but for its reserve, every page valid, four of them of block 4.
fn full_pmr(configure: impl FnOnce(&mut CachftlConfig)) -> Bench<CachFtl> {
    let mut bench = bench(4, configure);
    for lpn in [16, 17, 0, 4, 18, 19, 8, 12, 24, 28, 20] {
        bench.write(&[lpn]);
    }
    bench
}

/// Figure 3 (c) to (e): block 4 is merged, then the first block of the PMR that lost
/// pages is collected.
#[test]
fn where_nothing_is_superseded_the_largest_set_moves_to_the_bmr() {
    let mut bench = full_pmr(|_| ());
    bench.write(&[21]);
    assert_eq!(operations(&bench.flash), [6, 6 + 1, 1, 1]);
    assert_eq!(bench.ftl.metrics().own["cachftl.bmr_gcs"], 1);
    assert_eq!(bench.ftl.find(Lpn(16), &bench.flash), Some(Ppn(16)));
}

/// As Figure 3 (c), with a policy. Greedy takes the block of the BMR with most superseded pages,
/// block 4. By age, the first page in the PMR decides, unless it was written again: this is block
/// 0, with one page.
#[test]
fn a_policy_takes_a_block_of_the_bmr_as_it_takes_one_of_the_pmr() {
    for (policy, expected, merged) in [("greedy", [6, 7, 1, 1], 16), ("fifo", [7, 8, 1, 1], 0)] {
        let mut bench = Bench::<CachFtl>::empty(8, 4, |config| {
            config.gc.policy = policy.into();
            config.own = CachftlConfig {
                threshold: 2,
                sync_blocks: 1,
                async_free: Ratio(0.0),
                bmr_victim: BmrVictim::Policy,
                ..CachftlConfig::default()
            };
        });
        for block in 0..8 {
            bench.write(&[0, 1, 2, 3].map(|offset| block * P + offset));
        }
        for lpn in [0, 16, 17, 4, 18, 19, 8, 12, 24, 28, 20, 21] {
            bench.write(&[lpn]);
        }
        assert_eq!(operations(&bench.flash), expected, "{policy}");
        assert_eq!(bench.ftl.find(Lpn(merged), &bench.flash), Some(Ppn(merged)), "{policy}");
    }
}

/// Figure 3 (a) and (b).
#[test]
fn the_block_with_most_superseded_pages_is_collected() {
    let mut bench = bench(4, |_| ());
    for lpn in [0, 4, 8, 12, 16, 0, 4, 8, 20, 24, 28] {
        bench.write(&[lpn]);
    }
    bench.write(&[21]);
    assert_eq!(operations(&bench.flash), [1, 1 + 1, 1, 0], "of 0 4 8 12 only 12 was valid");
}

/// One page of the first block of the PMR is superseded and two pages are to be evicted. 4.3.3
/// merges block 1 first, so that the first block gives two pages at once. Algorithm 2 copies three
/// pages to gain one, and needs another round.
#[test]
fn a_block_is_worth_collecting_when_enough_of_its_pages_are_superseded() {
    for (enough, expected) in
        [(None, [6, 8, 1, 1]), (Some(2), [6, 8, 1, 1]), (Some(1), [9, 11, 2, 1])]
    {
        let mut bench = bench(4, |config| config.enough = enough);
        for lpn in [0, 4, 8, 12, 16, 0, 20, 24, 28, 5, 9] {
            bench.write(&[lpn]);
        }
        bench.write(&[21, 22]);
        assert_eq!(operations(&bench.flash), expected, "{enough:?}");
    }
}

/// A tenth of 16 pages is less than the block that writes leave free, at which GC would never work
/// in idle time.
#[test]
fn the_pmr_of_a_small_volume_is_collected_in_idle_time() {
    let mut bench = full_pmr(|config| config.async_free = Ratio(0.1));
    assert_eq!(bench.ftl.pmr.free_pages(), 5);
    while bench.ftl.background(&mut bench.flash) {}
    assert!(bench.ftl.pmr.free_pages() > 8, "a block more than the reserve");
    bench.write(&[21, 22]);
    assert_eq!(operations(&bench.flash), [0, 2, 0, 0], "no write waits");
}

/// Section 4.3.3: five phases, then three; each may be followed by a request.
#[test]
fn idle_gc_stops_after_each_phase() {
    let mut bench = full_pmr(|config| config.async_free = Ratio(0.4));
    bench.flash.start_measuring();
    let mut phases = Vec::new();
    while bench.ftl.background(&mut bench.flash) {
        bench.ftl.audit(&bench.flash);
        phases.push(operations(&bench.flash));
        bench.flash.start_measuring();
        bench.ftl.read(Access::read(&(0..32).map(Lpn).collect::<Vec<_>>()), &mut bench.flash);
        let in_ram = bench.ftl.job.as_ref().map_or(0, |job| job.all_in_ram().len() as u64);
        assert_eq!(operations(&bench.flash), [32 - in_ram, 0, 0, 0]);
        bench.flash.start_measuring();
    }
    let merge = [[4, 0, 0, 0], [0, 0, 0, 0], [0, 0, 0, 0], [0, 0, 0, 1], [0, 4, 0, 0]];
    let collect = [[2, 0, 0, 0], [0, 2, 0, 0], [0, 0, 1, 0]];
    assert_eq!(phases[..8], [&merge[..], &collect[..]].concat());
    assert!(bench.ftl.pmr.free_pages() > 8, "two blocks, more than 0.4 of four");
    assert_eq!(bench.ftl.metrics().gc.expect("GC").background_runs, Some(1));
    assert_eq!(bench.ftl.metrics().own["cachftl.ram_reads"], 8, "twice 4, while in RAM alone");
}

#[test]
fn a_group_for_the_bmr_takes_over_the_merge_of_its_block() {
    let mut bench = full_pmr(|config| config.async_free = Ratio(0.4));
    for steps in 1..5 {
        let mut bench_at = Bench { ftl: bench.ftl.clone(), flash: bench.flash.clone() };
        (0..steps).for_each(|_| assert!(bench_at.ftl.background(&mut bench_at.flash)));
        bench_at.flash.start_measuring();
        bench_at.ftl.write(Access::write(&[16, 17, 18].map(Lpn)), &mut bench_at.flash);
        bench_at.ftl.audit(&bench_at.flash);
        // Page 19 is read again only if the merge has not yet moved it into RAM.
        let read = u64::from(steps < 3);
        let erased = u64::from(steps < 4);
        assert_eq!(operations(&bench_at.flash), [read, 4, 0, erased], "after {steps} phases");
        assert!(bench_at.ftl.job.is_none());
    }
    bench.write(&[21]);
}

/// The paper's 78 %. The map has 4 B for each page of a PMR of 25 % and for each block. A page map
/// has 4 B for each page of both regions.
#[test]
fn the_map_takes_78_percent_less_ram_than_a_page_map() {
    let mut config = Setup::default();
    config.device.over_provisioning = Ratio(0.25);
    let mut flash = Device::new(&config.device, 1 << 30).expect("a device");
    let ftl = CachFtl::build(&config, &mut flash).expect("an FTL");
    let own = ftl.metrics().own;
    let map = ftl.ram().tables - own["cachftl.valid_bits_bytes"];
    let page_map = 4 * u64::from(flash.geometry().pages());
    let saved = 1.0 - map as f64 / page_map as f64;
    assert!((saved - 0.7875).abs() < 1e-9, "{saved}");
    assert_eq!(map, own["cachftl.bmr_table_bytes"] + own["cachftl.pmr_table_bytes"]);
    assert_eq!(ftl.ram().buffer, 64 * 4096, "a block for the pages of merges");
}

#[test]
fn out_of_place_a_group_waits_for_no_erase() {
    let mut bench = bench(6, |config| config.out_of_place = true);
    bench.write(&[0, 1, 2]);
    assert_eq!(operations(&bench.flash), [1, 4, 0, 0]);
    assert!(bench.ftl.background(&mut bench.flash), "there is a block to be erased");
    assert_eq!(operations(&bench.flash), [1, 4, 0, 1]);
    assert!(!bench.ftl.background(&mut bench.flash));
}

/// Blocks 0 and 1 are rewritten again and again, the others never.
#[test]
fn a_wear_leveller_moves_what_is_cold_to_worn_blocks() {
    let most_erases = |wear_gap| {
        let mut bench = bench(6, |config| {
            config.out_of_place = true;
            config.wear_gap = wear_gap;
        });
        for _ in 0..200 {
            bench.write(&[0, 1, 2, 3]);
            bench.write(&[4, 5, 6, 7]);
        }
        let erases = (0..14).map(|block| bench.flash.erases_of(Pbn(block)));
        (erases.clone().max(), erases.min())
    };
    let (without, with) = (most_erases(None), most_erases(Some(4)));
    assert_eq!(without.1, Some(0), "cold blocks stay where they are");
    assert!(with.0 < without.0 && with.1 > Some(10), "{with:?} against {without:?}");
}

/// Single pages of different blocks: each has cost the rewrite of a block by the time that the PMR
/// is full. Then a group of two is immediately worth a rewrite.
#[test]
fn the_adaptive_threshold_follows_what_gc_costs() {
    let mut bench = bench(4, |config| config.adaptive_threshold = true);
    let rng = &mut Rng::new(1, "scattered");
    for turn in 0..40 {
        bench.write(&[4 * (turn % 2)]);
    }
    assert!(bench.ftl.redirect.is_small(2, 2), "pages that are overwritten there are cheap there");
    for _ in 0..200 {
        bench.write(&[rng.below(32) as u32]);
    }
    assert!(!bench.ftl.redirect.is_small(4, 0), "a whole block is not worth waiting");
}

/// The event that meets GC between two phases, and the last phase.
fn situation(ftl: &CachFtl, event: &'static str) -> Option<(&'static str, &'static str)> {
    let phase = match ftl.job.as_ref()? {
        Job::Collect(collect) if collect.copied => "copied",
        Job::Collect(_) => "read",
        Job::Merge(merge) => match merge.stage {
            Stage::PmrRead => "PMR read",
            Stage::BmrRead => "BMR read",
            Stage::InRam => "invalidated",
            Stage::Erased => "erased",
        },
    };
    Some((phase, event))
}

/// A page that GC holds, or any page.
fn target(ftl: &CachFtl, rng: &mut Rng, pages: u32) -> u32 {
    let kept = match &ftl.job {
        Some(Job::Collect(collect)) => &collect.kept[..],
        Some(Job::Merge(merge)) => &merge.kept[..],
        None => &[],
    };
    if kept.is_empty() || rng.chance(0.5) {
        return rng.below(u64::from(pages)) as u32;
    }
    kept[rng.below(kept.len() as u64) as usize].lpn.0
}

/// Half of the seeds run the paper's CACH-FTL. The others enable some of the extensions.
fn switches(seed: u64) -> CachftlConfig {
    let rng = &mut Rng::new(seed, "switches");
    let mut on = || seed % 2 == 1 && rng.chance(0.5);
    let out_of_place = on();
    CachftlConfig {
        adaptive_threshold: on(),
        adaptive_pmr: on(),
        out_of_place,
        wear_gap: out_of_place.then_some(2).filter(|_| on()),
        ..CachftlConfig::default()
    }
}

/// Random requests between random numbers of phases, on tiny devices; the flash compares every read, and
/// everything is audited after each step. Every kind of request meets GC after every phase.
#[test]
fn gc_interrupted_anywhere_never_loses_a_page() {
    let mut seen = BTreeSet::new();
    for seed in 0..150 {
        let rng = &mut Rng::new(seed, "interrupted");
        let config = Setup {
            device: DeviceConfig {
                page: Bytes(512),
                pages_per_block: 3 + rng.below(4) as u32,
                blocks: Some(8 + 7 + rng.below(4) as u32),
                ..DeviceConfig::default()
            },
            own: CachftlConfig {
                threshold: 1 + rng.below(3) as u32,
                sync_blocks: 1 + rng.below(2) as u32,
                async_free: Ratio(0.4 + 0.5 * rng.unit()),
                ..switches(seed)
            },
            ..Setup::default()
        };
        let per_block = config.device.pages_per_block;
        let pages = 8 * per_block;
        let mut flash = Device::new(&config.device, u64::from(pages) * 512).expect("a device");
        let mut ftl = CachFtl::build(&config, &mut flash).expect("an FTL");
        for _ in 0..300 {
            for _ in 0..rng.below(4) {
                ftl.background(&mut flash);
                ftl.audit(&flash);
            }
            let lpn = target(&ftl, rng, pages);
            let first = lpn - lpn % per_block;
            let event = match rng.below(8) {
                0 => "trim",
                1 | 2 => "read",
                3 | 4 => "group for the BMR",
                _ if ftl.is_short_of(1) => "GC that cannot wait",
                _ => "group for the PMR",
            };
            seen.extend(situation(&ftl, event));
            match event {
                "trim" => ftl.trim(Access::trim(&[Lpn(lpn)]), &mut flash),
                "read" => ftl.read(Access::read(&[Lpn(lpn)]), &mut flash),
                "group for the BMR" => {
                    let most = per_block.min(config.own.threshold + 1);
                    let start = (lpn - first).min(per_block - most);
                    let group: Vec<Lpn> = (first + start..first + start + most).map(Lpn).collect();
                    ftl.write(Access::write(&group), &mut flash);
                }
                _ => ftl.write(Access::write(&[Lpn(lpn)]), &mut flash),
            }
            ftl.audit(&flash);
        }
        ftl.read(Access::read(&(0..pages).map(Lpn).collect::<Vec<_>>()), &mut flash);
    }
    assert_eq!(seen.len(), 6 * 5, "phases and what came after them: {seen:?}");
}
