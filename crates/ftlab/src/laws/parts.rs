//! Which pages are written in part, sector by sector, counted without the simulator.

use super::case::PAGE;
use crate::device::DeviceConfig;
use crate::request::{Op, Request};
use crate::units::Lpn;
use std::collections::{HashMap, HashSet};

/// What a request does to a page: its number, the sectors that it leaves alone, and whether it covers all
/// bytes.
struct Touched {
    page: u64,
    left: HashSet<u64>,
    is_covered: bool,
}

fn touched(request: &Request, sector: u64) -> impl Iterator<Item = Touched> {
    let (first, last) = (request.offset, request.end() - 1);
    (first / PAGE..=last / PAGE).map(move |page| {
        let (page_first, page_last) = (page * PAGE, page * PAGE + PAGE - 1);
        let is_left = |number: &u64| number * sector + sector <= first || last < number * sector;
        Touched {
            page,
            left: (page_first / sector..=page_last / sector).filter(is_left).collect(),
            is_covered: first <= page_first && page_last <= last,
        }
    })
}

/// Without a write buffer.
pub struct Parts {
    sector: u64,
    /// The pages that hold data.
    written: HashSet<u64>,
    /// Pages that held data when a part of them was written.
    pub completed: u64,
}

impl Parts {
    pub fn new(device: &DeviceConfig) -> Parts {
        Parts { sector: device.sector.0, written: HashSet::new(), completed: 0 }
    }

    pub fn serve(&mut self, request: &Request) {
        for Touched { page, left, is_covered } in touched(request, self.sector) {
            match request.op {
                Op::Read | Op::Flush => {}
                Op::Write | Op::WriteThrough => {
                    let held = !self.written.insert(page);
                    self.completed += u64::from(held && !left.is_empty());
                }
                Op::Trim => self.written.retain(|each| *each != page || !is_covered),
            }
        }
    }
}

/// In a write buffer that nothing leaves, above pages that all hold data.
pub struct PartsInRam {
    sector: u64,
    /// Of each page that was written, the sectors that are on flash alone.
    missing: HashMap<u64, HashSet<u64>>,
    trimmed: HashSet<u64>,
}

impl PartsInRam {
    pub fn new(device: &DeviceConfig) -> PartsInRam {
        let sector = device.sector.0;
        PartsInRam { sector, missing: HashMap::new(), trimmed: HashSet::new() }
    }

    pub fn serve(&mut self, request: &Request) {
        for Touched { page, left, is_covered } in touched(request, self.sector) {
            match request.op {
                Op::Read => {
                    let missing = self.missing.get_mut(&page);
                    if let Some(missing) = missing.filter(|missing| !missing.is_subset(&left)) {
                        missing.clear();
                    }
                }
                Op::Write | Op::WriteThrough if self.trimmed.contains(&page) => {}
                Op::Write | Op::WriteThrough => {
                    let missing = self.missing.entry(page).or_insert_with(|| left.clone());
                    missing.retain(|sector| left.contains(sector));
                }
                Op::Trim if is_covered => {
                    self.trimmed.insert(page);
                    self.missing.remove(&page);
                }
                Op::Trim | Op::Flush => {}
            }
        }
    }

    /// Whether a page was written. Some buffers keep a page that is only read.
    pub fn has_written(&self, lpn: Lpn) -> bool {
        self.missing.contains_key(&lpn.0.into())
    }

    /// Pages of which a part is on flash alone.
    pub fn incomplete(&self) -> u64 {
        self.missing.values().filter(|missing| !missing.is_empty()).count() as u64
    }
}
