//! Files, pipes, options and hostile content, as a user meets them.
#![allow(clippy::unwrap_used, reason = "the helpers of tests may panic as tests do")]

#[path = "../benches/readers/inputs.rs"]
mod inputs;

use ftlab_traces::Error;
use ftlab_traces::request::{BATCH, Input, Op, Request};
use ftlab_traces::trace::{self, TimeOrder, TimeUnit, Trace, TraceOptions};
use ftlab_traces::units::Bytes;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

const LINES: &str = "0,8,512,w,1.5\n1,16,1024,r,1.75\n0,24,512,w,2.0\n";

/// A file of the test that is called `name`, in a folder for this run.
fn file(name: &str, content: impl AsRef<[u8]>) -> PathBuf {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("traces_files");
    fs::create_dir_all(&folder).unwrap();
    let path = folder.join(name);
    fs::write(&path, content).unwrap();
    path
}

fn all(input: &dyn Input) -> Result<Vec<Request>, Error> {
    input.open()?.rest()
}

fn read(path: &Path, options: &TraceOptions) -> Result<Vec<Request>, Error> {
    all(trace::open(path.to_str().unwrap(), options)?.as_ref())
}

/// The message for `content`, without the folder's name.
fn message(name: &str, content: impl AsRef<[u8]>, options: &TraceOptions) -> String {
    let path = file(name, content);
    let text = read(&path, options).expect_err("an error").to_string();
    assert!(!text.contains(char::is_control), "{text:?}");
    text.replace(path.parent().unwrap().to_str().unwrap(), "").trim_start_matches('/').to_owned()
}

fn options() -> TraceOptions {
    TraceOptions::default()
}

fn spc() -> TraceOptions {
    TraceOptions { format: Some("spc".into()), ..options() }
}

#[test]
fn every_compression_reads_the_same() {
    let plain = read(&file("plain.spc", LINES), &options()).unwrap();
    assert_eq!((plain[1].time, plain[1].volume, plain[2].time), (250_000_000, 1, 500_000_000));
    let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    gzip.write_all(LINES.as_bytes()).unwrap();
    let mut bzip2 = bzip2::write::BzEncoder::new(Vec::new(), bzip2::Compression::fast());
    bzip2.write_all(LINES.as_bytes()).unwrap();
    let mut xz = liblzma::write::XzEncoder::new(Vec::new(), 1);
    xz.write_all(LINES.as_bytes()).unwrap();
    for (name, packed) in [
        ("a.gz", gzip.finish().unwrap()),
        ("a.bz2", bzip2.finish().unwrap()),
        ("a.xz", xz.finish().unwrap()),
        ("a.zst", zstd::stream::encode_all(LINES.as_bytes(), 1).unwrap()),
    ] {
        assert_eq!(read(&file(name, &packed), &options()).unwrap(), plain, "{name}");
        let cut = message(&format!("cut_{name}"), &packed[..packed.len() - 2], &spc());
        assert!(cut.contains("ends in the middle"), "{cut}");
    }
}

#[test]
fn commands_read_a_packed_file_as_it_is_packed() {
    let events = "0.5 Q W 77 8\n0.6 C W 77 8\n0.7 Q R 9 8\n";
    let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    gzip.write_all(events.as_bytes()).unwrap();
    let mut archive = tar::Builder::new(Vec::new());
    for name in ["a.txt", "b.csv"] {
        let mut header = tar::Header::new_ustar();
        header.set_size(events.len() as u64);
        header.set_mode(0o644);
        archive.append_data(&mut header, name, events.as_bytes()).unwrap();
    }
    let packed = file("events.tar", archive.into_inner().unwrap());
    let member = read(&packed.join("a.txt"), &options()).unwrap_err().to_string();
    for (told, command) in [
        (message("events.txt", events, &options()), "take one, awk '"),
        (
            message("events.gz", gzip.finish().unwrap(), &options()),
            "take one, gzip -dc FILE | awk '",
        ),
        (
            message(
                "events.zst",
                zstd::stream::encode_all(events.as_bytes(), 1).unwrap(),
                &options(),
            ),
            "take one, zstd -dc FILE | awk '",
        ),
        (member, "take one, tar xOf FILE MEMBER | awk '"),
    ] {
        let file = if command.contains("| awk") { "" } else { " FILE" };
        let end = format!("$2 == \"Q\"'{file} | ftlab ... -; ");
        assert!(told.contains(&format!("{command}{end}")), "{told}");
    }
}

