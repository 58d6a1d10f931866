//! Which columns of a table are which, by their values where no name settles it.

use super::apart;
use super::called::Named;
use super::counted::{self, Name};
use super::csv;
use super::number;
use super::suggest::{Places, Table};

/// Rows from which on a guess is made.
const LEAST_ROWS: usize = 2;
const COLUMNS: std::ops::RangeInclusive<usize> = 4..=32;
/// Rows from which on a column may number them.
const LEAST_NUMBERED: usize = 3;
const SECTOR_BYTES: u64 = 512;
/// Addresses in sectors are multiples of it on most file systems.
const SECTORS_OF_A_PAGE: u64 = 8;
/// Columns in front of the time of issue in a log of fio.
const ISSUE: usize = 6;
/// The longest request that a guess believes, in bytes and in sectors.
const LONGEST: u64 = 64 << 20;
const LONGEST_SECTORS: u64 = 32_768;

/// The places of columns: as they are named, and of those that are not, by their values.
pub(super) fn places<'a>(table: &Table<'a>, mut named: Named<'a>) -> Option<Places<'a>> {
    let is_complete = named.time.is_some() && named.offset.is_some() && named.length.is_some();
    if !is_complete {
        if table.rows.len() < LEAST_ROWS || !COLUMNS.contains(&table.width()) {
            return None;
        }
        without_others(table, &mut named);
    }
    if let (None, None, Some(plus)) = (named.offset, named.length, plus(table)) {
        named.offset = Some(named.at(plus - 1));
        named.length = Some(named.at(plus + 1));
    }
    let mut free: Vec<usize> = (0..table.width())
        .filter(|at| !named.columns().any(|column| column == *at) && !named.is_other(*at))
        .collect();
    if named.op.is_none() && !table.rows.is_empty() {
        let has_names = !named.header.is_empty();
        named.op = operation(table, &mut free, has_names).map(|at| named.at(at));
    }
    if named.time.is_none() {
        named.time = time(table, &mut free).map(|at| named.at(at));
    }
    extents(table, &free, &mut named)?;
    named.places()
}

/// The column of plus signs that Linux prints between the first sector of a request and the number of its sectors.
pub(super) fn plus(table: &Table) -> Option<usize> {
    let is_plus = |at: usize| table.column(at).iter().all(|value| *value == "+");
    let has_numbers = |at: usize| table.numbers(at).is_some();
    (1..table.width().saturating_sub(1))
        .find(|at| is_plus(*at) && has_numbers(at - 1) && has_numbers(at + 1))
        .filter(|_| !table.rows.is_empty())
}

/// Takes the column of times, and numbers of rows in front of it, as pandas writes them.
fn time(table: &Table, free: &mut Vec<usize>) -> Option<usize> {
    let has_numbers = free.first() == Some(&0) && are_numbers_of_rows(&table.column(0));
    let pointed = |at: usize| {
        rises(table, at) && table.column(at).iter().any(|value| value.contains(['.', ',']))
    };
    // The numbers are times if nothing else rises but the addresses of a stream.
    let is_address = |at: usize| {
        let numbers = table.numbers(at);
        numbers.is_some_and(|all| all.iter().all(|number| number.is_multiple_of(SECTORS_OF_A_PAGE)))
    };
    let behind = |at: usize| has_numbers && at > 0 && rises(table, at) && !is_address(at);
    let time = take(free, pointed)
        .or_else(|| take(free, behind))
        .or_else(|| take(free, |at| rises(table, at)))?;
    if has_numbers && time > 0 {
        free.remove(0);
    }
    Some(time)
}

/// Whether values count from 0 or 1 without a gap.
fn are_numbers_of_rows(values: &[&str]) -> bool {
    let first = u64::from(values.first() == Some(&"1"));
    let is_next = |(value, number): (&&str, u64)| *value == number.to_string();
    values.len() >= LEAST_NUMBERED && values.iter().zip(first..).all(is_next)
}

/// Takes no column by its name whose values are others.
fn without_others(table: &Table, named: &mut Named) {
    let is_number = |at: usize| table.numbers(at).is_some();
    let is_time = |at: usize| table.column(at).iter().all(|value| seconds(value).is_some());
    let is_op = |at: usize| table.distinct(at).len() <= counted::MOST_WORDS;
    named.time = named.time.filter(|(at, _)| is_time(*at));
    named.offset = named.offset.filter(|(at, _)| is_number(*at));
    named.length = named.length.filter(|(at, _)| is_number(*at));
    named.op = named.op.filter(|(at, _)| is_op(*at));
}

/// Whether times may be in a column.
fn rises(table: &Table, at: usize) -> bool {
    let times = table.column(at).iter().map(|value| seconds(value)).collect::<Option<Vec<_>>>();
    times.is_some_and(|times| times.is_sorted() && times.first() < times.last())
        || counted::lack_zeros(&table.column(at))
}

