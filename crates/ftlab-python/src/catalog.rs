//! Everything that can be named, for `ftlab list`.

use ftlab::flash::presets::PRESETS;
use ftlab::ftl::FTLS;
use ftlab::metrics::definitions::{Better, METRICS};
use ftlab::trace::FORMATS;
use ftlab::workload::{PATTERNS, PROFILES};
use serde_json::{Value, json};

pub fn json() -> String {
    json!({
        "ftls": ftls(),
        "presets": list(PRESETS, |p| json!({
            "name": p.name, "summary": p.summary, "source": p.source,
        })),
        "formats": list(FORMATS, |f| json!({
            "name": f.name, "summary": f.summary, "source": f.source, "order": f.order,
            "columns": list(f.columns, |c| format!("{}: {}", c.name, c.expected).into()),
        })),
        "profiles": list(PROFILES, |p| json!({
            "name": p.name, "summary": p.summary, "source": p.source,
        })),
        "patterns": list(PATTERNS, |p| json!({ "name": p.name, "summary": p.summary })),
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

fn ftls() -> Vec<Value> {
    list(FTLS, |ftl| {
        json!({
            "name": ftl.name,
            "summary": ftl.summary,
            "source": ftl.source,
            "parameters": list(ftl.parameters, |p| json!({
                "key": p.key, "default": p.default, "meaning": p.meaning,
            })),
        })
    })
}