#[test]
fn what_spreadsheets_editors_and_crashes_add_is_told_with_a_command() {
    for (name, text, command) in [
        ("sep.spc", ["sep=,\n", LINES].concat(), "tail -n +2 FILE | ftlab ... -"),
        ("sep_crlf.spc", ["sep=,\r\n", LINES].concat(), "tail -n +2 FILE | ftlab ... -"),
        ("ctrl_z.spc", [LINES, "\u{1a}"].concat(), "tr -d '\\000\\032' < FILE | ftlab ... -"),
        ("nul.spc", [LINES, "\0\0\0"].concat(), "tr -d '\\000\\032' < FILE | ftlab ... -"),
        ("nul0.spc", ["\0\0\0", LINES].concat(), "tr -d '\\000\\032' < FILE | ftlab ... -"),
    ] {
        let told = message(name, &text, &options());
        assert!(told.contains(command) && told.ends_with("(read as spc)"), "{told}");
    }
    // More than a line may have.
    for (name, text, command) in [
        ("long_nul.spc", [LINES, &"\0".repeat(200_000)].concat(), "tr -d '\\000\\032' < FILE"),
        ("long_cr.spc", LINES.repeat(5000).replace('\n', "\r"), "tr '\\r' '\\n' < FILE"),
    ] {
        let told = message(name, &text, &spc());
        assert!(told.contains(command), "{told}");
    }
}

#[test]
fn a_file_can_be_read_again_and_knows_its_name_and_format() {
    let path = file("again.spc", LINES);
    let input = Trace::open(path.to_str().unwrap(), &options()).unwrap();
    assert_eq!((input.name().as_str(), input.format().as_str()), ("again.spc", "spc"));
    assert!(input.detected() && input.rereadable());
    assert_eq!(all(&input).unwrap(), all(&input).unwrap());
    assert!(!Trace::open(path.to_str().unwrap(), &spc()).unwrap().detected());
}

#[cfg(unix)]
#[test]
fn a_pipe_is_read_once_and_whole() {
    // Opening the pipe of an earlier run would wait for a reader.
    let path = file("beside_the_pipe", "").with_file_name("pipe");
    let _ = fs::remove_file(&path);
    let made = std::process::Command::new("mkfifo").arg(&path).status().unwrap();
    assert!(made.success());
    let writer = path.clone();
    let text: String = (0..20_000).map(|i| format!("0,{i},512,r,{i}\n")).collect();
    let thread = std::thread::spawn(move || fs::write(writer, text));
    let input = Trace::open(path.to_str().unwrap(), &options()).unwrap();
    assert!(!input.rereadable());
    let requests = all(&input).unwrap();
    assert_eq!((requests.len(), requests[0].offset), (20_000, 0));
    assert!(all(&input).unwrap_err().to_string().contains("only once"));
    thread.join().unwrap().unwrap();
}

#[test]
fn filters_take_a_volume_and_the_first_requests() {
    let path = file("filter.spc", LINES);
    let one = read(&path, &TraceOptions { volume: Some(0), ..options() }).unwrap();
    assert_eq!(one.iter().map(|r| r.time).collect::<Vec<_>>(), [0, 500_000_000]);
    let first = read(&path, &TraceOptions { requests: Some(2), ..options() }).unwrap();
    assert_eq!(first.len(), 2);
    // What comes behind the last one asked for is not read.
    let broken = file("filter_broken.spc", [LINES, "junk\n"].concat());
    let first = read(&broken, &TraceOptions { requests: Some(3), ..options() }).unwrap();
    assert_eq!(first.len(), 3);
    let missing = message("volume.spc", LINES, &TraceOptions { volume: Some(5), ..options() });
    assert_eq!(missing, "volume.spc: volume 5 does not occur; input.volume may be 0, 1");
    let none = read(&path, &TraceOptions { requests: Some(0), ..options() }).unwrap_err();
    assert!(none.to_string().starts_with("input.requests: found 0"), "{none}");
}

