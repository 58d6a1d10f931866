//! Files as people have them, held to the values that their README states.
//!
//! The folder `cases/traces` lies beside the folder that `FTLAB_TRACES` names. Each line of its
//! README names a file, options and the expected values; `null` expects a refusal, which must then
//! contain the words of [`REFUSALS`]. Without the folder nothing is checked, unless
//! `FTLAB_TRACES_REQUIRED=1`.

use ftlab_traces::request::Op;
use ftlab_traces::trace::{self, Columns, TimeOrder, TraceInfo, TraceOptions};
use std::fs;
use std::path::{Path, PathBuf};

/// Cases that are not read as they should be. This list stays empty.
const OPEN: &[&str] = &[];

/// What a refusal must say: the file, and words of the message.
const REFUSALS: &[(&str, &[&str])] = &[
    ("fio-v1.log", &["fio's iolog of version 1", "version 3"]),
    ("msr-pandas.csv", &["floating-point", "1.28166372003061629e+17"]),
    ("iotracer-localtime.csv", &["3599.8 s", "segments"]),
    ("utf16.csv", &["UTF-16", "iconv"]),
    ("x.lz4", &["lz4"]),
    ("empty.csv", &["found no request"]),
    ("blank.csv", &["found no request"]),
    ("json-fio.json", &["JSON", "--write_iolog"]),
    ("job.fio", &["fio job file", "fio --write_iolog"]),
    ("blk-donly.txt", &["input.stage = D"]),
    ("blk-conly-level.txt", &["input.stage = C"]),
    ("og.oracleGeneral.bin", &["no addresses", "input.unit = SIZE"]),
    ("og.oracleGeneral.bin.zst", &["no addresses", "input.unit = SIZE"]),
];

/// Files of which the README expects a refusal or what its line asks for, and which are read: the
/// requests.
const READ: &[(&str, u64)] = &[("device-vol-big.csv", 1), ("systor-noheader.csv", 1)];

/// A line of the README.
struct Case {
    file: String,
    arguments: String,
    expected: serde_json::Value,
}

impl Case {
    fn of(line: &str) -> Option<Self> {
        let mut quoted = line.strip_prefix("* `")?.splitn(2, '`');
        let (file, rest) = (quoted.next()?.to_owned(), quoted.next()?);
        let (arguments, rest) = rest.split_once(": expected ")?;
        let end = rest.find("}.").map_or(0, |end| end + 1);
        let expected = match rest.starts_with("null") {
            true => serde_json::Value::Null,
            false => serde_json::from_str(&rest[..end]).expect("JSON behind \"expected\""),
        };
        Some(Self { file, arguments: arguments.replace('`', " "), expected })
    }

    fn options(&self) -> TraceOptions {
        let mut options = TraceOptions::default();
        let mut words = self.arguments.split_whitespace();
        while let Some(word) = words.next() {
            let mut value = || words.next().expect("a value").to_owned();
            match word {
                "--sort" => options.order = Some(TimeOrder::Sort),
                "--format" => options.format = Some(value()),
                "--columns" => options.columns = Some(Columns::try_from(value()).expect("columns")),
                "--op" if value() == "read" => options.op = Some(Op::Read),
                other => panic!("{}: {other} is not known here", self.file),
            }
        }
        options
    }

    /// What is wrong with how the case is read.
    fn fault(&self, folder: &Path) -> Option<String> {
        let path = folder.join(&self.file);
        let read = || {
            let input = trace::open(&path.to_string_lossy(), &self.options())?;
            TraceInfo::read(input.open()?.as_mut(), &mut |_, _| Ok(()))
        };
        match (read(), self.expected.as_object()) {
            (Ok(info), Some(expected)) => {
                let found = found(&info);
                (found != *expected).then(|| format!("found {found:?}, expected {expected:?}"))
            }
            (Ok(info), None) => {
                let read = READ.iter().find(|(file, _)| *file == self.file);
                (read.map(|(_, requests)| *requests) != Some(info.requests))
                    .then(|| format!("read {} requests, expected a refusal", info.requests))
            }
            (Err(error), Some(_)) => Some(error.to_string()),
            (Err(error), None) => self.unclear(&error.to_string()),
        }
    }

    /// What is wrong with a refusal.
    fn unclear(&self, message: &str) -> Option<String> {
        let Some((_, words)) = REFUSALS.iter().find(|(file, _)| *file == self.file) else {
            return Some(format!("refused, but no words are known: {message}"));
        };
        let missing: Vec<_> = words.iter().filter(|word| !message.contains(**word)).collect();
        (!missing.is_empty()).then(|| format!("{message:?} lacks {missing:?}"))
    }
}

/// The values of a trace under the names of the README.
fn found(info: &TraceInfo) -> serde_json::Map<String, serde_json::Value> {
    let bytes = info.mean_bytes.map_or(0.0, |mean| mean * (info.requests - info.flushes) as f64);
    let first = info.volumes.iter().map(|volume| volume.first_byte).min();
    let values = serde_json::json!({
        "requests": info.requests,
        "reads": info.reads,
        "writes": info.writes,
        "trims": info.trims,
        "bytes": bytes.round() as u64,
        "duration_ns": (info.duration_s * 1e9).round() as u64,
        "end_byte": info.end_bytes,
        "first_byte": first.unwrap_or(0),
        "volumes": info.volumes_count,
    });
    values.as_object().expect("an object").clone()
}

/// The folder with the cases, or a loud line.
fn folder() -> Option<PathBuf> {
    let traces = std::env::var_os("FTLAB_TRACES").map(PathBuf::from);
    let folder = traces.and_then(|traces| Some(traces.parent()?.join("cases/traces")));
    let folder = folder.filter(|folder| folder.join("README.md").exists());
    if folder.is_none() {
        let required = std::env::var("FTLAB_TRACES_REQUIRED").is_ok_and(|value| value == "1");
        assert!(!required, "no folder cases/traces beside the folder that FTLAB_TRACES names");
        eprintln!("NOT CHECKED: no folder cases/traces beside the folder that FTLAB_TRACES names");
    }
    folder
}

#[test]
fn every_file_of_the_cases_gives_the_value_of_its_readme() {
    let Some(folder) = folder() else { return };
    let readme = fs::read_to_string(folder.join("README.md")).expect("a README.md");
    let cases: Vec<Case> = readme.lines().filter_map(Case::of).collect();
    assert!(cases.len() > 50, "{} cases in the README", cases.len());
    let mut wrong = Vec::new();
    for case in &cases {
        let open = OPEN.contains(&case.file.as_str());
        match case.fault(&folder) {
            Some(fault) if !open => wrong.push(format!("{}{}: {fault}", case.file, case.arguments)),
            None if open
                && cases
                    .iter()
                    .filter(|c| c.file == case.file)
                    .all(|c| c.fault(&folder).is_none()) =>
            {
                wrong.push(format!("{}: passes, so it leaves the list OPEN", case.file));
            }
            _ => {}
        }
    }
    assert!(wrong.is_empty(), "{} wrong:\n{}", wrong.len(), wrong.join("\n"));
}
