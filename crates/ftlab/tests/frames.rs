//! Frames agree with the result, and with the device; a run with them has the same result.

use ftlab::Error;
use ftlab::address::{AddressMap, AddressPolicy, Extent};
use ftlab::catalog::Catalog;
use ftlab::config::Config;
use ftlab::drive::{Instrument, drive_with};
use ftlab::flash::BlockKind;
use ftlab::frames::{Frame, Frames};
use ftlab::report::Report;
use ftlab::session::{self, Point};
use ftlab::units::Pbn;
use serde_json::{Value, json};
use std::collections::BTreeSet;

const REQUESTS: u64 = 20_000;

fn point(ftl: &str, more: &Value) -> Point {
    let mut tree = json!({
        "device": { "capacity": "8MiB", "pages_per_block": 32, "over_provisioning": "60%" },
        "workload": { "pattern": "randrw", "bs": "4k", "size": "8MiB", "requests": REQUESTS },
    });
    for (section, settings) in more.as_object().expect("a table") {
        let all = settings.as_object().expect("a table").clone();
        match tree.get_mut(section).and_then(Value::as_object_mut) {
            Some(known) => known.extend(all),
            None => tree[section] = Value::Object(all),
        }
    }
    let config = Catalog::standard().resolve(tree.as_object().expect("a table"));
    Point { config: config.expect("a configuration"), ftl: ftl.into() }
}

fn shown(point: &Point, every: Option<u64>) -> (Report, Vec<Frame>) {
    let mut frames = Vec::new();
    let show = &mut |frame| {
        frames.push(frame);
        Ok(())
    };
    let catalog = Catalog::standard();
    let report = session::run_shown(&catalog, point, every, show, &mut |_| Ok(()));
    (report.expect("a run"), frames)
}

/// Everything in a report but how fast the run was.
fn figures(report: &Report) -> Value {
    let mut tree = serde_json::to_value(report).expect("a report");
    tree.as_object_mut().expect("a table").remove("speed");
    tree
}

#[test]
fn the_last_frame_is_the_result_and_frames_change_nothing() {
    let planes =
        json!({ "device": { "channels": 2, "planes_per_die": 2, "over_provisioning": "100%" } });
    let queued = json!({ "host": { "mode": "queued:4" } });
    let warm = json!({ "run": { "warmup": "replay:1" } });
    let cases = [("page", json!({})), ("dftl", warm), ("dloop", planes), ("fast", queued)];
    for (ftl, more) in cases {
        let point = point(ftl, &more);
        let (report, frames) = shown(&point, Some(1_500));
        let alone = session::run(&Catalog::standard(), &point.config, &[ftl], &mut |_| Ok(()));
        assert_eq!(figures(&report), figures(&alone.expect("a run")[0]), "{ftl}");
        assert_eq!(frames.len(), 1 + 13 + 1, "{ftl}: the first, one each 1,500, the last");
        let last = frames.last().expect("frames");
        let response = report.response_us.expect("responses");
        assert_eq!((last.requests, last.of), (REQUESTS, Some(REQUESTS)), "{ftl}");
        let figures = last.so_far;
        assert_eq!(figures.hit_ratio, report.mapping.and_then(|mapping| mapping.hit_ratio));
        assert_eq!(figures.write_amplification, report.write_amplification, "{ftl}");
        assert_eq!(figures.mean_us, Some(response.mean), "{ftl}");
        assert_eq!(figures.p99_us, Some(response.p99), "{ftl}");
        assert_eq!(last.erases, report.flash.erases.values().sum::<u64>(), "{ftl}");
        let counted = [&report.flash.reads, &report.flash.programs, &report.flash.copybacks];
        let pages: u64 = counted.iter().flat_map(|each| each.values()).sum();
        let oobs: u64 = report.flash.oob_reads.values().sum();
        assert_eq!(last.operations.iter().sum::<u64>(), pages + oobs + last.erases, "{ftl}");
    }
}

#[test]
fn the_blocks_of_a_frame_are_those_of_the_device() {
    for (ftl, kind) in [("dftl", BlockKind::Translation), ("fast", BlockKind::Log)] {
        let Point { config, .. } = point(ftl, &json!({}));
        let catalog = Catalog::standard();
        let input = session::open_input(&config).expect("a workload");
        let whole = Extent { volume: 0, first_byte: 0, end_byte: 8 << 20 };
        let address = AddressMap::new(AddressPolicy::Overlay, &[whole], None).expect("addresses");
        let simulated = catalog.find(ftl).expect("an FTL").simulate(&config, 8 << 20, address);
        let mut simulator = simulated.expect("a device");
        let mut last = None;
        let show = &mut |frame: Frame| {
            last = Some(frame);
            Ok(())
        };
        let frames = Frames::new(None, None, show);
        let run = drive_with(
            simulator.as_mut(),
            ftl,
            input.as_ref(),
            &mut |_| Ok(()),
            Instrument::Frames(Box::new(frames)),
        );
        run.expect("a run");
        let (device, frame) = (simulator.outcome().flash, last.expect("frames"));
        let blocks = (0..).map(Pbn).zip(&frame.blocks);
        for (pbn, block) in blocks {
            let seen = (block.valid, block.written, block.kind.is_none());
            let there = (device.valid_in(pbn), device.programmed_in(pbn), device.is_erased(pbn));
            assert_eq!(seen, there, "{ftl}: block {pbn}");
        }
        assert!(frame.blocks.iter().any(|block| block.kind == Some(kind)), "{ftl}: {kind:?}");
    }
}

