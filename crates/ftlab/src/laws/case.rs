//! One case of the FTL checks: an FTL, a configuration and a seed, drawn at random or read from a
//! line.

use crate::buffer::BufferManager;
use crate::catalog::{Catalog, Entry};
use crate::config::Config;
use crate::device::{
    BlockNumbers, Cell, DeviceConfig, MultiPlaneJoins, PartialWrites, ProgramOrder,
};
use crate::engine::Log;
use crate::error::Error;
use crate::flash::{Device, Geometry};
use crate::ftl::demand::MapBlocks;
use crate::ftl::{Cleaning, Ftl, MapPlace};
use crate::gc::{Copies, CopyBack, GREEDY, GcStart, Opens};
use crate::named::Named;
use crate::placement::allocation::{PlaneOrder, SINGLE};
use crate::placement::separation::{BuildSeparation, COPIES, Layout, TOGETHER};
use crate::rng::Rng;
use crate::settings::Section;
use crate::units::{Bytes, Duration, Ratio};
use serde_json::{Value, json};
use std::fmt;

/// Bytes of a page: the smallest that a device may have, so 128 mappings on a translation page.
pub const PAGE: u64 = 512;
/// Mappings on a translation page.
pub const ENTRIES: u64 = PAGE / 4;

/// Operations whose order is checked, where there are several planes.
const LOGGED: usize = 20_000;

/// An FTL, its configuration and (in `config.run.seed`) its seed.
#[derive(Clone)]
pub struct Case<'a> {
    pub entry: &'a Entry,
    pub config: Config,
}

/// One of several, with equal probability.
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

/// Draws until the settings can work; the FTL rejects settings that do not fit together.
const DRAWS: u64 = 1000;

/// Draws that may fail for another reason before the case panics: for example, a class in Python
/// that raises.
const FAILURES: usize = 50;

impl<'a> Case<'a> {
    /// The case with this seed. Half of the devices are the smallest that the FTL accepts, or little more.
    /// Policies, placements and buffers are those of the catalogue.
    pub fn draw(catalog: &Catalog, entry: &'a Entry, seed: u64) -> Case<'a> {
        let known = catalog.config();
        let (mut refusal, mut failures) = (None, 0);
        for attempt in 0..DRAWS {
            let rng = &mut Rng::new(seed + attempt * (1 << 32), "case");
            match Case::attempt(&known, entry, seed, rng) {
                Ok(case) => return case,
                Err(error @ Error::Internal(_)) => {
                    failures += 1;
                    refusal = Some(error);
                }
                Err(error) if failures == 0 => refusal = Some(error),
                Err(_) => {}
            }
            if failures == FAILURES {
                break;
            }
        }
        let last = refusal.map(|error| format!(", the last: {error}")).unwrap_or_default();
        panic!("{}: no settings that it accepts{last}", entry.name())
    }

    /// A case.
    ///
    /// # Errors
    /// Why its settings do not fit together.
    fn attempt(
        known: &Config,
        entry: &'a Entry,
        seed: u64,
        rng: &mut Rng,
    ) -> Result<Case<'a>, Error> {
        let mut config = Config { device: draw_device(rng), ..known.clone() };
        config.run.seed = seed;
        let parts = &mut Rng::new(seed, "parts");
        config.device.sector = Bytes(pick(parts, &[4, 128, 256, PAGE]));
        config.device.partial_writes =
            pick(parts, &[PartialWrites::Program, PartialWrites::ReadModifyWrite]);
        config.device.block_numbers = pick(parts, BlockNumbers::ALL);
        config.gc = Section::draw(rng);
        config.ftl = Section::draw(rng);
        config.log = Section::draw(rng);
        config.buffer = Section::draw(rng);
        let policies: Vec<_> = config.policies.iter().cloned().collect();
        let policy = &policies[rng.below(policies.len() as u64) as usize];
        config.gc.policy = policy.spec.name.to_owned();
        config.own.draw(&policy.settings, rng);
        let placements: Vec<_> = config.placements.iter().cloned().collect();
        let placement = &placements[rng.below(placements.len() as u64) as usize];
        config.ftl.placement = placement.spec.name.to_owned();
        config.own.draw(&placement.settings, rng);
        // Half of the cases leave pages together, with the traffic of all other laws.
        if flip(parts) && entry.spec.obeys("ftl.separation") {
            let separations: Vec<_> = config.separations.iter().cloned().collect();
            let separation = &separations[parts.below(separations.len() as u64) as usize];
            config.ftl.separation = separation.spec.name.to_owned();
            config.own.draw(&separation.settings, parts);
            if ![TOGETHER, COPIES].contains(&separation.spec.name) {
                config.gc.copies = Copies::Shared;
                config.ftl.map_blocks = MapBlocks::Own;
            }
            if names_victims(separation, &config) {
                GREEDY.clone_into(&mut config.gc.policy);
                SINGLE.clone_into(&mut config.ftl.placement);
                // FTLs that stripe by themselves have no such victims.
                if entry.adapted(&config).ftl.placement != SINGLE {
                    TOGETHER.clone_into(&mut config.ftl.separation);
                }
            }
        }
        for buffer in &config.buffers.iter().cloned().collect::<Vec<_>>() {
            config.own.draw(&buffer.settings, rng);
        }
        config.own.draw(&entry.settings, rng);
        config.gc.check()?;
        let mut case = Case { entry, config };
        case.draw_planes(rng);
        case.draw_start(parts);
        case.draw_reserve();
        case.draw_commands();
        case.config = entry.adapted(&case.config);
        if case.config.ftl.placement != SINGLE {
            case.config.device.block_numbers = BlockNumbers::AlongPlanes;
        }
        case.config.ftl.cache = None;
        // Room for the needs of any setting.
        case.config.device.blocks = Some(5000);
        if entry.spec.obeys("ftl.cache") {
            case.draw_cache(rng)?;
        }
        case.draw_cell(rng);
        case.draw_order();
        case.build()?;
        case.draw_buffer(rng);
        let least = case.least_blocks();
        // Twice the blocks make room for regions that do not lend each other blocks.
        let spare = match rng.below(6) {
            0..=2 => 0,
            3 | 4 => between(rng, 1, 12),
            _ => least + between(rng, 0, 12),
        };
        case.config.device.blocks = Some(least + spare);
        Ok(case)
    }

