//! What is counted, and what is refused: blocks of 4 pages, which may be programmed in any order.

use super::*;
use crate::device::DeviceConfig;
use crate::flash::BlockKind;
use crate::units::{Bytes, Ratio};
use std::panic::{AssertUnwindSafe, catch_unwind};

const LPN: Lpn = Lpn(5);

fn device() -> Device {
    let config = DeviceConfig {
        page: Bytes(512),
        pages_per_block: 4,
        over_provisioning: Ratio(1.0),
        ..DeviceConfig::default()
    };
    Device::new(&config, 16 * 512).expect("a device")
}

fn declared() -> Device {
    let mut device = device();
    device.declare_loss("fast.rules", "flashsim").expect("nobody cuts power");
    device
}

fn write(device: &mut Device, ppn: u32) {
    device.program(Ppn(ppn), Owner::Data(LPN), Cause::Host);
}

fn counts(device: &Device) -> LossCounts {
    device.audit();
    device.loss().expect("a declared loss").counts
}

#[test]
fn a_version_is_lost_with_its_last_copy_valid_or_not() {
    let mut device = declared();
    write(&mut device, 0);
    device.relocate(Ppn(0), Ppn(4), Cause::Merge);
    device.erase_with_pages(Pbn(0), BlockKind::Data, Cause::Merge);
    assert_eq!(counts(&device).versions, 0, "the other copy is left");
    device.invalidate(Ppn(4));
    assert_eq!(counts(&device).versions, 0, "it could still be found");
    device.erase(Pbn(1), BlockKind::Data, Cause::Merge);
    assert_eq!(counts(&device).versions, 1);
}

#[test]
fn an_old_version_and_a_trimmed_one_are_no_loss() {
    let mut device = declared();
    write(&mut device, 0);
    write(&mut device, 4);
    device.erase_with_pages(Pbn(0), BlockKind::Data, Cause::Merge);
    device.trim(LPN);
    device.erase_with_pages(Pbn(1), BlockKind::Data, Cause::Merge);
    assert_eq!(counts(&device).versions, 0);
}

#[test]
fn each_read_is_told_by_what_it_returns() {
    let mut device = declared();
    write(&mut device, 0);
    device.host_read_as_is(LPN, Ppn(0));
    write(&mut device, 4);
    device.host_read_as_is(LPN, Ppn(0));
    device.invalidate(Ppn(0));
    device.host_read_as_is(LPN, Ppn(0));
    device.host_read_as_is(LPN, Ppn(1));
    let each = LossCounts {
        reads_newest: 1,
        reads_old: 1,
        reads_invalid: 1,
        reads_erased: 1,
        ..LossCounts::default()
    };
    assert_eq!((counts(&device), counts(&device).wrong_reads()), (each, 3));
    device.host_read_as_is(Lpn(6), Ppn(2));
    assert_eq!((counts(&device), device.unwritten_reads()), (each, 1), "nothing was written there");
    assert_eq!(device.reads_verified(), 5);
}

#[test]
fn an_unread_copy_is_no_newer_than_what_it_copies() {
    let mut device = declared();
    write(&mut device, 0);
    device.invalidate(Ppn(0));
    write(&mut device, 4);
    device.copy_unread(Ppn(0), Ppn(8), Cause::Merge);
    device.host_read_as_is(LPN, Ppn(8));
    assert_eq!((counts(&device).copies_unread, counts(&device).reads_old), (1, 1));
    assert_eq!(device.loads_not_stored(Cause::Merge), -1, "it was programmed and not read");
}

/// Each of the commands that lose data, by an FTL that has not said so, and another page by one that has.
#[test]
fn nobody_else_may_lose_anything() {
    let fails = |mut device: Device, action: &dyn Fn(&mut Device)| {
        write(&mut device, 0);
        let panic = catch_unwind(AssertUnwindSafe(|| action(&mut device))).expect_err("refused");
        panic.downcast_ref::<String>().expect("a message").clone()
    };
    let commands: [&dyn Fn(&mut Device); 3] = [
        &|device| device.host_read_as_is(LPN, Ppn(0)),
        &|device| device.copy_unread(Ppn(0), Ppn(4), Cause::Merge),
        &|device| device.erase_with_pages(Pbn(0), BlockKind::Data, Cause::Merge),
    ];
    for command in commands {
        assert!(fails(device(), command).starts_with(RULE));
    }
    let other = fails(declared(), &|device| device.host_read_as_is(Lpn(6), Ppn(0)));
    assert!(other.starts_with("a host read must not return another page"), "{other}");
    let stale = fails(declared(), &|device| {
        write(device, 1);
        device.host_read(LPN, Some(Ppn(0)));
    });
    assert!(stale.starts_with("a host read must return the last version written"), "{stale}");
}

#[test]
fn it_is_refused_where_power_may_be_cut() {
    for prepare in [Device::remember as fn(&mut Device), |device| device.expect_power_cuts()] {
        let mut device = device();
        prepare(&mut device);
        let error = device.declare_loss("fast.rules", "flashsim").expect_err("refused");
        assert!(error.to_string().starts_with("fast.rules: found flashsim, which loses data"));
    }
}

#[test]
fn what_was_lost_before_measuring_is_kept_apart() {
    let mut device = declared();
    write(&mut device, 0);
    device.erase_with_pages(Pbn(0), BlockKind::Data, Cause::Merge);
    device.start_measuring();
    let loss = device.loss().expect("a declared loss");
    assert_eq!((loss.counts.versions, loss.versions_before), (0, 1));
    let text = "fast.rules = flashsim loses data by design: 0 newest versions lost, 1 more before";
    assert!(loss.warning().starts_with(text), "{}", loss.warning());
}
