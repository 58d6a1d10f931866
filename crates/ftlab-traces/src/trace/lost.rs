//! Events that a recorder says it lost.

use super::number;

/// How many events a line says were lost.
///
/// The forms are `lost 12 events on CPU #1` and `Possibly lost 12 samples` of bcc and bpftrace, `[LOST 12 EVENTS]` of
/// trace-cmd, `PERF_RECORD_LOST lost 12` of perf, and `entries-in-buffer/entries-written: 360/400` of ftrace.
pub(super) fn events(line: &[u8]) -> Option<u64> {
    let line = line.trim_ascii();
    let bcc = line.strip_prefix(b"Possibly ").unwrap_or(line);
    let bcc = bcc.strip_prefix(b"lost ").or_else(|| bcc.strip_prefix(b"Lost "));
    let behind = |mark: &[u8]| {
        let at = memchr::memmem::find(line, mark)?;
        Some(&line[at + mark.len()..])
    };
    let written = || {
        let (kept, written) = str::from_utf8(behind(b"entries-written:")?).ok()?.split_once('/')?;
        let written = written.split_ascii_whitespace().next()?;
        number::integer(written.as_bytes())?
            .checked_sub(number::integer(kept.trim().as_bytes())?)
            .filter(|lost| *lost > 0)
    };
    let said = bcc.or_else(|| behind(b"[LOST ")).or_else(|| behind(b"PERF_RECORD_LOST lost "));
    match said {
        Some(count) => number::integer(count.split(|b| *b == b' ').next()?),
        None => written(),
    }
}

/// The remark on `count` lost events, if there are any.
pub(super) fn remark(count: u64) -> Option<String> {
    (count > 0).then(|| format!("the recorder lost {count} events"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_recorder_has_a_form_of_its_own() {
        for (line, count) in [
            ("Possibly lost 12 samples", Some(12)),
            ("Lost 12 samples", Some(12)),
            ("lost 3 events on CPU #1", Some(3)),
            ("CPU:2 [LOST 57 EVENTS]", Some(57)),
            ("CPU:2 [LOST EVENTS]", None),
            ("fio  1107 [002] PERF_RECORD_LOST lost 57", Some(57)),
            ("# entries-in-buffer/entries-written: 360/91234   #P:4", Some(90_874)),
            ("# entries-in-buffer/entries-written: 360/360   #P:4", None),
            ("lost and found", None),
            ("0.5 fio 1 sda R 8 4096 0.1", None),
        ] {
            assert_eq!(events(line.as_bytes()), count, "{line}");
        }
    }
}
