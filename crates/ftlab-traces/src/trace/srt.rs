//! SRT: the binary traces of HP Laboratories (Ruemmler and Wilkes: cello, snake, hplajw).
//!
//! ```text
//! header    text that begins "$$TR_IOREC-1.3", up to and with the first form feed
//! record    size     id       seconds  microseconds  start  stop  bytes  sector  device
//!           driver   cylinder flags    info          [queue length]  [suspect flags]
//! ```
//!
//! All fields are big-endian u32. The size counts the whole record. The upper half of the id is the
//! version, 1 to 4; version 4 has the queue length. The lower half is the type: 1 for an I/O, 4 for
//! a suspect one. A suspect record has additional flags and is skipped, as in DiskSim. Bit 0 of the
//! flags means read. Bits 8 to 15 of the device are the disk, which becomes the volume.
//!
//! The unit of the sector is the size that the header states for the disks (`sectorsize  = 256`).
//! The length is in bytes. The layout follows DiskSim 4.0's reader for `hpl`.

use super::field::{Column, Mistake, quoted};
use super::gate::RawRequest;
use super::record::{LONGEST_RECORD_BYTES, RecordFormat, Step, field};
use super::stream::Front;
use super::text::Verdict;
use crate::request::Op;

const MAGIC: &[u8] = b"$$TR_IOREC-1.";
const HEADER_END: u8 = 0x0c;
const SECTOR_SIZE: &[u8] = b"sectorsize";
/// The sector size if the header states none, which DiskSim assumes of all.
const DEFAULT_SECTOR_BYTES: u64 = 512;
const LARGEST_SECTOR_BYTES: u64 = 64 << 10;

const IO: u32 = 1;
const SUSPECT_IO: u32 = 4;
const READS: u32 = 1;
const MICROSECONDS: u64 = 1_000_000;

/// The state from the header.
#[derive(Clone, Default)]
pub(super) struct Srt {
    /// Bytes of a sector; absent before the header.
    sector_bytes: Option<u64>,
    /// Bytes of the header searched for its end.
    searched: usize,
}

impl RecordFormat for Srt {
    const NAME: &'static str = "srt";
    const SUMMARY: &'static str = "HP SRT 1.x binary, as cello, snake and hplajw are published";
    const COLUMNS: &'static [Column] = &[
        Column::new("size", "bytes of the record, big-endian u32 as all fields"),
        Column::new("id", "version 1 to 4, then type 1 (I/O) or 4 (suspect I/O), 16 bits each"),
        Column::new("seconds", "whole seconds"),
        Column::new("microseconds", "a number below 1000000"),
        Column::new("bytes", "bytes"),
        Column::new("sector", "sectors of the size that the header states"),
        Column::new("device", "the disk in bits 8 to 15"),
        Column::new("flags", "bit 0 means read"),
    ];
    const SOURCE: &'static str =
        "HP Laboratories (Ruemmler and Wilkes, USENIX Winter '93); DiskSim's validation traces";
    const TICK_NS: u64 = 1000;

    #[inline(always)]
    fn step(&mut self, bytes: &[u8], raw: &mut RawRequest) -> Result<Step, Mistake> {
        match self.sector_bytes {
            Some(sector_bytes) => record(bytes, sector_bytes, raw),
            None => self.header(bytes),
        }
    }

    fn recognise(front: Front) -> Verdict {
        if front.bytes.starts_with(MAGIC) { Verdict::Yes } else { Verdict::No }
    }
}

impl Srt {
    fn header(&mut self, bytes: &[u8]) -> Result<Step, Mistake> {
        let Some(front) = bytes.get(..MAGIC.len()) else { return Ok(Step::Needs(MAGIC.len())) };
        if front != MAGIC {
            return Err(Mistake(format!(
                "header: found {}, expected \"$$TR_IOREC-1.\"; records alone are not read",
                quoted(front)
            )));
        }
        let Some(end) = memchr::memchr(HEADER_END, &bytes[self.searched..]) else {
            self.searched = bytes.len();
            let more = bytes.len() + 1;
            return if more <= LONGEST_RECORD_BYTES {
                Ok(Step::Needs(more))
            } else {
                Err(endless_header())
            };
        };
        let length = self.searched + end + 1;
        self.sector_bytes = Some(sector_bytes(&bytes[..length])?);
        Ok(Step::Header(length))
    }
}

