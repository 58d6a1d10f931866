//! What can be run: FTLs as values. Users can add their own.
//!
//! ```
//! use ftlab::catalog::Catalog;
//!
//! let catalog = Catalog::standard();
//! assert_eq!(catalog.find("tpftl")?.spec.source, "Zhou et al., EuroSys 2015");
//! # Ok::<(), ftlab::Error>(())
//! ```
//!
//! `Catalog::standard().with::<MyFtl>()` is a catalogue with another FTL. Sessions, FTL checks and
//! benchmarks treat it like any other.

mod memory;

use crate::address::AddressMap;
use crate::buffer::{self, Buffers, BuildBuffer};
use crate::config::{self, Config};
use crate::device::DeviceConfig;
use crate::error::Error;
use crate::flash::{Device, Flash};
#[cfg(any(debug_assertions, target_arch = "wasm32"))]
use crate::ftl::CopyableFtl;
use crate::ftl::demand::{Aps, Cdftl, Cftl, DemandFtl, Dftl, MeasuredUse, PooledFtl, Sftl};
use crate::ftl::demand::{Tpftl, Tree, Zftl};
use crate::ftl::dloop::{Dloop, DloopHot};
use crate::ftl::log_block;
use crate::ftl::{self, Design, Ftl, Spec, Variant};
use crate::gc::{self, BuildPolicy, Policies};
use crate::named::{Named, expect_new};
use crate::placement::allocation::{BuildPlacement, Placements, placements};
use crate::placement::separation::{BuildSeparation, Separations, separations};
use crate::recovery::Mount;
use crate::settings::{Group, Row, Section, SectionKind, Table};
use crate::simulate::{Simulation, Simulator};
use std::collections::BTreeSet;
use std::fmt;
use std::sync::Arc;

type Build = dyn Fn(&Config, &mut Device) -> Result<Box<dyn Ftl>, Error> + Send + Sync;
type Simulate = dyn Fn(&Config, u64, AddressMap) -> Result<Box<dyn Simulator>, Error> + Send + Sync;
/// Makes an FTL under the settings that the FTL receives.
type Make<F> = dyn Fn(&Config, &mut Flash) -> Result<F, Error> + Send + Sync;
type Adapt = dyn Fn(&Config) -> Config + Send + Sync;
type Around = dyn Fn(&mut (dyn FnMut() + Send)) + Send + Sync;

/// Whether this is a quick build. Simulations then call all FTLs through one loop instead of one
/// loop compiled for each. Results are the same, but take longer. Builds with debug assertions are
/// quick builds, as are those for browsers, which download the code.
pub const IS_QUICK: bool = cfg!(any(debug_assertions, target_arch = "wasm32"));

/// An FTL of a catalogue.
#[derive(Clone)]
pub struct Entry {
    /// What it is.
    pub spec: Spec,
    /// The kinds of its own settings.
    pub settings: Vec<SectionKind>,
    adapt: Arc<Adapt>,
    build: Arc<Build>,
    mount: Option<Mount>,
    simulate: Arc<Simulate>,
}

impl fmt::Debug for Entry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Entry").field(&self.spec.name).finish()
    }
}

impl Entry {
    fn of<F: Design>(
        spec: Spec,
        adapt: impl Fn(&Config) -> Config + Send + Sync + 'static,
    ) -> Self {
        let settings = F::Settings::kinds();
        let adapt: Arc<Adapt> = Arc::new(adapt);
        let mount = mount_of::<F>(spec, adapt.clone());
        let build = |config: &Config, flash: &mut Flash| {
            Ok(copyable_in_loop(F::build(&config.setup(), flash)?))
        };
        let finish = |simulation: Simulation<_>| Box::new(simulation.copyable()) as _;
        Entry::adapting(spec, settings, adapt, mount, Arc::new(build), finish)
    }

