//! The types of settings: how their values are bounded and written.

use crate::error::Error;
use crate::units::{Bytes, Duration, Ratio};
use std::fmt::Debug;
use std::ops::{Bound, RangeBounds};

/// How people write a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A whole number.
    Count,
    /// A number.
    Number,
    /// Bytes, or text such as `8KiB`.
    Size,
    /// Nanoseconds, or text such as `25us`.
    Time,
    /// A number, or text such as `15%`.
    Ratio,
    /// `true` or `false`.
    Switch,
    /// One of some names, each with its meaning.
    Choice(&'static [(&'static str, &'static str)]),
    /// Text of a form.
    Text(&'static str),
    /// A list of times.
    Times,
}

impl Kind {
    /// The message for a value of another type; `told` ends in the name of the expected type.
    pub(super) fn expected(self, told: &str) -> String {
        match self {
            Kind::Count if told.ends_with("u16") => {
                format!("a whole number from 0 to {}", u16::MAX)
            }
            Kind::Count if told.ends_with("u32") => {
                format!("a whole number from 0 to {}", u32::MAX)
            }
            Kind::Count => "a whole number".into(),
            Kind::Number => "a number".into(),
            Kind::Size => "bytes, or text such as 8KiB".into(),
            Kind::Time => "nanoseconds, or text such as 25us".into(),
            Kind::Ratio => "a number, or text such as 15%".into(),
            Kind::Switch => "true or false".into(),
            Kind::Choice(names) => {
                let names: Vec<&str> = names.iter().map(|(name, _)| *name).collect();
                format!("one of {}", names.join(", "))
            }
            Kind::Text(form) => form.into(),
            Kind::Times => "a list of times".into(),
        }
    }
}

/// The type of a setting.
pub trait Value: Clone + Debug + PartialEq {
    /// What the bounds of a range are.
    type Bound: PartialOrd;
    /// How people write it.
    const KIND: Kind;
    /// Whether it may be absent.
    const OPTIONAL: bool = false;

    /// Whether it lies in a range; an absent value always does.
    fn is_in(&self, range: &impl RangeBounds<Self::Bound>) -> bool;

    /// As people write it; empty when absent.
    fn shown(&self) -> String;

    /// The value as a message shows it, next to the bounds of a range.
    fn found(&self) -> String {
        self.shown()
    }

    /// A bound of a range as people write it.
    fn bound_shown(bound: &Self::Bound) -> String;

    /// The value that is `step` (-1, 0 or 1) steps from a bound, if there is one.
    fn beside(_bound: &Self::Bound, _step: i8) -> Option<Self> {
        None
    }

    /// The largest value, where there is one.
    fn most() -> Option<Self> {
        None
    }

    /// The values at the ends of a range, or just outside them.
    fn at_edges(edge: Edge, range: &impl RangeBounds<Self::Bound>) -> Vec<Self> {
        let at = |bound: Bound<&Self::Bound>, outwards: i8| match (bound, edge) {
            (Bound::Included(bound), Edge::Inside) => Self::beside(bound, 0),
            (Bound::Included(bound), Edge::Outside) => Self::beside(bound, outwards),
            (Bound::Excluded(bound), Edge::Inside) => Self::beside(bound, -outwards),
            (Bound::Excluded(bound), Edge::Outside) => Self::beside(bound, 0),
            (Bound::Unbounded, Edge::Inside) if outwards > 0 => Self::most(),
            (Bound::Unbounded, _) => None,
        };
        [at(range.start_bound(), -1), at(range.end_bound(), 1)].into_iter().flatten().collect()
    }
}

/// Which side of a bound.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Edge {
    /// The last value in range.
    Inside,
    /// The first one out of range.
    Outside,
}

trait Step: Copy {
    /// The value that is `steps` (-1, 0 or 1) away, if there is one.
    fn stepped(self, steps: i8) -> Option<Self>;
}

