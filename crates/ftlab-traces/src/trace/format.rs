//! The table of formats, and detection of a file's format.

use super::ahead::Ahead;
#[cfg(feature = "files")]
use super::columnar;
use super::compress::Compressed;
use super::doubt;
use super::field::{Column, Mistake, quoted};
use super::gate::Gate;
use super::header::{self, Meant};
use super::lines::{is_like_utf_16, utf_16};
use super::record::{RecordDecoder, RecordFormat};
use super::source::{self, Place};
use super::stream::{Front, Stream};
use super::text::{LineDecoder, LineFormat, Sample, Verdict};
use super::{TimeOrder, TraceOptions};
use super::{
    alibaba, arc, biosnoop, biotracer, blkparse, blktrace, cloudphysics, csv, disksim, etw, fio,
    fiu, flashsim, ftrace, heimdall, hp_csv, iotracer, mqsim, msr, nvme_json, oracle_general,
    other, plausible, spc, srt, ssdsim, suggest, systor, tectonic, tencent, vscsi, vscsistats,
};
use crate::error::Error;
use crate::request::RequestSource;

/// All formats, in the order of detection. A new format is a file and a line here.
pub const FORMATS: &[Format] = &[
    Format::of::<spc::Spc>(),
    Format::of::<msr::Msr>(),
    Format::of::<systor::Systor>(),
    Format::of::<alibaba::Alibaba>(),
    Format::of::<tencent::Tencent>(),
    Format::of::<fiu::Fiu>(),
    Format::of::<blkparse::BlkParse>(),
    Format::of::<ftrace::Ftrace>(),
    Format::of_records::<blktrace::BlkTrace>(),
    Format::of::<biotracer::BioTracer>(),
    Format::of::<etw::Etw>(),
    Format::of::<biosnoop::Biosnoop>(),
    Format::of::<iotracer::IoTracer>(),
    Format::of::<tectonic::Tectonic>(),
    Format::of::<vscsistats::VscsiStats>(),
    Format::of::<nvme_json::NvmeJson>(),
    Format::of::<heimdall::Heimdall>(),
    Format::of::<disksim::DiskSim>(),
    Format::of::<flashsim::FlashSim>(),
    Format::of::<mqsim::MqSim>(),
    Format::of::<ssdsim::SsdSim>(),
    Format::of_records::<vscsi::Vscsi>(),
    Format::of_records::<srt::Srt>(),
    Format::of_records::<oracle_general::OracleGeneral>(),
    Format::of::<cloudphysics::CloudPhysics>(),
    Format::of::<hp_csv::HpCsv>(),
    Format::of::<fio::Fio>(),
    Format::of::<arc::Arc>(),
    Format::of::<csv::Csv>(),
];

/// A trace format.
#[derive(Clone, Copy)]
pub struct Format {
    /// The name that `--format` takes.
    pub name: &'static str,
    /// One line for lists of formats.
    pub summary: &'static str,
    /// The columns with their units, in order.
    pub columns: &'static [Column],
    /// Where traces of this format come from.
    pub source: &'static str,
    /// How times that go back are treated, unless the options state it.
    pub order: TimeOrder,
    /// The options that supply what the format does not state.
    takes: &'static [&'static str],
    recognise: Recognise,
    objection: fn(&Sample) -> Option<&'static str>,
    /// What a header must not contradict.
    meant: Option<Meant>,
    doubt: Option<fn(&Sample) -> Option<String>>,
    order_of: Option<fn(&Sample) -> TimeOrder>,
    units: bool,
    check: fn(&TraceOptions) -> Result<(), Mistake>,
    read: fn(&str, Parts, &TraceOptions, Gate) -> Opened,
}

type Opened = Result<Box<dyn RequestSource>, Error>;

/// The streams of one recording, usually one.
type Parts = Vec<(Stream, Place)>;

/// How a format is recognised: by its first lines or by its first bytes.
#[derive(Clone, Copy)]
enum Recognise {
    Lines(fn(&Sample) -> Verdict),
    Records(fn(Front) -> Verdict),
}

