use super::*;
use crate::device::BusOrder;
use crate::units::{Bytes, Duration, Ratio, Vtpn};
use std::panic::{AssertUnwindSafe, catch_unwind};

/// 2 planes of 4 blocks of 4 pages; 16 logical pages.
fn device() -> DeviceConfig {
    DeviceConfig {
        page: Bytes(512),
        pages_per_block: 4,
        over_provisioning: Ratio(1.0),
        planes_per_die: 2,
        ..DeviceConfig::default()
    }
}

fn flash() -> Device {
    Device::new(&device(), 16 * 512).expect("valid")
}

fn write(flash: &mut Device, ppn: u32, lpn: u32) {
    flash.program(Ppn(ppn), Owner::Data(Lpn(lpn)), Cause::Host);
}

/// Runs `action` on a device with pages 0 and 1 holding logical pages 5 and 6; it must break `rule`.
fn breaks(rule: &str, action: impl FnOnce(&mut Device)) {
    let mut flash = flash();
    write(&mut flash, 0, 5);
    write(&mut flash, 1, 6);
    let panic = catch_unwind(AssertUnwindSafe(|| action(&mut flash))).expect_err(rule);
    let message = panic.downcast_ref::<String>().expect("a message");
    assert!(message.starts_with(rule), "expected {rule:?}, found {message:?}");
    assert!(message.contains("last operations: Program 0 (host); Program 1 (host)"), "{message}");
}

#[test]
fn every_rule_of_nand_is_enforced() {
    breaks("only a programmed page can be read", |f| _ = f.read(Ppn(2), Cause::Host));
    breaks("only a programmed page can be read", |f| _ = f.read_oob(Ppn(2), Cause::Host));
    breaks("pages of a block are programmed in ascending order", |f| write(f, 3, 1));
    breaks("a page is programmed once between erases", |f| write(f, 1, 1));
    breaks("a block with valid pages must not be erased", |f| {
        f.erase(Pbn(0), BlockKind::Data, Cause::GcData);
    });
    breaks("only a valid page can be invalidated", |f| _ = f.invalidate(Ppn(2)));
    breaks("only a valid page can be invalidated", |f| {
        f.invalidate(Ppn(0));
        f.invalidate(Ppn(0));
    });
    breaks("only a valid page is worth copying", |f| {
        f.invalidate(Ppn(0));
        f.copy(Ppn(0), Ppn(4), Cause::GcData);
    });
    breaks("a page is programmed once between erases, and its OOB with it", |f| {
        f.program_oob(Ppn(1), Owner::Data(Lpn(6)), 16, Cause::Host, || None);
    });
    breaks("what is kept in an OOB must fit", |f| {
        f.program_oob(Ppn(2), Owner::Data(Lpn(6)), 17, Cause::Host, || None);
    });
    breaks("what is kept in an OOB must fit", |f| {
        f.relocate_oob(Ppn(1), Ppn(4), 17, Cause::GcData, |_| None);
    });
    breaks("a scan stays inside its block", |f| f.scan_oob(Ppn(3), 2, Cause::Host));
    breaks("only a programmed page can be read", |f| f.scan_oob(Ppn(0), 3, Cause::Host));
    breaks("a copy-back stays inside its plane", |f| {
        f.copy_back(Ppn(0), Ppn(16), Cause::GcData);
    });
    breaks("a copy-back keeps the parity of the page", |f| {
        f.copy_back(Ppn(1), Ppn(4), Cause::GcData);
    });
}

#[test]
fn only_who_watches_planes_asks_when_they_are_free() {
    breaks("only an FTL that watches planes asks when one is free", |f| _ = f.plane_free_at(0));
    let mut flash = flash();
    flash.watch_planes();
    write(&mut flash, 0, 5);
    assert_eq!([0, 1].map(|plane| flash.plane_free_at(plane)), [200_000, 0]);
}

#[test]
fn a_host_read_accepts_only_the_newest_version() {
    breaks("a host read must find the newest version", |f| f.host_read(Lpn(6), Some(Ppn(0))));
    breaks("a page that holds data must be mapped", |f| f.host_read(Lpn(5), None));
    breaks("a host read must return the last version written", |f| {
        write(f, 2, 5);
        f.host_read(Lpn(5), Some(Ppn(0)));
    });
    breaks("a host read must find the newest version", |f| {
        f.invalidate(Ppn(0));
        f.host_read(Lpn(5), Some(Ppn(0)));
    });
    let mut flash = flash();
    write(&mut flash, 0, 5);
    flash.copy(Ppn(0), Ppn(4), Cause::GcData);
    flash.host_read(Lpn(5), Some(Ppn(4)));
    flash.host_read(Lpn(5), Some(Ppn(0)));
    flash.host_read(Lpn(9), None);
    assert_eq!((flash.reads_verified(), flash.unwritten_reads()), (3, 1));
    flash.invalidate(Ppn(0));
    flash.invalidate(Ppn(4));
    flash.trim(Lpn(5));
    flash.host_read(Lpn(5), None);
    flash.audit();
}

