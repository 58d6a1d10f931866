//! Block events in the text of ftrace, `trace-cmd report` and `perf script`.
//!
//! ```text
//!   dd-1107  [002] .....   406.206441: block_bio_queue: 8,48 WS 768 + 32 [dd]
//!   dd-1107  [002] .....   406.206450: block_rq_issue: 8,48 WS 16384 () 768 + 32 none,0,0 [dd]
//!   dd  1107 [002]   406.206450: block:block_rq_issue: 8,48 WS 16384 () 768 + 32 [dd]
//! ```
//!
//! Seconds in front of the event, then the device, RWBS, and the sectors around a plus sign. The
//! first event that queues or issues says which of both is taken, unless the user does. All other
//! lines are skipped.

use super::TraceOptions;
use super::blkparse::device;
use super::block::{Events, NO_SECTOR, Stage, mapped_from};
use super::doubt::gaps;
use super::field::{Column, Fields, Mistake, Separator, quoted};
use super::gate::RawRequest;
use super::lost;
use super::rwbs;
use super::text::{LineFormat, Sample, Verdict};
use super::time::{Time, TimeUnit};

const SECTOR_BYTES: u64 = 512;
const STAMP: &[Column] = &[Column::new("time", "seconds, such as 406.206441")];
const SECTORS: &[Column] = &[Column::new("sectors", "a whole number of 512-byte sectors")];

/// In front of a request to a device that is mapped to another one.
const REMAP: &[u8] = b"bio_remap:";

/// The events that are requests at their stage.
const EVENTS: [(&[u8], Stage); 3] =
    [(b"bio_queue", Stage::Queue), (b"rq_issue", Stage::Issue), (b"rq_complete", Stage::Complete)];

/// What is known from the lines so far.
#[derive(Clone, Default)]
pub(super) struct Ftrace {
    events: Events,
    /// Events that the recorder says it lost.
    lost: u64,
}

impl LineFormat for Ftrace {
    const NAME: &'static str = "ftrace";
    const SUMMARY: &'static str = "block events of ftrace, trace-cmd report and perf script";
    const COLUMNS: &'static [Column] = &[
        Column::new("time", "seconds, such as 406.206441"),
        Column::new("event", "block_bio_queue, block_rq_issue or block_rq_complete"),
        Column::new("device", "major,minor such as 8,16 (up to 4095,999999)"),
        Column::new("RWBS", "R, W, D or N with flags around"),
        Column::new("sector", "a whole number of 512-byte sectors"),
        Column::new("sectors", "a whole number of 512-byte sectors"),
    ];
    const SEPARATOR: Separator = Separator::Blanks;
    const TIME: Time = Time::decimal(TimeUnit::Seconds);
    const OFFSET_UNIT: u64 = SECTOR_BYTES;
    const DOUBT: Option<fn(&Sample) -> Option<String>> = Some(gaps::<Self>);
    const SOURCE: &'static str =
        "/sys/kernel/tracing/trace, trace-cmd report, perf script of block:*";
    const TAKES: &'static [&'static str] = &["stage"];

    fn with(options: &TraceOptions) -> Result<Self, Mistake> {
        Ok(Self { events: Events::of(options.stage), ..Self::default() })
    }

    fn parse_line(&mut self, fields: Fields) -> Result<Option<RawRequest>, Mistake> {
        let line = fields.line();
        let Some((front, name)) = event(line) else {
            self.lost = self.lost.saturating_add(lost::events(line).unwrap_or(0));
            return Ok(None);
        };
        let Some((stage, behind)) = known(name) else {
            if let Some((from, to)) = remapped(name) {
                self.events.remap(from, to);
            }
            return Ok(None);
        };
        if stage != Stage::Complete {
            self.events.stage.get_or_insert(stage);
        }
        if !self.events.takes(stage) {
            return Ok(None);
        }
        let stamp = last_word(front);
        if !stamp.contains(&b'.') && !fields.time_is_said(Self::TIME) {
            return Err(other_clock(front, stamp));
        }
        let ticks = fields.of(stamp, STAMP).time()?;
        let mut words = behind.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty());
        let volume = words.next().and_then(device).ok_or_else(|| expected("device", behind))?;
        let rwbs = words.next().and_then(rwbs::operation);
        let rwbs = rwbs.ok_or_else(|| expected("RWBS", behind))?;
        self.events.request((ticks, volume), rwbs, extent(&fields, words)?)
    }

    fn rest_of_line(&mut self) -> Option<RawRequest> {
        self.events.rest()
    }

    /// Each event of the block layer ends in the name of a process, in brackets.
    fn may_be_cut(line: &[u8]) -> bool {
        event(line).is_some() && line.trim_ascii_end().last() != Some(&b']')
    }

    fn remarks(&self) -> Vec<String> {
        self.events.remarks().into_iter().chain(lost::remark(self.lost)).collect()
    }

    fn without_requests(&self) -> Mistake {
        self.events.without_requests()
    }

    fn recognise(sample: &Sample) -> Verdict {
        // Each line of another kind is skipped, so one event is enough.
        let is_known = |line| event(line).is_some_and(|(_, name)| known(name).is_some());
        let found = sample.lines().any(is_known);
        if found { Verdict::Yes } else { Verdict::No }
    }
}