    /// Half of the cases use one plane, as do the FTLs that do not obey a placement. An FTL with
    /// its own placement by plane keeps the setting drawn for its copies.
    fn draw_planes(&mut self, rng: &mut Rng) {
        let obeys = self.entry.spec.obeys("ftl.placement");
        let by_plane = !obeys && self.entry.adapted(&self.config).ftl.placement != SINGLE;
        let config = &mut self.config;
        if flip(rng) || !obeys || config.ftl.placement == SINGLE {
            config.ftl.placement = SINGLE.to_owned();
            config.ftl.order = PlaneOrder::PDWC;
            if !by_plane {
                config.gc.copy_back = Some(CopyBack::Off);
            }
        } else {
            config.device.chips_per_channel = between(rng, 1, 2);
            config.device.dies_per_chip = between(rng, 1, 2);
        }
    }

    /// Whether GC starts by garbage.
    pub fn is_volume(&self) -> bool {
        self.config.gc.start == GcStart::Garbage && self.entry.spec.obeys("gc.start")
    }

    /// Whether GC may start by other triggers than few free blocks: no separation names victims.
    fn is_free_to_start(&self) -> bool {
        let separation = self.config.separations.find(&self.config.ftl.separation, &[]);
        !separation.is_ok_and(|separation| names_victims(separation, &self.config))
    }

    /// Sometimes GC starts by garbage.
    fn draw_start(&mut self, parts: &mut Rng) {
        let is_free = self.is_free_to_start();
        let Config { gc, ftl, .. } = &mut self.config;
        let is_asked = self.entry.spec.obeys("gc.start") && ftl.placement == SINGLE;
        if is_asked && parts.chance(0.3) && is_free {
            gc.start = GcStart::Garbage;
            gc.garbage = Ratio(pick(parts, &[0.01, 0.1, 0.15, 0.5]));
            gc.victims = between(parts, 1, 3);
            gc.copy_back = Some(CopyBack::Off);
        }
    }

    /// Whether GC is considered before each page.
    pub fn keeps_reserve(&self) -> bool {
        self.config.gc.start == GcStart::EachPage && self.entry.spec.obeys("gc.start")
    }

    /// Sometimes GC is considered before each page.
    fn draw_reserve(&mut self) {
        let rng = &mut Rng::new(self.seed(), "reserve");
        let is_free = self.is_free_to_start();
        let Config { gc, ftl, .. } = &mut self.config;
        let is_volume = gc.start == GcStart::Garbage;
        let obeys = self.entry.spec.obeys("gc.start") && ftl.placement == SINGLE;
        if obeys && is_free && !is_volume && rng.chance(0.3) {
            gc.start = GcStart::EachPage;
            gc.open = pick(rng, Opens::ALL);
            gc.background = pick(rng, &[0, 3, 7, 12]);
            gc.lazy = Ratio(pick(rng, &[0.0, 0.3, 1.0, 1.0]));
            gc.copy_back = Some(CopyBack::Off);
        }
    }

