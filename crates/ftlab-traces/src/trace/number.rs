//! Numbers as scripts and spreadsheets write them, exact or refused.
//!
//! In addition to the digits that every format takes: exponents (`1e-06`), a fraction of zeros behind a whole
//! number (`4096.0`), and commas between thousands (`4,096`).

use super::field::{Column, Fields, Separator};
use crate::units::Bytes;

const VALUE: &[Column] = &[Column::new("value", "a number")];

const SECTOR_BYTES: u64 = 512;

/// Digits that are meant, and zeros behind more of them that may be.
const FEW_DIGITS: usize = 2;
const FEW_ZEROS: usize = 2;

/// Digits of a number with an exponent when it is written out.
const LONGEST: usize = 64;

/// A whole number of decimal digits.
#[inline]
pub(super) fn integer(value: &[u8]) -> Option<u64> {
    let mut fields = Fields::new(value, Separator::Comma, VALUE);
    let number = fields.integer().ok()?;
    fields.finish().ok().map(|()| number)
}

/// A whole number, hexadecimal behind `0x`.
#[inline]
pub(super) fn whole(value: &[u8]) -> Option<u64> {
    integer(value).or_else(|| other_whole(value))
}

/// A whole number that is not of decimal digits alone.
#[inline(never)]
fn other_whole(value: &[u8]) -> Option<u64> {
    if let Some(digits) = value.strip_prefix(b"0x").or_else(|| value.strip_prefix(b"0X")) {
        let all_digits = digits.iter().all(u8::is_ascii_hexdigit);
        return all_digits.then(|| u64::from_str_radix(str::from_utf8(digits).ok()?, 16).ok())?;
    }
    whole_digits(value).filter(|_| !is_rounded_address(value))
}

/// As [`whole`], or a size with its unit: `4K`, `4KiB`.
#[inline]
pub(super) fn size(value: &[u8]) -> Option<u64> {
    let of_unit = || {
        // `4b` may be hexadecimal.
        let has_unit = value.iter().any(|b| b"kmgt".contains(&b.to_ascii_lowercase()));
        Bytes::parse(str::from_utf8(value).ok().filter(|_| has_unit)?).ok()
    };
    whole(value).or_else(|| of_unit().map(|Bytes(bytes)| bytes))
}

/// What to do about sizes in KB.
pub(super) const KIBIBYTES: &str =
    "if KB are 1024 bytes, write KiB: sed 's/\\([0-9] *[KMGkmg]\\)[Bb]/\\1iB/g' FILE | ftlab ... -";

/// As [`size`], or in KB, MB or GB as if these were KiB, MiB and GiB, which is not settled.
pub(super) fn size_in_any(value: &[u8]) -> Option<u64> {
    let of_two = || {
        let number = value.strip_suffix(b"B").or_else(|| value.strip_suffix(b"b"))?;
        let unit = number.last()?;
        b"kmg".contains(&unit.to_ascii_lowercase()).then(|| size(number))?
    };
    size(value).or_else(of_two)
}

/// A decimal number times 10^`places`; what is behind these is cut off. Not `1,125`, which has a decimal comma or
/// thousands, nor `1.7e+09`, which has been rounded.
pub(super) fn decimal(value: &[u8], places: usize) -> Option<u64> {
    let mut fields = Fields::new(value, Separator::Comma, VALUE);
    if let Ok(number) = fields.decimal_of(places)
        && fields.finish().is_ok()
    {
        return Some(number);
    }
    let commas = memchr::memchr_iter(b',', value).count();
    if zeros(value).is_some_and(|(_, zeros)| zeros > 0) || commas == 1 && !value.contains(&b'.') {
        return None;
    }
    let (mut digits, point) = written_out(value)?;
    digits.resize(point + places, b'0');
    integer(&digits)
}

/// What to do about addresses that have been rounded.
pub(super) const WHOLE: &str =
    "in awk print it with %d, in a spreadsheet format it as a whole number";

/// Whether an address was rounded, as `8.72748e+10`. `1e+09` may be meant, and `5.24288e+06` is exact.
pub(super) fn is_rounded_address(value: &[u8]) -> bool {
    zeros(value).is_some_and(|(given, zeros)| {
        let is_exact = || whole_digits(value).is_some_and(|n| n.is_multiple_of(SECTOR_BYTES));
        zeros > 0 && given > FEW_DIGITS && !(zeros <= FEW_ZEROS && is_exact())
    })
}

/// The digits that a number with an exponent has, and the zeros that it adds in front of its point.
fn zeros(value: &[u8]) -> Option<(usize, usize)> {
    let end = memchr::memchr2(b'e', b'E', value)?;
    let given = value[..end].iter().filter(|b| b.is_ascii_digit()).count();
    let (_, point) = written_out(value)?;
    Some((given, point.saturating_sub(given)))
}