/// Finds the offset and the length that are not named, among the columns that are free.
fn extents<'a>(table: &Table<'a>, free: &[usize], named: &mut Named<'a>) -> Option<()> {
    // Where an extent ends is neither.
    let header = named.header.clone();
    let numbers = free.iter().filter(|at| !Name::at(&header, **at).ends);
    let numbers: Vec<(usize, Vec<u64>)> =
        numbers.filter_map(|at| table.numbers(*at).map(|values| (*at, values))).collect();
    let largest = |values: &[u64]| values.iter().copied().max().unwrap_or(0);
    if named.offset.is_none() {
        // The number of a device may be the largest.
        let key = |(_, values): &&(usize, Vec<u64>)| {
            (!apart::are_devices(values) || numbers.len() < 3, largest(values))
        };
        let (at, _) = numbers.iter().max_by_key(key)?;
        named.offset = Some(named.at(*at));
    }
    let (offset, _) = named.offset?;
    let lengths = |(at, values): &&(usize, Vec<u64>)| {
        *at != offset && values.iter().all(|v| *v > 0) && largest(values) <= LONGEST
    };
    let in_bytes = |values: &[u64]| values.iter().all(|v| v.is_multiple_of(SECTOR_BYTES));
    // Lengths of 8 MiB look like the number of a device.
    let is_other = |(at, values): &&(usize, Vec<u64>)| {
        !apart::are_devices(values) && (at.abs_diff(offset) == 1 || in_bytes(values))
    };
    let has_other = numbers.iter().filter(lengths).any(|column| is_other(&column));
    let found = || {
        let is_device = |values: &[u64]| has_other && apart::are_devices(values);
        numbers.iter().filter(lengths).filter(move |(_, values)| !is_device(values))
    };
    // A length is next to its offset, if there is a choice.
    let nearest = |is: &dyn Fn(&[u64]) -> bool| {
        found().filter(|(_, values)| is(values)).min_by_key(|(at, _)| {
            let apart = at.abs_diff(offset);
            (apart > 1, if apart == 1 { usize::from(*at < offset) } else { *at })
        })
    };
    if named.length.is_none() {
        let by_bytes = nearest(&in_bytes);
        let (at, _) = by_bytes.or_else(|| nearest(&|v| largest(v) <= LONGEST_SECTORS))?;
        named.length = Some(named.at(*at));
    }
    Some(())
}

/// The places of columns as a format has them, if the values may be its: `named` are the format's names.
pub(super) fn of_format<'a>(table: &Table<'a>, named: &Named) -> Option<Places<'a>> {
    let places = places(table, named.by_number())?;
    let offsets = table.numbers(places.offset.0)?;
    let lengths = table.numbers(places.length.0)?;
    let largest = lengths.iter().max()?;
    let are_lengths = lengths.iter().all(|length| *length > 0) && *largest <= LONGEST;
    let is_time = |value: &&str| seconds(value).is_some();
    let are_times = table.column(places.time.0).iter().all(is_time);
    (are_lengths && are_times && offsets.iter().max()? > largest).then_some(places)
}

/// A time, also with a decimal comma, or of a clock.
fn seconds(value: &str) -> Option<f64> {
    let of_clock = || Some(csv::date_and_time(value.as_bytes())? as f64 / 1e9);
    value.replace(',', ".").parse().ok().or_else(of_clock)
}

/// The columns among `free` with 0 and 1 and nothing else, which may be operations.
fn flags(table: &Table, free: &[usize]) -> Vec<usize> {
    let both = ["0", "1"].into();
    free.iter().copied().filter(|at| table.distinct(*at) == both).collect()
}

/// The columns of 0 and 1 of which one may be the operation, if there is a choice.
pub(super) fn may_operate(table: &Table, places: &Places) -> Vec<usize> {
    let named = Named { header: places.header.clone(), ..Named::default() };
    let is_free = |at: &usize| !places.reads(*at) && !named.is_other(*at);
    let free: Vec<usize> = (0..table.width()).filter(is_free).collect();
    let mut found = flags(table, &free);
    if places.op.is_some() || found.len() < 2 {
        found.clear();
    }
    found
}

/// Takes the column of operations: words, of which the most telling one differ, or both 0 and 1 in one column.
fn operation(table: &Table, free: &mut Vec<usize>, has_names: bool) -> Option<usize> {
    let differ = |at: usize| table.distinct(at).len() > 1;
    let words = |at: usize| table.column(at).iter().all(|value| is_word(value));
    let flags = flags(table, free);
    let is_flag = |at: usize| flags == [at];
    let speak = |at: usize| {
        let values = table.column(at);
        let means = |value: &&str| counted::meaning(&Name::of(""), value);
        let has = |op: &str| values.iter().any(|value| means(value) == op);
        // Commands of SCSI may be lengths, too.
        let is_settled = !values[0].starts_with("0x") || has("read") && has("write");
        is_settled && values.iter().all(|value| means(value) != counted::ASK)
    };
    take(free, |at| words(at) && differ(at))
        .or_else(|| take(free, |at| words(at) && moves(table.rows[0][at])))
        .or_else(|| take(free, words))
        .or_else(|| take(free, |at| speak(at) && differ(at)))
        .or_else(|| take(free, |at| !has_names && is_flag(at)))
        .or_else(|| take(free, |at| has_few_words(table, at)))
        // Digits of a column that has another name may be anything.
        .or_else(|| take(free, |at| has_names && is_flag(at)))
}

