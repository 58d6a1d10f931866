//! The configuration of a run: one tree, typed once, every default with its source.
//!
//! A tree comes from a preset (the device of a paper), overridden by the user's file, flags or
//! `--set section.key=value`. Unknown keys are errors. The resolved tree is part of every result.

use crate::buffer::BufferConfig;
use crate::error::Error;
use crate::flash::presets;
use crate::ftl;
use crate::request::Op;
use crate::trace::{Columns, TimeOrder, TraceOptions};
use crate::units::{Bytes, Duration, Ratio};
use crate::warmup::{Tolerance, WINDOWS};
use crate::workload::WorkloadConfig;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::ops::Range;

/// Declares [`Config`]: a line for each section, with its name in a tree.
macro_rules! sections {
    ($($(#[doc = $doc:literal])+ $name:literal $field:ident: $type:ty,)+) => {
        /// Everything that determines a run, apart from the list of FTLs to compare.
        #[derive(Clone, Debug, Default, PartialEq, Serialize)]
        pub struct Config {
            /// The preset that the tree started from.
            pub preset: Option<String>,
            $($(#[doc = $doc])+ #[serde(rename = $name)] pub $field: $type,)+
        }

        impl Config {
            /// Types a whole tree.
            fn of(preset: Option<String>, mut tree: Map<String, Value>) -> Result<Config, Error> {
                let config = Config { preset, $($field: section(&mut tree, $name)?,)+ };
                match tree.keys().next() {
                    Some(name) => Err(Error::unknown("section", name, ["preset", $($name),+])),
                    None => Ok(config),
                }
            }
        }
    };
}

sections! {
    /// The NAND device.
    "device" device: DeviceConfig,
    /// Garbage collection, shared by all page-level FTLs.
    "gc" gc: GcConfig,
    /// The write buffer above the FTL.
    "buffer" buffer: BufferConfig,
    /// What all demand-paged FTLs share.
    "ftl" ftl: ftl::FtlConfig,
    /// DFTL's own parameters.
    "dftl" dftl: ftl::DftlConfig,
    /// CDFTL's own parameters.
    "cdftl" cdftl: ftl::CdftlConfig,
    /// S-FTL's own parameters.
    "sftl" sftl: ftl::SftlConfig,
    /// TPFTL's own parameters.
    "tpftl" tpftl: ftl::TpftlConfig,
    /// ZFTL's own parameters.
    "zftl" zftl: ftl::ZftlConfig,
    /// APS's own parameters.
    "aps" aps: ftl::ApsConfig,
    /// What log-block FTLs share.
    "log" log: ftl::LogConfig,
    /// The optimised block-level FTL's own parameters.
    "block-optimized" block_optimized: ftl::BlockOptimizedConfig,
    /// FAST's own parameters.
    "fast" fast: ftl::FastConfig,
    /// LAST's own parameters.
    "last" last: ftl::LastConfig,
    /// KAST's own parameters.
    "kast" kast: ftl::KastConfig,
    /// MNFTL's own parameters.
    "mnftl" mnftl: ftl::MnftlConfig,
    /// Those of MNFTL on a hybrid device.
    "mnftl-hybrid" mnftl_hybrid: ftl::MnftlHybridConfig,
    /// GFTL's own parameters.
    "gftl" gftl: ftl::GftlConfig,
    /// The superblock FTL's own parameters.
    "superblock" superblock: ftl::SuperblockConfig,
    /// AFTL's own parameters.
    "aftl" aftl: ftl::AftlConfig,
    /// WAFTL's own parameters.
    "waftl" waftl: ftl::WaftlConfig,
    /// CFTL's own parameters.
    "cftl" cftl: ftl::CftlConfig,
    /// CACH-FTL's own parameters.
    "cachftl" cachftl: ftl::CachftlConfig,
    /// How requests reach the device.
    "host" host: HostConfig,
    /// The trace or profile that is run.
    "input" input: InputConfig,
    /// The generated workload that is run when there is no trace.
    "workload" workload: WorkloadConfig,
    /// How a run is prepared and measured.
    "run" run: RunConfig,
}

/// The trace or profile that is run.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct InputConfig {
    /// A file, `-` for standard input, or the name of a profile; absent: `workload` is run.
    pub trace: Option<String>,
    /// Format of the trace; absent: found from its content.
    pub format: Option<String>,
    /// What to do with times that go back; absent: what the format says, which is an error for most.
    pub order: Option<TimeOrder>,
    /// Only this volume.
    pub volume: Option<u32>,
    /// Only from this time since the first request, such as `1h`; absent: from the first.
    pub from: Option<Duration>,
    /// Only before this time since the first request, such as `2h30m`; absent: to the last.
    pub until: Option<Duration>,
    /// Leave out the first so many of the requests that pass the filters. Default 0.
    pub skip: u64,
    /// Only the first so many requests, after those that are left out.
    pub requests: Option<u64>,
    /// What the requests are, for formats that do not say; absent: an error for those.
    pub op: Option<Op>,
    /// Bytes of a page, for formats that do not say; absent: 512 (ARC paper, section IV).
    pub unit: Option<Bytes>,
    /// The columns of a CSV file, as `time=ts:us,offset=lba:sectors,length=bytes,op=rw`.
    pub columns: Option<Columns>,
}

impl InputConfig {
    /// How the trace is read, with the requests that [`trace::skip`](crate::trace::skip) takes off.
    #[must_use]
    pub fn options(&self) -> TraceOptions {
        TraceOptions {
            format: self.format.clone(),
            order: self.order,
            volume: self.volume,
            from: self.from,
            until: self.until,
            requests: self.requests.map(|requests| match requests {
                0 => 0,
                requests => requests.saturating_add(self.skip),
            }),
            op: self.op,
            unit: self.unit,
            columns: self.columns.clone(),
        }
    }
}

/// The NAND device: capacity, shape and timing.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct DeviceConfig {
    /// Logical capacity; absent: the address space of the input, rounded up to whole blocks.
    pub capacity: Option<Bytes>,
    /// Page size, data only. Default 4 KiB (TPFTL Table 3).
    pub page: Bytes,
    /// Pages per block. Default 64, so a block has 256 KiB (TPFTL Table 3).
    pub pages_per_block: u32,
    /// Physical over logical blocks, minus one. Default 15 % (TPFTL Table 3).
    pub over_provisioning: Ratio,
    /// Physical blocks; overrides `over_provisioning`.
    pub blocks: Option<u32>,
    /// Channels, each with a bus of its own. Default 1.
    pub channels: u32,
    /// Chips on each channel. Default 1.
    pub chips_per_channel: u32,
    /// Dies in each chip. Default 1.
    pub dies_per_chip: u32,
    /// Planes in each die. Default 1.
    pub planes_per_die: u32,
    /// Array time of a page read. Default 25 us (TPFTL Table 3).
    pub read: Duration,
    /// Array time of an OOB read. Default 0: not modelled by TPFTL.
    pub oob_read: Duration,
    /// Array time of a page program. Default 200 us (TPFTL Table 3).
    pub program: Duration,
    /// Array time of a block erase. Default 1.5 ms (TPFTL Table 3).
    pub erase: Duration,
    /// Bus time per byte of page data. Default 0: not modelled by TPFTL.
    pub transfer_per_byte: Duration,
    /// Order in which the pages of a block may be programmed; absent: the strictest that the FTL can
    /// work with, which the result tells.
    pub program_order: Option<ProgramOrder>,
    /// Bytes of each page's OOB that an FTL may fill; absent: a 32nd of the page, the spare area of
    /// large-page NAND (64 B beside 2 KiB, 128 B beside 4 KiB: Samsung K9LBG08U0M).
    pub oob: Option<Bytes>,
    /// Bits of a cell; absent: all pages alike, as in papers that give one program time, or mlc where the
    /// FTL has blocks in SLC mode. With mlc and tlc, `read` and `program` are means over the page types.
    pub cell: Option<Cell>,
    /// Read time of each page type, LSB first; absent: shares of `read` (`SimpleSSD`).
    pub read_by_bit: Option<Vec<Duration>>,
    /// Program time of each page type, LSB first; absent: shares of `program` (`SimpleSSD`).
    pub program_by_bit: Option<Vec<Duration>>,
    /// Bytes per second of a channel; absent: by `transfer_per_byte`.
    pub bandwidth: Option<Bytes>,
    /// Time of the command and address cycles of an operation. Default 0: negligible (DLOOP III.A).
    pub command: Duration,
    /// Whether transfers take the bus in the order of placement, or go into gaps. Default placement.
    pub bus: BusOrder,
    /// Whether the dies of a chip work at the same time. Default true.
    pub interleave: bool,
    /// Whether the planes of a die take one command together, at the same page of their blocks, and none
    /// apart. Default false: planes are independent (DLOOP).
    pub multi_plane: bool,
    /// Whether a page leaves a plane while its array reads the next. Default false.
    pub cache_read: bool,
    /// Whether a page arrives at a plane while its array programs the one before. Default false.
    pub cache_program: bool,
    /// Time to stop a program or erase for a read and to take it up again; absent: not possible.
    pub suspend: Option<Duration>,
}

impl DeviceConfig {
    /// Whether the device has other commands than the plain ones.
    #[must_use]
    pub fn has_commands(&self) -> bool {
        self.command.0 > 0
            || self.bus != BusOrder::Placement
            || !self.interleave
            || self.multi_plane
            || self.cache_read
            || self.cache_program
            || self.suspend.is_some()
    }
}

impl Default for DeviceConfig {
    fn default() -> Self {
        DeviceConfig {
            capacity: None,
            page: Bytes(4096),
            pages_per_block: 64,
            over_provisioning: Ratio(0.15),
            blocks: None,
            channels: 1,
            chips_per_channel: 1,
            dies_per_chip: 1,
            planes_per_die: 1,
            read: Duration(25_000),
            oob_read: Duration(0),
            program: Duration(200_000),
            erase: Duration(1_500_000),
            transfer_per_byte: Duration(0),
            program_order: None,
            oob: None,
            cell: None,
            read_by_bit: None,
            program_by_bit: None,
            bandwidth: None,
            command: Duration(0),
            bus: BusOrder::Placement,
            interleave: true,
            multi_plane: false,
            cache_read: false,
            cache_program: false,
            suspend: None,
        }
    }
}

impl DeviceConfig {
    /// Bytes of each page's OOB that an FTL may fill.
    #[must_use]
    pub fn oob_bytes(&self) -> u64 {
        self.oob.map_or(self.page.0 / 32, |bytes| bytes.0)
    }

    /// Rejects times that no device has.
    fn check_times(&self) -> Result<(), Error> {
        let by_bit = |times: &Option<Vec<Duration>>| {
            let longest = times.iter().flatten().map(|time| time.0).max();
            Duration(longest.unwrap_or_default())
        };
        for (key, time) in [
            ("device.read", self.read),
            ("device.oob_read", self.oob_read),
            ("device.program", self.program),
            ("device.erase", self.erase),
            ("device.transfer_per_byte", self.transfer_per_byte),
            ("device.command", self.command),
            ("device.suspend", self.suspend.unwrap_or(Duration(0))),
            ("device.read_by_bit", by_bit(&self.read_by_bit)),
            ("device.program_by_bit", by_bit(&self.program_by_bit)),
        ] {
            let longest = 10_000_000_000;
            expect(time.0 <= longest, || {
                (key, format!("found {} ns, expected at most 10s", time.0))
            })?;
        }
        Ok(())
    }
}

/// Bits of a cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Cell {
    /// One bit: all pages alike.
    Slc,
    /// Two bits: LSB and MSB pages.
    Mlc,
    /// Three bits: LSB, CSB and MSB pages.
    Tlc,
}

impl Cell {
    /// How many bits.
    #[must_use]
    pub const fn bits(self) -> u32 {
        self as u32 + 1
    }

    /// The name in configurations.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Cell::Slc => "slc",
            Cell::Mlc => "mlc",
            Cell::Tlc => "tlc",
        }
    }
}

