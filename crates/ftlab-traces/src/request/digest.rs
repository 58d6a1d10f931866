//! A fingerprint of decoded requests, so that a result can say what it was run on.

use super::Request;

/// A stable 64-bit hash over requests in their order: equal for equal requests, whatever file,
/// format or compression they came from. It guards against mix-ups, not against an adversary.
///
/// The code of [`Digest::add`] is its definition. It may not change: results carry the value.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Digest {
    state: u64,
    requests: u64,
}

const K1: u64 = 0x9e37_79b9_7f4a_7c15;
const K2: u64 = 0xbf58_476d_1ce4_e5b9;
const K3: u64 = 0x94d0_49bb_1331_11eb;
const K4: u64 = 0xff51_afd7_ed55_8ccd;
const K5: u64 = 0xc4ce_b9fe_1a85_ec53;

impl Digest {
    /// Adds the next request.
    #[inline]
    pub fn add(&mut self, request: &Request) {
        let tail = u64::from(request.length) | u64::from(request.op.code()) << 32;
        // Independent products: only the last step waits for the request before.
        let word = request.time.wrapping_mul(K1)
            ^ request.offset.wrapping_mul(K2).rotate_left(32)
            ^ tail.wrapping_mul(K3).rotate_left(16)
            ^ u64::from(request.volume).wrapping_mul(K4).rotate_left(48)
            // Nothing where no attribute is set.
            ^ request.meta.bits().wrapping_mul(K5).rotate_left(24);
        self.state = (self.state ^ word).rotate_left(29).wrapping_mul(K4);
        self.requests += 1;
    }

    /// The hash of all requests added so far.
    #[must_use]
    pub fn value(&self) -> u64 {
        let mut hash = self.state ^ self.requests.wrapping_mul(K1);
        hash = (hash ^ hash >> 32).wrapping_mul(K2);
        hash ^ hash >> 29
    }

    /// The hash as 16 hexadecimal digits.
    #[must_use]
    pub fn text(&self) -> String {
        format!("{:016x}", self.value())
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Flags, Lifetime, Meta, Op};
    use super::*;

    fn digest(requests: &[Request]) -> String {
        let mut digest = Digest::default();
        requests.iter().for_each(|request| digest.add(request));
        digest.text()
    }

    #[test]
    fn every_field_and_the_order_count() {
        let a = Request::new(Op::Read, 4096, 512);
        let others = [
            Request { time: 1, ..a },
            Request { offset: 8192, ..a },
            Request { length: 1024, ..a },
            Request { volume: 1, ..a },
            Request { volume: 1 << 30, ..a },
            Request { volume: 1 << 31, ..a },
            Request { op: Op::Write, ..a },
            Request { op: Op::Trim, ..a },
            a.with_meta(Meta { handle: 1, ..Meta::UNSET }),
            a.with_meta(Meta { handle: 1 << 15, ..Meta::UNSET }),
            a.with_meta(Meta { initiator: 1, ..Meta::UNSET }),
            a.with_meta(Meta { lifetime: Lifetime::Short, ..Meta::UNSET }),
            a.with_meta(Meta { flags: Flags::PREFETCH, ..Meta::UNSET }),
        ];
        for (i, b) in others.iter().enumerate() {
            assert_ne!(digest(&[a]), digest(&[*b]), "{b:?}");
            assert_ne!(digest(&[a, *b]), digest(&[*b, a]), "{b:?}");
            for c in &others[..i] {
                assert_ne!(digest(&[*c]), digest(&[*b]), "{c:?} {b:?}");
            }
        }
        assert_ne!(digest(&[]), digest(&[a]));
    }

    #[test]
    fn the_value_never_changes() {
        let a = Request::new(Op::Write, 4096, 512).at(7).in_volume(3);
        assert_eq!(digest(&[a, a]), "9fdb2e695da58d14");
        let b = a.with_meta(Meta { handle: 3, ..Meta::UNSET });
        assert_eq!(digest(&[a, b]), "31473845375efdc7");
    }
}
