use super::*;
use crate::device::DeviceConfig;
use crate::ftl::parts::bench::{Bench, Work, mnftl_times};
use crate::rng::Rng;
use crate::units::Bytes;

/// Superblocks of 2 data blocks and 1 log block, of 4 pages each; `log_blocks` log blocks in all.
fn bench(
    logical: u32,
    log_blocks: u32,
    configure: fn(&mut Setup<SuperblockConfig>),
) -> Bench<SuperblockFtl> {
    Bench::<SuperblockFtl>::new(logical, log_blocks + 1, |config| {
        mnftl_times(&mut config.device);
        config.device.oob = Some(Bytes(512));
        config.own = SuperblockConfig { data: 2, logs: 1, pieces: Some(2) };
        configure(config);
    })
}

fn pages_of(bench: &Bench<SuperblockFtl>, slot: u32) -> (u32, u32) {
    let pbn = bench.ftl.block_in(slot).expect("a block");
    (bench.flash.programmed_in(pbn), bench.flash.valid_in(pbn))
}

/// Two data blocks and a log block, P = 4 (choices.md#superblock-steps).
#[test]
fn the_worked_example_folds_a_log_block_and_the_least_valid_data_block() {
    let mut bench = bench(2, 1, |_| {});
    let fill = bench.write_work(&[0, 1, 0, 4]);
    assert_eq!((fill.programs, fill.copies, fill.erases), (4, 0, 0));
    assert_eq!([0, 1, 2].map(|slot| pages_of(&bench, slot)), [(4, 2), (4, 3), (4, 3)]);
    let work = bench.write_work(&[5]);
    assert_eq!((work.programs, work.copies, work.erases), (1, 5, 2));
    assert_eq!([0, 1, 2].map(|slot| pages_of(&bench, slot)), [(4, 4), (4, 2), (2, 2)]);
    assert_eq!(bench.ftl.counts.folds, 1);
}

/// First versions, which go to data blocks, are writes, too.
#[test]
fn the_pool_is_refilled_from_the_superblock_written_least_recently() {
    let mut bench = Bench::<SuperblockFtl>::empty(6, 3, |config| {
        config.device.oob = Some(Bytes(512));
        config.own = SuperblockConfig { data: 2, logs: 1, pieces: Some(2) };
        config.log.blocks = Some(2);
    });
    bench.write_work(&[0, 0, 8, 8, 1, 16]);
    assert_eq!(bench.ftl.logs_of, [1, 1, 0]);
    bench.write_work(&[16]);
    assert_eq!(bench.ftl.logs_of, [1, 0, 1], "8 was written longest ago");
}

/// A log block and a data block whose pages fit into one leave one block less.
#[test]
fn blocks_that_fit_into_one_are_folded_into_one() {
    let mut bench = bench(2, 1, |_| {});
    bench.write_work(&[0, 1, 2, 0]);
    assert_eq!([0, 2].map(|slot| pages_of(&bench, slot)), [(4, 1), (4, 3)]);
    let work = bench.write_work(&[4]);
    assert_eq!((work.copies, work.erases), (4, 2));
    assert_eq!([0, 1, 2].map(|slot| pages_of(&bench, slot)), [(4, 4), (4, 3), (1, 1)]);
}

/// A log block that has all pages of a data block takes its place.
#[test]
fn a_data_block_that_holds_nothing_is_replaced_without_a_copy() {
    let mut bench = bench(2, 1, |_| {});
    bench.write_work(&[0, 1, 2, 3]);
    let work = bench.write_work(&[0]);
    assert_eq!((work.copies, work.erases), (0, 1));
    let Counts { dead, switches, folds, .. } = bench.ftl.counts;
    assert_eq!((dead, switches, folds), (1, 1, 0));
}

/// When all log blocks are in use, the superblock written least recently releases one.
#[test]
fn the_pool_of_log_blocks_is_shared() {
    let mut bench = bench(6, 2, |_| {});
    bench.write_work(&[0, 8]);
    bench.write_work(&[1]);
    let work = bench.write_work(&[16]);
    assert_eq!(
        (work.copies, work.erases),
        (4, 2),
        "one page of the log block and three of the data block"
    );
    assert_eq!(bench.ftl.counts.pool_collections, 1);
    assert_eq!(bench.ftl.logs_of, [1, 0, 1]);
}

