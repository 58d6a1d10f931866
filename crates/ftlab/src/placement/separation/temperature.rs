//! DAC, dynamic data clustering (Chiang, Lee & Chang, Software: Practice and Experience 29(3), 1999).
//!
//! Idea     classes are regions by temperature. A page that is written again while it is young rises to the next
//!          hotter region; one that GC finds valid sinks to the next colder. New pages begin at the bottom.
//! RAM      4 B per logical page for when the host wrote it last, and a byte for its region.
//! Departs  the paper is known to us by its abstract and by those who cite it. Assumed: age is counted in pages
//!          that the host writes, not in seconds; a page moves one region at a time; GC always moves it down.

use super::{Layout, Moved, Separation, SeparationDesign, Spec, Written};
use crate::units::{Lpn, Ratio};
use std::collections::BTreeMap;

crate::settings! {
    /// Regions by temperature.
    pub struct TemperatureConfig in "temperature" {
        /// Regions of different temperature.
        regions: u32 = 4, in 1..=8, laws 1..=8, source "ours";
        /// Age below which a page that is written again is hot: a share of the logical pages, in page writes.
        young: Ratio = Ratio(0.25), in 0.0.., laws [0.0, 0.1, 0.5, 2.0].map(Ratio), source "ours";
    }
}

/// Regions by temperature; 0 is the coldest.
#[derive(Clone, Debug)]
pub struct Temperature {
    young: u32,
    top: u8,
    /// The region of each logical page.
    regions: Vec<u8>,
    promoted: u64,
    demoted: u64,
}

impl SeparationDesign for Temperature {
    type Settings = TemperatureConfig;

    const SPEC: Spec = Spec {
        name: "temperature",
        summary: "a page that is written again soon rises, one that GC moves sinks",
        source: "Chiang, Lee & Chang, SP&E 1999 (DAC)",
    };

    fn build(layout: &Layout, settings: TemperatureConfig) -> Self {
        Temperature {
            young: (settings.young.0 * f64::from(layout.logical_pages)) as u32,
            top: settings.regions as u8 - 1,
            regions: vec![0; layout.logical_pages as usize],
            promoted: 0,
            demoted: 0,
        }
    }
}

impl Separation for Temperature {
    fn classes(&self) -> u8 {
        self.top + 1
    }

    fn spread(&self) -> u8 {
        1
    }

    fn of_write(&mut self, page: Written) -> u8 {
        let region = &mut self.regions[page.lpn.index()];
        if page.age.is_some_and(|age| age < self.young) && *region < self.top {
            *region += 1;
            self.promoted += 1;
        }
        *region
    }

    fn of_move(&mut self, page: Moved) -> u8 {
        let colder = page.from.saturating_sub(1);
        self.demoted += u64::from(colder < page.from);
        self.regions[page.lpn.index()] = colder;
        colder
    }

    fn trimmed(&mut self, lpn: Lpn) {
        self.regions[lpn.index()] = 0;
    }

    fn ram(&self) -> u64 {
        self.regions.len() as u64
    }

    fn counts(&self) -> BTreeMap<&'static str, u64> {
        BTreeMap::from([
            ("temperature.promoted", self.promoted),
            ("temperature.demoted", self.demoted),
        ])
    }

    fn reset_counts(&mut self) {
        (self.promoted, self.demoted) = (0, 0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(age: Option<u32>) -> Written {
        Written::of(Lpn(7), age)
    }

    #[test]
    fn pages_rise_while_they_are_young_and_sink_when_they_are_moved() {
        let settings = TemperatureConfig { regions: 3, young: Ratio(0.5) };
        let mut temperature = Temperature::build(&Layout::of_pages(20), settings);
        let lpn = Lpn(7);
        let classes = [None, Some(9), Some(10), Some(9), Some(1)]
            .map(|age| temperature.of_write(written(age)));
        assert_eq!(classes, [0, 1, 1, 2, 2], "an age of 10 is old, and 2 is the top");
        assert_eq!(temperature.of_move(Moved::of(lpn, 2, 0)), 1);
        assert_eq!(temperature.of_write(written(Some(20))), 1, "old, so it stays");
        temperature.trimmed(lpn);
        assert_eq!(temperature.of_write(written(None)), 0, "it is new");
        assert_eq!(
            temperature.counts().into_values().collect::<Vec<_>>(),
            [1, 2],
            "demoted, promoted"
        );
    }
}
