//! vscsi: the binary traces of VMware virtual disks that CloudPhysics collected.
//!
//! Little-endian records, all of one version, without a header:
//!
//! ```text
//! version 1, 32 bytes   serial  length  segments opcode version LBA  time
//!                       u32     u32     u32      u16    u16     u64  u64
//! version 2, 40 bytes   opcode version serial  length  segments LBA  time  response time
//!                       u16    u16     u32     u32     u32      u64  u64   u64
//! ```
//!
//! The length is in bytes, the LBA in 512-byte sectors, times in microseconds. The upper byte of
//! the version field is the version. The layouts follow libCacheSim's reader. A file is one virtual
//! disk, so the volume is 0.

use super::field::{Column, Mistake};
use super::gate::RawRequest;
use super::record::{RecordFormat, Step, field};
use super::scsi;
use super::stream::Front;
use super::text::Verdict;

const SECTOR_BYTES: u64 = 512;

/// The offsets of the fields in a record, in bytes.
struct Layout {
    version: u8,
    bytes: usize,
    version_at: usize,
    opcode_at: usize,
    length_at: usize,
    lba_at: usize,
    time_at: usize,
}

const VERSION_1: Layout = Layout {
    version: 1,
    bytes: 32,
    version_at: 14,
    opcode_at: 12,
    length_at: 4,
    lba_at: 16,
    time_at: 24,
};

const VERSION_2: Layout = Layout {
    version: 2,
    bytes: 40,
    version_at: 2,
    opcode_at: 0,
    length_at: 8,
    lba_at: 16,
    time_at: 24,
};

impl Layout {
    /// The layout of the first record. Where version 1 has its version, version 2 has the upper
    /// half of a number of segments, which is never that large.
    fn of(record: &[u8]) -> Option<&'static Self> {
        [&VERSION_1, &VERSION_2].into_iter().find(|layout| layout.fits(record))
    }

    fn fits(&self, record: &[u8]) -> bool {
        u16::from_le_bytes(field(record, self.version_at)) >> 8 == u16::from(self.version)
    }

    fn opcode(&self, record: &[u8]) -> Option<u8> {
        u8::try_from(u16::from_le_bytes(field(record, self.opcode_at))).ok()
    }

    /// The record that `bytes` begin with; it has a request if its command reads or writes.
    #[inline(always)]
    fn step(&self, bytes: &[u8], raw: &mut RawRequest) -> Result<Step, Mistake> {
        let Some(record) = bytes.get(..self.bytes) else { return Ok(Step::Needs(self.bytes)) };
        if !self.fits(record) {
            return Err(unexpected_version(record, self));
        }
        let Some(opcode) = self.opcode(record) else { return Err(no_opcode(record, self)) };
        let Some(op) = scsi::operation(opcode) else { return Ok(Step::Other(self.bytes)) };
        let sector = u64::from_le_bytes(field(record, self.lba_at));
        let length = u32::from_le_bytes(field(record, self.length_at)).into();
        *raw = RawRequest::new(op, sector, length)
            .at(u64::from_le_bytes(field(record, self.time_at)))
            .in_units(SECTOR_BYTES, 1)?;
        Ok(Step::Request(self.bytes))
    }
}

/// The state from the first record.
#[derive(Clone, Default)]
pub(super) struct Vscsi {
    layout: Option<&'static Layout>,
}

impl RecordFormat for Vscsi {
    const NAME: &'static str = "vscsi";
    const SUMMARY: &'static str = "VMware vscsi binary, versions 1 and 2, as CloudPhysics has it";
    const COLUMNS: &'static [Column] = &[
        Column::new("length", "bytes, u32"),
        Column::new("opcode", "a SCSI operation code, u16"),
        Column::new("version", "1 or 2 in the upper byte, u16"),
        Column::new("LBA", "512-byte sectors, u64"),
        Column::new("time", "microseconds, u64"),
    ];
    const SOURCE: &'static str = "CloudPhysics (SHARDS, FAST '15); the cache-dataset collection";
    const FILE_IS_VOLUME: bool = true;
    const TICK_NS: u64 = 1000;

    #[inline(always)]
    fn step(&mut self, bytes: &[u8], raw: &mut RawRequest) -> Result<Step, Mistake> {
        let layout = match self.layout {
            Some(layout) => layout,
            None if bytes.len() < VERSION_1.bytes => return Ok(Step::Needs(VERSION_1.bytes)),
            None => Layout::of(bytes).ok_or_else(|| unexpected_version(bytes, &VERSION_1))?,
        };
        self.layout = Some(layout);
        // Places that are constants need no checks.
        match layout.version {
            1 => VERSION_1.step(bytes, raw),
            _ => VERSION_2.step(bytes, raw),
        }
    }

    fn recognise(front: Front) -> Verdict {
        if front.bytes.len() < VERSION_1.bytes {
            return Verdict::No;
        }
        let Some(layout) = Layout::of(front.bytes) else { return Verdict::No };
        let mut fitting = 0;
        let mut records = 0;
        for record in front.bytes.chunks_exact(layout.bytes) {
            let moves = layout.opcode(record).and_then(scsi::operation).is_some();
            fitting += usize::from(layout.fits(record) && moves);
            records += 1;
        }
        // Half, as for the lines of a text: a broken record is then reported as such.
        if 2 * fitting >= records.max(1) { Verdict::Yes } else { Verdict::No }
    }
}

