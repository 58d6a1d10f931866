//! The predictions of [`greedy_gc`](super::greedy_gc) for a device: write amplification by victim
//! policy.

use super::greedy_gc::{Class, d_choices, fifo, fifo_of_classes, greedy, random, shared_frontier};
use super::{mean_field, mistake};
use crate::error::Error;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// The device and its writes: random single pages, a share of which may be hot.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Parameters {
    /// Blocks of the logical address space.
    pub logical_blocks: u32,
    /// Blocks of the device.
    pub blocks: u32,
    /// Pages of each. Default 64.
    #[serde(default = "default_pages_per_block")]
    pub pages_per_block: u32,
    /// Free blocks at which a victim is collected (`gc.low`). Default 1.
    #[serde(default = "one")]
    pub reserve: u32,
    /// Blocks among which d-choices chooses (`gc.choices`). Default 10.
    #[serde(default = "default_choices")]
    pub choices: u32,
    /// Share of the pages that are hot. Absent: all are written alike.
    #[serde(default)]
    pub hot_share: Option<f64>,
    /// Share of the writes that go to them.
    #[serde(default)]
    pub hot_access: Option<f64>,
}

fn default_pages_per_block() -> u32 {
    64
}

fn one() -> u32 {
    1
}

fn default_choices() -> u32 {
    10
}

/// Write amplification by victim policy; absent where there is no model. Greedy and d-choices with
/// a hot part have none in two cases: the rest is never written, or blocks have more pages than
/// [`mean_field::MOST_PAGES`].
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Policies {
    /// `gc.policy = greedy`.
    pub greedy: Option<f64>,
    /// `gc.policy = d-choices`.
    #[serde(rename = "d-choices")]
    pub d_choices: Option<f64>,
    /// `gc.policy = fifo`.
    pub fifo: Option<f64>,
    /// `gc.policy = random`.
    pub random: Option<f64>,
}

/// The range of a finite device: see [`Utilization`](super::greedy_gc::Utilization).
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Prediction {
    /// The parameters of the prediction.
    pub parameters: Parameters,
    /// An optimistic estimate.
    pub least: Policies,
    /// A pessimistic one.
    pub most: Policies,
}

impl Prediction {
    /// From parameters.
    ///
    /// # Errors
    /// [`Error::Config`] or [`Error::Unknown`] for a key that is missing, unknown or impossible.
    pub fn of(tree: Map<String, Value>) -> Result<Self, Error> {
        let parameters: Parameters =
            serde_path_to_error::deserialize(Value::Object(tree)).map_err(mistake)?;
        let classes = parameters.classes()?;
        let Parameters { logical_blocks, blocks, pages_per_block, reserve, .. } = parameters;
        let fits = logical_blocks.checked_add(reserve).and_then(|needed| needed.checked_add(2));
        if logical_blocks == 0 || fits.is_none_or(|needed| needed > blocks) {
            let message = format!(
                "found {blocks}, expected at least 2 more than the {logical_blocks} logical and the {reserve} \
                 in reserve"
            );
            return Err(Error::config("model.blocks", message));
        }
        for (key, value, least) in
            [("pages_per_block", pages_per_block, 2), ("choices", parameters.choices, 1)]
        {
            if !(least..=4096).contains(&value) {
                let message = format!("found {value}, expected {least} to 4096");
                return Err(Error::config(format!("model.{key}"), message));
            }
        }
        let logical_pages = logical_blocks.checked_mul(pages_per_block).ok_or_else(|| {
            let most = u32::MAX / pages_per_block;
            let message = format!("found {logical_blocks}, expected at most {most}");
            Error::config("model.logical_blocks", message)
        })?;
        let range = shared_frontier(logical_pages, blocks, pages_per_block, reserve);
        let [least, most] = [range.least, range.most].map(|u| parameters.policies(u, &classes));
        Ok(Prediction { parameters, least, most })
    }
}

impl Parameters {
    fn classes(&self) -> Result<Vec<Class>, Error> {
        let (pages, writes) = match (self.hot_share, self.hot_access) {
            (None, None) => return Ok(Vec::new()),
            (Some(pages), Some(writes)) => (pages, writes),
            _ => {
                let message = "found one of hot_share and hot_access, expected both or none";
                return Err(Error::config("model.hot_share", message));
            }
        };
        if !(pages > 0.0 && pages < 1.0) {
            let message = format!("found {pages}, expected above 0 and below 1");
            return Err(Error::config("model.hot_share", message));
        }
        if !(writes > 0.0 && writes <= 1.0) {
            let message = format!("found {writes}, expected above 0 and up to 1");
            return Err(Error::config("model.hot_access", message));
        }
        let hot = Class { pages, writes };
        Ok(vec![hot, Class { pages: 1.0 - pages, writes: 1.0 - writes }])
    }

    fn policies(&self, u: f64, classes: &[Class]) -> Policies {
        let alike = classes.is_empty();
        let pages = self.pages_per_block;
        let of_classes = |choices| match classes {
            [hot, cold] if cold.writes > 0.0 && pages <= mean_field::MOST_PAGES => {
                mean_field::of_classes(u, pages, choices, &[*hot, *cold])
            }
            _ => None,
        };
        Policies {
            greedy: if alike { Some(greedy(u, pages)) } else { of_classes(mean_field::GREEDY) },
            d_choices: match alike {
                true => Some(d_choices(u, pages, self.choices)),
                false => of_classes(self.choices),
            },
            fifo: Some(if alike { fifo(u) } else { fifo_of_classes(u, classes) }),
            random: Some(random(u)),
        }
    }
}
