//! The columns of one line, taken from left to right with an exact grammar.
//!
//! A whole number is one or more decimal digits. A decimal is digits with an optional point and
//! more digits. Nothing else is a number: no sign, no exponent, no `0x`, no `NaN`. Nothing wraps.
//! The code works on bytes, and allocates only to report an error. All that every line calls is
//! inlined by force. With many formats the compiler does not inline it, and a line costs a sixth
//! more.

use super::called;
use super::columns::Between;
use super::counted::Name;
use super::time::{Time, TimeUnit};

/// One column of a text format: its name and what is expected in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Column {
    /// The column's name, as the format's own documentation calls it.
    pub name: &'static str,
    /// What a value is and its unit: `a whole number of 512-byte sectors`.
    pub expected: &'static str,
}

impl Column {
    /// A column called `name` that holds `expected`.
    #[must_use]
    pub const fn new(name: &'static str, expected: &'static str) -> Self {
        Self { name, expected }
    }
}

/// What stands between two columns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Separator {
    /// One comma.
    Comma,
    /// One comma, with spaces and tabs around the values.
    PaddedComma,
    /// A run of spaces and tabs; also allowed around the line, as `scanf` does.
    Blanks,
}

/// What is wrong with a line: what was found and what was expected.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mistake(pub String);

impl Mistake {
    /// That a file holds no request.
    pub(crate) fn no_request() -> Self {
        Self("found no request, expected at least one".into())
    }
}

/// The columns of one line that have not been taken yet.
pub struct Fields<'a> {
    line: &'a [u8],
    rest: &'a [u8],
    taken: usize,
    ended: bool,
    separator: Separator,
    columns: &'static [Column],
    time: Time,
}

impl<'a> Fields<'a> {
    /// The columns of `line`, which is not blank and has no line end.
    #[inline]
    #[must_use]
    pub fn new(line: &'a [u8], separator: Separator, columns: &'static [Column]) -> Self {
        let rest = match separator {
            Separator::Comma => line,
            Separator::PaddedComma | Separator::Blanks => skip_blanks(line),
        };
        let time = Time::whole(TimeUnit::Nanoseconds);
        Self { line, rest, taken: 0, ended: false, separator, columns, time }
    }

    /// The same columns, with times written as `time` states.
    #[inline]
    #[must_use]
    pub fn timed(self, time: Time) -> Self {
        Self { time, ..self }
    }

    /// The same line from its beginning, with other columns.
    #[inline]
    #[must_use]
    pub fn again(&self, columns: &'static [Column]) -> Self {
        Fields::new(self.line, self.separator, columns).timed(self.time)
    }

    /// A part of the line as a line of its own, with other columns.
    #[inline]
    #[must_use]
    pub fn of(&self, part: &'a [u8], columns: &'static [Column]) -> Self {
        Fields::new(part, self.separator, columns).timed(self.time)
    }

    /// Whether times are written otherwise than as `usual`.
    #[inline]
    #[must_use]
    pub fn time_is_said(&self, usual: Time) -> bool {
        self.time != usual
    }

    /// The next column as a time, in ticks.
    ///
    /// # Errors
    /// When the column is missing, is no such number, or exceeds 2^64 - 1 ticks.
    #[inline(always)]
    pub fn time(&mut self) -> Result<u64, Mistake> {
        if self.time.whole { self.integer() } else { self.decimal_of(self.time.places()) }
    }

    /// The next column as a whole number up to 2^64 - 1.
    ///
    /// # Errors
    /// When the column is missing or holds anything but decimal digits.
    #[inline(always)]
    pub fn integer(&mut self) -> Result<u64, Mistake> {
        let (value, used) = leading_digits(self.rest);
        let value = if used <= SAFE_DIGITS { value } else { self.long_integer(used)? };
        self.take(used)?;
        Ok(value)
    }

    /// The next column as a whole number up to `largest`: a volume, a device, a disk.
    ///
    /// # Errors
    /// When the column is missing, not a whole number, or larger.
    #[inline(always)]
    pub fn integer_up_to(&mut self, largest: u32) -> Result<u32, Mistake> {
        let before = self.rest;
        match u32::try_from(self.integer()?) {
            Ok(value) if value <= largest => Ok(value),
            _ => Err(self.mistake_in(self.taken - 1, before)),
        }
    }

