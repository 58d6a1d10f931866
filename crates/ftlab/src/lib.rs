//! A laboratory for flash translation layers (FTLs): any FTL on one emulated NAND device that checks
//! every operation.
//!
//! # A tour
//!
//! * An FTL implements [`ftl::Ftl`] (its behaviour) and [`ftl::Design`] (its construction and
//!   [`ftl::Spec`]). It may touch only [`flash::Flash`]: a broken rule of NAND or a stale read
//!   panics.
//! * [`settings!`] declares its settings, each once: type, default, range, unit and source.
//! * A [`catalog::Catalog`] lists what can be run, by name;
//!   [`Catalog::with`](catalog::Catalog::with) adds to it, and
//!   [`Catalog::resolve`](catalog::Catalog::resolve) turns a tree into a [`config::Config`].
//! * [`session::run`] runs several FTLs over one reading of the input and returns a [`report::Report`]
//!   for each; [`drive::drive`] runs one.
//! * `laws::obey::<MyFtl>(300)`, with the feature `laws`, checks it against the rules of every FTL.
//!
//! # An FTL of your own
//!
//! The whole page map is in RAM, over [`Planes`](placement::planes::Planes), which manages the
//! blocks of the device and collects garbage by the settings `gc.`. It erases exactly as many
//! blocks as [`ftl::page`]:
//!
//! ```
//! use ftlab::flash::{Cause, Flash, Owner};
//! use ftlab::ftl::parts::page_map::PageMap;
//! use ftlab::placement::planes::Planes;
//! use ftlab::ftl::{Access, Design, Ftl, FtlMetrics, RamUse, Setup, Spec};
//! use ftlab::request::Meta;
//! use ftlab::units::Lpn;
//! use ftlab::{Error, catalog::Catalog, session};
//!
//! #[derive(Clone)]
//! struct Mine { map: PageMap, pool: Planes }
//!
//! impl Design for Mine {
//!     type Settings = ();
//!     const SPEC: Spec = Spec { name: "mine", summary: "a page map in RAM", ..Spec::PAGE_LEVEL };
//!     fn build(setup: &Setup, flash: &mut Flash) -> Result<Self, Error> {
//!         let map = PageMap::new(flash.geometry().logical_pages);
//!         Ok(Mine { map, pool: Planes::new(&setup.placing()?, flash, 1, 0)? })
//!     }
//! }
//!
//! impl Ftl for Mine {
//!     fn read(&mut self, Access { pages, .. }: Access<'_>, flash: &mut Flash) {
//!         for &lpn in pages {
//!             flash.begin_page();
//!             flash.host_read(lpn, self.map.get(lpn));
//!         }
//!     }
//!     fn write(&mut self, Access { pages, meta, .. }: Access<'_>, flash: &mut Flash) {
//!         for &lpn in pages {
//!             flash.begin_page();
//!             let moved = |lpn, to| drop(self.map.replace(lpn, Some(to)));
//!             let new = self.pool.host_page(lpn, meta, flash, moved);
//!             flash.program(new, Owner::Data(lpn), Cause::Host);
//!             self.pool.supersede(self.map.replace(lpn, Some(new)), flash);
//!         }
//!     }
//!     fn trim(&mut self, Access { pages, .. }: Access<'_>, flash: &mut Flash) {
//!         for &lpn in pages {
//!             flash.begin_page();
//!             self.pool.supersede(self.map.replace(lpn, None), flash);
//!             self.pool.trimmed(lpn);
//!             flash.trim(lpn);
//!         }
//!     }
//!     fn update_handle(&mut self, meta: Meta, flash: &mut Flash) { self.pool.update_handle(meta, flash); }
//!     fn ram(&self) -> RamUse { RamUse { tables: 4 * self.map.len() as u64, ..RamUse::default() } }
//!     fn metrics(&self) -> FtlMetrics { FtlMetrics::of(&self.pool) }
//!     fn reset_metrics(&mut self) { self.pool.reset_counts(); }
//! }
//!
//! let catalog = Catalog::standard().with::<Mine>();
//! let tree = serde_json::json!({
//!     "device": { "capacity": "16MiB" },
//!     "workload": { "pattern": "randwrite", "bs": "4k", "size": "16MiB", "requests": 10_000 },
//! });
//! let config = catalog.resolve(tree.as_object().expect("a table"))?;
//! let reports = session::run(&catalog, &config, &["mine", "page"], &mut |_| Ok(()))?;
//! let erases = |at: usize| reports[at].flash.erases["data"];
//! assert!(erases(0) > 50, "garbage was collected");
//! assert_eq!(erases(0), erases(1), "as many as in the FTL that it copies");
//!
//! # #[cfg(feature = "laws")]
//! ftlab::laws::obey::<Mine>(20);
//! # Ok::<(), Error>(())
//! ```
//!
//! [`settings!`] gives it its own settings. [`ftl::Ftl`] and [`ftl::Design`] list further options:
//! a check of its map in [`audit`](ftl::Ftl::audit), work in idle time, a mapping cache.
//!
//! # Rooms, from the ground upwards
//!
//! Each room imports from those before it and never from those behind it; a test checks this. Below
//! them all is [`ftlab_traces`], a separate crate that knows nothing of FTLs. Its modules are
//! modules of this crate, too.
//!
//! 1. `unless_bug`, `bugs`: the bugs that the FTL checks must find, compiled only with the feature
//!    `bugs`.
//! 2. `clock`: the time that work takes.
//! 3. [`model`]: closed forms that a simulation is compared with.
//! 4. `stop`: an FTL that cannot continue under its settings.
//! 5. [`named`]: lists of things that are chosen by name.
//! 6. [`figures`]: metrics of a result, each declared once.
//! 7. [`device`]: what a device is: settings, shape, and the devices of papers and data sheets.
//! 8. [`purpose`]: what an operation is for: its cause and its page.
//! 9. [`engine`]: when operations are done.
//! 10. [`flash`]: the NAND. [`flash::Flash`] is all that an FTL may touch: it checks the rules of NAND,
//!     verifies every host read, counts by cause, and books time on the engine.
//! 11. [`zones`]: zoned namespaces over the flash, and a state machine of zones by itself.
//! 12. [`cache`]: containers that know nothing of flash.
//! 13. `class`: what an open block is written with.
//! 14. [`gc`]: victim policies.
//! 15. [`placement`]: where a page goes: which plane takes it, and which pages share blocks.
//! 16. [`ftl`]: the translation layers, one file each; start with [`ftl::page`], then [`ftl::demand`].
//! 17. [`partial`]: what is read before a part of a page is written.
//! 18. `ahead`: what the next requests touch of large tables, loaded early.
//! 19. [`buffer`]: RAM between the host and any FTL.
//! 20. [`host`]: when requests are issued, and in which order.
//! 21. [`metrics`]: latencies, time series, energy and what time is spent on.
//! 22. [`warmup`]: what happens before measuring, as a plan.
//! 23. [`run`]: the settings of a run itself.
//! 24. [`config`]: all settings of a run, as one tree.
//! 25. [`recovery`]: what a power cut at the end of a run would leave.
//! 26. `shared_pages`: pages of the device that stand for several addresses.
//! 27. [`simulate`]: the loop: requests in, page accesses to the FTL, latencies and checks out.
//! 28. [`catalog`]: what can be run; FTLs of other crates are added here.
//! 29. [`report`]: the result of a run.
//! 30. [`frames`]: what a run looks like as it goes.
//! 31. [`drive`]: the order of a run, from warm-up to report.
//! 32. [`lifetime`]: the life of a device, whole or from shorter ones.
//! 33. [`session`]: several FTLs at once over one reading of the input.
//! 34. [`crash`]: power cuts in a run on any input.
//! 35. [`mapping_curve`]: what mapping caches of all sizes would hit, without a device.
//! 36. `laws`: what every FTL must obey, compiled with the feature `laws`, which is on by default.

// Without files nothing calls what writes them.
#![cfg_attr(not(feature = "files"), allow(dead_code, unused_imports))]

#[macro_use]
mod unless_bug;

mod ahead;
pub mod buffer;
#[cfg(feature = "bugs")]
pub mod bugs;
pub mod cache;
pub mod catalog;
mod class;
mod clock;
pub mod config;
pub mod crash;
pub mod device;
pub mod drive;
pub mod engine;
pub mod figures;
pub mod flash;
pub mod frames;
pub mod ftl;
pub mod gc;
pub mod host;
#[cfg(feature = "laws")]
pub mod laws;
pub mod lifetime;
pub mod mapping_curve;
pub mod metrics;
pub mod model;
pub mod named;
pub mod partial;
pub mod placement;
pub mod purpose;
pub mod recovery;
pub mod report;
pub mod run;
pub mod session;
mod shared_pages;
pub mod simulate;
mod stop;
pub mod warmup;
pub mod zones;

pub use ftlab_traces::{
    Error, address, error, files, locality, math, request, rng, trace, units, workload,
};
pub use ftlab_traces::{choices, settings, text_value};
