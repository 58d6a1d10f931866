//! What cannot be in a model.

use super::figures::FigureKind;
use super::file::{Curve, Gaps, Length, Model, Part, Published, Reuse, Runs, Sizes, Space, Volume};
use super::space::{PAGE_SECTORS, REGION_BYTES, SECTOR};
use crate::request::{LONGEST_REQUEST_BYTES, MOST_VOLUMES};
use crate::units::Bytes;

/// The key, and what was found and expected there.
pub(super) type Wrong = (String, String);

/// Rows of a table: an index of a row fits a byte.
const MOST_ROWS: usize = 255;
/// Weights of `runs.streams`.
pub(super) const MOST_STREAMS: usize = 16;
/// Parts of a model.
const MOST_PARTS: usize = 64;
/// Regions of all volumes together, 64 TiB: 20 bytes of memory each.
const MOST_REGIONS: u64 = 1 << 24;

/// `Ok`, or the first key that cannot be.
pub(super) fn check(model: &Model) -> Result<(), Wrong> {
    length(&model.length)?;
    gaps(&model.arrivals)?;
    law(&model.sizes, &model.runs, &model.reuse, &model.space)?;
    parts(&model.parts)?;
    let all = || model.laws().flat_map(|law| &law.space.volumes);
    let count = all().map(|volume| u64::from(volume.count())).sum::<u64>();
    expect("space.volumes", are_believed(count), count, "at most 65536 volumes in all parts")?;
    let regions =
        |volume: &Volume| u64::from(volume.count()) * volume.size.0.div_ceil(REGION_BYTES);
    let regions = all().map(regions).fold(0, u64::saturating_add);
    expect("space.volumes", regions <= MOST_REGIONS, regions, "at most 2^24 regions of 4 MiB")?;
    published(&model.published)
}

fn law(of_sizes: &Sizes, of_runs: &Runs, of_reuse: &Reuse, of_space: &Space) -> Result<(), Wrong> {
    sizes(of_sizes)?;
    runs(of_runs)?;
    reuse(of_reuse)?;
    space(of_space)
}

fn parts(parts: &[Part]) -> Result<(), Wrong> {
    let many = format!("{} parts", parts.len());
    expect("parts", parts.len() <= MOST_PARTS, many, format!("at most {MOST_PARTS}"))?;
    let (mut shares, mut busy) = (0.0, 0.0);
    for part in parts {
        part_alone(part).map_err(|(key, told)| (format!("parts.{}.{key}", part.name), told))?;
        shares += part.share;
        busy += part.episode.map_or(0.0, |_| part.share / part.density.unwrap_or(1.0));
    }
    expect("parts", shares < 1.0, shares, "shares that leave some to the rest")?;
    expect("parts", busy < 1.0, busy, "episodes that do not last all the time")
}

fn part_alone(part: &Part) -> Result<(), Wrong> {
    let share = part.share;
    expect("share", 0.0 < share && share < 1.0, share, "a share above 0 and below 1")?;
    let long = part.episode.unwrap_or(1.0);
    expect("episode", long >= 1.0 && long.is_finite(), long, "at least 1 request")?;
    let density = part.density.unwrap_or(1.0);
    expect("density", 0.0 < density && density <= 1.0, density, "a share above 0")?;
    law(&part.sizes, &part.runs, &part.reuse, &part.space)
}

fn published(published: &Published) -> Result<(), Wrong> {
    for figure in &published.figures {
        let known = FigureKind::find(&figure.name).is_some();
        expect("published.figures", known, &figure.name, "the name of a figure")?;
    }
    curve("published.curve", published.curve.as_ref())?;
    curve("published.prefix", published.prefix.as_ref())
}

fn curve(key: &str, curve: Option<&Curve>) -> Result<(), Wrong> {
    let Some(Curve { block, points, opt, .. }) = curve else { return Ok(()) };
    let whole = block.0 > 0 && block.0.is_multiple_of(SECTOR);
    expect(key, whole, block, "blocks that are multiples of 512B")?;
    for points in [points, opt] {
        let ordered = points.is_sorted_by(|a, b| a.0 < b.0 && a.1 >= b.1);
        let good = ordered && points.iter().all(|point| (0.0..=100.0).contains(&point.1));
        expect(key, good, "points in disorder", "blocks that ascend, miss percents that do not")?;
    }
    Ok(())
}

