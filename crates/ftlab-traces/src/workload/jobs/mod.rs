//! fio's job files as workloads.
//!
//! Reading order: `text` (sections), `keys` (what can be said), `value` (numbers and lists), `job` (a job with nothing left
//! open). Then `laws`, `map` and `places` (where requests go), `worker` (a clone of a job), `stream` (all of them together). `scheme` is
//! the file that `dp_scheme` names. The rules are those of fio's HOWTO, and what fio's null engine was seen to do.

mod job;
mod keys;
mod laws;
mod map;
mod places;
mod scheme;
mod stream;
mod text;
mod value;
mod worker;

use crate::error::Error;
use crate::request::{Attribute, Attributes, Input, Lifetime, RequestSource};
use crate::units::Bytes;
use job::{Job, Pace, World};
use keys::Key;
use rustc_hash::FxHashMap;
use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use text::LONGEST_FILE;
use value::Told;

/// Blocks in all random maps: a bit each is 1 GiB.
const MOST_BLOCKS: u64 = 1 << 33;

/// Clones draw from streams of their own: an odd number far from small ones.
const CLONE_SEED: u64 = 0x9e37_79b9_7f4a_7c15;

/// Whether the file at `path` is a job file: its first line that is no comment begins a section.
#[must_use]
pub fn is_job_file(path: &Path) -> bool {
    // A pipe would wait for its other end.
    if !fs::metadata(path).is_ok_and(|meta| meta.is_file()) {
        return false;
    }
    File::open(path).is_ok_and(|file| begins_a_section(BufReader::new(file.take(LONGEST_FILE))))
}

/// JSON may begin with a bracket, too, but not with a name in it.
fn begins_a_section(text: impl BufRead) -> bool {
    let is_comment =
        |line: &[u8]| line.is_empty() || line.starts_with(b";") || line.starts_with(b"#");
    let mut lines = text.split(b'\n').map_while(Result::ok);
    let first = lines.find(|line| !is_comment(line.trim_ascii())).unwrap_or_default();
    let first = String::from_utf8_lossy(&first);
    let name = first.trim().strip_prefix('[').and_then(|line| line.split_once(']'));
    name.is_some_and(|(name, rest)| {
        !name.trim_start().is_empty() && rest.trim().is_empty() && !name.contains(['{', '"', ','])
    })
}

/// The requests of the job file at `path`, all of them or the first `requests`.
///
/// Percentages, and jobs without a size, are of a device with `capacity` bytes. `seed` decides everything that is drawn.
///
/// # Errors
/// [`Error::Io`] for a file that cannot be read; [`Error::Trace`] names the line, what was found and what was expected.
pub fn jobs(
    path: &str,
    capacity: Option<Bytes>,
    requests: Option<u64>,
    seed: u64,
) -> Result<Box<dyn Input>, Error> {
    let (file, text) = (Path::new(path), text_of(path)?);
    let world = World { capacity: capacity.map(|bytes| bytes.0), folder: folder_of(file) };
    let name = file.file_name().map_or(path.into(), |name| name.to_string_lossy());
    input(&name, path, &text, &world, requests, seed)
}

/// The files that `dp_scheme` names in the file at `path`; none if that is no job file, or cannot be
/// read as one.
#[must_use]
pub fn job_schemes(path: &str) -> Vec<PathBuf> {
    let file = Path::new(path);
    let text = if is_job_file(file) { text_of(path).ok() } else { None };
    let sections = text.and_then(|text| text::sections(&text).ok()).unwrap_or_default();
    let schemes = sections.iter().filter_map(|section| section.values.get(&Key::Scheme));
    let named: BTreeSet<PathBuf> =
        schemes.map(|scheme| folder_of(file).join(&*scheme.text)).collect();
    named.into_iter().collect()
}

