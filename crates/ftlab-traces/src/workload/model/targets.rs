//! A published curve made dense: between its points it falls as that of a real part of the trace.

use super::file::{Curve, Published};

/// Points (blocks of an LRU cache, miss ratio in percent) to calibrate a model to.
pub(super) fn targets(published: &Published) -> Vec<(u64, f64)> {
    let Some(curve) = &published.curve else { return Vec::new() };
    let mut targets = Vec::new();
    let mut near = (0, 100.0);
    for &far in &curve.points {
        if let Some(prefix) = &published.prefix {
            targets.extend(between(prefix, near, far));
        }
        targets.push(far);
        near = far;
    }
    targets
}

/// The points of `prefix` between two of the curve, stretched to fit in between.
fn between(
    prefix: &Curve,
    near: (u64, f64),
    far: (u64, f64),
) -> impl Iterator<Item = (u64, f64)> + '_ {
    let (high, low) = (miss(prefix, near.0), miss(prefix, far.0));
    let within = move |point: &&(u64, f64)| near.0 < point.0 && point.0 < far.0 && high > low;
    prefix.points.iter().filter(within).map(move |&(blocks, miss)| {
        let part = ((miss - low) / (high - low)).clamp(0.0, 1.0);
        (blocks, far.1 + part * (near.1 - far.1))
    })
}

/// The miss ratio of the last point up to `blocks`.
fn miss(curve: &Curve, blocks: u64) -> f64 {
    let count = curve.points.partition_point(|point| point.0 <= blocks);
    count.checked_sub(1).map_or(100.0, |at| curve.points[at].1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_prefix_gives_the_shape_and_the_curve_the_height() {
        let curve = |points: &[(u64, f64)]| Curve { points: points.to_vec(), ..Curve::default() };
        let mut published = Published {
            curve: Some(curve(&[(100, 80.0), (10_000, 40.0), (20_000, 30.0)])),
            ..Published::default()
        };
        assert_eq!(targets(&published), [(100, 80.0), (10_000, 40.0), (20_000, 30.0)]);
        published.prefix = Some(curve(&[(10, 75.0), (100, 50.0), (1000, 30.0), (5000, 25.0)]));
        assert_eq!(
            targets(&published),
            [(10, 90.0), (100, 80.0), (1000, 48.0), (5000, 40.0), (10_000, 40.0), (20_000, 30.0)]
        );
    }
}