/// What is before the name of an event of the block layer, and the name without `block_` with what is behind.
fn event(line: &[u8]) -> Option<(&[u8], &[u8])> {
    // `perf script` aligns names to the right, and a process may have any name.
    let mut words = memchr::memmem::find_iter(line, b" block");
    let (front, behind) = words.find_map(|at| Some((stamped(&line[..at])?, &line[at + 1..])))?;
    Some((front, behind.strip_prefix(b"block:").unwrap_or(behind).strip_prefix(b"block_")?))
}

/// The stage of an event that is known, and what is behind its name.
fn known(name: &[u8]) -> Option<(Stage, &[u8])> {
    let end = memchr::memchr(b':', name)?;
    let (_, stage) = EVENTS.iter().find(|(event, _)| *event == &name[..end])?;
    Some((*stage, &name[end + 1..]))
}

/// The text in front of an event without the colon behind its time, and without the period of `perf script` or the
/// gap of `trace-cmd report --ts-diff`, as `(+264518)`.
fn stamped(front: &[u8]) -> Option<&[u8]> {
    let front = front.trim_ascii_end();
    let stamp = front.strip_suffix(b":").map(<[u8]>::trim_ascii_end);
    stamp.or_else(|| {
        let word = last_word(front);
        let gap = word.strip_prefix(b"(+").and_then(|gap| gap.strip_suffix(b")"));
        let digits = gap.map_or(word, |gap| gap.strip_prefix(b"-").unwrap_or(gap));
        let is_number = !digits.is_empty() && digits.iter().all(u8::is_ascii_digit);
        is_number.then(|| front[..front.len() - word.len()].trim_ascii_end().strip_suffix(b":"))?
    })
}

fn last_word(text: &[u8]) -> &[u8] {
    text.rsplit(u8::is_ascii_whitespace).next().unwrap_or_default()
}

/// The sector before the plus sign and the number of sectors behind it. The bytes of a command of SCSI are in parentheses
/// before, which are empty for reads and writes.
fn extent<'a>(
    fields: &Fields<'a>,
    mut words: impl Iterator<Item = &'a [u8]>,
) -> Result<Option<(u64, u64)>, Mistake> {
    let (mut before, mut earlier): (&[u8], &[u8]) = (b"", b"");
    while let Some(word) = words.next() {
        if word == b"+" {
            if earlier.ends_with(b")") && earlier != b"()" {
                return Ok(Some((NO_SECTOR, 0)));
            }
            let sectors = words.next().unwrap_or_default();
            let number = |word| fields.of(word, SECTORS).integer();
            return Ok(Some((number(before)?, number(sectors)?)));
        }
        (before, earlier) = (word, before);
    }
    Ok(None)
}

/// The devices of `bio_remap: 8,0 R 28207448 + 8 <- (253,0) 28205400`, where the request comes from first.
fn remapped(name: &[u8]) -> Option<(u32, u32)> {
    let behind = name.strip_prefix(REMAP)?.trim_ascii_start();
    Some((mapped_from(behind)?, device(behind.split(|b| *b == b' ').next()?)?))
}

