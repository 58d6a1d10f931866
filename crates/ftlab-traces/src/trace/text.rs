//! The line loop that every text format shares.

use super::field::{Column, Fields, Mistake, Separator};
use super::gate::{Clock, RawRequest};
use super::lines::{Lines, without_mark};
use super::number;
use super::other;
use super::source::{Decode, IS_SMALL};
use super::stream::{Broken, Front, Stream};
use super::time::{Time, TimeUnit};
use super::{TimeOrder, TraceOptions};
use crate::units::Bytes;

/// A text format with at most one request per line. The line loop and the checks are elsewhere.
pub(super) trait LineFormat: Clone + Default + Send + 'static {
    /// The name that `--format` takes.
    const NAME: &'static str;
    /// One line for lists of formats.
    const SUMMARY: &'static str;
    /// The columns in order; a line has exactly these.
    const COLUMNS: &'static [Column];
    /// What stands between columns.
    const SEPARATOR: Separator;
    /// How times are written, unless the user states it.
    const TIME: Time;
    /// Bytes per unit of an address, unless the user states it.
    const OFFSET_UNIT: u64;
    /// Where traces of this format come from.
    const SOURCE: &'static str;

    /// Whether the user may state the units of times and addresses.
    const UNITS_MAY_BE_SAID: bool = true;

    /// Finds a unit that the first lines leave open; the user must then state it.
    const DOUBT: Option<fn(&Sample) -> Option<String>> = None;

    /// The options of [`TraceOptions`] that supply what the format does not state, by name.
    const TAKES: &'static [&'static str] = &[];

    /// Whether a file is one volume, so that several files are several volumes.
    const FILE_IS_VOLUME: bool = false;

    /// How times that go back are treated, unless the user states it. Formats whose lines are not
    /// in the order of arrival sort.
    const ORDER: TimeOrder = TimeOrder::Error;

    /// As [`ORDER`](Self::ORDER), for formats whose first lines decide it.
    const ORDER_OF: Option<fn(&Sample) -> TimeOrder> = None;

    /// What speaks against a file whose lines parse, in addition to what does in every format.
    fn objection(_sample: &Sample) -> Option<&'static str> {
        None
    }

    /// The format at the first line, with the options that supply what it does not state.
    fn with(_options: &TraceOptions) -> Result<Self, Mistake> {
        Ok(Self::default())
    }

    /// The clock of [`RawRequest::ticks`] in the last line.
    #[inline]
    fn clock(&self) -> Clock {
        Clock { tick_ns: Self::TIME.tick_ns(), setting: 0 }
    }

    /// The units of times and addresses that the lines so far state, unless the user does.
    fn units(&self) -> (Option<TimeUnit>, Option<u64>) {
        (Some(Self::TIME.unit), Some(Self::OFFSET_UNIT))
    }

    /// The request in a line; `None` for a line of another kind, such as a header.
    fn parse_line(&mut self, fields: Fields) -> Result<Option<RawRequest>, Mistake>;

    /// A further request in the last line, in addition to the one returned.
    #[inline]
    fn rest_of_line(&mut self) -> Option<RawRequest> {
        None
    }

    /// Whether a first line of words may be a header, which is skipped.
    fn may_skip_header(&self) -> bool {
        true
    }

    /// The processor that recorded the last line, if known.
    fn processor(&self) -> Option<u32> {
        None
    }

    /// Whether `line`, the last one and without a line end, may be cut: its last number may go on.
    fn may_be_cut(line: &[u8]) -> bool {
        line.last().is_some_and(u8::is_ascii_digit)
    }

    /// Remarks for the user on the lines so far.
    fn remarks(&self) -> Vec<String> {
        Vec::new()
    }

    /// The error when all lines have been read and none held a request.
    fn without_requests(&self) -> Mistake {
        Mistake::no_request()
    }

    /// Whether a file that begins with these lines has this format.
    fn recognise(sample: &Sample) -> Verdict {
        if sample.mostly::<Self>() { Verdict::Yes } else { Verdict::No }
    }
}

