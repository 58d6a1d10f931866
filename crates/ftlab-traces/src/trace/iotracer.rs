//! The block events of io-tracer (cacheMon), which records with eBPF: `ds_*.csv`.
//!
//! `time,PID,command,sector,operation,bytes,latency,TID,CPU,parent` and, in newer versions,
//! `major:minor,queue latency,flags`. A date and a time without a zone, 512-byte sectors, bytes.

use super::field::{Column, Fields, Mistake, Separator};
use super::gate::RawRequest;
use super::linux;
use super::number;
use super::text::{LineFormat, Sample, Verdict};
use super::time::{DAY_NS, Time, TimeUnit};
use crate::request::Op;
use chrono::NaiveDate;

const SECTOR_BYTES: u64 = 512;
const MINUTE_NS: u64 = 60_000_000_000;
/// Columns in front of that of the device.
const BEFORE_DEVICE: usize = 4;

#[derive(Clone, Default)]
pub(super) struct IoTracer {
    /// The date that was read last, and nanoseconds from 1970 to it.
    day: ([u8; 10], u64),
}

impl LineFormat for IoTracer {
    const NAME: &'static str = "iotracer";
    const SUMMARY: &'static str = "block events of io-tracer (eBPF), ds_*.csv";
    const COLUMNS: &'static [Column] = &[
        Column::new("Timestamp", "a date and a time, such as 2024-01-15 10:30:45.123456"),
        Column::new("PID", "a whole number"),
        Column::new("Command", "a name"),
        Column::new("Sector", "a whole number of 512-byte sectors"),
        Column::new("Operation", "read, write, discard, flush, secure_erase or none"),
        Column::new("Size", "a whole number of bytes"),
        Column::new("Latency", "milliseconds"),
        Column::new("TID", "a whole number"),
        Column::new("CPU ID", "a whole number"),
        Column::new("PPID", "a whole number"),
    ];
    const SEPARATOR: Separator = Separator::Comma;
    const TIME: Time = Time::whole(TimeUnit::Nanoseconds);
    const OFFSET_UNIT: u64 = SECTOR_BYTES;
    const UNITS_MAY_BE_SAID: bool = false;
    const SOURCE: &'static str = "io-tracer of cacheMon";

    fn units(&self) -> (Option<TimeUnit>, Option<u64>) {
        (None, Some(SECTOR_BYTES))
    }

    fn parse_line(&mut self, mut fields: Fields) -> Result<Option<RawRequest>, Mistake> {
        let ticks = fields.understood(|text| self.stamp(text))?;
        fields.integer()?;
        fields.text()?;
        let sector = fields.integer()?;
        let op = fields.understood(|word| match word {
            b"read" => Some(Some(Op::Read)),
            b"write" => Some(Some(Op::Write)),
            b"discard" | b"secure_erase" => Some(Some(Op::Trim)),
            b"flush" => Some(Some(Op::Flush)),
            b"none" => Some(None),
            _ => None,
        })?;
        let bytes = fields.integer()?;
        let volume = device(&mut fields)?;
        let Some(op) = op else { return Ok(None) };
        let raw = RawRequest::new(op, sector, bytes).at(ticks).in_volume(volume);
        raw.in_units(SECTOR_BYTES, 1).map(Some)
    }

    fn recognise(sample: &Sample) -> Verdict {
        let is = sample.requests::<Self>().next().is_some() && sample.mostly::<Self>();
        if is { Verdict::Yes } else { Verdict::No }
    }
}

/// The device behind the columns that are not read; 0 if there is no such column.
fn device(fields: &mut Fields) -> Result<u32, Mistake> {
    for _ in 0..BEFORE_DEVICE {
        fields.optional(Fields::text)?;
    }
    if fields.ended() || fields.peek().is_empty() {
        return Ok(0);
    }
    fields.understood(|text| {
        let at = memchr::memchr(b':', text)?;
        let part = |digits| u32::try_from(number::integer(digits)?).ok();
        let (major, minor) = (part(&text[..at])?, part(&text[at + 1..])?);
        linux::is_device(major, minor).then(|| linux::volume(major, minor))
    })
}

impl IoTracer {
    /// Nanoseconds since 1970 of `2024-01-15 10:30:45.123456`.
    fn stamp(&mut self, text: &[u8]) -> Option<u64> {
        let (date, rest) = text.split_first_chunk::<10>()?;
        if *date != self.day.0 {
            let day = NaiveDate::parse_from_str(str::from_utf8(date).ok()?, "%Y-%m-%d").ok()?;
            let since = day.signed_duration_since(NaiveDate::default()).num_days();
            self.day = (*date, u64::try_from(since).ok()?.checked_mul(DAY_NS)?);
        }
        let [b' ' | b'T', h1, h2, b':', m1, m2, b':', seconds @ ..] = rest else { return None };
        let hours = number::integer(&[*h1, *h2])?;
        let minutes = number::integer(&[*m1, *m2])?;
        let seconds = number::decimal(seconds, 9)?;
        if hours >= 24 || minutes >= 60 || seconds >= MINUTE_NS {
            return None;
        }
        self.day.1.checked_add((hours * 60 + minutes) * MINUTE_NS + seconds)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trace::checks::{flushing, misread, parse};

    const LINES: &str = "2024-01-15 23:59:59.5,1,a,8,write,4096,1.2,1,0,1\n\
        2024-01-16 00:00:00.25,1,a,0,flush,0,1.2,1,0,1\n\
        2024-01-16 00:00:00.75,1,a,16,discard,8192,1.2,1,0,1,259:1,,REQ_SYNC|REQ_META\n\
        2024-01-16 00:00:01,1,a,16,none,8192,1.2,1,0,1,8:0,0.5,\n";

    #[test]
    fn events_are_at_their_date_and_on_their_device() {
        let found = flushing::<IoTracer>(LINES).unwrap();
        let shown: Vec<_> = found.iter().map(|r| (r.time, r.op, r.volume, r.length)).collect();
        let expected = [
            (0, Op::Write, 0, 4096),
            (750_000_000, Op::Flush, 0, 0),
            (1_250_000_000, Op::Trim, 259_001, 8192),
        ];
        assert_eq!(shown, expected);
        let line = LINES.lines().next().unwrap();
        assert_eq!(parse::<IoTracer>(line).ticks, 1_705_363_199_500_000_000);
    }

    #[test]
    fn a_bad_line_is_told_in_one_line() {
        let line = |stamp: &str, op: &str| format!("{stamp},1,a,8,{op},4096,1.2,1,0,1");
        for (stamp, op) in [
            ("2024-02-30 00:00:00", "read"),
            ("2024-01-15 24:00:00", "read"),
            ("2024-01-15 23:59:60", "read"),
            ("1969-01-15 23:59:50", "read"),
            ("2024-01-15 23:58:75", "read"),
            ("2024-01-15 23:59:18446744073.7", "read"),
            ("2024-01-15", "read"),
        ] {
            misread::<IoTracer>(&line(stamp, op), "column 1 (Timestamp): found");
        }
        let stamp = "2024-01-15 00:00:00";
        misread::<IoTracer>(&line(stamp, "x"), r#"column 5 (Operation): found "x""#);
        misread::<IoTracer>(&[&line(stamp, "read"), ",8"].concat(), "found \"8\"");
    }
}
