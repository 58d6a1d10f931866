//! The columnar store and the other formats that are written, as a user meets them.
#![allow(clippy::unwrap_used, reason = "the helpers of tests may panic as tests do")]

use ftlab_traces::Error;
use ftlab_traces::request::{Digest, Input, Op, Request, extents};
use ftlab_traces::trace::columnar::GROUP_ROWS;
use ftlab_traces::trace::convert::{Converted, convert};
use ftlab_traces::trace::split::split;
use ftlab_traces::trace::{self, TimeOrder, TraceOptions};
use ftlab_traces::units::Duration;
use proptest::prelude::*;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

fn memory(requests: Vec<Request>) -> Arc<[Request]> {
    requests.into()
}

/// A path of this run.
fn path(name: &str) -> PathBuf {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("columnar");
    fs::create_dir_all(&folder).unwrap();
    folder.join(name)
}

fn write(input: &dyn Input, path: &Path) -> Result<Converted, Error> {
    convert(input, path.to_str().unwrap(), None, &mut |_, _| Ok(()))
}

fn read_as(path: &Path, options: &TraceOptions) -> Result<Vec<Request>, Error> {
    trace::open(path.to_str().unwrap(), options)?.open()?.rest()
}

fn read(path: &Path) -> Result<Vec<Request>, Error> {
    read_as(path, &TraceOptions::default())
}

fn digest(requests: &[Request]) -> String {
    let mut digest = Digest::default();
    requests.iter().for_each(|request| digest.add(request));
    digest.text()
}

/// `count` requests of two volumes, a millisecond apart: volume 7 first, then volume 9.
fn plain(count: u64) -> Vec<Request> {
    let request = |i: u64| {
        Request::new(
            if i.is_multiple_of(3) { Op::Read } else { Op::Write },
            (i * 7919 % 100_000) * 512,
            512 * (1 + i as u32 % 16),
        )
        .at(i * 1_000_000)
        .in_volume(if i < count / 2 { 7 } else { 9 })
    };
    (0..count).map(request).collect()
}

fn any_request() -> impl Strategy<Value = (u64, u64, u32, u32, u8)> {
    let offset = prop_oneof![0..1u64 << 40, (1u64 << 63) - (1 << 31)..(1 << 63) - (1 << 30) - 1];
    let volume = prop_oneof![0..4u32, any::<u32>()];
    (0..1u64 << 40, offset, 1..=1u32 << 30, volume, 0..3u8)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 16, failure_persistence: None, ..ProptestConfig::default() })]
    #[test]
    #[ignore = "long: part of make test-long"]
    fn what_is_written_is_read(
        some in proptest::collection::vec(any_request(), 1..200),
        copies in 1..3000usize,
    ) {
        // Repeated, so that several row groups come about.
        let mut time = 0;
        let requests: Vec<Request> = some.iter().cycle().take(some.len() * copies.min(400_000 / some.len())).enumerate()
            .map(|(i, &(step, offset, length, volume, op))| {
                time += if i == 0 { 0 } else { step >> 20 };
                Request::new([Op::Read, Op::Write, Op::Trim][op as usize], offset, length).at(time).in_volume(volume)
            })
            .collect();
        let path = path("property.parquet");
        let input = memory(requests.clone());
        let written = write(&input, &path).unwrap();
        prop_assert_eq!(written.requests, requests.len() as u64);
        prop_assert!(read(&path).unwrap() == requests);
        let measured = trace::open(path.to_str().unwrap(), &TraceOptions::default()).unwrap().measured();
        let expected = extents(input.open().unwrap().as_mut(), &mut |_, _| Ok(())).unwrap();
        prop_assert_eq!(measured, Some(expected));
    }
}

