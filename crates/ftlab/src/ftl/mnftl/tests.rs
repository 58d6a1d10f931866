use super::hybrid::MnftlHybrid;
use super::*;
use crate::device::{Cell, DeviceConfig};
use crate::flash::{Device, Operation};
use crate::ftl::page::PageFtl;
use crate::ftl::parts::bench::{Bench, Work, mnftl_times};
use crate::rng::Rng;
use crate::units::Bytes;

/// Blocks of `pages` pages with subtables of `rows`, collected one by one when one block is left.
fn bench(pages: u32, rows: u32, logical: u32, blocks: u32) -> Bench<Mnftl> {
    Bench::<Mnftl>::empty(logical * pages / 4, 0, |config| {
        config.device.pages_per_block = pages;
        config.device.blocks = Some(blocks);
        mnftl_times(&mut config.device);
        config.gc.low = 1;
        config.gc.high = 2;
        config.gc.mode = GcMode::Single;
        config.own.rows = Some(rows);
        config.own.victim = MnftlVictim::MostBlocksFirst;
    })
}

/// The device of Figure 4: blocks of 8 pages, two subtables. The free blocks are 11, then 17.
fn figure_4() -> Bench<Mnftl> {
    let mut bench = bench(8, 4, 32, 40);
    (5..16).for_each(|lbn| _ = bench.write_work(&[8 * lbn]));
    bench
}

/// The writes of Figure 4 in the text, and others that agree with it (choices.md#mnftl-figure-4).
const FIRST_8: [u32; 8] = [35, 36, 37, 35, 32, 37, 38, 35];

fn pointers(bench: &Bench<Mnftl>) -> [Option<Ppn>; 2] {
    [8, 9].map(|piece| bench.ftl.map.holder(piece))
}

/// MNFTL Figure 4.
#[test]
fn the_writes_of_figure_4_leave_its_pointers() {
    let mut bench = figure_4();
    let work = bench.write_work(&FIRST_8);
    assert_eq!((work.programs, work.oob_reads), (8, 6), "two subtables were never written");
    (16..21).for_each(|lbn| _ = bench.write_work(&[8 * lbn]));
    let work = bench.write_work(&[35, 39, 38]);
    assert_eq!((work.programs, work.oob_reads, work.erases), (3, 3, 0));
    assert_eq!(pointers(&bench), [Some(Ppn(136)), Some(Ppn(138))]);
    let list = &bench.ftl.lists[4];
    assert_eq!(bench.ftl.links.from_oldest(list).collect::<Vec<_>>(), [11, 17]);
    assert_eq!(bench.ftl.map.newest(Lpn(36)), Some(Ppn(89)));
    let read = bench.read_work(36);
    assert_eq!(read, Work { oob_reads: 1, ns: 80_000, ..Work::default() });
}

/// MNFTL Figure 5: after page 136 was written, block 11 is collected.
#[test]
fn the_collection_of_figure_5_takes_4980_us() {
    let mut bench = figure_4();
    bench.write_work(&FIRST_8);
    (16..21).for_each(|lbn| _ = bench.write_work(&[8 * lbn]));
    bench.write_work(&[35]);
    assert_eq!(pointers(&bench), [Some(Ppn(136)), Some(Ppn(94))], "94 is full valid");
    let valid = |ppn| bench.flash.is_valid(Ppn(ppn));
    assert_eq!((88..96).filter(|ppn| valid(*ppn)).collect::<Vec<_>>(), [89, 92, 93, 94]);
    let work = bench.work(|ftl, flash| ftl.collect(flash));
    let expected = Work { gc_oob_reads: 2, copies: 4, erases: 1, ns: 4_980_000, ..Work::default() };
    assert_eq!(work, expected);
    assert!(bench.flash.is_erased(Pbn(11)));
    assert_eq!(pointers(&bench), [Some(Ppn(138)), Some(Ppn(140))]);
    assert_eq!(
        [36, 32, 37, 38].map(|lpn| bench.ftl.map.newest(Lpn(lpn)).map(|ppn| ppn.0)),
        [Some(137), Some(138), Some(139), Some(140)]
    );
}

