//! A file that says which handle the addresses of a job have, fio's `dp_scheme`.

use super::value;
use std::fs;
use std::path::Path;

/// The longest file that is read, bytes.
const LONGEST: u64 = 1 << 20;

/// Ranges of bytes, each with the place of its handle in the list of the job.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Scheme(Vec<(u64, u64, usize)>);

impl Scheme {
    /// The scheme in the file at `path`.
    pub(super) fn read(path: &Path, kb_base: u64) -> Result<Self, String> {
        let shown = path.display();
        let size = fs::metadata(path).map_err(|error| format!("{shown}: {error}"))?;
        if !size.is_file() || size.len() > LONGEST {
            return Err(format!("{shown}: expected a file of at most 1 MiB"));
        }
        let text = fs::read(path).map_err(|error| format!("{shown}: {error}"))?;
        Self::parse(&String::from_utf8_lossy(&text), kb_base)
            .map_err(|told| format!("{shown}:{told}"))
    }

    fn parse(text: &str, kb_base: u64) -> Result<Self, String> {
        let mut ranges = Vec::new();
        for (line, number) in text.lines().map(str::trim).zip(1u64..) {
            if line.is_empty() || line.starts_with('#') {
                continue;
            }
            let mut numbers = line.split(',').map(|one| value::number(one.trim(), kb_base));
            let range = (numbers.next(), numbers.next(), numbers.next(), numbers.next());
            let (Some(Some(start)), Some(Some(end)), Some(Some(at)), None) = range else {
                return Err(format!("{number}: found {line:?}, expected START, END, INDEX"));
            };
            if start >= end || at > u64::from(u16::MAX) {
                return Err(format!("{number}: found {line:?}, expected START below END"));
            }
            ranges.push((start, end, at as usize));
        }
        Ok(Self(ranges))
    }

    /// The place of the handle for the byte at `offset`: that of the first range with it, or the first handle.
    pub(super) fn at(&self, offset: u64) -> usize {
        let found = self.0.iter().find(|(start, end, _)| (*start..*end).contains(&offset));
        found.map_or(0, |(_, _, at)| *at)
    }

    /// The largest place.
    pub(super) fn most(&self) -> usize {
        self.0.iter().map(|(_, _, at)| *at).max().unwrap_or(0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_range_counts_and_its_end_is_outside() {
        let scheme = Scheme::parse("# hot\n0, 4k, 2\n\n2k, 1M, 1\n", 1024).expect("a scheme");
        let found = [0, 4095, 4096, (1 << 20) - 1, 1 << 20].map(|offset| scheme.at(offset));
        assert_eq!(found, [2, 2, 1, 1, 0]);
        assert_eq!(scheme.most(), 2);
        for bad in ["1,2", "1,2,3,4", "2,1,0", "a,b,c", "0,1,65536"] {
            assert!(Scheme::parse(bad, 1024).expect_err(bad).starts_with("1: found"), "{bad}");
        }
    }
}
