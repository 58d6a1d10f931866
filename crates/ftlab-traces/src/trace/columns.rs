//! The columns of a CSV file, as a user names them.
//!
//! The text has parts `what=column` or `what=column:unit`, such as
//! `time=ts:us,offset=lba:sectors,length=bytes,op=rw:1,volume=disk,separator=tab`. A column is a
//! name in the header line or a number from 1.

use super::time::TimeUnit;
use crate::request::{Attribute, Op};
use crate::units::Bytes;
use serde::{Deserialize, Serialize};

const SECTOR_BYTES: u64 = 512;
const PAGE_BYTES: u64 = 4096;

/// The columns of a CSV file that describe a request, each with its unit.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub struct Columns {
    /// As the user wrote it.
    text: String,
    pub(super) time: (Place, Unit),
    pub(super) offset: (Place, u64),
    pub(super) length: (Place, u64),
    pub(super) op: Option<(Place, Words)>,
    pub(super) volume: Volume,
    /// How long a request took: its arrival is its time less this.
    pub(super) latency: Option<(Place, Unit)>,
    pub(super) attributes: Vec<(Attribute, Place)>,
    pub(super) separator: Between,
}

/// Which column has the volume.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Volume {
    /// Not stated: the column that the header names so, if there is one.
    Unsaid,
    /// The user states that there is none.
    One,
    In(Place),
}

/// What stands between columns.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Between {
    #[default]
    Comma,
    Semicolon,
    Tab,
    Pipe,
    /// Any number of blanks and tabs; there are no quotes and no empty values.
    Blanks,
}

impl Between {
    pub const ALL: [Between; 5] =
        [Between::Comma, Between::Semicolon, Between::Tab, Between::Pipe, Between::Blanks];

    /// The byte that it is, or may be.
    pub const fn byte(self) -> u8 {
        match self {
            Between::Comma => b',',
            Between::Semicolon => b';',
            Between::Tab => b'\t',
            Between::Pipe => b'|',
            Between::Blanks => b' ',
        }
    }

    pub const fn name(self) -> &'static str {
        match self {
            Between::Comma => "comma",
            Between::Semicolon => "semicolon",
            Between::Tab => "tab",
            Between::Pipe => "pipe",
            Between::Blanks => "blanks",
        }
    }

    /// What awk has to know of it.
    pub(super) const fn in_awk(self) -> &'static str {
        match self {
            Between::Comma => "-F, -v OFS=, ",
            Between::Semicolon => "-F';' -v OFS=';' ",
            Between::Tab => "-F'\\t' -v OFS='\\t' ",
            Between::Pipe => "-F'|' -v OFS='|' ",
            Between::Blanks => "",
        }
    }

    fn named(name: &str) -> Result<Self, String> {
        Self::ALL.into_iter().find(|between| between.name() == name).ok_or_else(|| {
            let names = Self::ALL.map(Self::name).join(", ");
            format!("found separator {name:?}, expected one of {names}")
        })
    }
}

/// The values of the operation, in addition to the usual words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Words {
    /// Nothing else.
    Usual,
    /// The digit that means read; the other of 0 and 1 means write.
    Digits(u8),
    /// Each word with its operation; `None` is no request.
    Mapped(Vec<(String, Option<Op>)>),
}

/// The column's name that means there is no volume.
const NO_VOLUME: &str = "none";

/// The word that stands for all other words.
pub(super) const OTHERS: &str = "*";

/// Where a column is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Place {
    /// By this name in the header line.
    Named(String),
    /// By the number of columns before it.
    Behind(usize),
}

/// What a time counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Unit {
    Seconds,
    Milliseconds,
    Microseconds,
    Nanoseconds,
    /// 100 ns each.
    Filetime,
    /// A date and a time of day in ISO 8601.
    Iso,
}

impl Unit {
    /// The unit that it counts, unless it is a date.
    pub(super) const fn counted(self) -> Option<TimeUnit> {
        match self {
            Self::Seconds => Some(TimeUnit::Seconds),
            Self::Milliseconds => Some(TimeUnit::Milliseconds),
            Self::Microseconds => Some(TimeUnit::Microseconds),
            Self::Nanoseconds => Some(TimeUnit::Nanoseconds),
            Self::Filetime => Some(TimeUnit::Filetime),
            Self::Iso => None,
        }
    }
}

