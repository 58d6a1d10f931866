//! One pass tells what simulated LRU mapping caches of ten sizes hit, to the access.

use ftlab::catalog::Catalog;
use ftlab::config::Config;
use ftlab::mapping_curve::mapping_curve;
use ftlab::math::powf;
use ftlab::session;
use serde_json::{Value, json};
use std::path::PathBuf;

const ENTRY_BYTES: u64 = 8;

fn config(tree: &Value) -> Config {
    Catalog::standard().resolve(tree.as_object().expect("a table")).expect("a configuration")
}

/// Ten sizes from one entry to all pages, in equal ratios.
fn sizes(pages: u64) -> [u64; 10] {
    std::array::from_fn(|at| powf(pages as f64, at as f64 / 9.0).round() as u64)
}

fn equals_simulation(tree: &Value) {
    let found = mapping_curve(&config(tree), &mut |_| Ok(())).expect("a curve");
    let curve = found.curve;
    assert_eq!(curve.step(), 1, "exact");
    for entries in sizes(curve.pages()) {
        let mut tree = tree.clone();
        tree["ftl"] = json!({"cache": ENTRY_BYTES * entries});
        tree["dftl"] = json!({"replacement": "lru"});
        let reports =
            session::run(&Catalog::standard(), &config(&tree), &["dftl"], &mut |_| Ok(()))
                .expect("a run");
        let mapping = reports[0].mapping.as_ref().expect("a mapping cache");
        assert_eq!(curve.accesses(), mapping.lookups, "{tree}");
        let hits = curve.hits()[(entries as usize).min(curve.hits().len() - 1)];
        assert_eq!(hits, mapping.hits as f64, "{tree}");
    }
}

#[test]
#[ignore = "long: part of make test-long"]
fn a_model_and_each_way_to_lay_out_volumes() {
    let input = json!({"trace": "financial1", "requests": 30_000});
    for (address, device) in
        [("compact", json!({})), ("overlay", json!({})), ("modulo", json!({"capacity": "64MiB"}))]
    {
        let run = json!({"address": address});
        equals_simulation(&json!({"input": input, "run": run, "device": device}));
    }
}

#[test]
fn long_requests_and_one_access_for_each() {
    let workload = json!({"pattern": "randrw", "bs_mix": [["4k", 3], ["64k", 1]], "align": "512",
        "size": "32MiB", "requests": 20_000});
    for split in ["pages", "single"] {
        let page = json!({"page": "2k"});
        equals_simulation(&json!({"workload": workload, "host": {"split": split}, "device": page}));
    }
}

/// Trims look their mappings up, too.
#[test]
fn trims() {
    let path = std::env::temp_dir().join(format!("ftlab-{}-trims.csv", std::process::id()));
    let mut text = String::from("time,op,offset,length\n");
    let mut state = 1_u64;
    for time in 0..20_000 {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        let (op, page) = (["r", "w", "w", "t"][(state >> 60) as usize % 4], (state >> 33) % 3000);
        text += &format!("{time},{op},{},{}\n", 4096 * page + 512 * (page % 3), 4096 * 3);
    }
    std::fs::write(&path, text).expect("a file");
    let columns = "time=time:us,offset=offset,length=length,op=op";
    let input = json!({"trace": path.to_str(), "format": "csv", "columns": columns});
    equals_simulation(&json!({"input": input}));
    let _ = std::fs::remove_file(path);
}

#[test]
fn real_traces() {
    let Some(folder) = std::env::var_os("FTLAB_TRACES").map(PathBuf::from) else {
        let required = std::env::var("FTLAB_TRACES_REQUIRED").is_ok_and(|value| value == "1");
        assert!(!required, "FTLAB_TRACES must name the folder of real traces");
        eprintln!("NOT RUN: FTLAB_TRACES does not name a folder of real traces");
        return;
    };
    for name in ["Financial1.first10000.spc.zst", "MSR_prxy_0.first20000.csv.zst"] {
        equals_simulation(&json!({"input": {"trace": folder.join(name).to_str()}}));
    }
}
