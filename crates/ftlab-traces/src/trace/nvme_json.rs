//! Commands of NVMe as JSON lines, as tracers print them.
//!
//! One object a line: `ts` in nanoseconds, `op_name`, `slba` in 512-byte sectors, `bytes`, and `nsid` where
//! there are several namespaces. Lines with another `event_type` than `nvme_cmd` are skipped.

use super::field::{Column, Fields, Mistake, Separator};
use super::gate::RawRequest;
use super::text::{LineFormat, Sample, Verdict};
use super::time::{Time, TimeUnit};
use crate::request::Op;
use serde::Deserialize;

const SECTOR_BYTES: u64 = 512;
const EVENT: &str = "nvme_cmd";

/// What is read of a line.
#[derive(Deserialize)]
struct Command<'a> {
    ts: u64,
    event_type: Option<&'a str>,
    #[serde(default)]
    op_name: &'a str,
    #[serde(default)]
    slba: u64,
    #[serde(default)]
    bytes: u64,
    #[serde(default)]
    nsid: u32,
}

#[derive(Clone, Default)]
pub(super) struct NvmeJson;

impl LineFormat for NvmeJson {
    const NAME: &'static str = "nvme-json";
    const SUMMARY: &'static str = "commands of NVMe as JSON lines: ts, op_name, slba, bytes";
    const COLUMNS: &'static [Column] = &[
        Column::new("ts", "a whole number of nanoseconds"),
        Column::new("event_type", "nvme_cmd, or another that is skipped"),
        Column::new("op_name", "read, write, dsm, write_zeroes, flush or another that is skipped"),
        Column::new("slba", "a whole number of 512-byte sectors"),
        Column::new("bytes", "a whole number of bytes"),
        Column::new("nsid", "a whole number up to 2^32 - 1"),
    ];
    const SEPARATOR: Separator = Separator::Comma;
    const TIME: Time = Time::whole(TimeUnit::Nanoseconds);
    const OFFSET_UNIT: u64 = SECTOR_BYTES;
    const UNITS_MAY_BE_SAID: bool = false;
    const SOURCE: &'static str = "tracers of NVMe commands";

    fn parse_line(&mut self, fields: Fields) -> Result<Option<RawRequest>, Mistake> {
        let command: Command = serde_json::from_slice(fields.line()).map_err(|error| {
            let error = error.to_string();
            Mistake(format!(
                "found {:?}, expected an object with ts, op_name, slba and bytes",
                error
            ))
        })?;
        if command.event_type.is_some_and(|event| event != EVENT) {
            return Ok(None);
        }
        let op = match command.op_name {
            "read" => Op::Read,
            "write" | "write_zeroes" => Op::Write,
            "dsm" | "trim" => Op::Trim,
            "flush" => Op::Flush,
            _ => return Ok(None),
        };
        let Command { ts, slba, bytes, nsid, .. } = command;
        let raw = RawRequest::new(op, slba, bytes).at(ts).in_volume(nsid);
        raw.in_units(SECTOR_BYTES, 1).map(Some)
    }

    fn recognise(sample: &Sample) -> Verdict {
        let named = sample.first().is_some_and(|line| {
            line.starts_with(b"{") && memchr::memmem::find(line, b"\"slba\"").is_some()
        });
        if named && sample.mostly::<Self>() { Verdict::Yes } else { Verdict::No }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trace::checks::{misread, requests};

    #[test]
    fn commands_are_requests_and_other_events_are_not() {
        let text = r#"{"ts":1000,"event_type":"nvme_cmd","op_name":"write","slba":8,"bytes":4096}
{"ts":1500,"event_type":"irq","vector":3}
{"ts":1600,"event_type":"nvme_cmd","op_name":"identify","slba":0,"bytes":4096}
{"op_name":"read","slba":16,"ts":2000,"bytes":512,"extra":{"a":[1]},"nsid":2}
"#;
        let found = requests::<NvmeJson>(text).unwrap();
        let shown: Vec<_> = found.iter().map(|r| (r.time, r.volume, r.op, r.offset)).collect();
        assert_eq!(shown, [(0, 0, Op::Write, 4096), (1000, 2, Op::Read, 8192)]);
    }

    #[test]
    fn a_bad_line_is_told_in_one_line() {
        for line in ["{", "{\"ts\":-1}", "[]", "{\"ts\":1,\"slba\":1.5}", "{\"op_name\":\"read\"}"]
        {
            misread::<NvmeJson>(line, "expected an object with ts");
        }
        misread::<NvmeJson>(
            r#"{"ts":1,"op_name":"read","slba":36028797018963968,"bytes":1}"#,
            "address",
        );
    }
}
