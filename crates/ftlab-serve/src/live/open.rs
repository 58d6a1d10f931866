//! Opens a device: a new one, or an existing image.

use super::Live;
use crate::fault::at;
use crate::hint::{Hint, Hinted};
use crate::image::superblock::Superblock;
use crate::image::{Image, Recovered, Room};
use crate::recording::{Begun, Recording};
use ftlab::Error;
use ftlab::address::{AddressMap, AddressPolicy, Extent};
use ftlab::catalog::{Catalog, Entry};
use ftlab::config::{Config, merge};
use ftlab::device::{PartialWrites, Trims};
use ftlab::files::{Partial, Place};
use ftlab::flash::Device;
use ftlab::ftl::{Ftl, MapPlace};
use ftlab::host::HostMode;
use ftlab::recovery::MountCost;
use ftlab::request::{Attribute, Attributes};
use ftlab::session::panic_message;
use ftlab::simulate::Simulation;
use ftlab::trace::Updates;
use ftlab::warmup::Warmup;
use rustix::fs::{FallocateFlags, fallocate};
use serde::Serialize;
use serde_json::{Map, Value, json};
use std::borrow::Cow;
use std::fs::{self, File, TryLockError};
use std::io;
use std::os::unix::fs::FileExt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::time::Instant;

/// Sections that define how a device is used, not which device it is.
const OF_A_SESSION: [&str; 6] = ["preset", "energy", "host", "input", "workload", "run"];

/// Bytes of an image for each byte of an OOB: mappings take 4 bytes here and as little as half a
/// byte there.
const BYTES_PER_OOB_BYTE: u64 = 8;

/// The bytes that a disk writes as a whole: writing one OOB does not harm another.
const SECTOR: u64 = 512;

/// What a device is made from, or must agree with.
#[derive(Clone, Debug)]
pub struct Opening {
    /// The image; it is made if it does not exist.
    pub image: PathBuf,
    /// The given settings. For an existing image, all others keep its values.
    pub settings: Map<String, Value>,
    /// The FTL; if absent, that of the image.
    pub ftl: Option<String>,
    /// Whether requests take as long as on the simulated device.
    pub paced: bool,
    /// Where the session is recorded.
    pub record: Option<PathBuf>,
    /// How the placement handles of writes are derived.
    pub hint: Option<Hint>,
}

/// The cost of recovery.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Mount {
    /// Valid entries of the image's journal.
    pub journal_entries: u32,
    /// Entries that were discarded, as not all had reached the disk.
    pub given_up: u32,
    /// OOBs that the FTL has read.
    pub oob_reads: u64,
    /// Pages that it has programmed.
    pub programs: u64,
    /// Blocks that it has erased.
    pub erases: u64,
    /// Time that this takes the device, us.
    pub device_us: f64,
    /// Wall-clock time, s.
    pub wall_s: f64,
}

/// An existing image.
pub(super) struct Found {
    pub file: File,
    pub superblock: Superblock,
}

impl Opening {
    /// The device.
    ///
    /// # Errors
    /// [`Error::Config`] for settings that are invalid or differ from the image. Those of the
    /// files. [`Error::Internal`] if the FTL breaks a rule during recovery.
    pub fn open(&self, catalog: &Catalog) -> Result<Live, Error> {
        let opened = catch_unwind(AssertUnwindSafe(|| match self.image.exists() {
            true => self.mount(catalog),
            false => self.create(catalog),
        }));
        opened.unwrap_or_else(|panic| Err(Error::Internal(panic_message(panic.as_ref()))))
    }

    fn create(&self, catalog: &Catalog) -> Result<Live, Error> {
        let Some(ftl) = &self.ftl else {
            return Err(Error::config("ftl", "found none, expected the FTL of the new image"));
        };
        let (entry, config) = (able(catalog, ftl)?, self.config(catalog, Map::new())?);
        let mut device = device(entry, &config)?;
        let ftl = entry.build(&config, &mut device)?;
        let handles = self.handles(ftl.as_ref())?;
        let superblock = Superblock {
            ftlab: env!("CARGO_PKG_VERSION").into(),
            ftl: entry.name().into(),
            config: tree(&config),
            oob_bytes: oob_bytes(entry, &config),
        };
        let bytes = superblock.bytes()?;
        let attributes = self.attributes(&config);
        let recording =
            self.record.as_deref().map(|path| Recording::begin(path, attributes)).transpose()?;
        let image = allocate(&self.image, &bytes, room(&superblock, &config), &device)?;
        let mut live = self.live(entry, &config, device, ftl, image, handles);
        live.store_events()?;
        live.recording = recording.map(Begun::start).transpose()?;
        Ok(live)
    }