#[test]
fn every_operation_is_counted_by_its_cause_and_timed() {
    let mut flash = flash();
    write(&mut flash, 0, 1);
    write(&mut flash, 1, 2);
    flash.copy(Ppn(0), Ppn(4), Cause::GcData);
    flash.invalidate(Ppn(0));
    flash.copy_back(Ppn(1), Ppn(5), Cause::GcData);
    flash.invalidate(Ppn(1));
    flash.erase(Pbn(0), BlockKind::Data, Cause::GcData);
    flash.read_oob(Ppn(4), Cause::Translation);
    let ledger = flash.ledger();
    assert_eq!(ledger.get(Operation::Program, Cause::Host), 2);
    assert_eq!(ledger.get(Operation::Program, Cause::GcData), 1);
    assert_eq!(ledger.get(Operation::Read, Cause::GcData), 1);
    assert_eq!(ledger.get(Operation::CopyBack, Cause::GcData), 1);
    assert_eq!(ledger.get(Operation::Erase, Cause::GcData), 1);
    assert_eq!(BlockKind::ALL.map(|kind| ledger.erases(kind)), [1, 0, 0]);
    assert_eq!(ledger.pages_erased_unused(), 2);
    assert_eq!(ledger.get(Operation::ReadOob, Cause::Translation), 1);
    assert_eq!(ledger.flash_operations(), 3 + 1 + 2 + 1);
    let time = 2 * 200_000 + 225_000 + 225_000 + 1_500_000;
    assert_eq!(flash.timeline().served().end, time);
    flash.audit();
    flash.start_measuring();
    assert_eq!(flash.ledger().flash_operations(), 0);
    assert_eq!(flash.timeline().idle_at(), 0);
    assert_eq!(flash.valid_pages(Pbn(1)).next(&flash), Some(Ppn(4)), "the pages stay");
}

#[test]
fn translation_pages_are_told_from_data() {
    let mut flash = flash();
    flash.program(Ppn(0), Owner::Translation(Vtpn(0)), Cause::Translation);
    write(&mut flash, 1, 15);
    assert_eq!(flash.read(Ppn(0), Cause::Translation), Owner::Translation(Vtpn(0)));
    assert_eq!(flash.read(Ppn(1), Cause::Host), Owner::Data(Lpn(15)));
}

#[test]
fn a_device_may_allow_any_order_inside_a_block() {
    let mut flash = flash();
    flash.allow_any_order().expect("nothing else was configured");
    write(&mut flash, 3, 3);
    write(&mut flash, 0, 0);
    assert_eq!(flash.valid_pages(Pbn(0)).next(&flash), Some(Ppn(0)));
    flash.audit();
}

#[test]
fn a_device_that_insists_on_ascending_order_says_so_to_the_ftl() {
    let order = |order| {
        let config = DeviceConfig { program_order: Some(order), ..device() };
        Device::new(&config, 16 * 512).expect("valid")
    };
    let refusal = order(ProgramOrder::Ascending).allow_any_order().expect_err("ascending");
    assert!(refusal.to_string().starts_with("device.program_order: found ascending"), "{refusal}");
    assert_eq!(order(ProgramOrder::Any).program_order(), ProgramOrder::Any);
    assert_eq!(flash().program_order(), ProgramOrder::Ascending, "unless the FTL asks");
}

#[test]
fn a_page_in_ram_survives_the_erase_of_its_block() {
    let mut flash = flash();
    write(&mut flash, 0, 5);
    write(&mut flash, 1, 6);
    let kept = flash.load(Ppn(1), Cause::Merge);
    flash.invalidate(Ppn(0));
    flash.invalidate(Ppn(1));
    flash.erase(Pbn(0), BlockKind::Data, Cause::Merge);
    write(&mut flash, 0, 5);
    flash.store(Ppn(1), kept, Cause::Merge);
    flash.host_read(Lpn(5), Some(Ppn(0)));
    flash.host_read(Lpn(6), Some(Ppn(1)));
    let ledger = flash.ledger();
    let merges = [Operation::Read, Operation::Program].map(|what| ledger.get(what, Cause::Merge));
    assert_eq!(merges, [1, 1]);
    flash.audit();
}

