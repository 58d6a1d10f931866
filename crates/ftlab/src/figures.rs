//! Metrics of a result, each written once.
//!
//! [`figures!`] declares a section of a result. From one line for each metric come its field, its value and its key in
//! JSON. The same line makes its row in `ftlab list metrics`, in `docs/results.md` and in Python, and its name for
//! Prometheus. [`counts!`] declares what is counted for metrics, with its sum and its difference over time.

use serde::Serialize;
use std::collections::BTreeMap;

/// Which direction is better.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Better {
    /// More is better.
    Higher,
    /// Less is better.
    Lower,
    /// Neither.
    #[default]
    #[serde(rename = "")]
    Neither,
}

/// What the line of a metric says of it after its name, type and value.
#[derive(Clone, Copy, Debug, Default)]
pub struct Line {
    /// The unit; of a section that of the sum of its metrics, if that is a metric.
    pub unit: &'static str,
    /// Which direction is better.
    pub better: Better,
    /// Where it is `null`: exactly where its type is an [`Option`].
    pub null: &'static str,
    /// Who defines it.
    pub source: &'static str,
    /// Its name in tables. `{}` stands for the label of its section.
    pub label: &'static str,
    /// Its name for Prometheus. One that is labels alone follows the name of its section.
    pub live: &'static str,
    /// Of a section with several names: what its metrics are of.
    pub of: &'static str,
}

/// A metric of a result, as lists and docs show it.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Metric {
    /// Its key, `section.name`.
    pub name: String,
    /// The unit.
    pub unit: &'static str,
    /// How it is computed.
    pub formula: String,
    /// Where it is `null`; empty where it never is.
    pub null: String,
    /// Who defines it.
    pub source: &'static str,
    /// Which direction is better.
    pub better: Better,
    /// Its name in tables; empty for one that no table shows.
    pub label: String,
    /// What JSON has for it.
    pub kind: &'static str,
    /// Its name for Prometheus, with labels; empty for one that is not served.
    #[serde(skip)]
    pub live: String,
    #[serde(skip)]
    of: &'static str,
}

impl Metric {
    /// The metric that a line declares in a section.
    #[doc(hidden)]
    #[must_use]
    pub fn declared<T: Figure>(section: &Metric, name: &str, meaning: &str, line: &Line) -> Self {
        let metric = Metric { kind: T::KIND, ..Metric::without_kind(section, name, meaning, line) };
        let (name, tells) = (&metric.name, !line.null.is_empty());
        assert_eq!(T::OPTIONAL, tells, "{name}: an Option says where it is null");
        metric
    }

    /// The same without its kind: compiled once for all types.
    fn without_kind(section: &Metric, name: &str, meaning: &str, line: &Line) -> Self {
        let joined = |parts: [&str; 2], by: &str| {
            parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(by)
        };
        Metric {
            name: joined([&section.name, name], "."),
            unit: line.unit,
            formula: joined([section.of, meaning.trim()], ": "),
            null: joined([&section.null, line.null], "; "),
            source: line.source,
            better: line.better,
            label: line.label.replace("{}", &section.label),
            kind: "",
            live: match line.live.starts_with('{') {
                true if section.live.is_empty() => String::new(),
                true => format!("{}{}", section.live, line.live),
                false => line.live.to_owned(),
            },
            of: line.of,
        }
    }

    /// The metrics of a result: those of its sections, in their order.
    #[must_use]
    pub fn all<Root: Figure>() -> Vec<Metric> {
        Root::rows(Metric::default())
    }
}

/// What can be the value of a metric: plain values, and sections of metrics.
pub trait Figure {
    /// What JSON has for it.
    const KIND: &'static str;
    /// Whether it, or what it lists, may be `null`.
    const OPTIONAL: bool = false;

    /// The metrics that it is, or consists of, if this is what its line says.
    #[must_use]
    fn rows(own: Metric) -> Vec<Metric> {
        vec![own]
    }
}

