//! fio's I/O logs, versions 2 and 3, which `write_iolog` writes and `read_iolog` replays.
//!
//! ```text
//! fio version 2 iolog                 fio version 3 iolog
//! file add|open|close                 time file add|open|close
//! file action offset length           time file action offset length
//! ```
//!
//! Bytes; actions are `read`, `write` and `trim`, `sync` and `datasync`, which are flushes, and `wait`, which
//! is no request. Version 3 has microseconds from the start, as fio's `iolog.c` writes them. Version 2 has
//! no times but those of `wait`, whose offset is the microseconds since the wait before (fio's
//! manual). Where several jobs wrote one log (`numjobs`), each begins with a header of its own and its
//! times count from the same start, so requests are sorted. Each file is a volume, numbered in the order of first mention.

use super::TimeOrder;
use super::doubt::{in_thousands, mean_gap, question};
use super::field::{Column, Fields, Mistake, Separator, quoted};
use super::gate::RawRequest;
use super::names::Names;
use super::text::{LineFormat, Sample, Verdict};
use super::time::{Time, TimeUnit};
use crate::request::Op;

const HEADER: &[u8] = b"fio version ";
const HEADER_2: &[u8] = b"fio version 2 iolog";
const HEADER_3: &[u8] = b"fio version 3 iolog";
/// A mean gap from which on microseconds are doubted.
const SECOND_TICKS: f64 = 1e6;
/// The longest file name that fio scans, in bytes.
const LONGEST_NAME: usize = 256;
const MOST_FILES: usize = 10_000;

const FILE: Column = Column::new("file", "a name of up to 256 bytes");
const ACTION: Column = Column::new(
    "action",
    "add, open, close, read, write, trim, sync, datasync, or wait in version 2",
);
const OFFSET: Column = Column::new("offset", "a whole number of bytes, of microseconds to wait");
const LENGTH: Column = Column::new("length", "a whole number of bytes");
const VERSION_2: &[Column] = &[FILE, ACTION, OFFSET, LENGTH];

/// Lines from which the version of a file without its header is told.
const MOST_LINES: usize = 20;

/// What is known from the lines so far.
#[derive(Clone, Default)]
pub(super) struct Fio {
    /// Whether each line has a time; unknown before the header.
    timed: Option<bool>,
    /// Microseconds of all waits so far.
    waited: u64,
    files: Names,
}

/// The version of a log whose header is lost, if files are added, opened or closed in its first lines.
pub(super) fn without_header(sample: &Sample) -> Option<u8> {
    let is_of = |timed: bool| {
        let mut log = Fio { timed: Some(timed), ..Fio::default() };
        let fields = |line| Fields::new(line, Fio::SEPARATOR, Fio::COLUMNS).timed(Fio::TIME);
        let lines = sample.lines().take(MOST_LINES).map(|line| log.parse_line(fields(line)));
        let lines: Result<Vec<_>, Mistake> = lines.collect();
        lines.is_ok_and(|lines| lines.iter().any(Option::is_none))
    };
    if is_of(true) { Some(3) } else { is_of(false).then_some(2) }
}

enum Action {
    Request(Op),
    Wait,
    /// Has neither offset nor length.
    File,
}

