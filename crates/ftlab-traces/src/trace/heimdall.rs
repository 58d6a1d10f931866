//! LinnOS' and Heimdall's replayer traces: DiskSim's columns with everything in bytes.
//!
//! `time device offset size operation` with blanks between: milliseconds, a device, bytes, bytes, 1
//! to read. See `five` for the telling apart from DiskSim, FlashSim and MQSim.

use super::field::{Column, Fields, Mistake, Separator};
use super::five::{self, DEVICE, OPERATION};
use super::gate::RawRequest;
use super::text::{LineFormat, Sample, Verdict};
use super::time::{Time, TimeUnit};

/// The format; it keeps nothing from line to line.
#[derive(Clone, Default)]
pub(super) struct Heimdall;

impl LineFormat for Heimdall {
    const NAME: &'static str = "heimdall";
    const SUMMARY: &'static str = "LinnOS and Heimdall: DiskSim's columns, addresses in bytes";
    const COLUMNS: &'static [Column] = &[
        Column::new("time", "milliseconds, such as 223.412"),
        DEVICE,
        Column::new("offset", "a whole number of bytes"),
        Column::new("size", "a whole number of bytes"),
        OPERATION,
    ];
    const SEPARATOR: Separator = Separator::Blanks;
    const TIME: Time = Time::decimal(TimeUnit::Milliseconds);
    const OFFSET_UNIT: u64 = 1;
    const SOURCE: &'static str = "github.com/ucare-uchicago: LinnOS and Heimdall, raw traces";

    const DOUBT: Option<fn(&Sample) -> Option<String>> = Some(five::doubtful_milliseconds::<Self>);

    #[inline(always)]
    fn parse_line(&mut self, mut fields: Fields) -> Result<Option<RawRequest>, Mistake> {
        let ticks = fields.time()?;
        let raw = five::target(&mut fields, ticks)?;
        let op = five::operation(&mut fields)?;
        fields.finish()?;
        Ok(Some(RawRequest { op, ..raw }))
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
    fn addresses_and_sizes_are_bytes() {
        let line = "223.412 0 3159347200 36864 0";
        let (ticks, offset) = (223_412_000, 3_159_347_200);
        let expected = RawRequest::new(Op::Write, offset, 36_864).at(ticks);
        assert_eq!(parse::<Heimdall>(line), expected);
        assert_eq!(parse::<Heimdall>("0.000 3 512 7680 1").op, Op::Read);
    }

    #[test]
    fn a_bad_line_is_told_in_one_line() {
        for (line, found) in [
            ("NaN 0 0 512 0", r#"column 1 (time): found "NaN", expected milliseconds"#),
            ("-1 0 0 512 0", r#"column 1 (time): found "-1""#),
            ("1e308 0 0 512 0", r#"column 1 (time): found "1e308""#),
            ("0.0 4294967296 0 512 0", r#"column 2 (device): found "4294967296""#),
            ("0.0 0 inf 512 0", r#"column 3 (offset): found "inf", expected a whole number of by"#),
            ("0.0 0 0 0x200 0", r#"column 4 (size): found "0x200""#),
            ("0.0 0 0 512 2", r#"column 5 (operation): found "2""#),
            ("0.0 0 0 512 \0", r#"column 5 (operation): found "\0""#),
            ("0.0 0 0 1073741825 0", "longer than 1 GiB"),
            ("0.0 0 9223372036854775807 512 0", "below 2^63"),
            ("0.0 0 0 512", "found 4 columns"),
            ("0.0 0 0 512 0 0", "found 6 columns"),
        ] {
            misread::<Heimdall>(line, found);
        }
    }
}
