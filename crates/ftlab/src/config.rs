//! The configuration of a run: one tree, typed once, every default with its source.
//!
//! A tree comes from a preset (the device of a paper), overridden by the user's file, flags or
//! `--set section.key=value`. Unknown keys are errors. The resolved tree is part of every result.

use crate::buffer::{self, BufferConfig, BufferManager, Buffers};
use crate::device::{DeviceConfig, presets};
use crate::error::Error;
use crate::flash::{Flash, WearConfig};
use crate::ftl::{self, Setup, Spec};
use crate::gc::{self, GcConfig, Policies};
use crate::host::HostConfig;
use crate::metrics::energy::EnergyConfig;
use crate::placement::allocation::{Placements, placements};
use crate::placement::separation::{Separations, TOGETHER, separations};
use crate::run::RunConfig;
use crate::settings::{Group, Section, SectionKind, Sections, Table, expect_empty, table_of, take};
use crate::trace::InputConfig;
use crate::workload::WorkloadConfig;
use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};
use serde_json::{Map, Value};

/// Everything that determines a run, apart from the list of FTLs to compare.
#[derive(Clone, Debug, PartialEq)]
pub struct Config {
    /// The preset that the tree started from.
    pub preset: Option<String>,
    /// The NAND device.
    pub device: DeviceConfig,
    /// Wear levelling, below every FTL.
    pub wear: WearConfig,
    /// Garbage collection, shared by all page-level FTLs.
    pub gc: GcConfig,
    /// The write buffer above the FTL.
    pub buffer: BufferConfig,
    /// What all page-level FTLs share.
    pub ftl: ftl::FtlConfig,
    /// What log-block FTLs share.
    pub log: ftl::LogConfig,
    /// What the device draws while it works.
    pub energy: EnergyConfig,
    /// How requests reach the device.
    pub host: HostConfig,
    /// The trace or profile that is run.
    pub input: InputConfig,
    /// The generated workload that is run when there is no trace.
    pub workload: WorkloadConfig,
    /// How a run is prepared and measured.
    pub run: RunConfig,
    /// The own settings of FTLs, policies and buffers, as the catalogue knows them.
    pub own: Sections,
    /// The victim policies that can be named.
    pub policies: Policies,
    /// The placements that can be named.
    pub placements: Placements,
    /// The separations that can be named.
    pub separations: Separations,
    /// The write buffers that can be named.
    pub buffers: Buffers,
}

impl Default for Config {
    fn default() -> Self {
        Config {
            preset: None,
            device: DeviceConfig::default(),
            wear: WearConfig::default(),
            gc: GcConfig::default(),
            buffer: BufferConfig::default(),
            ftl: ftl::FtlConfig::default(),
            log: ftl::LogConfig::default(),
            energy: EnergyConfig::default(),
            host: HostConfig::default(),
            input: InputConfig::default(),
            workload: WorkloadConfig::default(),
            run: RunConfig::default(),
            own: Sections::default(),
            policies: gc::policies(),
            placements: placements(),
            separations: separations(),
            buffers: buffer::buffers(),
        }
    }
}

/// The sections that every run has, in the order of messages and results, with those of FTLs between.
const FIXED: [fn() -> SectionKind; 11] = [
    SectionKind::of::<DeviceConfig>,
    SectionKind::of::<WearConfig>,
    SectionKind::of::<GcConfig>,
    SectionKind::of::<BufferConfig>,
    SectionKind::of::<ftl::FtlConfig>,
    SectionKind::of::<ftl::LogConfig>,
    SectionKind::of::<EnergyConfig>,
    SectionKind::of::<HostConfig>,
    SectionKind::of::<InputConfig>,
    SectionKind::of::<WorkloadConfig>,
    SectionKind::of::<RunConfig>,
];

/// How many of [`FIXED`] come before those of FTLs.
const BEFORE_OWN: usize = 6;

/// All kinds of sections of a run, those of FTLs among them.
#[must_use]
pub fn sections(own: &[SectionKind]) -> Vec<SectionKind> {
    let fixed = FIXED.map(|kind| kind());
    let (before, behind) = fixed.split_at(BEFORE_OWN);
    [before, own, behind].concat()
}

