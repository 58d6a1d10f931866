//! Bugs that the FTL checks must find, each at its place in the code behind `unless_bug!`.
//!
//! `FTLAB_BUG=NAME` enables one when the program starts; without it, none is enabled.
//! `tools/bugs.py` runs the FTL checks (`tests/laws.rs`) over each, built once.

use serde::Serialize;
use std::sync::LazyLock;
use std::sync::atomic::{AtomicBool, Ordering};

/// A bug of the table.
pub(crate) trait Bug {
    /// Its line in [`ALL`].
    const LINE: usize;
}

/// A bug with a place in the code; `unless_bug!` implements this.
#[diagnostic::on_unimplemented(message = "no `unless_bug!({Self}, ...)` seeds this bug")]
pub(crate) trait Seeded: Bug {
    /// The source file and the line.
    const PLACE: &'static str;
}

/// The facts of a bug before the FTL checks run.
#[derive(Serialize)]
pub struct Entry {
    /// The name that enables it.
    pub name: &'static str,
    /// Its part of the code, and the fault.
    pub what: &'static str,
    /// Its effect, or its model.
    pub why: &'static str,
    /// The source file and the line.
    pub place: &'static str,
    /// The law that must find it; any if this is empty.
    pub law: &'static str,
    /// The FTLs in which it must be found, separated by commas; any if this is empty.
    pub by: &'static str,
}

/// Whether this bug is enabled. Reports the first time that its place is reached: a bug whose place
/// is never reached needs more cases, not better checks.
#[inline]
pub(crate) fn is_chosen<B: Seeded>() -> bool {
    let is_chosen = *CHOSEN == B::LINE;
    if is_chosen && !MET.load(Ordering::Relaxed) && !MET.swap(true, Ordering::Relaxed) {
        eprintln!("bug met at {}", B::PLACE);
    }
    is_chosen
}

static MET: AtomicBool = AtomicBool::new(false);

/// The line of the enabled bug, or one past the last.
static CHOSEN: LazyLock<usize> = LazyLock::new(|| {
    let Some(name) = std::env::var_os("FTLAB_BUG") else { return ALL.len() };
    let line = ALL.iter().position(|bug| name == bug.name);
    line.unwrap_or_else(|| panic!("FTLAB_BUG: there is no bug {}", name.display()))
});

/// Numbers the bugs and lists them in [`ALL`].
macro_rules! bugs {
    ($($bug:ident: $what:literal, why $why:literal $(, law $law:literal)? $(, by $by:literal)?;)*) => {
        enum Line {
            $($bug),*
        }

        $(
            pub(crate) struct $bug;

            impl Bug for $bug {
                const LINE: usize = Line::$bug as usize;
            }
        )*

        /// Every bug.
        pub static ALL: &[Entry] = &[
            $(Entry {
                name: stringify!($bug),
                what: $what,
                why: $why,
                place: <$bug as Seeded>::PLACE,
                law: concat!("" $(, $law)?),
                by: concat!("" $(, $by)?),
            }),*
        ];
    };
}

