//! The best that a cache can do: OPT, which knows the future.
//!
//! L. A. Belady, A study of replacement algorithms for a virtual-storage computer, IBM Systems
//! Journal 5(2), 1966: what is used again last leaves first.

use rustc_hash::FxHashMap;
use std::collections::BinaryHeap;

/// The hit ratio, 0 to 1, of Belady's optimal replacement in a cache of `size` pages. The cache begins empty. It
/// evicts the page whose next use is farthest in the future, which may be the page that was just read.
#[must_use]
pub fn opt_hit_ratio(pages: &[u64], size: usize) -> f64 {
    let never = u32::MAX;
    let mut next = vec![never; pages.len()];
    let mut seen: FxHashMap<u64, u32> = FxHashMap::default();
    for (at, page) in pages.iter().enumerate().rev() {
        // Positions in memory that holds one number for each fit 32 bits long before it is full.
        next[at] = seen.insert(*page, at as u32).unwrap_or(never);
    }
    // Of each cached page: when it is used again. The heap may hold older claims, which are skipped.
    let mut cached: FxHashMap<u64, u32> = FxHashMap::default();
    let mut latest = BinaryHeap::new();
    let mut hits = 0u64;
    for (page, again) in pages.iter().zip(next) {
        hits += u64::from(cached.insert(*page, again).is_some());
        latest.push((again, *page));
        while cached.len() > size {
            let Some((claimed, page)) = latest.pop() else { break };
            if cached.get(&page) == Some(&claimed) {
                cached.remove(&page);
            }
        }
    }
    hits as f64 / pages.len().max(1) as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_used_again_last_leaves_first() {
        // Three frames that must take every page fault 9 times here; a page that may pass by
        // without staying saves one of them.
        let pages = [7, 0, 1, 2, 0, 3, 0, 4, 2, 3, 0, 3, 2, 1, 2, 0, 1, 7, 0, 1];
        assert_eq!(opt_hit_ratio(&pages, 3), 12.0 / 20.0);
        assert_eq!(opt_hit_ratio(&pages, 6), 14.0 / 20.0);
        assert_eq!(opt_hit_ratio(&[], 3), 0.0);
    }
}
