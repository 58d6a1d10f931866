//! The law of distances from what was seen of them (Kaplan and Meier, Nonparametric estimation from
//! incomplete observations, JASA 53, 1958).
//!
//! The first use of a place is a distance that could not be seen: it is only known to be beyond all
//! places used so far. Counting it as infinite would make the beginning of every trace look like
//! its whole; here it counts among those at risk up to that depth, and no further.

/// Classes of distances: 0, 1, 2, 3, 4, 6, 8, 12, 16, ...
const CLASSES: usize = 80;

/// At fewer than these at risk a share of them says nothing.
const FEWEST_AT_RISK: f64 = 10.0;

/// Distances seen and not seen, by class.
#[derive(Clone, Debug)]
pub(super) struct Survival {
    seen: [u64; CLASSES],
    unseen: [u64; CLASSES],
}

/// The class of a distance.
pub(super) fn class(distance: u64) -> usize {
    if distance < 4 {
        return distance as usize;
    }
    let octave = distance.ilog2() as usize;
    let half = (distance >> (octave - 1) & 1) as usize;
    (2 * octave + half).min(CLASSES - 1)
}

/// The least distance of a class.
fn edge(class: usize) -> u64 {
    if class < 4 { class as u64 } else { (2 + class as u64 % 2) << (class / 2 - 1) }
}

impl Survival {
    pub(super) fn new() -> Self {
        Survival { seen: [0; CLASSES], unseen: [0; CLASSES] }
    }

    /// A use at this distance.
    pub(super) fn see(&mut self, distance: u64) {
        self.seen[class(distance)] += 1;
    }

    /// A use beyond this distance.
    pub(super) fn miss(&mut self, distance: u64) {
        self.unseen[class(distance)] += 1;
    }

    /// Rows of (class, distance, share of uses at least that deep), the first at 0; a class
    /// without a use has no row, and the last row has no class.
    pub(super) fn rows(&self) -> Vec<(Option<usize>, f64, f64)> {
        let mut at_risk = (self.seen.iter().sum::<u64>() + self.unseen.iter().sum::<u64>()) as f64;
        let (mut rows, mut share) = (Vec::new(), 1.0);
        let mut end = 0.0;
        for (class, (&seen, &unseen)) in self.seen.iter().zip(&self.unseen).enumerate() {
            // Those beyond a distance inside this class were at risk in half of it.
            let here = at_risk - unseen as f64 / 2.0;
            if here < FEWEST_AT_RISK {
                break;
            }
            if seen > 0 {
                let from = edge(class) as f64;
                if from > end {
                    // Nothing was seen since the class before ended.
                    rows.push((None, end, share));
                }
                rows.push((Some(class), from, share));
                share *= 1.0 - (seen as f64 / here).min(1.0);
                end = edge(class + 1) as f64;
            }
            at_risk -= (seen + unseen) as f64;
        }
        rows.push((None, end, share));
        rows
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::Rng;

    #[test]
    fn classes_and_edges_agree() {
        for distance in (0..100_000u64).chain([1 << 30, 3 << 29]) {
            let class = class(distance);
            assert!((edge(class)..edge(class + 1)).contains(&distance), "{distance}: {class}");
        }
    }

    #[test]
    fn a_law_is_found_although_its_beginning_cannot_be_seen() {
        // Half of the uses lie at 100 and half at 1000; places appear one at a time.
        let mut survival = Survival::new();
        let mut rng = Rng::new(2, "test");
        for step in 0..20_000 {
            let depth = step / 10;
            let distance = if rng.chance(0.5) { 100 } else { 1000 };
            if distance < depth { survival.see(distance) } else { survival.miss(depth) }
        }
        let rows = survival.rows();
        let after = |distance: f64| rows.iter().rfind(|row| row.1 <= distance).expect("a row").2;
        assert!((after(50.0) - 1.0).abs() < 1e-9);
        assert!((after(500.0) - 0.5).abs() < 0.03, "{rows:?}");
        // 1000 is near the end of its class, so those beyond a distance inside it weigh too much.
        assert!(after(1900.0) < 0.08, "{rows:?}");
    }
}
