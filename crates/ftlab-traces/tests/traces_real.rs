//! Real traces read as their manifest describes them.
//!
//! `FTLAB_TRACES` names a folder with traces and a `MANIFEST.md` whose table gives requests, write
//! share, mean sizes, span, units, unique pages, duration and alignment of each. Without it nothing
//! is checked, unless `FTLAB_TRACES_REQUIRED=1`.

use ftlab_traces::address::{AddressMap, AddressPolicy};
use ftlab_traces::locality::{MissRatioCurve, ReuseDistances};
use ftlab_traces::math::powi;
use ftlab_traces::request::{Op, Request, extents};
use ftlab_traces::trace::{self, Trace, TraceInfo, TraceOptions};
use ftlab_traces::units::Bytes;
use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};

/// The folder with the traces, or a loud line.
fn folder() -> Option<PathBuf> {
    match std::env::var_os("FTLAB_TRACES") {
        Some(folder) => Some(folder.into()),
        None if std::env::var("FTLAB_TRACES_REQUIRED").is_ok_and(|value| value == "1") => {
            panic!("FTLAB_TRACES is not set: name the folder with the real traces")
        }
        None => {
            eprintln!("NOT CHECKED: set FTLAB_TRACES to the folder with the real traces");
            None
        }
    }
}

/// The format that a file's name promises, for those that are read.
fn promised(name: &str) -> Option<&'static str> {
    let formats = [
        (".spc", "spc"),
        (".flashsim.trace", "flashsim"),
        (".disksim.trace", "disksim"),
        (".mqsim.trace", "mqsim"),
        (".biotracer.txt", "biotracer"),
        (".vscsi", "vscsi"),
        (".srt", "srt"),
        (".lis", "arc"),
    ];
    let families = [
        ("MSR_cut10k", "heimdall"),
        ("MSR_", "msr"),
        ("Systor17", "systor"),
        ("Tencent_CBS", "tencent"),
        ("CloudPhysics_", "cloudphysics"),
        ("HP_", "hp-csv"),
    ];
    let found = formats.iter().find(|(end, _)| name.ends_with(end));
    let found = found.or_else(|| families.iter().find(|(start, _)| name.starts_with(start)));
    found.map(|(_, format)| *format)
}

/// The rows of the manifest's table of traces, split into cells.
fn manifest(folder: &Path) -> Vec<Vec<String>> {
    let text = fs::read_to_string(folder.join("MANIFEST.md")).expect("a MANIFEST.md");
    let rows = text.lines().filter(|line| line.starts_with("| ") && !line.starts_with("| file"));
    let cells = |row: &str| row.trim_matches('|').split('|').map(|c| c.trim().to_owned()).collect();
    let rows: Vec<Vec<String>> = rows.map(cells).collect();
    assert!(rows.len() > 20, "the manifest's table was not found");
    rows
}

fn number(cell: &str) -> f64 {
    cell.replace(',', "").parse().unwrap_or_else(|_| panic!("{cell:?} is not a number"))
}

/// The manifest rounds: half a unit of the last place that it prints.
fn assert_rounds(found: f64, cell: &str, places: i32, what: &str) {
    let tolerance = 0.5 * powi(10.0, -places) + 1e-9 * found.abs();
    let expected = number(cell);
    assert!((found - expected).abs() <= tolerance, "{what}: {found}, manifest {expected}");
}

fn describe(path: &Path, expected: &str) -> TraceInfo {
    describe_as(path, expected, &TraceOptions::default())
}

fn describe_as(path: &Path, expected: &str, options: &TraceOptions) -> TraceInfo {
    let input =
        trace::open(&path.to_string_lossy(), options).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(input.format(), expected, "{}", path.display());
    let mut source = input.open().expect("a second opening");
    let info = TraceInfo::read(source.as_mut(), &mut |_, progress| {
        assert!(progress.is_some_and(|p| (0.0..=1.0).contains(&p)));
        Ok(())
    });
    assert_eq!(source.progress(), Some(1.0));
    let info = info.unwrap_or_else(|error| panic!("{error}"));
    let mut source = input.open().expect("a third opening");
    let measured = extents(source.as_mut(), &mut |_, _| Ok(())).expect("the same again");
    assert_eq!((measured.requests, &measured.digest), (info.requests, &info.digest));
    let overlay = AddressMap::new(AddressPolicy::Overlay, &measured.extents, None);
    assert_eq!(overlay.expect("an overlay").span_bytes(), info.end_bytes);
    info
}

