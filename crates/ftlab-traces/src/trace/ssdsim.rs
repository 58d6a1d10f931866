//! SSDSim's ASCII traces, which have the columns and units of MQSim.
//!
//! SSDSim reads `time device lsn size operation` as nanoseconds, 512-byte sectors and 1 for read.
//! MQSim defines every column in the same way, so the two are not distinguished. Detection reports
//! `mqsim`, and `--format ssdsim` reads the same requests. SSDSim wraps addresses at the end of its
//! device; in ftlab, the address policy `modulo` does so.

use super::field::{Column, Fields, Mistake, Separator};
use super::five::{self, SECTOR_BYTES};
use super::gate::RawRequest;
use super::mqsim;
use super::text::{LineFormat, Sample, Verdict};
use super::time::{Time, TimeUnit};

/// The format; it keeps no state between lines.
#[derive(Clone, Default)]
pub(super) struct SsdSim;

impl LineFormat for SsdSim {
    const NAME: &'static str = "ssdsim";
    const SUMMARY: &'static str = "SSDSim ASCII: the same as mqsim, and never guessed";
    const COLUMNS: &'static [Column] = mqsim::COLUMNS;
    const SEPARATOR: Separator = Separator::Blanks;
    const TIME: Time = Time::whole(TimeUnit::Nanoseconds);
    const OFFSET_UNIT: u64 = SECTOR_BYTES;
    const SOURCE: &'static str = "SSDSim of HUST and its many descendants (example.ascii)";

    const DOUBT: Option<fn(&Sample) -> Option<String>> = Some(five::doubtful_nanoseconds::<Self>);

    #[inline(always)]
    fn parse_line(&mut self, fields: Fields) -> Result<Option<RawRequest>, Mistake> {
        five::nanoseconds_and_sectors(fields)
    }

    fn recognise(_: &Sample) -> Verdict {
        Verdict::No
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trace::checks::{misread, parse};
    use crate::trace::mqsim::MqSim;

    #[test]
    fn it_reads_what_mqsim_reads() {
        let line = "938513000 4 264719034 16 0";
        assert_eq!(parse::<SsdSim>(line), parse::<MqSim>(line));
    }

    #[test]
    fn a_bad_line_is_told_in_one_line() {
        misread::<SsdSim>("0 0 8 8 2", r#"column 5 (operation): found "2""#);
        misread::<SsdSim>("0 0 8 8 -1", r#"column 5 (operation): found "-1""#);
    }
}
