//! The columns of a text that is no known format, by the names in its header or by its values, for the
//! user to check.

use super::apart::{self, Apart};
use super::called::{self, At, Named};
use super::counted::{self, Name, OPEN};
use super::csv;
use super::field::{self, Column, quoted};
use super::format::FORMATS;
use super::guess;
use super::joined::{Joined, joined};
use super::number;
use super::text::{self, Sample};
use std::collections::BTreeSet;
use std::ops::RangeInclusive;

/// Rows whose values are looked at.
const ROWS: usize = 50;

/// The largest number of logical blocks that NVMe has.
const LONGEST_FROM_ZERO: u64 = 0xffff;

/// Lines in front of a header or of the first row.
const MOST_IN_FRONT: usize = 4;

const BETWEEN: [(&str, &str); 5] =
    [(",", ""), (";", "semicolon"), ("\t", "tab"), ("|", "pipe"), (" ", "blanks")];

/// The first rows of a text, which have the same number of values.
pub(super) struct Table<'a> {
    /// As `separator` in `input.columns`; empty for commas.
    pub(super) separator: &'static str,
    pub(super) rows: Vec<Vec<&'a str>>,
    /// Whether the first line of the text has the names of its columns.
    pub(super) has_names: bool,
    /// Whether another line has them: a comment, or one behind others.
    is_named_otherwise: bool,
    /// Whether awk finds other values: it knows no quotes, and keeps blanks around values.
    awk_differs: bool,
    /// Totals below the rows.
    totals: usize,
    width: usize,
}

impl<'a> Table<'a> {
    /// The tables that a text may be, with some lines or none in front.
    fn all(sample: &Sample<'a>) -> impl Iterator<Item = Self> {
        let mut lines: Vec<&str> =
            sample.lines().take(ROWS + 1).filter_map(|line| str::from_utf8(line).ok()).collect();
        let all = lines.len();
        while let [first, .., last] = lines[..]
            && text::is_total_below(first.as_bytes(), last.as_bytes())
        {
            lines.pop();
        }
        let totals = all - lines.len();
        let fronts = 0..=MOST_IN_FRONT.min(lines.len());
        let tables = fronts.flat_map(|front| BETWEEN.iter().map(move |between| (front, between)));
        tables.filter_map(move |(front, between)| {
            Self::of(&lines[front..], between).map(|table| Self { totals, ..table })
        })
    }

    fn of(lines: &[&'a str], (between, separator): &(&str, &'static str)) -> Option<Self> {
        let has_values = |row: &Vec<&str>| row.iter().any(|value| !value.is_empty());
        let rows = lines.iter().map(|line| split(line, between)).filter(has_values);
        let rows: Vec<Vec<&str>> = rows.collect();
        let width = rows.first().map_or(0, Vec::len);
        let is_table = COLUMNS.contains(&width) && rows.iter().all(|row| row.len() == width);
        let is_other = |line: &&str| {
            line.contains('"') || line.split(between).any(|value| value != value.trim())
        };
        let awk_differs = *separator != "blanks" && lines.iter().any(is_other);
        let (has_names, is_named_otherwise) = (false, false);
        is_table.then_some(Self {
            separator,
            rows,
            has_names,
            is_named_otherwise,
            awk_differs,
            totals: 0,
            width,
        })
    }

    /// How many columns there are.
    pub(super) const fn width(&self) -> usize {
        self.width
    }

    /// The values of a line of the same width.
    fn row(&self, line: &'a str) -> Option<Vec<&'a str>> {
        let (between, _) = BETWEEN.iter().find(|(_, separator)| *separator == self.separator)?;
        Some(split(line, between)).filter(|row| row.len() == self.width)
    }

    /// What awk has to know of the separator: nothing of blanks, and `out` for its output. `None` if awk finds other
    /// values, or other lines than one in front of the rows.
    pub(super) fn awk_fields(&self, out: &str) -> Option<String> {
        let between = match self.separator {
            _ if self.awk_differs || self.is_named_otherwise => return None,
            "blanks" => return Some(String::new()),
            "" => ",",
            "semicolon" => "';'",
            "pipe" => "'|'",
            _ => "'\\t'",
        };
        let out = if out.is_empty() { String::new() } else { format!("{out}{between} ") };
        Some(format!("-F{between} {out}"))
    }

    /// Whether quotes or blanks are around values.
    pub(super) const fn has_blanks(&self) -> bool {
        self.awk_differs
    }

    /// The values of a column.
    pub(super) fn column(&self, at: usize) -> Vec<&'a str> {
        self.rows.iter().map(|row| row[at]).collect()
    }

    /// The different values of a column.
    pub(super) fn distinct(&self, at: usize) -> BTreeSet<&'a str> {
        self.rows.iter().map(|row| row[at]).collect()
    }

    /// The values of a column, if all are whole numbers or sizes. A flush may have none.
    pub(super) fn numbers(&self, at: usize) -> Option<Vec<u64>> {
        let values = self.rows.iter().map(|row| row[at].as_bytes());
        let given = values.filter(|value| !csv::is_missing(value));
        let numbers = given.map(number::size_in_any).collect::<Option<Vec<_>>>()?;
        (!numbers.is_empty() || self.rows.is_empty()).then_some(numbers)
    }
}

/// Time, offset and length at least.
const COLUMNS: RangeInclusive<usize> = 3..=csv::MOST_COLUMNS;

fn split<'a>(line: &'a str, between: &str) -> Vec<&'a str> {
    match between {
        " " => line.split_ascii_whitespace().collect(),
        _ => split_at(line, between.as_bytes()[0]),
    }
}

/// The values between separators that are not within quotes, as in RFC 4180.
fn split_at(line: &str, between: u8) -> Vec<&str> {
    let mut values = Vec::new();
    let (mut from, mut may_quote, mut is_open) = (0, false, false);
    for (at, byte) in line.bytes().enumerate() {
        if at == from {
            may_quote = byte == b'"';
        }
        if byte == between && !is_open {
            values.push(&line[from..at]);
            from = at + 1;
        } else if byte == b'"' && may_quote {
            is_open = !is_open;
        }
    }
    values.push(&line[from..]);
    values.into_iter().map(|value| value.trim_matches([' ', '"'])).collect()
}

/// The names in a header of at least `columns` columns.
pub(super) fn names(header: &str, columns: usize) -> Option<Vec<&str>> {
    let names = BETWEEN.iter().map(|(between, _)| split(header, between));
    names.into_iter().find(|names| names.len() >= columns)
}

/// Where the columns of a table are, and what they are called.
pub(super) struct Places<'a> {
    pub(super) time: At<'a>,
    pub(super) offset: At<'a>,
    pub(super) length: At<'a>,
    pub(super) op: Option<At<'a>>,
    pub(super) latency: Option<At<'a>>,
    /// The column of times and another one, if they are a time together.
    pub(super) joined: Option<Joined>,
    /// The names of all columns, if there are any.
    pub(super) header: Vec<&'a str>,
}

