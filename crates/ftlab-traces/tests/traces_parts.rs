//! Recordings in several files, and files in archives.
#![allow(clippy::unwrap_used, reason = "the helpers of tests may panic as tests do")]

use ftlab_traces::Error;
use ftlab_traces::request::Request;
use ftlab_traces::trace::{self, TraceOptions};
use std::fs;
use std::io::{Cursor, Write};
use std::path::{Path, PathBuf};

const EARLY: &str = "0,8,512,w,1.5\n1,16,1024,r,1.75\n0,24,512,w,2.0\n";
const LATE: &str = "0,32,512,w,1.6\n7,40,512,w,3.0\n";

/// A folder for one test, with files.
fn folder(name: &str, files: &[(&str, &[u8])]) -> PathBuf {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("traces_parts").join(name);
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).unwrap();
    for (name, content) in files {
        fs::write(folder.join(name), content).unwrap();
    }
    folder
}

fn read(path: &Path) -> Result<Vec<Request>, Error> {
    read_with(path, &TraceOptions::default())
}

fn read_with(path: &Path, options: &TraceOptions) -> Result<Vec<Request>, Error> {
    trace::open(path.to_str().unwrap(), options)?.open()?.rest()
}

/// Times in ms, volumes and sectors.
fn shown(requests: &[Request]) -> Vec<(u64, u32, u64)> {
    requests.iter().map(|r| (r.time / 1_000_000, r.volume, r.offset / 512)).collect()
}

#[test]
fn a_folder_and_a_pattern_are_merged_by_time() {
    let files = [("b.spc", LATE.as_bytes()), ("a.spc", EARLY.as_bytes()), (".hidden", b"x")];
    let folder = folder("merged", &files);
    let expected = [(0, 0, 8), (100, 0, 32), (250, 1, 16), (500, 0, 24), (1500, 7, 40)];
    for path in [folder.clone(), folder.join("*.spc"), folder.join("[ab].s?c")] {
        assert_eq!(shown(&read(&path).unwrap()), expected, "{}", path.display());
    }
    let compressed = zstd::stream::encode_all(LATE.as_bytes(), 1).unwrap();
    fs::write(folder.join("b.spc"), compressed).unwrap();
    assert_eq!(shown(&read(&folder).unwrap()), expected);
}

#[test]
fn a_mistake_names_the_file_and_its_line() {
    let broken = [EARLY, "0,1,512,w,9\n0,1,512,x,9\n"].concat();
    let folder = folder("mistake", &[("a", EARLY.as_bytes()), ("b", broken.as_bytes())]);
    let error = read(&folder).unwrap_err().to_string();
    assert!(error.contains("/b:5: column 4 (opcode): found \"x\""), "{error}");
    let back = [EARLY, "0,1,512,w,1\n"].concat();
    fs::write(folder.join("b"), back).unwrap();
    let error = read(&folder).unwrap_err().to_string();
    assert!(error.contains("/b:4: time goes back by 1 s"), "{error}");
}

#[test]
fn files_of_other_formats_and_too_few_are_refused() {
    let fio = "fio version 3 iolog\n0 f add\n9 f write 0 4096\n";
    let folder = folder("others", &[("a", EARLY.as_bytes()), ("b", fio.as_bytes())]);
    let error = read(&folder).unwrap_err().to_string();
    assert!(error.contains("/b: found fio, expected spc as"), "{error}");
    let error = read(&folder.join("*.csv")).unwrap_err().to_string();
    assert!(error.contains("*.csv: found no file there"), "{error}");
    let error = read(&folder.join("[")).unwrap_err().to_string();
    assert!(error.contains("found a pattern that cannot be read"), "{error}");
}

/// `fio --numjobs` with a log for each job: names count over all files, times from the same start.
#[test]
fn logs_of_jobs_share_their_names() {
    let one = "fio version 3 iolog\n0 x add\n1000 x write 0 4096\n9000 y write 0 4096\n";
    let two = "fio version 3 iolog\n0 y add\n4000 y read 4096 4096\n";
    let folder = folder("jobs", &[("1.log", one.as_bytes()), ("2.log", two.as_bytes())]);
    let (x, y) = (0, 1);
    let found = shown(&read(&folder).unwrap());
    assert_eq!(found, [(0, x, 0), (3, y, 8), (8, y, 0)]);
}

