//! One case of the laws: an FTL, a configuration and a seed, drawn at random or read from a line.

use ftlab::buffer::{BUFFERS, BufferConfig};
use ftlab::config::{
    Cell, Config, Copies, CopyBack, DeviceConfig, GcConfig, GcMode, Policy, RunConfig,
};
use ftlab::error::Error;
use ftlab::flash::{Flash, Geometry};
use ftlab::ftl::demand::{Features, PageOrder, PrefetchAt, Replacement};
use ftlab::ftl::fast::FullSequential;
use ftlab::ftl::parts::placement::{Placement, PlaneOrder};
use ftlab::ftl::{
    AftlConfig, ApsConfig, BlockOptimizedConfig, CachftlConfig, CdftlConfig, CftlConfig,
    DftlConfig, Entry, FastConfig, Ftl, GftlConfig, KastConfig, LastConfig, LogConfig, MnftlConfig,
    MnftlHybridConfig, MnftlVictim, SftlConfig, SuperblockConfig, TpftlConfig, WaftlConfig,
    ZftlConfig, find,
};
use ftlab::rng::Rng;
use ftlab::units::{Bytes, Duration, Ratio};
use serde_json::{Value, json};
use std::fmt;

/// Bytes of a page: the smallest that a device may have, so 128 mappings on a translation page.
pub const PAGE: u64 = 512;
/// Mappings on a translation page.
pub const ENTRIES: u64 = PAGE / 4;

/// An FTL, its configuration and (in `config.run.seed`) its seed.
pub struct Case {
    pub entry: &'static Entry,
    pub config: Config,
}

/// One of several, all alike.
pub fn pick<T: Copy>(rng: &mut Rng, of: &[T]) -> T {
    of[rng.below(of.len() as u64) as usize]
}

/// Uniform from `least` to `most`.
pub fn between(rng: &mut Rng, least: u32, most: u32) -> u32 {
    least + rng.below(u64::from(most - least) + 1) as u32
}

fn flip(rng: &mut Rng) -> bool {
    rng.chance(0.5)
}

impl Case {
    /// The case with this seed. Half of the devices are the smallest that the FTL accepts.
    pub fn draw(entry: &'static Entry, seed: u64) -> Case {
        let rng = &mut Rng::new(seed, "case");
        let device = draw_device(rng);
        let logical_pages = device.capacity.map_or(0, |bytes| bytes.0 / PAGE);
        let config = Config {
            device,
            gc: draw_gc(rng),
            dftl: draw_dftl(rng),
            tpftl: draw_tpftl(rng),
            cdftl: draw_cdftl(&mut Rng::new(seed, "cdftl")),
            sftl: draw_sftl(&mut Rng::new(seed, "sftl")),
            zftl: draw_zftl(&mut Rng::new(seed, "zftl")),
            log: draw_log(&mut Rng::new(seed, "log"), least_log_blocks(entry)),
            aps: draw_aps(&mut Rng::new(seed, "aps")),
            block_optimized: draw_block_optimized(&mut Rng::new(seed, "block-optimized")),
            fast: draw_fast(&mut Rng::new(seed, "fast")),
            mnftl: draw_mnftl(&mut Rng::new(seed, "mnftl")),
            mnftl_hybrid: draw_mnftl_hybrid(&mut Rng::new(seed, "mnftl-hybrid")),
            gftl: draw_gftl(&mut Rng::new(seed, "gftl")),
            superblock: draw_superblock(&mut Rng::new(seed, "superblock")),
            cachftl: draw_cachftl(&mut Rng::new(seed, "cachftl")),
            last: draw_last(&mut Rng::new(seed, "last")),
            kast: draw_kast(&mut Rng::new(seed, "kast")),
            aftl: draw_aftl(&mut Rng::new(seed, "aftl")),
            waftl: draw_waftl(&mut Rng::new(seed, "waftl")),
            cftl: CftlConfig { reads: Rng::new(seed, "cftl").below(12) as u16 + 1 },
            run: RunConfig { seed, ..RunConfig::default() },
            ..Config::default()
        };
        let mut case = Case { entry, config };
        case.draw_placement(&mut Rng::new(seed, "placement"));
        (entry.settings)(&mut case.config);
        case.config.ftl.cache = Some(draw_cache(rng, &case, logical_pages));
        case.draw_cell(&mut Rng::new(seed, "cell"));
        let pages_per_block = case.config.device.pages_per_block;
        case.config.buffer = draw_buffer(&mut Rng::new(seed, entry.name), seed, pages_per_block);
        let least = case.least_blocks();
        // Room for several zones, too.
        let zoned = if entry.name == "zftl" { least } else { 0 };
        let spare = zoned + if flip(rng) { 0 } else { between(rng, 1, 12) };
        case.config.device.blocks = Some(least + spare);
        case
    }

