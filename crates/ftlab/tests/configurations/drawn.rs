//! Settings that are drawn, and what may become of them.

use ftlab::Error;
use ftlab::catalog::Catalog;
use ftlab::named::Named;
use ftlab::rng::Rng;
use ftlab::settings::{Kind, Row};
use ftlab::warmup::MODES;
use serde_json::{Map, Value, json};
use std::fmt::Display;

/// A configuration that was drawn, told as what it is when it fails.
pub trait Case: Display {
    /// Tries it; an error says what did not hold.
    fn run(&self, catalog: &Catalog) -> Result<Answer, String>;
}

/// What became of a configuration.
pub enum Answer {
    Ran,
    Refused,
    TooLong,
}

pub fn expect(what: &str, holds: bool) -> Result<(), String> {
    if holds { Ok(()) } else { Err(format!("expected: {what}")) }
}

pub fn one_line(error: &Error) -> Result<Answer, String> {
    let message = error.to_string();
    let of_the_user =
        matches!(error, Error::Config { .. } | Error::Unknown { .. } | Error::Lacking(_));
    let good = of_the_user && !message.contains(char::is_control) && message.contains(':');
    if good { Ok(Answer::Refused) } else { Err(format!("a bad refusal: {error:?}")) }
}

/// Puts a setting into a configuration.
pub fn set(tree: &mut Map<String, Value>, key: &str, value: Value) {
    let (section, name) = key.split_once('.').expect("section.name");
    let table = tree.entry(section).or_insert_with(|| json!({}));
    table[name] = value;
}

pub fn pick<T: Clone>(rng: &mut Rng, from: &[T]) -> T {
    from[rng.below(from.len() as u64) as usize].clone()
}

pub fn names<'a, B: 'a>(list: impl Iterator<Item = &'a Named<B>>) -> Vec<&'static str> {
    list.map(|named| named.spec.name).collect()
}

/// A value of a setting, in its range or just outside.
pub fn value(catalog: &Catalog, row: &Row, rng: &mut Rng) -> Value {
    if row.optional && rng.chance(0.2) {
        return Value::Null;
    }
    let times = [0_u64, 1, 999, 25_000, 200_000, 10_000_000, 10_000_000_000, 20_000_000_000];
    match (row.key().as_str(), row.kind) {
        ("gc.policy", _) => pick(rng, &names(catalog.policies().iter())).into(),
        ("ftl.placement", _) => pick(rng, &names(catalog.placements().iter())).into(),
        ("buffer.policy", _) => pick(rng, &names(catalog.buffers().iter())).into(),
        ("host.mode", _) => {
            pick(rng, &["open", "closed:1", "closed:7", "queued:1", "queued:32", "closed"]).into()
        }
        ("run.warmup", _) => {
            let mode = pick(rng, &MODES.iter().map(|mode| mode.name).collect::<Vec<_>>());
            let argument = if mode.starts_with("steady") { ":20%" } else { ":2" };
            (mode.to_owned() + if rng.chance(0.5) { argument } else { "" }).into()
        }
        ("run.timeline", _) => pick(rng, &[0, 1, 100]).into(),
        ("run.warmup_limit", _) => pick(rng, &[4, 5, 6]).into(),
        ("device.blocks", _) => pick(rng, &[0, 1, 2, 7, 64, 300]).into(),
        (key, Kind::Count) if key.starts_with("device.") => pick(rng, &[0, 1, 2, 3, 4, 8]).into(),
        (_, Kind::Count) => {
            pick(rng, &[0, 1, 2, 3, 4, 5, 7, 8, 16, 64, 1000, u64::from(u32::MAX), u64::MAX]).into()
        }
        (_, Kind::Number) => pick(rng, &[-1.0, 0.0, 1e-6, 0.5, 1.0, 2.0, 10.0, 1e6, 1e9]).into(),
        (_, Kind::Size) => {
            let sizes = [0_u64, 1, 12, 511, 512, 1 << 12, 4100, 1 << 13, 1 << 16, 1 << 20, 1 << 40];
            pick(rng, &sizes).into()
        }
        (_, Kind::Time) => pick(rng, &times).into(),
        (_, Kind::Times) => (0..1 + rng.below(3)).map(|_| pick(rng, &times)).collect(),
        (_, Kind::Ratio) => {
            pick(rng, &["-1%", "0%", "0.1%", "3%", "25%", "50%", "99.9%", "100%", "150%", "101"])
                .into()
        }
        (_, Kind::Switch) => rng.chance(0.5).into(),
        (_, Kind::Choice(known)) => pick(rng, known).0.into(),
        (_, Kind::Text(_)) => "text".into(),
    }
}
