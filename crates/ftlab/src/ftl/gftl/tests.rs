use super::*;
use crate::device::DeviceConfig;
use crate::ftl::parts::bench::{Bench, Work, mnftl_times};
use crate::rng::Rng;

/// Blocks of 4 pages, one copy in a step, a buffer of `buffer` blocks.
fn bench(logical: u32, buffer: u32) -> Bench<Gftl> {
    Bench::<Gftl>::empty(logical, buffer + 1, |config| {
        mnftl_times(&mut config.device);
        config.own.buffer = Some(Ratio(f64::from(buffer) / f64::from(logical)));
    })
}

/// Block B = {0, 1, 2} when page 0 is read. One OOB read from the front would find it. The first
/// version from the front need not be the newest, though, so the search takes three reads from the
/// back (choices.md#gftl-search).
#[test]
fn the_worked_example_is_cleaned_step_by_step() {
    let mut bench = bench(4, 2);
    let nothing = Work { programs: 3, ns: 3 * 800_000, ..Work::default() };
    assert_eq!(bench.write_work(&[0, 1, 0]), nothing, "no block is full");
    let copy = Work { programs: 1, copies: 1, ns: 800_000 + 860_000, ..Work::default() };
    let first = Work { gc_oob_reads: 4, ns: copy.ns + 4 * 20_000, ..copy };
    assert_eq!(bench.write_work(&[1]), first, "block A is full: 0 goes to B");
    assert_eq!(bench.write_work(&[2]), copy, "2 to the buffer, 1 to B");
    assert_eq!(bench.write_work(&[3]), copy, "3 to the buffer, 2 from there to B");
    let read =
        Work { oob_reads: 3, copies: 1, ns: 60_000 + 3 * 20_000 + 860_000, ..Work::default() };
    assert_eq!(bench.read_work(0), read, "3 from the buffer to B");
    let erase =
        Work { oob_reads: 1, erases: 1, ns: 60_000 + 20_000 + 1_500_000, ..Work::default() };
    assert_eq!(bench.read_work(3), erase, "A is erased");
    assert!(bench.flash.is_erased(Pbn(0)));
    assert_eq!(bench.read_work(3).ns, 80_000, "nothing is left to do");
    assert_eq!(bench.ftl.blocks[0], 2, "B is the block of 0");
}

/// choices.md#gftl-power: the number of steps is the same.
#[test]
fn where_power_may_be_cut_a_block_is_erased_before_the_buffer_joins_its_copies() {
    let mut bench = bench(4, 2);
    bench.flash.remember();
    bench.write_work(&[0, 1, 0, 1, 2]);
    let is_buffered = |bench: &Bench<Gftl>, lpn| {
        let ppn = bench.ftl.newest.get(Lpn(lpn)).expect("written");
        bench.ftl.buffer.holds(ppn, &bench.flash)
    };
    assert_eq!(bench.write_work(&[3]).erases, 1, "A, of which 0 and 1 are in B");
    assert!(is_buffered(&bench, 2) && is_buffered(&bench, 3));
    assert_eq!([0, 0, 0].map(|lpn| bench.read_work(lpn).copies), [1, 1, 0]);
    assert!(!is_buffered(&bench, 2) && !is_buffered(&bench, 3));
}

/// Three OOB reads are as long as an erase; the fourth leaves time for a copy.
#[test]
fn oobs_that_tell_valid_pages_are_read_in_steps_too() {
    let mut bench = Bench::<Gftl>::empty(4, 3, |config| {
        mnftl_times(&mut config.device);
        config.device.oob_read.0 = 500_000;
        config.own.buffer = Some(Ratio(0.5));
    });
    let work = bench.write_work(&[0, 1, 0, 1]);
    assert_eq!((work.gc_oob_reads, work.copies), (3, 0));
    let work = bench.read_work(1);
    assert_eq!((work.gc_oob_reads, work.copies), (1, 1));
}

