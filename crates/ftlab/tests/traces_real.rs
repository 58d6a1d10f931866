//! Real traces read as their manifest describes them.
//!
//! `FTLAB_TRACES` names a folder with traces and a `MANIFEST.md` whose table gives requests, write
//! share, mean sizes, span, units, unique pages, duration and alignment of each. Without it nothing
//! is checked, unless `FTLAB_TRACES_REQUIRED=1`.

use ftlab::Error;
use ftlab::address::{AddressMap, AddressPolicy, extents};
use ftlab::locality::{MissRatioCurve, ReuseDistances};
use ftlab::trace::{self, Trace, TraceInfo, TraceOptions};
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
    ];
    match formats.iter().find(|(end, _)| name.ends_with(end)) {
        Some((_, format)) => Some(format),
        None => (name.starts_with("MSR_") && name.ends_with(".csv")).then_some("msr"),
    }
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
    let tolerance = 0.5 * 10f64.powi(-places) + 1e-9 * found.abs();
    let expected = number(cell);
    assert!((found - expected).abs() <= tolerance, "{what}: {found}, manifest {expected}");
}

fn describe(path: &Path, expected: &str) -> TraceInfo {
    let input = trace::open(&path.to_string_lossy(), &TraceOptions::default())
        .unwrap_or_else(|error| panic!("{error}"));
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
    assert_eq!((measured.requests, measured.digest.text()), (info.requests, info.digest.clone()));
    let overlay = AddressMap::new(AddressPolicy::Overlay, &measured.extents, None);
    assert_eq!(overlay.expect("an overlay").span_bytes(), info.end_bytes);
    info
}

#[test]
fn every_trace_reads_as_the_manifest_describes_it() {
    let Some(folder) = folder() else { return };
    let mut checked = 0;
    for row in manifest(&folder) {
        let Some(format) = promised(&row[0]) else { continue };
        let name = &row[0];
        let info = describe(&folder.join(format!("{name}.zst")), format);
        assert_eq!(info.requests as f64, number(&row[1]), "{name}: requests");
        assert_rounds(100.0 * info.write_ratio.unwrap(), &row[2], 2, name);
        assert_rounds(info.mean_bytes.unwrap(), &row[3], 0, name);
        assert_rounds(info.mean_write_bytes.unwrap(), &row[4], 0, name);
        assert_eq!(info.span_bytes as f64, number(&row[5]), "{name}: span");
        assert_eq!(info.volumes_count as f64, number(&row[6]), "{name}: units");
        assert_eq!(info.unique_pages_4k.unwrap() as f64, number(&row[7]), "{name}: unique pages");
        assert_rounds(info.duration_s, &row[8], 3, name);
        assert_rounds(100.0 * info.aligned_4k_ratio.unwrap(), &row[9], 1, name);
        checked += 1;
    }
    assert_eq!(checked, 13, "traces in the formats that are read");
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

#[test]
fn traces_in_other_formats_are_refused_and_not_misread() {
    let Some(folder) = folder() else { return };
    let mut refused = 0;
    for entry in fs::read_dir(&folder).expect("the folder") {
        let path = entry.expect("an entry").path();
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        let Some(name) = name.strip_suffix(".zst").filter(|name| promised(name).is_none()) else {
            continue;
        };
        let opened = Trace::open(&path.to_string_lossy(), &TraceOptions::default());
        let Err(error @ Error::Trace { .. }) = opened else { panic!("{name} was read") };
        let text = error.to_string();
        let reason = if name.starts_with("MSR_cut10k") { "LinnOS" } else { "not a format" };
        assert!(text.contains(reason) && text.contains("--format"), "{text}");
        assert!(!text.contains(char::is_control), "{text:?}");
        refused += 1;
    }
    assert_eq!(refused, 17, "traces in other formats");
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
