//! Write amplification under uniform random writes of single pages, against mean-field theory.
//!
//! Which settings are theory's devices:
//!
//! * `copies = shared, mode = single, low = r` is the device with one open block and `r` in reserve:
//!   when the block is full and `r` are free, the last free block is opened for the copies of one
//!   victim, which then becomes the free one; host writes fill the rest.
//! * `copies = own, mode = single, low = t` is the device with separate open blocks that collects
//!   while at most `t` blocks are free. `mode = batch, high = t + 1` is the same device.
//!
//! In both the block just filled is closed, and becomes a candidate, only when the next is opened;
//! theory closes it before. That is one block in a thousand.

use crate::bench::{
    config, copies_and_erases, page, percent_off, serve, simulation, warm, warm_up,
    write_amplification, write_uniformly,
};
use ftlab::config::Config;
use ftlab::ftl::page::PageFtl;
use ftlab::model::greedy_gc::{self, Utilization};
use ftlab::request::Op;
use ftlab::rng::Rng;
use ftlab::simulate::{Simulation, Simulator};
use ftlab::warmup::WINDOWS;
use serde_json::json;

/// A victim policy with the name of its setting.
#[derive(Clone, Copy, Debug)]
enum Victim {
    Greedy,
    Fifo,
    Random,
    Choices(u32),
}

impl Victim {
    fn setting(self) -> (&'static str, u32) {
        match self {
            Victim::Greedy => ("greedy", 1),
            Victim::Fifo => ("fifo", 1),
            Victim::Random => ("random", 1),
            Victim::Choices(d) => ("d-choices", d),
        }
    }

    fn theory(self, u: f64, pages_per_block: u32) -> f64 {
        match self {
            Victim::Greedy => greedy_gc::greedy(u, pages_per_block),
            Victim::Fifo => greedy_gc::fifo(u),
            Victim::Random => greedy_gc::random(u),
            Victim::Choices(d) => greedy_gc::d_choices(u, pages_per_block, d),
        }
    }
}

/// One device: spare factor, pages per block, number of blocks, blocks in reserve.
#[derive(Clone, Copy, Debug)]
struct Point {
    victim: Victim,
    spare: f64,
    pages: u32,
    blocks: u32,
    reserve: u32,
}

impl Point {
    fn logical_blocks(&self) -> u32 {
        (f64::from(self.blocks) * (1.0 - self.spare)).round() as u32
    }

    fn logical_pages(&self) -> u32 {
        self.logical_blocks() * self.pages
    }

    /// After a sequential fill and two random rounds, in which the error falls to 0.2 %.
    fn config(&self, copies: &str, mode: &str, high: u32, seed: u64) -> Config {
        let (policy, choices) = self.victim.setting();
        config(&json!({
            "device": {"blocks": self.blocks, "pages_per_block": self.pages},
            "gc": {"policy": policy, "choices": choices, "low": self.reserve, "high": high,
                   "copies": copies, "mode": mode},
            "run": {"warmup": "random:2", "seed": seed},
        }))
    }

    /// Write amplification over four device capacities of writes, the mean over seeds.
    fn measure(&self, copies: &str, seeds: u64) -> f64 {
        let mut sum = 0.0;
        for seed in 1..=seeds {
            let config = self.config(copies, "single", self.reserve + 1, seed);
            let mut simulation = warm::<PageFtl>(&config, self.logical_blocks());
            let writes = 4 * u64::from(self.blocks * self.pages);
            write_uniformly(&mut simulation, writes, &mut Rng::new(seed, "writes"));
            sum += write_amplification(&simulation);
        }
        sum / seeds as f64
    }

