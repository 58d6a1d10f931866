//! TPFTL's own parameters.

use crate::units::Bytes;
use serde::{Deserialize, Serialize};

crate::settings! {
    /// TPFTL's own parameters.
    pub struct TpftlConfig in "tpftl" {
        /// Techniques in use: any of r, s, b, c; `-` for none.
        features: Features = Features::ALL, laws every_choice_of_features(),
            source "TPFTL, Figures 7 and 8";
        /// Change of the node count that switches selective prefetching.
        threshold: u32 = 3, in 1.., unit "nodes", laws 1..=4,
            source "TPFTL 4.3; choices.md#tpftl-detector";
        /// RAM of a node.
        node_bytes: Bytes = Bytes(6), in ..=4096, laws 0..=16,
            source "TPFTL, Figure 4: one entry slot; choices.md#tpftl-node";
        /// Order of nodes.
        page_order: PageOrder = PageOrder::Hotness, laws PageOrder::ALL,
            source "TPFTL 4.2; choices.md#tpftl-hotness";
        /// Which misses of a request prefetch the rest of it.
        request_prefetch: RequestPrefetch = RequestPrefetch::EachMiss, laws RequestPrefetch::ALL,
            source "TPFTL 4.3; choices.md#tpftl-trigger";
        /// How several dirty victims of one miss are written back without batch update.
        dirty_victims: DirtyVictims = DirtyVictims::Together, laws DirtyVictims::ALL,
            source "TPFTL 4.5; choices.md#tpftl-dirty-victims";
        /// Where prefetched entries enter a node's list.
        prefetch_at: PrefetchAt = PrefetchAt::Front, laws PrefetchAt::ALL,
            source "choices.md#tpftl-prefetch-at";
    }
}

/// The four techniques of the paper, written `rsbc`, `bc`, `-`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub struct Features {
    /// Request-level prefetching, `r`.
    pub request: bool,
    /// Selective prefetching, `s`.
    pub selective: bool,
    /// Batch-update replacement, `b`.
    pub batch: bool,
    /// Clean-first replacement, `c`.
    pub clean_first: bool,
}

crate::text_value!(Features, "letters of rsbc, or -");

impl Features {
    /// The whole of TPFTL.
    pub const ALL: Self =
        Features { request: true, selective: true, batch: true, clean_first: true };
}

/// None of them to all of them.
fn every_choice_of_features() -> [Features; 16] {
    std::array::from_fn(|bits| Features {
        request: bits & 1 > 0,
        selective: bits & 2 > 0,
        batch: bits & 4 > 0,
        clean_first: bits & 8 > 0,
    })
}

impl TryFrom<String> for Features {
    type Error = String;
    fn try_from(text: String) -> Result<Self, String> {
        let known = |c: char| "rsbc".contains(c);
        if text != "-" && (text.is_empty() || !text.chars().all(known)) {
            return Err(format!("found {text:?}, expected letters of \"rsbc\", or \"-\""));
        }
        let has = |c| text.contains(c);
        Ok(Features {
            request: has('r'),
            selective: has('s'),
            batch: has('b'),
            clean_first: has('c'),
        })
    }
}

impl From<Features> for String {
    fn from(features: Features) -> String {
        let Features { request, selective, batch, clean_first } = features;
        let letters = [(request, 'r'), (selective, 's'), (batch, 'b'), (clean_first, 'c')];
        let text: String =
            letters.iter().filter(|(on, _)| *on).map(|(_, letter)| *letter).collect();
        if text.is_empty() { "-".into() } else { text }
    }
}

crate::choices! {
    /// Order of the page-level list.
    pub enum PageOrder {
        /// Mean hotness of the entries (the paper).
        Hotness = "hotness",
        /// Last touch of the node.
        Recency = "recency",
    }
}

crate::choices! {
    /// Where prefetched entries enter a node's list.
    pub enum PrefetchAt {
        /// Right behind the requested entry.
        Front = "front",
        /// At the cold end.
        Tail = "tail",
    }
}

crate::choices! {
    /// How several dirty victims of one miss, all of one translation page, are written back.
    pub enum DirtyVictims {
        /// In one update.
        Together = "together",
        /// In an update each.
        Each = "each",
    }
}

crate::choices! {
    /// Which misses of a request prefetch the rest of it.
    pub enum RequestPrefetch {
        /// Every one.
        EachMiss = "each-miss",
        /// The first one, whichever page that is.
        FirstMiss = "first-miss",
        /// That of its first page.
        FirstPage = "first-page",
    }
}