    /// An FTL that a function builds instead of a [`Design`]: one whose type is known only at run
    /// time (`Box<dyn Ftl>`), or one built from something that is not a setting.
    ///
    /// ```
    /// use ftlab::catalog::{Catalog, Entry};
    /// use ftlab::ftl::page::PageFtl;
    /// use ftlab::ftl::{Design, Ftl, Spec};
    ///
    /// let spec = Spec { name: "mine", ..Spec::PAGE_LEVEL };
    /// let mine = Entry::built(spec, Vec::new(), |config, flash| {
    ///     Ok(Box::new(PageFtl::build(&config.setup().checked()?, flash)?) as Box<dyn Ftl>)
    /// });
    /// assert!(Catalog::standard().with_entry(mine).find("mine").is_ok());
    /// ```
    pub fn built<F: Ftl + 'static>(
        spec: Spec,
        settings: Vec<SectionKind>,
        build: impl Fn(&Config, &mut Flash) -> Result<F, Error> + Send + Sync + 'static,
    ) -> Self {
        Entry::made(spec, settings, Arc::new(Config::clone), build)
    }

    /// The same FTL, built by a function that receives the same configuration.
    pub fn rebuilt<F: Ftl + 'static>(
        &self,
        spec: Spec,
        build: impl Fn(&Config, &mut Flash) -> Result<F, Error> + Send + Sync + 'static,
    ) -> Self {
        Entry::made(spec, self.settings.clone(), self.adapt.clone(), build)
    }

    /// As [`Entry::built`], under settings that are adapted first.
    fn made<F: Ftl + 'static>(
        spec: Spec,
        settings: Vec<SectionKind>,
        adapt: Arc<Adapt>,
        build: impl Fn(&Config, &mut Flash) -> Result<F, Error> + Send + Sync + 'static,
    ) -> Self {
        let build = move |config: &Config, flash: &mut Flash| Ok(in_loop(build(config, flash)?));
        Entry::adapting(spec, settings, adapt, None, Arc::new(build), |it| Box::new(it))
    }

    fn adapting<F: Ftl + 'static>(
        spec: Spec,
        settings: Vec<SectionKind>,
        adapt: Arc<Adapt>,
        mount: Option<Mount>,
        build: Arc<Make<F>>,
        finish: fn(Simulation<F>) -> Box<dyn Simulator>,
    ) -> Self {
        let build = on_device(spec, settings.clone(), adapt.clone(), build);
        let alone = build.clone();
        let boxed: Arc<Build> =
            Arc::new(move |config, device| Ok(Box::new(alone(config, device)?)));
        let simulate = simulate_by(spec, adapt.clone(), mount.clone(), build, finish);
        Entry { spec, settings, adapt, build: boxed, mount, simulate }
    }

    /// The name on the command line and in results.
    #[must_use]
    pub const fn name(&self) -> &'static str {
        self.spec.name
    }

    /// The configuration under which it runs, with the settings that a variant fixes.
    #[must_use]
    pub fn adapted(&self, config: &Config) -> Config {
        (self.adapt)(config)
    }

    /// The FTL alone on an erased device.
    ///
    /// # Errors
    /// [`Error::Config`] when device or settings cannot work.
    pub fn build(&self, config: &Config, device: &mut Device) -> Result<Box<dyn Ftl>, Error> {
        (self.build)(&self.adapted(config), device)
    }

    /// Whether it can recover after a power cut.
    #[must_use]
    pub const fn recovers(&self) -> bool {
        self.mount.is_some()
    }

    /// The FTL alone on a device after a power cut; `None` for an FTL that cannot recover.
    ///
    /// # Errors
    /// As [`Entry::build`].
    pub fn mount(
        &self,
        config: &Config,
        device: &mut Device,
    ) -> Option<Result<Box<dyn Ftl>, Error>> {
        Some(self.mount.as_ref()?.mount(config, device))
    }

    /// An erased device on which the FTL mounts later.
    ///
    /// # Errors
    /// [`Error::Config`] when the device cannot work, or there is no memory for it and for mounting.
    pub fn device_to_mount(&self, device: &DeviceConfig, capacity: u64) -> Result<Device, Error> {
        memory::check(&self.spec, device, capacity, true)?;
        Device::new(device, capacity)
    }

    /// A whole simulation of a device of `capacity` bytes. The FTL is static inside unless the
    /// build [is quick](IS_QUICK).
    ///
    /// # Errors
    /// [`Error::Config`] when device or settings cannot work.
    pub fn simulate(
        &self,
        config: &Config,
        capacity: u64,
        address: AddressMap,
    ) -> Result<Box<dyn Simulator>, Error> {
        (self.simulate)(config, capacity, address)
    }

    /// Most memory that its simulation takes, B.
    pub(crate) fn bytes(&self, config: &Config, capacity: u64) -> Result<u64, Error> {
        memory::needed(&self.spec, &config.device, capacity, config.run.recovery)
    }

    /// The rows of its own settings.
    #[must_use]
    pub fn rows(&self) -> Vec<Row> {
        self.settings.iter().flat_map(|kind| (kind.rows)()).collect()
    }
}