/// A record of blktrace: a queued write of 4 KiB.
fn event(ms: u64, sector: u64) -> Vec<u8> {
    let mut record = 0x6561_7407_u32.to_le_bytes().to_vec();
    record.extend(1u32.to_le_bytes());
    record.extend((ms * 1_000_000).to_le_bytes());
    record.extend(sector.to_le_bytes());
    record.extend(4096u32.to_le_bytes());
    record.extend((2u32 << 16 | 1).to_le_bytes());
    record.extend([0; 4]);
    record.extend((8u32 << 20).to_le_bytes());
    record.extend([0; 8]);
    record
}

#[test]
fn recordings_of_each_processor_are_one() {
    let zero = [event(1, 8), event(3, 24), event(9, 72)].concat();
    let one = [event(2, 16), event(4, 32)].concat();
    let folder = folder("blktrace", &[("sda.blktrace.0", &zero), ("sda.blktrace.1", &one)]);
    let found = shown(&read(&folder.join("sda.blktrace.*")).unwrap());
    let expected = [(0, 8), (1, 16), (2, 24), (3, 32), (8, 72)].map(|(ms, at)| (ms, 8000, at));
    assert_eq!(found, expected);
}

/// A file of vscsi is one virtual disk.
#[test]
fn files_that_are_a_volume_each_are_several_volumes() {
    let record = |us: u64, sector: u64| {
        let mut record = [1u32, 4096, 1].map(u32::to_le_bytes).concat();
        record.extend(0x2au16.to_le_bytes());
        record.extend(0x0100u16.to_le_bytes());
        record.extend(sector.to_le_bytes());
        record.extend(us.to_le_bytes());
        record
    };
    let (one, two) = (record(5000, 8).repeat(1), record(7000, 8));
    let folder = folder("disks", &[("w1.vscsi", &one), ("w2.vscsi", &two)]);
    assert_eq!(shown(&read(&folder).unwrap()), [(0, 0, 8), (2, 1, 8)]);
}

fn tarred(files: &[(&str, &[u8])]) -> Vec<u8> {
    let mut builder = tar::Builder::new(Vec::new());
    for (name, bytes) in files {
        let mut header = tar::Header::new_ustar();
        header.set_size(bytes.len() as u64);
        header.set_mode(0o644);
        builder.append_data(&mut header, name, *bytes).unwrap();
    }
    builder.into_inner().unwrap()
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    gzip.write_all(bytes).unwrap();
    gzip.finish().unwrap()
}

fn zipped(files: &[(&str, &[u8])]) -> Vec<u8> {
    let mut zip = zip::ZipWriter::new(Cursor::new(Vec::new()));
    for (name, bytes) in files {
        zip.start_file(*name, zip::write::SimpleFileOptions::default()).unwrap();
        zip.write_all(bytes).unwrap();
    }
    zip.finish().unwrap().into_inner()
}

