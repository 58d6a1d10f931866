//! The text of `biosnoop` of bcc and libbpf-tools: completed requests of Linux' block layer.
//!
//! ```text
//! TIME(s)     COMM           PID    DISK    T SECTOR     BYTES  QUE(ms) LAT(ms)
//! 0.000004001 supervise      1950   sda     W 13092568   4096      0.01    0.74
//! ```
//!
//! The header says which columns there are behind the process' name, which may have blanks. The time is
//! that of completion, so a request arrived earlier by the time in the queue and the latency. Lines without a disk
//! are of requests whose start was missed, and are left out.

use super::TimeOrder;
use super::field::{Column, Fields, Mistake, Separator, quoted};
use super::gate::{Clock, RawRequest};
use super::lost;
use super::names::Names;
use super::number;
use super::rwbs;
use super::text::{self, LineFormat, Sample, Verdict};
use super::time::{DAY_NS, Time, TimeUnit};
use crate::request::Op;
use std::mem;

const SECTOR_BYTES: u64 = 512;
const MOST_DISKS: usize = 10_000;

const TIME: &[u8] = b"TIME(s)";
const COMM: &[u8] = b"COMM";
/// The columns that are read, as the header names them.
const READ: [&[u8]; 5] = [b"DISK", b"T", b"SECTOR", b"BYTES", b"LAT(ms)"];
const QUEUED: &[u8] = b"QUE(ms)";
/// The first lines, one of which is the header.
const MOST_IN_FRONT: usize = 16;
/// Columns behind the process' name.
const MOST_COLUMNS: usize = 16;

/// Where the columns are, counted from the last.
#[derive(Clone, Copy)]
struct Places {
    read: [usize; READ.len()],
    queued: Option<usize>,
    /// Words that a line has at least: a disk and a name may be missing.
    least: usize,
}

#[derive(Clone, Default)]
pub(super) struct Biosnoop {
    places: Option<Places>,
    disks: Names,
    without_disk: u64,
    /// Lines in front of the header.
    in_front: usize,
    /// Events that the recorder says it lost.
    lost: u64,
    /// Headers behind the first: each begins another recording, whose times start again.
    further: u32,
}

impl LineFormat for Biosnoop {
    const NAME: &'static str = "biosnoop";
    const SUMMARY: &'static str = "biosnoop of bcc and libbpf-tools; arrivals computed and sorted";
    const COLUMNS: &'static [Column] = &[
        Column::new("TIME(s)", "seconds, of completion"),
        Column::new("DISK", "a name"),
        Column::new("T", "R, W or other letters of RWBS"),
        Column::new("SECTOR", "a whole number of 512-byte sectors"),
        Column::new("BYTES", "a whole number of bytes"),
        Column::new("QUE(ms)", "milliseconds, if the header has it"),
        Column::new("LAT(ms)", "milliseconds"),
    ];
    const SEPARATOR: Separator = Separator::Blanks;
    const TIME: Time = Time::decimal(TimeUnit::Seconds);
    const OFFSET_UNIT: u64 = SECTOR_BYTES;
    const UNITS_MAY_BE_SAID: bool = false;
    const SOURCE: &'static str = "biosnoop (bcc, libbpf-tools), also with -Q";
    const ORDER: TimeOrder = TimeOrder::Sort;

    fn clock(&self) -> Clock {
        Clock { setting: self.further, ..Clock::NANOSECONDS }
    }

    fn parse_line(&mut self, mut fields: Fields) -> Result<Option<RawRequest>, Mistake> {
        let line = fields.line();
        if fields.peek() == TIME {
            let places = Some(Places::of(line)?);
            self.further += u32::from(mem::replace(&mut self.places, places).is_some());
            return Ok(None);
        }
        if !line.first().is_some_and(u8::is_ascii_digit)
            && let Some(count) = lost::events(line)
        {
            self.lost = self.lost.saturating_add(count);
            return Ok(None);
        }
        let Some(places) = self.places else {
            self.in_front += 1;
            let is_time = fields.peek().first().is_some_and(|b| *b == b'-' || b.is_ascii_digit());
            let is_row = is_time && fields.peek().contains(&b'.');
            let is_in_front = !is_row && self.in_front < MOST_IN_FRONT;
            return if is_in_front { Ok(None) } else { Err(no_header()) };
        };
        // A day is put in front of time 0, as requests arrived before they were completed, and what another processor
        // recorded before the first event has a time below 0.
        let completed = match line.first() {
            Some(b'-') => {
                fields.understood(|time| DAY_NS.checked_sub(number::decimal(&time[1..], 9)?))?
            }
            _ => fields.time()?.saturating_add(DAY_NS),
        };
        let words = Words::of(line);
        if words.count < places.least {
            return Err(wrapped(words.count));
        }
        let [disk, op, sector, bytes, latency] = places.read.map(|place| words.before_last(place));
        if disk.is_empty() || disk.iter().all(u8::is_ascii_digit) || sector == b"-1" {
            self.without_disk += 1;
            return Ok(None);
        }
        let milliseconds = |word| number::decimal(word, 6).ok_or_else(|| wrong("LAT(ms)", word));
        let queued = places.queued.map_or(Ok(0), |place| milliseconds(words.before_last(place)))?;
        let taken = milliseconds(latency)?.saturating_add(queued);
        let rwbs = rwbs::operation(op).ok_or_else(|| wrong("T", op))?;
        let sector = number::integer(sector).ok_or_else(|| wrong("SECTOR", sector))?;
        let bytes = number::integer(bytes).ok_or_else(|| wrong("BYTES", bytes))?;
        let Some(op) = rwbs.op.or(rwbs.flushes.then_some(Op::Flush)) else { return Ok(None) };
        let ticks = completed.checked_sub(taken).ok_or_else(|| wrong("LAT(ms)", latency))?;
        let volume = self.disks.number(disk, MOST_DISKS).ok_or_else(|| wrong("DISK", disk))?;
        let raw = RawRequest::new(op, sector, bytes).at(ticks).in_volume(volume);
        raw.in_units(SECTOR_BYTES, 1).map(Some)
    }

    fn recognise(sample: &Sample) -> Verdict {
        let headed =
            |line: &[u8]| line.trim_ascii_start().starts_with(TIME) && Places::of(line).is_ok();
        // A shell or a compiler may have spoken before.
        if sample.lines().take(MOST_IN_FRONT).any(headed) { Verdict::Yes } else { Verdict::No }
    }

    fn may_skip_header(&self) -> bool {
        false
    }

    fn without_requests(&self) -> Mistake {
        match self.places {
            None => no_header(),
            Some(_) => Mistake::no_request(),
        }
    }

    fn remarks(&self) -> Vec<String> {
        let (count, lost, further) = (self.without_disk, self.lost, self.further);
        let without = (count > 0).then(|| format!("left out {count} lines without a disk"));
        without.into_iter().chain(lost::remark(lost)).chain(text::further(further)).collect()
    }
}

