//! Rules shared by the five-column formats: `time device address size operation`.
//!
//! DiskSim, FlashSim, MQSim, SSDSim and the replayer of LinnOS and Heimdall write these columns,
//! with five different units of time and size. A wrong choice yields requests that look right and
//! are wrong. A file is therefore recognised only when its content agrees:
//!
//! 1. If every address and size is a multiple of 512, they are probably bytes. The format is
//!    Heimdall if times are milliseconds with a decimal point and a request, in sectors, would
//!    exceed 16 MiB. No block layer sends a longer one. Otherwise the file is refused, as sectors
//!    aligned to 256 KiB look alike.
//! 2. If every time is a whole number, the format is MQSim (nanoseconds). SSDSim is identical and
//!    is never guessed.
//! 3. Otherwise times are milliseconds. The format is FlashSim (4 KiB pages) if tabs separate the
//!    columns, else DiskSim (sectors).
//! 4. A file is refused if consecutive requests of a device are contiguous in the other unit.

use super::doubt::{late_stamp, mean_gap, question};
use super::field::{Column, Fields, Mistake, Separator};
use super::gate::RawRequest;
use super::joined;
use super::text::{LineFormat, Sample, Verdict};
use super::time::{Time, TimeUnit};
use crate::request::Op;

/// Sectors in a FlashSim page.
const SECTORS_PER_PAGE: u64 = 8;

/// The number of contiguous requests in the wrong unit that cannot be an accident.
const TELLING_STEPS: usize = 8;

/// 16 MiB: the longest request of any block layer.
const LONGEST_SENT_SECTORS: u64 = 32_768;

/// Decimal places of a second down to a millisecond.
const MILLISECOND_PLACES: usize = 3;

/// Decimal places of a second down to a microsecond.
const MICROSECOND_PLACES: usize = 6;

/// 100,000 requests per second: far more than any trace in DiskSim's milliseconds.
const SHORTEST_GAP_NS: f64 = 10_000.0;

/// 10,000 requests per second: few traces in milliseconds have more.
const SHORT_GAP_NS: f64 = 100_000.0;

/// 1 million requests per second: few traces in nanoseconds have more, but those in milliseconds with one request per
/// second, and those in microseconds with a thousand.
const DOUBTFUL_GAP_NS: f64 = 1000.0;

pub(super) const SECTOR_BYTES: u64 = 512;
pub(super) const DEVICE: Column = Column::new("device", "a whole number up to 2^32 - 1");
pub(super) const LBA: Column = Column::new("LBA", "a whole number of 512-byte sectors");
pub(super) const SECTORS: Column = Column::new("size", "a whole number of 512-byte sectors");
pub(super) const OPERATION: Column = Column::new("operation", "1 to read or 0 to write");

/// Device, address and size after a time, in the units of the format; the operation is not set.
#[inline(always)]
pub(super) fn target(fields: &mut Fields, ticks: u64) -> Result<RawRequest, Mistake> {
    let volume = fields.integer_up_to(u32::MAX)?;
    let offset = fields.integer()?;
    let length = fields.integer()?;
    Ok(RawRequest::new(Op::Write, offset, length).at(ticks).in_volume(volume))
}

/// The operation column: 1 to read, 0 to write.
#[inline(always)]
pub(super) fn operation(fields: &mut Fields) -> Result<Op, Mistake> {
    Ok([Op::Write, Op::Read][fields.one_of(&[b"0", b"1"])?])
}

/// A line of whole nanoseconds, sectors and 0 or 1: MQSim and SSDSim.
#[inline(always)]
pub(super) fn nanoseconds_and_sectors(mut fields: Fields) -> Result<Option<RawRequest>, Mistake> {
    let ticks = fields.time()?;
    let raw = target(&mut fields, ticks)?;
    let op = operation(&mut fields)?;
    fields.finish()?;
    RawRequest { op, ..raw }.in_units(SECTOR_BYTES, SECTOR_BYTES).map(Some)
}

/// Which of the five-column formats a sample is, by the rules above.
pub(super) fn recognise(sample: &Sample, name: &str) -> Verdict {
    if !sample.mostly::<AnyFive>() {
        return Verdict::No;
    }
    let requests: Vec<RawRequest> = sample.requests::<AnyFive>().collect();
    let whole = |bytes: u64| bytes.is_multiple_of(SECTOR_BYTES);
    let in_bytes = requests.iter().all(|r| whole(r.offset) && whole(r.length));
    let too_long_in_sectors = requests.iter().any(|r| r.length > LONGEST_SENT_SECTORS);
    let found = match (sample.has(b'.'), sample.has(b'\t')) {
        (true, _) if in_bytes && too_long_in_sectors => "heimdall",
        _ if in_bytes => return Verdict::Refuse(IN_BYTES.into()),
        (false, _) => "mqsim",
        (true, true) => "flashsim",
        (true, false) => "disksim",
    };
    if found != name {
        return Verdict::No;
    }
    if found == "heimdall" {
        return Verdict::Yes;
    }
    let (unit, other) =
        if found == "flashsim" { (SECTORS_PER_PAGE, 1) } else { (1, SECTORS_PER_PAGE) };
    if steps_by(&requests, other) >= TELLING_STEPS.max(2 * steps_by(&requests, unit)) {
        let time = if found == "mqsim" { ", here with input.time_unit = ns" } else { "" };
        return Verdict::Refuse(format!(
            "looks like {name} by its separators and times, but its sequential requests step by \
             {other} sectors per unit of size, not {unit}; name disksim (sizes in sectors) or \
             flashsim (sizes in 4 KiB pages) with input.format{time}; of the C++ FlashSim addresses \
             are pages, too: input.format = flashsim with input.offset_unit = 4KiB"
        ));
    }
    Verdict::Yes
}