#[test]
fn time_that_goes_back_names_the_line_and_the_ways_out() {
    let text = "0,8,512,w,2\n0,16,512,w,3\n0,24,512,w,1\n";
    assert_eq!(
        message("back.spc", text, &options()),
        "back.spc:3: time goes back by 2 s, expected times in order; input.order = sort \
         reorders, input.order = clamp raises the time (read as spc)"
    );
    let path = file("back_again.spc", text);
    let read = |order| read(&path, &TraceOptions { order: Some(order), ..options() }).unwrap();
    let pairs = |order| read(order).iter().map(|r| (r.time, r.offset / 512)).collect::<Vec<_>>();
    let second = 1_000_000_000;
    assert_eq!(pairs(TimeOrder::Sort), [(0, 24), (second, 8), (2 * second, 16)]);
    assert_eq!(pairs(TimeOrder::Clamp), [(0, 8), (second, 16), (second, 24)]);
}

/// Times with a point, and as many lines as a rate needs.
fn steps(of: &str) -> String {
    (1..=9).map(|step| of.replace("N", &step.to_string())).collect()
}

#[test]
fn times_whose_unit_nothing_settles_are_asked_for() {
    for (name, text, units) in [
        ("seconds.disksim", "242.N0 0 1000 8 1\n", "ms or input.time_unit = s"),
        ("fast.disksim", "0.00N 0 1001 8 1\n", "ms or input.time_unit = s"),
        ("micro.disksim", "0.0N0125 0 1001 8 1\n", "ms or input.time_unit = s"),
        ("close.mqsim", "N 0 1001 8 1\n", "ns or input.time_unit = us or input.time_unit = ms"),
        ("ms.mqsim", "N97 0 1001 8 1\n", "ns or input.time_unit = us or input.time_unit = ms"),
        ("stamps.disksim", "120000000N.5 0 1001 8 1\n", "s or input.time_unit = ms"),
        ("unix.mqsim", "170000000000000N 0 1001 8 1\n", "us or input.time_unit = ns"),
        ("apart.spc", "0,1001,512,w,N000.5\n", "s or input.time_unit = ms"),
        ("apart.systor", "N00,1,R,0,4096,512\n", "s or input.time_unit = ms"),
        ("rebased.msr", "N000000,hm,0,Read,4096,512,1\n", "filetime or input.time_unit = s"),
    ] {
        let text = steps(text);
        let asked = message(name, &text, &options());
        assert!(asked.contains(&format!("input.time_unit = {units}")), "{asked}");
        let said = TraceOptions { time_unit: Some(TimeUnit::Microseconds), ..options() };
        let format = Some(name.split_once('.').unwrap().1.to_owned());
        let requests = read(&file(name, &text), &TraceOptions { format, ..said }).unwrap();
        assert_eq!(requests.len(), 9, "{name}");
    }
    let unix = steps("117216360000000000N,hm,0,Read,4096,512,1\n");
    let asked = message("unix.msr", &unix, &options());
    assert!(asked.contains("ns or input.time_unit = filetime"), "{asked}");
    for line in ["N000 f write 0 4096\n", "N500001 f write 0 4096\n"] {
        let text = ["fio version 3 iolog\n0 f add\n", &steps(line)].concat();
        let asked = message("log.fio", &text, &options());
        assert!(asked.contains("us or input.time_unit = ns"), "{asked}");
        let said = TraceOptions { time_unit: Some(TimeUnit::Nanoseconds), ..options() };
        let last = read(&file("log.fio", &text), &said).unwrap()[8].time;
        assert!(last == 8000 || last == 8_000_000, "{last}");
    }
}

