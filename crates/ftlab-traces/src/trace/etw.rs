//! Disk events of Event Tracing for Windows as `xperf` dumps them: Microsoft's server traces.
//!
//! A header comes first: `BeginHeader`, one line of column names for each kind of event,
//! `EndHeader`. One event a line follows. `DiskRead` and `DiskWrite` are requests; other events are
//! skipped. Times are in microseconds, and offsets and lengths are hexadecimal bytes. Columns after
//! the disk's number are not read. Newer dumps have a column `CPU` after the thread's, as their
//! header states.
//!
//! Windows logs the event of a request when it completes. The request arrived
//! `ElapsedTime` earlier, so lines are sorted. Requests that arrived before the recording began are
//! moved to its beginning.

use super::TimeOrder;
use super::field::{Column, Fields, Mistake, Separator};
use super::gate::{Clock, RawRequest};
use super::text::{self, LineFormat, Sample, Verdict};
use super::time::{Time, TimeUnit};
use crate::request::Op;

const BEGIN: &[u8] = b"BeginHeader";
const END: &[u8] = b"EndHeader";

/// What the header has said.
#[derive(Clone, Default)]
pub(super) struct Etw {
    in_header: bool,
    /// Whether a column with the processor stands between the thread's and the packet's.
    has_cpu: bool,
    /// Headers, each of a recording with a clock of its own.
    headers: u32,
}

impl LineFormat for Etw {
    const NAME: &'static str = "etw";
    const SUMMARY: &'static str = "Windows disk events (xperf CSV); arrivals computed and sorted";
    const COLUMNS: &'static [Column] = &[
        Column::new("event", "DiskRead, DiskWrite or the name of another event"),
        Column::new("TimeStamp", "a whole number of microseconds"),
        Column::new("Process Name ( PID)", "a name"),
        Column::new("ThreadID", "a whole number"),
        Column::new("IrpPtr", "an address"),
        Column::new("ByteOffset", "bytes in hexadecimal, such as 0x018f0b8000"),
        Column::new("IOSize", "bytes in hexadecimal, such as 0x00001000"),
        Column::new("ElapsedTime", "a whole number of microseconds"),
        Column::new("DiskNum", "a whole number up to 2^32 - 1"),
    ];
    const SEPARATOR: Separator = Separator::PaddedComma;
    const TIME: Time = Time::whole(TimeUnit::Microseconds);
    const OFFSET_UNIT: u64 = 1;
    const SOURCE: &'static str =
        "SNIA IOTTA trace sets 130 and 158: Exchange, build and other servers";
    const ORDER: TimeOrder = TimeOrder::Sort;

    fn clock(&self) -> Clock {
        Clock { tick_ns: Self::TIME.tick_ns(), setting: self.headers }
    }

    fn parse_line(&mut self, mut fields: Fields) -> Result<Option<RawRequest>, Mistake> {
        let event = fields.text()?;
        if self.belongs_to_header(event, fields.line()) {
            return Ok(None);
        }
        let op = match event {
            b"DiskRead" => Op::Read,
            b"DiskWrite" => Op::Write,
            _ => return Ok(None),
        };
        let stamp = fields.time()?;
        fields.optional(Fields::text)?;
        // The name of the process had a comma, as in `my, app.exe (3984)`.
        if fields.peek().ends_with(b")") {
            fields.text()?;
        }
        fields.integer()?;
        if self.has_cpu {
            fields.optional(Fields::text)?;
        }
        fields.text()?;
        let offset = fields.understood(address)?;
        let length = fields.understood(address)?;
        let elapsed = fields.time()?;
        let volume = fields.integer_up_to(u32::MAX)?;
        Ok(Some(
            RawRequest::new(op, offset, length).at(stamp.saturating_sub(elapsed)).in_volume(volume),
        ))
    }

    fn remarks(&self) -> Vec<String> {
        text::further(self.headers.saturating_sub(1)).into_iter().collect()
    }

    fn recognise(sample: &Sample) -> Verdict {
        let begun = sample.first().is_some_and(|line| line.trim_ascii() == BEGIN);
        let rows = sample.requests::<Self>().next().is_some() && sample.mostly::<Self>();
        if begun || rows { Verdict::Yes } else { Verdict::No }
    }
}

impl Etw {
    fn belongs_to_header(&mut self, event: &[u8], line: &[u8]) -> bool {
        match event {
            BEGIN => {
                (self.in_header, self.has_cpu) = (true, false);
                self.headers = self.headers.saturating_add(1);
            }
            END => {
                self.in_header = false;
                return true;
            }
            b"DiskRead" if self.in_header => {
                let mut names = line.split(|b| *b == b',').map(<[u8]>::trim_ascii);
                self.has_cpu = names.any(|name| name == b"CPU");
            }
            _ => {}
        }
        self.in_header
    }
}