#[test]
fn every_format_that_is_written_reads_back_as_the_same_requests() {
    let requests = plain(10_000);
    for name in
        ["a.parquet", "a.spc", "a.spc.gz", "a.spc.zst", "a.mqsim", "a.mqsim.trace.zst", "a.disksim"]
    {
        let path = path(name);
        let written = write(&memory(requests.clone()), &path).unwrap();
        assert_eq!(written.bytes, fs::metadata(&path).unwrap().len(), "{name}");
        assert_eq!(written.digest, digest(&requests), "{name}");
        let input = trace::open(path.to_str().unwrap(), &TraceOptions::default()).unwrap();
        assert_eq!(input.format(), written.format, "{name}");
        assert!(read(&path).unwrap() == requests, "{name}");
    }
}

#[test]
fn what_a_format_cannot_tell_is_refused_and_nothing_is_left() {
    let good = Request::new(Op::Write, 512, 512);
    for (name, bad, expected) in [
        ("refused.spc", Request { op: Op::Trim, ..good }, "found a trim, which spc cannot tell"),
        ("refused.spc", Request { offset: 100, ..good }, "512 bytes at byte 100, but spc counts"),
        (
            "refused.mqsim.gz",
            Request { length: 100, ..good },
            "100 bytes at byte 512, but mqsim counts",
        ),
    ] {
        let path = path(name);
        let error = write(&memory(vec![good, bad]), &path).unwrap_err().to_string();
        assert!(error.starts_with("requests: request 2: "), "{error}");
        assert!(error.contains(expected), "{error}");
        assert!(!path.exists());
    }
    let odd = Request { length: 100, ..good };
    assert!(write(&memory(vec![odd]), &path("odd.spc")).is_ok(), "spc tells bytes");
    for (name, expected) in [
        ("c.txt", "expected a name that ends in .spc, .mqsim, .disksim, .parquet"),
        ("c.parquet.zst", "Parquet is compressed inside"),
    ] {
        let error = write(&memory(vec![good]), &path(name)).unwrap_err().to_string();
        assert!(error.contains(expected), "{error}");
    }
    let to = convert(&memory(vec![good]), "x", Some("spd"), &mut |_, _| Ok(())).unwrap_err();
    assert!(to.to_string().contains("did you mean \"spc\""), "{to}");
    let stopped =
        convert(&memory(plain(10)), path("d.spc").to_str().unwrap(), None, &mut |_, _| {
            Err(Error::Interrupted)
        });
    assert!(matches!(stopped, Err(Error::Interrupted)) && !path("d.spc").exists());
    let folder = path("d.spc").parent().unwrap().to_owned();
    let partial = |entry: fs::DirEntry| entry.file_name().to_string_lossy().contains(".d.spc");
    assert!(!fs::read_dir(folder).unwrap().any(|entry| partial(entry.unwrap())));
}

fn seconds(seconds: u64) -> Option<Duration> {
    Some(Duration(seconds * 1_000_000_000))
}

/// The same requests as text, whose reader skips nothing.
fn both(name: &str, requests: &[Request]) -> [PathBuf; 2] {
    let paths = [path(&format!("{name}.parquet")), path(&format!("{name}.spc.zst"))];
    for path in &paths {
        write(&memory(requests.to_vec()), path).unwrap();
    }
    paths
}

#[test]
#[ignore = "long: part of make test-long"]
fn filters_give_what_they_give_on_text() {
    let paths = both("filters", &plain(3 * GROUP_ROWS as u64));
    let base = TraceOptions::default;
    let cases = [
        TraceOptions { volume: Some(7), ..base() },
        TraceOptions { volume: Some(9), requests: Some(5), ..base() },
        TraceOptions { from: seconds(200), ..base() },
        TraceOptions { until: seconds(3), ..base() },
        TraceOptions { from: seconds(140), until: seconds(290), requests: Some(7), ..base() },
        TraceOptions { from: seconds(100), until: seconds(150), volume: Some(9), ..base() },
        TraceOptions { from: seconds(390), order: Some(TimeOrder::Sort), ..base() },
        TraceOptions { requests: Some(200_000), order: Some(TimeOrder::Clamp), ..base() },
    ];
    for options in cases {
        let [columnar, text] = [0, 1].map(|i| read_as(&paths[i], &options).unwrap());
        assert!(!text.is_empty() && columnar == text, "{options:?}");
    }
    for (options, expected) in [
        (TraceOptions { from: seconds(394), ..base() }, "input.from: found 394 s"),
        (TraceOptions { from: seconds(5), until: seconds(5), ..base() }, "input.until: found"),
        (TraceOptions { volume: Some(8), ..base() }, "input.volume may be 7, 9"),
        (TraceOptions { requests: Some(0), ..base() }, "found 0, expected at least 1"),
    ] {
        for path in &paths {
            let error = read_as(path, &options).unwrap_err().to_string();
            assert!(error.contains(expected), "{error}");
        }
    }
}