/// Who gets a bus.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum BusOrder {
    /// Transfers in the order in which their operations were placed.
    #[default]
    Placement,
    /// Whoever has something to transfer while the bus is free for long enough.
    Gaps,
}

/// Order in which the pages of a block may be programmed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ProgramOrder {
    /// Page after page, as MLC and modern SLC demand.
    #[default]
    Ascending,
    /// Any erased page, as block-mapped FTLs of early SLC need.
    Any,
}

/// Garbage collection of a page-mapped region (ALGORITHMS 0.6).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct GcConfig {
    /// Which closed block is collected. Default greedy. At the last free block, and after a run of as
    /// many victims as there are blocks, the most wasteful block is taken instead (`forced_victims`).
    pub policy: Policy,
    /// Blocks drawn by `d-choices`. Default 10.
    pub choices: u32,
    /// GC starts when a frontier needs a block and at most this many are free. Default 3 (FlashSim).
    pub low: u32,
    /// A batch ends when this many blocks are free. Default 4 (FlashSim's page FTL).
    pub high: u32,
    /// Whether GC copies go to the host's open block. Default shared (FlashSim).
    pub copies: Copies,
    /// Whether GC runs up to `high` or frees one block at a time. Default batch (FlashSim).
    pub mode: GcMode,
    /// Whether GC copies inside a plane skip the controller, and how they keep the parity of a page's
    /// number. Default off: through the controller (`FlashSim`).
    pub copy_back: CopyBack,
    /// Count and charge an OOB read for each page of a victim. Default false: validity and owner
    /// are known from RAM and from the copied page itself.
    pub oob_scan: bool,
}

