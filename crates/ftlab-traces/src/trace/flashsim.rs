//! FlashSim's traces: DiskSim's columns with tabs between, and sizes in 4 KiB pages.
//!
//! The DFTL authors' simulator reads milliseconds, device, address in 512-byte sectors, size in
//! 4 KiB pages, 1 to read. The sizes of published traces were cut to whole pages on the way
//! (Financial1: 3,584 bytes became one page), and application storage units were dropped.

use super::field::{Column, Fields, Mistake, Separator};
use super::five::{self, DEVICE, LBA, OPERATION, SECTOR_BYTES};
use super::gate::RawRequest;
use super::text::{LineFormat, Sample, Verdict};
use super::time::{Time, TimeUnit};

const PAGE_BYTES: u64 = 4096;

/// The format; it keeps nothing from line to line.
#[derive(Clone, Default)]
pub(super) struct FlashSim;

impl LineFormat for FlashSim {
    const NAME: &'static str = "flashsim";
    const SUMMARY: &'static str = "FlashSim: DiskSim's columns, tabs, sizes in 4 KiB pages";
    const COLUMNS: &'static [Column] = &[
        Column::new("time", "milliseconds, such as 26.214000"),
        DEVICE,
        LBA,
        Column::new("size", "a whole number of 4 KiB pages"),
        OPERATION,
    ];
    const SEPARATOR: Separator = Separator::Blanks;
    const TIME: Time = Time::decimal(TimeUnit::Milliseconds);
    const OFFSET_UNIT: u64 = SECTOR_BYTES;
    const SOURCE: &'static str = "traces shipped with FlashSim, the simulator of DFTL, and its kin";

    const DOUBT: Option<fn(&Sample) -> Option<String>> = Some(five::doubtful_milliseconds::<Self>);

    #[inline(always)]
    fn parse_line(&mut self, mut fields: Fields) -> Result<Option<RawRequest>, Mistake> {
        let ticks = fields.time()?;
        let raw = five::target(&mut fields, ticks)?;
        let op = five::operation(&mut fields)?;
        fields.finish()?;
        RawRequest { op, ..raw }.in_units(SECTOR_BYTES, PAGE_BYTES).map(Some)
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
    fn sizes_are_pages_and_addresses_are_sectors() {
        let first = parse::<FlashSim>("26.214000\t0\t303574\t1\t0");
        let offset = 303_574 * 512;
        let expected = RawRequest::new(Op::Write, offset, 4096).at(26_214_000);
        assert_eq!(first, expected);
        assert_eq!(parse::<FlashSim>("128672.406000\t0\t8743584\t2\t1").length, 8192);
    }

    #[test]
    fn a_bad_line_is_told_in_one_line() {
        for (line, found) in [
            ("NaN\t0\t8\t1\t0", r#"column 1 (time): found "NaN", expected milliseconds"#),
            ("0.0\t+5\t8\t1\t0", r#"column 2 (device): found "+5""#),
            ("0.0\t0\t-1\t1\t0", r#"column 3 (LBA): found "-1""#),
            (
                "0.0\t0\t8\t1e3\t0",
                r#"column 4 (size): found "1e3", expected a whole number of 4 KiB"#,
            ),
            (
                "0.0\t0\t8\t1\t2",
                r#"column 5 (operation): found "2", expected 1 to read or 0 to write"#,
            ),
            ("0.0\t0\t8\t262145\t0", "longer than 1 GiB"),
            ("0.0\t0\t8\t9007199254740992\t0", "longer than 1 GiB"),
            ("0.0\t0\t8\t1", "found 4 columns"),
            ("0.0\t0\t8\t1\t0\t0", "found 6 columns"),
        ] {
            misread::<FlashSim>(line, found);
        }
    }
}
