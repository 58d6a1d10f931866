//! Addresses, sizes and times as types, so that a logical page cannot be mistaken for a physical one.
//!
//! Addresses are newtypes over `u32`; times are integer nanoseconds; sizes are bytes. People write
//! sizes as `512MiB` or `4k` (powers of 1024), times as `25us`, ratios as `15%`.

use serde::{Deserialize, Deserializer, Serialize, Serializer, de};
use std::fmt;

/// Time in nanoseconds.
pub type Nanos = u64;

macro_rules! address {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(pub u32);

        impl $name {
            /// The address as an index into a table.
            #[inline]
            #[must_use]
            pub const fn index(self) -> usize {
                self.0 as usize
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.0.fmt(f)
            }
        }
    };
}

address!(
    /// Logical page number: byte address / page size.
    Lpn
);
address!(
    /// Physical page number: physical block number x pages per block + page offset.
    Ppn
);
address!(
    /// Logical block number: LPN / pages per block.
    Lbn
);
address!(
    /// Physical block number, counted plane by plane.
    Pbn
);
address!(
    /// Virtual translation page number: LPN / mapping entries per translation page.
    Vtpn
);

/// Where a logical page is, or nowhere, in 4 bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Mapping(u32);

impl Mapping {
    /// The 4 bytes: 0 for nowhere.
    #[inline]
    #[must_use]
    pub const fn raw(self) -> u32 {
        self.0
    }

    /// The mapping with these 4 bytes.
    #[inline]
    #[must_use]
    pub const fn from_raw(raw: u32) -> Self {
        Mapping(raw)
    }

    /// The physical page.
    #[inline]
    #[must_use]
    pub fn get(self) -> Option<Ppn> {
        self.0.checked_sub(1).map(Ppn)
    }
}

impl From<Option<Ppn>> for Mapping {
    #[inline]
    fn from(ppn: Option<Ppn>) -> Self {
        Mapping(ppn.map_or(0, |ppn| ppn.0 + 1))
    }
}

/// A size in bytes, written `4096`, `"4k"`, `"8KiB"`, `"512MiB"`, `"16g"`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(transparent)]
pub struct Bytes(pub u64);

/// A time in nanoseconds, written `25000`, `"25us"`, `"1.5ms"`, `"2s"`, `"1h30m"`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(transparent)]
pub struct Duration(pub Nanos);

/// A ratio, written `0.15` or `"15%"`. A ratio above 1 must be written `"150%"`, since users who
/// write 7 mean 7 %.
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd)]
pub struct Ratio(pub f64);

impl Bytes {
    /// Reads `512MiB`, `4k`, `8192`.
    ///
    /// # Errors
    /// What was found and what was expected, as one sentence.
    pub fn parse(text: &str) -> Result<Self, String> {
        let (number, unit) = split_unit(text);
        let factor: u64 = match unit.to_ascii_lowercase().as_str() {
            "" | "b" => 1,
            "k" | "kib" => 1 << 10,
            "m" | "mib" => 1 << 20,
            "g" | "gib" => 1 << 30,
            "t" | "tib" => 1 << 40,
            both @ ("kb" | "mb" | "gb" | "tb") => return Err(ambiguous(text, number, both)),
            _ => return Err(format!("found {text:?}, expected a size such as 4k or 512MiB")),
        };
        scaled(number, factor)
            .map(Bytes)
            .ok_or_else(|| format!("found {text:?}, expected a size such as 4k or 512MiB"))
    }
}

impl Duration {
    /// Reads `25us`, `1.5ms`, `2s`, `100ns`, `25000` (nanoseconds), `1d`, `2h30m` (the sum).
    ///
    /// # Errors
    /// What was found and what was expected, as one sentence.
    pub fn parse(text: &str) -> Result<Self, String> {
        let sum = |mut rest: &str| {
            let mut sum = 0u64;
            loop {
                let (number, behind) = split_unit(rest);
                let end = behind.find(|c: char| c.is_ascii_digit()).unwrap_or(behind.len());
                let (unit, next) = behind.split_at(end);
                // A number of nanoseconds stands alone.
                if unit.is_empty() && (rest, next) != (text, "") {
                    return None;
                }
                sum = sum.checked_add(scaled(number, nanoseconds(unit.trim_end())?)?)?;
                if next.is_empty() {
                    return Some(Duration(sum));
                }
                rest = next;
            }
        };
        sum(text).ok_or_else(|| format!("found {text:?}, expected a time such as 25us or 1.5ms"))
    }
}

