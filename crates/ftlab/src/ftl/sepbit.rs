//! SepBIT, separation by inferred block invalidation time (Wang et al., FAST 2022).
//!
//! Idea     page mapping with a frontier for each class, six of them: [`placement::separation`](crate::placement::separation) has the rules.
//! RAM      `page`'s, and that of the separation.
//! Role     what placement by temperature can save at the same over-provisioning: compare it with `page`. The same
//!          separation under another FTL is `ftl.separation = sepbit`. In a volume as the paper has it, GC starts by
//!          garbage (`gc.start`).
//! Departs  the paper is about log-structured storage: a block of it is a page here, its segment a block. Victims are
//!          chosen by `gc.policy`.
//! Not here the class of a block after a power cut: blocks found full are of the last class, and no lifespan is known.

use super::design::{Setup, Spec, Variant};
use super::page::PageFtl;
use crate::gc::Copies;
use crate::placement::separation::SepbitConfig;
use crate::settings::{Group, SectionKind};

/// What makes page mapping SepBIT.
#[derive(Clone, Copy, Debug)]
pub struct Sepbit;

impl Variant for Sepbit {
    type Of = PageFtl;

    const SPEC: Spec = Spec {
        name: "sepbit",
        title: "SepBIT",
        summary: "page mapping, six frontiers: pages are put together by how long they may live",
        source: "Wang et al., FAST 2022",
        ..Spec::SEPARATED
    };

    fn kinds() -> Vec<SectionKind> {
        SepbitConfig::kinds()
    }

    fn set(setup: &mut Setup) {
        "sepbit".clone_into(&mut setup.ftl.separation);
        setup.gc.copies = Copies::Shared;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::flash::{Cause, Operation};
    use crate::ftl::Access;
    use crate::ftl::Ftl;
    use crate::ftl::parts::bench::{Bench, P};
    use crate::units::Lpn;

    fn write(bench: &mut Bench<PageFtl>, pages: impl IntoIterator<Item = u32>) {
        pages
            .into_iter()
            .for_each(|lpn| bench.ftl.write(Access::write(&[Lpn(lpn)]), &mut bench.flash));
        bench.ftl.audit(&bench.flash);
    }

    fn collect(bench: &mut Bench<PageFtl>) {
        bench.ftl.collect(&mut bench.flash);
        bench.ftl.audit(&bench.flash);
    }

    /// The block and the page in it that hold each page.
    fn places<const N: usize>(bench: &Bench<PageFtl>, pages: [u32; N]) -> [(u32, u32); N] {
        let place = |lpn| bench.ftl.locate(Lpn(lpn)).expect("a page that was written").0;
        pages.map(|lpn| (place(lpn) / P, place(lpn) % P))
    }

    fn figure(bench: &Bench<PageFtl>, name: &str) -> u64 {
        bench.ftl.metrics().own[name]
    }

    /// 32 pages that were written at the times 0 to 31 are in the blocks 0 to 7, of class 2. The lifespan is
    /// that of the last block of class 1 that was collected, and ages double.
    fn bench() -> Bench<PageFtl> {
        Bench::new(8, 14, |setup| {
            Sepbit::set(setup);
            setup.settings.set(SepbitConfig { window: 1, growth: 2, ..SepbitConfig::default() });
        })
    }

    #[test]
    fn a_page_that_was_trimmed_replaces_none() {
        let mut bench = bench();
        write(&mut bench, [5]);
        assert_eq!(places(&bench, [4, 5]), [(1, 0), (8, 0)]);
        bench.ftl.trim(Access::trim(&[Lpn(6)]), &mut bench.flash);
        write(&mut bench, [6]);
        assert_eq!(places(&bench, [6]), [(9, 0)]);
    }

    #[test]
    fn the_worked_example_fills_a_block_of_each_class() {
        let mut bench = bench();
        write(&mut bench, [0, 1, 2, 3, 0, 1, 2]);
        assert_eq!(places(&bench, [3, 0, 2]), [(8, 3), (9, 0), (9, 2)], "class 1");
        collect(&mut bench);
        assert_eq!(figure(&bench, "sepbit.lifespan"), 0, "block 0 was empty, and of class 2");
        collect(&mut bench);
        assert_eq!(places(&bench, [3]), [(10, 0)], "class 3, out of class 1");
        assert_eq!(figure(&bench, "sepbit.lifespan"), 39 - 32, "block 8 was opened at time 32");
        write(&mut bench, [0, 31]);
        assert_eq!(places(&bench, [0]), [(9, 3)], "class 1: the version before lived for 3");
        assert_eq!(places(&bench, [31]), [(11, 0)], "class 2: the version before lived for 9");
        collect(&mut bench);
        assert_eq!(places(&bench, [28, 30]), [(12, 0), (12, 2)], "class 4: ages 13 and 11");
        (0..3).for_each(|_| collect(&mut bench));
        assert_eq!(places(&bench, [4, 11]), [(13, 0), (14, 3)], "class 6: ages 37 and 30");
        assert_eq!(places(&bench, [12, 13]), [(15, 0), (15, 1)], "class 6: ages 29 and 28");
        assert_eq!(places(&bench, [14, 15]), [(16, 0), (16, 1)], "class 5: ages 27 and 26");
        assert_eq!(figure(&bench, "sepbit.short_pages"), 8);
    }

    /// A tenth of the pages gets nine tenths of the writes.
    #[test]
    fn it_copies_less_than_one_frontier_does_where_some_pages_are_hot() {
        let copies = |set: fn(&mut Setup)| {
            let mut bench = Bench::<PageFtl>::new(100, 25, set);
            let mut rng = crate::rng::Rng::new(1, "hot");
            bench.flash.start_measuring();
            for _ in 0..40_000 {
                let page = if rng.chance(0.9) { rng.below(40) } else { 40 + rng.below(360) };
                bench.ftl.write(Access::write(&[Lpn(page as u32)]), &mut bench.flash);
            }
            bench.ftl.audit(&bench.flash);
            bench.flash.ledger().get(Operation::Program, Cause::GcData)
        };
        let (separated, together) = (copies(Sepbit::set), copies(|_| {}));
        assert!(separated * 10 < together * 9, "{separated} copies, {together} together");
    }
}
