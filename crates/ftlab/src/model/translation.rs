//! The cost of address translation for a demand-paged FTL. There are two models: that of TPFTL
//! (Zhou et al., EuroSys 2015, section 3.1, Equations 1 to 13), and a refinement in which updates
//! of the map are merged.
//!
//! Both charge the costs of a miss, a write-back and a collected block per user page access. They
//! differ in three quantities, for which the paper takes the worst case:
//!
//! | quantity | paper | merged |
//! | :-- | :-- | :-- |
//! | entries replaced for a miss | 1 | measured, `replacements_per_miss` |
//! | page reads before a write-back | 1 | measured: none where the cache holds whole pages |
//! | updates of the map for a data block, N_dt / N_gcd | one for each GC miss | one for each translation page among them, [`distinct_pages`] |
//!
//! Times are in us and means over user page accesses, without queueing and on one plane.

use super::{SECTION, mistake};
use crate::error::Error;
use crate::math::powf;
use crate::units::Duration;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// The inputs of the models, with the paper's symbols in the documentation.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Parameters {
    /// H_r: share of translations that hit.
    pub hit_ratio: f64,
    /// P_rd: share of replaced entries that are dirty.
    pub dirty_replacement_probability: f64,
    /// H_gcr: share of the pages moved by GC whose mapping is cached.
    pub gc_hit_ratio: f64,
    /// R_w: share of user page accesses that write.
    pub write_ratio: f64,
    /// V_d: mean valid pages of a collected data block.
    pub mean_valid_data: f64,
    /// V_t: mean valid pages of a collected translation block.
    pub mean_valid_translation: f64,
    /// N_p. Default 64 (TPFTL Table 3).
    #[serde(default = "default_pages_per_block")]
    pub pages_per_block: u32,
    /// T_fr, transfer included. Default 25 us (TPFTL Table 3).
    #[serde(default = "default_read")]
    pub read: Duration,
    /// T_fw, transfer included. Default 200 us (TPFTL Table 3).
    #[serde(default = "default_program")]
    pub program: Duration,
    /// T_fe. Default 1.5 ms (TPFTL Table 3).
    #[serde(default = "default_erase")]
    pub erase: Duration,
    /// Merged model: entries replaced for a miss. Default 1.
    #[serde(default = "one")]
    pub replacements_per_miss: f64,
    /// Merged model: page reads before a write-back. Default 1.
    #[serde(default = "one")]
    pub reads_per_write_back: f64,
    /// Merged model: pages of a mean write request, which remain neighbours on flash. Default 1.
    #[serde(default = "one")]
    pub pages_per_write: f64,
    /// Merged model: translation pages of the device. Absent: too many for two moved pages to share
    /// one.
    #[serde(default)]
    pub translation_pages: Option<u32>,
}

fn default_pages_per_block() -> u32 {
    64
}

fn default_read() -> Duration {
    Duration(25_000)
}

fn default_program() -> Duration {
    Duration(200_000)
}

fn default_erase() -> Duration {
    Duration(1_500_000)
}

fn one() -> f64 {
    1.0
}

/// The prediction of a model, or the measurement of a run.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Terms {
    /// T_at: translation of a user page access, us (Equation 1).
    pub translation_us: f64,
    /// T_gcd: collection of data blocks per user page access, us (Equation 10).
    pub gc_data_us: f64,
    /// T_gct: collection of translation blocks per user page access, us (Equation 11).
    pub gc_translation_us: f64,
    /// The sum of the three and the access itself, us: the response time without queueing.
    pub access_us: f64,
    /// `N_dt / N_gcd`: updates of the map for a collected data block.
    pub updates_per_data_block: f64,
    /// A: pages programmed / pages written by the host (Equation 13); absent without writes.
    pub write_amplification: Option<f64>,
}

/// Both models, and the measurement if the parameters are those of a run.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Prediction {
    /// The inputs of the models.
    pub parameters: Parameters,
    /// The paper's model.
    pub paper: Terms,
    /// The model with merged updates.
    pub merged: Terms,
    /// The run.
    pub measured: Option<Terms>,
}

impl Prediction {
    /// From parameters alone.
    ///
    /// # Errors
    /// [`Error::Config`] or [`Error::Unknown`] for a key that is missing, unknown or impossible.
    pub fn of_parameters(tree: Map<String, Value>) -> Result<Self, Error> {
        let parameters: Parameters =
            serde_path_to_error::deserialize(Value::Object(tree)).map_err(mistake)?;
        parameters.check()?;
        Ok(Prediction::new(parameters, None))
    }