impl LineFormat for Fio {
    const NAME: &'static str = "fio";
    const SUMMARY: &'static str = "fio iolog, versions 2 (times only by wait) and 3";
    const COLUMNS: &'static [Column] = &[
        Column::new("time", "a whole number of microseconds; only in version 3"),
        FILE,
        ACTION,
        OFFSET,
        LENGTH,
    ];
    const SEPARATOR: Separator = Separator::Blanks;
    const TIME: Time = Time::whole(TimeUnit::Microseconds);
    const OFFSET_UNIT: u64 = 1;
    const SOURCE: &'static str = "fio --write_iolog; tools that make logs for fio to replay";

    #[inline(always)]
    fn parse_line(&mut self, mut fields: Fields) -> Result<Option<RawRequest>, Mistake> {
        let Some(timed) = self.timed else {
            self.timed = Some(has_times(fields.line())?);
            return Ok(None);
        };
        if fields.line().starts_with(HEADER) {
            self.timed = Some(has_times(fields.line())?);
            self.waited = 0;
            return Ok(None);
        }
        let time = if timed { Some(fields.time()?) } else { None };
        if !timed {
            fields = fields.again(VERSION_2);
        }
        let name = fields.understood(|name| (name.len() <= LONGEST_NAME).then_some(name))?;
        let action = fields.understood(|word| action(word, timed))?;
        let volume = self.volume(name)?;
        if let Action::File = action {
            return fields.finish().map(|()| None);
        }
        let Action::Request(op) = action else {
            let wait = fields.time()?;
            let waited = self.waited.checked_add(wait);
            self.waited = waited.ok_or_else(|| too_long_a_wait(wait))?;
            fields.integer()?;
            return fields.finish().map(|()| None);
        };
        let offset = fields.integer()?;
        let length = fields.integer()?;
        fields.finish()?;
        let ticks = time.unwrap_or(self.waited);
        Ok(Some(RawRequest::new(op, offset, length).at(ticks).in_volume(volume)))
    }

    /// Version 3 in nanoseconds, as newer versions of fio and other tools write it.
    const DOUBT: Option<fn(&Sample) -> Option<String>> = Some(|sample| {
        let timed = sample.first().and_then(|line| has_times(line).ok())?;
        let requests: Vec<RawRequest> = sample.requests::<Self>().collect();
        let found = if !timed {
            return None;
        } else if in_thousands(&requests) {
            "all times are multiples of 1,000, so they may be nanoseconds as well as the \
             microseconds of fio's manual"
        } else if mean_gap(&requests).is_some_and(|ticks| ticks >= SECOND_TICKS) {
            "requests come a second or more apart if times are the microseconds of fio's manual, \
             and may be nanoseconds"
        } else {
            return None;
        };
        Some(question(found, &[TimeUnit::Microseconds, TimeUnit::Nanoseconds]))
    });

    /// Logs of several jobs lie one behind the other, and each counts from the start of all.
    const ORDER_OF: Option<fn(&Sample) -> TimeOrder> = Some(|sample| {
        let headers = sample.lines().filter(|line| has_times(line).is_ok()).count();
        if headers > 1 { TimeOrder::Sort } else { TimeOrder::Error }
    });

    fn recognise(sample: &Sample) -> Verdict {
        match sample.first().map(has_times) {
            Some(Ok(_)) => Verdict::Yes,
            _ => Verdict::No,
        }
    }
}

impl Fio {
    fn volume(&mut self, name: &[u8]) -> Result<u32, Mistake> {
        let found = self.files.number(name, MOST_FILES);
        found.ok_or_else(|| Mistake(format!("found more than {MOST_FILES} files, expected fewer")))
    }
}

/// Whether the lines behind this header have times.
fn has_times(header: &[u8]) -> Result<bool, Mistake> {
    match header.trim_ascii() {
        HEADER_2 => Ok(false),
        HEADER_3 => Ok(true),
        _ => Err(Mistake(format!(
            "found {}, expected \"fio version 2 iolog\" or \"fio version 3 iolog\" as first line",
            quoted(header)
        ))),
    }
}

fn action(word: &[u8], timed: bool) -> Option<Action> {
    match word {
        b"read" => Some(Action::Request(Op::Read)),
        b"write" => Some(Action::Request(Op::Write)),
        b"trim" => Some(Action::Request(Op::Trim)),
        b"wait" if !timed => Some(Action::Wait),
        b"sync" | b"datasync" => Some(Action::Request(Op::Flush)),
        b"add" | b"open" | b"close" => Some(Action::File),
        _ => None,
    }
}

