//! What people take for a trace and is none: each is named, with the command that helps.

use super::archive;
use super::blkparse::device;
use super::field::{Mistake, quoted};
use super::fio;
use super::lines::without_mark;
use super::rwbs;
use super::stream::Front;
use super::text::Sample;
use serde_json::Value;
use std::borrow::Cow;

/// Containers and recordings by their first bytes: what they are, and what to do.
const MAGIC: &[(&[u8], &str)] = &[
    (
        b"PK\x03\x04",
        "a zip archive in a pipe; read a member with unzip -p FILE MEMBER | ftlab ... -",
    ),
    (b"7z\xbc\xaf\x27\x1c", "a 7z archive; read it with 7z x -so FILE | ftlab ... -"),
    (b"Rar!", "a rar archive; read a member with unrar p -inul FILE MEMBER | ftlab ... -"),
    (b"PERFILE2", "a recording of perf; read its text with perf script -i FILE | ftlab ... -"),
    (
        b"\x17\x08\x44tracing",
        "a recording of trace-cmd; read its text with trace-cmd report FILE | ftlab ... -",
    ),
    (b"SQLite format 3", "an SQLite database; write its table as CSV and name input.columns"),
    (b"\x89HDF", "an HDF5 file; write its table as CSV and name input.columns"),
    (b"\x93NUMPY", "an array of NumPy; write it as CSV and name input.columns"),
    (b"\x80\x04\x95", "a pickle of Python; write its table as CSV and name input.columns"),
    (b"ARROW1", "an Arrow or Feather file; write its table as Parquet or CSV"),
    (b"ORC", "an ORC file; write its table as Parquet or CSV"),
    (b"Obj\x01", "an Avro file; write its table as Parquet or CSV"),
    (b"\x1f\x9d", "compressed by compress; read it with gzip -dc FILE | ftlab ... -"),
    (b"\x5d\0\0", "compressed by lzma; read it with xz -dc -F lzma FILE | ftlab ... -"),
    (b"rhswfsj\0", "a log of dm-log-writes, which has no times; record with blktrace"),
    (
        b"\xf0\xde\xbc\x9a\x78\x56\x34\x12",
        "libCacheSim's lcs, whose objects have no addresses; use the oracleGeneral file of the trace",
    ),
    (b"\x7fELF", "a program"),
    (b"%PDF", "a PDF document"),
    (b"version https://git-lfs", "a pointer of Git LFS; fetch the file with git lfs pull"),
    (b"/annex/objects/", "a pointer of git-annex; fetch the file with git annex get FILE"),
];

/// What a file that begins with `front` is, if it is known to be no trace.
pub(super) fn known(front: Front, sample: &Sample) -> Option<Mistake> {
    let is = |what: &str| Some(Mistake(format!("not a trace that ftlab reads, but {what}")));
    if let Some((_, what)) = MAGIC.iter().find(|(magic, _)| front.bytes.starts_with(magic)) {
        return is(what);
    }
    if archive::Kind::of(front.bytes) == Some(archive::Kind::Tar) {
        return is("a tar archive inside an archive; unpack it once");
    }
    let text = without_mark(front.bytes);
    if let Some(mistake) = added(text).filter(|_| !within(text).is_empty()) {
        return Some(mistake);
    }
    if is_binary(front.bytes) {
        return is("a binary file; write its requests as CSV and name input.columns");
    }
    if let Some(what) = text_of_tool(sample) {
        return is(what);
    }
    if let Some(version) = fio::without_header(sample) {
        return is(&format!(
            "fio's iolog whose first line is lost; read it with (echo fio version {version} iolog; cat FILE) | \
             ftlab ... -"
        ));
    }
    let mut lines = sample.lines().map(<[u8]>::trim_ascii);
    // A job file may begin with comments.
    let first = lines.find(|line| !line.starts_with(b";"))?;
    match first[0] {
        b'{' | b'[' if is_json(first) => is(&json(without_mark(front.bytes), first)),
        b'[' if first.ends_with(b"]") => {
            is("a fio job file; run it uncompressed and outside an archive (ftlab run JOB.fio), \
             or record its requests with fio --write_iolog=FILE JOB")
        }
        b'<' => is("a page or document in a markup language; was it saved from a browser?"),
        _ if has_lines_of_cr(front.bytes) => Some(lines_of_cr()),
        _ if is_histogram_of_fio(sample) => {
            is("fio's log of histograms, which has no requests; record these with \
             fio --write_iolog=FILE JOB")
        }
        _ if is_old_fio(first) => {
            is("fio's iolog of version 1, which fio no longer reads either; record version 3 with \
             fio --write_iolog=FILE")
        }
        _ if sample.lines().take(MOST_LINES).any(is_unnamed_event) => {
            is("events of perf script without their names; print them with perf script -F +event")
        }
        _ => float_stamp(first),
    }
}

