//! A hook for learned separation: a model gives each page a class, from what is known of it.
//!
//! Idea     [`Learned`] keeps the features that published models use, and asks a [`Model`] for the class of each page. A
//!          model is trained elsewhere. Two examples are here.
//!          ```text
//!          table    by interval and writes, each in powers of four: a class in each cell
//!          linear   a score for each class: a bias, and a weight for ln(1 + feature) of each; the highest wins
//!          ```
//! RAM      4 B per logical page for when the host wrote it last, 8 B for its writes and their weight, and 4 B per chunk.
//!          That of the model is its own.
//! Departs  no published model is here: their weights are not public.

use super::{Layout, Moved, Separation, SeparationDesign, Spec, Written};
use crate::error::Error;
use crate::math::{self, exp2_f32};
use crate::units::Lpn;
use dyn_clone::DynClone;
use std::fmt::Debug;

crate::settings! {
    /// Learned separation.
    pub struct LearnedConfig in "learned" {
        /// What gives pages classes.
        model: Example = Example::Table, laws Example::ALL, source "ours";
        /// Classes by interval, a row for each power of four, divided by semicolons. In a row they are by writes, a number for each
        /// power of four, divided by commas. The last row and the last number of a row stand for all behind them.
        table: String = String::from("1,0;1,0;1,0;1,0;1,0;1,0;1;1;2"), source "ours";
        /// Weights, a row for each class, divided by semicolons: a bias, and weights of `ln(1 + feature)`, divided by commas.
        /// Features are page, page before, writes, writes of its chunk, weighted writes, and interval.
        weights: String = String::from("7,0,0,0,0,0,-1;0,0,0,0,0,0,0;-9,0,0,0,0,0,1"), source "ours";
        /// Pages of a chunk.
        chunk: u32 = 256, in 1.., unit "pages", laws [1, 7, 256], source "ours";
        /// Page writes of the host after which a write weighs half.
        half_life: u32 = 16_384, in 1.., unit "pages", laws [1, 100, 16_384], source "ours";
    }
    check |own| {
        Table::read(&own.table)?;
        Linear::read(&own.weights).map(drop)
    }
}

crate::choices! {
    /// A model that comes with the hook.
    pub enum Example {
        /// By interval and writes.
        Table = "table",
        /// By a weighted sum of all features.
        Linear = "linear",
    }
}

/// What is known of a page.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Features {
    /// The page that the host wrote before this one.
    pub previous: u32,
    /// Writes of the page so far.
    pub writes: u32,
    /// Writes of its chunk so far.
    pub chunk_writes: u32,
    /// Writes of the page so far, each worth half after each half-life.
    pub weighted_writes: f32,
    /// Page writes of the host since the last write of the page; `None` for a page without data.
    pub interval: Option<u32>,
}

/// Gives pages classes by their features.
pub trait Model: Send + Debug + DynClone {
    /// How many classes there are. It never changes.
    fn classes(&self) -> u8;

    /// How many classes the pages of one victim may go to. It never changes.
    fn spread(&self) -> u8 {
        self.classes()
    }

    /// The class of a page that the host writes.
    fn class_of_write(&mut self, lpn: Lpn, features: &Features) -> u8;

    /// The class of a page that GC moves out of a block of a class. Its interval is its age.
    fn class_of_move(&mut self, lpn: Lpn, from: u8, features: &Features) -> u8;

    /// Bytes of RAM that it needs.
    fn ram(&self) -> u64 {
        0
    }
}

dyn_clone::clone_trait_object!(Model);

/// Separation by a model.
#[derive(Clone, Debug)]
pub struct Learned {
    model: Box<dyn Model>,
    chunk: u32,
    half_life: f32,
    writes: Vec<u32>,
    weights: Vec<f32>,
    chunks: Vec<u32>,
    previous: Lpn,
}

impl Learned {
    /// By this model, with features of these settings.
    #[must_use]
    pub fn of(model: Box<dyn Model>, layout: &Layout, own: &LearnedConfig) -> Self {
        let pages = layout.logical_pages;
        Learned {
            model,
            chunk: own.chunk,
            half_life: own.half_life as f32,
            writes: vec![0; pages as usize],
            weights: vec![0.0; pages as usize],
            chunks: vec![0; pages.div_ceil(own.chunk) as usize],
            previous: Lpn(0),
        }
    }

    fn chunk_of(&self, lpn: Lpn) -> usize {
        (lpn.0 / self.chunk) as usize
    }

