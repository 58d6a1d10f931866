//! DiskSim's ASCII traces: `time device LBA size flags`, with blanks between.
//!
//! Milliseconds, 512-byte sectors, sizes in sectors too; the flags are hexadecimal and bit 0 reads.
//! FlashSim's files have the same columns and sizes in pages: see `five` for the telling apart.

use super::field::{Column, Fields, Mistake, Separator};
use super::five::{self, DEVICE, LBA, SECTOR_BYTES, SECTORS};
use super::gate::RawRequest;
use super::text::{LineFormat, Sample, Verdict};
use super::time::{Time, TimeUnit};
use crate::request::Op;

/// The format; it keeps nothing from line to line.
#[derive(Clone, Default)]
pub(super) struct DiskSim;

impl LineFormat for DiskSim {
    const NAME: &'static str = "disksim";
    const SUMMARY: &'static str = "DiskSim ASCII: milliseconds, sizes in sectors";
    const COLUMNS: &'static [Column] = &[
        Column::new("time", "milliseconds, such as 12.345"),
        DEVICE,
        LBA,
        SECTORS,
        Column::new("flags", "a hexadecimal number whose bit 0 means read"),
    ];
    const SEPARATOR: Separator = Separator::Blanks;
    const TIME: Time = Time::decimal(TimeUnit::Milliseconds);
    const OFFSET_UNIT: u64 = SECTOR_BYTES;
    const SOURCE: &'static str =
        "DiskSim 4.0 and the Microsoft SSD extension; many converted traces";

    const DOUBT: Option<fn(&Sample) -> Option<String>> = Some(five::doubtful_milliseconds::<Self>);

    #[inline(always)]
    fn parse_line(&mut self, mut fields: Fields) -> Result<Option<RawRequest>, Mistake> {
        let ticks = fields.time()?;
        let raw = five::target(&mut fields, ticks)?;
        let op = if fields.hexadecimal()? & 1 == 1 { Op::Read } else { Op::Write };
        fields.finish()?;
        RawRequest { op, ..raw }.in_units(SECTOR_BYTES, SECTOR_BYTES).map(Some)
    }

    fn recognise(sample: &Sample) -> Verdict {
        five::recognise(sample, Self::NAME)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trace::checks::{misread, parse};

    #[test]
    fn the_last_lines_of_postmark_and_msnfs_read_as_written() {
        let last = parse::<DiskSim>("498398.596 0 0 8 1");
        let expected = RawRequest::new(Op::Read, 0, 4096).at(498_398_596_000);
        assert_eq!(last, expected);
        let first = parse::<DiskSim>("0.000 5 174224064 16 1");
        assert_eq!((first.volume, first.offset, first.length), (5, 174_224_064 * 512, 8192));
        assert_eq!(parse::<DiskSim>(" 1\t0  8 8 1b ").op, Op::Read);
        assert_eq!(parse::<DiskSim>("1 0 8 8 1a").op, Op::Write);
    }

    #[test]
    fn a_bad_line_is_told_in_one_line() {
        for (line, found) in [
            ("-0.5 0 8 8 0", r#"column 1 (time): found "-0.5", expected milliseconds"#),
            ("1e308 0 8 8 0", r#"column 1 (time): found "1e308""#),
            ("inf 0 8 8 0", r#"column 1 (time): found "inf""#),
            ("0.0 -1 8 8 0", r#"column 2 (device): found "-1""#),
            ("0.0 0 0x8 8 0", r#"column 3 (LBA): found "0x8""#),
            ("0.0 0 8 8.5 0", r#"column 4 (size): found "8.5""#),
            ("0.0 0 8 8 r", r#"column 5 (flags): found "r""#),
            ("0.0 0 8 8 \0", r#"column 5 (flags): found "\0""#),
            ("0.0 0 8 2097153 0", "longer than 1 GiB"),
            ("0.0 0 18446744073709551615 8 0", "address 18446744073709551615"),
            ("0.0 0 8 8", "found 4 columns"),
            ("0.0 0 8 8 0 0", "found 6 columns"),
        ] {
            misread::<DiskSim>(line, found);
        }
    }
}