#[test]
fn row_groups_that_cannot_match_are_not_read() {
    let count = 6 * GROUP_ROWS as u64;
    let path = path("skipped.parquet");
    write(&memory(plain(count)), &path).unwrap();
    // Overwrite the middle of every row group but the fifth: whoever reads one of them fails.
    let group = GROUP_ROWS as u64 / 1000;
    let options = TraceOptions {
        from: seconds(4 * group + 10),
        until: seconds(5 * group),
        ..TraceOptions::default()
    };
    let expected = read_as(&path, &options).unwrap();
    let reader =
        parquet::file::serialized_reader::SerializedFileReader::new(fs::File::open(&path).unwrap())
            .unwrap();
    let mut bytes = fs::read(&path).unwrap();
    let mut damaged = 0;
    use parquet::file::reader::FileReader;
    for (at, group) in reader.metadata().row_groups().iter().enumerate() {
        for column in group.columns() {
            let (start, length) = column.byte_range();
            if ![0, 4].contains(&at) {
                bytes[start as usize..(start + length) as usize].fill(0xff);
                damaged += 1;
            }
        }
    }
    assert_eq!(damaged, 4 * 5);
    fs::write(&path, bytes).unwrap();
    assert!(read_as(&path, &options).unwrap() == expected);
    assert!(read(&path).is_err());
    // Volume 7 is in the first three groups, of which two are damaged now; 9 begins in the fourth.
    let nine = TraceOptions { volume: Some(9), ..TraceOptions::default() };
    let error = read_as(&path, &nine).unwrap_err().to_string();
    assert!(error.contains(&format!("parquet:{}:", 3 * GROUP_ROWS + 1)), "{error}");
}

#[test]
fn each_volume_becomes_a_file() {
    let mut requests = plain(5000);
    requests.iter_mut().for_each(|request| request.volume = (request.offset / 512 % 50) as u32);
    let folder = path("split");
    let _ = fs::remove_dir_all(&folder);
    let text = path("split.spc.zst");
    write(&memory(requests.clone()), &text).unwrap();
    let input = trace::open(text.to_str().unwrap(), &TraceOptions::default()).unwrap();
    let parts = split(input.as_ref(), &folder, &mut |_, _| Ok(())).unwrap();
    assert_eq!((parts.len(), fs::read_dir(&folder).unwrap().count()), (50, 50));
    assert_eq!(parts.iter().map(|part| part.requests).sum::<u64>(), 5000);
    for part in &parts {
        assert_eq!(part.file, format!("split.volume-{}.parquet", part.volume));
        let volume = TraceOptions { volume: Some(part.volume), ..TraceOptions::default() };
        let expected = read_as(&text, &volume).unwrap();
        assert!(read(&folder.join(&part.file)).unwrap() == expected);
        assert_eq!(part.digest, digest(&expected));
    }
    // The folder is the recording again, but that files at one time are in the order of their names.
    let whole = trace::open(folder.to_str().unwrap(), &TraceOptions::default()).unwrap();
    let in_order = |mut all: Vec<Request>| {
        all.sort_by_key(|request| (request.time, request.volume));
        all
    };
    let merged = whole.open().unwrap().rest().unwrap();
    assert!(merged.is_sorted_by_key(|request| request.time));
    assert!(in_order(merged) == in_order(requests));
    let volume = TraceOptions { volume: Some(7), requests: Some(9), ..TraceOptions::default() };
    assert!(read_as(&folder, &volume).unwrap() == read_as(&text, &volume).unwrap());
    let again = split(input.as_ref(), &folder, &mut |_, _| Ok(())).unwrap_err();
    assert!(again.to_string().contains("not empty"), "{again}");
    let other = path("split_stopped");
    let stopped = split(input.as_ref(), &other, &mut |_, _| Err(Error::Interrupted));
    assert!(matches!(stopped, Err(Error::Interrupted)) && !other.exists());
}