/// Texts of tools by words that one of their first lines has, in this order, the first one with `^` at its
/// beginning: what they are, and what to do.
const TEXTS: &[(&[&str], &str)] = &[
    (
        &["block:block_rq_", "(dev: "],
        "the text of perf trace; record with perf record -e 'block:*', and read it with perf script | ftlab ... -",
    ),
    (
        &["block:block_"],
        "the text of perf script without requests or without times; print them with perf script -F +time, \
         and record with -e 'block:*'",
    ),
    (
        &["] ", ": block_"],
        "events of ftrace without requests; record block_bio_queue or block_rq_issue, as with \
         trace-cmd record -e block",
    ),
    (
        &["] ", ": f2fs_"],
        "events of a file system; record those of its device, as with trace-cmd record -e block",
    ),
    (
        &["] ", "nvme_setup_cmd: ", " slba="],
        "events of the NVMe driver; read them with sed -nE 's/.* ([0-9]+\\.[0-9]+): .*nvme_setup_cmd: .*disk=([^,]*),.*\
         nvme_cmd_(read|write|zone_append) slba=([0-9]+), len=([0-9]+).*/\\1,\\2,\\3,\\4,\\5/p' FILE | awk -F, -v OFS=, \
         '{$5++} 1' | ftlab ... - with input.columns = \
         time=1,volume=2,op=3:read=read/write=write/zone_append=write,offset=4:B,length=5:B, where B is the size of \
         the drive's blocks, as 512 or 4KiB; other commands are left out",
    ),
    (
        &["] ", ": nvme_"],
        "events of the NVMe driver; record those of the block layer, as with trace-cmd record -e block",
    ),
    (
        &["] ", "scsi_dispatch_cmd_start: ", " lba="],
        "events of SCSI; read them with sed -nE 's/.* ([0-9]+\\.[0-9]+): .*scsi_dispatch_cmd_start: host_no=([0-9]+) \
         channel=([0-9]+) id=([0-9]+) lun=([0-9]+) .*\\((READ|WRITE)_[0-9]+ lba=([0-9]+) txlen=([0-9]+).*/\
         \\1,\\2:\\3:\\4:\\5,\\6,\\7,\\8/p' FILE | ftlab ... - with input.columns = \
         time=1,volume=2,op=3,offset=4:B,length=5:B, where B is the size of the drive's blocks, as 512 or 4KiB; \
         other commands are left out",
    ),
    (
        &["] ", "ufshcd_command: ", "send", " LBA: "],
        "events of UFS; read them with sed -nE 's/.* ([0-9]+\\.[0-9]+): .*ufshcd_command: send[a-z_]*: ([^ ]+): tag: .* \
         size: ([0-9]+), .*LBA: ([0-9]+), opcode: (0x28|0x2a|0x88|0x8a)([^0-9a-f].*)?$/\\1,\\2,\\5,\\4,\\3/p' FILE | \
         ftlab ... - with input.columns = \
         time=1,volume=2,op=3:0x28=read/0x2a=write/0x88=read/0x8a=write,offset=4:4KiB,length=5; for Linux before \
         5.14 offset=4:sectors; other commands are left out",
    ),
    (
        &["block_rq_", "{ cpu_id = "],
        "the text of LTTng; write time, rwbs, sector and bytes of its events as CSV and name input.columns",
    ),
    (
        &["TIME(ms)", "DISK", "LAT(ms)"],
        "a list of latencies without addresses; record with biosnoop of bcc, not biosnoop.bt",
    ),
    (
        &["^STARTs", "COMM", "TYPE", "DEV", "BLOCK", "BYTES", "LATms"],
        "iosnoop's text, in which processes have names of several words; read it with awk '/^[0-9]/ \
         {print $1, $(NF-4), $(NF-3), $(NF-2), $(NF-1)}' FILE | ftlab ... - with input.columns = \
         time=1,op=2,offset=4:sectors,length=5,volume=3,separator=blanks",
    ),
    (
        &["^ENDs", "COMM", "TYPE", "DEV", "BLOCK", "BYTES", "LATms"],
        "iosnoop's text, in which processes have names of several words; read it with awk '/^[0-9]/ \
         {print $1, $(NF-4), $(NF-3), $(NF-2), $(NF-1), $NF}' FILE | ftlab ... - with input.columns = \
         time=1,op=2,offset=4:sectors,length=5,volume=3,latency=6:ms,separator=blanks",
    ),
    (&["^COMM", "PID", "TYPE", "DEV", "BLOCK", "BYTES", "LATms"], NO_TIMES),
    (
        &["Request type: ", ", from: ", ", len: "],
        "a log of nbd-server, which has no exact times; record with blktrace",
    ),
    (&["Access Time ", "File Name: ", "File Operation: "], FILES),
    (&["Time of Day", "Process Name", "Operation", "Path"], FILES),
    (
        &["Event Name,", "Event ID,"],
        "a report of tracerpt; use xperf -i FILE.etl -o OUT.csv -a dumper",
    ),
    (&["pread64(", " = "], FILES),
    (&["pwrite64(", " = "], FILES),
    (&["TIME", "COMM", "PID", "T", "BYTES", "OFF_KB", "LAT"], FILES),
    (&["Device", "rkB/s"], STATISTICS),
    (&["device", "rkB/s"], STATISTICS),
    (&["TIME", "DISK", "%RND", "%SEQ"], STATISTICS),
    (&["DEV", "tps", "kB/s"], STATISTICS),
    (&["procs -", "memory", "swap"], STATISTICS),
    (&["PID", "COMM", "DISK", "I/O", "Kbytes"], STATISTICS),
    (
        &["\"No.\"", "\"Time\"", "\"Protocol\""],
        "Wireshark's list of packets; print their requests with tshark -T fields -e frame.time_epoch \
         -e scsi_sbc.opcode -e scsi_sbc.rdwr10.lba -e scsi_sbc.rdwr10.xferlen",
    ),
    (
        &[" block ", " on ", " sectors)"],
        "messages of block_dump; read them with sed -nE 's/.*\\[ *([0-9.]+)\\].*: (READ|WRITE) block \
         ([0-9]+) on ([^ ]+) \\(([0-9]+) sectors.*/\\1,\\2,\\3,\\5,\\4/p' FILE | ftlab ... - with \
         input.columns = time=1,op=2,offset=3:sectors,length=4:sectors,volume=5",
    ),
    (
        &["connection=", " id=", " offset=", " count="],
        "a log of nbdkit; read it with sed -nE 's/^([^ ]+ [^ ]+) .*connection=[^ ]+ ([A-Z][a-z]+) id=[^ ]+ \
         offset=([^ ]+) count=([^ ]+).*/\\1,\\2,\\3,\\4/p' FILE | ftlab ... - with input.columns = \
         time=1:iso,op=2,offset=3,length=4",
    ),
    (
        &[":blk_co_p", " offset ", " bytes "],
        "a log of QEMU; read it with sed -nE 's/^[0-9]+@([0-9.]+):blk_co_p(read|write)v .* offset ([0-9]+) \
         bytes ([0-9]+).*/\\1,\\2,\\3,\\4/p' FILE | ftlab ... - with input.columns = \
         time=1,op=2,offset=3,length=4",
    ),
    (&["^blk_co_p", " offset ", " bytes "], QEMU_WITHOUT_TIMES),
    (&["^virtio_blk_handle_", " sector ", " nsectors "], QEMU_WITHOUT_TIMES),
    (
        &["] ", " CDB: "],
        "messages of SCSI; record the events of the block layer, as with trace-cmd record -e block",
    ),
    (
        &["  D=0x", " B=0x", "/dev/"],
        "the text of fs_usage; read it with sed -nE 's/PgIn/RdPg/; s/PgOut/WrPg/; s/^([0-9:.]+) +(Rd|Wr)[^ ]* \
         +D=(0x[0-9a-f]+) +B=(0x[0-9a-f]+) +([^ ]+).* ([0-9]+\\.[0-9]{6})( [A-Z])? .*/\\1,\\2,\\3,\\4,\\5,\\6/p' FILE | \
         ftlab ... - with input.columns = time=1:iso,op=2,offset=3:sectors,length=4,volume=5,latency=6:s",
    ),
    (&["Smart Log for"], STATISTICS),
    (&[";fio-", ";"], "fio's report; record its requests with fio --write_iolog=FILE JOB"),
    (&[": (g=0): rw="], "fio's report; record its requests with fio --write_iolog=FILE JOB"),
    (&["next_access_vtime"], OBJECTS),
    (&["obj_id", "obj_size"], OBJECTS),
    (&["object_id", "object_size"], OBJECTS),
    (&["timestamp", "cacheKey"], OBJECTS),
    (&["key,", "key_size,", "op"], OBJECTS),
    (&["REST.", ".OBJECT "], OBJECTS),
];