/// A simulation of an FTL of a known type on a device of `capacity` bytes, reached through
/// `address`.
///
/// # Errors
/// [`Error::Config`] when device or settings cannot work.
pub fn simulation<F: Design>(
    config: &Config,
    capacity: u64,
    address: AddressMap,
) -> Result<Simulation<F>, Error> {
    let mount = mount_of::<F>(F::SPEC, Arc::new(Config::clone));
    let build = |config: &Config, flash: &mut Flash| F::build(&config.setup(), flash);
    let kinds = F::Settings::kinds();
    let build = on_device(F::SPEC, kinds, Arc::new(Config::clone), Arc::new(build));
    simulation_of(&F::SPEC, config, capacity, address, mount.as_ref(), build)
}

/// How an FTL mounts under settings that are adapted first.
fn mount_of<F: Design>(spec: Spec, adapt: Arc<Adapt>) -> Option<Mount> {
    let mount = F::MOUNT?;
    let mount =
        move |config: &Config, flash: &mut Flash| Ok(Box::new(mount(&config.setup(), flash)?) as _);
    Some(Mount::by(on_device(spec, F::Settings::kinds(), adapt, Arc::new(mount))))
}

/// Makes an FTL on a device, under settings that are adapted first. Its own ones are of these kinds.
fn on_device<F>(
    spec: Spec,
    own: Vec<SectionKind>,
    adapt: Arc<Adapt>,
    make: Arc<Make<F>>,
) -> impl Fn(&Config, &mut Device) -> Result<F, Error> + Clone + Send + Sync {
    move |config, device| {
        let received = received(&spec, &*adapt, config)?;
        unless_bug!(OwnUnchecked, received.own.check(&own)?);
        on_device_as(config, device, |flash| make(&received, flash))
    }
}

/// The settings that an FTL receives, with those that a variant fixes. Shared settings that cannot
/// work with any FTL are rejected.
fn received(spec: &Spec, adapt: &Adapt, config: &Config) -> Result<Config, Error> {
    adapt(config).setup::<()>().checked()?;
    Ok(adapt(&config.received(spec)))
}

/// Builds an FTL that expects power cuts as configured. From then on wear is levelled below it.
fn on_device_as<F>(
    config: &Config,
    device: &mut Device,
    build: impl FnOnce(&mut Flash) -> Result<F, Error>,
) -> Result<F, Error> {
    prepare(config, device)?;
    let ftl = build(device)?;
    check_loss_is_counted(config, device)?;
    device.wear_as(&config.wear, &config.device, config.run.seed);
    Ok(ftl)
}

/// Rejects an FTL that loses data where losses are not counted.
fn check_loss_is_counted(config: &Config, flash: &Flash) -> Result<(), Error> {
    if config.run.verify || !flash.loses_data() {
        return Ok(());
    }
    let message = "found false, expected true: this FTL loses data by design, and what it loses is counted by \
                   verification";
    Err(Error::config("run.verify", message))
}

/// What happens to a device before an FTL is built on it.
fn prepare(config: &Config, device: &mut Device) -> Result<(), Error> {
    config.wear.check()?;
    device.await_host();
    if config.ftl.power_safe {
        device.expect_power_cuts();
    }
    Ok(())
}

/// The loop is compiled for each FTL, which is static inside.
#[cfg(not(any(debug_assertions, target_arch = "wasm32")))]
fn in_loop<F>(ftl: F) -> F {
    ftl
}