#[test]
fn units_that_are_said_hold_for_every_text_format() {
    let said = |time, offset: u64| TraceOptions {
        time_unit: Some(time),
        offset_unit: Some(Bytes(offset)),
        ..options()
    };
    let one = |name: &str, text: &str, options: &TraceOptions| {
        let requests = read(&file(name, text), options).unwrap();
        let last = requests[requests.len() - 1];
        (last.time, last.offset)
    };
    let milliseconds = said(TimeUnit::Milliseconds, 4096);
    assert_eq!(
        one("a.spc", "0,8,512,w,1.5\n0,9,512,w,2.5000019\n", &milliseconds),
        (1_000_001, 36_864)
    );
    let filetimes = said(TimeUnit::Filetime, 1);
    let ssd = "128166372003061629 0 8 8 1\n128166372003061639 0 1000 8 1\n";
    assert_eq!(one("a.mqsim", ssd, &filetimes), (1000, 1000));
    // Whole microseconds of Alibaba that are seconds with decimals.
    let seconds = TraceOptions { format: Some("alibaba".into()), ..said(TimeUnit::Seconds, 1) };
    assert_eq!(one("a.alibaba", "0,R,1,512,1.25\n0,R,2,512,2\n", &seconds), (750_000_000, 2));
    let cpp =
        TraceOptions { format: Some("flashsim".into()), ..said(TimeUnit::Milliseconds, 4096) };
    let text = "0.000000\t0\t100\t3\t0\n0.500000\t0\t829\t1\t1\n";
    assert_eq!(one("a.flashsim", text, &cpp), (500_000, 829 * 4096));
    let zero = message("zero.spc", LINES, &said(TimeUnit::Seconds, 0));
    assert_eq!(zero, "input.offset_unit: found 0, expected at least 1 byte");
    let told = TraceOptions { op: Some(Op::Read), ..said(TimeUnit::Seconds, 1) };
    let told =
        message("list.arc", "1 1 0 0\n", &TraceOptions { format: Some("arc".into()), ..told });
    assert!(told.starts_with("input.time_unit: found a value, expected none"), "{told}");
}

#[test]
fn headers_comments_and_padding_do_not_end_a_reading() {
    let expected = read(&file("plain_front.spc", LINES), &options()).unwrap();
    let padded = LINES.replace(',', ", ").replace('\n', " \r\n");
    for (name, text) in [
        ("comment.spc", ["# made by a script\n#\n", LINES].concat()),
        (
            "marks.spc",
            ["! made by hand\n  !\n% a, matrix, of, five, columns\n// of C\n", LINES].concat(),
        ),
        ("header.spc", ["ASU,LBA,Size,Opcode,Timestamp\n", LINES].concat()),
        ("both.spc", ["\u{feff}# made\nASU;LBA;Size\n", LINES].concat()),
        ("padded.spc", padded),
        ("middle.spc", LINES.replacen('\n', "\n# a pause\n! another\n", 1)),
        ("optional.spc", LINES.replace(".5\n", ".5,7,abc\n")),
    ] {
        assert_eq!(read(&file(name, text), &options()).unwrap(), expected, "{name}");
    }
    let disksim =
        file("marks.trace", "! time dev lba size flags\n\n0.125 3 1000 8 0\n1.500 3 2000 8 1\n");
    assert_eq!(read(&disksim, &options()).unwrap().len(), 2);
    let second = message("second.spc", ["a,b,c\nd,e,f\n", LINES].concat(), &spc());
    assert!(second.starts_with("second.spc:2: column 1 (ASU)"), "{second}");
}

#[test]
fn logs_of_several_jobs_of_fio_are_one_recording() {
    let log = |first: u64, second: u64| {
        format!("fio version 3 iolog\n7 d add\n{first} d write 0 512\n{second} d read 0 512\n")
    };
    let text = [log(160, 400), log(300, 551)].concat();
    let requests = read(&file("jobs.log", text), &options()).unwrap();
    let times: Vec<u64> = requests.iter().map(|r| r.time / 1000).collect();
    assert_eq!(times, [0, 140, 240, 391]);
    assert!(requests.iter().all(|r| r.volume == 0));
}