const NO_TIMES: &str = "iosnoop's text without times; record with iosnoop -ts";
const QEMU_WITHOUT_TIMES: &str = "a log of QEMU, which has no times; record with -msg timestamp=on";
const FILES: &str =
    "calls on files, whose requests reach no disk or others; record with blktrace or biosnoop";
const STATISTICS: &str = "statistics without requests; record these with blktrace or biosnoop";
const OBJECTS: &str = "a trace of a cache, whose objects have no addresses on a device";

/// What ends a text of DOS.
const CTRL_Z: u8 = 0x1a;

/// Columns of a histogram in a log of fio. Its other logs have seven at most.
const LEAST_OF_HISTOGRAM: usize = 10;

/// Lines in which such words are sought.
const MOST_LINES: usize = 20;

/// What a text is, if it is that of a tool which writes no requests that ftlab reads.
fn text_of_tool(sample: &Sample) -> Option<&'static str> {
    let in_order = |line: &[u8], words: &[&str]| {
        let mut rest = line;
        words.iter().all(|word| {
            let found = match word.strip_prefix('^') {
                Some(word) => rest.starts_with(word.as_bytes()).then_some(word.len()),
                None => memchr::memmem::find(rest, word.as_bytes()).map(|at| at + word.len()),
            };
            rest = &rest[found.unwrap_or(rest.len())..];
            found.is_some()
        })
    };
    let lines = || sample.title().into_iter().chain(sample.lines().take(MOST_LINES));
    let is = |words: &[&str]| lines().any(|line| in_order(line, words));
    TEXTS.iter().find(|(words, _)| is(words)).map(|(_, what)| *what)
}