    /// Now and then cells of several bits, unless the FTL needs any order; always where it needs these.
    fn draw_cell(&mut self, rng: &mut Rng) {
        let needed = self.entry.name == "mnftl-hybrid";
        let cell = pick(rng, &[Cell::Mlc, Cell::Tlc]);
        let device = &mut self.config.device;
        if needed {
            device.pages_per_block = device.pages_per_block.next_multiple_of(cell.bits());
        }
        if (needed || rng.chance(0.3)) && device.pages_per_block.is_multiple_of(cell.bits()) {
            let blocks = device.blocks.replace(5000);
            device.cell = Some(cell);
            let refused =
                |error: &Error| matches!(error, Error::Config { key, .. } if key == "device.cell");
            if self.build().is_err_and(|error| refused(&error)) {
                self.config.device.cell = None;
            }
            self.config.device.blocks = blocks;
        }
    }

    /// Half of the cases leave planes alone, as do the FTLs whose blocks have owners or zones.
    fn draw_placement(&mut self, rng: &mut Rng) {
        let by_plane = [
            Placement::Striped,
            Placement::StripedHot,
            Placement::RoundRobin,
            Placement::LeastBusy,
        ];
        let placement = pick(rng, &by_plane);
        let order = pick(rng, &["PDWC", "CWDP", "DPCW", "WCPD"]);
        let copy_back = pick(rng, &[CopyBack::Off, CopyBack::Greedy, CopyBack::InOrder]);
        let alone = ["zftl", "cftl", "mnftl", "mnftl-hybrid", "gftl", "superblock"];
        if flip(rng) || alone.contains(&self.entry.name) {
            return;
        }
        let config = &mut self.config;
        config.ftl.placement = placement;
        config.ftl.order = PlaneOrder::try_from(order.to_owned()).expect("an order");
        config.gc.copy_back = copy_back;
        config.device.chips_per_channel = between(rng, 1, 2);
        config.device.dies_per_chip = between(rng, 1, 2);
    }

    /// The blocks among which GC chooses: those of each plane, or all.
    pub fn pools(&self, geometry: &Geometry) -> Vec<std::ops::Range<u32>> {
        let pools = match self.config.ftl.placement {
            Placement::Single => 1,
            _ => geometry.planes(),
        };
        let blocks = geometry.blocks() / pools;
        (0..pools).map(|pool| pool * blocks..(pool + 1) * blocks).collect()
    }

    /// Reads a case from the line that a failure prints.
    pub fn parse(line: &str) -> Case {
        let tree: Value = serde_json::from_str(line).expect("a case is a line of JSON");
        let name = tree["ftl"].as_str().expect("a case names its FTL");
        let config = tree["config"].as_object().expect("a case has a configuration");
        Case {
            entry: find(name).expect("a registered FTL"),
            config: Config::resolve(config).expect("a good configuration"),
        }
    }

    pub fn seed(&self) -> u64 {
        self.config.run.seed
    }

    /// An erased device with the FTL on it.
    pub fn build(&self) -> Result<(Flash, Box<dyn Ftl>), Error> {
        let capacity = self.config.device.capacity.map_or(0, |bytes| bytes.0);
        let mut flash = Flash::new(&self.config.device, capacity)?;
        let ftl = (self.entry.build)(&self.config, &mut flash)?;
        Ok((flash, ftl))
    }

    /// Blocks that may hold something beside one data block for each logical block.
    pub fn log_blocks(&self, geometry: &Geometry) -> u32 {
        match self.entry.name {
            "block" | "block-optimized" => 0,
            "cachftl" => geometry.blocks() - geometry.logical_blocks(),
            _ => {
                let spare = geometry.blocks() - geometry.logical_blocks();
                self.config.log.blocks.unwrap_or(spare - 1)
            }
        }
    }

    /// Physical blocks of the smallest device that the FTL accepts.
    pub fn least_blocks(&mut self) -> u32 {
        for blocks in 1..10_000 {
            self.config.device.blocks = Some(blocks);
            match self.build() {
                Ok((flash, _)) => return flash.geometry().blocks(),
                Err(Error::Config { key, .. }) if key.starts_with("device.") => {}
                Err(other) => panic!("{other}"),
            }
        }
        panic!("no device is large enough")
    }
}

impl fmt::Display for Case {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", json!({"ftl": self.entry.name, "config": self.config}))
    }
}

