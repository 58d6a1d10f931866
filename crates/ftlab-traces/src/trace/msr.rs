//! MSR Cambridge: the enterprise server traces of Microsoft Research, as SNIA publishes them.
//!
//! `Timestamp,Hostname,DiskNumber,Type,Offset,Size,ResponseTime`: a Windows FILETIME (100 ns since
//! 1601), the server, its disk, `Read` or `Write`, bytes, bytes, 100 ns.
//!
//! A FILETIME times 100 does not fit a signed 64-bit number, so times are counted from the first
//! request before they are scaled. Copies circulate whose times were cut to whole seconds. A first
//! timestamp below 10^16 (a FILETIME of 1632) is taken as seconds.
//!
//! A server's disk is the volume. Servers are numbered from 0 in the order of their appearance.
//! Disk `d` of server `s` is volume 1000 s + d. With one server, that is the disk number.

use super::doubt::question;
use super::field::{Column, Fields, Mistake, Separator};
use super::gate::{Clock, RawRequest};
use super::names::Names;
use super::text::{LineFormat, Sample};
use super::time::{Time, TimeUnit};
use crate::request::Op;

const FIRST_FILETIME: u64 = 10_000_000_000_000_000;
const FILETIME_NS: u64 = 100;
const SECOND_NS: u64 = 1_000_000_000;
/// Seconds from a start never reach this (three years); 100 ns steps from a start soon do.
const LAST_SECOND: u64 = 100_000_000;
const DISKS_PER_HOST: u32 = 1000;
const MOST_HOSTS: usize = 1000;

/// The state from the lines so far.
#[derive(Clone, Default)]
pub(super) struct Msr {
    /// Nanoseconds per tick; 0 until the first line decides.
    tick_ns: u64,
    hosts: Names,
}

impl LineFormat for Msr {
    const NAME: &'static str = "msr";
    const SUMMARY: &'static str = "MSR Cambridge CSV; also copies whose times are whole seconds";
    const COLUMNS: &'static [Column] = &[
        Column::new("Timestamp", "a FILETIME in 100 ns, or seconds throughout"),
        Column::new("Hostname", "a name"),
        Column::new("DiskNumber", "a whole number below 1000"),
        Column::new("Type", "Read or Write"),
        Column::new("Offset", "a whole number of bytes"),
        Column::new("Size", "a whole number of bytes"),
        Column::new("ResponseTime", "a number of 100 ns"),
    ];
    const SEPARATOR: Separator = Separator::Comma;
    const TIME: Time = Time::whole(TimeUnit::Filetime);
    const OFFSET_UNIT: u64 = 1;
    const SOURCE: &'static str = "SNIA IOTTA trace set 388, MSR Cambridge (13 servers, 36 volumes)";

    /// Copies whose times count from their start, in whole seconds or in the original 100 ns.
    const DOUBT: Option<fn(&Sample) -> Option<String>> = Some(|sample| {
        let ticks: Vec<u64> = sample.requests::<Self>().map(|raw| raw.ticks).collect();
        let rebased = ticks.first().is_some_and(|first| *first < FIRST_FILETIME);
        let together = ticks.iter().zip(ticks.iter().skip(1)).filter(|(a, b)| a == b).count();
        // If most requests share the second of the previous one, times are seconds.
        if !rebased || (ticks.len() > 1 && 2 * together >= ticks.len() - 1) {
            return None;
        }
        let found = "times count from a start, not from 1601, so they may be the 100 ns of the \
                     original as well as seconds, milliseconds or microseconds";
        let units =
            [TimeUnit::Filetime, TimeUnit::Seconds, TimeUnit::Milliseconds, TimeUnit::Microseconds];
        Some(question(found, &units))
    });

    fn units(&self) -> (Option<TimeUnit>, Option<u64>) {
        let seconds = self.tick_ns == SECOND_NS;
        let unit = if seconds { TimeUnit::Seconds } else { TimeUnit::Filetime };
        (Some(unit), Some(Self::OFFSET_UNIT))
    }

    fn clock(&self) -> Clock {
        Clock { tick_ns: self.tick_ns, ..Clock::NANOSECONDS }
    }

    #[inline(always)]
    fn parse_line(&mut self, mut fields: Fields) -> Result<Option<RawRequest>, Mistake> {
        let ticks = self.time(&mut fields)?;
        let host = fields.text()?;
        let host = self.host(host)?;
        let disk = fields.integer_up_to(DISKS_PER_HOST - 1)?;
        let op = [Op::Read, Op::Write][fields.one_of(&[b"Read", b"Write"])?];
        let offset = fields.integer()?;
        let length = fields.integer()?;
        fields.text()?;
        fields.finish()?;
        Ok(Some(
            RawRequest::new(op, offset, length).at(ticks).in_volume(host * DISKS_PER_HOST + disk),
        ))
    }
}

impl Msr {
    #[inline]
    fn time(&mut self, fields: &mut Fields) -> Result<u64, Mistake> {
        if fields.time_is_said(Self::TIME) {
            return fields.time();
        }
        let ticks = fields.integer()?;
        if self.tick_ns == 0 {
            self.tick_ns = if ticks >= FIRST_FILETIME { FILETIME_NS } else { SECOND_NS };
        }
        let plausible = match self.tick_ns {
            FILETIME_NS => ticks >= FIRST_FILETIME,
            _ => ticks <= LAST_SECOND,
        };
        if plausible { Ok(ticks) } else { Err(self.implausible(ticks)) }
    }