/// The device with MLC cells that take 100, 300 ns to read and 1000, 3000 ns to program.
fn mlc() -> Device {
    let by_bit = |times: [u64; 2]| Some(times.map(Duration).to_vec());
    let config = DeviceConfig {
        cell: Some(Cell::Mlc),
        read_by_bit: by_bit([100, 300]),
        program_by_bit: by_bit([1000, 3000]),
        ..device()
    };
    Device::new(&config, 16 * 512).expect("valid")
}

/// Pages 0 to 3 of a block are LSB 0, LSB 1, MSB 0, MSB 1.
#[test]
fn pages_take_the_times_of_their_types() {
    let mut flash = mlc();
    (0..4).for_each(|page| write(&mut flash, page, page));
    assert_eq!(flash.timeline().served().end, 2 * (1000 + 3000));
    flash.start_measuring();
    (0..4).for_each(|page| flash.host_read(Lpn(page), Some(Ppn(page))));
    assert_eq!(flash.timeline().served().end, 2 * (100 + 300));
    flash.start_measuring();
    flash.relocate(Ppn(3), Ppn(4), Cause::GcData);
    assert_eq!(flash.timeline().served().end, 300 + 1000, "from an MSB to an LSB page");
    flash.start_measuring();
    flash.copy_back(Ppn(1), Ppn(5), Cause::GcData);
    assert_eq!(flash.timeline().served().end, 100 + 1000);
}

#[test]
fn cells_of_several_bits_insist_on_ascending_order() {
    let refusal = mlc().allow_any_order().expect_err("ascending");
    assert!(refusal.to_string().starts_with("device.cell: found mlc, expected slc"), "{refusal}");
    let order = Some(ProgramOrder::Any);
    let config = DeviceConfig { cell: Some(Cell::Mlc), program_order: order, ..device() };
    assert!(Device::new(&config, 16 * 512).is_err());
}

#[test]
fn a_block_in_slc_mode_has_fewer_and_faster_pages() {
    let mut flash = mlc();
    let two = DeviceConfig { cell: Some(Cell::Mlc), ..device() };
    flash.use_slc_mode(1..2, &two).expect("two bits");
    assert_eq!([0, 1].map(|pbn| flash.pages_of(Pbn(pbn))), [4, 2]);
    (4..6).for_each(|page| write(&mut flash, page, page));
    assert_eq!(flash.timeline().served().end, 2 * 200_000 * 2 * 500 / 1800);
    let third = catch_unwind(AssertUnwindSafe(|| write(&mut flash, 6, 6))).expect_err("a rule");
    let message = third.downcast_ref::<String>().expect("a message");
    assert!(message.starts_with("a block in SLC mode has one page"), "{message}");
    let one = DeviceConfig { cell: Some(Cell::Slc), ..device() };
    assert!(self::flash().use_slc_mode(0..1, &one).is_err(), "cells of one bit");
}

#[test]
fn oob_reads_of_a_scan_are_counted_and_timed_one_by_one() {
    let config = DeviceConfig { oob_read: Duration(20_000), ..device() };
    let mut flash = Device::new(&config, 16 * 512).expect("valid");
    (0..3).for_each(|page| write(&mut flash, page, page));
    flash.start_measuring();
    flash.scan_oob(Ppn(0), 3, Cause::Host);
    flash.scan_oob(Ppn(0), 0, Cause::Host);
    flash.search_in_vain(Lpn(9), 2);
    assert_eq!(flash.ledger().get(Operation::ReadOob, Cause::Host), 5);
    assert_eq!(flash.timeline().plane_busy().sum::<u64>(), 5 * 20_000);
}