fn draw_device(rng: &mut Rng) -> DeviceConfig {
    let (channels, planes_per_die) = pick(rng, &[(1, 1), (1, 1), (1, 2), (1, 3), (2, 1), (2, 2)]);
    let translation_pages = between(rng, 1, 6);
    let pages = u64::from(translation_pages) * ENTRIES - rng.below(ENTRIES);
    let time = |rng: &mut Rng| Duration(rng.below(1000));
    DeviceConfig {
        capacity: Some(Bytes(pages * PAGE)),
        page: Bytes(PAGE),
        pages_per_block: pick(rng, &[2, 3, 4, 5, 8, 16, 65]),
        over_provisioning: Ratio(0.0),
        blocks: None,
        channels,
        chips_per_channel: 1,
        dies_per_chip: 1,
        planes_per_die,
        read: time(rng),
        oob_read: time(rng),
        program: time(rng),
        erase: time(rng),
        transfer_per_byte: Duration(rng.below(2) * rng.below(3)),
        oob: Some(Bytes(PAGE)),
        ..DeviceConfig::default()
    }
}

fn draw_gc(rng: &mut Rng) -> GcConfig {
    let policies =
        [Policy::Greedy, Policy::CostBenefit, Policy::Fifo, Policy::Random, Policy::DChoices];
    let low = between(rng, 1, 5);
    GcConfig {
        policy: pick(rng, &policies),
        choices: between(rng, 1, 10),
        low,
        high: low + between(rng, 1, 4),
        copies: pick(rng, &[Copies::Shared, Copies::Own]),
        mode: pick(rng, &[GcMode::Batch, GcMode::Single]),
        copy_back: CopyBack::Off,
        oob_scan: flip(rng),
    }
}

fn draw_dftl(rng: &mut Rng) -> DftlConfig {
    let orders = [Replacement::Segmented, Replacement::SegmentedFlashsim, Replacement::Lru];
    DftlConfig {
        replacement: pick(rng, &orders),
        protected: Ratio(pick(rng, &[0.0, 0.3, 0.8, 1.0])),
        evict_batch: flip(rng),
    }
}

fn draw_tpftl(rng: &mut Rng) -> TpftlConfig {
    TpftlConfig {
        features: Features {
            request: flip(rng),
            selective: flip(rng),
            batch: flip(rng),
            clean_first: flip(rng),
        },
        threshold: between(rng, 1, 4),
        node_bytes: Bytes(rng.below(17)),
        page_order: pick(rng, &[PageOrder::Hotness, PageOrder::Recency]),
        prefetch_at: pick(rng, &[PrefetchAt::Front, PrefetchAt::Tail]),
    }
}

fn draw_cdftl(rng: &mut Rng) -> CdftlConfig {
    CdftlConfig { ctp: Ratio(pick(rng, &[0.0, 0.5, 0.9, 1.0])) }
}

fn draw_sftl(rng: &mut Rng) -> SftlConfig {
    SftlConfig {
        bitmaps: between(rng, 1, 2),
        buffer: Ratio(pick(rng, &[0.0, 0.02, 0.1, 0.3])),
        sparse: pick(rng, &[0, 1, 3, 8, 200]),
    }
}

fn draw_zftl(rng: &mut Rng) -> ZftlConfig {
    ZftlConfig {
        zones: between(rng, 1, 6),
        tier1: pick(rng, &[None, None, Some(Ratio(0.0)), Some(Ratio(0.05))]),
    }
}

fn draw_aps(rng: &mut Rng) -> ApsConfig {
    ApsConfig {
        map: Ratio(pick(rng, &[0.0, 0.1, 0.5, 1.0])),
        inertia: Duration(pick(rng, &[0, 100, 1000, 10_000])),
    }
}

/// Log blocks that an FTL needs.
fn least_log_blocks(entry: &Entry) -> u32 {
    if entry.name == "last" { 3 } else { 2 }
}

fn draw_log(rng: &mut Rng, least: u32) -> LogConfig {
    let blocks = between(rng, least, 9);
    LogConfig { blocks: flip(rng).then_some(blocks) }
}

fn draw_block_optimized(rng: &mut Rng) -> BlockOptimizedConfig {
    BlockOptimizedConfig { append: flip(rng) }
}

fn draw_fast(rng: &mut Rng) -> FastConfig {
    FastConfig { full_sequential: pick(rng, &[FullSequential::Merge, FullSequential::Switch]) }
}

fn draw_mnftl(rng: &mut Rng) -> MnftlConfig {
    MnftlConfig {
        victim: pick(rng, &[MnftlVictim::MostBlocksFirst, MnftlVictim::Global]),
        rows: pick(rng, &[None, Some(1), Some(2)]),
        cache: Bytes(pick(rng, &[0, 0, 10, 100])),
        idle_blocks: pick(rng, &[None, Some(2), Some(4)]),
    }
}