    /// What is known of a page after an interval.
    fn features(&self, lpn: Lpn, interval: Option<u32>) -> Features {
        let halvings = interval.unwrap_or_default() as f32 / self.half_life;
        Features {
            previous: self.previous.0,
            writes: self.writes[lpn.index()],
            chunk_writes: self.chunks[self.chunk_of(lpn)],
            weighted_writes: self.weights[lpn.index()] * exp2_f32(-halvings),
            interval,
        }
    }
}

impl SeparationDesign for Learned {
    type Settings = LearnedConfig;

    const SPEC: Spec = Spec {
        name: "learned",
        summary: "by a model of what is known of a page: a table or a linear one, or your own",
        source: "ours",
    };

    fn build(layout: &Layout, own: LearnedConfig) -> Self {
        let model: Result<Box<dyn Model>, Error> = match own.model {
            Example::Table => {
                Table::read(&own.table).map(|model| Box::new(model) as Box<dyn Model>)
            }
            Example::Linear => {
                Linear::read(&own.weights).map(|model| Box::new(model) as Box<dyn Model>)
            }
        };
        Learned::of(model.expect("it was checked"), layout, &own)
    }
}

impl Separation for Learned {
    fn classes(&self) -> u8 {
        self.model.classes()
    }

    fn spread(&self) -> u8 {
        self.model.spread()
    }

    fn of_write(&mut self, page: Written) -> u8 {
        let features = self.features(page.lpn, page.age);
        let (index, chunk) = (page.lpn.index(), self.chunk_of(page.lpn));
        self.writes[index] = self.writes[index].saturating_add(1);
        self.weights[index] = features.weighted_writes + 1.0;
        self.chunks[chunk] = self.chunks[chunk].saturating_add(1);
        self.previous = page.lpn;
        self.model.class_of_write(page.lpn, &features)
    }

    fn of_move(&mut self, page: Moved) -> u8 {
        let features = self.features(page.lpn, Some(page.age));
        self.model.class_of_move(page.lpn, page.from, &features)
    }

    fn trimmed(&mut self, lpn: Lpn) {
        self.writes[lpn.index()] = 0;
        self.weights[lpn.index()] = 0.0;
    }

    fn ram(&self) -> u64 {
        8 * self.writes.len() as u64 + 4 * self.chunks.len() as u64 + self.model.ram()
    }
}

/// Classes by interval and writes.
#[derive(Clone, Debug, PartialEq)]
struct Table {
    rows: Vec<Vec<u8>>,
    classes: u8,
}

/// The most classes of a model.
const MOST: u8 = crate::placement::Class::MOST;

/// Rows of numbers divided by semicolons, the numbers by commas.
fn rows<T: std::str::FromStr>(key: &'static str, text: &str) -> Result<Vec<Vec<T>>, Error> {
    let number = |cell: &str| {
        cell.trim().parse().map_err(|_| {
            let message = format!(
                "found {:?} in {text:?}, expected numbers divided by commas, in rows divided by semicolons",
                cell.trim()
            );
            Error::config(key, message)
        })
    };
    text.split(';').map(|row| row.split(',').map(number).collect()).collect()
}

/// The place of a number among powers of four.
const fn power(number: u32) -> usize {
    (number.saturating_add(1).ilog2() / 2) as usize
}

impl Table {
    fn read(text: &str) -> Result<Self, Error> {
        let rows: Vec<Vec<u8>> = rows("learned.table", text)?;
        let last = rows.iter().flatten().copied().max().unwrap_or_default();
        if last >= MOST {
            let message = format!("found class {last}, expected a number below {MOST}");
            return Err(Error::config("learned.table", message));
        }
        Ok(Table { rows, classes: last + 1 })
    }

    fn class(&self, features: &Features) -> u8 {
        let interval = features.interval.unwrap_or(u32::MAX);
        let row = &self.rows[power(interval).min(self.rows.len() - 1)];
        row[power(features.writes).min(row.len() - 1)]
    }
}

impl Model for Table {
    fn classes(&self) -> u8 {
        self.classes
    }

    fn class_of_write(&mut self, _lpn: Lpn, features: &Features) -> u8 {
        self.class(features)
    }

    fn class_of_move(&mut self, _lpn: Lpn, _from: u8, features: &Features) -> u8 {
        self.class(features)
    }

    fn ram(&self) -> u64 {
        self.rows.iter().map(|row| row.len() as u64).sum()
    }
}

/// Numbers of a row of weights: a bias, and one for each feature.
const INPUTS: usize = 7;

/// The class with the highest weighted sum.
#[derive(Clone, Debug, PartialEq)]
struct Linear {
    rows: Vec<[f64; INPUTS]>,
}