    /// Sometimes chips of a package that are busy together, commands on several planes, and
    /// searches that take time.
    fn draw_commands(&mut self) {
        let rng = &mut Rng::new(self.seed(), "commands");
        let Config { device, ftl, .. } = &mut self.config;
        if flip(rng) {
            device.package_chips = device.chips_per_channel;
        }
        if device.planes_per_die > 1 && rng.chance(0.2) {
            device.multi_plane = true;
            device.multi_plane_joins = pick(rng, MultiPlaneJoins::ALL);
        }
        device.ecc_decode = pick(rng, &[Duration(0), Duration(7_000)]);
        ftl.search_step = pick(rng, &[Duration(0), Duration(90)]);
    }

    /// From the smallest cache that the FTL accepts to the whole table, or all pages where these are kept.
    fn draw_cache(&mut self, rng: &mut Rng) -> Result<(), Error> {
        let pages = self.config.device.capacity.map_or(0, |bytes| bytes.0 / PAGE);
        let (mut refused, mut accepted) = (0, pages * PAGE);
        while refused + 1 < accepted {
            let middle = refused.midpoint(accepted);
            self.config.ftl.cache = Some(Bytes(middle));
            match self.build() {
                Ok(_) => accepted = middle,
                Err(error) if names(&error, "ftl.cache") => refused = middle,
                Err(error) => return Err(error),
            }
        }
        self.config.ftl.cache = Some(Bytes(accepted));
        self.build()?;
        let all = pages * if self.entry.spec.keeps_writes { PAGE / 8 } else { 16 };
        let more = match rng.below(4) {
            0 => 0,
            1 => rng.below(100),
            2 => rng.below(all / 4),
            _ => rng.below(all),
        };
        self.config.ftl.cache = Some(Bytes(accepted + more));
        Ok(())
    }

    /// Sometimes cells of several bits, unless the FTL needs any order; always if it needs such
    /// cells.
    fn draw_cell(&mut self, rng: &mut Rng) {
        let needed = self.entry.spec.needs_word_lines;
        let cell = pick(rng, &[Cell::Mlc, Cell::Tlc]);
        let device = &mut self.config.device;
        if needed {
            device.pages_per_block = device.pages_per_block.next_multiple_of(cell.bits());
        }
        if (needed || rng.chance(0.3)) && device.pages_per_block.is_multiple_of(cell.bits()) {
            device.cell = Some(cell);
            if self.build().is_err_and(|error| names(&error, "device.cell")) {
                self.config.device.cell = None;
            }
        }
    }

    /// Sometimes a device that requires ascending order, unless the FTL needs any order.
    fn draw_order(&mut self) {
        if Rng::new(self.seed(), "order").chance(0.3) {
            self.config.device.program_order = Some(ProgramOrder::Ascending);
            if self.build().is_err_and(|error| names(&error, "device.program_order")) {
                self.config.device.program_order = None;
            }
        }
    }

    /// Every buffer in turn, from the smallest to one of several blocks. Only a simulation has it.
    fn draw_buffer(&mut self, rng: &mut Rng) {
        let names: Vec<&str> = self.config.buffers.iter().map(|buffer| buffer.spec.name).collect();
        self.config.buffer.policy = names[(self.seed() % names.len() as u64) as usize].to_owned();
        let Ok((device, _)) = self.build() else { return };
        let most: u64 = pick(rng, &[1, 4, 41]);
        let least = 1 + rng.below(most);
        let fits = |config: &Config| config.buffer_manager(&device, false).is_ok();
        for pages in least..least + 10_000 {
            self.config.buffer.size = Bytes(pages * PAGE);
            if fits(&self.config) {
                return;
            }
        }
        panic!("{}: no size that it accepts", self.config.buffer.policy)
    }

    /// The blocks among which GC chooses: those of each plane, or all; those of a block map
    /// separately.
    pub fn pools(&self, geometry: &Geometry, map_blocks: u32) -> Vec<std::ops::Range<u32>> {
        if map_blocks > 0 {
            return vec![0..map_blocks, map_blocks..geometry.blocks()];
        }
        let pools = if self.config.ftl.placement == SINGLE { 1 } else { geometry.planes() };
        let blocks = geometry.blocks() / pools;
        (0..pools).map(|pool| pool * blocks..(pool + 1) * blocks).collect()
    }

