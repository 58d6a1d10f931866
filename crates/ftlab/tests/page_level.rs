//! The Financial models beside MNFTL's page-level column (Table 2): how many pages a collector finds
//! valid is a fact about which pages are written again, as that FTL caches no mappings.

use ftlab::address::{AddressMap, AddressPolicy};
use ftlab::catalog::Catalog;
use ftlab::request::{Op, extents};
use ftlab::session;
use ftlab::workload;
use serde_json::json;
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::PathBuf;

/// Bytes of MNFTL's logical space.
const SPACE: u64 = 1 << 30;

/// The first requests of a profile as a trace: volumes side by side, then modulo the space. With the
/// volumes laid over each other the old Financial1 had a fourth of the published copies.
fn side_by_side(profile: &str, requests: u64) -> PathBuf {
    let input = workload::profile(profile, Some(requests), 1).expect("a profile");
    let measured =
        extents(&mut *input.open().expect("a stream"), &mut |_, _| Ok(())).expect("extents");
    let map = AddressMap::new(AddressPolicy::Compact, &measured.extents, None).expect("a map");
    let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("{profile}.spc"));
    let mut file = BufWriter::new(File::create(&path).expect("a file"));
    let mut source = input.open().expect("a stream");
    let mut batch = Vec::new();
    loop {
        batch.clear();
        source.fill(&mut batch).expect("requests");
        if batch.is_empty() {
            file.flush().expect("a file");
            return path;
        }
        for request in &batch {
            let sector = map.map(request.volume, request.offset, request.length).0 % SPACE / 512;
            let op = if request.op == Op::Read { 'r' } else { 'w' };
            let seconds = request.time as f64 / 1e9;
            writeln!(file, "0,{sector},{},{op},{seconds:.6}", request.length).expect("a line");
        }
    }
}

/// Data pages that the collector copied, and blocks erased.
fn copies_and_erases(profile: &str, requests: u64) -> (u64, u64) {
    let tree = json!({
        "preset": "mnftl-dac11",
        "input": { "trace": side_by_side(profile, requests) },
        "run": { "address": "modulo" },
    });
    let catalog = Catalog::standard();
    let config = catalog.resolve(tree.as_object().expect("a table")).expect("a configuration");
    let report = &session::run(&catalog, &config, &["page"], &mut |_| Ok(())).expect("a run")[0];
    (report.flash.programs["gc_data"], report.wear.erases_total)
}

fn assert_within(found: u64, published: u64, share: f64, what: &str) {
    let apart = found as f64 / published as f64 - 1.0;
    assert!(apart.abs() <= share, "{what}: found {found}, published {published}, {apart:+.2}");
}

/// New pages come as seldom as at the beginning of the real trace. To have all of the published copies, more of them
/// would have to come later.
#[test]
#[ignore = "long: part of make test-long"]
fn financial1_erases_as_published_and_copies_half() {
    let (copies, erases) = copies_and_erases("financial1", 1_333_747);
    assert_within(copies, 220_166, 0.55, "copies");
    assert_within(erases, 5_554, 0.25, "erases");
}

#[test]
#[ignore = "long: part of make test-long"]
fn financial2_copies_and_erases_as_published() {
    let (copies, erases) = copies_and_erases("financial2", 3_699_194);
    assert_within(copies, 5_856, 0.25, "copies");
    assert_within(erases, 796, 0.25, "erases");
}
