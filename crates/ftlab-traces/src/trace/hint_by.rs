//! Placement handles for traces that have none: by volume, by address, by size or by sequential stream.

use crate::error::Error;
use crate::request::{Attribute, Attributes, Input, Request, RequestSource, Wrapping};
use crate::units::Bytes;
use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};
use std::collections::VecDeque;

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
    /// The sequential stream that it continues, of N that are known at a time: 1 and so on, or 0 if it continues none.
    Stream(u16),
}

crate::text_value!(HintBy, "volume, range:BYTE:BYTE.., size:BYTES:BYTES.. or stream:COUNT");

/// Sequential streams that are known at a time: with handle 0 they are the 8 handles that most drives have.
const USUAL_STREAMS: u16 = 7;

/// Ends of the last writes that went on none, which a stream may begin with.
const REMEMBERED: usize = 64;

impl TryFrom<String> for HintBy {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        let wrong = || {
            format!(
                "found {text:?}, expected volume, range:BYTE:BYTE.. or size:BYTES:BYTES.. with \
                 ascending borders, such as size:16KiB:128KiB, or stream:COUNT"
            )
        };
        let (what, borders) = text.split_once(':').unwrap_or((&text, ""));
        if text == "volume" {
            return Ok(HintBy::Volume);
        }
        if what == "stream" {
            let count = if text == what { Some(USUAL_STREAMS) } else { borders.parse().ok() };
            return count.filter(|count| *count > 0).map(HintBy::Stream).ok_or_else(wrong);
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
            HintBy::Stream(count) => return format!("stream:{count}"),
            HintBy::Range(borders) => ("range", borders),
            HintBy::Size(borders) => ("size", borders),
        };
        borders.iter().fold(what.to_owned(), |text, border| format!("{text}:{border}"))
    }
}

impl HintBy {
    /// The handle of a write at these bytes, where nothing else decides.
    #[must_use]
    pub fn of_bytes(&self, offset: u64, length: u32) -> Option<u16> {
        // There are at most 65,535 borders.
        let reached =
            |borders: &[Bytes], value| borders.partition_point(|border| border.0 <= value) as u16;
        match self {
            HintBy::Range(borders) => Some(reached(borders, offset)),
            HintBy::Size(borders) => Some(reached(borders, length.into())),
            HintBy::Volume | HintBy::Stream(_) => None,
        }
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
        let streams = Streams::new(if let HintBy::Stream(count) = by { count } else { 0 });
        Ok(Box::new(Source { source, by, volumes: FxHashMap::default(), streams }))
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
    streams: Streams,
}

impl Source {
    fn handle(&mut self, request: &Request) -> Result<u16, Error> {
        if let Some(handle) = self.by.of_bytes(request.offset, request.length) {
            return Ok(handle);
        }
        if matches!(self.by, HintBy::Stream(_)) {
            return Ok(self.streams.handle(request));
        }
        let next = u16::try_from(self.volumes.len()).map_err(|_| too_many());
        match self.volumes.get(&request.volume) {
            Some(handle) => Ok(*handle),
            None => Ok(*self.volumes.entry(request.volume).or_insert(next?)),
        }
    }
}

/// Sequential streams of writes. A write that begins where another one ended makes both a stream, which takes the
/// handle of the stream that was used least recently.
struct Streams {
    /// Where each stream goes on, and its handle; the one used last is the first.
    known: VecDeque<(Place, u16)>,
    count: u16,
    /// Where other writes ended, the last one first.
    others: VecDeque<Place>,
}

/// A volume and a byte.
type Place = (u32, u64);

impl Streams {
    fn new(count: u16) -> Self {
        Self { known: VecDeque::new(), count, others: VecDeque::new() }
    }

    fn handle(&mut self, write: &Request) -> u16 {
        let (start, end) = ((write.volume, write.offset), (write.volume, write.end()));
        if let Some(at) = self.known.iter().position(|(next, _)| *next == start) {
            let handle = self.known.remove(at).map_or(0, |(_, handle)| handle);
            self.known.push_front((end, handle));
            return handle;
        }
        let Some(at) = self.others.iter().position(|other| *other == start) else {
            self.others.truncate(REMEMBERED - 1);
            self.others.push_front(end);
            return 0;
        };
        self.others.remove(at);
        let is_full = self.known.len() == usize::from(self.count);
        let freed = if is_full { self.known.pop_back() } else { None };
        let handle = freed.map_or(self.known.len() as u16 + 1, |(_, handle)| handle);
        self.known.push_front((end, handle));
        handle
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
    fn writes_that_go_on_are_a_stream() {
        let write = |block: u64| Request::new(Op::Write, block * 4096, 4096);
        let mixed = [0, 100, 1, 57, 101, 2, 102, 3];
        assert_eq!(handles("stream", mixed.map(write).to_vec()), [0, 0, 1, 0, 2, 1, 2, 1]);
        let third = [0, 1, 100, 101, 200, 201, 202, 2, 102];
        // The first of two streams is forgotten when a third one begins.
        assert_eq!(handles("stream:2", third.map(write).to_vec()), [0, 1, 0, 2, 0, 1, 1, 0, 2]);
        let apart = [write(0), write(1).in_volume(1)];
        assert_eq!(
            handles("stream:1", apart.to_vec()),
            [0, 0],
            "volumes have streams of their own"
        );
    }

    #[test]
    fn a_mistake_is_told() {
        for text in [
            "",
            "volume:1",
            "range",
            "range:",
            "range:2:1",
            "size:4KiB:4KiB",
            "hash:1",
            "stream:0",
            "stream:x",
        ] {
            let message = HintBy::try_from(text.to_owned()).unwrap_err();
            assert!(message.contains("expected volume, range:BYTE"), "{message}");
        }
    }
}
