//! Three exact traces of writes: a stationary Zipf load, a hot range that moves, and a mixture with a circular log.
//!
//! Their random numbers are those of splitmix64.

/// A request: the first page, and how many.
pub type Request = (u32, u32);

/// splitmix64, from which the upper halves are drawn.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    fn below(&mut self, end: u32) -> u32 {
        (((self.next() >> 32) * u64::from(end)) >> 32) as u32
    }
}

/// Every page once, in requests of 16.
fn filled(pages: u32) -> Vec<Request> {
    (0..pages).step_by(16).map(|first| (first, 16.min(pages - first))).collect()
}

/// Every page once in order, then single pages, Zipf 1.0 over a shuffled order.
pub fn zipf(pages: u32, writes: u32, seed: u64) -> Vec<Request> {
    let mut random = Random(seed);
    let mut requests: Vec<Request> = (0..pages).map(|page| (page, 1)).collect();
    let mut order: Vec<u32> = (0..pages).collect();
    for i in (1..pages).rev() {
        order.swap(i as usize, random.below(i + 1) as usize);
    }
    let mut sum = 0.0;
    let sums: Vec<f64> = (0..pages)
        .map(|rank| {
            sum += 1.0 / f64::from(rank + 1);
            sum
        })
        .collect();
    for _ in 0..writes {
        let drawn = (random.next() >> 11) as f64 / 9_007_199_254_740_992.0 * sum;
        let rank = sums.partition_point(|below| *below <= drawn);
        requests.push((order[rank.min(pages as usize - 1)], 1));
    }
    requests
}

/// Every page once, then one to eight pages: 80 % begin in a hot tenth, which moves eight times.
pub fn shift(pages: u32, writes: u32, seed: u64) -> Vec<Request> {
    let mut random = Random(seed);
    let mut requests = filled(pages);
    let (hot, mut base) = (pages / 10, 0);
    for i in 0..writes {
        if i % (writes / 8) == 0 {
            base = random.below(pages - hot);
        }
        let count = 1 + random.below(8);
        let first = match random.below(100) < 80 {
            true => base + random.below(hot),
            false => random.below(pages),
        };
        requests.push((first, count.min(pages - first)));
    }
    requests
}

/// Every page once, then half of the requests four pages of a circular log, and others single pages, most of them hot.
pub fn mixed(pages: u32, writes: u32, seed: u64) -> Vec<Request> {
    let mut random = Random(seed);
    let mut requests = filled(pages);
    let (log, hot, mut head) = (pages / 4, pages / 32, 0);
    for _ in 0..writes {
        match random.below(100) {
            0..50 => {
                requests.push((head, 4));
                head = (head + 4) % log;
            }
            50..90 => requests.push((log + random.below(hot), 1)),
            _ => requests.push((log + hot + random.below(pages - log - hot), 1)),
        }
    }
    requests
}

/// Requests of up to half of all pages.
pub fn large(pages: u32, writes: u32, seed: u64) -> Vec<Request> {
    let mut random = Random(seed);
    let mut requests = filled(pages);
    for _ in 0..writes {
        let first = random.below(pages);
        requests.push((first, (1 + random.below(pages / 2)).min(pages - first)));
    }
    requests
}