/// The message for a unit that is a power of 1000 on drives and of 1024 in memory.
fn ambiguous(text: &str, number: &str, unit: &str) -> String {
    let letter = unit[..1].to_ascii_uppercase();
    let decimal = match unit {
        "kb" => 1_000,
        "mb" => 1_000_000,
        "gb" => 1_000_000_000,
        _ => 1_000_000_000_000,
    };
    let bytes = scaled(number, decimal).map(|bytes| format!(" or {bytes}")).unwrap_or_default();
    format!("found {text:?}, which can mean two sizes, expected {number}{letter}iB{bytes}")
}

/// Nanoseconds of a unit of time.
fn nanoseconds(unit: &str) -> Option<u64> {
    Some(match unit {
        "" | "ns" => 1,
        // The micro sign, and the letter mu.
        "us" | "\u{b5}s" | "\u{3bc}s" => 1_000,
        "ms" => 1_000_000,
        "s" => 1_000_000_000,
        "m" => 60_000_000_000,
        "h" => 3_600_000_000_000,
        "d" => 86_400_000_000_000,
        _ => return None,
    })
}

/// The largest ratio without a unit that may be a factor; a larger one is meant in percent.
const MOST_AS_FACTOR: f64 = 10.0;

impl Ratio {
    /// Reads `0.15`, `15%` or `150%`.
    ///
    /// # Errors
    /// What was found and what was expected, as one sentence.
    pub fn parse(text: &str) -> Result<Self, String> {
        let expected = |text| format!("found {text:?}, expected a ratio such as 15% or 0.15");
        let (number, scale) = match text.trim().strip_suffix('%') {
            Some(percent) => (percent, 0.01),
            None => (text, 1.0),
        };
        match number.trim().parse::<f64>() {
            Ok(value) if !value.is_finite() => Err(expected(text)),
            Ok(value) if value > MOST_AS_FACTOR && scale == 1.0 => {
                Err(format!("found {text}, expected {text}%"))
            }
            Ok(value) if value > 1.0 && scale == 1.0 => {
                Err(format!("found {text}, expected {text}% or {}%", value * 100.0))
            }
            Ok(value) => Ok(Ratio(value * scale)),
            Err(_) => Err(expected(text)),
        }
    }
}

/// The number and the unit of `"1.5ms"`.
fn split_unit(text: &str) -> (&str, &str) {
    let text = text.trim();
    let end = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
    (&text[..end], text[end..].trim_start())
}

/// `number x factor` as a whole number; a decimal fraction must yield one exactly.
fn scaled(number: &str, factor: u64) -> Option<u64> {
    if let Ok(whole) = number.parse::<u64>() {
        return whole.checked_mul(factor);
    }
    let value = number.parse::<f64>().ok()? * factor as f64;
    let exact =
        value.is_finite() && value >= 0.0 && value < (1_u64 << 53) as f64 && value.fract() == 0.0;
    exact.then_some(value as u64)
}

/// Accepts a number or a text that `parse` understands.
macro_rules! deserialize_text_or_number {
    ($name:ident, $what:literal) => {
        impl<'de> Deserialize<'de> for $name {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                struct Visitor;
                impl de::Visitor<'_> for Visitor {
                    type Value = $name;
                    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                        f.write_str($what)
                    }
                    fn visit_u64<E: de::Error>(self, value: u64) -> Result<$name, E> {
                        self.visit_str(&value.to_string())
                    }
                    fn visit_i64<E: de::Error>(self, value: i64) -> Result<$name, E> {
                        self.visit_str(&value.to_string())
                    }
                    fn visit_f64<E: de::Error>(self, value: f64) -> Result<$name, E> {
                        self.visit_str(&value.to_string())
                    }
                    fn visit_str<E: de::Error>(self, text: &str) -> Result<$name, E> {
                        $name::parse(text).map_err(E::custom)
                    }
                }
                deserializer.deserialize_any(Visitor)
            }
        }
    };
}
deserialize_text_or_number!(Bytes, "a size such as 4k or 512MiB");
deserialize_text_or_number!(Duration, "a time such as 25us or 1.5ms");
deserialize_text_or_number!(Ratio, "a ratio such as 15% or 0.15");

impl Serialize for Ratio {
    /// Serialises to a value that is read back unchanged.
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        if self.0 <= 1.0 {
            return to.serialize_f64(self.0);
        }
        // A value read as a percentage is one of these.
        let percent = self.0 * 100.0;
        let (up, down) = (percent.next_up(), percent.next_down());
        let texts = [percent, up, down, up.next_up(), down.next_down()].map(|p| format!("{p}%"));
        let exact = texts.iter().find(|text| Ratio::parse(text) == Ok(*self));
        to.serialize_str(exact.unwrap_or(&texts[0]))
    }
}