/// The files of an archive are one recording, as those of a folder are, also where only some requests are read.
#[test]
fn the_files_of_an_archive_are_merged_by_time() {
    let files: [(&str, &[u8]); 4] = [
        ("data/README.md", b"about"),
        ("data/b.spc", LATE.as_bytes()),
        ("data/a.spc", EARLY.as_bytes()),
        ("data/other.csv", b"x,y\n1,2\n"),
    ];
    let (tar, zip) = (tarred(&files[..3]), zipped(&files[..3]));
    let odd = tarred(&files);
    let made = [
        ("a.tar", &tar),
        ("a.tar.gz", &gzip(&tar)),
        ("a.zip", &zip),
        ("odd.tar", &odd),
        ("odd.zip", &zipped(&files)),
    ];
    let made = made.map(|(name, bytes)| (name, bytes.as_slice()));
    let folder = folder("several", &made);
    let expected = [(0, 0, 8), (100, 0, 32), (250, 1, 16), (500, 0, 24), (1500, 7, 40)];
    let two = TraceOptions { requests: Some(2), ..TraceOptions::default() };
    for name in ["a.tar", "a.tar.gz", "a.zip", "a.zip/data/*.spc", "odd.tar/data/*.spc"] {
        assert_eq!(shown(&read(&folder.join(name)).unwrap()), expected, "{name}");
        let begun = read_with(&folder.join(name), &two).unwrap();
        assert_eq!(shown(&begun), expected[..2], "{name}");
    }
    let one = read(&folder.join("odd.tar/data/a.spc")).unwrap();
    assert_eq!(shown(&one), [(0, 0, 8), (250, 1, 16), (500, 0, 24)]);
    for name in ["odd.tar", "odd.zip"] {
        let error = read_with(&folder.join(name), &two).unwrap_err().to_string();
        let archive = folder.join(name);
        let odd = format!("{}/data/other.csv", archive.display());
        let good = format!("name one, as \"{}/data/a.spc\"", archive.display());
        assert!(error.starts_with(&odd) && error.ends_with(&good), "{error}");
    }
    let error = read(&folder.join("a.tar/*.csv")).unwrap_err().to_string();
    assert!(error.contains("a.tar/*.csv: found no file there"), "{error}");
}

/// What a shell makes of a pattern are several names, which stand in braces.
#[test]
fn several_names_are_one_recording() {
    let files = [("a,b.spc", LATE.as_bytes()), ("c.spc", EARLY.as_bytes()), ("{c.spc}", b"")];
    let folder = folder("names", &files);
    let named = |names: &[&str]| {
        let names: Vec<String> =
            names.iter().map(|name| folder.join(name).display().to_string()).collect();
        PathBuf::from(format!("{{{}}}", names.join(",")))
    };
    let expected = [(0, 0, 8), (100, 0, 32), (250, 1, 16), (500, 0, 24), (1500, 7, 40)];
    for names in [named(&["c.spc", "a\\,b.spc"]), named(&["a*.spc", "c.spc"])] {
        assert_eq!(shown(&read(&names).unwrap()), expected, "{}", names.display());
    }
    let input =
        trace::open(named(&["c.spc", "a*.spc"]).to_str().unwrap(), &TraceOptions::default());
    assert_eq!(input.unwrap().name(), "a,b.spc and 1 more");
    let twice = read(&named(&["c.spc", "c.spc"])).unwrap_err().to_string();
    assert!(twice.ends_with("named twice, expected each file once"), "{twice}");
    let missing = read(&named(&["c.spc", "d.spc"])).unwrap_err().to_string();
    assert!(missing.contains("d.spc: No such file"), "{missing}");
}

/// A name is read whole before its file: one of any length would take any memory.
#[test]
fn a_name_in_an_archive_has_a_bound() {
    let name = |bytes: usize| {
        let mut header = tar::Header::new_gnu();
        header.set_path("././@LongLink").unwrap();
        header.set_entry_type(tar::EntryType::GNULongName);
        header.set_size(bytes as u64);
        header.set_cksum();
        let mut name = vec![b'n'; bytes.next_multiple_of(512)];
        name[bytes..].fill(0);
        [header.as_bytes().as_slice(), &name, &tarred(&[("a", EARLY.as_bytes())])].concat()
    };
    let long = [name(3000), name(3 << 20)];
    let files = [("good.tar", &long[0]), ("bad.tar", &long[1])];
    let files = files.map(|(name, bytes)| (name, bytes.as_slice()));
    let folder = folder("long", &files);
    fs::write(folder.join("bad.tar.gz"), gzip(&long[1])).unwrap();
    assert_eq!(read(&folder.join("good.tar")).unwrap().len(), 3);
    for name in ["bad.tar", "bad.tar.gz", "bad.tar/a"] {
        let error = read(&folder.join(name)).unwrap_err().to_string();
        assert!(error.contains("found more than 1 MiB in front of a file"), "{name}: {error}");
    }
}

