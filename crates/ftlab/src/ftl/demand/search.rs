//! Steps of a search in the index of a mapping cache (TPFTL 4.1: a two-level index is searched faster).

/// One level of an index: how much of it there is to search, and whether what is looked for is there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Level {
    /// What is compared, one by one.
    pub keys: usize,
    /// Whether one of them is the right one.
    pub found: bool,
}

crate::choices! {
    /// How the index of a mapping cache is searched.
    pub enum Search {
        /// At once, as with a hash table in RAM: not counted.
        None = "none",
        /// Along a list: half of the keys for one that is there, all for one that is not.
        List = "list",
        /// By halves of a sorted table.
        Binary = "binary",
    }
}

impl Search {
    /// Comparisons on a level.
    #[must_use]
    pub const fn steps(self, level: Level) -> u64 {
        match self {
            Search::None => 0,
            Search::List if level.found => level.keys as u64 / 2 + 1,
            Search::List => level.keys as u64,
            Search::Binary => (usize::BITS - level.keys.leading_zeros()) as u64,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_levels_of_thirty_two_are_searched_faster_than_one_of_a_thousand() {
        let level = |keys, found| Level { keys, found };
        let steps = |search: Search, levels: &[Level]| {
            levels.iter().map(|level| search.steps(*level)).sum::<u64>()
        };
        assert_eq!(steps(Search::List, &[level(1024, true)]), 513);
        assert_eq!(steps(Search::List, &[level(32, true), level(32, true)]), 34);
        assert_eq!(steps(Search::List, &[level(1024, false)]), 1024);
        assert_eq!(steps(Search::Binary, &[level(1023, true)]), 10);
        assert_eq!(
            steps(Search::Binary, &[level(31, true), level(31, true)]),
            10,
            "no faster by halves"
        );
        assert_eq!(steps(Search::None, &[level(1024, true)]), 0);
    }
}