#[cfg(not(any(debug_assertions, target_arch = "wasm32")))]
fn copyable_in_loop<F>(ftl: F) -> F {
    ftl
}

/// A quick build has one loop for all, and one for those that can be copied.
#[cfg(any(debug_assertions, target_arch = "wasm32"))]
fn in_loop<F: Ftl + 'static>(ftl: F) -> Box<dyn Ftl> {
    Box::new(ftl)
}

#[cfg(any(debug_assertions, target_arch = "wasm32"))]
fn copyable_in_loop<F: Design>(ftl: F) -> Box<dyn CopyableFtl> {
    Box::new(ftl)
}

/// Builds a simulation of the FTL that `build` makes.
fn simulate_by<F: Ftl + 'static>(
    spec: Spec,
    adapt: Arc<Adapt>,
    mount: Option<Mount>,
    build: impl Fn(&Config, &mut Device) -> Result<F, Error> + Send + Sync + 'static,
    finish: fn(Simulation<F>) -> Box<dyn Simulator>,
) -> Arc<Simulate> {
    Arc::new(move |config, capacity, address| {
        let config = adapt(config);
        simulation_of(&spec, &config, capacity, address, mount.as_ref(), &build).map(finish)
    })
}

fn simulation_of<F: Ftl>(
    spec: &Spec,
    config: &Config,
    capacity: u64,
    address: AddressMap,
    mount: Option<&Mount>,
    build: impl Fn(&Config, &mut Device) -> Result<F, Error>,
) -> Result<Simulation<F>, Error> {
    let mut device = erased_device(spec, config, capacity)?;
    let ftl = build(config, &mut device)?;
    let buffer = config.buffer_manager(&device, spec.keeps_writes)?;
    // An FTL that orders its work differently may lose data in a power cut.
    let is_safe = config.ftl.power_safe || !spec.obeys("ftl.power_safe");
    let mount = mount.filter(|_| is_safe).cloned();
    Ok(Simulation::new(spec, config, device, ftl, buffer, address).mounting(mount))
}

/// The device of a simulation, before an FTL is built on it.
fn erased_device(spec: &Spec, config: &Config, capacity: u64) -> Result<Device, Error> {
    memory::check(spec, &config.device, capacity, config.run.recovery)?;
    let mut device = Device::new(&config.device, capacity)?;
    if config.run.recovery {
        if let Some(cycles) = config.device.endurance {
            let message = format!(
                "found {cycles} with run.recovery, expected none: which blocks are worn out is not kept"
            );
            return Err(Error::config("device.endurance", message));
        }
        device.number_versions();
    }
    Ok(device)
}

/// A function that wraps the work of each thread of a session.
#[derive(Clone)]
struct Threads(Arc<Around>);

impl fmt::Debug for Threads {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Threads")
    }
}

/// What can be run.
#[derive(Clone, Debug)]
pub struct Catalog {
    ftls: Vec<Entry>,
    policies: Policies,
    placements: Placements,
    separations: Separations,
    buffers: Buffers,
    threads: Threads,
}

impl Default for Catalog {
    /// No FTL; the victim policies and write buffers of this project.
    fn default() -> Self {
        Catalog {
            ftls: Vec::new(),
            policies: gc::policies(),
            placements: placements(),
            separations: separations(),
            buffers: buffer::buffers(),
            threads: Threads(Arc::new(|work| work())),
        }
    }
}