impl Format {
    const fn of<F: LineFormat>() -> Self {
        Self {
            name: F::NAME,
            summary: F::SUMMARY,
            columns: F::COLUMNS,
            source: F::SOURCE,
            order: F::ORDER,
            takes: F::TAKES,
            recognise: Recognise::Lines(F::recognise),
            objection: |sample| {
                let requests: Vec<_> = sample.requests::<F>().collect();
                let in_sectors = header::counts_sectors(F::COLUMNS);
                let of_all = || plausible::objection(&requests, F::OFFSET_UNIT, in_sectors);
                F::objection(sample).or_else(of_all)
            },
            meant: if F::UNITS_MAY_BE_SAID {
                Some(Meant {
                    name: F::NAME,
                    columns: F::COLUMNS,
                    time: F::TIME.unit,
                    far_stamp: doubt::far_stamp::<F>,
                })
            } else {
                None
            },
            doubt: F::DOUBT,
            order_of: F::ORDER_OF,
            units: F::UNITS_MAY_BE_SAID,
            check: |options| F::with(options).map(drop),
            read: |path, parts, options, gate| {
                let said =
                    |Mistake(message)| Error::Trace { file: path.into(), line: None, message };
                let format = F::with(options).map_err(said)?;
                let decoder = |stream| LineDecoder::new(format.clone(), stream).in_units(options);
                let parts = parts.into_iter().map(|(stream, place)| (decoder(stream), place));
                if Ahead::<F>::POSSIBLE {
                    let ahead = parts.map(|(decoder, place)| (Ahead::new(decoder), place));
                    return source::opened(path, ahead.collect(), gate);
                }
                source::opened(path, parts.collect(), gate)
            },
        }
    }

    const fn of_records<F: RecordFormat>() -> Self {
        Self {
            name: F::NAME,
            summary: F::SUMMARY,
            columns: F::COLUMNS,
            source: F::SOURCE,
            order: F::ORDER,
            takes: F::TAKES,
            recognise: Recognise::Records(F::recognise),
            objection: |_| None,
            meant: None,
            doubt: None,
            order_of: None,
            units: false,
            check: |options| F::with(options).map(drop),
            read: |path, parts, options, gate| {
                let said =
                    |Mistake(message)| Error::Trace { file: path.into(), line: None, message };
                let format = F::with(options).map_err(said)?;
                let decoder = |stream| RecordDecoder::new(format.clone(), stream);
                let parts = parts.into_iter().map(|(stream, place)| (decoder(stream), place));
                source::opened(path, parts.collect(), gate)
            },
        }
    }

