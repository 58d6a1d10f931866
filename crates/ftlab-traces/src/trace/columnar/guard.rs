//! Keeps a hostile Parquet file from causing panics or using up memory. Sizes are checked before
//! use, and a panic of the decoder becomes an error of the file.

use super::layout::MAGIC;
use crate::trace::field::Mistake;
use crate::trace::stream::Broken;
use bytes::Bytes;
use parquet::column::page::{Page, PageMetadata, PageReader};
use parquet::errors::{ParquetError, Result};
use parquet::file::reader::{ChunkReader, Length};
use std::fs::File;
use std::io::{self, Cursor, Read, Seek, SeekFrom};
use std::panic::{AssertUnwindSafe, catch_unwind};

/// The largest footer that is read. Ours has about 600 bytes for each row group.
const FOOTER_BYTES_MAX: u64 = 128 << 20;

/// The largest page that is decompressed. Writers aim at 1 MiB or less.
const PAGE_BYTES_MAX: u64 = 64 << 20;

/// Bytes read at the front of a page: more than any header of a column of numbers.
const HEADER_BYTES: u64 = 1 << 10;

/// Checks both ends of a file: the magic bytes, and a footer that fits.
pub(super) fn check_ends(file: &mut File) -> std::result::Result<(), Broken> {
    let size = file.metadata().map_err(Broken::Io)?.len();
    let mut front = [0; 4];
    let mut tail = [0; 8];
    let mistake = |text: String| Broken::Mistake(Mistake(text));
    if size < 12 {
        return Err(mistake(format!("found {size} bytes, expected a whole Parquet file")));
    }
    file.read_exact(&mut front).map_err(Broken::Io)?;
    file.seek(SeekFrom::Start(size - 8)).map_err(Broken::Io)?;
    file.read_exact(&mut tail).map_err(Broken::Io)?;
    let [a, b, c, d, magic @ ..] = tail;
    if front != *MAGIC || magic != *MAGIC {
        return Err(mistake(
            "expected PAR1 at both ends of a Parquet file; is it complete? copy the file again"
                .into(),
        ));
    }
    let footer = u64::from(u32::from_le_bytes([a, b, c, d]));
    if footer > FOOTER_BYTES_MAX.min(size - 12) {
        return Err(mistake(format!("found a footer of {footer} bytes in a file of {size}")));
    }
    Ok(())
}

/// Runs the decoder and catches its panics, which some damaged files cause.
pub(super) fn decode<T>(work: impl FnOnce() -> Result<T>) -> std::result::Result<T, Broken> {
    match catch_unwind(AssertUnwindSafe(work)) {
        Ok(Ok(value)) => Ok(value),
        Ok(Err(error)) => Err(broken(error)),
        Err(_) => Err(damaged("the decoder gave up")),
    }
}

/// Distinguishes a failing disk from a damaged file.
fn broken(error: ParquetError) -> Broken {
    match error {
        ParquetError::External(cause) => match cause.downcast::<io::Error>() {
            Ok(cause) if cause.raw_os_error().is_some() => Broken::Io(*cause),
            Ok(cause) => damaged(&cause.to_string()),
            Err(cause) => damaged(&cause.to_string()),
        },
        other => match disabled(&other.to_string()) {
            Some(codec) => Broken::Mistake(Mistake(format!(
                "found columns compressed with {codec}, expected zstd, snappy or none; write it again"
            ))),
            None => damaged(&other.to_string()),
        },
    }
}

/// The codec that the decoder lacks, by its message.
fn disabled(message: &str) -> Option<&str> {
    let (_, feature) = message.split_once("Disabled feature at compile time: ")?;
    Some(match feature.trim() {
        "flate2" | "flate2-rust_backened" => "gzip",
        other => other,
    })
}

#[cold]
fn damaged(reason: &str) -> Broken {
    let reason = reason.replace(char::is_control, " ");
    Broken::Mistake(Mistake(format!("cannot be decoded as Parquet ({reason}); write it again")))
}

/// The bytes of a file; the headers of pages are checked.
pub(super) struct Pages {
    pub(super) file: File,
    pub(super) size: u64,
}

impl Length for Pages {
    fn len(&self) -> u64 {
        self.size
    }
}

impl ChunkReader for Pages {
    type T = Cursor<Vec<u8>>;

    fn get_read(&self, start: u64) -> Result<Self::T> {
        let mut header = Vec::new();
        (&self.file).seek(SeekFrom::Start(start))?;
        (&self.file).take(HEADER_BYTES).read_to_end(&mut header)?;
        match uncompressed_bytes(&header) {
            Some(bytes) if bytes <= PAGE_BYTES_MAX => Ok(Cursor::new(header)),
            Some(bytes) => Err(ParquetError::General(format!(
                "found a page of {bytes} bytes, expected at most {PAGE_BYTES_MAX}"
            ))),
            None => Err(ParquetError::General("found no header of a page".into())),
        }
    }

    fn get_bytes(&self, start: u64, length: usize) -> Result<Bytes> {
        if start.checked_add(length as u64).is_none_or(|end| end > self.size) {
            return Err(ParquetError::EOF(format!("bytes {start} to +{length} are not there")));
        }
        self.file.get_bytes(start, length)
    }
}

/// The size of a page when uncompressed: the second field of its header, in Thrift's compact
/// protocol. Before it stands the type. Each field is a zigzag number of 32 bits after a byte that
/// states its type.
fn uncompressed_bytes(header: &[u8]) -> Option<u64> {
    const NEXT_FIELD_IS_I32: u8 = 0x15;
    let mut rest = header.iter();
    let mut field = || {
        (*rest.next()? == NEXT_FIELD_IS_I32).then_some(())?;
        let mut value = 0;
        for shift in (0..35).step_by(7) {
            let byte = u64::from(*rest.next()?);
            value |= (byte & 0x7f) << shift;
            if byte < 0x80 {
                return (value & 1 == 0).then_some(value >> 1);
            }
        }
        None
    };
    field()?;
    field()
}

/// The pages of a column; the sizes of dictionaries are checked.
pub(super) struct Checked<P>(pub(super) P);

impl<P: PageReader> Iterator for Checked<P> {
    type Item = Result<Page>;

    fn next(&mut self) -> Option<Self::Item> {
        self.get_next_page().transpose()
    }
}

impl<P: PageReader> PageReader for Checked<P> {
    fn get_next_page(&mut self) -> Result<Option<Page>> {
        let page = self.0.get_next_page()?;
        match &page {
            // A number has at least four bytes.
            Some(Page::DictionaryPage { buf, num_values, .. })
                if *num_values as usize > buf.len() / 4 =>
            {
                let bytes = buf.len();
                Err(ParquetError::General(format!(
                    "found a dictionary of {num_values} values in {bytes} bytes"
                )))
            }
            _ => Ok(page),
        }
    }

    fn peek_next_page(&mut self) -> Result<Option<PageMetadata>> {
        self.0.peek_next_page()
    }

    fn skip_next_page(&mut self) -> Result<()> {
        self.0.skip_next_page()
    }
}
