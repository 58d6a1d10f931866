//! Fits each volume, and describes many volumes in few lines.

use super::share;
use crate::error::Error;
use crate::request::{Op, Request, Volumes};
use crate::units::Bytes;
use crate::workload::model::file::Volume;
use crate::workload::model::host::TAILS;
use crate::workload::model::space::REGION_BYTES;
use rustc_hash::FxHashMap;

/// The most volumes with a line each. Of more, only the busiest half as many have one.
const MOST_LINES: usize = 64;

/// Where a request of a volume ended.
#[derive(Clone, Copy, Debug)]
pub(super) struct Tail {
    pub(super) end: u64,
    pub(super) length: u32,
    pub(super) op: Op,
    pub(super) in_run: bool,
    /// Its place among the remembered requests.
    pub(super) place: usize,
}

/// One volume.
#[derive(Clone, Debug)]
pub(super) struct VolumeFit {
    /// Its number among those seen, in the order of their appearance.
    pub(super) index: u32,
    pub(super) runs: u64,
    pub(super) new_regions: u64,
    counts: [u64; 2],
    first: u64,
    end: u64,
    /// Its number.
    number: u32,
    /// Requests in each region, up to 255.
    regions: FxHashMap<u64, u8>,
    /// The last requests, the newest at the end.
    tails: Vec<Tail>,
}

impl VolumeFit {
    /// The tail that `request` continues, if any, and how many are newer.
    pub(super) fn go_on(&mut self, request: &Request) -> Option<(usize, Tail)> {
        let at = self.tails.iter().rposition(|tail| tail.end == request.offset)?;
        let newer = self.tails.len() - 1 - at;
        Some((newer, self.tails.remove(at)))
    }

    /// Remembers where `request` ended.
    pub(super) fn end(&mut self, request: &Request, in_run: bool, place: usize) {
        if self.tails.len() == TAILS {
            self.tails.remove(0);
        }
        let (end, length, op) = (request.end(), request.length, request.op);
        self.tails.push(Tail { end, length, op, in_run, place });
    }

    fn requests(&self) -> u64 {
        self.counts[0] + self.counts[1]
    }
}

pub(super) struct VolumeFits {
    volumes: Volumes<VolumeFit>,
    seen: u32,
}

impl VolumeFits {
    pub(super) fn new() -> Self {
        VolumeFits { volumes: Volumes::new(), seen: 0 }
    }

    /// The volume of `request`, which is counted.
    pub(super) fn of(&mut self, request: &Request) -> Result<&mut VolumeFit, Error> {
        let seen = &mut self.seen;
        let volume = self.volumes.of(request.volume, || {
            *seen += 1;
            VolumeFit {
                index: *seen - 1,
                runs: 0,
                new_regions: 0,
                counts: [0; 2],
                first: u64::MAX,
                end: 0,
                number: request.volume,
                regions: FxHashMap::default(),
                tails: Vec::new(),
            }
        })?;
        volume.counts[usize::from(request.op == Op::Write)] += 1;
        volume.first = volume.first.min(request.offset);
        volume.end = volume.end.max(request.end());
        let requests = volume.regions.entry(request.offset / REGION_BYTES).or_default();
        *requests = requests.saturating_add(1);
        Ok(volume)
    }

    /// The volumes, which keep their numbers if they are `numbered`.
    pub(super) fn finish(self, numbered: bool) -> Vec<Volume> {
        let mut volumes: Vec<VolumeFit> =
            self.volumes.sorted().into_iter().map(|row| row.1).collect();
        if volumes.len() <= MOST_LINES {
            let number = |one: &[VolumeFit]| Some(one[0].number).filter(|_| numbered);
            let line = |one| Volume { number: number(one), ..told(one) };
            return volumes.chunks(1).map(line).collect();
        }
        volumes.sort_by_key(|volume| (std::cmp::Reverse(volume.requests()), volume.index));
        let (busy, mut others) = volumes.split_at(MOST_LINES / 2);
        let mut lines: Vec<Volume> = busy.chunks(1).map(told).collect();
        let mut group = MOST_LINES / 2;
        while !others.is_empty() {
            let (alike, rest) = others.split_at(group.min(others.len()));
            lines.push(told(alike));
            others = rest;
            group *= 2;
        }
        lines
    }
}

/// One line for several volumes: their means.
fn told(alike: &[VolumeFit]) -> Volume {
    let sum = |of: fn(&VolumeFit) -> u64| alike.iter().map(of).sum::<u64>();
    let mean = |of: fn(&VolumeFit) -> u64| sum(of) as f64 / alike.len() as f64;
    let first = |volume: &VolumeFit| volume.first / REGION_BYTES * REGION_BYTES;
    let sizes = alike.iter().map(|volume| u128::from(volume.end - first(volume))).sum::<u128>();
    // A mean of 64-bit numbers fits 64 bits.
    let size = (sizes / alike.len() as u128) as u64;
    let lone = if let [one] = alike { Some(Bytes(first(one))) } else { None };
    Volume {
        weight: mean(|volume| volume.new_regions),
        runs: Some(mean(|volume| volume.runs)),
        writes: share(sum(|volume| volume.counts[1]), sum(VolumeFit::requests)),
        size: Bytes(size.next_multiple_of(4096)),
        first: lone.filter(|first| first.0 > 0),
        count: (alike.len() > 1).then_some(alike.len() as u32),
        number: None,
        untouched: alike.iter().map(untouched).sum::<f64>() / alike.len() as f64,
    }
}

/// The share of a volume's regions that no request reaches. The regions still to come are estimated
/// from those with one request and with two.
///
/// Source: Chao, Nonparametric estimation of the number of classes in a population, Scandinavian
/// Journal of Statistics 11, 1984.
fn untouched(volume: &VolumeFit) -> f64 {
    let with = |requests: u8| volume.regions.values().filter(|n| **n == requests).count() as f64;
    let to_come = with(1) * (with(1) - 1.0).max(0.0) / (2.0 * (with(2) + 1.0));
    let first = volume.first / REGION_BYTES;
    let all = (volume.end.div_ceil(REGION_BYTES) - first) as f64;
    (1.0 - (volume.regions.len() as f64 + to_come) / all).max(0.0)
}
