use super::*;
use crate::request::{Op, Request};
use std::collections::BTreeMap;

const MIB: u64 = 1 << 20;

fn requests(name: &str, capacity: u64, requests: Option<u64>) -> Vec<Request> {
    let built_in = BuiltIn::find(name).expect(name);
    let input = built_in.open(Some(Bytes(capacity)), requests, 1).expect(name);
    let all = input.open().expect(name).rest().expect(name);
    assert_eq!(all, input.open().expect(name).rest().expect(name), "the same again");
    assert!(all.iter().all(|one| one.end() <= capacity && one.length > 0), "{name}");
    all
}

/// Shares of the written bytes by handle.
fn shares(all: &[Request]) -> BTreeMap<u16, f64> {
    let mut bytes: BTreeMap<u16, f64> = BTreeMap::new();
    for one in all.iter().filter(|one| one.op == Op::Write) {
        *bytes.entry(one.meta.handle).or_default() += f64::from(one.length);
    }
    let sum: f64 = bytes.values().sum();
    bytes.into_iter().map(|(handle, bytes)| (handle, bytes / sum)).collect()
}

#[track_caller]
fn assert_shares(found: &BTreeMap<u16, f64>, expected: &[(u16, f64)]) {
    assert!(found.keys().copied().eq(expected.iter().map(|(handle, _)| *handle)), "{found:?}");
    for (handle, share) in expected {
        assert!((found[handle] - share).abs() < 0.02, "handle {handle}: {found:?}");
    }
}

#[test]
fn each_is_described_and_has_a_stream() {
    for built_in in BUILT_IN {
        assert!(
            !built_in.summary().is_empty() && !built_in.source().is_empty(),
            "{}",
            built_in.name
        );
        let all = requests(built_in.name, 1 << 30, Some(1_000));
        assert_eq!(all.len(), 1_000, "{}", built_in.name);
    }
    assert!(BuiltIn::find("cache").is_none());
}

#[test]
fn a_flash_cache_rewrites_small_objects_and_loops_over_large_ones() {
    let all = requests("cachelib", 512 * MIB, None);
    assert_shares(&shares(&all), &[(1, 0.5), (2, 0.5)]);
    let small_end = 512 * MIB / 100 * 4 + 4096;
    assert!(all.iter().all(|one| (one.meta.handle == 1) == (one.offset < small_end)));
    // Buckets are drawn, and regions come in order.
    let large: Vec<u64> =
        all.iter().filter(|one| one.meta.handle == 2).map(|one| one.offset).collect();
    let jumps = large.windows(2).filter(|two| two[1] != two[0] + MIB).count();
    assert_eq!(jumps, 3, "four loops");
    let mut buckets: Vec<u64> =
        all.iter().filter(|one| one.meta.handle == 1).map(|one| one.offset).collect();
    buckets.truncate(5000);
    buckets.sort_unstable();
    buckets.dedup();
    assert!(buckets.len() < 3600, "{} of 5000 draws among 5242", buckets.len());
}

#[test]
fn objects_of_a_kind_share_a_handle_and_are_replaced_as_a_whole() {
    let all = requests("kv-cache", 4096 * MIB, None);
    let sizes = [(1, 4 * MIB), (2, 32 * MIB), (3, 16 * MIB), (4, 2 * MIB), (5, MIB)];
    for one in &all {
        let size =
            sizes.iter().find(|(handle, _)| *handle == one.meta.handle).map(|(_, size)| *size);
        assert_eq!(Some(u64::from(one.length)), size);
    }
    // Of the 87 hundredths that are used: 18, 19, 18, 27 and 5.
    let of = |hundredths: f64| hundredths / 87.0;
    assert_shares(
        &shares(&all),
        &[(1, of(18.0)), (2, of(19.0)), (3, of(18.0)), (4, of(27.0)), (5, of(5.0))],
    );
}

#[test]
fn a_database_writes_its_log_in_a_loop_and_each_page_twice() {
    let all = requests("redo-log", 512 * MIB, Some(60_000));
    let load = 512 * 90 / 100;
    let steady = &all[load + 100..];
    assert_shares(&shares(steady), &[(1, 1.0 / 3.0), (2, 1.0 / 3.0), (3, 1.0 / 3.0)]);
    let log: Vec<u64> =
        steady.iter().filter(|one| one.meta.handle == 1).map(|one| one.offset).collect();
    assert!(log.windows(2).all(|two| two[1] == two[0] + 8192 || two[1] == 0));
    let mut pages: Vec<u64> =
        steady.iter().filter(|one| one.meta.handle == 2).map(|one| one.offset).collect();
    let drawn = pages.len();
    pages.sort_unstable();
    let mut counts: Vec<usize> = pages.chunk_by(|a, b| a == b).map(<[u64]>::len).collect();
    counts.sort_unstable_by(|a, b| b.cmp(a));
    let hot: usize = counts[..counts.len() / 10].iter().sum();
    assert!(hot * 10 > drawn * 4, "{hot} of {drawn} at the hottest tenth");
}

