//! Block traces, workloads generated from them, and their locality.
//!
//! * [`trace`] reads the traces of more than twenty tools and archives, such as SPC, MSR Cambridge,
//!   blkparse, fio, ETW and VSCSI. It also reads Parquet and any CSV file whose columns are named.
//!   A trace is plain or compressed, in a file or a pipe. The format is found from the content.
//!   Reading streams in constant memory, accepts any bytes and rejects invalid content with one
//!   line. The module also converts, splits and characterises traces.
//! * [`workload`] generates requests by the patterns of fio or by a model. A model is built in,
//!   fitted to a trace or written by hand.
//! * [`locality`] computes the hit ratio of LRU caches of every size for any stream of pages, in
//!   one pass.
//! * [`address`] lays the volumes of a trace onto one device.
//!
//! Each source of requests is an [`Input`](request::Input). It opens, as often as needed, as a
//! stream of [`Request`](request::Request)s in the order of time, in bytes and nanoseconds.
//!
//! ```
//! use ftlab_traces::locality::MissRatioCurve;
//! use ftlab_traces::trace::{self, Characteristics, TraceOptions};
//!
//! let path = std::env::temp_dir().join(format!("ftlab-traces-{}.spc", std::process::id()));
//! std::fs::write(&path, "0,16,4096,r,0.0\n0,24,8192,w,0.5\n0,16,4096,r,2.0\n")?;
//! let input = trace::open(&path.to_string_lossy(), &TraceOptions::default())?;
//! let found = Characteristics::read(input.open()?.as_mut(), 4096, &mut |_, _| Ok(()))?;
//! assert_eq!((input.format().as_str(), found.info.requests), ("spc", 3));
//! println!("{}", found.info.digest);
//! # std::fs::remove_file(path)?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Rooms, in order of dependency
//!
//! Each room is a module. It imports only from rooms listed before it, which a test checks.
//!
//! 1. [`units`]: addresses, sizes and times as types, parsed from text.
//! 2. [`error`]: user errors as one line.
//! 3. [`files`]: new files and folders, written atomically.
//! 4. [`math`]: logarithms and powers that are the same on every machine.
//! 5. [`rng`]: random numbers from one seed, split by purpose.
//! 6. [`settings`]: settings, each declared once.
//! 7. [`request`]: a request, where requests come from, and what one pass over them measures.
//! 8. [`address`]: from volumes to the address space of a device.
//! 9. [`locality`]: reuse distances and miss-ratio curves.
//! 10. [`trace`]: the readers, one file for each format.
//! 11. [`workload`]: patterns, profiles and models.

// Without files nothing calls what writes them.
#![cfg_attr(not(feature = "files"), allow(dead_code, unused_imports))]

pub mod address;
pub mod error;
pub mod files;
pub mod locality;
pub mod math;
pub mod request;
pub mod rng;
pub mod settings;
pub mod trace;
pub mod units;
pub mod workload;

pub use error::Error;
