//! Whether the header of a recognised file names what the format has in its columns.
//!
//! A header is skipped, but it may say that the columns are others, or that they count other units.
//! What it does not say clearly is no objection.

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
    pub(super) offset_unit: u64,
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
        let name = |at: usize| Name::of(header.header.get(at).unwrap_or(&""));
        let differs = |said: Option<&str>, meant: &str| said.is_some_and(|said| said != meant);
        let sectors = if self.offset_unit == 1 { "" } else { ":sectors" };
        let reads = READS.iter().find(|(name, _)| *name == self.name).map(|(_, reads)| *reads);
        let said = header.op.map(|(at, _)| counted::operation(&name(at), &["0", "1"]));
        if read(&header) != read(&own) {
            Some("its header names other columns")
        } else if differs(name(header.offset.0).size_unit(), sectors) {
            Some("its header says that addresses count another unit")
        } else if said
            .zip(reads)
            .is_some_and(|(said, reads)| said.len() == 2 && said != reads && said != counted::OPEN)
        {
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
            suggest::named(&names)
        })
    }

    fn places(&self) -> Option<Places<'static>> {
        let names: Vec<&str> = self.columns.iter().map(|column| column.name).collect();
        suggest::named(&names)
    }
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
        ] {
            assert_eq!(detected(text), Ok(name), "{text}");
        }
    }
}
