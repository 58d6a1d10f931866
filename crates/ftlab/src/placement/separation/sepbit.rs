//! SepBIT, separation by inferred block invalidation time (Wang et al., FAST 2022).
//!
//! Idea     what will be overwritten soon should not share blocks with what will not. Ages are page writes of the
//!          host. A page whose old version lived for less than `l` is *short-lived* and goes to class 1. Another
//!          page of the host goes to class 2. What GC moves out of class 1 goes to class 3. What it moves out of any
//!          other goes to class 4 below 4 `l`, to class 5 below 16 `l`, and else to class 6. `l` is the mean lifespan
//!          of the last 16 collected blocks of class 1, and infinite before.
//!          `parts` leaves one half of it. With `written`, short-lived pages have a class, and GC moves all to class 3.
//!          With `moved`, all pages of the host go to class 1, and what is moved goes to classes 2 to 6 by age.
//! RAM      4 B per logical page for when the host wrote it last, and 4 B per block for when its first page was
//!          written.
//! Departs  the paper is about log-structured storage: a block of it is a page here, its segment a block. It keeps
//!          the time of the last write with each page, and in RAM only for a queue of recent ones; here it is in
//!          RAM for all. Victims are chosen by `gc.policy`.
//! Options  its program bounds "short-lived" by the length of that queue, too (`queue`). Its mean is a real number
//!          (`mean`), and the life of a block begins when it is opened (`life`). Each page that the host writes enters the
//!          queue. One leaves if the queue is longer than the mean lifespan, or than the pages in use without the garbage of
//!          full blocks. A second leaves if it is still longer than the mean lifespan.

use super::{Collected, Layout, Moved, Separation, SeparationDesign, Spec, Written};
use std::collections::BTreeMap;

crate::settings! {
    /// SepBIT's own parameters.
    pub struct SepbitConfig in "sepbit" {
        /// Blocks of class 1 that are collected before their mean lifespan is taken anew.
        window: u32 = 16, in 1.., unit "blocks", laws [1, 2, 16], source "Wang et al., FAST 2022";
        /// Factor between the ages that bound the classes of moved pages, in mean lifespans.
        growth: u64 = 4, in 1..=1024, laws [1, 4, 16], source "Wang et al., FAST 2022";
        /// What of the mean lifespan counts.
        mean: Mean = Mean::Whole, laws Mean::ALL, source "ours";
        /// When the life of a block begins. In a volume a block is opened when the one before is full.
        life: Life = Life::Written, laws Life::ALL, source "ours";
        /// Whether a short-lived page must be in the queue of recent writes, as in the program of the authors.
        queue: bool = false, laws [false, true], source "ours";
        /// Which pages it distinguishes.
        parts: Parts = Parts::Both, laws Parts::ALL, source "Wang et al., FAST 2022";
    }
}

crate::choices! {
    /// What of the mean lifespan counts.
    pub enum Mean {
        /// Whole page writes.
        Whole = "whole",
        /// All of it, as in the program of the authors.
        Real = "real",
    }
}

crate::choices! {
    /// When the life of a block begins.
    pub enum Life {
        /// When its first page is written; in a volume as `opened`.
        Written = "written",
        /// When the block of its class before is full, as in the program of the authors.
        Opened = "opened",
    }
}

crate::choices! {
    /// Which pages SepBIT distinguishes.
    pub enum Parts {
        /// Those that the host writes and those that GC moves.
        Both = "both",
        /// Those that the host writes: UW of the paper's breakdown.
        Written = "written",
        /// Those that GC moves: GW of the paper's breakdown.
        Moved = "moved",
    }
}

const CLASSES: u8 = 6;
/// Bounds between the ages of moved pages, where these alone have classes.
const BOUNDS: u8 = 4;
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
    queue: Queue,
    /// Short-lived pages of the host since counting began: those of class 1, but for `parts = moved`.
    short_pages: u64,
}

/// The mean lifespan of the blocks of class 1, window by window, in page writes of the host.
#[derive(Clone, Debug, Default)]
struct Lifespan {
    sum: u64,
    blocks: u32,
    /// Of the last window that is full; infinite before.
    mean: Option<f64>,
}

/// How long the queue of recent writes is, which bounds what its program knows.
#[derive(Clone, Debug, Default)]
struct Queue {
    length: u32,
}

impl Queue {
    /// The host writes a page, which enters, where `stored` pages are in use. A queue that is too long gives one back,
    /// and a second if it is longer than the lifespan.
    fn enter(&mut self, stored: u32, lifespan: f64) {
        self.length += 1;
        if f64::from(self.length) > lifespan.min(stored.into()) {
            self.length -= 1;
            self.length -= u32::from(f64::from(self.length) > lifespan);
        }
    }
}

impl Lifespan {
    /// A block was collected after `age` page writes.
    fn add(&mut self, age: u32, window: u32, kind: Mean) {
        self.sum += u64::from(age);
        self.blocks += 1;
        if self.blocks == window {
            let mean = self.sum as f64 / f64::from(window);
            let mean = if kind == Mean::Whole { mean.floor() } else { mean };
            *self = Lifespan { mean: Some(mean), ..Lifespan::default() };
        }
    }

    /// Whether an age is below a number of means.
    fn is_longer_than(&self, age: u32, times: u64) -> bool {
        self.mean.is_none_or(|mean| f64::from(age) < mean * times as f64)
    }
}

impl SeparationDesign for Sepbit {
    type Settings = SepbitConfig;

