//! Which columns of a table without a header are which, by their values.

use super::csv;
use super::number;
use super::suggest::{Places, Table};

/// Rows from which on a guess is made.
const LEAST_ROWS: usize = 2;
const COLUMNS: std::ops::RangeInclusive<usize> = 4..=32;
const SECTOR_BYTES: u64 = 512;
/// The longest request that a guess believes, in bytes and in sectors.
const LONGEST: u64 = 64 << 20;
const LONGEST_SECTORS: u64 = 32_768;

/// The places of columns by their values.
pub(super) fn places<'a>(table: &Table<'a>) -> Option<Places<'a>> {
    let width = table.rows[0].len();
    if table.rows.len() < LEAST_ROWS || !COLUMNS.contains(&width) {
        return None;
    }
    let mut free: Vec<usize> = (0..width).collect();
    let op = operation(table, &mut free);
    let rises = |at: usize| {
        let times = table.column(at).iter().map(|value| seconds(value)).collect::<Option<Vec<_>>>();
        times.is_some_and(|times| times.is_sorted() && times.first() < times.last())
    };
    let pointed =
        |at: usize| rises(at) && table.column(at).iter().any(|value| value.contains(['.', ',']));
    let time = take(&mut free, pointed).or_else(|| take(&mut free, rises))?;
    let numbers: Vec<(usize, Vec<u64>)> =
        free.iter().filter_map(|at| table.numbers(*at).map(|values| (*at, values))).collect();
    let largest = |values: &[u64]| values.iter().copied().max().unwrap_or(0);
    let (offset, _) = numbers.iter().max_by_key(|(_, values)| largest(values))?;
    let lengths = |(at, values): &&(usize, Vec<u64>)| {
        at != offset && values.iter().all(|v| *v > 0) && largest(values) <= LONGEST
    };
    let in_bytes = |values: &[u64]| values.iter().all(|v| v.is_multiple_of(SECTOR_BYTES));
    let found = || numbers.iter().filter(lengths);
    // A length is next to its offset, if there is a choice.
    let nearest = |is: &dyn Fn(&[u64]) -> bool| {
        found().filter(|(_, values)| is(values)).min_by_key(|(at, _)| {
            let apart = at.abs_diff(*offset);
            (apart > 1, if apart == 1 { usize::from(at < offset) } else { *at })
        })
    };
    let (length, _) = nearest(&in_bytes).or_else(|| nearest(&|v| largest(v) <= LONGEST_SECTORS))?;
    let unnamed = |at: usize| (at, "");
    Some(Places {
        time: unnamed(time),
        offset: unnamed(*offset),
        length: unnamed(*length),
        op: op.map(unnamed),
        volume: None,
        header: Vec::new(),
    })
}

/// A time, also with a decimal comma, or of a clock.
fn seconds(value: &str) -> Option<f64> {
    let of_clock = || Some(csv::date_and_time(value.as_bytes())? as f64 / 1e9);
    value.replace(',', ".").parse().ok().or_else(of_clock)
}

/// Takes the column of operations: words, of which the most telling one differ, or both 0 and 1.
fn operation(table: &Table, free: &mut Vec<usize>) -> Option<usize> {
    let differ = |at: usize| {
        let values = table.column(at);
        values.iter().any(|value| *value != values[0])
    };
    let words = |at: usize| table.column(at).iter().all(|value| is_word(value));
    let digits =
        |at: usize| differ(at) && table.column(at).iter().all(|value| matches!(*value, "0" | "1"));
    take(free, |at| words(at) && differ(at))
        .or_else(|| take(free, |at| words(at) && moves(table.rows[0][at])))
        .or_else(|| take(free, words))
        .or_else(|| take(free, digits))
}

/// Takes the first of the columns that are free for which `is` is true.
fn take(free: &mut Vec<usize>, is: impl Fn(usize) -> bool) -> Option<usize> {
    let place = free.iter().position(|at| is(*at))?;
    Some(free.remove(place))
}

/// Whether a value is a word for an operation: a usual one, or one that contains it.
fn is_word(value: &str) -> bool {
    csv::usual(value.as_bytes()).is_some() || moves(value)
}

fn moves(value: &str) -> bool {
    let word = value.to_ascii_lowercase();
    ["read", "write"].iter().any(|known| word.contains(known))
        || word.starts_with(['r', 'w']) && csv::usual(value.as_bytes()).is_some()
}

/// The letters with which blkparse shows what happens to a request.
const ACTIONS: &[&str] =
    &["Q", "G", "I", "D", "C", "M", "F", "A", "P", "U", "R", "S", "B", "X", "UT"];

/// What has to be done with the events of blkparse, of which each request has several.
pub(super) fn one_action(table: &Table, places: &Places) -> Option<String> {
    let is_read = |at: usize| {
        let Places { time, offset, length, op, .. } = places;
        [Some(*time), Some(*offset), Some(*length), *op].into_iter().flatten().any(|it| it.0 == at)
    };
    let acts = |at: &usize| {
        let values = table.column(*at);
        !is_read(*at)
            && values.iter().all(|value| ACTIONS.contains(value))
            && values.iter().any(|value| *value != values[0])
    };
    let at = (0..table.rows.first()?.len()).find(acts)?;
    let values = table.column(at);
    let action = ["Q", "D", "C"].into_iter().find(|action| values.contains(action))?;
    let fields = table.quoted_separator().map_or(String::new(), |between| format!("-F{between} "));
    Some(format!(
        "its lines are events of blkparse, several for each request: take one, awk {fields}'${} == \
         \"{action}\"' FILE | ftlab ... -; ",
        at + 1
    ))
}

/// How to read a log of fio that has milliseconds, a latency, 0, 1 or 2, a block size and an offset, as `log_offset`
/// writes them.
pub(super) fn log_of_fio(table: &Table) -> Option<String> {
    if !table.separator.is_empty() || table.rows.len() < LEAST_ROWS || table.rows[0].len() < 5 {
        return None;
    }
    let values = |row: &Vec<&str>| -> Option<Vec<u64>> {
        row.iter().take(5).map(|value| number::integer(value.as_bytes())).collect()
    };
    let is_entry = |row: &Vec<u64>| {
        matches!(row[..], [_, _, 0..=2, size, offset]
            if size > 0 && size.is_multiple_of(SECTOR_BYTES) && offset.is_multiple_of(SECTOR_BYTES))
    };
    let entries: Vec<Vec<u64>> = table.rows.iter().map(values).collect::<Option<_>>()?;
    if !entries.iter().all(is_entry) || !entries.is_sorted_by_key(|entry| entry[0]) {
        return None;
    }
    Some(if entries.iter().all(|entry| entry[4] == 0) {
        "it looks like a log of fio without offsets; record it with log_offset=1, or all requests \
         with write_iolog=FILE"
            .into()
    } else {
        "it looks like a latency log of fio; read it as CSV, once columns and units are checked, \
         with input.columns = time=1:ms,offset=5,length=4,op=3:0"
            .into()
    })
}