impl Columns {
    /// The names by which columns are found in the header.
    pub(super) fn names(&self) -> impl Iterator<Item = &str> {
        let always = [&self.time.0, &self.offset.0, &self.length.0];
        let op = self.op.as_ref().map(|(place, _)| place);
        let latency = self.latency.as_ref().map(|(place, _)| place);
        let volume = match &self.volume {
            Volume::In(place) => Some(place),
            Volume::Unsaid | Volume::One => None,
        };
        let attributes = self.attributes.iter().map(|(_, place)| place);
        let places = always.into_iter().chain(op).chain(volume).chain(latency).chain(attributes);
        places.filter_map(|place| match place {
            Place::Named(name) => Some(name.as_str()),
            Place::Behind(_) => None,
        })
    }

    /// True when a column is named, so that the file must begin with a header line.
    pub(super) fn need_header(&self) -> bool {
        self.names().next().is_some()
    }
}

impl From<Columns> for String {
    fn from(columns: Columns) -> Self {
        columns.text
    }
}

impl TryFrom<String> for Columns {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        let (mut time, mut offset, mut length, mut op, mut volume) = (None, None, None, None, None);
        let (mut separator, mut latency, mut attributes) = (None, None, Vec::new());
        for part in text.split(',') {
            let (what, column) = part.split_once('=').ok_or_else(|| {
                format!("found {part:?}, expected what=column or what=column:unit")
            })?;
            if what == "separator" {
                if separator.replace(Between::named(column)?).is_some() {
                    return Err(twice(what));
                }
                continue;
            }
            let (place, unit) = match column.rsplit_once(':') {
                Some((column, unit)) => (Place::of(column)?, Some(unit)),
                None => (Place::of(column)?, None),
            };
            let again = match what {
                "time" => time.replace((place, time_unit(unit)?)).is_some(),
                "offset" => offset.replace((place, bytes(unit)?)).is_some(),
                "length" => length.replace((place, bytes(unit)?)).is_some(),
                "op" => op.replace((place, words(unit)?)).is_some(),
                "latency" => latency.replace((place, latency_unit(unit)?)).is_some(),
                _ if unit.is_some() && is_plain(what) => {
                    return Err(format!("found {part:?}, expected {what}=column"));
                }
                "volume" if column == NO_VOLUME => volume.replace(Volume::One).is_some(),
                "volume" => volume.replace(Volume::In(place)).is_some(),
                _ => {
                    let attribute = attribute(what).ok_or_else(|| unknown(what))?;
                    let again = attributes.iter().any(|(known, _)| *known == attribute);
                    attributes.push((attribute, place));
                    again
                }
            };
            if again {
                return Err(twice(what));
            }
        }
        let missing = |what: &str| format!("found no {what}, expected {what}=column");
        Ok(Self {
            time: time.ok_or_else(|| missing("time"))?,
            offset: offset.ok_or_else(|| missing("offset"))?,
            length: length.ok_or_else(|| missing("length"))?,
            op,
            volume: volume.unwrap_or(Volume::Unsaid),
            latency,
            attributes,
            separator: separator.unwrap_or_default(),
            text,
        })
    }
}

/// The attribute that is called `what`.
fn attribute(what: &str) -> Option<Attribute> {
    Attribute::ALL.iter().copied().find(|attribute| attribute.name() == what)
}

/// Whether the values of `what` have no unit.
fn is_plain(what: &str) -> bool {
    what == "volume" || attribute(what).is_some()
}

fn unknown(what: &str) -> String {
    let attributes: Vec<&str> = Attribute::ALL.iter().map(|attribute| attribute.name()).collect();
    let names = attributes.join(", ");
    format!(
        "found {what:?}, expected time, offset, length, op, volume, latency, {names} or \
         separator"
    )
}

fn twice(what: &str) -> String {
    format!("found {what} twice, expected it once")
}

impl Place {
    fn of(column: &str) -> Result<Self, String> {
        match column.parse::<usize>() {
            Ok(number @ 1..) => Ok(Self::Behind(number - 1)),
            Ok(_) => Err("found column 0, expected a name or a number from 1".into()),
            Err(_) if column.is_empty() => {
                Err("found a column without a name, expected a name or a number from 1".into())
            }
            // As advice has it for what the user is to say.
            Err(_) if column == "?" => {
                Err("found \"?\" for a column, expected a name or a number from 1".into())
            }
            Err(_) => Ok(Self::Named(column.into())),
        }
    }
}

fn time_unit(unit: Option<&str>) -> Result<Unit, String> {
    match unit {
        None | Some("s") => Ok(Unit::Seconds),
        Some("ms") => Ok(Unit::Milliseconds),
        Some("us") => Ok(Unit::Microseconds),
        Some("ns") => Ok(Unit::Nanoseconds),
        Some("filetime") => Ok(Unit::Filetime),
        Some("iso") => Ok(Unit::Iso),
        Some(other) => Err(format!(
            "found time in {other:?}, expected s, ms, us, ns, filetime (100 ns) or iso (a date and a time)"
        )),
    }
}

