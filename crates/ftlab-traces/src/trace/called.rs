//! What the columns of the files that people have are called.

use super::counted::{self, Name};
use super::joined::Joined;
use super::suggest::Places;

/// What a column of times is called, most telling first, as in all of these lists.
const TIMES: &[&str] = &[
    "stime",
    "time",
    "timestamp",
    "ts",
    "when",
    "date",
    "arrival",
    "arrivaltime",
    "starttime",
    "starts",
    "datetime",
    "issuetime",
    "submit",
    "submittime",
    "submitted",
    "issue",
    "issued",
    "requesttime",
    "inittime",
    "elapsed",
    "elapsedtime",
    "ktime",
    "nsecs",
    "usecs",
    "msecs",
    "secs",
    "nanos",
    "micros",
    "millis",
];

/// What a column of addresses is called.
const OFFSETS: &[&str] = &[
    "offset",
    "lba",
    "sector",
    "lbn",
    "slba",
    "address",
    "addr",
    "block",
    "page",
    "startlba",
    "startsector",
    "startblock",
    "byteoffset",
    "minoffset",
    "lpn",
];

/// What a column of lengths is called.
const LENGTHS: &[&str] = &[
    "length",
    "size",
    "bytes",
    "len",
    "nbytes",
    "sectors",
    "nlb",
    "pages",
    "count",
    "iosize",
    "nsectors",
    "npages",
    "nrsectors",
    "nrsector",
    "nsector",
    "numsectors",
    "nrbytes",
    "numbytes",
    "datalen",
    "datalength",
    "iodatalength",
    "blocks",
    "nblocks",
    "nrblocks",
    "numblocks",
    "blockcount",
    "sectorcount",
    "bcount",
];

/// What a column of operations is called.
const OPERATIONS: &[&str] = &[
    "op",
    "rw",
    "operation",
    "type",
    "iotype",
    "opcode",
    "optype",
    "t",
    "rwbs",
    "what",
    "action",
    "cmd",
    "command",
    "cdb",
    "cdbop",
    "scsiop",
    "scsiopcode",
    "scsisbcopcode",
    "commandcode",
    "opname",
    "commandtype",
    "requesttype",
    "reqtype",
    "iswrite",
    "isread",
    "write",
    "read",
    "readwrite",
    "rnw",
    "readnotwrite",
    "notwrite",
    "notread",
    "writeflag",
    "readflag",
    "w",
    "r",
    "direction",
    "dir",
    "ddir",
];

/// What a column of times since the request before is called.
const GAPS: &[&str] =
    &["gap", "delta", "interarrival", "interarrivaltime", "iat", "timedelta", "deltatime"];

/// What a column of times of completion is called.
const ENDS: &[&str] = &[
    "completion",
    "completiontime",
    "completetime",
    "completed",
    "complete",
    "end",
    "endtime",
    "finish",
    "finishtime",
    "finished",
    "done",
];

/// What a column of latencies is called.
const LATENCIES: &[&str] =
    &["latency", "lat", "response", "responsetime", "duration", "servicetime", "latencytime", "rt"];

/// What a column of volumes is called.
pub(super) const VOLUMES: &[&str] = &[
    "volume",
    "disk",
    "device",
    "dev",
    "lun",
    "vol",
    "asu",
    "volumeid",
    "diskid",
    "deviceid",
    "devid",
    "lunid",
    "disknumber",
    "disknum",
    "diskname",
    "devicename",
    "devname",
];

/// What a column is called that has volumes, or has them together with another one.
const OTHER_VOLUMES: &[&str] = &[
    "vm",
    "vmid",
    "vmname",
    "ssd",
    "ssdid",
    "drive",
    "driveid",
    "drivename",
    "drivenumber",
    "namespace",
    "namespaceid",
    "nsid",
    "image",
    "imageid",
    "imagename",
    "file",
    "fileid",
    "filename",
    "partition",
    "partitionid",
    "host",
    "hostid",
    "hostname",
    "server",
    "serverid",
    "major",
    "minor",
    "devmajor",
    "devminor",
];

