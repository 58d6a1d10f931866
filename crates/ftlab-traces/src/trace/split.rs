//! One file for each volume of a trace, or for each device of an array, in one pass and in bounded
//! memory.
//!
//! ```text
//! requests -> one buffer for each part --full--> the longest are appended to scratch files
//!                                      --end---> part after part: scratch, then buffer,
//!                                                into Parquet; the scratch file is removed
//! ```
//!
//! Row groups are full whatever the parts' order, and few files are open at once.

use super::columnar::Writer;
use super::convert::Watch;
use super::stripes::{Array, Stripes};
use crate::error::Error;
use crate::files::{Unnamed, Whole, WholeFolder, failed};
use crate::request::{BATCH, Input, Measure, Meta, Op, Request, Volumes};
use bytes::{Buf, BufMut};
use serde::Serialize;
use std::fs::{self, File, OpenOptions};
use std::io::{BufReader, Read, Write};
use std::path::{Path, PathBuf};

/// Memory of all buffers together.
const BUFFER_BYTES: usize = 256 << 20;

/// A file of one volume or device.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Part {
    /// The number of the volume, or of the device.
    pub volume: u32,
    /// Its requests.
    pub requests: u64,
    /// Name of the file in the folder.
    pub file: String,
    /// [`Digest`](crate::request::Digest) of the requests with the first one at 0, as `--volume`
    /// yields.
    pub digest: String,
}

/// Writes each volume of `input` to a separate Parquet file in the new folder `folder`, in one
/// pass. Times are those of the whole trace. The folder appears whole or not at all.
///
/// # Errors
/// [`Error::Config`] for a folder that is not empty, [`Error::Io`] for files that cannot be written,
/// and those of the input and of `watch`.
pub fn split(input: &dyn Input, folder: &Path, watch: Watch<'_>) -> Result<Vec<Part>, Error> {
    prepare(input, folder, None, watch)?.finish()
}

/// As [`split`], but leaves the folder unnamed, for callers that may still have to stop. With an array,
/// each of its devices has a file, if any request reaches it.
///
/// # Errors
/// As [`split`].
pub fn prepare(
    input: &dyn Input,
    folder: &Path,
    stripes: Option<Stripes>,
    watch: Watch<'_>,
) -> Result<Unnamed<Vec<Part>>, Error> {
    let whole = WholeFolder::create(folder)?;
    let mut buffers = Buffers::new(&whole, BUFFER_BYTES);
    let mut array = stripes.map(Array::new);
    let mut source = input.open()?;
    let mut batch = Vec::with_capacity(BATCH);
    let mut requests = 0;
    loop {
        batch.clear();
        source.fill(&mut batch)?;
        if batch.is_empty() {
            break;
        }
        match &mut array {
            None => batch.iter().try_for_each(|request| buffers.add(request.volume, request))?,
            Some(array) => batch.iter().try_for_each(|request| {
                array.divide(request, |device, part| buffers.add(device, &part))
            })?,
        }
        requests += batch.len() as u64;
        watch(requests, source.progress())?;
    }
    let all: u64 = buffers.requests;
    let mut parts = Vec::new();
    let mut written = 0;
    let (stem, kind) = (stem(&input.name()), if array.is_some() { "device" } else { "volume" });
    for (number, buffer) in buffers.parts.sorted() {
        let file = format!("{stem}.{kind}-{number}.parquet");
        let part = write(input, &whole, number, buffer, file)?;
        written += part.requests;
        watch(written, Some(written as f64 / all as f64))?;
        parts.push(part);
    }
    Ok(Unnamed::new(parts, Whole::Folder(whole)))
}

/// A trace's name without the suffixes of compression and format, valid as a file name.
fn stem(name: &str) -> String {
    let mut stem = name;
    for end in [".zst", ".gz", ".xz", ".bz2", ".trace", ".csv", ".spc", ".txt", ".parquet"] {
        stem = stem.strip_suffix(end).filter(|rest| !rest.is_empty()).unwrap_or(stem);
    }
    stem.replace(|c: char| c.is_whitespace() || c.is_control() || c == '/', "-")
}

/// Requests of a part that wait to be written, packed.
#[derive(Default)]
struct Buffer {
    packed: Vec<u8>,
    /// Whether earlier requests are in the scratch file.
    spilled: bool,
}

/// The buffers of all parts.
struct Buffers<'a> {
    whole: &'a WholeFolder,
    parts: Volumes<Buffer>,
    requests: u64,
    held_bytes: usize,
    most_bytes: usize,
}

impl<'a> Buffers<'a> {
    fn new(whole: &'a WholeFolder, most_bytes: usize) -> Self {
        Self { whole, parts: Volumes::new(), requests: 0, held_bytes: 0, most_bytes }
    }

    fn add(&mut self, part: u32, request: &Request) -> Result<(), Error> {
        let packed = &mut self.parts.of(part, Buffer::default)?.packed;
        let before = packed.capacity();
        pack(request, packed);
        self.requests += 1;
        self.held_bytes += packed.capacity() - before;
        if self.held_bytes > self.most_bytes {
            self.spill()?;
        }
        Ok(())
    }

    /// Appends the longest buffers to their scratch files, until half of the memory is free.
    fn spill(&mut self) -> Result<(), Error> {
        let mut longest: Vec<&mut (u32, Buffer)> = self.parts.rows_mut().iter_mut().collect();
        longest.sort_unstable_by_key(|(number, buffer)| {
            (std::cmp::Reverse(buffer.packed.capacity()), *number)
        });
        for (number, buffer) in longest {
            if self.held_bytes <= self.most_bytes / 2 {
                break;
            }
            let path = scratch(self.whole.path(), *number);
            let file = OpenOptions::new().create(true).append(true).open(&path);
            let written = file.and_then(|mut file| file.write_all(&buffer.packed));
            written.map_err(failed(self.whole.target()))?;
            self.held_bytes -= buffer.packed.capacity();
            *buffer = Buffer { packed: Vec::new(), spilled: true };
        }
        Ok(())
    }
}