impl Linear {
    fn read(text: &str) -> Result<Self, Error> {
        let key = "learned.weights";
        let rows: Vec<Vec<f64>> = rows(key, text)?;
        if rows.len() > usize::from(MOST) {
            let message = format!("found {} rows, expected {MOST} classes at most", rows.len());
            return Err(Error::config(key, message));
        }
        let row = |row: Vec<f64>| {
            let found = row.len();
            <[f64; INPUTS]>::try_from(row).map_err(|_| {
                let message = format!(
                    "found a row of {found} numbers, expected {INPUTS}: a bias, and a weight for each of six features"
                );
                Error::config(key, message)
            })
        };
        Ok(Linear { rows: rows.into_iter().map(row).collect::<Result<_, _>>()? })
    }

    fn class(&self, lpn: Lpn, features: &Features) -> u8 {
        let ln = |feature: f64| math::ln(1.0 + feature);
        let inputs = [
            1.0,
            ln(lpn.0.into()),
            ln(features.previous.into()),
            ln(features.writes.into()),
            ln(features.chunk_writes.into()),
            ln(features.weighted_writes.into()),
            ln(features.interval.unwrap_or(u32::MAX).into()),
        ];
        let score = |row: &[f64; INPUTS]| -> f64 {
            row.iter().zip(inputs).map(|(weight, input)| weight * input).sum()
        };
        let mut best = (f64::NEG_INFINITY, 0);
        for (class, row) in self.rows.iter().enumerate() {
            let score = score(row);
            if score > best.0 {
                best = (score, class);
            }
        }
        best.1 as u8
    }
}

impl Model for Linear {
    fn classes(&self) -> u8 {
        self.rows.len() as u8
    }

    fn class_of_write(&mut self, lpn: Lpn, features: &Features) -> u8 {
        self.class(lpn, features)
    }

    fn class_of_move(&mut self, lpn: Lpn, _from: u8, features: &Features) -> u8 {
        self.class(lpn, features)
    }

    fn ram(&self) -> u64 {
        8 * (self.rows.len() * INPUTS) as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FEATURES: Features =
        Features { previous: 0, writes: 0, chunk_writes: 0, weighted_writes: 0.0, interval: None };

    #[test]
    fn features_are_of_the_writes_before() {
        let own = LearnedConfig { chunk: 4, half_life: 2, ..LearnedConfig::default() };
        let mut learned = Learned::build(&Layout::of_pages(16), own);
        let write = |learned: &mut Learned, lpn, age| {
            let features = learned.features(Lpn(lpn), age);
            learned.of_write(Written::of(Lpn(lpn), age));
            features
        };
        assert_eq!(write(&mut learned, 5, None), FEATURES);
        assert_eq!(
            write(&mut learned, 6, None),
            Features { previous: 5, chunk_writes: 1, ..FEATURES }
        );
        let expected = Features {
            previous: 6,
            writes: 1,
            chunk_writes: 2,
            weighted_writes: 0.5,
            interval: Some(2),
        };
        assert_eq!(write(&mut learned, 5, Some(2)), expected);
        assert_eq!(learned.features(Lpn(5), Some(4)).weighted_writes, 1.5 / 4.0);
    }

    #[test]
    fn a_table_has_a_class_for_each_power_of_four() {
        let table = Table::read("0,1;2").expect("a table");
        assert_eq!(table.classes, 3);
        let class = |interval, writes| {
            table.class(&Features { interval: Some(interval), writes, ..FEATURES })
        };
        assert_eq!([class(2, 2), class(2, 3), class(3, 900), class(900, 0)], [0, 1, 2, 2]);
        assert_eq!(table.class(&FEATURES), 2, "a new page has waited for ever");
    }

    #[test]
    fn a_linear_model_gives_the_class_with_the_highest_score() {
        let linear = Linear::read("0,0,0,0,0,0,0; -1,0,0,1,0,0,0").expect("weights");
        let class = |writes| linear.class(Lpn(3), &Features { writes, ..FEATURES });
        assert_eq!([0, 1, 2].map(class), [0, 0, 1], "ln 3 is more than 1");
    }

    #[test]
    fn what_is_no_model_is_told_in_one_line() {
        let refused = [
            Table::read("0,x").map(drop),
            Table::read("16").map(drop),
            Linear::read("1,2").map(drop),
        ];
        for (refusal, part) in refused.into_iter().zip(["\"x\"", "class 16", "row of 2 numbers"]) {
            let message = refusal.expect_err("it is refused").to_string();
            assert!(message.contains(part), "{message}");
        }
    }
}
