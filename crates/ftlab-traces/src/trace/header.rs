//! Whether the header of a recognised file names what the format has in its columns.
//!
//! A header is skipped, but it may say that the columns are others, or that they count other units.
//! What it does not say clearly is no objection.

use super::called::Named;
use super::counted::{self, Name};
use super::field::Column;
use super::suggest::{self, Places};
use super::text::{Sample, is_header};
use super::time::TimeUnit;

/// What a format has in its columns.
#[derive(Clone, Copy)]
pub(super) struct Meant {
    pub(super) name: &'static str,
    pub(super) columns: &'static [Column],
    pub(super) time: TimeUnit,
    /// What the size of the first time says.
    pub(super) far_stamp: fn(&Sample) -> Option<String>,
}

/// The digit of a read, where an operation is 0 or 1.
const READS: [(&str, &str); 6] = [
    ("tencent", ":0"),
    ("mqsim", ":1"),
    ("ssdsim", ":1"),
    ("disksim", ":1"),
    ("flashsim", ":1"),
    ("heimdall", ":1"),
];

impl Meant {
    /// What speaks in the header of `sample` against these columns.
    pub(super) fn objection(&self, sample: &Sample) -> Option<&'static str> {
        let (header, own) = (self.header(sample)?, self.places()?);
        let read = |places: &Places| [places.time.0, places.offset.0, places.length.0];
        let name = |at: usize| Name::at(&header.header, at);
        let is_other = |named: usize, own: usize| {
            let said = name(named).size_unit().filter(|unit| *unit != counted::OPEN);
            let said = said.or(name(named).is_in_pages().then_some(PAGES));
            said.zip(unit(&self.columns[own])).is_some_and(|(said, meant)| said != meant)
        };
        let reads = READS.iter().find(|(name, _)| *name == self.name).map(|(_, reads)| *reads);
        let named = header.op.map(|(at, _)| counted::operation(&name(at), &["0", "1"]));
        let said = named.filter(|said| said != counted::OPEN).or_else(|| polarity(sample));
        if read(&header) != read(&own) {
            Some("its header names other columns")
        } else if is_other(header.offset.0, own.offset.0) {
            Some("its header says that addresses count another unit")
        } else if is_other(header.length.0, own.length.0) {
            Some("its header says that sizes count another unit")
        } else if said.zip(reads).is_some_and(|(said, reads)| said != reads) {
            Some("its header says that the operation is the other way round")
        } else {
            None
        }
    }

    /// The unit of times that the header of `sample` states, if it is another one.
    pub(super) fn other_time(&self, sample: &Sample) -> Option<TimeUnit> {
        let header = self.header(sample)?;
        let unit = Name::of(header.header.get(header.time.0)?).time_unit()?;
        (unit != self.time).then_some(unit)
    }

    /// The places of columns that the first line, or the comment in front of it, names.
    fn header<'a>(&self, sample: &Sample<'a>) -> Option<Places<'a>> {
        let first = sample.first().filter(|line| is_header(line));
        let lines = first.into_iter().chain(sample.title());
        lines.filter_map(|line| str::from_utf8(line).ok()).find_map(|line| {
            let names = suggest::names(line, self.columns.len())?;
            Named::of(&names).places()
        })
    }

    fn places(&self) -> Option<Places<'static>> {
        let names: Vec<&str> = self.columns.iter().map(|column| column.name).collect();
        Named::of(&names).places()
    }
}

const PAGES: &str = ":pages";

/// Whether the sizes of a format count sectors.
pub(super) fn counts_sectors(columns: &'static [Column]) -> bool {
    let names: Vec<&str> = columns.iter().map(|column| column.name).collect();
    let length = Named::of(&names).length;
    length.is_some_and(|(at, _)| unit(&columns[at]) == Some(":sectors"))
}

/// The unit that a format's own column counts.
fn unit(column: &Column) -> Option<&'static str> {
    let known = [("512-byte sectors", ":sectors"), ("4 KiB pages", PAGES), ("bytes", "")];
    known.into_iter().find(|(words, _)| column.expected.contains(words)).map(|(_, unit)| unit)
}

/// The digit of a read that the first line or the comment in front of it states, as `0=read`.
fn polarity(sample: &Sample) -> Option<String> {
    let lines = sample.first().filter(|line| is_header(line)).into_iter().chain(sample.title());
    lines.filter_map(|line| str::from_utf8(line).ok()).find_map(counted::reads).map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use crate::trace::checks::detected;

    #[test]
    fn a_header_of_other_columns_or_units_is_refused() {
        for (text, why, columns) in [
            ("asu,size,lba,op,time\n0,4096,77,w,0.5\n", "other columns", "offset=lba"),
            ("# time device size lba flags\n0.125 0 8 77 1\n", "other columns", "offset=lba"),
            (
                "timestamp,offset_bytes,size,type,volume\n1538323200,77,8,1,5\n",
                "another unit",
                "offset=offset_bytes,",
            ),
            ("time dev lba size is_write\n1100 0 77 8 1\n", "the other way round", "op=is_write:0"),
            ("# time dev lba size op (0=read)\n1100 0 77 8 1\n", "the other way round", ""),
            ("# time dev lba size op(1: write)\n1100 0 77 8 1\n", "the other way round", ""),
            ("time dev lpn npages is_read\n1100 0 77 8 1\n", "addresses count another unit", ""),
            ("time dev lba size_kb op\n1100 0 77 8 1\n", "sizes count another unit", ""),
            ("time dev lba bytes op\n1100 0 77 8 1\n", "sizes count another unit", ""),
            (
                "device_id,opcode,offset_sectors,length,timestamp\n0,R,77,4096,1577808000000626\n",
                "addresses count another unit",
                "",
            ),
        ] {
            let message = detected(text).unwrap_err();
            assert!(message.contains(why) && message.contains(columns), "{message}");
        }
        for (text, name) in [
            ("ASU,LBA,Size,Opcode,Timestamp\n0,77,4096,w,0.5\n", "spc"),
            ("asu,blkno,bcount,op,stamp\n0,77,4096,w,0.5\n", "spc"),
            ("# time device lba size read\n1100 0 77 8 1\n", "mqsim"),
            ("Timestamp,Offset,Size,IOType,VolumeID\n1538323200,77,8,1,5\n", "tencent"),
            ("# of one, two and three\n0,77,4096,w,0.5\n", "spc"),
            ("# time dev lba size op (1=read, 0=write)\n1100 0 77 8 1\n", "mqsim"),
            ("# trace 1: web server, v2.0: read\ntime dev lba size op\n1100 0 77 8 1\n", "mqsim"),
            ("time dev lba blocks op\n1100 0 77 8 1\n", "mqsim"),
        ] {
            assert_eq!(detected(text), Ok(name), "{text}");
        }
    }
}
