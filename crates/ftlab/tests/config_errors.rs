//! A wrong configuration gets one line: the key, what was found, what was expected.

use ftlab::catalog::Catalog;
use ftlab::error::Error;
use ftlab::flash::Device;

/// Resolves a configuration and builds an FTL on the device, which is small by default.
fn build(ftl: &str, json: &str) -> Result<(), Error> {
    let config = Catalog::standard().resolve(&serde_json::from_str(json).expect("JSON"))?;
    let capacity = config.device.capacity.map_or(16 << 20, |bytes| bytes.0);
    let mut flash = Device::new(&config.device, capacity)?;
    let catalog = Catalog::standard();
    let entry = catalog.find(ftl)?;
    entry.build(&config, &mut flash)?;
    config.buffer_manager(&flash, entry.spec.keeps_writes).map(drop)
}

fn message(ftl: &str, json: &str) -> String {
    let error = build(ftl, json).expect_err(json);
    error.to_string()
}

/// Each case and its message.
fn told(cases: &[(&str, &str)]) -> String {
    let mut told = String::new();
    for (ftl, json) in cases {
        let line = message(ftl, json);
        assert!(!line.contains('\n'), "{json}: {line}");
        told += &format!("{ftl:6}{json}\n      {line}\n");
    }
    told
}

