//! The construction of an FTL, and its description.

use super::Ftl;
use super::demand::FtlConfig;
use super::log_block::LogConfig;
use crate::device::DeviceConfig;
use crate::error::Error;
use crate::flash::Flash;
use crate::gc::{self, Gc, GcConfig, Policies};
use crate::placement::Placing;
use crate::placement::allocation::{Placements, placements};
use crate::placement::separation::{Separations, TOGETHER, separations};
use crate::settings::{Group, Section, SectionKind, Sections};

/// An FTL that can be built from settings; a [`Catalog`](crate::catalog::Catalog) takes it. Runs with the
/// same warm-up go on from copies of it.
pub trait Design: Ftl + Clone + 'static {
    /// Its own settings: a section, two of them, or `()` for none.
    type Settings: Group;

    /// Its description.
    const SPEC: Spec;

    /// Builds the FTL on an erased device. It may program pages, which are not counted.
    ///
    /// # Errors
    /// [`Error::Config`] when the device or a setting cannot work.
    fn build(setup: &Setup<Self::Settings>, flash: &mut Flash) -> Result<Self, Error>;

    /// Builds the FTL on a device whose power was cut. It knows only what it has read there
    /// ([`Flash::survey`]). `None` for an FTL that cannot.
    const MOUNT: Option<Mount<Self>> = None;
}

/// Recovers an FTL after a power cut; errors are those of [`Design::build`].
pub type Mount<F> = fn(&Setup<<F as Design>::Settings>, &mut Flash) -> Result<F, Error>;

/// A known FTL under settings that the variant fixes, with its own name.
pub trait Variant: 'static {
    /// The FTL that it is a variant of.
    type Of: Design;

    /// Its description.
    const SPEC: Spec;

    /// The kinds of settings that it obeys in addition to those of its FTL: those of the parts that
    /// it fixes.
    #[must_use]
    fn kinds() -> Vec<SectionKind> {
        Vec::new()
    }

    /// Changes the settings to those of the variant: the device, `gc`, `ftl`, `log` and its own.
    /// The rest of the set-up remains unchanged.
    fn set(setup: &mut Setup<<Self::Of as Design>::Settings>);
}

/// All that an FTL is built from.
#[derive(Clone, Debug)]
pub struct Setup<S = ()> {
    /// The device, as in its data sheet.
    pub device: DeviceConfig,
    /// Garbage collection.
    pub gc: GcConfig,
    /// The shared settings of page-level FTLs.
    pub ftl: FtlConfig,
    /// The shared settings of log-block FTLs.
    pub log: LogConfig,
    /// The FTL's own settings.
    pub own: S,
    /// Seed of everything random.
    pub seed: u64,
    /// The victim policies by name.
    pub policies: Policies,
    /// The placements by name.
    pub placements: Placements,
    /// The separations by name.
    pub separations: Separations,
    /// The sections of settings, including those of policies, placements and separations.
    pub settings: Sections,
}

impl<S: Default> Default for Setup<S> {
    fn default() -> Self {
        Setup {
            device: DeviceConfig::default(),
            gc: GcConfig::default(),
            ftl: FtlConfig::default(),
            log: LogConfig::default(),
            own: S::default(),
            seed: 1,
            policies: gc::policies(),
            placements: placements(),
            separations: separations(),
            settings: Sections::default(),
        }
    }
}

impl<S: Group> Setup<S> {
    /// The same, after checking that all its settings are in range. Every FTL is built from a
    /// checked set-up. The settings of the device are checked when it is built.
    ///
    /// # Errors
    /// [`Error::Config`] with the key of a setting out of range.
    pub fn checked(self) -> Result<Self, Error> {
        unless_bug!(GcUnchecked, self.gc.check()?);
        self.ftl.check()?;
        self.log.check()?;
        self.own.check_all()?;
        Ok(self)
    }
}

impl<S> Setup<S> {
    /// Garbage collection as it is configured.
    ///
    /// # Errors
    /// [`Error::Unknown`] for a policy that does not exist.
    pub fn collection(&self) -> Result<Gc, Error> {
        Gc::new(&self.gc, &self.policies, &self.settings, self.seed)
    }