/// The sector size that a header states, the same for all its disks.
fn sector_bytes(header: &[u8]) -> Result<u64, Mistake> {
    let mut stated = None;
    for at in memchr::memmem::find_iter(header, SECTOR_SIZE) {
        let value = header[at + SECTOR_SIZE.len()..].trim_ascii_start();
        let value = value.strip_prefix(b"=").unwrap_or_default().trim_ascii_start();
        let digits = value.iter().take_while(|byte| byte.is_ascii_digit()).count();
        let found = str::from_utf8(&value[..digits]).ok().and_then(|digits| digits.parse().ok());
        let found = found.filter(|bytes| (1..=LARGEST_SECTOR_BYTES).contains(bytes));
        let Some(bytes) = found else {
            let line = value.split(|byte| *byte == b'\n').next().unwrap_or_default();
            return Err(Mistake(format!(
                "header: sectorsize: found {}, expected a number of bytes up to 65536",
                quoted(line)
            )));
        };
        if stated.is_some_and(|stated| stated != bytes) {
            return Err(Mistake(
                "header: found disks with different sector sizes, expected one size; split the \
                 trace by disk"
                    .into(),
            ));
        }
        stated = Some(bytes);
    }
    Ok(stated.unwrap_or(DEFAULT_SECTOR_BYTES))
}

/// Bytes of an I/O record of version 1. The queue length adds 4, and a suspect record 4 more.
const SHORTEST: usize = 52;

#[inline(always)]
fn record(bytes: &[u8], sector_bytes: u64, raw: &mut RawRequest) -> Result<Step, Mistake> {
    let Some(front) = bytes.get(..8) else { return Ok(Step::Needs(8)) };
    let (size, id) = (word(front, 0), word(front, 4));
    let (version, kind) = (id >> 16, id & 0xffff);
    if !(1..=4).contains(&version) || (kind != IO && kind != SUSPECT_IO) {
        return Err(unexpected_id(id));
    }
    let length = SHORTEST + 4 * usize::from(version == 4) + 4 * usize::from(kind == SUSPECT_IO);
    if size as usize != length {
        return Err(unexpected_size(size, length));
    }
    let Some(record) = bytes.get(..length) else { return Ok(Step::Needs(length)) };
    if kind == SUSPECT_IO {
        return Ok(Step::Other(length));
    }
    let microseconds = u64::from(word(record, 12));
    if microseconds >= MICROSECONDS {
        return Err(unexpected_microseconds(microseconds));
    }
    *raw = RawRequest::new(
        if word(record, 44) & READS == 0 { Op::Write } else { Op::Read },
        u64::from(word(record, 28)),
        u64::from(word(record, 24)),
    )
    .at(u64::from(word(record, 8)) * MICROSECONDS + microseconds)
    .in_volume(word(record, 32) >> 8 & 0xff)
    .in_units(sector_bytes, 1)?;
    Ok(Step::Request(length))
}

#[inline(always)]
fn word(record: &[u8], at: usize) -> u32 {
    u32::from_be_bytes(field(record, at))
}

#[cold]
fn endless_header() -> Mistake {
    Mistake(format!(
        "header: found no form feed in {} KiB, expected one at its end",
        LONGEST_RECORD_BYTES >> 10
    ))
}

#[cold]
fn unexpected_id(id: u32) -> Mistake {
    Mistake(format!(
        "id: found {id:#010x}, expected a version from 1 to 4 and type 1 (I/O) or 4 (suspect I/O)"
    ))
}

#[cold]
fn unexpected_size(size: u32, length: usize) -> Mistake {
    Mistake(format!("size: found {size}, expected {length} for its version and type"))
}

