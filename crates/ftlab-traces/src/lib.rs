//! Block traces, and what can be made of them.
//!
//! * [`trace`] reads the traces of more than twenty tools and archives (SPC, MSR Cambridge, blkparse,
//!   fio, ETW, VSCSI..., any CSV file whose columns are named, Parquet), plain or compressed, from a file
//!   or a pipe. It finds the format from the content, streams in constant memory, takes any bytes, and
//!   tells in one line what it does not believe. It also converts, splits and characterises.
//! * [`workload`] generates requests: by the patterns of fio, or by a model that was fitted to a trace or
//!   written by hand, some of which are built in.
//! * [`locality`] tells what any stream of pages will gain from an LRU cache of any size, in one pass.
//! * [`address`] lays the volumes of a trace onto one device.
//!
//! Whatever is read or generated is an [`Input`](request::Input): it opens as a stream of
//! [`Request`](request::Request)s, bytes and nanoseconds in the order of time, as often as needed.
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
//! # Rooms, from the ground upwards
//!
//! Each room imports from those before it and never from those behind it, which a test holds it to.
//!
//! 1. [`units`]: addresses, sizes and times as types, read as people write them.
//! 2. [`error`]: mistakes told in one line.
//! 3. [`files`]: new files and folders, whole or not there.
//! 4. [`math`]: logarithms and powers that are the same on every machine.
//! 5. [`rng`]: random numbers from one seed, split by purpose.
//! 6. [`settings`]: what people can set, each declared once.
//! 7. [`request`]: a request, where requests come from, and what one pass over them measures.
//! 8. [`address`]: from volumes to the one address space of a device.
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