    /// The rules that decide where pages go.
    ///
    /// # Errors
    /// [`Error::Unknown`] for a policy, a placement or a separation that does not exist, [`Error::Config`] for a setting
    /// of one that is out of range.
    pub fn placing(&self) -> Result<Placing<'_>, Error> {
        let separation = self.separations.find(&self.ftl.separation, &[])?;
        let allocation = self.placements.find(&self.ftl.placement, &[])?;
        Ok(Placing {
            separation: (separation.spec.name, separation.checked(&self.settings)?),
            gc: self.collection()?,
            allocation: allocation.checked(&self.settings)?,
            order: self.ftl.order,
            settings: &self.settings,
        })
    }

    /// Rejects a separation of user pages, with the reason.
    ///
    /// # Errors
    /// [`Error::Config`] when there is one.
    pub fn expect_together(&self, reason: &str) -> Result<(), Error> {
        let found = &self.ftl.separation;
        if found == TOGETHER {
            return Ok(());
        }
        let message = format!("found {found}, expected {TOGETHER}: {reason}");
        Err(Error::config("ftl.separation", message))
    }

    /// The same with other settings `own`, for a part of the FTL.
    #[must_use]
    pub fn with<T>(&self, own: T) -> Setup<T> {
        Setup {
            device: self.device.clone(),
            gc: self.gc.clone(),
            ftl: self.ftl.clone(),
            log: self.log.clone(),
            own,
            seed: self.seed,
            policies: self.policies.clone(),
            placements: self.placements.clone(),
            separations: self.separations.clone(),
            settings: self.settings.clone(),
        }
    }
}

/// The description of an FTL, for lists, reports and checks, which never use its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Spec {
    /// The name on the command line and in results.
    pub name: &'static str,
    /// The name as its paper writes it, for tables and drawings; empty where that is `name`.
    pub title: &'static str,
    /// One line for lists.
    pub summary: &'static str,
    /// The paper.
    pub source: &'static str,
    /// Where its map lives.
    pub map: MapPlace,
    /// How it reclaims space.
    pub cleaning: Cleaning,
    /// The parts that it is built from, each as the shared settings that the part obeys. All other
    /// shared settings reach it as their defaults ([`Config::received`](crate::config::Config::received)).
    pub obeys: &'static [Keys],
    /// Shared settings that it does not obey and yet receives, to reject them with a reason.
    pub rejects: &'static [Keys],
    /// Needs pages that share word lines: `device.cell` of several bits.
    pub needs_word_lines: bool,
    /// Logical blocks are physical blocks, with each page at its offset.
    pub in_place: bool,
    /// It opens the free block with the fewest erases.
    pub opens_least_erased: bool,
    /// A page written to the FTL's own RAM is translated when it leaves, not when it is written.
    pub translates_late: bool,
    /// Pages that the host writes may remain in its own RAM, until a flush. It reports them by
    /// [`Flash::keep_write`], [`Flash::keep_read`], [`Flash::host_read_kept`] and
    /// [`Flash::drop_kept`]. They must fit into the cache and the buffer of [`Ftl::ram`].
    pub keeps_writes: bool,
    /// Blocks that it keeps free beyond `gc.low` for its own use.
    pub early_blocks: u32,
    /// Address space of the simulator for each physical page, bytes: tables of device, FTL and
    /// audit. A device that exceeds the available memory is rejected.
    pub bytes_per_page: u32,
}

/// Where the map of an FTL lives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MapPlace {
    /// In RAM, all of it.
    Ram,
    /// In translation pages on flash, cached in RAM.
    Flash,
    /// In the OOBs of data pages.
    Oob,
}

/// How an FTL reclaims space.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cleaning {
    /// Collects blocks by `gc`: from a threshold on, until enough are free.
    Collects,
    /// Merges log blocks with data blocks: each merge makes a data block and erases the old one.
    Merges,
    /// Rewrites data blocks, and collects a separate page-mapped region.
    Rewrites,
    /// Reclaims space by its own rules.
    Itself,
}

/// The keys of the shared settings that a part of an FTL obeys.
pub type Keys = &'static [&'static str];

/// The choice of a victim, and its scan.
pub const VICTIMS: Keys =
    &["gc.policy", "gc.choices", "gc.choices_share", "gc.window", "gc.oob_scan"];
/// GC that starts and ends by free blocks.
pub const LEVELS: Keys = &["gc.low", "gc.high", "gc.mode"];
/// GC that may also start by garbage.
pub const GARBAGE: Keys =
    &["gc.start", "gc.garbage", "gc.victims", "gc.open", "gc.background", "gc.lazy"];
/// Copies of GC, to blocks of their own or not.
pub const COPIES: Keys = &["gc.copies"];
/// Copies inside a plane.
pub const COPY_BACK: Keys = &["gc.copy_back"];
/// Any rule that decides the plane of a page.
pub const PLACEMENT: Keys = &["ftl.placement"];
/// Planes that are filled at once.
pub const ORDER: Keys = &["ftl.order"];
/// Any rule that decides which pages share blocks.
pub const SEPARATION: Keys = &["ftl.separation"];
/// A mapping cache.
pub const CACHE: Keys = &["ftl.cache"];
/// The search of a mapping cache.
pub const SEARCH: Keys = &["ftl.search", "ftl.search_step"];
/// The place and the time of writes of translation pages.
pub const MAP_WRITES: Keys = &["ftl.map_blocks", "ftl.map_updates"];
/// Log blocks.
pub const LOGS: Keys = &["log.blocks"];
/// A table of data blocks that may be on flash.
pub const LOG_MAP: Keys = &["log.map"];
/// Work that loses nothing if power is cut in between.
pub const POWER_SAFE: Keys = &["ftl.power_safe"];

