//! Lines of a stream, one at a time, in constant memory.

use super::field::Mistake;
use super::other;
use super::stream::{Broken, Stream};

/// The longest line that is read, in bytes. No format comes near; a longer line is not a trace.
pub const LONGEST_LINE_BYTES: usize = 64 << 10;

/// What some editors put in front of UTF-8.
const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

/// The least that is parsed in one piece, unless the stream ends.
const BLOCK_BYTES: usize = 128 << 10;

/// How a stream ends.
pub(super) enum End {
    Finished,
    Broken(Broken),
}

/// Splits a stream into lines. `\n` and `\r\n` end a line; the last one need not be ended.
pub(super) struct Lines {
    stream: Stream,
    begun: bool,
    line: u64,
    /// The last line, once it is known to have no end.
    open: Vec<u8>,
}

impl Lines {
    pub(super) fn new(stream: Stream) -> Self {
        Self { stream, begun: false, line: 0, open: Vec::new() }
    }

    /// Lines from within a text.
    pub(super) fn of_block(block: Vec<u8>) -> Self {
        Self { stream: Stream::of(block), begun: true, line: 0, open: Vec::new() }
    }

    /// The number of the line handed out last, from 1.
    pub(super) fn number(&self) -> u64 {
        self.line
    }

    /// The last line, if it has been read and has no end; else nothing.
    pub(super) fn open(&self) -> &[u8] {
        &self.open
    }

    /// The next line without its end; `None` when the stream has ended.
    #[inline]
    pub(super) fn next(&mut self) -> Result<Option<&[u8]>, Broken> {
        if !self.begun {
            self.begin()?;
        }
        let mut searched = 0;
        loop {
            let pending = self.stream.pending();
            if let Some(at) = memchr::memchr(b'\n', &pending[searched..]) {
                let length = searched + at;
                return self.hand_out(length, length + 1).map(Some);
            }
            searched = pending.len();
            if self.stream.finished() {
                let ended = searched == 0;
                return if ended { Ok(None) } else { self.hand_out_open(searched).map(Some) };
            }
            if searched > LONGEST_LINE_BYTES {
                self.line += 1;
                return Err(too_long(self.stream.pending()));
            }
            self.stream.refill()?;
        }
    }

    /// The next whole lines in one piece, and what follows them if that is known. They are not counted.
    pub(super) fn block(&mut self) -> (Vec<u8>, Option<End>) {
        let end = loop {
            if self.stream.pending().len() >= BLOCK_BYTES {
                break None;
            }
            if self.stream.finished() {
                break Some(End::Finished);
            }
            if let Err(broken) = self.stream.refill() {
                break Some(End::Broken(broken));
            }
        };
        let pending = self.stream.pending();
        let whole = match (&end, memchr::memrchr(b'\n', pending)) {
            (Some(End::Finished), _) => pending.len(),
            (_, Some(at)) => at + 1,
            // A line that is longer than any may be, or that breaks off.
            (None, None) => pending.len(),
            (Some(End::Broken(_)), None) => 0,
        };
        if matches!(end, Some(End::Finished)) {
            let ended = memchr::memrchr(b'\n', pending).map_or(0, |at| at + 1);
            self.open = pending[ended..].to_vec();
        }
        (self.stream.take(whole).to_vec(), end)
    }

    /// Takes the last line, of `length` bytes, which has no end.
    #[cold]
    fn hand_out_open(&mut self, length: usize) -> Result<&[u8], Broken> {
        self.open = self.stream.pending().to_vec();
        self.hand_out(length, length)
    }

    /// Takes a line of `length` bytes, which with its end are `taken`.
    #[inline]
    fn hand_out(&mut self, length: usize, taken: usize) -> Result<&[u8], Broken> {
        self.line += 1;
        if length > LONGEST_LINE_BYTES {
            return Err(too_long(&self.stream.pending()[..length]));
        }
        let line = &self.stream.take(taken)[..length];
        Ok(line.strip_suffix(b"\r").unwrap_or(line))
    }

    /// Reads the first bytes and passes over a byte order mark.
    fn begin(&mut self) -> Result<(), Broken> {
        self.begun = true;
        let front = self.stream.fetch(BYTE_ORDER_MARK.len())?;
        if is_utf_16(front) {
            let mistake = utf_16(front);
            self.line = 1;
            return Err(Broken::Mistake(mistake));
        }
        let mark = front.len() - without_mark(front).len();
        self.stream.take(mark);
        Ok(())
    }
}

