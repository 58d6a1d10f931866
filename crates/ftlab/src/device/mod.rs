//! What a device is: its settings, its shape, and the devices of papers and data sheets.

pub mod geometry;
pub mod presets;

pub use geometry::{Geometry, Parity};

use crate::error::Error;
use crate::units::{Bytes, Duration, Ratio};

/// The longest time of an operation, ns: 10 s.
pub(crate) const LONGEST_TIME: u64 = 10_000_000_000;

crate::settings! {
    /// The NAND device: capacity, shape and timing.
    pub struct DeviceConfig in "device" {
        /// Logical capacity.
        capacity: Option<Bytes> = None,
            absent "the address space of the input, rounded up to whole blocks", source "ours";
        /// Page size, data only; a power of two.
        page: Bytes = Bytes(4096), in 512..=65_536, source "TPFTL Table 3";
        /// Pages per block.
        pages_per_block: u32 = 64, in 2..=32_768, unit "pages", source "TPFTL Table 3";
        /// Physical over logical blocks, minus one.
        over_provisioning: Ratio = Ratio(0.15), in 0.0..=100.0,
            source "TPFTL Table 3; choices.md#over-provisioning";
        /// Physical blocks.
        blocks: Option<u32> = None, absent "by over_provisioning", unit "blocks",
            source "choices.md#over-provisioning";
        /// Channels, each with its own bus.
        channels: u32 = 1, in 1..=1024, unit "channels", source "ours";
        /// Chips on each channel.
        chips_per_channel: u32 = 1, in 1..=1024, unit "chips", source "ours";
        /// Dies in each chip.
        dies_per_chip: u32 = 1, in 1..=1024, unit "dies", source "ours";
        /// Planes in each die.
        planes_per_die: u32 = 1, in 1..=1024, unit "planes", source "ours";
        /// Array time of a page read; with page types, the mean over them.
        read: Duration = Duration(25_000), in ..=LONGEST_TIME, source "TPFTL Table 3";
        /// Array time of an OOB read.
        oob_read: Duration = Duration(0), in ..=LONGEST_TIME,
            source "TPFTL does not model it; choices.md#oob-time";
        /// Array time of a page program; with page types, the mean over them.
        program: Duration = Duration(200_000), in ..=LONGEST_TIME, source "TPFTL Table 3";
        /// Array time of a block erase.
        erase: Duration = Duration(1_500_000), in ..=LONGEST_TIME, source "TPFTL Table 3";
        /// Bus time per byte of page data.
        transfer_per_byte: Duration = Duration(0), in ..=LONGEST_TIME,
            source "TPFTL does not model it; choices.md#transfer-time";
        /// Time to find a page of a request in the map in RAM.
        map_access: Duration = Duration(0), in ..=LONGEST_TIME,
            source "choices.md#map-access";
        /// Time to note in RAM the place of a programmed page of data, or a trim.
        map_update: Duration = Duration(0), in ..=LONGEST_TIME,
            source "choices.md#map-access";
        /// Order in which the pages of a block may be programmed; the result states it.
        program_order: Option<ProgramOrder> = None,
            absent "the strictest that the FTL can work with", source "choices.md#program-order";
        /// Bytes of each page's OOB that an FTL may fill, and the error correction.
        oob: Option<Bytes> = None,
            absent "a 32nd of the page: 64 B for 2 KiB, 128 B for 4 KiB",
            source "Samsung K9LBG08U0M; choices.md#oob-size";
        /// Bytes of each page's OOB that the error correction fills.
        ecc: Bytes = Bytes(0), source "choices.md#ecc";
        /// Time to correct the errors of a page that was read, in the controller; the plane does not wait for it.
        ecc_decode: Duration = Duration(0), in ..=LONGEST_TIME, source "choices.md#ecc";
        /// Whether the blocks of a plane follow each other in number, or planes take turns. An FTL
        /// that ignores planes takes free blocks of equal wear, and equal victims, by number.
        block_numbers: BlockNumbers = BlockNumbers::AlongPlanes, source "choices.md#block-numbers";
        /// Pages programmed between two checkpoints of the OOBs, from which recovery starts.
        checkpoint: Option<u64> = None, absent "none are made", in 1.., unit "pages",
            source "power-loss.md";
        /// What a trim promises.
        trim: Trims = Trims::Hint, source "power-loss.md";
        /// What a write of a part of a page costs.
        partial_writes: PartialWrites = PartialWrites::Program, source "choices.md#partial-pages";
        /// The host's sector, which is read or written whole; a power of two. A page has at most
        /// 128 sectors.
        sector: Bytes = Bytes(512), in 1..=65_536, source "ours";
        /// Bits of a cell.
        cell: Option<Cell> = None,
            absent "all pages alike, or mlc where the FTL has blocks in SLC mode",
            source "papers that give one program time; choices.md#cell-times";
        /// Read time of each page type, LSB first.
        read_by_bit: Option<Vec<Duration>> = None, absent "shares of read", in ..=LONGEST_TIME,
            source "SimpleSSD; choices.md#cell-times";
        /// Program time of each page type, LSB first.
        program_by_bit: Option<Vec<Duration>> = None, absent "shares of program",
            in ..=LONGEST_TIME, source "SimpleSSD; choices.md#cell-times";
        /// Bytes per second of a channel.
        bandwidth: Option<Bytes> = None, absent "by transfer_per_byte", in 1..,
            source "choices.md#transfer-time";
        /// Time of the command and address cycles of an operation.
        command: Duration = Duration(0), in ..=LONGEST_TIME, source "DLOOP III.A: negligible";
        /// Whether transfers take the bus in the order of placement, or go into gaps.
        bus: BusOrder = BusOrder::Placement, source "choices.md#bus-order";
        /// Whether the dies of a chip work at the same time.
        interleave: bool = true, source "ours";
        /// Chips of a package, which are busy together: while one of them is, the others wait.
        package_chips: u32 = 1, in 1..=1024, unit "chips", source "DLOOP II.B; choices.md#packages";
        /// Whether the planes of a die take one command together, at the same page of their blocks,
        /// and none apart.
        multi_plane: bool = false, source "DLOOP: planes are independent";
        /// With that, what takes a command together.
        multi_plane_joins: MultiPlaneJoins = MultiPlaneJoins::Request,
            source "DLOOP II.B; choices.md#multi-plane-joins";
        /// Whether a page leaves a plane while its array reads the next.
        cache_read: bool = false, source "choices.md#page-register";
        /// Whether a page arrives at a plane while its array programs the one before.
        cache_program: bool = false, source "choices.md#page-register";
        /// Time to stop a program or erase for a read and to take it up again.
        suspend: Option<Duration> = None, absent "not possible", in ..=LONGEST_TIME,
            source "choices.md#overtaken-programs";
        /// Erases after which a block is worn out.
        endurance: Option<u32> = None, absent "blocks last for ever", in 1..=DeviceConfig::MOST_ENDURANCE,
            unit "erases", source "choices.md#wear-out";
        /// With that, its standard deviation over blocks, of the mean.
        endurance_spread: Ratio = Ratio(0.0), in 0.0..=0.3, source "choices.md#wear-out";
        /// With that, the blocks kept in each plane to replace bad ones, as a share of the FTL's
        /// blocks.
        spare_blocks: Ratio = Ratio(0.02), in 0.0..=10.0, source "choices.md#wear-out";
        /// With that, the blocks of a plane that are bad from the factory, as a share of the FTL's
        /// blocks.
        bad_blocks: Ratio = Ratio(0.0), in 0.0..=10.0, source "choices.md#wear-out";
    }
    check |own| {
        if !own.chips_per_channel.is_multiple_of(own.package_chips) {
            let chips = own.chips_per_channel;
            let message = format!(
                "found {}, expected a divisor of device.chips_per_channel = {chips}",
                own.package_chips
            );
            return Err(Error::config("device.package_chips", message));
        }
        if own.multi_plane_joins != MultiPlaneJoins::Request && !own.multi_plane {
            let message = "found waiting, expected device.multi_plane = true: else there is no such command";
            return Err(Error::config("device.multi_plane_joins", message));
        }
        if !own.page.0.is_power_of_two() {
            let message = format!("found {}, expected a power of two, 512B to 64KiB", own.page);
            unless_bug!(DevicePageAny, return Err(Error::config("device.page", message)));
        }
        let (oob, page, sector) = (own.whole_oob(), own.page, own.sector);
        let fits = sector.0.is_power_of_two() && (page.0 / 128..=page.0).contains(&sector.0);
        if !fits {
            let least = Bytes((page.0 / 128).max(1));
            let message = format!("found {sector}, expected a power of two, {least} to {page}");
            unless_bug!(DeviceSectorAny, return Err(Error::config("device.sector", message)));
        }
        if oob > page.0 {
            let message = format!("found {oob} B, expected at most the {page} of a page");
            unless_bug!(DeviceOobTooLarge, return Err(Error::config("device.oob", message)));
        }
        if own.ecc.0 > oob {
            let message = format!("found {}, expected at most the {oob} B of device.oob", own.ecc);
            unless_bug!(DeviceEccTooLarge, return Err(Error::config("device.ecc", message)));
        }
        own.check_bad_blocks()?;
        let (key, transfer) = own.page_transfer();
        if transfer > LONGEST_TIME {
            let message = format!(
                "found a page of {page} on the bus for {} s, expected at most {} s",
                transfer as f64 / 1e9,
                LONGEST_TIME / 1_000_000_000
            );
            return Err(Error::config(key, message));
        }
        Ok(())
    }
}

