//! The table of FTLs.

use super::Ftl;
use super::aftl::AftlFtl;
use super::bast::BastFtl;
use super::block::BlockFtl;
use super::block_optimized::BlockOptimizedFtl;
use super::cachftl::CachFtl;
use super::demand::{Aps, Cdftl, Cftl, DemandFtl, Dftl, MeasuredUse, PooledFtl, Sftl};
use super::demand::{Tpftl, Tree, Zftl};
use super::dloop::{Dloop, DloopHot};
use super::fast::FastFtl;
use super::gftl::Gftl;
use super::hat::Hat;
use super::kast::KastFtl;
use super::last::LastFtl;
use super::mnftl::Mnftl;
use super::mnftl::hybrid::MnftlHybrid;
use super::nftl::NftlFtl;
use super::nftl_chain::NftlChainFtl;
use super::page::PageFtl;
use super::superblock::SuperblockFtl;
use super::waftl::WaftlFtl;
use crate::address::AddressMap;
use crate::config::Config;
use crate::error::Error;
use crate::flash::Flash;
use crate::simulate::{Simulation, Simulator};

/// Builds an FTL on an erased device.
pub type Build = fn(&Config, &mut Flash) -> Result<Box<dyn Ftl>, Error>;

/// Builds a whole simulation of a device of so many bytes, the FTL static inside.
pub type Simulate = fn(&Config, u64, AddressMap) -> Result<Box<dyn Simulator>, Error>;

/// A registered FTL.
#[derive(Clone, Copy, Debug)]
pub struct Entry {
    /// The name on the command line and in results.
    pub name: &'static str,
    /// One line for lists.
    pub summary: &'static str,
    /// The paper.
    pub source: &'static str,
    /// Its own parameters.
    pub parameters: &'static [Parameter],
    /// What it sets itself in every configuration.
    pub settings: fn(&mut Config),
    /// The FTL alone, for tests over all FTLs.
    pub build: Build,
    /// The FTL in a simulation.
    pub simulate: Simulate,
}

/// A parameter of an FTL, for lists.
#[derive(Clone, Copy, Debug)]
pub struct Parameter {
    /// The configuration key.
    pub key: &'static str,
    /// The default as people write it.
    pub default: &'static str,
    /// What it does, in one line.
    pub meaning: &'static str,
}

impl Entry {
    const fn of<F: Ftl + 'static>(
        name: &'static str,
        summary: &'static str,
        source: &'static str,
        parameters: &'static [Parameter],
    ) -> Self {
        Entry {
            name,
            summary,
            source,
            parameters,
            settings: |_| {},
            build: |config, flash| Ok(Box::new(F::build(config, flash)?)),
            simulate: |config, capacity, address| {
                Ok(Box::new(Simulation::<F>::new(config, capacity, address)?))
            },
        }
    }

    /// An FTL that is another one under settings of its own.
    const fn under<S: Settings, F: Ftl + 'static>(
        name: &'static str,
        summary: &'static str,
        source: &'static str,
        parameters: &'static [Parameter],
    ) -> Self {
        Entry {
            settings: S::set,
            build: |config, flash| Ok(Box::new(F::build(&S::applied_to(config), flash)?)),
            simulate: |config, capacity, address| {
                let config = S::applied_to(config);
                Ok(Box::new(Simulation::<F>::new(&config, capacity, address)?))
            },
            ..Entry::of::<F>(name, summary, source, parameters)
        }
    }
}

/// Settings that make an FTL of another one.
pub trait Settings {
    /// Sets them.
    fn set(config: &mut Config);

    /// A configuration under them.
    #[must_use]
    fn applied_to(config: &Config) -> Config {
        let mut config = config.clone();
        Self::set(&mut config);
        config
    }
}

const fn parameter(key: &'static str, default: &'static str, meaning: &'static str) -> Parameter {
    Parameter { key, default, meaning }
}

