//! What is found on a medium after power was lost: the newest copy of each page.

use crate::flash::{Flash, Found, Owner};
use crate::units::{Lpn, Pbn, Ppn};

/// The newest copy of each logical page, found by reading the OOB of every page.
pub struct Survey {
    /// Sequence number and place, by LPN.
    newest: Vec<Option<(u64, Ppn)>>,
}

impl Survey {
    /// Reads all OOBs of a device.
    pub fn of(flash: &mut Flash) -> Survey {
        let mut newest = vec![None; flash.geometry().logical_pages as usize];
        for pbn in (0..flash.geometry().blocks()).map(Pbn) {
            let first = flash.geometry().first_page(pbn).0;
            for ppn in (first..first + flash.pages_of(pbn)).map(Ppn) {
                if let Found::Page(Owner::Data(lpn), sequence) = flash.survey(ppn) {
                    let known = &mut newest[lpn.index()];
                    let is_newer = known.is_none_or(|(other, _)| other < sequence);
                    if unless_bug!(RecoveryTakesLastFound, is_newer, true) {
                        *known = Some((sequence, ppn));
                    }
                }
            }
        }
        Survey { newest }
    }

    /// Logical pages and where they are.
    pub fn pages(&self) -> impl Iterator<Item = (Lpn, Ppn)> {
        let found = (0..).map(Lpn).zip(&self.newest);
        found.filter_map(|(lpn, page)| page.map(|(_, ppn)| (lpn, ppn)))
    }
}
