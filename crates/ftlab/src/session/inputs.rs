//! The input of a configuration, and what can be done with it without an FTL.

use super::{Progress, WATCH_INTERVAL, Watch};
use crate::address::{AddressMap, Extent};
use crate::clock::Instant;
use crate::config::Config;
use crate::error::Error;
#[cfg(feature = "files")]
use crate::files::Unnamed;
use crate::report::TraceReport;
use crate::request::{Attribute, Attributes, BATCH, Input, Request};
use crate::trace::{self, Characteristics, Stripes, TraceInfo, VolumeInfo};
#[cfg(feature = "files")]
use crate::trace::{convert::Converted, split::Part};
use crate::units::Bytes;
use crate::workload::{self, BUILT_IN, BuiltIn, Model, PROFILES, Profile, model};
use std::io::ErrorKind;
use std::path::Path;

/// The input that a configuration names.
///
/// # Errors
/// Those of [`trace::open`], [`Model::load`], [`Model::input`], [`workload::jobs`] and [`workload::open`].
pub fn open_input(config: &Config) -> Result<Box<dyn Input>, Error> {
    Ok(trace::sharded(open_array(config)?, config.input.shard))
}

/// The same of all devices of the array, if the configuration names one.
pub(super) fn open_array(config: &Config) -> Result<Box<dyn Input>, Error> {
    let input = match &config.input.trace {
        Some(name) => open_named(name, config)?,
        None => workload::open(&config.workload, config.run.seed)?,
    };
    hinted(input, config)
}

/// Whether the input that a configuration names is generated, and read from no trace.
///
/// # Errors
/// Those of [`open_input`].
pub fn is_generated(config: &Config) -> Result<bool, Error> {
    check_shard(config)?;
    let format = open_input(config)?.format();
    Ok(["generated", "fio-job"].contains(&format.as_str()))
}

/// The trace that these bytes are, read as a configuration says.
///
/// # Errors
/// Those of [`trace::hold`].
pub fn held(name: &str, bytes: &[u8], config: &Config) -> Result<Box<dyn Input>, Error> {
    let input = trace::hold(name, bytes, &config.input.options())?;
    let input = hinted(trace::skip(input, config.input.skip), config)?;
    Ok(trace::sharded(input, config.input.shard))
}

/// Rejects a device of an array whose stripes cut pages.
pub(super) fn check_shard(config: &Config) -> Result<(), Error> {
    config.input.shard.map_or(Ok(()), |shard| check_stripe(shard.stripes(), config))
}

/// Rejects stripes that cut pages.
fn check_stripe(stripes: &Stripes, config: &Config) -> Result<(), Error> {
    let (stripe, page) = (stripes.stripe(), config.device.page);
    if stripe.0.is_multiple_of(page.0) {
        return Ok(());
    }
    let message =
        format!("found a stripe of {stripe}, expected a multiple of device.page = {page}");
    Err(Error::config("input.shard", message))
}

/// The input with the handles that a configuration gives its requests.
fn hinted(input: Box<dyn Input>, config: &Config) -> Result<Box<dyn Input>, Error> {
    let declares = input.attributes().has(Attribute::Hint);
    if let Some(by) = config.input.hint_by.as_ref().filter(|_| declares) {
        let by = String::from(by.clone());
        let message = format!("found {by}, but the input has handles of its own; leave one out");
        return Err(Error::config("input.hint_by", message));
    }
    let updates = input.attributes().has(Attribute::Update);
    if let Some(every) = config.input.update_every.filter(|_| updates) {
        let message = format!("found {every}, but the input updates its handles; leave one out");
        return Err(Error::config("input.update_every", message));
    }
    let input = trace::hinted(input, config.input.hint_by.as_ref());
    Ok(trace::updated(input, config.input.update_every))
}