    fn mount(&self, catalog: &Catalog) -> Result<Live, Error> {
        let start = Instant::now();
        if let Some(record) = &self.record {
            let message = format!(
                "found {}, which begins with an image that there is, expected a new image: a replay \
                 begins with an erased device",
                record.display()
            );
            return Err(Error::config("record", message));
        }
        let Found { file, superblock } = found(&self.image, true)?;
        let ftl = self.ftl.as_deref().unwrap_or(&superblock.ftl);
        if ftl != superblock.ftl {
            let message = format!("found {ftl}, expected {}, that of the image", superblock.ftl);
            return Err(Error::config("ftl", message));
        }
        let entry = able(catalog, ftl)?;
        let config = self.config(catalog, superblock.config.clone())?;
        // An image from before a setting existed has its default.
        agree(&tree(&config), &tree(&as_served(catalog.resolve(&superblock.config)?)))?;
        let mut device = device(entry, &config)?;
        let (mut image, recovered) =
            Image::open(file, device.geometry(), room(&superblock, &config))
                .map_err(at(&self.image))?;
        image.checkpoint().map_err(at(&self.image))?;
        let ftl = mount(entry, &config, &mut device, &image).map_err(at(&self.image))??;
        let handles = self.handles(ftl.as_ref())?;
        let costs = costs(&device, recovered);
        let mut live = self.live(entry, &config, device, ftl, image, handles);
        live.simulation = live.simulation.resumed();
        live.store_events()?;
        live.mount = Some(Mount { wall_s: start.elapsed().as_secs_f64(), ..costs });
        Ok(live)
    }

    /// The given settings, on top of those of an image.
    fn config(&self, catalog: &Catalog, mut of_image: Map<String, Value>) -> Result<Config, Error> {
        of_image.remove("host");
        let mode = if self.paced { "open" } else { "closed:1" };
        let mut settings = json!({ "host": { "mode": mode } });
        let settings = settings.as_object_mut().expect("a table");
        merge(settings, &of_image);
        merge(settings, &self.settings);
        let config = as_served(catalog.resolve(settings)?);
        check(&config, self.paced)?;
        if self.hint.is_some() && config.ftl.separation != "handles" {
            let found = &config.ftl.separation;
            let message = format!("found ftl.separation = {found}, expected handles");
            return Err(Error::config("hint", message));
        }
        Ok(config)
    }

    /// The attributes that requests have.
    fn attributes(&self, config: &Config) -> Attributes {
        let hint = self.hint.as_ref().map(|_| Attribute::Hint);
        let update = hint.and(config.input.update_every).map(|_| Attribute::Update);
        hint.into_iter().chain(update).collect()
    }

    /// The placement handles that hints name; 0 without hints.
    fn handles(&self, ftl: &dyn Ftl) -> Result<usize, Error> {
        if self.hint.is_none() {
            return Ok(0);
        }
        let metrics = ftl.metrics();
        let classes = metrics.classes.filter(|_| metrics.zones.is_none());
        let handled = classes.and_then(|classes| classes.handled);
        let message = "found an FTL without handles, expected one that separates by them";
        let handled = handled.ok_or_else(|| Error::config("hint", message))?;
        Ok(handled.isolation.len())
    }

