//! Settings of the host.

use serde::{Deserialize, Serialize};
use std::ops::Range;

crate::settings! {
    /// How requests reach the device.
    pub struct HostConfig in "host" {
        /// `open` (by the input's times), `closed:QD` (QD requests outstanding), or `queued:QD` (by the
        /// input's times, and at most QD of them in the device).
        mode: HostMode = HostMode::Open, source "choices.md#host-model";
        /// With `queued:QD`: one queue, or one for each volume, which take turns.
        queues: Queues = Queues::One, source "ours";
        /// With `queued:QD`: whether reads that wait go before writes.
        reads_first: bool = false, source "ours";
        /// Factor on the input's times: 0.5 doubles the load.
        time_scale: f64 = 1.0, in 0.0..=1e6, source "ours";
        /// How a request becomes page accesses.
        split: Split = Split::Pages, source "choices.md#page-accesses";
    }
}

impl HostConfig {
    /// Whether requests are served in the order of the input.
    #[must_use]
    pub const fn keeps_order(&self) -> bool {
        let one_queue = matches!(self.queues, Queues::One) && !self.reads_first;
        one_queue || !matches!(self.mode, HostMode::Queued(_))
    }
}

/// The arrival process.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub enum HostMode {
    /// A request is issued at its time in the input.
    Open,
    /// A request is issued as soon as fewer than this many are outstanding.
    Closed(u32),
    /// A request arrives at its time in the input, and waits while this many are outstanding.
    Queued(u32),
}

crate::text_value!(HostMode, "open, closed:QD or queued:QD");

impl TryFrom<String> for HostMode {
    type Error = String;
    fn try_from(text: String) -> Result<Self, String> {
        let (name, depth) = text.split_once(':').unwrap_or((&text, ""));
        match (name, depth.parse::<u32>()) {
            ("open", Err(_)) if name == text => Ok(HostMode::Open),
            ("closed", Ok(depth @ 1..=65_536)) => Ok(HostMode::Closed(depth)),
            ("queued", Ok(depth @ 1..=65_536)) => Ok(HostMode::Queued(depth)),
            _ => Err(format!(
                "found {text:?}, expected open, closed:QD or queued:QD with QD 1 to 65536"
            )),
        }
    }
}

impl From<HostMode> for String {
    fn from(mode: HostMode) -> String {
        match mode {
            HostMode::Open => "open".into(),
            HostMode::Closed(depth) => format!("closed:{depth}"),
            HostMode::Queued(depth) => format!("queued:{depth}"),
        }
    }
}

crate::choices! {
    /// Where requests wait.
    pub enum Queues {
        /// In one queue.
        One = "one",
        /// In a queue for each volume; these take turns (NVMe's round-robin arbitration).
        Volumes = "volumes",
    }
}

crate::choices! {
    /// How a request becomes page accesses.
    pub enum Split {
        /// One access per page touched.
        Pages = "pages",
        /// One access to the first page, whatever the size (what MNFTL's Table 2 implies).
        Single = "single",
    }
}

impl Split {
    /// Of the pages that a request covers, those that are accessed.
    #[inline]
    #[must_use]
    pub fn of(self, pages: Range<u64>) -> Range<u64> {
        match self {
            Split::Single => pages.start..pages.end.min(pages.start + 1),
            Split::Pages => pages,
        }
    }
}
