//! Draws reads and writes in exact numbers.
//!
//! The odds of each request are corrected by the reads and writes that are left. Counts over the
//! full length are exact, and each request has its share (selection sampling, Knuth 3.4.2 S, with
//! unequal odds). Beyond the full length it begins again.

use super::file::Length;
use crate::request::Op;
use crate::rng::Rng;

/// The reads and writes that are left.
#[derive(Clone, Debug)]
pub(super) struct Ops {
    reads: u64,
    writes: u64,
    reads_left: u64,
    writes_left: u64,
    rng: Rng,
}

impl Ops {
    pub(super) fn new(length: &Length, seed: u64) -> Self {
        let (reads, writes) = (length.reads, length.writes);
        let rng = Rng::new(seed, "ops");
        Ops { reads, writes, reads_left: reads, writes_left: writes, rng }
    }

    /// The operation of a request that writes with this probability, times these odds.
    #[inline]
    pub(super) fn draw(&mut self, writes: f64, odds: f64) -> Op {
        // odds = share / (1 - share), times (left : left) / (all : all), written without division
        // by a value that may be 0.
        let for_write = writes * odds * self.writes_left as f64 * self.reads as f64;
        let for_read = (1.0 - writes) * self.reads_left as f64 * self.writes as f64;
        let write = match (self.reads_left, self.writes_left) {
            (0, _) => true,
            (_, 0) => false,
            _ => self.rng.unit() * (for_write + for_read) < for_write,
        };
        let left = if write { &mut self.writes_left } else { &mut self.reads_left };
        *left -= 1;
        if self.reads_left + self.writes_left == 0 {
            (self.reads_left, self.writes_left) = (self.reads, self.writes);
        }
        if write { Op::Write } else { Op::Read }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::units::Duration;

    #[test]
    fn operations_come_out_exactly_whatever_is_asked() {
        for (reads, writes) in [(300, 700), (1, 999), (1000, 0), (0, 1000)] {
            for share in [0.0, 0.04, 0.7, 1.0] {
                let length = Length { reads, writes, duration: Duration(0) };
                let mut ops = Ops::new(&length, 9);
                for _ in 0..3 {
                    let drawn = (0..reads + writes).map(|_| ops.draw(share, 1.0));
                    assert_eq!(drawn.filter(|op| *op == Op::Read).count() as u64, reads);
                }
            }
        }
    }
}
