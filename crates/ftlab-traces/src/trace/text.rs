//! The line loop that every text format shares.

use super::field::{Column, Fields, Mistake, Separator};
use super::gate::{Clock, RawRequest};
use super::lines::{Lines, without_mark};
use super::source::Decode;
use super::stream::{Broken, Front, Stream};
use super::{TimeOrder, TraceOptions};

/// A text format with at most one request per line. The line loop and the checks are not its concern.
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

    /// The options of [`TraceOptions`] that say what the format does not, by name.
    const TAKES: &'static [&'static str] = &[];

    /// What is done with times that go back, unless the user says: sorting, if the format's lines
    /// are in another order than that of arrival.
    const ORDER: TimeOrder = TimeOrder::Error;

    /// The format at the first line, with what the user says that it does not.
    fn with(_options: &TraceOptions) -> Result<Self, Mistake> {
        Ok(Self::default())
    }

    /// The clock of [`RawRequest::ticks`] in the line parsed last.
    #[inline]
    fn clock(&self) -> Clock {
        Clock::NANOSECONDS
    }

    /// The request that one line tells; `None` for a line of another kind, such as a header.
    fn parse_line(&mut self, fields: Fields) -> Result<Option<RawRequest>, Mistake>;

    /// What the line parsed last tells beside the request that was returned.
    #[inline]
    fn rest_of_line(&mut self) -> Option<RawRequest> {
        None
    }

    /// What is wrong when all lines have been read and none held a request.
    fn without_requests(&self) -> Mistake {
        Mistake("found no request, expected at least one".into())
    }

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

    /// The requests in the lines when read as `F`, without lines that do not parse.
    pub(super) fn requests<F: LineFormat>(&self) -> impl Iterator<Item = RawRequest> {
        self.parsed::<F>().flatten()
    }

    /// What the lines say when read as `F`, without those that do not parse.
    fn parsed<F: LineFormat>(&self) -> impl Iterator<Item = Option<RawRequest>> {
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
    pub(super) fn new(format: F, stream: Stream) -> Self {
        Self { format, lines: Lines::new(stream) }
    }
}

impl<F: LineFormat> Decode for LineDecoder<F> {
    #[inline]
    fn next(&mut self) -> Result<Option<RawRequest>, Broken> {
        if let Some(raw) = self.format.rest_of_line() {
            return Ok(Some(raw));
        }
        loop {
            let Some(line) = self.lines.next()? else { return Ok(None) };
            if is_blank(line) {
                continue;
            }
            let parsed = self.format.parse_line(Fields::new(line, F::SEPARATOR, F::COLUMNS));
            match parsed {
                Ok(Some(raw)) => return Ok(Some(raw)),
                Ok(None) => {}
                Err(mistake) => return Err(Broken::Mistake(self.here(mistake))),
            }
        }
    }

    #[inline]
    fn clock(&self) -> Clock {
        self.format.clock()
    }

    fn number(&self) -> u64 {
        self.lines.number()
    }

    #[cold]
    fn here(&self, Mistake(message): Mistake) -> Mistake {
        Mistake(format!("{message} (read as {})", F::NAME))
    }

    fn without_requests(&self) -> Mistake {
        self.format.without_requests()
    }
}

/// Blank lines are passed over.
#[inline]
fn is_blank(line: &[u8]) -> bool {
    // Nearly every line begins with something visible, so the scan is rare.
    line.first().is_none_or(|b| *b <= b' ') && line.trim_ascii().is_empty()
}