impl Default for GcConfig {
    fn default() -> Self {
        GcConfig {
            policy: Policy::Greedy,
            choices: 10,
            low: 3,
            high: 4,
            copies: Copies::Shared,
            mode: GcMode::Batch,
            copy_back: CopyBack::Off,
            oob_scan: false,
        }
    }
}

/// Victim selection policies.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Policy {
    /// Fewest valid pages; ties go to the lowest block number.
    Greedy,
    /// Largest age x (1 - u) / 2u, with age counted in page programs since the last invalidation.
    CostBenefit,
    /// The block closed longest ago.
    Fifo,
    /// Any closed block.
    Random,
    /// The fewest valid pages among `gc.choices` random blocks.
    DChoices,
}

/// Where GC copies go.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Copies {
    /// Into the block that the host writes.
    Shared,
    /// Into an open block of their own.
    Own,
}

/// How GC copies pages inside a plane.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum CopyBack {
    /// Through the controller.
    Off,
    /// By copy-back; of the pages left, one that fits the parity of the next free page goes first.
    Greedy,
    /// By copy-back, in the order of the pages.
    InOrder,
}

/// How much GC does once it has started.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum GcMode {
    /// Collect until `gc.high` blocks are free.
    Batch,
    /// Collect only while no block may be opened: one block at a time when copies are shared.
    Single,
}

