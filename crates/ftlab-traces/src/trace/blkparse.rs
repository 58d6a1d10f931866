//! The text that `blkparse` prints by default from a recording of Linux' blktrace.
//!
//! `major,minor cpu sequence time pid action RWBS sector + sectors [process]`, blanks between;
//! seconds, 512-byte sectors. Only lines of one stage are taken: see [`super::block`]. The device is
//! the volume.
//!
//! `Input file sda.blktrace.0 added` may stand before the events, and a summary that begins with
//! `CPU0 (sda):` after them. All lines from there to the next line that begins with a digit are
//! skipped.

use super::TraceOptions;
use super::block::{Events, NO_SECTOR, Stage, mapped_from};
use super::field::{Column, Fields, Mistake, Separator};
use super::gate::RawRequest;
use super::linux;
use super::rwbs;
use super::text::{LineFormat, Sample, Verdict};
use super::time::{Time, TimeUnit};

const SECTOR_BYTES: u64 = 512;

/// The beginnings of lines that are no events: the list of files, and one of the first two lines of
/// a summary.
const REMARKS: [&[u8]; 4] = [b"Input", b"CPU", b"Total", b"Throughput"];

/// The state from the lines so far.
#[derive(Clone, Default)]
pub(super) struct BlkParse {
    in_remarks: bool,
    events: Events,
}

impl LineFormat for BlkParse {
    const NAME: &'static str = "blkparse";
    const SUMMARY: &'static str =
        "blkparse's default text, queued requests (Q) only, with trims and flushes";
    const COLUMNS: &'static [Column] = &[
        Column::new("device", "major,minor such as 8,16 (up to 4095,999999)"),
        Column::new("cpu", "a whole number"),
        Column::new("sequence", "a whole number"),
        Column::new("time", "seconds, such as 0.000000000"),
        Column::new("pid", "a whole number"),
        Column::new("action", "one or two letters, such as Q"),
        Column::new("RWBS", "R, W, D or N with flags around"),
        Column::new("sector", "a whole number of 512-byte sectors"),
        Column::new("+", "a plus sign"),
        Column::new("sectors", "a whole number of 512-byte sectors"),
    ];
    const SEPARATOR: Separator = Separator::Blanks;
    const TIME: Time = Time::decimal(TimeUnit::Seconds);
    const OFFSET_UNIT: u64 = SECTOR_BYTES;
    const SOURCE: &'static str =
        "blktrace and blkparse of Linux; SNIA IOTTA trace set 28568 (YCSB)";

    const TAKES: &'static [&'static str] = &["stage"];

    fn with(options: &TraceOptions) -> Result<Self, Mistake> {
        Ok(Self { events: Events::of(options.stage), ..Self::default() })
    }

    #[inline(always)]
    fn parse_line(&mut self, mut fields: Fields) -> Result<Option<RawRequest>, Mistake> {
        if self.belongs_to_remarks(fields.peek()) {
            return Ok(None);
        }
        let line = fields.line();
        let volume = fields.understood(device)?;
        self.events.processor = u32::try_from(fields.integer()?).ok();
        fields.integer()?;
        let ticks = fields.time()?;
        fields.integer()?;
        let stage = match fields.understood(action)? {
            b"Q" => Stage::Queue,
            b"D" => Stage::Issue,
            b"C" => Stage::Complete,
            b"A" => {
                if let Some(from) = mapped_from(line) {
                    self.events.remap(from, volume);
                }
                return Ok(None);
            }
            _ => return Ok(None),
        };
        if !self.events.takes(stage) {
            return Ok(None);
        }
        let rwbs = fields.understood(rwbs::operation)?;
        if rwbs.op.is_none() || fields.first_byte() == Some(b'[') {
            return self.events.request((ticks, volume), rwbs, None);
        }
        // A command of SCSI, in parentheses, has at most bytes and no address.
        let command = Some((NO_SECTOR, 0));
        if fields.first_byte() == Some(b'(') {
            return self.events.request((ticks, volume), rwbs, command);
        }
        let offset = fields.integer()?;
        if fields.first_byte() == Some(b'(') {
            return self.events.request((ticks, volume), rwbs, command);
        }
        fields.one_of(&[b"+"]).map_err(|mistake| expected_plus(line, mistake))?;
        let length = fields.integer()?;
        self.events.request((ticks, volume), rwbs, Some((offset, length)))
    }

    fn rest_of_line(&mut self) -> Option<RawRequest> {
        self.events.rest()
    }

    fn recognise(sample: &Sample) -> Verdict {
        let begins = |line: &[u8]| line[0].is_ascii_digit() || line.starts_with(b"Input file ");
        let begun = sample.first().is_some_and(|line| begins(line.trim_ascii()));
        let of_f = sample.lines().filter(|line| without_plus(line).is_some()).count();
        let is_known = sample.mostly::<Self>() || 2 * of_f >= sample.lines().count();
        if begun && is_known { Verdict::Yes } else { Verdict::No }
    }

    fn processor(&self) -> Option<u32> {
        self.events.processor
    }

    /// Each request ends in the name of a process, in brackets; the summary behind them ends in a parenthesis.
    fn may_be_cut(line: &[u8]) -> bool {
        !matches!(line.trim_ascii_end().last(), Some(b']' | b')'))
    }

    fn remarks(&self) -> Vec<String> {
        self.events.remarks()
    }

    fn without_requests(&self) -> Mistake {
        self.events.without_requests()
    }
}