fn latency_unit(unit: Option<&str>) -> Result<Unit, String> {
    match time_unit(unit)? {
        Unit::Iso => {
            Err("found latency in \"iso\", expected s, ms, us, ns or filetime (100 ns)".into())
        }
        unit => Ok(unit),
    }
}

fn bytes(unit: Option<&str>) -> Result<u64, String> {
    match unit {
        None | Some("bytes") => Ok(1),
        Some("sectors") => Ok(SECTOR_BYTES),
        Some("pages") => Ok(PAGE_BYTES),
        Some(other) => match Bytes::parse(other) {
            Ok(Bytes(size @ 1..)) => Ok(size),
            _ => Err(format!(
                "found a unit of {other:?}, expected bytes, sectors (512), pages (4096) or a size"
            )),
        },
    }
}

fn words(unit: Option<&str>) -> Result<Words, String> {
    match unit {
        None => Ok(Words::Usual),
        Some("0") => Ok(Words::Digits(b'0')),
        Some("1") => Ok(Words::Digits(b'1')),
        Some(map) if map.contains('=') => {
            map.split('/').map(mapped).collect::<Result<_, _>>().map(Words::Mapped)
        }
        Some(other) => Err(format!(
            "found op with {other:?}, expected the number that reads, 0 or 1, or words as \
             get=read/put=write/*=skip"
        )),
    }
}

/// Parses `put=write` into a word and its operation.
fn mapped(entry: &str) -> Result<(String, Option<Op>), String> {
    let (word, op) = entry.split_once('=').unwrap_or((entry, ""));
    let op = match op {
        "read" => Some(Op::Read),
        "write" => Some(Op::Write),
        "trim" => Some(Op::Trim),
        "flush" => Some(Op::Flush),
        "fua" => Some(Op::WriteThrough),
        "skip" => None,
        _ => {
            return Err(format!(
                "found op with {entry:?}, expected WORD=read, write, trim, flush, fua or skip"
            ));
        }
    };
    Ok((word.to_owned(), op))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn columns(text: &str) -> Result<Columns, String> {
        Columns::try_from(text.to_owned())
    }

    #[test]
    fn names_numbers_and_units_are_told_apart() {
        let text = "time=ts:us,offset=lba:sectors,length=4:8KiB,op=rw:1,volume=disk";
        let found = columns(text).unwrap();
        assert_eq!(found.time, (Place::Named("ts".into()), Unit::Microseconds));
        assert_eq!(found.offset, (Place::Named("lba".into()), 512));
        assert_eq!(found.length, (Place::Behind(3), 8192));
        assert_eq!(found.op, Some((Place::Named("rw".into()), Words::Digits(b'1'))));
        assert!(found.need_header());
        assert_eq!(String::from(found), text);
        let plain = columns("time=1,offset=2,length=3").unwrap();
        assert!(!plain.need_header());
        assert_eq!((plain.time.1, plain.offset.1, plain.op), (Unit::Seconds, 1, None));
        assert_eq!(plain.separator, Between::Comma);
        let tabs = columns("separator=tab,time=1:iso,offset=2,length=3").unwrap();
        assert_eq!((tabs.separator, tabs.time.1), (Between::Tab, Unit::Iso));
    }

    #[test]
    fn a_mistake_is_told() {
        for (text, found) in [
            ("", "found \"\", expected what=column"),
            ("time", "found \"time\", expected what=column"),
            ("time=1,offset=2", "found no length, expected length=column"),
            ("time=1,time=2", "found time twice"),
            ("tiem=1", "found \"tiem\", expected time"),
            ("time=0", "found column 0"),
            ("time=", "a column without a name"),
            ("time=1,offset=2,length=3,volume=?", "found \"?\" for a column"),
            ("time=1:h", "found time in \"h\""),
            ("offset=1:blocks", "found a unit of \"blocks\""),
            ("length=1:0", "found a unit of \"0\""),
            ("separator=;", "found separator \";\", expected one of comma, semicolon"),
            ("separator=tab,separator=tab", "found separator twice"),
            ("op=1:2", "expected the number that reads"),
            ("op=1:a=read/b=wirte", "found op with \"b=wirte\", expected WORD=read"),
            ("volume=1:x", "expected volume=column"),
            ("latency=1:iso", "found latency in \"iso\""),
            ("latency=1,latency=2", "found latency twice"),
            ("hint=1:x", "expected hint=column"),
            ("hint=1,hint=2", "found hint twice"),
            (
                "hnit=1",
                "expected time, offset, length, op, volume, latency, hint, lifetime, initiator",
            ),
        ] {
            let message = columns(text).unwrap_err();
            assert!(message.contains(found), "{message}\nexpected {found}");
        }
    }
}
