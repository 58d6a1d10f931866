//! Any CSV file whose columns the user names: see [`Columns`].
//!
//! Values may be in quotes; a line is a record, so a value cannot hold a line break. There is a
//! header line if a column is given by name, and there is none otherwise.

use super::TraceOptions;
use super::columns::{Columns, Place, Unit};
use super::field::{Column, Fields, Mistake, Separator, quoted};
use super::gate::{Clock, RawRequest};
use super::lines::LONGEST_LINE_BYTES;
use super::text::{LineFormat, Sample, Verdict};
use crate::error::Error;
use crate::request::Op;

const FILETIME_NS: u64 = 100;
const MOST_COLUMNS: usize = 1024;

/// The columns, and where they are once the header has been read.
#[derive(Default)]
pub(super) struct Csv {
    columns: Option<Columns>,
    /// What all requests do, if no column says.
    op: Option<Op>,
    places: Option<Places>,
    record: Record,
}

/// How many columns are before each of those that count.
#[derive(Clone, Copy)]
struct Places {
    time: usize,
    offset: usize,
    length: usize,
    op: Option<usize>,
    volume: Option<usize>,
}

impl LineFormat for Csv {
    const NAME: &'static str = "csv";
    const SUMMARY: &'static str = "any CSV file whose columns input.columns names; never guessed";
    const COLUMNS: &'static [Column] = &[
        Column::new("time", "a number in the unit given"),
        Column::new("offset", "a whole number in the unit given"),
        Column::new("length", "a whole number in the unit given"),
        Column::new("op", "r, read, w, write, t, trim, d or discard, or 0 and 1"),
        Column::new("volume", "a whole number up to 2^32 - 1"),
    ];
    const SEPARATOR: Separator = Separator::Comma;
    const SOURCE: &'static str = "whatever writes one request per line";
    const TAKES: &'static [&'static str] = &["columns", "op"];

    fn with(options: &TraceOptions) -> Result<Self, Mistake> {
        let Some(columns) = options.columns.clone() else {
            return Err(Mistake(
                "a CSV file does not say what its columns are; say it with input.columns = \
                 time=COLUMN:UNIT,offset=COLUMN:UNIT,length=COLUMN:UNIT,op=COLUMN"
                    .into(),
            ));
        };
        match (&columns.op, options.op) {
            (None, None) => Err(Mistake(
                "nothing says what the requests do; give op=COLUMN in input.columns, or \
                 input.op = read or input.op = write"
                    .into(),
            )),
            (Some(_), Some(_)) => Err(Mistake(
                "both input.columns and input.op say what the requests do; leave one out".into(),
            )),
            (_, op) => Ok(Self { columns: Some(columns), op, ..Self::default() }),
        }
    }

    #[inline]
    fn clock(&self) -> Clock {
        let filetime = self.columns.as_ref().is_some_and(|c| c.time.1 == Unit::Filetime);
        Clock { tick_ns: if filetime { FILETIME_NS } else { 1 }, setting: 0 }
    }

    fn parse_line(&mut self, fields: Fields) -> Result<Option<RawRequest>, Mistake> {
        let Some(columns) = &self.columns else { return Err(Mistake("no columns".into())) };
        self.record.split(fields.line())?;
        let Some(places) = self.places else {
            let places = Places::of(columns, &self.record)?;
            self.places = Some(places);
            return if columns.need_header() {
                Ok(None)
            } else {
                request(columns, places, self.op, &self.record).map(Some)
            };
        };
        request(columns, places, self.op, &self.record).map(Some)
    }

    fn recognise(_: &Sample) -> Verdict {
        Verdict::No
    }
}

/// The request that `record` tells.
fn request(
    columns: &Columns,
    places: Places,
    op: Option<Op>,
    record: &Record,
) -> Result<RawRequest, Mistake> {
    let ticks = record.read(places.time, "time", "a number", |value| match columns.time.1 {
        Unit::Seconds => decimal::<9>(value),
        Unit::Milliseconds => decimal::<6>(value),
        Unit::Microseconds => decimal::<3>(value),
        Unit::Nanoseconds | Unit::Filetime => decimal::<0>(value),
    })?;
    let offset = record.read(places.offset, "offset", "a whole number", integer)?;
    let length = record.read(places.length, "length", "a whole number", integer)?;
    let op = match (&columns.op, places.op, op) {
        (Some((_, reads)), Some(place), _) => record.operation(place, *reads)?,
        (_, _, op) => op.unwrap_or(Op::Read),
    };
    let volume = match places.volume {
        Some(place) => record.read(place, "volume", "a whole number up to 2^32 - 1", |value| {
            u32::try_from(integer(value)?).ok()
        })?,
        None => 0,
    };
    let raw = RawRequest { ticks, volume, offset, length, op };
    raw.in_units(columns.offset.1, columns.length.1)
}