    /// Prints a line and checks `lower x below <= found <= upper x above`.
    fn check(&self, found: f64, range: Utilization, [below, above]: [f64; 2]) {
        let [lower, upper] = [range.least, range.most].map(|u| self.victim.theory(u, self.pages));
        eprintln!(
            "{:<12} {:.3} {:>4} {:>5} {:>2}   {found:8.4}   {lower:8.4} ({:+.2} %) {upper:8.4} \
             ({:+.2} %)",
            format!("{:?}", self.victim),
            self.spare,
            self.pages,
            self.blocks,
            self.reserve,
            percent_off(found, lower),
            percent_off(found, upper),
        );
        assert!(found >= lower * below, "{self:?}: found {found}, at least {lower}");
        assert!(found <= upper * above, "{self:?}: found {found}, at most {upper}");
    }
}

fn heading(title: &str) {
    eprintln!(
        "{title}\nvictim       spare pages blocks r   measured   lower bound        upper bound"
    );
}

#[test]
#[ignore = "long: part of make test-long"]
fn with_a_shared_open_block_write_amplification_is_theorys() {
    heading("copies = shared");
    let point = |victim, spare, pages, blocks| Point { victim, spare, pages, blocks, reserve: 1 };
    for point in [
        point(Victim::Greedy, 0.07, 64, 1024),
        point(Victim::Greedy, 0.10, 64, 1024),
        point(Victim::Greedy, 0.20, 64, 1024),
        point(Victim::Greedy, 0.30, 64, 1024),
        point(Victim::Greedy, 0.50, 64, 1024),
        point(Victim::Greedy, 0.07, 128, 1024),
        point(Victim::Greedy, 0.25, 128, 1024),
        point(Victim::Greedy, 0.15, 256, 1024),
        point(Victim::Greedy, 0.40, 256, 1024),
        Point { reserve: 8, ..point(Victim::Greedy, 0.15, 64, 1024) },
        point(Victim::Fifo, 0.07, 64, 1024),
        point(Victim::Fifo, 0.25, 128, 1024),
        point(Victim::Fifo, 0.50, 64, 1024),
        point(Victim::Choices(2), 0.07, 64, 1024),
        point(Victim::Choices(2), 0.25, 64, 1024),
        point(Victim::Choices(10), 0.10, 64, 1024),
        point(Victim::Choices(10), 0.25, 128, 1024),
    ] {
        let measured = point.measure("shared", 1);
        let range = greedy_gc::shared_frontier(
            point.logical_pages(),
            point.blocks,
            point.pages,
            point.reserve,
        );
        point.check(measured, range, [0.995, 1.005]);
    }
}

/// The rule of `steady-random`, from an empty device: what is measured then is theory's, and nothing
/// like the write amplification of the first window.
#[test]
#[ignore = "long: part of make test-long"]
fn random_writes_until_steady_reach_theorys_write_amplification() {
    heading("copies = shared; warm-up until steady");
    for (victim, spare, pages) in [
        (Victim::Greedy, 0.07, 64),
        (Victim::Greedy, 0.15, 128),
        (Victim::Greedy, 0.30, 64),
        (Victim::Fifo, 0.15, 64),
        (Victim::Choices(2), 0.15, 64),
    ] {
        let point = Point { victim, spare, pages, blocks: 1024, reserve: 1 };
        let mut config = point.config("shared", "single", 2, 1);
        config.run.warmup = "steady-random".parse().expect("a mode");
        let mut simulation = simulation::<PageFtl>(&config, point.logical_blocks());
        let warmup = warm_up(&mut simulation);
        assert_eq!(warmup.steady, Some(true), "{warmup:?}");
        let writes = 4 * u64::from(point.blocks * point.pages);
        write_uniformly(&mut simulation, writes, &mut Rng::new(1, "writes"));
        let found = write_amplification(&simulation);
        let range = greedy_gc::shared_frontier(point.logical_pages(), 1024, pages, 1);
        point.check(found, range, [0.995, 1.005]);
        let windows = warmup.windows.expect("a warm-up by rule");
        assert!(windows[0] < 0.95 * found, "{point:?} was steady at once: {windows:?}");
        assert!(windows.len() < 10, "{point:?} took long: {windows:?}");
        let last = windows.last_chunk::<WINDOWS>().expect("five windows");
        let mean = last.iter().sum::<f64>() / WINDOWS as f64;
        assert!(
            (mean / found - 1.0).abs() < 0.025,
            "{point:?}: {mean} in the warm-up, then {found}"
        );
    }
}