    /// From the result of a run, in the form of [`crate::report::Report`].
    ///
    /// # Errors
    /// [`Error::Config`] for a metric that the result does not have: the models are for a
    /// demand-paged FTL on a device in full use.
    pub fn of_result(result: &Value) -> Result<Self, Error> {
        let figures = Figures(result);
        let parameters = figures.parameters()?;
        parameters.check()?;
        let measured = figures.terms(&parameters)?;
        Ok(Prediction::new(parameters, Some(measured)))
    }

    fn new(parameters: Parameters, measured: Option<Terms>) -> Self {
        let (paper, merged) = (parameters.paper(), parameters.merged());
        Prediction { parameters, paper, merged, measured }
    }
}

/// The quantities in which the two models differ.
struct Assumptions {
    /// N_tw / N_pa: write-backs per user page access.
    write_backs: f64,
    reads_per_write_back: f64,
    /// N_dt / N_gcd.
    updates_per_data_block: f64,
}

impl Parameters {
    /// Equations 1, 10, 11 and 13.
    #[must_use]
    pub fn paper(&self) -> Terms {
        self.terms(&Assumptions {
            write_backs: (1.0 - self.hit_ratio) * self.dirty_replacement_probability,
            reads_per_write_back: 1.0,
            updates_per_data_block: self.gc_misses(),
        })
    }

    /// The same with measured write-backs and merged updates of the map.
    #[must_use]
    pub fn merged(&self) -> Terms {
        let replacements = (1.0 - self.hit_ratio) * self.replacements_per_miss;
        self.terms(&Assumptions {
            write_backs: replacements * self.dirty_replacement_probability,
            reads_per_write_back: self.reads_per_write_back,
            updates_per_data_block: self.distinct_pages(),
        })
    }

    /// Moved pages of a data block whose mapping is not cached: `V_d (1 - H_gcr)`.
    fn gc_misses(&self) -> f64 {
        self.mean_valid_data * (1.0 - self.gc_hit_ratio)
    }

    /// Translation pages among the GC misses of a data block, expected.
    ///
    /// A block is filled by `N_p / L` writes of `L` pages each, which lie on one translation page.
    /// Of its `N_p` pages, `k` are GC misses at random places. `(N_p / L) (1 - (1 - k / N_p)^L)`
    /// writes have one left. Each is on any of the device's M translation pages, so `M (1 - (1 -
    /// 1/M)^writes)` of these occur.
    #[must_use]
    pub fn distinct_pages(&self) -> f64 {
        let misses = self.gc_misses();
        let Some(pages) = self.translation_pages.map(f64::from) else { return misses };
        let block = f64::from(self.pages_per_block);
        let length = self.pages_per_write.min(block);
        let writes = block / length * (1.0 - powf(1.0 - misses / block, length));
        let distinct = pages * (1.0 - powf(1.0 - 1.0 / pages, writes));
        distinct.min(misses)
    }

    /// Equations 1 to 13 with the quantities in which the models differ.
    fn terms(&self, assumed: &Assumptions) -> Terms {
        let [read, program, erase] = [self.read, self.program, self.erase].map(us);
        let block = f64::from(self.pages_per_block);
        let (valid_data, valid_translation) = (self.mean_valid_data, self.mean_valid_translation);
        let copy = read + program;
        let updates = assumed.updates_per_data_block;
        // Equations 7 and 9, per user page access.
        let data_blocks = self.write_ratio / (block - valid_data);
        let map_writes = assumed.write_backs + data_blocks * updates;
        let translation_blocks = map_writes / (block - valid_translation);
        let write_back = assumed.reads_per_write_back * read + program;
        let translation_us = (1.0 - self.hit_ratio) * read + assumed.write_backs * write_back;
        let gc_data_us = data_blocks * ((valid_data + updates) * copy + erase);
        let gc_translation_us = translation_blocks * (valid_translation * copy + erase);
        let user_us = self.write_ratio * program + (1.0 - self.write_ratio) * read;
        let extra = map_writes + data_blocks * valid_data + translation_blocks * valid_translation;
        Terms {
            translation_us,
            gc_data_us,
            gc_translation_us,
            access_us: translation_us + gc_data_us + gc_translation_us + user_us,
            updates_per_data_block: updates,
            write_amplification: (self.write_ratio > 0.0).then(|| 1.0 + extra / self.write_ratio),
        }
    }

