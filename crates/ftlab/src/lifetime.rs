//! The life of a device: run whole if that is short, otherwise projected from shorter lives.
//!
//! The shorter lives are those of the same device with blocks of less endurance. They run to their
//! ends, with every block that wears out and every spare block that replaces one.
//!
//! ```text
//! a block endures    E/32    E/16    E/8     E/4              E
//! the life is        a       b       c       d                projected, on the line through c and d
//! ```
//!
//! Two more projections follow: on the line through `b` and `c`, and as a multiple of `d`, as if
//! lives had no beginning. The error is the sum of their distances from the first, or the distance
//! of the line from `a`, if that is more. If it is too large, there is no result.

use crate::config::Config;
use crate::drive::Life;
use crate::error::Error;
use crate::flash::WearPolicy;
use crate::report::Report;
use serde::Serialize;

/// The longest of the shorter lives, as a part of the whole, by default.
const SCALE: u32 = 4;
/// Operations up to which a life is run whole by default: some seconds.
const WHOLE: f64 = 1e8;
/// Wear has settled after this number of erases of a block, and of gaps of a leveller.
const SETTLED: u32 = 25;
const SETTLED_GAPS: u32 = 4;
/// The error above which there is no projection.
const TOLERANCE: f64 = 0.03;

/// How long a device lasts.
#[derive(Debug, Serialize)]
pub struct Lifetime {
    /// The life that was run; the longest of them if the whole is projected.
    pub life: Life,
    /// Pages that the host has written at the wear-out of each block.
    pub failures: Vec<f64>,
    /// Whether the last of them ends the device.
    pub ends: bool,
    /// Erases of all blocks until then, as a share of their endurance.
    pub used: f64,
    /// The basis of the projection; `null` if the life was run whole.
    pub projection: Option<Projection>,
}

/// The basis of a projection.
#[derive(Debug, Serialize)]
pub struct Projection {
    /// The endurance of a block in the lives that were run.
    pub endurances: [u32; 4],
    /// The largest error of the projections: of first failure, end and erases.
    pub error: f64,
}

/// Lives a device: `run` runs the life of one with the given endurance of blocks. `scale` sets the
/// longest life to run, as a part: 1 is the whole.
///
/// # Errors
/// Those of `run`. [`Error::Config`] if blocks last for ever, and when shorter lives are too short,
/// or do not agree.
pub fn live(
    config: &Config,
    scale: Option<u32>,
    run: &mut dyn FnMut(u32) -> Result<Life, Error>,
) -> Result<Lifetime, Error> {
    let Some(endurance) = config.device.endurance else {
        let message = "found none, expected the erases after which a block is worn out, such as 100000 of SLC, \
                       3000 of MLC, 1000 of TLC and of QLC";
        return Err(Error::config("device.endurance", message));
    };
    let longest = scale.unwrap_or(SCALE);
    if !(1..=1000).contains(&longest) {
        let message = format!("found {longest}, expected 1 to 1000");
        return Err(Error::config("scale", message));
    }
    let parts = [8, 4, 2, 1].map(|part| endurance / (longest * part));
    let levels = config.wear.policy == WearPolicy::Static;
    let least = SETTLED.max(SETTLED_GAPS * if levels { config.wear.gap } else { 0 });
    match scale {
        Some(scale) if scale > 1 && parts[0] < least => {
            return Err(too_short(endurance, scale, least));
        }
        _ if longest == 1 || parts[0] < least => return Ok(whole(endurance, run(endurance)?)),
        _ => {}
    }
    let shortest = run(parts[0])?;
    let operations = shortest.operations as f64 * f64::from(endurance) / f64::from(parts[0]);
    if !shortest.ends() || scale.is_none() && operations <= WHOLE {
        return Ok(whole(endurance, run(endurance)?));
    }
    let lives = [shortest, run(parts[1])?, run(parts[2])?, run(parts[3])?];
    projected(endurance, parts, lives)
}

fn too_short(endurance: u32, scale: u32, least: u32) -> Error {
    let shortest = endurance / (8 * scale);
    let most = endurance / (8 * least);
    let instead = if most > 1 { format!("at most {most}, or 1") } else { "1".into() };
    let message = format!(
        "found {scale}, whose shortest life has blocks that endure {shortest} erases, expected {least} or more \
         to project from: use {instead} for the whole life"
    );
    Error::config("scale", message)
}

fn whole(endurance: u32, life: Life) -> Lifetime {
    Lifetime {
        failures: life.failures.iter().map(|pages| *pages as f64).collect(),
        ends: life.ends(),
        used: life.report.wear.erases_total as f64 / endured(endurance, &life.report),
        projection: None,
        life,
    }
}

/// The erases that all blocks of a device endure, including spare ones.
fn endured(endurance: u32, report: &Report) -> f64 {
    let planes = report.device.planes;
    let (spare, bad) = report.config.device.spare_blocks(report.device.blocks / planes);
    f64::from(endurance) * f64::from(report.device.blocks + planes * (spare - bad))
}

/// A value on the line through two points.
fn on_line(at: f64, (x, y): (f64, f64), (next_x, next_y): (f64, f64)) -> f64 {
    y + (next_y - y) * (at - x) / (next_x - x)
}

/// First failure, end, and erases of all blocks until then.
fn figures(life: &Life) -> [f64; 3] {
    let [first, end] = [life.failures.first(), life.failures.last()];
    let pages = |failure: Option<&u64>| failure.map_or(f64::NAN, |pages| *pages as f64);
    [pages(first), pages(end), life.report.wear.erases_total as f64]
}

fn projected(endurance: u32, parts: [u32; 4], lives: [Life; 4]) -> Result<Lifetime, Error> {
    let each = [0, 1, 2];
    let figures = lives.each_ref().map(figures);
    let point = |life: usize, of: usize| (f64::from(parts[life]), figures[life][of]);
    let at = f64::from(endurance);
    let found = each.map(|of| on_line(at, point(2, of), point(3, of)));
    let wrong = each.map(|of| {
        let off = |other: f64, from: f64| (other / from - 1.0).abs();
        let earlier = off(on_line(at, point(1, of), point(2, of)), found[of]);
        let (longest, life) = point(3, of);
        let multiple = off(life * at / longest, found[of]);
        let (shortest, life) = point(0, of);
        let back = off(on_line(shortest, point(2, of), point(3, of)), life);
        (earlier + multiple).max(back)
    });
    // NaN is not less.
    if !wrong.iter().all(|wrong| *wrong <= TOLERANCE) {
        return Err(disagree(parts, wrong));
    }
    let [first, end, erases] = found;
    let ([from, to, _], [.., life]) = (figures[3], lives);
    let place = |pages: &u64| match to > from {
        true => on_line(*pages as f64, (from, first), (to, end)),
        false => end,
    };
    Ok(Lifetime {
        failures: life.failures.iter().map(place).collect(),
        ends: true,
        used: erases / endured(endurance, &life.report),
        projection: Some(Projection {
            endurances: parts,
            error: wrong.into_iter().fold(0.0, f64::max),
        }),
        life,
    })
}

fn disagree(parts: [u32; 4], wrong: [f64; 3]) -> Error {
    let [first, end, erases] = wrong.map(|wrong| 100.0 * wrong);
    let [a, b, c, d] = parts;
    let message = format!(
        "found projections from {a}, {b}, {c} and {d} erases per block that differ by {first:.1} % in the first \
         failure, {end:.1} % in the end and {erases:.1} % in erases, expected at most {:.0} %: use --scale 1 for the \
         whole lifetime",
        100.0 * TOLERANCE
    );
    Error::config("scale", message)
}