/// The paper's two OOB reads. The second is needed unless the page written last has the piece: 1.75
/// with the four pieces that MNFTL's Table 2 implies.
#[test]
fn a_lookup_reads_1_75_oobs_with_four_pieces_used_alike() {
    for pieces in [1, 2, 4, 8] {
        let mut bench = Bench::<SuperblockFtl>::new(16, 7, |config| {
            config.device.oob = Some(Bytes(512));
            config.own.pieces = Some(pieces);
        });
        let mut rng = Rng::new(1, "lookups");
        let mut reads = 0;
        for _ in 0..8000 {
            let page = rng.below(64) as u32;
            bench.ftl.write(Access::write(&[Lpn(page)]), &mut bench.flash);
            let neighbour = page / 16 * 16 + rng.below(16) as u32;
            bench.flash.start_measuring();
            bench.ftl.read(Access::read(&[Lpn(neighbour)]), &mut bench.flash);
            reads += bench.flash.ledger().total(crate::flash::Operation::ReadOob);
        }
        let mean = reads as f64 / 8000.0;
        let expected = 2.0 - 1.0 / f64::from(pieces);
        assert!((mean - expected).abs() < 0.02, "{pieces} pieces: {mean}");
    }
}

/// A read of an unwritten page costs the average of a lookup.
#[test]
fn a_read_of_nothing_costs_a_lookup() {
    let mut bench = Bench::<SuperblockFtl>::empty(8, 3, |config| {
        mnftl_times(&mut config.device);
        config.device.oob = Some(Bytes(512));
        config.own.pieces = Some(4);
    });
    let oob_reads: u64 = (0..16).map(|lpn| bench.read_work(lpn).oob_reads).sum();
    assert_eq!(oob_reads, 16 * 7 / 4);
    assert_eq!(bench.write_work(&[0]), Work { programs: 1, ns: 800_000, ..Work::default() });
    assert_eq!(bench.write_work(&[1]).oob_reads, 1);
    assert_eq!(bench.write_work(&[5]).oob_reads, 1, "the directory tells that there is no piece");
    assert_eq!(bench.write_work(&[0]).oob_reads, 2);
}

/// Trimmed pages may hold the directory and the newest pieces.
#[test]
fn trims_lose_no_piece_and_no_directory() {
    let mut bench = bench(4, 2, |config| config.own.pieces = Some(4));
    let mut rng = Rng::new(1, "trims");
    for _ in 0..4000 {
        let page = rng.below(16) as u32;
        let trim = rng.chance(0.4);
        bench.work(|ftl, flash| match trim {
            true => ftl.trim(Access::trim(&[Lpn(page)]), flash),
            false => ftl.write(Access::write(&[Lpn(page)]), flash),
        });
    }
}

fn build(page: u64, pages: u32, capacity: u64, own: SuperblockConfig) -> Result<(u32, u64), Error> {
    let device =
        DeviceConfig { page: Bytes(page), pages_per_block: pages, ..DeviceConfig::default() };
    let config = Setup { device, own, ..Setup::default() };
    let mut flash = Device::new(&config.device, capacity)?;
    SuperblockFtl::build(&config.checked()?, &mut flash)
        .map(|ftl| (ftl.map.pieces(), ftl.ram().tables))
}

/// 128 pages of 2 KB: four pieces need 165 B for 132 numbers of 10 bits, and the OOB has 64 B.
#[test]
fn the_four_pieces_of_table_2_do_not_fit_into_its_oob() {
    let four = SuperblockConfig { pieces: Some(4), ..SuperblockConfig::default() };
    let refusal = build(2048, 128, 1 << 30, four.clone()).expect_err("too large").to_string();
    assert!(refusal.contains("found 64 B, expected at least 168 for a directory of"), "{refusal}");
    assert_eq!(build(2048, 128, 1 << 30, SuperblockConfig::default()).expect("fits").0, 16);
    assert_eq!(build(4096, 64, 1 << 30, four).expect("68 numbers of 9 bits").0, 4);
    let none = SuperblockConfig { data: 0, ..SuperblockConfig::default() };
    assert!(build(4096, 64, 1 << 30, none).is_err());
}

/// Six block numbers of 2 B and a page number of 3 B.
#[test]
fn ram_is_what_the_header_says() {
    let ram = build(2048, 128, 7 << 30, SuperblockConfig::default()).expect("a device").1;
    assert_eq!(ram, 7168 * (6 * 2 + 3));
}
