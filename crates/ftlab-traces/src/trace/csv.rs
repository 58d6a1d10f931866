//! Any CSV file whose columns the user names with [`Columns`].
//!
//! Values may be quoted unless blanks separate them. A line is a record, so a value cannot hold a
//! line break. There is a header line if and only if a column is given by name.

use super::TraceOptions;
use super::called::VOLUMES;
use super::columns::{Between, Columns, OTHERS, Place, Unit, Volume, Words};
use super::counted::Name;
use super::field::{self, Column, Fields, Mistake, Separator, quoted};
use super::gate::{Clock, RawRequest};
use super::lines::without_mark;
use super::names::Names;
use super::number;
use super::rwbs;
use super::text::{self, LineFormat, Sample, Verdict};
use super::time::{DAY_NS, Time, TimeUnit};
use crate::error::Error;
use crate::request::{Attribute, Meta, Op};
use chrono::{DateTime, NaiveDate, NaiveDateTime, NaiveTime, Utc};

const FILETIME_NS: u64 = 100;
pub(super) const MOST_COLUMNS: usize = 1024;
const MOST_NAMES: usize = 10_000;
/// The most letters that a usual word for an operation has.
const LONGEST_WORD: usize = 16;

/// The columns, and their places once the header has been read.
#[derive(Clone, Default)]
pub(super) struct Csv {
    columns: Option<Columns>,
    /// The operation of all requests, if no column states it.
    op: Option<Op>,
    places: Option<Places>,
    record: Record,
    volumes: Volumes,
    days: Days,
    /// What is wrong with the last line in front of the header or the first row, and how many there are.
    in_front: Option<(Mistake, u32)>,
    /// Whether a row has been read.
    begun: bool,
}

/// How many columns are before each column that is read.
#[derive(Clone)]
struct Places {
    time: usize,
    offset: usize,
    length: usize,
    op: Option<usize>,
    volume: Option<usize>,
    latency: Option<usize>,
    attributes: Vec<(Attribute, usize)>,
}

/// A time of day that is so much earlier than the one before is on the next day.
const TO_NEXT_DAY_NS: u64 = 23 * 3_600_000_000_000;

impl LineFormat for Csv {
    const NAME: &'static str = "csv";
    const SUMMARY: &'static str = "any CSV file whose columns input.columns names; never guessed";
    const COLUMNS: &'static [Column] = &[
        Column::new("time", "a number in the unit given, or a date and a time"),
        Column::new("offset", "a whole number in the unit given"),
        Column::new("length", "a whole number in the unit given"),
        Column::new("op", "r, rd, read, w, wr, write, t, trim, d, discard or unmap, or 0 and 1"),
        Column::new("volume", "a whole number up to 2^32 - 1"),
    ];
    const SEPARATOR: Separator = Separator::Comma;
    const TIME: Time = Time::decimal(TimeUnit::Seconds);
    const OFFSET_UNIT: u64 = 1;
    const SOURCE: &'static str = "whatever writes one request per line";
    const UNITS_MAY_BE_SAID: bool = false;
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
            (_, op) => {
                let record = Record::new(columns.separator);
                let volumes = Volumes::default();
                let columns = Some(columns);
                Ok(Self { columns, op, record, volumes, ..Self::default() })
            }
        }
    }

    fn units(&self) -> (Option<TimeUnit>, Option<u64>) {
        let columns = self.columns.as_ref();
        let time = columns.and_then(|columns| columns.time.1.counted());
        (time, columns.map(|columns| columns.offset.1))
    }

    #[inline]
    fn clock(&self) -> Clock {
        let filetime = self.columns.as_ref().is_some_and(|c| c.time.1 == Unit::Filetime);
        Clock { tick_ns: if filetime { FILETIME_NS } else { 1 }, setting: 0 }
    }

    fn parse_line(&mut self, fields: Fields) -> Result<Option<RawRequest>, Mistake> {
        let Some(columns) = &self.columns else { return Err(Mistake("no columns".into())) };
        let mut line = fields.line();
        if self.places.is_none() && columns.need_header() {
            // The header may be a comment.
            line = text::comment(line).map_or(line, <[u8]>::trim_ascii);
            if line.is_empty() {
                return Ok(None);
            }
        }
        self.record.split(line)?;
        let places = match &self.places {
            Some(places) => places,
            None if self.record.is_empty() => return Ok(None),
            None => {
                let mut places = match Places::of(columns, &self.record) {
                    Err(mistake) if columns.need_header() => {
                        return in_front_of_header(&mut self.in_front, columns, line, mistake);
                    }
                    places => places?,
                };
                if columns.need_header() && columns.volume == Volume::Unsaid {
                    (places.volume, self.volumes.took) = self.record.volume_named(&places);
                }
                let places = self.places.insert(places);
                if columns.need_header() {
                    self.in_front = None;
                    return Ok(None);
                }
                places
            }
        };
        let (volumes, days) = (&mut self.volumes, &mut self.days);
        match request(columns, places, self.op, &self.record, volumes, days) {
            Ok(request) => {
                self.begun = true;
                Ok(request)
            }
            Err(_) if self.record.is_empty() => Ok(None),
            // The header may come again, in files that have been joined.
            Err(_)
                if columns.need_header() && places.is_same(&Places::of(columns, &self.record)) =>
            {
                Ok(None)
            }
            Err(mistake) if self.begun || columns.need_header() || self.record.is_row(places) => {
                Err(mistake)
            }
            Err(mistake) => skip(&mut self.in_front, mistake),
        }
    }

    /// Whether a header may be skipped: one that must name the columns is read.
    fn may_skip_header(&self) -> bool {
        self.columns.as_ref().is_some_and(|columns| !columns.need_header())
    }

    fn remarks(&self) -> Vec<String> {
        let took = |name: &String| {
            format!(
                "took column {name:?} as the volume; volume=none in input.columns takes all as one"
            )
        };
        self.volumes.took.iter().map(took).collect()
    }

    fn without_requests(&self) -> Mistake {
        match &self.in_front {
            Some((mistake, _)) if !self.begun => mistake.clone(),
            _ => Mistake::no_request(),
        }
    }

    fn recognise(_: &Sample) -> Verdict {
        Verdict::No
    }
}

