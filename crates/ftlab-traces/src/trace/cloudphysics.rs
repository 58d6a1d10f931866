//! The CSV form of the CloudPhysics traces, as libCacheSim ships a sample of it.
//!
//! `version,time,op,size,lbn` with a header line: the version of the record it was made from, whole
//! seconds, a hexadecimal SCSI operation code, bytes, 512-byte sectors. A file is one virtual disk.

use super::doubt::{doubtful_seconds, late_seconds};
use super::field::{Column, Fields, Mistake, Separator};
use super::gate::RawRequest;
use super::scsi;
use super::text::{self, LineFormat, Sample, Verdict};
use super::time::{Time, TimeUnit};

const HEADER: &[u8] = b"version,time,op,size,lbn";
const SECTOR_BYTES: u64 = 512;

/// The format; it keeps nothing from line to line.
#[derive(Clone, Default)]
pub(super) struct CloudPhysics;

impl LineFormat for CloudPhysics {
    const NAME: &'static str = "cloudphysics";
    const SUMMARY: &'static str = "CloudPhysics CSV: whole seconds, SCSI operation codes";
    const COLUMNS: &'static [Column] = &[
        Column::new("version", "1 or 2"),
        Column::new("time", "a whole number of seconds"),
        Column::new("op", "a SCSI operation code in hexadecimal, such as 2a"),
        Column::new("size", "a whole number of bytes"),
        Column::new("lbn", "a whole number of 512-byte sectors"),
    ];
    const SEPARATOR: Separator = Separator::Comma;
    const TIME: Time = Time::whole(TimeUnit::Seconds);
    const OFFSET_UNIT: u64 = SECTOR_BYTES;
    const FILE_IS_VOLUME: bool = true;
    const DOUBT: Option<fn(&Sample) -> Option<String>> =
        Some(|sample| late_seconds::<Self>(sample).or_else(|| doubtful_seconds::<Self>(sample)));
    const SOURCE: &'static str = "CloudPhysics (SHARDS, FAST '15); a sample comes with libCacheSim";

    #[inline(always)]
    fn parse_line(&mut self, mut fields: Fields) -> Result<Option<RawRequest>, Mistake> {
        if fields.line() == HEADER {
            return Ok(None);
        }
        fields.one_of(&[b"1", b"2"])?;
        let ticks = fields.time()?;
        let opcode = fields.understood(opcode)?;
        let length = fields.integer()?;
        let offset = fields.integer()?;
        fields.finish()?;
        let Some(op) = scsi::operation(opcode) else { return Ok(None) };
        RawRequest::new(op, offset, length).at(ticks).in_units(SECTOR_BYTES, 1).map(Some)
    }

    fn recognise(sample: &Sample) -> Verdict {
        let is_header = |line| text::without_blanks(line).eq_ignore_ascii_case(HEADER);
        if sample.first().is_some_and(is_header) { Verdict::Yes } else { Verdict::No }
    }
}

/// Hexadecimal digits of a byte.
#[inline]
fn opcode(text: &[u8]) -> Option<u8> {
    text.iter().try_fold(0_u8, |value, digit| {
        let digit = char::from(*digit).to_digit(16)?;
        value.checked_mul(16)?.checked_add(digit as u8)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::request::{Op, Request};
    use crate::trace::checks::{misread, parse, requests, sample};

    #[test]
    fn the_sample_reads_as_written() {
        let text = "version,time,op,size,lbn\n1,5633898,2a,512,42932745\n1,5633900,28,4096,8\n";
        let offset = 42_932_745 * 512;
        let write = Request::new(Op::Write, offset, 512);
        let time = 2_000_000_000;
        let read = Request::new(Op::Read, 4096, 4096).at(time);
        assert_eq!(requests::<CloudPhysics>(text).unwrap(), [write, read]);
        assert_eq!(parse::<CloudPhysics>("2,1,8A,512,1").op, Op::Write);
    }

    #[test]
    fn blanks_in_the_header_and_times_that_are_too_late_are_noticed() {
        let padded = "Version, time, op, size, lbn\n1, 5633898, 2a, 512, 8\n";
        assert!(matches!(CloudPhysics::recognise(&sample(padded)), Verdict::Yes));
        assert_eq!(requests::<CloudPhysics>(padded).unwrap().len(), 1);
        assert!(late_seconds::<CloudPhysics>(&sample(padded)).is_none());
        let late = "1,4332930811158,2a,512,8\n";
        assert!(late_seconds::<CloudPhysics>(&sample(late)).is_some());
    }

    #[test]
    fn commands_that_move_no_blocks_are_passed_over() {
        let text = "1,1,42,24,0\n1,1,0,0,0\n1,1,28,512,7\n";
        assert_eq!(requests::<CloudPhysics>(text).unwrap().len(), 1);
    }

    #[test]
    fn a_bad_line_is_told_in_one_line() {
        for (line, found) in [
            ("3,1,2a,512,1", r#"column 1 (version): found "3", expected 1 or 2"#),
            ("1,1.5,2a,512,1", r#"column 2 (time): found "1.5""#),
            ("1,inf,2a,512,1", r#"column 2 (time): found "inf""#),
            ("1,1,0x2a,512,1", r#"column 3 (op): found "0x2a""#),
            ("1,1,+8,512,1", r#"column 3 (op): found "+8""#),
            ("1,1,12a,512,1", r#"column 3 (op): found "12a""#),
            ("1,1,2a,-1,1", r#"column 4 (size): found "-1""#),
            ("1,1,2a,4294967296,1", "longer than 1 GiB"),
            ("1,1,2a,512,18446744073709551615", "address 18446744073709551615"),
            ("1,1,2a,512,\0", r#"column 5 (lbn): found "\0""#),
            ("1,1,2a,512", "found 4 columns"),
        ] {
            misread::<CloudPhysics>(line, found);
        }
        let nothing = requests::<CloudPhysics>("version,time,op,size,lbn\n").unwrap_err();
        assert!(nothing.to_string().contains("found no request"));
    }
}