#[cold]
fn unexpected_version(record: &[u8], layout: &Layout) -> Mistake {
    let found = u16::from_le_bytes(field(record, layout.version_at));
    Mistake(format!(
        "version: found {found:#06x}, expected 0x01.. at byte 14 of a record of 32 bytes or 0x02.. \
         at byte 2 of one of 40, the same throughout"
    ))
}

#[cold]
fn no_opcode(record: &[u8], layout: &Layout) -> Mistake {
    let found = u16::from_le_bytes(field(record, layout.opcode_at));
    Mistake(format!("opcode: found {found:#x}, expected a SCSI operation code up to 0xff"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::request::{Op, Request};
    use crate::trace::checks::{misrecorded, recorded};

    fn version_1(opcode: u16, length: u32, lba: u64, time: u64) -> Vec<u8> {
        let mut record = vec![0xf4, 0, 0, 0x80];
        record.extend(length.to_le_bytes());
        record.extend(1u32.to_le_bytes());
        record.extend(opcode.to_le_bytes());
        record.extend(0x0100u16.to_le_bytes());
        record.extend(lba.to_le_bytes());
        record.extend(time.to_le_bytes());
        record
    }

    fn version_2(opcode: u16, length: u32, lba: u64, time: u64) -> Vec<u8> {
        let mut record = opcode.to_le_bytes().to_vec();
        record.extend(0x0200u16.to_le_bytes());
        record.extend([0; 4]);
        record.extend(length.to_le_bytes());
        record.extend(1u32.to_le_bytes());
        record.extend(lba.to_le_bytes());
        record.extend(time.to_le_bytes());
        record.extend(77u64.to_le_bytes());
        record
    }

    fn recognised(bytes: &[u8]) -> bool {
        matches!(Vscsi::recognise(Front { bytes, whole: true }), Verdict::Yes)
    }

    const TIME: u64 = 5_633_898_663_714;

    #[test]
    fn both_versions_tell_the_same() {
        let requests = |record: fn(u16, u32, u64, u64) -> Vec<u8>| {
            let bytes =
                [record(0x2a, 512, 42_932_745, TIME), record(0x88, 4096, 8, TIME + 3)].concat();
            assert!(recognised(&bytes));
            recorded::<Vscsi>(&bytes).unwrap()
        };
        let offset = 42_932_745 * 512;
        let write = Request::new(Op::Write, offset, 512);
        let read = Request::new(Op::Read, 4096, 4096).at(3000);
        assert_eq!(requests(version_1), [write, read]);
        assert_eq!(requests(version_2), [write, read]);
    }

    #[test]
    fn commands_that_move_no_blocks_are_passed_over() {
        let unmap_and_flush = [version_1(0x42, 0, 0, 1), version_1(0x35, 0, 0, 2)].concat();
        let bytes = [unmap_and_flush, version_1(0x28, 512, 1, 3)].concat();
        assert_eq!(recorded::<Vscsi>(&bytes).unwrap().len(), 1);
    }

    #[test]
    fn a_bad_record_is_told_with_its_place() {
        let good = version_1(0x2a, 512, 1, TIME);
        for (bad, found) in [
            (version_1(0x2a, u32::MAX, 1, TIME), "longer than 1 GiB"),
            (version_1(0x2a, 512, u64::MAX, TIME), "address 18446744073709551615"),
            (version_1(0x2a, 512, u64::MAX / 512 / 2, TIME), "below 2^63"),
            (version_1(0x2a, 512, 1, u64::MAX), "less than 292 years"),
            (version_1(0x2a, 512, 1, 0), "time goes back"),
            (version_1(0x12a, 512, 1, TIME), "opcode: found 0x12a"),
            (version_2(0x2a, 512, 1, TIME), "version: found 0x0000, expected 0x01.."),
            (good[..31].to_vec(), "the file ends after 31 bytes of it, expected more"),
            (vec![0; 32], "version: found 0x0000"),
        ] {
            misrecorded::<Vscsi>(&[&good[..], &bad].concat(), 32, found);
        }
        misrecorded::<Vscsi>(&[0xff; 40], 0, "version: found 0xffff, expected 0x01.. at byte 14");
        misrecorded::<Vscsi>(&good[..9], 0, "ends after 9 bytes");
        let second = version_2(0x2a, 512, 1, TIME);
        misrecorded::<Vscsi>(&second[..39], 0, "ends after 39 bytes of it");
        assert!(recorded::<Vscsi>(&[]).unwrap_err().to_string().contains("found no request"));
    }

    #[test]
    fn other_bytes_are_not_taken_for_records() {
        for bytes in [&[0; 640][..], &[0xff; 640], &[b'1'; 640], b"", &[1; 31]] {
            assert!(!recognised(bytes));
        }
    }
}
