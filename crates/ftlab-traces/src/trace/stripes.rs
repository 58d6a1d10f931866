//! An array: the bytes of an input in stripes over devices (RAID 0), and what one of the devices gets.
//!
//! ```text
//!            unit 0   unit 1   unit 2   unit 3   unit 4   unit 5   unit 6
//! device 0   aaaaaaaa                   bbbbbbbb                   cccccccc
//! device 1            aaaaaaaa                   bbbbbbbb
//! device 2                     aaaaaaaa                   bbbbbbbb           a, b, c: its first, second, third unit
//! ```
//!
//! The units of a device follow one another on it, so a request reaches a device as one request or not
//! at all. Each volume of the input lies in stripes of its own, from the first device on.

use crate::error::Error;
use crate::request::{BATCH, Flags, Input, Op, Request, RequestSource, Wrapping};
use crate::units::{Bytes, Nanos};
use rustc_hash::FxHashSet;
use serde::{Deserialize, Serialize};

/// Devices of an array at most.
pub const MOST_DEVICES: u32 = 1 << 16;

/// Stripes are whole sectors.
const SECTOR_BYTES: u64 = 512;

/// The longest stripe.
const LONGEST_STRIPE_BYTES: u64 = 1 << 40;

/// Batches that are read for one of a device at most, if that has a request already.
const MOST_READ: usize = 1024;

/// How bytes lie on the devices of an array.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub struct Stripes {
    devices: Divisor,
    unit: Divisor,
}

/// One of the devices.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub struct Shard {
    device: u32,
    stripes: Stripes,
}

crate::text_value!(Shard, "DEVICE/DEVICES:STRIPE, as 0/4:64KiB");

impl Stripes {
    /// An array of `devices` that takes bytes in units of `stripe`.
    ///
    /// # Errors
    /// A message with what was found and what was expected.
    pub fn new(devices: u64, stripe: Bytes) -> Result<Self, String> {
        if devices == 0 || devices > u64::from(MOST_DEVICES) {
            return Err(format!("found {devices} devices, expected 1 to {MOST_DEVICES}"));
        }
        if stripe.0 == 0
            || stripe.0 > LONGEST_STRIPE_BYTES
            || !stripe.0.is_multiple_of(SECTOR_BYTES)
        {
            let most = Bytes(LONGEST_STRIPE_BYTES);
            return Err(format!(
                "found a stripe of {stripe}, expected a multiple of {SECTOR_BYTES} B up to {most}"
            ));
        }
        Ok(Self { devices: Divisor::new(devices), unit: Divisor::new(stripe.0) })
    }

    /// Devices.
    #[must_use]
    pub fn devices(&self) -> u32 {
        // At most `MOST_DEVICES`.
        self.devices.by as u32
    }

    /// Bytes that a device takes before the next one has its turn.
    #[must_use]
    pub fn stripe(&self) -> Bytes {
        Bytes(self.unit.by)
    }

    /// The first and the last unit of a request.
    #[inline]
    fn units(&self, request: &Request) -> (u64, u64) {
        let (first, start) = self.unit.split(request.offset);
        let length = u64::from(request.length);
        if start + length <= self.unit.by {
            return (first, first);
        }
        (first, self.unit.split(request.offset + length - 1).0)
    }

    /// What a device gets of a request, at the same time.
    #[inline]
    #[must_use]
    pub fn part(&self, device: u32, request: &Request) -> Option<Request> {
        if request.op == Op::Flush {
            return Some(*request);
        }
        let device = u64::from(device);
        let (first, last) = self.units(request);
        let (mut row, place) = self.devices.split(first);
        if first == last && place != device {
            return None;
        }
        // The first unit of the request that lies on the device.
        let from = if device >= place {
            first + device - place
        } else {
            first + self.devices.by - place + device
        };
        if from > last {
            return None;
        }
        row += u64::from(device < place);
        let start = if from == first { request.offset - first * self.unit.by } else { 0 };
        // The last one, and what is behind the request in it.
        let (last_row, last_place) = self.devices.split(last);
        let rows = last_row - u64::from(last_place < device) - row;
        let used = request.end() - last * self.unit.by;
        let behind = if last_place == device { self.unit.by - used } else { 0 };
        let offset = row * self.unit.by + start;
        let length = (rows + 1) * self.unit.by - start - behind;
        // At most that of the request.
        Some(Request { offset, length: length as u32, ..*request })
    }