/// The message for a file with these bytes.
fn message(name: &str, bytes: &[u8]) -> String {
    let path = path(name);
    fs::write(&path, bytes).unwrap();
    let text = read(&path).expect_err(name).to_string();
    assert!(!text.contains(char::is_control), "{text:?}");
    text.replace(&*path.parent().unwrap().to_string_lossy(), "")
}

#[test]
fn damaged_files_are_told_in_one_line() {
    let path = path("sound.parquet");
    write(&memory(plain(3000)), &path).unwrap();
    let sound = fs::read(&path).unwrap();
    for length in [4, 11, 12, 100, sound.len() / 2, sound.len() - 1] {
        let text = message("cut.parquet", &sound[..length]);
        assert!(text.starts_with("/cut.parquet: "), "{text}");
    }
    let mut greedy = sound.clone();
    let at = greedy.len() - 8;
    greedy[at..at + 4].copy_from_slice(&u32::MAX.to_le_bytes());
    assert!(message("greedy.parquet", &greedy).contains("found a footer of 4294967295 bytes"));
    let packed = zstd::stream::encode_all(&sound[..], 1).unwrap();
    assert!(message("packed.parquet.zst", &packed).contains("read from its end"));
    // Any one byte may be anything: an error or requests that may be believed, never a panic.
    let mut wrong = 0;
    for at in (0..sound.len()).step_by(1 + sound.len() / 1500) {
        let mut damaged = sound.clone();
        damaged[at] ^= 1 << (at % 8);
        let name = PathBuf::from("damaged.parquet");
        fs::write(path.with_file_name(&name), damaged).unwrap();
        match read(&path.with_file_name(&name)) {
            Ok(requests) => assert!(requests.is_sorted_by_key(|r| r.time)),
            Err(error) => {
                assert!(matches!(error, Error::Trace { .. }), "{at}: {error}");
                assert!(!error.to_string().contains(char::is_control), "{error}");
                wrong += 1;
            }
        }
    }
    assert!(wrong > 1000, "only {wrong} damages were seen");
}

/// A file with the columns of the store and these values, without a footer of ours.
fn foreign(name: &str, rows: &[[i64; 5]]) -> PathBuf {
    use parquet::data_type::Int64Type;
    use parquet::file::writer::SerializedFileWriter;
    let path = path(name);
    let schema = parquet::schema::parser::parse_message_type(FOREIGN).unwrap();
    let file = fs::File::create(&path).unwrap();
    let mut writer = SerializedFileWriter::new(file, schema.into(), Default::default()).unwrap();
    let mut group = writer.next_row_group().unwrap();
    for column in 0.. {
        let Some(mut chunk) = group.next_column().unwrap() else { break };
        let values: Vec<i64> = rows.iter().map(|row| row[column]).collect();
        let present = vec![1; rows.len()];
        chunk.typed::<Int64Type>().write_batch(&values, Some(&present), None).unwrap();
        chunk.close().unwrap();
    }
    group.close().unwrap();
    writer.close().unwrap();
    path
}

const FOREIGN: &str = "message m {
    optional int64 time_ns; optional int64 volume; optional int64 offset; optional int64 length;
    optional int64 op;
}";