    /// The next column as a decimal number times 10^`PLACES`; further places are cut off.
    ///
    /// # Errors
    /// When the column is missing, is not a decimal number, or the product exceeds 2^64 - 1.
    #[inline(always)]
    pub fn decimal<const PLACES: usize>(&mut self) -> Result<u64, Mistake> {
        self.decimal_of(PLACES)
    }

    /// As [`decimal`](Self::decimal), with the number of places given at run time.
    #[inline(always)]
    pub(super) fn decimal_of(&mut self, kept: usize) -> Result<u64, Mistake> {
        let (whole, used) = leading_digits(self.rest);
        let whole = if used <= SAFE_DIGITS { whole } else { self.long_integer(used)? };
        let (fraction, places) = match self.rest.get(used) {
            Some(b'.') => leading_digits(&self.rest[used + 1..]),
            _ => (0, usize::MAX),
        };
        let length = match places {
            usize::MAX => used,
            0 => return Err(self.mistake()),
            places => used + 1 + places,
        };
        if used == 0 {
            return Err(self.mistake());
        }
        let fraction = match places {
            usize::MAX => 0,
            places if places <= kept => fraction * POWERS_OF_TEN[kept - places],
            _ => leading_digits(&self.rest[used + 1..used + 1 + kept]).0,
        };
        let scaled = whole
            .checked_mul(POWERS_OF_TEN[kept])
            .and_then(|scaled| scaled.checked_add(fraction))
            .ok_or_else(|| self.mistake())?;
        self.take(length)?;
        Ok(scaled)
    }

    /// The next column as a hexadecimal number without prefix, up to 2^32 - 1: DiskSim's flags.
    ///
    /// # Errors
    /// When the column is missing or anything else.
    #[inline(always)]
    pub fn hexadecimal(&mut self) -> Result<u32, Mistake> {
        let used = self.rest.iter().take_while(|b| b.is_ascii_hexdigit()).count();
        if used > 8 {
            return Err(self.mistake());
        }
        let digits = self.rest[..used].iter();
        let value = digits.fold(0, |value, &b| value << 4 | hexadecimal_digit(b));
        self.take(used)?;
        Ok(value)
    }

