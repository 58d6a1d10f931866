//! A log-structured merge tree under uniform updates, as RocksDB's levelled compaction has it.
//!
//! ```text
//! log     bytes of the user, trimmed when the memtable is flushed
//! level 0 a file for each flush; four of them are merged with all of level 1
//! level n while it is larger than its target, its next file is merged with the files below that it overlaps
//! ```
//!
//! Targets are those of RocksDB in files of a memtable each: 4 for level 1, and ten times as many for each level below it. The last level
//! holds a copy of all keys. A merge reads its inputs, writes files in order, and trims the inputs. Keys are uniform, so that a range
//! of keys has at most its share of the data. What is in the background is spread over the writes of the next memtable.
//!
//! Each level has a handle, and the lifetime that RocksDB gives it.

use crate::error::Error;
use crate::request::{
    Attribute, Attributes, BATCH, Input, Lifetime, Meta, Op, Request, RequestSource,
};
use crate::units::Bytes;
use std::collections::VecDeque;

pub(super) const ABOUT: &str = "\
; A log-structured merge tree under uniform updates: its log, flushes, and compaction by level with trims.
; Source: RocksDB's defaults, in files of 1/512 of the device.
";

/// Bytes of a request.
const REQUEST: u64 = 128 << 10;

/// Files that the device has room for.
const FILES: u64 = 512;

/// Files of level 0 that are merged, and of which level 1 consists.
const FIRST: u64 = 4;

/// How many times larger a level is than that above it.
const RATIO: u64 = 10;

/// Share of the device that is data, in per cent: merges need room for what they write.
const DATA: u64 = 70;

/// All writes are N times the device, unless a number of requests is given.
const TURNS: u64 = 8;

/// The tree on a device with `capacity`.
pub(super) fn open(capacity: Bytes, requests: Option<u64>) -> Result<Box<dyn Input>, Error> {
    if capacity.0 < FILES * REQUEST {
        let least = Bytes(FILES * REQUEST);
        let message = format!("found {capacity}, expected at least {least} for an LSM tree");
        return Err(Error::config("device.capacity", message));
    }
    if requests == Some(0) {
        return Err(Error::config("input.requests", "found 0, expected at least 1"));
    }
    Ok(Box::new(Lsm { capacity: capacity.0, requests }))
}

#[derive(Clone, Copy, Debug)]
struct Lsm {
    capacity: u64,
    requests: Option<u64>,
}

impl Input for Lsm {
    fn open(&self) -> Result<Box<dyn RequestSource>, Error> {
        Ok(Box::new(Stream { own: *self, tree: Tree::new(self.capacity), done: 0, written: 0 }))
    }

    fn name(&self) -> String {
        "lsm".into()
    }

    fn format(&self) -> String {
        "generated".into()
    }

    fn address_space_bytes(&self) -> Option<u64> {
        Some(self.capacity)
    }

    fn attributes(&self) -> Attributes {
        [Attribute::Hint, Attribute::Lifetime].into_iter().collect()
    }
}

struct Stream {
    own: Lsm,
    tree: Tree,
    done: u64,
    written: u64,
}

impl RequestSource for Stream {
    fn fill(&mut self, batch: &mut Vec<Request>) -> Result<(), Error> {
        for _ in 0..BATCH {
            let is_over = match self.own.requests {
                Some(requests) => self.done >= requests,
                None => self.written >= TURNS * self.own.capacity,
            };
            if is_over {
                return Ok(());
            }
            let request = self.tree.next()?;
            self.done += 1;
            self.written += if request.op == Op::Write { u64::from(request.length) } else { 0 };
            batch.push(request);
        }
        Ok(())
    }

    fn progress(&self) -> Option<f64> {
        Some(match self.own.requests {
            Some(requests) => self.done as f64 / requests as f64,
            None => self.written as f64 / (TURNS * self.own.capacity) as f64,
        })
    }
}

/// A sorted file: its keys as a part of all of them, its bytes, and where it lies.
#[derive(Clone, Copy, Debug)]
struct File {
    from: f64,
    to: f64,
    bytes: u64,
    slot: u64,
}

