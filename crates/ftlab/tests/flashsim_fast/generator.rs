//! Cases drawn by a 64-bit linear congruential generator, and small ones that are written down.

use super::rows;

/// A request, in sectors of 512 B.
#[derive(Clone, Copy, Debug)]
pub struct Access {
    pub sector: u64,
    pub sectors: u64,
    pub is_read: bool,
}

/// A case: a device, and its requests.
pub struct Case {
    pub name: &'static str,
    pub data: u64,
    pub log: u64,
    pub pages: u64,
    /// Whether each request is served as a write before measurement.
    pub warmup: bool,
    traffic: Traffic,
}

enum Traffic {
    /// `w0-3 r2`: writes and reads of pages.
    Small(&'static str),
    Drawn {
        kind: Kind,
        seed: u64,
        used: u64,
        requests: u64,
    },
}

/// How often a request is of each shape, in 100, and is a read.
#[derive(Clone, Copy)]
struct Kind {
    shares: [u64; 6],
    reads: u64,
    /// Single pages, all drawn alike.
    single: bool,
    /// Starts and lengths are no multiples of a page.
    odd: bool,
}

impl Kind {
    /// From the first page of a block on; after the last run; inside it; a little behind it; one page of the first
    /// eighth; one to four pages anywhere.
    fn of(name: &str) -> Kind {
        let (shares, reads) = match name {
            "random" | "single" => ([0, 0, 0, 0, 0, 100], 0),
            "hot" => ([0, 0, 0, 0, 80, 20], 20),
            "sequence" => ([40, 60, 0, 0, 0, 0], 0),
            "swmerge" => ([30, 40, 15, 15, 0, 0], 10),
            "mixed" | "odd" => ([15, 20, 5, 5, 30, 25], 30),
            _ => panic!("no kind {name}"),
        };
        Kind { shares, reads, single: name == "single", odd: name == "odd" }
    }
}

/// Knuth's multiplier; the upper half of the state is used.
struct Generator(u64);

impl Generator {
    fn below(&mut self, limit: u64) -> u64 {
        let product = self.0.wrapping_mul(6_364_136_223_846_793_005);
        self.0 = product.wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % limit
    }
}

/// All cases.
pub fn cases() -> Vec<Case> {
    let number = |text: &str| text.parse().expect("a number");
    let drawn = rows(include_str!("drawn.csv")).map(|row| Case {
        name: row[0],
        data: number(row[3]),
        log: number(row[4]),
        pages: number(row[5]),
        warmup: row[8] == "1",
        traffic: Traffic::Drawn {
            kind: Kind::of(row[1]),
            seed: number(row[2]),
            used: number(row[6]),
            requests: number(row[7]),
        },
    });
    let small = rows(include_str!("small.csv")).map(|row| Case {
        name: row[0],
        data: number(row[1]),
        log: number(row[2]),
        pages: number(row[3]),
        warmup: false,
        traffic: Traffic::Small(row[4]),
    });
    drawn.chain(small).collect()
}

/// Sectors of a page.
const SECTORS: u64 = 4;

impl Case {
    /// Its requests.
    pub fn accesses(&self) -> Vec<Access> {
        match self.traffic {
            Traffic::Small(text) => text.split(' ').map(written_down).collect(),
            Traffic::Drawn { kind, seed, used, requests } => {
                let mut accesses = Vec::new();
                if !self.warmup {
                    // The program stops at a read of a block that was never written.
                    let half = SECTORS * (self.pages / 2);
                    let first = |block| SECTORS * self.pages * block;
                    accesses.extend((0..used).map(|block| write(first(block), half)));
                }
                let mut drawing =
                    Drawing { kind, pages: used * self.pages, block: self.pages, run: (0, 0) };
                let mut generator = Generator(seed);
                for _ in 0..requests {
                    let access = drawing.next(&mut generator);
                    // FlashSim's front end makes the first request a write.
                    accesses
                        .push(Access { is_read: access.is_read && !accesses.is_empty(), ..access });
                }
                accesses
            }
        }
    }
}

const fn write(sector: u64, sectors: u64) -> Access {
    Access { sector, sectors, is_read: false }
}

fn written_down(text: &str) -> Access {
    let (op, pages) = text.split_at(1);
    let (first, last) = pages.split_once('-').unwrap_or((pages, pages));
    let [first, last]: [u64; 2] = [first, last].map(|page| page.parse().expect("a page"));
    Access { is_read: op == "r", ..write(SECTORS * first, SECTORS * (last - first + 1)) }
}

struct Drawing {
    kind: Kind,
    pages: u64,
    block: u64,
    /// First page of the last run, and the page behind it.
    run: (u64, u64),
}

impl Drawing {
    fn next(&mut self, draw: &mut Generator) -> Access {
        let (shape, first, count) = self.shape(draw);
        let first = first % self.pages;
        let count = count.min(self.pages - first);
        if matches!(shape, 0 | 1 | 3) {
            self.run.1 = first + count;
        }
        let is_read = draw.below(100) < self.kind.reads;
        let (mut sector, mut sectors) = (SECTORS * first, SECTORS * count);
        if self.kind.odd {
            sector += draw.below(SECTORS);
            sectors = sectors.saturating_sub(draw.below(8)).max(1);
            sectors = sectors.min(SECTORS * self.pages - sector);
        }
        Access { is_read, ..write(sector, sectors) }
    }

    /// The number of the shape, the first page, and pages.
    fn shape(&mut self, draw: &mut Generator) -> (usize, u64, u64) {
        if self.kind.single {
            return (5, draw.below(self.pages), 1);
        }
        let mut percent = draw.below(100);
        let mut shape = 0;
        while percent >= self.kind.shares[shape] {
            percent -= self.kind.shares[shape];
            shape += 1;
        }
        let (begin, end) = self.run;
        let (first, count) = match shape {
            0 => {
                self.run.0 = draw.below(self.pages / self.block) * self.block;
                (self.run.0, 1 + draw.below(self.block))
            }
            1 => (end, 1 + draw.below((self.block / 2).max(1))),
            2 => (begin + draw.below(end.saturating_sub(begin).max(1)), 1),
            3 => (end + 1 + draw.below(4), 1 + draw.below(3)),
            4 => (draw.below((self.pages / 8).max(1)), 1),
            _ => (draw.below(self.pages), 1 + draw.below(4)),
        };
        (shape, first, count)
    }
}