impl Places<'_> {
    fn name(&self, at: usize) -> Name {
        Name::at(&self.header, at)
    }

    /// Whether times are those since the request before.
    fn are_gaps(&self) -> bool {
        called::is_gap(&self.name(self.time.0))
    }

    /// Whether a column is read, other than as the volume.
    pub(super) fn reads(&self, at: usize) -> bool {
        let always = [self.time, self.offset, self.length].into_iter();
        let is_joined = self.joined.is_some_and(|joined| joined.other == at);
        is_joined || always.chain(self.op).chain(self.latency).any(|(read, _)| read == at)
    }

    /// Whether a format that names these columns has them at the same places.
    fn are_those_of(&self, own: &Named) -> bool {
        let at = |column: Option<At>| column.map(|(at, _)| at);
        let [time, offset, length] = [self.time, self.offset, self.length].map(|(at, _)| Some(at));
        time == at(own.time)
            && offset == at(own.offset)
            && length == at(own.length)
            && (own.op.is_none() || at(own.op) == at(self.op))
    }
}

/// The formats whose lines are rows that have a volume.
const WITH_VOLUMES: [&str; 8] =
    ["spc", "msr", "systor", "alibaba", "tencent", "fiu", "mqsim", "disksim"];

/// What fio's manual calls the column of operations in its logs.
const DIRECTION_OF_FIO: &str = "data direction";

/// The columns of DiskMon's logs.
const DISKMON: [&str; 7] = ["number", "time_s", "duration", "disk", "op", "sector", "sectors"];

/// How to read a text that `sample` begins: the option `input.columns`, and what has to be done before. It looks like
/// the format that has the columns `like`.
pub(super) fn advice(sample: &Sample, like: Option<&'static [Column]>) -> Option<String> {
    Table::all(sample).find_map(|table| advice_of(sample, table, like)).flatten()
}

/// As [`advice`]; nothing within if the names of columns are known, but not which are to be read.
fn advice_of<'a>(
    sample: &Sample<'a>,
    mut table: Table<'a>,
    like: Option<&'static [Column]>,
) -> Option<Option<String>> {
    let title = sample.title().and_then(|title| str::from_utf8(title).ok());
    let title = title.and_then(|title| table.row(title)).map(|names| Named::of(&names));
    let mut named = Named::of(&table.rows[0]);
    let names = table.rows[0].iter().map(|name| name.as_bytes());
    let counts = text::is_counted(names.filter(|name| !name.is_empty()));
    if counts || speaks(&named) {
        let is_first = sample.lines().next().is_some_and(|line| is_row(&table, line));
        table.has_names = is_first && sample.title().is_none();
        let names = table.rows.remove(0);
        // Files that have been joined have their header again.
        table.rows.retain(|row| *row != names);
        named = if counts { Named::default() } else { named };
    } else {
        named = title.filter(speaks).unwrap_or_default();
    }
    let may_be_log = named.header.is_empty() || named.header.contains(&DIRECTION_OF_FIO);
    if let Some(advice) = guess::log_of_fio(&table).filter(|_| may_be_log) {
        return Some(Some(advice));
    }
    table.is_named_otherwise = !table.has_names && !named.header.is_empty();
    let (knows, has_rows) = (named.columns().count() > 1, table.rows.len() > 1);
    let own = like.map(|columns| Named::of(&names_of(columns)));
    let own = own.filter(|own| own.header.len() == table.width() && named.header.is_empty());
    named.joined = joined(&table, &named.header);
    let own = own.filter(|_| named.joined.is_none());
    if let Some(joined) = named.joined {
        named.time = Some(named.at(joined.time));
    }
    let found = own.and_then(|own| guess::of_format(&table, &own));
    match found.or_else(|| guess::places(&table, named)) {
        None => (knows && has_rows).then_some(None),
        Some(places) => written(&table, places, like).or_else(|| rounded(&table)).map(Some),
    }
}

/// What to do about whole numbers that a program has rounded.
fn rounded(table: &Table) -> Option<String> {
    let values = |at: usize| table.column(at).into_iter().map(str::as_bytes);
    let at = (0..table.width()).find(|at| values(*at).any(number::is_rounded_address))?;
    Some(format!("column {} has been rounded: {}", at + 1, number::WHOLE))
}

/// Whether a line is the row that has been taken from the table: its names.
fn is_row(table: &Table, line: &[u8]) -> bool {
    let row = str::from_utf8(line).ok().and_then(|line| table.row(line));
    row.is_some_and(|row| row == table.rows[0])
}

/// Whether names of columns are names, and two of them are known. One may be a unit below the names.
fn speaks(named: &Named) -> bool {
    let is_number =
        |name: &&str| number::size(name.as_bytes()).is_some() || name.parse::<f64>().is_ok();
    named.columns().count() > 1 && !named.header.iter().any(is_number)
}

fn names_of(columns: &'static [Column]) -> Vec<&'static str> {
    columns.iter().map(|column| column.name).collect()
}

/// The advice for these places.
fn written<'a>(
    table: &Table<'a>,
    places: Places<'a>,
    like: Option<&'static [Column]>,
) -> Option<String> {
    let action = guess::one_action(table, &places);
    // A row of blkparse is none of another format.
    let is_other = action.is_none() && places.header.is_empty();
    let own = if is_other { own_names(table, &places, like) } else { Vec::new() };
    let volume = apart::apart(table, &places, &own);
    let operations = guess::may_operate(table, &places);
    let columns = columns(table, &places, &own, &volume, !operations.is_empty(), like)?;
    // Of a table in which nothing is settled, nothing is known.
    let has_points = table.column(places.time.0).iter().any(|time| time.contains('.'));
    let open = columns.matches(OPEN).count() + usize::from(places.op.is_none());
    if places.header.is_empty() && !has_points && open > 3 {
        return None;
    }
    let joins = places.joined.map(|joined| joined.step(table));
    let dates = dates(table, &places);
    let (zeros, lengths) = (zeros(table, &places), one_too_small(table, &places));
    let (start, sizes) = (negative(table, &places), sizes(table, &places));
    let points = points(table, &places);
    let sums = sums(table, &places);
    let steps = [action, dates, points, zeros, sums, joins, lengths, start, sizes];
    let total = match table.totals {
        0 => None,
        1 => Some("the last line is a total".into()),
        many => Some(format!("the last {many} lines are totals")),
    };
    let total = total.map(|found| format!("{found}: {}; ", text::without_last(table.totals)));
    let before: String = steps.into_iter().chain([total]).flatten().collect();
    let operation = which_operation(&operations, &places);
    let is_said = places.op.is_some() || operation.is_some();
    let which = operation.unwrap_or_default() + &which(&volume);
    let open = if columns.contains('?') { ", and each ? is replaced" } else { "" };
    let op = if is_said { "" } else { " and input.op = read or input.op = write" };
    Some(format!(
        "{before}{which}read it as CSV, once columns and units are checked{open}, with \
         input.columns = {columns}{op}"
    ))
}

