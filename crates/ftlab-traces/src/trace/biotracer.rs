//! BIOtracer: the Nexus 5 smartphone traces.
//!
//! `LBA sectors bytes type generated processed submitted completed` with blanks between: 512-byte
//! sectors, the size twice, bit 0 of the type to write, and four times in seconds. A request
//! arrives when it is generated. Lines are in the order of processing, so they are sorted.
//!
//! **Clock steps.** The clock is set while a phone boots, by months and then by decades. The trace
//! records neither the idle time nor the length of the step. Requests are processed in the order of
//! lines. The clock was set where the processing time goes back, or ahead by more than a day. A
//! request generated before such a step and processed after it has a time of the old setting. It is
//! recognised because no request waits for a day, and none is processed before it is generated. The
//! new setting continues at the latest time of the old one, so a step adds no time. A step ahead by
//! less than a day looks like an idle phone and is not corrected.

use super::TimeOrder;
use super::field::{Column, Fields, Mistake, Separator};
use super::gate::{Clock, RawRequest};
use super::text::LineFormat;
use super::time::{DAY_NS, Time, TimeUnit};
use crate::request::Op;

const SECTOR_BYTES: u64 = 512;

/// What is known of the clock from the lines so far.
#[derive(Clone, Default)]
pub(super) struct BioTracer {
    /// When the line before was processed.
    latest: Option<u64>,
    /// When the last line of the previous setting was processed.
    before: Option<u64>,
    settings: u32,
    /// The setting under which the request of the latest line was generated.
    setting: u32,
}

impl LineFormat for BioTracer {
    const NAME: &'static str = "biotracer";
    const SUMMARY: &'static str = "Nexus 5 BIOtracer; sorted, and steps of its clock taken out";
    const COLUMNS: &'static [Column] = &[
        Column::new("LBA", "a whole number of 512-byte sectors"),
        Column::new("sectors", "a whole number of 512-byte sectors"),
        Column::new("bytes", "512 times the sectors"),
        Column::new("type", "a whole number whose bit 0 means write"),
        Column::new("generated", "seconds, such as 1398403999.646690157"),
        Column::new("processed", "seconds"),
        Column::new("submitted", "seconds"),
        Column::new("completed", "seconds"),
    ];
    const SEPARATOR: Separator = Separator::Blanks;
    const TIME: Time = Time::decimal(TimeUnit::Seconds);
    const OFFSET_UNIT: u64 = SECTOR_BYTES;
    const FILE_IS_VOLUME: bool = true;
    const SOURCE: &'static str = "SNIA IOTTA, Nexus 5 smartphone traces (25 applications)";
    const ORDER: TimeOrder = TimeOrder::Sort;

    fn clock(&self) -> Clock {
        Clock { setting: self.setting, ..Clock::NANOSECONDS }
    }

    fn parse_line(&mut self, mut fields: Fields) -> Result<Option<RawRequest>, Mistake> {
        let offset = fields.integer()?;
        let sectors = fields.integer()?;
        let length = fields.understood(|text| twice(text, sectors))?;
        let op = if fields.integer()? & 1 == 1 { Op::Write } else { Op::Read };
        let generated = fields.time()?;
        let processed = fields.time()?;
        fields.time()?;
        fields.time()?;
        fields.finish()?;
        self.set_clock(generated, processed)?;
        let raw = RawRequest::new(op, offset, length).at(generated);
        raw.in_units(SECTOR_BYTES, 1).map(Some)
    }
}

impl BioTracer {
    /// Finds the setting of the clock under which a request was generated.
    fn set_clock(&mut self, generated: u64, processed: u64) -> Result<(), Mistake> {
        if let Some(latest) = self.latest
            && (processed < latest || processed - latest > DAY_NS)
        {
            self.before = Some(latest);
            self.settings = self.settings.saturating_add(1);
        }
        self.latest = Some(processed);
        let waited = |since: u64| processed.checked_sub(since).is_some_and(|wait| wait <= DAY_NS);
        self.setting = if waited(generated) {
            self.settings
        } else if self.before.is_some_and(|before| generated.abs_diff(before) <= DAY_NS) {
            self.settings - 1
        } else {
            return Err(Mistake(format!(
                "column 5 (generated): found {generated} ns for a request processed at \
                 {processed} ns, expected a time at most a day before, or on the clock before it \
                 was set"
            )));
        };
        Ok(())
    }
}

