//! What people take for a trace and is none: each is named, with the command that helps.

use super::archive;
use super::field::{Mistake, quoted};
use super::lines::without_mark;
use super::stream::Front;
use super::text::Sample;

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
    let mut lines = sample.lines().map(<[u8]>::trim_ascii);
    // A job file may begin with comments.
    let first = lines.find(|line| !line.starts_with(b";"))?;
    match first[0] {
        b'{' | b'[' if is_json(first) => is(json(without_mark(front.bytes))),
        b'[' => {
            is("a fio job file; run it uncompressed and outside an archive (ftlab run JOB.fio), \
             or record its requests with fio --write_iolog=FILE JOB")
        }
        b'<' => is("a page or document in a markup language; was it saved from a browser?"),
        _ if has_lines_of_cr(front.bytes) => Some(lines_of_cr()),
        _ if is_old_fio(first) => {
            is("fio's iolog of version 1, which fio no longer reads either; record version 3 with \
             fio --write_iolog=FILE")
        }
        _ => float_stamp(first),
    }
}

/// Whether lines end in a carriage return alone.
pub(super) fn has_lines_of_cr(text: &[u8]) -> bool {
    let text = text.trim_ascii_end();
    memchr::memchr(b'\n', text).is_none() && memchr::memchr(b'\r', text).is_some()
}

#[cold]
pub(super) fn lines_of_cr() -> Mistake {
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

fn json(text: &[u8]) -> &'static str {
    if memchr::memmem::find(text, b"\"fio version\"").is_some() {
        "fio's report in JSON, which has no requests; record them with fio --write_iolog=FILE"
    } else if text.starts_with(b"{") && memchr::memmem::find(text, b"}\n{").is_some() {
        "JSON lines; write them as CSV with jq -r '[.time, .op, .offset, .length] | @csv' FILE \
         and name input.columns"
    } else {
        "JSON; write its requests as CSV with jq and name input.columns"
    }
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
    let (number, power) = text.split_once("e+")?;
    let power: u32 = power.parse().ok()?;
    (number.parse::<f64>().is_ok() && power > 15).then(|| {
        Mistake(format!(
            "found the time {}, a floating-point number too large to be exact; write times as \
             whole numbers (in pandas astype(\"int64\") before to_csv)",
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
            (b"{\"a\":1}\n{\"a\":2}\n", "JSON lines"),
            (b"[global]\nrw=randwrite\n", "a fio job file"),
            (b"; a comment\n[job1]\nbs=4k", "a fio job file"),
            (b"<html>", "markup"),
            (b"rw, 0, 0, 4096\n0, 4096, 4096\n", "version 1"),
            (b"1.28e+17,hm,0,Read,1,2,3", "floating-point"),
        ] {
            let message = what(bytes).unwrap_or_default();
            assert!(message.contains(words), "{message:?}: expected {words}");
        }
        for bytes in [&b"time,offset\n1,2\n"[..], b"1e-06,W,4096,4096\n", b"hello", b""] {
            assert_eq!(what(bytes), None);
        }
    }
}
