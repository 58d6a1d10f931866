//! Placement handles for traces that have none: by volume, by address or by size.

use crate::error::Error;
use crate::request::{Attribute, Attributes, Input, Request, RequestSource, Wrapping};
use crate::units::Bytes;
use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};

/// What the handle of a write follows from.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub enum HintBy {
    /// The volume: the first one that is written has handle 0, the next one 1.
    Volume,
    /// The first byte, within the volume: how many of these borders it reaches.
    Range(Vec<Bytes>),
    /// The length: how many of these borders it reaches.
    Size(Vec<Bytes>),
}

crate::text_value!(HintBy, "volume, range:BYTE:BYTE.. or size:BYTES:BYTES..");

impl TryFrom<String> for HintBy {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        let wrong = || {
            format!(
                "found {text:?}, expected volume, range:BYTE:BYTE.. or size:BYTES:BYTES.. with \
                 ascending borders, such as size:16KiB:128KiB"
            )
        };
        let (what, borders) = text.split_once(':').unwrap_or((&text, ""));
        if text == "volume" {
            return Ok(HintBy::Volume);
        }
        let borders: Vec<Bytes> = borders
            .split(':')
            .map(|border| Bytes::parse(border).map_err(|_| wrong()))
            .collect::<Result<_, _>>()?;
        if !borders.is_sorted_by(|a, b| a.0 < b.0) || borders.len() > usize::from(u16::MAX) {
            return Err(wrong());
        }
        match what {
            "range" => Ok(HintBy::Range(borders)),
            "size" => Ok(HintBy::Size(borders)),
            _ => Err(wrong()),
        }
    }
}

impl From<HintBy> for String {
    fn from(by: HintBy) -> Self {
        let (what, borders) = match by {
            HintBy::Volume => return "volume".into(),
            HintBy::Range(borders) => ("range", borders),
            HintBy::Size(borders) => ("size", borders),
        };
        borders.iter().fold(what.to_owned(), |text, border| format!("{text}:{border}"))
    }
}

/// `input` with the handles of its writes replaced by those that `by` says.
#[must_use]
pub fn hinted(input: Box<dyn Input>, by: Option<&HintBy>) -> Box<dyn Input> {
    match by {
        None => input,
        Some(by) => Box::new(Hinted { input, by: by.clone() }),
    }
}

struct Hinted {
    input: Box<dyn Input>,
    by: HintBy,
}

impl Wrapping for Hinted {
    fn start(&self) -> Result<Box<dyn RequestSource>, Error> {
        let (source, by) = (self.input.open()?, self.by.clone());
        Ok(Box::new(Source { source, by, volumes: FxHashMap::default() }))
    }

    fn inner(&self) -> &dyn Input {
        self.input.as_ref()
    }

    fn added(&self) -> Attributes {
        Attributes::default().with(Attribute::Hint)
    }
}

struct Source {
    source: Box<dyn RequestSource>,
    by: HintBy,
    /// The handles of volumes so far; only looked up.
    volumes: FxHashMap<u32, u16>,
}

impl Source {
    fn handle(&mut self, request: &Request) -> Result<u16, Error> {
        let reached = |borders: &[Bytes], value: u64| {
            // There are at most 65,535 borders.
            borders.partition_point(|border| border.0 <= value) as u16
        };
        match &self.by {
            HintBy::Range(borders) => Ok(reached(borders, request.offset)),
            HintBy::Size(borders) => Ok(reached(borders, request.length.into())),
            HintBy::Volume => {
                let next = u16::try_from(self.volumes.len()).map_err(|_| too_many());
                match self.volumes.get(&request.volume) {
                    Some(handle) => Ok(*handle),
                    None => Ok(*self.volumes.entry(request.volume).or_insert(next?)),
                }
            }
        }
    }
}

#[cold]
fn too_many() -> Error {
    Error::config(
        "input.hint_by",
        "found more than 65536 volumes, expected fewer; use range or size",
    )
}

impl RequestSource for Source {
    fn fill(&mut self, batch: &mut Vec<Request>) -> Result<(), Error> {
        let from = batch.len();
        self.source.fill(batch)?;
        for request in batch[from..].iter_mut().filter(|request| request.op.writes()) {
            request.meta.handle = self.handle(request)?;
        }
        Ok(())
    }

    fn inner(&self) -> Option<&dyn RequestSource> {
        Some(self.source.as_ref())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::request::Op;
    use std::sync::Arc;

    fn handles(by: &str, requests: Vec<Request>) -> Vec<u16> {
        let by = HintBy::try_from(by.to_owned()).unwrap();
        assert_eq!(HintBy::try_from(String::from(by.clone())).unwrap(), by);
        let memory: Arc<[Request]> = requests.into();
        let input = hinted(Box::new(memory), Some(&by));
        assert!(input.attributes().has(Attribute::Hint));
        input.open().unwrap().rest().unwrap().iter().map(|request| request.meta.handle).collect()
    }

    #[test]
    fn volumes_addresses_and_sizes_choose_handles() {
        let write =
            |volume, offset, length| Request::new(Op::Write, offset, length).in_volume(volume);
        let requests = vec![
            write(9, 0, 4096),
            write(3, 8192, 512),
            write(9, 8191, 1 << 20),
            Request { op: Op::Read, ..write(5, 9000, 4096) },
            Request { op: Op::WriteThrough, ..write(7, 1 << 30, 4095) },
        ];
        assert_eq!(handles("volume", requests.clone()), [0, 1, 0, 0, 2]);
        assert_eq!(handles("range:8KiB:1GiB", requests.clone()), [0, 1, 0, 0, 2]);
        assert_eq!(handles("size:4KiB:64KiB", requests), [1, 0, 2, 0, 0]);
    }

    #[test]
    fn a_mistake_is_told() {
        for text in ["", "volume:1", "range", "range:", "range:2:1", "size:4KiB:4KiB", "hash:1"] {
            let message = HintBy::try_from(text.to_owned()).unwrap_err();
            assert!(message.contains("expected volume, range:BYTE"), "{message}");
        }
    }
}