/// The names of all columns in the format that has its columns at these places.
fn own_names(table: &Table, places: &Places, like: Option<&'static [Column]>) -> Vec<&'static str> {
    let known = FORMATS.iter().filter(|format| WITH_VOLUMES.contains(&format.name));
    let is_diskmon = table.separator == "tab" && table.width() == DISKMON.len();
    if is_diskmon && places.are_those_of(&Named::of(&DISKMON)) {
        return DISKMON.to_vec();
    }
    let mut all = like.into_iter().chain(known.map(|format| format.columns)).map(names_of);
    let is_own = |names: &Vec<&'static str>| {
        names.len() == table.width() && places.are_those_of(&Named::of(names))
    };
    all.find(is_own).unwrap_or_default()
}

/// What to do about columns of 0 and 1 if several may be the operation.
fn which_operation(columns: &[usize], places: &Places) -> Option<String> {
    let named = Named { header: places.header.clone(), ..Named::default() };
    let names: Vec<String> = columns.iter().map(|at| place(named.at(*at))).collect();
    let (last, others) = names.split_last()?;
    let others = others.join(", ");
    Some(format!(
        "columns {others} and {last} may be the operation: state one, as op={last}:0 if 0 reads; "
    ))
}

/// What to do about volumes that the table does not settle.
fn which(volume: &Apart) -> String {
    let Apart::Perhaps(columns) = volume else { return String::new() };
    let names: Vec<String> = columns.iter().map(|column| place(*column)).collect();
    match &names[..] {
        [name] => format!("column {name} may be the volume: state it, or volume=none; "),
        names => format!(
            "columns {} may be the volume: state one, all joined to one column, or volume=none; ",
            names.join(" and ")
        ),
    }
}

/// A column as `input.columns` has it.
fn place((at, name): At) -> String {
    if name.is_empty() { (at + 1).to_string() } else { name.to_owned() }
}

/// Whether a format has times in seconds.
fn is_in_seconds(columns: &'static [Column]) -> bool {
    let time = Named::of(&names_of(columns)).time.map(|(at, _)| columns[at].expected);
    time.is_some_and(|time| time.split(' ').any(|word| word.trim_end_matches(',') == "seconds"))
}

/// The value of `input.columns`.
fn columns(
    table: &Table,
    places: &Places,
    own: &[&str],
    volume: &Apart,
    asks_operation: bool,
    like: Option<&'static [Column]>,
) -> Option<String> {
    let (time, offset, length) = (places.time, places.offset, places.length);
    // What resembles another format may count other units.
    let own = if *own == DISKMON { own } else { &[] };
    let names = if own.is_empty() { &places.header } else { own };
    let name = |(at, _): At| Name::at(names, at);
    let (offsets, lengths) = (table.numbers(offset.0)?, table.numbers(length.0)?);
    let has_plus = places.header.is_empty() && guess::plus(table) == Some(offset.0 + 1);
    let (offset_unit, length_unit) = if has_plus {
        (":sectors", ":sectors")
    } else {
        counted::extents((&name(offset), &offsets), (&name(length), &lengths))
    };
    let is_named = name(time).time_unit().is_some();
    let time_unit = match (places.joined, counted::time(&name(time), &table.column(time.0))) {
        (Some(joined), _) => joined.unit(),
        _ if places.are_gaps() && !is_named => OPEN,
        (_, "") if !is_named && like.is_some_and(|columns| !is_in_seconds(columns)) => OPEN,
        (_, unit) => unit,
    };
    let mut parts = vec![
        format!("time={}{time_unit}", place(time)),
        format!("offset={}{offset_unit}", place(offset)),
        format!("length={}{length_unit}", place(length)),
    ];
    parts.extend(places.op.map(|op| {
        let values = table.column(op.0);
        let words = counted::of_nvme(&name(offset), &name(op), &values);
        let words = words.unwrap_or_else(|| counted::operation(&name(op), &values));
        format!("op={}{words}", place(op))
    }));
    parts.extend(asks_operation.then(|| "op=?".into()));
    parts.extend(places.latency.map(|latency| {
        let unit = name(latency).time_unit().map_or(OPEN, counted::in_columns);
        format!("latency={}{unit}", place(latency))
    }));
    match volume {
        Apart::By(column) => parts.push(format!("volume={}", place(*column))),
        Apart::Perhaps(_) => parts.push("volume=?".into()),
        Apart::Unknown => {}
    }
    parts.extend((!table.separator.is_empty()).then(|| format!("separator={}", table.separator)));
    Some(parts.join(","))
}

/// What has to be done with dates in a form that is not read.
fn dates(table: &Table, places: &Places) -> Option<String> {
    let times = table.column(places.time.0);
    let is_read = |time: &&str| csv::date_and_time(time.as_bytes()).is_some();
    let other = times.iter().find(|time| time.contains(':') && !is_read(time))?;
    let example = quoted(other.as_bytes());
    Some(format!("write its dates, such as {example}, as 2020-01-31T09:00:00.25; "))
}

/// What has to be done with decimal commas.
pub(super) fn points(table: &Table, places: &Places) -> Option<String> {
    let has_comma = table.column(places.time.0).iter().any(|time| time.contains(','));
    (has_comma && !table.separator.is_empty()).then(|| {
        "its times have decimal commas: write points, tr , . < FILE | ftlab ... -; ".into()
    })
}

/// What has to be done with nanoseconds that lack their zeros.
fn zeros(table: &Table, places: &Places) -> Option<String> {
    if !counted::lack_zeros(&table.column(places.time.0)) {
        return None;
    }
    let time = places.time.0 + 1;
    let awk = table.awk_fields("-v OFS=").map(|fields| {
        format!(
            ", awk {fields}'{{split(${time}, t, \".\"); ${time} = sprintf(\"%d.%09d\", t[1], t[2])}} 1' \
             FILE | ftlab ... -"
        )
    });
    let awk = awk.filter(|_| !table.has_names).unwrap_or_default();
    Some(format!("the nanoseconds of its times lack zeros in front: write nine digits{awk}; "))
}

/// What has to be done with sizes in KB.
fn sizes(table: &Table, places: &Places) -> Option<String> {
    let mut values =
        [places.offset, places.length].into_iter().flat_map(|(at, _)| table.column(at));
    let is_open =
        |value: &str| number::size(value.as_bytes()).is_none() && value.ends_with(['B', 'b']);
    values.any(is_open).then(|| format!("{}; ", number::KIBIBYTES))
}

/// What has to be done with times below 0.
fn negative(table: &Table, places: &Places) -> Option<String> {
    let at = places.time.0;
    let awk = table.awk_fields("-v OFS=").filter(|_| places.joined.is_none())?;
    let remedy = |time: &&str| field::from_zero(time.as_bytes(), at + 1, &awk);
    table.column(at).iter().find_map(remedy).map(|remedy| format!("{remedy}; "))
}

