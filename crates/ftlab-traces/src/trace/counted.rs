//! What the values of a column count, as far as its name and its values settle it.
//!
//! A unit that nothing settles is a question mark, which [`Columns`](super::Columns) refuses, so that
//! nobody reads factors of 8 or 1,000 without having said so.

use super::csv;
use super::gate::RawRequest;
use super::number;
use super::plausible;
use super::scsi;
use super::time::TimeUnit;
use crate::request::Op;

/// What the user has to say.
pub(super) const OPEN: &str = ":?";

/// As [`OPEN`], of a word.
pub(super) const ASK: &str = "?";

const SECTOR_BYTES: u64 = 512;
const PAGE_BYTES: u64 = 4096;
const SECTORS_OF_A_PAGE: u64 = 8;

/// Seconds between requests from which on times without a unit may be no seconds.
const LONGEST_GAP_S: f64 = 0.5;

/// Decimal places that milliseconds and microseconds may have.
const FEW_PLACES: usize = 3;

/// Times from which on all may lack zeros.
const LEAST_WITHOUT_ZEROS: usize = 8;
const NS_PER_S: u64 = 1_000_000_000;

/// Words of an operation that a map may have.
pub(super) const MOST_WORDS: usize = 8;

/// The last word of a name, if it is a unit of time.
const TIMES: [(&[&str], TimeUnit); 4] = [
    (&["s", "sec", "secs", "second", "seconds"], TimeUnit::Seconds),
    (&["ms", "msec", "msecs", "millis", "milliseconds"], TimeUnit::Milliseconds),
    (&["us", "µs", "μs", "usec", "usecs", "micros", "microseconds"], TimeUnit::Microseconds),
    (&["ns", "nsec", "nsecs", "nanos", "nanoseconds"], TimeUnit::Nanoseconds),
];

/// The word that says that a time is that at which a request begins.
const BEGINS: [&str; 8] =
    ["submit", "submitted", "submission", "issue", "issued", "start", "starts", "begin"];

/// As [`TIMES`], of addresses and lengths, with the unit of `input.columns`.
const SIZES: [(&[&str], &str); 5] = [
    (&["b", "byte", "bytes", "nbytes"], ""),
    (&["sector", "sectors", "nsector", "nsectors"], ":sectors"),
    (&["kb", "kib"], ":1KiB"),
    (&PAGES, OPEN),
    (&["blocks"], OPEN),
];

/// The last word of a name that counts pages.
const PAGES: [&str; 4] = ["page", "pages", "npages", "lpn"];

/// Names of operations that are digits, and the digit of a read.
const READS: [(&[&str], &str); 2] = [
    (&["read", "isread", "rd", "isrd", "r", "readflag", "rnw", "readnotwrite", "notwrite"], ":1"),
    (&["write", "iswrite", "wr", "iswr", "w", "writeflag", "wnr", "writenotread", "notread"], ":0"),
];

/// The name of a column, in lower case.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Name {
    /// All words in one.
    pub(super) whole: String,
    /// All words except a unit behind the others.
    pub(super) front: String,
    /// All words in front of the first bracket.
    pub(super) base: String,
    /// The last word.
    last: String,
    /// Whether it is the time at which a request begins, as `t_start` or `submission_ns`.
    pub(super) begins: bool,
    /// Whether it is the end of something, or what follows.
    pub(super) ends: bool,
    /// The digit of a read, as `op=COLUMN` has it behind it.
    reads: Option<&'static str>,
}

impl Name {
    pub(super) fn of(name: &str) -> Self {
        let base = words(name.split(['(', '[', '{']).next().unwrap_or_default()).concat();
        let words = words(name);
        let last = words.last().cloned().unwrap_or_default();
        let is_unit = TIMES.iter().any(|(words, _)| words.contains(&last.as_str()))
            || SIZES.iter().any(|(words, _)| words.contains(&last.as_str()));
        let behind = if is_unit && words.len() > 1 { words.len() - 1 } else { words.len() };
        let (whole, front) = (words.concat(), words[..behind].concat());
        let named = READS.iter().find(|(names, _)| names.contains(&base.as_str()));
        let reads = reads(name).or_else(|| named.map(|(_, reads)| *reads));
        let begins = words.iter().any(|word| BEGINS.contains(&word.as_str()))
            && words.iter().all(|word| is_of_time(word));
        let ends =
            words.iter().any(|word| matches!(word.as_str(), "end" | "ends" | "last" | "next"));
        Self { whole, front, base, last, begins, ends, reads }
    }