/// How requests reach the device.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct HostConfig {
    /// `open` (by the input's times), `closed:QD` (QD requests outstanding), or `queued:QD` (by the
    /// input's times, and at most QD of them in the device). Default open.
    pub mode: HostMode,
    /// With `queued:QD`: one queue, or one for each volume, which take turns. Default one.
    pub queues: Queues,
    /// With `queued:QD`: whether reads that wait go before writes. Default false.
    pub reads_first: bool,
    /// Factor on the input's times: 0.5 doubles the load. Default 1.
    pub time_scale: f64,
    /// How a request becomes page accesses. Default pages.
    pub split: Split,
}

impl Default for HostConfig {
    fn default() -> Self {
        HostConfig {
            mode: HostMode::Open,
            queues: Queues::One,
            reads_first: false,
            time_scale: 1.0,
            split: Split::Pages,
        }
    }
}

/// The arrival process.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub enum HostMode {
    /// A request is issued at its time in the input.
    Open,
    /// A request is issued as soon as fewer than this many are outstanding.
    Closed(u32),
    /// A request arrives at its time in the input, and waits while this many are outstanding.
    Queued(u32),
}

/// Where requests wait.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Queues {
    /// In one queue.
    One,
    /// In a queue for each volume; these take turns (NVMe's round-robin arbitration).
    Volumes,
}

impl TryFrom<String> for HostMode {
    type Error = String;
    fn try_from(text: String) -> Result<Self, String> {
        let (name, depth) = text.split_once(':').unwrap_or((&text, ""));
        match (name, depth.parse::<u32>()) {
            ("open", Err(_)) if name == text => Ok(HostMode::Open),
            ("closed", Ok(depth @ 1..=65_536)) => Ok(HostMode::Closed(depth)),
            ("queued", Ok(depth @ 1..=65_536)) => Ok(HostMode::Queued(depth)),
            _ => Err(format!(
                "found {text:?}, expected open, closed:QD or queued:QD with QD 1 to 65536"
            )),
        }
    }
}

impl From<HostMode> for String {
    fn from(mode: HostMode) -> String {
        match mode {
            HostMode::Open => "open".into(),
            HostMode::Closed(depth) => format!("closed:{depth}"),
            HostMode::Queued(depth) => format!("queued:{depth}"),
        }
    }
}

/// How a request becomes page accesses.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Split {
    /// One access per page touched.
    Pages,
    /// One access to the first page, whatever the size (what MNFTL's Table 2 implies).
    Single,
}

