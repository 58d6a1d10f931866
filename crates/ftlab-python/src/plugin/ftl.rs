//! An FTL written in Python.

use super::{DeviceInfo, Faults, LentFlash, Plugin, RuleError, lasting, method};
use crate::border::ConfigError;
use ftlab::Error;
use ftlab::catalog::Entry;
use ftlab::config::Config;
use ftlab::flash::{Device, Flash};
use ftlab::ftl::parts::block_pool::GcCounts;
use ftlab::ftl::{Cleaning, Ftl, FtlMetrics, GcMetrics, MapPlace, RamUse, Spec};
use ftlab::session::panic_message;
use ftlab::units::{Lpn, Ppn};
use pyo3::prelude::*;
use pyo3::types::PyList;
use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// The figures by which an FTL tells of its GC: then it has a `gc` section in its result, as others do.
const GC_FIGURES: [&str; 4] = ["gc_runs", "gc_blocks", "gc_valid_pages", "gc_forced_victims"];

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
            other => return Err(wrong("map", other, "ram, flash or oob")),
        },
        cleaning: match Plugin::text(object, "cleaning")? {
            "itself" => Cleaning::Itself,
            "collects" => Cleaning::Collects,
            other => return Err(wrong("cleaning", other, "itself or collects")),
        },
        obeys: &["gc.low", "gc.high", "ftl.cache"],
        opens_least_erased: object.getattr("opens_least_erased")?.extract()?,
        ..Spec::PAGE_LEVEL
    };
    let any_order = match Plugin::text(object, "program_order")? {
        "ascending" => false,
        "any" => true,
        other => return Err(wrong("program_order", other, "ascending or any")),
    };
    let spare: Option<u32> = object.getattr("spare_blocks")?.extract()?;
    Ok(Entry::built(spec, Vec::new(), move |config, flash| {
        if any_order {
            flash.allow_any_order()?;
        }
        let geometry = flash.geometry();
        let least = geometry.logical_blocks() + spare.unwrap_or(config.gc.high + 1);
        if geometry.blocks() < least {
            let message = format!("found {}, {name} needs {least}", geometry.blocks());
            return Err(Error::config("device.blocks", message));
        }
        PythonFtl::build(&plugin, config, flash)
    }))
}

fn wrong(what: &str, found: &str, expected: &str) -> PyErr {
    ConfigError::new_err(format!("{what}: found {found:?}, expected {expected}"))
}

/// An instance of the user's class, its methods looked up once.
pub struct PythonFtl {
    faults: Faults,
    flash: Py<LentFlash>,
    read: Py<PyAny>,
    write: Py<PyAny>,
    trim: Py<PyAny>,
    background: Option<Py<PyAny>>,
    mapping: Option<Py<PyAny>>,
    metrics: Option<Py<PyAny>>,
    object: Py<PyAny>,
    /// Bytes of RAM that it said it uses when it was built, if it did.
    ram_when_built: Option<u64>,
    /// What `metrics` said when measuring started.
    before: BTreeMap<&'static str, u64>,
    gc_levels: (u32, u32),
}

impl PythonFtl {
    fn build(plugin: &Plugin, config: &Config, flash: &mut Flash) -> Result<Self, Error> {
        let object = plugin.build((DeviceInfo::new(config, flash),))?;
        let lent = LentFlash::new()?;
        let levels = (config.gc.low, config.gc.high);
        Python::attach(|py| {
            let bound = object.bind(py);
            let lent = Bound::new(py, lent)?;
            if let Some(format) = method(bound, "format")? {
                let pages = flash.geometry().logical_pages as usize;
                LentFlash::lend(&lent, flash, pages, || format.call1(py, (&lent,)))?;
            }
            Ok(PythonFtl {
                faults: plugin.faults.clone(),
                flash: lent.unbind(),
                read: bound.getattr("read")?.unbind(),
                write: bound.getattr("write")?.unbind(),
                trim: bound.getattr("trim")?.unbind(),
                background: method(bound, "background")?,
                mapping: method(bound, "mapping")?,
                metrics: method(bound, "metrics")?,
                ram_when_built: ram(bound)?,
                object: object.clone_ref(py),
                before: BTreeMap::new(),
                gc_levels: levels,
            })
        })
        .map_err(|error| Python::attach(|py| Error::Internal(plugin.faults.keep(py, error))))
    }

    fn serve(&self, method: &Py<PyAny>, pages: &[Lpn], flash: &mut Flash) {
        self.faults.run(|py| {
            let numbers = PyList::new(py, pages.iter().map(|lpn| lpn.0))?;
            let lent = self.flash.bind(py);
            LentFlash::lend(lent, flash, pages.len(), || method.bind(py).call1((numbers, lent)))
                .map(drop)
        });
    }

    fn figures(&self) -> BTreeMap<&'static str, u64> {
        let Some(metrics) = &self.metrics else { return BTreeMap::new() };
        let figures: BTreeMap<String, u64> = self.faults.run(|py| metrics.call0(py)?.extract(py));
        figures.into_iter().map(|(name, figure)| (lasting(name), figure)).collect()
    }

    /// The most that it says it uses, now or when it was built; `None` where it says nothing.
    fn stated_ram(&self) -> Option<u64> {
        self.ram_when_built.max(self.faults.run(|py| ram(self.object.bind(py))))
    }

    /// Checks the state of the device, and the map against it.
    fn audit_all(&self, device: &Device) {
        device.audit();
        let Some(mapping) = &self.mapping else { return };
        let pages = device.geometry().pages();
        let map = self.faults.run(|py| {
            let mapping = mapping.bind(py);
            let place = |lpn| mapping.call1((lpn,))?.extract::<Option<u32>>();
            (0..device.geometry().logical_pages).map(place).collect::<PyResult<Vec<_>>>()
        });
        device.audit_map(0..map.len() as u32, |lpn| {
            let ppn = map[lpn.index()];
            assert!(ppn < Some(pages), "{lpn} is mapped to page {ppn:?} of {pages}");
            ppn.map(Ppn)
        });
    }
}

/// Bytes of RAM that the object says it uses, as an attribute or a method; `None` where it says nothing.
fn ram(object: &Bound<'_, PyAny>) -> PyResult<Option<u64>> {
    match object.getattr_opt("ram")? {
        None => Ok(None),
        Some(method) if method.is_callable() => method.call0()?.extract(),
        Some(bytes) => bytes.extract(),
    }
}

impl Ftl for PythonFtl {
    fn read(&mut self, pages: &[Lpn], flash: &mut Flash) {
        self.serve(&self.read, pages, flash);
    }

    fn write(&mut self, pages: &[Lpn], flash: &mut Flash) {
        self.serve(&self.write, pages, flash);
    }

    fn trim(&mut self, pages: &[Lpn], flash: &mut Flash) {
        self.serve(&self.trim, pages, flash);
    }

    fn uses_idle_time(&self) -> bool {
        self.background.is_some()
    }

    fn background(&mut self, flash: &mut Flash) -> bool {
        let Some(background) = &self.background else { return false };
        self.faults.run(|py| {
            let lent = self.flash.bind(py);
            let answer = LentFlash::lend(lent, flash, 1, || background.bind(py).call1((lent,)))?;
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

    /// What does not hold is a mistake of the class: a rule that it broke, not a bug of the core.
    fn audit(&self, device: &Device) {
        let held = catch_unwind(AssertUnwindSafe(|| self.audit_all(device)));
        if let Err(panic) = held {
            self.faults.run(|_| Err::<(), _>(RuleError::new_err(panic_message(panic.as_ref()))));
        }
    }
}
