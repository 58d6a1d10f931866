//! FIU IODedup: the block traces of Florida International University with content hashes.
//!
//! `time pid process LBA size operation major minor hash` with blanks between: nanoseconds, 512-byte
//! sectors, sizes in sectors, `R` or `W`. The device is the volume; the hash of the content is not
//! used.

use super::field::{Column, Fields, Mistake, Separator};
use super::gate::RawRequest;
use super::linux::{self, LAST_MAJOR, MINORS};
use super::text::LineFormat;
use super::time::{Time, TimeUnit};
use crate::request::Op;

const SECTOR_BYTES: u64 = 512;
/// Digits of an MD5 hash; some files have one for each sector of a request.
const HASH_DIGITS: usize = 32;

/// The format; it keeps nothing from line to line.
#[derive(Clone, Default)]
pub(super) struct Fiu;

impl LineFormat for Fiu {
    const NAME: &'static str = "fiu";
    const SUMMARY: &'static str = "FIU IODedup: nanoseconds, sectors, content hashes (not used)";
    const COLUMNS: &'static [Column] = &[
        Column::new("time", "a whole number of nanoseconds"),
        Column::new("pid", "a whole number"),
        Column::new("process", "a name"),
        Column::new("LBA", "a whole number of 512-byte sectors"),
        Column::new("size", "a whole number of 512-byte sectors"),
        Column::new("operation", "R or W"),
        Column::new("major", "a whole number up to 4095"),
        Column::new("minor", "a whole number below 1000"),
        Column::new("hash", "MD5 in 32 hexadecimal digits, one or more"),
    ];
    const SEPARATOR: Separator = Separator::Blanks;
    const TIME: Time = Time::whole(TimeUnit::Nanoseconds);
    const OFFSET_UNIT: u64 = SECTOR_BYTES;
    const SOURCE: &'static str = "SNIA IOTTA trace set 391, FIU IODedup (mail, homes, web-vm)";

    #[inline(always)]
    fn parse_line(&mut self, mut fields: Fields) -> Result<Option<RawRequest>, Mistake> {
        let ticks = fields.time()?;
        fields.integer()?;
        fields.text()?;
        // The name of a thread may have blanks.
        while !fields.first_byte().is_none_or(|byte| byte.is_ascii_digit()) {
            fields.text()?;
        }
        let offset = fields.integer()?;
        let length = fields.integer()?;
        let op = [Op::Read, Op::Write][fields.one_of(&[b"R", b"W"])?];
        let major = fields.integer_up_to(LAST_MAJOR)?;
        let minor = fields.integer_up_to(MINORS - 1)?;
        if !fields.ended() {
            fields.understood(hashes)?;
        }
        fields.finish()?;
        let raw =
            RawRequest::new(op, offset, length).at(ticks).in_volume(linux::volume(major, minor));
        raw.in_units(SECTOR_BYTES, SECTOR_BYTES).map(Some)
    }
}

fn hashes(text: &[u8]) -> Option<()> {
    let whole = text.len().is_multiple_of(HASH_DIGITS) && text.iter().all(u8::is_ascii_hexdigit);
    whole.then_some(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trace::checks::{misread, parse};

    const FIRST: &str =
        "89968195792462 20782 gzip 283193184 8 R 6 0 56f11b711d91a065a2b6458eca924523";

    #[test]
    fn a_published_line_reads_as_documented() {
        let offset = 283_193_184 * 512;
        let ticks = 89_968_195_792_462;
        let expected = RawRequest::new(Op::Read, offset, 4096).at(ticks).in_volume(6000);
        assert_eq!(parse::<Fiu>(FIRST), expected);
        // One hash for each of eight sectors.
        let (front, hash) = FIRST.rsplit_once(' ').unwrap();
        let eight = format!("{} {}", front.replace(" R ", " W "), hash.repeat(8));
        assert_eq!(parse::<Fiu>(&eight).op, Op::Write);
    }

    #[test]
    fn a_bad_line_is_told_in_one_line() {
        let hash = "56f11b711d91a065a2b6458eca924523";
        for (front, found) in [
            ("NaN 1 a 8 8 R 6 0", r#"column 1 (time): found "NaN""#),
            ("-1 1 a 8 8 R 6 0", r#"column 1 (time): found "-1""#),
            ("1e308 1 a 8 8 R 6 0", r#"column 1 (time): found "1e308""#),
            ("1 x a 8 8 R 6 0", r#"column 2 (pid): found "x""#),
            ("1 1 a\0 8 8 R 6 0", r#"column 3 (process): found "a\0""#),
            ("1 1 a 0x8 8 R 6 0", r#"column 4 (LBA): found "0x8""#),
            ("1 1 a 8 8.5 R 6 0", r#"column 5 (size): found "8.5""#),
            ("1 1 a 8 8 D 6 0", r#"column 6 (operation): found "D", expected R or W"#),
            ("1 1 a 8 8 R 4096 0", r#"column 7 (major): found "4096""#),
            ("1 1 a 8 8 R 6 1000", r#"column 8 (minor): found "1000""#),
            ("1 1 a 8 8 R 6 0 0", r#"column 9 (hash): found "0", expected MD5"#),
            ("1 1 a 8 2097153 R 6 0", "longer than 1 GiB"),
            ("1 1 a 18446744073709551615 8 R 6 0", "address 18446744073709551615"),
        ] {
            misread::<Fiu>(&format!("{front} {hash}"), found);
        }
        misread::<Fiu>(&format!("1 1 a 8 8 R 6 0 {hash} x"), "found 10 columns");
    }

    #[test]
    fn a_name_may_have_blanks_and_the_hash_may_be_missing() {
        let expected = parse::<Fiu>(FIRST);
        assert_eq!(parse::<Fiu>(&FIRST.replace("gzip", "pool master")), expected);
        let (front, _) = FIRST.rsplit_once(' ').unwrap();
        assert_eq!(parse::<Fiu>(front), expected);
    }
}
