//! DLOOP (Abdurrab, Xie & Wang, IPDPS 2013).
//!
//! Idea     updates remain on the plane of their original. Pages are striped over planes by LPN,
//!          and GC moves them inside their plane by copy-back, off the bus. Translation pages are
//!          spread by VTPN. Mappings are cached as in DFTL.
//! RAM      DFTL's + 8 B per plane (current block and page).
//! Departs  data and translation pages have separate frontiers in each plane, as in the `FlashSim`
//!          that DLOOP was built on. The text names one pair of pointers (`ftl.map_blocks =
//!          shared`). Three free blocks remain in reserve in each plane, so that GC of one plane
//!          can write the map in another. With `ftl.map_updates = held` GC does not, and one block
//!          is enough (choices.md#dloop-frontiers, choices.md#dloop-reserve).
//! Options  `gc.copy_back`: pages in the order that wastes least, in order, or none. `ftl.order`:
//!          the numbering of planes. For the same placement with another cache, set `ftl.placement
//!          = striped` and `gc.copy_back = greedy` for that FTL.

use super::demand::{DemandFtl, Dftl, DftlConfig, MapBlocks, MapUpdates};
use super::design::{CACHE, COPIES, COPY_BACK, LEVELS, ORDER, SEARCH, SEPARATION, VICTIMS};
use super::design::{Setup, Spec, Variant};
use crate::gc::CopyBack;
use crate::placement::allocation::STRIPED;

/// Turns DFTL into DLOOP.
#[derive(Clone, Copy, Debug)]
pub struct Dloop;

impl Variant for Dloop {
    type Of = DemandFtl<Dftl>;

    const SPEC: Spec = Spec {
        name: "dloop",
        title: "DLOOP",
        summary: "DFTL striped over planes; GC copies back inside each plane, off the bus",
        source: "Abdurrab, Xie & Wang, IPDPS 2013",
        ..Spec::STRIPED
    };

    fn set(setup: &mut Setup<DftlConfig>) {
        setup.ftl.placement = STRIPED.to_owned();
        setup.gc.copy_back.get_or_insert(CopyBack::Greedy);
    }
}

/// DLOOP with more extra blocks for planes with hot data, its future work (section VI).
#[derive(Clone, Copy, Debug)]
pub struct DloopHot;

impl Variant for DloopHot {
    type Of = DemandFtl<Dftl>;

    const SPEC: Spec = Spec {
        name: "dloop-hot",
        title: "DLOOP-hot",
        summary: "DLOOP whose hot planes hold fewer pages, and so have more extra blocks",
        source: "ours, after the future work of Abdurrab, Xie & Wang, IPDPS 2013",
        obeys: &[VICTIMS, LEVELS, COPIES, COPY_BACK, ORDER, SEPARATION, CACHE, SEARCH],
        ..Spec::DEMAND_PAGED
    };

    fn set(setup: &mut Setup<DftlConfig>) {
        Dloop::set(setup);
        setup.ftl.placement = "striped-hot".to_owned();
        setup.ftl.map_blocks = MapBlocks::Own;
        setup.ftl.map_updates = MapUpdates::Written;
    }
}

#[cfg(test)]
mod tests;