    fn live(
        &self,
        entry: &Entry,
        config: &Config,
        device: Device,
        ftl: Box<dyn Ftl>,
        image: Image<File>,
        handles: usize,
    ) -> Live {
        let sector = config.device.sector.0;
        let capacity = config.device.capacity.expect("it was checked").0;
        let page_bytes = device.geometry().page_bytes as usize;
        let config = entry.adapted(config);
        let address = whole(capacity);
        Live {
            ftl: entry.name(),
            path: self.image.clone(),
            capacity: capacity / sector * sector,
            sector: sector as u32,
            page_bytes,
            simulation: Simulation::new(&entry.spec, &config, device, ftl, None, address),
            image,
            recording: None,
            hint: self.hint.clone(),
            updates: config.input.update_every.map(Updates::new),
            hinted: vec![Hinted::default(); handles],
            mount: None,
            first: None,
            damaged_reads: 0,
            flushes: 0,
            serving: std::time::Duration::ZERO,
            scratch: vec![0; page_bytes],
        }
    }
}

impl Live {
    /// Applies to the image the changes of the device before the first request.
    fn store_events(&mut self) -> Result<(), Error> {
        let new = |_| -> (Cow<'static, [u8]>, bool) { panic!("no host has written anything") };
        let mut store = || -> io::Result<()> {
            for event in self.simulation.events() {
                self.image.apply(event, new)?;
            }
            self.image.flush()
        };
        store().map_err(at(&self.path))
    }
}

/// The settings as a live device has them, whatever is given.
fn as_served(mut config: Config) -> Config {
    config.device.partial_writes = PartialWrites::ReadModifyWrite;
    config.ftl.power_safe = true;
    config.run.address = AddressPolicy::Overlay;
    config
}

/// The entry of an FTL that recovers all that it has acknowledged when power or the process is
/// lost.
pub(crate) fn able<'a>(catalog: &'a Catalog, ftl: &str) -> Result<&'a Entry, Error> {
    let entry = catalog.find_mounting(ftl)?;
    // A kill would lose what it has acknowledged.
    if entry.spec.keeps_writes {
        let message = format!("found {ftl}, expected one that keeps no data of the host in RAM");
        return Err(Error::config("ftl", message));
    }
    Ok(entry)
}

/// The capacity that a device offers, B, which its configuration must state.
pub(crate) fn capacity(config: &Config, expected: &str) -> Result<u64, Error> {
    let none = || Error::config("device.capacity", format!("found none, expected {expected}"));
    config.device.capacity.map(|bytes| bytes.0).ok_or_else(none)
}

/// The addresses of a host that accesses all of a device.
pub(crate) fn whole(capacity: u64) -> AddressMap {
    let all = Extent { volume: 0, first_byte: 0, end_byte: capacity };
    let map = AddressMap::new(AddressPolicy::Overlay, &[all], Some(capacity));
    map.expect("all fits where all is")
}

/// Bytes of an image for the map's entries in an OOB.
fn oob_bytes(entry: &Entry, config: &Config) -> u32 {
    let of_a_map = entry.spec.map == MapPlace::Oob;
    let most = if of_a_map { BYTES_PER_OOB_BYTE * config.device.oob_bytes() } else { 0 };
    most.next_multiple_of(SECTOR) as u32
}

/// What an image has room for.
pub(super) fn room(superblock: &Superblock, config: &Config) -> Room {
    Room { oob_bytes: superblock.oob_bytes, trims: config.device.trim == Trims::Durable }
}

/// An erased device that reports the changes made to it.
pub(super) fn device(entry: &Entry, config: &Config) -> Result<Device, Error> {
    let capacity = capacity(config, "the size of the new image, as 4GiB")?;
    let mut device = entry.device_to_mount(&config.device, capacity)?;
    device.tell();
    Ok(device)
}

/// The FTL on a device in the state of the image.
pub(super) fn mount(
    entry: &Entry,
    config: &Config,
    device: &mut Device,
    image: &Image<File>,
) -> io::Result<Result<Box<dyn Ftl>, Error>> {
    device.restore(image.kept()?, image.trims(), &image.erases(), image.last_sequence());
    device.timeline_mut().issue(0);
    Ok(entry.mount(config, device).expect("an FTL that mounts"))
}

pub(super) fn costs(device: &Device, recovered: Recovered) -> Mount {
    let cost = MountCost::of(device);
    Mount {
        journal_entries: recovered.entries,
        given_up: recovered.given_up,
        oob_reads: cost.oob_reads,
        programs: cost.programs,
        erases: cost.erases,
        device_us: cost.time as f64 / 1e3,
        wall_s: 0.0,
    }
}

