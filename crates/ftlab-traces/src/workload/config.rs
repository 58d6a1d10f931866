//! The settings of a generated workload, in the terms of fio.

use super::arrivals::Arrivals;
use super::cachftl::Sequential;
use super::handles::{HandleSelect, Handles};
use super::parts::{Part, Parts};
use super::pattern::Pattern;
use crate::error::Error;
use crate::request::{LONGEST_REQUEST_BYTES, Lifetime};
use crate::settings::Section;
use crate::units::{Bytes, Duration, Ratio};
use std::ops::Bound::Excluded;

/// A day in nanoseconds.
const DAY: u64 = 86_400_000_000_000;

crate::settings! {
    /// Where the requests of a generated workload go, how large they are and when they arrive.
    ///
    /// Keys that are left out take their defaults. Those that depend on the pattern are `None`
    /// until [`resolve`](Self::resolve) fills them in.
    pub struct WorkloadConfig in "workload" {
        /// Where requests go.
        pattern: Pattern = Pattern::Rand, source "ours";
        /// Share of requests that read.
        read_share: Option<Ratio> = None,
            absent "what fio's name says: randread 1, rw and randrw 0.5; else 0, all writes",
            in 0.0..=1.0, source "fio's rwmixread";
        /// Size of every request.
        bs: Bytes = Bytes(4 << 10), in 1..=LONGEST_REQUEST_BYTES,
            source "fio, and one page of the papers";
        /// Sizes with their weights, instead of `bs`, such as `[["4k", 3], ["64k", 1]]`.
        bs_mix: Vec<(Bytes, f64)> = Vec::new(), source "fio's bssplit";
        /// Address space covered, from 0.
        size: Option<Bytes> = None, absent "512MiB; of cachftl 1GiB", in ..=1 << 52,
            source "TPFTL 5.1; CACH-FTL 5.2";
        /// Number of requests.
        requests: Option<u64> = None, absent "1,000,000; of cachftl 250,000", in 1..,
            unit "requests", source "ours; CACH-FTL Table 2";
        /// Alignment of the starts of requests.
        align: Option<Bytes> = None, absent "the smallest size", in 1.., source "fio's blockalign";
        /// `rand`: each block once before any comes again; false: independent draws.
        random_map: bool = false, source "fio, whose norandommap is false here";
        /// Exponent of `zipf`; 0 is uniform.
        zipf_theta: f64 = 1.1, in 0.0..=10.0, source "fio";
        /// `zipf` and `hotcold`: popular pages are spread over the space, not at its beginning.
        scatter: bool = true, source "fio";
        /// `hotcold`: share of the space that is hot.
        hot_share: Ratio = Ratio(0.2), in (Excluded(0.0), Excluded(1.0)), source "ours";
        /// `hotcold`: share of the requests that go to the hot space.
        hot_access: Ratio = Ratio(0.8), in 0.0..=1.0, source "ours";
        /// `seq`: sequential streams that take turns, each in its own part of the space.
        streams: u32 = 1, in 1..=65_536, unit "streams", source "ours";
        /// `cachftl`: share of requests that are sequential.
        sequential_rate: Ratio = Ratio(0.4), in 0.0..=1.0,
            source "CACH-FTL Table 2; choices.md#cachftl-sequential";
        /// `cachftl`: the request that a sequential request continues.
        sequential: Sequential = Sequential::Previous,
            source "ours; choices.md#cachftl-sequential";
        /// `cachftl`: share of the other requests that lie near the previous one.
        spatial_locality: Ratio = Ratio(0.2), in 0.0..=1.0,
            source "CACH-FTL Table 2; choices.md#cachftl-locality";
        /// `parts`: for each writer its share of the bytes, order, range in percent, handle, and
        /// request size if not `bs`. Orders are `seq`, `rand`, `zipf:THETA` and fio's
        /// `zoned:WRITES/RANGE:...`.
        parts: Option<Parts> = None, absent "the three streams of WARP: `58 seq 0-90 0; 21 rand 90-100 1; 21 zoned:80/20:10/20:10/60 0-90 2`",
            source "WARP (FAST 2026); fio's zoned";
        /// `parts`: first write each page of the ranges once, in order, by the first part that has
        /// it.
        fill: bool = true, source "WARP (FAST 2026)";
        /// Issue a flush after every N writes, at the same time; it counts as a request.
        fsync: Option<u64> = None, absent "no flushes", in 1.., unit "writes", source "fio's fsync and fdatasync";
        /// Placement handles of the writes, such as `0:2-5`; fio also needs `fdp=1` or
        /// `dataplacement`.
        plids: Option<Handles> = None, absent "the default handle", source "fio's plids, or fdp_pli";
        /// Which of `plids` a write takes.
        plid_select: HandleSelect = HandleSelect::RoundRobin, source "fio's plid_select";
        /// Lifetime of the writes.
        write_hint: Lifetime = Lifetime::Unset, source "fio's write_hint";
        /// How requests follow each other in time.
        arrivals: Arrivals = Arrivals::Poisson, source "ours";
        /// Mean time between arrivals.
        interarrival: Option<Duration> = None, absent "1ms; of cachftl 200ms", in ..=DAY,
            source "ours; CACH-FTL Table 2";
    }
}

crate::text_value!(Vec<(Bytes, f64)>, "a list of [size, weight]");

/// 100 years in nanoseconds: times must fit in 64 bits with room to spare.
const LONGEST_TIME: f64 = 3.156e18;