    /// The name of the column behind `at` others, empty if it has none.
    pub(super) fn at(names: &[&str], at: usize) -> Self {
        Self::of(names.get(at).unwrap_or(&""))
    }

    /// Whether a unit is behind other words.
    pub(super) fn has_unit(&self) -> bool {
        self.front != self.whole
    }

    /// The unit of time in the name.
    pub(super) fn time_unit(&self) -> Option<TimeUnit> {
        self.unit_of(&TIMES)
    }

    /// The unit of addresses and lengths in the name.
    pub(super) fn size_unit(&self) -> Option<&'static str> {
        self.unit_of(&SIZES)
    }

    fn unit_of<U: Copy>(&self, known: &[(&[&str], U)]) -> Option<U> {
        let is = |(units, _): &&(&[&str], U)| units.contains(&self.last.as_str());
        known.iter().find(is).map(|(_, unit)| *unit)
    }

    /// Whether it counts pages.
    pub(super) fn is_in_pages(&self) -> bool {
        PAGES.contains(&self.last.as_str())
    }

    /// Whether it is an address of a device, not of a file.
    pub(super) fn is_of_disk(&self) -> bool {
        self.is_in_blocks() || self.size_unit() == Some(":sectors")
    }

    /// Whether it is an address in blocks of the device.
    fn is_in_blocks(&self) -> bool {
        matches!(self.whole.as_str(), "lba" | "lbn" | "slba" | "block" | "nlb")
    }
}

/// Whether a word of a name may be one of a time at which a request begins.
fn is_of_time(word: &str) -> bool {
    let is_unit = || TIMES.iter().any(|(words, _)| words.contains(&word));
    BEGINS.contains(&word)
        || matches!(word, "t" | "ts" | "time" | "stamp" | "timestamp")
        || is_unit()
}

/// The words of a name in lower case, those of `TimeMs` among them.
fn words(name: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut was_lower = false;
    for c in name.chars() {
        if !c.is_alphanumeric() || was_lower && c.is_ascii_uppercase() {
            words.push(String::new());
        }
        if c.is_alphanumeric()
            && let Some(word) = words.last_mut()
        {
            word.push(c.to_ascii_lowercase());
        }
        was_lower = c.is_lowercase();
    }
    words.retain(|word| !word.is_empty());
    words
}

/// What a name says of digits: `1=read`, `R(1)` or `w: 0`.
pub(super) fn reads(name: &str) -> Option<&'static str> {
    let text: String = name.to_ascii_lowercase().split_whitespace().collect();
    let begins = |text: &str, with: &str| {
        let rest = text.strip_prefix(with);
        let is_end = |rest: &str| !rest.starts_with(|c: char| c.is_ascii_alphanumeric());
        rest.is_some_and(|rest| with.ends_with(')') || is_end(rest))
    };
    let says = |digit: char, word: &str| {
        let forms = [
            format!("{digit}={word}"),
            format!("{digit}:{word}"),
            format!("{word}={digit}"),
            format!("{word}:{digit}"),
            format!("{word}({digit})"),
        ];
        let starts = text.char_indices().filter(|(at, _)| {
            !text[..*at].ends_with(|c: char| c.is_ascii_alphanumeric() || c == '.')
        });
        starts.map(|(at, _)| at).any(|at| forms.iter().any(|form| begins(&text[at..], form)))
    };
    let of = |digit, words: [&str; 3]| words.iter().any(|word| says(digit, word));
    let (read, write) = (["read", "rd", "r"], ["write", "wr", "w"]);
    if of('1', read) || of('0', write) {
        Some(":1")
    } else if of('0', read) || of('1', write) {
        Some(":0")
    } else {
        None
    }
}

