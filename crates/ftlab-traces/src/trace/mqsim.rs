//! MQSim's ASCII traces: `time device LBA size operation`, with blanks between.
//!
//! Nanoseconds, 512-byte sectors, sizes in sectors, 1 to read and 0 to write.

use super::field::{Column, Fields, Mistake, Separator};
use super::five::{self, DEVICE, LBA, OPERATION, SECTOR_BYTES, SECTORS};
use super::gate::RawRequest;
use super::text::{LineFormat, Sample, Verdict};
use super::time::{Time, TimeUnit};

/// The format; it keeps nothing from line to line.
#[derive(Clone, Default)]
pub(super) struct MqSim;

/// The columns, which SSDSim shares.
pub(super) const COLUMNS: &[Column] =
    &[Column::new("time", "a whole number of nanoseconds"), DEVICE, LBA, SECTORS, OPERATION];

impl LineFormat for MqSim {
    const NAME: &'static str = "mqsim";
    const SUMMARY: &'static str = "MQSim ASCII: whole nanoseconds, sizes in sectors";
    const COLUMNS: &'static [Column] = COLUMNS;
    const SEPARATOR: Separator = Separator::Blanks;
    const TIME: Time = Time::whole(TimeUnit::Nanoseconds);
    const OFFSET_UNIT: u64 = SECTOR_BYTES;
    const SOURCE: &'static str = "the traces folder of MQSim (tpcc-small, wsrch-small)";

    const DOUBT: Option<fn(&Sample) -> Option<String>> = Some(five::doubtful_nanoseconds::<Self>);

    #[inline(always)]
    fn parse_line(&mut self, fields: Fields) -> Result<Option<RawRequest>, Mistake> {
        five::nanoseconds_and_sectors(fields)
    }

    fn objection(sample: &Sample) -> Option<&'static str> {
        five::nanoseconds_for_device(sample)
    }

    fn recognise(sample: &Sample) -> Verdict {
        five::recognise(sample, Self::NAME)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::request::Op;
    use crate::trace::checks::{misread, parse};

    #[test]
    fn the_first_and_last_lines_of_tpcc_read_as_written() {
        let first = parse::<MqSim>("938513000 4 264719034 16 0");
        let offset = 264_719_034 * 512;
        let expected = RawRequest::new(Op::Write, offset, 8192).at(938_513_000).in_volume(4);
        assert_eq!(first, expected);
        let last = parse::<MqSim>("60066625000 1 34371424 64 1");
        assert_eq!((last.volume, last.length, last.op), (1, 32_768, Op::Read));
    }

    #[test]
    fn a_bad_line_is_told_in_one_line() {
        for (line, found) in [
            (
                "1.5 0 8 8 0",
                r#"column 1 (time): found "1.5", expected a whole number of nanoseconds"#,
            ),
            ("-1 0 8 8 0", r#"column 1 (time): found "-1""#),
            ("18446744073709551616 0 8 8 0", r#"column 1 (time): found "18446744073709551616""#),
            ("0 4294967296 8 8 0", r#"column 2 (device): found "4294967296""#),
            ("0 0 NaN 8 0", r#"column 3 (LBA): found "NaN""#),
            ("0 0 8 +5 0", r#"column 4 (size): found "+5""#),
            ("0 0 8 8 01", r#"column 5 (operation): found "01""#),
            ("0 0 18014398509481984 8 0", "address"),
            ("0 0 8 8", "found 4 columns"),
            ("0 0 8 8 0 1", "found 6 columns"),
        ] {
            misread::<MqSim>(line, found);
        }
    }
}