impl fmt::Display for Bytes {
    /// The largest unit that divides the size: `512MiB`, `1536KiB`, `100B`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (shift, unit) in [(40, "TiB"), (30, "GiB"), (20, "MiB"), (10, "KiB")] {
            if self.0 != 0 && self.0.is_multiple_of(1 << shift) {
                return write!(f, "{}{unit}", self.0 >> shift);
            }
        }
        write!(f, "{}B", self.0)
    }
}

impl fmt::Display for Duration {
    /// In the largest unit that needs at most three decimals: `25us`, `1.5ms`, `0ns`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (unit, name) in [(1_000_000_000, "s"), (1_000_000, "ms"), (1_000, "us")] {
            if self.0 >= unit && (self.0 * 1_000).is_multiple_of(unit) {
                return write!(f, "{}{name}", self.0 as f64 / unit as f64);
            }
        }
        write!(f, "{}ns", self.0)
    }
}

impl fmt::Display for Ratio {
    /// In percent: `15%`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}%", (self.0 * 1e8).round() / 1e6)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_read_as_people_write_them() {
        for (text, bytes) in [("4096", 4096), ("4k", 4096), ("8KiB", 8192), ("1.5MiB", 3 << 19)] {
            assert_eq!(Bytes::parse(text), Ok(Bytes(bytes)), "{text}");
        }
        for text in ["", "-1", "4q", "1e3", "0.3", "99999999999999999999", "k"] {
            assert!(Bytes::parse(text).is_err(), "{text}");
        }
        for (text, meant) in [
            ("4MB", "4MiB or 4000000"),
            ("8kb", "8KiB or 8000"),
            ("1.5 GB", "1.5GiB or 1500000000"),
            ("0.3kB", "0.3KiB or 300"),
            ("99999999TB", "99999999TiB"),
        ] {
            let told = format!("found {text:?}, which can mean two sizes, expected {meant}");
            assert_eq!(Bytes::parse(text), Err(told));
        }
        assert_eq!(Bytes(512 << 20).to_string(), "512MiB");
        assert_eq!(Bytes(8704).to_string(), "8704B");
    }

    #[test]
    fn times_and_ratios_read_as_people_write_them() {
        assert_eq!(Duration::parse("1.5ms"), Ok(Duration(1_500_000)));
        for text in ["25us", "25\u{b5}s", "25\u{3bc}s"] {
            assert_eq!(Duration::parse(text), Ok(Duration(25_000)), "{text}");
        }
        assert_eq!(Duration::parse("2h30m"), Ok(Duration(9_000_000_000_000)));
        assert_eq!(Duration::parse("1d 0.5s"), Ok(Duration(86_400_500_000_000)));
        for text in ["1.5 fortnights", "1h30", "1 2", "h", "", "1h-30m", "400000d", "-1s"] {
            assert!(Duration::parse(text).is_err(), "{text}");
        }
        assert_eq!(Ratio::parse("15%").map(|r| (r.0 * 100.0).round()), Ok(15.0));
        for text in ["nan", "inf", "inf%", "-inf", "NaN%"] {
            let told = format!("found {text:?}, expected a ratio such as 15% or 0.15");
            assert_eq!(Ratio::parse(text), Err(told));
        }
        assert_eq!(Ratio::parse("15"), Err("found 15, expected 15%".into()));
        assert_eq!(Ratio::parse("150%"), Ok(Ratio(1.5)));
        let message = "found 7, expected 7% or 700%";
        assert_eq!(Ratio::parse("7"), Err(message.into()));
        let error = serde_json::from_str::<Ratio>("7").unwrap_err().to_string();
        assert!(error.starts_with(message), "{error}");
        let shown =
            [25_000, 1_500_000, 0, 1_234_567, 10_000_000_000].map(|ns| Duration(ns).to_string());
        assert_eq!(shown, ["25us", "1.5ms", "0ns", "1234.567us", "10s"]);
        assert_eq!(Ratio(0.15).to_string(), "15%");
    }

    #[test]
    fn ratios_above_1_read_back_as_they_were() {
        let mut percent = 100.07;
        while percent < 10_000.0 {
            let ratio = Ratio::parse(&format!("{percent}%")).unwrap();
            let text = serde_json::to_string(&ratio).unwrap();
            assert_eq!(serde_json::from_str::<Ratio>(&text).unwrap(), ratio, "{text}");
            percent *= 1.0007;
        }
    }
}
