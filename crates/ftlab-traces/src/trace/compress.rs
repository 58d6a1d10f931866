//! Decompression by magic bytes: gzip, bzip2, xz, zstd and lz4, as streams with capped windows.
//!
//! Consecutive members or frames are one stream, as in the tools of each format. Only one layer is
//! removed: a compressed file inside a compressed file is not a trace.

use super::field::Mistake;
use super::stream::Broken;
use std::fmt;
use std::io::{self, BufRead, BufReader, Chain, Cursor, ErrorKind, Read};

#[cfg(feature = "files")]
/// The largest zstd window that is accepted, as a power of two: 128 MiB.
const ZSTD_WINDOW_LOG_MAX: u32 = 27;

#[cfg(feature = "files")]
/// The most memory that an xz stream may use.
const XZ_MEMORY_BYTES: u64 = 256 << 20;

/// The most memory for windows and blocks of all files that are read at once.
const ALL_BYTES: u64 = 1 << 30;

/// The memory that one decompressor may take.
#[derive(Clone, Copy, Debug)]
pub(super) struct Memory(u64);

impl Memory {
    /// The limit of a single file.
    pub(super) const ALL: Self = Self(ALL_BYTES);

    /// The limit of each of `files` that are read at once.
    pub(super) fn of_each(files: usize) -> Self {
        Self(ALL_BYTES / files.max(1) as u64)
    }

    /// Rejects a decompressor of this kind if it takes more memory than this.
    fn check(self, compressed: Compressed) -> io::Result<()> {
        let takes = match compressed {
            Compressed::Bzip2 => 4 << 20,
            Compressed::Lz4 => 9 << 20,
            _ => 0,
        };
        if takes > self.0 { Err(said(too_large(compressed))) } else { Ok(()) }
    }
}

/// How a stream is compressed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Compressed {
    No,
    Gzip,
    Bzip2,
    Xz,
    Zstd,
    Lz4,
    /// A member of an archive, which is plain or compressed in turn.
    Tar,
    Zip,
}

impl Compressed {
    /// The compression of a stream that begins with `magic`.
    pub(super) fn of(magic: &[u8]) -> Self {
        match magic {
            [0x1f, 0x8b, ..] => Self::Gzip,
            [b'B', b'Z', b'h', b'1'..=b'9', 0x31, 0x41, ..] => Self::Bzip2,
            // An empty stream has the end-of-stream magic at once.
            [b'B', b'Z', b'h', b'1'..=b'9', 0x17, 0x72, ..] => Self::Bzip2,
            [0xfd, b'7', b'z', b'X', b'Z', 0, ..] => Self::Xz,
            [0x28, 0xb5, 0x2f, 0xfd, ..] => Self::Zstd,
            // A skippable frame, which parallel compressors put in front.
            [0x50..=0x5f, 0x2a, 0x4d, 0x18, ..] => Self::Zstd,
            [0x04, 0x22, 0x4d, 0x18, ..] => Self::Lz4,
            _ => Self::No,
        }
    }

    fn name(self) -> &'static str {
        match self {
            Self::No => "plain",
            Self::Gzip => "gzip",
            Self::Bzip2 => "bzip2",
            Self::Xz => "xz",
            Self::Zstd => "zstd",
            Self::Lz4 => "lz4",
            Self::Tar => "tar",
            Self::Zip => "zip",
        }
    }
}

type Whole = BufReader<Full<Chain<Cursor<Vec<u8>>, Box<dyn Read + Send>>>>;

/// Fills buffers to their end, so a decompressor receives the same pieces however the bytes arrive.
/// What it returns before it finds damage depends on the pieces.
struct Full<R>(R);

impl<R: Read> Read for Full<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let mut filled = 0;
        while filled < buffer.len() {
            match self.0.read(&mut buffer[filled..]) {
                Ok(0) => break,
                Ok(count) => filled += count,
                // The bytes read are not lost; the next call returns the error.
                Err(_) if filled > 0 => break,
                Err(error) => return Err(error),
            }
        }
        Ok(filled)
    }
}

