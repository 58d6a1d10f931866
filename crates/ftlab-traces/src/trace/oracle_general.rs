//! oracleGeneral: the traces of libCacheSim, in which the largest public collection is kept.
//!
//! Little-endian records of 24 bytes without a header:
//!
//! ```text
//! time    id   size  next access
//! u32     u64  u32   i64
//! ```
//!
//! Seconds and bytes; the next access is the number of the next request of the same object, or -1. Objects have
//! no addresses and requests no operation: where ids are numbers of blocks, the user says of which size, and
//! what the requests are.

use super::field::{Column, Mistake};
use super::gate::RawRequest;
use super::record::{RecordFormat, Step, field};
use super::stream::Front;
use super::text::Verdict;
use super::{TimeOrder, TraceOptions};
use crate::request::Op;

const RECORD_BYTES: usize = 24;
const NEVER: i64 = -1;
/// Requests that a trace may have, as far as its next accesses are believed.
const MOST_REQUESTS: i64 = 1 << 40;

#[derive(Clone)]
pub(super) struct OracleGeneral {
    op: Op,
    /// Bytes of a block.
    unit: u64,
}

impl Default for OracleGeneral {
    fn default() -> Self {
        Self { op: Op::Read, unit: 512 }
    }
}

impl RecordFormat for OracleGeneral {
    const NAME: &'static str = "oraclegeneral";
    const SUMMARY: &'static str =
        "libCacheSim's binary oracleGeneral, where ids are numbers of blocks";
    const COLUMNS: &'static [Column] = &[
        Column::new("time", "seconds, u32"),
        Column::new("id", "blocks of input.unit bytes, u64"),
        Column::new("size", "bytes, u32"),
        Column::new("next access", "a request's number or -1, i64; not used"),
    ];
    const SOURCE: &'static str = "libCacheSim, and the collection cache_dataset";
    const TICK_NS: u64 = 1_000_000_000;
    const ORDER: TimeOrder = TimeOrder::Sort;
    const TAKES: &'static [&'static str] = &["op", "unit"];
    const FILE_IS_VOLUME: bool = true;

    fn with(options: &TraceOptions) -> Result<Self, Mistake> {
        match (options.op, options.unit) {
            (Some(op), Some(unit)) => Ok(Self { op, unit: unit.0 }),
            _ => Err(Mistake(
                "objects of oracleGeneral have no addresses and no operations; where their ids are numbers of \
                 blocks, say input.unit = SIZE of a block, and input.op = read or write; hashed ids address nothing"
                    .into(),
            )),
        }
    }

    #[inline(always)]
    fn step(&mut self, bytes: &[u8], raw: &mut RawRequest) -> Result<Step, Mistake> {
        let Some(record) = bytes.get(..RECORD_BYTES) else { return Ok(Step::Needs(RECORD_BYTES)) };
        let ticks = u64::from(u32::from_le_bytes(field(record, 0)));
        let id = u64::from_le_bytes(field(record, 4));
        let length = u64::from(u32::from_le_bytes(field(record, 12)));
        *raw = RawRequest::new(self.op, id, length).at(ticks).in_units(self.unit, 1)?;
        Ok(Step::Request(RECORD_BYTES))
    }

    /// All first records have a size, times in order, and next accesses behind them.
    fn recognise(front: Front) -> Verdict {
        let mut latest = 0;
        let plausible = |(number, record): (usize, &[u8])| {
            let time = u32::from_le_bytes(field(record, 0));
            let next = i64::from_le_bytes(field(record, 16));
            let in_order = time >= std::mem::replace(&mut latest, time);
            let later = next == NEVER || (next > number as i64 && next < MOST_REQUESTS);
            in_order && later && u32::from_le_bytes(field(record, 12)) > 0
        };
        let whole = front.bytes.len() >= RECORD_BYTES
            && (!front.whole || front.bytes.len().is_multiple_of(RECORD_BYTES));
        let is = whole && front.bytes.chunks_exact(RECORD_BYTES).enumerate().all(plausible);
        if is { Verdict::Yes } else { Verdict::No }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trace::checks::recorded;

    fn record(time: u32, id: u64, size: u32, next: i64) -> Vec<u8> {
        let mut record = time.to_le_bytes().to_vec();
        record.extend(id.to_le_bytes());
        record.extend(size.to_le_bytes());
        record.extend(next.to_le_bytes());
        record
    }

    fn recognised(bytes: &[u8]) -> bool {
        matches!(OracleGeneral::recognise(Front { bytes, whole: true }), Verdict::Yes)
    }

    #[test]
    fn ids_are_numbers_of_blocks() {
        let bytes = [record(5, 8, 4096, 1), record(7, 8, 4096, NEVER)].concat();
        assert!(recognised(&bytes));
        let found = recorded::<OracleGeneral>(&bytes).unwrap();
        assert_eq!((found[1].time, found[1].offset, found[1].length), (2_000_000_000, 4096, 4096));
        let hashed = recorded::<OracleGeneral>(&record(5, u64::MAX, 1, NEVER)).unwrap_err();
        assert!(hashed.to_string().contains("address 18446744073709551615"), "{hashed}");
    }

    #[test]
    fn what_nothing_says_is_asked_for_and_other_bytes_are_not_taken() {
        let Err(Mistake(message)) = OracleGeneral::with(&TraceOptions::default()) else {
            panic!("a guess")
        };
        assert!(message.contains("no addresses"), "{message}");
        for bytes in [
            record(5, 8, 0, NEVER),
            record(5, 8, 1, 0),
            [record(5, 8, 1, NEVER), record(4, 8, 1, NEVER)].concat(),
            record(5, 8, 1, NEVER)[..23].to_vec(),
            vec![],
        ] {
            assert!(!recognised(&bytes));
        }
    }
}