/// Parses a line in the usual form.
#[inline(always)]
fn parsed<F: LineFormat>(
    format: &mut F,
    line: &[u8],
    time: Time,
) -> Result<Option<RawRequest>, Mistake> {
    separated(format, line, F::SEPARATOR, time)
}

/// What one line says with this separator. Inlined, it is fast and takes long to compile: quick builds and those for
/// browsers have it once for each format.
#[cfg_attr(not(any(debug_assertions, target_arch = "wasm32")), inline(always))]
#[cfg_attr(any(debug_assertions, target_arch = "wasm32"), inline(never))]
fn separated<F: LineFormat>(
    format: &mut F,
    line: &[u8],
    separator: Separator,
    time: Time,
) -> Result<Option<RawRequest>, Mistake> {
    format.parse_line(Fields::new(line, separator, F::COLUMNS).timed(time))
}

/// Parses a line in the rare form, with blanks after commas; `mistake` is the error of the usual
/// form.
#[cold]
#[inline(never)]
fn padded<F: LineFormat>(
    format: &mut F,
    line: &[u8],
    time: Time,
    mistake: Mistake,
) -> Result<Option<RawRequest>, Mistake> {
    if F::SEPARATOR != Separator::Comma || !is_padded(line) {
        return Err(mistake);
    }
    separated(format, line, Separator::PaddedComma, time)
}

fn is_padded(line: &[u8]) -> bool {
    line.iter().any(|b| matches!(b, b' ' | b'\t'))
}

/// How comments begin: with `#` in most tools, otherwise in files that people annotate.
const COMMENT_MARKS: [&[u8]; 4] = [b"#", b"!", b"%", b"//"];

/// Letters of a rule between lines of a table.
const SHORTEST_RULE: usize = 4;

/// The text of a comment; `None` if a line is none. Lines that databases and bpftrace print around a table have no text.
pub(super) fn comment(line: &[u8]) -> Option<&[u8]> {
    let line = line.trim_ascii();
    let marked = COMMENT_MARKS.iter().find_map(|mark| line.strip_prefix(*mark));
    marked.or_else(|| (is_rule(line) || is_count_of_rows(line) || is_map(line)).then_some(&[]))
}

/// Whether a line is a map that bpftrace prints at its end: `@reads: 5` or `@[fio]: 5`.
fn is_map(line: &[u8]) -> bool {
    let is_name = |line: &[u8]| !line.starts_with(b":") && !line.is_empty();
    let name = line.strip_prefix(b"@").filter(|line| is_name(line));
    name.is_some_and(|name| name.ends_with(b":") || memchr::memmem::find(name, b": ").is_some())
}

/// Whether a line is drawn, as `-----+-----` below the names of columns.
fn is_rule(line: &[u8]) -> bool {
    let is_drawn = |b: &u8| b"-=+|: \t,;".contains(b);
    line.len() >= SHORTEST_RULE && line.iter().all(is_drawn) && line.windows(2).any(|b| b == b"--")
}

/// Whether a line is as `(40 rows)` or `(40 rows affected)`, which is below a table.
fn is_count_of_rows(line: &[u8]) -> bool {
    let inside = line.strip_prefix(b"(").and_then(|line| line.strip_suffix(b")"));
    let mut words = inside.unwrap_or_default().split(|b| *b == b' ');
    let is_count = words.next().is_some_and(|word| number::integer(word).is_some());
    is_count && matches!(words.next(), Some(b"row" | b"rows"))
}

/// Whether a line names columns: at least two words, each beginning with a letter, or numbers from 0 as pandas writes
/// columns without names.
pub(super) fn is_header(line: &[u8]) -> bool {
    let begins = |word: &[u8]| matches!(word[0], b'a'..=b'z' | b'A'..=b'Z' | b'_' | b'"');
    words(line).nth(1).is_some() && words(line).all(begins) || is_counted(words(line))
}