fn text_of(path: &str) -> Result<String, Error> {
    let mut bytes = Vec::new();
    let read =
        File::open(path).and_then(|file| file.take(LONGEST_FILE + 1).read_to_end(&mut bytes));
    if read.map_err(|source| Error::Io { path: path.into(), source })? as u64 > LONGEST_FILE {
        let message = "found more than 1 MiB, expected a job file".into();
        return Err(Told { line: None, message }.in_file(path));
    }
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// Where the files lie that a job file names.
fn folder_of(file: &Path) -> &Path {
    file.parent().unwrap_or(Path::new(""))
}

/// The requests of a job file that is built in, on a device with `capacity`.
pub(super) fn job_text(
    name: &str,
    text: &str,
    capacity: Bytes,
    requests: Option<u64>,
    seed: u64,
) -> Result<Box<dyn Input>, Error> {
    let world = World { capacity: Some(capacity.0), folder: Path::new("") };
    input(name, name, text, &world, requests, seed)
}

fn input(
    name: &str,
    path: &str,
    text: &str,
    world: &World<'_>,
    requests: Option<u64>,
    seed: u64,
) -> Result<Box<dyn Input>, Error> {
    if requests == Some(0) {
        return Err(Error::config("input.requests", "found 0, expected at least 1"));
    }
    let stages =
        stages(text, world, requests.is_some(), seed).map_err(|told| told.in_file(path))?;
    Ok(Box::new(Plan { name: name.into(), stages: stages.into(), requests }))
}

/// The clones of a text, by the stone walls between them.
fn stages(
    text: &str,
    world: &World<'_>,
    bounded: bool,
    seed: u64,
) -> Result<Vec<Vec<Runner>>, Told> {
    let mut stages: Vec<Vec<Runner>> = vec![Vec::new()];
    let mut volumes = FxHashMap::default();
    let mut number = 0u16;
    for section in text::sections(text)? {
        let job = Job::of(&section, world)?;
        if job.waits && stages.last().is_some_and(|stage| !stage.is_empty()) {
            stages.push(Vec::new());
        }
        if !job.ends() && !bounded {
            let told = format!(
                "job {:?}: found time_based without a rate, which ends by the clock of a device; expected --requests N, rate or rate_iops",
                job.name
            );
            return Err(Told::at(job.line, told));
        }
        if let Some(scheme) =
            job.scheme.as_ref().filter(|scheme| scheme.most() >= job.handles.len())
        {
            let message = format!(
                "job {:?}: found index {} in dp_scheme, expected less than the {} of plids",
                job.name,
                scheme.most(),
                job.handles.len()
            );
            return Err(Told::at(section.line, message));
        }
        for clone in 0..job.clones {
            if usize::from(number) == text::MOST_JOBS {
                let message = format!("found more than {} jobs with their clones", text::MOST_JOBS);
                return Err(Told::at(section.line, message));
            }
            let file = job.file.clone().map_or((number, String::new()), |file| (u16::MAX, file));
            let next = volumes.len() as u32;
            let volume = *volumes.entry(file).or_insert(next);
            let own =
                (job.seed.wrapping_mul(CLONE_SEED) ^ u64::from(number)).wrapping_mul(CLONE_SEED);
            let start = job.start + clone * job.increment;
            let job = Arc::new(Job { start, ..job.clone() });
            let stage = stages.last_mut().expect("there is one");
            stage.push(Runner { job, volume, initiator: number, seed: seed.wrapping_add(own) });
            number += 1;
        }
    }
    check_maps(&stages)?;
    check_walls(&stages)?;
    Ok(stages)
}

/// Whether the maps of all jobs of a stage fit in memory.
fn check_maps(stages: &[Vec<Runner>]) -> Result<(), Told> {
    for stage in stages {
        let mut blocks = 0u64;
        for Runner { job, .. } in stage.iter().filter(|runner| runner.job.map) {
            blocks = blocks.saturating_add(job.length / job.align[job.work.directions()[0]]);
            if blocks > MOST_BLOCKS {
                let message = format!(
                    "job {:?}: found more than {MOST_BLOCKS} blocks in random maps, expected norandommap",
                    job.name
                );
                return Err(Told::at(job.line, message));
            }
        }
    }
    Ok(())
}

/// Whether each stage has one kind of pace, and ends if another one follows.
fn check_walls(stages: &[Vec<Runner>]) -> Result<(), Told> {
    let last = stages.len() - 1;
    for (stage, clones) in stages.iter().enumerate() {
        let turns = |clone: &&Runner| matches!(clone.job.pace, Pace::Turns(_));
        let (waits, clocked) =
            (clones.iter().find(turns), clones.iter().find(|clone| !turns(clone)));
        if let (Some(waits), Some(clocked)) = (waits, clocked) {
            let message = format!(
                "job {:?} has a rate or thinktime and job {:?} has none; expected one for all jobs that run together, or a stonewall between them",
                clocked.job.name, waits.job.name
            );
            return Err(Told::at(waits.job.line, message));
        }
        if let Some(endless) = clones.iter().find(|clone| stage < last && !clone.job.ends()) {
            let message = format!(
                "job {:?} does not end, as time_based has no rate here; expected no job behind its stonewall",
                endless.job.name
            );
            return Err(Told::at(endless.job.line, message));
        }
    }
    Ok(())
}

/// One clone of a job.
#[derive(Debug)]
struct Runner {
    job: Arc<Job>,
    volume: u32,
    initiator: u16,
    seed: u64,
}

/// All jobs of a file.
#[derive(Clone, Debug)]
struct Plan {
    name: String,
    stages: Arc<[Vec<Runner>]>,
    /// Only the first N requests are taken.
    requests: Option<u64>,
}

impl Plan {
    fn clones(&self) -> impl Iterator<Item = &Runner> {
        self.stages.iter().flatten()
    }

    /// Bytes of all jobs, if each of them ends by its bytes.
    fn bytes(&self) -> Option<u64> {
        self.clones().try_fold(0u64, |sum, clone| Some(sum.saturating_add(clone.job.bytes?)))
    }

    /// What a user should know.
    fn remarks(&self) -> Vec<String> {
        let waiting = |stage: &Vec<Runner>| {
            let weight = |clone: &Runner| match clone.job.pace {
                Pace::Turns(weight) => weight,
                Pace::Clock(_) => 0,
            };
            stage.iter().map(weight).sum::<u64>()
        };
        let depth = self.stages.iter().map(waiting).max().unwrap_or(0).min(65_536);
        let told = format!(
            "jobs without a rate all arrive at time 0: set host.mode = closed:{depth}, the sum of their depths"
        );
        (depth > 0).then_some(told).into_iter().collect()
    }
}

impl Input for Plan {
    fn open(&self) -> Result<Box<dyn RequestSource>, Error> {
        Ok(Box::new(stream::Stream::new(self)))
    }

    fn name(&self) -> String {
        self.name.clone()
    }

    fn format(&self) -> String {
        "fio-job".into()
    }

    fn address_space_bytes(&self) -> Option<u64> {
        let end = self.clones().map(|clone| clone.job.start + clone.job.length).max();
        end.filter(|_| self.clones().all(|clone| clone.volume == 0))
    }

    fn attributes(&self) -> Attributes {
        let any = |has: fn(&Job) -> bool| self.clones().any(|clone| has(&clone.job));
        let hint = any(|job| job.handles.iter().any(|handle| *handle > 0));
        let lifetime = any(|job| job.lifetime != Lifetime::Unset);
        let several = self.clones().count() > 1;
        let all = [
            (hint, Attribute::Hint),
            (lifetime, Attribute::Lifetime),
            (several, Attribute::Initiator),
        ];
        all.into_iter().filter(|(has, _)| *has).map(|(_, attribute)| attribute).collect()
    }
}

#[cfg(test)]
mod tests;