#[test]
fn every_trace_reads_as_the_manifest_describes_it() {
    let Some(folder) = folder() else { return };
    let mut checked = 0;
    for row in manifest(&folder) {
        let Some(format) = promised(&row[0]).filter(|format| *format != "arc") else { continue };
        let name = &row[0];
        let info = describe(&folder.join(format!("{name}.zst")), format);
        assert_eq!(info.requests as f64, number(&row[1]), "{name}: requests");
        assert_rounds(100.0 * info.write_ratio.unwrap(), &row[2], 2, name);
        assert_rounds(info.mean_bytes.unwrap(), &row[3], 0, name);
        assert_rounds(info.mean_write_bytes.unwrap(), &row[4], 0, name);
        assert_eq!(info.span_bytes as f64, number(&row[5]), "{name}: span");
        assert_eq!(info.volumes_count as f64, number(&row[6]), "{name}: units");
        assert_eq!(info.unique_pages_4k.unwrap() as f64, number(&row[7]), "{name}: unique pages");
        // The manifest's is from the first line to the last, which are not the first and the last
        // request of these; the twins have the whole.
        if !["systor", "tencent"].contains(&format) {
            let duration = row[8].split(' ').next().unwrap();
            let places = duration.split_once('.').map_or(0, |(_, places)| places.len().min(3));
            assert_rounds(info.duration_s, duration, places as i32, name);
        }
        assert_rounds(100.0 * info.aligned_4k_ratio.unwrap(), &row[9], 1, name);
        checked += 1;
    }
    assert_eq!(checked, 24, "traces in the formats that are read");
}

#[test]
fn every_normalized_trace_reads_as_spc() {
    let Some(folder) = folder() else { return };
    let rows = manifest(&folder);
    let mut checked = 0;
    for entry in fs::read_dir(folder.join("normalized")).expect("a folder normalized/") {
        let path = entry.expect("an entry").path();
        let info = describe(&path, "spc");
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        let row = rows.iter().find(|row| format!("{}.spc.zst", row[0]) == name);
        if let Some(row) = row {
            assert_eq!(info.requests as f64, number(&row[1]), "{name}: requests");
            assert_rounds(100.0 * info.write_ratio.unwrap(), &row[2], 2, &name);
            checked += 1;
        }
    }
    assert!(checked > 20, "only {checked} normalized traces");
}

/// All requests of the trace at `path`, volumes numbered in the order in which they appear.
fn requests(path: &Path) -> Vec<Request> {
    let input = trace::open(&path.to_string_lossy(), &TraceOptions::default());
    let mut source = input.and_then(|input| input.open()).unwrap_or_else(|e| panic!("{e}"));
    let mut requests = source.rest().unwrap_or_else(|error| panic!("{error}"));
    let mut numbers = HashMap::new();
    for request in &mut requests {
        let next = numbers.len() as u32;
        request.volume = *numbers.entry(request.volume).or_insert(next);
    }
    requests
}

/// The twin's addresses are whole sectors. Its times have six decimal places, and those of MSR went
/// through a float of seconds since 1601, which has steps of 2 us.
fn assert_twins(request: &Request, twin: &Request, what: &str) {
    let rounded = Request { offset: request.offset / 512 * 512, ..*request };
    assert_eq!(rounded, Request { time: request.time, ..*twin }, "{what}");
    let tolerance = if what.starts_with("MSR_") { 5000 } else { 1000 };
    assert!(request.time.abs_diff(twin.time) <= tolerance, "{what}: {request:?}, {twin:?}");
}

#[test]
fn every_trace_holds_the_requests_of_its_normalized_twin() {
    let Some(folder) = folder() else { return };
    let mut checked = 0;
    for row in manifest(&folder) {
        let name = &row[0];
        let twin = folder.join(format!("normalized/{name}.spc.zst"));
        if !twin.exists() {
            continue;
        }
        let twin = requests(&twin);
        let trace = requests(&folder.join(format!("{name}.zst")));
        assert_eq!(trace.len(), twin.len(), "{name}");
        for (i, (request, twin)) in trace.iter().zip(&twin).enumerate() {
            assert_twins(request, twin, &format!("{name}, request {i}"));
        }
        checked += 1;
    }
    assert_eq!(checked, 23, "traces with a twin");
}

#[test]
fn a_binary_trace_and_its_decoded_copy_tell_the_same() {
    let Some(folder) = folder() else { return };
    let binary = describe(&folder.join("HP_hplajw_1week.srt.zst"), "srt");
    let decoded = describe(&folder.join("HP_hplajw_1week.csv.zst"), "hp-csv");
    assert_eq!(binary, TraceInfo { units: None, ..decoded });
    let csv = describe(&folder.join("CloudPhysics_libCacheSim_113872.csv.zst"), "cloudphysics");
    let vscsi = describe(&folder.join("CloudPhysics_libCacheSim_113872.vscsi.zst"), "vscsi");
    // The CSV file has whole seconds only.
    assert_eq!(
        TraceInfo {
            duration_s: 0.0,
            requests_per_s: None,
            digest: String::new(),
            units: None,
            ..vscsi
        },
        TraceInfo {
            duration_s: 0.0,
            requests_per_s: None,
            digest: String::new(),
            units: None,
            ..csv
        }
    );
}