/// The bytes in `text`, if they match the sectors.
fn twice(text: &[u8], sectors: u64) -> Option<u64> {
    let bytes = std::str::from_utf8(text).ok()?.parse().ok()?;
    (text[0].is_ascii_digit() && sectors.checked_mul(SECTOR_BYTES) == Some(bytes)).then_some(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::request::Request;
    use crate::trace::checks::{misread, parse, requests};

    /// A line whose request waits from `generated` to `processed`, in seconds.
    fn line(lba: u64, generated: f64, processed: f64) -> String {
        format!("{lba}\t\t8\t\t4096\t\t0\t\t{generated:.3}\t\t{processed:.3}\t\t0.0\t\t0.0\n")
    }

    fn arrivals(text: &str) -> Vec<(u64, u64)> {
        let milliseconds = |r: &Request| (r.time / 1_000_000, r.offset / 512);
        requests::<BioTracer>(text).unwrap().iter().map(milliseconds).collect()
    }

    #[test]
    fn the_first_line_of_movie_reads_as_published() {
        let first = "8681184\t\t88\t\t45056\t\t0\t\t1398403999.646690157\t\t1398403999.652921876\t\t\
                     1398403999.653009063\t\t1398403999.653717136";
        let (ticks, offset) = (1_398_403_999_646_690_157, 8_681_184 * 512);
        let expected = RawRequest::new(Op::Read, offset, 45_056).at(ticks);
        assert_eq!(parse::<BioTracer>(first), expected);
        assert_eq!(parse::<BioTracer>("8 1 512 5 1.0 1.0 1.0 1.0").op, Op::Write);
    }

    #[test]
    fn a_clock_that_is_set_goes_on_where_it_stood() {
        let text = [
            line(1, 1.0, 1.1),
            line(2, 1.5, 1.6),
            // Set to a date in 1970, then to one in 2014.
            line(3, 10_363_866.0, 10_363_866.1),
            line(4, 1_398_396_748.0, 1_398_396_748.1),
            // Generated before the clock was set, processed behind.
            line(5, 10_363_866.3, 1_398_396_748.2),
            line(6, 1_398_396_749.0, 1_398_396_749.1),
        ]
        .concat();
        let expected = [(0, 1), (500, 2), (500, 3), (800, 5), (800, 4), (1800, 6)];
        assert_eq!(arrivals(&text), expected);
        let back = [line(1, 500.0, 500.1), line(2, 500.2, 20.0), line(3, 20.5, 20.6)].concat();
        assert_eq!(arrivals(&back), [(0, 1), (200, 2), (200, 3)]);
        // A phone at rest for less than a day keeps its gap.
        assert_eq!(
            arrivals(&[line(1, 1.0, 1.1), line(2, 80_001.0, 80_001.1)].concat())[1].0,
            80_000_000
        );
    }

    #[test]
    fn a_bad_line_is_told_in_one_line() {
        for (line, found) in [
            ("-8 8 4096 0 1.0 1.0 1.0 1.0", r#"column 1 (LBA): found "-8""#),
            ("8 8.0 4096 0 1.0 1.0 1.0 1.0", r#"column 2 (sectors): found "8.0""#),
            ("8 8 4095 0 1.0 1.0 1.0 1.0", r#"column 3 (bytes): found "4095", expected 512 times"#),
            ("8 8 +4096 0 1.0 1.0 1.0 1.0", r#"column 3 (bytes): found "+4096""#),
            ("8 8 4096 r 1.0 1.0 1.0 1.0", r#"column 4 (type): found "r""#),
            ("8 8 4096 0 NaN 1.0 1.0 1.0", r#"column 5 (generated): found "NaN", expected sec"#),
            ("8 8 4096 0 -1.0 1.0 1.0 1.0", r#"column 5 (generated): found "-1.0""#),
            ("8 8 4096 0 1.0 inf 1.0 1.0", r#"column 6 (processed): found "inf""#),
            ("8 8 4096 0 1.0 1.0 1e308 1.0", r#"column 7 (submitted): found "1e308""#),
            ("8 8 4096 0 1.0 1.0 1.0 \0", r#"column 8 (completed): found "\0""#),
            ("8 2097153 1073742336 0 1.0 1.0 1.0 1.0", "longer than 1 GiB"),
            ("8 18446744073709551615 4096 0 1.0 1.0 1.0 1.0", "column 3 (bytes)"),
            ("36028797018963968 8 4096 0 1.0 1.0 1.0 1.0", "address 36028797018963968"),
            ("8 8 4096 0 1.1 1.0 1.0 1.0", "on the clock before it was set"),
            ("8 8 4096 0 1.0 86402.0 1.0 1.0", "at most a day before"),
            ("8 8 4096 0 1.0 1.0 1.0", "found 7 columns"),
            ("8 8 4096 0 1.0 1.0 1.0 1.0 1", "found 9 columns"),
        ] {
            misread::<BioTracer>(line, found);
        }
    }
}