    #[cold]
    fn implausible(&self, ticks: u64) -> Mistake {
        Mistake(if self.tick_ns == FILETIME_NS {
            format!("column 1 (Timestamp): found {ticks}, expected a FILETIME as in the first line")
        } else {
            format!(
                "column 1 (Timestamp): found {ticks}, expected whole seconds, as the first stamp is \
                 below 10^16; if these are 100 ns from the start, say input.time_unit = filetime"
            )
        })
    }

    #[inline]
    fn host(&mut self, name: &[u8]) -> Result<u32, Mistake> {
        let found = self.hosts.number(name, MOST_HOSTS);
        found.ok_or_else(|| Mistake("found more than 1000 host names, expected a few".into()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trace::TraceOptions;
    use crate::trace::checks::{drip, misread, parse, requests, sample};
    use crate::trace::source::Decode;
    use crate::trace::text::LineDecoder;

    const FIRST: &str = "128166391024154329,prxy,0,Write,1105182720,1024,1514";
    const LAST: &str = "128166400412471974,prxy,0,Write,1105384448,1024,1198";

    #[test]
    fn the_header_of_a_joined_file_may_come_again() {
        let header = "Timestamp,Hostname,DiskNumber,Type,Offset,Size,ResponseTime\n";
        let row = "128166391024154329,prxy,0,Write,1105182720,1024,1514\n";
        assert_eq!(requests::<Msr>(&[header, row, header, row].concat()).unwrap().len(), 2);
        assert!(requests::<Msr>(&[row, header].concat()).is_err());
    }

    #[test]
    fn filetimes_are_counted_from_the_first_request() {
        assert_eq!(parse::<Msr>(FIRST).offset, 1_105_182_720);
        let both = requests::<Msr>(&format!("{FIRST}\n{LAST}")).unwrap();
        assert_eq!((both[0].time, both[1].time), (0, 938_831_764_500));
    }

    #[test]
    fn copies_in_whole_seconds_read_too() {
        let text =
            "0,web,0,Write,3160743424,4096,135731\r\n10155,web,3,Write,1008647680,16384,2303";
        let both = requests::<Msr>(text).unwrap();
        assert_eq!((both[1].time, both[1].volume), (10_155_000_000_000, 3));
    }

    #[test]
    fn times_from_a_start_may_be_in_any_unit() {
        let text = "0,web,0,Write,4096,4096,135\n1100,web,0,Read,8192,512,230\n";
        let doubt = Msr::DOUBT.and_then(|doubt| doubt(&sample(text))).unwrap();
        for unit in ["filetime", "s", "ms", "us"] {
            assert!(doubt.contains(&format!("input.time_unit = {unit}")), "{doubt}");
        }
        let time_unit = Some(TimeUnit::Milliseconds);
        let options = TraceOptions { time_unit, ..TraceOptions::default() };
        let mut decoder =
            LineDecoder::new(Msr::default(), drip(text.as_bytes())).in_units(&options);
        let times =
            [decoder.next(), decoder.next()].map(|raw| raw.ok().flatten().map(|raw| raw.ticks));
        assert_eq!(times[1].map(|ticks| ticks * decoder.clock().tick_ns), Some(1_100_000_000));
    }

    #[test]
    fn each_disk_of_each_host_is_a_volume() {
        let line = |host, disk| format!("128166391024154329,{host},{disk},Read,0,512,1\n");
        let text = [line("usr", 1), line("src1", 1), line("usr", 0), line("src1", 2)].concat();
        let volumes: Vec<u32> = requests::<Msr>(&text).unwrap().iter().map(|r| r.volume).collect();
        assert_eq!(volumes, [1, 1001, 0, 1002]);
    }

    #[test]
    fn a_bad_line_is_told_in_one_line() {
        for (line, found) in [
            ("-1,web,0,Read,0,512,1", r#"column 1 (Timestamp): found "-1""#),
            ("100000001,web,0,Read,0,512,1", "expected whole seconds"),
            ("1.5,web,0,Read,0,512,1", r#"column 1 (Timestamp): found "1.5""#),
            ("0,,0,Read,0,512,1", r#"column 2 (Hostname): found """#),
            ("0,w\x1b[2J,0,Read,0,512,1", r#"column 2 (Hostname): found "w\u{1b}[2J""#),
            ("0,web,1000,Read,0,512,1", r#"column 3 (DiskNumber): found "1000""#),
            ("0,web,0,Trim,0,512,1", r#"column 4 (Type): found "Trim", expected Read or Write"#),
            ("0,web,0,Read,inf,512,1", r#"column 5 (Offset): found "inf""#),
            ("0,web,0,Read,9223372036854775807,512,1", "below 2^63"),
            ("0,web,0,Read,0,512,", r#"column 7 (ResponseTime): found """#),
            ("0,web,0,Read,0,512", "found 6 columns"),
            ("0,web,0,Read,0,512,1,2", "found 8 columns"),
        ] {
            misread::<Msr>(line, found);
        }
        let mixed = requests::<Msr>(&format!("{FIRST}\n5,prxy,0,Read,0,512,1"));
        assert!(mixed.unwrap_err().to_string().contains(":2: "));
    }
}
