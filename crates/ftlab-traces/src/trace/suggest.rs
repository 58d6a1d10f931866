//! The columns of a text that is no known format, by the names in its header or by its values, for the
//! user to check.

use super::counted::{self, Name, OPEN};
use super::guess;
use super::number;
use super::text::Sample;

/// What each column is called in the files that people have, most telling first.
const NAMES: [(&str, &[&str]); 6] = [
    (
        "time",
        &[
            "time",
            "timestamp",
            "ts",
            "when",
            "date",
            "arrival",
            "arrivaltime",
            "starttime",
            "starts",
            "datetime",
            "issuetime",
        ],
    ),
    (
        "offset",
        &[
            "offset", "lba", "sector", "lbn", "slba", "address", "addr", "block", "page",
            "startlba", "lpn",
        ],
    ),
    (
        "length",
        &[
            "length",
            "size",
            "bytes",
            "len",
            "nbytes",
            "sectors",
            "nlb",
            "pages",
            "count",
            "iosize",
            "nsectors",
            "nrsectors",
            "blocks",
            "blockcount",
            "sectorcount",
            "bcount",
        ],
    ),
    (
        "op",
        &[
            "op",
            "rw",
            "operation",
            "type",
            "iotype",
            "opcode",
            "optype",
            "t",
            "rwbs",
            "what",
            "action",
            "cmd",
            "command",
            "iswrite",
            "isread",
            "write",
            "read",
        ],
    ),
    ("volume", VOLUMES),
    (GAP, &["gap", "delta", "interarrival", "interarrivaltime", "iat", "timedelta", "deltatime"]),
];

/// The time since the request before.
const GAP: &str = "gap";

/// What a column of volumes is called.
pub(super) const VOLUMES: &[&str] = &[
    "volume",
    "disk",
    "device",
    "dev",
    "lun",
    "vol",
    "asu",
    "volumeid",
    "diskid",
    "deviceid",
    "devid",
    "lunid",
    "disknumber",
    "disknum",
    "diskname",
    "devicename",
    "devname",
];

/// Rows whose values are looked at.
const ROWS: usize = 50;

/// Lines in front of a header or of the first row.
const MOST_IN_FRONT: usize = 4;

const BETWEEN: [(&str, &str); 5] =
    [(",", ""), (";", "semicolon"), ("\t", "tab"), ("|", "pipe"), (" ", "blanks")];

/// The first rows of a text, which have the same number of values.
pub(super) struct Table<'a> {
    /// As `separator` in `input.columns`; empty for commas.
    pub(super) separator: &'static str,
    pub(super) rows: Vec<Vec<&'a str>>,
}

impl<'a> Table<'a> {
    /// The tables that a text may be, with some lines or none in front.
    fn all(sample: &Sample<'a>) -> impl Iterator<Item = Self> {
        let lines: Vec<&str> =
            sample.lines().take(ROWS + 1).filter_map(|line| str::from_utf8(line).ok()).collect();
        let fronts = 0..=MOST_IN_FRONT.min(lines.len());
        let tables = fronts.flat_map(|front| BETWEEN.iter().map(move |between| (front, between)));
        tables.filter_map(move |(front, between)| Self::of(&lines[front..], between))
    }

    fn of(lines: &[&'a str], (between, separator): &(&str, &'static str)) -> Option<Self> {
        let rows: Vec<Vec<&str>> = lines.iter().map(|line| split(line, between)).collect();
        let width = rows.first().map_or(0, Vec::len);
        let is_table = width >= LEAST_COLUMNS && rows.iter().all(|row| row.len() == width);
        is_table.then_some(Self { separator, rows })
    }

    /// The values of a line of the same width.
    fn row(&self, line: &'a str) -> Option<Vec<&'a str>> {
        let (between, _) = BETWEEN.iter().find(|(_, separator)| *separator == self.separator)?;
        Some(split(line, between)).filter(|row| row.len() == self.rows[0].len())
    }

    /// What is between columns, for a shell; nothing for blanks.
    pub(super) fn quoted_separator(&self) -> Option<&'static str> {
        match self.separator {
            "blanks" => None,
            "" => Some(","),
            "semicolon" => Some("';'"),
            "pipe" => Some("'|'"),
            _ => Some("'\\t'"),
        }
    }