/// The wait of its operations for one another takes no time.
#[test]
fn a_place_beside_the_blocks_keeps_all_planes_at_work() {
    const OPERATIONS: u64 = 1000;
    for (cache, bus, decode) in [
        (false, BusOrder::Gaps, 0),
        (false, BusOrder::Gaps, 200_000),
        (true, BusOrder::Gaps, 0),
        (true, BusOrder::Placement, 0),
    ] {
        let config = DeviceConfig {
            channels: 2,
            dies_per_chip: 3,
            transfer_per_byte: Duration(20),
            command: Duration(300),
            ecc_decode: Duration(decode),
            cache_read: cache,
            cache_program: cache,
            bus,
            ..device()
        };
        let time = |book: &dyn Fn(&mut Device)| {
            let mut flash = Device::new(&config, 48 * 512).expect("valid");
            flash.start_measuring();
            flash.timeline_mut().issue(0);
            book(&mut flash);
            flash.timeline().served().end
        };
        for operation in [Operation::Read, Operation::Program, Operation::Erase] {
            let in_turns =
                time(&|flash| flash.book_place(operation, 0..OPERATIONS, Cause::Checkpoint));
            let at_once = time(&|flash| {
                let planes = u64::from(flash.geometry().planes());
                for number in 0..OPERATIONS {
                    let purpose = Purpose { cause: Cause::Checkpoint, owner: None };
                    let spot = || Spot::nowhere((number % planes) as u32, purpose);
                    let timeline = flash.timeline_mut();
                    timeline.begin_chain();
                    let (read, program) = timeline.page_times();
                    match operation {
                        Operation::Read => timeline.read(read, spot),
                        Operation::Program => timeline.program(program, spot),
                        _ => timeline.erase(spot),
                    }
                }
            });
            assert_eq!(in_turns, at_once, "{operation:?} {cache} {bus:?} {decode}");
        }
    }
}

#[test]
fn an_oob_that_is_too_small_is_told_when_an_ftl_is_built() {
    let flash = flash();
    assert!(flash.expect_oob(16, "a row").is_ok(), "a 32nd of a page");
    let refusal = flash.expect_oob(17, "a subtable of 17 rows").expect_err("too much");
    let expected = "device.oob: found 16 B, expected at least 17 for a subtable of 17 rows";
    assert!(refusal.to_string().starts_with(expected), "{refusal}");
}

/// The device after a power cut in the change with this number, from 0, of a run.
fn cut(change: usize, tear: Tear, run: impl FnOnce(&mut Device)) -> Device {
    cut_of(&device(), change, tear, run)
}

fn cut_of(
    device: &DeviceConfig,
    change: usize,
    tear: Tear,
    run: impl FnOnce(&mut Device),
) -> Device {
    let mut erased = Device::new(device, 16 * 512).expect("valid");
    erased.remember();
    let mut device = erased.clone();
    run(&mut device);
    Cuts::of(erased, &device).at(change, tear)
}

/// A version that a survey finds.
fn found(lpn: u32, sequence: u64) -> Found {
    Found::Page(Owner::Data(Lpn(lpn)), sequence)
}

#[test]
fn a_copy_has_the_sequence_number_of_its_source() {
    let mut flash = cut(4, Tear::Before, |flash| {
        write(flash, 0, 5);
        write(flash, 1, 6);
        flash.copy(Ppn(0), Ppn(4), Cause::GcData);
        write(flash, 2, 5);
    });
    let pages = [0, 1, 2, 3, 4].map(|ppn| flash.survey(Ppn(ppn)));
    assert_eq!(pages, [found(5, 1), found(6, 2), found(5, 3), Found::Erased, found(5, 1)]);
    assert_eq!(flash.surveyed(), 5);
}

#[test]
fn a_page_whose_program_was_cut_cannot_be_read() {
    let mut flash = cut(1, Tear::Within, |flash| {
        write(flash, 0, 5);
        write(flash, 1, 6);
    });
    assert_eq!([0, 1].map(|ppn| flash.survey(Ppn(ppn))), [found(5, 1), Found::Torn]);
    assert_eq!(flash.next_page(Pbn(0)), Ppn(2));
    let read = catch_unwind(AssertUnwindSafe(|| flash.read(Ppn(1), Cause::Host)));
    assert!(read.is_err());
}

/// Of a block of 4 pages of MLC, 0 and 2 share cells, and 1 and 3.
#[test]
fn a_program_that_was_cut_takes_the_pages_of_its_cells_with_it() {
    let mlc = DeviceConfig { cell: Some(Cell::Mlc), ..device() };
    let run = |copy: bool, tear| {
        cut_of(&mlc, 2 + usize::from(copy), tear, |flash| {
            write(flash, 0, 5);
            write(flash, 1, 6);
            if copy {
                flash.copy(Ppn(0), Ppn(4), Cause::GcData);
            }
            write(flash, 2, 7);
        })
    };
    let surveyed = |mut flash: Device| [0, 1, 2].map(|ppn| flash.survey(Ppn(ppn)));
    let paired = run(false, Tear::Paired);
    assert_eq!(paired.lost(), [Lpn(5)]);
    assert_eq!(surveyed(paired), [Found::Torn, found(6, 2), Found::Torn]);
    assert_eq!(run(true, Tear::Paired).lost(), [], "there is a copy");
    let backed_up = run(false, Tear::Within);
    assert_eq!(backed_up.lost(), []);
    assert_eq!(surveyed(backed_up), [found(5, 1), found(6, 2), Found::Torn]);
}