    /// Bytes of a device of an array of `bytes`.
    #[must_use]
    pub fn share(&self, device: u32, bytes: u64) -> u64 {
        let row = self.unit.by * self.devices.by;
        let before = u64::from(device) * self.unit.by;
        let rest = (bytes % row).saturating_sub(before).min(self.unit.by);
        bytes / row * self.unit.by + rest
    }
}

impl Shard {
    /// A device of an array.
    ///
    /// # Errors
    /// A message with what was found and what was expected.
    pub fn new(device: u64, stripes: Stripes) -> Result<Self, String> {
        match u32::try_from(device) {
            Ok(device) if device < stripes.devices() => Ok(Self { device, stripes }),
            _ => {
                let last = stripes.devices() - 1;
                Err(format!("found device {device}, expected 0 to {last}"))
            }
        }
    }

    /// The number of the device.
    #[must_use]
    pub fn device(&self) -> u32 {
        self.device
    }

    /// The array.
    #[must_use]
    pub fn stripes(&self) -> &Stripes {
        &self.stripes
    }
}

impl TryFrom<String> for Stripes {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        let (devices, stripe) = text.split_once(':').ok_or_else(|| wrong(&text))?;
        let devices = devices.parse().map_err(|_| wrong(&text))?;
        Stripes::new(devices, Bytes::parse(stripe).map_err(|_| wrong(&text))?)
    }
}

impl TryFrom<String> for Shard {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        let (device, stripes) = text.split_once('/').ok_or_else(|| wrong(&text))?;
        let device = device.parse().map_err(|_| wrong(&text))?;
        Shard::new(device, stripes.to_owned().try_into()?)
    }
}

fn wrong(text: &str) -> String {
    format!("found {text:?}, expected DEVICE/DEVICES:STRIPE, as 0/4:64KiB")
}

impl From<Stripes> for String {
    fn from(stripes: Stripes) -> Self {
        format!("{}:{}", stripes.devices(), stripes.stripe())
    }
}

impl From<Shard> for String {
    fn from(Shard { device, stripes }: Shard) -> Self {
        format!("{device}/{}", String::from(stripes))
    }
}

/// A number that others are divided by: mostly a power of two, which takes no division.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Divisor {
    by: u64,
    shift: Option<u32>,
}

impl Divisor {
    fn new(by: u64) -> Self {
        Self { by, shift: by.is_power_of_two().then(|| by.trailing_zeros()) }
    }

    /// Quotient and remainder.
    #[inline]
    fn split(self, number: u64) -> (u64, u64) {
        match self.shift {
            Some(shift) => (number >> shift, number & (self.by - 1)),
            None => (number / self.by, number % self.by),
        }
    }
}

/// The requests of a device, as they are taken from those of the array.
struct Cut {
    shard: Shard,
    /// Handles whose update came with a request that does not reach the device: its next write has it.
    owed: FxHashSet<u16>,
}

impl Cut {
    fn new(shard: Shard) -> Self {
        Self { shard, owed: FxHashSet::default() }
    }

    #[inline]
    fn take(&mut self, request: &Request) -> Option<Request> {
        let Shard { device, stripes } = &self.shard;
        let part = stripes.part(*device, request);
        match part {
            None if request.meta.flags.contains(Flags::UPDATE) => {
                self.owed.insert(request.meta.handle);
                None
            }
            Some(part) if !self.owed.is_empty() && part.op.writes() => Some(self.updating(part)),
            part => part,
        }
    }

