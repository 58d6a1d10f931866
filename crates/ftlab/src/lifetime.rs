//! The life of a device from a part of it: snapshots of wear, and when blocks will have worn out.
//!
//! A workload that repeats wears a device at a constant rate. Two snapshots tell it, the second when the most
//! worn block has had a share of the erases that it endures, the first when it had half as many. Blocks that are
//! levelled together all wear at their mean rate: the gap keeps them together. Else the blocks of a part wear
//! rank by rank, the most worn as fast as the most worn did.

use crate::flash::Device;
use crate::simulate::Simulator;
use crate::units::Pbn;

/// The two snapshots of a run that ends before its device does; none of one that goes on.
#[derive(Debug)]
pub struct Snapshots {
    /// The wear of the most worn block for those that are not taken, the next one last.
    due: Vec<u32>,
    taken: Vec<Snapshot>,
}

impl Snapshots {
    /// None yet, of a run that ends at the part `1 / scale` of the endurance.
    #[must_use]
    pub fn new(endurance: u32, scale: u32) -> Self {
        let due =
            if scale > 1 { vec![endurance / scale, endurance / scale / 2] } else { Vec::new() };
        Snapshots { due, taken: Vec::new() }
    }

    /// Whether both are taken, or the device has come to its end.
    #[must_use]
    pub fn are_enough(&self, simulator: &dyn Simulator) -> bool {
        self.taken.len() == 2 || simulator.outcome().flash.is_read_only()
    }

    /// Takes one if it is due.
    pub fn look(&mut self, simulator: &dyn Simulator) {
        let outcome = simulator.outcome();
        if self.taken.last().is_some_and(|last| last.pages == outcome.pages_written) {
            return;
        }
        if self.due.pop_if(|wear| outcome.flash.most_wear() >= *wear).is_some() {
            self.taken.push(Snapshot::of(outcome.flash, outcome.pages_written));
        }
    }

    /// What [`projected`] says of the device, with which the second has just been taken.
    #[must_use]
    pub fn projected(&self, simulator: &dyn Simulator) -> Option<Vec<f64>> {
        let [early, late] = &self.taken[..] else { return None };
        let outcome = simulator.outcome();
        projected(early, late, outcome.failures, outcome.flash)
    }
}

/// The wear of every block, after so many pages of the host.
#[derive(Clone, Debug)]
pub struct Snapshot {
    pages: u64,
    wear: Vec<u32>,
}

impl Snapshot {
    /// The wear of a device now.
    #[must_use]
    pub fn of(device: &Device, pages: u64) -> Self {
        let blocks = (0..device.geometry().blocks()).map(Pbn);
        Snapshot { pages, wear: blocks.map(|pbn| device.erases_of(pbn)).collect() }
    }

    fn of_block(&self, pbn: Pbn) -> f64 {
        f64::from(self.wear[pbn.index()])
    }
}

/// After how many pages of the host each block will have worn out, up to the one that ends the device: those that
/// have, then those that `device`, whose wear is that of `late`, still has. `None` if that is never.
///
/// # Panics
/// When the snapshots are of the same time.
#[must_use]
pub fn projected(
    early: &Snapshot,
    late: &Snapshot,
    failed: &[u64],
    device: &Device,
) -> Option<Vec<f64>> {
    assert!(late.pages > early.pages, "a rate takes time");
    let mut deaths = Vec::new();
    for (blocks, is_levelled) in device.wear_parts() {
        deaths.extend(of_part(early, late, blocks, is_levelled, device));
    }
    deaths.sort_by(|(a, _), (b, _)| a.total_cmp(b));
    let mut spares = device.spares_by_plane();
    let mut failures: Vec<f64> = failed.iter().map(|pages| *pages as f64).collect();
    for (death, plane) in deaths {
        failures.push(death);
        match spares[plane as usize].checked_sub(1) {
            Some(left) => spares[plane as usize] = left,
            None => return death.is_finite().then_some(failures),
        }
    }
    None
}

/// When the blocks of a part will have worn out, and the plane of each.
fn of_part(
    early: &Snapshot,
    late: &Snapshot,
    blocks: &[Pbn],
    is_levelled: bool,
    device: &Device,
) -> Vec<(f64, u32)> {
    let pages = (late.pages - early.pages) as f64;
    let ranked = |snapshot: &Snapshot| {
        let mut blocks = blocks.to_vec();
        blocks.sort_by_key(|pbn| snapshot.wear[pbn.index()]);
        blocks
    };
    let sum = |snapshot: &Snapshot| blocks.iter().map(|pbn| snapshot.of_block(*pbn)).sum::<f64>();
    let mean = (sum(late) - sum(early)) / blocks.len() as f64;
    let pairs = ranked(early).into_iter().zip(ranked(late));
    let death = |(was, is): (Pbn, Pbn)| {
        let gained = if is_levelled { mean } else { late.of_block(is) - early.of_block(was) };
        let left = f64::from(device.endures(is)) - late.of_block(is);
        (late.pages as f64 + left * pages / gained, device.geometry().plane_of(is))
    };
    pairs.map(death).collect()
}
