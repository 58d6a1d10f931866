//! The macros that declare settings.

/// Declares a section of settings: see [the module](crate::settings).
///
/// A line is `NAME: TYPE = DEFAULT`. These clauses follow as needed and in this order:
/// `absent "what an absent value means"`, `in RANGE`, `unit "pages"`, `laws VALUES`, and always
/// `source "where the default comes from"`. `laws` gives the values that the FTL checks try: a
/// list, a range, or [`absent_or`](crate::settings::absent_or). A rule over several settings
/// follows the section: `check |own| ..`, a function that returns a `Result`.
#[macro_export]
macro_rules! settings {
    (
        $(#[doc = $about:literal])+
        $visible:vis struct $name:ident in $section:literal {
            $(
                $(#[doc = $doc:literal])+
                $field:ident: $type:ty = $default:expr
                    $(, absent $absent:literal)?
                    $(, in $range:expr)?
                    $(, unit $unit:literal)?
                    $(, laws $laws:expr)?
                    , source $source:literal;
            )*
        }
        $(check $rule:expr)?
    ) => {
        $(#[doc = $about])+
        #[derive(Clone, Debug, PartialEq)]
        $visible struct $name {
            $(
                $(#[doc = $doc])+
                #[doc = concat!("\n\nDefault `", stringify!($default), "`", $(" (", $absent, ")",)? ". Source: ", $source, ".")]
                pub $field: $type,
            )*
        }

        impl Default for $name {
            fn default() -> Self {
                $name { $($field: $default,)* }
            }
        }

        impl $crate::settings::serde::Serialize for $name {
            fn serialize<S: $crate::settings::serde::Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
                use $crate::settings::serde::ser::SerializeMap as _;
                let mut table = to.serialize_map(None)?;
                $(table.serialize_entry(stringify!($field), &self.$field)?;)*
                table.end()
            }
        }

        impl $crate::settings::Section for $name {
            const NAME: &'static str = $section;
            const KEYS: &'static [&'static str] = &[$(stringify!($field)),*];

            fn rows() -> Vec<$crate::settings::Row> {
                use $crate::settings::Value as _;
                let default = <$name>::default();
                vec![$($crate::settings::Row {
                    section: $section,
                    name: stringify!($field),
                    meaning: concat!($($doc),+).trim().to_owned(),
                    kind: <$type as $crate::settings::Value>::KIND,
                    optional: <$type as $crate::settings::Value>::OPTIONAL,
                    unit: concat!("", $($unit)?),
                    default: {
                        let shown = default.$field.shown();
                        $(let shown = if shown.is_empty() { String::from($absent) } else { shown };)?
                        shown
                    },
                    range: {
                        let range: Option<String> = None;
                        $(let range = range.or(Some($crate::settings::shown_range::<$type>(&($range))));)?
                        range
                    },
                    source: $source,
                }),*]
            }

            fn take(table: &mut $crate::settings::Table) -> Result<Self, $crate::error::Error> {
                let mut own = <$name>::default();
                $($crate::settings::take_key($section, stringify!($field), table, &mut own.$field)?;)*
                $crate::settings::Section::check(&own)?;
                Ok(own)
            }

            fn check(&self) -> Result<(), $crate::error::Error> {
                $($($crate::settings::check_range(
                    concat!($section, ".", stringify!($field)),
                    &self.$field,
                    &($range),
                )?;)?)*
                $({
                    let rule: fn(&Self) -> Result<(), $crate::error::Error> = $rule;
                    rule(self)?;
                })?
                Ok(())
            }

            fn kept(&self, keeps: impl Fn(&str) -> bool, other: &Self) -> Self {
                let from = |key| if keeps(key) { self } else { other };
                $name { $($field: from(concat!($section, ".", stringify!($field))).$field.clone(),)* }
            }

            fn draw(rng: &mut $crate::rng::Rng) -> Self {
                #[allow(unused_mut, reason = "where the laws try nothing else")]
                let mut drawn = <$name>::default();
                $($(drawn.$field = $crate::settings::Draw::<$type>::draw(&($laws), rng);)?)*
                let _ = rng;
                drawn
            }

            fn at_edges(&self, edge: $crate::settings::Edge) -> Vec<(&'static str, Self)> {
                let found: Vec<(&'static str, Self)> = Vec::new();
                $($(let found = $crate::settings::with_edges(found, edge, &($range), |value: $type| {
                    let mut section = self.clone();
                    section.$field = value;
                    (concat!($section, ".", stringify!($field)), section)
                });)?)*
                let _ = edge;
                found
            }
        }
    };
}

/// Declares a setting that is one of some names. Traits other than the usual ones may be derived.
///
/// ```
/// ftlab_traces::choices! {
///     /// Order of replacement.
///     pub enum Order {
///         /// Least recently used.
///         Lru = "lru",
///         /// First in, first out.
///         Fifo = "fifo",
///     }
/// }
/// assert_eq!(Order::Fifo.name(), "fifo");
/// let wrong = serde_json::from_str::<Order>("\"lifo\"").unwrap_err();
/// assert!(wrong.to_string().starts_with("found \"lifo\", expected lru or fifo"));
/// ```
#[macro_export]
macro_rules! choices {
    (
        $(#[doc = $about:literal])+
        $(#[derive($($more:ident),+)])?
        $visible:vis enum $name:ident {
            $($(#[doc = $doc:literal])+ $variant:ident = $text:literal,)+
        }
    ) => {
        $(#[doc = $about])+
        #[derive(Clone, Copy, Debug, PartialEq, Eq, $($($more),+)?)]
        $visible enum $name {
            $($(#[doc = $doc])+ $variant,)+
        }

        impl $name {
            /// All of them.
            pub const ALL: &'static [$name] = &[$($name::$variant),+];

            /// The name in configurations.
            #[must_use]
            pub const fn name(self) -> &'static str {
                match self { $($name::$variant => $text,)+ }
            }

            /// What it means, as lists show it.
            #[must_use]
            pub const fn meaning(self) -> &'static str {
                match self { $($name::$variant => concat!($($doc),+).trim_ascii(),)+ }
            }
        }

        impl $crate::settings::serde::Serialize for $name {
            fn serialize<S: $crate::settings::serde::Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
                to.serialize_str(self.name())
            }
        }

        impl<'de> $crate::settings::serde::Deserialize<'de> for $name {
            fn deserialize<D: $crate::settings::serde::Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
                let text = <String as $crate::settings::serde::Deserialize>::deserialize(from)?;
                let known = [$($text),+];
                $name::ALL.iter().find(|one| one.name() == text).copied().ok_or_else(|| {
                    $crate::settings::serde::de::Error::custom($crate::error::expected_one_of(&text, &known))
                })
            }
        }

        impl $crate::settings::Value for $name {
            type Bound = &'static str;
            const KIND: $crate::settings::Kind =
                $crate::settings::Kind::Choice(&[$(($text, $name::$variant.meaning())),+]);
            fn is_in(&self, range: &impl std::ops::RangeBounds<&'static str>) -> bool {
                range.contains(&self.name())
            }
            fn shown(&self) -> String {
                self.name().to_owned()
            }
            fn bound_shown(bound: &&'static str) -> String {
                (*bound).to_owned()
            }
        }
    };
}