/// Lines in front of a header or of the first row at most.
const MOST_IN_FRONT: u32 = 32;

/// Skips a line in front of the header or of the first row. The `mistake` of the last one is that of a file without
/// them.
#[cold]
fn skip(
    in_front: &mut Option<(Mistake, u32)>,
    mistake: Mistake,
) -> Result<Option<RawRequest>, Mistake> {
    let count = in_front.as_ref().map_or(0, |(_, count)| *count);
    if count == MOST_IN_FRONT {
        return Err(mistake);
    }
    *in_front = Some((mistake, count + 1));
    Ok(None)
}

/// Skips a line in front of the header: one that has at most one word of it, and is no row.
#[cold]
fn in_front_of_header(
    in_front: &mut Option<(Mistake, u32)>,
    columns: &Columns,
    line: &[u8],
    mistake: Mistake,
) -> Result<Option<RawRequest>, Mistake> {
    let line = String::from_utf8_lossy(line).to_ascii_lowercase();
    let has = |name: &&str| line.contains(&name.to_ascii_lowercase());
    let has_names = columns.names().filter(has).count() > 1;
    let is_row = line.trim_start().starts_with(|c: char| c.is_ascii_digit());
    match in_front {
        Some((latest, _)) if is_row && !has_names => Err(latest.clone()),
        _ if is_row || has_names => Err(mistake),
        _ => skip(in_front, mistake),
    }
}

/// The request in `record`.
fn request(
    columns: &Columns,
    places: &Places,
    op: Option<Op>,
    record: &Record,
    volumes: &mut Volumes,
    days: &mut Days,
) -> Result<Option<RawRequest>, Mistake> {
    let expected = match columns.time.1 {
        Unit::Iso => "a date and a time of 24 hours from 1970 on, as 2020-01-31T09:00:00.25",
        _ => "a number",
    };
    let unit = columns.time.1;
    let ticks = record.read(places.time, "time", expected, |value| in_ticks(value, unit))?;
    let has_date = || record.value(places.time).is_some_and(|value| value.contains(&b'-'));
    let ticks = if unit == Unit::Iso && !has_date() { days.on_its_day(ticks) } else { ticks };
    let ticks = match (places.latency, &columns.latency) {
        (Some(place), Some((_, unit))) => {
            let tick_ns = if columns.time.1 == Unit::Filetime { FILETIME_NS } else { 1 };
            record.read(place, "latency", "a number, of less than a day", |value| {
                let scale = if *unit == Unit::Filetime { FILETIME_NS } else { 1 };
                let took = in_ticks(value, *unit)?.checked_mul(scale).filter(|ns| *ns < DAY_NS)?;
                // A day is put in front of time 0, for requests that arrived before the first time.
                ticks.checked_add(DAY_NS / tick_ns)?.checked_sub(took / tick_ns)
            })?
        }
        _ => ticks,
    };
    let op = || match (&columns.op, places.op) {
        (Some((_, words)), Some(place)) => record.operation(place, words),
        _ => Ok(op.or(Some(Op::Read))),
    };
    let needs_none = || matches!(op(), Ok(None | Some(Op::Flush)));
    let counted = |place, what, unit| match unit {
        _ if record.value(place).is_some_and(is_missing) && needs_none() => Ok(0),
        1 => record.read(place, what, "a whole number or a size such as 4K", number::size),
        _ => record.read(place, what, "a whole number", number::whole),
    };
    let offset = counted(places.offset, "offset", columns.offset.1)?;
    let length = counted(places.length, "length", columns.length.1)?;
    let Some(op) = op()? else { return Ok(None) };
    let volume = match places.volume {
        Some(place) => {
            let expected = volumes.expected();
            record.read(place, "volume", expected, |value| volumes.volume(value))?
        }
        None => 0,
    };
    let mut meta = Meta::UNSET;
    for (attribute, place) in &places.attributes {
        let value =
            |value: &[u8]| attribute.set(meta, attribute.read(str::from_utf8(value).ok()?)?);
        meta = record.read(*place, attribute.name(), attribute.expected(), value)?;
    }
    let raw = RawRequest::new(op, offset, length).at(ticks).in_volume(volume).with_meta(meta);
    raw.in_units(columns.offset.1, columns.length.1).map(Some)
}

/// The days of times of day that have no date.
#[derive(Clone, Default)]
struct Days {
    /// Midnights so far.
    count: u64,
    latest_ns: u64,
}

impl Days {
    /// A time of day on its day, from the first one.
    fn on_its_day(&mut self, ns: u64) -> u64 {
        let mut day = self.count;
        if ns + TO_NEXT_DAY_NS < self.latest_ns {
            self.count += 1;
            day = self.count;
        } else if day > 0 && self.latest_ns + TO_NEXT_DAY_NS < ns {
            // Out of order around midnight.
            return (day - 1) * DAY_NS + ns;
        }
        self.latest_ns = ns;
        day * DAY_NS + ns
    }
}

/// Whether a script has written nothing, such as for the address of a flush.
pub(super) fn is_missing(value: &[u8]) -> bool {
    value.is_empty() || value.eq_ignore_ascii_case(b"nan")
}

/// A time or a latency, in ticks.
fn in_ticks(value: &[u8], unit: Unit) -> Option<u64> {
    match unit {
        Unit::Seconds => number::decimal(value, 9),
        Unit::Milliseconds => number::decimal(value, 6),
        Unit::Microseconds => number::decimal(value, 3),
        Unit::Nanoseconds | Unit::Filetime => number::decimal(value, 0),
        Unit::Iso => date_and_time(value),
    }
}

impl Places {
    /// Whether another header has the columns at the same places.
    fn is_same(&self, other: &Result<Self, Mistake>) -> bool {
        let read = |places: &Self| (places.time, places.offset, places.length, places.op);
        other.as_ref().is_ok_and(|other| read(other) == read(self))
    }

