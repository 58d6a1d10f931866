//! The table of formats, and how a file's format is found.

use super::compress::Compressed;
use super::field::{Column, Mistake, quoted};
use super::gate::Gate;
use super::lines::{is_utf_16, utf_16};
use super::record::{RecordDecoder, RecordFormat};
use super::source::{Place, Source};
use super::stream::{Front, Stream};
use super::text::{LineDecoder, LineFormat, Sample, Verdict};
use super::{TimeOrder, TraceOptions};
use super::{
    arc, cloudphysics, csv, disksim, fio, flashsim, hp_csv, mqsim, msr, spc, srt, ssdsim, vscsi,
};
use crate::error::Error;
use crate::request::RequestSource;

/// Every format, in the order in which detection asks them. A new one is a file and a line here.
pub const FORMATS: &[Format] = &[
    Format::of::<spc::Spc>(),
    Format::of::<msr::Msr>(),
    Format::of::<disksim::DiskSim>(),
    Format::of::<flashsim::FlashSim>(),
    Format::of::<mqsim::MqSim>(),
    Format::of::<ssdsim::SsdSim>(),
    Format::of_records::<vscsi::Vscsi>(),
    Format::of_records::<srt::Srt>(),
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
    /// What is done with times that go back, unless the options say.
    pub order: TimeOrder,
    /// The options that say what the format does not.
    takes: &'static [&'static str],
    recognise: Recognise,
    check: fn(&TraceOptions) -> Result<(), Mistake>,
    read: fn(Stream, &TraceOptions, Gate, Place) -> Opened,
}

type Opened = Result<Box<dyn RequestSource>, Error>;

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
            check: |options| F::with(options).map(drop),
            read: |stream, options, gate, place| {
                let format = F::with(options).map_err(|mistake| place.error(None, mistake))?;
                Ok(Box::new(Source::new(LineDecoder::new(format, stream), gate, place)))
            },
        }
    }

    const fn of_records<F: RecordFormat>() -> Self {
        Self {
            name: F::NAME,
            summary: F::SUMMARY,
            columns: F::COLUMNS,
            source: F::SOURCE,
            order: TimeOrder::Error,
            takes: &[],
            recognise: Recognise::Records(F::recognise),
            check: |_| Ok(()),
            read: |stream, _, gate, place| {
                Ok(Box::new(Source::new(RecordDecoder::<F>::new(stream), gate, place)))
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

    /// Checks that `options` say what the format needs to be told and nothing that it tells.
    pub(super) fn check(&self, options: &TraceOptions, place: &Place) -> Result<(), Error> {
        let given = [
            ("op", options.op.is_some()),
            ("unit", options.unit.is_some()),
            ("columns", options.columns.is_some()),
        ];
        if let Some((name, _)) = given.iter().find(|(n, given)| *given && !self.takes.contains(n)) {
            let message = format!("found a value, expected none, as {} says it itself", self.name);
            return Err(Error::config(format!("input.{name}"), message));
        }
        (self.check)(options).map_err(|mistake| place.error(None, mistake))
    }

    pub(super) fn read(&self, stream: Stream, options: &TraceOptions, place: Place) -> Opened {
        let order = options.order.unwrap_or(self.order);
        let gate = Gate::new(order, options.volume, options.requests);
        (self.read)(stream, options, gate, place)
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
    if Compressed::of(front.bytes) != Compressed::No {
        return Err(Mistake(
            "not a format that ftlab reads: it is compressed twice; decompress it once".into(),
        ));
    }
    let sample = Sample::new(front);
    for format in FORMATS {
        match format.recognises(front, &sample) {
            Verdict::Yes => return Ok(format),
            Verdict::Refuse(why) => return Err(Mistake(why)),
            Verdict::No => {}
        }
    }
    Err(match sample.first() {
        None if front.whole => Mistake("found no request, expected at least one".into()),
        _ if is_utf_16(front.bytes) => utf_16(),
        first => unknown(first.unwrap_or(front.bytes)),
    })
}

fn unknown(first: &[u8]) -> Mistake {
    let known: Vec<&str> = FORMATS.iter().map(|format| format.name).collect();
    Mistake(format!(
        "not a format that ftlab reads, it begins with {}; known: {}; name one with --format, or \
         the columns of a CSV file with --columns",
        quoted(first),
        known.join(", ")
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str) -> Result<&'static str, String> {
        let front = Front { bytes: text.as_bytes(), whole: true };
        detect(front).map(|format| format.name).map_err(|mistake| mistake.0)
    }

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
        ] {
            assert_eq!(found(line), Ok(name), "{line}");
        }
    }

    #[test]
    fn a_broken_line_does_not_hide_the_format() {
        assert_eq!(found("0,1,512,r,0.0\n0,1,512,x,0.0\n\n"), Ok("spc"));
    }

    #[test]
    fn other_formats_are_refused_and_not_misread() {
        for line in [
            "1538323200,4247200,128,1,1058",
            "Timestamp,Response,IOType,LUN,Offset,Size",
            "0\t\t8\t\t4096\t\t4\t\t1.740780627\t\t1.740812815\t\t1.740851877\t\t1.741075471",
            "time_s,disk,sector512,sectors512,op,async,queue_len",
            "fio version 1 iolog",
            "time,offset,length,op",
            "\x7fELF\x02\x01\0\0",
            "hello",
        ] {
            let message = found(line).unwrap_err();
            assert!(message.starts_with("not a format that ftlab reads"), "{message}");
            assert!(message.contains("known: spc, msr, disksim"), "{message}");
        }
        assert!(found("\n \n").unwrap_err().contains("no request"));
    }

    #[test]
    fn addresses_in_bytes_are_refused_with_the_reason() {
        let linnos = "0.000 0 200626176 4096 0\n223.412 0 3159347200 36864 0";
        assert!(found(linnos).unwrap_err().contains("LinnOS"));
    }

    #[test]
    fn sizes_in_the_other_unit_are_refused_where_sequential_requests_tell() {
        let run = |step: u64, blank: &str| -> String {
            let line = |i: u64| ["1.5", "0", &(7 + i * step).to_string(), "16", "1\n"].join(blank);
            (0..20).map(line).collect()
        };
        assert_eq!(found(&run(16, " ")), Ok("disksim"));
        assert_eq!(found(&run(128, "\t")), Ok("flashsim"));
        assert!(found(&run(128, " ")).unwrap_err().contains("--format"));
        assert!(found(&run(16, "\t")).unwrap_err().contains("--format"));
    }
}
