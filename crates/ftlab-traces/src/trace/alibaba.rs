//! Alibaba's block traces of 2020: `device_id,opcode,offset,length,timestamp`, without a header.
//!
//! The virtual disk, `R` or `W`, bytes, bytes, microseconds since 1970. The disk is the volume.

use super::doubt::other_stamps;
use super::field::{Column, Fields, Mistake, Separator};
use super::gate::RawRequest;
use super::text::{LineFormat, Sample};
use super::time::{Time, TimeUnit};
use crate::request::Op;

/// The format; it keeps nothing from line to line.
#[derive(Clone, Default)]
pub(super) struct Alibaba;

impl LineFormat for Alibaba {
    const NAME: &'static str = "alibaba";
    const SUMMARY: &'static str = "Alibaba block traces (2020): bytes, microseconds";
    const COLUMNS: &'static [Column] = &[
        Column::new("device_id", "a whole number up to 2^32 - 1"),
        Column::new("opcode", "R or W"),
        Column::new("offset", "a whole number of bytes"),
        Column::new("length", "a whole number of bytes"),
        Column::new("timestamp", "a whole number of microseconds"),
    ];
    const SEPARATOR: Separator = Separator::Comma;
    const TIME: Time = Time::whole(TimeUnit::Microseconds);
    const OFFSET_UNIT: u64 = 1;
    const DOUBT: Option<fn(&Sample) -> Option<String>> = Some(other_stamps::<Self>);
    const SOURCE: &'static str = "github.com/alibaba/block-traces (1000 virtual disks, one month)";

    #[inline(always)]
    fn parse_line(&mut self, mut fields: Fields) -> Result<Option<RawRequest>, Mistake> {
        let volume = fields.integer_up_to(u32::MAX)?;
        let op = [Op::Read, Op::Write][fields.one_of(&[b"R", b"W"])?];
        let offset = fields.integer()?;
        let length = fields.integer()?;
        let ticks = fields.time()?;
        fields.finish()?;
        Ok(Some(RawRequest::new(op, offset, length).at(ticks).in_volume(volume)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trace::checks::{misread, parse, requests, sample};

    #[test]
    fn the_example_of_its_documentation_reads_as_described() {
        let first = parse::<Alibaba>("0,R,126703644672,4096,1577808000000626");
        let (ticks, offset) = (1_577_808_000_000_626, 126_703_644_672);
        let expected = RawRequest::new(Op::Read, offset, 4096).at(ticks);
        assert_eq!(first, expected);
        let both = requests::<Alibaba>("7,W,0,512,1577808000000626\n7,R,0,512,1577808000000629");
        assert_eq!(both.unwrap()[1].time, 3000);
    }

    #[test]
    fn stamps_of_another_size_are_asked_for() {
        let asked = |stamp: &str| {
            let text = format!("0,R,4096,512,{stamp}\n");
            other_stamps::<Alibaba>(&sample(&text))
        };
        for (stamp, unit) in
            [("1577808000", "s"), ("1577808000000", "ms"), ("1577808000000626000", "ns")]
        {
            let message = asked(stamp).unwrap_or_default();
            assert!(message.contains(&format!("input.time_unit = {unit} or")), "{message}");
        }
        assert_eq!((asked("1577808000000626"), asked("0")), (None, None));
    }

    #[test]
    fn a_bad_line_is_told_in_one_line() {
        for (line, found) in [
            ("4294967296,R,0,512,1", r#"column 1 (device_id): found "4294967296""#),
            ("0,T,0,512,1", r#"column 2 (opcode): found "T", expected R or W"#),
            ("0,R,-4096,512,1", r#"column 3 (offset): found "-4096""#),
            (
                "0,R,18446744073709551616,512,1",
                r#"column 3 (offset): found "18446744073709551616""#,
            ),
            ("0,R,0,+5,1", r#"column 4 (length): found "+5""#),
            (
                "0,R,0,512,NaN",
                r#"column 5 (timestamp): found "NaN", expected a whole number of mic"#,
            ),
            ("0,R,0,512,1e308", r#"column 5 (timestamp): found "1e308""#),
            ("0,R,0,512,1.5", r#"column 5 (timestamp): found "1.5""#),
            ("0,R,0,512,\0", r#"column 5 (timestamp): found "\0""#),
            ("0,R,18446744073709551615,512,1", "below 2^63"),
            ("0,R,0,1073741825,1", "longer than 1 GiB"),
            ("0,R,0,512", "found 4 columns"),
            ("0,R,0,512,1,2", "found 6 columns"),
        ] {
            misread::<Alibaba>(line, found);
        }
    }
}
