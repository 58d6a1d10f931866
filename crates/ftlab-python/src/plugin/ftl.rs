//! An FTL written in Python.

use super::{
    DeviceInfo, Faults, Hearing, LentFlash, Method, Plugin, RuleError, attribute, lasting,
};
use crate::border::ConfigError;
use ftlab::Error;
use ftlab::catalog::Entry;
use ftlab::config::Config;
use ftlab::flash::{Device, Flash};
use ftlab::ftl::design::{CACHE, LOGS};
use ftlab::ftl::{Access, Cleaning, Ftl, FtlMetrics, GcMetrics, IdleSteps, MapPlace, RamUse, Spec};
use ftlab::placement::block_pool::GcCounts;
use ftlab::session::panic_message;
use ftlab::units::Ppn;
use pyo3::prelude::*;
use pyo3::types::PyList;
use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// The metrics by which an FTL reports its GC. With them, its result has a `gc` section like that
/// of other FTLs.
const GC_FIGURES: [&str; 4] = ["gc_runs", "gc_blocks", "gc_valid_pages", "gc_forced_victims"];

/// The expected form of answers.
const BYTES: &str = "bytes, from 0 to 2^64 - 1";
const COUNTS: &str = "a dictionary of names with counts, from 0 to 2^64 - 1";
const PLACE: &str = "the number of a page, or None";

/// The FTL of a plug-in, for a catalogue.
pub fn entry(object: &Bound<'_, PyAny>, plugin: Plugin, name: &'static str) -> PyResult<Entry> {
    let spec = Spec {
        name,
        summary: Plugin::text(object, "summary")?,
        source: Plugin::text(object, "source")?,
        map: match Plugin::text(object, "map")? {
            "ram" => MapPlace::Ram,
            "flash" => MapPlace::Flash,
            "oob" => MapPlace::Oob,
            other => return Err(wrong(name, "map", other, "ram, flash or oob")),
        },
        cleaning: match Plugin::text(object, "cleaning")? {
            "itself" => Cleaning::Itself,
            "collects" => Cleaning::Collects,
            other => return Err(wrong(name, "cleaning", other, "itself or collects")),
        },
        obeys: &[&["gc.low", "gc.high"], CACHE, LOGS],
        opens_least_erased: object.getattr("opens_least_erased")?.extract()?,
        ..Spec::PAGE_LEVEL
    };
    let any_order = match Plugin::text(object, "program_order")? {
        "ascending" => false,
        "any" => true,
        other => return Err(wrong(name, "program_order", other, "ascending or any")),
    };
    let spare: Option<u32> = object.getattr("spare_blocks")?.extract()?;
    Ok(Entry::built(spec, Vec::new(), move |config, flash| {
        // Python code may query planes at any time.
        flash.watch_planes();
        if any_order {
            flash.allow_any_order()?;
        }
        let geometry = flash.geometry();
        let spare = spare.unwrap_or(config.gc.high + 1);
        let least = geometry.logical_blocks().saturating_add(spare);
        if geometry.blocks() < least {
            let message = format!("found {}, {name} needs {least}", geometry.blocks());
            return Err(Error::config("device.blocks", message));
        }
        PythonFtl::build(&plugin, config, flash)
    }))
}

fn wrong(name: &str, what: &str, found: &str, expected: &str) -> PyErr {
    ConfigError::new_err(format!("{name}.{what}: found {found:?}, expected {expected}"))
}

/// An instance of the user's class, its methods looked up once.
pub struct PythonFtl {
    faults: Faults,
    flash: Py<LentFlash>,
    read: Hearing,
    write: Hearing,
    trim: Hearing,
    background: Option<Method>,
    /// Since the last request.
    idle_steps: IdleSteps,
    mapping: Option<Method>,
    metrics: Option<Method>,
    object: Py<PyAny>,
    /// RAM that it stated when it was built, B, if any.
    ram_when_built: Option<u64>,
    /// The values of `metrics` when measuring started.
    before: BTreeMap<&'static str, u64>,
    gc_levels: (u32, u32),
}

impl PythonFtl {
    fn build(plugin: &Plugin, config: &Config, flash: &mut Flash) -> Result<Self, Error> {
        let object = plugin.build((DeviceInfo::new(config, flash),))?;
        let lent = LentFlash::new()?;
        let levels = (config.gc.low, config.gc.high);
        plugin.faults.attempt(|py| {
            let bound = object.bind(py);
            let lent = Bound::new(py, lent)?;
            if let Some(format) = Method::find(bound, "format")? {
                let pages = flash.geometry().logical_pages as usize;
                LentFlash::lend(&lent, flash, pages, || format.call(py, (&lent,)))?;
            }
            Ok(PythonFtl {
                faults: plugin.faults.clone(),
                flash: lent.unbind(),
                read: Hearing::of(bound, "read", 2)?,
                write: Hearing::of(bound, "write", 2)?,
                trim: Hearing::of(bound, "trim", 2)?,
                background: Method::find(bound, "background")?,
                idle_steps: IdleSteps::default(),
                mapping: Method::find(bound, "mapping")?,
                metrics: Method::find(bound, "metrics")?,
                ram_when_built: ram(bound)?,
                object: object.clone_ref(py),
                before: BTreeMap::new(),
                gc_levels: levels,
            })
        })
    }

