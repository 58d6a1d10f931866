//! Values as fio writes them: numbers with units, times, percentages, and lists by direction.

use crate::error::Error;
use crate::units::Nanos;

/// What is wrong with a job file, and on which line.
#[derive(Debug)]
pub(super) struct Told {
    pub(super) line: Option<u64>,
    pub(super) message: String,
}

impl Told {
    pub(super) fn at(line: u64, message: impl Into<String>) -> Self {
        Self { line: Some(line), message: message.into() }
    }

    pub(super) fn in_file(self, file: &str) -> Error {
        let Told { line, message } = self;
        Error::Trace { file: file.into(), line, message }
    }
}

/// A size: bytes, or a share of a whole.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Amount {
    Bytes(u64),
    Percent(u64),
}

/// A whole number with a unit. `4k` is 4096 and `4ki` 4000, the other way round if `kb_base` is 1000.
pub(super) fn number(text: &str, kb_base: u64) -> Option<u64> {
    let lower = text.to_ascii_lowercase();
    if let Some(digits) = lower.strip_prefix("0x") {
        return u64::from_str_radix(digits, 16).ok();
    }
    let end = lower.find(|c: char| !c.is_ascii_digit()).unwrap_or(lower.len());
    let (digits, unit) = lower.split_at(end);
    let unit = unit.strip_suffix('b').unwrap_or(unit);
    let (prefix, base) = match unit.strip_suffix('i') {
        Some(prefix) => (prefix, 2024 - kb_base),
        None => (unit, kb_base),
    };
    let power = match prefix {
        "" if base == kb_base => 0,
        "k" => 1,
        "m" => 2,
        "g" => 3,
        "t" => 4,
        "p" => 5,
        _ => return None,
    };
    digits.parse::<u64>().ok()?.checked_mul(base.pow(power))
}

/// A number of bytes, or a percentage up to 100.
pub(super) fn amount(text: &str, kb_base: u64) -> Option<Amount> {
    match text.strip_suffix('%') {
        Some(share) => share.parse().ok().filter(|share| *share <= 100).map(Amount::Percent),
        None => number(text, kb_base).map(Amount::Bytes),
    }
}

/// A time; a number alone counts `unit` nanoseconds.
pub(super) fn time(text: &str, unit: Nanos) -> Option<Nanos> {
    let lower = text.to_ascii_lowercase();
    let end = lower.find(|c: char| !c.is_ascii_digit()).unwrap_or(lower.len());
    let (digits, suffix) = lower.split_at(end);
    let unit = match suffix {
        "" => unit,
        "d" => 86_400_000_000_000,
        "h" => 3_600_000_000_000,
        "m" => 60_000_000_000,
        "s" | "sec" => 1_000_000_000,
        "ms" | "msec" => 1_000_000,
        "us" | "usec" => 1_000,
        _ => return None,
    };
    digits.parse::<u64>().ok()?.checked_mul(unit)
}

/// The values for reads, writes and trims: the last one holds for those behind it, and an empty one is the default.
pub(super) fn by_direction(text: &str) -> Option<[Option<&str>; 3]> {
    let parts: Vec<&str> = text.split(',').map(str::trim).collect();
    let last = parts.last().copied().unwrap_or_default();
    let of = |at: usize| Some(parts.get(at).copied().unwrap_or(last)).filter(|one| !one.is_empty());
    (parts.len() <= 3).then(|| [of(0), of(1), of(2)])
}

/// Values with percentages, `VALUE/SHARE:VALUE/SHARE`; those without a share have the rest in equal parts.
pub(super) fn shares<T>(text: &str, value: impl Fn(&str) -> Option<T>) -> Option<Vec<(T, f64)>> {
    let mut found = Vec::new();
    for part in text.split(':') {
        let (one, share) = part.split_once('/').unwrap_or((part, ""));
        let share = match share {
            "" => None,
            digits => Some(digits.parse::<u32>().ok().filter(|share| *share <= 100)?),
        };
        found.push((value(one)?, share));
    }
    let given: u32 = found.iter().filter_map(|(_, share)| *share).sum();
    let open = found.iter().filter(|(_, share)| share.is_none()).count();
    // fio takes 64 values; shares that end below 100 leave requests without a value.
    if found.len() > 64 || given > 100 || (open == 0 && given < 100) {
        return None;
    }
    let rest = f64::from(100 - given) / open.max(1) as f64;
    Some(found.into_iter().map(|(one, share)| (one, share.map_or(rest, f64::from))).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_the_units_of_fio() {
        for (text, expected) in [
            ("4096", Some(4096)),
            ("4k", Some(4096)),
            ("4kB", Some(4096)),
            ("4ki", Some(4000)),
            ("1M", Some(1 << 20)),
            ("0x10", Some(16)),
            ("16b", Some(16)),
            ("2p", Some(2 << 50)),
            ("", None),
            ("k", None),
            ("4x", None),
            ("4i", None),
            ("-1", None),
            ("99999999p", None),
        ] {
            assert_eq!(number(text, 1024), expected, "{text}");
        }
        assert_eq!((number("4k", 1000), number("4ki", 1000)), (Some(4000), Some(4096)));
        assert_eq!(amount("90%", 1024), Some(Amount::Percent(90)));
        assert_eq!(amount("101%", 1024), None);
        assert_eq!(time("2", 1000), Some(2000));
        assert_eq!(time("2m", 1000), Some(120_000_000_000));
        assert_eq!(time("2y", 1000), None);
    }

    #[test]
    fn the_last_value_holds_for_those_behind_it() {
        assert_eq!(by_direction("8k"), Some([Some("8k"); 3]));
        assert_eq!(by_direction("8k,32k,"), Some([Some("8k"), Some("32k"), None]));
        assert_eq!(by_direction(",8k"), Some([None, Some("8k"), Some("8k")]));
        assert_eq!(by_direction("1,2,3,4"), None);
    }

    #[test]
    fn shares_that_are_left_blank_have_the_rest() {
        let of = |text| shares(text, |size| number(size, 1024));
        assert_eq!(of("4k/50:1k/:32k"), Some(vec![(4096, 50.0), (1024, 25.0), (32_768, 25.0)]));
        assert_eq!(of("4k/60:8k/50"), None);
        assert_eq!(of("4k/10:8k/50"), None);
    }
}
