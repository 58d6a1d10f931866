//! Helpers for the tests of every format.

use super::TimeOrder;
use super::compress::Compressed;
use super::field::Fields;
use super::format::detect;
use super::gate::{Gate, RawRequest};
use super::record::{RecordDecoder, RecordFormat};
use super::source::{Decode, Place, Source};
use super::stream::{Front, Stream};
use super::text::{LineDecoder, LineFormat, Sample};
use crate::error::Error;
use crate::request::{Request, RequestSource};
use std::io::{self, Cursor, Read};

/// Hands out one byte at a time, as a slow pipe would.
struct Drip(Cursor<Vec<u8>>);

impl Read for Drip {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let some = buffer.len().min(1);
        self.0.read(&mut buffer[..some])
    }
}

/// The stream of `bytes`, delivered one at a time.
pub(super) fn drip(bytes: &[u8]) -> Stream {
    Stream::new(Box::new(Drip(Cursor::new(bytes.to_vec()))), Compressed::No)
}

/// The first lines of a file that is `text`.
pub(super) fn sample(text: &str) -> Sample<'_> {
    Sample::new(Front { bytes: text.as_bytes(), whole: true })
}

/// The format that `text` is recognised as.
pub(super) fn detected(text: &str) -> Result<&'static str, String> {
    let front = Front { bytes: text.as_bytes(), whole: true };
    detect(front).map(|format| format.name).map_err(|mistake| mistake.0)
}

/// The request in one line.
pub(super) fn parse<F: LineFormat>(line: &str) -> RawRequest {
    let fields = Fields::new(line.as_bytes(), F::SEPARATOR, F::COLUMNS).timed(F::TIME);
    let parsed = F::default().parse_line(fields);
    let raw = parsed.unwrap_or_else(|mistake| panic!("{line:?}: {}", mistake.0));
    raw.unwrap_or_else(|| panic!("{line:?} holds no request"))
}

/// All requests of `text`.
pub(super) fn requests<F: LineFormat>(text: &str) -> Result<Vec<Request>, Error> {
    decoded_with(F::default(), text)
}

/// All requests of `text`, read by `format`.
pub(super) fn decoded_with<F: LineFormat>(format: F, text: &str) -> Result<Vec<Request>, Error> {
    decoded(LineDecoder::new(format, drip(text.as_bytes())), F::ORDER)
}

/// All requests of the records in `bytes`.
pub(super) fn recorded<F: RecordFormat>(bytes: &[u8]) -> Result<Vec<Request>, Error> {
    decoded(RecordDecoder::new(F::default(), drip(bytes)), F::ORDER)
}

/// All requests of `text`, flushes among them.
pub(super) fn flushing<F: LineFormat>(text: &str) -> Result<Vec<Request>, Error> {
    flushing_with(F::default(), text)
}

/// All requests of `text`, flushes among them, read by `format`.
pub(super) fn flushing_with<F: LineFormat>(format: F, text: &str) -> Result<Vec<Request>, Error> {
    let decoder = LineDecoder::new(format, drip(text.as_bytes()));
    admitted(decoder, Gate::new(F::ORDER, None, None).with_flushes(true))
}

fn decoded(decoder: impl Decode, order: TimeOrder) -> Result<Vec<Request>, Error> {
    admitted(decoder, Gate::new(order, None, None))
}

fn admitted(decoder: impl Decode, gate: Gate) -> Result<Vec<Request>, Error> {
    let place = Place { file: "trace".into(), ..Place::default() };
    Source::new(decoder, gate, place).rest()
}

/// Checks that the record at byte `at` is an error whose message contains `found`.
pub(super) fn misrecorded<F: RecordFormat>(bytes: &[u8], at: usize, found: &str) {
    let text = recorded::<F>(bytes).expect_err(found).to_string();
    let expected = format!(": record at byte {at}: ");
    assert!(text.contains(&expected) && text.contains(found), "{text}\nexpected {found}");
    assert!(!text.contains(char::is_control), "{text:?}");
}

/// Checks that `line`, after two blank ones, is an error of line 3 whose message contains `found`.
pub(super) fn misread<F: LineFormat>(line: &str, found: &str) {
    let error = requests::<F>(&format!("\r\n\n{line}\n")).expect_err(line);
    let text = error.to_string();
    assert!(matches!(error, Error::Trace { line: Some(3), .. }), "{text}");
    assert!(text.starts_with("trace:3: ") && text.contains(found), "{text}\nexpected {found}");
    assert!(!text.contains(char::is_control), "{text:?}");
}