#[test]
fn the_file_of_an_archive_is_read_also_where_one_or_both_are_compressed() {
    let tar = tarred(&[("data/README", b"about"), ("data/a.spc", EARLY.as_bytes())]);
    let tar_of_gz = tarred(&[("a.spc.gz", &gzip(EARLY.as_bytes()))]);
    let zip = zipped(&[("a.spc.gz", &gzip(EARLY.as_bytes()))]);
    let folder = folder(
        "archives",
        &[
            ("a.tar", &tar),
            ("a.tar.gz", &gzip(&tar)),
            ("b.tar.gz", &gzip(&tar_of_gz)),
            ("a.zip", &zip),
        ],
    );
    let plain = folder.join("plain");
    fs::write(&plain, EARLY).unwrap();
    let expected = read(&plain).unwrap();
    for name in ["a.tar", "a.tar.gz", "b.tar.gz", "a.zip", "a.tar.gz/data/a.spc", "a.zip/a.spc.gz"]
    {
        assert_eq!(read(&folder.join(name)).unwrap(), expected, "{name}");
    }
    for (name, words) in [
        ("a.zip/b", "found no file \"b\" in the archive"),
        ("a.tar/b", "found no file \"b\" in the archive"),
        ("plain/b", "not a directory"),
    ] {
        let error = read(&folder.join(name)).unwrap_err().to_string();
        assert!(error.contains(words), "{name}: {error}");
    }
}

#[test]
fn archives_that_are_cut_or_lie_are_errors() {
    let tar = tarred(&[("a.spc", EARLY.repeat(1000).as_bytes())]);
    let mut huge = tar::Header::new_gnu();
    huge.set_path("a.spc").unwrap();
    huge.set_size(1 << 60);
    huge.set_cksum();
    let huge = [huge.as_bytes().as_slice(), EARLY.as_bytes()].concat();
    let at_line = &tar[..512 + 100 * EARLY.len()];
    let files = [("cut.tar", &tar[..20_000]), ("cut_at_line.tar", at_line), ("huge.tar", &huge)];
    let folder = folder("damaged", &files);
    fs::write(folder.join("no.zip"), b"PK\x03\x04 and nothing else").unwrap();
    for name in ["cut.tar", "huge.tar", "no.zip"] {
        let error = read(&folder.join(name)).unwrap_err();
        assert!(matches!(error, Error::Trace { .. }), "{name}: {error}");
    }
    let error = read(&folder.join("cut_at_line.tar")).unwrap_err().to_string();
    assert!(error.contains("the tar stream ends in the middle"), "{error}");
}

/// A clock of one processor that is ahead, as in a public recording of completions.
#[test]
fn broken_stamps_are_named_with_their_processor_and_how_many() {
    let line = |cpu: u32, time: &str| format!("8,0 {cpu} 1 {time} 1 Q W 8 + 8 [a]\n");
    let text = [
        line(0, "1.0"),
        line(3, "1266900000.0"),
        line(0, "2.0"),
        line(3, "1266900001.0"),
        line(1, "3.0"),
    ];
    let folder = folder("stamps", &[("a", text.concat().as_bytes())]);
    let path = folder.join("a");
    let error = read(&path).unwrap_err().to_string();
    assert!(error.contains("stamps are broken; input.order = drop"), "{error}");
    let options = TraceOptions { order: Some(trace::TimeOrder::Drop), ..TraceOptions::default() };
    let mut source = trace::open(path.to_str().unwrap(), &options).unwrap().open().unwrap();
    assert_eq!(shown(&source.rest().unwrap()), [(0, 8000, 8), (1000, 8000, 8), (2000, 8000, 8)]);
    let remarks = source.remarks();
    assert!(remarks.contains(&"times out of order: 2 of processor 3".into()), "{remarks:?}");
}