/// Numbers of columns in a line that may parse as a request: fewer may be one.
const LEAST_NUMBERED: usize = 4;

/// Whether a line has the numbers of columns from 0, and is no request although it may parse as one.
fn is_numbered(line: &[u8]) -> bool {
    is_counted(words(line)) && words(line).nth(LEAST_NUMBERED - 1).is_some()
}

fn words(line: &[u8]) -> impl Iterator<Item = &[u8]> {
    let words = line.split(|b| matches!(b, b',' | b';' | b'|' | b' ' | b'\t'));
    words.map(<[u8]>::trim_ascii).filter(|word| !word.is_empty())
}

/// Whether words count from 0, to 2 at least.
pub(super) fn is_counted<'a>(words: impl Iterator<Item = &'a [u8]>) -> bool {
    let mut count: usize = 0;
    let mut is_next = |word: &[u8]| {
        count += 1;
        word == (count - 1).to_string().as_bytes()
    };
    words.into_iter().all(&mut is_next) && count > 2
}

/// Words in front of totals, which some programs write below a table.
const TOTALS: [&[u8]; 6] = [b"total", b"totals", b"subtotal", b"sum", b"average", b"mean"];

/// Whether a line may have totals of the columns above it.
fn is_total(line: &[u8]) -> bool {
    let word = words(line).next().unwrap_or_default();
    let is_mark = |b: &&u8| !matches!(b, b'"' | b':');
    let word: Vec<u8> = word.iter().filter(is_mark).map(u8::to_ascii_lowercase).collect();
    TOTALS.contains(&&*word)
}

/// Whether a line has totals of the columns above it, which leave some empty.
pub(super) fn is_total_below(above: &[u8], line: &[u8]) -> bool {
    is_total(line) && words(line).count() < words(above).count()
}

/// The command that leaves out the last lines.
pub(super) fn without_last(lines: usize) -> String {
    format!("head -n -{lines} FILE | ftlab ... -")
}

/// The mistake in a line, which may be one of totals.
#[cold]
fn in_line(line: &[u8], mistake: Mistake) -> Mistake {
    match other::spoilt(line) {
        Some(spoilt) => spoilt,
        None if is_total(line) => Mistake(format!(
            "{}; if that is a total below the rows, {} leaves it out",
            mistake.0,
            without_last(1)
        )),
        None => mistake,
    }
}

/// The remark on recordings that follow each other in a file, by how often the header comes again.
pub(super) fn further(count: u32) -> Option<String> {
    let times = if count == 1 { "once".into() } else { format!("{count} times") };
    let remark =
        || format!("the header comes again {times}; each recording is put behind the one before");
    (count > 0).then(remark)
}

/// A line without its blanks.
pub(super) fn without_blanks(line: &[u8]) -> Vec<u8> {
    line.iter().copied().filter(|b| !b.is_ascii_whitespace()).collect()
}

/// The first lines of a file, without the blank ones and comments.
pub(super) struct Sample<'a> {
    lines: Vec<&'a [u8]>,
    /// The last comment in front of them.
    title: Option<&'a [u8]>,
}

/// How a format judges a sample.
pub(super) enum Verdict {
    /// It is another format.
    No,
    /// It is this format.
    Yes,
    /// It looks like this format but would be misread. The text gives the reason and the remedy.
    Refuse(String),
}

impl<'a> Sample<'a> {
    /// The lines of `front`. The last one is left out if the file continues, as it may be cut.
    pub(super) fn new(Front { bytes, whole }: Front<'a>) -> Self {
        let front = without_mark(bytes);
        let end = if whole { front.len() } else { memchr::memrchr(b'\n', front).unwrap_or(0) };
        let lines = front[..end].split(|b| *b == b'\n').map(|line| line.trim_ascii_end());
        let lines = lines.filter(|line| !line.is_empty());
        let titles = lines.clone().map_while(comment).map(|title| title.trim_ascii());
        let title = titles.filter(|title| !title.is_empty()).last();
        Self { lines: lines.filter(|line| comment(line).is_none()).collect(), title }
    }

