//! Commands of NVMe as JSON lines, as tracers print them.
//!
//! One object a line: `ts` in nanoseconds, `op_name`, `slba` in 512-byte sectors, `bytes`, and `nsid` where
//! there are several namespaces. Lines with another `event_type` than `nvme_cmd` are skipped.

use super::field::{Column, Fields, Mistake, Separator, quoted};
use super::gate::RawRequest;
use super::text::{LineFormat, Sample, Verdict};
use super::time::{Time, TimeUnit};
use crate::request::Op;
use serde::Deserialize;

const SECTOR_BYTES: u64 = 512;
const EVENT: &str = "nvme_cmd";
const PREFIX: &str = "nvme_cmd_";

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
pub(super) struct NvmeJson {
    /// The first command that is no request.
    other: Option<String>,
}

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
        let Some(op) = operation(command.op_name) else {
            self.other.get_or_insert_with(|| command.op_name.to_owned());
            return Ok(None);
        };
        let Command { ts, slba, bytes, nsid, .. } = command;
        let raw = RawRequest::new(op, slba, bytes).at(ts).in_volume(nsid);
        raw.in_units(SECTOR_BYTES, 1).map(Some)
    }

    fn without_requests(&self) -> Mistake {
        let found =
            self.other.as_ref().map(|name| format!(", but op_name {}", quoted(name.as_bytes())));
        Mistake(format!(
            "found no request{}, expected op_name read, write, dsm or another",
            found.unwrap_or_default()
        ))
    }

    fn recognise(sample: &Sample) -> Verdict {
        let named = sample.first().is_some_and(|line| {
            line.starts_with(b"{") && memchr::memmem::find(line, b"\"slba\"").is_some()
        });
        if named && sample.mostly::<Self>() { Verdict::Yes } else { Verdict::No }
    }
}

/// Commands that are requests, in any case, also as `nvme_cmd_read`.
const COMMANDS: [(&str, Op); 8] = [
    ("read", Op::Read),
    ("write", Op::Write),
    ("write_zeroes", Op::Write),
    ("zone_append", Op::Write),
    ("dsm", Op::Trim),
    ("trim", Op::Trim),
    ("deallocate", Op::Trim),
    ("flush", Op::Flush),
];

fn operation(name: &str) -> Option<Op> {
    let has_prefix = name.get(..PREFIX.len()).is_some_and(|it| it.eq_ignore_ascii_case(PREFIX));
    let name = if has_prefix { &name[PREFIX.len()..] } else { name };
    let named = COMMANDS.iter().find(|(command, _)| command.eq_ignore_ascii_case(name));
    named.map(|(_, op)| *op)
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
    fn names_of_commands_may_be_written_otherwise() {
        for name in ["READ", "nvme_cmd_read", "NVME_CMD_READ", "Read"] {
            let text = format!(r#"{{"ts":1,"op_name":"{name}","slba":8,"bytes":512}}"#);
            assert_eq!(requests::<NvmeJson>(&text).unwrap()[0].op, Op::Read, "{name}");
        }
        let text = r#"{"ts":1,"op_name":"identify","slba":0,"bytes":512}"#;
        let message = requests::<NvmeJson>(text).unwrap_err().to_string();
        assert!(message.contains("but op_name \"identify\""), "{message}");
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
