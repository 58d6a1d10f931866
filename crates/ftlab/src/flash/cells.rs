//! Cells of several bits: the bit of its word line that each page is, and the time that it takes.
//!
//! ```text
//! mlc   page        0  1  2  3  4  5  6 ...   P-2  P-1        page 0 and the odd ones are LSB pages
//!       word line   0  1  0  2  1  3  2 ...   W-2  W-1        (Linux mtd, `nand_pairing_dist3`)
//!       bit         L  L  M  L  M  L  M ...    M    M
//! tlc   L0 | L1 C0 | L2 C1 M0 | L3 C2 M1 | ... | C M | M      the same with one bit more
//! ```
//!
//! A bit is programmed after the lower bits of its word line, and after the neighbouring bits that it
//! would disturb. Page numbers follow that sequence, so the rule of ascending order enforces it.
//!
//! A block in SLC mode uses the LSB page of each word line and no other. Its pages are numbered
//! without gaps.

use crate::device::{Cell, DeviceConfig};
use crate::error::Error;
use crate::units::{Duration, Nanos, Pbn};
use std::ops::Range;

/// Read and program times of page types relative to each other, LSB first. They are those of
/// `SimpleSSD`: MLC reads in 40 and 65 us and programs in 500 and 1300 us. TLC reads in 58, 78 and
/// 107 us and programs in 558, 2201 and 5001 us.
const READ_SHARES: [&[u64]; 3] = [&[1], &[40, 65], &[58, 78, 107]];
const PROGRAM_SHARES: [&[u64]; 3] = [&[1], &[500, 1300], &[558, 2201, 5001]];

/// The page types of a device whose cells have several bits.
#[derive(Clone, Debug)]
pub(super) struct Cells {
    /// Bit of each page of a block, 0 for LSB.
    bit_of: Vec<u8>,
    /// Read and program time of each bit.
    times: Vec<(Nanos, Nanos)>,
    /// Pages of a block in SLC mode.
    slc_pages: u32,
    /// Blocks in SLC mode.
    slc_blocks: Range<u32>,
}

impl Cells {
    /// The page types of a device; `None` when all its pages are alike.
    ///
    /// # Errors
    /// [`Error::Config`] when the pages of a block do not fill whole word lines, or the list of times does
    /// not have one for each bit.
    pub(super) fn new(cell: Cell, device: &DeviceConfig) -> Result<Option<Self>, Error> {
        let bits = cell.bits();
        let read =
            times("device.read_by_bit", &device.read_by_bit, device.read, READ_SHARES, bits)?;
        let program = times(
            "device.program_by_bit",
            &device.program_by_bit,
            device.program,
            PROGRAM_SHARES,
            bits,
        )?;
        if cell == Cell::Slc {
            return Ok(None);
        }
        let pages = device.pages_per_block;
        if !pages.is_multiple_of(bits) {
            let message = format!(
                "found {} with device.pages_per_block = {pages}, expected a multiple of {bits}",
                cell.name()
            );
            unless_bug!(CellsUnevenBlock, return Err(Error::config("device.cell", message)));
        }
        Ok(Some(Cells {
            bit_of: sequence(pages / bits, bits).map(|(_, bit)| bit).collect(),
            times: read.into_iter().zip(program).collect(),
            slc_pages: pages / bits,
            slc_blocks: 0..0,
        }))
    }

    /// Puts blocks in SLC mode.
    pub(super) fn use_slc_mode(&mut self, blocks: Range<u32>) {
        self.slc_blocks = blocks;
    }

    /// Pages of a block.
    #[inline]
    pub(super) fn pages_of(&self, pbn: Pbn) -> u32 {
        if self.slc_blocks.contains(&pbn.0) { self.slc_pages } else { self.bit_of.len() as u32 }
    }

    /// The pages of a block that share their cells with this one, and are programmed before it.
    pub(super) fn paired_before(&self, pbn: Pbn, page: u32) -> Vec<u32> {
        if self.slc_blocks.contains(&pbn.0) {
            return Vec::new();
        }
        let bits = self.times.len() as u32;
        let lines: Vec<u32> =
            sequence(self.bit_of.len() as u32 / bits, bits).map(|(line, _)| line).collect();
        (0..page).filter(|before| lines[*before as usize] == lines[page as usize]).collect()
    }

    /// Read and program time of a page of a block.
    #[inline]
    pub(super) fn times_of(&self, pbn: Pbn, page: u32) -> (Nanos, Nanos) {
        let bit = if self.slc_blocks.contains(&pbn.0) { 0 } else { self.bit_of[page as usize] };
        self.times[bit as usize]
    }
}

