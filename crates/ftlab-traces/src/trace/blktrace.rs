//! blktrace's binary recordings, as the kernel writes them: `NAME.blktrace.CPU`.
//!
//! Records of 48 bytes in the byte order of the machine that recorded, each followed by as many
//! bytes as it says, which are not used:
//!
//! ```text
//! magic sequence time sector bytes action pid device cpu error following
//! u32   u32      u64  u64    u32   u32    u32 u32    u32 u16   u16
//! ```
//!
//! The upper half of the action has the category, the lower half the stage. Nanoseconds, 512-byte
//! sectors, bytes. A file has the events of one processor.

use super::block::{Events, NO_SECTOR, Stage};
use super::field::{Column, Mistake};
use super::gate::RawRequest;
use super::linux;
use super::record::{RecordFormat, Step, field};
use super::rwbs::Rwbs;
use super::stream::Front;
use super::text::Verdict;
use super::{TimeOrder, TraceOptions};
use crate::request::Op;

const RECORD_BYTES: usize = 48;
const SECTOR_BYTES: u64 = 512;

/// The magic number without the version in its lowest byte.
const MAGIC: u32 = 0x6561_7400;
const VERSION: u32 = 7;

const WRITE: u32 = 1 << 1;
const FLUSH: u32 = 1 << 2;
/// A command of SCSI that a program sends.
const COMMAND: u32 = 1 << 9;
const NOTIFY: u32 = 1 << 10;
const DISCARD: u32 = 1 << 13;
const FUA: u32 = 1 << 15;

/// What is known from the first record.
#[derive(Clone, Default)]
pub(super) struct BlkTrace {
    events: Events,
    /// Whether the machine that recorded writes the highest byte first.
    big_endian: Option<bool>,
}

impl RecordFormat for BlkTrace {
    const NAME: &'static str = "blktrace";
    const SUMMARY: &'static str = "blktrace's binary recording of one processor";
    const COLUMNS: &'static [Column] = &[
        Column::new("magic", "0x65617407, u32"),
        Column::new("time", "nanoseconds, u64"),
        Column::new("sector", "512-byte sectors, u64"),
        Column::new("bytes", "bytes, u32"),
        Column::new("action", "category and stage, u32"),
        Column::new("device", "major and minor number, u32"),
        Column::new("following", "bytes behind the record, u16"),
    ];
    const SOURCE: &'static str = "blktrace of Linux";
    const TICK_NS: u64 = 1;
    const ORDER: TimeOrder = TimeOrder::Sort;
    const TAKES: &'static [&'static str] = &["stage"];

    fn with(options: &TraceOptions) -> Result<Self, Mistake> {
        Ok(Self { events: Events::of(options.stage), big_endian: None })
    }

    #[inline(always)]
    fn step(&mut self, bytes: &[u8], raw: &mut RawRequest) -> Result<Step, Mistake> {
        if let Some(rest) = self.events.rest() {
            *raw = rest;
            return Ok(Step::Request(0));
        }
        let Some(record) = bytes.get(..RECORD_BYTES) else { return Ok(Step::Needs(RECORD_BYTES)) };
        let big_endian = match self.big_endian {
            Some(big_endian) => big_endian,
            None => byte_order(record).ok_or_else(|| no_record(record))?,
        };
        self.big_endian = Some(big_endian);
        let u32_at = |at| match big_endian {
            true => u32::from_be_bytes(field(record, at)),
            false => u32::from_le_bytes(field(record, at)),
        };
        let u64_at = |at| match big_endian {
            true => u64::from_be_bytes(field(record, at)),
            false => u64::from_le_bytes(field(record, at)),
        };
        let following = match big_endian {
            true => u16::from_be_bytes(field(record, 46)),
            false => u16::from_le_bytes(field(record, 46)),
        };
        if u32_at(0) != MAGIC | VERSION {
            return Err(no_record(record));
        }
        let whole = RECORD_BYTES + usize::from(following);
        if whole > super::record::LONGEST_RECORD_BYTES {
            return Err(Mistake(format!(
                "found {following} bytes behind a record, expected fewer"
            )));
        }
        if bytes.len() < whole {
            return Ok(Step::Needs(whole));
        }
        let (category, stage) = (u32_at(28) >> 16, stage(u32_at(28) & 0xffff));
        let stage = stage.filter(|_| category & NOTIFY == 0);
        if !stage.is_some_and(|stage| self.events.takes(stage)) {
            if u32_at(28) & 0xffff == REMAP && usize::from(following) >= REMAP_BYTES {
                let from = u32::from_be_bytes(field(bytes, RECORD_BYTES));
                let volume = |device: u32| linux::volume(device >> 20, device & 0xf_ffff);
                self.events.remap(volume(from), volume(u32_at(36)));
            }
            return Ok(Step::Other(whole));
        }
        self.events.processor = Some(u32_at(40));
        let (device, length) = (u32_at(36), u64::from(u32_at(24)));
        let (major, minor) = (device >> 20, device & 0xf_ffff);
        if !linux::is_device(major, minor) {
            return Err(Mistake(format!("found the device {major},{minor}, expected another")));
        }
        let extent = match category & COMMAND {
            0 => (length > 0).then_some((u64_at(16), length / SECTOR_BYTES)),
            _ => Some((NO_SECTOR, 0)),
        };
        let at = (u64_at(8), linux::volume(major, minor));
        let Some(request) = self.events.request(at, operation(category), extent)? else {
            return Ok(Step::Other(whole));
        };
        *raw = request;
        Ok(Step::Request(whole))
    }

    fn recognise(front: Front) -> Verdict {
        if byte_order(front.bytes).is_some() { Verdict::Yes } else { Verdict::No }
    }

    fn processor(&self) -> Option<u32> {
        self.events.processor
    }

    fn remarks(&self) -> Vec<String> {
        self.events.remarks()
    }

    fn without_requests(&self) -> Mistake {
        self.events.without_requests()
    }
}