#[test]
fn sorting_holds_more_than_one_batch() {
    let text: String = (0..3 * BATCH).rev().map(|i| format!("0,{i},512,r,{i}\n")).collect();
    let sorted = read(
        &file("reverse.spc", text),
        &TraceOptions { order: Some(TimeOrder::Sort), ..options() },
    );
    let sorted = sorted.unwrap();
    assert_eq!(sorted.len(), 3 * BATCH);
    assert!(sorted.iter().enumerate().all(|(i, r)| r.offset == 512 * i as u64));
}

#[test]
fn content_that_is_no_trace_is_told_in_one_line() {
    let names: Vec<&str> = trace::FORMATS.iter().map(|format| format.name).collect();
    let known = format!("known: {}; name one with input.format", names.join(", "));
    let junk = message("junk", b"\x7fEXF\0\x01\x1b[2J\n\0\0\0", &options());
    assert!(junk.starts_with("junk:1: not a format that ftlab reads") && junk.contains(&known));
    assert_eq!(message("empty", "", &options()), "empty: found no request, expected at least one");
    assert_eq!(message("e2", "", &spc()), "e2: found no request, expected at least one");
    assert_eq!(message("e3", "\n\r\n", &spc()), "e3: found no request, expected at least one");
    assert!(message("utf16", b"\xff\xfe0\0,\0", &options()).contains("UTF-16"));
    assert!(message("long", "1".repeat(1 << 20), &options()).contains("not a format"));
    assert!(
        message("long", "1".repeat(1 << 20), &spc()).starts_with("long:1: found a line longer")
    );
    let twice =
        zstd::stream::encode_all(&zstd::stream::encode_all(LINES.as_bytes(), 1).unwrap()[..], 1);
    let twice = message("twice", twice.unwrap(), &options());
    assert!(twice.contains("compressed twice"), "{twice}");
}

#[test]
fn a_name_given_wins_over_what_the_content_looks_like() {
    let bytes = "0.000 0 200626176 4096 0\n";
    assert!(message("linnos", bytes, &options()).contains("LinnOS"));
    let sectors = TraceOptions { format: Some("disksim".into()), ..options() };
    assert_eq!(read(&file("sectors", bytes), &sectors).unwrap()[0].length, 4096 * 512);
    let wrong = TraceOptions { format: Some("disksin".into()), ..options() };
    let text = message("wrong", LINES, &wrong);
    assert!(text.contains("did you mean \"disksim\""), "{text}");
}

#[test]
fn every_format_has_a_page_whose_example_reads_as_that_format() {
    let docs = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs");
    let index = fs::read_to_string(docs.join("traces.md")).unwrap();
    for format in trace::FORMATS {
        let name = format.name;
        assert!(index.contains(&format!("| [`{name}`](formats/{name}.md) |")), "{name}: no row");
        let page = fs::read_to_string(docs.join(format!("formats/{name}.md"))).expect(name);
        assert!(page.starts_with(&format!("# {name}\n")), "{name}: its title");
        for column in format.columns {
            assert!(page.contains(&format!("| {} |", column.name)), "{name}: {}", column.name);
        }
        let example = page.split("```text\n").nth(1).and_then(|rest| rest.split("```").next());
        let example = example.unwrap_or_else(|| panic!("{name}: no example"));
        let binary = ["vscsi", "srt", "blktrace", "oraclegeneral"].contains(&name);
        let path = file("example", if binary { from_hex(example) } else { example.into() });
        let needed = what_must_be_said(name);
        let named = TraceOptions { format: Some(name.into()), ..needed.clone() };
        assert!(!read(&path, &named).expect(name).is_empty());
        let found = trace::open(path.to_str().unwrap(), &needed).expect(name).format();
        assert!(found == name || (name == "ssdsim" && found == "mqsim"), "{name}: found {found}");
    }
}