impl Split {
    /// Of the pages that a request covers, those that are accessed.
    #[inline]
    #[must_use]
    pub fn of(self, pages: Range<u64>) -> Range<u64> {
        match self {
            Split::Single => pages.start..pages.end.min(pages.start + 1),
            Split::Pages => pages,
        }
    }
}

/// How a run is prepared and measured.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct RunConfig {
    /// What happens before measuring starts. Default none.
    pub warmup: Warmup,
    /// Windows after which a warm-up until steady gives up. Default 50, at least 25 capacities of
    /// writes: uniform writes need less than 10.
    pub warmup_limit: u32,
    /// How volumes share the device. Default compact.
    pub address: crate::address::AddressPolicy,
    /// Seed of everything random. Default 1.
    pub seed: u64,
    /// Compare the version of every page read. Default true.
    pub verify: bool,
    /// Recompute every invariant each so many requests; 0 means only at the end. Default 0.
    pub audit: u64,
    /// Look into the mapping cache each so many page accesses, a walk over it; 0 means never.
    /// Default 0.
    pub samples: u64,
    /// Flash operations whose times are kept, at most. Default 0.
    pub timeline: u32,
    /// Flash operations of the measured phase before these. Default 0.
    pub timeline_from: u64,
}

impl Default for RunConfig {
    fn default() -> Self {
        RunConfig {
            warmup: Warmup::None,
            warmup_limit: 50,
            address: crate::address::AddressPolicy::default(),
            seed: 1,
            verify: true,
            audit: 0,
            samples: 0,
            timeline: 0,
            timeline_from: 0,
        }
    }
}

/// What happens before measuring starts (ALGORITHMS 0.7). Counters are reset, state stays.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub enum Warmup {
    /// Nothing: an empty device.
    None,
    /// Every request of the input once, as a write (FlashSim).
    Footprint,
    /// The input itself, this many times.
    Replay(u32),
    /// Every logical page written once, in order.
    Sequential,
    /// `Sequential`, then this many times the capacity in uniform random page writes.
    Random(u32),
    /// Every page that the input touches written once, in order; then the input itself, until write
    /// amplification is steady ([`crate::warmup`]).
    Steady(Tolerance),
    /// `Sequential`, then uniform random page writes until write amplification is steady.
    SteadyRandom(Tolerance),
}

impl Warmup {
    /// Whether the input is read before the measured phase.
    #[must_use]
    pub const fn reads_the_input(self) -> bool {
        matches!(self, Warmup::Footprint | Warmup::Replay(1..) | Warmup::Steady(_))
    }

    /// How far write amplification may vary at the end, for a mode that ends by rule.
    #[must_use]
    pub const fn tolerance(self) -> Option<Tolerance> {
        match self {
            Warmup::Steady(tolerance) | Warmup::SteadyRandom(tolerance) => Some(tolerance),
            _ => None,
        }
    }
}

impl TryFrom<String> for Warmup {
    type Error = String;
    fn try_from(text: String) -> Result<Self, String> {
        let (name, argument) = match text.split_once(':') {
            Some((name, argument)) => (name, Some(argument)),
            None => (text.as_str(), None),
        };
        let count = || match argument.map_or(Ok(1), str::parse::<u32>) {
            Ok(count @ 0..=1000) => Ok(count),
            _ => Err(format!("found {text:?}, expected {name}:K with K from 0 to 1000")),
        };
        let tolerance = || {
            let ratio = argument.map(|text| Ratio::parse(text).ok());
            ratio
                .map_or(Some(Tolerance::DEFAULT), |ratio| Tolerance::new(ratio?.0))
                .ok_or_else(|| format!("found {text:?}, expected {name}:X% with X from 0.1 to 50"))
        };
        match (name, argument) {
            ("none", None) => Ok(Warmup::None),
            ("footprint", None) => Ok(Warmup::Footprint),
            ("sequential", None) => Ok(Warmup::Sequential),
            ("replay", _) => count().map(Warmup::Replay),
            ("random", _) => count().map(Warmup::Random),
            ("steady", _) => tolerance().map(Warmup::Steady),
            ("steady-random", _) => tolerance().map(Warmup::SteadyRandom),
            _ => Err(format!(
                "found {text:?}, expected none, footprint, replay:K, sequential, random:K, \
                 steady:X% or steady-random:X%"
            )),
        }
    }
}

