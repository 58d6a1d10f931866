//! HP's SRT traces decoded to CSV, with a header line.
//!
//! `time_s,disk,sector512,sectors512,op,async,queue_len,service_start_us,service_stop_us`: seconds,
//! the disk, address and length in 512-byte sectors, `R` or `W`, and four columns that are not used.
//! The disk becomes the volume.

use super::field::{Column, Fields, Mistake, Separator};
use super::gate::RawRequest;
use super::text::{self, LineFormat, Sample, Verdict};
use super::time::{Time, TimeUnit};
use crate::request::Op;

const HEADER: &[u8] =
    b"time_s,disk,sector512,sectors512,op,async,queue_len,service_start_us,service_stop_us";
const SECTOR_BYTES: u64 = 512;

/// The format; it keeps nothing from line to line.
#[derive(Clone, Default)]
pub(super) struct HpCsv;

impl LineFormat for HpCsv {
    const NAME: &'static str = "hp-csv";
    const SUMMARY: &'static str = "HP SRT decoded to CSV: seconds, 512-byte sectors";
    const COLUMNS: &'static [Column] = &[
        Column::new("time_s", "seconds, such as 12.345678"),
        Column::new("disk", "a whole number up to 2^32 - 1"),
        Column::new("sector512", "a whole number of 512-byte sectors"),
        Column::new("sectors512", "a whole number of 512-byte sectors"),
        Column::new("op", "R or W"),
        Column::new("async", "0 or 1"),
        Column::new("queue_len", "a whole number"),
        Column::new("service_start_us", "a whole number of microseconds"),
        Column::new("service_stop_us", "a whole number of microseconds"),
    ];
    const SEPARATOR: Separator = Separator::Comma;
    const TIME: Time = Time::decimal(TimeUnit::Seconds);
    const OFFSET_UNIT: u64 = SECTOR_BYTES;
    const SOURCE: &'static str = "decoded from HP's SRT files, such as hplajw of DiskSim 4.0";

    #[inline(always)]
    fn parse_line(&mut self, mut fields: Fields) -> Result<Option<RawRequest>, Mistake> {
        if fields.line() == HEADER {
            return Ok(None);
        }
        let ticks = fields.time()?;
        let volume = fields.integer_up_to(u32::MAX)?;
        let offset = fields.integer()?;
        let length = fields.integer()?;
        let op = [Op::Read, Op::Write][fields.one_of(&[b"R", b"W"])?];
        fields.one_of(&[b"0", b"1"])?;
        for _queue_start_stop in 0..3 {
            fields.integer()?;
        }
        fields.finish()?;
        let raw = RawRequest::new(op, offset, length).at(ticks).in_volume(volume);
        raw.in_units(SECTOR_BYTES, SECTOR_BYTES).map(Some)
    }

    fn recognise(sample: &Sample) -> Verdict {
        let is_header = |line| text::without_blanks(line).eq_ignore_ascii_case(HEADER);
        if sample.first().is_some_and(is_header) { Verdict::Yes } else { Verdict::No }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trace::checks::{misread, parse, requests};

    #[test]
    fn the_first_and_the_last_line_of_hplajw_read_as_written() {
        let first = parse::<HpCsv>("0.000000,1,528,8,R,0,1,174,19687");
        let (offset, op) = (528 * 512, Op::Read);
        assert_eq!(first, RawRequest::new(op, offset, 4096).in_volume(1));
        let last = parse::<HpCsv>("603064.588892,0,337016,16,W,1,2,32060,61615");
        assert_eq!((last.ticks, last.op), (603_064_588_892_000, Op::Write));
    }

    #[test]
    fn a_bad_line_is_told_in_one_line() {
        for (line, found) in [
            ("NaN,1,528,8,R,0,1,174,19687", r#"column 1 (time_s): found "NaN""#),
            ("0,-1,528,8,R,0,1,174,19687", r#"column 2 (disk): found "-1""#),
            ("0,1,x,8,R,0,1,174,19687", r#"column 3 (sector512): found "x""#),
            ("0,1,528,8,T,0,1,174,19687", r#"column 5 (op): found "T", expected R or W"#),
            ("0,1,528,8,R,2,1,174,19687", r#"column 6 (async): found "2""#),
            ("0,1,528,9999999,R,0,1,174,19687", "longer than 1 GiB"),
            ("0,1,99999999999999999,8,R,0,1,174,1", "address 99999999999999999"),
            ("0,1,528,8,R,0,1,174,\0", r#"column 9 (service_stop_us): found "\0""#),
            ("0,1,528,8,R,0,1,174", "found 8 columns"),
        ] {
            misread::<HpCsv>(line, found);
        }
        let header = str::from_utf8(HEADER).unwrap();
        assert!(requests::<HpCsv>(header).unwrap_err().to_string().contains("found no request"));
    }
}
