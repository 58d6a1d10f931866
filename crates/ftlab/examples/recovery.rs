//! How long FTLs take to come back after a power cut, with and without checkpoints, and what these cost. Prints CSV.
//!
//! `recovery CAPACITY FTL,... [PAGES...]`: a device of `onfi-slc` of so many bytes is filled in order, a hundredth of its
//! pages are written over at random, and power is cut, without checkpoints and with one whenever so many pages
//! were programmed. Rows tell the time of the device and of this program until the FTL has mounted, OOBs and pages
//! read, and write amplification of the overwrites. `tools/recovery.py` makes a table and a figure of them.

use ftlab::catalog::Catalog;
use ftlab::config::Config;
use ftlab::crash::shadow::Host;
use ftlab::flash::Device;
use ftlab::recovery::MountCost;
use ftlab::request::Op;
use ftlab::rng::Rng;
use ftlab::units::{Bytes, Lpn};
use std::error::Error;
use std::io::Write;
use std::time::Instant;

const HEADER: &str =
    "ftl,checkpoint_pages,device_s,wall_s,oob_reads,page_reads,programs,write_amplification";

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let capacity = arguments.next().ok_or("found no capacity, expected one such as 64GiB")?;
    let capacity = Bytes::parse(&capacity)?.0;
    let names = arguments.next().ok_or("found no FTLs, expected names with commas between")?;
    let distances: Vec<u64> = arguments.map(|pages| pages.parse()).collect::<Result<_, _>>()?;
    let mut out = std::io::stdout().lock();
    writeln!(out, "{HEADER}")?;
    for name in names.split(',') {
        for every in std::iter::once(None).chain(distances.iter().copied().map(Some)) {
            writeln!(out, "{}", row(name, capacity, every)?)?;
        }
    }
    Ok(())
}

fn row(name: &str, capacity: u64, every: Option<u64>) -> Result<String, Box<dyn Error>> {
    let catalog = Catalog::standard();
    let mut config: Config =
        catalog.resolve(&serde_json::from_str(r#"{"preset": "onfi-slc"}"#)?)?;
    config.device.oob_read = config.device.read;
    config.device.program_order = None;
    config.ftl.power_safe = true;
    if matches!(name, "cftl" | "zftl") {
        // They bring together what belongs to a logical block, or to a zone, wherever a block is free.
        config.ftl.placement = "single".into();
    }
    let entry = catalog.find(name)?;
    let mut device = Device::new(&config.device, capacity)?;
    device.number_versions();
    device.checkpoint_every(every);
    let ftl = entry.build(&config, &mut device)?;
    let pages = device.geometry().logical_pages;
    let mut host = Host::new(&entry.spec, device, ftl);
    for lpn in 0..pages {
        host.serve(Op::Write, vec![Lpn(lpn)]);
    }
    host.device.start_measuring();
    let mut rng = Rng::new(1, "overwrites");
    let overwrites = pages / 100;
    for _ in 0..overwrites {
        host.serve(Op::Write, vec![Lpn(rng.below(u64::from(pages)) as u32)]);
    }
    let written = host.device.ledger().pages_programmed();
    let amplification = written as f64 / f64::from(overwrites);
    let Host { mut device, .. } = host;
    device.lose_power(&config.device);
    device.timeline_mut().issue(0);
    let start = Instant::now();
    entry.mount(&config, &mut device).ok_or("found an FTL that does not mount")??;
    let wall = start.elapsed().as_secs_f64();
    let cost = MountCost::of(&device);
    Ok(format!(
        "{name},{},{:.4},{wall:.2},{},{},{},{amplification:.4}",
        every.unwrap_or_default(),
        cost.time as f64 / 1e9,
        cost.oob_reads,
        cost.page_reads,
        cost.programs,
    ))
}