/// Nothing tells the parts of a recording that each begin at 0 from logs of several disks.
#[test]
fn files_that_all_begin_at_0_are_said_to_be_taken_at_once() {
    let remarks = |name: &str, second: &str| {
        let folder =
            folder(name, &[("a", b"0,8,512,w,0\n0,8,512,r,20\n"), ("b", second.as_bytes())]);
        let mut source = trace::open(folder.to_str().unwrap(), &TraceOptions::default())
            .unwrap()
            .open()
            .unwrap();
        source.rest().unwrap();
        source.remarks()
    };
    let said = remarks("at_once", "0,16,512,w,0\n0,8,512,r,3\n");
    assert!(said[0].starts_with("all files begin at time 0"), "{said:?}");
    assert!(remarks("later", "0,16,512,w,21\n").is_empty());
    let one_after_the_other = "0,8,512,w,0\n0,8,512,r,20\n0,16,512,w,0\n0,8,512,r,3\n";
    let folder = folder("as_one", &[("c", one_after_the_other.as_bytes())]);
    let options =
        TraceOptions { order: Some(trace::TimeOrder::Segments), ..TraceOptions::default() };
    let times = shown(&read_with(&folder.join("c"), &options).unwrap());
    assert_eq!(times.iter().map(|time| time.0).collect::<Vec<_>>(), [0, 20_000, 20_000, 23_000]);
}

#[test]
fn a_recording_that_is_there_under_two_names_is_told() {
    let remarks = |name: &str, first: &str, second: &str| {
        let folder = folder(name, &[("a", first.as_bytes()), ("copy", second.as_bytes())]);
        let mut source = trace::open(folder.to_str().unwrap(), &TraceOptions::default())
            .unwrap()
            .open()
            .unwrap();
        source.rest().unwrap();
        source.remarks().concat()
    };
    let said = remarks("two_names", EARLY, EARLY);
    assert!(said.contains("3 of 6 requests are in two files at the same time"), "{said:?}");
    let seconds = "0,8,512,w,1\n1,16,1024,r,1\n0,24,512,w,1\n0,8,512,r,2\n";
    let said = remarks("two_names_in_seconds", seconds, seconds);
    assert!(said.contains("4 of 8 requests"), "{said:?}");
    assert!(!remarks("two_recordings", EARLY, LATE).contains("in two files"));
}

#[test]
fn a_file_that_is_there_twice_is_refused() {
    let early = EARLY.as_bytes();
    let link = folder("twice_link", &[("a.spc", early)]);
    std::os::unix::fs::symlink(link.join("a.spc"), link.join("b.spc")).unwrap();
    let gzip = folder("twice_gzip", &[("a.spc", early), ("a.spc.gz", early)]);
    for folder in [link, gzip] {
        let error = read(&folder).unwrap_err().to_string();
        assert!(error.contains("which seem to be one file, expected each file once"), "{error}");
    }
}

#[test]
fn backups_and_what_is_about_a_trace_are_left_out() {
    let early = EARLY.as_bytes();
    let others = ["a.spc~", "#a.spc#", "a.spc.bak", "README.md", "MD5SUMS", "a.spc.sha256"];
    let files: Vec<(&str, &[u8])> = others.iter().map(|name| (*name, early)).collect();
    let folder = folder("backups", &[&files[..], &[("a.spc", early)]].concat());
    for path in [folder.clone(), folder.join("*")] {
        assert_eq!(read(&path).unwrap().len(), 3);
    }
    for backup in ["a.spc~", "*~"] {
        assert_eq!(read(&folder.join(backup)).unwrap().len(), 3);
    }
}

/// `blktrace` leaves an empty file for each processor that was idle.
#[test]
fn empty_files_beside_others_are_left_out() {
    let folder = folder("idle", &[("a.0", EARLY.as_bytes()), ("a.1", b""), ("a.2", b"")]);
    assert_eq!(read(&folder.join("a.*")).unwrap().len(), 3);
    fs::remove_file(folder.join("a.0")).unwrap();
    let error = read(&folder.join("a.*")).unwrap_err().to_string();
    assert!(error.contains("found no request"), "{error}");
    let mut archive = tar::Builder::new(Vec::new());
    for (name, content) in [("a.spc", EARLY), ("b.spc", "")] {
        let mut header = tar::Header::new_ustar();
        header.set_size(content.len() as u64);
        archive.append_data(&mut header, name, content.as_bytes()).unwrap();
    }
    fs::write(folder.join("a.tar"), archive.into_inner().unwrap()).unwrap();
    assert_eq!(read(&folder.join("a.tar")).unwrap().len(), 3);
}