/// MNFTL Figure 2 (a): A, B, A1, B1, A2, B2, C, D.
#[test]
fn concentrated_mapping_leaves_nothing_to_copy() {
    let mut bench = bench(4, 4, 1, 4);
    bench.write_work(&[0, 1, 0, 1, 0, 1, 2, 3]);
    assert_eq!([0, 1].map(|pbn| bench.flash.valid_in(Pbn(pbn))), [0, 4]);
    let work = bench.work(|ftl, flash| ftl.collect(flash));
    assert_eq!((work.copies, work.erases), (0, 1));
}

/// MNFTL Figure 2 (b): block 0 is for first versions, of which two are valid to the end.
#[test]
fn separated_mapping_leaves_two_pages_to_copy() {
    let mut bench = separated(1, 4);
    bench.write_work(&[0, 1, 0, 1, 0, 1, 2, 3]);
    assert_eq!([0, 1].map(|pbn| bench.flash.valid_in(Pbn(pbn))), [2, 2]);
    let work = bench.work(|ftl, flash| ftl.collect(flash));
    assert_eq!((work.copies, work.erases), (2, 1));
    assert!(bench.flash.is_erased(Pbn(0)), "the older of two equals");
}

/// The older of two equals has the higher number, since block 0 was erased before it was used again.
#[test]
fn among_equals_the_block_used_longest_goes() {
    let mut bench = bench(4, 4, 2, 6);
    bench.write_work(&[0, 1, 2, 3, 4, 4, 4, 4, 4, 4, 4, 4, 0, 1, 2, 3]);
    for erased in [0, 1] {
        bench.work(|ftl, flash| ftl.collect(flash));
        assert!(bench.flash.is_erased(Pbn(erased)), "nothing in it is valid");
    }
    bench.write_work(&[4, 4, 4, 4, 4, 4, 4, 4]);
    bench.work(|ftl, flash| ftl.collect(flash));
    bench.work(|ftl, flash| ftl.collect(flash));
    bench.write_work(&[0, 1, 0, 1]);
    let blocks = bench.ftl.links.from_oldest(&bench.ftl.lists[0]).collect::<Vec<_>>();
    assert_eq!(blocks, [3, 0]);
    assert_eq!([3, 0].map(|pbn| bench.flash.valid_in(Pbn(pbn))), [2, 2]);
    bench.work(|ftl, flash| ftl.collect(flash));
    assert_eq!([3, 0].map(|pbn| bench.flash.is_erased(Pbn(pbn))), [true, false]);
}

/// Two logical blocks have two blocks each, none of which is full. The block of first versions is
/// emptied.
#[test]
fn separated_mapping_collects_a_block_that_is_not_full() {
    let mut bench = separated(2, 5);
    bench.write_work(&[0, 1, 0, 4, 4]);
    let work = bench.work(|ftl, flash| ftl.collect(flash));
    assert_eq!((work.copies, work.erases), (1, 1), "page 1 joins the update of page 0");
    assert!(bench.flash.is_erased(Pbn(0)));
    let work = bench.write_work(&[2, 0]);
    assert_eq!((work.copies, work.erases), (0, 0), "first versions go to a new block");
    assert_eq!([0, 1].map(|pbn| bench.flash.valid_in(Pbn(pbn))), [0, 2]);
    let mut rng = Rng::new(7, "separated");
    for _ in 0..500 {
        bench.write_work(&[rng.below(8) as u32]);
    }
}

fn separated(logical: u32, blocks: u32) -> Bench<Mnftl> {
    let mut bench = bench(4, 4, logical, blocks);
    bench.ftl.firsts = vec![NIL; logical as usize];
    bench
}

/// MNFTL Figure 2 (c): pages that are collected later have been overwritten meanwhile.
#[test]
fn postponed_reclamation_copies_less() {
    let mut bench = bench(4, 4, 1, 4);
    bench.write_work(&[0, 2, 3, 0, 0]);
    assert_eq!(bench.flash.valid_in(Pbn(0)), 2, "C and D at t0");
    bench.write_work(&[3]);
    assert_eq!(bench.flash.valid_in(Pbn(0)), 1, "C at t1");
}