/// What the name of an input stands for.
enum Kind {
    Trace,
    Model,
    Profile(&'static Profile),
    Jobs,
    BuiltIn(&'static BuiltIn),
}

impl Kind {
    fn of(name: &str, config: &Config) -> Self {
        let path = Path::new(name);
        if path.extension().is_some_and(|ending| ending == "toml") {
            return Kind::Model;
        }
        // A folder of that name is not meant.
        if path.exists() && !path.is_dir() {
            let is_jobs = config.input.format.is_none() && workload::is_job_file(path);
            return if is_jobs { Kind::Jobs } else { Kind::Trace };
        }
        let profile = PROFILES.iter().find(|profile| profile.name == name).map(Kind::Profile);
        let named = profile.or_else(|| BuiltIn::find(name).map(Kind::BuiltIn));
        named.unwrap_or(Kind::Trace)
    }
}

/// The capacity of the device where the input depends on it: a job without a size has that of the
/// device.
#[must_use]
pub fn sized_by(config: &Config) -> Option<Bytes> {
    let kind = Kind::of(config.input.trace.as_ref()?, config);
    config.device.capacity.filter(|_| matches!(kind, Kind::Jobs | Kind::BuiltIn(_)))
}

/// The input that this is the name of.
fn open_named(name: &str, config: &Config) -> Result<Box<dyn Input>, Error> {
    let options = config.input.options();
    let kind = Kind::of(name, config);
    let generated = match kind {
        Kind::Trace => None,
        Kind::Model | Kind::Profile(_) => Some("a model"),
        Kind::Jobs | Kind::BuiltIn(_) => Some("a workload"),
    };
    let filters = [
        ("input.volume", options.volume.is_some()),
        ("input.from", options.from.is_some()),
        ("input.until", options.until.is_some()),
    ];
    let filter = filters.into_iter().find(|(_, filters)| *filters);
    if let (Some(what), Some((key, _))) = (generated, filter) {
        return Err(Error::config(key, format!("found {what}, expected a trace to filter")));
    }
    let (requests, seed) = (options.requests, config.run.seed);
    // An array has that of all its devices.
    let devices = config.input.shard.map_or(1, |shard| shard.stripes().devices());
    let of_all = |bytes: Bytes| Bytes(bytes.0.saturating_mul(devices.into()));
    let capacity = config.device.capacity.map(of_all);
    let input = match kind {
        Kind::Trace => trace::open(name, &options).map_err(|error| or_profile(name, error))?,
        // The name of the file distinguishes models of one trace.
        Kind::Model => {
            let path = Path::new(name);
            let file = path.file_name().unwrap_or_default().to_string_lossy().into();
            Model { name: file, ..Model::load(path)? }.input(requests, seed)?
        }
        Kind::Profile(profile) => profile.model().input(requests, seed)?,
        Kind::Jobs => workload::jobs(name, capacity, requests, seed)?,
        Kind::BuiltIn(built_in) => built_in.open(capacity, requests, seed)?,
    };
    Ok(trace::skip(input, config.input.skip))
}

/// What is wrong with a trace; of a file that does not exist, the profile that may have been meant.
fn or_profile(name: &str, error: Error) -> Error {
    let built_in = BUILT_IN.iter().map(|built_in| built_in.name);
    let known = PROFILES.iter().map(|profile| profile.name).chain(built_in);
    match (Error::unknown("profile", name, known), &error) {
        (Error::Unknown { nearest: Some(nearest), .. }, Error::Io { source, .. })
            if source.kind() == ErrorKind::NotFound =>
        {
            let message = format!("found no such file (did you mean the profile {nearest:?}?)");
            Error::Trace { file: name.to_owned(), line: None, message }
        }
        _ => error,
    }
}

/// What is in the input that a configuration names.
///
/// # Errors
/// Those of the input, and of `watch`.
pub fn trace_info(config: &Config, watch: Watch<'_>) -> Result<(TraceReport, TraceInfo), Error> {
    let input = open_input(config)?;
    let mut last = Instant::now();
    let info = TraceInfo::read(input.open()?.as_mut(), &mut |requests, fraction| {
        tick(&mut last, watch, Progress { phase: "measuring input", requests, fraction })
    })?;
    Ok((trace_report(input.as_ref(), &info), info))
}

/// What the input that a configuration names is like, in pages of the device. The report's
/// `span_bytes` is the address space that a run needs.
///
/// # Errors
/// Those of the input, and of `watch`.
pub fn characteristics(
    config: &Config,
    watch: Watch<'_>,
) -> Result<(TraceReport, Characteristics), Error> {
    let input = open_input(config)?;
    let (mut source, page_bytes) = (input.open()?, config.device.page.0 as u32);
    let mut last = Instant::now();
    let found = Characteristics::read(source.as_mut(), page_bytes, &mut |requests, fraction| {
        tick(&mut last, watch, Progress { phase: "measuring input", requests, fraction })
    })?;
    let (policy, capacity) = (config.run.address, config.device.capacity.map(|bytes| bytes.0));
    let extent = |v: &VolumeInfo| Extent {
        volume: v.volume,
        first_byte: v.first_byte,
        end_byte: v.end_byte,
    };
    let extents: Vec<Extent> = found.info.volumes.iter().map(extent).collect();
    let span_bytes = AddressMap::new(policy, &extents, capacity).map(|map| map.span_bytes()).ok();
    let report = TraceReport { span_bytes, ..trace_report(input.as_ref(), &found.info) };
    Ok((report, found))
}

fn trace_report(input: &dyn Input, info: &TraceInfo) -> TraceReport {
    TraceReport {
        name: input.name(),
        format: input.format(),
        digest: Some(info.digest.clone()),
        requests: Some(info.requests),
        volumes: Some(info.volumes_count),
        span_bytes: Some(info.span_bytes),
    }
}

/// The first `limit` requests of the input that a configuration names, and the attributes that they may have.
///
/// # Errors
/// Those of the input, and of `watch`.
pub fn requests(
    config: &Config,
    limit: usize,
    watch: Watch<'_>,
) -> Result<(Vec<Request>, Attributes), Error> {
    let input = open_input(config)?;
    let mut source = input.open()?;
    let (mut requests, mut batch) = (Vec::new(), Vec::with_capacity(BATCH));
    let mut last = Instant::now();
    while requests.len() < limit {
        source.fill(&mut batch)?;
        if batch.is_empty() {
            break;
        }
        requests.append(&mut batch);
        let (count, fraction) = (requests.len() as u64, source.progress());
        tick(&mut last, watch, Progress { phase: "reading", requests: count, fraction })?;
    }
    requests.truncate(limit);
    Ok((requests, input.attributes()))
}

/// The model fitted to the input that a configuration names; see [`model::fit`].
///
/// # Errors
/// Those of the input and of [`model::fit`].
pub fn fit(config: &Config, watch: Watch<'_>) -> Result<Model, Error> {
    let input = open_input(config)?;
    let mut last = Instant::now();
    model::fit(input.open()?.as_mut(), &input.name(), &mut |requests, fraction| {
        tick(&mut last, watch, Progress { phase: "fitting", requests, fraction })
    })
}

#[cfg(feature = "files")]
/// Writes the input that a configuration names to a file, which has no name yet; see [`trace::convert::prepare`].
///
/// # Errors
/// Those of the input and of [`trace::convert::prepare`]; [`Error::Config`] when `output` is the input.
pub fn convert(
    config: &Config,
    output: &str,
    to: Option<&str>,
    watch: Watch<'_>,
) -> Result<Unnamed<Converted>, Error> {
    let input = open_input(config)?;
    if let Some(read) = config.input.trace.as_ref().filter(|read| is_same(read, output)) {
        let message = format!("found {output:?}, which is the input {read}, expected another file");
        return Err(Error::config("output", message));
    }
    let mut last = Instant::now();
    trace::convert::prepare(input.as_ref(), output, to, &mut |requests, fraction| {
        tick(&mut last, watch, Progress { phase: "converting", requests, fraction })
    })
}

#[cfg(feature = "files")]
/// Writes each volume of the input that a configuration names, or each device of an array, to a file. Their folder
/// has no name yet; see [`trace::split::prepare`].
///
/// # Errors
/// Those of the input and of [`trace::split::prepare`].
pub fn split(
    config: &Config,
    folder: &Path,
    stripes: Option<Stripes>,
    watch: Watch<'_>,
) -> Result<Unnamed<Vec<Part>>, Error> {
    if let Some(stripes) = &stripes {
        check_stripe(stripes, config)?;
    }
    let input = open_input(config)?;
    let mut last = Instant::now();
    trace::split::prepare(input.as_ref(), folder, stripes, &mut |requests, fraction| {
        tick(&mut last, watch, Progress { phase: "splitting", requests, fraction })
    })
}

#[cfg(feature = "files")]
/// Whether both name one file, through links, too.
fn is_same(read: &str, output: &str) -> bool {
    Path::new(output)
        .canonicalize()
        .is_ok_and(|file| Path::new(read).canonicalize().ok() == Some(file))
}

pub(crate) fn tick(last: &mut Instant, watch: Watch<'_>, progress: Progress) -> Result<(), Error> {
    if last.elapsed() < WATCH_INTERVAL {
        return Ok(());
    }
    *last = Instant::now();
    watch(progress)
}