    #[cold]
    fn updating(&mut self, mut part: Request) -> Request {
        if self.owed.remove(&part.meta.handle) {
            part.meta.flags = part.meta.flags.with(Flags::UPDATE);
        }
        part
    }
}

/// All devices of an array.
pub(crate) struct Array {
    cuts: Vec<Cut>,
}

impl Array {
    pub(crate) fn new(stripes: Stripes) -> Self {
        let cut = |device| Cut::new(Shard { device, stripes });
        Self { cuts: (0..stripes.devices()).map(cut).collect() }
    }

    /// Gives each device what it gets of a request.
    pub(crate) fn divide(
        &mut self,
        request: &Request,
        mut give: impl FnMut(u32, Request) -> Result<(), Error>,
    ) -> Result<(), Error> {
        let stripes = self.cuts[0].shard.stripes;
        let all = stripes.devices.by;
        let is_for_all = request.op == Op::Flush || request.meta.flags.contains(Flags::UPDATE);
        let (first, count) = match stripes.units(request) {
            _ if is_for_all => (0, all),
            (first, last) => (first % all, (last - first).saturating_add(1).min(all)),
        };
        for device in (first..first + count).map(|device| device % all) {
            if let Some(part) = self.cuts[device as usize].take(request) {
                give(device as u32, part)?;
            }
        }
        Ok(())
    }
}

/// What a device of an array gets of `input`; its first request is at time 0.
#[must_use]
pub fn sharded(input: Box<dyn Input>, shard: Option<Shard>) -> Box<dyn Input> {
    match shard {
        None => input,
        Some(shard) => Box::new(Sharded { input, shard }),
    }
}

struct Sharded {
    input: Box<dyn Input>,
    shard: Shard,
}

impl Wrapping for Sharded {
    fn inner(&self) -> &dyn Input {
        self.input.as_ref()
    }

    fn start(&self) -> Result<Box<dyn RequestSource>, Error> {
        let (source, cut) = (self.input.open()?, Cut::new(self.shard));
        Ok(Box::new(Source { source, cut, read: Vec::new(), next: 0, start: None }))
    }

    fn space(&self) -> Option<u64> {
        let Shard { device, stripes } = self.shard;
        self.input.address_space_bytes().map(|bytes| stripes.share(device, bytes))
    }
}

struct Source {
    source: Box<dyn RequestSource>,
    cut: Cut,
    /// A batch of the array, and the first request of it that has not been looked at.
    read: Vec<Request>,
    next: usize,
    /// Arrival of the first request of the device, once it is known.
    start: Option<Nanos>,
}

impl RequestSource for Source {
    fn fill(&mut self, batch: &mut Vec<Request>) -> Result<(), Error> {
        let from = batch.len();
        for read in 0.. {
            let has_some = batch.len() > from;
            if self.next == self.read.len() {
                if has_some && read >= MOST_READ {
                    break;
                }
                self.read.clear();
                self.next = 0;
                self.source.fill(&mut self.read)?;
                if self.read.is_empty() {
                    return self.check_end(has_some);
                }
            }
            while batch.len() < from + BATCH
                && let Some(request) = self.read.get(self.next)
            {
                self.next += 1;
                if let Some(part) = self.cut.take(request) {
                    let start = *self.start.get_or_insert(part.time);
                    batch.push(part.at(part.time - start));
                }
            }
            if batch.len() == from + BATCH {
                break;
            }
        }
        Ok(())
    }

    fn inner(&self) -> Option<&dyn RequestSource> {
        Some(self.source.as_ref())
    }
}