    /// The format called `name`.
    ///
    /// # Errors
    /// [`Error::Unknown`] lists the known ones.
    pub fn named(name: &str) -> Result<&'static Self, Error> {
        let found = FORMATS.iter().find(|format| format.name == name);
        found.ok_or_else(|| Error::unknown("trace format", name, FORMATS.iter().map(|f| f.name)))
    }

    /// Checks that `options` supply all that the format does not state, and nothing else.
    pub(super) fn check(&self, options: &TraceOptions, place: &Place) -> Result<(), Error> {
        let given = [
            ("op", options.op.is_some()),
            ("unit", options.unit.is_some()),
            ("stage", options.stage.is_some()),
            ("columns", options.columns.is_some()),
        ];
        let units = [
            ("time_unit", options.time_unit.is_some()),
            ("offset_unit", options.offset_unit.is_some()),
        ];
        if let Some((name, _)) = units.iter().find(|(_, given)| *given && !self.units) {
            let message = format!("found a value, expected none, as {} says it itself", self.name);
            return Err(Error::config(format!("input.{name}"), message));
        }
        if let Some((name, _)) = given.iter().find(|(n, given)| *given && !self.takes.contains(n)) {
            let message = format!("found a value, expected none, as {} says it itself", self.name);
            return Err(Error::config(format!("input.{name}"), message));
        }
        (self.check)(options).map_err(|mistake| place.error(None, mistake))
    }

    /// The requests of `parts`, which form the recording `path`.
    pub(super) fn read(&self, path: &str, mut parts: Parts, options: &TraceOptions) -> Opened {
        let computed = options.columns.as_ref().is_some_and(|columns| columns.latency.is_some());
        let usual = if computed { TimeOrder::Sort } else { self.order };
        let mut order = options.order.unwrap_or(usual);
        if let (None, Some(order_of)) = (options.order, self.order_of) {
            for (stream, place) in &mut parts {
                let front = stream.sniff().map_err(|broken| place.broken(0, broken))?;
                order = match order_of(&Sample::new(front)) {
                    TimeOrder::Error => order,
                    other => other,
                };
            }
        }
        let gate = Gate::new(order, options.volume, options.requests_before_window())
            .with_flushes(options.flushes);
        (self.read)(path, parts, options, gate)
    }

    /// Requires the unit of times if neither the user nor `stream` states it.
    pub(super) fn settle(
        &self,
        stream: &mut Stream,
        options: &TraceOptions,
        place: &Place,
    ) -> Result<(), Error> {
        if options.time_unit.is_some() || self.doubt.is_none() && self.meant.is_none() {
            return Ok(());
        }
        let front = stream.sniff().map_err(|broken| place.broken(0, broken))?;
        let sample = Sample::new(front);
        let by_header = || {
            let meant = self.meant.as_ref()?;
            let unit = meant.other_time(&sample)?;
            let found = format!("its header says that times count {}", unit.noun());
            Some(doubt::question(&found, &[unit, meant.time]))
        };
        let by_stamp = || self.meant.as_ref().and_then(|meant| (meant.far_stamp)(&sample));
        let doubt = || self.doubt.and_then(|doubt| doubt(&sample));
        match by_header().or_else(by_stamp).or_else(doubt) {
            Some(why) => Err(place.error(None, Mistake(format!("{why} (read as {})", self.name)))),
            None => Ok(()),
        }
    }

    /// What speaks against a file that is recognised.
    fn objection(&self, sample: &Sample) -> Option<&'static str> {
        let by_header = self.meant.as_ref().and_then(|meant| meant.objection(sample));
        by_header.or_else(|| (self.objection)(sample))
    }

    fn recognises(&self, front: Front, sample: &Sample) -> Verdict {
        match self.recognise {
            Recognise::Lines(recognise) => recognise(sample),
            Recognise::Records(recognise) => recognise(front),
        }
    }
}

/// The format of a file that begins with `front`.
pub(super) fn detect(front: Front) -> Result<&'static Format, Mistake> {
    #[cfg(feature = "files")]
    if columnar::is_parquet(front.bytes) {
        return Err(Mistake(
            "a Parquet file is read from its end, which no pipe, archive or compressed file allows; save it \
             as a file of its own, and name it without files of another format"
                .into(),
        ));
    }
    if Compressed::of(front.bytes) != Compressed::No {
        return Err(Mistake(
            "not a format that ftlab reads: it is compressed twice; decompress it once".into(),
        ));
    }
    let sample = Sample::new(front);
    for format in FORMATS {
        match format.recognises(front, &sample) {
            Verdict::Yes => match format.objection(&sample) {
                Some(why) => return Err(implausible(format, why, &sample)),
                None => return Ok(format),
            },
            Verdict::Refuse(why) => return Err(Mistake(why)),
            Verdict::No => {}
        }
    }
    Err(match sample.first() {
        None if front.whole => Mistake::no_request(),
        _ if is_like_utf_16(front.bytes) => utf_16(front.bytes),
        first => other::known(front, &sample)
            .unwrap_or_else(|| unknown(first.unwrap_or(front.bytes), &sample)),
    })
}

#[cold]
fn implausible(format: &Format, why: &str, sample: &Sample) -> Mistake {
    let (name, advice) = (format.name, suggest::advice(sample, Some(format.columns)));
    let advice = advice.unwrap_or_else(|| "name its columns with input.columns".into());
    Mistake(format!(
        "looks like {name}, but {why}; {advice}; if it is {name}, name it with input.format = {name}"
    ))
}

fn unknown(first: &[u8], sample: &Sample) -> Mistake {
    let advice = suggest::advice(sample, None);
    let (advice, columns) = match &advice {
        Some(advice) => (format!("{advice}; "), ""),
        None => (String::new(), ", or the columns of a CSV file with input.columns"),
    };
    let known: Vec<&str> = FORMATS.iter().map(|format| format.name).collect();
    Mistake(format!(
        "not a format that ftlab reads, it begins with {}; {advice}known: {}; name one with \
         input.format{columns}",
        quoted(first),
        known.join(", ")
    ))
}