    fn check(&self) -> Result<(), Error> {
        let block = f64::from(self.pages_per_block);
        let many = f64::MAX;
        for (key, value, least, most) in [
            ("hit_ratio", self.hit_ratio, 0.0, 1.0),
            ("dirty_replacement_probability", self.dirty_replacement_probability, 0.0, 1.0),
            ("gc_hit_ratio", self.gc_hit_ratio, 0.0, 1.0),
            ("write_ratio", self.write_ratio, 0.0, 1.0),
            ("pages_per_block", block, 2.0, 4096.0),
            ("mean_valid_data", self.mean_valid_data, 0.0, block.next_down()),
            ("mean_valid_translation", self.mean_valid_translation, 0.0, block.next_down()),
            ("replacements_per_miss", self.replacements_per_miss, 0.0, many),
            ("reads_per_write_back", self.reads_per_write_back, 0.0, many),
            ("pages_per_write", self.pages_per_write, 1.0, many),
            ("translation_pages", self.translation_pages.map_or(1.0, f64::from), 1.0, many),
        ] {
            if !(least..=most).contains(&value) {
                let range = match (key, most == many) {
                    ("mean_valid_data" | "mean_valid_translation", _) => {
                        format!("0 to less than the {block} pages of a block")
                    }
                    (_, true) => format!("at least {least}"),
                    (_, false) => format!("{least} to {most}"),
                };
                let message = format!("found {value}, expected {range}");
                return Err(Error::config(format!("{SECTION}.{key}"), message));
            }
        }
        Ok(())
    }
}

fn us(time: Duration) -> f64 {
    time.0 as f64 / 1000.0
}

/// The metrics of a result, by their path.
struct Figures<'a>(&'a Value);

