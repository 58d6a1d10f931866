//! Whose FAST runs: the paper's, or the program with which FTLs were compared.

use super::flashsim::{FlashSim, Sign};
use super::{FastConfig, FastFtl};
use crate::error::Error;
use crate::flash::{Device, Flash};
use crate::ftl::design::{Design, Mount, Setup, Spec};
use crate::ftl::{Access, Accounts, Ftl, FtlMetrics, RamUse};
use crate::units::{Lpn, Pbn, Ppn};

crate::choices! {
    /// Whose FAST it is.
    pub enum FastRules {
        /// The paper's, which keeps data.
        Paper = "paper",
        /// `FlashSim`'s program, bug for bug: it loses data.
        FlashSim = "flashsim",
        /// The same with the sign of "invalid" mended: it still returns old data.
        Mended = "flashsim-mended",
    }
}

/// FAST by the rules of `fast.rules`.
#[derive(Clone, Debug)]
pub enum FastByRules {
    /// The paper's.
    Paper(Box<FastFtl>),
    /// `FlashSim`'s.
    FlashSim(Box<FlashSim>),
}

impl FastByRules {
    fn ftl(&self) -> &dyn Ftl {
        match self {
            FastByRules::Paper(ftl) => &**ftl,
            FastByRules::FlashSim(ftl) => &**ftl,
        }
    }

    fn ftl_mut(&mut self) -> &mut dyn Ftl {
        match self {
            FastByRules::Paper(ftl) => &mut **ftl,
            FastByRules::FlashSim(ftl) => &mut **ftl,
        }
    }
}

impl Design for FastByRules {
    type Settings = FastConfig;

    const SPEC: Spec = FastFtl::SPEC;
    /// What loses data is refused on a device whose power may be cut, so it is never mounted.
    const MOUNT: Option<Mount<Self>> = Some(|setup, flash| match setup.own.rules {
        FastRules::Paper => Ok(FastByRules::Paper(Box::new(FastFtl::mount(setup, flash)?))),
        FastRules::FlashSim | FastRules::Mended => Self::build(setup, flash),
    });

    fn build(setup: &Setup<FastConfig>, flash: &mut Flash) -> Result<Self, Error> {
        let rules = setup.own.rules;
        let sign = match rules {
            FastRules::Paper => {
                return Ok(FastByRules::Paper(Box::new(FastFtl::build(setup, flash)?)));
            }
            FastRules::FlashSim => Sign::Lost,
            FastRules::Mended => Sign::Mended,
        };
        flash.declare_loss("fast.rules", rules.name())?;
        Ok(FastByRules::FlashSim(Box::new(FlashSim::build(sign, setup, flash)?)))
    }
}

impl Ftl for FastByRules {
    fn read(&mut self, access: Access<'_>, flash: &mut Flash) {
        self.ftl_mut().read(access, flash);
    }

    fn write(&mut self, access: Access<'_>, flash: &mut Flash) {
        self.ftl_mut().write(access, flash);
    }

    fn trim(&mut self, access: Access<'_>, flash: &mut Flash) {
        self.ftl_mut().trim(access, flash);
    }

    fn locate(&self, lpn: Lpn) -> Option<Ppn> {
        self.ftl().locate(lpn)
    }

    fn ram(&self) -> RamUse {
        self.ftl().ram()
    }

    fn log_blocks(&self) -> Vec<Pbn> {
        self.ftl().log_blocks()
    }

    fn metrics(&self) -> FtlMetrics {
        self.ftl().metrics()
    }

    fn reset_metrics(&mut self) {
        self.ftl_mut().reset_metrics();
    }

    fn accounts(&self) -> Accounts {
        self.ftl().accounts()
    }

    fn audit(&self, device: &Device) {
        self.ftl().audit(device);
    }
}