impl Source {
    fn check_end(&self, has_some: bool) -> Result<(), Error> {
        if has_some || self.start.is_some() {
            return Ok(());
        }
        let shard = String::from(self.cut.shard);
        let message = format!(
            "found {shard}, but no request reaches this device; use fewer devices or a smaller stripe"
        );
        Err(Error::config("input.shard", message))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::request::{Attribute, Meta};
    use crate::rng::Rng;
    use crate::workload::{self, WorkloadConfig};
    use std::collections::BTreeMap;
    use std::sync::Arc;

    fn shard(text: &str) -> Shard {
        Shard::try_from(text.to_owned()).expect("a shard")
    }

    /// What a device gets of these requests.
    fn of_device(text: &str, requests: &[Request]) -> Result<Vec<Request>, Error> {
        let memory: Arc<[Request]> = requests.into();
        sharded(Box::new(memory), Some(shard(text))).open()?.rest()
    }

    /// Some requests of all kinds, in several volumes, also at the end of what can be addressed.
    fn drawn(rng: &mut Rng, count: u64) -> Vec<Request> {
        let request = |time| {
            let op = Op::ALL[rng.below(Op::ALL.len() as u64) as usize];
            let meta = Meta { handle: rng.below(3) as u16, ..Meta::UNSET };
            if op == Op::Flush {
                return Request::flush().at(time);
            }
            let length = 1 + (rng.below(1 << 20) >> rng.below(20)) as u32;
            let highest = if rng.chance(0.1) { u64::MAX - (1 << 20) } else { 1 << 24 };
            let offset = highest - (rng.below(1 << 24) >> rng.below(24));
            Request::new(op, offset, length).at(time).in_volume(rng.below(3) as u32).with_meta(meta)
        };
        (0..count).map(request).collect()
    }

    fn any_stripes(rng: &mut Rng) -> Stripes {
        let (devices, sectors) = (1 + rng.below(40), 1 + (rng.below(1 << 12) >> rng.below(12)));
        Stripes::new(devices, Bytes(sectors * SECTOR_BYTES)).expect("stripes")
    }

    #[test]
    fn the_devices_together_cover_each_byte_once() {
        let mut rng = Rng::new(1, "stripes");
        for _ in 0..300 {
            let (stripes, requests) = (any_stripes(&mut rng), drawn(&mut rng, 40));
            let (unit, devices) = (stripes.stripe().0, u64::from(stripes.devices()));
            for request in &requests {
                // Bytes of the input that the devices have, as (first, end).
                let mut covered = BTreeMap::new();
                for device in 0..stripes.devices() {
                    let Some(part) = stripes.part(device, request) else { continue };
                    assert_eq!((part.time, part.op), (request.time, request.op));
                    assert_eq!((part.volume, part.meta), (request.volume, request.meta));
                    if request.op == Op::Flush {
                        assert_eq!(part, *request);
                        continue;
                    }
                    let mut at = part.offset;
                    while at < part.end() {
                        let end = part.end().min((at / unit + 1) * unit);
                        let first = (at / unit * devices + u64::from(device)) * unit + at % unit;
                        assert!(covered.insert(first, first + (end - at)).is_none());
                        at = end;
                    }
                }
                let mut next = request.offset;
                for (first, end) in covered {
                    assert_eq!(first, next, "{stripes:?} {request:?}");
                    next = end;
                }
                assert_eq!(next, request.end(), "{stripes:?} {request:?}");
            }
        }
    }

    #[test]
    fn dividing_gives_each_device_what_it_takes_alone() {
        let mut rng = Rng::new(2, "stripes");
        for _ in 0..50 {
            let (stripes, mut requests) = (any_stripes(&mut rng), drawn(&mut rng, 200));
            for request in requests.iter_mut().filter(|each| each.op.writes()).step_by(3) {
                request.meta.flags = Flags::UPDATE;
            }
            let mut divided = vec![Vec::new(); stripes.devices() as usize];
            let mut array = Array::new(stripes);
            for request in &requests {
                let give = |device: u32, part| {
                    divided[device as usize].push(part);
                    Ok(())
                };
                array.divide(request, give).expect("parts");
            }
            for (device, divided) in (0..).zip(divided) {
                let mut cut = Cut::new(Shard { device, stripes });
                let alone: Vec<_> = requests.iter().filter_map(|each| cut.take(each)).collect();
                assert_eq!(divided, alone);
            }
        }
    }

    #[test]
    fn one_device_has_all_and_begins_at_time_zero() {
        let config = WorkloadConfig { requests: Some(10_000), ..WorkloadConfig::default() };
        let open = || workload::open(&config, 1).expect("a workload");
        let all = open().open().and_then(|mut source| source.rest()).expect("requests");
        let one = sharded(open(), Some(shard("0/1:64KiB")));
        assert_eq!(one.open().and_then(|mut source| source.rest()).expect("requests"), all);
        let late: Vec<_> = all.iter().map(|each| each.at(each.time + 7)).collect();
        assert_eq!(of_device("0/1:512", &late).expect("requests"), all);
    }

    #[test]
    fn a_handle_is_updated_on_each_device_before_its_next_write() {
        let write = |block: u64, handle, update: bool| {
            let flags = if update { Flags::UPDATE } else { Flags::default() };
            let meta = Meta { handle, flags, ..Meta::UNSET };
            Request::new(Op::Write, block * 4096, 4096).with_meta(meta)
        };
        let requests =
            [write(0, 1, true), write(1, 2, false), write(3, 1, false), write(1, 1, false)];
        let updates = |device: &str| -> Vec<bool> {
            let found = of_device(device, &requests).expect("requests");
            found.iter().map(|each| each.meta.flags.contains(Flags::UPDATE)).collect()
        };
        assert_eq!(updates("0/2:4KiB"), [true]);
        assert_eq!(updates("1/2:4KiB"), [false, true, false]);
    }

    #[test]
    fn the_shares_of_devices_are_the_whole() {
        let mut rng = Rng::new(3, "stripes");
        for _ in 0..200 {
            let (stripes, bytes) = (any_stripes(&mut rng), rng.below(1 << 40) >> rng.below(30));
            let shares = (0..stripes.devices()).map(|device| stripes.share(device, bytes));
            assert_eq!(shares.sum::<u64>(), bytes);
        }
    }

    #[test]
    fn a_device_that_no_request_reaches_is_a_mistake() {
        let requests = [Request::new(Op::Read, 0, 4096)];
        let message = of_device("1/2:4KiB", &requests).unwrap_err().to_string();
        assert!(message.starts_with("input.shard: found 1/2:4KiB, but no request"), "{message}");
        let hinted: Arc<[Request]> =
            Arc::new([requests[0].with_meta(Meta { handle: 1, ..Meta::UNSET })]);
        let input = sharded(Box::new(hinted), Some(shard("0/2:4KiB")));
        assert!(input.attributes().has(Attribute::Hint));
    }

    #[test]
    fn texts_are_read_and_mistakes_told() {
        for text in ["0/1:512", "3/32:64KiB", "65535/65536:1TiB"] {
            let again = String::from(shard(text));
            assert_eq!(shard(&again), shard(text), "{again}");
        }
        for (text, expected) in [
            ("", "expected DEVICE/DEVICES:STRIPE"),
            ("3", "expected DEVICE/DEVICES:STRIPE"),
            ("0/4", "expected DEVICE/DEVICES:STRIPE"),
            ("-1/4:64KiB", "expected DEVICE/DEVICES:STRIPE"),
            ("0/4:", "expected DEVICE/DEVICES:STRIPE"),
            ("4/4:64KiB", "found device 4, expected 0 to 3"),
            ("0/0:64KiB", "found 0 devices, expected 1 to 65536"),
            ("0/65537:64KiB", "found 65537 devices"),
            ("0/4:0", "found a stripe of 0"),
            ("0/4:100", "expected a multiple of 512 B"),
            ("0/4:2TiB", "up to 1TiB"),
        ] {
            let message = Shard::try_from(text.to_owned()).expect_err(text);
            assert!(message.contains(expected), "{text}: {message}");
        }
    }
}