    /// The places of columns, by number or by name in the header `record`.
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
            volume: match &columns.volume {
                Volume::In(place) => Some(find(place)?),
                Volume::Unsaid | Volume::One => None,
            },
            latency: columns.latency.as_ref().map(|(place, _)| find(place)).transpose()?,
            attributes: columns
                .attributes
                .iter()
                .map(|(attribute, place)| Ok((*attribute, find(place)?)))
                .collect::<Result<_, Mistake>>()?,
        })
    }
}

/// One line, split into values without their quotes.
struct Record {
    separator: Between,
    reader: csv_core::Reader,
    text: Vec<u8>,
    /// Where values end in the text.
    ends: Vec<usize>,
    /// Bytes of the text between two values.
    between: usize,
    columns: usize,
}

/// A clone has read nothing: a clone of `csv_core::Reader` forgets the separator.
impl Clone for Record {
    fn clone(&self) -> Self {
        Self::new(self.separator)
    }
}

impl Default for Record {
    fn default() -> Self {
        Self::new(Between::default())
    }
}

impl Record {
    fn new(separator: Between) -> Self {
        let reader = csv_core::ReaderBuilder::new().delimiter(separator.byte()).build();
        let (text, ends) = (Vec::new(), vec![0; MOST_COLUMNS]);
        Self { separator, reader, text, ends, between: 0, columns: 0 }
    }

    /// Whether there are separators and no values, as in rows that spreadsheets add.
    fn is_empty(&self) -> bool {
        self.columns > 1 && (0..self.columns).all(|at| self.value(at).is_some_and(<[u8]>::is_empty))
    }

    /// Whether a time, an offset or a length begins with a digit.
    fn is_row(&self, places: &Places) -> bool {
        let mut values =
            [places.time, places.offset, places.length].map(|at| self.value(at)).into_iter();
        values.any(|value| value.is_some_and(|value| value.first().is_some_and(u8::is_ascii_digit)))
    }

    fn split(&mut self, line: &[u8]) -> Result<(), Mistake> {
        if self.text.len() < line.len() {
            self.text.resize(line.len(), 0);
        }
        // Files that have been joined have a mark in front of each.
        let line = without_mark(line);
        // A carriage return is the end of a line, also one of two.
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        let is_special = || memchr::memchr2(b'"', b'\r', line).is_some();
        self.between = 0;
        match self.separator {
            Between::Blanks => self.split_at_blanks(line),
            _ if is_special() => self.split_quoted(line),
            separator => self.split_at(separator.byte(), line),
        }
    }

    /// Splits a line without quotes.
    fn split_at(&mut self, separator: u8, line: &[u8]) -> Result<(), Mistake> {
        self.text[..line.len()].copy_from_slice(line);
        self.between = 1;
        self.columns = 0;
        for end in memchr::memchr_iter(separator, line).chain([line.len()]) {
            *self.ends.get_mut(self.columns).ok_or_else(too_many_columns)? = end;
            self.columns += 1;
        }
        Ok(())
    }

    fn split_quoted(&mut self, line: &[u8]) -> Result<(), Mistake> {
        self.reader.reset();
        let (_, _, text, columns) = self.reader.read_record(line, &mut self.text, &mut self.ends);
        // No input after the line ends the record, even if a quote is still open.
        let (result, _, _, more) =
            self.reader.read_record(&[], &mut self.text[text..], &mut self.ends[columns..]);
        self.columns = columns + more;
        match result {
            csv_core::ReadRecordResult::Record => Ok(()),
            _ => Err(too_many_columns()),
        }
    }

    fn split_at_blanks(&mut self, line: &[u8]) -> Result<(), Mistake> {
        let mut end = 0;
        self.columns = 0;
        let values = line.split(u8::is_ascii_whitespace).filter(|value| !value.is_empty());
        for value in values {
            self.text[end..end + value.len()].copy_from_slice(value);
            end += value.len();
            *self.ends.get_mut(self.columns).ok_or_else(too_many_columns)? = end;
            self.columns += 1;
        }
        Ok(())
    }

    /// Advice for a line that is a single column: the separator that it seems to use.
    fn separator_meant(&self) -> String {
        let line = self.value(0).filter(|_| self.columns == 1).unwrap_or_default();
        let mut others = Between::ALL.into_iter().filter(|between| *between != self.separator);
        let meant = others.find(|between| line.contains(&between.byte()));
        meant.map_or_else(String::new, |between| {
            format!("; add separator={} to input.columns if that is between them", between.name())
        })
    }

    #[inline]
    fn value(&self, before: usize) -> Option<&[u8]> {
        let ends = &self.ends[..self.columns];
        let from = if before == 0 { 0 } else { *ends.get(before - 1)? + self.between };
        Some(self.text[from..*ends.get(before)?].trim_ascii())
    }

    /// How many columns are before the one named `name`.
    fn position(&self, name: &str) -> Result<usize, Mistake> {
        let names = || (0..self.columns).map(|before| self.value(before).unwrap_or_default());
        names().position(|found| found == name.as_bytes()).ok_or_else(|| {
            let names: Vec<_> = names().map(String::from_utf8_lossy).collect();
            let near = match Error::unknown("column", name, names.iter().map(AsRef::as_ref)) {
                Error::Unknown { nearest: Some(near), .. } => format!(" (did you mean {near:?}?)"),
                _ => String::new(),
            };
            Mistake(format!(
                "found no column {name:?} in the header{near}, expected one; its names are {}{}",
                quoted(names.join(", ").as_bytes()),
                self.separator_meant()
            ))
        })
    }

    /// The place and name of the header's volume column, if it is not read otherwise.
    fn volume_named(&self, places: &Places) -> (Option<usize>, Option<String>) {
        let read = [Some(places.time), Some(places.offset), Some(places.length), places.op];
        let free = |before: &usize| {
            !read.contains(&Some(*before))
                && places.latency != Some(*before)
                && places.attributes.iter().all(|(_, place)| place != before)
        };
        let name =
            |before| String::from_utf8_lossy(self.value(before).unwrap_or_default()).into_owned();
        let is_volume = |before: &usize| VOLUMES.contains(&Name::of(&name(*before)).whole.as_str());
        let found = (0..self.columns).filter(free).find(is_volume);
        (found, found.map(name))
    }