const CACHE: Parameter =
    parameter("ftl.cache", "4 B per logical block", "mapping cache in bytes, GTD excluded");

const PLACEMENT: Parameter =
    parameter("ftl.placement", "single", "or striped, striped-hot, round-robin, least-busy");

const ORDER: Parameter = parameter("ftl.order", "PDWC", "how planes are counted, e.g. CWDP");

const COPY_BACK: Parameter =
    parameter("gc.copy_back", "off", "or greedy, in-order: how GC keeps the parity of pages");

const LOG: Parameter = parameter("log.blocks", "all spare blocks but one", "log blocks in all");

/// All FTLs, bounds first.
pub const FTLS: &[Entry] = &[
    Entry::of::<PageFtl>(
        "page",
        "the whole page map in RAM: the bound for all others",
        "TPFTL 5.1 (\"optimal FTL\"), MNFTL 5",
        &[PLACEMENT, ORDER, COPY_BACK],
    ),
    Entry::of::<Hat>(
        "hat",
        "the whole page map on a byte-addressable chip of its own, hidden behind the flash",
        "Hu et al., MSST 2010",
        &[],
    ),
    Entry::of::<DemandFtl<Dftl>>(
        "dftl",
        "single entries cached on demand, segmented LRU",
        "Gupta, Kim & Urgaonkar, ASPLOS 2009",
        &[
            CACHE,
            PLACEMENT,
            ORDER,
            COPY_BACK,
            parameter("dftl.replacement", "segmented-flashsim", "or segmented, lru"),
            parameter("dftl.protected", "80%", "share of the protected (real) segment"),
            parameter("dftl.evict_batch", "false", "write all dirty entries of the victim's page"),
        ],
    ),
    Entry::under::<Dloop, DemandFtl<Dftl>>(
        "dloop",
        "DFTL striped over planes; GC copies back inside each plane, off the bus",
        "Abdurrab, Xie & Wang, IPDPS 2013",
        &[
            CACHE,
            ORDER,
            parameter("gc.copy_back", "greedy", "or in-order: how GC keeps the parity of pages"),
        ],
    ),
    Entry::under::<DloopHot, DemandFtl<Dftl>>(
        "dloop-hot",
        "DLOOP whose hot planes hold fewer pages, and so have more extra blocks",
        "ours, after the future work of Abdurrab, Xie & Wang, IPDPS 2013",
        &[
            CACHE,
            ORDER,
            parameter("gc.copy_back", "greedy", "or in-order: how GC keeps the parity of pages"),
        ],
    ),
    Entry::of::<DemandFtl<Cdftl>>(
        "cdftl",
        "two levels: single entries, and whole translation pages that take their dirty ones in",
        "Qin, Wang, Liu & Shao, RTAS 2011",
        &[CACHE, parameter("cdftl.ctp", "50%", "share of the cache for translation pages")],
    ),
    Entry::of::<DemandFtl<Sftl>>(
        "sftl",
        "whole translation pages, compressed by runs, and a buffer for sparse dirty entries",
        "Jiang et al., MSST 2011",
        &[
            CACHE,
            parameter("sftl.bitmaps", "1", "bits per entry; with 2 an overwrite costs one head"),
            parameter("sftl.buffer", "10%", "share of the cache that is the dirty buffer"),
            parameter("sftl.sparse", "8", "dirty entries up to which a page is sparse"),
        ],
    ),
    Entry::of::<Zftl>(
        "zftl",
        "the directory of one zone in RAM; the page in use, and entries that leave in batches",
        "Wang, Zhang & Wang, ICCT 2011",
        &[
            CACHE,
            parameter("zftl.zones", "8", "zones, fewer on a device too small for GC in each"),
            parameter("zftl.tier1", "the rest", "share of the cache for single entries"),
        ],
    ),
    Entry::of::<DemandFtl<Tpftl>>(
        "tpftl",
        "two-level lists, prefetching, batch-update and clean-first replacement",
        "Zhou et al., EuroSys 2015",
        &[
            CACHE,
            parameter("tpftl.features", "rsbc", "techniques in use, any of r s b c, or -"),
            parameter(
                "tpftl.threshold",
                "3",
                "node count change that switches selective prefetching",
            ),
            parameter("tpftl.node_bytes", "6", "RAM of a translation page node"),
            parameter("tpftl.page_order", "hotness", "or recency"),
            parameter("tpftl.prefetch_at", "front", "or tail"),
        ],
    ),
    Entry::of::<DemandFtl<Tpftl<MeasuredUse>>>(
        "tpftl-adaptive",
        "tpftl that prefetches successors while the measured use of prefetched entries is worth it",
        "this project; the parameters of tpftl but the threshold",
        &[CACHE],
    ),
    Entry::of::<PooledFtl<Tree>>(
        "treeftl",
        "translation pages and, below them, data pages in one pool; the oldest subtree leaves first",
        "Wang & Wong, DATE 2013",
        &[CACHE],
    ),
    Entry::of::<PooledFtl<Aps>>(
        "aps",
        "one pool for translation pages and data pages, divided where ghosts say it saves most",
        "Shim, Seo, Kim & Maeng, MSST 2010",
        &[
            CACHE,
            parameter("aps.map", "50%", "share of the pool for translation pages at first"),
            parameter("aps.inertia", "2ms", "flash time by which ghosts move a page of the pool"),
        ],
    ),
    Entry::of::<Cftl>(
        "cftl",
        "runs of pages cached on demand; blocks that are only read are brought together",
        "Park, Debnath & Du, MASCOTS 2011",
        &[CACHE, parameter("cftl.reads", "128", "page reads that make a block block-mapped")],
    ),
    Entry::of::<BlockFtl>(
        "block",
        "block-level mapping: every page overwritten moves its block",
        "CACH-FTL 1, DLOOP II.A",
        &[],
    ),
    Entry::of::<BlockOptimizedFtl>(
        "block-optimized",
        "block-level mapping, rewritten in place with one erase for each request and block",
        "Boukhobza et al., CACH-FTL, 2014, section 5 (\"BM\")",
        &[parameter("block-optimized.append", "false", "program erased offsets without an erase")],
    ),
    Entry::of::<NftlFtl>(
        "nftl",
        "a replacement block for each logical block, searched by OOB reads",
        "Ban, US patent 5,937,425, 1999 (\"NFTL-1\")",
        &[LOG],
    ),
    Entry::of::<NftlChainFtl>(
        "nftl-chain",
        "chains of replacement blocks with fixed offsets, the longest folded first",
        "Ban, US patent 5,937,425, 1999, by the Linux driver (\"NFTL-2\")",
        &[LOG],
    ),
    Entry::of::<BastFtl>(
        "bast",
        "a log block for each logical block that is being overwritten",
        "Kim et al., IEEE Transactions on Consumer Electronics 2002",
        &[LOG],
    ),
    Entry::of::<FastFtl>(
        "fast",
        "a log block for sequential writes, and others shared by all data blocks",
        "Lee et al., TECS 2007",
        &[
            LOG,
            parameter(
                "fast.full_sequential",
                "merge",
                "or switch: what a rewrite of a full one does",
            ),
        ],
    ),
    Entry::of::<CachFtl>(
        "cachftl",
        "large groups to blocks rewritten in place, small ones to page-mapped spare blocks first",
        "Boukhobza, Olivier & Rubini, Computers 3(1), 2014",
        &[
            parameter("cachftl.threshold", "4", "pages up to which a group is small"),
            parameter("cachftl.sync_blocks", "3", "free blocks that a write must leave"),
            parameter("cachftl.async_free", "10%", "free share up to which GC uses idle time"),
            parameter("cachftl.adaptive_threshold", "false", "decide by measured costs instead"),
            parameter("cachftl.idle_weight", "0", "with that, how much GC in idle time counts"),
            parameter("cachftl.adaptive_pmr", "false", "a page-mapped region as large as needed"),
            parameter("cachftl.out_of_place", "false", "rewrite blocks to erased ones"),
            parameter(
                "cachftl.wear_gap",
                "none",
                "with that, when a cold block moves to a worn one",
            ),
        ],
    ),
    Entry::of::<LastFtl>(
        "last",
        "sequential log blocks, and random ones of a hot and a cold partition: hot blocks die",
        "Lee et al., Operating Systems Review 2008",
        &[
            LOG,
            parameter("last.threshold", "8", "pages from which on a request is sequential"),
            parameter("last.sequential", "10%", "share of the log blocks that are sequential"),
            parameter("last.hot", "50%", "share of the random log blocks that are for hot pages"),
        ],
    ),
    Entry::of::<KastFtl>(
        "kast",
        "log blocks shared by K logical blocks at most, which bounds the longest merge",
        "Cho, Shin & Eom, DATE 2009",
        &[
            LOG,
            parameter("kast.associativity", "8", "K: logical blocks in one random log block"),
            parameter("kast.sequential", "10%", "share of the log blocks that may be sequential"),
        ],
    ),
    Entry::of::<AftlFtl>(
        "aftl",
        "replacement blocks whose pages get mappings of their own instead of a merge",
        "Wu & Kuo, ICCAD 2006",
        &[LOG, parameter("aftl.entries", "half the logical blocks", "entries of the fine table")],
    ),
    Entry::of::<WaftlFtl>(
        "waftl",
        "a zone logs all writes; its pages move to data blocks where many, else are page-mapped",
        "Wei et al., MSST 2011",
        &[
            LOG,
            parameter("waftl.zone", "5%", "share of the log blocks that are the buffer zone"),
            parameter("waftl.threshold", "50%", "share of a block's pages that are merged"),
        ],
    ),
    Entry::of::<Mnftl>(
        "mnftl",
        "blocks of each logical block's own, written in order; its page map in their OOBs",
        "Qin, Wang, Liu, Shao & Guan, DAC 2011",
        &[
            parameter("mnftl.victim", "most-blocks-first", "or global: which block is collected"),
            parameter("mnftl.rows", "what an OOB holds", "rows of a subtable, a power of two"),
            parameter("mnftl.cache", "0", "RAM for a cache of subtables, bytes"),
            parameter("mnftl.idle_blocks", "never", "blocks from which on idle time is used"),
        ],
    ),
    Entry::of::<MnftlHybrid>(
        "mnftl-hybrid",
        "mnftl behind a log of blocks in SLC mode; needs device.cell mlc or tlc",
        "this project; Qin et al., DAC 2011, section 6; the parameters of mnftl",
        &[parameter("mnftl-hybrid.slc_blocks", "a quarter of the spare", "blocks in SLC mode")],
    ),
    Entry::of::<Gftl>(
        "gftl",
        "one block for each logical block, cleaned step by step between requests; a write buffer",
        "Choudhuri & Givargis, CODES+ISSS 2008",
        &[parameter("gftl.buffer", "16%, or what there is", "write buffer / logical blocks")],
    ),
    Entry::of::<SuperblockFtl>(
        "superblock",
        "neighbouring logical blocks share data and log blocks; the page map in their OOBs",
        "Kang, Jo, Kim & Lee, EMSOFT 2006",
        &[
            LOG,
            parameter("superblock.data", "4", "data blocks of a superblock at most"),
            parameter("superblock.logs", "2", "log blocks of a superblock at most"),
            parameter("superblock.pieces", "the fewest that fit", "pieces of its page map"),
        ],
    ),
];

/// The FTL called `name`.
///
/// # Errors
/// [`Error::Unknown`] when there is none.
pub fn find(name: &str) -> Result<&'static Entry, Error> {
    FTLS.iter()
        .find(|entry| entry.name == name)
        .ok_or_else(|| Error::unknown("FTL", name, FTLS.iter().map(|entry| entry.name)))
}