#[cfg(test)]
mod tests {
    use crate::trace::checks::detected;

    #[test]
    fn one_line_is_enough_to_recognise_a_format() {
        for (line, name) in [
            ("0,303567,3584,w,0.000000", "spc"),
            ("128166391024154329,prxy,0,Write,1105182720,1024,1514", "msr"),
            ("0,web,0,Write,3160743424,4096,135731\r\n", "msr"),
            ("7961.833 0 20228336 8 0", "disksim"),
            ("26.214000\t0\t303574\t1\t0", "flashsim"),
            ("11413000 0 657728 16 1", "mqsim"),
            ("version,time,op,size,lbn\n1,5633898,2a,512,42932745", "cloudphysics"),
            ("fio version 2 iolog\nf add", "fio"),
            ("110765 64 0 0", "arc"),
            ("Timestamp,Response,IOType,LUN,Offset,Size\r\n", "systor"),
            ("1456095147.574052000,0.000245000,R,0,4238867714048,4096", "systor"),
            ("0,R,126703644672,4096,1577808000000626", "alibaba"),
            ("1538323200,4247200,128,1,1058", "tencent"),
            ("0 4892 syslogd 904265560 8 W 6 0 531e779ca3d2ddf8f5ba7f5ff1e7a6b2", "fiu"),
            ("  8,0    3        1     0.000000000   697  A   W 223490 + 8 <- (8,1) 1", "blkparse"),
            (
                "0\t\t8\t\t4096\t\t4\t\t1.740780627\t\t1.740812815\t\t1.740851877\t\t1.7",
                "biotracer",
            ),
            ("BeginHeader   \r\n   DiskRead,  TimeStamp,     Process Name ( PID)", "etw"),
            (
                " DiskRead, 8612, a.exe (3984), 11844, 0xff, 0x018f0b8000, 0x00001000, 283, 0, 0",
                "etw",
            ),
            ("0.000 0 200626176 4096 0\n223.412 0 3159347200 36864 0", "heimdall"),
        ] {
            assert_eq!(detected(line), Ok(name), "{line}");
        }
    }

    #[test]
    fn a_broken_line_does_not_hide_the_format() {
        assert_eq!(detected("0,1,512,r,0.0\n0,1,512,x,0.0\n\n"), Ok("spc"));
    }

    #[test]
    fn other_formats_are_refused_and_not_misread() {
        for line in [
            // Whole numbers without a date in front are no trace of Tencent's.
            "1,4247200,128,1,1058",
            "time_s,disk,sector512,sectors512,op,async,queue_len",
            "time,offset,length,op",
            "hello",
            "EndHeader",
            "DiskFlush, 1, a ( 1), 1, 0x1, 2, 0",
            "CPU0 (sda):",
            "8,0",
        ] {
            let message = detected(line).unwrap_err();
            assert!(message.starts_with("not a format that ftlab reads"), "{message}");
            assert!(message.contains("known: spc, msr, systor"), "{message}");
        }
        assert!(detected("\n \n").unwrap_err().contains("no request"));
    }

    #[test]
    fn addresses_that_may_be_bytes_or_aligned_sectors_are_refused_with_the_reason() {
        for line in ["0.000 0 200626176 4096 0", "0 0 200626176 36864 0", "0.000\t0\t512\t512\t1"] {
            assert!(detected(line).unwrap_err().contains("LinnOS"), "{line}");
        }
    }