#[cold]
fn unexpected_microseconds(found: u64) -> Mistake {
    Mistake(format!("microseconds: found {found}, expected less than 1000000"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::request::Request;
    use crate::trace::checks::{misrecorded, recorded};

    const HEADER: &[u8] =
        b"$$TR_IOREC-1.3 (x)\0\ndisks = { 0 -> {\n\tsectorsize  = 256,\n} };\n\x0c";
    const ID: u32 = 0x0004_0001;

    /// A record of version 4; `words` replaces fields by their positions.
    fn record(words: &[(usize, u32)]) -> Vec<u8> {
        let mut record = [56, ID, 3, 500, 174, 19687, 4096, 1056, 0x0800_0107, 4, 1, 0x1b, 7, 1];
        for &(at, word) in words {
            record[at] = word;
        }
        record.iter().flat_map(|word| word.to_be_bytes()).collect()
    }

    fn trace(records: &[Vec<u8>]) -> Vec<u8> {
        [HEADER, &records.concat()].concat()
    }

    #[test]
    fn the_header_tells_the_sector_and_the_flags_the_operation() {
        let write = record(&[(3, 900), (8, 0x0800_0008), (11, 0x0108_800a)]);
        let requests = recorded::<Srt>(&trace(&[record(&[]), write])).unwrap();
        let offset = 1056 * 256;
        let read = Request::new(Op::Read, offset, 4096).in_volume(1);
        assert_eq!(requests, [read, Request { time: 400_000, volume: 0, op: Op::Write, ..read }]);
    }

    #[test]
    fn older_versions_have_no_queue_length_and_suspect_records_are_passed_over() {
        let version_1 = record(&[(0, 52), (1, 0x0001_0001)])[..52].to_vec();
        let suspect = [record(&[(0, 60), (1, 0x0004_0004)]), vec![0; 4]].concat();
        let requests = recorded::<Srt>(&trace(&[suspect, version_1])).unwrap();
        assert_eq!(requests.len(), 1);
    }

    #[test]
    fn a_header_without_a_sector_size_means_512() {
        let bytes = [b"$$TR_IOREC-1.3\n\x0c", &record(&[])[..]].concat();
        assert_eq!(recorded::<Srt>(&bytes).unwrap()[0].offset, 1056 * 512);
    }

    #[test]
    fn a_bad_header_is_told() {
        for (header, found) in [
            (&b"$$TR_IOREC-2.0\x0c"[..], "header: found \"$$TR_IOREC-2.\""),
            (b"\0\0\0\x38\0\x04\0\x01\0\0\0\0\0", "records alone are not read"),
            (b"$$TR_IOREC-1.3", "the file ends after 14 bytes of it"),
            (b"$$TR_IOREC-1.3 sectorsize = 0,\n\x0c", r#"sectorsize: found "0,""#),
            (b"$$TR_IOREC-1.3 sectorsize = 99999999999999999999\x0c", "sectorsize: found"),
            (b"$$TR_IOREC-1.3 sectorsize\x0c", r#"sectorsize: found """#),
            (b"$$TR_IOREC-1.3 sectorsize=256, sectorsize = 512\x0c", "different sector sizes"),
        ] {
            misrecorded::<Srt>(header, 0, found);
        }
        let endless = [&b"$$TR_IOREC-1.3"[..], &[b' '; LONGEST_RECORD_BYTES]].concat();
        misrecorded::<Srt>(&endless, 0, "no form feed in 64 KiB");
        assert!(recorded::<Srt>(HEADER).unwrap_err().to_string().contains("found no request"));
    }

    #[test]
    fn a_bad_record_is_told_with_its_place() {
        for (words, found) in [
            ((0, 57), "size: found 57, expected 56"),
            ((0, u32::MAX), "size: found 4294967295"),
            ((1, 0x0005_0001), "id: found 0x00050001"),
            ((1, 0x0004_0002), "id: found 0x00040002"),
            ((3, 1_000_000), "microseconds: found 1000000"),
            ((6, u32::MAX), "longer than 1 GiB"),
            ((2, 0), "time goes back"),
        ] {
            let bytes = trace(&[record(&[]), record(&[words])]);
            misrecorded::<Srt>(&bytes, HEADER.len() + 56, found);
        }
        let cut = trace(&[record(&[])[..55].to_vec()]);
        misrecorded::<Srt>(&cut, HEADER.len(), "ends after 55 bytes of it, expected more");
        misrecorded::<Srt>(&cut[..HEADER.len() + 3], HEADER.len(), "ends after 3 bytes");
    }
}
