//! Systor '17: the storage of a virtual desktop infrastructure, as SNIA publishes it.
//!
//! `Timestamp,Response,IOType,LUN,Offset,Size` with a header line: seconds since 1970, seconds, `R`
//! or `W`, a number, bytes, bytes. Lines are in the order of completion, so they are sorted. A line
//! without a type had no response; nothing says whether it read or wrote, so it holds no request.

use super::TimeOrder;
use super::doubt::doubtful_seconds;
use super::field::{Column, Fields, Mistake, Separator};
use super::gate::RawRequest;
use super::text::{LineFormat, Sample};
use super::time::{Time, TimeUnit};
use crate::request::Op;

const HEADER: &[u8] = b"Timestamp,Response,IOType,LUN,Offset,Size";

/// The format; it keeps nothing from line to line.
#[derive(Clone, Default)]
pub(super) struct Systor;

impl LineFormat for Systor {
    const NAME: &'static str = "systor";
    const SUMMARY: &'static str = "Systor '17 CSV; in completion order, so sorted by default";
    const COLUMNS: &'static [Column] = &[
        Column::new("Timestamp", "seconds, such as 1456095147.574052000"),
        Column::new("Response", "seconds or nothing"),
        Column::new("IOType", "R, W or nothing"),
        Column::new("LUN", "a whole number up to 2^32 - 1, or nothing"),
        Column::new("Offset", "a whole number of bytes"),
        Column::new("Size", "a whole number of bytes"),
    ];
    const SEPARATOR: Separator = Separator::Comma;
    const TIME: Time = Time::decimal(TimeUnit::Seconds);
    const OFFSET_UNIT: u64 = 1;
    const DOUBT: Option<fn(&Sample) -> Option<String>> = Some(doubtful_seconds::<Self>);
    const SOURCE: &'static str = "SNIA IOTTA trace set 4964, Systor '17 (LUNs 0 to 5)";
    const ORDER: TimeOrder = TimeOrder::Sort;

    fn parse_line(&mut self, mut fields: Fields) -> Result<Option<RawRequest>, Mistake> {
        if fields.line() == HEADER {
            return Ok(None);
        }
        let ticks = fields.time()?;
        fields.optional(Fields::decimal::<9>)?;
        let kind = fields.optional(|fields| fields.one_of(&[b"R", b"W"]))?;
        let lun = fields.optional(|fields| fields.integer_up_to(u32::MAX))?;
        let Some(kind) = kind else {
            fields.optional(Fields::integer)?;
            fields.optional(Fields::integer)?;
            return fields.finish().map(|()| None);
        };
        let offset = fields.integer()?;
        let length = fields.integer()?;
        fields.finish()?;
        let op = [Op::Read, Op::Write][kind];
        let raw = RawRequest::new(op, offset, length);
        Ok(Some(raw.at(ticks).in_volume(lun.unwrap_or(0))))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trace::checks::{misread, parse, requests};

    const LAST: &str = "1456095147.574052000,0.000245000,R,0,4238867714048,4096";

    #[test]
    fn the_last_line_of_a_sample_reads_as_published() {
        let offset = 4_238_867_714_048;
        let ticks = 1_456_095_147_574_052_000;
        let expected = RawRequest::new(Op::Read, offset, 4096).at(ticks);
        assert_eq!(parse::<Systor>(LAST), expected);
        assert_eq!(parse::<Systor>("1,2,W,5,0,512").op, Op::Write);
        assert_eq!(parse::<Systor>("1,,w,,0,512").volume, 0);
    }

    #[test]
    fn headers_and_lines_without_a_type_hold_no_request() {
        let header = "Timestamp,Response,IOType,LUN,Offset,Size\r\n";
        let text = [header, "3.0,,,4,0,512\n4.0,,,0,,\n", header, LAST].concat();
        assert_eq!(requests::<Systor>(&text).unwrap().len(), 1);
    }

    #[test]
    fn completion_order_is_sorted() {
        let times = |order: &[u64]| {
            let line = |second: &u64| format!("{second}.5,0.1,R,0,{second},512\n");
            let text: String = order.iter().map(line).collect();
            let requests = requests::<Systor>(&text).unwrap();
            requests.iter().map(|r| (r.time, r.offset)).collect::<Vec<_>>()
        };
        assert_eq!(times(&[12, 11, 13]), times(&[11, 12, 13]));
    }

    #[test]
    fn a_bad_line_is_told_in_one_line() {
        for (line, found) in [
            ("NaN,0.1,R,0,0,512", r#"column 1 (Timestamp): found "NaN", expected seconds"#),
            ("-1.0,0.1,R,0,0,512", r#"column 1 (Timestamp): found "-1.0""#),
            ("1e308,0.1,R,0,0,512", r#"column 1 (Timestamp): found "1e308""#),
            (",0.1,R,0,0,512", r#"column 1 (Timestamp): found """#),
            ("1.0,inf,R,0,0,512", r#"column 2 (Response): found "inf""#),
            ("1.0,0.1,T,0,0,512", r#"column 3 (IOType): found "T", expected R, W or nothing"#),
            ("1.0,0.1,R,-1,0,512", r#"column 4 (LUN): found "-1""#),
            ("1.0,0.1,R,0,,512", r#"column 5 (Offset): found """#),
            ("1.0,0.1,R,0,0x10,512", r#"column 5 (Offset): found "0x10""#),
            ("1.0,0.1,R,0,0,512\0", r#"column 6 (Size): found "512\0""#),
            ("1.0,0.1,R,0,9223372036854775807,512", "below 2^63"),
            ("1.0,0.1,R,0,0", "found 5 columns"),
            ("1.0,0.1,R,0,0,512,7", "found 7 columns"),
        ] {
            misread::<Systor>(line, found);
        }
    }
}
