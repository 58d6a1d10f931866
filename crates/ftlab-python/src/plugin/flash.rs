//! The flash as an FTL written in Python uses it: the commands of [`Flash`], under the same names.
//!
//! The device is moved in for the duration of a call and moved back at its end, so nothing is
//! shared. A broken rule becomes a `RuleError`, which ends the run even when the Python code
//! catches it.

use super::{Number, RuleError};
use ftlab::device::DeviceConfig;
use ftlab::flash::{BlockKind, Cause, Device, Flash, Loaded, Owner};
use ftlab::session::panic_message;
use ftlab::units::{Lpn, Pbn, Ppn, Vtpn};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyIterator;
use std::mem;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicU64, Ordering};

/// The most commands of a call, for each page of the device and of the request. More are an endless
/// loop: even a policy that visits all blocks copies each page once.
const MOST_COMMANDS_PER_PAGE: u64 = 10;

/// The rule that iterating over the pages of a request inside itself breaks.
const BEGUN_TWICE: &str = "the access of a page begins once: found begin_each inside begin_each";

/// How many devices were lent.
static DEVICES: AtomicU64 = AtomicU64::new(0);

/// The owner of a page that holds a part of the map.
#[pyclass(frozen, get_all, eq, hash, module = "ftlab._core")]
#[derive(PartialEq, Eq, Hash)]
pub struct TranslationPage {
    /// Number of the translation page.
    vtpn: u32,
}

/// A page that was read into RAM.
#[pyclass(module = "ftlab._core")]
pub struct LoadedPage {
    page: Option<Loaded>,
    /// The number of its device and run.
    device: u64,
}

/// The pages of a request, each with its access begun as it is reached.
#[pyclass(module = "ftlab._core")]
pub struct PageAccesses {
    pages: Py<PyIterator>,
    flash: Py<LentFlash>,
}

#[pymethods]
impl PageAccesses {
    fn __iter__(this: PyRef<'_, Self>) -> PyRef<'_, Self> {
        this
    }

    fn __next__<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        let flash = self.flash.bind(py);
        flash.try_borrow_mut()?.enter()?;
        let next = self.pages.bind(py).clone().next().transpose();
        flash.try_borrow_mut()?.goes_through_pages = false;
        let Some(lpn) = next? else { return Ok(None) };
        flash.try_borrow_mut()?.begin_page()?;
        Ok(Some(lpn))
    }
}

/// The commands of a device, while it is lent.
#[pyclass(name = "Flash", module = "ftlab._core")]
pub struct LentFlash {
    /// The device of the run while it is lent, else a placeholder.
    device: Device,
    lent: bool,
    commands_left: u64,
    /// Whether `begin_each` is requesting the next page.
    goes_through_pages: bool,
    /// The first rule that was broken in this call.
    broken: Option<PyErr>,
    /// Its number, unique in the process.
    number: u64,
}

impl LentFlash {
    pub fn new() -> Result<Self, ftlab::Error> {
        let device = Device::new(&DeviceConfig::default(), 1)?;
        Ok(LentFlash {
            device,
            lent: false,
            commands_left: 0,
            goes_through_pages: false,
            broken: None,
            number: DEVICES.fetch_add(1, Ordering::Relaxed),
        })
    }

    /// Calls `code` while the flash is here, to serve a request of this many pages.
    pub fn lend<T>(
        this: &Bound<'_, Self>,
        flash: &mut Flash,
        pages: usize,
        code: impl FnOnce() -> PyResult<T>,
    ) -> PyResult<T> {
        let most = MOST_COMMANDS_PER_PAGE * u64::from(flash.geometry().pages());
        {
            let mut lent = this.try_borrow_mut()?;
            mem::swap(&mut *lent.device, flash);
            (lent.lent, lent.broken, lent.goes_through_pages) = (true, None, false);
            lent.commands_left = most * (pages as u64 + 1);
        }
        let answer = code();
        let mut lent = this.borrow_mut();
        mem::swap(&mut *lent.device, flash);
        lent.lent = false;
        match (answer, lent.broken.take()) {
            // The error's present text includes the source lines that it had left before it was
            // caught.
            (Ok(_), Some(error)) => {
                Err(PyErr::from_value(error.value(this.py()).clone().into_any()))
            }
            (answer, _) => answer,
        }
    }

    fn here(&self) -> PyResult<&Flash> {
        if self.lent {
            return Ok(&self.device);
        }
        let message = "the flash can be used only inside the call that it was given to";
        Err(RuleError::new_err(message))
    }

