//! TPFTL's models of address translation, and ours with merged updates, against runs.

use crate::bench::{config, percent_off};
use ftlab::catalog::Catalog;
use ftlab::model::translation::{Prediction, Terms};
use ftlab::session::run;
use serde_json::{Value, json};

/// Workloads of 512 MiB.
fn workloads() -> [(&'static str, Value); 5] {
    let pattern = |pattern: &str, sizes: Value| {
        json!({"workload": {"pattern": pattern, "size": "512MiB", "requests": 250_000,
            "read_share": "30%", "align": "4k", "bs_mix": sizes}})
    };
    let profile = |name: &str| json!({"input": {"trace": name, "requests": 250_000}});
    [
        ("uniform", pattern("randrw", json!([["4k", 1]]))),
        ("zipf", pattern("zipf", json!([["4k", 1]]))),
        ("mixed sizes", pattern("randrw", json!([["4k", 6], ["16k", 3], ["64k", 1]]))),
        ("financial1", profile("financial1")),
        ("financial2", profile("financial2")),
    ]
}

/// DFTL and TPFTL on TPFTL's device, full and aged.
fn predictions() -> Vec<(String, Prediction)> {
    let mut predictions = Vec::new();
    for (name, workload) in workloads() {
        let mut tree = json!({
            "preset": "tpftl-eurosys15",
            "device": {"capacity": "512MiB"},
            "run": {"warmup": "random:1", "address": "modulo"},
        });
        let sections = workload.as_object().expect("sections").clone();
        tree.as_object_mut().expect("a table").extend(sections);
        for report in run(&Catalog::standard(), &config(&tree), &["dftl", "tpftl"], &mut |_| Ok(()))
            .expect("a run")
        {
            let result = serde_json::to_value(&report).expect("a tree");
            let prediction = Prediction::of_result(&result).expect("a device in full use");
            predictions.push((format!("{name} {}", report.ftl), prediction));
        }
    }
    predictions
}

fn amplification(terms: &Terms) -> f64 {
    terms.write_amplification.expect("writes")
}

/// The paper charges one update of the map for each moved page whose mapping is not cached. Pages of
/// one translation page that are moved together are one update, so the paper errs upwards; expecting
/// how many translation pages occur takes more than half of the error away, on average. What a miss
/// costs needs no expectation: each replaced dirty entry is one write-back.
#[test]
#[ignore = "long: part of make test-long"]
fn merged_updates_halve_the_error_of_tpftls_write_amplification() {
    let (mut paper, mut merged) = (0.0, 0.0);
    for (name, prediction) in predictions() {
        let measured = prediction.measured.expect("a run");
        let translation = percent_off(prediction.merged.translation_us, measured.translation_us);
        assert!(translation.abs() < 0.1, "{name}: T_at is {translation} % off");
        let [published, ours] = [prediction.paper, prediction.merged]
            .map(|terms| percent_off(amplification(&terms), amplification(&measured)));
        let counted = amplification(&measured);
        eprintln!("{name:<18} {counted:6.3}  paper {published:+5.1} %  merged {ours:+5.1} %");
        assert!(published > 10.0, "{name}: the paper is {published} % off");
        paper += published;
        merged += ours.abs();
    }
    assert!(merged < paper / 2.0, "the sum is {merged} %, the paper's {paper} %");
}