#[test]
fn lists_of_the_arc_paper_have_the_pages_of_its_table_3() {
    let Some(folder) = folder() else { return };
    let text = fs::read_to_string(folder.join("MANIFEST.md")).expect("a MANIFEST.md");
    let (op, unit) = (Some(Op::Read), Some(Bytes(4096)));
    let options = TraceOptions { op, unit, ..TraceOptions::default() };
    let mut checked = 0;
    for row in manifest(&folder).iter().filter(|row| row[0].ends_with(".lis")) {
        let path = folder.join(format!("{}.zst", row[0]));
        let (_, about) = text.split_once(&format!("### {}\n", row[0])).expect("a section");
        let number_behind = |words: &str| -> f64 {
            let (_, rest) = about.split_once(words).expect("a figure");
            number(rest.split_whitespace().next().expect("a figure").trim_end_matches(','))
        };
        let info = describe_as(&path, "arc", &options);
        assert_eq!(info.requests as f64, number(&row[1]), "{}: requests", row[0]);
        let pages = info.mean_bytes.unwrap() * info.requests as f64 / 4096.0;
        assert_eq!(pages.round(), number_behind("page references "), "{}: pages", row[0]);
        let unique = info.unique_pages_4k.unwrap() as f64;
        assert_eq!(unique, number_behind("unique pages "), "{}: unique pages", row[0]);
        let unsaid = Trace::open(&path.to_string_lossy(), &TraceOptions::default());
        let Err(error) = unsaid else { panic!("{} was read without input.op", row[0]) };
        assert!(error.to_string().contains("input.op = read or input.op = write"), "{error}");
        checked += 1;
    }
    assert_eq!(checked, 5, "lists of the ARC paper");
}

#[test]
fn every_trace_of_the_folder_is_in_a_format_that_is_read() {
    let Some(folder) = folder() else { return };
    let names = fs::read_dir(&folder).expect("the folder").map(|entry| entry.expect("an entry"));
    let names = names.map(|entry| entry.file_name().to_string_lossy().into_owned());
    let traces: Vec<String> = names.filter(|name| name.ends_with(".zst")).collect();
    let others = traces.iter().filter(|name| promised(name.trim_end_matches(".zst")).is_none());
    assert_eq!(others.collect::<Vec<_>>(), Vec::<&String>::new());
    assert!(traces.len() >= 30, "{} traces", traces.len());
}

/// Miss ratios in pages of 4 KiB, following at most `pages_max` pages.
fn miss_ratios(path: &Path, pages_max: usize) -> MissRatioCurve {
    let input = trace::open(&path.to_string_lossy(), &TraceOptions::default()).expect("a trace");
    let mut source = input.open().expect("a second opening");
    let mut reuse = ReuseDistances::<()>::new(pages_max);
    let mut batch = Vec::new();
    loop {
        batch.clear();
        source.fill(&mut batch).expect("a trace without mistakes");
        for request in &batch {
            for page in request.offset / 4096..=(request.end() - 1) / 4096 {
                reuse.access(request.volume, page);
            }
        }
        if batch.is_empty() {
            return reuse.curve();
        }
    }
}

#[test]
fn a_sample_of_pages_estimates_the_miss_ratios_of_real_traces() {
    let Some(folder) = folder() else { return };
    let (mut checked, mut worst) = (0, 0.0_f64);
    for entry in fs::read_dir(folder.join("normalized")).expect("a folder normalized/") {
        let path = entry.expect("an entry").path();
        let exact = miss_ratios(&path, 1 << 24);
        if exact.pages() < 30_000 {
            continue;
        }
        assert_eq!(exact.step(), 1, "{}", path.display());
        let sampled = miss_ratios(&path, 8192);
        let apart = |at| {
            let pages = exact.pages() * at / 100;
            (exact.miss_ratio(pages) - sampled.miss_ratio(pages)).abs()
        };
        let mean = (1..=100).map(apart).sum::<f64>() / 100.0;
        assert!(sampled.step() > 1);
        worst = worst.max(mean);
        checked += 1;
    }
    assert!(checked > 5, "only {checked} traces of many pages");
    assert!(worst < 0.03, "mean distance {worst}");
}
