//! A workload of several writers at once: each has a share of the bytes, a part of the space, an order and a placement
//! handle.
//!
//! The jobs by which placement is measured are such: a loop over most of a drive, random pages behind it, a third
//! writer in between. Several jobs of fio would do the same, at rates that follow from the drive.

use super::zipf::Zipf;
use crate::request::LONGEST_REQUEST_BYTES;
use crate::rng::Rng;
use crate::units::Bytes;
use serde::de::value::{Error as ValueError, StrDeserializer};
use serde::de::{Error, IntoDeserializer, Unexpected};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// Several parts, as `58 seq 0-90 0; 42 rand 90-100 1`.
#[derive(Clone, Debug, PartialEq)]
pub struct Parts {
    /// As the user wrote it.
    text: String,
    parts: Vec<Part>,
}

crate::text_value!(
    Parts,
    "share, order, range in percent and handle of each, such as 58 seq 0-90 0; 42 rand 90-100 1"
);

/// What one of them writes.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Part {
    /// Share of the bytes, of the sum of all shares.
    share: f64,
    order: Order,
    /// Where its range begins and ends, of the space.
    range: [f64; 2],
    handle: u16,
    /// Size of its requests; absent: `workload.bs`.
    size: Option<Bytes>,
}

/// In which order it writes its range.
#[derive(Clone, Debug, PartialEq)]
enum Order {
    /// From its beginning to its end, again and again.
    Sequential,
    /// Uniform draws.
    Uniform,
    /// Zipf's law; ranks are hashed over the range, so about 63 % of it is ever written. fio's hash leaves fewer out.
    Zipf(f64),
    /// Shares of the writes and of the range, in percent, from its beginning: fio's `zoned`.
    Zoned(Vec<[f64; 2]>),
}

/// WARP, FAST 2026: three streams, the third with four fifths of its writes in a fifth.
const WARP: &str = "58 seq 0-90 0; 21 rand 90-100 1; 21 zoned:80/20:10/20:10/60 0-90 2";

const EXPECTED: &str =
    "parts such as `58 seq 0-90 0; 21 zipf:1.2 0-90 1; 21 zoned:80/20:20/80 90-100 2 4k`";

impl Default for Parts {
    fn default() -> Self {
        Self::parse(WARP).expect("parts")
    }
}

impl Parts {
    pub(super) fn list(&self) -> &[Part] {
        &self.parts
    }

    fn parse(text: &str) -> Option<Self> {
        let parts = text.split(';').map(Part::parse).collect::<Option<Vec<_>>>()?;
        let all: f64 = parts.iter().map(|part| part.share).sum();
        (all > 0.0 && all.is_finite()).then(|| Self { text: text.into(), parts })
    }
}

impl Part {
    fn parse(text: &str) -> Option<Self> {
        let mut words = text.split_whitespace();
        let share = number(words.next()?)?;
        let order = Order::parse(words.next()?)?;
        let (begin, end) = words.next()?.split_once('-')?;
        let range = [number(begin)? / 100.0, number(end)? / 100.0];
        let handle = words.next()?.parse().ok()?;
        let size = match words.next() {
            None => None,
            Some(size) => Some(bytes(size)?),
        };
        let is_range = range[0] < range[1] && range[1] <= 1.0;
        (is_range && words.next().is_none()).then_some(Self { share, order, range, handle, size })
    }

    pub(super) fn handle(&self) -> u16 {
        self.handle
    }

    /// Bytes of its requests.
    pub(super) fn size(&self, usual: u64) -> u64 {
        self.size.map_or(usual, |size| size.0)
    }

    /// Its range in bytes, which begins and ends with a request of the usual size.
    pub(super) fn range(&self, space: u64, usual: u64) -> [u64; 2] {
        self.range.map(|share| (space as f64 * share / usual as f64 + 1e-9) as u64 * usual)
    }
}

impl Order {
    fn parse(text: &str) -> Option<Self> {
        let (name, rest) =
            text.split_once(':').map_or((text, None), |(name, rest)| (name, Some(rest)));
        Some(match (name, rest) {
            ("seq", None) => Order::Sequential,
            ("rand", None) => Order::Uniform,
            ("zipf", Some(theta)) => Order::Zipf(number(theta).filter(|theta| *theta <= 10.0)?),
            ("zoned", Some(text)) => {
                let zones: Vec<_> = text.split(':').map(zone).collect::<Option<_>>()?;
                let sum = |of: usize| zones.iter().map(|zone| zone[of]).sum::<f64>();
                (sum(0) > 0.0 && sum(0) + sum(1) < f64::INFINITY).then_some(Order::Zoned(zones))?
            }
            _ => return None,
        })
    }
}

/// A size as settings have it, such as `16k`.
fn bytes(text: &str) -> Option<Bytes> {
    let text: StrDeserializer<'_, ValueError> = text.into_deserializer();
    let size = Bytes::deserialize(text).ok()?;
    (1..=LONGEST_REQUEST_BYTES).contains(&size.0).then_some(size)
}

