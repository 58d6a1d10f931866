//! Tencent's cloud block storage: `Timestamp,Offset,Size,IOType,VolumeID`, without a header.
//!
//! Seconds since 1970, 512-byte sectors, sectors, 0 to read and 1 to write. Lines are out of order
//! by a second, so they are sorted; within a second they keep their order.

use super::TimeOrder;
use super::field::{Column, Fields, Mistake, Separator};
use super::gate::RawRequest;
use super::text::{LineFormat, Sample, Verdict};
use super::time::{Time, TimeUnit};
use crate::request::Op;

const SECTOR_BYTES: u64 = 512;

/// The years 2001 to 2106 in seconds since 1970. Five whole numbers are too little to go by.
const UNIX_SECONDS: std::ops::Range<u64> = 1_000_000_000..1 << 32;

/// The format; it keeps nothing from line to line.
#[derive(Clone, Default)]
pub(super) struct Tencent;

impl LineFormat for Tencent {
    const NAME: &'static str = "tencent";
    const SUMMARY: &'static str = "Tencent CBS CSV: whole seconds, sectors; sorted by default";
    const COLUMNS: &'static [Column] = &[
        Column::new("Timestamp", "a whole number of seconds"),
        Column::new("Offset", "a whole number of 512-byte sectors"),
        Column::new("Size", "a whole number of 512-byte sectors"),
        Column::new("IOType", "0 to read or 1 to write"),
        Column::new("VolumeID", "a whole number up to 2^32 - 1"),
    ];
    const SEPARATOR: Separator = Separator::Comma;
    const TIME: Time = Time::whole(TimeUnit::Seconds);
    const OFFSET_UNIT: u64 = SECTOR_BYTES;
    const SOURCE: &'static str = "SNIA IOTTA, Tencent Block Storage (5584 volumes, ten days)";
    const ORDER: TimeOrder = TimeOrder::Sort;

    #[inline(always)]
    fn parse_line(&mut self, mut fields: Fields) -> Result<Option<RawRequest>, Mistake> {
        let ticks = fields.time()?;
        let offset = fields.integer()?;
        let length = fields.integer()?;
        let op = [Op::Read, Op::Write][fields.one_of(&[b"0", b"1"])?];
        let volume = fields.integer_up_to(u32::MAX)?;
        fields.finish()?;
        let raw = RawRequest::new(op, offset, length).at(ticks).in_volume(volume);
        raw.in_units(SECTOR_BYTES, SECTOR_BYTES).map(Some)
    }

    fn recognise(sample: &Sample) -> Verdict {
        let dated = sample.requests::<Self>().all(|raw| UNIX_SECONDS.contains(&raw.ticks));
        if dated && sample.mostly::<Self>() { Verdict::Yes } else { Verdict::No }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trace::checks::{misread, parse, requests};

    #[test]
    fn the_first_line_reads_as_published_and_seconds_are_sorted() {
        let first = "1538323200,4247200,128,1,1058";
        let offset = 4_247_200 * 512;
        let ticks = 1_538_323_200;
        let expected = RawRequest::new(Op::Write, offset, 65_536).at(ticks).in_volume(1058);
        assert_eq!(parse::<Tencent>(first), expected);
        let text = [first, "1538323199,13896880,128,0,1063", "1538323200,8,8,0,1"].join("\n");
        let requests = requests::<Tencent>(&text).unwrap();
        let second = 1_000_000_000;
        let arrivals: Vec<_> = requests.iter().map(|r| (r.time, r.volume)).collect();
        assert_eq!(arrivals, [(0, 1063), (second, 1058), (second, 1)]);
    }

    #[test]
    fn a_bad_line_is_told_in_one_line() {
        for (line, found) in [
            ("NaN,8,8,0,1", r#"column 1 (Timestamp): found "NaN""#),
            ("1538323200.5,8,8,0,1", r#"column 1 (Timestamp): found "1538323200.5""#),
            ("1e308,8,8,0,1", r#"column 1 (Timestamp): found "1e308""#),
            ("1538323200,-8,8,0,1", r#"column 2 (Offset): found "-8""#),
            ("1538323200,8,0x8,0,1", r#"column 3 (Size): found "0x8""#),
            ("1538323200,8,8,2,1", r#"column 4 (IOType): found "2", expected 0 to read or 1"#),
            ("1538323200,8,8,0,4294967296", r#"column 5 (VolumeID): found "4294967296""#),
            ("1538323200,8,8,0,\0", r#"column 5 (VolumeID): found "\0""#),
            ("1538323200,8,2097153,0,1", "longer than 1 GiB"),
            ("1538323200,36028797018963968,8,0,1", "address 36028797018963968"),
            ("1538323200,18014398509481983,8,0,1", "below 2^63"),
            ("1538323200,8,8,0", "found 4 columns"),
            ("1538323200,8,8,0,1,1", "found 6 columns"),
        ] {
            misread::<Tencent>(line, found);
        }
    }
}
