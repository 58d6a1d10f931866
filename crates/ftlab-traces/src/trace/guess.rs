//! A guess at the columns of a text without a header, by the values of its first rows.

use super::number;
use super::rwbs;
use super::text::Sample;

/// Rows that are looked at, and those from which on a guess is made.
const ROWS: usize = 50;
const LEAST_ROWS: usize = 2;
const COLUMNS: std::ops::RangeInclusive<usize> = 4..=32;
const SECTOR_BYTES: u64 = 512;
/// The longest request that a guess believes, in bytes and in sectors.
const LONGEST: u64 = 64 << 20;
const LONGEST_SECTORS: u64 = 32_768;

const BETWEEN: [(&str, &str); 5] =
    [(",", ""), (";", "semicolon"), ("\t", "tab"), ("|", "pipe"), (" ", "blanks")];

/// The value of `input.columns` that the first rows of `sample` suggest.
pub(super) fn columns(sample: &Sample) -> Option<String> {
    let lines: Vec<&str> =
        sample.lines().take(ROWS).filter_map(|l| str::from_utf8(l).ok()).collect();
    let (separator, rows) = BETWEEN
        .iter()
        .find_map(|(text, name)| split(&lines, text).zip(Some(name)))
        .map(|(rows, name)| (*name, rows))?;
    let width = rows[0].len();
    let column = |at: usize| rows.iter().map(move |row| row[at]);
    if separator.is_empty() && is_latency_log_of_fio(&rows) {
        return Some("time=1:ms,offset=5,length=4,op=3:0".into());
    }
    let mut free: Vec<usize> = (0..width).collect();
    let op = take(&mut free, |at| column(at).all(is_word))
        .map(|at| format!("op={}", at + 1))
        .or_else(|| {
            let digits = |at: usize| column(at).all(|v| v == "0" || v == "1");
            let both = |at: usize| column(at).any(|v| v == "0") && column(at).any(|v| v == "1");
            // Nothing says which of them reads, and a question mark is refused until somebody does.
            take(&mut free, |at| digits(at) && both(at)).map(|at| format!("op={}:?", at + 1))
        });
    let times = |at: usize| -> Option<Vec<f64>> { column(at).map(|v| v.parse().ok()).collect() };
    let rises = |at: usize| times(at).is_some_and(|t| t.is_sorted() && t.first() < t.last());
    let pointed = |at: usize| rises(at) && column(at).any(|v| v.contains('.'));
    let time = take(&mut free, pointed).or_else(|| take(&mut free, rises))?;
    let whole = |at: usize| -> Option<Vec<u64>> {
        column(at).map(|v| number::integer(v.as_bytes())).collect()
    };
    let numbers: Vec<(usize, Vec<u64>)> =
        free.iter().filter_map(|at| whole(*at).map(|values| (*at, values))).collect();
    let largest = |values: &[u64]| values.iter().copied().max().unwrap_or(0);
    let (offset, offsets) = numbers.iter().max_by_key(|(_, values)| largest(values))?;
    let lengths = |(at, values): &&(usize, Vec<u64>)| {
        at != offset && values.iter().all(|v| *v > 0) && largest(values) <= LONGEST
    };
    let in_bytes = |values: &[u64]| values.iter().all(|v| v.is_multiple_of(SECTOR_BYTES));
    let found = || numbers.iter().filter(lengths);
    let bytes = found().find(|(_, values)| in_bytes(values));
    let (length, lengths) =
        bytes.or_else(|| found().find(|(_, v)| largest(v) <= LONGEST_SECTORS))?;
    let unit = |values: &[u64]| if in_bytes(values) { "" } else { ":sectors" };
    let mut parts = vec![
        format!("time={}{}", time + 1, stamp_unit(column(time).next()?)),
        format!("offset={}{}", offset + 1, unit(offsets)),
        format!("length={}{}", length + 1, unit(lengths)),
    ];
    parts.extend(op);
    parts.extend((!separator.is_empty()).then(|| format!("separator={separator}")));
    Some(parts.join(","))
}

/// The rows, where all have the same number of values that may be enough.
fn split<'a>(lines: &[&'a str], between: &str) -> Option<Vec<Vec<&'a str>>> {
    let values = |line: &&'a str| -> Vec<&'a str> {
        match between {
            " " => line.split_ascii_whitespace().collect(),
            _ => line.split(between).map(|value| value.trim_matches([' ', '"'])).collect(),
        }
    };
    let rows: Vec<Vec<&str>> = lines.iter().map(values).collect();
    let width = rows.first()?.len();
    let alike = rows.len() >= LEAST_ROWS && rows.iter().all(|row| row.len() == width);
    (alike && COLUMNS.contains(&width)).then_some(rows)
}

/// Whether rows have milliseconds, a latency, 0, 1 or 2, a block size and an offset, as `log_offset` writes them.
fn is_latency_log_of_fio(rows: &[Vec<&str>]) -> bool {
    let values = |row: &[&str]| -> Option<Vec<u64>> {
        row.iter().take(5).map(|value| number::integer(value.as_bytes())).collect()
    };
    let is_entry = |row: &[u64]| {
        matches!(row, [_, _, 0..=2, size, offset]
            if *size > 0 && size.is_multiple_of(SECTOR_BYTES) && offset.is_multiple_of(SECTOR_BYTES))
    };
    let entries: Option<Vec<Vec<u64>>> = rows.iter().map(|row| values(row)).collect();
    entries.is_some_and(|entries| {
        entries.iter().all(|entry| is_entry(entry)) && entries.is_sorted_by_key(|entry| entry[0])
    })
}

/// Takes the first of the columns that are free for which `is` is true.
fn take(free: &mut Vec<usize>, is: impl Fn(usize) -> bool) -> Option<usize> {
    let place = free.iter().position(|at| is(*at))?;
    Some(free.remove(place))
}

/// Whether a value is a word that everybody writes for an operation.
fn is_word(value: &str) -> bool {
    let word = value.to_ascii_lowercase();
    let known = ["r", "rd", "read", "w", "wr", "write", "trim", "discard", "flush"];
    known.contains(&word.as_str()) || rwbs::exact(value.as_bytes()).is_some()
}

/// The unit that the size of a stamp since 1970 suggests.
fn stamp_unit(stamp: &str) -> &'static str {
    let since_1970 = |digits: u32| 10u64.pow(digits)..3 * 10u64.pow(digits);
    match number::integer(stamp.as_bytes()) {
        Some(stamp) if since_1970(12).contains(&stamp) => ":ms",
        Some(stamp) if since_1970(15).contains(&stamp) => ":us",
        Some(stamp) if since_1970(17).contains(&stamp) => ":filetime",
        Some(stamp) if since_1970(18).contains(&stamp) => ":ns",
        _ => "",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trace::Columns;
    use crate::trace::stream::Front;

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
            (
                "12, 90101, 1, 4096, 8192, 0\n15, 81333, 0, 4096, 0, 0\n",
                Some("time=1:ms,offset=5,length=4,op=3:0"),
            ),
            ("a,b,c,d\ne,f,g,h\n", None),
            ("1,2,3\n2,3,4\n", None),
            ("1.5,R,8,4096\n", None),
            ("1.5,R,0,0\n2.5,R,0,0\n", None),
            ("", None),
        ] {
            let sample = Sample::new(Front { bytes: text.as_bytes(), whole: true });
            let found = columns(&sample);
            assert_eq!(found.as_deref(), expected, "{text}");
            let is_open = found.as_ref().is_some_and(|text| text.contains('?'));
            assert!(found.is_none_or(|text| Columns::try_from(text).is_ok() != is_open));
        }
    }
}
