//! Pages and units by class, where pages are separated, and what a drive with placement handles reports of them.

use super::ratio;
use crate::figures::figures;
use crate::placement::separation::{Classes, EventKind, Events, Handled};
use crate::simulate::Outcome;
use std::collections::BTreeMap;

/// Write amplification of each class, by its pages of the host and what is copied of them.
fn amplification(written: &[u64], copied: &[u64]) -> Vec<Option<f64>> {
    written.iter().zip(copied).map(|(written, copied)| ratio(written + copied, *written)).collect()
}

/// Of the pages of the units that GC collects, the share that held no data, by class.
fn garbage(collected: &[u64], moved: &[u64], pages_per_unit: u64) -> Vec<Option<f64>> {
    let share = |(units, moved): (&u64, &u64)| {
        let pages = units * pages_per_unit;
        ratio(pages - moved, pages)
    };
    collected.iter().zip(moved).map(share).collect()
}

figures! {
    /// Pages and units by class.
    pub struct ClassesReport {
        pub(super) of(classes: &Classes, outcome: &Outcome<'_>);
        let ledger = &classes.ledger;
        let (written, moved_of) = (classes.of(&ledger.written), classes.of(&ledger.moved_of));
        let (moved_from, collected) = (classes.of(&ledger.moved_from), classes.of(&ledger.collected));
        let died = classes.of(&ledger.died);
        let zones = outcome.ftl.metrics().zones;
        let pages_per_unit =
            zones.map_or_else(|| outcome.flash.geometry().pages_per_block, |zones| zones.used).into();
        /// Write amplification: (pages of the host + copies by last writer) / pages of the host.
        write_amplification: Vec<Option<f64>> = amplification(&written, &moved_of), unit "list of factors",
            null "of classes without pages of the host", source "fdp.md#ledgers";
        /// Pages of the host.
        written: Vec<u64> = written, unit "list of pages", source "fdp.md#ledgers";
        /// Pages that GC moves, by the class that the host's last write gave them.
        copied_by_writer: Vec<u64> = moved_of, unit "list of pages", better Lower, source "fdp.md#ledgers";
        /// Pages that GC moves, by the class of the unit that they leave.
        copied_by_unit: Vec<u64> = moved_from.clone(), unit "list of pages", better Lower, source "fdp.md#ledgers";
        /// Pages that GC moves, by the class of the unit that they go to.
        copied_to_unit: Vec<u64> = classes.of(&ledger.moved_to), unit "list of pages", better Lower,
            source "separation.md#classes";
        /// Pages that are superseded or trimmed, by the class of the unit that they lie in.
        died: Vec<u64> = died.clone(), unit "list of pages", source "separation.md#classes";
        /// How long those lived since the host wrote them: mean, in page writes of the host.
        lifespan: Vec<Option<f64>> =
            classes.of(&ledger.lived).iter().zip(&died).map(|(lived, died)| ratio(*lived, *died)).collect(),
            unit "list of page writes", null "of classes in which no page died", source "separation.md#classes";
        /// Pages with data, at the end.
        resident: Vec<u64> = classes.resident.clone(), unit "list of pages", source "separation.md#classes";
        /// Units that are not erased, at the end.
        units: Vec<u64> = classes.units.clone(), unit "list of blocks", source "separation.md#classes";
        /// Units that GC collects.
        erased: Vec<u64> = collected.clone(), unit "list of blocks", better Lower, source "fdp.md#ledgers";
        /// Of the pages of those, the share without data when they were collected.
        garbage_at_collection: Vec<Option<f64>> = garbage(&collected, &moved_from, pages_per_unit),
            unit "list of shares", better Higher, null "of classes of which no unit was collected",
            source "separation.md#classes";
    }
}

figures! {
    /// What a drive with placement handles reports. The standard has no figure by handle but RUAMW.
    pub struct FdpReport {
        pub(super) of(classes: &Classes, handled: &Handled, outcome: &Outcome<'_>);
        let ledger = &classes.ledger;
        let handles = handled.isolation.len();
        let device = &outcome.config.device;
        let page = device.page.0;
        let pages = ledger.written.iter().chain(&ledger.moved_to).sum::<u64>();
        let block = u64::from(outcome.flash.geometry().pages_per_block) * page;
        /// HBMW: bytes that the host writes.
        host_bytes_written: u64 = outcome.host.bytes_written, unit "bytes", source "NVMe 2.1, FDP Statistics";
        /// MBMW: bytes of user data that host and controller write.
        media_bytes_written: u64 = pages * page, unit "bytes", better Lower, source "NVMe 2.1, FDP Statistics";
        /// MBE: bytes of user units that are erased.
        media_bytes_erased: u64 = ledger.collected.iter().sum::<u64>() * block, unit "bytes", better Lower,
            source "NVMe 2.1, FDP Statistics";
        /// Events that the drive would log, by kind.
        events: BTreeMap<&'static str, u64> = events(handled), unit "events by kind",
            source "NVMe 2.1, FDP Events";
        /// The latest of them.
        log: EventLog = EventLog::of(&handled.events), source "NVMe 2.1, FDP Events";
        /// Updates of handles: the host moves them to new units.
        updates: u64 = handled.updates, unit "updates", source "NVMe 2.1, I/O Management Send";
        /// Pages of the units before that are not written.
        unwritten: u64 = handled.unwritten_pages, unit "pages", better Lower, source "fdp.md#updates";
        /// RUAMW: logical blocks of `device.sector` that the unit of each handle still takes, at the end.
        available_media_writes: Vec<u64> =
            classes.room[..handles].iter().map(|pages| pages * (page / device.sector.0)).collect(),
            unit "list of logical blocks", source "NVMe 2.1, Reclaim Unit Handle Status";
        /// Pages that GC moves, by the handle that owns the unit that they leave; the last is that of all initially
        /// isolated handles.
        copied_by_owner: Vec<u64> = by_owner(classes, handled, &ledger.moved_from), unit "list of pages",
            better Lower, source "fdp.md#ledgers";
        /// Units that GC erases, by the same.
        erased_by_owner: Vec<u64> = by_owner(classes, handled, &ledger.collected), unit "list of blocks",
            better Lower, source "fdp.md#ledgers";
        /// Write amplification by handle: (pages of the host + copies by last writer) / pages of the host.
        write_amplification: Vec<Option<f64>> = amplification(
            &classes.of(&ledger.written)[..handles],
            &classes.of(&ledger.moved_of)[..handles],
        ), unit "list of factors", null "of handles without writes", source "fdp.md#ledgers";
    }
}

/// Counts by the handle that owns the class; behind the handles what belongs to all initially isolated ones.
fn by_owner(classes: &Classes, handled: &Handled, counts: &[u64]) -> Vec<u64> {
    let mut owned = vec![0; handled.isolation.len() + 1];
    for (owner, count) in handled.owners.iter().zip(counts).take(usize::from(classes.count)) {
        owned[usize::from(*owner)] += count;
    }
    owned
}

/// Events of the measured phase by kind.
fn events(handled: &Handled) -> BTreeMap<&'static str, u64> {
    EventKind::ALL.iter().map(|kind| (kind.name(), handled.events.count(*kind))).collect()
}

figures! {
    /// The latest events.
    pub struct EventLog {
        pub(super) of(events: &Events);
        /// The kind of each.
        kind: Vec<&'static str> = events.latest().map(|event| event.kind.name()).collect(), unit "texts";
        /// Arrival of the request that caused it.
        time_s: Vec<f64> = events.latest().map(|event| event.time as f64 / 1e9).collect(), unit "list of s";
        /// The handle, as the host names it.
        handle: Vec<u32> = events.latest().map(|event| event.handle.into()).collect(), unit "list of numbers";
    }
}
