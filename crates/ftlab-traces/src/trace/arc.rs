//! The lists of the ARC paper (Megiddo and Modha, FAST '03): `start_page pages ignored request`.
//!
//! They do not say what a request does, when it arrives, or how large a page is. The user names the
//! operation; without it nothing is read. Requests are one millisecond apart. A page has 512 bytes,
//! as the paper says of P1 to P14, unless the user says otherwise (choices.md#arc-unit).

use super::TraceOptions;
use super::field::{Column, Fields, Mistake, Separator};
use super::gate::{Clock, RawRequest};
use super::text::{LineFormat, Sample, Verdict};
use super::time::{Time, TimeUnit};
use crate::request::Op;

const MILLISECOND_NS: u64 = 1_000_000;
const DEFAULT_PAGE_BYTES: u64 = 512;

/// What the user says of the list, and how far it has been read.
#[derive(Clone)]
pub(super) struct Arc {
    op: Op,
    page_bytes: u64,
    /// Requests so far.
    requests: u64,
}

impl Default for Arc {
    fn default() -> Self {
        Self { op: Op::Read, page_bytes: DEFAULT_PAGE_BYTES, requests: 0 }
    }
}

impl LineFormat for Arc {
    const NAME: &'static str = "arc";
    const SUMMARY: &'static str = "lists of the ARC paper; needs input.op, as they do not say";
    const COLUMNS: &'static [Column] = &[
        Column::new("start_page", "a whole number of pages (512 bytes, or input.unit)"),
        Column::new("pages", "a whole number of pages"),
        Column::new("ignored", "a whole number"),
        Column::new("request", "a whole number"),
    ];
    const SEPARATOR: Separator = Separator::Blanks;
    const TIME: Time = Time::whole(TimeUnit::Milliseconds);
    const OFFSET_UNIT: u64 = DEFAULT_PAGE_BYTES;
    const FILE_IS_VOLUME: bool = true;
    const SOURCE: &'static str = "Megiddo and Modha, ARC (FAST '03): P1-P14, OLTP, DS1, S1-S3";
    const UNITS_MAY_BE_SAID: bool = false;
    const TAKES: &'static [&'static str] = &["op", "unit"];

    fn with(options: &TraceOptions) -> Result<Self, Mistake> {
        let op = options.op.ok_or_else(|| {
            Mistake(
                "a list of the ARC paper does not say what its requests do; say it with \
                 input.op = read or input.op = write"
                    .into(),
            )
        })?;
        let page_bytes = options.unit.map_or(DEFAULT_PAGE_BYTES, |unit| unit.0);
        if page_bytes == 0 {
            return Err(Mistake(
                "found a page of 0 bytes, expected at least 1 (input.unit)".into(),
            ));
        }
        Ok(Self { op, page_bytes, requests: 0 })
    }

    fn units(&self) -> (Option<TimeUnit>, Option<u64>) {
        (None, Some(self.page_bytes))
    }

    #[inline]
    fn clock(&self) -> Clock {
        Clock { tick_ns: MILLISECOND_NS, setting: 0 }
    }

    #[inline(always)]
    fn parse_line(&mut self, mut fields: Fields) -> Result<Option<RawRequest>, Mistake> {
        let offset = fields.integer()?;
        let length = fields.integer()?;
        fields.integer()?;
        fields.integer()?;
        fields.finish()?;
        let ticks = self.requests;
        self.requests += 1;
        let raw = RawRequest::new(self.op, offset, length).at(ticks);
        raw.in_units(self.page_bytes, self.page_bytes).map(Some)
    }

    fn recognise(sample: &Sample) -> Verdict {
        // Tables of operations have four columns as well: one with both 0 and 1, which no list has.
        let is_flag = |at| {
            let digits = [b"0", b"1"];
            sample.column(at).all(|value| digits.iter().any(|digit| value == *digit))
                && digits.iter().all(|digit| sample.column(at).any(|value| value == *digit))
        };
        let is_table = is_flag(1) || is_flag(2) || is_flag(3) && falls(sample);
        if !is_table && sample.mostly::<Self>() { Verdict::Yes } else { Verdict::No }
    }
}

/// Whether the numbers of requests fall in more than a tenth of the steps.
fn falls(sample: &Sample) -> bool {
    let numbers: Vec<&[u8]> = sample.column(3).collect();
    let falls = numbers.windows(2).filter(|pair| pair[1] < pair[0]).count();
    10 * falls > numbers.len()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trace::checks::{misread, requests};
    use crate::units::Bytes;

    #[test]
    fn requests_are_a_millisecond_apart_in_pages_of_512_bytes() {
        let read = requests::<Arc>("110765 64 0 0\n110888 1 0 1\n").unwrap();
        assert_eq!((read[0].offset, read[0].length), (110_765 * 512, 64 * 512));
        assert_eq!((read[1].time, read[1].op), (MILLISECOND_NS, Op::Read));
    }

    #[test]
    fn the_user_says_what_the_list_does_not() {
        let op = Some(Op::Write);
        let options = TraceOptions { op, unit: Some(Bytes(4096)), ..TraceOptions::default() };
        let Ok(mut arc) = Arc::with(&options) else { panic!("an operation was given") };
        let fields = Fields::new(b"2 3 0 7", Separator::Blanks, Arc::COLUMNS);
        let raw = arc.parse_line(fields).unwrap().unwrap();
        assert_eq!((raw.offset, raw.length, raw.op), (8192, 12288, Op::Write));
        let Err(Mistake(message)) = Arc::with(&TraceOptions::default()) else { panic!("no op") };
        assert!(message.contains("input.op = read"), "{message}");
    }

    #[test]
    fn a_bad_line_is_told_in_one_line() {
        for (line, found) in [
            ("-1 1 0 0", r#"column 1 (start_page): found "-1""#),
            ("1 1.5 0 0", r#"column 2 (pages): found "1.5""#),
            ("1 1 NaN 0", r#"column 3 (ignored): found "NaN""#),
            ("1 1 0 \0", r#"column 4 (request): found "\0""#),
            ("1 2097153 0 0", "longer than 1 GiB"),
            ("18446744073709551615 1 0 0", "address 18446744073709551615"),
            ("1 1 0", "found 3 columns"),
            ("1 1 0 0 0", "found 5 columns"),
        ] {
            misread::<Arc>(line, found);
        }
    }
}