/// An FTL and a configuration that it cannot be built with, or does not exist.
const MISTAKES: &[(&str, &str)] = &[
    ("page", r#"{"devise": {}}"#),
    ("page", r#"{"preset": "tpftl"}"#),
    ("page", r#"{"preset": 7}"#),
    ("page", r#"{"device": {"chanels": 8}}"#),
    ("page", r#"{"device": {"page": 5000}}"#),
    ("page", r#"{"device": {"page": 256}}"#),
    ("page", r#"{"device": {"page": "128KiB"}}"#),
    ("page", r#"{"device": {"page": "4q"}}"#),
    ("page", r#"{"device": {"pages_per_block": 1}}"#),
    ("page", r#"{"device": {"pages_per_block": 50000}}"#),
    ("page", r#"{"device": {"pages_per_block": -1}}"#),
    ("page", r#"{"device": {"channels": 0}}"#),
    ("page", r#"{"device": {"planes_per_die": 2000}}"#),
    ("page", r#"{"device": {"over_provisioning": -0.1}}"#),
    ("page", r#"{"device": {"over_provisioning": "10100%"}}"#),
    ("page", r#"{"device": {"erase": "11s"}}"#),
    ("page", r#"{"device": {"capacity": 0}}"#),
    ("page", r#"{"device": {"capacity": "32TiB"}}"#),
    ("page", r#"{"device": {"blocks": 10}}"#),
    ("page", r#"{"device": {"over_provisioning": 0}}"#),
    ("page", r#"{"device": {"over_provisioning": "5%"}}"#),
    ("dftl", r#"{"device": {"over_provisioning": "10%"}}"#),
    ("tpftl", r#"{"device": {"blocks": 70}, "gc": {"copies": "own"}}"#),
    ("dloop", r#"{"device": {"channels": 2, "block_numbers": "across-planes"}}"#),
    ("dloop", r#"{"device": {"channels": 2, "blocks": 66}}"#),
    ("dloop", r#"{"device": {"channels": 2, "over_provisioning": "4%"}}"#),
    ("page", r#"{"buffer": {"policy": "clach"}}"#),
    ("page", r#"{"buffer": {"policy": "fab", "size": 0}}"#),
    ("page", r#"{"buffer": {"policy": "lru", "size": "2k"}}"#),
    ("page", r#"{"buffer": {"policy": "clash", "size": "256k"}}"#),
    ("page", r#"{"buffer": {"window": 1.5}}"#),
    ("page", r#"{"buffer": {"update_distance": 0}}"#),
    ("page", r#"{"buffer": {"evicted_blocks": 0}}"#),
    ("cachftl", r#"{"cachftl": {"sync_blocks": 0}}"#),
    ("cachftl", r#"{"cachftl": {"async_free": 2}}"#),
    ("cachftl", r#"{"cachftl": {"wear_gap": 3}}"#),
    ("cachftl", r#"{"device": {"over_provisioning": "5%"}}"#),
    ("cachftl", r#"{"device": {"blocks": 67}}"#),
    ("page", r#"{"gc": {"low": 0}}"#),
    ("page", r#"{"gc": {"low": 4, "high": 4}}"#),
    ("page", r#"{"gc": {"choices": 0}}"#),
    ("page", r#"{"gc": {"policy": "gready"}}"#),
    ("page", r#"{"gc": {"low": 100, "high": 101}}"#),
    ("dftl", r#"{"ftl": {"cache": 7}}"#),
    ("dftl", r#"{"dftl": {"protected": 1.5}}"#),
    ("dftl", r#"{"dftl": {"replacement": "slru"}}"#),
    ("cdftl", r#"{"ftl": {"cache": 4107}}"#),
    ("cdftl", r#"{"cdftl": {"ctp": 2}}"#),
    ("sftl", r#"{"ftl": {"cache": "4k"}}"#),
    ("sftl", r#"{"sftl": {"bitmaps": 3}}"#),
    ("sftl", r#"{"sftl": {"buffer": "110%"}}"#),
    ("zftl", r#"{"ftl": {"cache": "4k"}}"#),
    ("zftl", r#"{"zftl": {"zones": 0}}"#),
    ("treeftl", r#"{"ftl": {"cache": "4k"}}"#),
    ("aps", r#"{"ftl": {"cache": "8k"}, "aps": {"map": "110%"}}"#),
    ("zftl", r#"{"ftl": {"cache": "8k"}, "zftl": {"tier1": "110%"}}"#),
    ("tpftl", r#"{"ftl": {"cache": 11}}"#),
    ("tpftl", r#"{"ftl": {"cache": 13}, "tpftl": {"node_bytes": 8}}"#),
    ("tpftl", r#"{"tpftl": {"threshold": 0}}"#),
    ("tpftl", r#"{"tpftl": {"features": "rx"}}"#),
    ("tpftl", r#"{"tpftl": {"features": ""}}"#),
    ("tpftl", r#"{"tpftl": {"page_order": "random"}}"#),
    ("block", r#"{"device": {"program_order": "ascending"}}"#),
    ("block", r#"{"device": {"over_provisioning": 0}}"#),
    ("block-optimized", r#"{"device": {"program_order": "ascending"}}"#),
    ("block-optimized", r#"{"block-optimized": {"apend": true}}"#),
    ("fast", r#"{"log": {"blocks": 1}}"#),
    ("fast", r#"{"log": {"blocks": 10}}"#),
    ("fast", r#"{"log": {"map": "nand"}}"#),
    ("fast", r#"{"log": {"map": "flash", "blocks": 9}}"#),
    ("fast", r#"{"fast": {"full_sequential": "never"}}"#),
    ("fast", r#"{"fast": {"rules": "flash-sim"}}"#),
    ("fast", r#"{"fast": {"rules": "flashsim"}, "run": {"verify": false}}"#),
    ("fast", r#"{"fast": {"rules": "flashsim"}, "ftl": {"power_safe": true}}"#),
    ("fast", r#"{"fast": {"rules": "flashsim"}, "log": {"map": "flash"}}"#),
    ("fast", r#"{"fast": {"rules": "flashsim"}, "log": {"blocks": 1}}"#),
    ("fast", r#"{"fast": {"rules": "flashsim-mended", "full_sequential": "switch"}}"#),
    ("last", r#"{"log": {"blocks": 2}}"#),
    ("last", r#"{"last": {"threshold": 0}}"#),
    ("last", r#"{"last": {"hot": "110%"}}"#),
    ("kast", r#"{"kast": {"associativity": 0}}"#),
    ("kast", r#"{"kast": {"sequential": -1}}"#),
    ("sast", r#"{"sast": {"logs": 0}}"#),
    ("rnftl", r#"{"rnftl": {"many": 2}}"#),
    ("aftl", r#"{"aftl": {"entries": -1}}"#),
    ("waftl", r#"{"log": {"blocks": 1}}"#),
    ("waftl", r#"{"waftl": {"threshold": 2}}"#),
    ("cftl", r#"{"cftl": {"reads": 0}}"#),
    ("cftl", r#"{"ftl": {"cache": 9}}"#),
    ("page", r#"{"host": {"mode": "closed:0"}}"#),
    ("page", r#"{"host": {"time_scale": -1}}"#),
    ("page", r#"{"run": {"warmup": "twice"}}"#),
    ("page", r#"{"run": {"seed": -1}}"#),
    ("tpfl", "{}"),
    ("ideal", "{}"),
    ("", "{}"),
];

/// Those about MLC and the FTLs for it.
const MLC_MISTAKES: &[(&str, &str)] = &[
    ("page", r#"{"device": {"oob": "8k"}}"#),
    ("page", r#"{"device": {"cell": "qlc"}}"#),
    ("page", r#"{"device": {"cell": "tlc"}}"#),
    ("page", r#"{"device": {"cell": "mlc", "program_by_bit": ["500us"]}}"#),
    ("page", r#"{"device": {"cell": "mlc", "program_by_bit": ["500us", "11s"]}}"#),
    ("page", r#"{"device": {"cell": "mlc", "program_order": "any"}}"#),
    ("fast", r#"{"device": {"cell": "mlc"}}"#),
    ("mnftl", r#"{"device": {"over_provisioning": "5%"}}"#),
    ("mnftl", r#"{"device": {"oob": 1}}"#),
    ("mnftl", r#"{"mnftl": {"rows": 0}}"#),
    ("mnftl", r#"{"mnftl": {"rows": 65}}"#),
    ("mnftl", r#"{"mnftl": {"victim": "oldest"}}"#),
    ("mnftl", r#"{"mnftl": {"idle_blocks": 1}}"#),
    ("mnftl-hybrid", r#"{"device": {"cell": "slc"}}"#),
    ("mnftl-hybrid", r#"{"mnftl-hybrid": {"slc_blocks": 0}}"#),
    ("mnftl", r#"{"mnftl": {"mapping": "separated"}}"#),
    ("mnftl-hybrid", r#"{"mnftl": {"mapping": "separated", "victim": "most-blocks-first"}}"#),
    ("gftl", r#"{"gftl": {"buffer": "20%"}}"#),
    ("gftl", r#"{"gftl": {"buffer": 11}}"#),
    ("superblock", r#"{"device": {"oob": 20}}"#),
    ("superblock", r#"{"superblock": {"pieces": 1}}"#),
    ("superblock", r#"{"superblock": {"logs": 0}}"#),
    ("superblock", r#"{"log": {"blocks": 10}}"#),
];

#[test]
fn a_mistake_is_told_in_one_line() {
    insta::assert_snapshot!(told(MISTAKES));
}

#[test]
fn a_mistake_about_mlc_is_told_in_one_line() {
    insta::assert_snapshot!(told(MLC_MISTAKES));
}

#[test]
fn the_number_of_blocks_that_is_asked_for_is_enough() {
    let page_level = ["page", "dftl", "cdftl", "sftl", "zftl", "tpftl", "cftl"];
    let others = ["block", "fast", "last", "mnftl", "gftl", "superblock"];
    for ftl in page_level.into_iter().chain(others) {
        for gc in [r#"{"copies": "own"}"#, r#"{"low": 1, "high": 2}"#, r#"{"low": 9, "high": 20}"#]
        {
            let device = |blocks| {
                let device = format!(r#""device": {{"blocks": {blocks}}}"#);
                format!(r#"{{{device}, "gc": {gc}, "ftl": {{"cache": "8k"}}}}"#)
            };
            let line = message(ftl, &device(64));
            let asked = line.split("expected at least ").nth(1).expect("a remedy");
            let asked = asked.split(' ').next().and_then(|n| n.parse::<u32>().ok());
            let asked = asked.expect("a number of blocks");
            assert!(build(ftl, &device(asked)).is_ok(), "{ftl} {gc} with {asked} blocks");
            assert!(build(ftl, &device(asked - 1)).is_err(), "{ftl} {gc}: fewer would do");
        }
    }
}