impl BlkParse {
    fn belongs_to_remarks(&mut self, first: &[u8]) -> bool {
        let event = first.first().is_some_and(u8::is_ascii_digit);
        if event && !self.in_remarks {
            return false;
        }
        let remark = REMARKS.iter().any(|start| first.starts_with(start));
        self.in_remarks = !event && (self.in_remarks || remark);
        self.in_remarks
    }
}

/// The action of a line of `blkparse -f` that has the length where the plus sign should be.
fn without_plus(line: &[u8]) -> Option<&[u8]> {
    let words = line.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty());
    let words: Vec<&[u8]> = words.take(9).collect();
    let &[volume, _, _, _, _, stage, rwbs, sector, length] = &words[..] else { return None };
    device(volume).and(rwbs::operation(rwbs))?;
    action(stage).filter(|_| [sector, length].concat().iter().all(u8::is_ascii_digit))
}

#[cold]
fn expected_plus(line: &[u8], mistake: Mistake) -> Mistake {
    let Some(action) = without_plus(line) else { return mistake };
    Mistake(format!(
        "{}, as blkparse prints it without -f; read it with awk '$6 == \"{}\" {{print $1, $4, $7, $8, $9}}' FILE | \
         ftlab ... - with input.columns = volume=1,time=2,op=3,offset=4:sectors,length=5:B,separator=blanks, \
         where B is sectors for %n and bytes for %N",
        mistake.0,
        String::from_utf8_lossy(action)
    ))
}

/// `8,16` as a volume.
pub(super) fn device(text: &[u8]) -> Option<u32> {
    let comma = text.iter().position(|byte| *byte == b',')?;
    let (major, minor) = (short_number(&text[..comma])?, short_number(&text[comma + 1..])?);
    linux::is_device(major, minor).then(|| linux::volume(major, minor))
}

/// A whole number of up to nine digits, as those of devices.
#[inline]
fn short_number(text: &[u8]) -> Option<u32> {
    if text.is_empty() || text.len() > 9 {
        return None;
    }
    let digit = |byte: &u8| byte.is_ascii_digit().then(|| u32::from(byte - b'0'));
    text.iter().try_fold(0, |number, byte| Some(10 * number + digit(byte)?))
}

