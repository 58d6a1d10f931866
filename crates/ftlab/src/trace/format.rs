//! The table of formats, and how a file's format is found.

use super::TimeOrder;
use super::columnar;
use super::compress::Compressed;
use super::field::{Column, Mistake, quoted};
use super::gate::Gate;
use super::lines::Lines;
use super::text::{LineFormat, Place, Sample, TextSource, Verdict};
use super::{disksim, flashsim, mqsim, msr, spc, ssdsim};
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
    recognise: fn(&Sample) -> Verdict,
    read: fn(Lines, Gate, Place) -> Box<dyn RequestSource>,
}

impl Format {
    const fn of<F: LineFormat>() -> Self {
        Self {
            name: F::NAME,
            summary: F::SUMMARY,
            columns: F::COLUMNS,
            source: F::SOURCE,
            order: F::ORDER,
            recognise: F::recognise,
            read: |lines, gate, place| Box::new(TextSource::<F>::new(lines, gate, place)),
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

    pub(super) fn read(&self, lines: Lines, gate: Gate, place: Place) -> Box<dyn RequestSource> {
        (self.read)(lines, gate, place)
    }
}

/// The format of a file that begins with `front`, which is all of it if `whole`.
pub(super) fn detect(front: &[u8], whole: bool) -> Result<&'static Format, Mistake> {
    let sample = Sample::new(front, whole);
    let Some(first) = sample.first() else {
        return Err(if whole {
            Mistake("found no request, expected at least one".into())
        } else {
            unknown(front)
        });
    };
    if columnar::is_parquet(front) {
        return Err(Mistake(
            "a Parquet file is read from its end, which neither a pipe nor a compressed file \
             allows; save it as a file of its own"
                .into(),
        ));
    }
    if Compressed::of(front) != Compressed::No {
        return Err(Mistake(
            "not a format that ftlab reads: it is compressed twice; decompress it once".into(),
        ));
    }
    for format in FORMATS {
        match (format.recognise)(&sample) {
            Verdict::Yes => return Ok(format),
            Verdict::Refuse(why) => return Err(Mistake(why)),
            Verdict::No => {}
        }
    }
    Err(unknown(first))
}

fn unknown(first: &[u8]) -> Mistake {
    let known: Vec<&str> = FORMATS.iter().map(|format| format.name).collect();
    Mistake(format!(
        "not a format that ftlab reads, it begins with {}; known: {}; name one with --format",
        quoted(first),
        known.join(", ")
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str) -> Result<&'static str, String> {
        detect(text.as_bytes(), true).map(|format| format.name).map_err(|mistake| mistake.0)
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
            "version,time,op,size,lbn\n1,5633898,2a,512,42932745",
            "Timestamp,Response,IOType,LUN,Offset,Size",
            "0\t\t8\t\t4096\t\t4\t\t1.740780627\t\t1.740812815\t\t1.740851877\t\t1.741075471",
            "time_s,disk,sector512,sectors512,op,async,queue_len",
            "1 1 0 0",
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