/// What a column is called that is neither a time nor an address, a length or an operation.
const OTHERS: &[&str] = &[
    "id",
    "index",
    "idx",
    "seq",
    "sequence",
    "key",
    "keysize",
    "hash",
    "pid",
    "tid",
    "ppid",
    "cpu",
    "comm",
    "process",
    "processname",
    "user",
    "client",
    "clientid",
    "priority",
    "queue",
    "qid",
    "que",
    "queuelen",
    "depth",
    "error",
    "status",
    "no",
    "objectid",
    "sync",
    "issync",
    "fua",
    "meta",
    "hit",
    "ishit",
    "cachehit",
    "prefetch",
    "sequential",
    "merged",
];

/// A column: how many are before it, and its name if that may stand in advice.
pub(super) type At<'a> = (usize, &'a str);

/// The columns that a header names.
#[derive(Default)]
pub(super) struct Named<'a> {
    pub(super) time: Option<At<'a>>,
    pub(super) offset: Option<At<'a>>,
    pub(super) length: Option<At<'a>>,
    pub(super) op: Option<At<'a>>,
    /// What a time of completion is to be reduced by.
    pub(super) latency: Option<At<'a>>,
    /// The column of times and another one, if they are a time together.
    pub(super) joined: Option<Joined>,
    /// The names of all columns.
    pub(super) header: Vec<&'a str>,
}

impl<'a> Named<'a> {
    pub(super) fn of(header: &[&'a str]) -> Self {
        let names: Vec<Name> = header.iter().map(|name| Name::of(name)).collect();
        let find = |called: &[&str], is: &dyn Fn(&Name, &str) -> bool| {
            called.iter().find_map(|known| names.iter().position(|name| is(name, known)))
        };
        let whole = |called: &[&str]| find(called, &|name, known| name.whole == known);
        let place = |called: &[&str]| {
            whole(called)
                .or_else(|| find(called, &|name, known| name.front == known))
                .or_else(|| find(called, &|name, known| name.base == known))
        };
        let op = || find(OPERATIONS, &|name, known| !name.has_unit() && name.base == known);
        // Other than in `t` alone, or the start of an extent, the unit tells.
        let is_time = |name: &Name| matches!(name.front.as_str(), "t" | "start" | "begin");
        let with_unit = || names.iter().position(|n| is_time(n) && n.time_unit().is_some());
        let offset = place(OFFSETS);
        // Without an address, what begins may be one.
        let begun = || offset.and_then(|_| names.iter().position(|name| name.begins));
        let start = place(TIMES).or_else(|| place(GAPS)).or_else(with_unit).or_else(begun);
        let time = start.or_else(|| place(ENDS));
        let of_end = start.is_none() || is_biosnoop(&names);
        let mut named = Self { header: header.to_vec(), ..Self::default() };
        let at = |at: usize| named.at(at);
        let (time, offset) = (time.map(at), offset.map(at));
        let (length, op) = (place(LENGTHS).map(at), whole(OPERATIONS).or_else(op).map(at));
        let latency = place(LATENCIES).filter(|_| of_end && time.is_some()).map(at);
        (named.time, named.offset, named.length) = (time, offset, length);
        (named.op, named.latency) = (op, latency);
        named
    }

    /// The same columns by their numbers.
    pub(super) fn by_number<'b>(&self) -> Named<'b> {
        let number = |column: Option<At>| column.map(|(at, _)| (at, ""));
        let (time, offset) = (number(self.time), number(self.offset));
        let (length, op) = (number(self.length), number(self.op));
        Named { time, offset, length, op, ..Named::default() }
    }

    /// A column with its name if that is plain and that of one column; its number takes the place of any other.
    pub(super) fn at(&self, at: usize) -> At<'a> {
        let name = self.header.get(at).copied().unwrap_or_default();
        let is_name = counted::is_plain(name) && name != "none" && name.parse::<usize>().is_err();
        let is_one = self.header.iter().filter(|other| **other == name).count() == 1;
        (at, if is_name && is_one { name } else { "" })
    }

    /// The columns that are named.
    pub(super) fn columns(&self) -> impl Iterator<Item = usize> {
        let columns = [self.time, self.offset, self.length, self.op, self.latency];
        columns.into_iter().flatten().map(|(at, _)| at)
    }

    /// Whether a column is called what no request needs, or a volume.
    pub(super) fn is_other(&self, at: usize) -> bool {
        let name = Name::at(&self.header, at);
        let is = |known: &[&str]| known.contains(&name.whole.as_str());
        self.joined.is_some_and(|joined| joined.other == at)
            || is(OTHERS)
            || is_volume(&name)
            || LATENCIES.contains(&name.front.as_str())
            || LATENCIES.contains(&name.base.as_str())
    }