    /// Gives a command, which may break a rule.
    #[inline]
    fn command<T>(&mut self, give: impl FnOnce(&mut Flash) -> T) -> PyResult<T> {
        self.here()?;
        let Some(left) = self.commands_left.checked_sub(1) else {
            return Err(self.breaks(
                "a request must end: this one gave more commands than ten for \
                 each page of the device, as an endless loop does"
                    .to_owned(),
            ));
        };
        self.commands_left = left;
        let flash = &mut self.device;
        catch_unwind(AssertUnwindSafe(|| give(flash)))
            .map_err(|panic| self.breaks(panic_message(panic.as_ref())))
    }

    #[cold]
    fn breaks(&mut self, rule: String) -> PyErr {
        let error = RuleError::new_err(rule);
        if self.broken.is_none() {
            self.broken = Some(Python::attach(|py| error.clone_ref(py)));
        }
        error
    }

    /// Begins to request the next page of a request.
    fn enter(&mut self) -> PyResult<()> {
        if mem::replace(&mut self.goes_through_pages, true) {
            return Err(self.breaks(BEGUN_TWICE.to_owned()));
        }
        Ok(())
    }

    #[inline]
    fn within(&mut self, what: &str, number: u32, all: u32) -> PyResult<u32> {
        if number < all {
            return Ok(number);
        }
        self.here()?;
        Err(self.breaks(format!(
            "an address must be on the device: found {what} {number}, the last is {}",
            all - 1
        )))
    }

    #[inline]
    fn page(&mut self, ppn: Number) -> PyResult<Ppn> {
        self.within("page", ppn.0, self.device.geometry().pages()).map(Ppn)
    }

    #[inline]
    fn block(&mut self, pbn: Number) -> PyResult<Pbn> {
        self.within("block", pbn.0, self.device.geometry().blocks()).map(Pbn)
    }

    #[inline]
    fn logical(&mut self, lpn: Number) -> PyResult<Lpn> {
        self.within("logical page", lpn.0, self.device.geometry().logical_pages).map(Lpn)
    }

    /// Gives a command that transfers the content of a page to another one; returns its owner.
    fn transfer(
        &mut self,
        py: Python<'_>,
        (from, to): (Number, Number),
        cause: &str,
        give: fn(&mut Flash, Ppn, Ppn, Cause) -> Owner,
    ) -> PyResult<Py<PyAny>> {
        let (from, to, cause) = (self.page(from)?, self.page(to)?, self::cause(cause)?);
        owner(py, self.command(|flash| give(flash, from, to, cause))?)
    }

    fn translation(&mut self, vtpn: Number) -> PyResult<Vtpn> {
        let all = self.device.geometry().translation_pages();
        self.within("translation page", vtpn.0, all).map(Vtpn)
    }
}

/// The owner of a page: the number of a logical page, or a translation page.
fn owner(py: Python<'_>, owner: Owner) -> PyResult<Py<PyAny>> {
    match owner {
        Owner::Data(lpn) => Ok(lpn.0.into_pyobject(py)?.into_any().unbind()),
        Owner::Translation(vtpn) => {
            Ok(TranslationPage { vtpn: vtpn.0 }.into_pyobject(py)?.into_any().unbind())
        }
    }
}

fn cause(name: &str) -> PyResult<Cause> {
    let found = Cause::ALL.into_iter().find(|cause| cause.name() == name);
    found.ok_or_else(|| {
        let known = Cause::ALL.map(Cause::name).join(", ");
        PyValueError::new_err(format!("found cause {name:?}, expected one of {known}"))
    })
}

fn kind(name: &str) -> PyResult<BlockKind> {
    let found = BlockKind::ALL.into_iter().find(|kind| kind.name() == name);
    found.ok_or_else(|| {
        let known = BlockKind::ALL.map(BlockKind::name).join(", ");
        PyValueError::new_err(format!("found kind {name:?}, expected one of {known}"))
    })
}

#[pymethods]
impl LentFlash {
    /// Starts the next page access of the request: called once for each page.
    fn begin_page(&mut self) -> PyResult<()> {
        self.command(Flash::begin_page)
    }

    /// Goes through the pages of a request, and starts the access of each.
    fn begin_each(this: Bound<'_, Self>, pages: &Bound<'_, PyAny>) -> PyResult<PageAccesses> {
        if pages.is_instance_of::<PageAccesses>() {
            return Err(this.try_borrow_mut()?.breaks(BEGUN_TWICE.to_owned()));
        }
        Ok(PageAccesses { pages: pages.try_iter()?.unbind(), flash: this.unbind() })
    }