fn draw_mnftl_hybrid(rng: &mut Rng) -> MnftlHybridConfig {
    MnftlHybridConfig { slc_blocks: pick(rng, &[None, Some(1), Some(2), Some(5)]) }
}

fn draw_gftl(rng: &mut Rng) -> GftlConfig {
    GftlConfig { buffer: pick(rng, &[None, Some(Ratio(0.0)), Some(Ratio(0.3)), Some(Ratio(1.5))]) }
}

fn draw_superblock(rng: &mut Rng) -> SuperblockConfig {
    SuperblockConfig {
        data: between(rng, 1, 5),
        logs: between(rng, 1, 3),
        pieces: pick(rng, &[None, Some(1), Some(2)]),
    }
}

fn draw_cachftl(rng: &mut Rng) -> CachftlConfig {
    let out_of_place = rng.chance(0.3);
    CachftlConfig {
        threshold: pick(rng, &[0, 1, 2, 4, 100]),
        sync_blocks: between(rng, 1, 3),
        async_free: Ratio(pick(rng, &[0.0, 0.1, 0.5, 1.0])),
        adaptive_threshold: rng.chance(0.3),
        idle_weight: Ratio(pick(rng, &[0.0, 1.0])),
        adaptive_pmr: rng.chance(0.3),
        out_of_place,
        wear_gap: out_of_place.then(|| between(rng, 1, 5)).filter(|gap| *gap < 4),
    }
}

/// Every buffer in turn, from the smallest to one of several blocks, otherwise for each FTL. Only a
/// simulation has it.
fn draw_buffer(rng: &mut Rng, seed: u64, pages_per_block: u32) -> BufferConfig {
    let entry = &BUFFERS[(seed % BUFFERS.len() as u64) as usize];
    let page_space = Ratio(pick(rng, &[0.0, 0.25, 0.5]));
    let least = match entry.name {
        "clash" => ((f64::from(pages_per_block) + 1.0) / (1.0 - page_space.0)).ceil() as u32 + 1,
        _ => 1,
    };
    let more = pick(rng, &[0, 3, 40]);
    let pages = between(rng, least, least + more);
    BufferConfig {
        policy: entry.name.into(),
        size: Bytes(u64::from(pages) * PAGE),
        padding: flip(rng),
        page_space,
        window: Ratio(pick(rng, &[0.0, 0.25, 1.0])),
        recent: Ratio(pick(rng, &[0.0, 0.1, 0.5, 1.0])),
        update_distance: pick(rng, &[None, Some(1), Some(10), Some(100)]),
        evicted_blocks: between(rng, 1, 5),
    }
}

fn draw_last(rng: &mut Rng) -> LastConfig {
    LastConfig {
        threshold: between(rng, 1, 9),
        sequential: Ratio(pick(rng, &[0.0, 0.3, 0.5, 1.0])),
        hot: Ratio(pick(rng, &[0.0, 0.3, 0.5, 1.0])),
    }
}

fn draw_kast(rng: &mut Rng) -> KastConfig {
    KastConfig {
        associativity: pick(rng, &[1, 2, 3, 8, 100]),
        sequential: Ratio(pick(rng, &[0.0, 0.3, 0.5, 1.0])),
    }
}

fn draw_aftl(rng: &mut Rng) -> AftlConfig {
    let entries = between(rng, 0, 40);
    AftlConfig { entries: flip(rng).then_some(entries) }
}

fn draw_waftl(rng: &mut Rng) -> WaftlConfig {
    WaftlConfig {
        zone: Ratio(pick(rng, &[0.0, 0.3, 0.5, 1.0])),
        threshold: Ratio(pick(rng, &[0.0, 0.3, 0.5, 1.0])),
    }
}

/// The smallest cache that an FTL accepts.
fn least_cache(case: &Case) -> u64 {
    let page = PAGE + 4;
    match case.entry.name {
        "cdftl" => page + 8,
        "zftl" | "treeftl" | "aps" => page,
        "cftl" => 10,
        "sftl" => (page as f64 / (1.0 - case.config.sftl.buffer.0)).ceil() as u64,
        _ => 6 + case.config.tpftl.node_bytes.0.max(2),
    }
}

/// From the smallest to the whole table.
fn draw_cache(rng: &mut Rng, case: &Case, logical_pages: u64) -> Bytes {
    let least = least_cache(case);
    let all = match case.entry.name {
        "treeftl" | "aps" => logical_pages * PAGE / 8,
        _ => logical_pages * (6 + case.config.tpftl.node_bytes.0.max(2)),
    };
    Bytes(match rng.below(4) {
        0 => least,
        1 => least + rng.below(100),
        2 => least + rng.below(all / 4),
        _ => least + rng.below(all),
    })
}