const IN_BYTES: &str = "five columns whose addresses and sizes are all multiples of 512: bytes, as \
     in LinnOS and Heimdall excerpts, or aligned sectors; name heimdall (bytes), disksim or mqsim \
     (sectors) with input.format";

/// Whether times in DiskSim's columns may be seconds instead of milliseconds. They may be if they
/// have fewer decimal places than milliseconds in seconds need. They also may be if requests are
/// closer together than any disk can serve them, or than most do and times have the decimal places
/// of microseconds in seconds.
pub(super) fn doubtful_milliseconds<F: LineFormat>(sample: &Sample) -> Option<String> {
    if let Some(late) = late_stamp::<F>(sample) {
        return Some(late);
    }
    let points = |text: &[u8]| text.iter().position(|b| *b == b'.').map(|at| text.len() - at - 1);
    let places = sample.column(0).filter_map(points).max();
    let requests: Vec<RawRequest> = sample.requests::<F>().collect();
    let found = if places.is_some_and(|places| places < MILLISECOND_PLACES) {
        "times have fewer than three decimal places, so they may be seconds as well as milliseconds"
    } else if mean_gap(&requests).is_some_and(|ns| ns < SHORTEST_GAP_NS) {
        "more than 100,000 requests arrive in a second if times are milliseconds, and they may be \
         seconds"
    } else if places.is_some_and(|places| places >= MICROSECOND_PLACES)
        && mean_gap(&requests).is_some_and(|ns| ns < SHORT_GAP_NS)
    {
        "more than 10,000 requests arrive in a second if times are milliseconds, and they have the \
         six decimal places of seconds"
    } else {
        return None;
    };
    Some(question(found, &[TimeUnit::Milliseconds, TimeUnit::Seconds]))
}

/// Whether times in MQSim's columns may have a larger unit: requests are closer together than in most of its traces.
pub(super) fn doubtful_nanoseconds<F: LineFormat>(sample: &Sample) -> Option<String> {
    if let Some(late) = late_stamp::<F>(sample) {
        return Some(late);
    }
    let requests: Vec<RawRequest> = sample.requests::<F>().collect();
    let close = mean_gap(&requests).is_some_and(|ns| ns < DOUBTFUL_GAP_NS);
    close.then(|| {
        let found = "more than 1,000,000 requests arrive in a second if times are nanoseconds, \
                     so they may count something else";
        let units = [
            TimeUnit::Nanoseconds,
            TimeUnit::Microseconds,
            TimeUnit::Milliseconds,
            TimeUnit::Seconds,
        ];
        question(found, &units)
    })
}

/// Whether devices are the nanoseconds of a time whose seconds are in front.
pub(super) fn nanoseconds_for_device(sample: &Sample) -> Option<&'static str> {
    let found = "the second column has zeros in front, as the nanoseconds of a time have";
    joined::are_padded(sample.column(1)).then_some(found)
}

/// How often a request begins where the previous one on its device ended, if sizes count `unit`
/// sectors each. Sizes of 1 do not count: FlashSim also cuts 512 bytes to a page.
fn steps_by(requests: &[RawRequest], unit: u64) -> usize {
    let pairs = requests.iter().zip(requests.iter().skip(1));
    let follows = |(first, next): &(&RawRequest, &RawRequest)| {
        first.volume == next.volume
            && first.length > 1
            && first.length.checked_mul(unit).and_then(|n| n.checked_add(first.offset))
                == Some(next.offset)
    };
    pairs.filter(follows).count()
}

/// Any of the five-column formats, in its own units.
#[derive(Clone, Default)]
struct AnyFive;

impl LineFormat for AnyFive {
    const NAME: &'static str = "five columns";
    const SUMMARY: &'static str = "";
    const COLUMNS: &'static [Column] =
        &[Column::new("time", "a number"), DEVICE, LBA, SECTORS, OPERATION];
    const SEPARATOR: Separator = Separator::Blanks;
    const TIME: Time = Time::decimal(TimeUnit::Milliseconds);
    const OFFSET_UNIT: u64 = 1;
    const SOURCE: &'static str = "";

    fn parse_line(&mut self, mut fields: Fields) -> Result<Option<RawRequest>, Mistake> {
        let ticks = fields.decimal::<0>()?;
        let raw = target(&mut fields, ticks)?;
        fields.hexadecimal()?;
        fields.finish()?;
        Ok(Some(raw))
    }
}