impl Catalog {
    /// The FTLs of this project, bounds first.
    #[must_use]
    pub fn standard() -> Self {
        Catalog::default()
            .with::<ftl::page::PageFtl>()
            .with::<ftl::hat::Hat>()
            .variant::<ftl::sepbit::Sepbit>()
            .with::<ftl::zones::ZonesFtl>()
            .with::<DemandFtl<Dftl>>()
            .variant::<Dloop>()
            .variant::<DloopHot>()
            .with::<DemandFtl<Cdftl>>()
            .with::<DemandFtl<Sftl>>()
            .with::<Zftl>()
            .with::<DemandFtl<Tpftl>>()
            .with::<DemandFtl<Tpftl<MeasuredUse>>>()
            .with::<PooledFtl<Tree>>()
            .with::<PooledFtl<Aps>>()
            .with::<Cftl>()
            .with::<log_block::block::BlockFtl>()
            .with::<ftl::block_optimized::BlockOptimizedFtl>()
            .with::<log_block::nftl::NftlFtl>()
            .with::<log_block::nftl_chain::NftlChainFtl>()
            .with::<log_block::rnftl::RnftlFtl>()
            .with::<log_block::bast::BastFtl>()
            .with::<log_block::fast::FastByRules>()
            .with::<ftl::cachftl::CachFtl>()
            .with::<log_block::last::LastFtl>()
            .with::<log_block::kast::KastFtl>()
            .with::<log_block::sast::SastFtl>()
            .with::<log_block::aftl::AftlFtl>()
            .with::<log_block::waftl::WaftlFtl>()
            .with::<ftl::mnftl::Mnftl>()
            .with::<ftl::mnftl::hybrid::MnftlHybrid>()
            .with::<ftl::gftl::Gftl>()
            .with::<ftl::superblock::SuperblockFtl>()
    }

    /// The same with another FTL.
    ///
    /// # Panics
    /// As [`Catalog::with_entry`].
    #[must_use]
    pub fn with<F: Design>(self) -> Self {
        self.with_entry(Entry::of::<F>(F::SPEC, Config::clone))
    }

    /// The same with a variant of an FTL.
    ///
    /// # Panics
    /// As [`Catalog::with_entry`].
    #[must_use]
    pub fn variant<V: Variant>(self) -> Self {
        let mut entry = Entry::of::<V::Of>(V::SPEC, |config| {
            let mut setup = config.setup();
            V::set(&mut setup);
            config.with_setup(setup)
        });
        entry.settings.extend(V::kinds());
        self.with_entry(entry)
    }

    /// The same with this FTL added.
    ///
    /// # Panics
    /// When it has no name, its name is taken, or a key of its settings is one of another section.
    #[must_use]
    pub fn with_entry(mut self, entry: Entry) -> Self {
        expect_new("FTL", entry.name(), self.ftls.iter().map(Entry::name));
        self.ftls.push(entry);
        self.expect_keys_once();
        self
    }

    /// The same with another victim policy.
    ///
    /// # Panics
    /// As [`Catalog::with_entry`].
    #[must_use]
    pub fn with_policy(mut self, policy: Named<BuildPolicy>) -> Self {
        self.policies = self.policies.with(policy);
        self.expect_keys_once();
        self
    }

    /// The same with another placement.
    ///
    /// # Panics
    /// As [`Catalog::with_entry`].
    #[must_use]
    pub fn with_placement(mut self, placement: Named<BuildPlacement>) -> Self {
        self.placements = self.placements.with(placement);
        self.expect_keys_once();
        self
    }

    /// The same with another separation.
    ///
    /// # Panics
    /// As [`Catalog::with_entry`].
    #[must_use]
    pub fn with_separation(mut self, separation: Named<BuildSeparation>) -> Self {
        self.separations = self.separations.with(separation);
        self.expect_keys_once();
        self
    }

    /// The same with another write buffer.
    ///
    /// # Panics
    /// As [`Catalog::with_entry`].
    #[must_use]
    pub fn with_buffer(mut self, buffer: Named<BuildBuffer>) -> Self {
        self.buffers = self.buffers.with(buffer);
        self.expect_keys_once();
        self
    }

    /// Rejects two sections that declare one key: the second would never receive what the user
    /// sets.
    fn expect_keys_once(&self) {
        let mut keys = BTreeSet::new();
        for kind in config::sections(&self.own_sections()) {
            for key in kind.keys {
                let is_new = keys.insert((kind.name, *key));
                assert!(is_new, "found two settings called {}.{key}", kind.name);
            }
        }
    }

    /// The same, with the work of each thread of a session done inside `around`. It is for FTLs
    /// that need something on their thread, such as an interpreter. `around` must call its
    /// argument.
    #[must_use]
    pub fn with_threads(
        self,
        around: impl Fn(&mut (dyn FnMut() + Send)) + Send + Sync + 'static,
    ) -> Self {
        Catalog { threads: Threads(Arc::new(around)), ..self }
    }

