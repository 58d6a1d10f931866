//! Exact streams of page writes with placement handles, made of splitmix64.

/// A page that is written with a handle, or trimmed.
pub type Step = (u32, Option<u16>);

/// With a handle: it is updated before the write.
pub const UPDATE: u16 = 1 << 15;

/// splitmix64, of which the high half of a product is drawn.
pub struct Random(pub u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    pub fn below(&mut self, end: u32) -> u32 {
        ((u128::from(self.next()) * u128::from(end)) >> 64) as u32
    }
}

/// A loop over the first `looped` pages by handle 0, uniform writes of the others by handle 1, and of the first by
/// handle 2, after each page was written once. Of a hundred writes `of_loop` and `of_rest` are of the first two kinds.
pub fn three(
    seed: u64,
    pages: u32,
    looped: u32,
    writes: u32,
    of_loop: u32,
    of_rest: u32,
) -> Vec<Step> {
    let mut random = Random(seed);
    let mut steps: Vec<Step> =
        (0..pages).map(|page| (page, Some(u16::from(page >= looped)))).collect();
    let mut next = 0;
    for _ in 0..writes {
        let kind = random.below(100);
        steps.push(if kind < of_loop {
            next += 1;
            ((next - 1) % looped, Some(0))
        } else if kind < of_loop + of_rest {
            (looped + random.below(pages - looped), Some(1))
        } else {
            (random.below(looped), Some(2))
        });
    }
    steps
}

/// Hot pages by handle 0 and cold ones by handle 1; of a hundred writes `of_hot` are of hot pages.
pub fn hot_and_cold(seed: u64, pages: u32, hot: u32, writes: u32, of_hot: u32) -> Vec<Step> {
    let mut random = Random(seed);
    let mut steps: Vec<Step> =
        (0..pages).map(|page| (page, Some(u16::from(page >= hot)))).collect();
    for _ in 0..writes {
        steps.push(match random.below(100) < of_hot {
            true => (random.below(hot), Some(0)),
            false => (hot + random.below(pages - hot), Some(1)),
        });
    }
    steps
}

/// Pages by their place, low ones more often; of a hundred steps `trims` are trims.
pub fn nested(seed: u64, pages: u32, handles: u32, steps: u32, trims: u32) -> Vec<Step> {
    let mut random = Random(seed);
    let write = |page: u32| (page, Some((page * handles / pages) as u16));
    let mut all: Vec<Step> = (0..pages).map(write).collect();
    for _ in 0..steps {
        all.push(match random.below(100) < trims {
            true => (random.below(pages), None),
            false => {
                let below = random.below(pages) + 1;
                write(random.below(below))
            }
        });
    }
    all
}

/// Steps of which some writes update their handle before.
pub fn with_updates(seed: u64, of_hundred: u32, steps: Vec<Step>) -> Vec<Step> {
    let mut random = Random(seed);
    let mut updated = |handle: u16| match random.below(100) < of_hundred {
        true => handle | UPDATE,
        false => handle,
    };
    steps.into_iter().map(|(page, handle)| (page, handle.map(&mut updated))).collect()
}