    /// The next column as text, not empty and without control characters.
    ///
    /// # Errors
    /// When the column is missing, empty, or holds a control character.
    #[inline(always)]
    pub fn text(&mut self) -> Result<&'a [u8], Mistake> {
        let text = self.peek();
        if text.iter().any(u8::is_ascii_control) {
            return Err(self.mistake());
        }
        self.take(text.len())?;
        Ok(text)
    }

    /// The next column as `value` takes it; `None` if it is empty.
    ///
    /// # Errors
    /// When the column is missing, and those of `value`.
    #[inline]
    pub fn optional<T>(
        &mut self,
        value: impl FnOnce(&mut Self) -> Result<T, Mistake>,
    ) -> Result<Option<T>, Mistake> {
        if self.ended || !self.peek().is_empty() {
            return value(self).map(Some);
        }
        self.step(0)?;
        Ok(None)
    }

    /// The next column as parsed by `understand`, whose input is not empty.
    ///
    /// # Errors
    /// When the column is missing or empty, or `understand` returns `None`.
    #[inline(always)]
    pub fn understood<T>(
        &mut self,
        understand: impl FnOnce(&'a [u8]) -> Option<T>,
    ) -> Result<T, Mistake> {
        let before = self.rest;
        let text = self.text()?;
        understand(text).ok_or_else(|| self.mistake_in(self.taken - 1, before))
    }

    /// The next column as one of `words`, in any case; its position there.
    ///
    /// # Errors
    /// When the column is missing or none of `words`.
    #[inline(always)]
    pub fn one_of(&mut self, words: &[&[u8]]) -> Result<usize, Mistake> {
        self.understood(|text| words.iter().position(|word| word.eq_ignore_ascii_case(text)))
    }

    /// The whole line, whatever has been taken from it.
    #[must_use]
    pub fn line(&self) -> &'a [u8] {
        self.line
    }

    /// The text of the next column without taking it; empty if there is none.
    #[inline]
    #[must_use]
    pub fn peek(&self) -> &'a [u8] {
        let used = self.rest.iter().take_while(|b| !self.separates(**b)).count();
        match self.separator {
            Separator::PaddedComma => self.rest[..used].trim_ascii_end(),
            Separator::Comma | Separator::Blanks => &self.rest[..used],
        }
    }

    /// The first byte of the next column; `None` if there is none.
    #[inline(always)]
    #[must_use]
    pub fn first_byte(&self) -> Option<u8> {
        self.rest.first().copied().filter(|byte| !self.separates(*byte))
    }

    /// True when nothing is left of the line.
    #[inline]
    #[must_use]
    pub fn ended(&self) -> bool {
        self.ended
    }

    /// Checks that every column has been taken.
    ///
    /// # Errors
    /// When the line has more columns.
    #[inline(always)]
    pub fn finish(&self) -> Result<(), Mistake> {
        if self.ended { Ok(()) } else { Err(self.wrong_count()) }
    }

    /// Skips a value of `used` bytes, at least one, and the separator after it.
    #[inline(always)]
    fn take(&mut self, used: usize) -> Result<(), Mistake> {
        if used == 0 || self.ended { Err(self.mistake()) } else { self.step(used) }
    }

    #[inline(always)]
    fn step(&mut self, used: usize) -> Result<(), Mistake> {
        let used = match self.separator {
            Separator::PaddedComma => self.rest.len() - skip_blanks(&self.rest[used..]).len(),
            Separator::Comma | Separator::Blanks => used,
        };
        match self.rest.get(used) {
            None => {
                self.rest = &[];
                self.ended = true;
            }
            Some(&b) if self.separates(b) => {
                self.rest = &self.rest[used + 1..];
                if self.separator != Separator::Comma {
                    self.rest = skip_blanks(self.rest);
                    // An empty column follows a final comma; nothing follows a final blank.
                    self.ended = self.separator == Separator::Blanks && self.rest.is_empty();
                }
            }
            Some(_) => return Err(self.mistake()),
        }
        self.taken += 1;
        Ok(())
    }

    #[inline]
    fn separates(&self, byte: u8) -> bool {
        match self.separator {
            Separator::Comma | Separator::PaddedComma => byte == b',',
            Separator::Blanks => byte == b' ' || byte == b'\t',
        }
    }

    /// The value of a number that may exceed 64 bits.
    #[cold]
    fn long_integer(&self, used: usize) -> Result<u64, Mistake> {
        let digits = self.rest[..used].iter();
        digits
            .map(|b| u64::from(b - b'0'))
            .try_fold(0u64, |value, digit| value.checked_mul(10)?.checked_add(digit))
            .ok_or_else(|| self.mistake())
    }

    /// The error of the next column, which is missing or invalid.
    #[cold]
    fn mistake(&self) -> Mistake {
        if self.ended { self.wrong_count() } else { self.mistake_in(self.taken, self.rest) }
    }

    #[cold]
    fn mistake_in(&self, index: usize, text: &[u8]) -> Mistake {
        let end = text.iter().position(|b| self.separates(*b)).unwrap_or(text.len());
        let (name, expected) =
            self.columns.get(index).map_or(("", "the end of the line"), |c| (c.name, c.expected));
        let (number, value) = (index + 1, &text[..end]);
        let fields = match self.separator {
            Separator::Blanks => Between::Blanks.in_awk(),
            Separator::Comma | Separator::PaddedComma => Between::Comma.in_awk(),
        };
        let remedy = from_zero(value, number, fields);
        let remedy = remedy.filter(|_| called::is_time(&Name::of(name)));
        let remedy = remedy.map(|remedy| format!("; {remedy}")).unwrap_or_default();
        Mistake(format!(
            "column {number} ({name}): found {}, expected {expected}{remedy}",
            quoted(value)
        ))
    }

    #[cold]
    fn wrong_count(&self) -> Mistake {
        let found = match self.separator {
            Separator::Comma | Separator::PaddedComma => self.line.split(|b| *b == b',').count(),
            Separator::Blanks => {
                self.line.split(|b| self.separates(*b)).filter(|text| !text.is_empty()).count()
            }
        };
        let names: Vec<&str> = self.columns.iter().map(|column| column.name).collect();
        Mistake(format!(
            "found {found} column{} in {}, expected {} ({})",
            if found == 1 { "" } else { "s" },
            quoted(self.line),
            names.len(),
            names.join(", ")
        ))
    }
}

