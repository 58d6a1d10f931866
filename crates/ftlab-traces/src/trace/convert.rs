//! Converts any input to a file: the columnar store, or text for other simulators.

use super::columnar::{self, Writer};
use super::export::{Packed, Packing, TEXT_FORMATS, TextFormat, refused};
use crate::error::Error;
use crate::files::{Unnamed, Whole, WholeFile, failed};
use crate::request::{BATCH, Input, Measure, Measured, Request};
use serde::Serialize;
use std::path::Path;

/// Bytes of text that are compressed and written at a time.
const CHUNK_BYTES: usize = 128 << 10;

/// What has been written.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Converted {
    /// The format written.
    pub format: &'static str,
    /// Size of the file.
    pub bytes: u64,
    /// Requests.
    pub requests: u64,
    /// Volumes that occur.
    pub volumes: u64,
    /// [`Digest`](crate::request::Digest) of the requests, 16 hexadecimal digits.
    pub digest: String,
}

/// Called with the requests so far and the progress of the source; an error ends the pass.
pub type Watch<'a> = &'a mut dyn FnMut(u64, Option<f64>) -> Result<(), Error>;

/// Writes the requests of `input` to the file `output` (`-` for standard output) in one pass, in
/// the format `to`. If `to` is absent, the suffix of the file's name decides. The file appears
/// whole or not at all.
///
/// # Errors
/// [`Error::Unknown`] and [`Error::Config`] for a format that is not written. [`Error::Io`] for a
/// file that cannot be written. [`Error::Trace`] for a request that the format cannot express.
/// Those of the input and of `watch`.
pub fn convert(
    input: &dyn Input,
    output: &str,
    to: Option<&str>,
    watch: Watch<'_>,
) -> Result<Converted, Error> {
    prepare(input, output, to, watch)?.finish()
}

/// As [`convert`], but leaves the file unnamed, for callers that may still have to stop.
///
/// # Errors
/// As [`convert`].
pub fn prepare(
    input: &dyn Input,
    output: &str,
    to: Option<&str>,
    watch: Watch<'_>,
) -> Result<Unnamed<Converted>, Error> {
    let target = Target::of(output, to)?;
    let path = Path::new(output);
    let file = WholeFile::create(output)?;
    let (file, measured) = match target.text {
        None => {
            let mut writer = Writer::new(file, path, input.attributes())?;
            let measured = each_batch(input, watch, |batch, _| writer.push(batch))?;
            (writer.finish(input, &measured)?, measured)
        }
        Some(format) => {
            let mut packed = Packed::new(target.packing, file).map_err(failed(path))?;
            let mut text = Vec::with_capacity(CHUNK_BYTES);
            let measured = each_batch(input, watch, |batch, before| {
                for (request, number) in batch.iter().zip(before + 1..) {
                    format
                        .line(&mut text, request)
                        .map_err(|mistake| refused(input.name(), number, mistake))?;
                }
                packed.write_all(&text).map_err(failed(path))?;
                text.clear();
                Ok(())
            })?;
            (packed.finish().map_err(failed(path))?, measured)
        }
    };
    let converted = Converted {
        format: target.text.map_or(columnar::NAME, |format| format.name),
        bytes: file.bytes(),
        requests: measured.requests,
        volumes: measured.extents.len() as u64,
        digest: measured.digest,
    };
    Ok(Unnamed::new(converted, Whole::File(file)))
}

/// Reads `input` once and passes on each batch with the number of requests before it.
fn each_batch(
    input: &dyn Input,
    watch: Watch<'_>,
    mut take: impl FnMut(&[Request], u64) -> Result<(), Error>,
) -> Result<Measured, Error> {
    let mut source = input.open()?;
    let mut measure = Measure::new();
    let mut batch = Vec::with_capacity(BATCH);
    loop {
        batch.clear();
        source.fill(&mut batch)?;
        if batch.is_empty() {
            return Ok(measure.finish());
        }
        take(&batch, measure.requests)?;
        measure.add(&batch)?;
        watch(measure.requests, source.progress())?;
    }
}

/// The file to write.
struct Target {
    /// `None` for the columnar store.
    text: Option<TextFormat>,
    packing: Packing,
}

impl Target {
    /// The format that `to` or the suffix of the file's name states. A further `.zst` or `.gz`
    /// compresses text, and `.trace` is skipped.
    fn of(output: &str, to: Option<&str>) -> Result<Self, Error> {
        let name = output.to_ascii_lowercase();
        let (name, packing) = match (name.strip_suffix(".zst"), name.strip_suffix(".gz")) {
            (Some(name), _) => (name, Packing::Zstd),
            (_, Some(name)) => (name, Packing::Gzip),
            _ => (name.as_str(), Packing::None),
        };
        let name = name.strip_suffix(".trace").unwrap_or(name);
        let names = TEXT_FORMATS.iter().map(|format| format.name).chain([columnar::NAME]);
        let end = name.rsplit_once('.').map_or("", |(_, end)| end);
        let Some(format) = names.clone().find(|name| *name == to.unwrap_or(end)) else {
            return Err(match to {
                Some(to) => Error::unknown("format to write", to, names),
                None => Error::config(
                    "output",
                    format!(
                        "found {output:?}, expected a name that ends in .{}, or a format in `to`",
                        names.collect::<Vec<_>>().join(", .")
                    ),
                ),
            });
        };
        let text = TEXT_FORMATS.iter().copied().find(|text| text.name == format);
        if text.is_none() && packing != Packing::None {
            let message =
                format!("found {output:?}, but Parquet is compressed inside; drop the end");
            return Err(Error::config("output", message));
        }
        Ok(Self { text, packing })
    }
}
