//! Accesses to blocks of Meta's Tectonic, as CacheLib hands them out and Baleen simulates them.
//!
//! `block offset size time operation` and three to five columns more, blanks between; bytes and seconds.
//! A block has at most 8 MiB, so the space of addresses is that of all blocks in a row, as in Baleen's own
//! simulator. Operations 1, 2 and 5 get; 3, 4 and 6 put.

use super::TimeOrder;
use super::field::{Column, Fields, Mistake, Separator};
use super::gate::RawRequest;
use super::text::{LineFormat, Sample, Verdict};
use super::time::{Time, TimeUnit};
use crate::request::Op;

const BLOCK_BYTES: u64 = 8 << 20;

#[derive(Clone, Default)]
pub(super) struct Tectonic;

impl LineFormat for Tectonic {
    const NAME: &'static str = "tectonic";
    const SUMMARY: &'static str = "block accesses of Meta's Tectonic (CacheLib, Baleen)";
    const COLUMNS: &'static [Column] = &[
        Column::new("block_id", "a whole number of 8 MiB blocks"),
        Column::new("io_offset", "a whole number of bytes"),
        Column::new("io_size", "a whole number of bytes"),
        Column::new("op_time", "seconds, such as 1569934830.25"),
        Column::new("op_name", "1, 2, 5 = get, 3, 4, 6 = put"),
    ];
    const SEPARATOR: Separator = Separator::Blanks;
    const TIME: Time = Time::decimal(TimeUnit::Seconds);
    const OFFSET_UNIT: u64 = 1;
    const UNITS_MAY_BE_SAID: bool = false;
    const SOURCE: &'static str =
        "CacheLib's traces of storage, 2019, 2021 and 2023; Baleen (FAST 2024)";
    const ORDER: TimeOrder = TimeOrder::Sort;

    #[inline(always)]
    fn parse_line(&mut self, mut fields: Fields) -> Result<Option<RawRequest>, Mistake> {
        let block = fields.integer()?;
        let within = fields.integer()?;
        let length = fields.integer()?;
        let ticks = fields.time()?;
        let op = fields.understood(|text| match text {
            b"1" | b"2" | b"5" => Some(Op::Read),
            b"3" | b"4" | b"6" => Some(Op::Write),
            _ => None,
        })?;
        let raw = RawRequest::new(op, block, length).at(ticks).in_units(BLOCK_BYTES, 1)?;
        Ok(Some(RawRequest { offset: raw.offset.saturating_add(within), ..raw }))
    }

    fn recognise(sample: &Sample) -> Verdict {
        let columns = |line: &[u8]| {
            line.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty()).count()
        };
        let wide = sample.first().is_some_and(|line| (8..=10).contains(&columns(line)));
        if wide && sample.mostly::<Self>() { Verdict::Yes } else { Verdict::No }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trace::checks::{misread, parse};

    #[test]
    fn an_access_is_within_its_block() {
        let get = parse::<Tectonic>("3 4096 131072 1569934830.25 2 7 1 9");
        let expected = RawRequest::new(Op::Read, 3 * BLOCK_BYTES + 4096, 131_072);
        assert_eq!(get, expected.at(1_569_934_830_250_000_000));
        assert_eq!(parse::<Tectonic>("0 0 8 5 6 7 1 9 1 2").op, Op::Write);
    }

    #[test]
    fn a_bad_line_is_told_in_one_line() {
        for (line, found) in [
            ("x 0 8 5 1 1 1 1", r#"column 1 (block_id): found "x""#),
            ("1 0 8 5 7 1 1 1", r#"column 5 (op_name): found "7""#),
            ("1099511627776 0 8 5 1 1 1 1", "below 2^63"),
            ("99999999999999999 0 8 5 1 1 1 1", "address 99999999999999999"),
            ("1 18446744073709551615 8 5 1 1 1 1", "below 2^63"),
        ] {
            misread::<Tectonic>(line, found);
        }
    }
}
