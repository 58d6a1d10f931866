//! Requests in memory, mostly in less than half of the room that they take in a list.
//!
//! ```text
//! request = widths (2 bytes) numbers (0 to 25 bytes) attributes (0 to 6 bytes)
//!
//! time since the request before | first byte | length and kind | volume, if another than before
//! ```
//!
//! Each of the four numbers takes as many bytes as it needs, which are its four bits of the widths.
//! The last two numbers need five bytes at most. The highest bits of their widths hold how many bytes of
//! the attributes differ from the request before, by the place in [`META_BYTES`].

use super::{BATCH, Meta, Op, Request, RequestSource};
use crate::error::Error;
use std::sync::Arc;

/// Bits of the kind of a request, below its length.
const OP_BITS: u32 = 3;
const _: () = assert!(Op::ALL.len() <= 1 << OP_BITS, "kinds of requests fit into their bits");

/// How many bytes the attributes take that are others than before: mostly one, of a handle below 256.
const META_BYTES: [usize; 4] = [0, 1, 2, 6];

/// Bits of the widths that hold a place in [`META_BYTES`].
const META_BITS: u16 = 0x88;

/// Requests in the order in which they were added.
#[derive(Clone, Debug, Default)]
pub struct Packed {
    bytes: Vec<u8>,
    last: Last,
}

/// What is told of the next request by how it differs.
#[derive(Clone, Copy, Debug, Default)]
struct Last {
    time: u64,
    volume: u32,
    meta: Meta,
}

impl Packed {
    /// Bytes that the requests take.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.bytes.len()
    }

    /// Adds a request.
    pub fn push(&mut self, &Request { time, offset, length, volume, op, meta }: &Request) {
        let since = time.wrapping_sub(self.last.time);
        let length_and_op = u64::from(length) << OP_BITS | u64::from(op.code());
        let other_volume = volume ^ self.last.volume;
        let other_meta = meta.bits() ^ self.last.meta.bits();
        self.last = Last { time, volume, meta };
        let mut packed = [0; 2 + 5 * 8];
        let (mut widths, mut end) = (0, 2);
        for number in [since, offset, length_and_op, other_volume.into()] {
            let width = (u64::BITS - number.leading_zeros()).div_ceil(8);
            widths = widths << 4 | width as u16;
            packed[end..end + 8].copy_from_slice(&number.to_le_bytes());
            end += width as usize;
        }
        if other_meta != 0 {
            let bytes = (u64::BITS - other_meta.leading_zeros()).div_ceil(8) as usize;
            let place = META_BYTES.partition_point(|fits| *fits < bytes);
            widths |= (place as u16 & 1) << 3 | (place as u16 & 2) << 6;
            packed[end..end + 8].copy_from_slice(&other_meta.to_le_bytes());
            end += META_BYTES[place];
        }
        packed[..2].copy_from_slice(&widths.to_le_bytes());
        self.bytes.extend_from_slice(&packed[..end]);
    }
}

/// A pass over packed requests.
pub fn unpacked<Requests>(requests: Arc<Requests>) -> Box<dyn RequestSource>
where
    Requests: AsRef<Packed> + Send + Sync + 'static,
{
    Box::new(Unpacked { requests, at: 0, last: Last::default() })
}

struct Unpacked<Requests> {
    requests: Arc<Requests>,
    /// Where the next request begins.
    at: usize,
    last: Last,
}

impl<Requests: AsRef<Packed> + Send + Sync> RequestSource for Unpacked<Requests> {
    fn fill(&mut self, batch: &mut Vec<Request>) -> Result<(), Error> {
        let bytes = &self.requests.as_ref().as_ref().bytes;
        for _ in 0..BATCH {
            if self.at == bytes.len() {
                break;
            }
            batch.push(unpack(bytes, &mut self.at, &mut self.last));
        }
        Ok(())
    }

    fn progress(&self) -> Option<f64> {
        let all = self.requests.as_ref().as_ref().bytes();
        Some(self.at as f64 / all.max(1) as f64)
    }
}