impl Places {
    /// Where the columns are by number, or by name in the header that `record` is.
    fn of(columns: &Columns, record: &Record) -> Result<Self, Mistake> {
        let find = |place: &Place| match place {
            Place::Behind(before) => Ok(*before),
            Place::Named(name) => record.position(name),
        };
        Ok(Self {
            time: find(&columns.time.0)?,
            offset: find(&columns.offset.0)?,
            length: find(&columns.length.0)?,
            op: columns.op.as_ref().map(|(place, _)| find(place)).transpose()?,
            volume: columns.volume.as_ref().map(find).transpose()?,
        })
    }
}

/// One line, split into values without their quotes.
struct Record {
    reader: csv_core::Reader,
    text: Vec<u8>,
    ends: Vec<usize>,
    columns: usize,
}

impl Default for Record {
    fn default() -> Self {
        let reader = csv_core::Reader::new();
        let (text, ends) = (vec![0; LONGEST_LINE_BYTES], vec![0; MOST_COLUMNS]);
        Self { reader, text, ends, columns: 0 }
    }
}

impl Record {
    fn split(&mut self, line: &[u8]) -> Result<(), Mistake> {
        self.reader.reset();
        let (_, _, text, columns) = self.reader.read_record(line, &mut self.text, &mut self.ends);
        // Nothing behind the line: the record ends here, whatever quote is still open.
        let (result, _, _, more) =
            self.reader.read_record(&[], &mut self.text[text..], &mut self.ends[columns..]);
        self.columns = columns + more;
        match result {
            csv_core::ReadRecordResult::Record => Ok(()),
            _ => Err(Mistake(format!("found more than {MOST_COLUMNS} columns, expected fewer"))),
        }
    }

    fn value(&self, before: usize) -> Option<&[u8]> {
        let ends = &self.ends[..self.columns];
        let from = if before == 0 { 0 } else { *ends.get(before - 1)? };
        Some(self.text[from..*ends.get(before)?].trim_ascii())
    }

    /// How many columns are before the one called `name`.
    fn position(&self, name: &str) -> Result<usize, Mistake> {
        let names = || (0..self.columns).map(|before| self.value(before).unwrap_or_default());
        names().position(|found| found == name.as_bytes()).ok_or_else(|| {
            let names: Vec<_> = names().map(String::from_utf8_lossy).collect();
            let near = match Error::unknown("column", name, names.iter().map(AsRef::as_ref)) {
                Error::Unknown { nearest: Some(near), .. } => format!(" (did you mean {near:?}?)"),
                _ => String::new(),
            };
            Mistake(format!(
                "found no column {name:?} in the header{near}, expected one; its names are {}",
                quoted(names.join(", ").as_bytes())
            ))
        })
    }

    /// The value behind `before` others as what `understand` makes of it.
    fn read<T>(
        &self,
        before: usize,
        what: &str,
        expected: &str,
        understand: impl FnOnce(&[u8]) -> Option<T>,
    ) -> Result<T, Mistake> {
        let Some(value) = self.value(before) else {
            return Err(Mistake(format!(
                "found {} columns, expected at least {} ({what})",
                self.columns,
                before + 1
            )));
        };
        understand(value).ok_or_else(|| {
            let (number, found) = (before + 1, quoted(value));
            Mistake(format!("column {number} ({what}): found {found}, expected {expected}"))
        })
    }

    fn operation(&self, before: usize, reads: Option<u8>) -> Result<Op, Mistake> {
        let expected = match reads {
            Some(_) => "0 or 1, read, write, trim or discard",
            None => "read, write, trim or discard; for 0 and 1 say which reads, as op=COLUMN:1",
        };
        self.read(before, "op", expected, |value| {
            let word = value.to_ascii_lowercase();
            match (&word[..], reads) {
                (b"r" | b"read", _) => Some(Op::Read),
                (b"w" | b"write", _) => Some(Op::Write),
                (b"t" | b"trim" | b"d" | b"discard", _) => Some(Op::Trim),
                (&[digit @ (b'0' | b'1')], Some(reads)) => {
                    Some(if digit == reads { Op::Read } else { Op::Write })
                }
                _ => None,
            }
        })
    }
}

const VALUE: &[Column] = &[Column::new("value", "a number")];

fn integer(value: &[u8]) -> Option<u64> {
    let mut fields = Fields::new(value, Separator::Comma, VALUE);
    let number = fields.integer().ok()?;
    fields.finish().ok().map(|()| number)
}

