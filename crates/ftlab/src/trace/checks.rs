//! What the tests of every format need.

use super::compress::Compressed;
use super::field::Fields;
use super::gate::{Gate, RawRequest};
use super::lines::Lines;
use super::text::{LineFormat, Place, TextSource};
use crate::error::Error;
use crate::request::{Request, RequestSource};
use std::io::Cursor;

/// The request that one line tells.
pub(super) fn parse<F: LineFormat>(line: &str) -> RawRequest {
    let fields = Fields::new(line.as_bytes(), F::SEPARATOR, F::COLUMNS);
    let parsed = F::default().parse_line(fields);
    let raw = parsed.unwrap_or_else(|mistake| panic!("{line:?}: {}", mistake.0));
    raw.unwrap_or_else(|| panic!("{line:?} holds no request"))
}

/// All requests of `text`.
pub(super) fn requests<F: LineFormat>(text: &str) -> Result<Vec<Request>, Error> {
    let lines = Lines::new(Box::new(Cursor::new(text.as_bytes().to_vec())), Compressed::No);
    let place = Place { file: "trace".into(), consumed: Default::default(), size: None };
    let mut source = TextSource::<F>::new(lines, Gate::new(F::ORDER, None, None), place);
    let mut requests = Vec::new();
    loop {
        let before = requests.len();
        source.fill(&mut requests)?;
        if requests.len() == before {
            return Ok(requests);
        }
    }
}

/// `line`, behind two blank ones, is an error of line 3 that has `found` in it.
pub(super) fn misread<F: LineFormat>(line: &str, found: &str) {
    let error = requests::<F>(&format!("\r\n\n{line}\n")).expect_err(line);
    let text = error.to_string();
    assert!(matches!(error, Error::Trace { line: Some(3), .. }), "{text}");
    assert!(text.starts_with("trace:3: ") && text.contains(found), "{text}\nexpected {found}");
    assert!(!text.contains(char::is_control), "{text:?}");
}