/// What to do about a time below 0 in column `number`; awk has to know `fields` of the separator.
#[cold]
pub(super) fn from_zero(value: &[u8], number: usize, fields: &str) -> Option<String> {
    let digits = value.strip_prefix(b"-").filter(|digits| !digits.is_empty())?;
    if !digits.iter().all(|b| matches!(b, b'0'..=b'9' | b'.')) {
        return None;
    }
    let form = if digits.contains(&b'.') { "%.9f" } else { "%d" };
    // Headers and comments have no number there.
    Some(format!(
        "times must not be negative: subtract the first, awk {fields}'${number} ~ /^-?[0-9.]/ \
         {{if (t == \"\") t = ${number}; ${number} = sprintf(\"{form}\", ${number} - t)}} 1' FILE | ftlab ... -"
    ))
}

/// Every number of this many digits fits 64 bits.
const SAFE_DIGITS: usize = 19;

const POWERS_OF_TEN: [u64; 10] = {
    let mut powers = [1; 10];
    let mut i = 1;
    while i < powers.len() {
        powers[i] = powers[i - 1] * 10;
        i += 1;
    }
    powers
};

/// The value of the leading decimal digits and how many there are; wraps beyond [`SAFE_DIGITS`].
#[inline]
fn leading_digits(text: &[u8]) -> (u64, usize) {
    let mut value = 0u64;
    let mut count = 0;
    for &byte in text {
        let digit = byte.wrapping_sub(b'0');
        if digit > 9 {
            break;
        }
        value = value.wrapping_mul(10).wrapping_add(u64::from(digit));
        count += 1;
    }
    (value, count)
}

fn hexadecimal_digit(byte: u8) -> u32 {
    match byte {
        b'0'..=b'9' => u32::from(byte - b'0'),
        _ => u32::from(byte.to_ascii_lowercase() - b'a') + 10,
    }
}

#[inline]
fn skip_blanks(text: &[u8]) -> &[u8] {
    let blanks = text.iter().take_while(|b| **b == b' ' || **b == b'\t').count();
    &text[blanks..]
}

/// Input as it may be shown: in quotes, control characters escaped, cut to 60 characters.
pub(super) fn quoted(input: &[u8]) -> String {
    // A character has at most four bytes, so the rest of a long line need not be read.
    let text = String::from_utf8_lossy(&input[..input.len().min(4 * QUOTED)]);
    // Recognition asks for all lines that a format does not take, and escapes are slow.
    let is_plain = |b| matches!(b, b' ' | b'!' | b'#'..=b'&' | b'('..=b'[' | b']'..=b'~');
    if text.bytes().all(is_plain) {
        let dots = if text.len() > QUOTED { "..." } else { "" };
        return ["\"", &text[..text.len().min(QUOTED)], dots, "\""].concat();
    }
    let shown: String = text.chars().take(QUOTED).collect();
    let dots = if text.chars().count() > QUOTED { "..." } else { "" };
    format!("\"{}{dots}\"", shown.escape_debug())
}

/// Characters of the input that a message repeats.
const QUOTED: usize = 60;

#[cfg(test)]
mod tests {
    use super::*;

    const ONE: &[Column] = &[Column::new("n", "a number")];
    const TWO: &[Column] = &[Column::new("a", "a number"), Column::new("b", "a number")];

    #[test]
    fn what_is_quoted_is_escaped_and_cut() {
        for byte in 0..=u8::MAX {
            let text = String::from_utf8_lossy(&[byte]).into_owned();
            assert_eq!(quoted(&[byte]), format!("\"{}\"", text.escape_debug()), "{byte}");
        }
        for (last, shown) in [(b'a', "a"), (b'\t', "\\t")] {
            for (count, dots) in [(59, ""), (60, "..."), (500, "...")] {
                let text = [&[last], &vec![b'a'; count][..]].concat();
                let rest = "a".repeat(count.min(59));
                assert_eq!(quoted(&text), format!("\"{shown}{rest}{dots}\""), "{count}");
            }
        }
    }

    fn integer(text: &[u8]) -> Result<u64, Mistake> {
        let mut fields = Fields::new(text, Separator::Comma, ONE);
        let value = fields.integer()?;
        fields.finish().map(|()| value)
    }

    fn nanoseconds(text: &[u8]) -> Result<u64, Mistake> {
        let mut fields = Fields::new(text, Separator::Comma, ONE);
        let value = fields.decimal::<9>()?;
        fields.finish().map(|()| value)
    }