/// `0x` and up to 16 hexadecimal digits.
fn address(text: &[u8]) -> Option<u64> {
    let digits = std::str::from_utf8(text).ok()?.strip_prefix("0x")?;
    let hexadecimal = digits.bytes().all(|b| b.is_ascii_hexdigit());
    u64::from_str_radix(digits, 16).ok().filter(|_| hexadecimal)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trace::checks::{misread, requests};

    const HEADER: &str = "BeginHeader
              DiskRead,  TimeStamp,     Process Name ( PID),   ThreadID,             IrpPtr,   \
ByteOffset,     IOSize, ElapsedTime,  DiskNum, IrpFlags, DiskSvcTime, I/O Pri,  VolSnap
          DiskReadInit,  TimeStamp,     Process Name ( PID),   ThreadID,             IrpPtr
             DiskFlush,  TimeStamp,     Process Name ( PID),   ThreadID,             IrpPtr
EndHeader
OS Version: 6.0.6001, Trace Size: 109252KB, Events Lost: 0, Pointer size: 8
";
    const ROWS: &str = "          DiskReadInit,        100,  System (   4),  4,  0xfffffa8001
              DiskRead,        400,    a.exe (  17),       19, 0xfffffa8002, 0x018f0b8000, \
0x00001000,         283,        0, 0x060043,         283,       3, Original
             DiskWrite,        401,   System (   4),        4, 0xfffffa8001, 0x0000000200, \
0x00000200,         301,        1, 0x060043,         301,       3, \"C:\\a, b.txt\"
             DiskFlush,        500,   System (   4),        4, 0xfffffa8001,         2,        0
";

    #[test]
    fn a_second_dump_is_put_behind_the_first() {
        let found = requests::<Etw>(&[HEADER, ROWS, HEADER, ROWS].concat()).unwrap();
        let times: Vec<u64> = found.iter().map(|request| request.time).collect();
        assert_eq!(times, [0, 17_000, 17_000, 34_000]);
    }

    #[test]
    fn arrivals_are_computed_and_sorted_and_other_events_passed_over() {
        let expected = [(0, 1, 512, 512, Op::Write), (17_000, 0, 0x0001_8f0b_8000, 4096, Op::Read)];
        let seen = |text: &str| -> Vec<_> {
            let requests = requests::<Etw>(text).unwrap();
            requests.iter().map(|r| (r.time, r.volume, r.offset, r.length, r.op)).collect()
        };
        assert_eq!(seen(&[HEADER, ROWS].concat()), expected);
        assert_eq!(seen(ROWS), expected, "without a header");
        let with_comma = ROWS.replace(" (", ", an app.exe (");
        assert_ne!(with_comma, ROWS);
        assert_eq!(seen(&with_comma), expected, "a comma in the name of the process");
        let newer = |text: &str| text.replace("             IrpPtr", " CPU,         IrpPtr");
        let with_cpu = ROWS.replace(", 0xf", ", 1, 0xf");
        assert_eq!(seen(&[&newer(HEADER), &with_cpu[..]].concat()), expected, "with processors");
        assert!(requests::<Etw>(&[HEADER, &with_cpu].concat()).is_err());
        assert!(requests::<Etw>(HEADER).unwrap_err().to_string().contains("found no request"));
    }

    #[test]
    fn what_arrived_before_the_recording_is_put_at_its_beginning() {
        let row = |stamp, elapsed| {
            format!("DiskRead, {stamp}, a ( 1), 1, 0x1, 0x0, 0x200, {elapsed}, 0\n")
        };
        let text = [row(50, 80), row(70, 20)].concat();
        let requests = requests::<Etw>(&text).unwrap();
        assert_eq!(requests.iter().map(|r| r.time).collect::<Vec<_>>(), [0, 50_000]);
    }

    #[test]
    fn a_bad_line_is_told_in_one_line() {
        for (line, found) in [
            ("DiskRead, NaN, a, 1, 0x1, 0x0, 0x200, 1, 0", r#"column 2 (TimeStamp): found "NaN""#),
            ("DiskRead, -1, a, 1, 0x1, 0x0, 0x200, 1, 0", r#"column 2 (TimeStamp): found "-1""#),
            ("DiskRead, 1e308, a, 1, 0x1, 0x0, 0x200, 1, 0", r#"found "1e308", expected a whole"#),
            ("DiskRead, 1, a\0, 1, 0x1, 0x0, 0x200, 1, 0", r#"found "a\0", expected a name"#),
            ("DiskRead, 1, a, x, 0x1, 0x0, 0x200, 1, 0", r#"column 4 (ThreadID): found "x""#),
            ("DiskRead, 1, a, 1, , 0x0, 0x200, 1, 0", r#"column 5 (IrpPtr): found """#),
            ("DiskRead, 1, a, 1, 0x1, 4096, 0x200, 1, 0", r#"column 6 (ByteOffset): found "4096""#),
            ("DiskRead, 1, a, 1, 0x1, 0x+1, 0x200, 1, 0", r#"column 6 (ByteOffset): found "0x+1""#),
            ("DiskRead, 1, a, 1, 0x1, 0x0, 0x, 1, 0", r#"column 7 (IOSize): found "0x""#),
            (
                "DiskRead, 1, a, 1, 0x1, 0x0, 0x200, inf, 0",
                r#"column 8 (ElapsedTime): found "inf""#,
            ),
            ("DiskRead, 1, a, 1, 0x1, 0x0, 0x200, 1, x", r#"column 9 (DiskNum): found "x""#),
            ("DiskRead, 1, a, 1, 0x1, 0x0, 0x40000001, 1, 0", "longer than 1 GiB"),
            ("DiskRead, 1, a, 1, 0x1, 0xffffffffffffffff, 0x200, 1, 0", "below 2^63"),
            ("DiskRead, 1, a, 1, 0x1, 0x10000000000000000, 0x200, 1, 0", "column 6 (ByteOffset)"),
            ("DiskRead, 1, a, 1, 0x1, 0x0, 0x200, 1", "found 8 columns"),
            ("DiskWrite", "found 1 column"),
        ] {
            misread::<Etw>(line, found);
        }
    }
}