impl Serialize for Config {
    /// As the tree that resolves to it.
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        let mut tables: Vec<(&str, Table)> = Vec::new();
        let mut add = |name, table: Table| match tables.iter_mut().find(|(known, _)| *known == name)
        {
            Some((_, known)) => known.extend(table),
            None => tables.push((name, table)),
        };
        add("device", table_of(&self.device));
        add("wear", table_of(&self.wear));
        add("gc", table_of(&self.gc));
        add("buffer", table_of(&self.buffer));
        add("ftl", table_of(&self.ftl));
        add("log", table_of(&self.log));
        self.own.tables().for_each(|(name, table)| add(name, table));
        add("energy", table_of(&self.energy));
        add("host", table_of(&self.host));
        add("input", table_of(&self.input));
        add("workload", table_of(&self.workload));
        add("run", table_of(&self.run));
        let mut tree = to.serialize_map(Some(1 + tables.len()))?;
        tree.serialize_entry("preset", &self.preset)?;
        for (name, table) in &tables {
            tree.serialize_entry(name, table)?;
        }
        tree.end()
    }
}

impl Config {
    /// What an FTL with such settings is built from.
    #[must_use]
    pub fn setup<G: Group>(&self) -> Setup<G> {
        Setup {
            device: self.device.clone(),
            gc: self.gc.clone(),
            ftl: self.ftl.clone(),
            log: self.log.clone(),
            own: G::of(&self.own),
            seed: self.run.seed,
            policies: self.policies.clone(),
            placements: self.placements.clone(),
            separations: self.separations.clone(),
            settings: self.own.clone(),
        }
    }

    /// The settings that an FTL receives: its own, those of the run, and the shared ones that it
    /// obeys or rejects. All other shared ones have their defaults, so that they change nothing.
    #[must_use]
    pub fn received(&self, spec: &Spec) -> Self {
        fn of<T: Section>(spec: &Spec, section: &T) -> T {
            let receives = |key: &str| spec.obeys(key) || spec.rejects(key);
            unless_bug!(UnobeyedReceived, section.kept(receives, &T::default()), section.clone())
        }
        let (gc, ftl, log) = (of(spec, &self.gc), of(spec, &self.ftl), of(spec, &self.log));
        Config { gc, ftl, log, ..self.clone() }
    }

    /// The write buffer above an FTL that may keep writes in RAM, too; `None` for none.
    ///
    /// # Errors
    /// [`Error::Config`] when it cannot work with its size on this device.
    pub fn buffer_manager(
        &self,
        flash: &Flash,
        ftl_keeps_writes: bool,
    ) -> Result<Option<BufferManager>, Error> {
        let Some(named) = buffer::find(&self.buffers, &self.buffer)? else { return Ok(None) };
        let geometry = flash.geometry();
        let policy = named.checked(&self.own)?(&self.buffer, &self.own, geometry)?;
        Ok(Some(BufferManager::new(
            policy,
            self.buffer.size.0,
            &self.device,
            geometry,
            ftl_keeps_writes,
            self.ftl.separation != TOGETHER,
        )))
    }

    /// The part that decides how a device and an FTL are when the warm-up ends: all else has its
    /// defaults. Where the input is served, its order counts. Its times do not, unless a policy or
    /// an FTL [uses them](crate::simulate::Simulator::used_times).
    #[must_use]
    pub fn before_measuring(&self) -> Self {
        let (run, host) = (&self.run, &self.host);
        let reads = run.warmup.reads_the_input();
        let run = RunConfig { samples: 0, causes: false, ..run.clone() };
        let energy = EnergyConfig::default();
        let mut config = Config { preset: None, energy, run, ..self.clone() };
        config.host = match reads && host.keeps_order() {
            true => HostConfig { split: host.split, ..HostConfig::default() },
            false if reads => host.clone(),
            false => HostConfig::default(),
        };
        // Without a capacity, the device is as large as the input.
        if !reads && self.device.capacity.is_some() {
            config.input = InputConfig::default();
            config.workload = WorkloadConfig::default();
            config.run.address = RunConfig::default().address;
        }
        config
    }