/// A checked configuration with every key resolved, in plain numbers.
#[derive(Clone, Debug)]
pub(super) struct Plan {
    pub(super) pattern: Pattern,
    pub(super) read_share: f64,
    pub(super) sizes: Vec<(u32, f64)>,
    pub(super) size: u64,
    pub(super) requests: u64,
    pub(super) align: u64,
    pub(super) random_map: bool,
    pub(super) zipf_theta: f64,
    pub(super) scatter: bool,
    pub(super) hot_share: f64,
    pub(super) hot_access: f64,
    pub(super) streams: u32,
    pub(super) sequential_rate: f64,
    pub(super) sequential: Sequential,
    pub(super) spatial_locality: f64,
    pub(super) fsync: Option<u64>,
    pub(super) parts: Vec<Part>,
    pub(super) fill: bool,
    pub(super) handles: Vec<u16>,
    pub(super) handle_select: HandleSelect,
    pub(super) lifetime: Lifetime,
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
    /// The same configuration with every key that depends on the pattern filled in and checked.
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

    /// Checks every key and resolves those that depend on others.
    pub(super) fn plan(&self) -> Result<Plan, Error> {
        self.check()?;
        let cachftl = self.pattern == Pattern::Cachftl;
        let sizes = self.sizes()?;
        let longest = sizes.iter().map(|s| u64::from(s.0)).max().unwrap_or(0);
        let shortest = sizes.iter().map(|s| u64::from(s.0)).min().unwrap_or(0);
        let size = self.size.map_or(if cachftl { 1 << 30 } else { 512 << 20 }, |s| s.0);
        let expected = format!("at least the longest request ({})", Bytes(longest));
        check("size", size >= longest, &Bytes(size), &expected)?;
        let align = self.align.map_or(shortest, |a| a.0);
        check("align", align <= size, &Bytes(align), "at most the size of the space")?;
        let plan = Plan {
            pattern: self.pattern,
            read_share: self.share_of_reads()?,
            sizes,
            size,
            requests: self.requests.unwrap_or(if cachftl { 250_000 } else { 1_000_000 }),
            align,
            random_map: self.random_map,
            zipf_theta: self.zipf_theta,
            scatter: self.scatter,
            hot_share: self.hot_share.0,
            hot_access: self.hot_access.0,
            streams: self.streams,
            sequential_rate: self.sequential_rate.0,
            sequential: self.sequential,
            spatial_locality: self.spatial_locality.0,
            fsync: self.fsync,
            parts: self.parts(),
            fill: self.fill,
            handles: self.plids.as_ref().map_or_else(Vec::new, |plids| plids.list().to_vec()),
            handle_select: self.plid_select,
            lifetime: self.write_hint,
            arrivals: self.arrivals,
            mean_gap: self.mean_gap().0 as f64,
        };
        let each = plan.size / u64::from(plan.streams);
        let room = plan.streams == 1 || each >= longest.next_multiple_of(align);
        check("streams", room, &self.streams, "so few that the longest request fits in each part")?;
        let time = plan.requests as f64 * plan.mean_gap;
        let found = plan.requests;
        check("requests", time < LONGEST_TIME, &found, "at most 100 years of arrivals")?;
        self.check_parts(&plan)?;
        Ok(plan)
    }

    /// The writers of `parts`.
    fn parts(&self) -> Vec<Part> {
        match self.pattern {
            Pattern::Parts => self.parts.clone().unwrap_or_default().list().to_vec(),
            _ => Vec::new(),
        }
    }

    /// Checks that each part has valid sizes and a valid handle, and a range with room for a
    /// request.
    fn check_parts(&self, plan: &Plan) -> Result<(), Error> {
        if self.pattern != Pattern::Parts {
            let found = if self.parts.is_some() { "parts" } else { "no parts" };
            return check("parts", self.parts.is_none(), &found, "none beside another pattern");
        }
        let own = "none beside parts, each of which has its own";
        check("plids", self.plids.is_none(), &"handles", own)?;
        check("bs_mix", self.bs_mix.is_empty(), &"a mix", own)?;
        for part in &plan.parts {
            let ([begin, end], size) = (part.range(plan.size, self.bs.0), part.size(self.bs.0));
            let expected = format!("ranges that a request of {} fits into", Bytes(size));
            check("parts", end - begin >= size, &Bytes(end - begin), &expected)?;
        }
        Ok(())
    }

    /// Request sizes with their weights.
    fn sizes(&self) -> Result<Vec<(u32, f64)>, Error> {
        if self.bs_mix.is_empty() {
            return Ok(vec![(self.bs.0 as u32, 1.0)]);
        }
        let expected = format!("1B to {}", Bytes(LONGEST_REQUEST_BYTES));
        for (size, weight) in &self.bs_mix {
            check("bs_mix", (1..=LONGEST_REQUEST_BYTES).contains(&size.0), size, &expected)?;
            check("bs_mix", weight.is_finite() && *weight >= 0.0, weight, "weights of 0 or more")?;
        }
        let total: f64 = self.bs_mix.iter().map(|m| m.1).sum();
        check("bs_mix", total > 0.0 && total.is_finite(), &total, "weights with a sum above 0")?;
        Ok(self.bs_mix.iter().map(|(size, weight)| (size.0 as u32, *weight)).collect())
    }

    /// The share of reads by `read_share` and the pattern's name.
    fn share_of_reads(&self) -> Result<f64, Error> {
        let named = self.pattern.read_share();
        let Some(Ratio(asked)) = self.read_share else {
            return Ok(named.or(self.pattern.usual_read_share()).unwrap_or(0.0));
        };
        let name = self.pattern.name();
        let agrees = named.is_none_or(|n| n == asked);
        let expected = format!("none beside pattern {name:?}, which says it (or rw, randrw)");
        check("read_share", agrees, &asked, &expected)?;
        Ok(asked)
    }
}

/// `Ok` if `good`, else an error with the value of `workload.key` and the expected one.
pub(super) fn check(
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