/// Takes one layer of compression off `stream`, if there is one.
pub(super) fn decompress(
    mut stream: Box<dyn Read + Send>,
    memory: Memory,
) -> io::Result<(Box<dyn Read + Send>, Compressed)> {
    let mut magic = Vec::with_capacity(6);
    (&mut stream).take(6).read_to_end(&mut magic)?;
    let compressed = Compressed::of(&magic);
    let whole = Cursor::new(magic).chain(stream);
    if compressed == Compressed::No {
        return Ok((Box::new(whole), compressed));
    }
    memory.check(compressed)?;
    let whole: Whole = BufReader::with_capacity(128 << 10, Full(whole));
    let plain: Box<dyn Read + Send> = match compressed {
        Compressed::No | Compressed::Tar | Compressed::Zip => Box::new(whole),
        Compressed::Gzip => Box::new(Gzip(flate2::bufread::GzDecoder::new(whole))),
        Compressed::Bzip2 => Box::new(bzip2::bufread::MultiBzDecoder::new(whole)),
        #[cfg(not(feature = "files"))]
        Compressed::Xz | Compressed::Zstd => return Err(said(not_read(compressed))),
        #[cfg(feature = "files")]
        Compressed::Xz => Box::new(xz(whole, memory)?),
        #[cfg(feature = "files")]
        Compressed::Zstd => {
            let mut decoder = zstd::stream::read::Decoder::with_buffer(whole)?;
            decoder.window_log_max(memory.0.ilog2().min(ZSTD_WINDOW_LOG_MAX))?;
            Box::new(decoder)
        }
        Compressed::Lz4 => {
            let frames = lz4_flex::frame::FrameDecoder::new(GoesOn(whole));
            Box::new(Lz4 { frames, ended: false })
        }
    };
    Ok((plain, compressed))
}

/// Consecutive members of gzip. Zeroes may follow, as blocks of a tape are filled with them.
struct Gzip(flate2::bufread::GzDecoder<Whole>);

impl Read for Gzip {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        loop {
            let read = self.0.read(buffer)?;
            if read > 0 || buffer.is_empty() || !self.begin_next()? {
                return Ok(read);
            }
        }
    }
}

impl Gzip {
    /// Begins the member behind one that has ended, if there is one.
    fn begin_next(&mut self) -> io::Result<bool> {
        let whole = self.0.get_mut();
        let mut was_zero = false;
        loop {
            let behind = whole.fill_buf()?;
            let zeroes = behind.iter().take_while(|byte| **byte == 0).count();
            match (behind.get(zeroes), zeroes) {
                (None, 0) => return Ok(false),
                (None, _) => was_zero = true,
                (Some(0x1f), 0) if !was_zero => break,
                (Some(_), _) => return Err(said(junk_behind())),
            }
            whole.consume(zeroes);
        }
        let whole = std::mem::replace(whole, no_bytes());
        self.0.reset(whole);
        Ok(true)
    }
}

fn no_bytes() -> Whole {
    let nothing: Box<dyn Read + Send> = Box::new(io::empty());
    BufReader::with_capacity(0, Full(Cursor::new(Vec::new()).chain(nothing)))
}

fn junk_behind() -> String {
    "other bytes follow the end of the gzip stream; if what is before them is whole, read it with \
     gzip -dc FILE | ftlab ... -"
        .into()
}

/// Consecutive frames of lz4. The stream may end only between frames.
struct Lz4 {
    frames: lz4_flex::frame::FrameDecoder<GoesOn>,
    ended: bool,
}

impl Read for Lz4 {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        while !self.ended && !buffer.is_empty() {
            let read = self.frames.read(buffer)?;
            if read > 0 {
                return Ok(read);
            }
            self.ended = self.frames.get_mut().0.fill_buf()?.is_empty();
        }
        Ok(0)
    }
}

/// A stream whose end is an error: the decoder accepts a frame that is cut at a block.
struct GoesOn(Whole);

impl Read for GoesOn {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        match self.0.read(buffer)? {
            0 if !buffer.is_empty() => Err(said(cut_short(Compressed::Lz4))),
            read => Ok(read),
        }
    }
}

fn cut_short(compressed: Compressed) -> String {
    let name = compressed.name();
    format!("the {name} stream ends in the middle, expected its end; copy the file again")
}

