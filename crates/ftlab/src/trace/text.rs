//! The line loop that every text format shares.

use super::field::{Column, Fields, Mistake, Separator};
use super::gate::RawRequest;
use super::lines::{Lines, without_mark};
use super::source::Decode;
use super::stream::{Broken, Front, Stream};

/// A text format with one request per line. The line loop and the checks are not its concern.
pub(super) trait LineFormat: Default + Send + 'static {
    /// The name that `--format` takes.
    const NAME: &'static str;
    /// One line for lists of formats.
    const SUMMARY: &'static str;
    /// The columns in their order; all must be there and no others.
    const COLUMNS: &'static [Column];
    /// What stands between columns.
    const SEPARATOR: Separator;
    /// Where traces of this format come from.
    const SOURCE: &'static str;

    /// Nanoseconds per tick of [`RawRequest::ticks`], known once a line has been parsed.
    #[inline]
    fn tick_ns(&self) -> u64 {
        1
    }

    /// What one line tells.
    fn parse_line(&mut self, fields: Fields) -> Result<RawRequest, Mistake>;

    /// Whether a file that begins with these lines is of this format.
    fn recognise(sample: &Sample) -> Verdict {
        if sample.mostly::<Self>() { Verdict::Yes } else { Verdict::No }
    }
}

/// The first lines of a file, without the blank ones.
pub(super) struct Sample<'a> {
    lines: Vec<&'a [u8]>,
}

/// What a format says of a sample.
pub(super) enum Verdict {
    /// It is another format.
    No,
    /// It is this format.
    Yes,
    /// It looks like this format but would be misread: why, and what to do.
    Refuse(String),
}

impl<'a> Sample<'a> {
    /// The lines of `front`. The last one is left out if the file goes on and it may be cut.
    pub(super) fn new(Front { bytes, whole }: Front<'a>) -> Self {
        let front = without_mark(bytes);
        let end = if whole { front.len() } else { memchr::memrchr(b'\n', front).unwrap_or(0) };
        let lines = front[..end].split(|b| *b == b'\n').map(|line| line.trim_ascii_end());
        Self { lines: lines.filter(|line| !line.is_empty()).collect() }
    }

    /// The first line that is not blank.
    pub(super) fn first(&self) -> Option<&'a [u8]> {
        self.lines.first().copied()
    }

    /// True when at least half of the lines parse as `F`: a broken line is reported as such, not
    /// as an unknown format.
    pub(super) fn mostly<F: LineFormat>(&self) -> bool {
        2 * self.parsed::<F>().count() >= self.lines.len().max(1)
    }

    /// What the lines say when read as `F`, without those that do not parse.
    pub(super) fn parsed<F: LineFormat>(&self) -> impl Iterator<Item = RawRequest> {
        let mut format = F::default();
        let fields = |line| Fields::new(line, F::SEPARATOR, F::COLUMNS);
        self.lines.iter().filter_map(move |line| format.parse_line(fields(line)).ok())
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
}

impl<F: LineFormat> LineDecoder<F> {
    pub(super) fn new(stream: Stream) -> Self {
        Self { format: F::default(), lines: Lines::new(stream) }
    }
}

impl<F: LineFormat> Decode for LineDecoder<F> {
    #[inline]
    fn next(&mut self) -> Result<Option<RawRequest>, Broken> {
        loop {
            let Some(line) = self.lines.next()? else { return Ok(None) };
            if is_blank(line) {
                continue;
            }
            let parsed = self.format.parse_line(Fields::new(line, F::SEPARATOR, F::COLUMNS));
            return match parsed {
                Ok(raw) => Ok(Some(raw)),
                Err(mistake) => Err(Broken::Mistake(self.here(mistake))),
            };
        }
    }

    #[inline]
    fn tick_ns(&self) -> u64 {
        self.format.tick_ns()
    }

    fn number(&self) -> u64 {
        self.lines.number()
    }

    #[cold]
    fn here(&self, Mistake(message): Mistake) -> Mistake {
        Mistake(format!("{message} (read as {})", F::NAME))
    }
}

/// Blank lines are passed over.
#[inline]
fn is_blank(line: &[u8]) -> bool {
    // Nearly every line begins with something visible, so the scan is rare.
    line.first().is_none_or(|b| *b <= b' ') && line.trim_ascii().is_empty()
}