    /// Makes all that follows in this request wait for what this page access has done so far.
    fn hold_later_pages(&mut self) -> PyResult<()> {
        self.command(Flash::hold_later_pages)
    }

    /// Serves a host read of a logical page from where its newest version is; None if it holds no data.
    #[pyo3(signature = (lpn, ppn))]
    fn host_read(&mut self, lpn: Number, ppn: Option<Number>) -> PyResult<()> {
        let lpn = self.logical(lpn)?;
        let ppn = ppn.map(|ppn| self.page(ppn)).transpose()?;
        self.command(|flash| flash.host_read(lpn, ppn))
    }

    /// Reads a page and its OOB; returns what it holds.
    #[pyo3(signature = (ppn, cause))]
    fn read(&mut self, py: Python<'_>, ppn: Number, cause: &str) -> PyResult<Py<PyAny>> {
        let (ppn, cause) = (self.page(ppn)?, self::cause(cause)?);
        owner(py, self.command(|flash| flash.read(ppn, cause))?)
    }

    /// Reads the OOB of a page; returns what the page holds.
    #[pyo3(signature = (ppn, cause))]
    fn read_oob(&mut self, py: Python<'_>, ppn: Number, cause: &str) -> PyResult<Py<PyAny>> {
        let (ppn, cause) = (self.page(ppn)?, self::cause(cause)?);
        owner(py, self.command(|flash| flash.read_oob(ppn, cause))?)
    }

    /// Programs a page with a logical page; for the host it is a new version.
    #[pyo3(signature = (ppn, lpn, cause="host"))]
    fn program(&mut self, ppn: Number, lpn: Number, cause: &str) -> PyResult<()> {
        let (ppn, lpn, cause) = (self.page(ppn)?, self.logical(lpn)?, self::cause(cause)?);
        self.command(|flash| flash.program(ppn, Owner::Data(lpn), cause))
    }

    /// Programs a page with a part of the map.
    #[pyo3(signature = (ppn, vtpn, cause="translation"))]
    fn program_translation(&mut self, ppn: Number, vtpn: Number, cause: &str) -> PyResult<()> {
        let (ppn, vtpn, cause) = (self.page(ppn)?, self.translation(vtpn)?, self::cause(cause)?);
        self.command(|flash| flash.program(ppn, Owner::Translation(vtpn), cause))
    }

    /// Copies a valid page, both copies being valid; returns what it holds.
    #[pyo3(signature = (from_page, to_page, cause="gc_data"))]
    fn copy(
        &mut self,
        py: Python<'_>,
        from_page: Number,
        to_page: Number,
        cause: &str,
    ) -> PyResult<Py<PyAny>> {
        self.transfer(py, (from_page, to_page), cause, Flash::copy)
    }

    /// Copies a valid page and invalidates the old copy; returns what it holds.
    #[pyo3(signature = (from_page, to_page, cause="gc_data"))]
    fn relocate(
        &mut self,
        py: Python<'_>,
        from_page: Number,
        to_page: Number,
        cause: &str,
    ) -> PyResult<Py<PyAny>> {
        self.transfer(py, (from_page, to_page), cause, Flash::relocate)
    }

    /// Copies a valid page inside its plane without the bus; returns what it holds.
    #[pyo3(signature = (from_page, to_page, cause="gc_data"))]
    fn copy_back(
        &mut self,
        py: Python<'_>,
        from_page: Number,
        to_page: Number,
        cause: &str,
    ) -> PyResult<Py<PyAny>> {
        self.transfer(py, (from_page, to_page), cause, Flash::copy_back)
    }

    /// The same, and invalidates the old copy.
    #[pyo3(signature = (from_page, to_page, cause="gc_data"))]
    fn move_back(
        &mut self,
        py: Python<'_>,
        from_page: Number,
        to_page: Number,
        cause: &str,
    ) -> PyResult<Py<PyAny>> {
        self.transfer(py, (from_page, to_page), cause, Flash::move_back)
    }

    /// Reads a valid page into RAM, so that its block can be erased before it is stored.
    #[pyo3(signature = (ppn, cause))]
    fn load(&mut self, ppn: Number, cause: &str) -> PyResult<LoadedPage> {
        let (ppn, cause) = (self.page(ppn)?, self::cause(cause)?);
        let page = self.command(|flash| flash.load(ppn, cause))?;
        Ok(LoadedPage { page: Some(page), device: self.number })
    }

