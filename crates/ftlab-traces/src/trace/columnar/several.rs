//! Several Parquet files as one recording, such as the volumes that a split has written.

use super::layout::NAME;
use super::read::{Parquet, believed};
use super::rows::Rows;
use crate::error::Error;
use crate::request::{Attributes, Input, RequestSource};
use crate::trace::field::Mistake;
use crate::trace::gate::{Clock, Gate, RawRequest};
use crate::trace::parts::{self, Part};
use crate::trace::source::{Decode, Place, opened};
use crate::trace::stream::Broken;
use crate::trace::{TimeOrder, TraceOptions};

/// Files whose requests are merged by time.
pub(crate) struct Several {
    path: String,
    name: String,
    files: Vec<Parquet>,
    options: TraceOptions,
}

impl Several {
    /// Opens the files that `path` stands for and reads their footers.
    ///
    /// # Errors
    /// As [`Parquet::open`].
    pub(crate) fn open(path: &str, parts: &[Part], options: &TraceOptions) -> Result<Self, Error> {
        let files = parts.iter().map(|part| Parquet::open(&part.to_string(), options));
        Ok(Self {
            path: path.to_owned(),
            name: parts::name(path, parts),
            files: files.collect::<Result<_, _>>()?,
            options: options.clone(),
        })
    }
}

impl Input for Several {
    fn open(&self) -> Result<Box<dyn RequestSource>, Error> {
        let part = |file: &Parquet| {
            let place = Place { file: file.path().to_owned(), ..Place::default() };
            Ok((Decoder { rows: file.rows()?, remarks: file.remarks().to_vec() }, place))
        };
        let parts = self.files.iter().map(part).collect::<Result<_, Error>>()?;
        let TraceOptions { order, volume, .. } = self.options;
        let order = order.unwrap_or(TimeOrder::Error);
        let gate = Gate::new(order, volume, self.options.requests_before_window());
        opened(&self.path, parts, gate.with_flushes(true))
    }

    fn name(&self) -> String {
        self.name.clone()
    }

    fn format(&self) -> String {
        NAME.to_owned()
    }

    fn attributes(&self) -> Attributes {
        let each = self.files.iter().map(Input::attributes);
        each.flat_map(|attributes| attributes.iter().collect::<Vec<_>>()).collect()
    }
}

/// The rows of one file as requests.
struct Decoder {
    rows: Rows,
    remarks: Vec<String>,
}

impl Decode for Decoder {
    fn next(&mut self) -> Result<Option<RawRequest>, Broken> {
        loop {
            if let Some(row) = self.rows.take() {
                let raw = believed(row).and_then(|raw| Ok(raw.with_meta(self.rows.meta()?)));
                return raw.map(Some).map_err(Broken::Mistake);
            }
            if !self.rows.decode(|_| true)? {
                return Ok(None);
            }
        }
    }

    fn clock(&self) -> Clock {
        Clock::NANOSECONDS
    }

    fn number(&self) -> u64 {
        self.rows.number
    }

    fn here(&self, mistake: Mistake) -> Mistake {
        mistake
    }

    fn remarks(&self) -> Vec<String> {
        self.remarks.clone()
    }
}
