//! Everything that can be named, for `ftlab list`.

use ftlab::buffer::BUFFERS;
use ftlab::flash::presets::PRESETS;
use ftlab::ftl::{FTLS, Parameter};
use ftlab::metrics::definitions::{Better, METRICS};
use ftlab::trace::{Column, FORMATS, TimeOrder, columnar};
use ftlab::workload::{PATTERNS, PROFILES};
use serde_json::{Value, json};

pub fn json() -> String {
    json!({
        "ftls": ftls(),
        "presets": list(PRESETS, |p| json!({
            "name": p.name, "summary": p.summary, "source": p.source,
        })),
        "formats": formats(),
        "profiles": list(PROFILES, |p| {
            let model = p.model();
            json!({ "name": p.name, "summary": model.summary, "source": model.source })
        }),
        "patterns": list(PATTERNS, |p| json!({ "name": p.name, "summary": p.summary })),
        "buffers": list(BUFFERS, |buffer| json!({
            "name": buffer.name, "summary": buffer.summary, "source": buffer.source,
            "parameters": parameters(buffer.parameters),
        })),
        "policies": list(ftlab::gc::POLICIES, |p| json!({
            "name": p.name, "summary": p.summary, "source": p.source,
        })),
        "metrics": list(METRICS, |m| json!({
            "name": m.name, "unit": m.unit, "formula": m.formula, "source": m.source,
            "better": match m.better {
                Better::Higher => "higher",
                Better::Lower => "lower",
                Better::Neither => "",
            },
        })),
    })
    .to_string()
}

fn list<T>(items: &[T], describe: impl Fn(&T) -> Value) -> Vec<Value> {
    items.iter().map(describe).collect()
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

fn ftls() -> Vec<Value> {
    list(FTLS, |ftl| {
        json!({
            "name": ftl.name,
            "summary": ftl.summary,
            "source": ftl.source,
            "parameters": parameters(ftl.parameters),
        })
    })
}

fn parameters(all: &[Parameter]) -> Vec<Value> {
    list(all, |p| json!({ "key": p.key, "default": p.default, "meaning": p.meaning }))
}
