//! SepBIT, separation by inferred block invalidation time (Wang et al., FAST 2022).
//!
//! Idea     what will be overwritten soon should not share blocks with what will not. Ages are page writes of the
//!          host. A page whose old version lived for less than `l` is *short-lived* and goes to class 1. Another
//!          page of the host goes to class 2. What GC moves out of class 1 goes to class 3. What it moves out of any
//!          other goes to class 4 below 4 `l`, to class 5 below 16 `l`, and else to class 6. `l` is the mean lifespan
//!          of the last 16 collected blocks of class 1, and infinite before.
//! RAM      4 B per logical page for when the host wrote it last, and 4 B per block for when its first page was
//!          written.
//! Departs  the paper is about log-structured storage: a block of it is a page here, its segment a block. It keeps
//!          the time of the last write with each page, and in RAM only for a queue of recent ones; here it is in
//!          RAM for all. Its program bounds "short-lived" by the length of that queue, too, and its mean is a real
//!          number; here it is a whole one. Victims are chosen by `gc.policy`.

use super::{Collected, Moved, Separation, SeparationDesign, Spec, Written};
use std::collections::BTreeMap;

crate::settings! {
    /// SepBIT's own parameters.
    pub struct SepbitConfig in "sepbit" {
        /// Blocks of class 1 that are collected before their mean lifespan is taken anew.
        window: u32 = 16, in 1.., unit "blocks", laws [1, 2, 16], source "Wang et al., FAST 2022";
        /// Factor between the ages that bound the classes of moved pages, in mean lifespans.
        growth: u64 = 4, in 1..=1024, laws [1, 4, 16], source "Wang et al., FAST 2022";
    }
}

const CLASSES: u8 = 6;
/// Class 1: short-lived pages of the host.
const SHORT: u8 = 0;
/// Class 2: other pages of the host.
const LONG: u8 = 1;
/// Class 3: what is moved out of class 1.
const MOVED_SHORT: u8 = 2;
/// Classes 4 to 6: what is moved out of others, the youngest first.
const MOVED: u8 = 3;

/// Separation by inferred lifespan.
#[derive(Clone, Debug)]
pub struct Sepbit {
    settings: SepbitConfig,
    lifespan: Lifespan,
    /// Pages of the host that went to class 1, since counting began.
    short_pages: u64,
}

/// The mean lifespan of the blocks of class 1, window by window, in page writes of the host.
#[derive(Clone, Debug, Default)]
struct Lifespan {
    sum: u64,
    blocks: u32,
    /// Of the last window that is full; infinite before.
    mean: Option<u64>,
}

impl Lifespan {
    /// A block was collected after `age` page writes.
    fn add(&mut self, age: u32, window: u32) {
        self.sum += u64::from(age);
        self.blocks += 1;
        if self.blocks == window {
            *self = Lifespan { mean: Some(self.sum / u64::from(window)), ..Lifespan::default() };
        }
    }

    /// Whether an age is below a number of means.
    fn is_longer_than(&self, age: u32, times: u64) -> bool {
        self.mean.is_none_or(|mean| u64::from(age) < mean * times)
    }
}

impl SeparationDesign for Sepbit {
    type Settings = SepbitConfig;

    const SPEC: Spec = Spec {
        name: "sepbit",
        summary: "pages go together that may be overwritten at about the same time",
        source: "Wang et al., FAST 2022",
    };

    fn build(_logical_pages: u32, settings: SepbitConfig) -> Self {
        Sepbit { settings, lifespan: Lifespan::default(), short_pages: 0 }
    }
}

impl Separation for Sepbit {
    fn classes(&self) -> u8 {
        CLASSES
    }

    fn spread(&self) -> u8 {
        unless_bug!(SepbitReserveIsShort, CLASSES - MOVED, 1)
    }

    fn of_write(&mut self, page: Written) -> u8 {
        let is_short = page.age.is_some_and(|age| self.lifespan.is_longer_than(age, 1));
        self.short_pages += u64::from(is_short);
        if is_short { SHORT } else { LONG }
    }

    fn of_move(&mut self, page: Moved) -> u8 {
        let growth = self.settings.growth;
        match page.from {
            SHORT => MOVED_SHORT,
            _ if self.lifespan.is_longer_than(page.age, growth) => MOVED,
            _ if self.lifespan.is_longer_than(page.age, growth * growth) => MOVED + 1,
            _ => MOVED + 2,
        }
    }

    fn collected(&mut self, victim: Collected) {
        if victim.class == SHORT {
            self.lifespan.add(victim.age, self.settings.window);
        }
    }

    fn counts(&self) -> BTreeMap<&'static str, u64> {
        BTreeMap::from([
            ("sepbit.short_pages", self.short_pages),
            ("sepbit.lifespan", self.lifespan.mean.unwrap_or_default()),
        ])
    }

    fn reset_counts(&mut self) {
        self.short_pages = 0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::request::Meta;
    use crate::units::Lpn;

    fn sepbit() -> Sepbit {
        Sepbit::build(32, SepbitConfig { window: 1, growth: 2 })
    }

    fn written(age: Option<u32>) -> Written {
        Written { lpn: Lpn(5), age, meta: Meta::UNSET }
    }

    #[test]
    fn before_a_lifespan_is_known_every_page_that_is_replaced_is_short_lived() {
        let mut sepbit = sepbit();
        assert_eq!(sepbit.of_write(written(None)), LONG, "it replaces none");
        assert_eq!(sepbit.of_write(written(Some(u32::MAX))), SHORT);
        assert_eq!(sepbit.counts()["sepbit.short_pages"], 1);
    }

    #[test]
    fn ages_are_compared_with_the_lifespan_of_the_last_block_of_class_1() {
        let mut sepbit = sepbit();
        sepbit.collected(Collected { class: LONG, age: 3 });
        assert_eq!(sepbit.of_write(written(Some(900))), SHORT, "a block of another class");
        sepbit.collected(Collected { class: SHORT, age: 7 });
        let classes = [6, 7].map(|age| sepbit.of_write(written(Some(age))));
        assert_eq!(classes, [SHORT, LONG]);
        let moved = |from, age| Moved { lpn: Lpn(5), from, age };
        assert_eq!(sepbit.of_move(moved(SHORT, 900)), MOVED_SHORT, "out of class 1 at any age");
        let classes = [13, 14, 27, 28].map(|age| sepbit.of_move(moved(LONG, age)));
        assert_eq!(classes, [MOVED, MOVED + 1, MOVED + 1, MOVED + 2], "2 and 4 lifespans");
    }
}
