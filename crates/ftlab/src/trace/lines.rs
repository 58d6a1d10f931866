//! Lines of a stream, one at a time, in constant memory.

use super::compress::{self, Compressed};
use super::field::Mistake;
use std::io::{self, ErrorKind, Read};

/// The longest line that is read, in bytes. No format comes near; a longer line is not a trace.
pub const LONGEST_LINE_BYTES: usize = 64 << 10;

/// What detection may look at, in bytes.
pub const SNIFFED_BYTES: usize = 64 << 10;

const BUFFER_BYTES: usize = 256 << 10;

/// Why no line came.
pub(super) enum Broken {
    /// The operating system failed to read.
    Io(io::Error),
    /// The content cannot be believed.
    Mistake(Mistake),
}

/// Splits a stream into lines. `\n` and `\r\n` end a line; the last one need not be ended.
pub(super) struct Lines {
    stream: Box<dyn Read + Send>,
    compressed: Compressed,
    buffer: Box<[u8]>,
    start: usize,
    end: usize,
    finished: bool,
    begun: bool,
    line: u64,
}

impl Lines {
    pub(super) fn new(stream: Box<dyn Read + Send>, compressed: Compressed) -> Self {
        let buffer = vec![0; BUFFER_BYTES].into_boxed_slice();
        Self {
            stream,
            compressed,
            buffer,
            start: 0,
            end: 0,
            finished: false,
            begun: false,
            line: 0,
        }
    }

    /// The number of the line handed out last, from 1.
    pub(super) fn number(&self) -> u64 {
        self.line
    }

    /// Up to [`SNIFFED_BYTES`] from the front, which stay to be read, and whether they are all.
    pub(super) fn sniff(&mut self) -> Result<(&[u8], bool), Broken> {
        self.begin()?;
        while self.end - self.start < SNIFFED_BYTES && !self.finished {
            self.refill()?;
        }
        let until = self.end.min(self.start + SNIFFED_BYTES);
        Ok((&self.buffer[self.start..until], self.finished && until == self.end))
    }

    /// The next line without its end; `None` when the stream has ended.
    #[inline]
    pub(super) fn next(&mut self) -> Result<Option<&[u8]>, Broken> {
        if !self.begun {
            self.begin()?;
        }
        let mut searched = self.start;
        loop {
            if let Some(at) = memchr::memchr(b'\n', &self.buffer[searched..self.end]) {
                let line = self.start..searched + at;
                self.start = line.end + 1;
                return self.hand_out(line).map(Some);
            }
            if self.finished {
                let line = self.start..self.end;
                self.start = self.end;
                return if line.is_empty() { Ok(None) } else { self.hand_out(line).map(Some) };
            }
            let pending = self.end - self.start;
            if pending > LONGEST_LINE_BYTES {
                self.line += 1;
                return Err(too_long());
            }
            self.refill()?;
            searched = self.start + pending;
        }
    }

    #[inline]
    fn hand_out(&mut self, line: std::ops::Range<usize>) -> Result<&[u8], Broken> {
        self.line += 1;
        if line.len() > LONGEST_LINE_BYTES {
            return Err(too_long());
        }
        let line = &self.buffer[line];
        Ok(line.strip_suffix(b"\r").unwrap_or(line))
    }

    /// Reads the first bytes and passes over a byte order mark.
    fn begin(&mut self) -> Result<(), Broken> {
        while !self.begun && !self.finished && self.end < 4 {
            self.refill()?;
        }
        if !self.begun {
            self.begun = true;
            let front = &self.buffer[..self.end];
            if front.starts_with(b"\xff\xfe") || front.starts_with(b"\xfe\xff") {
                self.line = 1;
                return Err(utf_16());
            }
            if front.starts_with(b"\xef\xbb\xbf") {
                self.start = 3;
            }
        }
        Ok(())
    }

    /// Moves what is pending to the front and reads once behind it.
    fn refill(&mut self) -> Result<(), Broken> {
        self.buffer.copy_within(self.start..self.end, 0);
        self.end -= self.start;
        self.start = 0;
        let read = loop {
            match self.stream.read(&mut self.buffer[self.end..]) {
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                other => break other,
            }
        };
        let read = read.map_err(|error| compress::explain(error, self.compressed))?;
        self.end += read;
        self.finished = read == 0;
        Ok(())
    }
}

#[cold]
fn too_long() -> Broken {
    Broken::Mistake(Mistake(format!(
        "found a line longer than {} KiB, expected one short line per request; is this a text trace?",
        LONGEST_LINE_BYTES >> 10
    )))
}

#[cold]
fn utf_16() -> Broken {
    Broken::Mistake(Mistake(
        "found UTF-16 text, expected ASCII or UTF-8; convert it with iconv -f UTF-16 -t UTF-8"
            .into(),
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Hands out one byte at a time, as a slow pipe would.
    struct Drip(io::Cursor<Vec<u8>>);

    impl Read for Drip {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            self.0.read(&mut buffer[..1])
        }
    }

    fn lines(text: &[u8]) -> Lines {
        Lines::new(Box::new(Drip(io::Cursor::new(text.to_vec()))), Compressed::No)
    }

    fn all(text: &[u8]) -> Vec<String> {
        let mut lines = lines(text);
        let mut all = Vec::new();
        while let Ok(Some(line)) = lines.next() {
            all.push(String::from_utf8_lossy(line).into_owned());
        }
        assert_eq!(lines.number(), all.len() as u64);
        all
    }

    #[test]
    fn lines_end_in_any_way_or_not_at_all() {
        assert!(all(b"").is_empty());
        assert_eq!(all(b"\n"), [""]);
        assert_eq!(all(b"a\nb"), ["a", "b"]);
        assert_eq!(all(b"a\r\n\r\nb\r\n"), ["a", "", "b"]);
        assert_eq!(all(b"\xef\xbb\xbfa\n"), ["a"]);
        assert_eq!(all(b"\xef\xbb\xbf"), [""; 0]);
    }

    #[test]
    fn sniffing_takes_nothing_away() {
        let mut lines = lines(b"\xef\xbb\xbfone\ntwo\n");
        assert!(matches!(lines.sniff(), Ok((b"one\ntwo\n", true))));
        assert!(matches!(lines.next(), Ok(Some(b"one"))));
        assert!(matches!(lines.next(), Ok(Some(b"two"))));
        assert!(matches!(lines.next(), Ok(None)));
    }

    #[test]
    fn a_line_may_be_as_long_as_the_cap_and_no_longer() {
        let fits = [vec![b'x'; LONGEST_LINE_BYTES], b"\n".to_vec()].concat();
        assert!(matches!(lines(&fits).next(), Ok(Some(line)) if line.len() == LONGEST_LINE_BYTES));
        for end in ["\n", ""] {
            let long = [vec![b'x'; LONGEST_LINE_BYTES + 1], end.into()].concat();
            assert!(matches!(lines(&long).next(), Err(Broken::Mistake(_))), "{end:?}");
        }
        let endless = Box::new(io::repeat(b'x'));
        assert!(matches!(Lines::new(endless, Compressed::No).next(), Err(Broken::Mistake(_))));
    }

    #[test]
    fn utf_16_is_named() {
        let Err(Broken::Mistake(Mistake(message))) = lines(b"\xff\xfe1\0").next() else {
            panic!("UTF-16 was read")
        };
        assert!(message.contains("UTF-16"), "{message}");
    }
}
