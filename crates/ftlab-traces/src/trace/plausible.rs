//! Whether the columns of a recognised file hold what the format has there.
//!
//! Tables of numbers look alike. One with other columns, or with bytes for sectors, parses just as
//! well and is then misread without a word. The rules look at the first lines only, and none applies
//! to a format that the user names.

use super::gate::RawRequest;
use crate::request::Op;
use std::collections::BTreeSet;

/// Requests from which on the rules say something.
const TELLING_REQUESTS: usize = 8;
/// Numbers of volumes beyond are addresses, unless they come again.
const LARGEST_VOLUME: u32 = 65_535;
const SECTOR_BYTES: u64 = 512;
const PAGE_BYTES: u64 = 4096;
/// A read or write that systems do not send.
const LONGEST_SENT_BYTES: u64 = 16 << 20;

/// What speaks against the columns that `requests` were read from, whose addresses count `unit` bytes.
pub(super) fn objection(requests: &[RawRequest], unit: u64) -> Option<&'static str> {
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
    apart.then_some("all addresses are multiples of 512 units, as if they counted bytes")
}

#[cfg(test)]
mod tests {
    use super::*;

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
        for (requests, unit, words) in [
            (&rows, 1, Some("the column of volumes")),
            (&mixed, 1, None),
            (&far, 1, Some("the column of volumes")),
            (&huge, 512, Some("longer than 16 MiB")),
            (&small, 512, Some("sizes counted sectors")),
            (&bytes, 512, Some("as if they counted bytes")),
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