    /// Programs a page from RAM.
    #[pyo3(signature = (ppn, loaded, cause))]
    fn store(&mut self, ppn: Number, loaded: &mut LoadedPage, cause: &str) -> PyResult<()> {
        let (ppn, cause) = (self.page(ppn)?, self::cause(cause)?);
        if loaded.device != self.number {
            return Err(
                self.breaks("a page is stored on the device that it was loaded from".to_owned())
            );
        }
        let Some(page) = loaded.page.take() else {
            return Err(self.breaks("a page that was loaded is stored once".to_owned()));
        };
        self.command(|flash| flash.store(ppn, page, cause))
    }

    /// Skips the next page of a block.
    fn waste(&mut self, ppn: Number) -> PyResult<()> {
        let ppn = self.page(ppn)?;
        self.command(|flash| flash.waste(ppn))
    }

    /// Erases a block that has no valid page.
    #[pyo3(signature = (pbn, kind="data", cause="gc_data"))]
    fn erase(&mut self, pbn: Number, kind: &str, cause: &str) -> PyResult<()> {
        let (pbn, kind, cause) = (self.block(pbn)?, self::kind(kind)?, self::cause(cause)?);
        self.command(|flash| flash.erase(pbn, kind, cause))
    }

    /// Marks a valid page as superseded; returns its block.
    fn invalidate(&mut self, ppn: Number) -> PyResult<u32> {
        let ppn = self.page(ppn)?;
        self.command(|flash| flash.invalidate(ppn).0)
    }

    /// Trims a logical page: the host no longer needs it.
    fn trim(&mut self, lpn: Number) -> PyResult<()> {
        let lpn = self.logical(lpn)?;
        self.command(|flash| flash.trim(lpn))
    }

    /// The valid pages of a block, ascending.
    fn valid_pages(&mut self, pbn: Number) -> PyResult<Vec<u32>> {
        let pbn = self.block(pbn)?;
        let flash = self.here()?;
        let mut pages = flash.valid_pages(pbn);
        Ok(std::iter::from_fn(|| pages.next(flash)).map(|ppn| ppn.0).collect())
    }

    /// Valid pages in a block.
    fn valid_in(&mut self, pbn: Number) -> PyResult<u32> {
        let pbn = self.block(pbn)?;
        Ok(self.here()?.valid_in(pbn))
    }

    /// Whether a page is programmed and not invalidated.
    fn is_valid(&mut self, ppn: Number) -> PyResult<bool> {
        let ppn = self.page(ppn)?;
        Ok(self.here()?.is_valid(ppn))
    }

    /// Whether a page is programmed or skipped, valid or not.
    fn is_programmed(&mut self, ppn: Number) -> PyResult<bool> {
        let ppn = self.page(ppn)?;
        Ok(self.here()?.is_programmed(ppn))
    }

    /// Pages of a block that are programmed, valid or not.
    fn programmed_in(&mut self, pbn: Number) -> PyResult<u32> {
        let pbn = self.block(pbn)?;
        Ok(self.here()?.programmed_in(pbn))
    }

    /// Pages of a block: fewer than all in SLC mode.
    fn pages_of(&mut self, pbn: Number) -> PyResult<u32> {
        let pbn = self.block(pbn)?;
        Ok(self.here()?.pages_of(pbn))
    }

    /// Whether no page of a block can be programmed before it is erased.
    fn is_full(&mut self, pbn: Number) -> PyResult<bool> {
        let pbn = self.block(pbn)?;
        Ok(self.here()?.is_full(pbn))
    }

    /// Whether a block has no programmed page.
    fn is_erased(&mut self, pbn: Number) -> PyResult<bool> {
        let pbn = self.block(pbn)?;
        Ok(self.here()?.is_erased(pbn))
    }

    /// The next page of a block to program, if its pages are programmed in order.
    fn next_page(&mut self, pbn: Number) -> PyResult<u32> {
        let pbn = self.block(pbn)?;
        Ok(self.here()?.next_page(pbn).0)
    }

    /// Erases that a block has had, warm-up included.
    fn erases_of(&mut self, pbn: Number) -> PyResult<u32> {
        let pbn = self.block(pbn)?;
        Ok(self.here()?.erases_of(pbn))
    }

    /// The time at which a plane and its channel complete all their operations, ns.
    fn plane_free_at(&mut self, plane: Number) -> PyResult<u64> {
        let plane = self.within("plane", plane.0, self.device.geometry().planes())?;
        Ok(self.here()?.plane_free_at(plane))
    }
}
