//! The figures by which papers describe a trace, measured on a stream.

use super::host::TAILS;
use super::windows::Windows;
use crate::error::Error;
use crate::request::{Op, Request, Volumes};
use std::collections::VecDeque;

/// How far a stream of a model's full length may be from a published figure.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Within {
    /// Not at all.
    Exactly,
    /// Within this many units of the figure, which are percentage points.
    Points(f64),
    /// Within this many percent of the figure.
    Percent(f64),
}

impl Within {
    /// Whether `found` is near enough to `published`.
    #[must_use]
    pub fn holds(self, published: f64, found: f64) -> bool {
        let apart = (found - published).abs();
        match self {
            Within::Exactly => found == published,
            Within::Points(points) => apart <= points,
            Within::Percent(percent) => apart <= percent / 100.0 * published.abs(),
        }
    }
}

/// A figure that a model's file may state.
#[derive(Clone, Copy, Debug)]
pub struct FigureKind {
    /// Its name in the file.
    pub name: &'static str,
    /// How near the stream must come.
    pub within: Within,
    value: fn(&Figures) -> f64,
}

impl FigureKind {
    /// The kind with this name.
    #[must_use]
    pub fn find(name: &str) -> Option<&'static FigureKind> {
        FIGURES.iter().find(|kind| kind.name == name)
    }

    /// Its value in the measurement; NaN if its denominator is 0.
    #[must_use]
    pub fn value(&self, figures: &Figures) -> f64 {
        (self.value)(figures)
    }
}

const fn figure(name: &'static str, within: Within, value: fn(&Figures) -> f64) -> FigureKind {
    FigureKind { name, within, value }
}

const SHARE: Within = Within::Points(0.5);
const SEQUENTIAL: Within = Within::Points(3.0);
const MEAN: Within = Within::Percent(3.0);
/// For figures that vary from one part of a trace to the next.
const WINDOW: Within = Within::Points(5.0);

/// Every figure. A *sequential* request starts where the one before it ended: in the whole stream
/// for TPFTL, on its volume for CACH-FTL, which gives the mean over volumes.
pub const FIGURES: &[FigureKind] = &[
    figure("requests", Within::Exactly, |f| f.all.requests() as f64),
    figure("reads", Within::Exactly, |f| f.all.counts[0] as f64),
    figure("writes", Within::Exactly, |f| f.all.counts[1] as f64),
    figure("write_percent", SHARE, |f| f.all.written()),
    figure("minutes", MEAN, |f| f.seconds / 60.0),
    figure("requests_per_s", MEAN, |f| f.all.requests() as f64 / f.seconds),
    figure("mean_kib", MEAN, |f| f.all.mean_kib()),
    figure("mean_kib_over_volumes", MEAN, |f| f.mean(VolumeFigures::mean_kib)),
    figure("sequential_percent", SEQUENTIAL, |f| f.all.sequential()),
    figure("sequential_read_percent", SEQUENTIAL, |f| f.all.sequential_of(Op::Read)),
    figure("sequential_write_percent", SEQUENTIAL, |f| f.all.sequential_of(Op::Write)),
    figure("sequential_per_volume_percent", SEQUENTIAL, |f| f.mean(VolumeFigures::sequential)),
    figure("least_sequential_volume_percent", SEQUENTIAL, |f| f.least(VolumeFigures::sequential)),
    figure("most_sequential_volume_percent", SEQUENTIAL, |f| f.most(VolumeFigures::sequential)),
    figure("volumes", Within::Exactly, |f| f.volumes.len() as f64),
    figure("written_per_volume_percent", SHARE, |f| f.mean(VolumeFigures::written)),
    figure("least_written_volume_percent", SHARE, |f| f.least(VolumeFigures::written)),
    figure("most_written_volume_percent", SHARE, |f| f.most(VolumeFigures::written)),
    figure("sectors_per_read", MEAN, |f| f.all.sectors(Op::Read)),
    figure("sectors_per_write", MEAN, |f| f.all.sectors(Op::Write)),
    figure("resumed_percent", SEQUENTIAL, |f| 100.0 * f.resumed as f64 / f.all.requests() as f64),
    figure("first_window_write_percent", WINDOW, |f| f.windows.first_window_percent()),
    figure("write_starts_10k_percent", WINDOW, |f| f.windows.starts_percent(0)),
    figure("write_starts_50k_percent", WINDOW, |f| f.windows.starts_percent(1)),
    figure("first_sectors_in_million_reads", MEAN, |f| f.windows.first_sectors() as f64),
    figure("read_sectors_touched", MEAN, |f| f.windows.sectors_read() as f64),
    figure("overlaid_mib", MEAN, |f| f.end as f64 / f64::from(1 << 20)),
];

/// The measurement of a stream.
#[derive(Clone, Debug)]
pub struct Figures {
    all: VolumeFigures,
    /// Requests that continue one of the last sixteen of their volume.
    resumed: u64,
    volumes: Vec<VolumeFigures>,
    windows: Windows,
    end: u64,
    seconds: f64,
}

/// Counts of the requests of a volume, or of all.
#[derive(Clone, Copy, Debug, Default)]
struct VolumeFigures {
    counts: [u64; 2],
    follow: [u64; 2],
    bytes: [u64; 2],
    end: Option<u64>,
}

/// A volume, and the ends of its last requests, the newest last.
#[derive(Debug, Default)]
struct VolumeTally {
    figures: VolumeFigures,
    ends: VecDeque<u64>,
    resumed: u64,
}