/// Whether the record that `bytes` begin with has its highest byte first, if it is one.
fn byte_order(bytes: &[u8]) -> Option<bool> {
    let magic: [u8; 4] = bytes.get(..4)?.try_into().ok()?;
    let is = |magic| magic == MAGIC | VERSION;
    match (is(u32::from_le_bytes(magic)), is(u32::from_be_bytes(magic))) {
        (true, _) => Some(false),
        (_, true) => Some(true),
        _ => None,
    }
}

/// The action of a request that goes on to another device.
const REMAP: u32 = 15;
/// The bytes behind its record: the device it comes from, the one it goes to, and a sector, highest byte first.
const REMAP_BYTES: usize = 16;

fn stage(action: u32) -> Option<Stage> {
    match action {
        1 => Some(Stage::Queue),
        7 => Some(Stage::Issue),
        8 => Some(Stage::Complete),
        _ => None,
    }
}

fn operation(category: u32) -> Rwbs {
    let op = match category {
        _ if category & DISCARD != 0 => Op::Trim,
        _ if category & WRITE == 0 => Op::Read,
        _ if category & FUA != 0 => Op::WriteThrough,
        _ => Op::Write,
    };
    Rwbs { flushes: category & FLUSH != 0, op: Some(op), zone: false }
}

#[cold]
fn no_record(record: &[u8]) -> Mistake {
    let found = u32::from_le_bytes(field(record, 0));
    Mistake(format!("found the magic number {found:#010x}, expected 0x65617407 (version 7)"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trace::checks::{misrecorded, recorded};
    use crate::trace::read_stream;

    fn record(time: u64, sector: u64, bytes: u32, action: u32, following: u16) -> Vec<u8> {
        let mut record = (MAGIC | VERSION).to_le_bytes().to_vec();
        record.extend(1u32.to_le_bytes());
        record.extend(time.to_le_bytes());
        record.extend(sector.to_le_bytes());
        record.extend(bytes.to_le_bytes());
        record.extend(action.to_le_bytes());
        record.extend(100u32.to_le_bytes());
        record.extend((8u32 << 20 | 16).to_le_bytes());
        record.extend([0; 6]);
        record.extend(following.to_le_bytes());
        record.extend(vec![b'x'; usize::from(following)]);
        record
    }

    #[test]
    fn queued_requests_are_taken_and_all_else_is_passed_over() {
        let bytes = [
            record(5, 0, 0, NOTIFY << 16 | 1, 8),
            record(10, 2048, 4096, WRITE << 16 | 1, 0),
            record(20, 2048, 4096, WRITE << 16 | 7, 3),
            record(30, 4096, 8192, 1 << 16 | 1, 0),
            record(25, 65_536, 1 << 20, (DISCARD | WRITE) << 16 | 1, 0),
        ]
        .concat();
        let found = recorded::<BlkTrace>(&bytes).unwrap();
        let seen: Vec<_> = found.iter().map(|r| (r.time, r.volume, r.offset, r.op)).collect();
        let expected = [
            (0, 8016, 2048 * 512, Op::Write),
            (15, 8016, 65_536 * 512, Op::Trim),
            (20, 8016, 4096 * 512, Op::Read),
        ];
        assert_eq!(seen, expected);
    }

    #[test]
    fn requests_that_are_there_twice_are_told() {
        let mapped = 253u32 << 20;
        let mut remap = record(10, 2048, 4096, WRITE << 16 | REMAP, REMAP_BYTES as u16);
        remap[RECORD_BYTES..RECORD_BYTES + 4].copy_from_slice(&mapped.to_be_bytes());
        let mut first = record(20, 0, 4096, WRITE << 16 | 1, 0);
        first[36..40].copy_from_slice(&mapped.to_le_bytes());
        let bytes = [remap, record(15, 2048, 4096, WRITE << 16 | 1, 0), first].concat();
        let mut format = BlkTrace::with(&TraceOptions::default()).map_err(|m| m.0).unwrap();
        let (mut at, mut raw) = (0, RawRequest::flush());
        while at < bytes.len() {
            match format.step(&bytes[at..], &mut raw).map_err(|mistake| mistake.0).unwrap() {
                Step::Request(taken) | Step::Other(taken) => at += taken,
                _ => panic!("at {at}"),
            }
        }
        assert!(format.remarks()[0].starts_with("volume 253000 is mapped to volume 8016"));
    }

    #[test]
    fn commands_without_a_sector_are_left_out() {
        for (action, stage) in [(7, Stage::Issue), (8, Stage::Complete)] {
            let bytes = [
                record(10, 2048, 4096, WRITE << 16 | action, 0),
                record(20, 0, 512, (COMMAND | 1) << 16 | action, 0),
                record(30, 0, 0, (COMMAND | 1) << 16 | action, 0),
                record(40, 4096, 8192, 1 << 16 | action, 0),
            ]
            .concat();
            let options = TraceOptions { stage: Some(stage), ..TraceOptions::default() };
            let stream = Box::new(std::io::Cursor::new(bytes));
            let mut source = read_stream(stream, &options).unwrap();
            let found = source.rest().unwrap();
            assert_eq!(found.iter().map(|raw| raw.length).collect::<Vec<_>>(), [4096, 8192]);
            assert_eq!(source.remarks(), ["left out 2 commands without a sector"]);
        }
    }

    #[test]
    fn a_bad_record_is_told_in_one_line() {
        let good = record(10, 2048, 4096, WRITE << 16 | 1, 0);
        misrecorded::<BlkTrace>(&[&good[..], b"\0\0\0\0", &good[4..]].concat(), 48, "magic number");
        misrecorded::<BlkTrace>(&[&good[..], &good[..20]].concat(), 48, "ends after 20 bytes");
    }
}
