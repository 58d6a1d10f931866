//! Text formats that other simulators read.

use super::field::Mistake;
use crate::error::Error;
use crate::request::{Attributes, Op, Request};
use std::io::{self, BufWriter, Write};

/// A text format that is written.
#[derive(Clone, Copy)]
pub(super) struct TextFormat {
    /// The name that `--to` takes and a file's name ends in.
    pub(super) name: &'static str,
    /// Whether lengths are told in sectors, as addresses always are.
    length_in_sectors: bool,
    line: fn(&mut Vec<u8>, &Request) -> io::Result<()>,
}

const SECTOR_BYTES: u64 = 512;

/// Every text format that is written. Each keeps times to the nanosecond.
pub(super) const TEXT_FORMATS: &[TextFormat] = &[
    TextFormat {
        name: "spc",
        length_in_sectors: false,
        line: |text, r| {
            let op = if r.op == Op::Read { 'r' } else { 'w' };
            let (seconds, rest) = (r.time / 1_000_000_000, r.time % 1_000_000_000);
            let (volume, sector) = (r.volume, r.offset / SECTOR_BYTES);
            writeln!(text, "{volume},{sector},{},{op},{seconds}.{rest:09}", r.length)
        },
    },
    TextFormat {
        name: "mqsim",
        length_in_sectors: true,
        line: |text, r| {
            let reads = u8::from(r.op == Op::Read);
            let (sector, sectors) = (r.offset / SECTOR_BYTES, u64::from(r.length) / SECTOR_BYTES);
            writeln!(text, "{} {} {sector} {sectors} {reads}", r.time, r.volume)
        },
    },
    TextFormat {
        name: "disksim",
        length_in_sectors: true,
        line: |text, r| {
            let reads = u8::from(r.op == Op::Read);
            let (millis, rest) = (r.time / 1_000_000, r.time % 1_000_000);
            let (sector, sectors) = (r.offset / SECTOR_BYTES, u64::from(r.length) / SECTOR_BYTES);
            writeln!(text, "{millis}.{rest:06} {} {sector} {sectors} {reads}", r.volume)
        },
    },
];

impl TextFormat {
    /// Appends the line of `request`.
    pub(super) fn line(&self, text: &mut Vec<u8>, request: &Request) -> Result<(), Mistake> {
        let untold = match request.op {
            Op::Read | Op::Write => None,
            Op::Trim => Some("a trim"),
            Op::Flush => Some("a flush"),
            Op::WriteThrough => Some("a write with FUA"),
        };
        if let Some(what) = untold {
            return Err(Mistake(format!("found {what}, which {} cannot tell", self.name)));
        }
        if let Some(attribute) = Attributes::set_in(&[*request]).iter().next() {
            let (what, value) = (attribute.name(), attribute.of(request.meta));
            return Err(Mistake(format!("found {what} {value}, which {} cannot tell", self.name)));
        }
        let length = if self.length_in_sectors { u64::from(request.length) } else { 0 };
        if !(request.offset | length).is_multiple_of(SECTOR_BYTES) {
            return Err(Mistake(format!(
                "found {} bytes at byte {}, but {} counts in sectors of 512",
                request.length, request.offset, self.name
            )));
        }
        (self.line)(text, request).map_err(|error| Mistake(error.to_string()))
    }
}

/// How a text is compressed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Packing {
    None,
    Gzip,
    Zstd,
}

/// A stream that compresses.
pub(super) enum Packed<W: Write> {
    None(BufWriter<W>),
    Gzip(flate2::write::GzEncoder<W>),
    Zstd(zstd::stream::write::Encoder<'static, W>),
}

impl<W: Write> Packed<W> {
    pub(super) fn new(packing: Packing, stream: W) -> io::Result<Self> {
        Ok(match packing {
            Packing::None => Self::None(BufWriter::new(stream)),
            Packing::Gzip => {
                Self::Gzip(flate2::write::GzEncoder::new(stream, flate2::Compression::default()))
            }
            Packing::Zstd => {
                let level = zstd::DEFAULT_COMPRESSION_LEVEL;
                Self::Zstd(zstd::stream::write::Encoder::new(stream, level)?)
            }
        })
    }

    pub(super) fn write_all(&mut self, text: &[u8]) -> io::Result<()> {
        match self {
            Self::None(stream) => stream.write_all(text),
            Self::Gzip(stream) => stream.write_all(text),
            Self::Zstd(stream) => stream.write_all(text),
        }
    }

    /// Ends the compressed stream.
    pub(super) fn finish(self) -> io::Result<W> {
        match self {
            Self::None(stream) => stream.into_inner().map_err(io::IntoInnerError::into_error),
            Self::Gzip(stream) => stream.finish(),
            Self::Zstd(stream) => stream.finish(),
        }
    }
}

/// The error of the `number`-th request of the trace called `name`.
pub(super) fn refused(name: String, number: u64, Mistake(message): Mistake) -> Error {
    let message = format!("request {number}: {message}; parquet tells everything");
    Error::Trace { file: name, line: None, message }
}
