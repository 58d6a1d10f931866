//! A trace in memory, such as one that was dropped on a page.

use super::compress::Memory;
use super::file::{begin, format_of};
use super::format::Format;
use super::source::Place;
use super::stream::Stream;
use super::{TraceOptions, in_window};
use crate::error::Error;
use crate::request::{Attributes, Input, RequestSource};
use std::io::Cursor;
use std::sync::Arc;

struct Held {
    name: String,
    bytes: Arc<[u8]>,
    format: &'static Format,
    options: TraceOptions,
}

/// The trace that these bytes are, plain or compressed, as if a file of that name had them.
///
/// # Errors
/// As [`super::open`], but that of a file that cannot be read.
pub fn hold(name: &str, bytes: &[u8], options: &TraceOptions) -> Result<Box<dyn Input>, Error> {
    let bytes = Arc::from(bytes);
    let (mut stream, place) = front(name, &bytes)?;
    let (format, _) = format_of(&mut stream, options, &place)?;
    let held = Held { name: name.to_owned(), bytes, format, options: options.clone() };
    Ok(in_window(Box::new(held), options))
}

fn front(name: &str, bytes: &Arc<[u8]>) -> Result<(Stream, Place), Error> {
    let place = Place { file: name.to_owned(), ..Place::default() };
    begin(Box::new(Cursor::new(Arc::clone(bytes))), None, place, Memory::ALL)
}

impl Input for Held {
    fn open(&self) -> Result<Box<dyn RequestSource>, Error> {
        let part = front(&self.name, &self.bytes)?;
        self.format.read(&self.name, vec![part], &self.options)
    }

    fn name(&self) -> String {
        self.name.clone()
    }

    fn format(&self) -> String {
        self.format.name.to_owned()
    }

    fn attributes(&self) -> Attributes {
        self.options.attributes()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::request::BATCH;

    const TRACE: &[u8] = b"0,0,4096,w,0.0\n0,8,4096,r,0.5\n0,16,512,w,1.0\n";

    fn requests(input: &dyn Input) -> usize {
        let mut batch = Vec::with_capacity(BATCH);
        input.open().expect("a source").fill(&mut batch).expect("requests");
        batch.len()
    }

    #[test]
    fn it_opens_as_often_as_needed() {
        let input = hold("a.spc", TRACE, &TraceOptions::default()).expect("a trace");
        assert_eq!((input.name(), input.format()), ("a.spc".into(), "spc".into()));
        assert!(input.rereadable());
        assert_eq!([requests(input.as_ref()), requests(input.as_ref())], [3, 3]);
    }

    #[test]
    fn options_hold_for_it() {
        let options = TraceOptions { requests: Some(2), ..TraceOptions::default() };
        assert_eq!(requests(hold("a", TRACE, &options).expect("a trace").as_ref()), 2);
        let until = Some(crate::units::Duration(600_000_000));
        let options = TraceOptions { until, ..TraceOptions::default() };
        assert_eq!(requests(hold("a", TRACE, &options).expect("a trace").as_ref()), 2);
    }

    #[test]
    fn what_is_no_trace_is_told_with_its_name() {
        for bytes in [&b""[..], b"no trace\n", &[0xff; 600]] {
            let error = hold("a.spc", bytes, &TraceOptions::default()).err().expect("an error");
            assert!(error.to_string().starts_with("a.spc"), "{error}");
        }
    }
}