/// A full block of valid pages is not cleaned again before its logical block is written again.
#[test]
fn a_block_that_is_full_after_cleaning_waits_for_the_next_write() {
    let mut bench = bench(4, 2);
    bench.write_work(&[0, 1, 2, 3]);
    let reads: u64 = (0..10).map(|_| bench.read_work(0).erases).sum();
    assert_eq!((reads, bench.ftl.queue.len()), (1, 0));
    bench.write_work(&[0]);
    assert_eq!(bench.ftl.queue, [Lbn(0)]);
    let into_buffer = bench.ftl.newest.get(Lpn(0)).expect("written");
    assert!(bench.ftl.buffer.holds(into_buffer, &bench.flash));
    assert_eq!(bench.read_work(0).oob_reads, 0, "found in RAM");
}

#[test]
fn a_search_goes_backwards_and_tells_versions_apart() {
    let mut bench = bench(4, 2);
    bench.write_work(&[0, 1, 0]);
    assert_eq!([0, 1, 2].map(|lpn| bench.read_work(lpn).oob_reads), [1, 2, 3]);
    assert_eq!([4, 6].map(|lpn| bench.read_work(lpn).oob_reads), [1, 3], "no block: offset + 1");
}

/// 13.5: write T_w + T_e and read T_r + 2 P T_oob + T_e, as long as the buffer has room.
#[test]
fn no_access_takes_longer_than_its_bound() {
    let mut bench = bench(16, 24);
    let mut rng = Rng::new(1, "bounds");
    let (mut longest_write, mut longest_read) = (0, 0);
    for _ in 0..4000 {
        let page = rng.below(64) as u32;
        match rng.chance(0.7) {
            true => longest_write = longest_write.max(bench.write_work(&[page]).ns),
            false => longest_read = longest_read.max(bench.read_work(page).ns),
        }
        assert!(bench.ftl.counts.most_steps <= 1 && bench.ftl.counts.forced_steps == 0);
    }
    assert_eq!(longest_write, 800_000 + 1_500_000);
    assert!(longest_read <= 60_000 + 2 * 4 * 20_000 + 1_500_000, "{longest_read}");
    assert!(longest_read > 60_000 + 1_500_000, "{longest_read}");
}

/// A buffer of 16 % does not keep the bound when a step is one copy. The excess is reported.
#[test]
fn a_buffer_that_overflows_is_told() {
    let mut bench = bench(16, 2);
    let mut rng = Rng::new(1, "overflow");
    let pages: Vec<u32> = (0..2000).map(|_| rng.below(64) as u32).collect();
    let work = bench.write_work(&pages);
    let own = bench.ftl.metrics().own;
    assert!(own["gftl.forced_steps"] > 0 && own["gftl.most_steps"] > 1, "{own:?}");
    assert_eq!(work.programs, 2000);
}

#[test]
fn a_step_copies_what_fits_into_an_erase() {
    let steps = |read, program| {
        let mut device = DeviceConfig::default();
        (device.read.0, device.program.0) = (read, program);
        Pace::of(&device).copies()
    };
    assert_eq!(steps(60_000, 800_000), 1, "MNFTL's device");
    assert_eq!(steps(25_000, 200_000), 6, "1.5 ms / 225 us");
    assert_eq!((steps(900_000, 800_000), steps(0, 0)), (1, 1));
}

#[test]
fn a_device_without_room_for_the_buffer_is_refused() {
    let build = |blocks, buffer| {
        let device = DeviceConfig { blocks: Some(blocks), ..DeviceConfig::default() };
        let mut config: Setup<GftlConfig> = Setup { device, ..Setup::default() };
        config.own.buffer = buffer;
        let mut flash = Device::new(&config.device, 100 << 18).expect("a device");
        Gftl::build(&config.checked()?, &mut flash).map(|ftl| ftl.buffer.most_blocks())
    };
    assert_eq!(build(200, None).expect("room"), 16);
    assert_eq!(build(110, None).expect("less room"), 9, "what there is");
    assert_eq!(build(102, None).expect("just enough"), 1);
    assert!(build(101, None).is_err());
    let refusal = build(110, Some(Ratio(0.16))).expect_err("no room").to_string();
    assert!(refusal.contains("expected at least 117"), "{refusal}");
    assert!(build(200, Some(Ratio(-1.0))).is_err());
}