/// A whole number with an exponent, a fraction of zeros, or thousands.
fn whole_digits(value: &[u8]) -> Option<u64> {
    let (digits, point) = written_out(value)?;
    let (before, behind) = digits.split_at(point);
    behind.iter().all(|b| *b == b'0').then(|| integer(before))?
}

/// The digits of a number with an exponent, a point or commas, and how many are before its point.
fn written_out(value: &[u8]) -> Option<(Vec<u8>, usize)> {
    let text = str::from_utf8(value).ok()?;
    let (number, power) = text.split_once(['e', 'E']).unwrap_or((text, "0"));
    let (whole, fraction) = match number.split_once('.') {
        Some((_, "")) => return None,
        Some(parts) => parts,
        None => (number, ""),
    };
    let whole = without_thousands(whole)?;
    let all = |text: &str| text.bytes().all(|b| b.is_ascii_digit());
    if whole.is_empty() || !all(&whole) || !all(fraction) {
        return None;
    }
    let power: i32 = power.parse().ok()?;
    let mut digits = [whole.as_bytes(), fraction.as_bytes()].concat();
    let point = i32::try_from(whole.len()).ok()?.checked_add(power)?;
    if point.unsigned_abs() as usize + digits.len() > LONGEST {
        return None;
    }
    let zeros = usize::try_from(1 - point.min(1)).ok()?;
    digits.splice(..0, std::iter::repeat_n(b'0', zeros));
    let point = usize::try_from(point.max(1)).ok()?;
    digits.resize(digits.len().max(point), b'0');
    Some((digits, point))
}

/// `4,096` as `4096`: up to three digits, then groups of three. `0,096` has a decimal comma.
fn without_thousands(text: &str) -> Option<String> {
    let groups: Vec<&str> = text.split(',').collect();
    let is_first = |group: &str| (1..=3).contains(&group.len()) && !group.starts_with('0');
    let grouped = groups.len() == 1 || is_first(groups[0]);
    (grouped && groups[1..].iter().all(|group| group.len() == 3)).then(|| groups.concat())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whole_numbers_of_spreadsheets_are_exact() {
        for (text, number) in [
            ("4096", 4096),
            ("0x10", 16),
            ("4096.0", 4096),
            ("4.096e+03", 4096),
            ("1E2", 100),
            ("4,096", 4096),
            ("12,345,678", 12_345_678),
            ("0.0", 0),
            ("1e+06", 1_000_000),
            ("1e+09", 1_000_000_000),
            ("5.24288e+06", 5_242_880),
        ] {
            assert_eq!(whole(text.as_bytes()), Some(number), "{text}");
        }
        for text in
            ["4096.5", "8,0", "0,096", "1,23,456", ",096", "1e-1", "e5", "-1", "1e308", "NaN", "+1"]
        {
            assert_eq!(whole(text.as_bytes()), None, "{text}");
        }
    }

    #[test]
    fn sizes_may_have_units() {
        for (text, number) in
            [("4096", Some(4096)), ("4K", Some(4096)), ("8 KiB", Some(8192)), ("1m", Some(1 << 20))]
        {
            assert_eq!(size(text.as_bytes()), number, "{text}");
        }
        for text in ["4KB", "K", "4X", "4b", "1B", "-4K", ""] {
            assert_eq!(size(text.as_bytes()), None, "{text}");
        }
        for (text, number) in [("8 KB", 8192), ("4kb", 4096), ("1MB", 1 << 20), ("4K", 4096)] {
            assert_eq!(size_in_any(text.as_bytes()), Some(number), "{text}");
        }
        for text in ["KB", "4XB", "4b", "0xKB", ""] {
            assert_eq!(size_in_any(text.as_bytes()), None, "{text}");
        }
    }

    #[test]
    fn addresses_that_have_been_rounded_are_none() {
        for text in ["8.72748e+10", "8.72E+10", "2.61E+11", "8.7275e+10"] {
            assert_eq!(whole(text.as_bytes()), None, "{text}");
            assert!(is_rounded_address(text.as_bytes()), "{text}");
        }
    }

    #[test]
    fn decimals_may_have_exponents() {
        for (text, number) in [
            ("1e-06", 1_000),
            ("2.5e-05", 25_000),
            ("1.5", 1_500_000_000),
            ("1.5e0", 1_500_000_000),
            ("1e-12", 0),
            ("1,000.5", 1_000_500_000_000),
            ("1,000,000", 1_000_000_000_000_000),
            ("1.25e+02", 125_000_000_000),
        ] {
            assert_eq!(decimal(text.as_bytes(), 9), Some(number), "{text}");
        }
        for text in [
            "0,125",
            "1,125",
            "1.7e+09",
            "1e308",
            "1e-308",
            "e-6",
            "1e",
            "1e-6x",
            "inf",
            "1e9999999999",
            "5.",
        ] {
            assert_eq!(decimal(text.as_bytes(), 9), None, "{text}");
        }
    }
}
