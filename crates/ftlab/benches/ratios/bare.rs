//! The bare loop: a page map, a reverse map, greedy GC over linked buckets, a serial clock.

use crate::contest::Run;
use crate::machine::cost;
use ftlab::request::{Op, Request};

const PER_BLOCK: usize = 64;
const NONE: u32 = u32::MAX;

struct Bare {
    map: Vec<u32>,
    reverse: Vec<u32>,
    valid: Vec<u32>,
    previous: Vec<u32>,
    next: Vec<u32>,
    heads: Vec<u32>,
    free: Vec<u32>,
    open: u32,
    page: usize,
    fewest: usize,
    clock: u64,
    operations: u64,
}

/// One pass over `requests`, after one pass of warm-up as writes.
pub fn run(requests: &[Request], capacity: u64) -> Run {
    let mut bare = Bare::new((capacity / 4096) as usize);
    bare.pass(requests, |_| true);
    bare.operations = 0;
    let cost = cost(|| bare.pass(requests, |op| op == Op::Write));
    std::hint::black_box((bare.clock, &bare.map));
    Run { operations: bare.operations, cost }
}

impl Bare {
    fn new(pages: usize) -> Self {
        let blocks = pages / PER_BLOCK * 115 / 100;
        let mut free: Vec<u32> = (0..blocks as u32).rev().collect();
        Bare {
            map: vec![NONE; pages],
            reverse: vec![NONE; blocks * PER_BLOCK],
            valid: vec![0; blocks],
            previous: vec![NONE; blocks],
            next: vec![NONE; blocks],
            heads: vec![NONE; PER_BLOCK + 1],
            open: free.pop().expect("blocks"),
            free,
            page: 0,
            fewest: 0,
            clock: 0,
            operations: 0,
        }
    }

    fn pass(&mut self, requests: &[Request], is_write: impl Fn(Op) -> bool) {
        for request in requests {
            let (first, last) = (request.offset / 4096, (request.end() - 1) / 4096);
            for lpn in first as u32..=last as u32 {
                if is_write(request.op) {
                    self.write(lpn);
                } else {
                    self.clock += u64::from(self.map[lpn as usize] != NONE) * 25_000;
                    self.operations += 1;
                }
            }
        }
    }

    #[inline]
    fn write(&mut self, lpn: u32) {
        if self.page == PER_BLOCK {
            self.next_block();
            while self.free.len() < 4 {
                self.collect();
            }
        }
        let old = self.map[lpn as usize];
        if old != NONE {
            let block = old as usize / PER_BLOCK;
            self.reverse[old as usize] = NONE;
            self.valid[block] -= 1;
            if block as u32 != self.open {
                self.unlink(block, self.valid[block] as usize + 1);
                self.link(block);
            }
        }
        self.append(lpn);
        self.clock += 200_000;
        self.operations += 1;
    }

    #[inline]
    fn append(&mut self, lpn: u32) {
        let ppn = self.open * PER_BLOCK as u32 + self.page as u32;
        self.page += 1;
        self.map[lpn as usize] = ppn;
        self.reverse[ppn as usize] = lpn;
        self.valid[self.open as usize] += 1;
    }

    fn next_block(&mut self) {
        self.link(self.open as usize);
        self.open = self.free.pop().expect("spare blocks");
        self.page = 0;
    }

    fn collect(&mut self) {
        while self.heads[self.fewest] == NONE {
            self.fewest += 1;
        }
        let victim = self.heads[self.fewest] as usize;
        self.unlink(victim, self.fewest);
        for page in victim * PER_BLOCK..(victim + 1) * PER_BLOCK {
            let lpn = self.reverse[page];
            if lpn != NONE {
                if self.page == PER_BLOCK {
                    self.next_block();
                }
                self.append(lpn);
                self.reverse[page] = NONE;
                self.clock += 225_000;
                self.operations += 2;
            }
        }
        self.valid[victim] = 0;
        self.clock += 1_500_000;
        self.operations += 1;
        self.free.push(victim as u32);
    }

    #[inline]
    fn link(&mut self, block: usize) {
        let bucket = self.valid[block] as usize;
        let head = self.heads[bucket];
        self.previous[block] = NONE;
        self.next[block] = head;
        if head != NONE {
            self.previous[head as usize] = block as u32;
        }
        self.heads[bucket] = block as u32;
        self.fewest = self.fewest.min(bucket);
    }

    #[inline]
    fn unlink(&mut self, block: usize, bucket: usize) {
        let (previous, next) = (self.previous[block], self.next[block]);
        match previous {
            NONE => self.heads[bucket] = next,
            previous => self.next[previous as usize] = next,
        }
        if next != NONE {
            self.previous[next as usize] = previous;
        }
    }
}