struct Tree {
    /// Bytes of a memtable, and of the longest file.
    file: u64,
    /// Bytes of all keys.
    data: u64,
    levels: Vec<Vec<File>>,
    /// By level, the key behind the file that was merged last.
    cursors: Vec<f64>,
    /// Slots that hold no file; the one that was freed first is the first.
    free: VecDeque<u64>,
    log: u64,
    logged: u64,
    /// What is done in the background, and how much of it before the next request of the log.
    queue: VecDeque<Request>,
    owed: u64,
}

impl Tree {
    fn new(capacity: u64) -> Self {
        let file = capacity / FILES / REQUEST * REQUEST;
        let data = capacity / 100 * DATA / file * file;
        let targets = std::iter::successors(Some(FIRST * file), |target| Some(target * RATIO));
        // A level that would be nearly as large as the last one is left out.
        let above = targets.take_while(|target| 2 * *target < data).count();
        let mut tree = Tree {
            file,
            data,
            levels: vec![Vec::new(); above + 2],
            cursors: vec![0.0; above + 2],
            free: (0..capacity / file).collect(),
            log: 0,
            logged: 0,
            queue: VecDeque::new(),
            owed: 0,
        };
        tree.load();
        tree
    }

    /// Writes the last level in order, and takes a slot for the log.
    fn load(&mut self) {
        let (count, last) = (self.data / self.file, self.levels.len() - 1);
        for number in 0..count {
            let Some(slot) = self.free.pop_front() else { break };
            let (from, to) = (number as f64 / count as f64, (number + 1) as f64 / count as f64);
            let file = File { from, to, bytes: self.file, slot };
            self.transfer(Op::Write, file, last as u16 + 1);
            self.levels[last].push(file);
        }
        self.log = self.free.pop_front().unwrap_or(count);
        self.owed = self.queue.len() as u64;
    }

    /// The next request: what is owed of the background, or one of the log.
    fn next(&mut self) -> Result<Request, Error> {
        if self.owed > 0
            && let Some(request) = self.queue.pop_front()
        {
            self.owed -= 1;
            return Ok(request);
        }
        let offset = self.log * self.file + self.logged;
        self.logged += REQUEST;
        if self.logged == self.file {
            self.flush()?;
        }
        // All of the background is done before the log is full again.
        let left = (self.file - self.logged) / REQUEST;
        self.owed = (self.queue.len() as u64).div_ceil(left);
        Ok(Request::new(Op::Write, offset, REQUEST as u32).with_meta(meta(0)))
    }

    /// Writes the memtable to a file of level 0, forgets its log, and merges what is too large.
    fn flush(&mut self) -> Result<(), Error> {
        // What is freed from here on is trimmed in the background, so the next log may not lie there.
        let next = self.slot()?;
        let log = std::mem::replace(&mut self.log, next);
        self.logged = 0;
        let file = File { from: 0.0, to: 1.0, bytes: self.file, slot: self.slot()? };
        self.transfer(Op::Write, file, 1);
        self.levels[0].push(file);
        self.forget(File { slot: log, ..file });
        while let Some(level) = self.too_large() {
            self.merge(level)?;
        }
        Ok(())
    }

    /// The first level that is to be merged with the one below it.
    fn too_large(&self) -> Option<usize> {
        if self.levels[0].len() as u64 >= FIRST {
            return Some(0);
        }
        let targets = std::iter::successors(Some(FIRST * self.file), |target| Some(target * RATIO));
        let above = 1..self.levels.len() - 1;
        let bytes = |level: usize| self.levels[level].iter().map(|file| file.bytes).sum::<u64>();
        above.zip(targets).find(|(level, target)| bytes(*level) > *target).map(|(level, _)| level)
    }