impl DeviceConfig {
    /// Erases that no block outlasts.
    pub(crate) const MOST_ENDURANCE: u32 = 100_000_000;

    /// Bus time of a whole page, ns, and the key that sets it.
    #[must_use]
    pub fn page_transfer(&self) -> (&'static str, u64) {
        match self.bandwidth {
            None => ("device.transfer_per_byte", self.transfer_per_byte.0 * self.page.0),
            Some(rate) => ("device.bandwidth", (self.page.0 * 1_000_000_000).div_ceil(rate.0)),
        }
    }

    /// Whether the device has other commands than the plain ones.
    #[must_use]
    pub fn has_commands(&self) -> bool {
        self.command.0 > 0
            || self.bus != BusOrder::Placement
            || !self.interleave
            || self.package_chips > 1
            || self.multi_plane
            || self.cache_read
            || self.cache_program
            || self.suspend.is_some()
    }

    /// Bytes of each page's OOB that an FTL may fill.
    #[must_use]
    pub fn oob_bytes(&self) -> u64 {
        self.whole_oob() - self.ecc.0
    }

    fn whole_oob(&self) -> u64 {
        self.oob.map_or(self.page.0 / 32, |bytes| bytes.0)
    }
}

crate::choices! {
    /// Bits of a cell.
    pub enum Cell {
        /// One bit: all pages alike.
        Slc = "slc",
        /// Two bits: LSB and MSB pages.
        Mlc = "mlc",
        /// Three bits: LSB, CSB and MSB pages.
        Tlc = "tlc",
    }
}

