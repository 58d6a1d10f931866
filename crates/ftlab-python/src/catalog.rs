//! Everything that can be named, for `ftlab list`.

use ftlab::buffer::NONE;
use ftlab::catalog::{Catalog, Entry};
use ftlab::device::presets::PRESETS;
use ftlab::figures::Metric;
use ftlab::ftl::{Cleaning, MapPlace};
use ftlab::named::{List, Named};
use ftlab::report::Report;
use ftlab::settings::{Kind, Row, Table};
use ftlab::trace::{Column, FORMATS, TimeOrder, columnar};
use ftlab::units::{Bytes, Duration, Ratio};
use ftlab::warmup::MODES;
use ftlab::workload::{BUILT_IN, PROFILES, Pattern};
use serde_json::{Value, json};

pub fn json(catalog: &Catalog) -> String {
    json!({
        "ftls": ftls(catalog),
        "settings": list(&catalog.rows(), |each| row(catalog, each)),
        "presets": list(PRESETS, |p| json!({
            "name": p.name, "summary": p.summary, "source": p.source,
        })),
        "formats": formats(),
        "profiles": profiles(),
        "patterns": list(Pattern::ALL, |p| json!({ "name": p.name(), "summary": p.meaning() })),
        "warmups": list(MODES, |mode| json!({ "name": mode.form(), "summary": mode.meaning })),
        "buffers": catalog.buffers().iter().map(|each| named(catalog, each)).collect::<Vec<_>>(),
        "placements": catalog.placements().iter().map(|each| named(catalog, each)).collect::<Vec<_>>(),
        "separations": catalog.separations().iter().map(|each| named(catalog, each)).collect::<Vec<_>>(),
        "policies": catalog.policies().iter().map(|each| named(catalog, each)).collect::<Vec<_>>(),
        "metrics": Metric::all::<Report>(),
    })
    .to_string()
}

fn list<T>(items: &[T], describe: impl Fn(&T) -> Value) -> Vec<Value> {
    items.iter().map(describe).collect()
}

/// The models of published traces, then the workloads of known programs.
fn profiles() -> Vec<Value> {
    let mut profiles = list(PROFILES, |p| {
        let model = p.model();
        json!({ "name": p.name, "summary": model.summary, "source": model.source })
    });
    profiles.extend(list(
        BUILT_IN,
        |b| json!({ "name": b.name, "summary": b.summary(), "source": b.source() }),
    ));
    profiles
}

/// The formats that are read as a stream, then the columnar store.
fn formats() -> Vec<Value> {
    let columns = |all| list(all, |c: &Column| format!("{}: {}", c.name, c.expected).into());
    let mut formats = list(FORMATS, |f| {
        json!({
            "name": f.name, "summary": f.summary, "source": f.source, "order": f.order,
            "columns": columns(f.columns),
        })
    });
    formats.push(json!({
        "name": columnar::NAME, "summary": columnar::SUMMARY, "source": columnar::SOURCE,
        "order": TimeOrder::Error, "columns": columns(columnar::COLUMNS),
    }));
    formats
}

fn ftls(catalog: &Catalog) -> Vec<Value> {
    let rows = catalog.rows();
    let config = catalog.resolve(&Table::new()).expect("defaults can be used");
    let standard = json!(config);
    list(catalog.ftls(), |ftl| {
        let shared = rows.iter().filter(|row| ftl.spec.obeys(&row.key()));
        let adapted = json!(ftl.adapted(&config));
        let settings: Vec<Value> = shared
            .chain(&ftl.rows())
            .map(|one| row(catalog, &with_default(one, &standard, &adapted)))
            .collect();
        json!({
            "name": ftl.spec.name,
            "title": ftl.spec.shown(),
            "summary": ftl.spec.summary,
            "source": ftl.spec.source,
            "map": place(ftl),
            "cleaning": cleaning(ftl),
            "mounts": mounts(ftl),
            "settings": settings,
        })
    })
}

/// What an FTL has when power was lost.
const fn mounts(ftl: &Entry) -> &'static str {
    match (ftl.recovers(), ftl.spec.keeps_writes) {
        (false, _) => "no",
        (true, false) => "yes",
        (true, true) => "with what was flushed",
    }
}

/// A setting with the default that an FTL has: a variant may set another.
fn with_default(row: &Row, standard: &Value, adapted: &Value) -> Row {
    let value = &adapted[row.section][row.name];
    match value == &standard[row.section][row.name] {
        true => row.clone(),
        false => Row { default: written(row.kind, value), ..row.clone() },
    }
}

/// A value as people write it.
fn written(kind: Kind, value: &Value) -> String {
    match (kind, value.as_u64(), value.as_f64()) {
        (Kind::Size, Some(bytes), _) => Bytes(bytes).to_string(),
        (Kind::Time, Some(nanos), _) => Duration(nanos).to_string(),
        (Kind::Ratio, _, Some(ratio)) => Ratio(ratio).to_string(),
        _ => value.as_str().map_or_else(|| value.to_string(), str::to_owned),
    }
}

const fn place(ftl: &Entry) -> &'static str {
    match ftl.spec.map {
        MapPlace::Ram => "RAM",
        MapPlace::Flash => "flash",
        MapPlace::Oob => "OOB",
    }
}

const fn cleaning(ftl: &Entry) -> &'static str {
    match ftl.spec.cleaning {
        Cleaning::Collects => "collects",
        Cleaning::Merges => "merges",
        Cleaning::Rewrites => "rewrites and collects",
        Cleaning::Itself => "by rules of its own",
    }
}

/// A setting. What is chosen by name from a list of the catalogue is a choice.
fn row(catalog: &Catalog, row: &Row) -> Value {
    let names = match row.key().as_str() {
        "gc.policy" => Some(names(catalog.policies())),
        "ftl.placement" => Some(names(catalog.placements())),
        "ftl.separation" => Some(names(catalog.separations())),
        "buffer.policy" => {
            let none = json!([NONE, "no buffer"]);
            Some([vec![none], names(catalog.buffers())].concat())
        }
        _ => None,
    };
    let (kind, values) = match row.kind {
        _ if names.is_some() => ("choice", names.into()),
        Kind::Count => ("count", Value::Null),
        Kind::Number => ("number", Value::Null),
        Kind::Size => ("size", Value::Null),
        Kind::Time => ("time", Value::Null),
        Kind::Times => ("times", Value::Null),
        Kind::Ratio => ("ratio", Value::Null),
        Kind::Switch => ("switch", Value::Null),
        Kind::Text(form) => ("text", form.into()),
        Kind::Choice(names) => {
            ("choice", list(names, |(name, meaning)| json!([name, meaning.trim()])).into())
        }
    };
    json!({
        "key": row.key(), "section": row.section, "name": row.name, "meaning": row.meaning,
        "kind": kind, "values": values, "optional": row.optional, "unit": row.unit,
        "default": row.default, "range": row.range, "source": row.source,
    })
}

/// A victim policy or a write buffer.
fn named<B>(catalog: &Catalog, named: &Named<B>) -> Value {
    json!({
        "name": named.spec.name, "summary": named.spec.summary, "source": named.spec.source,
        "settings": list(&named.rows(), |each| row(catalog, each)),
    })
}

/// The names of a list, each with its meaning.
fn names<B: Clone>(list: &List<B>) -> Vec<Value> {
    list.iter().map(|named| json!([named.spec.name, named.spec.summary])).collect()
}
