//! DLOOP (Abdurrab, Xie & Wang, IPDPS 2013).
//!
//! Idea     updates stay on the plane of their original: pages are striped over planes by LPN, and GC
//!          moves them inside their plane by copy-back, off the bus. Translation pages are spread by
//!          VTPN. Cached mappings as in DFTL.
//! RAM      DFTL's + 8 B per plane (current block and page).
//! Departs  data and translation pages have frontiers of their own in each plane, as in the `FlashSim`
//!          that it was built on; the text names one pair of pointers. Three free blocks stay in
//!          reserve in each plane, so that GC of one plane can write the map in another (assumed).
//! Options  `gc.copy_back`: pages in the order that wastes least, or in order; `ftl.order`: how planes
//!          are counted. The same placement with another cache is `ftl.placement = striped` and
//!          `gc.copy_back = greedy` for that FTL.

use super::parts::placement::Placement;
use super::registry::Settings;
use crate::config::{Config, CopyBack};

/// What makes DFTL DLOOP.
#[derive(Clone, Copy, Debug)]
pub struct Dloop;

impl Settings for Dloop {
    fn set(config: &mut Config) {
        config.ftl.placement = Placement::Striped;
        if config.gc.copy_back == CopyBack::Off {
            config.gc.copy_back = CopyBack::Greedy;
        }
    }
}
