//! The decompressed bytes of a stream, buffered, for lines and for records, in constant memory.

use super::compress::{self, Compressed};
use super::field::Mistake;
use std::io::{self, ErrorKind, Read};

/// The most bytes that detection reads.
pub const SNIFFED_BYTES: usize = 64 << 10;

/// The most bytes that can be pending.
const BUFFER_BYTES: usize = 256 << 10;

/// Why no further bytes, line or record could be read.
pub(super) enum Broken {
    /// The operating system failed to read.
    Io(io::Error),
    /// The content is invalid.
    Mistake(Mistake),
}

/// The first bytes of a stream, as detection sees them.
#[derive(Clone, Copy)]
pub(super) struct Front<'a> {
    /// Up to [`SNIFFED_BYTES`].
    pub(super) bytes: &'a [u8],
    /// Whether the stream ends behind them.
    pub(super) whole: bool,
}

/// A stream of bytes with a buffer of the bytes that are read and not taken.
pub(super) struct Stream {
    source: Box<dyn Read + Send>,
    compressed: Compressed,
    buffer: Box<[u8]>,
    start: usize,
    end: usize,
    finished: bool,
}

impl Stream {
    pub(super) fn new(source: Box<dyn Read + Send>, compressed: Compressed) -> Self {
        let buffer = vec![0; BUFFER_BYTES].into_boxed_slice();
        Self { source, compressed, buffer, start: 0, end: 0, finished: false }
    }

    /// The stream of `bytes` and no more.
    pub(super) fn of(bytes: Vec<u8>) -> Self {
        let (source, compressed, end) = (Box::new(io::empty()), Compressed::No, bytes.len());
        Self { source, compressed, buffer: bytes.into(), start: 0, end, finished: true }
    }

    /// The bytes that are read and not taken.
    #[inline]
    pub(super) fn pending(&self) -> &[u8] {
        &self.buffer[self.start..self.end]
    }

    /// True when no bytes follow the pending ones, as far as is known.
    #[inline]
    pub(super) fn finished(&self) -> bool {
        self.finished
    }

    /// Takes the first `count` of the bytes that are pending.
    #[inline]
    pub(super) fn take(&mut self, count: usize) -> &[u8] {
        let from = self.start;
        self.start += count;
        &self.buffer[from..self.start]
    }

    /// Reads until `count` bytes are pending, which the buffer must hold; fewer at the end.
    pub(super) fn fetch(&mut self, count: usize) -> Result<&[u8], Broken> {
        while self.end - self.start < count && !self.finished {
            self.refill()?;
        }
        Ok(self.pending())
    }

    /// The front of the stream, if no bytes have been taken. It takes none.
    pub(super) fn sniff(&mut self) -> Result<Front<'_>, Broken> {
        self.fetch(SNIFFED_BYTES)?;
        let pending = self.pending();
        let bytes = &pending[..pending.len().min(SNIFFED_BYTES)];
        Ok(Front { bytes, whole: self.finished && bytes.len() == pending.len() })
    }

    /// Moves the pending bytes to the front of the buffer and reads once after them.
    pub(super) fn refill(&mut self) -> Result<(), Broken> {
        self.buffer.copy_within(self.start..self.end, 0);
        self.end -= self.start;
        self.start = 0;
        let read = loop {
            match self.source.read(&mut self.buffer[self.end..]) {
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trace::checks::drip;

    #[test]
    fn sniffing_takes_nothing_away() {
        let mut stream = drip(b"one\ntwo\n");
        let Ok(Front { bytes, whole }) = stream.sniff() else { panic!("no front") };
        assert_eq!((bytes, whole), (&b"one\ntwo\n"[..], true));
        assert_eq!(stream.take(4), b"one\n");
        assert_eq!(stream.pending(), b"two\n");
    }

    #[test]
    fn the_front_of_a_long_stream_is_not_the_whole() {
        let long = [b'x'; SNIFFED_BYTES + 1];
        let mut stream = drip(&long);
        let Ok(front) = stream.sniff() else { panic!("no front") };
        assert_eq!((front.bytes.len(), front.whole), (SNIFFED_BYTES, false));
    }

    #[test]
    fn fetching_gives_what_is_asked_for_or_all_that_is_left() {
        let mut stream = drip(b"abc");
        assert!(matches!(stream.fetch(2), Ok(b"ab")));
        assert!(matches!(stream.fetch(9), Ok(b"abc")));
        assert!(stream.finished());
    }
}
