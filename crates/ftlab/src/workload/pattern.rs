//! The patterns by name: one line each, in fio's words where fio has one.

use crate::error::Error;
use serde::{Deserialize, Serialize};

/// Where the requests of a generated workload go.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub enum Pattern {
    /// One after the other, in one or more streams.
    Seq,
    /// Uniformly at random.
    Rand,
    /// By Zipf's law.
    Zipf,
    /// A hot and a cold part, uniform within each.
    HotCold,
    /// The synthetic workloads of the CACH-FTL paper.
    Cachftl,
    /// fio's `read`: sequential reads.
    Read,
    /// fio's `write`: sequential writes.
    Write,
    /// fio's `rw`: sequential reads and writes mixed.
    Rw,
    /// fio's `randread`.
    RandRead,
    /// fio's `randwrite`.
    RandWrite,
    /// fio's `randrw`.
    RandRw,
}

/// A pattern that can be asked for.
#[derive(Clone, Copy, Debug)]
pub struct PatternEntry {
    /// The name in a configuration.
    pub name: &'static str,
    /// What the pattern does, in one line.
    pub summary: &'static str,
    /// What the name stands for.
    pub pattern: Pattern,
}

const fn entry(name: &'static str, pattern: Pattern, summary: &'static str) -> PatternEntry {
    PatternEntry { name, summary, pattern }
}

/// Every pattern. A new one is a line here and a placement in `place.rs`.
pub const PATTERNS: &[PatternEntry] = &[
    entry("seq", Pattern::Seq, "sequential, in one or more streams that take turns"),
    entry("rand", Pattern::Rand, "uniformly random"),
    entry("zipf", Pattern::Zipf, "Zipf popularity with exponent zipf_theta"),
    entry("hotcold", Pattern::HotCold, "hot_share of the space gets hot_access of the requests"),
    entry("cachftl", Pattern::Cachftl, "CACH-FTL's synthetic workload (its Table 2)"),
    entry("read", Pattern::Read, "fio's read: seq, reads only"),
    entry("write", Pattern::Write, "fio's write: seq, writes only"),
    entry("rw", Pattern::Rw, "fio's rw: seq, reads and writes mixed by read_share"),
    entry("randread", Pattern::RandRead, "fio's randread: rand, reads only"),
    entry("randwrite", Pattern::RandWrite, "fio's randwrite: rand, writes only"),
    entry("randrw", Pattern::RandRw, "fio's randrw: rand, reads and writes mixed by read_share"),
];

impl Pattern {
    /// The pattern with this name.
    ///
    /// # Errors
    /// [`Error::Unknown`] lists the known names.
    pub fn parse(name: &str) -> Result<Self, Error> {
        PATTERNS
            .iter()
            .find(|entry| entry.name == name)
            .map(|entry| entry.pattern)
            .ok_or_else(|| Error::unknown("pattern", name, PATTERNS.iter().map(|e| e.name)))
    }

    /// The name in a configuration.
    #[must_use]
    pub fn name(self) -> &'static str {
        PATTERNS.iter().find(|entry| entry.pattern == self).map_or("?", |entry| entry.name)
    }

    /// The share of reads that the name itself fixes.
    pub(super) fn read_share(self) -> Option<f64> {
        match self {
            Pattern::Read | Pattern::RandRead => Some(1.0),
            Pattern::Write | Pattern::RandWrite => Some(0.0),
            _ => None,
        }
    }

    /// The share of reads where nothing is said: fio's `rwmixread` is 50 %.
    pub(super) fn usual_read_share(self) -> Option<f64> {
        matches!(self, Pattern::Rw | Pattern::RandRw).then_some(0.5)
    }
}

impl From<Pattern> for String {
    fn from(pattern: Pattern) -> String {
        pattern.name().to_owned()
    }
}

impl TryFrom<String> for Pattern {
    type Error = Error;

    fn try_from(name: String) -> Result<Self, Error> {
        Pattern::parse(&name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_pattern_has_one_name() {
        for (i, entry) in PATTERNS.iter().enumerate() {
            assert_eq!(Pattern::parse(entry.name).unwrap(), entry.pattern);
            assert_eq!(entry.pattern.name(), entry.name);
            assert!(PATTERNS[..i].iter().all(|other| other.name != entry.name));
        }
        let error = Pattern::parse("randwrit").unwrap_err().to_string();
        assert!(error.contains("did you mean \"randwrite\""), "{error}");
    }
}