impl Places {
    fn of(header: &[u8]) -> Result<Self, Mistake> {
        let names = || header.split(u8::is_ascii_whitespace).filter(|name| !name.is_empty()).rev();
        let place = |wanted: &[u8]| {
            names().take_while(|name| *name != COMM).position(|name| name == wanted)
        };
        let mut read = [0; READ.len()];
        for (at, name) in read.iter_mut().zip(READ) {
            *at = place(name).filter(|place| *place < MOST_COLUMNS).ok_or_else(no_header)?;
        }
        let queued = place(QUEUED).filter(|place| *place < MOST_COLUMNS);
        Ok(Self { read, queued, least: names().count().saturating_sub(2) })
    }
}

/// The last words of a line, the last one first.
struct Words<'a> {
    last: [&'a [u8]; MOST_COLUMNS],
    /// How many there are, up to [`MOST_COLUMNS`].
    count: usize,
}

impl<'a> Words<'a> {
    fn of(line: &'a [u8]) -> Self {
        let mut last = [&line[..0]; MOST_COLUMNS];
        let found = line.rsplit(u8::is_ascii_whitespace).filter(|word| !word.is_empty());
        let mut count = 0;
        for (word, found) in last.iter_mut().zip(found) {
            *word = found;
            count += 1;
        }
        Self { last, count }
    }

    /// The word `place` words before the last; empty if there is none.
    fn before_last(&self, place: usize) -> &'a [u8] {
        self.last[place]
    }
}

#[cold]
fn no_header() -> Mistake {
    Mistake(
        "found no header, expected TIME(s) COMM PID DISK T SECTOR BYTES LAT(ms) as biosnoop prints it"
            .into(),
    )
}

#[cold]
fn wrapped(words: usize) -> Mistake {
    Mistake(format!(
        "found {words} words, expected a line as wide as the header; a terminal may have wrapped it: \
         record with biosnoop > FILE"
    ))
}

