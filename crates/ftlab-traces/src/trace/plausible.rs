//! Whether the columns of a recognised file hold what the format has there.
//!
//! Tables of numbers look alike. One with other columns, or with bytes for sectors, parses just as
//! well and is then misread without a word. The rules look at the first lines only, and none applies
//! to a format that the user names.

use super::gate::RawRequest;
use crate::request::Op;
use rustc_hash::FxHashMap;
use std::collections::BTreeSet;

/// Requests from which on the rules say something.
const TELLING_REQUESTS: usize = 8;
/// Numbers of volumes beyond are addresses, unless they come again.
const LARGEST_VOLUME: u32 = 65_535;
const SECTOR_BYTES: u64 = 512;
const PAGE_BYTES: u64 = 4096;
/// A read or write that systems do not send.
const LONGEST_SENT_BYTES: u64 = 16 << 20;
/// A read or write that few systems send.
const LONG_BYTES: u64 = 4 << 20;
/// What the units of addresses and sizes may differ by: sectors or pages for bytes, and pages for sectors.
const FACTORS: [u64; 3] = [SECTOR_BYTES, PAGE_BYTES, PAGE_BYTES / SECTOR_BYTES];
/// Sequential requests in another unit that cannot be an accident.
const TELLING_STEPS: usize = 8;
/// Of how many steps one has to be such a step at least: requests to a small area meet by chance.
const SHARE: usize = 8;

/// What speaks against the columns that `requests` were read from, whose addresses count `unit` bytes.
/// Sizes are `in_sectors`.
pub(super) fn objection(
    requests: &[RawRequest],
    unit: u64,
    in_sectors: bool,
) -> Option<&'static str> {
    if requests.len() < TELLING_REQUESTS {
        return None;
    }
    let volumes: BTreeSet<u32> = requests.iter().map(|raw| raw.volume).collect();
    let are_many = 2 * volumes.len() > requests.len();
    let rise = requests.is_sorted_by_key(|raw| raw.volume);
    if are_many && (rise || volumes.last() > Some(&LARGEST_VOLUME)) {
        return Some("the column of volumes differs in most lines");
    }
    let moves_data = |raw: &&RawRequest| matches!(raw.op, Op::Read | Op::Write) && raw.length > 0;
    let data: Vec<&RawRequest> = requests.iter().filter(moves_data).collect();
    if data.len() < TELLING_REQUESTS {
        return None;
    }
    if 2 * data.iter().filter(|raw| raw.length > LONGEST_SENT_BYTES).count() > data.len() {
        return Some("most requests are longer than 16 MiB");
    }
    let lengths: BTreeSet<u64> = data.iter().map(|raw| raw.length).collect();
    if in_sectors
        && lengths.len() > 1
        && lengths.iter().all(|length| length.is_multiple_of(SECTOR_BYTES * SECTOR_BYTES))
        && lengths.last() > Some(&LONG_BYTES)
    {
        return Some(
            "all sizes are multiples of 256 KiB, as if they counted bytes and not sectors",
        );
    }
    if data.iter().all(|raw| raw.length < SECTOR_BYTES) {
        return Some("no request has 512 bytes, as if sizes counted sectors");
    }
    let of_bytes = unit * SECTOR_BYTES;
    let addresses: BTreeSet<u64> = data.iter().map(|raw| raw.offset).collect();
    let apart = unit > 1
        && 2 * addresses.len() > data.len()
        && addresses.iter().all(|address| address.is_multiple_of(of_bytes))
        && (data.iter().any(|raw| raw.length < of_bytes)
            || data.iter().all(|raw| raw.length.is_multiple_of(PAGE_BYTES * SECTOR_BYTES)));
    if apart {
        return Some("all addresses are multiples of 512 units, as if they counted bytes");
    }
    let in_bytes =
        |values: &BTreeSet<u64>| values.iter().filter(|v| v.is_multiple_of(SECTOR_BYTES)).count();
    if unit == 1
        && in_bytes(&lengths) == lengths.len()
        && 2 * in_bytes(&addresses) < addresses.len()
    {
        return Some(
            "all sizes are multiples of 512, but few addresses, as if they counted sectors",
        );
    }
    steps_otherwise(data.iter().copied())
        .then_some("sequential requests are apart by another unit than that of their sizes")
}