    fn merge(&mut self, level: usize) -> Result<(), Error> {
        let mut inputs = match level {
            0 => std::mem::take(&mut self.levels[0]),
            _ => vec![self.take_next(level)],
        };
        let (below, first) = (level + 1, inputs[0]);
        let overlaps = |file: &File| file.from < first.to && file.to > first.from;
        let (overlapping, rest): (Vec<File>, Vec<File>) =
            self.levels[below].iter().partition(|file| overlaps(file));
        self.levels[below] = rest;
        if overlapping.is_empty() && level > 0 {
            // There is nothing to merge with: the file moves as it is.
            self.add(below, [first]);
            return Ok(());
        }
        inputs.extend(overlapping);
        let from = inputs.iter().map(|file| file.from).fold(1.0, f64::min);
        let to = inputs.iter().map(|file| file.to).fold(0.0, f64::max);
        let all: u64 = inputs.iter().map(|file| file.bytes).sum();
        // In whole requests, to the nearest: a rounding upwards would be another file each time.
        let keys = ((to - from) * (self.data / REQUEST) as f64).round() as u64 * REQUEST;
        let bytes = all.min(keys).max(REQUEST);
        let count = bytes.div_ceil(self.file);
        let each = bytes.div_ceil(count).next_multiple_of(REQUEST);
        for input in &inputs {
            self.transfer(Op::Read, *input, 0);
        }
        let mut written = Vec::new();
        for number in 0..count {
            let at = |number: u64| from + (to - from) * number as f64 / count as f64;
            let end = if number + 1 == count { to } else { at(number + 1) };
            let file = File { from: at(number), to: end, bytes: each, slot: self.slot()? };
            self.transfer(Op::Write, file, below as u16 + 1);
            written.push(file);
        }
        inputs.into_iter().for_each(|input| self.forget(input));
        self.add(below, written);
        Ok(())
    }

    /// Adds files to a level below level 0, which is in the order of keys.
    fn add(&mut self, level: usize, files: impl IntoIterator<Item = File>) {
        self.levels[level].extend(files);
        self.levels[level].sort_by(|a, b| a.from.total_cmp(&b.from));
    }

    /// Takes the file behind the one that was merged last out of its level.
    fn take_next(&mut self, level: usize) -> File {
        let files = &mut self.levels[level];
        let next = files.iter().position(|file| file.from >= self.cursors[level]).unwrap_or(0);
        let file = files.remove(next);
        self.cursors[level] = file.to;
        file
    }

    fn slot(&mut self) -> Result<u64, Error> {
        let none = || Error::Internal("an LSM tree found no room for a file".into());
        self.free.pop_front().ok_or_else(none)
    }

    /// Reads or writes a whole file of a class: 0 for the log, and 1 and so on for the levels.
    fn transfer(&mut self, op: Op, file: File, class: u16) {
        let meta = if op == Op::Write { meta(class) } else { Meta::UNSET };
        let start = file.slot * self.file;
        let offsets = (start..start + file.bytes).step_by(REQUEST as usize);
        self.queue
            .extend(offsets.map(|offset| Request::new(op, offset, REQUEST as u32).with_meta(meta)));
    }

    /// Trims a file.
    fn forget(&mut self, file: File) {
        let mut offset = file.slot * self.file;
        let end = offset + file.bytes;
        while offset < end {
            let length = (end - offset).min(1 << 30);
            self.queue.push_back(Request::new(Op::Trim, offset, length as u32));
            offset += length;
        }
        self.free.push_back(file.slot);
    }
}

/// The handle of a class, and the lifetime that RocksDB sets.
fn meta(class: u16) -> Meta {
    let lifetime = match class {
        0 => Lifetime::Short,
        1 | 2 => Lifetime::Medium,
        3 => Lifetime::Long,
        _ => Lifetime::Extreme,
    };
    Meta { handle: class + 1, lifetime, ..Meta::UNSET }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn levels_are_in_the_order_of_keys() {
        for capacity in [64 << 20, 1 << 30] {
            let mut tree = Tree::new(capacity);
            for number in 0..50_000 {
                tree.next().expect("a request");
                for level in &tree.levels[1..] {
                    assert!(level.is_sorted_by(|a, b| a.to <= b.from), "{capacity}: {number}");
                }
            }
        }
    }
}