/// Whether a line is an event of the block layer whose name is left out: `1.5: 8,0 R 8 + 8 [fio]`.
fn is_unnamed_event(line: &[u8]) -> bool {
    let Some(at) = memchr::memmem::find(line, b": ") else { return false };
    let mut words = line[at + 2..].split(u8::is_ascii_whitespace).filter(|word| !word.is_empty());
    words.next().and_then(device).is_some() && words.next().and_then(rwbs::operation).is_some()
}

/// Whether bytes are no text: one that no line has is among the first.
fn is_binary(front: &[u8]) -> bool {
    let control = |b: &u8| *b < b' ' && !b.is_ascii_whitespace() && !matches!(*b, 0x0b | 0x1b);
    front[..front.len().min(1024)].iter().filter(|b| control(b)).count() > 8
}

/// What is wrong with a line that a program has changed.
#[cold]
pub(super) fn spoilt(line: &[u8]) -> Option<Mistake> {
    added(line).or_else(|| has_lines_of_cr(line).then(lines_of_cr))
}

/// What a program has added to a text or a line.
fn added(text: &[u8]) -> Option<Mistake> {
    if text.starts_with(b"sep=") {
        return Some(Mistake(
            "found the line of Excel that names the separator, expected none; leave it out with \
             tail -n +2 FILE | ftlab ... -"
                .into(),
        ));
    }
    let inner = within(text);
    let is_text = || !inner.iter().any(|byte| *byte < b' ' && !byte.is_ascii_whitespace());
    // At the end of a line they may be a value of a column.
    let is_filled = text.len() > inner.len() && inner.ends_with(b"\n");
    if (text.first().is_some_and(is_filling) || is_filled) && is_text() {
        return Some(Mistake(
            "found bytes of 0 or a Ctrl-Z before or behind a line, expected text alone; leave them out with \
             tr -d '\\000\\032' < FILE | ftlab ... -"
                .into(),
        ));
    }
    None
}