    /// The same configuration with another set-up of the FTL.
    #[must_use]
    pub fn with_setup<G: Group>(&self, setup: Setup<G>) -> Self {
        let Setup { device, gc, ftl, log, own, .. } = setup;
        let mut config = Config { device, gc, ftl, log, ..self.clone() };
        own.put(&mut config.own);
        config
    }

    /// Resolves a tree of user settings, on top of the preset that it names, with `own` sections of FTLs.
    pub(crate) fn resolve(self, user: &Table, own: &[SectionKind]) -> Result<Config, Error> {
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
        let config = Config {
            preset,
            device: take(&mut tree)?,
            wear: take(&mut tree)?,
            gc: take(&mut tree)?,
            buffer: take(&mut tree)?,
            ftl: take(&mut tree)?,
            log: take(&mut tree)?,
            energy: take(&mut tree)?,
            host: take(&mut tree)?,
            input: take(&mut tree)?,
            workload: take(&mut tree)?,
            run: take(&mut tree)?,
            own: Sections::take(own, &mut tree)?,
            ..self
        };
        let known: Vec<_> = sections(own).iter().map(|kind| (kind.name, kind.keys)).collect();
        expect_empty(&tree, &known)?;
        config.policies.find(&config.gc.policy, &[])?;
        config.placements.find(&config.ftl.placement, &[])?;
        config.separations.find(&config.ftl.separation, &[])?;
        buffer::find(&config.buffers, &config.buffer)?;
        Ok(config)
    }
}

/// Lays `over` on `base`, table by table.
pub fn merge(base: &mut Map<String, Value>, over: &Map<String, Value>) {
    for (key, value) in over {
        match (base.get_mut(key), value) {
            (Some(Value::Object(below)), Value::Object(above)) => merge(below, above),
            _ => {
                base.insert(key.clone(), value.clone());
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::catalog::Catalog;
    use crate::host::HostMode;
    use crate::rng::Rng;
    use crate::units::{Bytes, Duration};

    #[test]
    fn every_setting_says_what_it_means_and_where_its_default_comes_from() {
        for row in Catalog::standard().rows() {
            assert!(row.meaning.ends_with('.'), "{}: {}", row.key(), row.meaning);
            assert!(!row.default.is_empty(), "{}", row.key());
            assert!(!row.source.is_empty(), "{}", row.key());
        }
    }

    #[test]
    fn the_defaults_of_every_section_pass_its_check_and_are_taken_back() {
        let kinds = sections(&Catalog::standard().own_sections());
        let empty = |kind: &SectionKind| (kind.name.to_owned(), Value::Object(Map::new()));
        let checked = Sections::take(&kinds, &mut kinds.iter().map(empty).collect());
        let defaults = checked.expect("good defaults");
        let mut tree = tree_of(&defaults);
        assert_eq!(Sections::take(&kinds, &mut tree).expect("as they were"), defaults);
        let left = tree.values().filter(|table| **table != Value::Object(Map::new()));
        assert_eq!(left.count(), 0, "{tree:?}");
    }

    #[test]
    fn the_laws_draw_what_a_section_accepts() {
        for kind in sections(&Catalog::standard().own_sections()) {
            let mut rng = Rng::new(1, kind.name);
            let accepted = (0..100).filter(|_| {
                let mut drawn = Sections::default();
                drawn.draw(&[kind], &mut rng);
                Sections::take(&[kind], &mut tree_of(&drawn)).is_ok()
            });
            let accepted = accepted.count();
            assert!(accepted >= 50, "{accepted} of 100 draws of {}", kind.name);
        }
    }

    /// The tables of sections, of which several may share one.
    fn tree_of(sections: &Sections) -> Table {
        let mut tree = Table::new();
        for (name, table) in sections.tables() {
            merge(&mut tree, &Table::from_iter([(name.to_owned(), Value::Object(table))]));
        }
        tree
    }

    fn resolve(json: &str) -> Result<Config, String> {
        Catalog::standard()
            .resolve(&serde_json::from_str(json).expect("test JSON"))
            .map_err(|e| e.to_string())
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
            (
                r#"{"gc": {"policy": "gready"}}"#,
                "unknown gc.policy \"gready\" (did you mean \"greedy\"?); known: greedy, ",
            ),
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