/// The unit of times.
pub(super) fn time(name: &Name, values: &[&str]) -> &'static str {
    let Some(first) = values.first() else { return name.time_unit().map_or("", in_columns) };
    if first.contains(':') {
        return ":iso";
    }
    let whole = first.split('.').next().unwrap_or_default();
    let stamp = number::integer(whole.as_bytes()).and_then(TimeUnit::of_stamp);
    match (name.time_unit(), stamp) {
        (Some(named), Some(stamp)) if named.is_beyond(stamp) => return OPEN,
        (Some(unit), _) | (None, Some(unit)) => return in_columns(unit),
        (None, None) => {}
    }
    let numbers: Vec<f64> =
        values.iter().filter_map(|value| value.replace(',', ".").parse().ok()).collect();
    let span =
        numbers.last().zip(numbers.first()).map_or(0.0, |(last, first)| (last - first).abs());
    let gap = span / numbers.len().saturating_sub(1).max(1) as f64;
    let is_fine = values.iter().any(|value| decimals(value) > FEW_PLACES);
    if is_fine && gap < LONGEST_GAP_S { "" } else { OPEN }
}

/// Whether times have nanoseconds behind their point without zeros in front, as `%T.%t` of blkparse prints them: `0.1829`
/// is 1,829 ns. They are in order then, which they are not as decimals.
pub(super) fn lack_zeros(values: &[&str]) -> bool {
    let parts = |value: &&str| {
        let (seconds, behind) = value.split_once('.')?;
        let has_zeros = behind.len() > 1 && behind.starts_with('0');
        let number = |text: &str| number::integer(text.as_bytes());
        Some((number(seconds)?, number(behind).filter(|ns| !has_zeros && *ns < NS_PER_S)?))
    };
    let decimals = || values.iter().filter_map(|value| number::decimal(value.as_bytes(), 9));
    let parts: Option<Vec<(u64, u64)>> = values.iter().map(parts).collect();
    parts.is_some_and(|parts| parts.len() >= LEAST_WITHOUT_ZEROS && parts.is_sorted())
        && !decimals().is_sorted()
}

/// How many places a number has behind its point, without zeros at the end.
fn decimals(value: &str) -> usize {
    let (number, power) = value.split_once(['e', 'E']).unwrap_or((value, "0"));
    let places =
        number.rsplit_once(['.', ',']).map_or(0, |(_, behind)| behind.trim_end_matches('0').len());
    let fewer = power.parse::<i64>().unwrap_or(0);
    usize::try_from(i64::try_from(places).unwrap_or(0).saturating_sub(fewer)).unwrap_or(0)
}

/// A unit of times as `input.columns` has it.
pub(super) const fn in_columns(unit: TimeUnit) -> &'static str {
    match unit {
        TimeUnit::Seconds => "",
        TimeUnit::Milliseconds => ":ms",
        TimeUnit::Microseconds => ":us",
        TimeUnit::Nanoseconds => ":ns",
        TimeUnit::Filetime => ":filetime",
    }
}

/// The units of addresses and lengths.
pub(super) fn extents(
    (offset, offsets): (&Name, &[u64]),
    (length, lengths): (&Name, &[u64]),
) -> (&'static str, &'static str) {
    let multiples = |values: &[u64], of: u64| values.iter().all(|value| value.is_multiple_of(of));
    let in_bytes = |values: &[u64]| multiples(values, SECTOR_BYTES);
    let has_values = !offsets.is_empty();
    let length_unit = length.size_unit().unwrap_or_else(|| {
        if !has_values || in_bytes(lengths) && !length.is_in_blocks() {
            if length.is_in_blocks() { ":sectors" } else { "" }
        } else if offset.size_unit() == Some(":sectors") || multiples(lengths, SECTORS_OF_A_PAGE) {
            ":sectors"
        } else {
            OPEN
        }
    });
    let offset_unit = offset.size_unit().unwrap_or_else(|| {
        if !has_values {
            return if offset.is_in_blocks() { ":sectors" } else { "" };
        }
        if in_bytes(offsets) && !offset.is_in_blocks() {
            return "";
        }
        // Pages of 4 KiB would have only lengths of whole pages; sectors of a 4 KiB file system are multiples of 8.
        let no_pages = !multiples(lengths, PAGE_BYTES) || multiples(offsets, SECTORS_OF_A_PAGE);
        match length_unit {
            "" if no_pages => ":sectors",
            ":sectors" => ":sectors",
            _ => OPEN,
        }
    });
    if contradict((offsets, offset_unit), (lengths, length_unit)) {
        return (OPEN, OPEN);
    }
    (offset_unit, length_unit)
}

