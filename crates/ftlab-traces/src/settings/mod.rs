//! Settings, each written once.
//!
//! [`settings!`](crate::settings) declares a section of a configuration, with one line for each
//! setting. That line yields the field, its default, its range check and the values that the FTL
//! checks draw. It also yields the row in `ftlab list settings`, in `docs/settings.md` and in the
//! Python classes:
//!
//! ```
//! use ftlab_traces::settings::Section;
//! use ftlab_traces::units::Ratio;
//!
//! ftlab_traces::settings! {
//!     /// Settings of an FTL.
//!     pub struct MyConfig in "mine" {
//!         /// Pages of a group.
//!         group: u32 = 4, in 1..=64, unit "pages", laws [1, 2, 4], source "this example";
//!         /// Share of the blocks that are hot.
//!         hot: Ratio = Ratio(0.1), in 0.0..=1.0, laws [Ratio(0.0), Ratio(0.5)], source "this example";
//!     }
//! }
//! let wrong = MyConfig { group: 65, ..MyConfig::default() };
//! assert_eq!(wrong.check().unwrap_err().to_string(), "mine.group: found 65, expected 1 to 64");
//! assert_eq!(MyConfig::rows()[1].default, "10%");
//! ```

mod choices;
mod draw;
mod group;
mod section;
mod tree;
mod value;

pub use draw::{Draw, absent_or};
pub use group::{Group, SectionKind, Sections};
pub use section::{Row, Section};
pub use tree::{Table, expect_empty, table_of, take, take_key};
#[doc(hidden)]
pub use value::with_edges;
pub use value::{Edge, Kind, Value, check_range, shown_range};

#[doc(hidden)]
pub use {serde, serde_json};