    /// The values of a column.
    pub(super) fn column(&self, at: usize) -> Vec<&'a str> {
        self.rows.iter().map(|row| row[at]).collect()
    }

    /// The values of a column, if all are whole numbers or sizes.
    pub(super) fn numbers(&self, at: usize) -> Option<Vec<u64>> {
        self.rows.iter().map(|row| number::size(row[at].as_bytes())).collect()
    }
}

/// Time, offset and length.
const LEAST_COLUMNS: usize = 3;

fn split<'a>(line: &'a str, between: &str) -> Vec<&'a str> {
    match between {
        " " => line.split_ascii_whitespace().collect(),
        _ => line.split(between).map(|value| value.trim_matches([' ', '"'])).collect(),
    }
}

/// The names in a header of at least `columns` columns.
pub(super) fn names(header: &str, columns: usize) -> Option<Vec<&str>> {
    let names = BETWEEN.iter().map(|(between, _)| split(header, between));
    names.into_iter().find(|names| names.len() >= columns)
}

/// Where the columns of a table are, and what they are called.
pub(super) struct Places<'a> {
    pub(super) time: (usize, &'a str),
    pub(super) offset: (usize, &'a str),
    pub(super) length: (usize, &'a str),
    pub(super) op: Option<(usize, &'a str)>,
    pub(super) volume: Option<(usize, &'a str)>,
    /// The names of all columns, if there are any.
    pub(super) header: Vec<&'a str>,
}

impl Places<'_> {
    fn name(&self, at: usize) -> Name {
        Name::of(self.header.get(at).unwrap_or(&""))
    }

    /// Whether times are those since the request before.
    fn are_gaps(&self) -> bool {
        let Name { whole, front, .. } = self.name(self.time.0);
        known(GAP).iter().any(|gap| whole == *gap || front == *gap)
    }
}

/// How to read a text that `sample` begins: the option `input.columns`, and what has to be done before.
pub(super) fn advice(sample: &Sample) -> Option<String> {
    Table::all(sample).find_map(|table| advice_of(sample, table))
}

fn advice_of<'a>(sample: &Sample<'a>, mut table: Table<'a>) -> Option<String> {
    if let Some(advice) = guess::log_of_fio(&table) {
        return Some(advice);
    }
    let places = match named(&table.rows[0]) {
        Some(places) => {
            table.rows.remove(0);
            places
        }
        None => {
            let title = sample.title().and_then(|title| str::from_utf8(title).ok());
            let names = title.and_then(|title| table.row(title));
            names.and_then(|names| named(&names)).or_else(|| guess::places(&table))?
        }
    };
    // Of a table in which nothing is settled, nothing is known.
    let columns = columns(&table, &places).filter(|columns| columns.matches(OPEN).count() <= 3)?;
    let before = guess::one_action(&table, &places)
        .or_else(|| points(&table, &places))
        .or_else(|| sums(&table, &places));
    let open = if columns.contains('?') { ", and each ? is replaced" } else { "" };
    let op = if places.op.is_none() { " and input.op = read or input.op = write" } else { "" };
    let before = before.unwrap_or_default();
    Some(format!(
        "{before}read it as CSV, once columns and units are checked{open}, with \
         input.columns = {columns}{op}"
    ))
}

/// The value of `input.columns`.
fn columns(table: &Table, places: &Places) -> Option<String> {
    let (time, offset, length) = (places.time, places.offset, places.length);
    let name = |(at, _): (usize, &str)| places.name(at);
    let (offsets, lengths) = (table.numbers(offset.0)?, table.numbers(length.0)?);
    let (offset_unit, length_unit) =
        counted::extents((&name(offset), &offsets), (&name(length), &lengths));
    let time_unit = match places.are_gaps() {
        true if name(time).time_unit().is_none() => OPEN,
        _ => counted::time(&name(time), &table.column(time.0)),
    };
    let place = |(at, name): (usize, &str)| match name {
        "" => (at + 1).to_string(),
        name => name.to_owned(),
    };
    let mut parts = vec![
        format!("time={}{time_unit}", place(time)),
        format!("offset={}{offset_unit}", place(offset)),
        format!("length={}{length_unit}", place(length)),
    ];
    parts.extend(places.op.map(|op| {
        format!("op={}{}", place(op), counted::operation(&name(op), &table.column(op.0)))
    }));
    parts.extend(places.volume.map(|volume| format!("volume={}", place(volume))));
    parts.extend((!table.separator.is_empty()).then(|| format!("separator={}", table.separator)));
    Some(parts.join(","))
}

/// What the column `what` is called.
fn known(what: &str) -> &'static [&'static str] {
    NAMES.iter().find(|(name, _)| *name == what).map_or(&[], |(_, known)| known)
}

/// The places of columns by the names in a header.
pub(super) fn named<'a>(header: &[&'a str]) -> Option<Places<'a>> {
    let names: Vec<Name> = header.iter().map(|name| Name::of(name)).collect();
    let place = |what: &str| {
        let find = |is: &dyn Fn(&Name, &str) -> bool| {
            known(what).iter().find_map(|known| names.iter().position(|name| is(name, known)))
        };
        let at = find(&|name, known| name.whole == known);
        let at = at.or_else(|| find(&|name, known| name.front == known))?;
        // A number takes the place of a name that is not plain, or a word of the option.
        let is_plain = counted::is_plain(header[at]) && header[at] != "none";
        Some((at, if is_plain { header[at] } else { "" }))
    };
    Some(Places {
        time: place("time").or_else(|| place(GAP))?,
        offset: place("offset")?,
        length: place("length")?,
        op: place("op"),
        volume: place("volume"),
        header: header.to_vec(),
    })
}