/// Types whose values are one metric each.
macro_rules! figure_kinds {
    ($($kind:literal: $($type:ty),+;)+) => {
        $($(impl $crate::figures::Figure for $type { const KIND: &'static str = $kind; })+)+
    };
}
pub(crate) use figure_kinds;

figure_kinds! {
    "count": u32, u64;
    "number": f64;
    "switch": bool;
    "text": String, &'static str;
    "list": (u32, u32);
}

impl<T> Figure for BTreeMap<T, f64> {
    const KIND: &'static str = "object";
}

impl<T> Figure for BTreeMap<T, u64> {
    const KIND: &'static str = "object";
}

impl<T: Figure> Figure for Vec<T> {
    const KIND: &'static str = "list";
    const OPTIONAL: bool = T::OPTIONAL;
}

impl<T: Figure> Figure for Option<T> {
    const KIND: &'static str = T::KIND;
    const OPTIONAL: bool = true;

    fn rows(own: Metric) -> Vec<Metric> {
        T::rows(own)
    }
}

/// Declares a section of a result: see [the module](crate::figures).
///
/// A line is `NAME: TYPE = VALUE`, then, as far as needed, the fields of [`Line`]. First stands the function that makes
/// the section: its name, its arguments, and what `let` takes from them. A section that is filled elsewhere has neither
/// function nor values.
macro_rules! figures {
    (
        $(#[doc = $about:literal])+
        $(#[derive($($derive:ident),+)])?
        $visible:vis struct $name:ident {
            $within:vis $make:ident($($argument:ident: $from:ty),+);
            $(let $part:pat = $is:expr;)*
            $(
                $(#[doc = $doc:literal])+
                $(#[serde($($serde:tt)+)])?
                $field:ident: $type:ty = $value:expr $(, $key:ident $told:tt)*;
            )+
        }
    ) => {
        $crate::figures::figures! {
            $(#[doc = $about])+
            $(#[derive($($derive),+)])?
            $visible struct $name {
                $(
                    $(#[doc = $doc])+
                    $(#[serde($($serde)+)])?
                    $field: $type $(, $key $told)*;
                )+
            }
        }

        impl $name {
            /// Its metrics.
            #[must_use]
            $within fn $make($($argument: $from),+) -> Self {
                $(let $part = $is;)*
                $name { $($field: $value),+ }
            }
        }
    };
    (
        $(#[doc = $about:literal])+
        $(#[derive($($derive:ident),+)])?
        $visible:vis struct $name:ident {
            $(
                $(#[doc = $doc:literal])+
                $(#[serde($($serde:tt)+)])?
                $field:ident: $type:ty $(, $key:ident $told:tt)*;
            )+
        }
    ) => {
        $(#[doc = $about])+
        #[derive(Clone, Debug, serde::Serialize $(, $($derive),+)?)]
        $visible struct $name {
            $(
                $(#[doc = $doc])+
                $(#[serde($($serde)+)])?
                pub $field: $type,
            )+
        }

        impl $crate::figures::Figure for $name {
            const KIND: &'static str = "object";

            fn rows(own: $crate::figures::Metric) -> Vec<$crate::figures::Metric> {
                use $crate::figures::{Figure, Line, Metric};
                #[allow(unused_imports, reason = "a section may have no direction")]
                use $crate::figures::Better::{Higher, Lower};
                let mut rows = Vec::new();
                $({
                    let line = Line { $($key: $told,)* ..Line::default() };
                    let meaning = concat!($($doc),+);
                    let metric = Metric::declared::<$type>(&own, stringify!($field), meaning, &line);
                    rows.extend(<$type as Figure>::rows(metric));
                })+
                if !own.unit.is_empty() {
                    rows.insert(0, own);
                }
                rows
            }
        }
    };
}
pub(crate) use figures;

/// Declares counts. Before them stands what they need: `plus`, the sum of both, and `since`, the difference to an earlier
/// state.
macro_rules! counts {
    ($($operation:ident)+; $(#[$attribute:meta])+ $visible:vis struct $name:ident $fields:tt) => {
        $(#[$attribute])+
        $visible struct $name $fields

        impl $name {
            $($crate::figures::counts! { @$operation $fields })+
        }
    };
    (@plus { $($(#[$attribute:meta])+ pub $field:ident: $type:ty,)+ }) => {
        /// Both together.
        #[must_use]
        pub const fn plus(self, other: Self) -> Self {
            Self { $($field: self.$field + other.$field),+ }
        }
    };
    (@since { $($(#[$attribute:meta])+ pub $field:ident: $type:ty,)+ }) => {
        /// What was counted since the counts were `then`.
        #[must_use]
        pub const fn since(self, then: Self) -> Self {
            Self { $($field: self.$field - then.$field),+ }
        }
    };
}
pub(crate) use counts;

#[cfg(test)]
mod tests {
    use super::*;

    counts! {
        plus since;
        /// Hits of something.
        #[derive(Clone, Copy, Debug, PartialEq)]
        pub struct Hits {
            /// Lookups.
            pub lookups: u64,
            /// Those that hit.
            pub hits: u64,
        }
    }

    figures! {
        /// A cache.
        struct Cache {
            of(hits: Hits);
            let misses = hits.lookups - hits.hits;
            /// Lookups.
            lookups: u64 = hits.lookups, unit "pages", live "lookups_total";
            /// Misses / lookups.
            miss_ratio: Option<f64> = (hits.lookups > 0).then(|| misses as f64 / hits.lookups as f64),
                unit "ratio", better Lower, null "without lookups", label "misses of {}", live "{of=\"all\"}";
        }
    }

    figures! {
        /// Two caches.
        struct Caches {
            /// The first.
            first: Cache, label "one", live "first", of "the first cache";
            /// The second.
            second: Option<Cache>, null "of one cache", unit "pages";
        }
    }

    #[test]
    fn a_line_makes_a_field_its_value_and_its_row() {
        let hits = Hits { lookups: 8, hits: 6 };
        let caches = Caches { first: Cache::of(hits.plus(hits).since(hits)), second: None };
        let json = serde_json::to_string(&caches).expect("plain values");
        assert_eq!(json, r#"{"first":{"lookups":8,"miss_ratio":0.25},"second":null}"#);
        let rows = Metric::all::<Caches>();
        let names = rows.iter().map(|row| row.name.as_str()).collect::<Vec<_>>().join(" ");
        assert_eq!(names, "first.lookups first.miss_ratio second second.lookups second.miss_ratio");
        let first = &rows[1];
        assert_eq!((first.unit, first.better, first.kind), ("ratio", Better::Lower, "number"));
        assert_eq!(first.formula, "the first cache: Misses / lookups.");
        assert_eq!((&*first.label, &*first.live), ("misses of one", "first{of=\"all\"}"));
        assert_eq!((&*rows[4].null, &*rows[4].live), ("of one cache; without lookups", ""));
    }

    #[test]
    #[should_panic(expected = "wrong: an Option says where it is null")]
    fn a_value_that_may_be_null_says_where() {
        let _ = Metric::declared::<Option<u64>>(&Metric::default(), "wrong", "", &Line::default());
    }
}