fn length(length: &Length) -> Result<(), Wrong> {
    let requests = length.reads.saturating_add(length.writes);
    let some = (1..=1 << 50).contains(&requests);
    expect("length", some, requests, "1 to 2^50 requests")
}

fn gaps(gaps: &Gaps) -> Result<(), Wrong> {
    let together = gaps.together;
    let below = (0.0..1.0).contains(&together);
    expect("arrivals.together", below, together, "a share from 0, below 1")?;
    let burst = gaps.burst;
    let long = burst == 0.0 || (burst >= 1.0 && burst.is_finite());
    expect("arrivals.burst", long, burst, "0, or a mean of at least 1")?;
    let ascends = gaps.gaps.is_sorted_by(|a, b| a.0 < b.0 && a.1 < b.1);
    let whole = gaps.gaps.last().is_none_or(|last| last.1 == 1.0 && last.0.0 > 0);
    let first = gaps.gaps.first().is_none_or(|first| first.1 >= 0.0);
    let good = ascends && whole && first && gaps.gaps.len() <= MOST_ROWS;
    expect(
        "arrivals.gaps",
        good,
        format!("{} rows", gaps.gaps.len()),
        "gaps and shares that ascend, the last share 1, at most 255 rows",
    )
}

fn sizes(sizes: &Sizes) -> Result<(), Wrong> {
    mix("sizes.read", &sizes.read)?;
    mix("sizes.write", &sizes.write)?;
    let (reads, writes) = (total(&sizes.read), total(&sizes.write));
    expect("sizes", reads.max(writes) > 0.0, "no size", "sizes with weights, read or write")?;
    expect_share("sizes.kept", sizes.kept)
}

/// Checks sizes with their weights.
fn mix(key: &str, mix: &[(Bytes, f64)]) -> Result<(), Wrong> {
    for (bytes, weight) in mix {
        let fits =
            bytes.0.is_multiple_of(SECTOR) && (SECTOR..=LONGEST_REQUEST_BYTES).contains(&bytes.0);
        expect(key, fits, bytes, "multiples of 512B up to 1GiB")?;
        expect_weight(key, *weight)?;
    }
    let some = mix.is_empty() || total(mix) > 0.0;
    expect(key, some, "weights of 0", "weights, not all 0")
}

fn total<T>(mix: &[(T, f64)]) -> f64 {
    mix.iter().map(|entry| entry.1).sum()
}

fn runs(runs: &Runs) -> Result<(), Wrong> {
    expect_share("runs.share", Some(runs.share))?;
    expect_share("runs.again", runs.again)?;
    expect_share("runs.same_op", runs.same_op)?;
    expect_share("runs.writes", runs.writes)?;
    expect_share("runs.fresh", runs.fresh)?;
    mix("runs.read", &runs.read)?;
    mix("runs.write", &runs.write)?;
    expect_share("runs.kept", Some(runs.kept))?;
    let mean = runs.mean.unwrap_or(2.0);
    expect("runs.mean", mean >= 2.0 && mean.is_finite(), mean, "at least 2 requests")?;
    for weight in &runs.streams {
        expect_weight("runs.streams", *weight)?;
    }
    let count = runs.streams.len();
    let some = runs.streams.is_empty() || runs.streams.iter().sum::<f64>() > 0.0;
    expect(
        "runs.streams",
        some && count <= MOST_STREAMS,
        format!("{count} weights"),
        "at most 16 weights, not all 0",
    )
}

fn reuse(reuse: &Reuse) -> Result<(), Wrong> {
    expect_share("reuse.inside", Some(reuse.inside))?;
    expect_share("reuse.follow", Some(reuse.follow))?;
    mix("reuse.places", &reuse.places)?;
    mix("reuse.read", &reuse.read)?;
    mix("reuse.write", &reuse.write)?;
    let lasting = reuse.lasting;
    expect("reuse.lasting", (0.0..1.0).contains(&lasting), lasting, "a share from 0, below 1")?;
    let chunk = reuse.chunk;
    expect("reuse.chunk", chunk >= 1.0 && chunk.is_finite(), chunk, "at least 1 request")?;
    table("reuse.distances", &reuse.distances, &[2, 5])
}