#[cold]
fn too_long_a_wait(microseconds: u64) -> Mistake {
    Mistake(format!(
        "found a wait of {microseconds} microseconds, expected waits of less than 292 years in all"
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::request::Request;
    use crate::trace::checks::{flushing, requests};

    const START_2: &str = "fio version 2 iolog\n/dev/sda add\n/dev/sda open\n";
    const START_3: &str = "fio version 3 iolog\n0 /dev/sda add\n4 /dev/sda open\n";

    fn all(start: &str, lines: &str) -> Result<Vec<Request>, String> {
        requests::<Fio>(&[start, lines].concat()).map_err(|error| error.to_string())
    }

    #[test]
    fn version_2_takes_its_times_from_waits() {
        let lines = "/dev/sda write 0 4096\n/dev/sda wait 250 0\n/dev/sda sync 0 0\n\
                     /dev/sdb add\n/dev/sdb read 8192 512\n/dev/sda wait 50 0\n\
                     /dev/sda trim 4096 4096\n/dev/sda close\n";
        let write = Request::new(Op::Write, 0, 4096);
        let read = Request::new(Op::Read, 8192, 512).at(250_000).in_volume(1);
        let trim = Request::new(Op::Trim, 4096, 4096).at(300_000);
        assert_eq!(all(START_2, lines).unwrap(), [write, read, trim]);
    }

    #[test]
    fn version_3_has_microseconds_in_front() {
        let lines = "9 /dev/sda write 0 4096\n259 /dev/sda trim 8192 4096\n301 /dev/sda close\n";
        let write = Request::new(Op::Write, 0, 4096);
        let trim = Request { time: 250_000, offset: 8192, op: Op::Trim, ..write };
        assert_eq!(all(START_3, lines).unwrap(), [write, trim]);
    }

    #[test]
    fn syncs_are_flushes() {
        let lines = "9 /dev/sda write 0 4096\n10 /dev/sda sync 0 0\n12 /dev/sda datasync 7 0\n";
        let write = Request::new(Op::Write, 0, 4096);
        let sync = Request { time: 1000, offset: 0, length: 0, op: Op::Flush, ..write };
        let all = flushing::<Fio>(&[START_3, lines].concat()).unwrap();
        assert_eq!(all, [write, sync, Request { time: 3000, ..sync }]);
        assert_eq!(requests::<Fio>(&[START_3, lines].concat()).unwrap(), [write]);
    }

    #[test]
    fn a_bad_line_is_told_in_one_line() {
        let long = format!("{} add", "x".repeat(257));
        let twice = format!("f wait {} 0\nf wait 1 0", u64::MAX);
        for (start, line, found) in [
            ("", "fio version 1 iolog", "expected \"fio version 2 iolog\""),
            (START_2, "/dev/sda erase 0 4096", r#"column 2 (action): found "erase""#),
            (START_2, "/dev/sda write -1 4096", r#"column 3 (offset): found "-1""#),
            (START_2, "/dev/sda write 0 1e308", r#"column 4 (length): found "1e308""#),
            (START_2, "/dev/sda write 0", "found 3 columns"),
            (START_2, "/dev/sda open 0 0", "found 4 columns"),
            (START_2, "/dev/sda write 0 1073741825", "longer than 1 GiB"),
            (START_2, "/dev/sda write 9223372036854775807 512", "below 2^63"),
            (START_2, &long, "column 1 (file)"),
            (START_2, &twice, "found a wait of 1 microseconds"),
            (START_2, "a\0b add", r#"column 1 (file): found "a\0b""#),
            (START_3, "9 /dev/sda wait 250 0", r#"column 3 (action): found "wait""#),
            (START_3, "NaN /dev/sda read 0 512", r#"column 1 (time): found "NaN""#),
            (START_3, "/dev/sda read 0 512", r#"column 1 (time): found "/dev/sda""#),
            (START_3, "18446744073709551616 f add", r#"column 1 (time): found "18446744"#),
        ] {
            let text = all(start, line).unwrap_err();
            assert!(text.contains(found), "{text}\nexpected {found}");
            assert!(!text.contains(char::is_control), "{text:?}");
        }
        assert!(all(START_2, "").unwrap_err().contains("found no request"));
        let back = all(START_3, "9 f read 0 512\n8 f read 0 512\n").unwrap_err();
        assert!(back.contains("time goes back"), "{back}");
    }

    #[test]
    fn files_are_not_numbered_without_end() {
        let lines: String = (0..=MOST_FILES).map(|i| format!("f{i} add\n")).collect();
        assert!(all(START_2, &lines).unwrap_err().contains("more than 10000 files"));
    }
}