#[test]
fn windows_add_up_and_are_as_many_as_asked_for() {
    let (report, frames) = shown(&point("dftl", &json!({})), None);
    assert_eq!(frames.len(), 240, "the first, 238 of 84 requests, the last");
    let windows = frames.windows(2).map(|pair| pair[1].requests - pair[0].requests);
    let mean = frames[1..].iter().map(|frame| frame.window.mean_us.expect("requests"));
    let total: f64 = mean.zip(windows).map(|(mean, requests)| mean * requests as f64).sum();
    let all = report.response_us.expect("responses").mean * REQUESTS as f64;
    assert!((total / all - 1.0).abs() < 1e-9, "{total} {all}");
    let (first, busy) = (&frames[0], frames.iter().flat_map(|frame| &frame.planes));
    assert_eq!((first.requests, first.so_far.mean_us), (0, None));
    assert!(busy.clone().all(|share| (0.0..=1.0).contains(share)));
    assert!(busy.sum::<f64>() > 0.0);
}

#[test]
fn who_is_shown_frames_can_stop_the_run() {
    let mut seen = 0;
    let show = &mut |_| {
        seen += 1;
        if seen == 3 { Err(Error::Interrupted) } else { Ok(()) }
    };
    let point = point("page", &json!({}));
    let run = session::run_shown(&Catalog::standard(), &point, Some(10), show, &mut |_| Ok(()));
    assert!(matches!(run, Err(Error::Interrupted)));
    assert_eq!(seen, 3);
}

#[test]
fn a_log_has_every_operation_with_its_cause_and_its_page() {
    let more = json!({ "run": { "timeline": 1_000_000 } });
    let Point { config, ftl } = point("dftl", &more);
    let report = session::run(&Catalog::standard(), &config, &[&ftl], &mut |_| Ok(()));
    let report = figures(&report.expect("a run")[0]);
    let schedule = report["schedule"].as_array().expect("a log");
    let logged = |kind: &str, cause: &str| {
        schedule.iter().filter(|each| each["kind"] == kind && each["cause"] == cause).count()
    };
    for (kind, table) in [("read", "reads"), ("program", "programs")] {
        for (cause, count) in report["flash"][table].as_object().expect("a table") {
            assert_eq!(Some(logged(kind, cause) as u64), count.as_u64(), "{kind} {cause}");
        }
    }
    for each in schedule {
        let cause = each["cause"].as_str().expect("a name");
        let user_page = ["host", "gc_data"].contains(&cause) && each["kind"] != "erase";
        let map_page = each["kind"] != "erase" && !user_page;
        assert_eq!((each["lpn"].is_u64(), each["vtpn"].is_u64()), (user_page, map_page), "{each}");
    }
    assert_eq!(schedule[0]["request"], 1, "requests are counted from 1 on");
}

#[test]
fn a_configuration_that_cannot_run_is_told_before_any_frame() {
    let tree = json!({ "workload": { "pattern": "randwrite", "bs": "4k", "size": "64MiB", "requests": 10 } });
    let config: Config =
        Catalog::standard().resolve(tree.as_object().expect("a table")).expect("a configuration");
    let point = Point { config, ftl: "none-such".into() };
    let show = &mut |_| panic!("no frame is shown");
    let run = session::run_shown(&Catalog::standard(), &point, None, show, &mut |_| Ok(()));
    assert!(run.expect_err("there is no such FTL").to_string().contains("none-such"));
}

#[test]
fn blocks_of_separated_zones_have_the_classes_of_separated_blocks() {
    let classes = |ftl: &str, more: Value| {
        let (_, frames) = shown(&point(ftl, &more), Some(5_000));
        let blocks = &frames.last().expect("frames").blocks;
        blocks.iter().map(|block| block.class).collect::<Vec<_>>()
    };
    let rules = || json!({ "ftl": { "separation": "sepbit" } });
    let expected = classes("page", rules());
    let seen: BTreeSet<u8> = expected.iter().copied().flatten().collect();
    assert!(seen.len() > 2, "{seen:?}");
    assert_eq!(classes("zones", rules()), expected);
    let mut wide = rules();
    wide["zones"] = json!({ "width": 2 });
    wide["device"] = json!({ "channels": 2, "block_numbers": "across-planes" });
    let found = classes("zones", wide);
    assert!(found.iter().flatten().count() > 50, "{found:?}");
    assert!(found.chunks(2).all(|zone| zone[0] == zone[1]), "{found:?}");
}
