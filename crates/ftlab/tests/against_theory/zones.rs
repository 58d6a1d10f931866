//! Write amplification under two zones, against the published table of SSD-iq and against the optimum.
//!
//! A share `z` of the pages gets `1 - z` of the writes and the rest gets `z`, at scattered addresses. The table (Haas et
//! al., PVLDB 18, 2025) is of 2048 blocks of 2048 pages at a fill of 87.5 %. Here blocks have 512 pages, and there is one
//! block more, which is in reserve.

use crate::bench::{config, page, percent_off, serve, warm, write_amplification};
use ftlab::ftl::page::PageFtl;
use ftlab::model::greedy_gc::Class;
use ftlab::model::separation::optimum;
use ftlab::request::Op;
use ftlab::rng::Rng;
use ftlab::simulate::Simulator;
use serde_json::json;

const LOGICAL_BLOCKS: u32 = 224;
const PAGES: u32 = 512;
const FILL: f64 = 0.875;

/// What is measured: a policy, and where copies go.
#[derive(Clone, Copy, Debug)]
struct Scheme {
    policy: &'static str,
    copies: &'static str,
}

const GREEDY: Scheme = Scheme { policy: "greedy", copies: "shared" };
const TWO_REGIONS: Scheme = Scheme { policy: "2r-greedy", copies: "own" };
const TWO_REGIONS_FIFO: Scheme = Scheme { policy: "2r-fifo", copies: "own" };

/// Write amplification over the last of some rounds of as many writes as there are pages.
fn measure(scheme: Scheme, zone: f64, rounds: u32) -> f64 {
    let blocks = (f64::from(LOGICAL_BLOCKS) / FILL) as u32 + 1;
    let config = config(&json!({
        "device": { "blocks": blocks, "pages_per_block": PAGES },
        "gc": {
            "policy": scheme.policy, "copies": scheme.copies, "low": 1, "high": 2, "mode": "single",
        },
        "run": { "warmup": "sequential" },
    }));
    let mut simulation = warm::<PageFtl>(&config, LOGICAL_BLOCKS);
    let logical = LOGICAL_BLOCKS * PAGES;
    let mut rng = Rng::new(1, "zones");
    let mut pages: Vec<u32> = (0..logical).collect();
    for last in (1..logical).rev() {
        pages.swap(last as usize, rng.below(u64::from(last) + 1) as usize);
    }
    let cold = (f64::from(logical) * zone).round() as u64;
    for round in 0..rounds {
        if round + 1 == rounds {
            simulation.start_measuring();
        }
        for _ in 0..logical {
            let rank = match rng.chance(zone) {
                true => cold + rng.below(u64::from(logical) - cold),
                false => rng.below(cold),
            };
            serve(&mut simulation, &page(Op::Write, pages[rank as usize]));
        }
    }
    write_amplification(&simulation)
}

/// The least that any separation writes, of greedy in blocks of this size.
fn least(zone: f64) -> f64 {
    let zones =
        [Class { pages: zone, writes: 1.0 - zone }, Class { pages: 1.0 - zone, writes: zone }];
    optimum(FILL, &zones, Some(PAGES)).expect("two zones").write_amplification
}

fn check(scheme: Scheme, zones: &[(f64, f64)], rounds: u32, percent: f64) {
    for &(zone, published) in zones {
        let (found, least) = (measure(scheme, zone, rounds), least(zone));
        let off = percent_off(found, published);
        eprintln!(
            "{:<10} {zone:.2} {found:8.4} {published:8.4} ({off:+.2} %), least {least:.4}",
            scheme.policy
        );
        assert!(off.abs() <= percent, "{scheme:?} at {zone}: {found}, published {published}");
        assert!(
            percent_off(found, least) >= -0.5,
            "{scheme:?} at {zone}: {found}, at least {least}"
        );
    }
}

#[test]
fn greedy_in_zones_is_the_published_one() {
    check(GREEDY, &[(0.5, 4.1730), (0.8, 4.5151)], 6, 1.0);
}

#[test]
fn two_regions_in_zones_are_near_the_published_ones() {
    check(TWO_REGIONS, &[(0.8, 4.4090)], 8, 2.0);
    check(TWO_REGIONS_FIFO, &[(0.8, 4.1195)], 8, 3.0);
}

/// All zones, each in its steady state.
#[test]
#[ignore = "minutes"]
fn every_zone_of_the_published_table() {
    let zones = [0.5, 0.6, 0.7, 0.8, 0.9, 0.95];
    let table = [
        (GREEDY, [4.1730, 4.2029, 4.2967, 4.5151, 5.1116, 5.9038]),
        (TWO_REGIONS, [4.1843, 4.2138, 4.2962, 4.4090, 4.4401, 4.4128]),
        (TWO_REGIONS_FIFO, [4.1860, 4.2018, 4.1821, 4.1195, 2.5052, 2.0550]),
    ];
    for (scheme, published) in table {
        let zones: Vec<(f64, f64)> = zones.into_iter().zip(published).collect();
        check(scheme, &zones, 20, 10.0);
    }
}