#[cold]
fn wrong(column: &str, found: &[u8]) -> Mistake {
    let columns = Biosnoop::COLUMNS.iter();
    let expected = columns.into_iter().find(|each| each.name == column).map_or("", |c| c.expected);
    Mistake(format!("column {column}: found {}, expected {expected}", quoted(found)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::request::Op;
    use crate::trace::checks::{flushing, requests};

    const HEADER: &str = "TIME(s)     COMM           PID    DISK    T SECTOR     BYTES   LAT(ms)\n";

    #[test]
    fn arrivals_are_completions_less_latencies() {
        let lines = "0.000004  supervise  1950 sda  W  8 4096 0.74\n\
            0.000178  Socket Thread 1  19 sdb  R  16 512 1.61\n\
            0.5  ?  0  R 0 8192 0.10\n0.6 ? 0 sda R -1 8192 0.10\n";
        let found = requests::<Biosnoop>(&[HEADER, lines].concat()).unwrap();
        let shown: Vec<_> =
            found.iter().map(|r| (r.time, r.volume, r.op, r.offset / 512, r.length)).collect();
        assert_eq!(shown, [(0, 1, Op::Read, 16, 512), (696_000, 0, Op::Write, 8, 4096)]);
    }

    #[test]
    fn lines_may_be_in_front_of_the_header_and_times_below_0() {
        let front = "1 warning generated.\nTracing... Hit Ctrl-C to end.\n";
        let lines = "-0.000021 fio 9 sda R 8 4096 0.21\n0.000100 fio 9 sda W 16 512 0.11\n";
        let found = requests::<Biosnoop>(&[front, HEADER, lines].concat()).unwrap();
        assert_eq!(found.iter().map(|r| r.time).collect::<Vec<_>>(), [0, 221_000]);
        for text in [lines, "foo bar\nbaz qux\n", &"foo\n".repeat(40)] {
            let error = requests::<Biosnoop>(text).unwrap_err().to_string();
            assert!(error.contains("found no header"), "{error}");
        }
    }

    #[test]
    fn time_in_the_queue_counts_where_the_header_has_it() {
        let header = "TIME(s) COMM PID DISK T SECTOR BYTES QUE(ms) LAT(ms)\n";
        let lines = "1.0 a 1 sda WS 8 4096 0.50 1.00\n1.0 a 1 sda R 8 4096 0.00 0.25\n";
        let found = requests::<Biosnoop>(&[header, lines].concat()).unwrap();
        assert_eq!(found[1].time, 1_250_000);
    }

    #[test]
    fn recordings_that_are_joined_follow_each_other() {
        let first = "0.1 a 1 sda W 8 4096 0.00\n20.1 a 1 sda W 16 4096 0.00\n";
        let second = "0.2 a 1 sda R 8 4096 0.00\n0.5 a 1 sda R 16 4096 0.00\n";
        let found = requests::<Biosnoop>(&[HEADER, first, HEADER, second].concat()).unwrap();
        let times: Vec<_> = found.iter().map(|r| r.time / 100_000_000).collect();
        assert_eq!(times, [0, 200, 200, 203]);
    }

    #[test]
    fn messages_of_lost_events_are_counted() {
        let line = "0.1 a 1 sda W 8 4096 0.00\n";
        let lost = "Possibly lost 12 samples\nlost 3 events on CPU #1\n";
        let text = [HEADER, line, lost, line].concat();
        assert_eq!(requests::<Biosnoop>(&text).unwrap().len(), 2);
        let mut format = Biosnoop::default();
        for line in text.lines() {
            let fields = Fields::new(line.as_bytes(), Separator::Blanks, Biosnoop::COLUMNS);
            assert!(format.parse_line(fields.timed(Biosnoop::TIME)).is_ok(), "{line}");
        }
        assert_eq!(format.remarks(), ["the recorder lost 15 events"]);
    }

    #[test]
    fn flushes_without_data_are_flushes() {
        let lines = "1.0 a 1 sda FF 0 0 1.00\n1.0 a 1 sda W 8 4096 0.25\n";
        let found = flushing::<Biosnoop>(&[HEADER, lines].concat()).unwrap();
        assert_eq!(found.iter().map(|r| r.op).collect::<Vec<_>>(), [Op::Flush, Op::Write]);
    }

    #[test]
    fn a_bad_line_is_told_in_one_line() {
        for (line, expected) in [
            ("x a 1 sda W 8 4096 0.1", r#"found "x""#),
            ("1 a 1 sda X 8 4096 0.1", r#"column T: found "X""#),
            ("1 a 1 sda W x 4096 0.1", r#"column SECTOR: found "x""#),
            ("1 a 1 sda W 8 -4 0.1", r#"column BYTES: found "-4""#),
            ("1 a 1 sda W 8 4096 1e300", r#"column LAT(ms): found "1e300""#),
            ("1 a 1 sda W 8 4096 99999999999", r#"column LAT(ms): found "99999999999""#),
        ] {
            let error = requests::<Biosnoop>(&[HEADER, line].concat()).unwrap_err().to_string();
            assert!(error.starts_with("trace:2: ") && error.contains(expected), "{error}");
        }
        let wrapped = [HEADER, "1 a 1 sda W\n8 4096 0.1\n"].concat();
        let error = requests::<Biosnoop>(&wrapped).unwrap_err().to_string();
        assert!(error.contains("found 5 words"), "{error}");
        let error = requests::<Biosnoop>("1 a 1 sda W 8 4096 0.1").unwrap_err().to_string();
        assert!(error.contains("found no header"), "{error}");
    }
}