#[test]
fn files_of_other_programs_are_read_and_not_believed() {
    let path = foreign("foreign.parquet", &[[5, 1, 0, 512, 1], [9, 2, 4096, 1, 2]]);
    let requests = read(&path).unwrap();
    assert_eq!((requests[0].time, requests[1].time, requests[1].op), (0, 4, Op::Trim));
    let input = trace::open(path.to_str().unwrap(), &TraceOptions::default()).unwrap();
    assert_eq!(input.measured(), None);
    for (row, expected) in [
        ([1, 1, 0, 512, 1], "time goes back by 0.000000004 s"),
        ([-5, 1, 0, 512, 1], "column time_ns: found -5, expected whole nanoseconds"),
        ([9, -1, 0, 512, 1], "column volume: found -1, expected a whole number up to 2^32 - 1"),
        ([9, 1 << 32, 0, 512, 1], "column volume: found 4294967296"),
        ([9, 1, -512, 512, 1], "column offset: found -512"),
        ([9, 1, i64::MAX, 512, 1], "ends below 2^63"),
        ([9, 1, 0, -1, 1], "column length: found -1"),
        ([9, 1, 0, 1 << 31, 1], "longer than 1 GiB"),
        ([9, 1, 0, 512, 5], "column op: found 5, expected 0 read, 1 write, 2 trim, 3 flush"),
    ] {
        let path = foreign("hostile.parquet", &[[5, 1, 0, 512, 1], row]);
        let text = read(&path).unwrap_err().to_string();
        assert!(text.contains("hostile.parquet:2: ") && text.contains(expected), "{text}");
    }
    let nothing = foreign("nothing.parquet", &[[5, 1, 0, 512, 1], [9, 1, 0, 0, 1]]);
    assert_eq!(read(&nothing).unwrap().len(), 1, "a request of no bytes is left out");
    let empty = foreign("empty.parquet", &[]);
    assert!(read(&empty).unwrap_err().to_string().contains("found no request"));
    for (schema, expected) in [
        ("message m { required int64 time_ns; }", "found no column volume, expected time_ns"),
        (&FOREIGN.replace("int64 op", "binary op"), "column op: found BYTE_ARRAY, expected 0 read"),
        (&FOREIGN.replace("int64 op", "double op"), "column op: found DOUBLE"),
        (&FOREIGN.replace("optional int64 op", "repeated int64 op"), "column op: found INT64"),
    ] {
        let schema = parquet::schema::parser::parse_message_type(schema).unwrap();
        let path = path.with_file_name("schema.parquet");
        let file = fs::File::create(&path).unwrap();
        parquet::file::writer::SerializedFileWriter::new(file, schema.into(), Default::default())
            .unwrap()
            .close()
            .unwrap();
        let text = read(&path).unwrap_err().to_string();
        assert!(text.contains(expected), "{text}");
    }
}

#[test]
fn a_summary_of_other_requests_is_not_believed() {
    let requests = plain(100);
    let path = path("summary.parquet");
    write(&memory(requests.clone()), &path).unwrap();
    let bytes = fs::read(&path).unwrap();
    let find = |text: &str| bytes.windows(text.len()).position(|w| w == text.as_bytes()).unwrap();
    let with = |name: &str, at: usize, byte: u8| {
        let mut bytes = bytes.clone();
        bytes[at] = byte;
        let path = path.with_file_name(name);
        fs::write(&path, bytes).unwrap();
        path
    };
    // Another count: measured like any other file.
    let count = with("count.parquet", find("\"requests\":100") + 11, b'2');
    let input = trace::open(count.to_str().unwrap(), &TraceOptions::default()).unwrap();
    assert_eq!(input.measured(), None);
    assert!(read(&count).unwrap() == requests);
    // Another digest, and extents that are too narrow: an error as soon as it shows.
    let digest = find(&digest(&requests));
    let other = if bytes[digest] == b'0' { b'1' } else { b'0' };
    let extent = find("\"volume\":7");
    for file in [with("digest.parquet", digest, other), with("extent.parquet", extent + 9, b'6')] {
        let text = read(&file).unwrap_err().to_string();
        assert!(text.contains("are not those that the footer"), "{text}");
    }
}