fn decimal<const PLACES: usize>(value: &[u8]) -> Option<u64> {
    let mut fields = Fields::new(value, Separator::Comma, VALUE);
    let number = fields.decimal::<PLACES>().ok()?;
    fields.finish().ok().map(|()| number)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trace::checks::decoded_with;

    const NAMED: &str = "time=ts:us,offset=lba:sectors,length=bytes,op=rw:1,volume=disk";
    const HEADER: &str = "disk,ts,\"rw\",lba,bytes,rest\n";

    fn read(
        columns: &str,
        op: Option<Op>,
        text: &str,
    ) -> Result<Vec<crate::request::Request>, String> {
        let columns = Some(Columns::try_from(columns.to_owned())?);
        let options = TraceOptions { columns, op, ..TraceOptions::default() };
        let csv = Csv::with(&options).map_err(|mistake| mistake.0)?;
        decoded_with(csv, text).map_err(|error| error.to_string())
    }

    #[test]
    fn named_columns_are_found_in_the_header() {
        let text = [HEADER, "3,10,1,8,512,x\n", "4, 12.5 ,\"0\",\"16\",4096,\"a,b\"\n"].concat();
        let requests = read(NAMED, None, &text).unwrap();
        let requests: Vec<_> =
            requests.iter().map(|r| (r.time, r.volume, r.offset, r.length, r.op)).collect();
        assert_eq!(requests, [(0, 3, 4096, 512, Op::Read), (2500, 4, 8192, 4096, Op::Write)]);
    }

    #[test]
    fn numbers_alone_mean_no_header() {
        let columns = "time=1:filetime,offset=2,length=3:pages,op=4";
        let text = "128166391024154329,0,1,Discard\n128166391024154330,4096,2,R\n";
        let requests = read(columns, None, text).unwrap();
        assert_eq!((requests[0].op, requests[1].time, requests[1].length), (Op::Trim, 100, 8192));
        let all = read("time=1:ns,offset=2,length=3", Some(Op::Write), "1,2,3\n").unwrap();
        assert_eq!(all[0].op, Op::Write);
    }

    #[test]
    fn what_is_not_said_is_asked_for() {
        let plain = "time=1,offset=2,length=3";
        assert!(read(plain, None, "1,2,3").unwrap_err().contains("nothing says"));
        assert!(read(NAMED, Some(Op::Read), HEADER).unwrap_err().contains("leave one out"));
        let Err(Mistake(message)) = Csv::with(&TraceOptions::default()) else { panic!("a guess") };
        assert!(message.contains("input.columns"), "{message}");
    }

    #[test]
    fn a_bad_line_is_told_in_one_line() {
        for (line, found) in [
            ("1,NaN,1,8,512,x", r#"column 2 (time): found "NaN", expected a number"#),
            ("1,1e308,1,8,512,x", r#"column 2 (time): found "1e308""#),
            ("1,1,2,8,512,x", r#"column 3 (op): found "2", expected 0 or 1, read"#),
            ("1,1,1,-8,512,x", r#"column 4 (offset): found "-8""#),
            ("1,1,1,\"8,0\",512,x", r#"column 4 (offset): found "8,0""#),
            ("1,1,1,8,0,x", "length 0"),
            ("1,1,1,8,1073741825,x", "longer than 1 GiB"),
            ("1,1,1,36028797018963968,512,x", "address 36028797018963968"),
            ("4294967296,1,1,8,512,x", r#"column 1 (volume): found "4294967296""#),
            ("1,1,1,8,\0,x", r#"column 5 (length): found "\0""#),
            ("1,1,1,8", "found 4 columns, expected at least 5 (length)"),
            ("\"1,1,1,8,512,x", "found 1 columns, expected at least 2 (time)"),
            (&",".repeat(2000), "more than 1024 columns"),
        ] {
            let text = read(NAMED, None, &[HEADER, line].concat()).unwrap_err();
            assert!(text.starts_with("trace:2: ") && text.contains(found), "{text}\n{found}");
            assert!(!text.contains(char::is_control), "{text:?}");
        }
        let unsaid = read("time=1,offset=2,length=3,op=4", None, "1,2,3,1").unwrap_err();
        assert!(unsaid.contains("op=COLUMN:1"), "{unsaid}");
        let header = read(NAMED, None, "disk,time,rw\n1,2,3\n").unwrap_err();
        assert!(header.contains("no column \"ts\" in the header"), "{header}");
        assert!(read(NAMED, None, HEADER).unwrap_err().contains("found no request"));
    }
}