impl Cell {
    /// How many bits.
    #[must_use]
    pub const fn bits(self) -> u32 {
        self as u32 + 1
    }
}

crate::choices! {
    /// The plane of a numbered block.
    pub enum BlockNumbers {
        /// All blocks of a plane, then those of the next.
        AlongPlanes = "along-planes",
        /// One block of each plane in turn.
        AcrossPlanes = "across-planes",
    }
}

crate::choices! {
    /// What a trim promises.
    pub enum Trims {
        /// The page holds no data, but after a power cut old data may return.
        Hint = "hint",
        /// The page holds no data, even after a power cut: the trim is written to flash.
        Durable = "durable",
    }
}

crate::choices! {
    /// What a write of a part of a page costs.
    pub enum PartialWrites {
        /// A program.
        Program = "program",
        /// A read of the page, if it holds data, and a program.
        ReadModifyWrite = "read-modify-write",
    }
}

crate::choices! {
    /// Which operations on several planes of a die take one command.
    pub enum MultiPlaneJoins {
        /// Consecutive pages of a request.
        Request = "request",
        /// All operations that wait for the die at the same page of their blocks, of any request
        /// and of GC, and erases.
        Waiting = "waiting",
    }
}

crate::choices! {
    /// The order in which transfers get a bus.
    pub enum BusOrder {
        /// Transfers in the order in which their operations were placed.
        Placement = "placement",
        /// Any transfer, as soon as the bus is free for long enough.
        Gaps = "gaps",
    }
}

crate::choices! {
    /// Order in which the pages of a block may be programmed.
    pub enum ProgramOrder {
        /// Page after page, as MLC and modern SLC demand.
        Ascending = "ascending",
        /// Any erased page, as block-mapped FTLs of early SLC need.
        Any = "any",
    }
}