impl VolumeTally {
    fn add(&mut self, request: &Request) {
        self.figures.add(request);
        if let Some(at) = self.ends.iter().rposition(|end| *end == request.offset) {
            self.ends.remove(at);
            self.resumed += 1;
        } else if self.ends.len() == TAILS {
            self.ends.pop_front();
        }
        self.ends.push_back(request.end());
    }
}

impl VolumeFigures {
    fn add(&mut self, request: &Request) {
        let op = usize::from(request.op == Op::Write);
        self.counts[op] += 1;
        self.follow[op] += u64::from(self.end == Some(request.offset));
        self.bytes[op] += u64::from(request.length);
        self.end = Some(request.end());
    }

    fn requests(&self) -> u64 {
        self.counts[0] + self.counts[1]
    }

    fn written(&self) -> f64 {
        100.0 * self.counts[1] as f64 / self.requests() as f64
    }

    fn mean_kib(&self) -> f64 {
        (self.bytes[0] + self.bytes[1]) as f64 / self.requests() as f64 / 1024.0
    }

    /// Mean sectors of the requests of this operation.
    fn sectors(&self, op: Op) -> f64 {
        let op = usize::from(op == Op::Write);
        self.bytes[op] as f64 / 512.0 / self.counts[op] as f64
    }

    fn sequential(&self) -> f64 {
        100.0 * (self.follow[0] + self.follow[1]) as f64 / self.requests() as f64
    }

    fn sequential_of(&self, op: Op) -> f64 {
        let op = usize::from(op == Op::Write);
        100.0 * self.follow[op] as f64 / self.counts[op] as f64
    }
}

impl Figures {
    fn mean(&self, of: fn(&VolumeFigures) -> f64) -> f64 {
        self.volumes.iter().map(of).sum::<f64>() / self.volumes.len() as f64
    }

    fn least(&self, of: fn(&VolumeFigures) -> f64) -> f64 {
        self.volumes.iter().map(of).fold(f64::INFINITY, f64::min)
    }

    fn most(&self, of: fn(&VolumeFigures) -> f64) -> f64 {
        self.volumes.iter().map(of).fold(f64::NEG_INFINITY, f64::max)
    }
}

/// Measures requests as they stream by.
pub struct Tally {
    all: VolumeFigures,
    volumes: Volumes<VolumeTally>,
    windows: Windows,
    end: u64,
    last: u64,
}

impl Default for Tally {
    fn default() -> Self {
        Tally {
            all: VolumeFigures::default(),
            volumes: Volumes::new(),
            windows: Windows::default(),
            end: 0,
            last: 0,
        }
    }
}

impl Tally {
    /// Adds a request.
    ///
    /// # Errors
    /// [`Error::Config`] for an absurd number of volumes.
    pub fn add(&mut self, request: &Request) -> Result<(), Error> {
        self.all.add(request);
        self.volumes.of(request.volume, VolumeTally::default)?.add(request);
        self.windows.add(request);
        self.end = self.end.max(request.end());
        self.last = request.time;
        Ok(())
    }

    /// The measurement; times count from 0.
    #[must_use]
    pub fn finish(self) -> Figures {
        let volumes: Vec<VolumeTally> =
            self.volumes.sorted().into_iter().map(|row| row.1).collect();
        Figures {
            all: self.all,
            resumed: volumes.iter().map(|volume| volume.resumed).sum(),
            volumes: volumes.iter().map(|volume| volume.figures).collect(),
            windows: self.windows,
            end: self.end,
            seconds: self.last as f64 / 1e9,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn value(name: &str) -> f64 {
        let at =
            |time, volume, offset, op| Request::new(op, offset, 1024).at(time).in_volume(volume);
        let mut tally = Tally::default();
        for request in [
            at(0, 3, 0, Op::Read),
            at(1_000_000_000, 3, 1024, Op::Read),
            at(1_000_000_000, 5, 2048, Op::Write),
            at(4_000_000_000, 3, 2048, Op::Write),
        ] {
            tally.add(&request).unwrap();
        }
        FigureKind::find(name).unwrap().value(&tally.finish())
    }

    #[test]
    fn figures_are_those_of_the_papers() {
        for (name, expected) in [
            ("requests", 4.0),
            ("reads", 2.0),
            ("write_percent", 50.0),
            ("requests_per_s", 1.0),
            ("mean_kib", 1.0),
            ("volumes", 2.0),
            ("sequential_percent", 50.0),
            ("sequential_read_percent", 50.0),
            ("sequential_write_percent", 50.0),
            ("sequential_per_volume_percent", 100.0 / 3.0),
            ("most_sequential_volume_percent", 200.0 / 3.0),
            ("least_written_volume_percent", 100.0 / 3.0),
            ("most_written_volume_percent", 100.0),
        ] {
            assert!((value(name) - expected).abs() < 1e-9, "{name}: {}", value(name));
        }
    }

    #[test]
    fn near_enough_is_told_in_the_unit_of_the_figure() {
        assert!(Within::Exactly.holds(3.0, 3.0) && !Within::Exactly.holds(3.0, 3.1));
        assert!(Within::Points(0.5).holds(76.8, 77.3) && !Within::Points(0.5).holds(76.8, 77.4));
        assert!(Within::Percent(3.0).holds(200.0, 206.0));
        assert!(!Within::Percent(3.0).holds(200.0, 207.0));
    }
}
