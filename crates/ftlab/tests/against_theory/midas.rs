//! `MiDAS` on 1 GiB, against a run of its authors' simulator.
//!
//! 2^30 bytes for 10^9, in segments of 2 MiB: every page once in order, then 976,560 writes by Zipf's law, five times
//! over. The simulator keeps four segments free, as `gc.low = 4` does. Its search runs in a thread, which was made
//! synchronous for that run.

#[path = "../volume/generator.rs"]
#[allow(dead_code)] // other tests use the rest
mod generator;

use crate::bench::{config, page, percent_off, serve, simulation, write_amplification};
use ftlab::ftl::Ftl;
use ftlab::ftl::page::PageFtl;
use ftlab::request::Op;
use ftlab::simulate::Simulator;
use serde_json::json;

const PAGES: u32 = 244_140;
const WRITES: u32 = 976_560;

#[test]
#[ignore = "a minute"]
fn midas_finds_the_groups_of_its_authors_simulator() {
    let config = config(&json!({
        "device": { "blocks": 512, "pages_per_block": 512 },
        "gc": { "low": 4, "high": 5 },
        "ftl": { "separation": "midas" },
    }));
    // 476.84 blocks hold data; addresses end at a whole block.
    let mut simulation = simulation::<PageFtl>(&config, 477);
    simulation.start_measuring();
    let requests = generator::zipf(PAGES, WRITES, 11);
    let (fill, zipf) = requests.split_at(PAGES as usize);
    for (first, _) in fill.iter().chain((0..5).flat_map(|_| zipf)) {
        serve(&mut simulation, &page(Op::Write, *first));
    }
    let found = write_amplification(&simulation);
    let own = simulation.ftl().metrics().own;
    let blocks: Vec<u64> =
        (0..own["midas.groups"]).map(|group| own[&*format!("midas.blocks_{group}")] + 1).collect();
    eprintln!("write amplification {found:.4}, blocks with open ones {blocks:?}");
    assert!(percent_off(found, 3.975).abs() <= 3.0, "{found}");
    let expected = [4, 13, 20, 28, 443];
    assert_eq!(blocks.len(), expected.len(), "{blocks:?}");
    for (found, expected) in blocks.iter().zip(expected) {
        assert!(found.abs_diff(expected) <= 2, "{blocks:?}");
    }
}