fn scratch(folder: &Path, number: u32) -> PathBuf {
    folder.join(format!("{number}.scratch"))
}

/// Writes what the scratch file and the buffer hold, and removes the scratch file. Errors show the
/// final name of the file.
fn write(
    input: &dyn Input,
    whole: &WholeFolder,
    number: u32,
    buffer: Buffer,
    file: String,
) -> Result<Part, Error> {
    let named = whole.target().join(&file);
    let broken = failed(&named);
    let made = File::create_new(whole.path().join(&file)).map_err(&broken)?;
    let mut writer = Writer::new(made, &named, input.attributes())?;
    let mut measure = Measure::new();
    let mut first = None;
    let mut take = |packed: &[u8]| {
        let records = packed.chunks_exact(RECORD_BYTES);
        let mut requests: Vec<Request> = records.map(unpack).collect();
        writer.push(&requests)?;
        let first = *first.get_or_insert(requests.first().map_or(0, |request| request.time));
        requests.iter_mut().for_each(|request| request.time -= first);
        measure.add(&requests)
    };
    if buffer.spilled {
        let path = scratch(whole.path(), number);
        let mut file = BufReader::new(File::open(&path).map_err(&broken)?);
        let mut packed = Vec::new();
        loop {
            packed.clear();
            let mut chunk = (&mut file).take((BATCH * RECORD_BYTES) as u64);
            if chunk.read_to_end(&mut packed).map_err(&broken)? == 0 {
                break;
            }
            take(&packed)?;
        }
        fs::remove_file(&path).map_err(&broken)?;
    }
    buffer.packed.chunks(BATCH * RECORD_BYTES).try_for_each(&mut take)?;
    let measured = measure.finish();
    writer.finish(input, &measured)?;
    Ok(Part { volume: number, requests: measured.requests, file, digest: measured.digest })
}

/// Bytes of a packed request: time, offset, length, volume, operation, attributes.
const RECORD_BYTES: usize = 25 + META_BYTES;
const META_BYTES: usize = size_of::<Meta>();

fn pack(request: &Request, packed: &mut Vec<u8>) {
    packed.put_u64_le(request.time);
    packed.put_u64_le(request.offset);
    packed.put_u32_le(request.length);
    packed.put_u32_le(request.volume);
    packed.put_u8(request.op.code());
    packed.put_uint_le(request.meta.bits(), META_BYTES);
}

fn unpack(mut record: &[u8]) -> Request {
    let (time, offset, length) = (record.get_u64_le(), record.get_u64_le(), record.get_u32_le());
    let volume = record.get_u32_le();
    let op = Op::of_code(record.get_u8()).expect("what was packed");
    let meta = Meta::of_bits(record.get_uint_le(META_BYTES));
    Request::new(op, offset, length).at(time).in_volume(volume).with_meta(meta)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Requests of 5,000 volumes in an order without pattern.
    fn scattered(count: u32) -> impl Iterator<Item = Request> {
        let mut state = 1u64;
        (0..count).map(move |i| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            let volume = (state >> 33) as u32 % 5000;
            let (time, offset) = (u64::from(i) * 1000, state >> 40 << 12);
            let meta = Meta { handle: i as u16, ..Meta::UNSET };
            Request::new(Op::Trim, offset, 4096).at(time).in_volume(volume).with_meta(meta)
        })
    }

    #[test]
    fn buffers_stay_within_their_memory_and_lose_nothing() {
        let folder = std::env::temp_dir().join(format!("ftlab_buffers_{}", std::process::id()));
        let whole = WholeFolder::create(&folder).unwrap();
        let most_bytes = 1 << 20;
        let mut buffers = Buffers::new(&whole, most_bytes);
        let all: Vec<Request> = scattered(200_000).collect();
        for batch in all.chunks(BATCH) {
            batch.iter().try_for_each(|request| buffers.add(request.volume, request)).unwrap();
            assert!(buffers.held_bytes <= most_bytes);
            let rows = buffers.parts.rows_mut().iter();
            assert_eq!(rows.map(|row| row.1.packed.capacity()).sum::<usize>(), buffers.held_bytes);
        }
        let mut expected = Volumes::new();
        for request in all {
            expected.of(request.volume, Vec::new).unwrap().push(request);
        }
        let mut spilled = 0;
        for ((volume, buffer), (same, expected)) in
            buffers.parts.sorted().into_iter().zip(expected.sorted())
        {
            let mut packed = Vec::new();
            if buffer.spilled {
                spilled += 1;
                packed = fs::read(scratch(whole.path(), volume)).unwrap();
            }
            packed.extend(buffer.packed);
            let records = packed.chunks_exact(RECORD_BYTES).map(unpack);
            assert_eq!((volume, records.collect::<Vec<_>>()), (same, expected));
        }
        assert!(spilled > 1000, "{spilled}");
    }

    #[test]
    fn names_lose_the_ends_that_tell_nothing() {
        for (name, expected) in [
            ("Tencent_CBS.first50000.csv.zst", "Tencent_CBS.first50000"),
            ("tpcc.mqsim.trace.gz", "tpcc.mqsim"),
            ("standard input", "standard-input"),
            (".csv", ".csv"),
        ] {
            assert_eq!(stem(name), expected);
        }
    }
}
