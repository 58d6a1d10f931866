//! What the host was promised, and a device that is held to it.

use crate::flash::Device;
use crate::ftl::Ftl;
use crate::request::Op;
use crate::units::Lpn;

/// A request that was served.
pub struct Served {
    /// What it did.
    pub op: Op,
    /// The pages that it did it with.
    pub pages: Vec<Lpn>,
    /// Changes of the medium when it was acknowledged.
    pub changes: usize,
    /// Of each of its pages, the version after it.
    pub versions: Vec<Option<u16>>,
}

/// What each logical page may be after a cut. Trims are hints: a page that was trimmed may come back as it was.
#[derive(Clone)]
pub struct Durable {
    /// What was acknowledged.
    versions: Vec<Option<u16>>,
    /// Whether it was trimmed, or lost with another, so that any older version may come back.
    unsure: Vec<bool>,
}

impl Durable {
    /// Of a device that nothing was written to.
    #[must_use]
    pub fn nothing(pages: u32) -> Self {
        Durable { versions: vec![None; pages as usize], unsure: vec![false; pages as usize] }
    }

    /// Logical pages.
    #[must_use]
    pub const fn pages(&self) -> u32 {
        self.versions.len() as u32
    }

    /// Takes note of a request that was acknowledged.
    pub fn note(&mut self, served: &Served) {
        for (lpn, after) in served.pages.iter().zip(&served.versions) {
            match served.op {
                Op::Read => {}
                Op::Write => {
                    self.versions[lpn.index()] = *after;
                    self.unsure[lpn.index()] = false;
                }
                Op::Trim => self.unsure[lpn.index()] = true,
            }
        }
    }

    /// The same, when a cut has destroyed the newest versions of these pages.
    #[must_use]
    pub fn without(&self, lost: &[Lpn]) -> Self {
        let mut durable = self.clone();
        lost.iter().for_each(|lpn| durable.unsure[lpn.index()] = true);
        durable
    }

    /// Whether a page may have a version, when a cut has interrupted a request.
    fn allows(&self, lpn: Lpn, found: Option<u16>, interrupted: Option<&Served>) -> bool {
        let during = interrupted.and_then(|request| {
            let place = request.pages.iter().position(|page| *page == lpn)?;
            Some((request.op, request.versions[place]))
        });
        found == self.versions[lpn.index()]
            || self.unsure[lpn.index()]
            || during.is_some_and(|(op, after)| op == Op::Trim || after == found)
    }
}

/// A device with its FTL under requests.
pub struct Host {
    /// The device.
    pub device: Device,
    /// The FTL on it.
    pub ftl: Box<dyn Ftl>,
}

impl Host {
    /// Serves a request, which is issued when the one before it is complete.
    pub fn serve(&mut self, op: Op, pages: Vec<Lpn>) -> Served {
        let timeline = self.device.timeline_mut();
        timeline.issue(timeline.served().end);
        match op {
            Op::Read => self.ftl.read(&pages, &mut self.device),
            Op::Write => self.ftl.write(&pages, &mut self.device),
            Op::Trim => self.ftl.trim(&pages, &mut self.device),
        }
        let versions = pages.iter().map(|lpn| self.device.version(*lpn)).collect();
        let served = Served { op, changes: self.device.changes(), versions, pages };
        self.device.checkpoint_if_due();
        served
    }

    /// Reads each page, which must be one of those that it may be, and takes it as it is.
    ///
    /// # Errors
    /// What is wrong with the first page that is a third thing.
    ///
    /// # Panics
    /// When a rule of the flash or an invariant of the FTL does not hold.
    pub fn settle(
        &mut self,
        durable: &Durable,
        interrupted: Option<&Served>,
    ) -> Result<Durable, String> {
        self.device.settle(true);
        let mut settled = Durable::nothing(durable.pages());
        for lpn in (0..durable.pages()).map(Lpn) {
            self.ftl.read(&[lpn], &mut self.device);
            let found = self.device.version(lpn);
            if !durable.allows(lpn, found, interrupted) {
                let acknowledged = durable.versions[lpn.index()];
                return Err(format!(
                    "logical page {lpn} has version {found:?}, acknowledged was {acknowledged:?}"
                ));
            }
            settled.versions[lpn.index()] = found;
        }
        self.device.settle(false);
        self.ftl.audit(&self.device);
        Ok(settled)
    }
}