    /// The last comment in front of the lines, without its mark.
    pub(super) const fn title(&self) -> Option<&'a [u8]> {
        self.title
    }

    /// The lines that are neither blank nor comments.
    pub(super) fn lines(&self) -> impl Iterator<Item = &'a [u8]> {
        self.lines.iter().copied()
    }

    /// The first line that is not blank.
    pub(super) fn first(&self) -> Option<&'a [u8]> {
        self.lines.first().copied()
    }

    /// True when at least half of the lines parse as `F`. A broken line is then reported as such,
    /// and not as an unknown format.
    pub(super) fn mostly<F: LineFormat>(&self) -> bool {
        2 * self.parsed::<F>().count() >= self.rows().len().max(1)
    }

    /// The requests in the lines when read as `F`, without lines that do not parse.
    pub(super) fn requests<F: LineFormat>(&self) -> impl Iterator<Item = RawRequest> {
        self.parsed::<F>().flatten()
    }

    /// The results of the lines when read as `F`, without those that do not parse.
    fn parsed<F: LineFormat>(&self) -> impl Iterator<Item = Option<RawRequest>> {
        let mut format = F::default();
        let read = move |line: &&'a [u8]| {
            let said = parsed(&mut format, line, F::TIME);
            said.or_else(|mistake| padded(&mut format, line, F::TIME, mistake)).ok()
        };
        self.rows().iter().filter_map(read)
    }

    /// The lines, without a first one that numbers the columns.
    fn rows(&self) -> &[&'a [u8]] {
        match self.lines.split_first() {
            Some((first, rest)) if is_numbered(first) => rest,
            _ => &self.lines,
        }
    }

    /// The values of a column, separated by blanks, that begin with a digit.
    pub(super) fn column(&self, at: usize) -> impl Iterator<Item = &'a [u8]> {
        let value = move |line: &&'a [u8]| {
            line.split(u8::is_ascii_whitespace).filter(|text| !text.is_empty()).nth(at)
        };
        let begins = |text: &&[u8]| text.first().is_some_and(u8::is_ascii_digit);
        self.rows().iter().filter_map(value).filter(begins)
    }

    /// True when any line has `byte` in it.
    pub(super) fn has(&self, byte: u8) -> bool {
        self.lines.iter().any(|line| memchr::memchr(byte, line).is_some())
    }
}

/// Requests, unchecked, from the lines of one stream.
pub(super) struct LineDecoder<F> {
    format: F,
    lines: Lines,
    /// The unit of times that the user states.
    time_said: Option<Time>,
    offset_unit: Option<u64>,
    /// Whether a line has been read that is no comment.
    begun: bool,
    /// The header that was skipped; it may come again in files that have been joined.
    header: Vec<u8>,
}

impl<F: LineFormat> LineDecoder<F> {
    pub(super) fn new(format: F, stream: Stream) -> Self {
        let lines = Lines::new(stream);
        let header = Vec::new();
        Self { format, lines, time_said: None, offset_unit: None, begun: false, header }
    }

    /// The same decoder with the units that the user states.
    pub(super) fn in_units(self, options: &TraceOptions) -> Self {
        let time_said = options.time_unit.map(Time::decimal);
        let offset_unit = options.offset_unit.map(|unit| unit.0);
        Self { time_said, offset_unit, ..self }
    }

    /// Whether a line has been read that is no comment.
    pub(super) fn has_begun(&self) -> bool {
        self.begun
    }

    /// The lines that have not been read.
    pub(super) fn lines(&mut self) -> &mut Lines {
        &mut self.lines
    }

