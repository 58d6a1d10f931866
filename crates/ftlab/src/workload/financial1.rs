//! Financial1 of the UMass trace repository: OLTP at a large financial institution, mostly writes.
//!
//! Sources: [T] TPFTL (Zhou et al., EuroSys'15) Table 4; [D] DLOOP Table II and section V;
//! [C] CACH-FTL (Boukhobza et al., 2014), table of traces;
//! [P] the first 10,000 requests of the trace itself;
//! [R] the LRU curve of the whole trace drawn in LIRS2 (Zhong et al., SYSTOR'21).

use super::profile::Origin::Published;
use super::profile::{Origin, Profile, Stated, VolumeShare};

/// Financial1 at its full published length.
pub(super) const PROFILE: Profile = Profile {
    name: "financial1",
    summary: "OLTP, 77 % writes, 24 volumes: stands for UMass Financial1",
    source: "statistics of TPFTL Table 4, DLOOP Table II, CACH-FTL; LRU curve of LIRS2",
    // Published [D].
    reads: 1_235_633,
    writes: 4_099_354,
    // Published [D]: 728 min.
    duration: 728 * 60_000_000_000,
    // Fitted to [P]: 45.4 % of its gaps are 0 (its clock ticks every 26 ms).
    together: 0.45,
    sizes: SIZES,
    // Published [C]: 23 % of requests per volume; with these volumes taking turns it makes
    // [T]'s shares over all volumes.
    continued: 0.23,
    ages: AGES,
    // Assumed: a record and its neighbourhood; two pages of 4 KiB.
    slot: 8 << 10,
    volumes: VOLUMES,
    stated: STATED,
};

const fn volume(weight: f64, writes: f64, mib: u32) -> VolumeShare {
    VolumeShare { weight, writes, mib }
}

/// Fitted: the histogram of [P] without the scans of volumes 18 to 20, which do not stand
/// for the whole trace; the weight of 48 KiB makes the mean [T]'s 3.5 KB.
const SIZES: &[(u16, f64)] = &[
    (6, 0.2889),
    (1, 0.1999),
    (2, 0.1753),
    (7, 0.1097),
    (16, 0.0447),
    (5, 0.0414),
    (3, 0.0288),
    (8, 0.0203),
    (4, 0.0195),
    (96, 0.0153),
    (24, 0.0122),
    (13, 0.012),
    (15, 0.0096),
    (9, 0.0071),
    (10, 0.0064),
    (11, 0.0032),
    (55, 0.0029),
    (61, 0.0029),
    (64, 0.0025),
];

/// Fitted to [R], taken as 4 KiB blocks with volumes apart (its unit is not stated): the curve
/// turned into ages by t = integral of dc / m(c), then corrected for runs and for pages shared by
/// requests until the measured curve agreed. A volume that is full begins again with its oldest
/// address: that too is in the correction, so these are not the ages of the trace itself.
const AGES: &[(f64, f64)] = &[
    (1.0, 1.0),
    (129.0, 0.9632),
    (36_906.0, 0.6992),
    (124_552.0, 0.6375),
    (227_753.0, 0.6151),
    (344_639.0, 0.6085),
    (474_442.0, 0.6065),
    (620_206.0, 0.6011),
    (783_728.0, 0.5991),
    (977_253.0, 0.4553),
    (1_232_229.0, 0.3404),
    (1_522_878.0, 0.2593),
];

/// Assumed from [P]: requests, share of writes and end of each volume; volumes 22 and 23 are not
/// in it. Fitted: the weight of the scans in volumes 19 and 20 (1435 in [P]) makes the share of
/// writes [D]'s. Published: 24 volumes, shares of writes from 4 to 100 % [C]; the largest spans
/// [T]'s 512 MB.
const VOLUMES: &[VolumeShare] = &[
    volume(1013.0, 1.0, 153),
    volume(828.0, 0.756, 280),
    volume(684.0, 0.971, 429),
    volume(638.0, 0.991, 512),
    volume(355.0, 0.946, 421),
    volume(126.0, 0.722, 70),
    volume(130.0, 0.477, 393),
    volume(168.0, 1.0, 133),
    volume(272.0, 0.996, 221),
    volume(307.0, 0.922, 280),
    volume(680.0, 0.235, 425),
    volume(73.0, 1.0, 101),
    volume(168.0, 0.04, 426),
    volume(410.0, 0.795, 369),
    volume(326.0, 1.0, 369),
    volume(61.0, 0.541, 458),
    volume(658.0, 0.957, 132),
    volume(8.0, 1.0, 1),
    volume(220.0, 1.0, 68),
    volume(305.0, 0.04, 41),
    volume(305.0, 0.04, 5),
    volume(5.0, 0.04, 363),
    volume(5.0, 0.77, 363),
    volume(5.0, 0.77, 363),
];

const fn stated(figure: &'static str, value: f64, origin: Origin, source: &'static str) -> Stated {
    Stated { figure, value, origin, source }
}

const STATED: &[Stated] = &[
    stated("requests", 5334987.0, Published, "[D]"),
    stated("reads", 1235633.0, Published, "[D]"),
    stated("writes", 4099354.0, Published, "[D]"),
    stated("write_percent", 76.8, Published, "[D]; 77.9 in [T], 77 in [C]"),
    stated("minutes", 728.0, Published, "[D]; 12 h in [C]"),
    stated("requests_per_s", 122.0, Published, "[D]"),
    stated("volumes", 24.0, Published, "[C]"),
    stated("mean_kib", 3.5, Published, "[T]; 3 in [D], 5.6 per volume in [C]"),
    stated("sequential_read_percent", 1.5, Published, "[T], volumes overlaid"),
    stated("sequential_write_percent", 1.8, Published, "[T], volumes overlaid"),
    stated("sequential_per_volume_percent", 23.0, Published, "[C], mean over volumes"),
    stated("overlaid_mib", 512.0, Published, "[T]"),
    stated("least_written_volume_percent", 4.0, Published, "[C]"),
    stated("most_written_volume_percent", 100.0, Published, "[C]"),
];