    const SPEC: Spec = Spec {
        name: "sepbit",
        summary: "pages go together that may be overwritten at about the same time",
        source: "Wang et al., FAST 2022",
    };

    fn build(_layout: &Layout, settings: SepbitConfig) -> Self {
        let (lifespan, queue) = (Lifespan::default(), Queue::default());
        Sepbit { settings, lifespan, queue, short_pages: 0 }
    }
}

impl Sepbit {
    /// Whether the version that is replaced is in the queue, where there is one.
    fn is_known(&self, age: u32) -> bool {
        !self.settings.queue || age < self.queue.length
    }
}

impl Separation for Sepbit {
    fn classes(&self) -> u8 {
        match self.settings.parts {
            Parts::Both | Parts::Moved => CLASSES,
            Parts::Written => MOVED_SHORT + 1,
        }
    }

    fn spread(&self) -> u8 {
        let spread = match self.settings.parts {
            Parts::Both => CLASSES - MOVED,
            Parts::Written => 1,
            Parts::Moved => BOUNDS + 1,
        };
        unless_bug!(SepbitReserveIsShort, spread, 1)
    }

    fn watches_blocks(&self) -> bool {
        self.settings.queue
    }

    fn opens_ahead(&self) -> bool {
        self.settings.life == Life::Opened
    }

    fn of_write(&mut self, page: Written) -> u8 {
        let is_young = |age| self.lifespan.is_longer_than(age, 1);
        let is_short = page.age.is_some_and(|age| self.is_known(age) && is_young(age));
        if self.settings.queue {
            self.queue.enter(page.stored, self.lifespan.mean.unwrap_or(f64::INFINITY));
        }
        self.short_pages += u64::from(is_short);
        if is_short || self.settings.parts == Parts::Moved { SHORT } else { LONG }
    }

    fn of_move(&mut self, page: Moved) -> u8 {
        let bounds = |most: u32| {
            let mut bounds = (1..=most).map(|i| self.settings.growth.saturating_pow(i));
            bounds.position(|times| self.lifespan.is_longer_than(page.age, times))
        };
        let class = |first: u8, most: u8| first + bounds(most.into()).map_or(most, |n| n as u8);
        match self.settings.parts {
            Parts::Both if page.from == SHORT => MOVED_SHORT,
            Parts::Both => class(MOVED, CLASSES - MOVED - 1),
            Parts::Written => MOVED_SHORT,
            Parts::Moved => class(LONG, BOUNDS),
        }
    }

    fn collected(&mut self, victim: Collected) {
        if victim.class == SHORT {
            self.lifespan.add(victim.age, self.settings.window, self.settings.mean);
        }
    }

    fn counts(&self) -> BTreeMap<&'static str, u64> {
        BTreeMap::from([
            ("sepbit.short_pages", self.short_pages),
            ("sepbit.lifespan", self.lifespan.mean.unwrap_or_default() as u64),
        ])
    }

    fn reset_counts(&mut self) {
        self.short_pages = 0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::units::{Lpn, Pbn};

    fn built(settings: SepbitConfig) -> Sepbit {
        Sepbit::build(&Layout::of_pages(32), settings)
    }

    fn sepbit() -> Sepbit {
        built(SepbitConfig { window: 1, growth: 2, ..SepbitConfig::default() })
    }

    fn written(age: Option<u32>) -> Written {
        Written::of(Lpn(5), age)
    }

    fn collected(class: u8, age: u32) -> Collected {
        Collected { block: Pbn(0), class, valid: 0, age }
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
        sepbit.collected(collected(LONG, 3));
        assert_eq!(sepbit.of_write(written(Some(900))), SHORT, "a block of another class");
        sepbit.collected(collected(SHORT, 7));
        let classes = [6, 7].map(|age| sepbit.of_write(written(Some(age))));
        assert_eq!(classes, [SHORT, LONG]);
        let moved = |from, age| Moved::of(Lpn(5), from, age);
        assert_eq!(sepbit.of_move(moved(SHORT, 900)), MOVED_SHORT, "out of class 1 at any age");
        let classes = [13, 14, 27, 28].map(|age| sepbit.of_move(moved(LONG, age)));
        assert_eq!(classes, [MOVED, MOVED + 1, MOVED + 1, MOVED + 2], "2 and 4 lifespans");
    }

    /// With the queue of recent writes, where `stored` pages are in use.
    fn queued(stored: u32, ages: [u32; 4]) -> [u8; 4] {
        let mut sepbit = built(SepbitConfig { queue: true, window: 1, ..SepbitConfig::default() });
        ages.map(|age| sepbit.of_write(Written { stored, ..written(Some(age)) }))
    }

    #[test]
    fn the_queue_grows_to_the_pages_in_use() {
        assert_eq!(
            queued(8, [1; 4]),
            [LONG, LONG, SHORT, SHORT],
            "the third write finds two in it"
        );
        assert_eq!(queued(1, [1; 4]), [LONG; 4], "the one in it is as old");
        assert_eq!(queued(0, [0; 4]), [LONG; 4], "nothing stays in it");
    }

    #[test]
    fn a_queue_longer_than_the_lifespan_gives_two_back() {
        let mut queue = Queue { length: 9 };
        let lengths = [(); 6].map(|()| {
            queue.enter(20, 6.5);
            queue.length
        });
        assert_eq!(lengths, [8, 7, 6, 6, 6, 6]);
        queue.enter(3, 6.5);
        assert_eq!(queue.length, 6, "one alone where only pages in use are fewer");
    }
}