fn too_large(compressed: Compressed) -> String {
    let (name, all) = (compressed.name(), ALL_BYTES >> 30);
    format!(
        "the {name} stream needs too much memory: a file may take 128 MiB (zstd) or 256 MiB (xz), and all files \
         of a recording together {all} GiB; unpack it first"
    )
}

#[cfg(not(feature = "files"))]
fn not_read(compressed: Compressed) -> String {
    let name = compressed.name();
    format!("found a {name} stream, which this build does not read; unpack it first")
}

#[cfg(feature = "files")]
fn xz(stream: Whole, memory: Memory) -> io::Result<liblzma::bufread::XzDecoder<Whole>> {
    let decoder = liblzma::stream::Stream::new_stream_decoder(
        memory.0.min(XZ_MEMORY_BYTES),
        liblzma::stream::CONCATENATED,
    )?;
    Ok(liblzma::bufread::XzDecoder::new_stream(stream, decoder))
}

/// An error in a stream, in the words of ftlab.
#[derive(Debug)]
struct Said(String);

impl fmt::Display for Said {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Said {}

/// An error whose text [`explain`] repeats unchanged.
pub(super) fn said(message: String) -> io::Error {
    io::Error::other(Said(message))
}

/// Distinguishes a failing disk, a damaged stream and a truncated stream.
pub(super) fn explain(error: io::Error, compressed: Compressed) -> Broken {
    if let Some(Said(message)) = error.get_ref().and_then(|inner| inner.downcast_ref()) {
        return Broken::Mistake(Mistake(message.clone()));
    }
    if compressed == Compressed::No || error.raw_os_error().is_some() {
        return Broken::Io(error);
    }
    let name = compressed.name();
    Broken::Mistake(Mistake(if error.kind() == ErrorKind::UnexpectedEof {
        cut_short(compressed)
    } else if error.to_string().contains("memory") {
        too_large(compressed)
    } else {
        // The error quotes names in an archive unescaped.
        let error = error.to_string();
        let is_whole = ["not supported", "unsupported"].iter().any(|word| error.contains(word));
        let cure = if is_whole { "unpack it first" } else { "copy the file again" };
        format!("the {name} stream cannot be decompressed ({}); {cure}", error.escape_debug())
    }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;

    const TEXT: &[u8] = b"0,1,512,r,0.0\n";

    fn gzip() -> Vec<u8> {
        let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        encoder.write_all(TEXT).unwrap();
        encoder.finish().unwrap()
    }

    fn bzip2() -> Vec<u8> {
        let mut encoder = bzip2::write::BzEncoder::new(Vec::new(), bzip2::Compression::fast());
        encoder.write_all(TEXT).unwrap();
        encoder.finish().unwrap()
    }

    fn xz() -> Vec<u8> {
        let mut encoder = liblzma::write::XzEncoder::new(Vec::new(), 1);
        encoder.write_all(TEXT).unwrap();
        encoder.finish().unwrap()
    }

    fn zstd() -> Vec<u8> {
        zstd::stream::encode_all(TEXT, 1).unwrap()
    }

    fn lz4() -> Vec<u8> {
        // A frame with a block that is not compressed, and checksums of header, block and content.
        let mut frame = vec![0x04, 0x22, 0x4d, 0x18, 0x60, 0x40, 0x82];
        frame.extend((TEXT.len() as u32 | 1 << 31).to_le_bytes());
        frame.extend(TEXT);
        frame.extend([0; 4]);
        frame
    }

    fn read(bytes: &[u8]) -> Result<Vec<u8>, String> {
        let (mut stream, compressed) =
            decompress(Box::new(Cursor::new(bytes.to_vec())), Memory::ALL)
                .map_err(|e| e.to_string())?;
        let mut text = Vec::new();
        match stream.read_to_end(&mut text) {
            Ok(_) => Ok(text),
            Err(error) => match explain(error, compressed) {
                Broken::Io(error) => Err(error.to_string()),
                Broken::Mistake(Mistake(message)) => Err(message),
            },
        }
    }

    #[test]
    fn one_stream_and_two_in_a_row_are_read_whole() {
        for packed in [gzip(), bzip2(), xz(), zstd(), lz4(), TEXT.to_vec()] {
            assert_eq!(read(&packed).unwrap(), TEXT);
            assert_eq!(read(&packed.repeat(2)).unwrap(), TEXT.repeat(2));
        }
    }

    #[test]
    fn a_stream_cut_anywhere_is_an_error() {
        for packed in [gzip(), bzip2(), xz(), zstd(), lz4()] {
            for length in 6..packed.len() {
                let message = read(&packed[..length]).unwrap_err();
                assert!(message.contains("ends in the middle"), "{length}: {message}");
                // Also behind a first stream that is whole.
                let second = [&packed[..], &packed[..length]].concat();
                assert!(read(&second).is_err(), "{length}");
            }
        }
    }

    #[test]
    fn zeroes_may_follow_gzip_and_nothing_else() {
        for zeroes in [1, 512, 300 << 10] {
            assert_eq!(read(&[gzip(), vec![0; zeroes]].concat()).unwrap(), TEXT);
        }
        for behind in [&b"junk"[..], b"\0\0junk", b"\0\x1f\x8b"] {
            let message = read(&[&gzip(), behind].concat()).unwrap_err();
            assert!(message.contains("gzip -dc FILE"), "{message}");
        }
    }

    #[test]
    fn a_damaged_stream_is_an_error_of_the_content() {
        for packed in [gzip(), bzip2(), xz()] {
            let mut damaged = packed.clone();
            let middle = damaged.len() / 2;
            damaged[middle] ^= 0x55;
            let message = read(&damaged).unwrap_err();
            assert!(message.contains("stream"), "{message}");
        }
    }

    /// `pzstd` and the seekable format write frames, and a table of them in a frame that is
    /// skipped.
    #[test]
    fn seekable_zstd_is_read_as_its_frames() {
        let frames = [zstd(), zstd()].concat();
        let mut table = vec![0x5e, 0x2a, 0x4d, 0x18];
        table.extend(25u32.to_le_bytes());
        for _ in 0..2 {
            table.extend((zstd().len() as u32).to_le_bytes());
            table.extend((TEXT.len() as u32).to_le_bytes());
        }
        table.extend(2u32.to_le_bytes());
        table.extend([0, 0xb1, 0xea, 0x92, 0x8f]);
        assert_eq!(read(&[frames, table].concat()).unwrap(), TEXT.repeat(2));
    }

    #[test]
    fn a_window_beyond_the_cap_is_refused() {
        // Magic, then a frame header without single-segment flag, whose window is 2^31 bytes.
        let greedy = [0x28, 0xb5, 0x2f, 0xfd, 0x00, (31 - 10) << 3, 0x01, 0x00, 0x00];
        assert!(read(&greedy).unwrap_err().contains("zstd stream needs too much memory"));
    }

    /// A frame with a window of 8 MiB is read where a file or a hundred are, and not where 512 are.
    #[test]
    fn files_that_are_read_at_once_share_their_memory() {
        let read = |bytes: &[u8], files: usize| {
            let (mut stream, compressed) =
                decompress(Box::new(Cursor::new(bytes.to_vec())), Memory::of_each(files))
                    .map_err(|error| error.to_string())?;
            let mut text = Vec::new();
            stream.read_to_end(&mut text).map_err(|error| match explain(error, compressed) {
                Broken::Io(error) => error.to_string(),
                Broken::Mistake(Mistake(message)) => message,
            })
        };
        let mut wide = vec![0x28, 0xb5, 0x2f, 0xfd, 0x00, (23 - 10) << 3];
        wide.extend([0x01 | (TEXT.len() as u8) << 3, 0, 0]);
        wide.extend(TEXT);
        for (packed, most) in [(wide, 128), (xz(), 512), (lz4(), 113), (bzip2(), 256)] {
            assert_eq!(read(&packed, most), Ok(TEXT.len()));
            if most < 512 {
                let message = read(&packed, most + 1).unwrap_err();
                assert!(message.contains("needs too much memory"), "{message}");
            }
        }
        assert_eq!(read(&gzip(), 512), Ok(TEXT.len()));
    }

    #[test]
    fn only_one_layer_is_taken_off() {
        let twice = zstd::stream::encode_all(&zstd()[..], 1).unwrap();
        assert_eq!(read(&twice).unwrap(), zstd());
    }
}