/// Whether sequential requests contradict the units.
fn contradict(
    (offsets, offset_unit): (&[u64], &str),
    (lengths, length_unit): (&[u64], &str),
) -> bool {
    let bytes = |unit: &str| match unit {
        "" => Some(1),
        ":sectors" => Some(SECTOR_BYTES),
        _ => None,
    };
    let (Some(of_offset), Some(of_length)) = (bytes(offset_unit), bytes(length_unit)) else {
        return false;
    };
    let request = |(offset, length): (&u64, &u64)| {
        let (offset, length) = (offset.checked_mul(of_offset)?, length.checked_mul(of_length)?);
        Some(RawRequest::new(Op::Read, offset, length))
    };
    let requests: Vec<RawRequest> = offsets.iter().zip(lengths).filter_map(request).collect();
    plausible::steps_otherwise(&requests)
}

/// The words of an operation, as `op=COLUMN` has them behind it.
pub(super) fn operation(name: &Name, values: &[&str]) -> String {
    let words = distinct(values);
    let digits = |word: &&str| matches!(*word, "0" | "1");
    if words.iter().all(|word| csv::usual(word.as_bytes()).is_some()) {
        return String::new();
    }
    if words.iter().all(digits) {
        return name.reads.unwrap_or(OPEN).into();
    }
    if words.len() > MOST_WORDS || !words.iter().all(|word| is_plain(word)) {
        return OPEN.into();
    }
    let are_events = has_both_ends(&words);
    let means = |word: &str| match are_events && end(word) == Some(End::Complete) {
        true => "skip",
        false => meaning(name, word),
    };
    mapped(&words, means)
}

fn distinct<'a>(values: &[&'a str]) -> Vec<&'a str> {
    let mut words = values.to_vec();
    words.sort_unstable();
    words.dedup();
    words
}

/// Words with what each means, as `op=COLUMN` has them behind it.
fn mapped(words: &[&str], means: impl Fn(&str) -> &'static str) -> String {
    let entries: Vec<String> = words.iter().map(|word| format!("{word}={}", means(word))).collect();
    format!(":{}", entries.join("/"))
}

/// An event of a request.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum End {
    Begin,
    Complete,
}

/// The event that a word names, as `READ_START` or `block_rq_complete`.
pub(super) fn end(word: &str) -> Option<End> {
    let words = words(word);
    let is = |known: &[&str]| words.iter().any(|word| known.contains(&word.as_str()));
    if is(&["complete", "completed", "completion", "done", "finish", "finished", "end"]) {
        Some(End::Complete)
    } else if is(&["submit", "submitted", "issue", "issued", "start", "begin", "queue", "insert"]) {
        Some(End::Begin)
    } else {
        None
    }
}

/// Whether all words are events, and requests both begin and are complete.
pub(super) fn has_both_ends(words: &[&str]) -> bool {
    let has = |which| words.iter().any(|word| end(word) == Some(which));
    words.iter().all(|word| end(word).is_some()) && has(End::Begin) && has(End::Complete)
}

/// Whether a word of the file may stand in advice: in the option it means itself, in a shell and on
/// a terminal too.
pub(super) fn is_plain(word: &str) -> bool {
    !word.is_empty() && word.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '-' | '.'))
}

/// The operation of a command of SCSI, as tshark prints it.
fn of_scsi(word: &str) -> Option<&'static str> {
    match u8::from_str_radix(word.strip_prefix("0x")?, 16).ok()? {
        0x42 => Some("trim"),
        0x35 | 0x91 => Some("flush"),
        // Those below may be commands of NVMe.
        code @ 0x20.. => scsi::operation(code).map(Op::name),
        _ => None,
    }
}

/// The words of operations that are opcodes of NVMe, where the offset has its name.
pub(super) fn of_nvme(offset: &Name, op: &Name, values: &[&str]) -> Option<String> {
    let words = distinct(values);
    let is_opcode = op.whole.contains("opc") && offset.whole == "slba";
    let is_number = |word: &&str| number::whole(word.as_bytes()).is_some();
    let are_few = words.len() <= MOST_WORDS;
    let means = |word: &str| match number::whole(word.as_bytes()) {
        Some(0) => "flush",
        Some(1) => "write",
        Some(2) => "read",
        Some(9) => "trim",
        _ => ASK,
    };
    (is_opcode && are_few && words.iter().all(is_number)).then(|| mapped(&words, means))
}