    /// All places, if the names settle where they are.
    pub(super) fn places(self) -> Option<Places<'a>> {
        Some(Places {
            time: self.time?,
            offset: self.offset?,
            length: self.length?,
            op: self.op,
            latency: self.latency,
            joined: self.joined,
            header: self.header,
        })
    }
}

/// Whether these are the columns of biosnoop, whose times are those of completion.
fn is_biosnoop(names: &[Name]) -> bool {
    ["comm", "disk", "sector", "lat"].iter().all(|known| names.iter().any(|n| n.base == *known))
}

/// Whether the column is called a volume, or a part of one.
pub(super) fn is_volume(name: &Name) -> bool {
    is_disk(name) || OTHER_VOLUMES.contains(&name.base.as_str())
}

/// Whether the column is called a volume.
pub(super) fn is_disk(name: &Name) -> bool {
    VOLUMES.contains(&name.base.as_str())
}

/// Whether the column is called a time.
pub(super) fn is_time(name: &Name) -> bool {
    TIMES.contains(&name.whole.as_str())
}

/// Whether the column may be a time or a part of one: it is called so, with or without a unit, or has one word.
pub(super) fn may_be_time(name: &Name) -> bool {
    let front = name.front.as_str();
    is_time(name) || !name.has_unit() || TIMES.contains(&front) || matches!(front, "t" | "tv")
}

/// Whether times are called those since the request before.
pub(super) fn is_gap(name: &Name) -> bool {
    GAPS.iter().any(|gap| name.whole == *gap || name.front == *gap)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_may_have_a_unit_or_a_remark() {
        for (header, places) in [
            ("nsecs,dev,rwbs,sector,bytes", [Some(0), Some(3), Some(4), Some(2)]),
            ("time,dev,rwbs,sector,nr_sector", [Some(0), Some(3), Some(4), Some(2)]),
            ("TimeMs,startLBA,NumBytes,rw (1=read)", [Some(0), Some(1), Some(2), Some(3)]),
            ("t.ms,lba,size_kb,read/write", [Some(0), Some(1), Some(2), Some(3)]),
            ("elapsed_ms,offset,len,rnw", [Some(0), Some(1), Some(2), Some(3)]),
            ("ktime_ns,sector,bytes_read,write_bytes", [Some(0), Some(1), None, None]),
            ("end_us,lba,len,op", [Some(0), Some(1), Some(2), Some(3)]),
            ("end,start,offset,size,op", [Some(1), Some(2), Some(3), Some(4)]),
            ("t_end,t_start,offset,size,op", [Some(1), Some(2), Some(3), Some(4)]),
            ("complete_ts,submit_ts,lba,size,op", [Some(1), Some(2), Some(3), Some(4)]),
            ("completion_ns,submission_ns,lba,len,op", [Some(1), Some(2), Some(3), Some(4)]),
            ("completion_ns,start_lba,len,op", [Some(0), Some(1), Some(2), Some(3)]),
            ("end_us,queue_depth,lba,len,op", [Some(0), Some(2), Some(3), Some(4)]),
            ("clock,lba,len,op,issue_cpu", [None, Some(1), Some(2), Some(3)]),
            ("STIME,TIME,D,BLOCK,SIZE", [Some(0), Some(3), Some(4), None]),
            ("time,op,start,len,end", [Some(0), None, Some(3), Some(1)]),
            ("time,scsi_sbc.opcode,lba,len", [Some(0), Some(2), Some(3), Some(1)]),
        ] {
            let header: Vec<&str> = header.split(',').collect();
            let Named { time, offset, length, op, .. } = Named::of(&header);
            let found = [time, offset, length, op].map(|column| column.map(|(at, _)| at));
            assert_eq!(found, places, "{header:?}");
        }
    }

    #[test]
    fn a_name_of_two_columns_is_no_name() {
        let named = Named::of(&["ts", "size", "lba", "size", "7", "none"]);
        let names = |at: &[usize]| at.iter().map(|at| named.at(*at).1).collect::<Vec<_>>();
        assert_eq!(names(&[0, 1, 2, 3, 4, 5, 6]), ["ts", "", "lba", "", "", "", ""]);
    }
}