/// Shares of the writes and of the range.
fn zone(text: &str) -> Option<[f64; 2]> {
    let (writes, range) = text.split_once('/')?;
    Some([number(writes)?, number(range)?]).filter(|[_, range]| *range > 0.0)
}

fn number(text: &str) -> Option<f64> {
    text.parse().ok().filter(|number: &f64| number.is_finite() && *number >= 0.0)
}

impl Serialize for Parts {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_str(&self.text)
    }
}

impl<'de> Deserialize<'de> for Parts {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let text = String::deserialize(from)?;
        Self::parse(&text).ok_or_else(|| D::Error::invalid_value(Unexpected::Str(&text), &EXPECTED))
    }
}

/// The writes of several parts.
#[derive(Clone, Debug)]
pub(super) struct Writers {
    writers: Vec<Writer>,
    /// The sum of weights up to each writer.
    weights: Vec<f64>,
    fill: Option<Fill>,
}

/// A write of one of them.
pub(super) struct Write {
    pub(super) offset: u64,
    pub(super) length: u32,
    pub(super) handle: u16,
    /// Whether the page is written for the first time, in order.
    pub(super) fills: bool,
}

#[derive(Clone, Debug)]
struct Writer {
    begin: u64,
    size: u64,
    /// Requests that fit into its range.
    slots: u64,
    handle: u16,
    draw: Draw,
}

#[derive(Clone, Debug)]
enum Draw {
    Next(u64),
    Uniform,
    Zipf(Zipf),
    /// The sum of writes up to each zone, and where it begins and ends.
    Zoned(Vec<(f64, [u64; 2])>),
}

/// Ranges that are written once in order, each with the handle of the first part that has it.
#[derive(Clone, Debug)]
struct Fill {
    next: u64,
    step: u64,
    /// Where each part begins and ends, and its handle.
    ranges: Vec<([u64; 2], u16)>,
}

impl Writers {
    /// Of parts in a space of `space` bytes, into which the requests of each fit.
    pub(super) fn new(parts: &[Part], space: u64, usual: u64, fill: bool) -> Self {
        let mut sum = 0.0;
        let weights = parts.iter().map(|part| {
            sum += part.share / part.size(usual) as f64;
            sum
        });
        let ranges = parts.iter().map(|part| (part.range(space, usual), part.handle));
        Writers {
            weights: weights.collect(),
            writers: parts.iter().map(|part| Writer::new(part, space, usual)).collect(),
            fill: fill.then(|| Fill { next: 0, step: usual, ranges: ranges.collect() }),
        }
    }

    #[inline]
    pub(super) fn next(&mut self, rng: &mut Rng) -> Write {
        if let Some(fill) = &mut self.fill {
            if let Some(write) = fill.next() {
                return write;
            }
            self.fill = None;
        }
        let all = *self.weights.last().expect("a part");
        let drawn = rng.unit() * all;
        let at = self.weights.partition_point(|sum| *sum <= drawn).min(self.writers.len() - 1);
        let writer = &mut self.writers[at];
        let slot = writer.draw.next(writer.slots, rng);
        Write {
            offset: writer.begin + slot * writer.size,
            length: writer.size as u32,
            handle: writer.handle,
            fills: false,
        }
    }
}

impl Writer {
    fn new(part: &Part, space: u64, usual: u64) -> Self {
        let (size, [begin, end]) = (part.size(usual), part.range(space, usual));
        let slots = ((end - begin) / size).max(1);
        let draw = match &part.order {
            Order::Sequential => Draw::Next(0),
            Order::Uniform => Draw::Uniform,
            Order::Zipf(theta) => Draw::Zipf(Zipf::new(slots, *theta)),
            Order::Zoned(zones) => Draw::zoned(zones, slots),
        };
        Writer { begin, size, slots, handle: part.handle, draw }
    }
}

impl Draw {
    fn zoned(zones: &[[f64; 2]], slots: u64) -> Self {
        let all: f64 = zones.iter().map(|[_, range]| range).sum();
        let (mut writes, mut range, mut begin) = (0.0, 0.0, 0);
        Draw::Zoned(
            zones
                .iter()
                .map(|zone| {
                    (writes, range) = (writes + zone[0], range + zone[1]);
                    let end = (slots as f64 * range / all + 1e-9) as u64;
                    let found = (
                        writes,
                        [begin.min(slots - 1), end.clamp(begin + 1, slots.max(begin + 1))],
                    );
                    begin = end;
                    found
                })
                .collect(),
        )
    }

    #[inline]
    fn next(&mut self, slots: u64, rng: &mut Rng) -> u64 {
        match self {
            Draw::Next(next) => {
                let slot = *next;
                *next = if slot + 1 == slots { 0 } else { slot + 1 };
                slot
            }
            Draw::Uniform => rng.below(slots),
            Draw::Zipf(law) => hashed(law.draw(rng)) % slots,
            Draw::Zoned(zones) => {
                let all = zones.last().map_or(1.0, |(sum, _)| *sum);
                let drawn = rng.unit() * all;
                let at = zones.partition_point(|(sum, _)| *sum <= drawn).min(zones.len() - 1);
                let [begin, end] = zones[at].1;
                (begin + rng.below(end - begin)).min(slots - 1)
            }
        }
    }
}