/// MNFTL 4.3: of P blocks of one logical block some have one valid page at most, of P + 1 one has none.
#[test]
fn many_blocks_of_one_logical_block_have_an_empty_one() {
    for pages in [4, 8] {
        let mut bench = bench(pages, 4, 1, 2 * pages + 4);
        let mut rng = Rng::new(u64::from(pages), "pigeons");
        let fewest = |bench: &Bench<Mnftl>| {
            let blocks = bench.ftl.links.from_oldest(&bench.ftl.lists[0]);
            blocks.map(|pbn| bench.flash.valid_in(Pbn(pbn))).min()
        };
        for written in 1..=pages + 1 {
            let all: Vec<u32> = (0..pages).map(|_| rng.below(u64::from(pages)) as u32).collect();
            let work = bench.write_work(&all);
            assert_eq!(work.erases, 0, "there are free blocks");
            if written >= pages {
                assert!(fewest(&bench) <= Some(pages + 1 - written), "{written} blocks");
            }
        }
    }
}

/// One logical block of 4 pages on 3 blocks, page 0 again and again.
#[test]
fn a_page_written_again_and_again_costs_an_erase_for_each_block() {
    let mut bench = bench(4, 4, 1, 3);
    let fill = bench.write_work(&[0; 8]);
    assert_eq!((fill.programs, fill.copies, fill.erases), (8, 0, 0));
    for _ in 0..5 {
        let work = bench.write_work(&[0; 4]);
        let expected = Work {
            programs: 4,
            oob_reads: 4,
            gc_oob_reads: 1,
            copies: 0,
            erases: 1,
            ns: 4 * 820_000 + 20_000 + 1_500_000,
        };
        assert_eq!(work, expected);
    }
}

/// MNFTL 4.2: T_oob + T_w, and T_oob + T_r. A read of an unwritten page costs the same, as in Table
/// 2 for Websearch.
#[test]
fn a_write_takes_820_us_and_a_read_80() {
    let mut bench = bench(8, 4, 4, 10);
    assert_eq!(bench.write_work(&[3]).ns, 800_000, "no subtable to read");
    assert_eq!(bench.write_work(&[2]).ns, 820_000);
    assert_eq!([3, 4, 31].map(|lpn| bench.read_work(lpn).ns), [80_000; 3]);
}

/// MNFTL 4.3: `N T_oob + S (T_r + T_w) + T_e` for each collection, and the total time is the sum.
#[test]
fn the_time_of_a_run_is_that_of_the_papers_formulas() {
    for victim in [MnftlVictim::MostBlocksFirst, MnftlVictim::Global] {
        let mut bench = Bench::<Mnftl>::new(16 * 2, 0, |config| {
            config.device.pages_per_block = 8;
            config.device.blocks = Some(22);
            mnftl_times(&mut config.device);
            config.own.rows = Some(2);
            config.own.victim = victim;
        });
        let mut rng = Rng::new(1, "time");
        let pages: Vec<u32> = (0..3000).map(|_| rng.below(128) as u32).collect();
        let work = bench.write_work(&pages);
        let gc = bench.ftl.metrics().gc.expect("collection").counts;
        assert!(work.erases > 100 && work.copies == gc.valid_data, "{work:?}");
        assert_eq!((work.erases, work.gc_oob_reads), (gc.data_blocks, 4 * gc.data_blocks));
        let collections =
            work.gc_oob_reads * 20_000 + work.copies * 860_000 + work.erases * 1_500_000;
        assert_eq!(work.ns, 3000 * 820_000 + collections);
    }
}

/// Logical block 0 has most blocks, each with a valid page; one block of 1 has none.
#[test]
fn the_rules_choose_different_victims() {
    let victim = |victim| {
        let mut bench = Bench::<Mnftl>::empty(4, 0, |config| {
            config.device.blocks = Some(9);
            config.own.victim = victim;
        });
        bench.write_work(&[0, 0, 0, 1, 2, 2, 2, 0, 3]);
        bench.write_work(&[4, 4, 4, 4, 4]);
        let valid = [0, 1, 2, 3, 4].map(|pbn| bench.flash.valid_in(Pbn(pbn)));
        assert_eq!(valid, [1, 2, 1, 0, 1]);
        bench.work(|ftl, flash| ftl.collect(flash));
        (0..5).find(|pbn| bench.flash.is_erased(Pbn(*pbn)))
    };
    assert_eq!(victim(MnftlVictim::MostBlocksFirst), Some(0));
    assert_eq!(victim(MnftlVictim::Global), Some(3));
}