macro_rules! step {
    ($($type:ty: $signed:ty),+) => {$(
        impl Step for $type {
            fn stepped(self, steps: i8) -> Option<Self> {
                self.checked_add_signed(<$signed>::from(steps))
            }
        }
    )+};
}
step!(u16: i16, u32: i32, u64: i64);

impl Step for f64 {
    fn stepped(self, steps: i8) -> Option<Self> {
        Some(match steps {
            0 => self,
            ..0 => self.next_down(),
            1.. => self.next_up(),
        })
    }
}

macro_rules! number {
    ($($type:ty: $kind:expr),+) => {$(
        impl Value for $type {
            type Bound = $type;
            const KIND: Kind = $kind;
            fn is_in(&self, range: &impl RangeBounds<$type>) -> bool {
                range.contains(self)
            }
            fn shown(&self) -> String {
                self.to_string()
            }
            fn bound_shown(bound: &$type) -> String {
                bound.to_string()
            }
            fn beside(bound: &$type, step: i8) -> Option<Self> {
                bound.stepped(step)
            }
            fn most() -> Option<Self> {
                Some(<$type>::MAX)
            }
        }
    )+};
}
number!(u16: Kind::Count, u32: Kind::Count, u64: Kind::Count, f64: Kind::Number);

impl Value for Bytes {
    type Bound = u64;
    const KIND: Kind = Kind::Size;
    fn is_in(&self, range: &impl RangeBounds<u64>) -> bool {
        range.contains(&self.0)
    }
    fn shown(&self) -> String {
        self.to_string()
    }
    fn bound_shown(bound: &u64) -> String {
        Bytes(*bound).to_string()
    }
    fn beside(bound: &u64, step: i8) -> Option<Self> {
        bound.stepped(step).map(Bytes)
    }
    fn most() -> Option<Self> {
        Some(Bytes(u64::MAX))
    }
}

impl Value for Duration {
    type Bound = u64;
    const KIND: Kind = Kind::Time;
    fn is_in(&self, range: &impl RangeBounds<u64>) -> bool {
        range.contains(&self.0)
    }
    fn shown(&self) -> String {
        self.to_string()
    }
    fn bound_shown(bound: &u64) -> String {
        Duration(*bound).to_string()
    }
    fn beside(bound: &u64, step: i8) -> Option<Self> {
        bound.stepped(step).map(Duration)
    }
    fn most() -> Option<Self> {
        Some(Duration(u64::MAX))
    }
}

impl Value for Ratio {
    type Bound = f64;
    const KIND: Kind = Kind::Ratio;
    fn is_in(&self, range: &impl RangeBounds<f64>) -> bool {
        range.contains(&self.0)
    }
    fn shown(&self) -> String {
        self.to_string()
    }
    fn found(&self) -> String {
        self.0.to_string()
    }
    fn bound_shown(bound: &f64) -> String {
        bound.to_string()
    }
    fn beside(bound: &f64, step: i8) -> Option<Self> {
        bound.stepped(step).map(Ratio)
    }
    fn most() -> Option<Self> {
        Some(Ratio(f64::MAX))
    }
}

impl Value for bool {
    type Bound = bool;
    const KIND: Kind = Kind::Switch;
    fn is_in(&self, range: &impl RangeBounds<bool>) -> bool {
        range.contains(self)
    }
    fn shown(&self) -> String {
        self.to_string()
    }
    fn bound_shown(bound: &bool) -> String {
        bound.to_string()
    }
}

impl Value for String {
    type Bound = String;
    const KIND: Kind = Kind::Text("a name");
    fn is_in(&self, range: &impl RangeBounds<String>) -> bool {
        range.contains(self)
    }
    fn shown(&self) -> String {
        self.clone()
    }
    fn bound_shown(bound: &String) -> String {
        bound.clone()
    }
}