/// Checks a table of distances, shares at least as deep, and shares of something else.
fn table(key: &str, rows: &[Vec<f64>], widths: &[usize]) -> Result<(), Wrong> {
    for row in rows {
        let wide = widths.contains(&row.len());
        expect(key, wide, format!("a row of {}", row.len()), format!("rows of {widths:?}"))?;
        expect(
            key,
            row[0].is_finite() && row[0] < (1_u64 << 40) as f64,
            row[0],
            "a distance below 2^40",
        )?;
        for share in &row[1..] {
            expect_share(key, Some(*share))?;
        }
    }
    let count = (1..=MOST_ROWS).contains(&rows.len());
    expect(key, count, format!("{} rows", rows.len()), "1 to 255 rows")?;
    let first = &rows[0][..2];
    expect(key, first == [0.0, 1.0], format!("{first:?}"), "[0, 1] to begin with")?;
    let ordered = rows.is_sorted_by(|a, b| a[0] < b[0] && a[1] >= b[1]);
    expect(key, ordered, "rows in disorder", "distances that ascend, shares that do not")
}

fn space(space: &Space) -> Result<(), Wrong> {
    expect_share("space.writes", space.writes)?;
    expect_share("space.next_region", Some(space.next_region))?;
    expect_share("space.adjacent", Some(space.adjacent))?;
    expect_share("space.fresh", Some(space.fresh))?;
    if !space.regions.is_empty() {
        table("space.regions", &space.regions, &[2])?;
    }
    let slot = space.slot;
    let fits = slot.0.is_power_of_two() && (SECTOR..=REGION_BYTES).contains(&slot.0);
    expect("space.slot", fits, slot, "a power of two from 512B to 4MiB")?;
    for weight in &space.sectors {
        expect_weight("space.sectors", *weight)?;
    }
    let count = space.sectors.len() as u64;
    let most = (slot.0 / SECTOR).max(PAGE_SECTORS);
    let aligned = count.is_power_of_two() && (PAGE_SECTORS..=most).contains(&count);
    let some = count == 0 || (aligned && space.sectors.iter().sum::<f64>() > 0.0);
    let wanted = format!("a power of two of weights from 8 to {most}, not all 0");
    expect("space.sectors", some, format!("{count} weights"), wanted)?;
    volumes(&space.volumes)
}

fn volumes(volumes: &[Volume]) -> Result<(), Wrong> {
    let (mut count, mut weight) = (0, 0.0);
    for volume in volumes {
        let many = u64::from(volume.count());
        expect("space.volumes.count", many > 0, many, "at least 1")?;
        expect_weight("space.volumes.weight", volume.weight)?;
        expect_weight("space.volumes.runs", volume.runs.unwrap_or(0.0))?;
        expect_share("space.volumes.writes", Some(volume.writes))?;
        let size = volume.size;
        let whole = size.0.is_multiple_of(SECTOR) && (SECTOR..=1 << 52).contains(&size.0);
        expect("space.volumes.size", whole, size, "multiples of 512B up to 4096TiB")?;
        expect_share("space.volumes.untouched", Some(volume.untouched))?;
        let first = volume.first.unwrap_or(Bytes(0));
        let low = first.0.is_multiple_of(SECTOR) && first.0 <= 1 << 52;
        expect("space.volumes.first", low, first, "multiples of 512B up to 4096TiB")?;
        let lone = volume.number.is_none() || many == 1;
        expect("space.volumes.number", lone, format!("{many} volumes"), "one with that number")?;
        count += many;
        weight += volume.weight;
    }
    let good = are_believed(count) && weight > 0.0;
    expect("space.volumes", good, format!("{count} of weight {weight}"), "1 to 65536, not all 0")
}

fn are_believed(volumes: u64) -> bool {
    volumes <= MOST_VOLUMES as u64
}

fn expect_share(key: &str, share: Option<f64>) -> Result<(), Wrong> {
    let share = share.unwrap_or(0.0);
    expect(key, (0.0..=1.0).contains(&share), share, "a share from 0 to 1")
}

fn expect_weight(key: &str, weight: f64) -> Result<(), Wrong> {
    expect(key, weight.is_finite() && weight >= 0.0, weight, "weights, 0 or more")
}

fn expect(
    key: &str,
    good: bool,
    found: impl std::fmt::Display,
    expected: impl std::fmt::Display,
) -> Result<(), Wrong> {
    if good { Ok(()) } else { Err((key.to_owned(), format!("found {found}, expected {expected}"))) }
}
