//! The command traces of VMware's `vscsiStats -t`, as it prints them.
//!
//! `serial,length,segments,command,LBN,time`, bytes, 512-byte sectors and microseconds. Two lines in front,
//! with or without `#`, name the format and the columns. A file is one virtual disk.

use super::doubt::question;
use super::field::{Column, Fields, Mistake, Separator};
use super::gate::RawRequest;
use super::text::{LineFormat, Sample, Verdict};
use super::time::{Time, TimeUnit};
use crate::request::Op;

const SECTOR_BYTES: u64 = 512;
const TITLE: &[u8] = b"Vscsi Cmd Trace";
const HEADER: &[u8] = b"Serial Number,";

#[derive(Clone, Default)]
pub(super) struct VscsiStats;

impl LineFormat for VscsiStats {
    const NAME: &'static str = "vscsistats";
    const SUMMARY: &'static str = "command traces of VMware's vscsiStats, as text";
    const COLUMNS: &'static [Column] = &[
        Column::new("Serial Number", "a whole number"),
        Column::new("IO Data Length", "a whole number of bytes"),
        Column::new("Num SG Entries", "a whole number"),
        Column::new("Command Type", "read, write or another command"),
        Column::new("LBN", "a whole number of 512-byte sectors"),
        Column::new("Time Stamp", "a whole number of microseconds"),
    ];
    const SEPARATOR: Separator = Separator::Comma;
    const TIME: Time = Time::whole(TimeUnit::Microseconds);
    const OFFSET_UNIT: u64 = SECTOR_BYTES;
    const SOURCE: &'static str = "vscsiStats of VMware ESX, option -t";
    const FILE_IS_VOLUME: bool = true;

    const DOUBT: Option<fn(&Sample) -> Option<String>> = Some(late::<Self>);

    #[inline(always)]
    fn parse_line(&mut self, mut fields: Fields) -> Result<Option<RawRequest>, Mistake> {
        if fields.line().starts_with(TITLE) || fields.line().starts_with(HEADER) {
            return Ok(None);
        }
        fields.integer()?;
        let length = fields.integer()?;
        fields.integer()?;
        let command = fields.text()?;
        let offset = fields.integer()?;
        let ticks = fields.time()?;
        fields.finish()?;
        let op = match command {
            b"read" => Op::Read,
            b"write" => Op::Write,
            _ => return Ok(None),
        };
        RawRequest::new(op, offset, length).at(ticks).in_units(SECTOR_BYTES, 1).map(Some)
    }

    fn recognise(sample: &Sample) -> Verdict {
        let is = sample.requests::<Self>().next().is_some() && sample.mostly::<Self>();
        if is { Verdict::Yes } else { Verdict::No }
    }
}

/// Ten years in microseconds.
const LONGEST_UPTIME_US: u64 = 10 * 365 * 86_400 * 1_000_000;

/// Doubts times that are no uptime of a host, nor microseconds since 1970.
fn late<F: LineFormat>(sample: &Sample) -> Option<String> {
    let first = sample.requests::<F>().next()?.ticks;
    let since_1970 = TimeUnit::of_stamp(first) == Some(TimeUnit::Microseconds);
    (first > LONGEST_UPTIME_US && !since_1970).then(|| {
        let found = format!("the first time, {first}, is over ten years if it counts microseconds");
        question(&found, &[TimeUnit::Nanoseconds, TimeUnit::Microseconds])
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trace::checks::{misread, requests, sample};

    #[test]
    fn times_that_are_no_microseconds_are_asked_for() {
        for (time, unit) in [
            ("4332930811158", None),
            ("1700000000123456", None),
            ("4332930811158000", Some("input.time_unit = ns")),
            ("1700000000123456789", Some("input.time_unit = ns")),
        ] {
            let text = format!("1,4096,1,read,8,{time}\n");
            let question = late::<VscsiStats>(&sample(&text));
            assert_eq!(question.is_some(), unit.is_some(), "{time} {question:?}");
            assert!(question.unwrap_or_default().contains(unit.unwrap_or_default()), "{time}");
        }
    }

    #[test]
    fn reads_and_writes_are_requests() {
        let text = "Vscsi Cmd Trace. (Trace Format Version 1)\n\
            Serial Number,IO Data Length,Num SG Entries,Command Type,LBN,Time Stamp (microseconds)\n\
            2148401256,4096,1,read,12312,4332930811158\n2148401200,0,0,inquiry,0,4332931000000\n\
            2148401193,512,1,write,0,4332933099966\n";
        for text in [text.to_owned(), text.replace("Vscsi", "#Vscsi").replace("Serial", "#Serial")]
        {
            let found = requests::<VscsiStats>(&text).unwrap();
            let shown: Vec<_> = found.iter().map(|r| (r.time, r.op, r.offset, r.length)).collect();
            let expected = [(0, Op::Read, 12312 * 512, 4096), (2_288_808_000, Op::Write, 0, 512)];
            assert_eq!(shown, expected);
        }
    }

    #[test]
    fn a_bad_line_is_told_in_one_line() {
        for (line, found) in [
            ("x,4096,1,read,8,1", r#"column 1 (Serial Number): found "x""#),
            ("1,-1,1,read,8,1", r#"column 2 (IO Data Length): found "-1""#),
            ("1,4096,1,,8,1", r#"column 4 (Command Type): found """#),
            ("1,4096,1,read,8,1.5", r#"column 6 (Time Stamp): found "1.5""#),
            ("1,4096,1,read,8", "found 5 columns"),
        ] {
            misread::<VscsiStats>(line, found);
        }
    }
}
