//! WARCIP, write amplification reduction by clustering I/O pages (Yang, Pei & Yang, SYSTOR 2019), as the evaluation of
//! SepBIT has it (Wang et al., FAST 2022).
//!
//! Idea     clusters by rewrite interval: the time since a page was written last. A page of the host goes to the cluster
//!          whose centre is nearest to its interval; a new page has the interval 0, and among equals the last cluster wins.
//!          The centre of a cluster is the mean interval of the pages in its open block. What GC moves goes to a class
//!          of its own; how long the page had lain there is added to its next interval.
//!          Clusters are looked at after each `period` blocks of the host. One that got less than a block of pages is
//!          closed when its block is full. One that got more than half of all is divided, if another was closed.
//! RAM      16 B per logical page: when it was written, and what GC adds.
//! Departs  the paper is known to us by that evaluation's program.

use super::{Filled, Layout, Moved, Requested, Separation, SeparationDesign, Spec, Written};
use crate::units::{Lpn, Nanos};

crate::settings! {
    /// WARCIP's own parameters.
    pub struct WarcipConfig in "warcip" {
        /// Classes, that of what GC moves included.
        classes: u32 = 6, in 2..=16, laws [2, 3, 6], source "Wang et al., SepBIT, FAST 2022";
        /// Full blocks of the host after which clusters are divided or closed.
        period: u32 = 256, in 1.., unit "blocks", laws [1, 2, 256], source "Wang et al., SepBIT, FAST 2022";
    }
}

/// A cluster of pages by rewrite interval.
#[derive(Clone, Copy, Debug)]
struct Cluster {
    /// Mean interval, in microseconds of the host.
    centre: f64,
    /// Pages in the open block.
    pages: u32,
    /// Pages since clusters were looked at last.
    writes: u64,
    is_open: bool,
    /// It is closed when its block is full.
    is_closing: bool,
}

/// Separation by rewrite intervals; class 0 is what GC moves, the clusters are behind it.
#[derive(Clone, Debug)]
pub struct Warcip {
    clusters: Vec<Cluster>,
    period: u32,
    /// Full blocks of the host since clusters were looked at last.
    filled: u32,
    /// Time of the host.
    now: Nanos,
    written: Vec<Option<Nanos>>,
    penalties: Vec<Nanos>,
}

impl Warcip {
    /// The open cluster nearest to an interval, the last among equals.
    fn nearest(&self, interval: f64) -> usize {
        let mut nearest = (f64::INFINITY, 0);
        for (number, cluster) in self.clusters.iter().enumerate().filter(|(_, c)| c.is_open) {
            let distance = (cluster.centre - interval).abs();
            if distance <= nearest.0 {
                nearest = (distance, number);
            }
        }
        nearest.1
    }

    /// Divides a cluster that gets most pages, or closes one that gets few.
    fn look(&mut self) {
        let all: u64 = self.clusters.iter().map(|cluster| cluster.writes).sum();
        let block = all / u64::from(self.period);
        let closed = self.clusters.iter().position(|cluster| !cluster.is_open);
        let large = self.clusters.iter().position(|c| c.is_open && c.writes > all / 2);
        match (closed, large) {
            (Some(closed), Some(large)) => {
                let centre = self.clusters[large].centre;
                self.clusters[closed] =
                    Cluster { centre, pages: 0, writes: 0, is_open: true, is_closing: false };
            }
            _ => {
                let is_small = |cluster: &Cluster| cluster.is_open && cluster.writes < block;
                let stays_open = |cluster: &&Cluster| cluster.is_open && !cluster.is_closing;
                if self.clusters.iter().filter(stays_open).count() > 1
                    && let Some(small) = self.clusters.iter_mut().find(|cluster| is_small(cluster))
                {
                    small.is_closing = true;
                }
            }
        }
        self.clusters.iter_mut().for_each(|cluster| cluster.writes = 0);
    }
}

impl SeparationDesign for Warcip {
    type Settings = WarcipConfig;

    const SPEC: Spec = Spec {
        name: "warcip",
        summary: "by the time between two writes of a page",
        source: "Yang, Pei & Yang, SYSTOR 2019; Wang et al., SepBIT, FAST 2022",
    };

    fn build(layout: &Layout, own: WarcipConfig) -> Self {
        let cluster =
            Cluster { centre: 0.0, pages: 0, writes: 0, is_open: true, is_closing: false };
        Warcip {
            clusters: vec![cluster; own.classes as usize - 1],
            period: own.period,
            filled: 0,
            now: 0,
            written: vec![None; layout.logical_pages as usize],
            penalties: vec![0; layout.logical_pages as usize],
        }
    }
}

impl Separation for Warcip {
    fn classes(&self) -> u8 {
        self.clusters.len() as u8 + 1
    }

    fn spread(&self) -> u8 {
        1
    }

    fn requested(&mut self, request: Requested) {
        self.now = request.time;
    }

    fn of_write(&mut self, page: Written) -> u8 {
        let index = page.lpn.index();
        let since = self.written[index].map_or(0, |then| self.now.saturating_sub(then));
        let interval = (since + std::mem::take(&mut self.penalties[index])) as f64 / 1000.0;
        self.written[index] = Some(self.now);
        let nearest = self.nearest(interval);
        let cluster = &mut self.clusters[nearest];
        let pages = f64::from(cluster.pages);
        cluster.centre = (cluster.centre * pages + interval) / (pages + 1.0);
        cluster.pages += 1;
        cluster.writes += 1;
        nearest as u8 + 1
    }

    fn of_move(&mut self, page: Moved) -> u8 {
        let then = self.written[page.lpn.index()].unwrap_or(self.now);
        self.penalties[page.lpn.index()] = self.now.saturating_sub(then);
        0
    }

    fn filled(&mut self, Filled { class, .. }: Filled) {
        let Some(number) = class.checked_sub(1) else { return };
        let cluster = &mut self.clusters[usize::from(number)];
        cluster.pages = 0;
        if std::mem::take(&mut cluster.is_closing) {
            cluster.is_open = false;
        }
        self.filled += 1;
        if self.filled == self.period {
            self.filled = 0;
            self.look();
        }
    }

    fn trimmed(&mut self, lpn: Lpn) {
        self.written[lpn.index()] = None;
        self.penalties[lpn.index()] = 0;
    }

    fn uses_ages(&self) -> bool {
        false
    }

    fn ram(&self) -> u64 {
        16 * self.written.len() as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::Rng;
    use crate::units::Pbn;

    /// Pages in a block.
    const BLOCK: u32 = 4;

    #[test]
    fn a_cluster_stays_open() {
        for seed in 0..200 {
            let mut rng = Rng::new(seed, "warcip");
            let mut warcip =
                Warcip::build(&Layout::of_pages(16), WarcipConfig { classes: 4, period: 2 });
            let mut pages = [0; 4];
            for time in 0..500 {
                warcip.now = 1000 * time;
                let most = 1 + rng.below(16);
                let lpn = Lpn(rng.below(most) as u32);
                let class = warcip.of_write(Written::of(lpn, None));
                pages[usize::from(class)] += 1;
                if pages[usize::from(class)] == BLOCK {
                    pages[usize::from(class)] = 0;
                    warcip.filled(Filled { block: Pbn(0), class });
                }
                assert!(warcip.clusters.iter().any(|c| c.is_open), "seed {seed}, page {time}");
            }
        }
    }
}