/// MNFTL 4.3: "perform reclaim operations on the logical blocks mapped with many physical blocks".
#[test]
fn idle_time_frees_blocks_until_no_logical_block_has_many() {
    let bench = |idle_blocks| {
        let mut bench = Bench::<Mnftl>::empty(8, 0, |config| {
            config.device.blocks = Some(20);
            config.own.idle_blocks = idle_blocks;
        });
        bench.write_work(&[0, 0, 0, 0, 0, 1, 1, 1, 2, 3, 4, 4, 4, 4, 4]);
        bench
    };
    let mut idle = bench(Some(2));
    assert!(idle.ftl.uses_idle_time());
    assert_eq!((idle.ftl.lists[0].len(), idle.ftl.lists[1].len()), (3, 2));
    let work = idle.work(|ftl, flash| while ftl.background(flash) {});
    assert_eq!((work.erases, work.copies), (3, 2), "pages 0 and 1 of the second block");
    assert!(idle.ftl.lists.iter().all(|list| list.len() <= 1));
    assert_eq!(idle.ftl.metrics().gc.and_then(|gc| gc.background_runs), Some(3));
    let mut never = bench(None);
    assert!(!never.ftl.uses_idle_time() && !never.ftl.background(&mut never.flash));
}

#[test]
fn a_cached_subtable_saves_its_oob_read() {
    let mut bench = Bench::<Mnftl>::empty(8, 0, |config| {
        config.device.blocks = Some(13);
        mnftl_times(&mut config.device);
        config.own.rows = Some(4);
        // Two subtables of 4 numbers of a byte, and the number of each, of a byte.
        config.own.cache = Bytes(10);
    });
    bench.write_work(&[0, 4, 8]);
    assert_eq!(bench.read_work(8).ns, 80_000, "a subtable that was new is not read");
    assert_eq!([8, 8].map(|lpn| bench.read_work(lpn).ns), [60_000; 2]);
    assert_eq!(bench.write_work(&[9]).ns, 800_000, "written through");
    assert_eq!([0, 4, 8].map(|lpn| bench.read_work(lpn).ns), [80_000; 3], "room for two");
    assert_eq!((bench.ftl.cache_hits, bench.ftl.ram().cache), (0, 10));
}

/// A trimmed page with the newest subtable of other pages is not erased before the subtable is
/// saved.
#[test]
fn the_subtable_on_a_trimmed_page_is_rescued() {
    let mut bench = bench(4, 4, 1, 4);
    bench.write_work(&[0, 1, 2, 3, 0, 1, 2, 0]);
    bench.work(|ftl, flash| ftl.trim(Access::trim(&[Lpn(0)]), flash));
    assert_eq!(bench.ftl.map.holder(0), Some(Ppn(7)));
    // Pages 1, 2 are valid in block 1, whose last page holds the subtable but is trimmed; 3 in block 0.
    let work = bench.work(|ftl, flash| {
        ftl.collect(flash);
        ftl.collect(flash);
    });
    assert_eq!((work.copies, work.erases), (3, 2));
    assert_eq!(bench.ftl.metrics().own["mnftl.rescues"], 0, "other pages of it were copied");
    let mut bench = self::bench(4, 2, 1, 4);
    bench.write_work(&[2, 0, 0, 1, 3, 3, 3, 3]);
    bench.work(|ftl, flash| ftl.trim(Access::trim(&[Lpn(3)]), flash));
    let work = bench.work(|ftl, flash| {
        let victim = Pbn(1);
        assert_eq!(flash.valid_in(victim), 0);
        ftl.collect(flash);
    });
    assert_eq!((work.copies, work.erases), (1, 1), "page 2, for its subtable");
    assert_eq!(bench.ftl.metrics().own["mnftl.rescues"], 1);
    assert_eq!(bench.read_work(2).oob_reads, 1);
}

/// 8 GB of 2 KB pages, 128 in a block, with hardly a spare block (MNFTL 5.1).
fn paper(ftl: &str) -> u64 {
    let device = DeviceConfig {
        page: Bytes(2048),
        pages_per_block: 128,
        blocks: Some(32_768),
        ..DeviceConfig::default()
    };
    let mut config: Setup<MnftlConfig> = Setup { device, ..Setup::default() };
    config.gc.low = 1;
    config.gc.high = 2;
    let mut flash = Device::new(&config.device, 32_765 * 128 * 2048).expect("a device");
    let ram = match ftl {
        "page" => PageFtl::build(&config.with(()), &mut flash).expect("an FTL").ram(),
        _ => Mnftl::build(&config, &mut flash).expect("an FTL").ram(),
    };
    ram.tables
}