fn action(text: &[u8]) -> Option<&[u8]> {
    (text.len() <= 2 && text.iter().all(u8::is_ascii_alphabetic)).then_some(text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::request::{Op, Request};
    use crate::trace::checks::{flushing, misread, parse, requests};
    use crate::trace::read_stream;

    const FILE: &str = "\
Input file sda.blktrace.0 added
  8,0    3        1     0.000000000   697  A   W 223490 + 8 <- (8,1) 223427
  8,0    3        2     0.000001829   697  Q   W 223490 + 8 [kjournald]
  8,0    3        3     0.000006197   697  G   W 223490 + 8 [kjournald]
  8,0    3        4     0.000007171   697  P   N [kjournald]
  8,0    3        5     0.000019456   697  I   W 223490 + 8 [kjournald]
  8,0    3        0     0.000020000     0  m   N cfq697 insert_request
  8,0    3        6     0.000021253   697  U   N [kjournald] 1
  8,0    3        7     0.000027360   697  D   W 223490 + 8 [kjournald]
  8,0    1        8     0.000441943     0  C   W 223490 + 8 [0]
  8,16   1        9     0.000500000    12  Q FWFSM 8 + 16 [Socket Thread]
  8,0    1       10     0.000600000    12  Q  DS 2048 + 8388607 [fstrim]
  8,0    1       11     0.000700000    12  Q FWS [kworker/1:2]
  8,0    1       12     0.000800000    12  Q  RA 0 + 8 [cat]
CPU0 (sda):
 Reads Queued:           1,        4KiB\t Writes Queued:           2,       12KiB
Total (sda):
 Read Dispatches:        0,        0KiB\t Write Dispatches:        1,        4KiB

Throughput (R/W): 0KiB/s / 4KiB/s
Events (sda): 13 entries
Skips: 0 forward (0 -   0.0%)
";

    #[test]
    fn each_request_is_taken_once_when_it_is_queued() {
        let requests = requests::<BlkParse>(FILE).unwrap();
        let seen: Vec<_> =
            requests.iter().map(|r| (r.time, r.volume, r.offset / 512, r.length, r.op)).collect();
        let expected = [
            (0, 8000, 223_490, 4096, Op::Write),
            (498_171, 8016, 8, 8192, Op::Write),
            (598_171, 8000, 2048, 4_294_966_784, Op::Trim),
            (798_171, 8000, 0, 4096, Op::Read),
        ];
        assert_eq!(seen, expected);
        // Behind a summary another file may follow; here its time goes back.
        let twice = crate::trace::checks::requests::<BlkParse>(&FILE.repeat(2)).unwrap_err();
        assert!(twice.to_string().contains("trace:25: time goes back"), "{twice}");
    }

    #[test]
    fn requests_that_are_there_twice_are_told() {
        let mapped = "\
  253,0    1        1     0.000100000   900  Q   R 28205400 + 8 [fio]
    8,0    1        2     0.000101000   900  A   R 28207448 + 8 <- (253,0) 28205400
    8,0    1        3     0.000102000   900  Q   R 28207448 + 8 [fio]
  253,0    1        4     0.000200000   900  Q   R 64 + 8 [fio]
";
        assert!(told(mapped).starts_with("volume 253000 is mapped to volume 8000"));
        // A partition has no events of its own.
        assert_eq!(told(FILE), "");
    }

    #[test]
    fn commands_of_scsi_have_no_address() {
        let file = "\
  8,0    1        1     0.000100900   900  Q   R 36 (85 08 0e 00) [smartd]
  8,0    1        2     0.000200000   100  Q   R 64 + 8 [dd]
  8,0    1        3     0.000400000   900  Q   R (85 08 0e 00) [0]
";
        assert_eq!(requests::<BlkParse>(file).unwrap().len(), 1);
        assert_eq!(told(file), "left out 2 commands without a sector");
        let commands = file.lines().filter(|line| line.contains('('));
        let commands: String = commands.map(|line| format!("{line}\n")).collect();
        let error = requests::<BlkParse>(&commands).unwrap_err();
        assert!(error.to_string().contains("found 2 commands without a sector"), "{error}");
    }

    /// The remarks on a text.
    fn told(text: &str) -> String {
        let mut format = BlkParse::default();
        text.lines().for_each(|line| {
            let fields = Fields::new(line.as_bytes(), Separator::Blanks, BlkParse::COLUMNS);
            format.parse_line(fields.timed(BlkParse::TIME)).unwrap();
        });
        format.remarks().concat()
    }

    #[test]
    fn a_file_without_queued_requests_says_what_to_do() {
        let only = |actions: &[&str]| {
            let lines = FILE.lines().filter(|line| {
                let action = line.split_whitespace().nth(5);
                action.is_none_or(|action| actions.contains(&action))
            });
            let text: String = lines.map(|line| format!("{line}\n")).collect();
            requests::<BlkParse>(&text).unwrap_err().to_string()
        };
        assert!(
            only(&["D", "C"]).contains("but 1 of stage D; input.stage = D"),
            "{}",
            only(&["D", "C"])
        );
        assert!(only(&["C"]).contains("input.stage = C"));
        assert!(only(&["P", "m"]).contains("without -a"));
    }

    #[test]
    fn minors_of_nvme_are_devices() {
        let volume = |line: &str| parse::<BlkParse>(line).volume;
        assert_eq!(volume("259,2 0 1 1.5 1 Q WS 8 + 8 [a]"), 259_002);
        assert_eq!(volume("259,1024 0 1 1.5 1 Q WS 8 + 8 [a]"), 259_001_024);
    }

    /// A commit of a journal: a flush, then its record through the cache.
    #[test]
    fn a_flush_comes_before_the_data_that_it_is_with() {
        let lines = "8,0 1 1 0.0 1 Q W 8 + 8 [a]\n8,0 1 2 0.5 1 Q FN [a]\n\
                     8,0 1 3 1.0 1 Q FWFS 16 + 8 [a]\n";
        let write = Request::new(Op::Write, 4096, 4096).in_volume(8000);
        let flush = Request { time: 500_000_000, offset: 0, length: 0, op: Op::Flush, ..write };
        let time = 1_000_000_000;
        let through = Request { time, offset: 8192, op: Op::WriteThrough, ..write };
        let all = flushing::<BlkParse>(lines).unwrap();
        assert_eq!(all, [write, flush, Request { time, ..flush }, through]);
        let without = requests::<BlkParse>(lines).unwrap();
        assert_eq!(without, [write, Request { op: Op::Write, ..through }]);
    }

    /// The kernel's name of a flush on its way to the driver.
    #[test]
    fn a_write_behind_a_flush_without_sectors_is_a_flush_alone() {
        let [flush] = flushing::<BlkParse>("8,0 1 1 0.0 1 Q FWS [a]\n").unwrap()[..] else {
            panic!("expected one request")
        };
        assert_eq!((flush.op, flush.offset, flush.length), (Op::Flush, 0, 0));
    }

    #[test]
    fn a_flush_of_no_sectors_is_counted_once() {
        let lines = "8,0 1 1 0.0 1 Q W 8 + 8 [a]\n8,0 1 2 0.5 1 Q FWS 0 + 0 [a]\n";
        let read = |flushes| {
            let options = TraceOptions { flushes, ..TraceOptions::default() };
            let mut source = read_stream(Box::new(lines.as_bytes()), &options).unwrap();
            let requests = source.rest().unwrap();
            (requests.len(), source.remarks())
        };
        let left_out = "left out 1 flushes; input.flushes = true takes them";
        assert_eq!(read(false), (1, vec![left_out.into()]));
        assert_eq!(read(true), (2, Vec::new()));
    }

    #[test]
    fn a_bad_line_is_told_in_one_line() {
        for (line, found) in [
            ("8;0 1 1 0.0 1 Q W 8 + 8 [a]", r#"column 1 (device): found "8;0", expected major,"#),
            ("8,1000000 1 1 0.0 1 Q W 8 + 8 [a]", r#"column 1 (device): found "8,1000000""#),
            ("4096,0 1 1 0.0 1 Q W 8 + 8 [a]", r#"column 1 (device): found "4096,0""#),
            ("8,+1 1 1 0.0 1 Q W 8 + 8 [a]", r#"column 1 (device): found "8,+1""#),
            ("8,0 x 1 0.0 1 Q W 8 + 8 [a]", r#"column 2 (cpu): found "x""#),
            ("8,0 1 1 NaN 1 Q W 8 + 8 [a]", r#"column 4 (time): found "NaN", expected seconds"#),
            ("8,0 1 1 -1.0 1 Q W 8 + 8 [a]", r#"column 4 (time): found "-1.0""#),
            ("8,0 1 1 1e308 1 Q W 8 + 8 [a]", r#"column 4 (time): found "1e308""#),
            ("8,0 1 1 0.0 1 QUEUE W 8 + 8 [a]", r#"column 6 (action): found "QUEUE""#),
            ("8,0 1 1 0.0 1 Q X 8 + 8 [a]", r#"column 7 (RWBS): found "X""#),
            ("8,0 1 1 0.0 1 Q W\0 8 + 8 [a]", r#"column 7 (RWBS): found "W\0""#),
            ("8,0 1 1 0.0 1 Q W 0x8 + 8 [a]", r#"column 8 (sector): found "0x8""#),
            ("8,0 1 1 0.0 1 Q W 8 / 8 [a]", r#"column 9 (+): found "/", expected a plus"#),
            (
                "8,0 1 1 0.0 1 Q W 8 8 a",
                r#"found "8", expected a plus sign, as blkparse prints it"#,
            ),
            ("8,0 1 1 0.0 1 Q W 8 + [a]", r#"column 10 (sectors): found "[a]""#),
            ("8,0 1 1 0.0 1 Q W 8 + 2097153 [a]", "longer than 1 GiB"),
            ("8,0 1 1 0.0 1 Q D 8 + 137438953473 [a]", "longer than 64 TiB"),
            ("8,0 1 1 0.0 1 Q W 36028797018963968 + 8 [a]", "address 36028797018963968"),
            ("8,0 1 1 0.0 1 Q W 8", "found 8 columns"),
            ("8,0 1 1 0.0", "found 4 columns"),
            ("Reads Queued: 1", r#"column 1 (device): found "Reads""#),
        ] {
            misread::<BlkParse>(line, found);
        }
    }
}