/// The bytes that a hexadecimal dump shows.
fn from_hex(dump: &str) -> Vec<u8> {
    dump.split_whitespace().map(|byte| u8::from_str_radix(byte, 16).unwrap()).collect()
}

/// The options without which a format cannot be read.
fn what_must_be_said(format: &str) -> TraceOptions {
    let columns = "columns = 'time=when:us,offset=lba:sectors,length=bytes,op=what:1,volume=disk'";
    match format {
        "arc" => TraceOptions { op: Some(Op::Read), ..options() },
        "oraclegeneral" => TraceOptions { op: Some(Op::Read), unit: Some(Bytes(512)), ..options() },
        "csv" => toml::from_str(columns).unwrap(),
        _ => options(),
    }
}

#[test]
fn files_that_cannot_be_opened_are_errors_of_the_system() {
    let opened = Trace::open("no/such/trace", &options()).map(|_| ());
    assert!(matches!(opened, Err(Error::Io { .. })), "{opened:?}");
}

#[test]
fn options_read_and_write_as_text() {
    let text = "format = 'msr'\norder = 'sort'\nvolume = 3\nrequests = 10";
    let options: TraceOptions = toml::from_str(text).unwrap();
    assert_eq!(options.order, Some(TimeOrder::Sort));
    assert_eq!(toml::from_str::<TraceOptions>(&toml::to_string(&options).unwrap()), Ok(options));
    assert_eq!(toml::from_str::<TraceOptions>(""), Ok(TraceOptions::default()));
    assert!(toml::from_str::<TraceOptions>("oder = 'sort'").is_err());
}

#[test]
fn damaged_lines_of_every_format_never_panic() {
    let lines = [
        "0,303567,3584,w,0.026214",
        "128166391024154329,prxy,0,Write,1105182720,1024,1514",
        "0.221 5 162947904 16 1",
        "26.214000\t0\t303574\t1\t0",
        "938513000 4 264719034 16 0",
        "1456095147.574052000,0.000245000,R,0,4238867714048,4096",
        "0,R,126703644672,4096,1577808000000626",
        "1538323200,4247200,128,1,1058",
        "89968195792462 20782 gzip 283193184 8 R 6 0 56f11b711d91a065a2b6458eca924523",
        "  8,0    3        2     0.000001829   697  Q   W 223490 + 8 [kjournald]",
        "8\t8\t4096\t4\t1398403999.646690157\t1398403999.652921876\t1398403999.7\t1398403999.8",
        " DiskRead, 8612, xperf.exe (3984), 11844, 0xff, 0x018f0b8000, 0x00001000, 283, 0",
        "223.412 0 3159347200 36864 0",
    ];
    let alphabet = b"0123456789.,- \t\r\n\0exrwREADQ+[\xff";
    let mut state = 1u64;
    let mut draw = |below: usize| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        (state >> 33) as usize % below
    };
    for round in 0..1000 {
        let mut text = [lines[draw(lines.len())], "\n", lines[draw(lines.len())]].concat();
        text.push('\n');
        let mut bytes = text.into_bytes();
        for _ in 0..1 + draw(4) {
            let at = draw(bytes.len());
            match draw(3) {
                0 => bytes[at] = alphabet[draw(alphabet.len())],
                1 => bytes.insert(at, alphabet[draw(alphabet.len())]),
                _ => drop(bytes.remove(at)),
            }
        }
        let path = file("damaged", &bytes);
        let name = trace::FORMATS[round % trace::FORMATS.len()].name;
        for format in [None, Some(name.to_owned())] {
            for order in [TimeOrder::Error, TimeOrder::Sort, TimeOrder::Clamp].map(Some) {
                match read(&path, &TraceOptions { format: format.clone(), order, ..options() }) {
                    Ok(requests) => assert!(requests.is_sorted_by_key(|r| r.time)),
                    Err(error) => assert!(!error.to_string().contains(char::is_control)),
                }
            }
        }
    }
}

