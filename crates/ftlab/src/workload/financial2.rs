//! Financial2 of the UMass trace repository: OLTP at a large financial institution, mostly reads.
//!
//! Sources: [T] TPFTL (Zhou et al., EuroSys'15) Table 4; [D] DLOOP Table II and section V;
//! [C] CACH-FTL (Boukhobza et al., 2014), table of traces;
//! [P] the first 10,000 requests of Financial1, its sister;
//! [R] the LRU curve of the whole trace drawn in LIRS2 (Zhong et al., SYSTOR'21).

use super::profile::Origin::Published;
use super::profile::{Origin, Profile, Stated, VolumeShare};

/// Financial2 at its full published length.
pub(super) const PROFILE: Profile = Profile {
    name: "financial2",
    summary: "OLTP, 82 % reads, 19 volumes: stands for UMass Financial2",
    source: "statistics of TPFTL Table 4, DLOOP Table II, CACH-FTL; LRU curve of LIRS2",
    // Published [D].
    reads: 3_046_112,
    writes: 653_082,
    // Published [D]: 684 min.
    duration: 684 * 60_000_000_000,
    // Assumed as Financial1, where 45.4 % of the gaps in [P] are 0.
    together: 0.45,
    sizes: SIZES,
    // Published [C]: 9 % of requests per volume; with these volumes taking turns it makes
    // [T]'s shares over all volumes.
    continued: 0.09,
    ages: AGES,
    // Assumed: a record and its neighbourhood; two pages of 4 KiB.
    slot: 8 << 10,
    volumes: VOLUMES,
    stated: STATED,
};

const fn volume(weight: f64, writes: f64, mib: u32) -> VolumeShare {
    VolumeShare { weight, writes, mib }
}

/// Assumed: no part of the trace is at hand. Multiples of 512 B whose mean is [T]'s 2.4 KB.
const SIZES: &[(u16, f64)] =
    &[(4, 0.42), (1, 0.22), (2, 0.112), (8, 0.108), (16, 0.07), (6, 0.06), (32, 0.01)];

/// Fitted to [R], taken as 4 KiB blocks with volumes apart (its unit is not stated): the curve
/// turned into ages by t = integral of dc / m(c), then corrected for runs and for pages shared by
/// requests until the measured curve agreed. A volume that is full begins again with its oldest
/// address: that too is in the correction, so these are not the ages of the trace itself.
const AGES: &[(f64, f64)] = &[
    (1.0, 1.0),
    (149.0, 0.9564),
    (24_692.0, 0.4678),
    (103_518.0, 0.279),
    (216_617.0, 0.2113),
    (356_070.0, 0.1739),
    (518_163.0, 0.1423),
    (704_413.0, 0.1167),
    (913_230.0, 0.0961),
    (1_143_493.0, 0.0755),
    (1_395_015.0, 0.0616),
    (1_662_156.0, 0.0499),
];

/// Assumed: a few volumes with most of the reads, and many with few requests and more writes.
/// Fitted: the shares of writes to [D]'s, the weights to the sequential shares of [T].
/// Published: 19 volumes, shares of writes from 0 to 98 % [C]; 512 MB overlaid [T].
const VOLUMES: &[VolumeShare] = &[
    volume(0.16, 0.04, 512),
    volume(0.13, 0.05, 512),
    volume(0.12, 0.06, 512),
    volume(0.1, 0.12, 512),
    volume(0.08, 0.08, 512),
    volume(0.06, 0.15, 512),
    volume(0.055, 0.2, 512),
    volume(0.05, 0.2, 512),
    volume(0.045, 0.25, 512),
    volume(0.04, 0.3, 512),
    volume(0.035, 0.35, 512),
    volume(0.03, 0.4, 512),
    volume(0.025, 0.5, 512),
    volume(0.02, 0.6, 512),
    volume(0.02, 0.7, 512),
    volume(0.01, 0.8, 512),
    volume(0.01, 0.9, 512),
    volume(0.005, 0.98, 512),
    volume(0.005, 0.0, 512),
];

const fn stated(figure: &'static str, value: f64, origin: Origin, source: &'static str) -> Stated {
    Stated { figure, value, origin, source }
}

const STATED: &[Stated] = &[
    stated("requests", 3699194.0, Published, "[D]"),
    stated("reads", 3046112.0, Published, "[D]"),
    stated("writes", 653082.0, Published, "[D]"),
    stated("write_percent", 17.6, Published, "[D]; 18 in [T] and [C]"),
    stated("minutes", 684.0, Published, "[D]; 12 h in [C]"),
    stated("requests_per_s", 90.2, Published, "[D]"),
    stated("volumes", 19.0, Published, "[C]"),
    stated("mean_kib", 2.4, Published, "[T]; 4 in [D], 5.3 per volume in [C]"),
    stated("sequential_read_percent", 0.8, Published, "[T], volumes overlaid"),
    stated("sequential_write_percent", 0.5, Published, "[T], volumes overlaid"),
    stated("sequential_per_volume_percent", 9.0, Published, "[C], mean over volumes"),
    stated("overlaid_mib", 512.0, Published, "[T]"),
    stated("least_written_volume_percent", 0.0, Published, "[C]"),
    stated("most_written_volume_percent", 98.0, Published, "[C]"),
];