/// Word line and bit of each page of a block, in the order in which the pages are programmed. One
/// step programs the LSB of word line `w + b` and bit `b` of word line `w`.
fn sequence(word_lines: u32, bits: u32) -> impl Iterator<Item = (u32, u8)> {
    let steps = 0..word_lines + bits - 1;
    steps.flat_map(move |step| {
        let lines = (0..bits).filter_map(move |bit| Some((step.checked_sub(bit)?, bit as u8)));
        lines.filter(move |(line, _)| *line < word_lines)
    })
}

/// One time for each bit: as configured, or by the shares, with the configured mean.
fn times(
    key: &'static str,
    by_bit: &Option<Vec<Duration>>,
    mean: Duration,
    shares: [&[u64]; 3],
    bits: u32,
) -> Result<Vec<Nanos>, Error> {
    match by_bit {
        Some(times) if times.len() == bits as usize => Ok(times.iter().map(|t| t.0).collect()),
        Some(times) => {
            let message =
                format!("found a list of {}, expected {bits} times, LSB first", times.len());
            Err(Error::config(key, message))
        }
        None => {
            let shares = shares[bits as usize - 1];
            let sum: u64 = shares.iter().sum();
            Ok(shares.iter().map(|share| mean.0 * u64::from(bits) * share / sum).collect())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn device(pages_per_block: u32) -> DeviceConfig {
        DeviceConfig { pages_per_block, ..DeviceConfig::default() }
    }

    /// Linux, `nand_pairing_dist3_get_info`: page 0 and odd pages are LSB, the last one is not.
    #[test]
    fn the_pages_of_mlc_are_paired_as_linux_pairs_them() {
        for word_lines in [1, 2, 32, 64] {
            let last = 2 * word_lines - 1;
            for (page, (line, bit)) in (0..).zip(sequence(word_lines, 2)) {
                let distance = if page == last { 2 } else { 3 };
                let expected = match page {
                    0 => (0, 0),
                    _ if page == last => ((page + 1 - distance) / 2, 1),
                    _ if page % 2 == 1 => (page.div_ceil(2), 0),
                    _ => ((page + 1 - distance) / 2, 1),
                };
                assert_eq!((line, bit), expected, "page {page} of {}", 2 * word_lines);
            }
        }
    }

    #[test]
    fn every_word_line_of_tlc_is_programmed_bit_by_bit_after_its_neighbour() {
        let order: Vec<(u32, u8)> = sequence(4, 3).collect();
        let expected = "L0 L1 C0 L2 C1 M0 L3 C2 M1 C3 M2 M3";
        let names: Vec<String> =
            order.iter().map(|(l, b)| format!("{}{l}", ["L", "C", "M"][*b as usize])).collect();
        assert_eq!(names.join(" "), expected);
    }

    #[test]
    fn the_mean_of_all_pages_is_the_configured_time() {
        for (cell, pages) in [(Cell::Mlc, 128), (Cell::Tlc, 192)] {
            let device = device(pages);
            let cells = Cells::new(cell, &device).expect("valid").expect("several bits");
            let sum = (0..pages).map(|page| cells.times_of(Pbn(0), page).1).sum::<u64>();
            let error = device.program.0 - sum / u64::from(pages);
            assert!(error < 3, "{error} ns by which the mean is too short");
            assert!(cells.times_of(Pbn(0), 0) < cells.times_of(Pbn(0), pages - 1));
        }
        assert!(Cells::new(Cell::Slc, &device(64)).expect("valid").is_none());
    }

    #[test]
    fn a_block_in_slc_mode_has_lsb_pages_alone() {
        let mut cells = Cells::new(Cell::Tlc, &device(12)).expect("valid").expect("several bits");
        cells.use_slc_mode(5..7);
        assert_eq!([4, 5, 6, 7].map(|pbn| cells.pages_of(Pbn(pbn))), [12, 4, 4, 12]);
        assert_eq!(cells.paired_before(Pbn(4), 8), [1, 4], "L1, C1 and M1 of the sequence above");
        assert_eq!(cells.paired_before(Pbn(5), 3), [0; 0]);
        let lsb = cells.times_of(Pbn(0), 0);
        assert!((0..4).all(|page| cells.times_of(Pbn(5), page) == lsb));
    }

    #[test]
    fn mistakes_are_told() {
        let message =
            |device: DeviceConfig| Cells::new(Cell::Tlc, &device).expect_err("wrong").to_string();
        assert!(message(device(64)).contains("device.cell: found tlc with"));
        let by_bit = Some(vec![Duration(1), Duration(2)]);
        let found = message(DeviceConfig { program_by_bit: by_bit, ..device(63) });
        assert!(
            found.starts_with("device.program_by_bit: found a list of 2, expected 3"),
            "{found}"
        );
    }
}