    /// What decodes whole lines that follow, in the units that the user states.
    pub(super) fn of_block(&self) -> impl Fn(Vec<u8>) -> Self + Send + 'static {
        let Self { format, time_said, offset_unit, begun, header, .. } = self;
        let (format, time_said, offset_unit, begun, header) =
            (format.clone(), *time_said, *offset_unit, *begun, header.clone());
        move |block| Self {
            format: format.clone(),
            lines: Lines::of_block(block),
            time_said,
            offset_unit,
            begun,
            header: header.clone(),
        }
    }

    /// `raw` with its address in the unit that the user states.
    fn placed(&self, raw: RawRequest) -> Result<RawRequest, Broken> {
        match self.offset_unit {
            None => Ok(raw),
            Some(unit) => {
                let offset = raw.offset / F::OFFSET_UNIT;
                let placed = RawRequest { offset, ..raw }.in_units(unit, 1);
                placed.map_err(|mistake| Broken::Mistake(self.here(mistake)))
            }
        }
    }

    /// The next request in the format's own units, which are compile-time constants.
    #[inline(always)]
    fn read(&mut self, time: Time) -> Result<Option<RawRequest>, Broken> {
        if let Some(raw) = self.format.rest_of_line() {
            return Ok(Some(raw));
        }
        loop {
            let Some(line) = self.lines.next()? else { return Ok(None) };
            if is_blank(line) {
                continue;
            }
            if !self.begun && self.format.may_skip_header() && is_numbered(line) {
                (self.begun, self.header) = (true, line.to_vec());
                continue;
            }
            let mut said = parsed(&mut self.format, line, time);
            if let Err(mistake) = said {
                said = padded(&mut self.format, line, time, mistake);
            }
            match said {
                Ok(Some(raw)) => {
                    self.begun = true;
                    return Ok(Some(raw));
                }
                Ok(None) => self.begun = true,
                Err(_) if comment(line).is_some() => {}
                Err(_) if !self.begun && self.format.may_skip_header() && is_header(line) => {
                    self.begun = true;
                    self.header = line.to_vec();
                }
                Err(_) if !self.header.is_empty() && line == self.header => {}
                Err(mistake) => {
                    let mistake = in_line(line, mistake);
                    return Err(Broken::Mistake(self.here(mistake)));
                }
            }
        }
    }

    /// The next request in the units that the user states.
    #[inline(never)]
    fn read_as_said(&mut self, time: Time) -> Result<Option<RawRequest>, Broken> {
        self.read(time)?.map(|raw| self.placed(raw)).transpose()
    }
}

impl<F: LineFormat> Decode for LineDecoder<F> {
    fn file_is_volume(&self) -> bool {
        F::FILE_IS_VOLUME
    }

    #[inline(always)]
    fn next(&mut self) -> Result<Option<RawRequest>, Broken> {
        match (self.time_said, self.offset_unit) {
            (None, None) if !IS_SMALL => self.read(F::TIME),
            (time, _) => self.read_as_said(time.unwrap_or(F::TIME)),
        }
    }

    #[inline]
    fn clock(&self) -> Clock {
        let clock = self.format.clock();
        match self.time_said {
            None => clock,
            Some(time) => Clock { tick_ns: time.tick_ns(), ..clock },
        }
    }

    fn number(&self) -> u64 {
        self.lines.number()
    }

    #[cold]
    fn here(&self, Mistake(message): Mistake) -> Mistake {
        Mistake(format!("{message} (read as {})", F::NAME))
    }

    fn units(&self) -> Option<String> {
        let (time, offset) = self.format.units();
        let time = self.time_said.map_or(time, |time| Some(time.unit));
        let parts = [
            time.map(|unit| format!("times in {}", unit.noun())),
            self.offset_unit.or(offset).map(|unit| match unit {
                1 => "addresses in bytes".into(),
                _ => format!("addresses in units of {}", Bytes(unit)),
            }),
        ];
        let parts: Vec<String> = parts.into_iter().flatten().collect();
        (!parts.is_empty()).then(|| parts.join(", "))
    }

