//! Looks at an image that nobody serves, and changes nothing.

use super::Mount;
use super::open::{able, costs, device, found, mount, room};
use crate::fault::at;
use crate::image::Image;
use ftlab::Error;
use ftlab::catalog::Catalog;
use ftlab::ftl::access;
use ftlab::request::Op;
use ftlab::session::panic_message;
use ftlab::units::Lpn;
use serde::Serialize;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::time::Instant;

/// Damaged pages that are told by their numbers.
const TOLD: usize = 10;

/// What is in an image.
#[derive(Clone, Debug, Serialize)]
pub struct Fsck {
    /// The FTL.
    pub ftl: String,
    /// Bytes that it offers.
    pub capacity_bytes: u64,
    /// Physical pages.
    pub pages: u64,
    /// Those that are programmed.
    pub programmed: u64,
    /// Programmed pages that do not hold what was written to them.
    pub damaged: u64,
    /// The first of them, physical page numbers.
    pub first_damaged: Vec<u32>,
    /// Logical pages that hold data.
    pub holding_data: u64,
    /// What mounting costs.
    pub mount: Mount,
    /// Why the FTL does not mount, or cannot read every page.
    pub broken: Option<String>,
}

/// Checks every checksum of an image, has its FTL mount in RAM, and reads every logical page.
///
/// # Errors
/// Those of the file; [`Error::Config`] when it is no image or is served.
pub fn fsck(catalog: &Catalog, path: &Path) -> Result<Fsck, Error> {
    let start = Instant::now();
    let opened = found(path, false)?;
    let superblock = opened.superblock;
    let entry = able(catalog, &superblock.ftl)?;
    let config = catalog.resolve(&superblock.config)?;
    let mut device = device(entry, &config)?;
    let room = room(&superblock, &config);
    let (image, recovered) = Image::open(opened.file, device.geometry(), room).map_err(at(path))?;
    let damaged = image.damaged().map_err(at(path))?;
    let mut report = Fsck {
        ftl: superblock.ftl,
        capacity_bytes: config.device.capacity.map_or(0, |bytes| bytes.0),
        pages: u64::from(device.geometry().pages()),
        programmed: image.programmed(),
        damaged: damaged.len() as u64,
        first_damaged: damaged.iter().take(TOLD).map(|ppn| ppn.0).collect(),
        holding_data: 0,
        mount: Mount::default(),
        broken: None,
    };
    let mounted = catch_unwind(AssertUnwindSafe(|| {
        let mut ftl = mount(entry, &config, &mut device, &image).map_err(at(path))??;
        report.mount = costs(&device, recovered);
        let pages = (0..device.geometry().logical_pages).map(Lpn);
        for lpn in pages {
            report.holding_data += u64::from(device.audit_holds_data(lpn));
            access(&mut ftl, Op::Read, &[lpn], &mut device);
        }
        ftl.audit(&device);
        Ok(())
    }));
    report.broken = match mounted {
        Ok(done) => done.map(|()| None)?,
        Err(panic) => Some(panic_message(panic.as_ref())),
    };
    report.mount.wall_s = start.elapsed().as_secs_f64();
    Ok(report)
}