/// What a word seems to mean.
pub(super) fn meaning(name: &Name, word: &str) -> &'static str {
    let parts = words(word);
    let word = word.to_ascii_lowercase();
    match (word.strip_suffix(".0").unwrap_or(&word), name.reads) {
        ("true" | "1", Some(":1")) | ("false" | "0", Some(":0")) => return "read",
        ("true" | "1", Some(_)) | ("false" | "0", Some(_)) => return "write",
        _ => {}
    }
    if let Some(op) = of_scsi(&word) {
        return op;
    }
    let has = |known: &[&str]| known.iter().any(|known| word.contains(known));
    let is = |known: &[&str]| parts.iter().any(|part| known.contains(&part.as_str()));
    let reads = has(&["read", "get"]) || is(&["rd", "r"]);
    let writes = has(&["write", "put"]) || is(&["wr", "w"]);
    match (reads, writes, has(&["trim", "discard", "unmap"])) {
        (true, false, false) => "read",
        (false, true, false) => "write",
        (false, false, true) => "trim",
        _ if has(&["flush", "sync"]) => "flush",
        _ => ASK,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn units(offset: &str, offsets: &[u64], length: &str, lengths: &[u64]) -> (String, String) {
        let (offset, length) = (Name::of(offset), Name::of(length));
        let (offset, length) = extents((&offset, offsets), (&length, lengths));
        (offset.into(), length.into())
    }

    #[test]
    fn a_name_has_a_unit_behind_it() {
        let name = Name::of("Offset (bytes)");
        assert_eq!((name.whole.as_str(), name.front.as_str()), ("offsetbytes", "offset"));
        assert_eq!(Name::of("bytes").front, "bytes");
        assert_eq!(Name::of("is_write").whole, "iswrite");
        assert_eq!(Name::of("block_size").front, "blocksize");
    }

    #[test]
    fn addresses_that_nothing_settles_are_asked_for() {
        for (offset, offsets, length, lengths, expected) in [
            ("", &[8192, 4096][..], "", &[4096, 512][..], ("", "")),
            // Blocks of 512 B, 1 KiB or 4 KiB look alike.
            ("", &[1001, 77], "", &[1, 8], (":?", ":?")),
            ("lba", &[1001, 77], "len", &[1, 8], (":?", ":?")),
            ("offset", &[8192, 4096], "size", &[1, 3], ("", ":?")),
            ("", &[1001, 77], "", &[8, 16], (":sectors", ":sectors")),
            ("", &[1001, 77], "", &[512, 8192], (":sectors", "")),
            ("", &[1000, 80], "", &[4096, 8192], (":sectors", "")),
            ("", &[1001, 77], "", &[4096, 8192], (":?", "")),
            ("sector", &[1001, 77], "size", &[1, 3], (":sectors", ":sectors")),
            ("sector", &[1001, 77], "bytes", &[4096, 4096], (":sectors", "")),
            ("offset_bytes", &[1, 2], "size_kb", &[1, 3], ("", ":1KiB")),
            ("page", &[1, 2], "pages", &[8, 8], (":?", ":?")),
            ("first_page", &[1, 2], "page_count", &[1, 8], (":?", ":?")),
            ("lba", &[], "nlb", &[], (":sectors", ":sectors")),
            ("offset", &[], "size", &[], ("", "")),
        ] {
            let found = units(offset, offsets, length, lengths);
            let expected = (expected.0.to_owned(), expected.1.to_owned());
            assert_eq!(found, expected, "{offset} {offsets:?} {length} {lengths:?}");
        }
    }

    #[test]
    fn units_that_sequential_requests_contradict_are_asked_for() {
        let lengths: Vec<u64> = (0..40).map(|i| 1 + i % 3).collect();
        let ends = |times: u64| -> Vec<u64> {
            let next =
                |at: &mut u64, length: &u64| Some(std::mem::replace(at, *at + length * times));
            lengths.iter().scan(77, next).collect()
        };
        for (times, expected) in [(1, ":sectors"), (8, ":?")] {
            let found = units("lba", &ends(times), "sectors", &lengths);
            assert_eq!(found, (expected.to_owned(), expected.to_owned()), "{times}");
        }
    }

    #[test]
    fn times_that_nothing_settles_are_asked_for() {
        for (name, values, unit) in [
            ("time", &["0.0001", "0.0007"][..], ""),
            ("time", &["1e-05", "2.5e-05"], ""),
            // Milliseconds have three places, too.
            ("time", &["0.5", "0.75"], ":?"),
            ("time", &["0.125", "0.250"], ":?"),
            ("time", &["0.000100", "0.750000"], ":?"),
            ("time", &["5", "8"], ":?"),
            ("time", &["0.5", "7000.5"], ":?"),
            ("time_ms", &["5", "8"], ":ms"),
            ("Time (us)", &["5.5", "8"], ":us"),
            ("elapsed_s", &["5", "8"], ""),
            ("TimeMs", &["0.125", "0.250"], ":ms"),
            ("ArrivalTimeMs", &["0.125"], ":ms"),
            ("t.ms", &["0.125"], ":ms"),
            ("millis", &["0.125"], ":ms"),
            ("Zeit (ms)", &["0.125"], ":ms"),
            ("time/µs", &["0.125"], ":us"),
            ("ts", &["1700000000", "1700000009"], ""),
            ("ts", &["1700000000123.5", "1700000000124.0"], ":ms"),
            ("ts", &["1700000000123456"], ":us"),
            ("ts", &["1700000000123456789"], ":ns"),
            ("ts", &["128166391024154329"], ":filetime"),
            ("ts_ns", &["1700000000123456789"], ":ns"),
            ("ts_ns", &["128166391024154329"], ":?"),
            ("time_ms", &["1700000000123456"], ":?"),
            ("uptime_us", &["1200000000000"], ":us"),
            ("uptime_ns", &["1200000000000000"], ":ns"),
            ("ts_ms", &[], ":ms"),
            ("ts", &["2024-01-15 10:00:00.5"], ":iso"),
            ("ts", &[], ""),
        ] {
            assert_eq!(time(&Name::of(name), values), unit, "{name} {values:?}");
        }
    }

    #[test]
    fn words_of_operations_are_mapped_where_they_speak() {
        for (name, values, words) in [
            ("op", &["R", "write", "Trim"][..], ""),
            ("op", &["0", "1"], ":?"),
            ("is_write", &["0", "1"], ":0"),
            ("is_read", &["1", "1"], ":1"),
            ("write", &["true", "false"], ":false=read/true=write"),
            ("op", &["OP_READ", "OP_WRITE"], ":OP_READ=read/OP_WRITE=write"),
            ("op", &["OP_RD", "OP_WR"], ":OP_RD=read/OP_WR=write"),
            ("op", &["IN", "OUT"], ":IN=?/OUT=?"),
            ("rw (1=read)", &["0", "1"], ":1"),
            ("R(1)W(0)", &["0", "1"], ":1"),
            ("rw [0 = read]", &["0", "1"], ":0"),
            ("op (w:1)", &["0", "1"], ":0"),
            ("rw=1", &["0", "1"], ":?"),
            ("read/write", &["0", "1"], ":?"),
            ("is_read (0/1)", &["0", "1"], ":1"),
            ("rnw", &["0", "1"], ":1"),
            ("not_write", &["0", "1"], ":1"),
            ("w", &["0", "1"], ":0"),
            ("is_write", &["0.0", "1.0"], ":0.0=read/1.0=write"),
            ("op", &["GET", "nop"], ":GET=read/nop=?"),
            (
                "op",
                &["READ_START", "READ_COMPLETE", "WRITE_START"],
                ":READ_COMPLETE=skip/READ_START=read/WRITE_START=write",
            ),
            ("op", &["READ_COMPLETE", "append"], ":READ_COMPLETE=read/append=?"),
            ("op", &["read/ahead", "x"], ":?"),
            ("op", &["\u{12}8", "2a"], ":?"),
            ("op", &["$(reboot)", "read"], ":?"),
            ("op", &["read ahead", "read"], ":?"),
        ] {
            assert_eq!(operation(&Name::of(name), values), words, "{name} {values:?}");
        }
    }
}