/// `front` behind its byte order mark, if it has one.
pub(super) fn without_mark(front: &[u8]) -> &[u8] {
    front.strip_prefix(BYTE_ORDER_MARK).unwrap_or(front)
}

/// Whether a text that begins with `front` is UTF-16, which no text format is: by its mark.
pub(super) fn is_utf_16(front: &[u8]) -> bool {
    front.starts_with(b"\xff\xfe") || front.starts_with(b"\xfe\xff")
}

/// As [`is_utf_16`], also without a mark: every other byte is that of an ASCII character, and zero the others.
pub(super) fn is_like_utf_16(front: &[u8]) -> bool {
    let pairs = front[..front.len().min(64)].chunks_exact(2);
    let ascii = |byte: u8| byte.is_ascii_graphic() || byte.is_ascii_whitespace();
    let either = |order: fn(&[u8]) -> (u8, u8)| {
        pairs.len() >= 4 && pairs.clone().map(order).all(|(low, high)| ascii(low) && high == 0)
    };
    is_utf_16(front) || either(|pair| (pair[0], pair[1])) || either(|pair| (pair[1], pair[0]))
}

#[cold]
fn too_long(line: &[u8]) -> Broken {
    let long = || {
        Mistake(format!(
            "found a line longer than {} KiB, expected one short line per request; is this a text trace?",
            LONGEST_LINE_BYTES >> 10
        ))
    };
    Broken::Mistake(other::spoilt(line).unwrap_or_else(long))
}

#[cold]
pub(super) fn utf_16(front: &[u8]) -> Mistake {
    let bits = if front.starts_with(b"\xff\xfe\0") { "32" } else { "16" };
    let order = if is_utf_16(front) || front.first() != Some(&0) { "" } else { "BE" };
    let code = format!("UTF-{bits}{order}");
    Mistake(format!(
        "found {code} text, expected ASCII or UTF-8; convert it with iconv -f {code} -t UTF-8 \
         < FILE | ftlab ... -"
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trace::checks::drip;
    use crate::trace::compress::Compressed;
    use std::io;

    fn lines(text: &[u8]) -> Lines {
        Lines::new(drip(text))
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
    fn a_last_line_without_end_is_kept() {
        for (text, open) in
            [("a\nb\n", ""), ("a\nbc", "bc"), ("a", "a"), ("a\nb\r", "b\r"), ("", "")]
        {
            let mut single = lines(text.as_bytes());
            while let Ok(Some(_)) = single.next() {}
            assert_eq!(single.open(), open.as_bytes(), "{text:?}");
            let mut blocks = lines(text.as_bytes());
            while !matches!(blocks.block(), (_, Some(_))) {}
            assert_eq!(blocks.open(), open.as_bytes(), "{text:?}");
        }
    }

    #[test]
    fn a_line_may_be_as_long_as_the_cap_and_no_longer() {
        let fits = [vec![b'x'; LONGEST_LINE_BYTES], b"\n".to_vec()].concat();
        assert!(matches!(lines(&fits).next(), Ok(Some(line)) if line.len() == LONGEST_LINE_BYTES));
        for end in ["\n", ""] {
            let long = [vec![b'x'; LONGEST_LINE_BYTES + 1], end.into()].concat();
            assert!(matches!(lines(&long).next(), Err(Broken::Mistake(_))), "{end:?}");
        }
        let endless = Stream::new(Box::new(io::repeat(b'x')), Compressed::No);
        assert!(matches!(Lines::new(endless).next(), Err(Broken::Mistake(_))));
    }

    #[test]
    fn utf_16_is_named() {
        let Err(Broken::Mistake(Mistake(message))) = lines(b"\xff\xfe1\0").next() else {
            panic!("UTF-16 was read")
        };
        assert!(message.contains("iconv -f UTF-16 -t"), "{message}");
        for (front, code) in [
            (&b"t\0i\0"[..], "UTF-16 "),
            (b"\xfe\xff\0t", "UTF-16 "),
            (b"\0t\0i", "UTF-16BE "),
            (b"\xff\xfe\0\0t\0\0\0", "UTF-32 "),
        ] {
            let Mistake(message) = utf_16(front);
            assert!(message.contains(&format!("iconv -f {code}")), "{message}");
        }
        assert!(is_like_utf_16(b"t\0i\0m\0e\0") && is_like_utf_16(b"\0t\0i\0m\0e"));
        assert!(!is_like_utf_16(b"time") && !is_like_utf_16(b"t\0") && !is_like_utf_16(&[0; 64]));
    }
}