/// Whether the same few words come again and again, which may be operations.
fn has_few_words(table: &Table, at: usize) -> bool {
    let count = table.distinct(at).len();
    let is_plain = |value: &&str| {
        !value.is_empty() && value.chars().all(|c| c.is_alphabetic() || matches!(c, '_' | '-'))
    };
    let is_action = |value: &&str| ACTIONS.contains(value);
    let values = table.column(at);
    (2..=counted::MOST_WORDS).contains(&count)
        && count * 2 <= values.len()
        && values.iter().all(is_plain)
        && !values.iter().all(is_action)
        && !values.iter().any(|value| apart::is_device(value))
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
pub(super) const ACTIONS: &[&str] =
    &["Q", "G", "I", "D", "C", "M", "F", "A", "P", "U", "R", "S", "B", "X", "UT"];

/// What has to be done with events, of which each request has several: blkparse's letters, or words such as `submit`
/// and `complete`.
pub(super) fn one_action(table: &Table, places: &Places) -> Option<String> {
    let acts = |at: &usize| {
        let values = table.column(*at);
        let differ = values.iter().any(|value| *value != values[0]);
        let are_letters = values.iter().all(|value| ACTIONS.contains(value));
        !places.reads(*at) && differ && (are_letters || counted::has_both_ends(&values))
    };
    let at = (0..table.rows.first()?.len()).find(acts)?;
    let values = table.column(at);
    let letter = ["Q", "D", "C"].into_iter().find(|action| values.contains(action));
    let begins = |value: &&&str| counted::end(value) == Some(counted::End::Begin);
    let action = letter.or_else(|| values.iter().find(begins).copied())?;
    if !counted::is_plain(action) {
        return None;
    }
    let take = match table.awk_fields("") {
        Some(fields) => {
            let first = if table.has_names { "NR == 1 || " } else { "" };
            format!("awk {fields}'{first}${} == \"{action}\"' FILE | ftlab ... -; ", at + 1)
        }
        None => format!("{action} in column {}; ", at + 1),
    };
    Some(format!("its lines are events, several for each request: take one, {take}"))
}

/// What to do with a log of fio that has milliseconds, a latency, 0, 1 or 2, a block size and, with `log_offset`, an
/// offset.
pub(super) fn log_of_fio(table: &Table) -> Option<String> {
    if !table.separator.is_empty() || table.rows.len() < LEAST_ROWS || table.width() < 4 {
        return None;
    }
    let values = |row: &Vec<&str>| -> Option<Vec<u64>> {
        row.iter().take(5).map(|value| number::whole(value.as_bytes())).collect()
    };
    // Four columns may be a time, an address, an operation and a length. Latencies are rarely multiples of 8.
    let has_latencies = || {
        let mut latencies = table.numbers(1).unwrap_or_default().into_iter();
        table.has_blanks() && latencies.any(|latency| !latency.is_multiple_of(8))
    };
    if table.width() == 4 && !has_latencies() {
        return None;
    }
    let is_entry = |row: &Vec<u64>| {
        let is_size = |size: u64| size > 0 && size.is_multiple_of(SECTOR_BYTES);
        match row[..] {
            [_, _, 0..=2, size] => is_size(size),
            [_, _, 0..=2, size, offset] => is_size(size) && offset.is_multiple_of(SECTOR_BYTES),
            _ => false,
        }
    };
    let entries: Vec<Vec<u64>> = table.rows.iter().map(values).collect::<Option<_>>()?;
    if !entries.iter().all(is_entry) || !entries.is_sorted_by_key(|entry| entry[0]) {
        return None;
    }
    Some(if entries.iter().all(|entry| entry.get(4).is_none_or(|offset| *offset == 0)) {
        "it looks like a log of fio without offsets; record it with log_offset=1, or all requests \
         with write_iolog=FILE; if column 2 has addresses, read it as CSV"
            .into()
    } else {
        // Newer logs have a priority, and the time of issue in ns.
        // Where fio does not know it, it is 0.
        let differs = |at: usize| table.numbers(at).is_some() && table.distinct(at).len() > 1;
        let has_issue = table.width() > ISSUE && differs(ISSUE);
        let (time, sort) =
            if has_issue { ("7:ns", " and input.order = sort") } else { ("1:ms", "") };
        format!(
            "it looks like a latency log of fio; read it as CSV, once columns and units are checked, \
             with input.columns = time={time},offset=5,length=4,op=3:0{sort}"
        )
    })
}
