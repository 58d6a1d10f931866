//! SPC: the ASCII format of the Storage Performance Council, in which UMass publishes its traces.
//!
//! `ASU,LBA,size,opcode,time`: application storage unit, address in 512-byte sectors, size in
//! bytes, `r` or `w`, seconds. The unit becomes the volume.

use super::doubt::doubtful_seconds;
use super::field::{Column, Fields, Mistake, Separator};
use super::gate::RawRequest;
use super::text::{LineFormat, Sample};
use super::time::{Time, TimeUnit};
use crate::request::Op;

const SECTOR_BYTES: u64 = 512;

/// The format; it keeps nothing from line to line.
#[derive(Clone, Default)]
pub(super) struct Spc;

impl LineFormat for Spc {
    const NAME: &'static str = "spc";
    const SUMMARY: &'static str =
        "Storage Performance Council ASCII, as the UMass repository has it";
    const COLUMNS: &'static [Column] = &[
        Column::new("ASU", "a whole number up to 2^32 - 1"),
        Column::new("LBA", "a whole number of 512-byte sectors"),
        Column::new("size", "a whole number of bytes"),
        Column::new("opcode", "r or w"),
        Column::new("time", "seconds, such as 12.345678"),
    ];
    const SEPARATOR: Separator = Separator::Comma;
    const TIME: Time = Time::decimal(TimeUnit::Seconds);
    const OFFSET_UNIT: u64 = SECTOR_BYTES;
    const DOUBT: Option<fn(&Sample) -> Option<String>> = Some(doubtful_seconds::<Self>);
    const SOURCE: &'static str =
        "UMass Trace Repository, storage traces: Financial1-2, WebSearch1-3";

    #[inline(always)]
    fn parse_line(&mut self, mut fields: Fields) -> Result<Option<RawRequest>, Mistake> {
        let volume = fields.integer_up_to(u32::MAX)?;
        let offset = fields.integer()?;
        let length = fields.integer()?;
        let op = [Op::Read, Op::Write][fields.one_of(&[b"r", b"w"])?];
        let ticks = fields.time()?;
        // Fields of a site's own may follow, which the specification calls optional.
        RawRequest::new(op, offset, length)
            .at(ticks)
            .in_volume(volume)
            .in_units(SECTOR_BYTES, 1)
            .map(Some)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trace::checks::{misread, parse, sample};

    #[test]
    fn the_first_and_the_last_line_of_financial1_read_as_published() {
        let first = parse::<Spc>("0,303567,3584,w,0.000000");
        let offset = 303_567 * 512;
        assert_eq!(first, RawRequest::new(Op::Write, offset, 3584));
        let last = parse::<Spc>("8,146550,512,w,259.601196");
        assert_eq!((last.ticks, last.volume), (259_601_196_000, 8));
        assert_eq!(parse::<Spc>("0,1,512,R,0").op, Op::Read);
    }

    #[test]
    fn milliseconds_with_three_places_are_asked_for() {
        let doubt = |text: &str| Spc::DOUBT.and_then(|doubt| doubt(&sample(text)));
        let rows = |step: f64, places: usize| -> String {
            (0..8).map(|i| format!("0,77,512,r,{:.places$}\n", f64::from(i) * step)).collect()
        };
        let found = doubt(&rows(8.213, 3)).unwrap();
        assert!(found.contains("three decimal places") && found.contains("= ms"), "{found}");
        for (step, places) in [(8.213, 6), (8.213, 9), (0.913, 3), (8.213, 2)] {
            assert_eq!(doubt(&rows(step, places)), None, "{step} {places}");
        }
        assert!(doubt(&rows(700.0, 6)).is_some());
    }

    #[test]
    fn a_bad_line_is_told_in_one_line() {
        for (line, found) in [
            (
                "-1,1,512,r,0.0",
                r#"column 1 (ASU): found "-1", expected a whole number up to 2^32 - 1"#,
            ),
            ("4294967296,1,512,r,0.0", r#"column 1 (ASU): found "4294967296""#),
            ("0,0x10,512,r,0.0", r#"column 2 (LBA): found "0x10""#),
            ("0,1,+5,r,0.0", r#"column 3 (size): found "+5""#),
            ("0,1,,r,0.0", r#"column 3 (size): found """#),
            ("0,1,512,x,0.0", r#"column 4 (opcode): found "x", expected r or w"#),
            ("0,1,512,r,NaN", r#"column 5 (time): found "NaN""#),
            (
                "0,1,512,r,-2.5",
                r#"subtract the first, awk -F, -v OFS=, '$5 ~ /^-?[0-9.]/ {if (t == "") t = $5; $5 = sprintf("%.9f""#,
            ),
            ("0,1,512,r,1e308", r#"column 5 (time): found "1e308""#),
            ("0,1,512,r,\0", r#"column 5 (time): found "\0""#),
            (
                "0,1,512,r",
                r#"found 4 columns in "0,1,512,r", expected 5 (ASU, LBA, size, opcode, time)"#,
            ),
            ("0,1,1073741825,r,0.0", "longer than 1 GiB"),
            ("0,36028797018963968,512,r,0.0", "address 36028797018963968"),
            ("0,18014398509481983,512,r,0.0", "below 2^63"),
        ] {
            misread::<Spc>(line, found);
        }
    }
}