bugs! {
    NamedUnchecked: "settings: those of a policy or buffer are not checked",
        why "a configuration that was not read from a file may hold anything", law "what_cannot_work";
    DeviceUnchecked: "settings: those of the device are not checked",
        why "no pages in a block", law "what_cannot_work";
    GcUnchecked: "settings: those of GC are not checked",
        why "a batch that ends before it begins", law "what_cannot_work";
    OwnUnchecked: "settings: those of the FTL are not checked",
        why "a configuration that was not read from a file may hold anything", law "what_cannot_work";
    UnobeyedReceived: "settings: an FTL receives those that it does not obey",
        why "a cache without a search searches", law "what_is_not_obeyed";
    DftlGcLeavesClean: "dftl: GC forgets to mark a cached entry dirty",
        why "FlashSim's bug: the entry is dropped as clean and the page's new place with it";
    TpftlGcLeavesClean: "tpftl: GC forgets to mark a cached entry dirty",
        why "as in dftl";
    DftlWriteLeavesClean: "dftl: a host write leaves the entry clean",
        why "eviction drops the newest mapping";
    ZonesReadAcross: "zones: a read may go on in the next zone",
        why "the drive has no such reads", law "zones_answer", by "zones";
    ZonesAppendAnyLength: "zones: an append may be longer than the drive takes",
        why "ZASL is not respected", law "zones_answer", by "zones";
    ZonesStayImplicit: "zones: a zone that the host opens may still be closed by the drive",
        why "a zone that is explicitly open stays so", law "zones_answer", by "zones";
    ZonesFinishUncounted: "zones: pages that are left in a finished zone are not counted",
        why "space seems to be lost nowhere", law "zones_answer", by "zones";
    ZonesResetKeepsPointer: "zones: a reset leaves the write pointer",
        why "an empty zone refuses its first write", law "zones_answer", by "zones";
    ZonesWriteAnywhere: "zones: a write may begin behind the write pointer",
        why "pages are left erased below it", law "zones_answer", by "zones";
    ZonesWriteIntoTheHole: "zones: a write may go on behind the capacity",
        why "the addresses up to the next zone have no flash", law "zones_answer", by "zones";
    ZonesFullStayOpen: "zones: a zone that is written to its end still counts as open",
        why "after a few zones no other can be opened", law "zones_answer", by "zones";
    ZonesActiveUnlimited: "zones: any number of zones may be active",
        why "the drive has buffers for a few", law "zones_answer", by "zones";
    ZonesCloseTheLast: "zones: the drive closes the zone that was opened last",
        why "the one that was opened first is closed", law "zones_answer", by "zones";
    ZonesClosedStayActive: "zones: a closed zone that is finished or reset still counts as active",
        why "after a few zones no other can be opened", law "zones_answer", by "zones";
    ZonesAcrossTheEnd: "zones: their width need not divide the planes",
        why "there is no whole number of zones in a row", by "zones";
    ZonesTooSmall: "zones: one page may be all that is written of a zone",
        why "no page is behind another", by "zones";
    ZonesTooFewActive: "zones: fewer may be active than the host fills at once",
        why "the drive refuses to open the next", law "every_ftl", by "zones";
    ZonesStripeAskew: "zones: pages that are behind each other in a zone are as far apart in a block",
        why "a block is not programmed in order", law "every_ftl", by "zones";
    ZonesNeverFinished: "zones: a zone of which the rest is not wanted is not finished",
        why "it stays active", law "every_ftl", by "zones";
    ZonesForgetNothing: "zones: the host still takes a superseded page for valid",
        why "GC moves garbage", law "every_ftl", by "zones";
    ZonesResetInPart: "zones: a reset leaves a block of the zone as it is",
        why "its pages are programmed twice", law "every_ftl", by "zones";
    ZonesResetApart: "zones: a power cut may leave some blocks of a reset as they were",
        why "trimmed pages come back in a zone that cannot be written", law "power_cuts", by "zones";
    ZonesResetLate: "zones: a reset that was cut is done for each block when that is written",
        why "a second cut leaves a block that cannot be written behind valid pages", law "power_cuts", by "zones";
    PageGcLeavesMap: "page: the map keeps the old place after GC",
        why "stale PPN";
    DemandGcLeavesMap: "demand: the map on flash keeps the old place after GC",
        why "stale PPN of a page whose mapping is not cached";
    GtdGcLeavesPlace: "demand: the GTD is not updated when GC moves a translation page",
        why "the directory points at an erased page";
    PageOldStaysValid: "page: the old page is not invalidated",
        why "two valid copies";
    DemandHoldsNothing: "demand: the mappings that GC should hold in RAM are forgotten",
        why "pages that GC moved are looked for where they were";
    DemandOldStaysValid: "demand: the old page is not invalidated",
        why "two valid copies";
    MapOldStaysValid: "demand: the old translation page is not invalidated",
        why "space leaks until GC finds none", law "every_ftl";
    PoolFrontierIsVictim: "pool: a frontier may be a victim",
        why "GC collects the block that it writes";
    DemandReserveIsShort: "demand: the reserve is a block short",
        why "a GC step that opens a block for data and one for the map finds no free block";
    PoolMapHasNoPrecedence: "pool: translation blocks have no precedence when space is short",
        why "map updates waste the last free blocks";
    PoolGcStartsLate: "pool: GC starts a block too late",
        why "gc.low is not respected";
    PoolBatchEndsEarly: "pool: a batch of GC ends too early",
        why "gc.high is not respected";
    PoolVictimsUntold: "pool: the policy does not hear of an invalid page",
        why "valid counts and victim buckets disagree";
    WearNeverMoves: "wear: data that have lain long stay where they are",
        why "hot blocks wear out while cold ones are new", law "wear_levellers";
    WearMovesOnce: "wear: one block is moved, however far the wear of others differs",
        why "the gap is not kept where data that had lain long are written next", law "wear_levellers";
    WearMovesForNothing: "wear: the pages that are moved are not programmed",
        why "levelling is charged too little", law "wear_levellers";
    WearLastsLonger: "wear: blocks do not wear out",
        why "they are erased more often than they endure", law "worn_device";
    WearWritesOn: "wear: a device without spare blocks goes on writing",
        why "the next block that fails takes its data with it", law "worn_device";
    WearWornTwice: "wear: blocks that are worn out and still in their place count twice",
        why "more erases are told than there were, and more of what blocks endure is used", law "books";
    WearReplacedForgotten: "wear: blocks that spare ones have replaced do not count",
        why "fewer erases are told than there were", law "books";
    CausesLoseTheRest: "run.causes: time that no flash operation explains belongs to no part",
        why "the parts of a time are less than the time", law "the_books";
    HostBytesBeyond: "host: bytes behind the device's end count as written",
        why "write amplification by bytes and energy of a byte are less than they are", law "books";
    EnergyOfErasesMissing: "energy: erases take none",
        why "what collects more seems to cost as little", law "books";
    ReportMapCopiesUntold: "report: GC copies no pages of the map",
        why "the sum by causes is not the sum", law "books";
    FreeBlocksByNumber: "pool: free blocks are taken by number, not by erases",
        why "wear concentrates on a few blocks";
    DemandBatchDropsLast: "demand: a batch update drops its last mapping",
        why "one page of each group is lost";
    MapRewrittenUnread: "demand: a translation page is rewritten without being read",
        why "GC is charged too little";
    DftlEvictsUnwritten: "dftl: eviction forgets to write back",
        why "the newest mapping is lost";
    DftlBatchUnwritten: "dftl: the neighbours of a batch become clean without being written",
        why "their mappings are lost";
    TpftlBatchUnwritten: "tpftl: the entries of a batch become clean without being written",
        why "their mappings are lost";
    TpftlRideAlongUnwritten: "tpftl: entries that ride along with GC become clean without being written",
        why "their mappings are lost";
    TpftlMarkStaysOnLeaver: "tpftl: the mark of the oldest clean entry is not moved off an entry that leaves",
        why "the mark points at a freed or a moved entry";
    TpftlMarkStaysOnBatch: "tpftl: the mark of the oldest clean entry stays when a batch cleans older ones",
        why "clean-first overlooks clean entries";
    TpftlPrefetchesCached: "tpftl: prefetching loads a page that is cached",
        why "a dirty mapping is overwritten by the old one on flash";
    TpftlPrefetchesTooMany: "tpftl: prefetching disregards rule 2",
        why "more is loaded than one victim node makes room for";
    TpftlTakesAnyWriteBack: "tpftl: any write-back is taken for the read of the wanted page",
        why "mappings are taken from a page that was not read";
    TpftlFirstUseRepeats: "tpftl: a prefetched entry waits for its first use after it",
        why "more prefetched entries are used than were loaded", by "tpftl";
    TpftlNodeBytesLeak: "tpftl: the bytes of a node are not freed",
        why "the cache shrinks as nodes come and go";
    PageTrimLeavesMap: "page: trim forgets the map",
        why "a trimmed page is still mapped";
    DemandTrimLeavesMap: "demand: trim forgets the map",
        why "a trimmed page is still mapped";
    MapPageEndsLate: "map: a translation page ends one page too late",
        why "arithmetic at the border of two translation pages";
    FlashCopyLosesVersion: "flash: a copy does not carry the version",
        why "a stale page could pass for the newest";
    FlashRunLosesVersion: "flash: pages moved as a run do not carry their versions",
        why "a stale page could pass for the newest";
    FlashRunStaysValid: "flash: pages moved as a run still count as valid where they were",
        why "the count beside the bits is another";
    FlashSpanLosesVersion: "flash: pages of a merge moved at once do not carry their versions",
        why "a stale page could pass for the newest";
    FlashMisnumbersPages: "flash: valid pages are numbered wrongly in blocks of more than 64",
        why "arithmetic at the border of two bitmap words";
    TimeProgramUntransferred: "time: a program holds its plane without the transfer",
        why "wrong busy time";
    TimeEraseAsProgram: "time: an erase takes as long as a program",
        why "wrong busy time";
    BlocksReadTooSoon: "order: a read does not wait for the program of its page",
        why "a page is read that is not there yet", law "every_ftl";
    BlocksProgramTooSoon: "order: a program does not wait for those before it in its block",
        why "pages are programmed out of order", law "every_ftl";
    BlocksEraseTooSoon: "order: an erase does not wait for the reads of its block",
        why "pages that GC copies are gone", law "every_ftl";
    BlocksForget: "order: programs that are not remembered one by one are over",
        why "reads of old pages begin too soon under overload", law "every_ftl";
    JoinsWhatHasBegun: "time: an operation joins a command on several planes that has begun already",
        why "it is done before it is asked for", law "every_ftl", by "page,dftl,tpftl,dloop";
    JoinsItsOwnPlane: "time: an operation joins a command that works on its plane already",
        why "a plane does two things at a time", law "every_ftl", by "page,dftl,tpftl,dloop";
    RegistersOfPassedPages: "time: a page that is read while a program is interrupted waits for the next program's page",
        why "each waits for the other, and writes are put off without end", law "deeper", by "page,dftl,tpftl";
    MapChipUnawaited: "hat: lookups do not wait for each other, nor for changes",
        why "the chip does one thing at a time", law "every_ftl", by "hat";
    EccTakesNoTime: "time: a page is there before its errors are corrected",
        why "reads are too fast", law "every_ftl", by "page,dftl";
    DeviceEccTooLarge: "device: the error correction may take more than there is of an OOB",
        why "what is left for FTLs is less than nothing", law "what_cannot_work";
    SearchInVainIsFree: "demand: a search that finds nothing has no steps",
        why "along a list all keys are compared", law "every_ftl", by "dftl,tpftl,cdftl";
    SearchTakesNoTime: "demand: the steps of a search are counted and take no time",
        why "the price of a long list", law "every_ftl", by "dftl,tpftl,cdftl";
    DataProgramsTrimmed: "data blocks: a page is programmed where a trimmed one is",
        why "an offset that is not valid need not be erased";
    DataMergeUnnoted: "data blocks: a merge does not note where it copies to",
        why "stale PPN";
    DataBlockForgotten: "data blocks: the fresh block is forgotten",
        why "the table still names the erased one";
    BlockMapUnread: "block map: a page of it that is not in RAM is used without a read",
        why "a lookup that is free of charge", by "fast,bast,nftl,last";
    BlockMapReadAlways: "block map: the page of it that is in RAM is read again",
        why "a merge pays for its entry twice", by "fast,bast,block";
    BlockMapNoRoom: "block map: its blocks are not collected",
        why "no free block is left for the map", by "fast,bast,block";
    BlockMapBlocksLent: "block map: its blocks are counted among the free ones",
        why "a map that takes no space", by "fast,bast,block";
    DataLogLost: "data blocks: an erased log block is lost",
        why "it is never free again";
    DataFullUncounted: "data blocks: a full merge is not counted",
        why "merges make as many data blocks as they erase";
    DataKeepsEmptyBlock: "data blocks: a merge of trimmed pages keeps a block for them",
        why "an erased block that is not free does not wear with the others";
    BlockLeavesHostOut: "block: the host's page is left out of the rewrite",
        why "a lost write";
    LogTrimmedKept: "log blocks: a trimmed page is kept",
        why "it would be copied for ever";
    BlockOptKeepsOverwritten: "block-optimized: what the group overwrites is kept, not the rest",
        why "data lost by the erase";
    ByBlockGroupTooLong: "by block: a group reaches into the next block",
        why "off by one in the logical block";
    BlockOptAppendsOver: "block-optimized: a group is appended although one of its pages is there",
        why "any instead of all";
    RewriteEndStaysInRam: "rewrite: pages behind the group stay in RAM",
        why "data lost at the end of a block";
    FastGapUnseen: "fast: a gap in the sequential log is not seen",
        why "pages of the sequential log are not at their offsets";
    FastMergeSkipsPage: "fast: a partial merge skips a page",
        why "off by one in the first page that the log lacks";
    FastReclaimsOpenLog: "fast: reclaiming takes the pages out of an open sequential log",
        why "what is in the sequential log must be newest";
    FastLogTooMany: "fast: one random log block too many",
        why "no block is left to merge into";
    FastSequentialLeaks: "fast: the sequential log that was merged in full is not erased",
        why "a leaked block";
    LogsCostsOfAll: "logs: what is told of a merge is what a full one copies",
        why "a buffer spares what is cheap";
    LogsDisorderUnseen: "logs: a log block out of order becomes the data block",
        why "pages are not at their offsets";
    LogsMergedKeepsOwner: "logs: a log block that was merged is still its owner's",
        why "a stale token";
    NftlSearchesTooFar: "nftl: the search goes a page too far",
        why "the OOB of an erased page";
    ChainFoldLeaks: "nftl-chain: a fold forgets the blocks between",
        why "leaked blocks";
    ChainFoldsShortest: "nftl-chain: the shortest chain is folded",
        why "chains by length must be kept when a chain grows";
    ChainWritesBehindErased: "nftl-chain: a write goes behind an erased page of its chain",
        why "the newest version must be the last one in the chain";
    ChainFoldsInPlace: "nftl-chain: the own chain is folded in place",
        why "the offset to be written is programmed in its last block";
    SastGroupTooLarge: "sast: groups have a logical block more than N",
        why "more than N logical blocks are merged for a page", by "sast";
    SastGroupOverfull: "sast: a group has a log block more than K",
        why "K bounds the log blocks that are reclaimed together", by "sast";
    SastLogTooMany: "sast: a log block more than there are",
        why "no block is left to merge into", by "sast";
    SastLogKept: "sast: a log block that was merged is not erased",
        why "leaked blocks", by "sast";
    SastSequenceSuperseded: "sast: a log block in order becomes the data block although a page in it is superseded",
        why "the offset of the newer version is programmed", by "sast";
    RnftlKeptLost: "rnftl: a primary block that is kept is forgotten",
        why "leaked blocks", by "rnftl";
    RnftlWritesOver: "rnftl: all pages of a kept block are taken for erased",
        why "pages that were written are programmed again", by "rnftl";
    RnftlOneTooMany: "rnftl: a replacement block more than there are log blocks",
        why "no block is left to merge into", by "rnftl";
    InformedKeepsPlace: "informed: the block that leaves stays in the order of blocks",
        why "a block without pages is offered", law "nothing_is_lost";
    HatWritesAsReads: "hat: a write is served as a read",
        why "the host's data is not written";
    HatTrimsFirstPage: "hat: only the first page of a trim is forgotten",
        why "trimmed pages still hold data";
    JudgeNeverHalves: "tpftl-adaptive: the share of guesses is never halved",
        why "old evidence outlives its window";
    JudgeKeepsUses: "tpftl-adaptive: uses are not halved with the endings",
        why "a share above 1";
    TpftlUseCountsTwice: "tpftl-adaptive: a page watched counts as used twice",
        why "the node goes on watching a page that was asked for", by "tpftl-adaptive";
    TpftlWatchesCached: "tpftl-adaptive: a page is watched although it is cached",
        why "its use says nothing about prefetching", by "tpftl-adaptive";
    ZftlDirectoryUnwritten: "zftl: the directory is not programmed when a zone is left",
        why "translation pages are looked for where they were";
    ZftlLeavesTier1Full: "zftl: a zone is left with a full tier 1",
        why "entries of a zone that is not in use stay in RAM";
    ZftlDirectoryUnread: "zftl: a zone is entered without reading its directory",
        why "translation pages are found for free";
    ZftlEntryReturnsClean: "zftl: a dirty entry returns to its page clean",
        why "the newest mapping is dropped with the page";
    ZftlBatchUnwritten: "zftl: entries of the evicted batch are written, but not all",
        why "a dirty entry leaves tier 1 unwritten";
    ZftlGcLeavesDirectory: "zftl: GC moves the directory and the zone table keeps its old place",
        why "the directory is read from an erased page", by "zftl";
    OobOldStaysValid: "mnftl: a superseded version stays valid",
        why "two copies of a page";
    MnftlErasesSubtable: "mnftl: a subtable on a trimmed page is erased with it",
        why "the map of its neighbours is lost";
    MnftlCopiesElsewhere: "mnftl: copies go to the block of another logical block",
        why "mapping is not concentrated";
    MnftlKeepsFirst: "mnftl: a collected block stays that of first versions",
        why "another logical block may own it by then";
    HybridForgetsValid: "mnftl: a hybrid forgets to move what is valid",
        why "an SLC block is erased with valid pages";
    GftlForgetsBuffered: "gftl: a page written while its block is cleaned is lost",
        why "the buffer is emptied by the old versions";
    GftlQueuesNoMore: "gftl: what is left in the buffer is not queued again",
        why "no one will clean it", law "every_ftl";
    FoldLeaksLogs: "superblock: a fold leaves a log block counted",
        why "the pool of log blocks leaks";
    HeldKeepsVersion: "buffer: a page overwritten in RAM keeps its version",
        why "the write is lost although its page is in the buffer", law "nothing_is_lost";
    BufferTrimmedStaysInOrder: "buffer: a trimmed page stays in the order of replacement",
        why "it is flushed later, as if it had been written again", law "nothing_is_lost";
    PmrCopiesReplaced: "cachftl: PMR-GC copies a page that was replaced since it was read",
        why "an interrupted PMR-GC maps a stale version";
    PlacementMapInOnePlane: "placement: all translation pages go to the first plane",
        why "DLOOP spreads them by VTPN";
    PlacementForgetsPlane: "placement: a plane that was passed by never gets a turn again",
        why "in the end no plane takes a page", law "every_ftl_survives", by "page,dftl,tpftl";
    PlanesStayListed: "planes: a plane that has blocks again stays on the list of those that have too few",
        why "it is collected for nothing, for ever";
    PlanesBreakParity: "planes: a copy-back goes to the next page whatever its parity",
        why "the same-parity rule of the NAND";
    RandomLogMergedCounts: "random logs: pages of a merge still count as valid",
        why "log blocks look dearer than they are";
    KastGapUnseen: "kast: a sequential log whose order is broken is written on",
        why "pages are not at their offsets";
    KastLogTooMany: "kast: a sequential log more than there are log blocks",
        why "no block is left to merge into";
    KastReclaimsOpenLog: "kast: reclaiming takes the pages out of an open sequential log",
        why "what is in the sequential log must be newest";
    LastSupersededUnnoted: "last: a sequential log with superseded pages becomes the data block",
        why "the newest page cannot be copied to an offset that is programmed";
    LastColdOverfull: "last: a hot block that joins a full cold partition",
        why "no block is left to merge into";
    LastRewriteUnseen: "last: a rewrite of a sequential log goes to the same offset",
        why "a page is programmed twice";
    AftlEntryOutlives: "aftl: an entry outlives the merge of its page",
        why "the page is at its offset of the data block";
    AftlBlocksKept: "aftl: blocks of the fine level are kept after a merge",
        why "leaked blocks";
    AftlEntryTooMany: "aftl: the fine table takes one entry too many",
        why "more entries than RAM", by "aftl";
    WaftlKeepsDataBlock: "waftl: a logical block that is mapped page by page keeps its data block",
        why "the block of random data would be merged, and take room twice", law "every_ftl";
    WaftlZoneGrowsFirst: "waftl: the zone grows by a block before it is emptied",
        why "no block is left to merge into";
    CftlBlockStaysMapped: "cftl: GC leaves a block block-mapped that it scatters",
        why "pages are looked for at offsets of a block that they have left";
    CftlRunReachesOver: "cftl: a run reaches over newer pages",
        why "a page is cached twice";
    CftlConvertsByFlash: "cftl: a conversion copies what flash says and not the cache",
        why "a dirty mapping is newer than its translation page";
    CftlTakesGcsBlocks: "cftl: a conversion takes the blocks that GC needs",
        why "GC finds no free block";
    PooledDirtyDropped: "pooled: a translation page leaves without its only dirty mapping",
        why "the newest place of a page is dropped with the translation page";
    TreeKeepsTrimmed: "treeftl: a page that is trimmed stays in its subtree",
        why "it takes room and is written when it leaves";
    ApsNoRoomForMap: "aps: the boundary leaves no room for a translation page",
        why "the part for translation pages may become empty";
    FoldErasesDirectory: "superblock: a block with the directory is erased as dead",
        why "nothing tells where the pieces are", law "every_ftl", by "superblock";
    CachKeepsReplaced: "cachftl: a merge keeps a page that was replaced while it was in RAM",
        why "an interrupted BMR-GC programs a stale version";
    CachForgetsMerge: "cachftl: a merge in RAM is forgotten when its block is rewritten",
        why "its pages are nowhere";
    CachGroupUntold: "cachftl: the policy does not hear of a page that a block of the BMR has lost",
        why "another block than the policy's is merged", by "cachftl";
    BplruPadsOverHeld: "buffer: BPLRU pads with pages that are in RAM",
        why "the older version on flash is written over the newest one", law "nothing_is_lost";
    PartialReadsNothing: "device: read-modify-write reads pages that hold no data",
        why "a first write costs a read", law "a_part_of_a_page";
    PartialForgetsWrites: "buffer: a sector that is written in RAM still counts as missing",
        why "pages that are whole in RAM are read from flash", law "parts_of_a_page_meet_in_ram";
    DeviceSectorAny: "device: a sector of any size",
        why "a page has more sectors than are kept", law "what_cannot_work";
    DevicePageAny: "device: a page of any size",
        why "the mappings of a translation page are counted by shifts", law "what_cannot_work";
    DeviceOobTooLarge: "device: an OOB larger than its page",
        why "maps in OOBs that no device can hold", law "what_cannot_work";
    DeviceEmpty: "device: a capacity of nothing",
        why "no block", law "what_cannot_work";
    DeviceTooLarge: "device: more pages than numbers of 32 bits",
        why "two pages with one number", law "what_cannot_work";
    DeviceTooFewBlocks: "device: fewer physical than logical blocks",
        why "spare blocks are counted below 0", law "what_cannot_work";
    GcBatchEndsAtOnce: "gc: a batch may end where it starts",
        why "gc.high is not respected", law "what_cannot_work";
    CellsUnevenBlock: "cells: a block may end inside a word line",
        why "a page without the others of its word line", law "what_cannot_work";
    MediumOrderIgnored: "flash: an FTL that needs any order is built on a device that insists on ascending",
        why "offsets are programmed as the host writes them", law "every_ftl_obeys";
    MediumAnyOrderOfCells: "flash: cells of several bits are programmed in any order",
        why "word lines disturb each other", law "what_cannot_work";
    MediumCellsIgnored: "flash: an FTL that needs any order is built on cells of several bits",
        why "word lines disturb each other", law "every_ftl_obeys";
    FlashOobTooSmall: "flash: an FTL may declare more than an OOB has",
        why "the map does not fit", law "what_is_in_range", by "mnftl,superblock,gftl";
    FlashSlcAsMlc: "flash: cells of one bit are taken to have two",
        why "a block in SLC mode would be no faster", law "what_cannot_work", by "mnftl-hybrid";
    BufferOfNoPage: "buffer: less than a page of RAM",
        why "a buffer that holds nothing", law "what_cannot_work";
    ClashOfNoBlock: "clash: no room for a block beside the p-space",
        why "a group that leaves the p-space goes nowhere", law "nothing_is_lost";
    GftlNoneToCleanInto: "gftl: all spare blocks are the write buffer",
        why "no block is left to clean into", law "every_ftl", by "gftl";
    MnftlTooFewBlocks: "mnftl: a device with too few blocks",
        why "all blocks of all logical blocks may be valid", law "every_ftl", by "mnftl,mnftl-hybrid";
    LogsTooFew: "logs: fewer log blocks than the FTL needs",
        why "no log block of a kind", law "what_is_in_range";
    DataTooFewBlocks: "data blocks: a device with too few blocks",
        why "no block is left to merge into", law "every_ftl";
    PoolTooFewBlocks: "pool: a device with too few blocks",
        why "GC finds no victim that gains a page", law "every_ftl";
    PlanesCopyBackAcross: "planes: copy-back although pages go to any plane",
        why "no data leaves a plane without the bus", law "what_cannot_work";
    SuperblockPiecesTooMany: "superblock: more pieces than pages",
        why "a directory of pieces without pages", law "what_is_in_range", by "superblock";
    MnftlRowsTooMany: "mnftl: a subtable of more rows than a block has pages",
        why "rows without pages", law "what_is_in_range", by "mnftl";
    CachTooFewBlocks: "cachftl: a device with too few blocks",
        why "no room for a group in the PMR", law "every_ftl", by "cachftl";
    SuperblockTooFewBlocks: "superblock: a device with too few blocks",
        why "no block is left to copy to", law "every_ftl", by "superblock";
    CftlAnyPlacement: "cftl: is built with a placement by planes",
        why "a logical block is brought together in one plane", law "what_is_not_obeyed", by "cftl";
    TpftlCacheTooSmall: "tpftl: a cache without room for an entry and a node",
        why "nothing can be evicted for the first entry", law "what_is_in_range", by "tpftl,tpftl-adaptive";
    CftlCacheTooSmall: "cftl: a cache without room for a run",
        why "nothing can be evicted for the first run", law "what_is_in_range", by "cftl";
    PooledCacheTooSmall: "pooled: a cache without room for a translation page",
        why "nothing can be evicted for the first page", law "what_is_in_range", by "treeftl,aps";
    CdftlCacheTooSmall: "cdftl: a cache without room for a translation page and an entry",
        why "nothing can be evicted for the first page", law "what_is_in_range", by "cdftl";
    SftlCacheTooSmall: "sftl: a cache without room for a translation page",
        why "nothing can be evicted for the first page", law "what_is_in_range", by "sftl";
    ZftlCacheTooSmall: "zftl: a cache without room for a translation page",
        why "the page in use does not fit", law "what_is_in_range", by "zftl";
    BlockOptTrimmedStays: "block-optimized: a trimmed page stays valid in its place",
        why "a page without data is copied for ever";
    ApsTranslatesEarly: "aps: a page is translated when it is written, and again when it leaves",
        why "translates_late is declared", by "aps";
    CftlMakesRoomEarly: "cftl: a conversion makes more room than it needs",
        why "early_blocks is declared", by "cftl";
    SftlFlushUncounted: "sftl: the load of a buffer that is flushed is not counted",
        why "every load of a translation page has a reason", by "sftl";
    ZftlOneDirectory: "zftl: the directory of one zone is declared",
        why "every valid page is needed", by "zftl";
    ZftlWritesUntold: "zftl: directories are programmed, and that is not told",
        why "every program for the map has a reason", by "zftl";
    ZftlDeniesRegions: "zftl: zones are declared to exchange blocks",
        why "the levels of GC hold in each zone", by "zftl";
    CachRamUntold: "cachftl: pages are in RAM alone, and that is not told",
        why "every page that holds data is valid or in RAM", by "cachftl";
    CachFillUncounted: "cachftl: a block that is filled with a group is not counted",
        why "no pages are copied but to fill a block", by "cachftl";
    CachRewriteUncounted: "cachftl: a block that is erased to be rewritten is not counted",
        why "no data block is erased but to be rewritten", by "cachftl";
    AftlMoveUncounted: "aftl: a page that leaves the fine level by itself is not counted",
        why "no pages are copied without a merge", by "aftl";
    WaftlFoundedUncounted: "waftl: a data block that replaces none is not counted",
        why "merges copy a block of pages at most", by "waftl";
    KastMergedAddsUp: "kast: logical blocks of all merges are added up, not the most of one taken",
        why "the merge of a log block is bounded by K", by "kast";
    SeparatorMovesAsMap: "separation: pages that GC moves are counted as translation pages",
        why "a map in RAM needs none", by "sepbit";
    SeparatorTrimUnseen: "separation: a page that was trimmed is taken for one that is replaced",
        why "a page without data has no age", law "a_separation";
    SeparatorRequestUntold: "separation: it hears of no request",
        why "a rule may ask where a request begins", law "a_separation";
    SeparatorDeathUntold: "separation: it hears of no version that is superseded",
        why "a rule may ask what is left in a block", law "a_separation";
    SeparatorPlaceUntold: "separation: it hears of no place of a page",
        why "a rule may ask what lies in a block", law "a_separation";
    SeparatorOpeningUnnoted: "separation: when a block was opened is not noted",
        why "a block that is collected has an age", law "a_separation";
    SeparatorRestStands: "separation: what is left of a page's life does not shrink while it lives",
        why "an oracle knows when a page is written again", law "a_separation";
    BlocksFillUncounted: "separation: what is superseded in a block is no garbage when it becomes full",
        why "a rule may ask how many pages are in use", law "a_separation";
    BlocksOldStays: "separation: a page that is written again has its old version for a page in use",
        why "a rule may ask how many pages are in use", law "a_separation";
    FutureTrimUnseen: "future: a page that will be trimmed seems to live on",
        why "an oracle knows when a page is trimmed", law "a_separation";
    FutureIsLate: "future: pages die a write later than they do",
        why "an oracle knows when a page is written again", law "a_separation";
    DrawLosesPlace: "d-choices: a block that was drawn has lost its place",
        why "it is collected, and another is forgotten", law "every_ftl", by "page,dftl";
    NumberedKeepsCollected: "cat, cost-hotness: a block that was collected is compared with others",
        why "it is chosen again", law "every_ftl", by "page,dftl";
    HotnessKeepsPlace: "cost-hotness: a page that is written again lies where it lay, too",
        why "a block has as many pages as it has with data", law "every_ftl", by "page,hat";
    CandidatesTakeAny: "volume: a block with any garbage is a candidate",
        why "victims have the share gc.garbage", by "page";
    VolumeTakesOneMore: "volume: one block more is collected than gc.victims says",
        why "a request is followed by gc.victims collections", by "page";
    VolumeEraseUncounted: "volume: pages that were erased are in use",
        why "no more is garbage than gc.garbage says", by "page";
    SeparatorFilledUntold: "separation: it hears of no block that is full",
        why "a rule may ask how full blocks are", law "a_separation";
    VolumeClosesLate: "volume: a full block stays open",
        why "what is full is a candidate", by "page";
    VolumeNeverCleaned: "volume: GC never starts by garbage",
        why "no more is garbage than gc.garbage says", by "page";
    ReserveStopsEarly: "reserve: GC ends before there is room",
        why "it goes on up to gc.high while there is garbage", by "page";
    HandlesMixIsolations: "handles: what GC moves of an initially isolated handle stays with it",
        why "it goes to the class of all of them", law "units_keep", by "page,dftl,dloop";
    HandlesMixPersistent: "handles: what GC moves of all persistently isolated handles shares units",
        why "each has units of its own", law "units_keep", by "page,dftl,dloop";
    HandlesOwnShared: "handles: the units of all initially isolated handles belong to the first handle",
        why "its units then lose pages that others wrote", law "units_keep", by "page,dftl,dloop";
    HandlesInvalidIsLast: "handles: a handle that the drive does not have counts as the last",
        why "NVMe takes the default one, number 0", law "units_keep";
    HandlesInvalidByPage: "handles: each page of a request with an invalid handle is an event",
        why "the event is of the command", law "units_keep";
    HandlesReallocateByPage: "handles: each page that GC moves is a unit that was reallocated",
        why "the event is of the unit", law "units_keep", by "page,dftl,dloop";
    RoomLacksLastPage: "handles: the last page of an open unit is not told",
        why "the host may write it (RUAMW)", law "units_keep";
    UpdateForgotten: "updates: the host's update of a handle is passed over",
        why "its next page goes to a new unit", law "units_keep";
    UpdateOfAnother: "updates: the first handle is updated, whichever it is",
        why "the unit of another is left", law "units_keep";
    UpdateOfInvalid: "updates: that of a handle that the drive does not have is of the first",
        why "it is refused", law "units_keep";
    UpdateKeepsUnit: "updates: the unit takes more pages",
        why "it is left as it is", law "units_keep", by "page,dftl,dloop";
    UpdateLeavesNew: "updates: a unit without a page is left",
        why "the handle has a new one", law "units_keep", by "page";
    UpdateIsNoEvent: "updates: a unit that is not full is no event",
        why "the host is told what it wastes", law "units_keep";
    UpdateLeavesZone: "updates: a zone that is left is not finished",
        why "it stays active, and the drive has a limit", law "units_keep", by "zones";
    LedgerOfFirstWriter: "classes: a copy is counted for the class of the first write of its page",
        why "the last writer's data are moved", law "a_separation";
    LedgerDeathsUntold: "classes: a page that is superseded or trimmed is not counted",
        why "what lies in a class came and did not go", law "a_separation";
    LedgerErasesUntold: "classes: units that are erased are not counted",
        why "those of all classes are all", law "the_books";
    LedgerOfTarget: "classes: a copy is counted for the class that it goes to",
        why "it leaves a unit of another", law "a_separation";
    LedgerOfUnit: "classes: a copy is counted for the class of its unit, not of its last writer",
        why "GC mixes classes", law "a_separation";
    PlacementUntoldOfHost: "separation: it hears nothing of what the host says",
        why "the pages of a handle have a class of their own", law "a_separation";
    HeldForgetsMeta: "buffer: what the host says of a page is gone when the page leaves RAM",
        why "its handle says which class it goes to", law "a_separation";
    PlanesCollectUntold: "separation: it hears of no block that is collected",
        why "lifespans are never known", law "a_separation";
    SepbitReserveIsShort: "sepbit: no block is kept for what GC spreads over classes",
        why "a GC step that opens a block for each class finds no free one", by "sepbit";
    WindowKeepsCollected: "windowed-greedy: a block that was collected stays in the window",
        why "it is chosen again", law "every_ftl", by "page,dftl";
    RegionKeepsCollected: "2r-greedy: a block that was collected stays in its region",
        why "it is chosen again", law "every_ftl", by "page,dftl";
    ScanKeepsCollected: "2r-fifo: the pointer finds a block that was collected",
        why "it is chosen again", law "every_ftl", by "page,dftl";
    ScanKeepsChosen: "2r-fifo: a block that was collected is still the choice",
        why "it is chosen again", law "every_ftl", by "page,dftl";
    MidasKeepsCollected: "midas: a block that was collected stays in the last group",
        why "it is named again", law "every_ftl", by "page";
    MidasDeathUnseen: "midas: a page that is superseded counts as valid",
        why "cost-benefit takes blocks that are not empty for full ones", law "every_ftl", by "page";
    TwoQueuesHitUnnoted: "2q: a token that was hit is taken to be in A1",
        why "the lists no longer tell what is in them", by "dftl";
    RoundRobinLosesTurn: "placement: a plane that was chosen has no other turn",
        why "in the end no plane takes a page", by "page,dftl,tpftl";
    LeastBusyLosesPlane: "placement: a plane that was chosen is not asked again",
        why "in the end no plane takes a page", by "page,dftl,tpftl";
    RecoveryTrustsTorn: "recovery: a page whose program was cut is taken to be erased",
        why "it cannot be programmed before the next erase", law "power_cuts";
    RecoveryTakesLastFound: "recovery: of a page's versions the one found last is taken",
        why "versions are ordered by their sequence numbers, not by place", law "power_cuts", by "page,sepbit,dftl";
    RecoveryTrustsErased: "recovery: a block that looks erased is taken to be",
        why "its erase may have been cut", law "power_cuts", by "page,sepbit,dftl";
    RecoveryStopsAtGap: "recovery: a page that was skipped ends the survey of its block",
        why "what a copy-back has put behind it is lost", law "power_cuts", by "dloop,dloop-hot";
    RecoveryFreesNone: "recovery: blocks with nothing in them are not noted as free",
        why "no block is left to write to", law "power_cuts", by "page,sepbit,dftl";
    CheckpointTrustsBlock: "recovery: a block that was erased as often as in the checkpoint is as it was then",
        why "it may have been filled since", law "power_cuts", by "page,sepbit,dftl,fast,block";
    TombstonesUnread: "recovery: a mount takes no notice of tombstones",
        why "a page that was trimmed for good comes back", law "power_cuts", by "page,dftl,fast,mnftl,gftl";
    TombstonesBuryAll: "recovery: a tombstone buries what was written after it, too",
        why "a page that was trimmed and written is lost", law "power_cuts", by "page,dftl,fast,block";
    TombstonesLackPages: "trims: of a request only the first page has a tombstone",
        why "the others come back after a power cut", law "power_cuts", by "page,dftl,fast,block";
    TombstonesErasedFirst: "trims: tombstones are erased before all is written anew",
        why "a cut between brings all back", law "power_cuts", by "page,dftl,fast,block";
    RecoveryCopiesAnew: "recovery: a copy has a sequence number of its own",
        why "GC that was cut cannot be undone, and no block is free to end it", law "power_cuts", by "block,bast,nftl";
    RecoveryTrustsMap: "recovery: translation pages on flash are taken to be complete",
        why "what was dirty in the cache is lost", law "power_cuts", by "dftl,cdftl,sftl,tpftl";
    RecoveryGcLeavesMap: "recovery: the map keeps the old place when GC runs while an FTL mounts",
        why "stale PPN", law "power_cuts", by "dftl,cdftl,sftl,tpftl,cftl";
    ZftlMountLeavesDirectory: "zftl: the directories are not stored when it mounts",
        why "translation pages are looked for where they were", law "power_cuts", by "zftl";
    OobTrustsPieces: "recovery: a piece of a map in an OOB is taken to be as it is now",
        why "a page that the cut has undone is looked for where it was", law "power_cuts", by "mnftl,superblock";
    RebuildKeepsLast: "rebuild: a write that was cut in the midst of a merge is kept",
        why "no block is left to end the merge", law "power_cuts", by "block,nftl-chain";
    RebuildLeavesLogs: "rebuild: log blocks that have been emptied are not freed",
        why "leaked blocks", law "power_cuts", by "bast,nftl,fast";
    LogInvalidatesEarly: "log blocks: an overwrite invalidates the version before, then makes room, although power may be cut",
        why "the version before is erased, and the new one not programmed yet", law "power_cuts", by "fast,kast,last,aftl,waftl";
    BufferFlushesNone: "buffer: a flush writes nothing",
        why "what was acknowledged and flushed is in RAM alone", law "power_cuts", by "page,dftl,fast";
    BufferKeepsFua: "buffer: a write with FUA stays in RAM",
        why "what was to be durable is in RAM alone", law "power_cuts", by "page,dftl,fast";
    PooledFlushesNone: "pooled: a flush writes nothing",
        why "what was acknowledged and flushed is in RAM alone", law "power_cuts", by "treeftl,aps";
    BlockOptErasesFirst: "block-optimized: a block is erased before it is programmed, although power may be cut",
        why "what was in RAM is lost", law "power_cuts", by "block-optimized";
    BlockOptMountTakesNewer: "block-optimized: of two blocks the newer counts when it mounts",
        why "the rewrite was cut before all was copied", law "power_cuts", by "block-optimized";
    CachErasesFirst: "cachftl: a block is erased before it is programmed, although power may be cut",
        why "what was in RAM is lost", law "power_cuts", by "cachftl";
    CachStopsInRam: "cachftl: a merge out of place is interrupted while its block is in RAM",
        why "idle time may end in a power cut", law "power_cuts", by "cachftl";
    CachMountLeavesFull: "cachftl: no room is made when it mounts",
        why "pages that were trimmed have taken it", law "power_cuts", by "cachftl";
    RecoveryChangesOrder: "run.recovery: FTLs do what they do where power may be cut",
        why "eight of them then run another algorithm, with up to 0.9 % other erases", law "an_instrument",
        by "fast,kast,last,aftl,waftl,gftl,block-optimized,cachftl";
    DeviceTwinUnwritten: "device: a copy knows no version that the host has written",
        why "runs that share a warm-up measure another device", law "a_copy";
    TimesAreUsedUnseen: "gc: nobody notes that a policy asks for the time",
        why "runs with other hosts share a warm-up that depends on the host", law "a_copy";
    CftlMountCountsNone: "cftl: the mapped pages of logical blocks are not counted when it mounts",
        why "a logical block is never brought together, or when it is not whole", law "power_cuts", by "cftl";
}
