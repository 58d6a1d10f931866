//! Times that stand in two columns: a date and a time of day, or seconds and the part of a second.

use super::called;
use super::counted::Name;
use super::csv;
use super::number;
use super::suggest::Table;
use super::time::TimeUnit;

/// Pairs of rows in the same second that a column of parts has at least.
const LEAST_PAIRS: usize = 5;

/// What an address is at least, where no name says what a column is.
const LEAST_ADDRESS: u64 = 1 << 24;

/// Digits of the nanoseconds of a second.
const NANOSECONDS: usize = 9;

/// Two columns that are a time together.
#[derive(Clone, Copy)]
pub(super) struct Joined {
    /// The column that is to become the time.
    pub(super) time: usize,
    /// The column that is joined to it.
    pub(super) other: usize,
    kind: Kind,
}

#[derive(Clone, Copy)]
enum Kind {
    /// The other column has the dates.
    Date,
    /// The other column has the part of a second, in N digits.
    Part(u32),
}

/// The columns of a table that are a time together.
pub(super) fn joined(table: &Table, header: &[&str]) -> Option<Joined> {
    let by_date = || dated(table).map(|(time, other)| Joined { time, other, kind: Kind::Date });
    let parts = || if header.is_empty() { unnamed(table) } else { named(table, header) };
    let in_parts =
        || parts().map(|(time, other, digits)| Joined { time, other, kind: Kind::Part(digits) });
    by_date().or_else(in_parts)
}

impl Joined {
    /// The unit of the time, as `input.columns` has it.
    pub(super) const fn unit(&self) -> &'static str {
        match self.kind {
            Kind::Date => ":iso",
            Kind::Part(_) => "",
        }
    }

    /// What has to be done.
    pub(super) fn step(&self, table: &Table) -> String {
        let (time, other) = (self.time + 1, self.other + 1);
        let (are, join) = match self.kind {
            Kind::Date => (
                format!("{other} and {time} are a date and a time of day"),
                format!("${other} \"T\" ${time}"),
            ),
            Kind::Part(digits) => (
                format!("{time} and {other} are seconds and the part of a second"),
                format!("sprintf(\"%d.%0{digits}d\", ${time}, ${other})"),
            ),
        };
        let how = table.awk_fields("-v OFS=").map_or_else(String::new, |fields| {
            let names = if table.has_names { "NR > 1 && " } else { "" };
            // Spreadsheets add rows of separators alone.
            let rows = format!("{names}${time} != \"\" ");
            format!(", awk {fields}'{rows}{{${time} = {join}}} 1' FILE | ftlab ... -")
        });
        format!("columns {are}: join them{how}; ")
    }
}

/// A column of times of day, and the one of their dates.
fn dated(table: &Table) -> Option<(usize, usize)> {
    let is_date = |value: &str| value.len() == 10 && value.contains('-') && !value.contains(':');
    let mut columns = 0..table.width();
    let date = columns.clone().find(|at| table.column(*at).into_iter().all(is_date))?;
    let is_stamp = |row: &Vec<&str>, time: usize| {
        csv::date_and_time(format!("{}T{}", row[date], row[time]).as_bytes()).is_some()
    };
    let is_time = |at: &usize| *at != date && table.rows.iter().all(|row| is_stamp(row, *at));
    Some((columns.find(is_time).filter(|_| !table.rows.is_empty())?, date))
}

/// Columns that are called seconds and parts of a second, and how many digits these have.
fn named(table: &Table, header: &[&str]) -> Option<(usize, usize, u32)> {
    let names: Vec<Name> = header.iter().map(|name| Name::of(name)).collect();
    let position = |is: &dyn Fn(&Name) -> bool| names.iter().position(is);
    let second = position(&|name| match name.time_unit() {
        Some(unit) => unit == TimeUnit::Seconds && called::may_be_time(name),
        None => called::is_time(name),
    })?;
    let digits = |name: &Name| name.time_unit().and_then(digits_of_part);
    let part = position(&|name| digits(name).is_some() && called::may_be_time(name))?;
    let digits = digits(&names[part])?;
    let (seconds, parts) = (whole(table, second)?, whole(table, part)?);
    let are_parts = parts.iter().all(|part| *part < 10_u64.pow(digits));
    (are_parts && seconds.iter().any(|second| *second > 0)).then_some((second, part, digits))
}

/// The digits of a second in parts of a unit.
const fn digits_of_part(unit: TimeUnit) -> Option<u32> {
    match unit {
        TimeUnit::Milliseconds => Some(3),
        TimeUnit::Microseconds => Some(6),
        TimeUnit::Nanoseconds => Some(9),
        TimeUnit::Seconds | TimeUnit::Filetime => None,
    }
}

/// As [`named`], by values: whole seconds, and behind them a column with zeros in front, or one that rises in each second
/// and falls with another.
fn unnamed(table: &Table) -> Option<(usize, usize, u32)> {
    (1..table.width()).find_map(|part| {
        let (seconds, parts) = (whole(table, part - 1)?, whole(table, part)?);
        let is_padded = are_padded(table.column(part).iter().map(|value| value.as_bytes()));
        let digits = match *parts.iter().max()? {
            _ if is_padded => NANOSECONDS as u32,
            100_000..1_000_000 => 6,
            100_000_000..1_000_000_000 => 9,
            _ => return None,
        };
        let times: Vec<(&u64, &u64)> = seconds.iter().zip(&parts).collect();
        let pairs = times.windows(2).filter(|pair| pair[0].0 == pair[1].0).count();
        let is_address = |at: usize| {
            let numbers = table.numbers(at).unwrap_or_default();
            numbers.iter().any(|number| *number >= LEAST_ADDRESS)
        };
        let has_address = || (part + 1..table.width()).any(is_address);
        // All rows may be of one second.
        let is_stamp = TimeUnit::of_stamp(seconds[0]) == Some(TimeUnit::Seconds);
        let falls = !parts.is_sorted() || is_stamp && seconds.iter().all(|at| *at == seconds[0]);
        let is_told = || falls && pairs >= LEAST_PAIRS && has_address();
        let are_parts = times.is_sorted() && (is_padded || is_told());
        are_parts.then_some((part - 1, part, digits))
    })
}

/// Whether all values are written as nanoseconds behind seconds, in nine digits, and some have zeros in front.
pub(super) fn are_padded<'a>(values: impl IntoIterator<Item = &'a [u8]>) -> bool {
    let mut has_zero = false;
    let mut is_part = |value: &[u8]| {
        has_zero |= value.starts_with(b"0");
        value.len() == NANOSECONDS && value.iter().all(u8::is_ascii_digit)
    };
    values.into_iter().all(&mut is_part) && has_zero
}

/// The values of a column, if all are whole numbers of digits.
fn whole(table: &Table, at: usize) -> Option<Vec<u64>> {
    table.column(at).iter().map(|value| number::integer(value.as_bytes())).collect()
}