    /// Does the work of a thread inside the wrapper from [`Catalog::with_threads`].
    pub(crate) fn on_thread<T: Send>(&self, work: impl FnOnce() -> T + Send) -> T {
        let (mut work, mut answer) = (Some(work), None);
        (self.threads.0)(&mut || answer = work.take().map(|work| work()));
        answer.expect("the work of a thread is done")
    }

    /// The same with only one of its FTLs.
    ///
    /// # Errors
    /// [`Error::Unknown`] when there is none of this name.
    pub fn only(&self, ftl: &str) -> Result<Self, Error> {
        Ok(Catalog { ftls: vec![self.find(ftl)?.clone()], ..self.clone() })
    }

    /// All victim policies.
    #[must_use]
    pub const fn policies(&self) -> &Policies {
        &self.policies
    }

    /// All placements.
    #[must_use]
    pub const fn placements(&self) -> &Placements {
        &self.placements
    }

    /// All separations.
    #[must_use]
    pub const fn separations(&self) -> &Separations {
        &self.separations
    }

    /// All write buffers.
    #[must_use]
    pub const fn buffers(&self) -> &Buffers {
        &self.buffers
    }

    /// A configuration that knows the parts of this catalogue, with defaults for everything else.
    #[must_use]
    pub fn config(&self) -> Config {
        Config {
            policies: self.policies.clone(),
            placements: self.placements.clone(),
            separations: self.separations.clone(),
            buffers: self.buffers.clone(),
            ..Config::default()
        }
    }

    /// All FTLs.
    #[must_use]
    pub fn ftls(&self) -> &[Entry] {
        &self.ftls
    }

    /// The FTL called `name`.
    ///
    /// # Errors
    /// [`Error::Unknown`] when there is none.
    pub fn find(&self, name: &str) -> Result<&Entry, Error> {
        let known = || self.ftls.iter().map(Entry::name);
        self.ftls
            .iter()
            .find(|entry| entry.name() == name)
            .ok_or_else(|| Error::unknown("FTL", name, known()))
    }

    /// The FTL called `name`, if it can recover after a power cut.
    ///
    /// # Errors
    /// [`Error::Unknown`] when there is none; [`Error::Config`] when it does not mount.
    pub fn find_mounting(&self, name: &str) -> Result<&Entry, Error> {
        let entry = self.find(name)?;
        if entry.recovers() {
            return Ok(entry);
        }
        let able: Vec<_> = self.ftls.iter().filter(|ftl| ftl.recovers()).map(Entry::name).collect();
        let message = format!("found {name}, expected one that mounts: {}", able.join(", "));
        Err(Error::config("ftl", message))
    }

    /// The kinds of all own sections of policies, placements, separations, buffers and FTLs, each once.
    #[must_use]
    pub fn own_sections(&self) -> Vec<SectionKind> {
        let policies = self.policies.iter().flat_map(|policy| &policy.settings);
        let placements = self.placements.iter().flat_map(|placement| &placement.settings);
        let separations = self.separations.iter().flat_map(|separation| &separation.settings);
        let buffers = self.buffers.iter().flat_map(|buffer| &buffer.settings);
        let ftls = self.ftls.iter().flat_map(|entry| &entry.settings);
        let mut kinds: Vec<SectionKind> = Vec::new();
        for kind in policies.chain(placements).chain(separations).chain(buffers).chain(ftls) {
            if !kinds.contains(kind) {
                kinds.push(*kind);
            }
        }
        kinds
    }

    /// Every setting of a run, section by section.
    #[must_use]
    pub fn rows(&self) -> Vec<Row> {
        let kinds = config::sections(&self.own_sections());
        kinds.iter().flat_map(|kind| (kind.rows)()).collect()
    }