/// What has to be done with decimal commas.
fn points(table: &Table, places: &Places) -> Option<String> {
    let has_comma = table.column(places.time.0).iter().any(|time| time.contains(','));
    (has_comma && !table.separator.is_empty()).then(|| {
        "its times have decimal commas: write points, tr , . < FILE | ftlab ... -; ".into()
    })
}

/// What has to be done with times since the request before.
fn sums(table: &Table, places: &Places) -> Option<String> {
    let between = table.quoted_separator();
    let fields = between.map_or(String::new(), |between| format!("-F{between} -v OFS={between} "));
    let time = format!("${}", places.time.0 + 1);
    places.are_gaps().then(|| {
        format!(
            "its times are gaps: add them up, awk {fields}'NR > 1 {{t += {time}; {time} = \
             sprintf(\"%.9f\", t)}} 1' FILE | ftlab ... -; "
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trace::Columns;
    use crate::trace::stream::Front;

    fn advised(text: &str) -> Option<String> {
        advice(&Sample::new(Front { bytes: text.as_bytes(), whole: true }))
    }

    /// The columns that are suggested.
    fn suggested(text: &str) -> Option<String> {
        let text = advised(text)?;
        let (_, columns) = text.split_once("input.columns = ")?;
        let columns = columns.split(' ').next()?.to_owned();
        let is_open = columns.contains('?');
        assert_eq!(Columns::try_from(columns.clone()).is_err(), is_open, "{columns}");
        Some(columns)
    }

    #[test]
    fn a_header_in_a_comment_suggests_the_same_columns() {
        let rows = "0.5,r,8,512\n1.5,w,16,1024\n";
        let bare = advised(&["ts,op,lba,bytes\n", rows].concat());
        assert!(bare.as_ref().is_some_and(|advice| advice.contains("offset=lba")), "{bare:?}");
        for mark in ["# ", "%", "# a trace\n\n// "] {
            assert_eq!(advised(&[mark, "ts,op,lba,bytes\n", rows].concat()), bare, "{mark}");
        }
        let other = advised(&["# one, two\n", rows].concat());
        assert_eq!(other, advised(rows));
    }

    #[test]
    fn gaps_are_to_be_added_up() {
        let advice = advised("gap,op,offset,size\n0.5,r,0,512\n0.25,w,512,512\n").unwrap();
        let sums = "awk -F, -v OFS=, 'NR > 1 {t += $1; $1 = sprintf(\"%.9f\", t)} 1' FILE";
        assert!(advice.contains(sums) && advice.contains("time=gap:?"), "{advice}");
        let advice = advised("rw delta_us offset size\nr 5 0 512\nw 2 512 512\n").unwrap();
        assert!(advice.contains("awk 'NR > 1 {t += $2;"), "{advice}");
        assert!(advice.contains("time=delta_us:us"), "{advice}");
        let advice = advised("ts,delta,offset,size\n0.5,1,0,512\n1.5,2,512,512\n").unwrap();
        assert!(!advice.contains("gaps") && advice.contains("time=ts,"), "{advice}");
    }

    #[test]
    fn a_header_of_common_names_suggests_the_columns() {
        for (text, expected) in [
            ("ts,op,offset,size", Some("time=ts,offset=offset,length=size,op=op")),
            (
                "Disk;Time;RW;LBA;Bytes",
                Some(
                    "time=Time,offset=LBA:sectors,length=Bytes,op=RW,volume=Disk,separator=semicolon",
                ),
            ),
            (
                "time_us,is_write,lba,len\n5,1,1001,1\n9,0,77,3\n",
                Some("time=time_us:us,offset=lba:?,length=len:?,op=is_write:0"),
            ),
            (
                "\"Timestamp\",\"Type\",\"Offset\",\"Size\"\n\"128166391024154329\",\"Read\",\"0\",\"512\"\n",
                Some("time=Timestamp:filetime,offset=Offset,length=Size,op=Type"),
            ),
            (
                "id time op offset size\n1 0.5 OP_READ 0 512\n2 0.7 OP_WRITE 0 512\n",
                Some(
                    "time=time,offset=offset,length=size,op=op:OP_READ=read/OP_WRITE=write,separator=blanks",
                ),
            ),
            // Names that would not mean themselves in a terminal or a shell.
            ("ts\u{12},op;,`offset`,size", Some("time=1,offset=3,length=size,op=2")),
            ("time,offset", None),
            ("1,2,3,4", None),
        ] {
            assert_eq!(suggested(text).as_deref(), expected, "{text}");
        }
    }

    #[test]
    fn the_first_rows_suggest_the_columns() {
        for (text, expected) in [
            ("0.5,W,8192,4096\n0.75,R,4096,512\n", Some("time=1,offset=3,length=4,op=2")),
            (
                "read;1700000000123;77;8;sda\nwrite;1700000000125;1001;16;sda\n",
                Some("time=2:ms,offset=3:sectors,length=4:sectors,op=1,separator=semicolon"),
            ),
            (
                "1 77777 8 1.5\n0 1001 16 2.5\n",
                Some("time=4,offset=2:sectors,length=3:sectors,op=1:?,separator=blanks"),
            ),
            ("0.5,W,77777,3\n0.75,R,1001,1\n", Some("time=1,offset=3:?,length=4:?,op=2")),
            ("5,W,77777,3\n7,R,1001,1\n", Some("time=1:?,offset=3:?,length=4:?,op=2")),
            // Not D for discard: the action of blkparse is the same in each row.
            (
                "8,0 0.5 D W 77777 8\n8,0 0.75 D R 1001 16\n",
                Some("time=2,offset=5:sectors,length=6:sectors,op=4,separator=blanks"),
            ),
            (
                "12, 90101, 1, 4096, 8192, 0\n15, 81333, 0, 4096, 0, 0\n",
                Some("time=1:ms,offset=5,length=4,op=3:0"),
            ),
            // A process' number is no length if another column is next to the offset.
            (
                "1.5 42 nfsd 90001 8 W\n2.5 42 nfsd 70016 8 R\n",
                Some("time=1,offset=4:sectors,length=5:sectors,op=6,separator=blanks"),
            ),
            (
                "A tool\nat work\n09:00:00.5 W 4096 512\n09:00:01.5 R 0 512\n",
                Some("time=1:iso,offset=3,length=4,op=2,separator=blanks"),
            ),
            (
                "0.5 \tW\t 0   4096\n1.5\tR  8192\t512\n",
                Some("time=1,offset=3,length=4,op=2,separator=blanks"),
            ),
            ("0,1,17,3,4,get\n1,0,27,5,4,get\n", None),
            ("a,b,c,d\ne,f,g,h\n", None),
            ("1,2,3\n2,3,4\n", None),
            ("1.5,R,8,4096\n", None),
            ("1.5,R,0,0\n2.5,R,0,0\n", None),
            ("", None),
        ] {
            assert_eq!(suggested(text).as_deref(), expected, "{text}");
        }
    }

    #[test]
    fn what_has_to_be_done_before_is_said() {
        for (text, words) in [
            ("0,5;W;8192;4096\n0,75;R;4096;512\n", "tr , . < FILE | ftlab ... -; "),
            ("0.5 Q W 77 8\n0.6 C W 77 8\n0.7 Q R 9 8\n", "awk '$2 == \"Q\"' FILE | ftlab ... -; "),
            ("0.6 C W 77 8\n0.7 D R 9 8\n", "awk '$2 == \"D\"' FILE | ftlab ... -; "),
            ("500, 4000, 0, 4096, 0\n1000, 4001, 1, 4096, 0\n", "log_offset=1"),
            ("time,offset,size\n0.5,8192,512\n", " and input.op = read or input.op = write"),
        ] {
            let advice = advised(text).unwrap_or_default();
            assert!(advice.contains(words), "{text}{advice}");
        }
    }
}
