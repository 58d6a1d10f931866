//! What a generated workload is asked to be, in the words of fio.

use super::arrivals::Arrivals;
use super::pattern::Pattern;
use crate::error::Error;
use crate::request::LONGEST_REQUEST_BYTES;
use crate::units::{Bytes, Duration, Ratio};
use serde::{Deserialize, Serialize};

/// Where the requests of a generated workload go, how large they are and when they come.
///
/// Keys that are left out take the value that their line states; those that depend on the pattern
/// are `None` until [`resolve`](Self::resolve) fills them in.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct WorkloadConfig {
    /// Where requests go; see [`PATTERNS`](super::PATTERNS). Default: `rand`.
    pub pattern: Pattern,
    /// Share of requests that read, 0 to 1. Default: what fio's name says (`randread` 1, `rw` and
    /// `randrw` 0.5, as fio's `rwmixread`), else 0: all writes.
    pub read_share: Option<Ratio>,
    /// Size of every request, bytes. Default: 4k, as in fio and as one page of the papers.
    pub bs: Bytes,
    /// Sizes in bytes with their weights, instead of `bs` (fio's `bssplit`). Default: none.
    pub bs_mix: Vec<(Bytes, f64)>,
    /// Bytes of address space covered, from 0. Default: 512 MiB (TPFTL, section 5.1); of
    /// `cachftl` 1 GiB (CACH-FTL, section 5.2).
    pub size: Option<Bytes>,
    /// Number of requests. Default: 1,000,000; of `cachftl` 250,000 (CACH-FTL, Table 2).
    pub requests: Option<u64>,
    /// Starts are multiples of this many bytes (fio's `blockalign`). Default: the smallest size.
    pub align: Option<Bytes>,
    /// Exponent of `zipf`, 0 (uniform) to 10. Default: 1.1, as fio's.
    pub zipf_theta: f64,
    /// `zipf` and `hotcold`: popular pages lie all over the space (true) or at its beginning
    /// (false). Default: true.
    pub scatter: bool,
    /// `hotcold`: share of the space that is hot, between 0 and 1. Default: 0.2.
    pub hot_share: Ratio,
    /// `hotcold`: share of the requests that go to the hot space, 0 to 1. Default: 0.8.
    pub hot_access: Ratio,
    /// `seq`: sequential streams that take turns, each in its own part of the space. Default: 1.
    pub streams: u32,
    /// `cachftl`: share of requests that continue the previous one, 0 to 1. Default: 0.4
    /// (CACH-FTL, Table 2).
    pub sequential_rate: Ratio,
    /// `cachftl`: share of the other requests that stay near the previous one, 0 to 1. Default:
    /// 0.2 (CACH-FTL, Table 2).
    pub spatial_locality: Ratio,
    /// How requests follow each other in time. Default: `poisson`.
    pub arrivals: Arrivals,
    /// Mean time between arrivals, nanoseconds. Default: 1 ms; of `cachftl` 200 ms (CACH-FTL,
    /// Table 2).
    pub interarrival: Option<Duration>,
}

impl Default for WorkloadConfig {
    fn default() -> Self {
        WorkloadConfig {
            pattern: Pattern::Rand,
            read_share: None,
            bs: Bytes(4 << 10),
            bs_mix: Vec::new(),
            size: None,
            requests: None,
            align: None,
            zipf_theta: 1.1,
            scatter: true,
            hot_share: Ratio(0.2),
            hot_access: Ratio(0.8),
            streams: 1,
            sequential_rate: Ratio(0.4),
            spatial_locality: Ratio(0.2),
            arrivals: Arrivals::Poisson,
            interarrival: None,
        }
    }
}

/// More streams than any host has.
const MOST_STREAMS: u32 = 65_536;

/// 100 years in nanoseconds: times must fit in 64 bits with room to spare.
const LONGEST_TIME: f64 = 3.156e18;

/// A checked configuration with nothing left open, in plain numbers.
#[derive(Clone, Debug)]
pub(super) struct Plan {
    pub(super) pattern: Pattern,
    pub(super) read_share: f64,
    pub(super) sizes: Vec<(u32, f64)>,
    pub(super) size: u64,
    pub(super) requests: u64,
    pub(super) align: u64,
    pub(super) zipf_theta: f64,
    pub(super) scatter: bool,
    pub(super) hot_share: f64,
    pub(super) hot_access: f64,
    pub(super) streams: u32,
    pub(super) sequential_rate: f64,
    pub(super) spatial_locality: f64,
    pub(super) arrivals: Arrivals,
    pub(super) mean_gap: f64,
}

impl Plan {
    /// The longest request, bytes.
    pub(super) fn longest(&self) -> u64 {
        self.sizes.iter().map(|s| u64::from(s.0)).max().unwrap_or(0)
    }

    /// Starts at which even the longest request fits.
    pub(super) fn slots(&self) -> u64 {
        (self.size - self.longest()) / self.align + 1
    }
}

impl WorkloadConfig {
    /// The same configuration with every key that depends on the pattern filled in, checked.
    ///
    /// # Errors
    /// [`Error::Config`] names the key, what was found and what was expected.
    pub fn resolve(&self) -> Result<Self, Error> {
        let plan = self.plan()?;
        Ok(WorkloadConfig {
            read_share: Some(Ratio(plan.read_share)),
            size: Some(Bytes(plan.size)),
            requests: Some(plan.requests),
            align: Some(Bytes(plan.align)),
            interarrival: Some(self.mean_gap()),
            ..self.clone()
        })
    }