/// MNFTL 5.1: "about 1.06 MB (32 x 1024 x 34 B)"; the page map of 12 MB has numbers of 3 B.
#[test]
fn ram_is_that_of_the_paper() {
    assert_eq!(paper("mnftl"), 32_765 * (8 * 3 + 4) + 32_768 * (2 + 4));
    assert_eq!((paper("mnftl") * 100) >> 20, 106, "1.06 MiB");
    let map = paper("page") / 4 * u64::from(bytes_of_number(4 << 20));
    assert_eq!(map.div_ceil(1 << 20), 12);
}

#[test]
fn a_subtable_that_does_not_fit_is_refused() {
    let build = |oob, rows| {
        let device = DeviceConfig { oob: Some(Bytes(oob)), ..DeviceConfig::default() };
        let mut config: Setup<MnftlConfig> = Setup { device, ..Setup::default() };
        config.own.rows = rows;
        let mut flash = Device::new(&config.device, 512 << 20).expect("a device");
        Mnftl::build(&config, &mut flash).map(|ftl| ftl.map.pieces())
    };
    assert_eq!(build(128, None).expect("32 rows"), 2);
    assert_eq!(build(191, None).expect("32 rows of 3 B"), 2);
    assert_eq!(build(192, None).expect("64 rows"), 1);
    let refusal = build(95, Some(32)).expect_err("96 B").to_string();
    assert!(
        refusal.contains("device.oob: found 95 B, expected at least 96 for a subtable of"),
        "{refusal}"
    );
    assert!(build(2, None).is_err(), "not one row");
}

/// 8 logical blocks of 8 pages; 2 of 16 blocks in SLC mode, at 4 pages each.
fn hybrid() -> Bench<MnftlHybrid> {
    Bench::<MnftlHybrid>::empty(16, 0, |config| {
        config.device.pages_per_block = 8;
        config.device.blocks = Some(16);
        config.device.cell = Some(Cell::Mlc);
        mnftl_times(&mut config.device);
        config.own.0.rows = Some(4);
        config.own.1.slc_blocks = Some(2);
    })
}

#[test]
fn a_hybrid_writes_at_the_speed_of_lsb_pages() {
    let mut bench = hybrid();
    let lsb = 800_000 * 2 * 500 / 1800;
    assert_eq!(bench.write_work(&[0]).ns, lsb);
    assert_eq!(bench.write_work(&[1]).ns, 20_000 + lsb);
    let first = bench.flash.geometry().first_page(Pbn(14));
    assert_eq!(bench.ftl.mnftl_map().newest(Lpn(0)), Some(first));
}

#[test]
fn what_dies_in_the_slc_region_is_never_copied() {
    let mut bench = hybrid();
    let work = bench.write_work(&[0; 80]);
    assert_eq!((work.copies, work.erases), (0, (80 - 8) / 4));
    assert_eq!(bench.ftl.metrics().own["mnftl-hybrid.slc_moved"], 0);
    let work = bench.write_work(&[1, 2, 3, 9, 17, 25, 33, 41]);
    assert_eq!((work.copies, work.erases), (1, 2), "of page 0 the newest version");
    let work = bench.write_work(&[1; 8]);
    assert_eq!((work.copies, work.erases), (8, 2), "each to a block of its logical block");
    assert_eq!(bench.flash.ledger().get(Operation::Read, Cause::GcData), 8);
}

/// Without a setting, cells have two bits.
#[test]
fn a_hybrid_needs_cells_of_several_bits() {
    let mut config = Setup::default();
    let mut flash = Device::new(&config.device, 512 << 20).expect("a device");
    MnftlHybrid::build(&config, &mut flash).expect("an FTL");
    assert_eq!(flash.cell(), Some(Cell::Mlc));
    config.device.cell = Some(Cell::Slc);
    let mut flash = Device::new(&config.device, 512 << 20).expect("a device");
    let refusal = MnftlHybrid::build(&config, &mut flash).expect_err("one bit").to_string();
    assert!(refusal.starts_with("device.cell: found slc, expected mlc or tlc"), "{refusal}");
}