/// Opens an image that no other process uses.
pub(super) fn found(path: &Path, to_write: bool) -> Result<Found, Error> {
    // Opening a pipe would wait for its other end.
    if !fs::metadata(path).map_err(at(path))?.is_file() {
        return Err(no_image(path));
    }
    let file = File::options().read(true).write(to_write).open(path).map_err(at(path))?;
    let locked = if to_write { file.try_lock() } else { file.try_lock_shared() };
    match locked {
        Ok(()) => {}
        Err(TryLockError::WouldBlock) => {
            let message = format!("found {}, which is served already", path.display());
            return Err(Error::config("image", message));
        }
        Err(TryLockError::Error(error)) => return Err(at(path)(error)),
    }
    let superblock = Superblock::read(&file).map_err(at(path))?.ok_or_else(|| no_image(path))?;
    Ok(Found { file, superblock })
}

fn no_image(path: &Path) -> Error {
    let message = format!("found {}, expected an image of ftlab or a new name", path.display());
    Error::config("image", message)
}

/// Makes an image of an erased device. It gets its name once it is whole, if no file has that name.
fn allocate(
    path: &Path,
    superblock: &[u8],
    room: Room,
    device: &Device,
) -> Result<Image<File>, Error> {
    let unfinished = Partial::file(path, true)?;
    let make = || {
        // The lock belongs to the file, of which this is a handle.
        let file = unfinished.held().try_clone()?;
        let bytes = Image::<File>::bytes(device.geometry(), room);
        fallocate(&file, FallocateFlags::empty(), 0, bytes)?;
        file.write_all_at(superblock, 0)?;
        let mut image = Image::new(file, device.geometry(), room);
        image.checkpoint()?;
        Ok(image)
    };
    let image = make().map_err(at(path))?;
    unfinished.take_place(path, Place::New).map_err(at(path))?;
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    let synced = File::open(folder.unwrap_or(Path::new("."))).and_then(|folder| folder.sync_all());
    synced.map_err(at(path))?;
    Ok(image)
}

/// Refuses settings that a live device does not support.
fn check(config: &Config, paced: bool) -> Result<(), Error> {
    if config.buffer.policy != "none" {
        let message = format!(
            "found {}, expected none: what it acknowledges is in RAM, and a kill would lose it",
            config.buffer.policy
        );
        return Err(Error::config("buffer.policy", message));
    }
    if let Some(cycles) = config.device.endurance {
        let message = format!("found {cycles}, expected none: an image does not wear out");
        return Err(Error::config("device.endurance", message));
    }
    if let Some(pages) = config.device.checkpoint {
        let message = format!("found {pages}, expected none: an image has its own");
        return Err(Error::config("device.checkpoint", message));
    }
    if config.run.warmup != Warmup::NONE {
        let message = format!("found {}, expected none: clients write", config.run.warmup);
        return Err(Error::config("run.warmup", message));
    }
    if config.run.recovery {
        let message =
            "found true, expected false: a live device is mounted when it is opened again";
        return Err(Error::config("run.recovery", message));
    }
    if paced && config.host.mode != HostMode::Open {
        let message = "expected open on a device at its own pace: clients wait for it";
        return Err(Error::config("host.mode", message));
    }
    Ok(())
}

/// Refuses settings that are not those of the image.
fn agree(asked: &Map<String, Value>, has: &Map<String, Value>) -> Result<(), Error> {
    for (section, leaves) in asked.iter().filter(|(name, _)| !OF_A_SESSION.contains(&name.as_str()))
    {
        let Some(leaves) = leaves.as_object() else { continue };
        for (key, found) in leaves {
            let expected = has.get(section).and_then(|section| section.get(key));
            if expected != Some(found) {
                let expected = expected.unwrap_or(&Value::Null);
                let message = format!("found {found}, expected {expected}, that of the image");
                return Err(Error::config(format!("{section}.{key}"), message));
            }
        }
    }
    Ok(())
}

fn tree(config: &Config) -> Map<String, Value> {
    match serde_json::to_value(config) {
        Ok(Value::Object(tree)) => tree,
        _ => unreachable!("a configuration is a tree"),
    }
}

#[cfg(test)]
mod tests;