impl Fill {
    fn next(&mut self) -> Option<Write> {
        let end = self.ranges.iter().map(|([_, end], _)| *end).max()?;
        while self.next < end {
            let offset = self.next;
            self.next += self.step;
            let owner =
                self.ranges.iter().find(|([begin, end], _)| (*begin..*end).contains(&offset));
            if let Some((_, handle)) = owner {
                return Some(Write {
                    offset,
                    length: self.step as u32,
                    handle: *handle,
                    fills: true,
                });
            }
        }
        None
    }
}

/// A fixed hash of a rank: SplitMix64's last step.
fn hashed(rank: u64) -> u64 {
    let mut z = rank.wrapping_add(0x9E37_79B9_7F4A_7C15);
    z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ (z >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    const PAGE: u64 = 4096;
    const PAGES: u64 = 10_000;

    fn writes(text: &str, fill: bool, count: usize) -> Vec<Write> {
        let parts = Parts::parse(text).expect("parts");
        let mut writers = Writers::new(parts.list(), PAGES * PAGE, PAGE, fill);
        let mut rng = Rng::new(1, "places");
        (0..count).map(|_| writers.next(&mut rng)).collect()
    }

    #[test]
    fn parts_are_read_and_what_is_none_is_refused() {
        let read = |text| Parts::parse(text).is_some();
        assert!(read(WARP) && read("1 rand 0-100 0") && read("1 zipf:0.9 2.5-7.5 65535 16k"));
        for bad in [
            "",
            ";",
            "1",
            "0 rand 0-100 0",
            "-1 rand 0-100 0",
            "nan rand 0-100 0",
            "1 rand 0-101 0",
            "1 rand 50-50 0",
            "1 rand 0-100",
            "1 rand 0-100 65536",
            "1 rand:2 0-100 0",
            "1 zipf 0-100 0",
            "1 zipf:11 0-100 0",
            "1 zoned:80 0-100 0",
            "1 zoned:80/0 0-100 0",
            "1 zoned:0/20:0/80 0-100 0",
            "1 zoned:1e308/20:1e308/80 0-100 0",
            "1 rand 0-100 0 4k 4k",
            "1 rand 0-100 0 soon",
        ] {
            assert!(!read(bad), "{bad}");
        }
    }

    #[test]
    fn every_page_is_filled_once_by_the_first_part_that_has_it() {
        let filled = writes(WARP, true, PAGES as usize);
        for (page, write) in filled.iter().enumerate() {
            assert_eq!((write.offset, write.fills), (page as u64 * PAGE, true));
            assert_eq!(write.handle, u16::from(page >= 9000));
        }
        assert!(!writes(WARP, true, PAGES as usize + 1)[PAGES as usize].fills);
    }

    #[test]
    fn parts_have_their_shares_of_the_bytes_and_their_ranges() {
        let text = "50 seq 0-50 3 16k; 30 rand 50-90 4; 20 rand 90-100 5";
        let mut bytes = [0; 3];
        let mut last = None;
        for write in writes(text, false, 100_000) {
            let page = write.offset / PAGE;
            let at = usize::from(write.handle) - 3;
            assert!([0..5000, 5000..9000, 9000..10_000][at].contains(&page), "{page}");
            bytes[at] += u64::from(write.length);
            if at == 0 {
                let expected = last.map_or(0, |last: u64| (last + 4) % 5000);
                assert_eq!(page, expected, "a loop");
                last = Some(page);
            }
        }
        let all = bytes.iter().sum::<u64>() as f64;
        for (found, share) in bytes.iter().zip([0.5, 0.3, 0.2]) {
            assert!((*found as f64 / all - share).abs() < 0.01, "{bytes:?}");
        }
    }

    #[test]
    fn zones_have_their_shares_and_hashed_ranks_leave_pages_out() {
        let zoned = writes("1 zoned:80/20:10/20:10/60 0-100 0", false, 100_000);
        let hot = zoned.iter().filter(|write| write.offset / PAGE < 2000).count();
        let cold = zoned.iter().filter(|write| write.offset / PAGE >= 4000).count();
        assert!((79_000..81_000).contains(&hot) && (9_500..10_500).contains(&cold), "{hot} {cold}");
        let mut drawn = vec![false; PAGES as usize];
        for write in writes("1 zipf:0 0-100 0", false, 300_000) {
            drawn[(write.offset / PAGE) as usize] = true;
        }
        let share = drawn.iter().filter(|drawn| **drawn).count() as f64 / PAGES as f64;
        assert!((share - 0.632).abs() < 0.02, "{share}");
    }
}