#[cold]
fn other_clock(front: &[u8], stamp: &[u8]) -> Mistake {
    // `Tue Nov 14 22:13:20.264518 2023`
    let before = last_word(front[..front.len() - stamp.len()].trim_ascii_end());
    if memchr::memchr_iter(b':', before).count() == 2 {
        let before = quoted(before);
        return Mistake(format!(
            "found the date of {before}, expected seconds; trace-cmd report --nodate prints them"
        ));
    }
    if memchr::memmem::find(stamp, b"us").is_some() {
        return Mistake(format!(
            "found the time {} of ftrace's latency format; read it with sed -E 's/ ([0-9]+)us[^0-9:]*: / \\1: /' \
             FILE | ftlab ... - with input.time_unit = us",
            quoted(stamp)
        ));
    }
    Mistake(format!(
        "found the time {}, whose clock counts no seconds; record with trace-cmd record -C mono, or \
         say what it counts, as input.time_unit = ns",
        quoted(stamp)
    ))
}

#[cold]
fn expected(what: &str, found: &[u8]) -> Mistake {
    let raw =
        if found.starts_with(b" dev=") { "; trace-cmd report prints it without -R" } else { "" };
    Mistake(format!("found {} behind the event, expected its {what}{raw}", quoted(found)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::request::Op;
    use crate::trace::checks::{decoded_with, misread, parse, requests};
    use crate::trace::stream::Front;

    const FILE: &str = "\
# tracer: nop
   dd-1107    [002] .....   406.206441: block_bio_queue: 8,48 WS 768 + 32 [dd]
   dd-1107    [002] .....   406.206450: block_rq_issue: 8,48 WS 16384 () 768 + 32 none,0,0 [dd]
   <idle>-0   [002] ..s1.   406.209918: block_rq_complete: 8,48 WS () 768 + 32 none,0,0 [0]
   kw/2:1H-1  [002] .....   406.300000: sched_switch: prev_comm=dd
   kw/2:1H-1  [002] .....   406.300000: block_bio_queue: 259,1024 RA 98400 + 8 [kworker/2:1H]
";

    #[test]
    fn times_since_the_event_before_are_doubted() {
        let text = |times: &[u32]| -> String {
            let line =
                |time| format!("fio 1 [0] 0.{time:06}: block:block_rq_issue: 8,0 R 8 + 8 [fio]\n");
            times.iter().map(line).collect()
        };
        let doubt = |times: &[u32]| {
            let text = text(times);
            Ftrace::DOUBT.unwrap()(&Sample::new(Front { bytes: text.as_bytes(), whole: true }))
        };
        let gaps = doubt(&[264_519, 241, 97, 1024, 55, 800, 12, 431, 90]).unwrap();
        assert!(gaps.starts_with("times go back at 5 of the first 9 requests"), "{gaps}");
        assert_eq!(doubt(&[1, 2, 4, 3, 5, 6, 7, 8, 9]), None);
    }

    #[test]
    fn devices_that_are_mapped_and_dates_are_told() {
        let remap = b"fio-1 [0] 406.2: block_bio_remap: 8,0 R 28207448 + 8 <- (253,0) 28205400";
        assert_eq!(event(remap).and_then(|(_, name)| remapped(name)), Some((253_000, 8_000)));
        assert_eq!(remapped(b"bio_queue: 8,0 R 8 + 8 [fio]"), None);
        let dated =
            "fio-1 [000] Tue Nov 14 22:13:20.264518 2023: block_bio_queue: 8,0 R 8 + 8 [fio]\n";
        let error = requests::<Ftrace>(dated).unwrap_err().to_string();
        assert!(error.contains("the date of \"22:13:20.264518\", expected seconds"), "{error}");
    }

    #[test]
    fn each_request_is_taken_once_when_it_is_queued() {
        let found = requests::<Ftrace>(FILE).unwrap();
        let seen: Vec<_> = found.iter().map(|r| (r.time, r.volume, r.offset, r.op)).collect();
        let expected =
            [(0, 8048, 393_216, Op::Write), (93_559_000, 259_001_024, 98_400 * 512, Op::Read)];
        assert_eq!(seen, expected);
    }

    #[test]
    fn the_user_may_take_another_stage() {
        let of = |stage| decoded_with(Ftrace { events: Events::of(Some(stage)), lost: 0 }, FILE);
        assert_eq!(of(Stage::Issue).unwrap()[0].length, 16_384);
        assert_eq!(of(Stage::Complete).unwrap().len(), 1);
        let only = FILE.replace("bio_queue", "rq_insert");
        assert_eq!(requests::<Ftrace>(&only).unwrap().len(), 1);
    }

    /// The remarks on a text that is read by `format`.
    fn told(mut format: Ftrace, text: &str) -> Vec<String> {
        for line in text.lines() {
            let fields = Fields::new(line.as_bytes(), Separator::Blanks, Ftrace::COLUMNS);
            format.parse_line(fields.timed(Ftrace::TIME)).unwrap();
        }
        format.remarks()
    }

    #[test]
    fn lost_events_are_counted() {
        let text = [FILE, "CPU:2 [LOST 57 EVENTS]"].concat();
        assert_eq!(told(Ftrace::default(), &text), ["the recorder lost 57 events"]);
    }

    #[test]
    fn commands_without_a_sector_are_left_out() {
        let text = "\
 a-1 [2] 406.1: block_rq_issue: 8,48 R 4096 () 776 + 8 [dd]
 a-1 [2] 406.2: block_rq_issue: 8,48 N 36 (12 00 00 00 24 00) 0 + 0 [smartctl]
 a-1 [2] 406.3: block_rq_issue: 8,48 R 512 (85 08 0e 00 00 00) 0 + 1 [smartctl]
 a-1 [2] 406.4: block_rq_complete: 8,48 N () 18446744073709551615 + 0 [0]
 a-1 [2] 406.5: block_rq_complete: 8,48 R () 18446744073709551615 + 1 [0]
 a-1 [2] 406.6: block_rq_complete: 8,48 R () 776 + 8 none,0,0 [0]
";
        for stage in [Stage::Issue, Stage::Complete] {
            let format = || Ftrace { events: Events::of(Some(stage)), lost: 0 };
            let [read] = decoded_with(format(), text).unwrap()[..] else { panic!("{stage:?}") };
            assert_eq!((read.offset, read.length), (776 * 512, 4096));
            assert_eq!(told(format(), text), ["left out 2 commands without a sector"]);
        }
    }

    #[test]
    fn perf_and_trace_cmd_write_the_same_event() {
        for line in [
            "  dd  1107 [002]   406.206450: block:block_rq_issue: 8,48 WS 16384 () 768 + 32 [dd]",
            "  a block 1 [002]   406.206450:     block:block_rq_issue: 8,48 WS 16384 () 768 + 32 [a]",
            "  dd-1107  [002]   406.206450: block_rq_issue:       8,48 WS 16384 () 768 + 32 [dd]",
            "  dd 1107 [002] 406.206450:    1 block:block_rq_issue: 8,48 WS 16384 () 768 + 32 [dd]",
            "  dd-1107 [002] 406.206450: (+26) block_rq_issue: 8,48 WS 16384 () 768 + 32 [dd]",
        ] {
            let raw = parse::<Ftrace>(line);
            assert_eq!((raw.ticks, raw.offset, raw.length), (406_206_450_000, 393_216, 16_384));
        }
    }

    #[test]
    fn a_bad_line_is_told_in_one_line() {
        for (line, found) in [
            ("a [0] x.5: block_bio_queue: 8,0 W 8 + 8 [a]", r#"column 1 (time): found "x.5""#),
            ("a [0] 15: block_bio_queue: 8,0 W 8 + 8 [a]", "whose clock counts no seconds"),
            ("a 0d.. 15us!: block_bio_queue: 8,0 W 8 + 8 [a]", "latency format"),
            ("a 0d.. 15us : block_bio_queue: 8,0 W 8 + 8 [a]", "latency format"),
            ("a [0] 1.5: block_bio_queue: 8 W 8 + 8 [a]", "expected its device"),
            ("a [0] 1.5: block_bio_queue: dev=8 sector=8", "without -R"),
            ("a [0] 1.5: block_bio_queue: 8,0 x 8 + 8 [a]", "expected its RWBS"),
            ("a [0] 1.5: block_bio_queue: 8,0 W -8 + 8 [a]", r#"(sectors): found "-8""#),
            ("a [0] 1.5: block_bio_queue: 8,0 W 8 + [a]", r#"(sectors): found "[a]""#),
        ] {
            misread::<Ftrace>(line, found);
        }
    }
}