    /// The value after `before` others, as parsed by `understand`.
    fn read<T>(
        &self,
        before: usize,
        what: &str,
        expected: &str,
        understand: impl FnOnce(&[u8]) -> Option<T>,
    ) -> Result<T, Mistake> {
        let Some(value) = self.value(before) else {
            return Err(Mistake(format!(
                "found {} column{}, expected at least {} ({what}){}",
                self.columns,
                if self.columns == 1 { "" } else { "s" },
                before + 1,
                self.separator_meant()
            )));
        };
        understand(value).ok_or_else(|| {
            let (number, found) = (before + 1, quoted(value));
            let meant = self.separator_meant()
                + self.point_meant(value)
                + &unit_meant(what, value)
                + &self.start_meant(what, value, number)
                + &digits_meant(what, value);
            Mistake(format!("column {number} ({what}): found {found}, expected {expected}{meant}"))
        })
    }

    /// Advice for a value with a decimal comma.
    fn point_meant(&self, value: &[u8]) -> &'static str {
        let is_of_number = |byte: &u8| matches!(byte, b',' | b'0'..=b'9');
        let has_comma = value.contains(&b',') && value.iter().all(is_of_number);
        match self.separator {
            Between::Comma if has_comma => "; if its comma is a decimal one, write points",
            _ if has_comma => "; with decimal commas, write points: tr , . < FILE | ftlab ... -",
            _ => "",
        }
    }

    /// Advice for a time below 0.
    fn start_meant(&self, what: &str, value: &[u8], number: usize) -> String {
        let remedy = field::from_zero(value, number, self.separator.in_awk());
        remedy.filter(|_| what == "time").map(|it| format!("; {it}")).unwrap_or_default()
    }

    /// The operation of a value; `None` if it is no request.
    fn operation(&self, before: usize, words: &Words) -> Result<Option<Op>, Mistake> {
        let expected = match words {
            Words::Digits(_) => "0 or 1, read, write, trim, discard, flush or fua",
            Words::Mapped(_) => "one of the words in input.columns; *=skip leaves out all others",
            Words::Usual => {
                "read, write, trim, discard, flush or fua; for 0 and 1 say which reads, as \
                 op=COLUMN:1, and for other words as op=COLUMN:get=read/put=write/*=skip"
            }
        };
        self.read(before, "op", expected, |value| match words {
            Words::Mapped(map) => mapped(value, map),
            Words::Usual => usual(value),
            Words::Digits(reads) => digit(value, *reads).or_else(|| usual(value)),
        })
    }
}

/// The operation of a word in the user's map.
fn mapped(value: &[u8], map: &[(String, Option<Op>)]) -> Option<Option<Op>> {
    let named = |name: &str| map.iter().find(|(word, _)| word == name).map(|(_, op)| *op);
    named(str::from_utf8(value).ok()?).or_else(|| named(OTHERS))
}

/// The operation of a digit. `reads`, 0 or 1, means read. If it is 0, 2 means trim, as in fio's
/// logs.
fn digit(value: &[u8], reads: u8) -> Option<Option<Op>> {
    match value {
        [digit] if *digit == reads => Some(Some(Op::Read)),
        [b'0' | b'1'] => Some(Some(Op::Write)),
        b"2" if reads == b'0' => Some(Some(Op::Trim)),
        _ => None,
    }
}

/// The operation of a usual word, or of a letter of Linux' block layer.
pub(super) fn usual(value: &[u8]) -> Option<Option<Op>> {
    let mut word = [0; LONGEST_WORD];
    let word = word.get_mut(..value.len())?;
    word.copy_from_slice(value);
    word.make_ascii_lowercase();
    Some(match &*word {
        b"r" | b"rd" | b"read" => Some(Op::Read),
        b"w" | b"wr" | b"write" => Some(Op::Write),
        b"t" | b"trim" | b"d" | b"discard" | b"unmap" | b"secure_erase" => Some(Op::Trim),
        b"f" | b"flush" | b"sync" => Some(Op::Flush),
        b"fua" => Some(Op::WriteThrough),
        b"none" => None,
        _ => {
            let rwbs = rwbs::exact(value)?;
            rwbs.op.or(rwbs.flushes.then_some(Op::Flush))
        }
    })
}

/// Volumes by their names, or by number.
#[derive(Clone, Default)]
struct Volumes {
    names: Names,
    /// Whether the first volume was a number, and all others have to be.
    numbers: Option<bool>,
    /// The column that was taken although the user did not name it.
    took: Option<String>,
}

impl Volumes {
    fn volume(&mut self, value: &[u8]) -> Option<u32> {
        if *self.numbers.get_or_insert_with(|| is_number(value)) {
            return number::whole(value).and_then(|number| u32::try_from(number).ok());
        }
        if value.is_empty() { None } else { self.names.number(value, MOST_NAMES) }
    }

    fn expected(&self) -> &'static str {
        match self.numbers {
            _ if self.took.is_some() => "a volume; volume=none in input.columns takes all as one",
            Some(false) => "a name, of at most 10,000",
            _ => "a whole number up to 2^32 - 1",
        }
    }
}

/// Whether a volume is meant as a number, although it may be none that a volume has: `-1`.
fn is_number(value: &[u8]) -> bool {
    let begins = |byte: &u8| !byte.is_ascii_alphabetic();
    let is_any = || str::from_utf8(value).is_ok_and(|text| text.parse::<f64>().is_ok());
    value.first().is_none_or(begins) && (value.is_empty() || is_any())
        || number::whole(value).is_some()
}

/// Advice for a time that is too large in its unit.
fn unit_meant(what: &str, value: &[u8]) -> String {
    let whole = value.split(|b| *b == b'.').next().unwrap_or_default();
    match number::integer(whole).and_then(TimeUnit::of_stamp) {
        Some(unit) if what == "time" && unit != TimeUnit::Seconds => {
            let unit = unit.name();
            format!("; since 1970 it counts {unit}: time=COLUMN:{unit}")
        }
        _ => String::new(),
    }
}