    /// Rejects a tree with a setting of FTLs that none of `ftls` obeys. It ignores settings of a
    /// preset, which is a device for all FTLs.
    ///
    /// # Errors
    /// [`Error::Unknown`] for an FTL that does not exist; [`Error::Config`] for the first such setting.
    pub fn check_obeyed(&self, user: &Table, ftls: &[&str]) -> Result<(), Error> {
        let run: Vec<&Entry> = ftls.iter().map(|name| self.find(name)).collect::<Result<_, _>>()?;
        let of_classes: Vec<String> =
            self.separations.iter().flat_map(Named::rows).map(|row| row.key()).collect();
        let obeys = |entry: &Entry, key: &str| {
            entry.spec.obeys(key)
                || entry.rows().iter().any(|row| row.key() == key)
                || entry.spec.obeys("ftl.separation") && of_classes.iter().any(|own| own == key)
        };
        let tables = user.iter().filter_map(|(section, table)| Some((section, table.as_object()?)));
        let keys = tables.flat_map(|(section, table)| {
            let given = table.iter().filter(|(_, value)| !value.is_null());
            given.map(move |(name, _)| format!("{section}.{name}"))
        });
        for key in keys {
            let obeying: Vec<&Entry> =
                self.ftls.iter().filter(|entry| obeys(entry, &key)).collect();
            if !obeying.is_empty() && !run.iter().any(|entry| obeys(entry, &key)) {
                let names: Vec<&str> = obeying.iter().map(|entry| entry.name()).collect();
                let message = format!(
                    "found a setting that {} ignores, expected one of {}",
                    ftls.join(", "),
                    names.join(", ")
                );
                return Err(Error::config(key, message));
            }
        }
        Ok(())
    }

    /// Resolves a tree of user settings, on top of the preset that it names.
    ///
    /// # Errors
    /// [`Error::Unknown`] for a preset, section or key that does not exist; [`Error::Config`] for a
    /// value that cannot be used.
    pub fn resolve(&self, user: &Table) -> Result<Config, Error> {
        self.config().resolve(user, &self.own_sections())
    }
}

#[cfg(test)]
mod tests {
    use super::Catalog;
    use crate::ftl::demand::{DemandFtl, Dftl};
    use crate::ftl::dloop::Dloop;
    use crate::ftl::page::PageFtl;
    use crate::named::{Named, Spec};
    use crate::settings::Row;
    use std::collections::BTreeSet;

    crate::settings! {
        /// A section that declares a key of another.
        struct Twin in "gc" {
            /// Blocks.
            low: u32 = 3, in 1.., unit "blocks", source "this test";
        }
    }

    #[test]
    #[should_panic(expected = "FTL: found two called page")]
    fn a_second_ftl_of_a_name_is_refused() {
        let _ = Catalog::standard().with::<PageFtl>();
    }

    #[test]
    #[should_panic(expected = "gc.policy: found two called greedy")]
    fn a_second_policy_of_a_name_is_refused() {
        let standard = Catalog::standard();
        let greedy = standard.policies().iter().next().unwrap().clone();
        let _ = standard.with_policy(greedy);
    }

    #[test]
    #[should_panic(expected = "found two settings called gc.low")]
    fn a_second_declaration_of_a_key_is_refused() {
        let catalog = Catalog::standard();
        let lru = catalog.buffers().iter().next().unwrap().clone();
        let spec = Spec { name: "mine", ..lru.spec };
        let _ = catalog.with_buffer(Named::new::<Twin>(spec, lru.build));
    }

    #[test]
    fn ftls_obey_all_shared_settings_and_nothing_else() {
        let catalog = Catalog::standard();
        let is_shared = |row: &Row| ["gc", "ftl", "log"].contains(&row.section);
        let shared = catalog.rows().iter().filter(|row| is_shared(row)).map(Row::key).collect();
        let specs = catalog.ftls().iter().map(|entry| entry.spec);
        let keys = specs.flat_map(|spec| [spec.obeys, spec.rejects].concat().concat());
        assert_eq!(keys.map(str::to_owned).collect::<BTreeSet<String>>(), shared);
    }

    #[test]
    fn ftls_may_share_a_section() {
        let catalog = Catalog::default().with::<DemandFtl<Dftl>>().variant::<Dloop>();
        assert_eq!(catalog.ftls().len(), 2);
    }
}
