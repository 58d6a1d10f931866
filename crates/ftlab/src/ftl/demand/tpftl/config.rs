//! TPFTL's own parameters.

use crate::units::Bytes;
use serde::{Deserialize, Serialize};

/// TPFTL's own parameters.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct TpftlConfig {
    /// Techniques in use: any of r, s, b, c; `-` for none (Figures 7 and 8). Default `rsbc`.
    pub features: Features,
    /// Change of the node count that switches selective prefetching. Default 3 (section 4.3).
    pub threshold: u32,
    /// Bytes of a node. Default 6: one entry slot (Figure 4).
    pub node_bytes: Bytes,
    /// Order of nodes. Default `hotness` (section 4.2).
    pub page_order: PageOrder,
    /// Where prefetched entries enter a node's list. Default `front`.
    pub prefetch_at: PrefetchAt,
}

impl Default for TpftlConfig {
    fn default() -> Self {
        TpftlConfig {
            features: Features { request: true, selective: true, batch: true, clean_first: true },
            threshold: 3,
            node_bytes: Bytes(6),
            page_order: PageOrder::Hotness,
            prefetch_at: PrefetchAt::Front,
        }
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

/// Order of the page-level list.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum PageOrder {
    /// Mean hotness of the entries (the paper).
    Hotness,
    /// Last touch of the node.
    Recency,
}

/// Where prefetched entries enter a node's list.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum PrefetchAt {
    /// Right behind the requested entry.
    Front,
    /// At the cold end.
    Tail,
}