/// What has to be done with lengths in sectors that are one too small, as NVMe's number of logical blocks is.
fn one_too_small(table: &Table, places: &Places) -> Option<String> {
    let length = places.length.0;
    let name = places.name(length);
    if name.size_unit().is_some_and(|unit| unit != ":sectors") {
        return None;
    }
    let given = table.column(length).into_iter().filter(|value| !value.is_empty());
    let lengths =
        given.map(|value| number::integer(value.as_bytes())).collect::<Option<Vec<_>>>()?;
    let of_pages = |add: u64| lengths.iter().filter(|len| (**len + add).is_multiple_of(8)).count();
    if lengths.iter().any(|len| *len > LONGEST_FROM_ZERO) || 2 * of_pages(1) <= lengths.len() {
        return None;
    }
    let add = match table.awk_fields("-v OFS=") {
        Some(fields) => {
            let rows = if table.has_names { "NR > 1 && " } else { "" };
            let length = length + 1;
            format!(
                ", awk {fields}'{rows}${length} != \"\" {{${length} += 1}} 1' FILE | ftlab ... -"
            )
        }
        None => String::new(),
    };
    Some(format!("its lengths count from 0, as those of NVMe: add 1{add}; "))
}

/// What has to be done with times since the request before.
fn sums(table: &Table, places: &Places) -> Option<String> {
    if !places.are_gaps() {
        return None;
    }
    let time = format!("${}", places.time.0 + 1);
    Some(table.awk_fields("-v OFS=").map_or_else(
        || "its times are gaps: add them up; ".into(),
        |fields| {
            format!(
                "its times are gaps: add them up, awk {fields}'NR > 1 {{t += {time}; {time} = \
                 sprintf(\"%.9f\", t)}} 1' FILE | ftlab ... -; "
            )
        },
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trace::Columns;
    use crate::trace::stream::Front;

    fn advised(text: &str) -> Option<String> {
        advice(&Sample::new(Front { bytes: text.as_bytes(), whole: true }), None)
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
    fn a_header_that_comes_again_is_no_row() {
        let (header, rows) = ("time_s,op,offset,size\n", "5,R,8192,512\n7,W,0,4096\n");
        let once = suggested(&[header, rows].concat());
        assert_eq!(once.as_deref(), Some("time=time_s,offset=offset,length=size,op=op"));
        assert_eq!(suggested(&[header, rows, header, rows].concat()), once);
    }

    #[test]
    fn totals_below_the_rows_are_to_be_left_out() {
        let rows = "time_s,op,offset,size\n5,R,8192,512\n7,W,0,4096\n";
        for total in ["Total,,,4608\n", "Total: 2 requests\n", ",,\"TOTAL\",4608"] {
            let advice = advised(&[rows, total].concat()).unwrap();
            assert!(advice.starts_with("the last line is a total: head -n -1 FILE"), "{advice}");
            assert_eq!(suggested(&[rows, total].concat()), suggested(rows));
        }
        let advice = advised(&[rows, "sum,,,4608\nmean,,,2304\n"].concat()).unwrap();
        assert!(advice.starts_with("the last 2 lines are totals: head -n -2 FILE"), "{advice}");
        // The name of a program.
        let programs = "comm,time,op,offset,size\ndd,5,R,8192,512\nmean,7,W,0,4096\n";
        assert!(!advised(programs).unwrap().contains("total"));
    }

    #[test]
    fn a_header_in_a_comment_suggests_the_same_columns() {
        let rows = "0.5,r,8,512\n1.5,w,16,1024\n";
        let bare = advised(&["ts,op,lba,bytes\n", rows].concat());
        assert!(bare.as_ref().is_some_and(|advice| advice.contains("offset=lba")), "{bare:?}");
        for mark in ["# ", "%", "# a trace\n\n// "] {
            assert_eq!(advised(&[mark, "ts,op,lba,bytes\n", rows].concat()), bare, "{mark}");
        }
        let ruled = advised(&["# ts,op,lba,bytes\n-----------------\n", rows].concat());
        assert_eq!(ruled, bare);
        let other = advised(&["# one, two\n", rows].concat());
        assert_eq!(other, advised(rows));
    }

    #[test]
    fn one_of_several_events_of_a_request_is_to_be_taken() {
        for (events, action) in [
            (["submit", "complete"], "submit"),
            (["block_rq_issue", "block_rq_complete"], "block_rq_issue"),
            (["D", "C"], "D"),
        ] {
            let [first, last] = events;
            let text =
                format!("time,event,op,offset,size\n0.5,{first},r,0,512\n0.7,{last},r,0,512\n");
            let advice = advised(&text).unwrap();
            let take = format!("awk -F, 'NR == 1 || $2 == \"{action}\"' FILE");
            assert!(advice.contains(&take), "{advice}");
        }
    }

    #[test]
    fn maps_that_bpftrace_prints_at_its_end_are_no_rows() {
        let rows = "1234567 W 223490 8\n1234999 RA 8 16\n1300000 WS 800 16\n";
        let maps = "\n@reads: 5\n@writes[fio, 8]: 6\n@bytes: \n";
        assert!(advised(rows).is_some());
        assert_eq!(advised(&[rows, maps].concat()), advised(rows));
        let first = ["Attaching 1 probe...\n", rows].concat();
        assert_eq!(advised(&[&first, maps].concat()), advised(rows));
    }

    #[test]
    fn what_awk_would_find_otherwise_is_told_without_it() {
        for text in [
            "\"gap\",\"op\",\"offset\",\"size\"\n\"0.5\",r,0,512\n\"0.25\",w,512,512\n",
            "# gap,op,offset,size\n0.5,r,0,512\n0.25,w,512,512\n",
            "made by hand\ngap,op,offset,size\n0.5,r,0,512\n0.25,w,512,512\n",
        ] {
            let advice = advised(text).unwrap();
            assert!(advice.contains("its times are gaps: add them up; "), "{advice}");
        }
        let events = "time,event,op,offset,size\n0.5, submit,r,0,512\n0.7, complete,r,0,512\n";
        let advice = advised(events).unwrap();
        assert!(advice.contains("take one, submit in column 2; "), "{advice}");
        let both = advised("gap;op;offset;size\n0,5;r;0;512\n0,25;w;512;512\n").unwrap();
        assert!(both.contains("decimal commas") && both.contains("gaps"), "{both}");
        let latency = advised("0,5;W;8192;4096;0,12\n0,75;R;4096;512;0,13\n").unwrap();
        assert!(!latency.contains("volume=5"), "{latency}");
    }

    #[test]
    fn times_in_two_columns_are_to_be_joined() {
        for (text, join, columns) in [
            (
                "date,time,op,offset,size\n2024-01-15,03:00:00.5,R,0,512\n2024-01-16,04:00:00,W,512,512\n",
                "awk -F, -v OFS=, 'NR > 1 && $2 != \"\" {$2 = $1 \"T\" $2} 1' FILE",
                "time=time:iso,offset=offset",
            ),
            (
                "2024-01-15 03:00:00.0 R 81920 512\n2024-01-16 03:00:00.0 W 512 512\n",
                "awk '$2 != \"\" {$2 = $1 \"T\" $2} 1' FILE",
                "time=2:iso,offset=4,length=5,op=3,separator=blanks",
            ),
            (
                "tv_sec,tv_usec,op,sector,bytes\n1705312800,137000,R,182142824,8192\n1705312800,138000,W,8,512\n",
                "awk -F, -v OFS=, 'NR > 1 && $1 != \"\" {$1 = sprintf(\"%d.%06d\", $1, $2)} 1' FILE",
                "time=tv_sec,offset=sector:sectors,length=bytes,op=op",
            ),
            (
                "sec,nsec,op,offset,size\n7,137000000,R,0,8192\n8,9,W,8192,512\n",
                "{$1 = sprintf(\"%d.%09d\", $1, $2)} 1'",
                "time=sec,",
            ),
            (
                "1705312800 137000000 R 182142824 16\n1705312800 237000000 R 7 16\n\
                 1705312800 437000000 R 182142824 16\n1705312800 537000000 R 7 16\n\
                 1705312800 637000000 W 182142824 16\n1705312800 837000000 R 7 16\n\
                 1705312801 037000000 R 182142824 16\n1705312801 137000000 R 7 16\n",
                "awk '$1 != \"\" {$1 = sprintf(\"%d.%09d\", $1, $2)} 1' FILE",
                "time=1,offset=4:sectors,length=5:sectors,op=3,separator=blanks",
            ),
        ] {
            let advice = advised(text).unwrap();
            assert!(advice.contains(join) && advice.contains(columns), "{advice}");
        }
        for text in [
            // A latency, the same time in two units, and addresses of a stream.
            "time,latency_us,op,offset,size\n1,137,R,0,512\n2,138,W,512,512\n",
            "time_s,time_ns,op,offset,size\n1,1137000000,R,0,512\n2,2138000000,W,512,512\n",
            "1 182142824 16 R\n1 182142840 16 R\n1 182142856 16 R\n1 182142872 16 R\n\
             1 182142888 16 R\n1 182142904 16 W\n2 182142920 16 R\n",
        ] {
            let advice = advised(text).unwrap();
            assert!(!advice.contains("join"), "{advice}");
        }
    }

    #[test]
    fn a_plus_sign_is_between_the_sector_and_the_number_of_sectors() {
        for (text, expected) in [
            (
                "0.000001829 697 W 223490 + 8 kjournald\n0.000441943 697 R 8 + 16 dd\n",
                "time=1,offset=4:sectors,length=6:sectors,op=3,separator=blanks",
            ),
            // The process has two words in all rows but one.
            (
                "0.000001829 697 W 223490 + 8 [dd]\n0.000441943 697 R 8 + 16 [my prog]\n\
                 0.100441943 697 R 16 + 16 [my prog]\n",
                "time=1,offset=4:sectors,length=6:sectors,op=3,separator=blanks",
            ),
            (
                "8,0 0 0.000001829 697 D W 223490 + 8 [a]\n8,0 0 0.000027360 12 D R 223498 + 16 [b]\n",
                "time=3,offset=7:sectors,length=9:sectors,op=6,volume=1,separator=blanks",
            ),
            (
                "8,0 1 0.000001829 697 Q W 223490 + 8 [a]\n8,0 2 0.000441943 698 Q R 223490 + 8 [b]\n",
                "time=3,offset=7:sectors,length=9:sectors,op=6,volume=1,separator=blanks",
            ),
            // Sectors that rise are no times.
            (
                "5 D W 223490 + 8\n7 D R 223498 + 16\n",
                "time=1:?,offset=4:sectors,length=6:sectors,op=3,separator=blanks",
            ),
        ] {
            assert_eq!(suggested(text).as_deref(), Some(expected), "{text}");
        }
    }

    #[test]
    fn dates_that_are_not_read_are_to_be_written_otherwise() {
        for date in ["01/15/2024 10:30:45.1 AM", "15.01.2024 10:30:45", "Jan 15 10:30:45"] {
            let text = format!("time,op,offset,size\n{date},R,0,512\n{date},W,512,512\n");
            let advice = advised(&text).unwrap();
            let told = format!("write its dates, such as {date:?}, as 2020-01-31T09:00:00.25; ");
            assert!(advice.starts_with(&told) && advice.contains("time=time:iso,"), "{advice}");
        }
        let read = advised("time,op,offset,size\n2024-01-15 10:30:45,R,0,512\n").unwrap();
        assert!(!read.contains("dates"), "{read}");
    }

    #[test]
    fn the_end_of_an_extent_or_of_a_request_is_not_taken() {
        for (header, columns) in [
            ("time,op,start_offset,size,end_offset", "time=time,offset=start_offset,length=size"),
            ("time,op,first_lba,blocks,last_lba", "offset=first_lba"),
            ("time,op,start,len,end", "offset=start,length=len"),
        ] {
            let rows = "\n0.0001,r,8192,4096,12288\n0.0002,w,81920,8192,90112\n";
            let advice = advised(&[header, rows].concat()).unwrap();
            assert!(advice.contains(columns), "{header}: {advice}");
        }
        let ends = "start,end,op,offset,size\n1.0,1.5,r,0,512\n1.1,1.6,w,512,512\n";
        assert!(suggested(ends).unwrap().starts_with("time=start:?,offset=offset,"));
    }

    #[test]
    fn commands_of_scsi_are_operations() {
        let rows = "0.2645187 0x28 28205400 8 0x0000\n0.2645900 0x2a 28205416 16 0x0000\n";
        for header in ["", "frame.time_relative scsi_sbc.opcode scsi_sbc.rdwr10.lba xferlen lun\n"]
        {
            let columns = suggested(&[header, rows].concat()).unwrap();
            assert!(columns.contains(":0x28=read/0x2a=write"), "{columns}");
        }
        let lengths = suggested("0.1,0,4096,0x28\n0.2,1,8192,0x88\n").unwrap();
        assert!(lengths.contains("op=2:?"), "{lengths}");
    }

    #[test]
    fn logs_of_fio_have_their_time_of_issue_in_the_seventh_column() {
        let advice = |more: [&str; 2]| {
            let [first, second] = more;
            let rows = [
                format!("265, 1061634, 1, 4096, 6391455744{first}\n"),
                format!("266, 1031634, 0, 4096, 4096{second}\n"),
            ];
            advised(&rows.concat()).unwrap()
        };
        assert!(advice(["", ""]).ends_with("time=1:ms,offset=5,length=4,op=3:0"));
        let issued = advice([", 0x0000, 264760039", ", 0x0000, 264560039"]);
        assert!(
            issued.ends_with("time=7:ns,offset=5,length=4,op=3:0 and input.order = sort"),
            "{issued}"
        );
        let same = advice([", 0x0000, 0", ", 0x0000, 0"]);
        assert!(same.ends_with("time=1:ms,offset=5,length=4,op=3:0"), "{same}");
        let header =
            "time (msec), latency (nsec), data direction, block size (bytes), offset (bytes)\n";
        let rows = "0, 412345, 0, 4096, 0\n1, 512345, 1, 4096, 4096\n";
        let named = advised(&[header, rows].concat()).unwrap();
        assert!(named.ends_with("time=1:ms,offset=5,length=4,op=3:0"), "{named}");
        // Names that say themselves what the columns are.
        let other = advised(&["time_s,latency,is_read,size,offset\n", rows].concat()).unwrap();
        assert!(other.contains("op=is_read:1"), "{other}");
    }

    #[test]
    fn nanoseconds_without_zeros_are_told() {
        let text = |times: &[&str]| -> String {
            let line = |time| format!("{time} Q R 28205400 8\n");
            times.iter().map(line).collect()
        };
        let times = ["0.1829", "0.6197", "0.19456", "0.21253", "0.441943", "0.5", "0.8", "0.9"];
        let sorted =
            ["0.1829", "0.6197", "0.19456", "0.21253", "0.441943", "1.5", "1.18", "1.90000"];
        let advice = advised(&text(&sorted)).unwrap();
        let awk = "awk '{split($1, t, \".\"); $1 = sprintf(\"%d.%09d\", t[1], t[2])} 1' FILE";
        assert!(advice.contains(awk), "{advice}");
        // Milliseconds out of order.
        let other = advised(&text(&times)).unwrap();
        assert!(!other.contains("lack zeros"), "{other}");
    }

    #[test]
    fn nine_digits_with_zeros_in_front_are_nanoseconds() {
        let rows = "0 000001829 W 223490 8\n0 000027360 R 223498 16\n1 000027360 RA 8 256\n";
        let advice = advised(rows).unwrap();
        let join = "awk '$1 != \"\" {$1 = sprintf(\"%d.%09d\", $1, $2)} 1' FILE";
        assert!(advice.contains(join), "{advice}");
        assert!(advice.contains("time=1,offset=4:sectors,length=5:sectors,op=3,"), "{advice}");
        // Addresses with zeros in front, which are in no order.
        let other = advised("0 000008192 W 8\n0 000004096 R 16\n1 000000512 R 256\n").unwrap();
        assert!(!other.contains("sprintf"), "{other}");
    }

    #[test]
    fn lengths_that_count_from_0_are_told() {
        let rows = "0.2645,2,28205400,7\n0.2646,1,28205416,15\n0.2647,1,28205432,7\n";
        for (header, awk) in [
            ("", "awk -F, -v OFS=, '$4 != \"\" {$4 += 1} 1'"),
            ("time,opcode,slba,nlb\n", "'NR > 1 && $4 != \"\" {$4 += 1} 1'"),
        ] {
            let advice = advised(&[header, rows].concat()).unwrap();
            assert!(advice.contains("count from 0") && advice.contains(awk), "{advice}");
        }
        let advice = |op: &str, words: &[&str]| {
            let row = |(n, word): (usize, &&str)| format!("{n}.5,{word},{}400,7\n", n + 7);
            let rows: String = words.iter().enumerate().map(row).collect();
            advised(&format!("time,{op},slba,nlb\n{rows}")).unwrap()
        };
        for (op, words, expected) in [
            ("opcode", &["2", "1"][..], "op=opcode:1=write/2=read;"),
            ("opcode", &["0x02", "0x01", "0x08"], "op=opcode:0x01=write/0x02=read/0x08=?;"),
            ("is_read", &["1", "0"], "op=is_read:1;"),
            ("is_write", &["1", "0"], "op=is_write:0;"),
        ] {
            let advice = format!("{};", advice(op, words));
            assert!(advice.contains(expected), "{advice}");
        }
        let other = advised("time,opcode,slba,nlb\n0.5,2,28205400,8\n0.6,1,16,7\n").unwrap();
        assert!(!other.contains("count from 0"), "{other}");
        let bytes = advised("time,op,offset,bytes\n0.5,r,28205400,4095\n0.6,w,16,511\n").unwrap();
        assert!(!bytes.contains("count from 0"), "{bytes}");
    }

    #[test]
    fn rounded_addresses_are_told() {
        let advice = advised("time,op,offset,size\n0.5,R,2.66955e+10,512\n0.7,W,0,512\n").unwrap();
        assert!(advice.starts_with("column 3 has been rounded: in awk"), "{advice}");
    }

    #[test]
    fn numbers_of_rows_are_no_times() {
        for (text, expected) in [
            (
                "0,128166372003061629,usr,R,12747900416,8192\n1,128166372014061629,usr,W,8003428352,4096\n\
                 2,128166372014062939,usr,R,1948958720,8192\n",
                "time=2:filetime,offset=5,length=6,op=4",
            ),
            (
                "1;0;R;77;8\n2;1100000;W;15631696;16\n3;1100131;R;3806560;8\n",
                "time=2:?,offset=4:sectors,length=5:sectors,op=3,separator=semicolon",
            ),
            (
                "1,0.00001,R,77,x1,8\n2,0.00002,W,1001,y2,16\n3,0.00003,R,9,z3,8\n",
                "time=2,offset=4:sectors,length=6:sectors,op=3",
            ),
            // Times in steps, and addresses of a stream.
            ("0,0,R,4096\n1,4096,R,4096\n2,8192,W,4096\n", "time=1:?,offset=2,length=4,op=3"),
            // Numbers of some rows are times.
            (
                "0,1001,R,8192,4096\n2,1003,R,81920,4096\n3,1005,W,0,4096\n",
                "time=1:?,offset=4,length=5,op=3",
            ),
        ] {
            assert_eq!(suggested(text).as_deref(), Some(expected), "{text}");
        }
    }

    #[test]
    fn a_header_that_counts_and_rows_without_values_are_none() {
        let columns = suggested("0,1,2,3\n0.0001,R,87274774528,32768\n0.0002,W,4096,512\n,,,\n");
        assert_eq!(columns.as_deref(), Some("time=1,offset=3,length=4,op=2"));
        let columns = suggested(",0,1,2,3\n0,0.0001,R,87274774528,32768\n1,0.0002,W,4096,512\n");
        assert_eq!(columns.as_deref(), Some("time=2,offset=4,length=5,op=3"));
    }

    #[test]
    fn numbers_of_devices_are_no_lengths() {
        let rows = "987654321000000 8388608 R 137598672 8\n987654321900000 8388608 W 8 16\n";
        let columns = suggested(rows).unwrap();
        assert_eq!(
            columns,
            "time=1:?,offset=4:sectors,length=5:sectors,op=3,volume=2,separator=blanks"
        );
        let nvme = "987654321000000,271581184,R,182142824,16\n987654321900000,271581184,W,8,16\n";
        let columns = suggested(nvme).unwrap();
        assert_eq!(columns, "time=1:?,offset=4:sectors,length=5:sectors,op=3,volume=2");
        // The time is behind them.
        let front = "8388608 223490 4096 WS 123456789012 a\n8388608 223506 4096 R 123456989012 b\n";
        let columns = suggested(front).unwrap();
        assert!(columns.contains("length=3,") && columns.contains("volume=1"), "{columns}");
        let large = suggested("0.0001 R 83886080 8388608\n0.0002 W 0 8388608\n").unwrap();
        assert_eq!(large, "time=1,offset=3,length=4,op=2,separator=blanks");
    }

    #[test]
    fn a_column_of_ids_may_be_the_volume() {
        let text = "ID,Timestamp,Type,Offset,Length\n29,1.0001,W,4096,512\n30,1.0002,R,0,512\n\
                    29,1.0003,W,4096,512\n30,1.0004,R,0,512\n";
        assert!(suggested(text).unwrap().ends_with("volume=?"));
    }

    #[test]
    fn a_log_of_latencies_has_no_addresses() {
        let advice = advised("0, 12881, 0, 16384\n12, 12519, 1, 16384\n").unwrap();
        assert!(advice.contains("a log of fio without offsets"), "{advice}");
        let advice = advised("0, 81, 0, 16384, 0x0000\n12, 19, 1, 16384, 0x0000\n").unwrap();
        assert!(advice.contains("a log of fio without offsets"), "{advice}");
        let advice = advised("0, 12888, 0, 16384\n12, 12512, 1, 16384\n").unwrap();
        assert!(advice.contains("read it as CSV"), "{advice}");
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
        assert!(!advice.contains("gaps") && advice.contains("time=ts:?,"), "{advice}");
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
                    "time=time:?,offset=offset,length=size,op=op:OP_READ=read/OP_WRITE=write,separator=blanks",
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
            ("0.5,W,8192,4096\n0.75,R,4096,512\n", Some("time=1:?,offset=3,length=4,op=2")),
            (
                "read;1700000000123;77;8;sda\nwrite;1700000000125;1001;16;sda\n",
                Some(
                    "time=2:ms,offset=3:sectors,length=4:sectors,op=1,volume=5,separator=semicolon",
                ),
            ),
            (
                "1 77777 8 1.5\n0 1001 16 2.5\n",
                Some("time=4:?,offset=2:sectors,length=3:sectors,op=1:?,separator=blanks"),
            ),
            ("0.5,W,77777,3\n0.75,R,1001,1\n", Some("time=1:?,offset=3:?,length=4:?,op=2")),
            ("5,W,77777,3\n7,R,1001,1\n", Some("time=1:?,offset=3:?,length=4:?,op=2")),
            // Not D for discard: the action of blkparse is the same in each row.
            (
                "8,0 0.5 D W 77777 8\n8,0 0.75 D R 1001 16\n",
                Some("time=2:?,offset=5:sectors,length=6:sectors,op=4,volume=1,separator=blanks"),
            ),
            (
                "12, 90101, 1, 4096, 8192, 0\n15, 81333, 0, 4096, 0, 0\n",
                Some("time=1:ms,offset=5,length=4,op=3:0"),
            ),
            // A process' number is no length if another column is next to the offset.
            (
                "1.5 42 nfsd 90001 8 W\n2.5 42 nfsd 70016 8 R\n",
                Some("time=1:?,offset=4:sectors,length=5:sectors,op=6,separator=blanks"),
            ),
            (
                "A tool\nat work\n09:00:00.5 W 4096 512\n09:00:01.5 R 0 512\n",
                Some("time=1:iso,offset=3,length=4,op=2,separator=blanks"),
            ),
            (
                "0.5 \tW\t 0   4096\n1.5\tR  8192\t512\n",
                Some("time=1:?,offset=3,length=4,op=2,separator=blanks"),
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
            (
                "time,action,rwbs,sector,count\n0.6,C,W,77,8\n0.7,D,R,9,8\n",
                "awk -F, 'NR == 1 || $2 == \"D\"' FILE | ftlab ... -; ",
            ),
            ("\"8,0\",0.6,C,W,77,8\n\"8,0\",0.7,D,R,9,8\n", "take one, D in column 3; "),
            ("500, 4000, 0, 4096, 0\n1000, 4001, 1, 4096, 0\n", "log_offset=1"),
            (
                "time,op,offset,size\n-0.5,R,8192,512\n0.5,W,0,512\n",
                "times must not be negative: subtract the first, awk -F, -v OFS=, '$1 ~ /^-?[0-9.]/ {if (t == \"\") t = $1;",
            ),
            (
                "time_s,op,offset,size\n5,R,8192,8 KB\n7,W,0,4KB\n",
                "if KB are 1024 bytes, write KiB: sed 's/\\([0-9] *[KMGkmg]\\)[Bb]/\\1iB/g' FILE",
            ),
            ("time,offset,size\n0.5,8192,512\n", " and input.op = read or input.op = write"),
        ] {
            let advice = advised(text).unwrap_or_default();
            assert!(advice.contains(words), "{text}{advice}");
        }
    }

    #[test]
    fn volumes_are_not_laid_over_each_other() {
        for (text, expected) in [
            (
                "0.00000,sdb,R,8192,4096\n0.00063,sda,R,0,512\n",
                "time=1,offset=4,length=5,op=3,volume=2",
            ),
            // As formats have them that these resemble.
            (
                "128166372003061629,prxy,0,R,209604132352,512,31\n128166372003061700,prxy,1,W,512,4096,3\n",
                "time=1:filetime,offset=5,length=6,op=4,volume=3",
            ),
            (
                "128166372003061629,prxy,0,R,209604132352,512,31\n128166372003061700,web,0,W,512,4096,3\n",
                "time=1:filetime,offset=5,length=6,op=4,volume=?",
            ),
            (
                "0,17306592,4096,Read,0.00000\n1,8,512,Write,0.00050\n",
                "time=5,offset=2:sectors,length=3,op=4,volume=1",
            ),
            (
                "0\t0.00000\t0.00035\t0\tRead\t409383071\t1\n1\t0.00015\t0.00035\t1\tWrite\t8\t3\n",
                "time=2,offset=6:sectors,length=7:sectors,op=5,volume=4,separator=tab",
            ),
            // Small numbers or names that come again may be anything.
            (
                "5 8192 700 R 512\n7 4096 700 W 512\n8 0 9 W 1024\n9 0 9 R 512\n",
                "time=1:?,offset=2,length=5,op=4,volume=?,separator=blanks",
            ),
            (
                "web;5;8192;R;512\ndb;7;4096;W;512\ndb;8;0;W;1024\nweb;9;0;R;512\n",
                "time=2:?,offset=3,length=5,op=4,volume=?,separator=semicolon",
            ),
            // The same length in other units.
            (
                "5 8192 1 R 512\n7 4096 1 W 512\n8 0 2 W 1024\n9 0 2 R 1024\n",
                "time=1:?,offset=2,length=5,op=4,separator=blanks",
            ),
        ] {
            assert_eq!(suggested(text).as_deref(), Some(expected), "{text}");
        }
        let two = "time,host,disk,op,offset,length\n5,a,0,R,0,512\n7,b,0,R,0,512\n";
        let advice = advised(two).unwrap();
        assert!(advice.starts_with("columns host and disk may be the volume: state one, all"));
    }

    #[test]
    fn names_of_volumes_and_of_the_kernel_are_known() {
        for (text, expected) in [
            (
                "nsecs,dev,rwbs,sector,bytes\n88,8000,R,77,512\n99,8016,WS,8,8192\n",
                "time=nsecs:ns,offset=sector:sectors,length=bytes,op=rwbs,volume=dev",
            ),
            (
                "ktime_ns,dev,rwbs,sector,nr_sector\n88,\"8,0\",R,77,1\n99,\"8,16\",WS,8,8\n",
                "time=ktime_ns:ns,offset=sector:sectors,length=nr_sector:sectors,op=rwbs,volume=dev",
            ),
            // A name that is not known leaves the others known.
            (
                "ns since boot,dev,rwbs,sector,howmany\n88,8,R,77,1\n99,9,WS,8,8\n",
                "time=1:?,offset=sector:sectors,length=howmany:sectors,op=rwbs,volume=dev",
            ),
            (
                "when,what,where,howmuch\n0.00001,get,8192,4096\n0.00002,put,0,512\n",
                "time=when,offset=where,length=howmuch,op=what:get=read/put=write",
            ),
            (
                "time_s,vm_id,op,offset,len\n5,a,R,0,512\n7,b,R,0,512\n",
                "time=time_s,offset=offset,length=len,op=op,volume=vm_id",
            ),
            (
                "time_s,host,disk,op,offset,len\n5,a,0,R,0,512\n7,a,1,R,0,512\n",
                "time=time_s,offset=offset,length=len,op=op,volume=disk",
            ),
            (
                "major,minor,time_s,rwbs,sector,nsectors\n8,0,5,R,77,1\n8,16,7,R,8,8\n",
                "time=time_s,offset=sector:sectors,length=nsectors:sectors,op=rwbs,volume=minor",
            ),
            (
                "time_s,file,op,offset,len\n5,a,R,0,512\n7,b,R,0,512\n",
                "time=time_s,offset=offset,length=len,op=op,volume=file",
            ),
            (
                "time_s,file,op,lba,bytes\n5,a,R,0,512\n7,b,R,0,512\n",
                "time=time_s,offset=lba:sectors,length=bytes,op=op",
            ),
            // A process is no volume.
            (
                "time_s,pid,op,offset,len\n5,1,R,0,512\n7,2,R,0,512\n8,1,R,0,512\n9,2,R,0,512\n",
                "time=time_s,offset=offset,length=len,op=op",
            ),
            // Units below the names are no names.
            (
                "time,op,offset,length\ns,-,B,bytes\n5,R,8192,512\n7,W,0,4096\n",
                "time=1:?,offset=3,length=4,op=2",
            ),
            (
                "submit_us,complete_us,op,offset,size\n5,9,R,8192,512\n7,8,W,0,4096\n",
                "time=submit_us:us,offset=offset,length=size,op=op",
            ),
            (
                "end_us,lat_us,op,offset,size\n15,9,R,8192,512\n17,8,W,0,4096\n",
                "time=end_us:us,offset=offset,length=size,op=op,latency=lat_us:us",
            ),
            (
                "completion_s,response,op,offset,size\n15,9,R,8192,512\n17,8,W,0,4096\n",
                "time=completion_s,offset=offset,length=size,op=op,latency=response:?",
            ),
            (
                "TIME(s),COMM,PID,DISK,T,SECTOR,BYTES,LAT(ms)\n0.5,a,7,sda,R,77,512,0.1\n",
                "time=1,offset=SECTOR:sectors,length=BYTES,op=T,latency=8:ms,volume=DISK",
            ),
        ] {
            assert_eq!(suggested(text).as_deref(), Some(expected), "{text}");
        }
    }

    #[test]
    fn words_that_come_again_may_be_operations() {
        for (text, expected) in [
            ("5,OP_RD,8192,4096\n7,OP_WR,0,512\n", "op=2:OP_RD=read/OP_WR=write"),
            ("5,IN,8192,512\n7,OUT,0,512\n8,IN,0,512\n9,IN,0,512\n", "op=2:IN=?/OUT=?"),
            ("time_s,rw (1=read),offset,size\n5,1,0,512\n7,0,0,512\n", "op=2:1"),
            ("time_s,read/write,offset,size\n5,1,0,512\n7,0,0,512\n", "op=2:?"),
            ("time_s,rnw,offset,size\n5,1,0,512\n7,0,0,512\n", "op=rnw:1"),
            ("time_s,dirn,offset,size\n5,R,0,512\n7,W,0,512\n", "op=dirn"),
        ] {
            let columns = suggested(text).unwrap_or_default();
            assert!(columns.ends_with(expected), "{text}{columns}");
        }
        let marks = "time_s,sync,offset,size\n5,1,0,512\n7,0,0,512\n";
        assert!(advised(marks).is_some_and(|advice| advice.contains("input.op = read")));
    }

    #[test]
    fn digits_of_one_column_may_be_operations() {
        let text = |header: &str| format!("{header},offset,size\n5,1,0,512\n7,0,0,512\n");
        for (header, expected) in [
            ("time_s,rw_flag", "op=rw_flag:?"),
            ("time_s,R/W flag", "op=2:?"),
            ("time_s,is_wr", "op=is_wr:0"),
            ("time_s,mode", "op=mode:?"),
        ] {
            assert!(suggested(&text(header)).unwrap().ends_with(expected), "{header}");
        }
        // Words are more telling.
        let words = "time_s,flag,way,offset,size\n5,1,IN,0,512\n6,1,IN,0,512\n7,0,OUT,0,512\n8,1,IN,0,512\n";
        assert!(suggested(words).unwrap().ends_with("op=way:IN=?/OUT=?"));
        let all_same = suggested("time_s,mode,offset,size\n5,1,0,512\n7,1,0,512\n").unwrap();
        assert!(!all_same.contains("op="), "{all_same}");
    }

    #[test]
    fn of_two_columns_of_digits_none_is_taken() {
        for (text, names) in [
            ("time_s,mode,kind,offset,size\n5,1,0,0,512\n7,0,1,0,512\n", "mode and kind"),
            ("0.00001,1,1,77,8\n0.00002,1,0,8,16\n0.00003,0,1,9,8\n0.00004,0,1,9,8\n", "2 and 3"),
        ] {
            let (advice, columns) = (advised(text).unwrap(), suggested(text).unwrap());
            let which = format!("columns {names} may be the operation: state one, as op=");
            assert!(advice.contains(&which) && !advice.contains("input.op"), "{advice}");
            assert!(columns.contains(",op=?"), "{columns}");
        }
    }

    #[test]
    fn values_are_split_and_left_out_as_csv_has_them() {
        for (text, expected) in [
            (
                "0.00006,read,\"59,222,114,304\",\"65,536\"\n0.00007,write,\"4,096\",512\n",
                "time=1,offset=3,length=4,op=2",
            ),
            (
                "\"8,16\",0.00001,Q,R,77,8\n\"8,0\",0.00002,Q,W,9,8\n",
                "time=2,offset=5:sectors,length=6:sectors,op=4,volume=1",
            ),
            (
                "time_s,op,offset,size\n5,R,8192,512\n7,flush,,NaN\n",
                "time=time_s,offset=offset,length=size,op=op",
            ),
        ] {
            assert_eq!(suggested(text).as_deref(), Some(expected), "{text}");
        }
        assert_eq!(split("a,\"b \"\",c\",\"d", ","), ["a", "b \"\",c", "d"]);
        assert_eq!(split("5\" disk,7", ","), ["5\" disk", "7"]);
    }
}