    fn mean_gap(&self) -> Duration {
        let default = if self.pattern == Pattern::Cachftl { 200_000_000 } else { 1_000_000 };
        self.interarrival.unwrap_or(Duration(default))
    }

    /// Checks every key and fills in what depends on others.
    pub(super) fn plan(&self) -> Result<Plan, Error> {
        let cachftl = self.pattern == Pattern::Cachftl;
        let sizes = self.sizes()?;
        let longest = sizes.iter().map(|s| u64::from(s.0)).max().unwrap_or(0);
        let shortest = sizes.iter().map(|s| u64::from(s.0)).min().unwrap_or(0);
        self.check_knobs()?;
        let size = self.size.map_or(if cachftl { 1 << 30 } else { 512 << 20 }, |s| s.0);
        check(
            "size",
            size >= longest && size <= 1 << 52,
            &Bytes(size),
            &format!("at least the longest request ({}), at most 4096TiB", Bytes(longest)),
        )?;
        let align = self.align.map_or(shortest, |a| a.0);
        check("align", align >= 1 && align <= size, &Bytes(align), "1B to the size of the space")?;
        let plan = Plan {
            pattern: self.pattern,
            read_share: self.share_of_reads()?,
            sizes,
            size,
            requests: self.requests.unwrap_or(if cachftl { 250_000 } else { 1_000_000 }),
            align,
            zipf_theta: self.zipf_theta,
            scatter: self.scatter,
            hot_share: self.hot_share.0,
            hot_access: self.hot_access.0,
            streams: self.streams,
            sequential_rate: self.sequential_rate.0,
            spatial_locality: self.spatial_locality.0,
            arrivals: self.arrivals,
            mean_gap: self.mean_gap().0 as f64,
        };
        let each = plan.size / u64::from(plan.streams);
        let room = plan.streams == 1 || each >= longest.next_multiple_of(align);
        check("streams", room, &self.streams, "so few that the longest request fits in each part")?;
        let time = plan.requests as f64 * plan.mean_gap;
        let found = plan.requests;
        check("requests", time < LONGEST_TIME, &found, "at most 100 years of arrivals")?;
        Ok(plan)
    }

    /// Request sizes with their weights.
    fn sizes(&self) -> Result<Vec<(u32, f64)>, Error> {
        let expected = format!("1B to {}", Bytes(LONGEST_REQUEST_BYTES));
        if self.bs_mix.is_empty() {
            let fits = (1..=LONGEST_REQUEST_BYTES).contains(&self.bs.0);
            check("bs", fits, &self.bs, &expected)?;
            return Ok(vec![(self.bs.0 as u32, 1.0)]);
        }
        for (size, weight) in &self.bs_mix {
            check("bs_mix", (1..=LONGEST_REQUEST_BYTES).contains(&size.0), size, &expected)?;
            check("bs_mix", weight.is_finite() && *weight >= 0.0, weight, "weights of 0 or more")?;
        }
        let total: f64 = self.bs_mix.iter().map(|m| m.1).sum();
        check("bs_mix", total > 0.0 && total.is_finite(), &total, "weights with a sum above 0")?;
        Ok(self.bs_mix.iter().map(|(size, weight)| (size.0 as u32, *weight)).collect())
    }

    /// The keys that stand for themselves.
    fn check_knobs(&self) -> Result<(), Error> {
        let theta = self.zipf_theta;
        check("zipf_theta", (0.0..=10.0).contains(&theta), &theta, "an exponent from 0 to 10")?;
        let hot = self.hot_share.0;
        check("hot_share", hot > 0.0 && hot < 1.0, &hot, "a share above 0 and below 1")?;
        let shares = [
            ("hot_access", self.hot_access),
            ("sequential_rate", self.sequential_rate),
            ("spatial_locality", self.spatial_locality),
        ];
        for (key, share) in shares {
            check(key, (0.0..=1.0).contains(&share.0), &share.0, "a share from 0 to 1")?;
        }
        let streams = (1..=MOST_STREAMS).contains(&self.streams);
        check("streams", streams, &self.streams, &format!("1 to {MOST_STREAMS}"))?;
        check("requests", self.requests != Some(0), &0, "at least 1")?;
        let day = 86_400_000_000_000;
        let gap = self.mean_gap().0;
        check("interarrival", gap <= day, &format!("{gap} ns"), "at most a day")
    }

    /// What `read_share` and the pattern's name say together.
    fn share_of_reads(&self) -> Result<f64, Error> {
        let named = self.pattern.read_share();
        let Some(Ratio(asked)) = self.read_share else {
            return Ok(named.or(self.pattern.usual_read_share()).unwrap_or(0.0));
        };
        check("read_share", (0.0..=1.0).contains(&asked), &asked, "a share from 0 to 1")?;
        let name = self.pattern.name();
        let agrees = named.is_none_or(|n| n == asked);
        let expected = format!("none beside pattern {name:?}, which says it (or rw, randrw)");
        check("read_share", agrees, &asked, &expected)?;
        Ok(asked)
    }
}

/// `Ok` if `good`, else the error that tells what `workload.key` held and what it should hold.
fn check(
    key: &str,
    good: bool,
    found: &dyn std::fmt::Display,
    expected: &str,
) -> Result<(), Error> {
    if good {
        return Ok(());
    }
    Err(Error::config(format!("workload.{key}"), format!("found {found}, expected {expected}")))
}