impl<T: Value> Value for Option<T> {
    type Bound = T::Bound;
    const KIND: Kind = T::KIND;
    const OPTIONAL: bool = true;
    fn is_in(&self, range: &impl RangeBounds<T::Bound>) -> bool {
        self.as_ref().is_none_or(|value| value.is_in(range))
    }
    fn shown(&self) -> String {
        self.as_ref().map(Value::shown).unwrap_or_default()
    }
    fn found(&self) -> String {
        self.as_ref().map(Value::found).unwrap_or_default()
    }
    fn bound_shown(bound: &T::Bound) -> String {
        T::bound_shown(bound)
    }
    fn beside(bound: &T::Bound, step: i8) -> Option<Self> {
        T::beside(bound, step).map(Some)
    }
    fn most() -> Option<Self> {
        T::most().map(Some)
    }
}

impl Value for Vec<Duration> {
    type Bound = u64;
    const KIND: Kind = Kind::Times;
    fn is_in(&self, range: &impl RangeBounds<u64>) -> bool {
        self.iter().all(|time| time.is_in(range))
    }
    fn shown(&self) -> String {
        self.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")
    }
    fn bound_shown(bound: &u64) -> String {
        Duration(*bound).to_string()
    }
    fn beside(bound: &u64, step: i8) -> Option<Self> {
        Duration::beside(bound, step).map(|time| vec![time])
    }
}

/// `1 to 64`, `at least 1`, `above 0 and below 1`; a missing bound is left out.
pub fn shown_range<T: Value>(range: &impl RangeBounds<T::Bound>) -> String {
    let (start, end) = (range.start_bound(), range.end_bound());
    if let (Bound::Included(least), Bound::Included(most)) = (start, end) {
        return format!("{} to {}", T::bound_shown(least), T::bound_shown(most));
    }
    let start = match start {
        Bound::Included(least) => Some(format!("at least {}", T::bound_shown(least))),
        Bound::Excluded(below) => Some(format!("above {}", T::bound_shown(below))),
        Bound::Unbounded => None,
    };
    let end = match end {
        Bound::Included(most) => Some(format!("at most {}", T::bound_shown(most))),
        Bound::Excluded(above) => Some(format!("below {}", T::bound_shown(above))),
        Bound::Unbounded => None,
    };
    let shown: Vec<String> = start.into_iter().chain(end).collect();
    if shown.is_empty() { String::from("anything") } else { shown.join(" and ") }
}

/// Rejects a value that is out of range.
///
/// # Errors
/// [`Error::Config`] names the key, what was found and what was expected.
pub fn check_range<T: Value>(
    key: &'static str,
    value: &T,
    range: &impl RangeBounds<T::Bound>,
) -> Result<(), Error> {
    if value.is_in(range) {
        return Ok(());
    }
    let (found, expected) = (value.found(), shown_range::<T>(range));
    Err(Error::config(key, format!("found {found}, expected {expected}")))
}

/// Adds what `S` is made from the values at the edges of a range.
#[doc(hidden)]
pub fn with_edges<T: Value, S>(
    mut found: Vec<S>,
    edge: Edge,
    range: &impl RangeBounds<T::Bound>,
    with: impl Fn(T) -> S,
) -> Vec<S> {
    found.extend(T::at_edges(edge, range).into_iter().map(with));
    found
}

/// Lets a type that is written as text be a setting: `text_value!(HostMode, "open, closed:QD")`.
#[macro_export]
macro_rules! text_value {
    ($type:ty, $form:literal) => {
        impl $crate::settings::Value for $type {
            type Bound = String;
            const KIND: $crate::settings::Kind = $crate::settings::Kind::Text($form);
            fn is_in(&self, range: &impl std::ops::RangeBounds<String>) -> bool {
                range.contains(&$crate::settings::Value::shown(self))
            }
            fn shown(&self) -> String {
                match $crate::settings::serde_json::to_value(self) {
                    Ok($crate::settings::serde_json::Value::String(text)) => text,
                    Ok(other) => other.to_string(),
                    Err(_) => String::new(),
                }
            }
            fn bound_shown(bound: &String) -> String {
                bound.clone()
            }
        }
    };
}