impl Figures<'_> {
    fn number(&self, path: &str) -> Option<f64> {
        self.0.pointer(path).and_then(Value::as_f64)
    }

    fn figure(&self, path: &str) -> Result<f64, Error> {
        self.number(path).ok_or_else(|| {
            let key = format!("result{}", path.replace('/', "."));
            let found = self.0.pointer(path).map_or("nothing".into(), Value::to_string);
            let why = "expected a number: the models are for a demand-paged FTL whose cache evicts, on \
                       a device in full use; add run.warmup or more requests";
            Error::config(key, format!("found {found}, {why}"))
        })
    }

    /// Sum of the operations of one kind with any of these causes; 0 where the result has none.
    fn operations(&self, kind: &str, causes: &[&str]) -> f64 {
        causes.iter().filter_map(|cause| self.number(&format!("/flash/{kind}/{cause}"))).sum()
    }

    fn parameters(&self) -> Result<Parameters, Error> {
        let page = self.figure("/config/device/page")?;
        let transfer = page * self.figure("/config/device/transfer_per_byte")?;
        let time = |name: &str, transfer: f64| -> Result<Duration, Error> {
            let array = self.figure(&format!("/config/device/{name}"))?;
            Ok(Duration((array + transfer) as u64))
        };
        let (lookups, hits) = (self.figure("/mapping/lookups")?, self.figure("/mapping/hits")?);
        let (writes, page_writes) =
            (self.figure("/host/writes")?, self.figure("/host/page_writes")?);
        let loads = lookups - hits;
        let translation_reads = self.operations("reads", &["translation"]);
        let write_backs = self.operations("programs", &["translation"]);
        let translation_pages = self.figure("/device/capacity_bytes")? / page / (page / 4.0);
        Ok(Parameters {
            hit_ratio: self.figure("/mapping/hit_ratio")?,
            dirty_replacement_probability: self.figure("/mapping/dirty_replacement_probability")?,
            gc_hit_ratio: self.figure("/mapping/gc_hit_ratio")?,
            write_ratio: page_writes / lookups,
            mean_valid_data: self.figure("/gc/mean_valid_data")?,
            mean_valid_translation: self.figure("/gc/mean_valid_translation")?,
            pages_per_block: self.figure("/config/device/pages_per_block")? as u32,
            read: time("read", transfer)?,
            program: time("program", transfer)?,
            erase: time("erase", 0.0)?,
            replacements_per_miss: self.figure("/mapping/replacements")? / loads.max(1.0),
            reads_per_write_back: (translation_reads - loads).max(0.0) / write_backs.max(1.0),
            pages_per_write: (page_writes / writes.max(1.0)).max(1.0),
            translation_pages: Some(translation_pages.ceil() as u32),
        })
    }

    fn terms(&self, parameters: &Parameters) -> Result<Terms, Error> {
        let accesses = self.figure("/mapping/lookups")?;
        let [read, program, erase] =
            [parameters.read, parameters.program, parameters.erase].map(us);
        let copies = |causes: &[&str]| {
            read * self.operations("reads", causes) + program * self.operations("programs", causes)
        };
        let erases = |kind: &str| erase * self.operations("erases", &[kind]);
        let translation_us = copies(&["translation"]) / accesses;
        let gc_data_us = (copies(&["gc_data", "gc_mapping"]) + erases("data")) / accesses;
        let gc_translation_us = (copies(&["gc_translation"]) + erases("translation")) / accesses;
        let access_us =
            translation_us + gc_data_us + gc_translation_us + copies(&["host"]) / accesses;
        let updates = self.operations("programs", &["gc_mapping"]);
        Ok(Terms {
            translation_us,
            gc_data_us,
            gc_translation_us,
            access_us,
            updates_per_data_block: updates / self.figure("/gc/data_blocks")?.max(1.0),
            write_amplification: self.number("/write_amplification"),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn parameters() -> Parameters {
        let tree = json!({
            "hit_ratio": 0.6, "dirty_replacement_probability": 0.5, "gc_hit_ratio": 0.25,
            "write_ratio": 0.8, "mean_valid_data": 40, "mean_valid_translation": 16,
        });
        let tree = tree.as_object().expect("a table").clone();
        Prediction::of_parameters(tree).expect("good parameters").parameters
    }

    #[track_caller]
    fn assert_near(found: f64, expected: f64) {
        assert!((found / expected - 1.0).abs() < 1e-12, "found {found}, expected {expected}");
    }

    /// The equations as they are printed.
    #[test]
    fn the_papers_model_is_its_equations_1_10_11_and_13() {
        let (hit, dirty, gc_hit, writes) = (0.6, 0.5, 0.25, 0.8);
        let (valid_data, valid_translation, pages) = (40.0, 16.0, 64.0);
        let (read, program, erase) = (25.0, 200.0, 1500.0);
        let found = parameters().paper();
        assert_near(found.translation_us, (1.0 - hit) * (read + dirty * (read + program)));
        let moved = valid_data * (2.0 - gc_hit) * (read + program);
        assert_near(found.gc_data_us, writes * (moved + erase) / (pages - valid_data));
        let map_writes =
            (1.0 - hit) * dirty + writes * valid_data * (1.0 - gc_hit) / (pages - valid_data);
        let collected = valid_translation * (read + program) + erase;
        assert_near(found.gc_translation_us, map_writes * collected / (pages - valid_translation));
        let room = pages / (pages - valid_translation);
        let translation = (1.0 - hit) * dirty * room / writes;
        let collection = (1.0 + (1.0 - gc_hit) * room) * valid_data / (pages - valid_data);
        assert_near(found.write_amplification.expect("writes"), 1.0 + translation + collection);
        let user = writes * program + (1.0 - writes) * read;
        let sum = found.translation_us + found.gc_data_us + found.gc_translation_us + user;
        assert_near(found.access_us, sum);
    }

    #[test]
    fn without_what_merges_both_models_are_the_same() {
        let plain = parameters();
        assert_eq!(plain.merged(), plain.paper());
        let shared = Parameters { translation_pages: Some(1), ..plain.clone() };
        assert_eq!(shared.distinct_pages(), 1.0, "all on one translation page");
        let many = Parameters { translation_pages: Some(u32::MAX), ..plain.clone() };
        assert!((many.distinct_pages() / plain.gc_misses() - 1.0).abs() < 1e-6);
        let one_write = Parameters { pages_per_write: 1e9, ..many };
        assert!(one_write.distinct_pages() <= 1.0, "a block is filled by one write");
    }

    /// 30 draws of 128: `128 (1 - (127/128)^30)`.
    #[test]
    fn single_page_writes_fall_on_translation_pages_at_random() {
        let spread = Parameters { translation_pages: Some(128), ..parameters() };
        assert_near(spread.distinct_pages(), 26.836_811_559_832_57);
    }

    #[test]
    fn a_workload_without_writes_has_no_write_amplification() {
        let reads = Parameters { write_ratio: 0.0, ..parameters() };
        assert_eq!(reads.paper().write_amplification, None);
    }

    #[test]
    fn mistakes_name_the_key() {
        let mut tree = serde_json::to_value(parameters()).expect("a tree");
        for (key, value, expected) in [
            ("hit_ratio", json!(1.5), "model.hit_ratio: found 1.5, expected 0 to 1"),
            ("mean_valid_data", json!(64), "model.mean_valid_data: found 64, expected 0 to less"),
            (
                "pages_per_write",
                json!(0.5),
                "model.pages_per_write: found 0.5, expected at least 1",
            ),
            ("hit_rato", json!(0.5), "did you mean \"model.hit_ratio\"?"),
        ] {
            let good = tree.clone();
            tree[key] = value;
            let tree = std::mem::replace(&mut tree, good);
            let tree = tree.as_object().expect("a table").clone();
            let message = Prediction::of_parameters(tree).expect_err(expected).to_string();
            assert!(message.contains(expected), "{message}");
        }
        let message = Prediction::of_result(&json!({"mapping": null})).expect_err("no figures");
        assert!(message.to_string().starts_with("result.config.device.page: found nothing"));
    }
}