/// Whether a byte is NUL or Ctrl-Z, which fill up a file or end it.
const fn is_filling(byte: &u8) -> bool {
    matches!(*byte, 0 | CTRL_Z)
}

/// What is between the bytes that fill up a text at its ends.
fn within(text: &[u8]) -> &[u8] {
    let from = text.iter().position(|byte| !is_filling(byte)).unwrap_or(text.len());
    let to = text.iter().rposition(|byte| !is_filling(byte)).map_or(from, |at| at + 1);
    &text[from..to]
}

/// Whether lines end in a carriage return alone.
fn has_lines_of_cr(text: &[u8]) -> bool {
    let text = text.trim_ascii_end();
    memchr::memchr(b'\n', text).is_none() && memchr::memchr(b'\r', text).is_some()
}

#[cold]
fn lines_of_cr() -> Mistake {
    Mistake(
        "found lines that end in a carriage return alone, as of old Macintosh programs; convert them with \
         tr '\\r' '\\n' < FILE"
            .into(),
    )
}

/// `{` or `[` alone, or followed by what JSON may have there and a section of a job file has not.
fn is_json(line: &[u8]) -> bool {
    line[0] == b'{' || line[1..].trim_ascii_start().first().is_none_or(|b| b"{[\"".contains(b))
}

fn json(text: &[u8], first: &[u8]) -> Cow<'static, str> {
    if memchr::memmem::find(text, b"\"fio version\"").is_some() {
        return "fio's report in JSON, which has no requests; record them with fio --write_iolog=FILE"
            .into();
    }
    let Some(keys) = keys(first) else {
        return "JSON; write its requests as CSV with jq and name input.columns".into();
    };
    let values: Vec<String> = keys.iter().map(|key| format!(".{key}")).collect();
    format!(
        "JSON lines; write them as CSV with a header, (echo {}; jq -r '[{}] | @csv' FILE) | ftlab ... -",
        keys.join(","),
        values.join(", ")
    )
    .into()
}

/// The keys of numbers and texts in a line that is an object, if all of them mean themselves in a shell and in jq.
fn keys(line: &[u8]) -> Option<Vec<String>> {
    let object: serde_json::Map<String, Value> = serde_json::from_slice(line).ok()?;
    let is_plain = |key: &str| {
        key.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
            && key.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
    };
    // A document whose requests are in a list.
    if object.values().any(|value| value.get(0).is_some_and(Value::is_object)) {
        return None;
    }
    let flat = object.into_iter().filter(|(_, value)| !value.is_array() && !value.is_object());
    let keys: Vec<String> = flat.map(|(key, _)| key).collect();
    (!keys.is_empty() && keys.iter().all(|key| is_plain(key))).then_some(keys)
}

/// Whether lines are the milliseconds, the operation, the block size, and the counts of fio's `write_hist_log`.
fn is_histogram_of_fio(sample: &Sample) -> bool {
    let is_number = |value: &&[u8]| !value.is_empty() && value.iter().all(u8::is_ascii_digit);
    let is_row = |line: &[u8]| {
        let values: Vec<&[u8]> = line.split(|b| *b == b',').map(<[u8]>::trim_ascii).collect();
        if values.len() < LEAST_OF_HISTOGRAM {
            return false;
        }
        let zeros = values[3..].iter().filter(|count| **count == b"0").count();
        values.iter().all(is_number)
            && matches!(values[1], b"0" | b"1" | b"2")
            && 3 * zeros > values.len() - 3
    };
    let begins = |line: &[u8]| memchr::memmem::find(line, b", ").is_some() && is_row(line);
    sample.first().is_some() && sample.lines().take(MOST_LINES).all(begins)
}

/// The header of version 1: `rw, 0, 0, 4096` and the like.
fn is_old_fio(line: &[u8]) -> bool {
    let mut values = line.split(|b| *b == b',').map(<[u8]>::trim_ascii);
    let named = matches!(values.next(), Some(b"rw" | b"fio version 1 iolog"));
    named && values.all(|value| value.iter().all(u8::is_ascii_digit))
}