impl Spec {
    /// A page-level FTL with its map in RAM.
    pub const PAGE_LEVEL: Spec = Spec {
        name: "",
        title: "",
        summary: "",
        source: "",
        map: MapPlace::Ram,
        cleaning: Cleaning::Collects,
        obeys: &[VICTIMS, LEVELS, COPIES, COPY_BACK, PLACEMENT, ORDER, SEPARATION],
        rejects: &[],
        needs_word_lines: false,
        in_place: false,
        opens_least_erased: true,
        translates_late: false,
        keeps_writes: false,
        early_blocks: 0,
        bytes_per_page: 32,
    };
    /// [`Spec::PAGE_LEVEL`] where GC may start by garbage.
    pub const VOLUME: Spec = Spec {
        obeys: &[VICTIMS, LEVELS, GARBAGE, COPIES, COPY_BACK, PLACEMENT, ORDER, SEPARATION],
        ..Spec::PAGE_LEVEL
    };
    /// A page-level FTL of a host on a zoned drive: it has its own places, and its pages move through
    /// the host.
    pub const ZONED: Spec =
        Spec { obeys: &[VICTIMS, LEVELS, GARBAGE, COPIES, ORDER, SEPARATION], ..Spec::PAGE_LEVEL };
    /// A page-level FTL with its map in RAM that chooses the block of each page, copies of GC
    /// included.
    pub const OWN_FRONTIERS: Spec = Spec { obeys: &[VICTIMS, LEVELS], ..Spec::PAGE_LEVEL };
    /// [`Spec::VOLUME`] with its own separation, which also places copies.
    pub const SEPARATED: Spec = Spec {
        obeys: &[VICTIMS, LEVELS, GARBAGE, COPY_BACK, PLACEMENT, ORDER],
        ..Spec::PAGE_LEVEL
    };
    /// A page-level FTL with its map on flash, part of it cached.
    pub const DEMAND_PAGED: Spec = Spec {
        map: MapPlace::Flash,
        obeys: &[VICTIMS, LEVELS, COPIES, COPY_BACK, PLACEMENT, ORDER, SEPARATION, CACHE],
        ..Spec::PAGE_LEVEL
    };
    /// [`Spec::DEMAND_PAGED`] with an index whose search steps are known.
    pub const SEARCHED: Spec = Spec {
        obeys: &[VICTIMS, LEVELS, COPIES, COPY_BACK, PLACEMENT, ORDER, SEPARATION, CACHE, SEARCH],
        ..Spec::DEMAND_PAGED
    };
    /// [`Spec::SEARCHED`] where GC may hold its changes of the map in RAM.
    pub const HOLDS_MAP: Spec = Spec {
        obeys: &[
            VICTIMS, LEVELS, COPIES, COPY_BACK, PLACEMENT, ORDER, SEPARATION, CACHE, SEARCH,
            MAP_WRITES,
        ],
        ..Spec::DEMAND_PAGED
    };
    /// [`Spec::HOLDS_MAP`] with its own placement.
    pub const STRIPED: Spec = Spec {
        obeys: &[VICTIMS, LEVELS, COPIES, COPY_BACK, ORDER, SEPARATION, CACHE, SEARCH, MAP_WRITES],
        ..Spec::DEMAND_PAGED
    };
    /// An FTL that merges log blocks.
    pub const LOG_BLOCKS: Spec =
        Spec { cleaning: Cleaning::Merges, obeys: &[LOGS, LOG_MAP], ..Spec::PAGE_LEVEL };
    /// An FTL that merges log blocks before it writes a page of the host. It invalidates the old
    /// version before the merge, unless power may be cut.
    pub const ROOM_FIRST: Spec = Spec { obeys: &[LOGS, LOG_MAP, POWER_SAFE], ..Spec::LOG_BLOCKS };
    /// An FTL with only data blocks.
    pub const DATA_BLOCKS: Spec = Spec { obeys: &[], ..Spec::LOG_BLOCKS };
    /// An FTL with its map in OOBs.
    pub const IN_OOBS: Spec =
        Spec { map: MapPlace::Oob, cleaning: Cleaning::Itself, obeys: &[], ..Spec::PAGE_LEVEL };

    /// The name to show, as the paper writes it.
    #[must_use]
    pub fn shown(&self) -> &'static str {
        if self.title.is_empty() { self.name } else { self.title }
    }

    /// Whether each plane has its own open block, by `ftl.placement` or by the FTL itself.
    #[must_use]
    pub fn fills_planes_at_once(&self) -> bool {
        self.obeys("ftl.order")
    }

    /// Whether it obeys a shared setting.
    #[must_use]
    pub fn obeys(&self, key: &str) -> bool {
        self.obeys.iter().any(|part| part.contains(&key))
    }

    /// Whether it rejects a shared setting.
    #[must_use]
    pub fn rejects(&self, key: &str) -> bool {
        self.rejects.iter().any(|part| part.contains(&key))
    }
}