/// Random selection mixes slowly: 2 %, and several seeds.
#[test]
#[ignore = "long: part of make test-long"]
fn with_random_victims_write_amplification_is_the_inverse_of_spare() {
    heading("copies = shared");
    for (spare, pages, seeds) in [(0.07, 64, 1), (0.15, 128, 1), (0.30, 64, 4), (0.50, 64, 4)] {
        let point = Point { victim: Victim::Random, spare, pages, blocks: 1024, reserve: 1 };
        let measured = point.measure("shared", seeds);
        let range = greedy_gc::shared_frontier(point.logical_pages(), 1024, pages, 1);
        point.check(measured, range, [0.98, 1.02]);
    }
}

#[test]
#[ignore = "long: part of make test-long"]
fn with_separate_open_blocks_write_amplification_is_between_the_bounds() {
    heading("copies = own");
    for (spare, pages, blocks, reserve) in [
        (0.07, 64, 1024, 1),
        (0.10, 64, 1024, 4),
        (0.10, 128, 1024, 1),
        (0.20, 64, 256, 2),
        (0.20, 64, 1024, 1),
        (0.20, 256, 512, 1),
        (0.30, 64, 1024, 2),
        (0.50, 128, 512, 1),
    ] {
        let point = Point { victim: Victim::Greedy, spare, pages, blocks, reserve };
        let measured = point.measure("own", 1);
        let range = greedy_gc::separate_frontiers(point.logical_pages(), blocks, pages, reserve);
        point.check(measured, range, [0.995, 1.01]);
    }
}

/// Nine writes in ten go to the first tenth of the pages, the others to the rest.
fn write_hot_and_cold(simulation: &mut Simulation<PageFtl>, writes: u64, rng: &mut Rng) {
    let logical = u64::from(simulation.flash().geometry().logical_pages);
    let hot = logical / 10;
    for _ in 0..writes {
        let lpn = match rng.below(10) {
            0 => hot + rng.below(logical - hot),
            _ => rng.below(hot),
        };
        serve(simulation, &page(Op::Write, lpn as u32));
    }
}

/// At equal spare space and with greedy victims (choices.md#gc-batch), 1.86 for batches and 2.18 for
/// copies interleaved with host writes in one open block. It takes skewed writes to see it: batches
/// fill whole blocks with copies, which are cold, and so separate hot from cold as an open block for
/// copies does. Under uniform writes nothing is colder, and a batch only lowers the spare space.
#[test]
fn interleaved_copies_cost_more_than_batches_when_writes_are_skewed() {
    let point = Point { victim: Victim::Greedy, spare: 0.25, pages: 64, blocks: 1024, reserve: 1 };
    let writes = 4 * u64::from(point.blocks * point.pages);
    eprintln!("copies mode   high  uniform  hot and cold");
    let measure = |copies, mode, high| {
        let config = point.config(copies, mode, high, 1);
        let mut uniform = warm::<PageFtl>(&config, point.logical_blocks());
        let mut skewed = uniform.clone();
        write_uniformly(&mut uniform, writes, &mut Rng::new(1, "writes"));
        let mut rng = Rng::new(1, "writes");
        write_hot_and_cold(&mut skewed, writes, &mut rng);
        skewed.start_measuring();
        write_hot_and_cold(&mut skewed, writes, &mut rng);
        let found = [&uniform, &skewed].map(write_amplification);
        eprintln!("{copies:<6} {mode:<6} {high:>4} {:8.4} {:8.4}", found[0], found[1]);
        (found, [&uniform, &skewed].map(copies_and_erases))
    };
    let (interleaved, _) = measure("shared", "single", 2);
    let (batched, _) = measure("shared", "batch", 2);
    let (long_batches, _) = measure("shared", "batch", 8);
    let (_, own_single) = measure("own", "single", 2);
    let (own, own_batch) = measure("own", "batch", 2);
    assert_eq!(own_single, own_batch, "with own blocks, a batch up to low + 1 is one block");
    let [uniform, skewed] = [0, 1].map(|k| batched[k] / interleaved[k]);
    assert!((1.0..1.005).contains(&uniform), "uniform writes hardly see the mode: {uniform}");
    assert!((0.85..0.95).contains(&skewed), "skewed writes like batches: {skewed}");
    assert!(long_batches[0] > batched[0] && long_batches[1] < batched[1], "{long_batches:?}");
    assert!(own[1] < batched[1], "an open block for copies separates best: {own:?}");
}