impl From<Warmup> for String {
    fn from(warmup: Warmup) -> String {
        match warmup {
            Warmup::None => "none".into(),
            Warmup::Footprint => "footprint".into(),
            Warmup::Replay(count) => format!("replay:{count}"),
            Warmup::Sequential => "sequential".into(),
            Warmup::Random(count) => format!("random:{count}"),
            Warmup::Steady(tolerance) => format!("steady:{}%", tolerance.percent()),
            Warmup::SteadyRandom(tolerance) => format!("steady-random:{}%", tolerance.percent()),
        }
    }
}

impl Config {
    /// Resolves a tree of user settings, on top of the preset that it names.
    ///
    /// # Errors
    /// [`Error::Unknown`] for a preset, section or key that does not exist; [`Error::Config`] for a
    /// value that cannot be used.
    pub fn resolve(user: &Map<String, Value>) -> Result<Config, Error> {
        let preset = match user.get("preset") {
            None | Some(Value::Null) => None,
            Some(Value::String(name)) => Some(name.clone()),
            Some(other) => {
                return Err(Error::config("preset", format!("found {other}, expected a name")));
            }
        };
        let mut tree = preset.as_deref().map_or_else(|| Ok(Map::new()), presets::tree)?;
        merge(&mut tree, user);
        tree.remove("preset");
        let config = Config::of(preset, tree)?;
        config.check()?;
        Ok(config)
    }

    /// Rejects values that no device can have.
    fn check(&self) -> Result<(), Error> {
        let device = &self.device;
        expect(device.page.0.is_power_of_two() && (512..=65_536).contains(&device.page.0), || {
            (
                "device.page",
                format!("found {}, expected a power of two, 512B to 64KiB", device.page),
            )
        })?;
        expect((2..=4096).contains(&device.pages_per_block), || {
            (
                "device.pages_per_block",
                format!("found {}, expected 2 to 4096", device.pages_per_block),
            )
        })?;
        expect((0.0..=100.0).contains(&device.over_provisioning.0), || {
            let found = device.over_provisioning.0;
            ("device.over_provisioning", format!("found {found}, expected 0 to 100 (10000 %)"))
        })?;
        for (key, count) in [
            ("device.channels", device.channels),
            ("device.chips_per_channel", device.chips_per_channel),
            ("device.dies_per_chip", device.dies_per_chip),
            ("device.planes_per_die", device.planes_per_die),
        ] {
            expect((1..=1024).contains(&count), || {
                (key, format!("found {count}, expected 1 to 1024"))
            })?;
        }
        device.check_times()?;
        let oob = device.oob_bytes();
        expect(oob <= device.page.0, || {
            ("device.oob", format!("found {oob} B, expected at most the {} of a page", device.page))
        })?;
        expect(device.bandwidth.is_none_or(|rate| rate.0 > 0), || {
            ("device.bandwidth", "found 0, expected at least 1 byte per second".into())
        })?;
        expect(self.gc.low >= 1, || ("gc.low", "found 0, expected at least 1".into()))?;
        expect(self.gc.high > self.gc.low, || {
            (
                "gc.high",
                format!("found {}, expected more than gc.low = {}", self.gc.high, self.gc.low),
            )
        })?;
        expect((1..=1024).contains(&self.gc.choices), || {
            ("gc.choices", format!("found {}, expected 1 to 1024", self.gc.choices))
        })?;
        let node = self.tpftl.node_bytes;
        expect(node.0 <= 4096, || {
            ("tpftl.node_bytes", format!("found {node}, expected at most 4096"))
        })?;
        let limit = self.run.warmup_limit;
        expect((WINDOWS as u32..=100_000).contains(&limit), || {
            ("run.warmup_limit", format!("found {limit}, expected {WINDOWS} to 100000 windows"))
        })?;
        self.buffer.check()?;
        let scale = self.host.time_scale;
        expect(scale.is_finite() && (0.0..=1e6).contains(&scale), || {
            ("host.time_scale", format!("found {scale}, expected 0 to 1000000"))
        })
    }
}