/// Advice for an address or a length that has been rounded, or has hexadecimal digits.
fn digits_meant(what: &str, value: &[u8]) -> String {
    let is_hexadecimal =
        value.iter().all(u8::is_ascii_hexdigit) && value.iter().any(u8::is_ascii_alphabetic);
    if !matches!(what, "offset" | "length") {
        String::new()
    } else if number::size(value).is_none() && number::size_in_any(value).is_some() {
        format!("; {}", number::KIBIBYTES)
    } else if number::is_rounded_address(value) {
        format!("; it has been rounded: {}", number::WHOLE)
    } else if is_hexadecimal {
        "; if the column is hexadecimal, write 0x in front of each of its numbers".into()
    } else {
        String::new()
    }
}

fn too_many_columns() -> Mistake {
    Mistake(format!("found more than {MOST_COLUMNS} columns, expected fewer"))
}

/// Nanoseconds since 1970 of a date and a time of day, in UTC if no zone is given. A time of day alone is on the first
/// day.
pub(super) fn date_and_time(value: &[u8]) -> Option<u64> {
    let text = str::from_utf8(value).ok()?;
    let zoned = DateTime::parse_from_rfc3339(text).map(|time| time.to_utc());
    let plain = |form| NaiveDateTime::parse_from_str(text, form).map(|time| time.and_utc());
    let time = zoned.or_else(|_| plain("%FT%T%.f")).or_else(|_| plain("%F %T%.f"));
    let time = time.ok().or_else(|| other_time(text))?;
    u64::try_from(time.timestamp_nanos_opt()?).ok()
}