    fn serve(&self, asked: &Hearing, Access { pages, meta, .. }: Access<'_>, flash: &mut Flash) {
        self.faults.run(|py| {
            let numbers = PyList::new(py, pages.iter().map(|lpn| lpn.0))?;
            let lent = self.flash.bind(py);
            let call = || match asked.told(meta) {
                Some(meta) => asked.method.call(py, (numbers, lent, meta)),
                None => asked.method.call(py, (numbers, lent)),
            };
            LentFlash::lend(lent, flash, pages.len(), call).map(drop)
        });
    }

    fn figures(&self) -> BTreeMap<&'static str, u64> {
        let Some(metrics) = &self.metrics else { return BTreeMap::new() };
        let figures: BTreeMap<String, u64> = self.faults.run(|py| metrics.answer(py, (), COUNTS));
        figures.into_iter().map(|(name, figure)| (lasting(name), figure)).collect()
    }

    /// The larger of its present RAM and that when it was built; `None` if it states none.
    fn stated_ram(&self) -> Option<u64> {
        self.ram_when_built.max(self.faults.run(|py| ram(self.object.bind(py))))
    }

    /// Checks the state of the device, and the map against it.
    fn audit_all(&self, device: &Device) {
        device.audit();
        let Some(mapping) = &self.mapping else { return };
        let pages = device.geometry().pages();
        let map = self.faults.run(|py| {
            let place = |lpn| mapping.answer(py, (lpn,), PLACE);
            (0..device.geometry().logical_pages).map(place).collect::<PyResult<Vec<_>>>()
        });
        device.audit_map(0..map.len() as u32, |lpn| {
            let ppn: Option<u32> = map[lpn.index()];
            assert!(ppn < Some(pages), "{lpn} is mapped to page {ppn:?} of {pages}");
            ppn.map(Ppn)
        });
    }
}

/// RAM that the object states, as an attribute or a method, B; `None` if it states none.
fn ram(object: &Bound<'_, PyAny>) -> PyResult<Option<u64>> {
    match object.getattr_opt("ram")? {
        Some(found) if found.is_callable() => {
            Method::of(object, "ram")?.answer(object.py(), (), BYTES).map(Some)
        }
        _ => attribute(object, "ram", None, BYTES),
    }
}

impl Ftl for PythonFtl {
    fn read(&mut self, access: Access<'_>, flash: &mut Flash) {
        self.idle_steps.restart();
        self.serve(&self.read, access, flash);
    }

    fn write(&mut self, access: Access<'_>, flash: &mut Flash) {
        self.idle_steps.restart();
        self.serve(&self.write, access, flash);
    }

    fn trim(&mut self, access: Access<'_>, flash: &mut Flash) {
        self.idle_steps.restart();
        self.serve(&self.trim, access, flash);
    }

    fn hears_attributes(&self) -> bool {
        self.write.hears()
    }

    fn uses_idle_time(&self) -> bool {
        self.background.is_some()
    }

    fn background(&mut self, flash: &mut Flash) -> bool {
        let Some(background) = &self.background else { return false };
        let steps = self.idle_steps.take(flash.geometry());
        self.faults.run(|py| {
            steps.map_err(|rule| background.breaks(py, &rule))?;
            let lent = self.flash.bind(py);
            let answer = LentFlash::lend(lent, flash, 1, || background.call(py, (lent,)))?;
            answer.is_truthy()
        })
    }

    fn ram(&self) -> RamUse {
        RamUse { tables: self.stated_ram().unwrap_or_default(), ..RamUse::default() }
    }

    fn states_ram(&self) -> bool {
        self.stated_ram().is_some()
    }

    fn metrics(&self) -> FtlMetrics {
        let mut own = self.figures();
        for (name, before) in &self.before {
            own.entry(name).and_modify(|now| *now = now.saturating_sub(*before));
        }
        let [runs, blocks, valid, forced] = GC_FIGURES.map(|name| own.remove(name));
        let (low, high) = self.gc_levels;
        let gc = runs.map(|runs| GcMetrics {
            counts: GcCounts {
                runs,
                data_blocks: blocks.unwrap_or_default(),
                valid_data: valid.unwrap_or_default(),
                forced_victims: forced.unwrap_or_default(),
                ..GcCounts::default()
            },
            low,
            high,
            background_runs: None,
        });
        FtlMetrics { gc, own, ..FtlMetrics::default() }
    }

    fn reset_metrics(&mut self) {
        self.before = self.figures();
    }

    /// A failed audit is an error of the class: a rule that it broke, not a bug of the core.
    fn audit(&self, device: &Device) {
        let held = catch_unwind(AssertUnwindSafe(|| self.audit_all(device)));
        if let Err(panic) = held {
            self.faults.run(|_| Err::<(), _>(RuleError::new_err(panic_message(panic.as_ref()))));
        }
    }
}