    #[test]
    fn whole_numbers_are_digits_and_nothing_else() {
        for (text, value) in [
            ("0", 0),
            ("42", 42),
            ("18446744073709551615", u64::MAX),
            ("00000000000000000000000007", 7),
        ] {
            assert_eq!(integer(text.as_bytes()), Ok(value), "{text}");
        }
        for text in ["-1", "+5", " 5", "5 ", "0x10", "1e308", "NaN", "inf", "1.0", "5\0", "\0", "٣"]
        {
            assert!(integer(text.as_bytes()).is_err(), "{text:?}");
        }
        assert!(integer(b"18446744073709551616").is_err());
        assert!(integer(&[b'9'; 400]).is_err());
    }

    #[test]
    fn decimals_are_exact_and_cut_behind_the_last_place() {
        for (text, value) in [
            ("0", 0),
            ("1", 1_000_000_000),
            ("0.026214", 26_214_000),
            ("0.1", 100_000_000),
            ("0.0000000019", 1),
            ("1398396860.160153447", 1_398_396_860_160_153_447),
            ("18446744073.709551615", u64::MAX),
            ("1.00000000000000000000000000000000000000001", 1_000_000_000),
        ] {
            assert_eq!(nanoseconds(text.as_bytes()), Ok(value), "{text}");
        }
        for text in
            ["", ".", ".5", "5.", "1.2.3", "-0.5", "1e3", "1e308", "nan", "inf", "18446744073.8"]
        {
            assert!(nanoseconds(text.as_bytes()).is_err(), "{text:?}");
        }
        assert!(nanoseconds(b"18446744073.709551616").is_err());
    }

    #[test]
    fn a_wrong_number_of_columns_is_told_with_their_names() {
        let mut fields = Fields::new(b"1", Separator::Comma, TWO);
        assert_eq!(fields.integer(), Ok(1));
        let Err(Mistake(message)) = fields.integer() else { panic!("a missing column") };
        assert_eq!(message, "found 1 column in \"1\", expected 2 (a, b)");
        let mut fields = Fields::new(b" 1 \t2 3", Separator::Blanks, TWO);
        assert_eq!((fields.integer(), fields.integer()), (Ok(1), Ok(2)));
        let Err(Mistake(message)) = fields.finish() else { panic!("a third column") };
        assert_eq!(message, "found 3 columns in \" 1 \\t2 3\", expected 2 (a, b)");
    }

    #[test]
    fn values_between_commas_may_be_padded_or_empty() {
        let mut fields = Fields::new(b"  7 ,\tx y , ", Separator::PaddedComma, TWO);
        assert_eq!(fields.integer(), Ok(7));
        assert_eq!((fields.peek(), fields.text()), (&b"x y"[..], Ok(&b"x y"[..])));
        assert!(fields.text().is_err());
        assert_eq!(fields.optional(Fields::text), Ok(None));
        assert!(fields.optional(Fields::text).is_err());
        assert_eq!(fields.finish(), Ok(()));
        assert!(Fields::new(b"7 8,1", Separator::PaddedComma, TWO).integer().is_err());
        assert!(Fields::new(b"7 ,1", Separator::Comma, TWO).integer().is_err());
        assert_eq!(
            Fields::new(b"a", Separator::Comma, ONE).optional(Fields::text),
            Ok(Some(&b"a"[..]))
        );
    }

    #[test]
    fn flags_are_hexadecimal() {
        for (text, value) in [("0", Some(0)), ("1F", Some(31)), ("ffffffff", Some(u32::MAX))] {
            assert_eq!(
                Fields::new(text.as_bytes(), Separator::Blanks, ONE).hexadecimal().ok(),
                value
            );
        }
        for text in ["0x1", "g", "100000000", "-1"] {
            assert!(Fields::new(text.as_bytes(), Separator::Blanks, ONE).hexadecimal().is_err());
        }
    }

    #[test]
    fn what_is_quoted_cannot_move_the_cursor_and_is_short() {
        assert_eq!(quoted(b"a\x1b[31m\r\0\xff"), "\"a\\u{1b}[31m\\r\\0\u{fffd}\"");
        assert_eq!(quoted(&[b'x'; 1000]), format!("\"{}...\"", "x".repeat(60)));
        assert_eq!(quoted("\u{202e}".as_bytes()), "\"\\u{202e}\"");
    }
}