#[test]
fn a_block_whose_erase_was_cut_looks_erased_and_is_not() {
    let mut flash = cut(1, Tear::Within, |flash| {
        write(flash, 0, 5);
        flash.invalidate(Ppn(0));
        flash.erase(Pbn(0), BlockKind::Data, Cause::GcData);
    });
    let mut mounting = flash.clone();
    let glimpses: Vec<Found> = (0..20).map(|look| mounting.survey(Ppn(look % 4))).collect();
    assert!(glimpses.contains(&Found::Erased) && glimpses.contains(&Found::Torn), "{glimpses:?}");
    let mut other = flash.clone();
    let programmed = catch_unwind(AssertUnwindSafe(|| write(&mut other, 0, 5)));
    assert!(programmed.is_err());
    flash.erase(Pbn(0), BlockKind::Data, Cause::GcData);
    write(&mut flash, 0, 5);
}

#[test]
fn an_erase_that_was_put_off_comes_before_a_page_is_programmed_or_skipped() {
    for skipped in [0, 1] {
        let mut flash = cut(1, Tear::Within, |flash| {
            write(flash, 0, 5);
            flash.invalidate(Ppn(0));
            flash.erase(Pbn(0), BlockKind::Data, Cause::GcData);
        });
        flash.erase_before_use(Pbn(0), BlockKind::Data, Cause::GcData);
        let erases = flash.erases_of(Pbn(0));
        (0..skipped).for_each(|page| flash.waste(Ppn(page)));
        write(&mut flash, skipped, 5);
        write(&mut flash, skipped + 1, 6);
        assert_eq!(flash.erases_of(Pbn(0)), erases + 1);
        assert_eq!(flash.next_page(Pbn(0)), Ppn(skipped + 2));
    }
}

/// Recovery finds the same from a journal of all changes as from the device itself, which forgets
/// what its controller knew.
#[test]
fn power_that_is_lost_at_the_end_leaves_what_all_changes_have_made() {
    let mut erased = Device::new(&device(), 16 * 512).expect("valid");
    let mut alone = erased.clone();
    erased.remember();
    alone.number_versions();
    let mut noted = erased.clone();
    for flash in [&mut noted, &mut alone] {
        write(flash, 0, 5);
        flash.waste(Ppn(1));
        write(flash, 2, 5);
        flash.invalidate(Ppn(0));
        flash.invalidate(Ppn(2));
        write(flash, 4, 5);
        flash.erase(Pbn(0), BlockKind::Data, Cause::GcData);
        write(flash, 0, 7);
    }
    let changes = noted.changes();
    assert_eq!((changes, alone.changes()), (5, 0));
    let mut left = Cuts::of(erased, &noted).at(changes, Tear::Before);
    alone.lose_power(&device());
    for ppn in (0..alone.geometry().pages()).map(Ppn) {
        assert_eq!(alone.survey(ppn), left.survey(ppn), "page {ppn}");
    }
    assert_eq!(alone.surveyed(), left.surveyed());
    assert_eq!(alone.erases_of(Pbn(0)), 1);
}

/// The newest version of a translation page is kept, with its copies. In cells of several bits a
/// cut may destroy it, so earlier versions are kept, too, until their block is erased.
#[test]
fn of_what_maps_held_there_is_what_a_mount_may_read() {
    let mlc = DeviceConfig { cell: Some(Cell::Mlc), ..device() };
    for (device, keeps) in [(device(), false), (mlc, true)] {
        let mut flash = Device::new(&device, 16 * 512).expect("valid");
        flash.number_versions();
        let mut map = |ppn| {
            let content = || [Some(Ppn(ppn)).into()].into_iter().collect();
            flash.program_map(Ppn(ppn), Vtpn(0), Cause::Translation, content);
        };
        (0..2).for_each(&mut map);
        flash.copy(Ppn(1), Ppn(4), Cause::GcTranslation);
        let kept = |flash: &Device| [0, 1, 4].map(|ppn| flash.audit_oob(Ppn(ppn)).is_some());
        assert_eq!(kept(&flash), [keeps, true, true]);
        flash.invalidate(Ppn(0));
        flash.invalidate(Ppn(1));
        flash.erase(Pbn(0), BlockKind::Translation, Cause::GcTranslation);
        assert_eq!(kept(&flash), [false, false, true]);
    }
}