    fn processor(&self) -> Option<u32> {
        self.format.processor()
    }

    fn remarks(&self) -> Vec<String> {
        let line = self.lines.open();
        let has_text = !is_blank(line) && comment(line).is_none();
        let cut = (has_text && F::may_be_cut(line)).then(|| CUT.into());
        self.format.remarks().into_iter().chain(cut).collect()
    }

    fn without_requests(&self) -> Mistake {
        self.format.without_requests()
    }
}

/// Many whole files end without a line end, so this is no error.
const CUT: &str = "the last line has no line end: it may be cut";

/// Whether a line is blank; such lines are skipped.
#[inline]
fn is_blank(line: &[u8]) -> bool {
    // Nearly every line begins with a visible character, so the scan is rare.
    line.first().is_none_or(|b| *b <= b' ') && line.trim_ascii().is_empty()
}

#[cfg(test)]
mod tests {
    use crate::request::Op;
    use crate::trace::arc::Arc;
    use crate::trace::checks::{decoded_with, detected, requests, sample};
    use crate::trace::csv::Csv;
    use crate::trace::disksim::DiskSim;
    use crate::trace::msr::Msr;
    use crate::trace::text::LineFormat;
    use crate::trace::{Columns, TraceOptions};

    #[test]
    fn a_line_of_totals_is_told() {
        let text = |line: &str| format!("128166391024154329,web,0,Write,0,512,1\n{line}\n");
        for line in ["Total,1,,,,512", ",,,\"Sum:\",,512"] {
            let message = requests::<Msr>(&text(line)).unwrap_err().to_string();
            assert!(message.contains("trace:2: ") && message.contains("head -n -1"), "{message}");
        }
        let message = requests::<Msr>(&text("Totality,1,,,,512")).unwrap_err().to_string();
        assert!(!message.contains("head"), "{message}");
    }

    #[test]
    fn numbers_of_columns_in_front_are_no_request() {
        let text = "0 1 2 3 4\n0.500 0 77 8 1\n1100.000 0 15631696 8 0\n";
        let all = requests::<DiskSim>(text).unwrap();
        assert_eq!((all.len(), all[0].offset), (2, 77 * 512));
        assert_eq!(
            (detected(text), sample(text).requests::<DiskSim>().count()),
            (Ok("disksim"), 2)
        );
        let list = requests::<Arc>("0 1 2 3\n77 16 0 1\n99 8 0 2\n").unwrap();
        assert_eq!((list.len(), list[1].time), (2, 1_000_000));
        let columns = Columns::try_from("time=1,op=2:1,offset=3,length=4,volume=5".to_owned());
        let options = TraceOptions { columns: columns.ok(), ..TraceOptions::default() };
        let Ok(csv) = Csv::with(&options) else { panic!("columns are given") };
        let own = decoded_with(csv, "0,1,2,3,4\n0.5,0,4096,512,sda\n0.6,1,0,512,sdb\n").unwrap();
        assert_eq!((own.len(), own[0].op, own[1].volume), (2, Op::Write, 1));
        // So few may be a request.
        let few = Columns::try_from("time=1,offset=2,length=3".to_owned());
        let options =
            TraceOptions { columns: few.ok(), op: Some(Op::Read), ..TraceOptions::default() };
        let Ok(csv) = Csv::with(&options) else { panic!("columns are given") };
        assert_eq!(decoded_with(csv, "0,1,2\n1,8,2\n").unwrap().len(), 2);
        // Numbers from 0 are a header in front alone.
        let later = requests::<DiskSim>("0 0 8 8 1\n0 1 2 3 4\n").unwrap();
        assert_eq!(later.len(), 2);
    }
}