/// The request that begins at `at`, which is moved behind it.
#[inline]
fn unpack(bytes: &[u8], at: &mut usize, last: &mut Last) -> Request {
    let widths = word(bytes, *at) as u16;
    *at += 2;
    let numbers = widths & !META_BITS;
    let [since, offset, length_and_op, other_volume] =
        [12, 8, 4, 0].map(|shift| number(bytes, at, usize::from(numbers >> shift & 15)));
    if widths != numbers {
        let place = widths >> 3 & 1 | widths >> 6 & 2;
        let other_meta = number(bytes, at, META_BYTES[usize::from(place)]);
        last.meta = Meta::of_bits(last.meta.bits() ^ other_meta);
    }
    last.time = last.time.wrapping_add(since);
    last.volume ^= other_volume as u32;
    let op = Op::of_code(length_and_op as u8 & ((1 << OP_BITS) - 1)).unwrap_or(Op::Read);
    Request::new(op, offset, (length_and_op >> OP_BITS) as u32)
        .at(last.time)
        .in_volume(last.volume)
        .with_meta(last.meta)
}

/// The number of `width` bytes at `at`, which is moved behind it.
#[inline]
fn number(bytes: &[u8], at: &mut usize, width: usize) -> u64 {
    let number = word(bytes, *at) & u64::MAX.checked_shr(u64::BITS - 8 * width as u32).unwrap_or(0);
    *at += width;
    number
}

/// The next eight bytes, with zeros behind the last.
#[inline]
fn word(bytes: &[u8], at: usize) -> u64 {
    if let Some(word) = bytes.get(at..).and_then(<[u8]>::first_chunk) {
        return u64::from_le_bytes(*word);
    }
    let mut word = [0; 8];
    let rest = &bytes[at..];
    word[..rest.len()].copy_from_slice(rest);
    u64::from_le_bytes(word)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::Rng;

    #[test]
    fn what_was_packed_comes_back() {
        let mut rng = Rng::new(1, "packed");
        // As wide as any number may be, and as narrow.
        let mut any = || rng.below(u64::MAX) >> rng.below(64);
        let mut packed = Packed::default();
        let requests: Vec<Request> = (0..20_000)
            .map(|number| {
                let op = Op::ALL[number % Op::ALL.len()];
                let volume = if number % 3 == 0 { any() as u32 } else { 7 };
                let bits = if number % 5 == 0 { any() } else { 7 };
                let meta = Meta::of_bits(bits);
                Request::new(op, any(), any() as u32).at(any()).in_volume(volume).with_meta(meta)
            })
            .collect();
        requests.iter().for_each(|request| packed.push(request));
        assert_eq!(unpacked(Arc::new(Whole(packed))).rest().expect("memory"), requests);
    }

    #[test]
    fn a_request_of_a_trace_takes_less_than_half_of_its_room() {
        let mut packed = Packed::default();
        for number in 0..1000 {
            let (time, offset) = (100_000 * number, (number * 7919 % 1000) << 30);
            packed.push(&Request::new(Op::Write, offset, 65_536).at(time).in_volume(3));
        }
        let room = 1000 * size_of::<Request>();
        assert!(2 * packed.bytes() < room, "{} of {room}", packed.bytes());
    }

    #[test]
    fn attributes_take_room_only_where_they_change() {
        let bytes = |handles: &[u16]| {
            let mut packed = Packed::default();
            for &handle in handles {
                let meta = Meta { handle, ..Meta::UNSET };
                packed.push(&Request::new(Op::Write, 4096, 4096).with_meta(meta));
            }
            packed.bytes()
        };
        let plain = bytes(&[0; 4]);
        assert_eq!(plain, 4 * (2 + 2 + 2));
        assert_eq!(bytes(&[3; 4]), plain + 1);
        assert_eq!(bytes(&[0, 3, 0, 300]), plain + 1 + 1 + 2);
    }

    struct Whole(Packed);

    impl AsRef<Packed> for Whole {
        fn as_ref(&self) -> &Packed {
            &self.0
        }
    }
}