    /// Reads a case from the line that a failure prints.
    ///
    /// # Errors
    /// [`Error::Config`] when the line has another form, [`Error::Unknown`] when its FTL is not in
    /// the catalogue.
    pub fn parse(line: &str, catalog: &'a Catalog) -> Result<Case<'a>, Error> {
        let wrong = |found: String| {
            let expected = "expected a line of JSON with ftl and config, as a broken law prints";
            Error::config("case", format!("{found}, {expected}"))
        };
        let tree: Value = serde_json::from_str(line).map_err(|error| wrong(error.to_string()))?;
        let (Some(name), Some(config)) = (tree["ftl"].as_str(), tree["config"].as_object()) else {
            return Err(wrong(format!("found {line}")));
        };
        Ok(Case { entry: catalog.find(name)?, config: catalog.resolve(config)? })
    }

    pub fn seed(&self) -> u64 {
        self.config.run.seed
    }

    /// The same FTL under another configuration.
    pub fn with(&self, config: Config) -> Case<'a> {
        Case { entry: self.entry, config }
    }

    /// Number of frontiers of user pages that GC may open before it has made room.
    pub fn spread(&self) -> u32 {
        let config = self.entry.adapted(&self.config);
        let named = config.separations.find(&config.ftl.separation, &[]).expect("a separation");
        match &named.build {
            BuildSeparation::Together | BuildSeparation::Copies => 1,
            BuildSeparation::Classes(build) => {
                let layout = Layout::of_pages(1);
                let separation = build(&layout, &config.own).expect("a separation");
                let writes_map = self.entry.spec.map == MapPlace::Flash;
                u32::from(if writes_map { separation.classes() + 1 } else { separation.spread() })
            }
        }
    }

    /// Whether device, FTL and buffer can work.
    pub fn build_all(&self) -> Result<(), Error> {
        let (device, _) = self.build()?;
        self.config.buffer_manager(&device, self.entry.spec.keeps_writes).map(drop)
    }

    /// An erased device.
    pub fn erased(&self) -> Result<Device, Error> {
        let capacity = self.config.device.capacity.map_or(0, |bytes| bytes.0);
        Device::new(&self.config.device, capacity)
    }

    /// An erased device with the FTL on it. With several planes it logs their operations.
    pub fn build(&self) -> Result<(Device, Box<dyn Ftl>), Error> {
        let mut device = self.erased()?;
        if device.geometry().planes() > 1 {
            device.start_log(&self.config.device, Log::new(0, LOGGED));
        }
        let ftl = self.entry.build(&self.config, &mut device)?;
        Ok((device, ftl))
    }

    /// The write buffer, empty.
    pub fn buffer(&self, device: &Device) -> Option<BufferManager> {
        let keeps_writes = self.entry.spec.keeps_writes;
        self.config.buffer_manager(device, keeps_writes).expect("a buffer that fits")
    }

    /// Blocks with other content than the map and one data block for each logical block, where
    /// blocks are merged.
    pub fn log_blocks(&self, geometry: &Geometry, map_blocks: u32) -> u32 {
        let spare = geometry.blocks() - geometry.logical_blocks() - map_blocks;
        match self.entry.spec.cleaning {
            Cleaning::Merges if self.entry.spec.obeys("log.blocks") => {
                self.config.log.blocks.unwrap_or(spare - 1)
            }
            Cleaning::Merges => 0,
            _ => spare,
        }
    }

    /// The case with an FTL that expects power cuts, on a device with one more block if that needs
    /// it.
    pub fn that_may_lose_power(&self) -> Case<'a> {
        let mut safe = self.clone();
        safe.config.ftl.power_safe = true;
        if safe.build().is_err_and(|error| names(&error, "device.blocks")) {
            safe.config.device.blocks = self.config.device.blocks.map(|blocks| blocks + 1);
        }
        safe
    }

    /// Gives the case the smallest device that the FTL accepts, and returns its physical blocks.
    pub fn least_blocks(&mut self) -> u32 {
        for blocks in 1..10_000 {
            self.config.device.blocks = Some(blocks);
            match self.build() {
                Ok((device, _)) => return device.geometry().blocks(),
                Err(Error::Config { key, .. }) if key.starts_with("device.") => {}
                Err(other) => panic!("{other}"),
            }
        }
        panic!("no device is large enough")
    }
}

impl fmt::Display for Case<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", json!({"ftl": self.entry.name(), "config": self.config}))
    }
}

/// Whether an error names a key.
fn names(error: &Error, name: &str) -> bool {
    matches!(error, Error::Config { key, .. } if key == name)
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

/// Whether a separation names victims, so that no policy does.
fn names_victims(separation: &Named<BuildSeparation>, config: &Config) -> bool {
    match &separation.build {
        BuildSeparation::Together | BuildSeparation::Copies => false,
        BuildSeparation::Classes(build) => {
            build(&Layout::of_pages(1), &config.own).is_ok_and(|scheme| scheme.names_victims())
        }
    }
}