#[test]
fn what_a_format_tells_need_not_be_said_and_what_it_does_not_must_be() {
    let columns = toml::from_str::<TraceOptions>("columns = 'time=1,offset=2,length=3'").unwrap();
    let csv = TraceOptions { op: Some(Op::Write), ..columns.clone() };
    let requests = read(&file("any.csv", "0.5,4096,512\n1.5,0,512\n"), &csv).unwrap();
    assert_eq!((requests[1].time, requests[0].op), (1_000_000_000, Op::Write));
    let unsaid = message("any.csv", "0.5,4096,512\n", &columns);
    assert!(unsaid.starts_with("any.csv: nothing says what the requests do"), "{unsaid}");
    let unneeded = TraceOptions { op: Some(Op::Read), ..spc() };
    assert_eq!(
        message("told.spc", LINES, &unneeded),
        "input.op: found a value, expected none, as spc says it itself"
    );
    let unsaid = message("list.lis", "1 1 0 0\n", &options());
    assert!(unsaid.contains("input.op = read or input.op = write"), "{unsaid}");
    let wrong = toml::from_str::<TraceOptions>("columns = 'time=1'").unwrap_err();
    assert!(wrong.to_string().contains("found no offset"), "{wrong}");
}

#[test]
fn each_trace_that_the_benchmark_makes_is_read_whole() {
    for (name, input) in inputs::INPUTS {
        let made = input(2_000);
        let stream = Box::new(std::io::Cursor::new(made.bytes));
        let requests = trace::read_stream(stream, &made.options).and_then(|mut trace| trace.rest());
        assert_eq!(
            requests.unwrap_or_else(|error| panic!("{name}: {error}")).len(),
            2_000,
            "{name}"
        );
    }
}

/// Many whole files end without a line end, and a cut one may look like them.
#[test]
fn a_last_line_that_may_be_cut_is_told() {
    const NAMES: &str = "time=time,op=op,offset=offset,length=length";
    let remarks = |text: &str, options: &TraceOptions| {
        let path = file("last_line", text);
        let mut source = trace::open(path.to_str().unwrap(), options).unwrap().open().unwrap();
        source.rest().unwrap();
        source.remarks()
    };
    let columns = |columns: &str| TraceOptions {
        columns: Some(columns.to_owned().try_into().unwrap()),
        ..options()
    };
    let long: String = (0..40_000).map(|i| format!("0,{i},512,r,{i}.5\n")).collect();
    let event = " dd-1107 [002] 406.206441: block_bio_queue: 8,48 W 768 + 8 [dd]\n";
    let queued = "8,0 3 1 0.1 697 Q W 223490 + 8 [kjournald]\n";
    let fio = "fio version 3 iolog\n0 a add\n1 a open\n9 a write 0 4096\n";
    for (text, options) in [
        ([LINES, "0,32,512,r,2.01"].concat(), options()),
        ([&long, "0,32,512,r,40001"].concat(), options()),
        ([fio, "20 a read 8192 65"].concat(), options()),
        ([event, &event[..event.len() - 6]].concat(), options()),
        ([event, &event[..event.len() - 11]].concat(), options()),
        ([event, &event[..event.len() - 14]].concat(), options()),
        ([queued, &queued[..queued.len() - 13]].concat(), options()),
        ("time,op,offset,length\n0.0,R,0,4096\n0.1,R,0,655".into(), columns(NAMES)),
    ] {
        let said = remarks(&text, &options);
        assert_eq!(said, ["the last line has no line end: it may be cut"], "{text}");
        assert_eq!(remarks(&format!("{text}\n"), &options), [""; 0], "{text}");
    }
    for (text, options) in [
        (event.trim_end().to_owned(), options()),
        (queued.trim_end().to_owned(), options()),
        (format!("{LINES}# 40 rows, 3"), options()),
        (format!("{LINES}0,32,512,r,2.5\r"), options()),
        (format!("{LINES}  "), options()),
        ("time,offset,length,op\n0.0,0,4096,R\n0.1,0,655,W".into(), columns(NAMES)),
    ] {
        assert_eq!(remarks(&text, &options), [""; 0], "{text}");
    }
}
