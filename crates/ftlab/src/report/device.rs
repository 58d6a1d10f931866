//! The device: its geometry, how evenly it was used, and how it wore.

use crate::config::Config;
use crate::device::{Cell, ProgramOrder};
use crate::figures::{figure_kinds, figures};
use crate::flash::{Cause, Device, Operation};
use crate::math::ln;
use crate::simulate::Outcome;
use crate::units::{Nanos, Pbn};
use std::collections::BTreeMap;

figure_kinds! {
    "text": Cell, ProgramOrder;
    "object": Config;
}

figures! {
    /// Geometry of the device.
    pub struct DeviceReport {
        pub(super) of(flash: &Device, map_on_flash: bool);
        let geometry = flash.geometry();
        let logical = f64::from(geometry.logical_pages);
        let translation = if map_on_flash { geometry.translation_pages() } else { 0 };
        let spare = f64::from(geometry.pages()) - logical - f64::from(translation);
        /// Logical size.
        capacity_bytes: u64 = geometry.logical_bytes(), unit "bytes";
        /// Physical blocks.
        blocks: u32 = geometry.blocks(), unit "blocks";
        /// Blocks needed for the logical size.
        logical_blocks: u32 = geometry.logical_blocks(), unit "blocks";
        /// All planes of the device.
        planes: u32 = geometry.planes(), unit "planes";
        /// `ascending`, or `any` where the FTL needs pages of a block in any order, or where `device.program_order`
        /// allows it for all FTLs.
        program_order: ProgramOrder = flash.program_order(), unit "text";
        /// `slc`, `mlc` or `tlc`.
        cell: Option<Cell> = flash.cell(), unit "text", null "if it is not set, so that all pages are alike";
        /// Pages beyond the logical and the translation pages / logical pages.
        effective_spare_ratio: f64 = spare / logical, unit "ratio";
        /// Logical pages that the host has ever written, warm-up included / logical pages. The rest acts as spare
        /// space.
        written_ratio: Option<f64> = flash.written_pages().map(|pages| pages as f64 / logical),
            unit "ratio", null "if reads are not verified";
    }
}

fn shares(busy: impl Iterator<Item = Nanos>, duration: Nanos) -> Vec<f64> {
    busy.map(|busy| if duration == 0 { 0.0 } else { busy as f64 / duration as f64 }).collect()
}

/// DLOOP's measure of how unevenly planes are used; none of one plane or of equal ones.
fn sdrpp(operations: &[u64]) -> Option<f64> {
    let (_, stddev) = moments(operations.iter().map(|count| *count as f64));
    (operations.len() > 1 && stddev > 0.0).then(|| ln(stddev))
}

/// Mean and population standard deviation.
fn moments(values: impl Iterator<Item = f64> + Clone) -> (f64, f64) {
    let count = values.clone().count() as f64;
    let mean = values.clone().sum::<f64>() / count;
    let squares: f64 = values.map(|value| (value - mean) * (value - mean)).sum();
    (mean, (squares / count).sqrt())
}

figures! {
    /// Use of planes.
    pub struct PlanesReport {
        pub(super) of(flash: &Device, duration: Nanos);
        let requests = Vec::from_iter(flash.timeline().plane_operations());
        let host_requests = flash.serving_operations().to_vec();
        let (all, of_host) = (sdrpp(&requests), sdrpp(&host_requests));
        /// Flash operations of each plane.
        requests: Vec<u64> = requests, unit "list of operations";
        /// Natural logarithm of the population standard deviation of flash operations over planes.
        sdrpp: Option<f64> = all, unit "ln(operations)", better Lower, null "if planes do not differ",
            source "DLOOP V.A";
        /// Flash operations of each plane for the host and the map, without GC and merges. Their causes are `host`,
        /// `translation`, `padding` and `read_modify_write`.
        host_requests: Vec<u64> = host_requests, unit "list of operations";
        /// The same logarithm of `host_requests`.
        host_sdrpp: Option<f64> = of_host, unit "ln(operations)", better Lower, null "if planes do not differ",
            source "DLOOP V.A, V.D";
        /// Share of the time in use of each plane, until all is done. With `device.suspend` only its array counts.
        busy_fraction: Vec<f64> = shares(flash.timeline().plane_busy(), duration), unit "list of ratios";
    }
}

figures! {
    /// Use of channels.
    pub struct ChannelsReport {
        pub(super) of(flash: &Device, duration: Nanos);
        /// Share of the time in use of each channel, until all is done.
        busy_fraction: Vec<f64> = shares(flash.timeline().channel_busy(), duration), unit "list of ratios";
    }
}