    #[test]
    fn tables_with_other_columns_are_refused_with_the_columns_to_check() {
        let rows = |row: &dyn Fn(u64) -> String| (0..20).map(row).collect::<String>();
        let lba = |i: u64| (i * 7919 + 13) % 100_003;
        for (text, name, columns) in [
            (rows(&|i| format!("{i},{},4096,w,{i}.5\n", lba(i))), "spc", "offset=2"),
            (rows(&|i| format!("0,{},8,w,{i}.5\n", lba(i))), "spc", "length=3:sectors"),
            (rows(&|i| format!("{},{},8,w,{i}.5\n", i % 3, lba(i))), "spc", "op=4,volume=1"),
            (rows(&|i| format!("{}00 {} 8 {} 0\n", i, lba(i), i % 2)), "mqsim", "offset=2"),
            (rows(&|i| format!("{i}.125 0 {} {} 8\n", i % 2, lba(i) * 8)), "disksim", "offset=4"),
            (
                rows(&|i| format!("0.{i:04}25 0 {} {} 1\n", lba(i), 4096 * (1 + i % 3))),
                "disksim",
                "time=1:?,offset=3:?,length=4,volume=2",
            ),
        ] {
            let message = detected(&text).unwrap_err();
            assert!(message.contains(&format!("looks like {name}, but")), "{message}");
            assert!(message.contains(columns) && message.contains("if it is"), "{message}");
        }
        // Where the format has its columns, not where numbers are larger.
        let time = "2024-01-15 10:30:45";
        let own = rows(&|i| format!("{time}.{i:06},{i}8000,a,{},read,8,0.1,7,0,7\n", lba(i)));
        let message = detected(&own).unwrap_err();
        assert!(message.contains("looks like iotracer, but"), "{message}");
        assert!(
            message.contains("time=1:iso,offset=4:sectors,length=6:sectors,op=5;"),
            "{message}"
        );
        // Four numbers of which the last is an operation are no list of the ARC paper.
        let four = rows(&|i| format!("{i} {} 8 {}\n", lba(i), i % 2));
        assert!(detected(&four).unwrap_err().contains("input.columns = "));
    }

    /// `%T %t %S %n` of `blkparse -f`, where a few lines settle no volumes.
    #[test]
    fn nanoseconds_with_zeros_in_front_are_no_volumes() {
        let lines = ["0 000001829 223490 8 1\n", "0 441943000 8 16 0\n", "1 000441943 8 16 1\n"];
        for count in 1..=lines.len() {
            let message = detected(&lines[..count].concat()).unwrap_err();
            assert!(message.starts_with("looks like mqsim, but"), "{message}");
            assert!(message.contains("the second column has zeros in front"), "{message}");
        }
        let message = detected(&lines.concat()).unwrap_err();
        for advice in ["sprintf(\"%d.%09d\", $1, $2)", "time=1,offset=3:sectors"] {
            assert!(message.contains(advice), "{message}");
        }
        for volumes in ["259001024", "0", "08", "000000000 000000000"] {
            let (one, other) = volumes.split_once(' ').unwrap_or((volumes, "441943000"));
            let text = format!("0 {one} 223490 8 1\n0 {other} 8 16 0\n0 7 8 16 0\n");
            assert_eq!(detected(&text), Ok("mqsim"), "{text}");
        }
    }

    #[test]
    fn a_format_may_begin_with_lines_that_hold_no_request() {
        let notes = "8,0 1 0 0.0 0 m N cfq note\n".repeat(50);
        assert_eq!(detected(&notes), Ok("blkparse"));
        assert_eq!(detected(&format!("{notes}8,0 1 1 0.0 0 Q R 8 + 8 [a]\n")), Ok("blkparse"));
        let stacks = "  Stack, 12, 4, 1, ntoskrnl.exe!0x1, 0x2\n".repeat(50);
        assert_eq!(detected(&format!("BeginHeader\nEndHeader\n{stacks}")), Ok("etw"));
    }

    #[test]
    fn sizes_in_the_other_unit_are_refused_where_sequential_requests_tell() {
        let run = |step: u64, blank: &str| -> String {
            let line = |i: u64| ["1.5", "0", &(7 + i * step).to_string(), "16", "1\n"].join(blank);
            (0..20).map(line).collect()
        };
        assert_eq!(detected(&run(16, " ")), Ok("disksim"));
        assert_eq!(detected(&run(128, "\t")), Ok("flashsim"));
        assert!(detected(&run(128, " ")).unwrap_err().contains("input.format"));
        assert!(detected(&run(16, "\t")).unwrap_err().contains("input.format"));
    }
}
