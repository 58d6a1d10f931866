//! Where GC starts by garbage, it starts when there is too much, and takes only blocks that have enough.

use crate::flash::Device;
use crate::gc::GcConfig;
use crate::placement::block_pool::GcCounts;
use crate::units::{Pbn, Ppn};

/// After a request that writes, during which GC counted this: full blocks are those that GC may take.
pub fn garbage_starts_gc(gc: &GcConfig, counts: GcCounts, device: &Device) {
    let pages = device.geometry().pages_per_block;
    let share = |garbage: u32, of: u32| f64::from(garbage) / f64::from(of);
    if counts.runs == 0 {
        let blocks: Vec<Pbn> = (0..device.geometry().blocks()).map(Pbn).collect();
        let full = blocks.iter().filter(|pbn| device.is_full(**pbn));
        let garbage: Vec<u32> = full.map(|pbn| pages - device.valid_in(*pbn)).collect();
        let programmed = |pbn: &Pbn| {
            let first = device.geometry().first_page(*pbn).0;
            (first..first + pages).filter(|page| device.is_programmed(Ppn(*page))).count() as u32
        };
        let in_use: u32 = blocks.iter().map(programmed).sum();
        let is_candidate = |garbage: &u32| *garbage > 0 && share(*garbage, pages) >= gc.garbage.0;
        if garbage.iter().any(is_candidate) {
            let all = garbage.iter().sum();
            assert!(
                share(all, in_use) <= gc.garbage.0,
                "{all} of {in_use} pages are garbage, and GC did not start"
            );
        }
    } else if counts.forced_victims == 0 {
        let victims = counts.data_blocks;
        assert!(victims <= gc.victims.into(), "{victims} victims, gc.victims is {}", gc.victims);
        let garbage = victims * u64::from(pages) - counts.valid_data;
        let least = gc.garbage.0 * f64::from(pages) * victims as f64;
        assert!(garbage as f64 >= least * (1.0 - 1e-9), "{victims} victims with {garbage} garbage");
    }
}