/// The share in use within 0.8 %, write amplification at `u` times it.
#[test]
fn trims_act_as_spare_space() {
    heading("copies = shared; a share of the operations trims a page in use");
    for (spare, trims) in [(0.10, 0.1), (0.10, 0.3), (0.25, 0.2)] {
        let point = Point { victim: Victim::Greedy, spare, pages: 64, blocks: 1024, reserve: 1 };
        let config = point.config("shared", "single", 2, 1);
        let mut simulation = warm::<PageFtl>(&config, point.logical_blocks());
        let mut in_use = InUse::all(point.logical_pages());
        let mut rng = Rng::new(1, "trims");
        let writes = 4 * u64::from(point.blocks * point.pages);
        trim_and_write(&mut simulation, trims, writes, &mut in_use, &mut rng);
        simulation.start_measuring();
        trim_and_write(&mut simulation, trims, writes, &mut in_use, &mut rng);
        simulation.check();
        let share = in_use.pages.len() as f64 / f64::from(point.logical_pages());
        let expected = greedy_gc::in_use_with_trims(trims);
        eprintln!("trims {trims:.1}: in use {share:.4}, theory {expected:.4}");
        assert!((share / expected - 1.0).abs() < 0.008, "in use {share}, theory {expected}");
        let logical = (expected * f64::from(point.logical_pages())).round() as u32;
        let range = greedy_gc::shared_frontier(logical, point.blocks, point.pages, 1);
        point.check(write_amplification(&simulation), range, [0.995, 1.005]);
    }
}

/// The logical pages that hold data, any of which can be drawn.
struct InUse {
    pages: Vec<u32>,
    positions: Vec<Option<usize>>,
}

impl InUse {
    fn all(pages: u32) -> Self {
        InUse { pages: (0..pages).collect(), positions: (0..pages as usize).map(Some).collect() }
    }

    fn insert(&mut self, lpn: u32) {
        if self.positions[lpn as usize].is_none() {
            self.positions[lpn as usize] = Some(self.pages.len());
            self.pages.push(lpn);
        }
    }

    fn take_any(&mut self, rng: &mut Rng) -> u32 {
        let at = rng.below(self.pages.len() as u64) as usize;
        let lpn = self.pages.swap_remove(at);
        self.positions[lpn as usize] = None;
        if let Some(moved) = self.pages.get(at) {
            self.positions[*moved as usize] = Some(at);
        }
        lpn
    }
}

fn trim_and_write(
    simulation: &mut Simulation<PageFtl>,
    trims: f64,
    mut writes: u64,
    in_use: &mut InUse,
    rng: &mut Rng,
) {
    let logical = in_use.positions.len() as u64;
    while writes > 0 {
        if rng.chance(trims) {
            let lpn = in_use.take_any(rng);
            serve(simulation, &page(Op::Trim, lpn));
        } else {
            let lpn = rng.below(logical) as u32;
            in_use.insert(lpn);
            serve(simulation, &page(Op::Write, lpn));
            writes -= 1;
        }
    }
}