#[test]
fn a_permutation_has_each_block_once_in_a_pass_in_another_order() {
    let all = requests("permutation", 64 * MIB, None);
    let passes: Vec<Vec<u64>> =
        all.chunks(512).map(|pass| pass.iter().map(|one| one.offset).collect()).collect();
    assert_eq!(passes.len(), 8);
    for pass in &passes {
        let mut sorted = pass.clone();
        sorted.sort_unstable();
        assert!(sorted.into_iter().eq((0..512).map(|block| block * (128 << 10))));
    }
    assert_ne!(passes[0], passes[1]);
}

#[test]
fn three_streams_have_their_mix() {
    let all = requests("three-streams", 1024 * MIB, None);
    let fill = all.iter().position(|one| one.meta.handle == 2).expect("hot writes");
    let together = &all[fill..fill + (all.len() - fill) * 9 / 10];
    assert_shares(&shares(together), &[(0, 0.58), (1, 0.21), (2, 0.21)]);
}

/// What lies on each block of a device.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Block {
    Free,
    Written,
}

#[test]
fn a_tree_reads_what_it_wrote_and_writes_where_it_has_trimmed() {
    for capacity in [64 * MIB, 100 * MIB, 1024 * MIB, 4096 * MIB] {
        let all = requests("lsm", capacity, None);
        let block = 128 << 10;
        let mut blocks = vec![Block::Free; (capacity / block) as usize];
        let mut most = 0i64;
        let mut used = 0i64;
        for one in &all {
            let range = (one.offset / block) as usize..(one.end() / block) as usize;
            for at in range {
                let (before, after) = match one.op {
                    Op::Read => (Block::Written, Block::Written),
                    Op::Write => (Block::Free, Block::Written),
                    _ => (Block::Written, Block::Free),
                };
                assert_eq!(blocks[at], before, "{one:?}");
                blocks[at] = after;
                used += i64::from(after == Block::Written) - i64::from(before == Block::Written);
            }
            most = most.max(used);
        }
        let peak = most as f64 / blocks.len() as f64;
        assert!((0.75..0.97).contains(&peak), "{capacity}: {peak}");
    }
}

#[test]
fn a_tree_writes_its_levels_in_proportion() {
    let all = requests("lsm", 1024 * MIB, None);
    let load = all.iter().position(|one| one.meta.handle == 1).expect("the log");
    let traffic = shares(&all[load..]);
    assert!(traffic.keys().copied().eq(1..=5), "a log and four levels: {traffic:?}");
    assert!((traffic[&1] / traffic[&2] - 1.0).abs() < 0.05, "each byte of the log is flushed once");
    // Level 1 is merged as a whole with four files: twice the bytes of level 0 at most. Those below cost up to the
    // ratio of their sizes and one more.
    assert!((1.5..=2.1).contains(&(traffic[&3] / traffic[&2])), "{traffic:?}");
    for level in [4, 5] {
        assert!((5.0..=13.0).contains(&(traffic[&level] / traffic[&2])), "{traffic:?}");
    }
    let lifetimes = all
        .iter()
        .filter(|one| one.op == Op::Write)
        .map(|one| (one.meta.handle, one.meta.lifetime));
    assert_eq!(lifetimes.collect::<std::collections::HashSet<_>>().len(), 5, "one for each handle");
}

#[test]
fn a_device_that_is_too_small_is_told() {
    let error = BuiltIn::find("lsm")
        .expect("a tree")
        .open(Some(Bytes(MIB)), None, 1)
        .err()
        .expect("too small");
    assert_eq!(
        error.to_string(),
        "device.capacity: found 1MiB, expected at least 64MiB for an LSM tree"
    );
    let error =
        BuiltIn::find("kv-cache").expect("a cache").open(Some(Bytes(64 * MIB)), None, 1).err();
    assert!(error.expect("too small").to_string().starts_with("kv-cache:"));
}