figures! {
    /// Erases of the blocks of a plane since the device was new.
    pub struct PlaneWear {
        of(erases: &[u32]);
        let (mean, stddev) = moments(erases.iter().copied().map(f64::from));
        /// Least erased block.
        erases_min: u32 = erases.iter().min().copied().unwrap_or(0), unit "erases";
        /// Most erased block.
        erases_max: u32 = erases.iter().max().copied().unwrap_or(0), unit "erases", better Lower;
        /// Mean over blocks.
        erases_mean: f64 = mean, unit "erases", better Lower;
        /// Population standard deviation over blocks.
        erases_stddev: f64 = stddev, unit "erases", better Lower;
    }
}

figures! {
    /// Erases since the device was new, warm-up included.
    pub struct WearReport {
        pub(super) of(flash: &Device);
        let erases = Vec::from_iter((0..flash.geometry().blocks()).map(|block| flash.wear_of(Pbn(block))));
        let all = PlaneWear::of(&erases);
        /// Erases of all blocks since the device was new, warm-up included.
        erases_total: u64 = flash.wear(), unit "erases", better Lower;
        /// Erases of the least erased block.
        erases_min: u32 = all.erases_min, unit "erases";
        /// Erases of the most erased block.
        erases_max: u32 = all.erases_max, unit "erases", better Lower, live "ftlab_erases_max";
        /// Mean over blocks.
        erases_mean: f64 = all.erases_mean, unit "erases", better Lower;
        /// Population standard deviation over blocks.
        erases_stddev: f64 = all.erases_stddev, unit "erases", better Lower;
        /// An erase count, and the number of blocks with it, fewest erases first.
        blocks_by_erases: Vec<(u32, u32)> = by_erases(&erases), unit "list of pairs";
        /// `erases_min`, `erases_max`, `erases_mean` and `erases_stddev` of each plane.
        planes: Vec<PlaneWear> = by_plane(flash, &erases), unit "list of objects";
        /// Blocks moved to level wear (wear.md) in the measured phase.
        moved_blocks: u64 = flash.ledger().get(Operation::Erase, Cause::Wear), unit "blocks";
        /// Largest difference of erases between two blocks of a partition at the end.
        levelled_within: Option<u32> = levelled_within(flash), unit "erases", better Lower,
            null "unless `wear.policy = static`";
    }
}

fn by_erases(erases: &[u32]) -> Vec<(u32, u32)> {
    let mut blocks = BTreeMap::new();
    erases.iter().for_each(|erases| *blocks.entry(*erases).or_insert(0) += 1);
    blocks.into_iter().collect()
}

fn by_plane(flash: &Device, erases: &[u32]) -> Vec<PlaneWear> {
    let geometry = flash.geometry();
    let mut of_planes = vec![Vec::new(); geometry.planes() as usize];
    for (block, erases) in (0..).zip(erases) {
        of_planes[geometry.plane_of(Pbn(block)) as usize].push(*erases);
    }
    of_planes.iter().map(|erases| PlaneWear::of(erases)).collect()
}

fn levelled_within(flash: &Device) -> Option<u32> {
    let levelled = flash.wear_parts().filter(|(_, is_levelled)| *is_levelled);
    let within = levelled.map(|(blocks, _)| {
        let erases = || blocks.iter().map(|pbn| flash.erases_of(*pbn));
        erases().max().unwrap_or(0) - erases().min().unwrap_or(0)
    });
    within.max()
}

figures! {
    /// Blocks at the end of their endurance, since the device was new, warm-up included.
    pub struct LifetimeReport {
        pub(super) of(outcome: &Outcome<'_>);
        let page_bytes = u64::from(outcome.flash.geometry().page_bytes);
        /// Blocks at the end of their endurance, since the device was new, warm-up included.
        worn_out_blocks: u64 = outcome.flash.worn_out().len() as u64, unit "blocks", better Lower;
        /// For each of them, bytes of the pages that the host had written by then.
        bytes_at_failure: Vec<u64> = outcome.failures.iter().map(|pages| pages * page_bytes).collect(),
            unit "list of bytes";
        /// Spare blocks left.
        spare_blocks: u32 = outcome.flash.spare_blocks(), unit "blocks", better Higher;
        /// Whether the device takes no more writes.
        read_only: bool = outcome.flash.is_read_only(), unit "yes or no";
        /// Writes, trims and flushes that it refused in the measured phase.
        refused_requests: u64 = outcome.host.refused, unit "requests", better Lower;
    }
}
