//! The job of three streams of WARP (FAST 2026), scaled: what three fio jobs write to a drive that was trimmed.
//!
//! Handle 0 fills nine tenths in order and then loops over them. Handle 1 writes the last tenth at random. A third stream
//! writes to the nine tenths by handle 2. The mix of bytes is that of the artifact's logs.

use crate::generator::{Random, Step};
use ftlab::math::powf;

/// What the third stream draws.
#[derive(Clone, Copy, Debug)]
pub enum Third {
    Zipf(f64),
    /// fio's `zoned:80/20:10/20:10/60`.
    Zoned,
    Uniform,
}

/// Draws pages of a stream.
enum Draw {
    /// The share of draws up to each rank. fio hashes ranks, so that some pages are never written.
    Zipf(Vec<f64>),
    Zoned,
    Uniform,
}

impl Draw {
    fn of(third: Third, pages: u32) -> Draw {
        match third {
            Third::Zoned => Draw::Zoned,
            Third::Uniform => Draw::Uniform,
            Third::Zipf(theta) => {
                let mut sum = 0.0;
                let sums = (1..=pages).map(|rank| {
                    sum += powf(rank.into(), -theta);
                    sum
                });
                Draw::Zipf(sums.collect())
            }
        }
    }

    fn next(&self, pages: u32, random: &mut Random) -> u32 {
        match self {
            Draw::Uniform => random.below(pages),
            Draw::Zoned => {
                let zone = random.below(100);
                let (first, share) = match zone {
                    0..80 => (0, 20),
                    80..90 => (20, 20),
                    _ => (40, 60),
                };
                let at = |percent: u32| (u64::from(pages) * u64::from(percent) / 100) as u32;
                at(first) + random.below(at(first + share) - at(first))
            }
            Draw::Zipf(sums) => {
                let all = sums.last().expect("a page");
                let drawn = f64::from(random.below(u32::MAX)) / f64::from(u32::MAX) * all;
                let rank = sums.partition_point(|sum| *sum <= drawn) as u64;
                Random(rank).below(pages)
            }
        }
    }
}

/// Writes of so many pages in all, by three streams or with one handle fewer.
pub fn steps(pages: u32, third: Third, writes: u64, seed: u64) -> impl Iterator<Item = Step> {
    let mut random = Random(seed);
    let looped = pages / 10 * 9;
    let draw = Draw::of(third, looped);
    let mut next = 0;
    (0..writes).map(move |write| {
        if write < u64::from(looped) {
            return (write as u32, Some(0));
        }
        let tail = |random: &mut Random| (looped + random.below(pages - looped), Some(1));
        if write < u64::from(pages) {
            return tail(&mut random);
        }
        match random.below(100) {
            0..58 => {
                next = (next + 1) % looped;
                (next, Some(0))
            }
            58..79 => tail(&mut random),
            _ => (draw.next(looped, &mut random), Some(2)),
        }
    })
}