/// As [`date_and_time`], in the other forms of logs: a decimal comma, slashes, zones without a colon, no date.
#[cold]
fn other_time(text: &str) -> Option<DateTime<Utc>> {
    let text = text.strip_suffix(" UTC").or(text.strip_suffix('Z')).unwrap_or(text);
    let text = &text.replace(',', ".").replace('/', "-").replacen('T', " ", 1);
    let zoned = |form| DateTime::parse_from_str(text, form).map(|time| time.to_utc());
    let plain = |form| NaiveDateTime::parse_from_str(text, form).map(|time| time.and_utc());
    let of_day = || NaiveTime::parse_from_str(text, "%T%.f").ok();
    let time = plain("%F %T%.f").or_else(|_| zoned("%F %T%.f%#z")).ok();
    time.or_else(|| Some(NaiveDate::default().and_time(of_day()?).and_utc()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::request::{Flags, Lifetime};
    use crate::trace::checks::{decoded_with, flushing_with};

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
    fn sizes_in_kb_are_to_be_written_in_kib() {
        let text = "ts,lba,bytes,rw\n0.5,0,8 KB,R\n";
        let message = read("time=ts,offset=lba,length=bytes,op=rw", None, text).unwrap_err();
        assert!(message.contains("; if KB are 1024 bytes, write KiB: sed 's/"), "{message}");
    }

    #[test]
    fn times_of_day_pass_midnight() {
        let times = |times: &[&str]| -> Result<Vec<u64>, String> {
            let rows = times.iter().map(|time| format!("{time},0,512\n"));
            let text: String = rows.collect();
            let all = read("time=1:iso,offset=2,length=3", Some(Op::Read), &text)?;
            Ok(all.iter().map(|request| request.time / 1_000_000_000).collect())
        };
        assert_eq!(times(&["23:59:58", "23:59:59", "00:00:01"]), Ok(vec![0, 1, 3]));
        let (day, two) = (86_400, ["23:30:00", "00:10:00", "12:00:00", "23:30:00", "00:10:00"]);
        assert_eq!(times(&two).map(|all| (all[3], all[4])), Ok((day, day + 2400)));
        // A date counts as it is, and a clock that is set back is no midnight.
        for day in ["2024-01-02", "1970-01-01"] {
            assert!(times(&[&format!("{day} 23:59:58"), &format!("{day} 00:00:01")]).is_err());
        }
        assert!(times(&["23:59:58", "01:00:00"]).is_err());
        assert!(times(&["23:59:58", "00:00:01", "23:59:59"]).is_err());
    }

    #[test]
    fn times_below_0_are_to_be_counted_from_the_first() {
        let columns = "time=ts,offset=lba,length=bytes,op=rw,separator=semicolon";
        for (time, form) in [("-0.5", "%.9f"), ("-3", "%d")] {
            let text = format!("rw;ts;lba;bytes\nR;{time};0;512\n");
            let message = read(columns, None, &text).unwrap_err();
            let awk = format!(
                "awk -F';' -v OFS=';' '$2 ~ /^-?[0-9.]/ {{if (t == \"\") t = $2; $2 = sprintf(\"{form}\", $2 - t)}} 1' FILE"
            );
            assert!(
                message.contains("must not be negative") && message.contains(&awk),
                "{message}"
            );
        }
        let message = read(columns, None, "rw;ts;lba;bytes\nR;-x;0;512\n").unwrap_err();
        assert!(!message.contains("negative"), "{message}");
    }

    #[test]
    fn lines_may_be_in_front_of_the_header_and_it_may_come_again() {
        let columns = "time=ts,offset=lba,length=bytes,op=rw";
        let (header, row) = ("ts,lba,bytes,rw\n", "0.5,0,512,R\n");
        for text in [
            ["Bytes of a tool\nOn 2026-01-31\n", header, row].concat(),
            ["sep=,\n", header, row, header].concat(),
            [header, row].concat(),
        ] {
            assert_eq!(read(columns, None, &text).map(|all| all.len()), Ok(1), "{text}");
        }
        assert_eq!(read(columns, None, &[header, row, header, row].concat()).unwrap().len(), 2);
        for text in ["Made\n0.5,0,512,R\n", "by\nMade\n", &"Made\n".repeat(40)] {
            let message = read(columns, None, text).unwrap_err();
            assert!(message.contains("its names are \"Made\""), "{message}");
        }
        let message = read(columns, None, &["Made\n", header].concat()).unwrap_err();
        assert!(message.contains("found no request"), "{message}");
        for text in ["Ts,lba,bytes,rw\n0.5,0,512,R\n", "ts;lba;bytes;rw\n0.5;0;512;R\n"] {
            let message = read(columns, None, text).unwrap_err();
            assert!(message.starts_with("trace:1: found no column \"ts\""), "{message}");
        }
    }

    #[test]
    fn lines_may_be_in_front_of_rows_whose_columns_have_numbers() {
        let columns = "time=1,offset=2,length=3,op=4";
        let row = "0.5,0,512,R\n";
        for front in ["Time [ms],Offset [B],Size [B],Op\n", "A tool\nat work\n\n", "a,b,c,d\n"] {
            let found = read(columns, None, &[front, row, row].concat());
            assert_eq!(found.map(|all| all.len()), Ok(2), "{front}");
        }
        for (text, message) in [
            ("A tool\n0.5,0,x,R\n", "trace:2: column 3 (length)"),
            ("0.5,0,512,R\nA tool\n", "trace:2: "),
            ("A tool\n", "expected a number"),
            (&"A tool\n".repeat(40), "trace:33: "),
        ] {
            let found = read(columns, None, text).unwrap_err();
            assert!(found.contains(message), "{text}: {found}");
        }
    }

    #[test]
    fn a_time_too_large_for_its_unit_names_the_unit() {
        let text = "1700000000123,0,512,R\n";
        let message = read("time=1,offset=2,length=3,op=4", None, text).unwrap_err();
        assert!(message.contains("time=COLUMN:ms"), "{message}");
    }

    #[test]
    fn sizes_with_units_are_read_and_bare_hexadecimal_digits_are_told() {
        let columns = "time=1,offset=2,length=3,op=4";
        let found = read(columns, None, "1,1M,4K,R\n2,0,8KiB,R\n").unwrap();
        let found: Vec<_> = found.iter().map(|r| (r.offset, r.length)).collect();
        assert_eq!(found, [(1 << 20, 4096), (0, 8192)]);
        for (columns, row) in [
            (columns, "1,1b,4096,R\n"),
            (columns, "1,0,1a2f,R\n"),
            ("time=1,offset=2:sectors,length=3,op=4", "1,ff,4096,R\n"),
        ] {
            let message = read(columns, None, row).unwrap_err();
            assert!(message.contains("write 0x in front of each"), "{message}");
        }
        let sectors = "time=1,offset=2,length=3:sectors,op=4";
        let message = read(sectors, None, "1,0,4K,R\n").unwrap_err();
        assert!(message.contains("found \"4K\", expected a whole number"), "{message}");
    }

    #[test]
    fn clocks_write_times_in_many_forms() {
        let nanoseconds = |text: &str| date_and_time(text.as_bytes());
        let nine = Some(1_580_461_200_250_000_000);
        for text in [
            "2020-01-31T09:00:00.25",
            "2020-01-31 09:00:00,250",
            "2020/01/31 09:00:00.25",
            "2020-01-31T09:00:00.25Z",
            "2020-01-31 09:00:00.25 UTC",
            "2020-01-31 10:00:00.25+0100",
            "2020-01-31T10:00:00.25+01",
            "2020-01-31 04:30:00.25 -04:30",
        ] {
            assert_eq!(nanoseconds(text), nine, "{text}");
        }
        assert_eq!(nanoseconds("00:00:01.5"), Some(1_500_000_000));
        for text in ["01/31/2020 09:00:00 AM", "31.01.2020 09:00:00", "9:00", "2020-01-31", "x"] {
            assert_eq!(nanoseconds(text), None, "{text}");
        }
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
    fn own_tracers_write_words_dates_and_hexadecimal_addresses() {
        let columns = "time=when:iso,offset=lba:sectors,length=bytes,op=what,separator=";
        let lines = [
            "when;lba;bytes;what",
            "2020-02-29T23:59:59.5;0x10;4096;RD",
            "2020-03-01 00:00:00.25;0XfF;512;WR",
            "2020-03-01T01:00:01+01:00;8;512;UNMAP",
        ];
        for (name, between) in [("semicolon", ";"), ("tab", "\t"), ("pipe", "|")] {
            let text = lines.join("\n").replace(';', between);
            let requests = read(&format!("{columns}{name}"), None, &text).unwrap();
            let requests: Vec<_> = requests.iter().map(|r| (r.time, r.offset, r.op)).collect();
            let expected = [(0, 8192, Op::Read), (750_000_000, 130_560, Op::Write)];
            assert_eq!(requests[..2], expected, "{name}");
            assert_eq!(requests[2], (1_500_000_000, 4096, Op::Trim), "{name}");
        }
        let blanks = "time=1:iso,offset=2,length=3,op=4,separator=blanks";
        let text = "  2020-02-29T23:59:59Z  0x10 \t 512 rd\n2020-03-01T00:00:00Z 1 512 wr\n";
        assert_eq!(read(blanks, None, text).unwrap()[1].time, 1_000_000_000);
        for wrong in ["2020-02-30T00:00:00", "1969-12-31T23:59:59Z", "2020-02-29", "noon", "1.5"] {
            let error = read(blanks, None, &format!("{wrong} 0 512 r\n")).unwrap_err();
            assert!(
                error.contains("expected a date and a time of 24 hours from 1970 on"),
                "{error}"
            );
        }
        let many = read(blanks, None, &"1 ".repeat(2000)).unwrap_err();
        assert!(many.contains("more than 1024 columns"), "{many}");
    }

    #[test]
    fn the_separator_that_seems_meant_is_named() {
        let error = read(NAMED, None, "disk;ts;rw;lba;bytes\n").unwrap_err();
        assert!(error.contains("add separator=semicolon to input.columns"), "{error}");
        let error = read("time=1,offset=2,length=3", Some(Op::Read), "1\t2\t3\n").unwrap_err();
        assert!(error.contains("expected a number; add separator=tab to input.columns"), "{error}");
        let error = read("time=2,offset=1,length=3", Some(Op::Read), "1|2|3\n").unwrap_err();
        assert!(error.contains("found 1 column, expected at least 2 (time); add separator=pipe"));
    }

    #[test]
    fn words_of_ones_own_are_mapped_and_others_left_out() {
        let columns = "time=1,offset=2,length=3,op=4:get=read/1=trim/*=skip";
        let found = read(columns, None, "1,2,3,get\n2,2,3,1\n3,2,3,scan\n").unwrap();
        assert_eq!(found.iter().map(|r| r.op).collect::<Vec<_>>(), [Op::Read, Op::Trim]);
        let error = read("time=1,offset=2,length=3,op=4:a=read", None, "1,2,3,b").unwrap_err();
        assert!(error.contains("*=skip leaves out all others"), "{error}");
        let rwbs = "1,2,3,WS\n2,2,3,RA\n3,2,3,FWFS\n4,0,0,FN\n5,2,3,N\n6,2,3,none\n7,2,3,DS\n";
        let found = read("time=1,offset=2,length=3,op=4", None, rwbs).unwrap();
        let ops: Vec<_> = found.iter().map(|r| r.op).collect();
        assert_eq!(ops, [Op::Write, Op::Read, Op::Write, Op::Trim]);
        let ddir = read("time=1,offset=2,length=3,op=4:0", None, "1,2,3,0\n2,2,3,2\n").unwrap();
        assert_eq!(ddir[1].op, Op::Trim);
    }

    #[test]
    fn volumes_may_have_names() {
        let columns = "time=1,offset=2,length=3,op=4,volume=5";
        let found = read(columns, None, "1,2,3,r,sdb\n2,2,3,r,sda\n3,2,3,r,sdb\n").unwrap();
        assert_eq!(found.iter().map(|r| r.volume).collect::<Vec<_>>(), [0, 1, 0]);
        let volumes = |one: &str, other: &str| {
            let text = format!("1,2,3,r,{one}\n2,2,3,r,{other}\n");
            let found = read(columns, None, &text)?;
            Ok::<_, String>(found.iter().map(|r| r.volume).collect::<Vec<_>>())
        };
        for (one, other) in [
            ("8:16", "259:0"),
            ("/dev/sda", "/dev/sdb"),
            ("0f9a-77", "7"),
            ("0:C:", "0:D:"),
            ("\"8,16\"", "\"8,0\""),
        ] {
            assert_eq!(volumes(one, other), Ok(vec![0, 1]), "{one} {other}");
        }
        assert_eq!(volumes("0.0", "3.0"), Ok(vec![0, 3]));
        for (one, other) in [("7", "sda"), ("0.0", "8:16"), ("7", "0f9a-77")] {
            let error = volumes(one, other).unwrap_err();
            assert!(
                error.contains(&format!("found {other:?}, expected a whole number")),
                "{error}"
            );
        }
        for odd in ["-1", "1.5", "4294967296", "99999999999999999999999", ""] {
            let error = volumes(odd, "0").unwrap_err();
            assert!(error.contains(&format!("found {odd:?}, expected a whole number")), "{error}");
        }
    }

    #[test]
    fn a_flush_needs_no_address() {
        let columns = "time=1,op=2,offset=3:sectors,length=4,volume=5";
        let flushes = |line: &str| {
            let text = ["0.5,read,8,512,0\n", line].concat();
            let columns = Some(Columns::try_from(columns.to_owned())?);
            let options = TraceOptions { columns, ..TraceOptions::default() };
            let csv = Csv::with(&options).map_err(|mistake| mistake.0)?;
            flushing_with(csv, &text).map_err(|error| error.to_string())
        };
        for line in ["1.5,flush,,,0\n", "1.5,flush,NaN,nan,0\n", "1.5,F,0,0,0\n"] {
            let found = flushes(line).unwrap();
            let flush = (found[1].op, found[1].offset, found[1].length);
            assert_eq!(flush, (Op::Flush, 0, 0), "{line}");
        }
        for line in ["1.5,write,,512,0\n", "1.5,read,NaN,512,0\n", "1.5,flush,x,,0\n"] {
            assert!(flushes(line).unwrap_err().contains("column 3 (offset)"), "{line}");
        }
    }

    #[test]
    fn rows_without_values_are_left_out() {
        let rows = "1,0,512,r\n,,,\n , , , \n2,8,512,w\n,,,\n";
        for (columns, text) in [
            ("time=1,offset=2,length=3,op=4", rows.to_owned()),
            ("time=t,offset=o,length=l,op=p", [",,,\nt,o,l,p\n", rows].concat()),
        ] {
            assert_eq!(read(columns, None, &text).map(|all| all.len()), Ok(2), "{text}");
        }
        let error = read("time=1,offset=2,length=3,op=4", None, "1,0,512,r\n,8,,\n").unwrap_err();
        assert!(error.starts_with("trace:2: column 1 (time): found \"\""), "{error}");
    }

    /// Lines without quotes are split without the parser of those with quotes.
    #[test]
    fn both_ways_to_split_find_the_same_values() {
        let many = [",".repeat(MOST_COLUMNS - 1), ",".repeat(MOST_COLUMNS)];
        let few = ["1", "1,2,3", ",", "1,,3", "1,2,", " 1 ,\t2", "\u{feff}1,2", "é,\0,x"];
        for line in few.into_iter().chain(many.iter().map(String::as_str)) {
            let split = |way: fn(&mut Record, &[u8]) -> Result<(), Mistake>| {
                let mut record = Record::default();
                record.text.resize(line.len(), 0);
                way(&mut record, without_mark(line.as_bytes())).map_err(|mistake| mistake.0)?;
                let values = (0..record.columns).map(|at| record.value(at).map(<[u8]>::to_vec));
                Ok::<_, String>(values.collect::<Vec<_>>())
            };
            let plain = split(|record, line| record.split_at(b',', line));
            assert_eq!(plain, split(Record::split_quoted), "{line}");
        }
    }

    #[test]
    fn lines_that_end_in_a_carriage_return_alone_are_told() {
        let text = "1,0,512,r,x\r2,8,512,w,x\r3,16,512,w,x\r";
        let error = read("time=1,offset=2,length=3,op=4", None, text).unwrap_err();
        assert!(error.contains("carriage return"), "{error}");
    }

    #[test]
    fn each_of_joined_files_may_have_a_byte_order_mark() {
        let rows = "\u{feff}t,o,l,p\n1,0,512,r\n\u{feff}t,o,l,p\n2,8,512,w\n";
        let found = read("time=t,offset=o,length=l,op=p", None, rows);
        assert_eq!(found.map(|all| all.len()), Ok(2));
        let found = read("time=1,offset=2,length=3,op=4", None, "1,0,1,r\n\u{feff}2,8,1,w\n");
        assert_eq!(found.map(|all| all.len()), Ok(2));
    }

    #[test]
    fn tables_of_databases_are_read() {
        let psql = "\
 ts  | lba | len | op
-----+-----+-----+----
 0.5 |   0 | 512 | r
 1.5 |   8 | 512 | w
(2 rows)
";
        let sqlcmd = "\
ts   lba  len  op
---- ---- ---- --
0.5  0    512  r
1.5  8    512  w

(2 rows affected)
";
        for (separator, text) in [("pipe", psql), ("blanks", sqlcmd)] {
            let columns = format!("time=ts,offset=lba,length=len,op=op,separator={separator}");
            assert_eq!(read(&columns, None, text).map(|all| all.len()), Ok(2), "{text}");
        }
        let error = read("time=1,offset=2,length=3,op=4", None, "1,0,512,r\n(2 disks)\n");
        assert!(error.unwrap_err().starts_with("trace:2: "));
    }

    #[test]
    fn decimal_commas_are_told() {
        for (separator, row, told) in [
            ("comma", "\"0,5\",0,512,r\n", "if its comma is a decimal one, write points"),
            ("semicolon", "0,5;0;512;r\n", "with decimal commas, write points: tr , ."),
        ] {
            let columns = format!("time=1,offset=2,length=3,op=4,separator={separator}");
            let error = read(&columns, None, row).unwrap_err();
            assert!(error.contains(told), "{error}");
        }
    }

    #[test]
    fn columns_may_hold_attributes() {
        let columns = "time=1,offset=2,length=3,op=4,hint=5,lifetime=6,initiator=7,prefetch=8";
        let text = "1,2,3,w,9,short,3,0\n2,2,3,r,,,,1\n";
        let found = read(columns, None, text).unwrap();
        let write =
            Meta { handle: 9, initiator: 3, lifetime: Lifetime::Short, flags: Flags::default() };
        let read_ahead = Meta { flags: Flags::default().with(Flags::PREFETCH), ..Meta::UNSET };
        assert_eq!(found.iter().map(|r| r.meta).collect::<Vec<_>>(), [write, read_ahead]);
        for (line, expected) in [
            ("1,2,3,w,65536,,,", "column 5 (hint): found \"65536\", expected a whole number up to"),
            ("1,2,3,w,1,brief,,", "column 6 (lifetime): found \"brief\", expected 0 to 5"),
            ("1,2,3,w,1,1,-1,", "column 7 (initiator): found \"-1\""),
            ("1,2,3,w,1", "found 5 columns, expected at least 6 (lifetime)"),
        ] {
            let error = read(columns, None, line).unwrap_err();
            assert!(error.contains(expected), "{error}");
        }
    }

    #[test]
    fn a_header_may_be_a_comment() {
        let text = "# a trace\n# ts,op,lba,n\n0.5,r,8,512\n# pause\n1e0,w,4096.0,\"1,024\"\n";
        for text in [text.to_owned(), text.replace('#', "%")] {
            let found = read("time=ts,offset=lba,length=n,op=op", None, &text).unwrap();
            let second = (found[1].time, found[1].offset, found[1].length);
            assert_eq!(second, (500_000_000, 4096, 1024));
        }
    }

    /// Two disks must not overlap because the user did not name their column.
    #[test]
    fn a_column_that_the_header_calls_a_disk_is_the_volume_unless_there_is_to_be_none() {
        let text = "ts,Disk,op,off,len\n1,sda,r,0,512\n2,sdb,r,0,512\n";
        let said = "time=ts,op=op,offset=off,length=len";
        let volumes = |columns: &str| -> Vec<u32> {
            read(columns, None, text).unwrap().iter().map(|r| r.volume).collect()
        };
        assert_eq!(volumes(said), [0, 1]);
        assert_eq!(volumes(&[said, ",volume=none"].concat()), [0, 0]);
        let odd = read(said, None, &text.replace("sdb", "")).unwrap_err();
        assert!(odd.contains("volume=none"), "{odd}");
    }

    #[test]
    fn an_arrival_is_its_completion_less_its_latency() {
        let columns = "time=1,op=2,offset=3,length=4,latency=5:ms";
        let found = read(columns, None, "0.5,r,0,512,600.5\n0.5,w,0,512,100\n").unwrap();
        assert_eq!((found[0].time, found[1].time), (0, 500_500_000));
        let filetime = "time=1:filetime,op=2,offset=3,length=4,latency=5:us";
        let found = read(filetime, None, "20,r,0,512,2\n30,w,0,512,1\n").unwrap();
        assert_eq!((found[0].time, found[1].time), (0, 2000));
        let error = read(columns, None, "0.5,r,0,512,86400000").unwrap_err();
        assert!(error.contains("column 5 (latency): found"), "{error}");
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
            ("1,1,1,8,1073741825,x", "longer than 1 GiB"),
            ("1,1,1,36028797018963968,512,x", "address 36028797018963968"),
            ("4294967296,1,1,8,512,x", r#"column 1 (volume): found "4294967296""#),
            ("1,1,1,8,\0,x", r#"column 5 (length): found "\0""#),
            ("1,1,1,8", "found 4 columns, expected at least 5 (length)"),
            ("\"1,1,1,8,512,x", "found 1 column, expected at least 2 (time)"),
            ("1,1,1,0x,512,x", r#"column 4 (offset): found "0x""#),
            ("1,1,1,0x+8,512,x", r#"column 4 (offset): found "0x+8""#),
            ("1,1,1,0x10000000000000000,512,x", "column 4 (offset)"),
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