/// Whether requests begin where the one before on the volume would end if sizes counted larger or smaller
/// units. Requests of one size at a distance are no sign.
pub(super) fn steps_otherwise<'a>(requests: impl IntoIterator<Item = &'a RawRequest>) -> bool {
    let mut before: FxHashMap<u32, &RawRequest> = FxHashMap::default();
    let mut steps = Vec::new();
    for raw in requests {
        if let Some(last) = before.insert(raw.volume, raw)
            && raw.offset > last.offset
        {
            steps.push((raw.offset - last.offset, last.length));
        }
    }
    let fits = steps.iter().filter(|(step, length)| step == length).count();
    let is_telling = |least: usize, is: &dyn Fn(u64, u64) -> bool| {
        let found = || steps.iter().filter(|(step, length)| is(*step, *length));
        let lengths: BTreeSet<u64> = found().map(|(_, length)| *length).collect();
        let count = found().count();
        let is_many = count >= TELLING_STEPS.max(2 * fits) && SHARE * count >= steps.len();
        lengths.len() >= least && is_many
    };
    FACTORS.iter().any(|factor| {
        // FlashSim writes 512 bytes as a page.
        let least = if *factor < SECTOR_BYTES { 2 } else { 1 };
        is_telling(2, &|step, length| length.checked_mul(*factor) == Some(step))
            || is_telling(least, &|step, length| step.checked_mul(*factor) == Some(length))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The objection to a format whose sizes count the unit of addresses.
    fn objection(requests: &[RawRequest], unit: u64) -> Option<&'static str> {
        super::objection(requests, unit, unit > 1)
    }

    /// Requests of 4 KiB at scattered sectors.
    fn requests(count: u64) -> Vec<RawRequest> {
        (0..count).map(|i| RawRequest::new(Op::Write, (i * 7919 + 13) * 512, 4096).at(i)).collect()
    }

    fn with(change: impl Fn(RawRequest) -> RawRequest) -> Vec<RawRequest> {
        requests(TELLING_REQUESTS as u64).into_iter().map(change).collect()
    }

    #[test]
    fn usual_requests_meet_no_objection() {
        assert_eq!(objection(&requests(100), SECTOR_BYTES), None);
        let disks = with(|raw| raw.in_volume((raw.ticks % 4) as u32));
        assert_eq!(objection(&disks, SECTOR_BYTES), None);
        let large = with(|raw| RawRequest { offset: raw.ticks << 20, length: 1 << 20, ..raw });
        assert_eq!(objection(&large, SECTOR_BYTES), None);
        let trims = with(|raw| RawRequest { op: Op::Trim, length: 1 << 30, ..raw });
        assert_eq!(objection(&trims, SECTOR_BYTES), None);
        let zeros = with(|raw| RawRequest { offset: 0, ..raw });
        assert_eq!(objection(&zeros, SECTOR_BYTES), None);
    }

    /// Sequential requests of 4 and 8 KiB in turn, whose addresses step by `step` of a length.
    fn sequential(count: u64, step: impl Fn(u64) -> u64) -> Vec<RawRequest> {
        let mut offset = 4096;
        let requests = (0..count).map(|i| {
            let length = 4096 * (1 + i % 2);
            let raw = RawRequest::new(Op::Read, offset, length).at(i);
            offset += step(length);
            raw
        });
        requests.collect()
    }

    #[test]
    fn steps_of_sequential_requests_tell_the_unit() {
        for (requests, unit, is_noticed) in [
            (sequential(100, |length| length), 512, false),
            (sequential(100, |length| length * 8), 512, true),
            (sequential(100, |length| length / 8), 1, true),
            (sequential(100, |length| length / 512), 1, true),
            (sequential(100, |length| length * 512), 512, true),
            (sequential(100, |length| length * 3), 512, false),
            (sequential(8, |length| length * 8), 512, false),
        ] {
            let found = objection(&requests, unit);
            assert_eq!(found.is_some(), is_noticed, "{:?} {found:?}", requests[1]);
        }
        let mut sizes = sequential(100, |_| 4096);
        sizes.iter_mut().for_each(|raw| raw.length = 4096 * 512);
        assert!(objection(&sizes, 512).is_some());
        let mut strided = sequential(100, |_| 32_768);
        strided.iter_mut().for_each(|raw| raw.length = 4096);
        assert_eq!(objection(&strided, 512), None);
        // Some of them are sequential in pages by chance.
        let mut random = requests(100);
        random.extend(sequential(10, |length| length * 8));
        assert_eq!(objection(&random, 512), None);
        // Sizes that count bytes may be as long.
        let long = with(|raw| RawRequest { length: (raw.ticks % 3 + 1) << 21, ..raw });
        assert_eq!(super::objection(&long, 1, false), None);
        let mut both = sequential(100, |length| length);
        both.extend(sequential(60, |length| length * 8));
        assert_eq!(objection(&both, 512), None);
    }

    #[test]
    fn other_columns_are_noticed() {
        let rows = with(|raw| raw.in_volume(raw.ticks as u32));
        let mixed = with(|raw| raw.in_volume((raw.ticks * 7919 % 5000) as u32));
        let far = with(|raw| raw.in_volume(((raw.ticks + 9) * 7919 % 100_003) as u32));
        let huge = with(|raw| RawRequest { length: 17 << 20, ..raw });
        let small = with(|raw| RawRequest { length: 8, ..raw });
        let pages =
            with(|raw| RawRequest { offset: raw.offset * 4096, length: raw.length * 512, ..raw });
        let bytes = with(|raw| RawRequest { offset: raw.offset * 4096, ..raw });
        let sectors = with(|raw| RawRequest { offset: raw.offset / 512, ..raw });
        let long = with(|raw| RawRequest { length: (raw.ticks % 3 + 1) << 21, ..raw });
        for (requests, unit, words) in [
            (&rows, 1, Some("the column of volumes")),
            (&mixed, 1, None),
            (&far, 1, Some("the column of volumes")),
            (&huge, 512, Some("longer than 16 MiB")),
            (&small, 512, Some("sizes counted sectors")),
            (&bytes, 512, Some("as if they counted bytes")),
            (&sectors, 1, Some("as if they counted sectors")),
            (&long, 512, Some("and not sectors")),
            (&bytes, 1, None),
            (&pages, 512, Some("as if they counted bytes")),
        ] {
            let found = objection(requests, unit);
            assert_eq!(found.is_some(), words.is_some(), "{found:?} {words:?}");
            assert!(found.unwrap_or_default().contains(words.unwrap_or_default()), "{found:?}");
            assert_eq!(objection(&requests[1..], unit), None, "{words:?}");
        }
    }
}
