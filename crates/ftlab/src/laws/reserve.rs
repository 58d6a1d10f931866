//! Where GC is looked at before each page, it runs while few blocks are free and there is garbage, and then alone.

use crate::gc::{GcConfig, GcMode, Opens};
use crate::placement::block_pool::GcCounts;

/// A page that the host wrote.
pub struct Step {
    /// What GC counted meanwhile.
    pub counts: GcCounts,
    /// Blocks that seemed to be free before and behind it: one that is opened ahead does, too.
    pub free: [u32; 2],
    /// Superseded pages of full blocks before and behind it.
    pub garbage: [u32; 2],
    /// Pages in a block.
    pub pages: u32,
    /// Blocks that the pages of a victim may open.
    pub spread: u32,
}

pub fn a_reserve_is_kept(gc: &GcConfig, step: &Step) {
    let Step { counts, free: [before, behind], garbage: [garbage, left], pages, spread } = *step;
    let low = gc.low.max(spread);
    let high = gc.high.max(low + 1);
    let in_background = gc.background > 0 && counts.runs > 0;
    assert_eq!(counts.forced_victims, 0, "the policy chooses all victims");
    if counts.runs == 0 {
        assert!(
            before > low || garbage == 0,
            "{before} free blocks, {garbage} pages of garbage, gc.low is {low}, and GC did not start"
        );
        return;
    }
    let gained = counts.data_blocks * u64::from(pages) - counts.valid_data;
    assert!(gained >= counts.data_blocks, "a block without garbage was collected");
    if in_background && gc.open == Opens::OnDemand && before > low {
        let least = gc.lazy.0 * f64::from(pages);
        let is_worth_it = counts.valid_data == 0 || gained as f64 >= least;
        assert_eq!(counts.data_blocks, 1, "a block behind a page");
        assert!(is_worth_it, "{gained} of {pages} pages gained, gc.lazy is {}", gc.lazy.0);
    }
    if gc.background == 0 {
        assert!(garbage > 0, "GC started without garbage");
        // The page itself leaves a superseded one, and may fill a block that has some.
        let all = left <= pages;
        let enough = gc.mode == GcMode::Single || behind + 1 + spread >= high;
        assert!(all || enough, "GC ended with {behind} free blocks, gc.high is {high}");
    }
}