fn expect(holds: bool, otherwise: impl FnOnce() -> (&'static str, String)) -> Result<(), Error> {
    if holds {
        return Ok(());
    }
    let (key, message) = otherwise();
    Err(Error::config(key, message))
}

/// Lays `over` on `base`, table by table.
fn merge(base: &mut Map<String, Value>, over: &Map<String, Value>) {
    for (key, value) in over {
        match (base.get_mut(key), value) {
            (Some(Value::Object(below)), Value::Object(above)) => merge(below, above),
            _ => {
                base.insert(key.clone(), value.clone());
            }
        }
    }
}

/// Takes one section out of the tree and types it; errors name the key.
///
/// # Errors
/// [`Error::Unknown`] for a key that the section does not have, [`Error::Config`] for a bad value.
pub fn section<T: DeserializeOwned>(tree: &mut Map<String, Value>, name: &str) -> Result<T, Error> {
    let value = tree.remove(name).unwrap_or_else(|| Value::Object(Map::new()));
    serde_path_to_error::deserialize(value).map_err(|error| {
        let path = error.path().to_string();
        let key = if path == "." { name.to_owned() } else { format!("{name}.{path}") };
        let message = error.into_inner().to_string();
        unknown_key(name, &message).unwrap_or_else(|| Error::config(key, message))
    })
}

/// Turns serde's list of expected fields into a suggestion.
fn unknown_key(section: &str, message: &str) -> Option<Error> {
    let quoted: Vec<&str> =
        message.strip_prefix("unknown field ")?.split('`').skip(1).step_by(2).collect();
    let (found, known) = quoted.split_first()?;
    let known: Vec<String> = known.iter().map(|k| format!("{section}.{k}")).collect();
    let found = format!("{section}.{found}");
    Some(Error::unknown("key", &found, known.iter().map(String::as_str)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn resolve(json: &str) -> Result<Config, String> {
        Config::resolve(&serde_json::from_str(json).expect("test JSON")).map_err(|e| e.to_string())
    }

    #[test]
    fn the_user_overrides_the_preset_key_by_key() {
        let config = resolve(
            r#"{"preset": "dloop", "device": {"page": "8k"}, "host": {"mode": "closed:4"}}"#,
        )
        .expect("valid");
        assert_eq!(config.device.page, Bytes(8192));
        assert_eq!(config.device.erase, Duration(2_000_000), "the preset's value stays");
        assert_eq!(config.host.mode, HostMode::Closed(4));
    }

    #[test]
    fn mistakes_name_the_key_and_the_remedy() {
        let cases = [
            (r#"{"device": {"chanels": 8}}"#, "did you mean \"device.channels\"?"),
            (r#"{"devise": {}}"#, "unknown section \"devise\" (did you mean \"device\"?)"),
            (r#"{"preset": "tpftl"}"#, "unknown preset \"tpftl\""),
            (r#"{"device": {"page": "4q"}}"#, "device.page: found \"4q\", expected a size"),
            (r#"{"device": {"page": 5000}}"#, "device.page: found 5000B, expected a power of two"),
            (r#"{"device": {"page": -1}}"#, "device.page: found \"-1\", expected a size"),
            (r#"{"gc": {"low": 4, "high": 4}}"#, "gc.high: found 4, expected more than gc.low = 4"),
            (r#"{"gc": {"policy": "gready"}}"#, "gc.policy: unknown variant `gready`"),
            (r#"{"host": {"mode": "closed:0"}}"#, "host.mode: found \"closed:0\", expected open"),
            (r#"{"run": {"warmup": "twice"}}"#, "run.warmup: found \"twice\", expected none"),
            (r#"{"run": {"warmup": "none:1"}}"#, "run.warmup: found \"none:1\", expected none"),
            (r#"{"run": {"warmup": "replay:x"}}"#, "expected replay:K with K from 0 to 1000"),
            (r#"{"run": {"warmup": "steady:90%"}}"#, "expected steady:X% with X from 0.1 to 50"),
            (r#"{"run": {"warmup": "steady-random:5"}}"#, "expected steady-random:X% with X"),
            (r#"{"run": {"warmup_limit": 4}}"#, "run.warmup_limit: found 4, expected 5 to 100000"),
        ];
        for (json, expected) in cases {
            let message = resolve(json).expect_err(json);
            assert!(message.contains(expected), "{json}: {message}");
        }
    }

    #[test]
    fn the_resolved_tree_reads_back_as_itself() {
        for warmup in ["footprint", "steady", "steady:7%", "steady-random:0.025"] {
            let tree = format!(r#"{{"preset": "mnftl-dac11", "run": {{"warmup": "{warmup}"}}}}"#);
            let config = resolve(&tree).expect("valid");
            let text = serde_json::to_string(&config).expect("serialises");
            assert_eq!(resolve(&text), Ok(config));
        }
    }
}