/// Timestamps that a program has turned into floating-point numbers, which have too few digits.
fn float_stamp(line: &[u8]) -> Option<Mistake> {
    let stamp = line.split(|b| *b == b',').next()?;
    let text = str::from_utf8(stamp).ok()?;
    let is_of_spreadsheet = text.contains('E');
    let (number, power) = text.split_once(if is_of_spreadsheet { "E+" } else { "e+" })?;
    let power: u32 = power.parse().ok()?;
    let remedy = if is_of_spreadsheet {
        "a spreadsheet has rounded it, so take the file from before"
    } else {
        "write times as whole numbers (in pandas astype(\"int64\") before to_csv)"
    };
    (number.parse::<f64>().is_ok() && power > 15).then(|| {
        Mistake(format!(
            "found the time {}, a floating-point number too large to be exact; {remedy}",
            quoted(stamp)
        ))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn what(bytes: &[u8]) -> Option<String> {
        let front = Front { bytes, whole: true };
        known(front, &Sample::new(front)).map(|mistake| mistake.0)
    }

    #[test]
    fn what_is_no_trace_is_named_with_a_command() {
        let mut tar = vec![0; 512];
        tar[257..262].copy_from_slice(b"ustar");
        for (bytes, words) in [
            (&b"PK\x03\x04\x14"[..], "unzip -p"),
            (&tar, "a tar archive inside"),
            (b"{\n \"fio version\" : \"fio-3.33\"\n}", "fio's report in JSON"),
            (b"[\n {\"a\": 1}\n]", "JSON"),
            (
                b"{\"ts\":1,\"op\":\"r\",\"a\":[2]}\n{\"ts\":2}\n",
                "(echo op,ts; jq -r '[.op, .ts] | @csv' FILE)",
            ),
            (b"{\"unit\":\"ns\",\"events\":[{\"ts\":1}]}\n", "JSON; "),
            (b"{\"\":1,\"a\":2}\n", "JSON; "),
            (b"{\"$(a)\":1}\n{\"a\":2}\n", "JSON; "),
            (b"[global]\nrw=randwrite\n", "a fio job file"),
            (b"; a comment\n[job1]\nbs=4k", "a fio job file"),
            (b"<html>", "markup"),
            (b"rw, 0, 0, 4096\n0, 4096, 4096\n", "version 1"),
            (
                b"1.28e+17,hm,0,Read,1,2,3",
                "floating-point number too large to be exact; write times",
            ),
            (b"1.28E+17,hm,0,Read,1,2,3", "too large to be exact; a spreadsheet has rounded it"),
            (b"\x1f\x9d\x90ab", "gzip -dc"),
            (b"\x01\x02\x03\x04\x05\x06\x07\x08\r\x0e\x0f", "a binary file"),
            (b"  dd-1 [0] 1.5: block_rq_insert: 8,0 W 4096 () 8 + 8", "block_bio_queue"),
            (b"block:block_rq_issue: 8,0 W 4096 () 8 + 8 [a]", "without times"),
            (b"TIME(ms)     DISK    COMM             PID    LAT(ms)", "without addresses"),
            (b"Device            r/s     rkB/s   rrqm/s", "statistics"),
            (b"1.5 pread64(3, \"\"..., 4096, 0) = 4096", "calls on files"),
            (b"# time, object, size, next_access_vtime\n0,1,2,3\n", "no addresses"),
            (b"3;fio-3.33;job;0;0;1", "fio's report"),
            (b"PID    COMM             D MAJ MIN DISK       I/O  Kbytes  AVGms", "statistics"),
            (b"\"No.\",\"Time\",\"Source\",\"Protocol\",\"Length\",\"Info\"\n", "tshark -T fields"),
            (b"[ 5321.264519] fio(1000): READ block 28205400 on sda1 (8 sectors)", "block_dump"),
            (b"2024-01-15 10:30:45.1 connection=1 Read id=1 offset=0x0 count=0x1000", "nbdkit"),
            (b"77@1600000000.5:blk_co_preadv blk 0x5 bs 0x5 offset 8 bytes 512 flags 0", "QEMU"),
            (
                b"STARTs ENDs COMM PID TYPE DEV BLOCK BYTES LATms\n1.5 1.6 a b 9 W 8,0 8 512 1",
                "awk",
            ),
            (
                b" a-1 [0] 1.5: nvme_setup_cmd: nvme0: disk=n, cmd=(nvme_cmd_read slba=8, len=7)",
                "$5++",
            ),
            (
                b" a-1 [0] 1.5: nvme_sq: nvme0: disk=nvme0n1, qid=1",
                "record those of the block layer",
            ),
            (
                b" a-1 [0] 1.5: scsi_dispatch_cmd_start: host_no=0 cmnd=(READ_10 lba=8 txlen=8)",
                "txlen=",
            ),
            (b" a-1 [0] 1.5: ufshcd_command: send_req: u: tag: 0, size: 8, IS: 0, LBA: 8, ", "UFS"),
            (b" 5321.2: 8,0 R 28205400 + 8 [fio]", "-F +event"),
            (b"[ 1.5] sd 0:0:0:0: [sda] tag#0 CDB: Read(10) 28 00 01 ae", "messages of SCSI"),
            (
                b"15:10:00.2    RdData[AT1]     D=0x01  B=0x1000   /dev/disk1s1  /x  0.1 W a",
                "fs_usage",
            ),
            (b"nbd_server[12]: Request type: 0, from: 0, len: 4096", "no exact times"),
            (b"Access Time : 15 , File Name: 1.sst , File Operation: Read", "calls on files"),
            (b"clock_time,object_id,object_size,op\n1,2,3,get\n", "no addresses"),
        ] {
            let message = what(bytes).unwrap_or_default();
            assert!(message.contains(words), "{message:?}: expected {words}");
        }
    }

    #[test]
    fn other_texts_are_named_with_a_command() {
        let cases: &[(&[u8], &str)] = &[
            (b"ENDs COMM PID TYPE DEV BLOCK BYTES LATms\n1.6 a b 9 W 8,0 8 512 1", "latency=6:ms"),
            (b"blk_co_preadv blk 0x5 bs 0x5 offset 8 bytes 512 flags 0", "-msg timestamp=on"),
            (b"virtio_blk_handle_read vdev 0x5 req 0x7 sector 8 nsectors 8", "-msg timestamp=on"),
            (
                b"0 /dev/sda add\n4 /dev/sda open\n9 /dev/sda write 0 4096\n",
                "(echo fio version 3 iolog; ",
            ),
            (
                b"/dev/sda add\n/dev/sda open\n/dev/sda write 0 4096\n",
                "(echo fio version 2 iolog; ",
            ),
            (b"TIME      DISK     %RND  %SEQ    COUNT     KBYTES", "statistics"),
            (b"TIME     COMM           PID    T BYTES   OFF_KB   LAT(ms)", "calls on files"),
            (b"time,device,r/s,w/s,rkB/s,wkB/s,await", "statistics"),
            (
                b"1000, 0, 4096, 0, 0, 12, 3, 0, 0, 1\n2000, 1, 4096, 0, 0, 9, 3, 0, 0, 1\n",
                "histograms",
            ),
            (b"sep=;\n1;2\n", "tail -n +2 FILE |"),
            (b"time,offset\n1,2\n\x1a", "tr -d '\\000\\032' < FILE |"),
            (b"\0\0\0\0\0\0\0\0\0\0time,offset\n1,2\n", "tr -d '\\000\\032' < FILE |"),
            (b"time,offset\n1,2\n\0\0\0\0\0\0\0\0\0\0", "tr -d '\\000\\032' < FILE |"),
        ];
        for (bytes, words) in cases {
            let message = what(bytes).unwrap_or_default();
            assert!(message.contains(words), "{message:?}: expected {words}");
        }
    }

    #[test]
    fn what_may_be_a_table_is_nothing_known() {
        for bytes in [
            &b"# a: list, of a + b [c]\ntime,offset\n1,2\n"[..],
            b"time,offset\n1,2\n",
            b"1e-06,W,4096,4096\n",
            b"9 /dev/sda write 0 4096\n301 /dev/sda read 8192 8192\n",
            b"0, 412345, 0, 4096, 0, 0, 7\n1, 512345, 1, 4096, 4096, 0, 8\n",
            b"hello",
            b"[1.5] sda",
            b"",
        ] {
            assert_eq!(what(bytes), None);
        }
    }
}
