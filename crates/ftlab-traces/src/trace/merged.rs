//! Several files of one recording as one stream, in the order of their own clock.

use super::field::Mistake;
use super::gate::{Clock, RawRequest};
use super::source::{Decode, Place};
use super::stream::Broken;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Decoders of one format, merged by time.
pub(super) struct Merged<D> {
    parts: Vec<(D, Place)>,
    /// The next request of each part: setting of the clock, ticks, part.
    heads: BinaryHeap<Reverse<(u32, u64, usize)>>,
    requests: Vec<Option<RawRequest>>,
    /// The part that was decoded last.
    latest: usize,
    begun: bool,
    /// Whether each part has its first request at 0: nothing says that one does not follow the other.
    at_once: bool,
    /// Nanoseconds per tick, which all parts share.
    tick_ns: Option<u64>,
    twins: Twins,
}

/// Requests that are also in another part, at the same time: the same recording may be there twice, under two names.
/// Formats with a file for each volume have no such requests.
#[derive(Default)]
struct Twins {
    /// The first requests of the present time, with their parts.
    now: Vec<(usize, RawRequest)>,
    all: u64,
    twins: u64,
}

impl Twins {
    /// Of two copies every second request is one.
    const MANY: u64 = 4;
    /// Requests of one time that are compared.
    const MOST: usize = 32;

    fn count(&mut self, part: usize, request: RawRequest) {
        self.all += 1;
        if self.now.first().is_some_and(|(_, first)| first.ticks != request.ticks) {
            self.now.clear();
        }
        let is_twin = |(other, before): &(usize, RawRequest)| *other != part && *before == request;
        if self.now.iter().any(is_twin) {
            self.twins += 1;
        } else if self.now.len() < Self::MOST {
            self.now.push((part, request));
        }
    }

    fn remark(&self) -> Option<String> {
        let Self { all, twins, .. } = *self;
        (twins * Self::MANY >= all.max(1)).then(|| {
            format!(
                "{twins} of {all} requests are in two files at the same time: one recording may be \
                 there twice"
            )
        })
    }
}

impl<D: Decode> Merged<D> {
    pub(super) fn new(parts: Vec<(D, Place)>) -> Self {
        let requests = parts.iter().map(|_| None).collect();
        let (heads, latest, tick_ns) = (BinaryHeap::new(), 0, None);
        let twins = Twins::default();
        Self { parts, heads, requests, latest, begun: false, at_once: false, tick_ns, twins }
    }

    /// Decodes the next request of a part.
    fn pull(&mut self, part: usize) -> Result<(), Broken> {
        self.latest = part;
        let decoder = &mut self.parts[part].0;
        let Some(mut raw) = decoder.next()? else { return Ok(()) };
        let Clock { tick_ns, setting } = decoder.clock();
        if *self.tick_ns.get_or_insert(tick_ns) != tick_ns {
            return Err(Broken::Mistake(
                decoder.here(Mistake(
                    "found times in another unit than in the files before, expected one recording"
                        .into(),
                )),
            ));
        }
        if self.parts[part].0.file_is_volume() {
            raw.volume = u32::try_from(part).unwrap_or(u32::MAX);
        }
        self.heads.push(Reverse((setting, raw.ticks, part)));
        self.requests[part] = Some(raw);
        Ok(())
    }
}

impl<D: Decode> Decode for Merged<D> {
    fn next(&mut self) -> Result<Option<RawRequest>, Broken> {
        if self.begun {
            self.pull(self.latest)?;
        } else {
            (0..self.parts.len()).try_for_each(|part| self.pull(part))?;
            self.begun = true;
            self.at_once = self.heads.len() > 1 && self.heads.iter().all(|head| head.0.1 == 0);
        }
        let Some(Reverse((_, _, part))) = self.heads.pop() else { return Ok(None) };
        self.latest = part;
        Ok(self.requests[part].take().inspect(|request| self.twins.count(part, *request)))
    }

    fn clock(&self) -> Clock {
        self.parts[self.latest].0.clock()
    }

    fn number(&self) -> u64 {
        self.parts[self.latest].0.number()
    }

    fn place<'a>(&'a self, _: &'a Place) -> &'a Place {
        &self.parts[self.latest].1
    }

    fn here(&self, mistake: Mistake) -> Mistake {
        self.parts[self.latest].0.here(mistake)
    }

    fn units(&self) -> Option<String> {
        self.parts[0].0.units()
    }

    fn processor(&self) -> Option<u32> {
        self.parts[self.latest].0.processor()
    }

    fn remarks(&self) -> Vec<String> {
        let mut remarks: Vec<String> =
            self.parts.iter().flat_map(|(decoder, _)| decoder.remarks()).collect();
        remarks.dedup();
        remarks.extend(self.twins.remark());
        if self.at_once && !self.parts[0].0.file_is_volume() {
            remarks.push(
                "all files begin at time 0 and are taken as recorded at once; if one follows the \
                 other: cat FILES | ftlab ... - --clock segments"
                    .into(),
            );
        }
        remarks
    }

    fn without_requests(&self) -> Mistake {
        self.parts[0].0.without_requests()
    }
}
