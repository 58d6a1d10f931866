"""The settings of a run as classes, one for each section and each FTL.

Made by `make settings` from the catalogue of the core. Do not edit.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import KW_ONLY
from typing import Literal

from ftlab.config import Quantity
from ftlab.ftls import NamedFtl
from ftlab.plugins import Plugin
from ftlab.settings import Settings, setting
from ftlab.source import Source

__all__ = [
    "AFTL",
    "APS",
    "BAST",
    "CACHFTL",
    "CDFTL",
    "CFTL",
    "DFTL",
    "DLOOP",
    "FAST",
    "GC",
    "GFTL",
    "HAT",
    "KAST",
    "LAST",
    "MNFTL",
    "NFTL",
    "RNFTL",
    "SAST",
    "SEPBIT",
    "SFTL",
    "TPFTL",
    "WAFTL",
    "ZFTL",
    "ZONES",
    "Block",
    "BlockOptimized",
    "Buffer",
    "DLOOPHot",
    "Device",
    "Energy",
    "Host",
    "MNFTLHybrid",
    "NFTLChain",
    "Page",
    "Run",
    "Superblock",
    "TPFTLAdaptive",
    "Trace",
    "TreeFTL",
    "Wear",
    "Workload",
]


GcPolicy = (
    Literal[
        "greedy",
        "cost-benefit",
        "fifo",
        "random",
        "d-choices",
        "windowed-greedy",
        "ramcloud-cost-benefit",
        "cat",
        "cost-hotness",
        "2r-greedy",
        "2r-fifo",
    ]
    | type
    | Plugin
)
GcCopies = Literal["shared", "own"]
GcMode = Literal["batch", "single"]
GcCopyBack = Literal["off", "greedy", "in-order"]
GcStart = Literal["free-blocks", "garbage", "each-page"]
GcOpen = Literal["on-demand", "ahead"]
FtlPlacement = Literal["single", "striped", "striped-hot", "round-robin", "least-busy"]
FtlSeparation = (
    Literal[
        "none",
        "copies",
        "temperature",
        "sepbit",
        "handles",
        "multi-queue",
        "sfr",
        "warcip",
        "midas",
        "sfs",
        "eti",
        "fadac",
        "multilog",
        "fk",
        "nodap",
        "learned",
    ]
    | type
    | Plugin
)
FtlSearch = Literal["none", "list", "binary"]
FtlMapBlocks = Literal["own", "shared"]
FtlMapUpdates = Literal["written", "held"]
LogMap = Literal["ram", "flash"]


class Device(Settings):
    """The NAND device.

    Parameters
    ----------
    capacity
        Logical capacity. Default: the address space of the input, rounded up to whole blocks.
        Source: ours.
    page
        Page size, data only; a power of two. Default: 4KiB. Range: 512B to 64KiB. Source: TPFTL
        Table 3.
    pages_per_block
        Pages per block. Default: 64. Unit: pages. Range: 2 to 32768. Source: TPFTL Table 3.
    over_provisioning
        Physical over logical blocks, minus one. Default: 15%. Range: 0 to 100. Source: TPFTL Table
        3; choices.md#over-provisioning.
    blocks
        Physical blocks. Default: by over_provisioning. Unit: blocks. Source:
        choices.md#over-provisioning.
    channels
        Channels, each with its own bus. Default: 1. Unit: channels. Range: 1 to 1024. Source: ours.
    chips_per_channel
        Chips on each channel. Default: 1. Unit: chips. Range: 1 to 1024. Source: ours.
    dies_per_chip
        Dies in each chip. Default: 1. Unit: dies. Range: 1 to 1024. Source: ours.
    planes_per_die
        Planes in each die. Default: 1. Unit: planes. Range: 1 to 1024. Source: ours.
    read
        Array time of a page read; with page types, the mean over them. Default: 25us. Range: at
        most 10s. Source: TPFTL Table 3.
    oob_read
        Array time of an OOB read. Default: 0ns. Range: at most 10s. Source: TPFTL does not model
        it; choices.md#oob-time.
    program
        Array time of a page program; with page types, the mean over them. Default: 200us. Range: at
        most 10s. Source: TPFTL Table 3.
    erase
        Array time of a block erase. Default: 1.5ms. Range: at most 10s. Source: TPFTL Table 3.
    transfer_per_byte
        Bus time per byte of page data. Default: 0ns. Range: at most 10s. Source: TPFTL does not
        model it; choices.md#transfer-time.
    map_access
        Time to find a page of a request in the map in RAM. Default: 0ns. Range: at most 10s.
        Source: choices.md#map-access.
    map_update
        Time to note in RAM the place of a programmed page of data, or a trim. Default: 0ns. Range:
        at most 10s. Source: choices.md#map-access.
    program_order
        Order in which the pages of a block may be programmed; the result states it.
        ``"ascending"``: Page after page, as MLC and modern SLC demand. ``"any"``: Any erased page,
        as block-mapped FTLs of early SLC need. Default: the strictest that the FTL can work with.
        Source: choices.md#program-order.
    oob
        Bytes of each page's OOB that an FTL may fill, and the error correction. Default: a 32nd of
        the page: 64 B for 2 KiB, 128 B for 4 KiB. Source: Samsung K9LBG08U0M; choices.md#oob-size.
    ecc
        Bytes of each page's OOB that the error correction fills. Default: 0B. Source:
        choices.md#ecc.
    ecc_decode
        Time to correct the errors of a page that was read, in the controller; the plane does not
        wait for it. Default: 0ns. Range: at most 10s. Source: choices.md#ecc.
    block_numbers
        Whether the blocks of a plane follow each other in number, or planes take turns. An FTL that
        ignores planes takes free blocks of equal wear, and equal victims, by number.
        ``"along-planes"``: All blocks of a plane, then those of the next. ``"across-planes"``: One
        block of each plane in turn. Default: along-planes. Source: choices.md#block-numbers.
    checkpoint
        Pages programmed between two checkpoints of the OOBs, from which recovery starts. Default:
        none are made. Unit: pages. Range: at least 1. Source: power-loss.md.
    trim
        What a trim promises. ``"hint"``: The page holds no data, but after a power cut old data may
        return. ``"durable"``: The page holds no data, even after a power cut: the trim is written
        to flash. Default: hint. Source: power-loss.md.
    partial_writes
        What a write of a part of a page costs. ``"program"``: A program. ``"read-modify-write"``: A
        read of the page, if it holds data, and a program. Default: program. Source:
        choices.md#partial-pages.
    sector
        The host's sector, which is read or written whole; a power of two. A page has at most 128
        sectors. Default: 512B. Range: 1B to 64KiB. Source: ours.
    cell
        Bits of a cell. ``"slc"``: One bit: all pages alike. ``"mlc"``: Two bits: LSB and MSB pages.
        ``"tlc"``: Three bits: LSB, CSB and MSB pages. Default: all pages alike, or mlc where the
        FTL has blocks in SLC mode. Source: papers that give one program time;
        choices.md#cell-times.
    read_by_bit
        Read time of each page type, LSB first. Default: shares of read. Range: at most 10s. Source:
        SimpleSSD; choices.md#cell-times.
    program_by_bit
        Program time of each page type, LSB first. Default: shares of program. Range: at most 10s.
        Source: SimpleSSD; choices.md#cell-times.
    bandwidth
        Bytes per second of a channel. Default: by transfer_per_byte. Range: at least 1B. Source:
        choices.md#transfer-time.
    command
        Time of the command and address cycles of an operation. Default: 0ns. Range: at most 10s.
        Source: DLOOP III.A: negligible.
    bus
        Whether transfers take the bus in the order of placement, or go into gaps. ``"placement"``:
        Transfers in the order in which their operations were placed. ``"gaps"``: Any transfer, as
        soon as the bus is free for long enough. Default: placement. Source: choices.md#bus-order.
    interleave
        Whether the dies of a chip work at the same time. Default: true. Source: ours.
    package_chips
        Chips of a package, which are busy together: while one of them is, the others wait. Default:
        1. Unit: chips. Range: 1 to 1024. Source: DLOOP II.B; choices.md#packages.
    multi_plane
        Whether the planes of a die take one command together, at the same page of their blocks, and
        none apart. Default: false. Source: DLOOP: planes are independent.
    multi_plane_joins
        With that, what takes a command together. ``"request"``: Consecutive pages of a request.
        ``"waiting"``: All operations that wait for the die at the same page of their blocks, of any
        request and of GC, and erases. Default: request. Source: DLOOP II.B;
        choices.md#multi-plane-joins.
    cache_read
        Whether a page leaves a plane while its array reads the next. Default: false. Source:
        choices.md#page-register.
    cache_program
        Whether a page arrives at a plane while its array programs the one before. Default: false.
        Source: choices.md#page-register.
    suspend
        Time to stop a program or erase for a read and to take it up again. Default: not possible.
        Range: at most 10s. Source: choices.md#overtaken-programs.
    endurance
        Erases after which a block is worn out. Default: blocks last for ever. Unit: erases. Range:
        1 to 100000000. Source: choices.md#wear-out.
    endurance_spread
        With that, its standard deviation over blocks, of the mean. Default: 0%. Range: 0 to 0.3.
        Source: choices.md#wear-out.
    spare_blocks
        With that, the blocks kept in each plane to replace bad ones, as a share of the FTL's
        blocks. Default: 2%. Range: 0 to 10. Source: choices.md#wear-out.
    bad_blocks
        With that, the blocks of a plane that are bad from the factory, as a share of the FTL's
        blocks. Default: 0%. Range: 0 to 10. Source: choices.md#wear-out.
    """

    _: KW_ONLY
    capacity: Quantity | None = setting("device.capacity")
    page: Quantity | None = setting("device.page")
    pages_per_block: int | None = setting("device.pages_per_block")
    over_provisioning: Quantity | None = setting("device.over_provisioning")
    blocks: int | None = setting("device.blocks")
    channels: int | None = setting("device.channels")
    chips_per_channel: int | None = setting("device.chips_per_channel")
    dies_per_chip: int | None = setting("device.dies_per_chip")
    planes_per_die: int | None = setting("device.planes_per_die")
    read: Quantity | None = setting("device.read")
    oob_read: Quantity | None = setting("device.oob_read")
    program: Quantity | None = setting("device.program")
    erase: Quantity | None = setting("device.erase")
    transfer_per_byte: Quantity | None = setting("device.transfer_per_byte")
    map_access: Quantity | None = setting("device.map_access")
    map_update: Quantity | None = setting("device.map_update")
    program_order: Literal["ascending", "any"] | None = setting("device.program_order")
    oob: Quantity | None = setting("device.oob")
    ecc: Quantity | None = setting("device.ecc")
    ecc_decode: Quantity | None = setting("device.ecc_decode")
    block_numbers: Literal["along-planes", "across-planes"] | None = setting("device.block_numbers")
    checkpoint: int | None = setting("device.checkpoint")
    trim: Literal["hint", "durable"] | None = setting("device.trim")
    partial_writes: Literal["program", "read-modify-write"] | None = setting(
        "device.partial_writes"
    )
    sector: Quantity | None = setting("device.sector")
    cell: Literal["slc", "mlc", "tlc"] | None = setting("device.cell")
    read_by_bit: Sequence[Quantity] | None = setting("device.read_by_bit")
    program_by_bit: Sequence[Quantity] | None = setting("device.program_by_bit")
    bandwidth: Quantity | None = setting("device.bandwidth")
    command: Quantity | None = setting("device.command")
    bus: Literal["placement", "gaps"] | None = setting("device.bus")
    interleave: bool | None = setting("device.interleave")
    package_chips: int | None = setting("device.package_chips")
    multi_plane: bool | None = setting("device.multi_plane")
    multi_plane_joins: Literal["request", "waiting"] | None = setting("device.multi_plane_joins")
    cache_read: bool | None = setting("device.cache_read")
    cache_program: bool | None = setting("device.cache_program")
    suspend: Quantity | None = setting("device.suspend")
    endurance: int | None = setting("device.endurance")
    endurance_spread: Quantity | None = setting("device.endurance_spread")
    spare_blocks: Quantity | None = setting("device.spare_blocks")
    bad_blocks: Quantity | None = setting("device.bad_blocks")


class Wear(Settings):
    """Wear levelling, below every FTL.

    Parameters
    ----------
    policy
        How uneven wear is prevented. ``"none"``: Nothing: the free block with the lowest number is
        taken. ``"dynamic"``: The free block with the fewest erases is taken. ``"static"``: The
        same, and data that have lain long move to worn blocks. Default: dynamic. Source: FlashSim;
        choices.md#free-block.
    gap
        With ``static``, the largest difference between the erases of two blocks of a part. Below 4
        the moves never end: blocks that were just moved are worn enough to be moved again. Default:
        16. Unit: erases. Range: at least 4. Source: choices.md#wear-below.
    part
        With ``static``, the blocks that are levelled together. ``"plane"``: Those of a plane.
        ``"region"``: Those of a plane in a region of the FTL: a zone, a block- or a page-mapped
        region. Default: plane. Source: CACH-FTL 4.2.3: local or global.
    """

    policy: Literal["none", "dynamic", "static"] | None = setting("wear.policy")
    _: KW_ONLY
    gap: int | None = setting("wear.gap")
    part: Literal["plane", "region"] | None = setting("wear.part")


class GC(Settings):
    """Garbage collection of page-level FTLs.

    Parameters
    ----------
    policy
        Which closed block is collected. At the last free block, and after a run of as many victims
        as there are blocks, the most wasteful block is taken instead (``forced_victims``). Among
        equals the block with the lowest number is taken by ``greedy``, ``ramcloud-cost-benefit``,
        ``cat`` and ``cost-hotness``. Numbers of a volume are in the order in which blocks were
        opened. ``cost-benefit``, ``fifo`` and ``windowed-greedy`` take the oldest. ``"greedy"``:
        Fewest valid pages, lowest block number among equals. ``"cost-benefit"``: Largest age x (1 -
        u) / 2u. ``"fifo"``: The block closed longest ago. ``"random"``: Any closed block.
        ``"d-choices"``: Fewest valid pages among gc.choices random blocks. ``"windowed-greedy"``:
        Fewest valid pages among the blocks closed longest ago. ``"ramcloud-cost-benefit"``: Largest
        (1 - u) / u x sqrt(age), age in time of the host since the block was filled. ``"cat"``:
        Largest (1 - u) / u x age / erases of the block. ``"cost-hotness"``: Largest (1 - u) / (u x
        hotness), hotness by writes and age of the pages (SFS). ``"2r-greedy"``: Fewest valid pages
        in the emptier region: of the host's writes, or of moved pages. ``"2r-fifo"``: In the order
        of filling, those under a share of valid pages that rises. Default: greedy. Source:
        choices.md#gc-victim.
    low
        Free blocks at which GC starts when a frontier needs a block. Default: 3. Unit: blocks.
        Range: at least 1. Source: FlashSim; choices.md#gc-levels.
    high
        Free blocks at which a batch ends; more than ``low``. Default: 4. Unit: blocks. Source:
        FlashSim's page FTL; choices.md#gc-levels.
    copies
        Whether GC copies go to the host's open block. ``"shared"``: Into the block that the host
        writes. ``"own"``: Into an open block of their own. Default: shared. Source: FlashSim;
        choices.md#gc-copies.
    mode
        Whether GC runs up to ``high`` or frees one block at a time. ``"batch"``: Collect until
        ``gc.high`` blocks are free. ``"single"``: Collect only while no block may be opened: one
        block at a time when copies are shared. Default: batch. Source: FlashSim;
        choices.md#gc-batch.
    copy_back
        Whether GC copies inside a plane skip the controller, and how they keep the parity of a
        page's number. ``"off"``: Through the controller. ``"greedy"``: By copy-back; of the pages
        left, one that fits the parity of the next free page goes first. ``"in-order"``: By
        copy-back, in the order of the pages. Default: off; greedy for dloop. Source: FlashSim;
        choices.md#dloop-parity.
    oob_scan
        Whether an OOB read is counted and charged for each page of a victim. If not, validity and
        owner are known from RAM and from the copied page itself. Default: false. Source:
        choices.md#gc-oob-scan.
    start
        What starts GC: few free blocks when one is needed or before each page, as in a device, or
        much garbage, as in a log-structured volume. ``"free-blocks"``: A frontier needs a block,
        and ``gc.low`` blocks are free: a device of fixed size. ``"garbage"``: A request that writes
        is over, and more than the share ``gc.garbage`` of all pages in use is garbage: a volume
        that grows. ``"each-page"``: A page of the host is next, ``gc.low`` or fewer blocks are
        free, and a full block has garbage: a controller that keeps a reserve. Default: free-blocks.
        Source: Wang et al., SepBIT, FAST 2022.
    garbage
        Share of garbage above which GC starts, and from which a block may be collected (``start =
        garbage``). Default: 15%. Range: 0.01 to 0.9. Source: Wang et al., SepBIT, FAST 2022.
    victims
        Blocks that are collected after a request that writes when there is too much garbage
        (``start = garbage``). Default: 1. Unit: blocks. Range: 1 to 1024. Source: Wang et al.,
        SepBIT, FAST 2022.
    open
        When a frontier gets a block (``start = each-page``). ``"on-demand"``: A page needs it.
        ``"ahead"``: At the start, and as soon as the block before is full. Default: on-demand.
        Source: fdp.md#rules.
    background
        Free blocks at which a block is collected behind a page of the host; 0 means never (``start
        = each-page``). Default: 0. Unit: blocks. Source: fdp.md#rules.
    lazy
        Share of garbage from which a block with valid pages is collected so (``start =
        each-page``). Default: 0%. Range: 0 to 1. Source: fdp.md#rules.
    choices
        Blocks drawn by ``d-choices``. Default: 10. Unit: blocks. Range: 1 to 1024. Source: ours.
    choices_share
        Share of the closed blocks that ``d-choices`` draws, two blocks at least. Default:
        gc.choices blocks. Range: 0 to 1. Source: Wang et al., SepBIT, FAST 2022: 20 %.
    window
        Windowed greedy: share of the blocks, those closed longest ago, among which a victim is
        chosen; one block at least. Default: 25%. Range: 0 to 1. Source: ours.
    """

    policy: GcPolicy | None = setting("gc.policy")
    _: KW_ONLY
    low: int | None = setting("gc.low")
    high: int | None = setting("gc.high")
    copies: GcCopies | None = setting("gc.copies")
    mode: GcMode | None = setting("gc.mode")
    copy_back: GcCopyBack | None = setting("gc.copy_back")
    oob_scan: bool | None = setting("gc.oob_scan")
    start: GcStart | None = setting("gc.start")
    garbage: Quantity | None = setting("gc.garbage")
    victims: int | None = setting("gc.victims")
    open: GcOpen | None = setting("gc.open")
    background: int | None = setting("gc.background")
    lazy: Quantity | None = setting("gc.lazy")
    choices: int | None = setting("gc.choices")
    choices_share: Quantity | None = setting("gc.choices_share")
    window: Quantity | None = setting("gc.window")


class Buffer(Settings):
    """The write buffer above the FTL.

    Parameters
    ----------
    policy
        Which buffer. ``"none"``: No buffer. ``"lru"``: Write-back cache of single pages, read or
        written; the oldest leaves. ``"clash"``: Single pages until some of one block have met, then
        blocks; the oldest block leaves. ``"bplru"``: Blocks by their last write, completed with
        pages from flash when they leave. ``"fab"``: The block with most pages leaves.
        ``"lb-clock"``: Of the blocks not written again lately, the one with most pages leaves.
        ``"cflru"``: Page cache; of those used longest ago, a clean page leaves first.
        ``"pud-lru"``: Of the blocks not updated often, the one with most pages leaves. ``"clc"``:
        The block with most pages leaves, but for those used lately. ``"bpac"``: Single pages while
        they are written again, then blocks; the border adapts. ``"ref"``: Blocks that left a short
        while ago leave first, then the oldest. ``"informed"``: Of the blocks used longest ago the
        one leaves that costs the FTL least. Default: none. Source: choices.md#lru-cache.
    size
        RAM for the pages. Default: 2MiB. Source: CACH-FTL 5.1; choices.md#lru-cache.
    page_space
        C-lash: share of the pages in the p-space, which also gets the rest that fills no block.
        Default: 25%. Range: 0 to 1. Source: CACH-FTL 5.1: with 2 MiB, 128 pages and 6 blocks;
        choices.md#clash-ties.
    padding
        BPLRU: complete the blocks that leave with pages read from flash. Default: true. Source:
        choices.md#bplru-padding.
    window
        CFLRU: share of the pages, those used longest ago, among which a clean one leaves first.
        Default: 25%. Range: 0 to 1. Source: choices.md#cflru-window.
    update_distance
        PUD-LRU: page accesses between two updates of a block up to which it is updated often.
        Default: as many as the buffer has pages. Unit: page accesses. Range: 1 to 1099511627776.
        Source: choices.md#pud-distance.
    recent
        CLC and REF: groups used last count as recent while they have this share of the pages.
        Default: 10%. Range: 0 to 1. Source: choices.md#recent-groups.
    evicted_blocks
        REF: blocks that left last whose pages leave first. Default: 8. Unit: blocks. Range: 1 to
        1024. Source: choices.md#recent-groups.
    candidates
        Liao & Hu: blocks among which the FTL chooses the one that leaves. Default: 8. Unit: blocks.
        Range: at least 1. Source: choices.md#informed-candidates.
    """

    policy: (
        Literal[
            "none",
            "lru",
            "clash",
            "bplru",
            "fab",
            "lb-clock",
            "cflru",
            "pud-lru",
            "clc",
            "bpac",
            "ref",
            "informed",
        ]
        | type
        | Plugin
        | None
    ) = setting("buffer.policy")
    _: KW_ONLY
    size: Quantity | None = setting("buffer.size")
    page_space: Quantity | None = setting("buffer.page_space")
    padding: bool | None = setting("buffer.padding")
    window: Quantity | None = setting("buffer.window")
    update_distance: int | None = setting("buffer.update_distance")
    recent: Quantity | None = setting("buffer.recent")
    evicted_blocks: int | None = setting("buffer.evicted_blocks")
    candidates: int | None = setting("buffer.candidates")


class Energy(Settings):
    """Energy of flash and RAM.

    Parameters
    ----------
    read
        Power of a plane that reads. Default: 82.5. Unit: mW. Range: 0 to 1000000. Source: Micron
        MT29F64G08: 25 mA at 3.3 V (choices.md#energy).
    program
        Power of a plane that programs. Default: 82.5. Unit: mW. Range: 0 to 1000000. Source: Micron
        MT29F64G08: 25 mA at 3.3 V (choices.md#energy).
    erase
        Power of a plane that erases. Default: 82.5. Unit: mW. Range: 0 to 1000000. Source: Micron
        MT29F64G08: 25 mA at 3.3 V (choices.md#energy).
    transfer
        Power of a bus that transfers. Default: 33. Unit: mW. Range: 0 to 1000000. Source: Micron
        MT29F64G08: 10 mA at 3.3 V (choices.md#energy).
    ram
        Power of each MiB of RAM, always. Default: 0.0637. Unit: mW/MiB. Range: 0 to 1000000.
        Source: Micron EDF8132A1MC: 32.6 mW of 512 MiB in standby (choices.md#energy).
    """

    _: KW_ONLY
    read: float | None = setting("energy.read")
    program: float | None = setting("energy.program")
    erase: float | None = setting("energy.erase")
    transfer: float | None = setting("energy.transfer")
    ram: float | None = setting("energy.ram")


class Host(Settings):
    """How requests reach the device.

    Parameters
    ----------
    mode
        ``open`` (by the input's times), ``closed:QD`` (QD requests outstanding), or ``queued:QD``
        (by the input's times, and at most QD of them in the device). Values: open, closed:QD or
        queued:QD. Default: open. Source: choices.md#host-model.
    queues
        With ``queued:QD``: one queue, or one for each volume, which take turns. ``"one"``: In one
        queue. ``"volumes"``: In a queue for each volume; these take turns (NVMe's round-robin
        arbitration). Default: one. Source: ours.
    reads_first
        With ``queued:QD``: whether reads that wait go before writes. Default: false. Source: ours.
    time_scale
        Factor on the input's times: 0.5 doubles the load. Default: 1. Range: 0 to 1000000. Source:
        ours.
    split
        How a request becomes page accesses. ``"pages"``: One access per page touched. ``"single"``:
        One access to the first page, whatever the size (what MNFTL's Table 2 implies). Default:
        pages. Source: choices.md#page-accesses.
    """

    mode: str | None = setting("host.mode")
    _: KW_ONLY
    queues: Literal["one", "volumes"] | None = setting("host.queues")
    reads_first: bool | None = setting("host.reads_first")
    time_scale: float | None = setting("host.time_scale")
    split: Literal["pages", "single"] | None = setting("host.split")


class Trace(Source):
    """A recorded trace, or a built-in profile of one.

    Parameters
    ----------
    trace
        A file, ``-`` for standard input, or the name of a profile. Values: a name. Default:
        ``workload`` is run. Source: ours.
    format
        Format of the trace. Values: a name. Default: found from its content. Source: ours.
    order
        How to treat times that go back. ``"error"``: It is an error, which names the line.
        ``"sort"``: Requests are sorted by time, stably, within a window. ``"clamp"``: Its time is
        raised to that of the request before it. ``"segments"``: Where the clock jumps, later times
        continue at the latest time before it; a smaller step is raised. ``"drop"``: It is left out,
        as is one more than a day behind the one before it. Default: what the format says, which is
        an error for most. Source: ours.
    volume
        The only volume to take. Default: all of them. Source: ours.
    from_
        Take requests from this time since the first one on, such as ``1h``. Default: from the
        first. Source: ours.
    until
        Take requests before this time since the first one, such as ``2h30m``. Default: to the last.
        Source: ours.
    skip
        Skip the first N requests that pass the filters. Default: 0. Unit: requests. Source: ours.
    requests
        Take only the first N requests after those that are skipped. Default: all of them. Unit:
        requests. Source: ours.
    op
        What the requests are, for formats that do not say. ``"read"``: Read. ``"write"``: Write.
        ``"trim"``: Trim. Default: an error for those formats. Source: ours.
    unit
        Bytes of a page, for formats that do not say. Default: 512B. Source: ARC paper, section IV;
        choices.md#arc-unit.
    time_unit
        Unit of times in a text, if not the format's own; ``filetime`` is 100 ns. ``"s"``: Seconds.
        ``"ms"``: Milliseconds. ``"us"``: Microseconds. ``"ns"``: Nanoseconds. ``"filetime"``: 100
        ns, as Windows counts. Default: as the format says. Source: ours.
    offset_unit
        Bytes per unit of an address in a text, if not the format's own. Default: as the format
        says. Source: ours.
    stage
        The stage at which requests are taken from events of Linux' block layer. ``"Q"``: It arrives
        at the block layer. ``"D"``: It is issued to the driver. ``"C"``: It is complete. Default:
        their arrival, Q. Source: ours.
    flushes
        Take flushes from text, and keep FUA on writes. Otherwise flushes are left out, and writes
        with FUA become plain writes. A Parquet file has the flushes that were taken when it was
        converted. Default: false. Source: choices.md#flush-off.
    columns
        The columns of a CSV file, as ``time=ts:us,offset=lba:sectors,length=bytes,op=rw``. Values:
        what=column or what=column:unit, separated by commas. Default: an error for such a file.
        Source: ours.
    hint_by
        How the placement handle of a write is derived. ``volume`` uses the rank of its volume, in
        the order in which volumes are first written. ``range`` uses its first byte, and ``size``
        its length, as the number of borders that it reaches. ``stream`` uses the sequential stream
        that it continues, 1 to COUNT, or 0 for none. Values: volume, range:BYTE:BYTE..,
        size:BYTES:BYTES.. or stream:COUNT. Default: the trace's own handles. Source: ours.
    update_every
        Bytes written with a placement handle after which the host moves it to a new reclaim unit,
        before the next write. Default: the input's own updates. Range: at least 1B. Source: NVMe
        2.1, I/O Management Send.
    shard
        What one device of an array gets: bytes in stripes over DEVICES, of which DEVICE counts from
        0. Its first request is at time 0. Values: DEVICE/DEVICES:STRIPE, as 0/4:64KiB. Default: the
        whole input. Source: fleets.md#arrays.
    """

    trace: str | None = setting("input.trace")
    _: KW_ONLY
    format: str | None = setting("input.format")
    order: Literal["error", "sort", "clamp", "segments", "drop"] | None = setting("input.order")
    volume: int | None = setting("input.volume")
    from_: Quantity | None = setting("input.from")
    until: Quantity | None = setting("input.until")
    skip: int | None = setting("input.skip")
    requests: int | None = setting("input.requests")
    op: Literal["read", "write", "trim"] | None = setting("input.op")
    unit: Quantity | None = setting("input.unit")
    time_unit: Literal["s", "ms", "us", "ns", "filetime"] | None = setting("input.time_unit")
    offset_unit: Quantity | None = setting("input.offset_unit")
    stage: Literal["Q", "D", "C"] | None = setting("input.stage")
    flushes: bool | None = setting("input.flushes")
    columns: str | None = setting("input.columns")
    hint_by: str | None = setting("input.hint_by")
    update_every: Quantity | None = setting("input.update_every")
    shard: str | None = setting("input.shard")


class Workload(Source):
    """Generated requests, described in fio's words.

    Parameters
    ----------
    pattern
        Where requests go. ``"seq"``: Sequential, in one or more streams that take turns.
        ``"rand"``: Uniformly random. ``"zipf"``: Zipf popularity with exponent zipf_theta.
        ``"hotcold"``: Hot_share of the space gets hot_access of the requests. ``"cachftl"``:
        CACH-FTL's synthetic workload (its Table 2). ``"parts"``: Several writers, each with a range
        and a handle (parts). ``"read"``: Fio's read: seq, reads only. ``"write"``: Fio's write:
        seq, writes only. ``"rw"``: Fio's rw: seq, reads and writes mixed by read_share.
        ``"randread"``: Fio's randread: rand, reads only. ``"randwrite"``: Fio's randwrite: rand,
        writes only. ``"randrw"``: Fio's randrw: rand, reads and writes mixed by read_share.
        Default: rand. Source: ours.
    bs
        Size of every request. Default: 4KiB. Range: 1B to 1GiB. Source: fio, and one page of the
        papers.
    size
        Address space covered, from 0. Default: 512MiB; of cachftl 1GiB. Range: at most 4096TiB.
        Source: TPFTL 5.1; CACH-FTL 5.2.
    requests
        Number of requests. Default: 1,000,000; of cachftl 250,000. Unit: requests. Range: at least
        1. Source: ours; CACH-FTL Table 2.
    read_share
        Share of requests that read. Default: what fio's name says: randread 1, rw and randrw 0.5;
        else 0, all writes. Range: 0 to 1. Source: fio's rwmixread.
    bs_mix
        Sizes with their weights, instead of ``bs``, such as ``[["4k", 3], ["64k", 1]]``. Values: a
        list of [size, weight]. Default: []. Source: fio's bssplit.
    align
        Alignment of the starts of requests. Default: the smallest size. Range: at least 1B. Source:
        fio's blockalign.
    random_map
        ``rand``: each block once before any comes again; false: independent draws. Default: false.
        Source: fio, whose norandommap is false here.
    zipf_theta
        Exponent of ``zipf``; 0 is uniform. Default: 1.1. Range: 0 to 10. Source: fio.
    scatter
        ``zipf`` and ``hotcold``: popular pages are spread over the space, not at its beginning.
        Default: true. Source: fio.
    hot_share
        ``hotcold``: share of the space that is hot. Default: 20%. Range: above 0 and below 1.
        Source: ours.
    hot_access
        ``hotcold``: share of the requests that go to the hot space. Default: 80%. Range: 0 to 1.
        Source: ours.
    streams
        ``seq``: sequential streams that take turns, each in its own part of the space. Default: 1.
        Unit: streams. Range: 1 to 65536. Source: ours.
    sequential_rate
        ``cachftl``: share of requests that are sequential. Default: 40%. Range: 0 to 1. Source:
        CACH-FTL Table 2; choices.md#cachftl-sequential.
    sequential
        ``cachftl``: the request that a sequential request continues. ``"previous"``: The previous
        request, so runs have geometric length. ``"stream"``: The last sequential request: one
        stream, with other requests in between. Default: previous. Source: ours;
        choices.md#cachftl-sequential.
    spatial_locality
        ``cachftl``: share of the other requests that lie near the previous one. Default: 20%.
        Range: 0 to 1. Source: CACH-FTL Table 2; choices.md#cachftl-locality.
    parts
        ``parts``: for each writer its share of the bytes, order, range in percent, handle, and
        request size if not ``bs``. Orders are ``seq``, ``rand``, ``zipf:THETA`` and fio's
        ``zoned:WRITES/RANGE:...``. Values: share, order, range in percent and handle of each, such
        as 58 seq 0-90 0; 42 rand 90-100 1. Default: the three streams of WARP: ``58 seq 0-90 0; 21
        rand 90-100 1; 21 zoned:80/20:10/20:10/60 0-90 2``. Source: WARP (FAST 2026); fio's zoned.
    fill
        ``parts``: first write each page of the ranges once, in order, by the first part that has
        it. Default: true. Source: WARP (FAST 2026).
    fsync
        Issue a flush after every N writes, at the same time; it counts as a request. Default: no
        flushes. Unit: writes. Range: at least 1. Source: fio's fsync and fdatasync.
    plids
        Placement handles of the writes, such as ``0:2-5``; fio also needs ``fdp=1`` or
        ``dataplacement``. Values: handles and ranges of them, such as 0:2-5. Default: the default
        handle. Source: fio's plids, or fdp_pli.
    plid_select
        Which of ``plids`` a write takes. ``"roundrobin"``: Each in its turn. ``"random"``: A random
        one. Default: roundrobin. Source: fio's plid_select.
    write_hint
        Lifetime of the writes. ``"unset"``: The host does not say. ``"none"``: The host says that
        it does not know. ``"short"``: Short. ``"medium"``: Medium. ``"long"``: Long. ``"extreme"``:
        Extremely long. Default: unset. Source: fio's write_hint.
    arrivals
        How requests follow each other in time. ``"poisson"``: Independent, exponentially
        distributed gaps. ``"fixed"``: Equal gaps. ``"closed"``: All at time 0: a host with a queue
        depth decides when they are issued. Default: poisson. Source: ours.
    interarrival
        Mean time between arrivals. Default: 1ms; of cachftl 200ms. Range: at most 86400s. Source:
        ours; CACH-FTL Table 2.
    """

    pattern: (
        Literal[
            "seq",
            "rand",
            "zipf",
            "hotcold",
            "cachftl",
            "parts",
            "read",
            "write",
            "rw",
            "randread",
            "randwrite",
            "randrw",
        ]
        | None
    ) = setting("workload.pattern")
    bs: Quantity | None = setting("workload.bs")
    size: Quantity | None = setting("workload.size")
    requests: int | None = setting("workload.requests")
    _: KW_ONLY
    read_share: Quantity | None = setting("workload.read_share")
    bs_mix: Sequence[Sequence[Quantity]] | None = setting("workload.bs_mix")
    align: Quantity | None = setting("workload.align")
    random_map: bool | None = setting("workload.random_map")
    zipf_theta: float | None = setting("workload.zipf_theta")
    scatter: bool | None = setting("workload.scatter")
    hot_share: Quantity | None = setting("workload.hot_share")
    hot_access: Quantity | None = setting("workload.hot_access")
    streams: int | None = setting("workload.streams")
    sequential_rate: Quantity | None = setting("workload.sequential_rate")
    sequential: Literal["previous", "stream"] | None = setting("workload.sequential")
    spatial_locality: Quantity | None = setting("workload.spatial_locality")
    parts: str | None = setting("workload.parts")
    fill: bool | None = setting("workload.fill")
    fsync: int | None = setting("workload.fsync")
    plids: str | None = setting("workload.plids")
    plid_select: Literal["roundrobin", "random"] | None = setting("workload.plid_select")
    write_hint: Literal["unset", "none", "short", "medium", "long", "extreme"] | None = setting(
        "workload.write_hint"
    )
    arrivals: Literal["poisson", "fixed", "closed"] | None = setting("workload.arrivals")
    interarrival: Quantity | None = setting("workload.interarrival")


class Run(Settings):
    """How a run is prepared and measured.

    Parameters
    ----------
    warmup
        What happens before measuring starts. Values: none, footprint, replay:K, sequential,
        random:K, steady:X% or steady-random:X%. Default: none. Source: choices.md#warmup.
    warmup_limit
        Windows after which a warm-up until steady gives up. Default: 50. Unit: windows. Range: 5 to
        100000. Source: ours: at least 25 capacities of writes, where uniform writes need less than
        10.
    address
        How volumes share the device. ``"compact"``: One after another in ascending order, each from
        its first to its last used byte, both rounded outwards to whole mebibytes. ``"overlay"``:
        All from byte 0, over each other, as if the volume were not known. The 512 MB of TPFTL's
        Financial traces imply it. ``"modulo"``: Overlay, then the offset modulo the device's
        capacity. A request that crosses the device's end is cut there: it never wraps in the
        middle. Default: compact. Source: choices.md#volumes.
    seed
        Seed of everything random. Default: 1. Source: ours.
    verify
        Whether the version of every page read is compared with the last one written. Default: true.
        Source: ours.
    audit
        Requests between two checks of every invariant; 0 means only at the end. Default: 0. Unit:
        requests. Source: ours.
    recovery
        Whether the FTL is mounted when all is measured, as after a power cut, on a copy of the
        device. Those that obey ftl.power_safe are mounted with that alone. Default: false. Source:
        ours.
    samples
        Page accesses between two looks into the mapping cache, each a walk over it; 0 means never.
        Default: 0. Unit: page accesses. Source: ours.
    causes
        Whether service and waiting times are divided by what they are spent on (``ftlab explain``).
        Default: false. Source: ours.
    timeline
        Flash operations whose times are kept, at most. Default: 0. Unit: operations. Source: ours.
    timeline_from
        Flash operations of the measured phase before these. Default: 0. Unit: operations. Source:
        ours.
    """

    _: KW_ONLY
    warmup: str | None = setting("run.warmup")
    warmup_limit: int | None = setting("run.warmup_limit")
    address: Literal["compact", "overlay", "modulo"] | None = setting("run.address")
    seed: int | None = setting("run.seed")
    verify: bool | None = setting("run.verify")
    audit: int | None = setting("run.audit")
    recovery: bool | None = setting("run.recovery")
    samples: int | None = setting("run.samples")
    causes: bool | None = setting("run.causes")
    timeline: int | None = setting("run.timeline")
    timeline_from: int | None = setting("run.timeline_from")


class Page(NamedFtl):
    """The whole page map in RAM: the bound for all others.

    Source: TPFTL 5.1 ("optimal FTL"), MNFTL 5.

    Parameters
    ----------
    gc_policy, gc_low, gc_high, gc_copies, gc_mode, copy_back, gc_oob_scan, gc_start, gc_garbage
        As in `ftlab.GC`, for this FTL.
    gc_victims, gc_open, gc_background, gc_lazy, gc_choices, gc_choices_share, gc_window
        As in `ftlab.GC`, for this FTL.
    placement
        The rule that decides the plane of a page, of page-level FTLs. ``"single"``: One frontier
        and one free pool for all planes. ``"striped"``: By logical page: a page never leaves its
        plane. ``"striped-hot"``: By logical page, but hot planes hold fewer valid pages, and so
        have more extra blocks. ``"round-robin"``: The next plane in turn. ``"least-busy"``: The
        plane that is free first, its channel included. Default: single. Source: FlashSim;
        choices.md#single-frontier.
    separation
        The rule that decides which pages share blocks, of page-level FTLs. ``"none"``: What GC
        moves shares blocks with what the host writes. ``"copies"``: What GC moves has blocks of its
        own. ``"temperature"``: A page that is written again soon rises, one that GC moves sinks.
        ``"sepbit"``: Pages go together that may be overwritten at about the same time.
        ``"handles"``: A class for each placement handle, lifetime or initiator that the host names.
        ``"multi-queue"``: By how often the chunk of a page is written (AutoStream MQ). ``"sfr"``:
        By how often and how lately the chunk of a page is written (AutoStream SFR). ``"warcip"``:
        By the time between two writes of a page. ``"midas"``: A chain of groups whose sizes a model
        chooses; it names its victims. ``"sfs"``: By writes of a page and the time since the last
        one (SFS). ``"eti"``: By how often requests cover the extent of a page (ETI). ``"fadac"``:
        By the writes of a page against a fading mean (FADaC). ``"multilog"``: By how much earlier
        than expected a page is written (MultiLog). ``"fk"``: An oracle: by when a page is written
        again, in blocks. ``"nodap"``: An oracle: by when a page is written again, with bounds that
        grow. ``"learned"``: By a model of what is known of a page: a table or a linear one, or your
        own. Default: none. Source: FlashSim; choices.md#separation.
    order
        The order in which planes are counted: C(hannel), W(ay), D(ie) and P(lane); the first
        changes fastest. Values: the letters C, W, D and P in any order. Default: PDWC. Source:
        DLOOP, equation 1; choices.md#plane-numbers.
    """

    registered = "page"

    _: KW_ONLY
    gc_policy: GcPolicy | None = setting("gc.policy")
    gc_low: int | None = setting("gc.low")
    gc_high: int | None = setting("gc.high")
    gc_copies: GcCopies | None = setting("gc.copies")
    gc_mode: GcMode | None = setting("gc.mode")
    copy_back: GcCopyBack | None = setting("gc.copy_back")
    gc_oob_scan: bool | None = setting("gc.oob_scan")
    gc_start: GcStart | None = setting("gc.start")
    gc_garbage: Quantity | None = setting("gc.garbage")
    gc_victims: int | None = setting("gc.victims")
    gc_open: GcOpen | None = setting("gc.open")
    gc_background: int | None = setting("gc.background")
    gc_lazy: Quantity | None = setting("gc.lazy")
    placement: FtlPlacement | None = setting("ftl.placement")
    separation: FtlSeparation | None = setting("ftl.separation")
    order: str | None = setting("ftl.order")
    gc_choices: int | None = setting("gc.choices")
    gc_choices_share: Quantity | None = setting("gc.choices_share")
    gc_window: Quantity | None = setting("gc.window")


class HAT(NamedFtl):
    """The whole page map on a byte-addressable chip of its own, hidden behind the flash.

    Source: Hu et al., MSST 2010.

    Parameters
    ----------
    pcm_read
        Time of a lookup. It waits for all earlier lookups and changes of the chip. Default: 0ns.
        Range: at most 10s. Source: choices.md#hat-time.
    pcm_write
        Time to write a changed mapping after it was read. The change waits in the buffer, and no
        request waits for it. Default: 0ns. Range: at most 10s. Source: choices.md#hat-time.
    gc_policy, gc_low, gc_high, gc_copies, gc_mode, copy_back, gc_oob_scan, gc_start, gc_garbage
        As in `ftlab.GC`, for this FTL.
    gc_victims, gc_open, gc_background, gc_lazy, gc_choices, gc_choices_share, gc_window
        As in `ftlab.GC`, for this FTL.
    placement, separation, order
        As in `ftlab.Page`, for this FTL.
    """

    registered = "hat"

    _: KW_ONLY
    pcm_read: Quantity | None = setting("hat.pcm_read")
    pcm_write: Quantity | None = setting("hat.pcm_write")
    gc_policy: GcPolicy | None = setting("gc.policy")
    gc_low: int | None = setting("gc.low")
    gc_high: int | None = setting("gc.high")
    gc_copies: GcCopies | None = setting("gc.copies")
    gc_mode: GcMode | None = setting("gc.mode")
    copy_back: GcCopyBack | None = setting("gc.copy_back")
    gc_oob_scan: bool | None = setting("gc.oob_scan")
    gc_start: GcStart | None = setting("gc.start")
    gc_garbage: Quantity | None = setting("gc.garbage")
    gc_victims: int | None = setting("gc.victims")
    gc_open: GcOpen | None = setting("gc.open")
    gc_background: int | None = setting("gc.background")
    gc_lazy: Quantity | None = setting("gc.lazy")
    placement: FtlPlacement | None = setting("ftl.placement")
    separation: FtlSeparation | None = setting("ftl.separation")
    order: str | None = setting("ftl.order")
    gc_choices: int | None = setting("gc.choices")
    gc_choices_share: Quantity | None = setting("gc.choices_share")
    gc_window: Quantity | None = setting("gc.window")


class SEPBIT(NamedFtl):
    """Page mapping, six frontiers: pages are put together by how long they may live.

    Source: Wang et al., FAST 2022.

    Parameters
    ----------
    window
        Blocks of class 1 that are collected before their mean lifespan is taken anew. Default: 16.
        Unit: blocks. Range: at least 1. Source: Wang et al., FAST 2022.
    growth
        Factor between the ages that bound the classes of moved pages, in mean lifespans. Default:
        4. Range: 1 to 1024. Source: Wang et al., FAST 2022.
    mean
        What of the mean lifespan counts. ``"whole"``: Whole page writes. ``"real"``: All of it, as
        in the program of the authors. Default: whole. Source: ours.
    life
        When the life of a block begins. In a volume a block is opened when the one before is full.
        ``"written"``: When its first page is written; in a volume as ``opened``. ``"opened"``: When
        the block of its class before is full, as in the program of the authors. Default: written.
        Source: ours.
    queue
        Whether a short-lived page must be in the queue of recent writes, as in the program of the
        authors. Default: false. Source: ours.
    parts
        Which pages it distinguishes. ``"both"``: Those that the host writes and those that GC
        moves. ``"written"``: Those that the host writes: UW of the paper's breakdown. ``"moved"``:
        Those that GC moves: GW of the paper's breakdown. Default: both. Source: Wang et al., FAST
        2022.
    gc_policy, gc_low, gc_high, gc_mode, copy_back, gc_oob_scan, gc_start, gc_garbage, gc_victims
        As in `ftlab.GC`, for this FTL.
    gc_open, gc_background, gc_lazy, gc_choices, gc_choices_share, gc_window
        As in `ftlab.GC`, for this FTL.
    placement, order
        As in `ftlab.Page`, for this FTL.
    """

    registered = "sepbit"

    _: KW_ONLY
    window: int | None = setting("sepbit.window")
    growth: int | None = setting("sepbit.growth")
    mean: Literal["whole", "real"] | None = setting("sepbit.mean")
    life: Literal["written", "opened"] | None = setting("sepbit.life")
    queue: bool | None = setting("sepbit.queue")
    parts: Literal["both", "written", "moved"] | None = setting("sepbit.parts")
    gc_policy: GcPolicy | None = setting("gc.policy")
    gc_low: int | None = setting("gc.low")
    gc_high: int | None = setting("gc.high")
    gc_mode: GcMode | None = setting("gc.mode")
    copy_back: GcCopyBack | None = setting("gc.copy_back")
    gc_oob_scan: bool | None = setting("gc.oob_scan")
    gc_start: GcStart | None = setting("gc.start")
    gc_garbage: Quantity | None = setting("gc.garbage")
    gc_victims: int | None = setting("gc.victims")
    gc_open: GcOpen | None = setting("gc.open")
    gc_background: int | None = setting("gc.background")
    gc_lazy: Quantity | None = setting("gc.lazy")
    placement: FtlPlacement | None = setting("ftl.placement")
    order: str | None = setting("ftl.order")
    gc_choices: int | None = setting("gc.choices")
    gc_choices_share: Quantity | None = setting("gc.choices_share")
    gc_window: Quantity | None = setting("gc.window")


class ZONES(NamedFtl):
    """The page map of a host over a zoned drive, which collects nothing.

    Source: NVMe ZNS; Bjørling et al., ATC 2021.

    Parameters
    ----------
    width
        Erase blocks of a zone, each in a plane of its own: they are written in turn and erased
        together. The planes are neighbours in ``ftl.order``. Default: 1. Unit: blocks. Range: 1 to
        4096. Source: ConfZNS, NVMeVirt.
    capacity
        Share of the pages of a zone that can be written; the rest of its addresses is a hole.
        Default: 100%. Range: 0.01 to 1. Source: NVMe ZNS, zone capacity.
    max_open
        Zones that may be open at the same time; 0 means as many as may be active. Default: 0. Unit:
        zones. Source: NVMe ZNS, QEMU.
    max_active
        Zones that may be open or closed at the same time; 0 means no limit. Default: 0. Unit:
        zones. Source: NVMe ZNS, QEMU.
    auto_transition
        Whether the drive closes a zone that it has opened by itself where too many are open. If
        not, it answers with ``too_many_open_zones``, and the host closes one. Default: true.
        Source: QEMU.
    finish
        Share of its capacity that the host leaves unwritten when it finishes a zone. Default: 0%.
        Range: 0 to 0.99. Source: ZenFS, finish threshold.
    gc_policy, gc_low, gc_high, gc_copies, gc_mode, gc_oob_scan, gc_start, gc_garbage, gc_victims
        As in `ftlab.GC`, for this FTL.
    gc_open, gc_background, gc_lazy, gc_choices, gc_choices_share, gc_window
        As in `ftlab.GC`, for this FTL.
    separation, order
        As in `ftlab.Page`, for this FTL.
    """

    registered = "zones"

    _: KW_ONLY
    width: int | None = setting("zones.width")
    capacity: Quantity | None = setting("zones.capacity")
    max_open: int | None = setting("zones.max_open")
    max_active: int | None = setting("zones.max_active")
    auto_transition: bool | None = setting("zones.auto_transition")
    finish: Quantity | None = setting("zones.finish")
    gc_policy: GcPolicy | None = setting("gc.policy")
    gc_low: int | None = setting("gc.low")
    gc_high: int | None = setting("gc.high")
    gc_copies: GcCopies | None = setting("gc.copies")
    gc_mode: GcMode | None = setting("gc.mode")
    gc_oob_scan: bool | None = setting("gc.oob_scan")
    gc_start: GcStart | None = setting("gc.start")
    gc_garbage: Quantity | None = setting("gc.garbage")
    gc_victims: int | None = setting("gc.victims")
    gc_open: GcOpen | None = setting("gc.open")
    gc_background: int | None = setting("gc.background")
    gc_lazy: Quantity | None = setting("gc.lazy")
    separation: FtlSeparation | None = setting("ftl.separation")
    order: str | None = setting("ftl.order")
    gc_choices: int | None = setting("gc.choices")
    gc_choices_share: Quantity | None = setting("gc.choices_share")
    gc_window: Quantity | None = setting("gc.window")


class DFTL(NamedFtl):
    """Single entries cached on demand, segmented LRU.

    Source: Gupta, Kim & Urgaonkar, ASPLOS 2009.

    Parameters
    ----------
    cache
        Mapping cache, GTD excluded. Default: as large as the table of blocks of at most 64 pages, 4
        B each. Source: TPFTL 5.1; choices.md#cache-default.
    replacement
        Order of replacement. ``"segmented"``: A miss enters probation, a hit protects.
        ``"segmented-flashsim"``: A miss enters the real segment, by age. ``"lru"``: Least recently
        used. ``"2q"``: 2Q, simplified: a miss enters A1, first in first out; a hit there moves to
        Am, by recency. Default: segmented-flashsim. Source: FlashSim, which TPFTL and DLOOP ran;
        choices.md#dftl-segments.
    protected
        Share of the cache in the protected (real) segment, or in ``Am`` of 2Q. Default: 80%. Range:
        0 to 1. Source: choices.md#dftl-segments.
    evict_batch
        Write back all dirty entries of the victim's translation page. Default: false. Source:
        choices.md#dftl-write-back.
    gc_policy, gc_low, gc_high, gc_copies, gc_mode, copy_back, gc_oob_scan, gc_choices
        As in `ftlab.GC`, for this FTL.
    gc_choices_share, gc_window
        As in `ftlab.GC`, for this FTL.
    placement, separation, order
        As in `ftlab.Page`, for this FTL.
    search
        How the index of the mapping cache is searched. ``"none"``: At once, as with a hash table in
        RAM: not counted. ``"list"``: Along a list: half of the keys for one that is there, all for
        one that is not. ``"binary"``: By halves of a sorted table. Default: none. Source: TPFTL
        4.1; choices.md#search.
    search_step
        Time of a step of that search, before the first flash operation of a page. Default: 0ns.
        Range: at most 10s. Source: TPFTL 4.1; choices.md#search.
    map_blocks
        The open block for translation pages. ``"own"``: A block for translation pages only.
        ``"shared"``: The block of user pages. Default: own. Source: FlashSim;
        choices.md#dloop-frontiers.
    map_updates
        The treatment of uncached mappings of pages that GC has moved. ``"written"``: GC writes
        their translation pages. ``"held"``: They remain in RAM until the planes of their
        translation pages can take these without GC. Default: written. Source: DFTL;
        choices.md#dloop-reserve.
    """

    registered = "dftl"

    cache: Quantity | None = setting("ftl.cache")
    _: KW_ONLY
    replacement: Literal["segmented", "segmented-flashsim", "lru", "2q"] | type | Plugin | None = (
        setting("dftl.replacement")
    )
    protected: Quantity | None = setting("dftl.protected")
    evict_batch: bool | None = setting("dftl.evict_batch")
    gc_policy: GcPolicy | None = setting("gc.policy")
    gc_low: int | None = setting("gc.low")
    gc_high: int | None = setting("gc.high")
    gc_copies: GcCopies | None = setting("gc.copies")
    gc_mode: GcMode | None = setting("gc.mode")
    copy_back: GcCopyBack | None = setting("gc.copy_back")
    gc_oob_scan: bool | None = setting("gc.oob_scan")
    placement: FtlPlacement | None = setting("ftl.placement")
    separation: FtlSeparation | None = setting("ftl.separation")
    order: str | None = setting("ftl.order")
    search: FtlSearch | None = setting("ftl.search")
    search_step: Quantity | None = setting("ftl.search_step")
    map_blocks: FtlMapBlocks | None = setting("ftl.map_blocks")
    map_updates: FtlMapUpdates | None = setting("ftl.map_updates")
    gc_choices: int | None = setting("gc.choices")
    gc_choices_share: Quantity | None = setting("gc.choices_share")
    gc_window: Quantity | None = setting("gc.window")


class DLOOP(NamedFtl):
    """DFTL striped over planes; GC copies back inside each plane, off the bus.

    Source: Abdurrab, Xie & Wang, IPDPS 2013.

    Parameters
    ----------
    cache, replacement, protected, evict_batch, search, search_step, map_blocks, map_updates
        As in `ftlab.DFTL`, for this FTL.
    gc_policy, gc_low, gc_high, gc_copies, gc_mode, gc_oob_scan, gc_choices, gc_choices_share
        As in `ftlab.GC`, for this FTL.
    gc_window
        As in `ftlab.GC`, for this FTL.
    copy_back
        As in `ftlab.GC`, for this FTL. Default: greedy.
    separation, order
        As in `ftlab.Page`, for this FTL.
    """

    registered = "dloop"

    cache: Quantity | None = setting("ftl.cache")
    _: KW_ONLY
    replacement: Literal["segmented", "segmented-flashsim", "lru", "2q"] | type | Plugin | None = (
        setting("dftl.replacement")
    )
    protected: Quantity | None = setting("dftl.protected")
    evict_batch: bool | None = setting("dftl.evict_batch")
    gc_policy: GcPolicy | None = setting("gc.policy")
    gc_low: int | None = setting("gc.low")
    gc_high: int | None = setting("gc.high")
    gc_copies: GcCopies | None = setting("gc.copies")
    gc_mode: GcMode | None = setting("gc.mode")
    copy_back: GcCopyBack | None = setting("gc.copy_back")
    gc_oob_scan: bool | None = setting("gc.oob_scan")
    separation: FtlSeparation | None = setting("ftl.separation")
    order: str | None = setting("ftl.order")
    search: FtlSearch | None = setting("ftl.search")
    search_step: Quantity | None = setting("ftl.search_step")
    map_blocks: FtlMapBlocks | None = setting("ftl.map_blocks")
    map_updates: FtlMapUpdates | None = setting("ftl.map_updates")
    gc_choices: int | None = setting("gc.choices")
    gc_choices_share: Quantity | None = setting("gc.choices_share")
    gc_window: Quantity | None = setting("gc.window")


class DLOOPHot(NamedFtl):
    """DLOOP whose hot planes hold fewer pages, and so have more extra blocks.

    Source: ours, after the future work of Abdurrab, Xie & Wang, IPDPS 2013.

    Parameters
    ----------
    cache, replacement, protected, evict_batch, search, search_step
        As in `ftlab.DFTL`, for this FTL.
    gc_policy, gc_low, gc_high, gc_copies, gc_mode, gc_oob_scan, gc_choices, gc_choices_share
        As in `ftlab.GC`, for this FTL.
    gc_window
        As in `ftlab.GC`, for this FTL.
    copy_back
        As in `ftlab.GC`, for this FTL. Default: greedy.
    separation, order
        As in `ftlab.Page`, for this FTL.
    """

    registered = "dloop-hot"

    cache: Quantity | None = setting("ftl.cache")
    _: KW_ONLY
    replacement: Literal["segmented", "segmented-flashsim", "lru", "2q"] | type | Plugin | None = (
        setting("dftl.replacement")
    )
    protected: Quantity | None = setting("dftl.protected")
    evict_batch: bool | None = setting("dftl.evict_batch")
    gc_policy: GcPolicy | None = setting("gc.policy")
    gc_low: int | None = setting("gc.low")
    gc_high: int | None = setting("gc.high")
    gc_copies: GcCopies | None = setting("gc.copies")
    gc_mode: GcMode | None = setting("gc.mode")
    copy_back: GcCopyBack | None = setting("gc.copy_back")
    gc_oob_scan: bool | None = setting("gc.oob_scan")
    separation: FtlSeparation | None = setting("ftl.separation")
    order: str | None = setting("ftl.order")
    search: FtlSearch | None = setting("ftl.search")
    search_step: Quantity | None = setting("ftl.search_step")
    gc_choices: int | None = setting("gc.choices")
    gc_choices_share: Quantity | None = setting("gc.choices_share")
    gc_window: Quantity | None = setting("gc.window")


class CDFTL(NamedFtl):
    """Two levels: single entries, and whole translation pages that take their dirty ones in.

    Source: Qin, Wang, Liu & Shao, RTAS 2011.

    Parameters
    ----------
    cache, search, search_step
        As in `ftlab.DFTL`, for this FTL.
    ctp
        Share of the cache for whole translation pages. Default: 50%. Range: 0 to 1. Source:
        choices.md#cdftl-split.
    absorb
        A page that leaves the CTP dirty includes the dirty entries of the CMT that it covers, which
        become clean. Default: false. Source: choices.md#cdftl-absorb.
    gc_policy, gc_low, gc_high, gc_copies, gc_mode, copy_back, gc_oob_scan, gc_choices
        As in `ftlab.GC`, for this FTL.
    gc_choices_share, gc_window
        As in `ftlab.GC`, for this FTL.
    placement, separation, order
        As in `ftlab.Page`, for this FTL.
    """

    registered = "cdftl"

    cache: Quantity | None = setting("ftl.cache")
    _: KW_ONLY
    ctp: Quantity | None = setting("cdftl.ctp")
    absorb: bool | None = setting("cdftl.absorb")
    gc_policy: GcPolicy | None = setting("gc.policy")
    gc_low: int | None = setting("gc.low")
    gc_high: int | None = setting("gc.high")
    gc_copies: GcCopies | None = setting("gc.copies")
    gc_mode: GcMode | None = setting("gc.mode")
    copy_back: GcCopyBack | None = setting("gc.copy_back")
    gc_oob_scan: bool | None = setting("gc.oob_scan")
    placement: FtlPlacement | None = setting("ftl.placement")
    separation: FtlSeparation | None = setting("ftl.separation")
    order: str | None = setting("ftl.order")
    search: FtlSearch | None = setting("ftl.search")
    search_step: Quantity | None = setting("ftl.search_step")
    gc_choices: int | None = setting("gc.choices")
    gc_choices_share: Quantity | None = setting("gc.choices_share")
    gc_window: Quantity | None = setting("gc.window")


class SFTL(NamedFtl):
    """Whole translation pages, compressed by runs, and a buffer for sparse dirty entries.

    Source: Jiang et al., MSST 2011.

    Parameters
    ----------
    cache
        As in `ftlab.DFTL`, for this FTL.
    bitmaps
        Bits per mapping: 1 marks the heads of runs; 2 also mark overwritten mappings, as LeaFTL
        models S-FTL. Default: 1. Unit: bits. Range: 1 to 2. Source: choices.md#sftl-bitmaps.
    buffer
        Share of the cache that is the dirty buffer. Default: 10%. Range: 0 to 1. Source:
        choices.md#sftl-buffer.
    sparse
        Dirty entries up to which a page is sparse. Default: 8. Unit: entries. Source:
        choices.md#sftl-buffer.
    gc_policy, gc_low, gc_high, gc_copies, gc_mode, copy_back, gc_oob_scan, gc_choices
        As in `ftlab.GC`, for this FTL.
    gc_choices_share, gc_window
        As in `ftlab.GC`, for this FTL.
    placement, separation, order
        As in `ftlab.Page`, for this FTL.
    """

    registered = "sftl"

    cache: Quantity | None = setting("ftl.cache")
    _: KW_ONLY
    bitmaps: int | None = setting("sftl.bitmaps")
    buffer: Quantity | None = setting("sftl.buffer")
    sparse: int | None = setting("sftl.sparse")
    gc_policy: GcPolicy | None = setting("gc.policy")
    gc_low: int | None = setting("gc.low")
    gc_high: int | None = setting("gc.high")
    gc_copies: GcCopies | None = setting("gc.copies")
    gc_mode: GcMode | None = setting("gc.mode")
    copy_back: GcCopyBack | None = setting("gc.copy_back")
    gc_oob_scan: bool | None = setting("gc.oob_scan")
    placement: FtlPlacement | None = setting("ftl.placement")
    separation: FtlSeparation | None = setting("ftl.separation")
    order: str | None = setting("ftl.order")
    gc_choices: int | None = setting("gc.choices")
    gc_choices_share: Quantity | None = setting("gc.choices_share")
    gc_window: Quantity | None = setting("gc.window")


class ZFTL(NamedFtl):
    """The directory of one zone in RAM; the page in use, and entries that leave in batches.

    Source: Wang, Zhang & Wang, ICCT 2011.

    Parameters
    ----------
    cache
        As in `ftlab.DFTL`, for this FTL.
    zones
        Zones, at most. Default: 8. Unit: zones. Range: at least 1. Source: choices.md#zftl-zones.
    tier1
        Share of the cache for tier 1. Default: all that the page of tier 2 leaves. Range: 0 to 1.
        Source: choices.md#zftl-tiers.
    gc_policy, gc_low, gc_high, gc_copies, gc_mode, copy_back, gc_oob_scan, gc_choices
        As in `ftlab.GC`, for this FTL.
    gc_choices_share, gc_window
        As in `ftlab.GC`, for this FTL.
    """

    registered = "zftl"

    cache: Quantity | None = setting("ftl.cache")
    _: KW_ONLY
    zones: int | None = setting("zftl.zones")
    tier1: Quantity | None = setting("zftl.tier1")
    gc_policy: GcPolicy | None = setting("gc.policy")
    gc_low: int | None = setting("gc.low")
    gc_high: int | None = setting("gc.high")
    gc_copies: GcCopies | None = setting("gc.copies")
    gc_mode: GcMode | None = setting("gc.mode")
    copy_back: GcCopyBack | None = setting("gc.copy_back")
    gc_oob_scan: bool | None = setting("gc.oob_scan")
    gc_choices: int | None = setting("gc.choices")
    gc_choices_share: Quantity | None = setting("gc.choices_share")
    gc_window: Quantity | None = setting("gc.window")


class TPFTL(NamedFtl):
    """Two-level lists, prefetching, batch-update and clean-first replacement.

    Source: Zhou et al., EuroSys 2015.

    Parameters
    ----------
    cache, search, search_step
        As in `ftlab.DFTL`, for this FTL.
    features
        Techniques in use: any of r, s, b, c; ``-`` for none. Values: letters of rsbc, or -.
        Default: rsbc. Source: TPFTL, Figures 7 and 8.
    threshold
        Change of the node count that switches selective prefetching. Default: 3. Unit: nodes.
        Range: at least 1. Source: TPFTL 4.3; choices.md#tpftl-detector.
    node_bytes
        RAM of a node. Default: 6B. Range: at most 4KiB. Source: TPFTL, Figure 4: one entry slot;
        choices.md#tpftl-node.
    page_order
        Order of nodes. ``"hotness"``: Mean hotness of the entries (the paper). ``"recency"``: Last
        touch of the node. Default: hotness. Source: TPFTL 4.2; choices.md#tpftl-hotness.
    request_prefetch
        Which misses of a request prefetch the rest of it. ``"each-miss"``: Every one.
        ``"first-miss"``: The first one, whichever page that is. ``"first-page"``: That of its first
        page. Default: each-miss. Source: TPFTL 4.3; choices.md#tpftl-trigger.
    dirty_victims
        How several dirty victims of one miss are written back without batch update. ``"together"``:
        In one update. ``"each"``: In an update each. Default: together. Source: TPFTL 4.5;
        choices.md#tpftl-dirty-victims.
    prefetch_at
        Where prefetched entries enter a node's list. ``"front"``: Right behind the requested entry.
        ``"tail"``: At the cold end. Default: front. Source: choices.md#tpftl-prefetch-at.
    gc_policy, gc_low, gc_high, gc_copies, gc_mode, copy_back, gc_oob_scan, gc_choices
        As in `ftlab.GC`, for this FTL.
    gc_choices_share, gc_window
        As in `ftlab.GC`, for this FTL.
    placement, separation, order
        As in `ftlab.Page`, for this FTL.
    """

    registered = "tpftl"

    cache: Quantity | None = setting("ftl.cache")
    _: KW_ONLY
    features: str | None = setting("tpftl.features")
    threshold: int | None = setting("tpftl.threshold")
    node_bytes: Quantity | None = setting("tpftl.node_bytes")
    page_order: Literal["hotness", "recency"] | None = setting("tpftl.page_order")
    request_prefetch: Literal["each-miss", "first-miss", "first-page"] | None = setting(
        "tpftl.request_prefetch"
    )
    dirty_victims: Literal["together", "each"] | None = setting("tpftl.dirty_victims")
    prefetch_at: Literal["front", "tail"] | None = setting("tpftl.prefetch_at")
    gc_policy: GcPolicy | None = setting("gc.policy")
    gc_low: int | None = setting("gc.low")
    gc_high: int | None = setting("gc.high")
    gc_copies: GcCopies | None = setting("gc.copies")
    gc_mode: GcMode | None = setting("gc.mode")
    copy_back: GcCopyBack | None = setting("gc.copy_back")
    gc_oob_scan: bool | None = setting("gc.oob_scan")
    placement: FtlPlacement | None = setting("ftl.placement")
    separation: FtlSeparation | None = setting("ftl.separation")
    order: str | None = setting("ftl.order")
    search: FtlSearch | None = setting("ftl.search")
    search_step: Quantity | None = setting("ftl.search_step")
    gc_choices: int | None = setting("gc.choices")
    gc_choices_share: Quantity | None = setting("gc.choices_share")
    gc_window: Quantity | None = setting("gc.window")


class TPFTLAdaptive(NamedFtl):
    """Tpftl that prefetches successors while the measured use of prefetched entries is worth it.

    Source: this project; the parameters of tpftl but the threshold.

    Parameters
    ----------
    cache, search, search_step
        As in `ftlab.DFTL`, for this FTL.
    features, threshold, node_bytes, page_order, request_prefetch, dirty_victims, prefetch_at
        As in `ftlab.TPFTL`, for this FTL.
    gc_policy, gc_low, gc_high, gc_copies, gc_mode, copy_back, gc_oob_scan, gc_choices
        As in `ftlab.GC`, for this FTL.
    gc_choices_share, gc_window
        As in `ftlab.GC`, for this FTL.
    placement, separation, order
        As in `ftlab.Page`, for this FTL.
    """

    registered = "tpftl-adaptive"

    cache: Quantity | None = setting("ftl.cache")
    _: KW_ONLY
    features: str | None = setting("tpftl.features")
    threshold: int | None = setting("tpftl.threshold")
    node_bytes: Quantity | None = setting("tpftl.node_bytes")
    page_order: Literal["hotness", "recency"] | None = setting("tpftl.page_order")
    request_prefetch: Literal["each-miss", "first-miss", "first-page"] | None = setting(
        "tpftl.request_prefetch"
    )
    dirty_victims: Literal["together", "each"] | None = setting("tpftl.dirty_victims")
    prefetch_at: Literal["front", "tail"] | None = setting("tpftl.prefetch_at")
    gc_policy: GcPolicy | None = setting("gc.policy")
    gc_low: int | None = setting("gc.low")
    gc_high: int | None = setting("gc.high")
    gc_copies: GcCopies | None = setting("gc.copies")
    gc_mode: GcMode | None = setting("gc.mode")
    copy_back: GcCopyBack | None = setting("gc.copy_back")
    gc_oob_scan: bool | None = setting("gc.oob_scan")
    placement: FtlPlacement | None = setting("ftl.placement")
    separation: FtlSeparation | None = setting("ftl.separation")
    order: str | None = setting("ftl.order")
    search: FtlSearch | None = setting("ftl.search")
    search_step: Quantity | None = setting("ftl.search_step")
    gc_choices: int | None = setting("gc.choices")
    gc_choices_share: Quantity | None = setting("gc.choices_share")
    gc_window: Quantity | None = setting("gc.window")


class TreeFTL(NamedFtl):
    """Translation pages and, below them, data pages in one pool; the oldest subtree leaves first.

    Source: Wang & Wong, DATE 2013.

    Parameters
    ----------
    cache
        As in `ftlab.DFTL`, for this FTL.
    gc_policy, gc_low, gc_high, gc_copies, gc_mode, copy_back, gc_oob_scan, gc_choices
        As in `ftlab.GC`, for this FTL.
    gc_choices_share, gc_window
        As in `ftlab.GC`, for this FTL.
    placement, separation, order
        As in `ftlab.Page`, for this FTL.
    """

    registered = "treeftl"

    cache: Quantity | None = setting("ftl.cache")
    _: KW_ONLY
    gc_policy: GcPolicy | None = setting("gc.policy")
    gc_low: int | None = setting("gc.low")
    gc_high: int | None = setting("gc.high")
    gc_copies: GcCopies | None = setting("gc.copies")
    gc_mode: GcMode | None = setting("gc.mode")
    copy_back: GcCopyBack | None = setting("gc.copy_back")
    gc_oob_scan: bool | None = setting("gc.oob_scan")
    placement: FtlPlacement | None = setting("ftl.placement")
    separation: FtlSeparation | None = setting("ftl.separation")
    order: str | None = setting("ftl.order")
    gc_choices: int | None = setting("gc.choices")
    gc_choices_share: Quantity | None = setting("gc.choices_share")
    gc_window: Quantity | None = setting("gc.window")


class APS(NamedFtl):
    """One pool for translation pages and data pages, divided where ghosts say it saves most.

    Source: Shim, Seo, Kim & Maeng, MSST 2010.

    Parameters
    ----------
    cache
        As in `ftlab.DFTL`, for this FTL.
    map
        Share of the pool that is initially for translation pages. Default: 50%. Range: 0 to 1.
        Source: choices.md#aps-ghosts.
    inertia
        Lead in flash time of the ghosts of one part at which a page of RAM moves. Default: 2ms.
        Source: ten programs; choices.md#aps-ghosts.
    gc_policy, gc_low, gc_high, gc_copies, gc_mode, copy_back, gc_oob_scan, gc_choices
        As in `ftlab.GC`, for this FTL.
    gc_choices_share, gc_window
        As in `ftlab.GC`, for this FTL.
    placement, separation, order
        As in `ftlab.Page`, for this FTL.
    """

    registered = "aps"

    cache: Quantity | None = setting("ftl.cache")
    _: KW_ONLY
    map: Quantity | None = setting("aps.map")
    inertia: Quantity | None = setting("aps.inertia")
    gc_policy: GcPolicy | None = setting("gc.policy")
    gc_low: int | None = setting("gc.low")
    gc_high: int | None = setting("gc.high")
    gc_copies: GcCopies | None = setting("gc.copies")
    gc_mode: GcMode | None = setting("gc.mode")
    copy_back: GcCopyBack | None = setting("gc.copy_back")
    gc_oob_scan: bool | None = setting("gc.oob_scan")
    placement: FtlPlacement | None = setting("ftl.placement")
    separation: FtlSeparation | None = setting("ftl.separation")
    order: str | None = setting("ftl.order")
    gc_choices: int | None = setting("gc.choices")
    gc_choices_share: Quantity | None = setting("gc.choices_share")
    gc_window: Quantity | None = setting("gc.window")


class CFTL(NamedFtl):
    """Runs of pages cached on demand; blocks that are only read are brought together.

    Source: Park, Debnath & Du, MASCOTS 2011.

    Parameters
    ----------
    cache
        As in `ftlab.DFTL`, for this FTL.
    reads
        Reads of pages of a logical block, without a write in between, that make it block-mapped.
        Default: 128. Unit: reads. Range: at least 1. Source: choices.md#cftl-conversion.
    gc_policy, gc_low, gc_high, gc_copies, gc_mode, copy_back, gc_oob_scan, gc_choices
        As in `ftlab.GC`, for this FTL.
    gc_choices_share, gc_window
        As in `ftlab.GC`, for this FTL.
    """

    registered = "cftl"

    cache: Quantity | None = setting("ftl.cache")
    _: KW_ONLY
    reads: int | None = setting("cftl.reads")
    gc_policy: GcPolicy | None = setting("gc.policy")
    gc_low: int | None = setting("gc.low")
    gc_high: int | None = setting("gc.high")
    gc_copies: GcCopies | None = setting("gc.copies")
    gc_mode: GcMode | None = setting("gc.mode")
    copy_back: GcCopyBack | None = setting("gc.copy_back")
    gc_oob_scan: bool | None = setting("gc.oob_scan")
    gc_choices: int | None = setting("gc.choices")
    gc_choices_share: Quantity | None = setting("gc.choices_share")
    gc_window: Quantity | None = setting("gc.window")


class Block(NamedFtl):
    """Block-level mapping: every page overwritten moves its block.

    Source: CACH-FTL 1, DLOOP II.A.

    Parameters
    ----------
    log_map
        The place of the table of data blocks. ``"ram"``: In RAM, all of it. ``"flash"``: On flash,
        one page of it in RAM. Default: ram. Source: DLOOP II.A and V.D; choices.md#log-maps.
    """

    registered = "block"

    _: KW_ONLY
    log_map: LogMap | None = setting("log.map")


class BlockOptimized(NamedFtl):
    """Block-level mapping, rewritten in place with one erase for each request and block.

    Source: Boukhobza et al., CACH-FTL, 2014, section 5 ("BM").

    Parameters
    ----------
    append
        Program a group without an erase when all its offsets are still erased. Default: false.
        Source: CACH-FTL rewrites every block that is not empty; choices.md#first-erase.
    power_safe
        Keep an order of operations in which a power cut loses nothing that was acknowledged.
        ``ftlab crash`` and ``ftlab serve`` always do. FTLs that always keep this order do not
        change. Default: false. Source: FlashSim; choices.md#early-invalidation.
    """

    registered = "block-optimized"

    _: KW_ONLY
    append: bool | None = setting("block-optimized.append")
    power_safe: bool | None = setting("ftl.power_safe")


class NFTL(NamedFtl):
    """A replacement block for each logical block, searched by OOB reads.

    Source: Ban, US patent 5,937,425, 1999 ("NFTL-1").

    Parameters
    ----------
    log_blocks
        Log blocks. Default: every block beyond the logical ones and those of the map, but for the
        one that merges need. Unit: blocks. Source: CACH-FTL, DLOOP; choices.md#log-blocks.
    log_map
        As in `ftlab.Block`, for this FTL.
    """

    registered = "nftl"

    _: KW_ONLY
    log_blocks: int | None = setting("log.blocks")
    log_map: LogMap | None = setting("log.map")


class NFTLChain(NamedFtl):
    """Chains of replacement blocks with fixed offsets, the longest folded first.

    Source: Ban, US patent 5,937,425, 1999, by the Linux driver ("NFTL-2").

    Parameters
    ----------
    log_blocks
        As in `ftlab.NFTL`, for this FTL.
    log_map
        As in `ftlab.Block`, for this FTL.
    """

    registered = "nftl-chain"

    _: KW_ONLY
    log_blocks: int | None = setting("log.blocks")
    log_map: LogMap | None = setting("log.map")


class RNFTL(NamedFtl):
    """Nftl that keeps primary blocks with erased pages, as replacement blocks of others.

    Source: Wang et al., LCTES 2010.

    Parameters
    ----------
    many
        Share of the pages of a primary block, at least one, that must be erased for a merge to keep
        it. Default: 50%. Range: 0 to 1. Source: choices.md#rnftl-rules.
    log_blocks
        As in `ftlab.NFTL`, for this FTL.
    log_map
        As in `ftlab.Block`, for this FTL.
    """

    registered = "rnftl"

    _: KW_ONLY
    many: Quantity | None = setting("rnftl.many")
    log_blocks: int | None = setting("log.blocks")
    log_map: LogMap | None = setting("log.map")


class BAST(NamedFtl):
    """A log block for each logical block that is being overwritten.

    Source: Kim et al., IEEE Transactions on Consumer Electronics 2002.

    Parameters
    ----------
    log_blocks
        As in `ftlab.NFTL`, for this FTL.
    log_map
        As in `ftlab.Block`, for this FTL.
    """

    registered = "bast"

    _: KW_ONLY
    log_blocks: int | None = setting("log.blocks")
    log_map: LogMap | None = setting("log.map")


class FAST(NamedFtl):
    """A log block for sequential writes, and others shared by all data blocks.

    Source: Lee et al., TECS 2007.

    Parameters
    ----------
    rules
        The rules: the paper's, or those of FlashSim's program with its bugs. ``"paper"``: The
        paper's, which keeps data. ``"flashsim"``: ``FlashSim``'s program, bug for bug: it loses
        data. ``"flashsim-mended"``: The same with the sign of "invalid" mended: it still returns
        old data. Default: paper. Source: Lee et al., TECS 2007; choices.md#fast-flashsim.
    full_sequential
        The effect of a write to a block whose sequential log is full. ``"merge"``: A full merge
        with the page in its place, as for any rewrite inside the log. ``"switch"``: A switch merge;
        the page then goes to the random log. Default: merge. Source: FlashSim;
        choices.md#fast-full-sequential.
    power_safe
        As in `ftlab.BlockOptimized`, for this FTL.
    log_blocks
        As in `ftlab.NFTL`, for this FTL.
    log_map
        As in `ftlab.Block`, for this FTL.
    """

    registered = "fast"

    _: KW_ONLY
    rules: Literal["paper", "flashsim", "flashsim-mended"] | None = setting("fast.rules")
    full_sequential: Literal["merge", "switch"] | None = setting("fast.full_sequential")
    power_safe: bool | None = setting("ftl.power_safe")
    log_blocks: int | None = setting("log.blocks")
    log_map: LogMap | None = setting("log.map")


class CACHFTL(NamedFtl):
    """Large groups to blocks rewritten in place, small ones to page-mapped spare blocks first.

    Source: Boukhobza, Olivier & Rubini, Computers 3(1), 2014.

    Parameters
    ----------
    threshold
        Pages up to which a group goes to the PMR. Default: 4. Unit: pages. Source: CACH-FTL 5.1.
    sync_blocks
        A write collects first if it would leave at most the pages of these blocks free in the PMR.
        Default: 3. Unit: blocks. Range: 1 to 1048576. Source: CACH-FTL 4.3.3;
        choices.md#cachftl-sizes.
    enough
        Superseded pages from which a block of the PMR is worth PMR-GC, at most those of a block.
        Default: the pages to be evicted (4.3.3), in idle time those of the last group. Unit: pages.
        Range: at least 1. Source: CACH-FTL, Algorithm 2, 4.3.2, 4.3.3; choices.md#cachftl-enough.
    async_free
        Share of the PMR up to which GC in idle time frees pages, at least one block more than
        ``sync_blocks``. 0 disables GC in idle time. Default: 10%. Range: 0 to 1. Source: CACH-FTL
        4.3.3; choices.md#cachftl-idle.
    bmr_victim
        Which logical block BMR-GC merges: that with most pages in the PMR, or the victim of
        ``gc.policy``. ``"largest"``: The logical block with most pages in the PMR, as in the paper.
        ``"policy"``: The block of the BMR that ``gc.policy`` chooses, by its superseded pages.
        Default: largest. Source: CACH-FTL 4.3.3, 7; choices.md#cachftl-bmr-victim.
    adaptive_threshold
        Redirect groups by measured costs instead of ``threshold``. Default: false. Source:
        choices.md#cachftl-beyond.
    idle_weight
        Weight of GC in idle time under ``adaptive_threshold``. 0 counts only response times; 1
        counts wear equally. Default: 0%. Range: 0 to 1. Source: choices.md#cachftl-beyond.
    adaptive_pmr
        Use only as many blocks for the PMR as keep writes from waiting for GC. Default: false.
        Source: choices.md#cachftl-beyond.
    out_of_place
        Rewrite blocks of the BMR out of place, and erase the old ones in idle time. Default: false.
        Source: choices.md#cachftl-beyond.
    wear_gap
        With that, the difference in erases at which a block of the BMR moves to a worn one.
        Default: never. Unit: erases. Range: at least 1. Source: choices.md#cachftl-beyond.
    gc_policy, gc_oob_scan, gc_choices, gc_choices_share, gc_window
        As in `ftlab.GC`, for this FTL.
    power_safe
        As in `ftlab.BlockOptimized`, for this FTL.
    """

    registered = "cachftl"

    _: KW_ONLY
    threshold: int | None = setting("cachftl.threshold")
    sync_blocks: int | None = setting("cachftl.sync_blocks")
    enough: int | None = setting("cachftl.enough")
    async_free: Quantity | None = setting("cachftl.async_free")
    bmr_victim: Literal["largest", "policy"] | None = setting("cachftl.bmr_victim")
    adaptive_threshold: bool | None = setting("cachftl.adaptive_threshold")
    idle_weight: Quantity | None = setting("cachftl.idle_weight")
    adaptive_pmr: bool | None = setting("cachftl.adaptive_pmr")
    out_of_place: bool | None = setting("cachftl.out_of_place")
    wear_gap: int | None = setting("cachftl.wear_gap")
    gc_policy: GcPolicy | None = setting("gc.policy")
    gc_oob_scan: bool | None = setting("gc.oob_scan")
    power_safe: bool | None = setting("ftl.power_safe")
    gc_choices: int | None = setting("gc.choices")
    gc_choices_share: Quantity | None = setting("gc.choices_share")
    gc_window: Quantity | None = setting("gc.window")


class LAST(NamedFtl):
    """Sequential log blocks, and random ones of a hot and a cold partition: hot blocks die.

    Source: Lee et al., Operating Systems Review 2008.

    Parameters
    ----------
    threshold
        Pages from which on a request is sequential. Default: 8. Unit: pages. Range: at least 1.
        Source: choices.md#last-rules.
    sequential
        Share of the log blocks that are sequential, one at least. Default: 10%. Range: 0 to 1.
        Source: choices.md#last-rules.
    hot
        Share of the random log blocks in the hot partition; each partition has at least one.
        Default: 50%. Range: 0 to 1. Source: choices.md#last-rules.
    power_safe
        As in `ftlab.BlockOptimized`, for this FTL.
    log_blocks
        As in `ftlab.NFTL`, for this FTL.
    log_map
        As in `ftlab.Block`, for this FTL.
    """

    registered = "last"

    _: KW_ONLY
    threshold: int | None = setting("last.threshold")
    sequential: Quantity | None = setting("last.sequential")
    hot: Quantity | None = setting("last.hot")
    power_safe: bool | None = setting("ftl.power_safe")
    log_blocks: int | None = setting("log.blocks")
    log_map: LogMap | None = setting("log.map")


class KAST(NamedFtl):
    """Log blocks shared by K logical blocks at most, which bounds the longest merge.

    Source: Cho, Shin & Eom, DATE 2009.

    Parameters
    ----------
    associativity
        K: logical blocks with valid pages in one random log block, at most. Default: 8. Unit:
        blocks. Range: at least 1. Source: choices.md#kast-rules.
    sequential
        Share of the log blocks that may be sequential; at least one is, and at least one is not.
        Default: 10%. Range: 0 to 1. Source: choices.md#kast-rules.
    power_safe
        As in `ftlab.BlockOptimized`, for this FTL.
    log_blocks
        As in `ftlab.NFTL`, for this FTL.
    log_map
        As in `ftlab.Block`, for this FTL.
    """

    registered = "kast"

    _: KW_ONLY
    associativity: int | None = setting("kast.associativity")
    sequential: Quantity | None = setting("kast.sequential")
    power_safe: bool | None = setting("ftl.power_safe")
    log_blocks: int | None = setting("log.blocks")
    log_map: LogMap | None = setting("log.map")


class SAST(NamedFtl):
    """Groups of N logical blocks that share K log blocks: the reconfigurable FTL.

    Source: Park et al., ACM TECS 2008.

    Parameters
    ----------
    data
        N: logical blocks of a group. Default: 4. Unit: blocks. Range: at least 1. Source:
        choices.md#sast-rules.
    logs
        K: log blocks of a group, at most. Default: 2. Unit: blocks. Range: at least 1. Source:
        choices.md#sast-rules.
    log_blocks
        As in `ftlab.NFTL`, for this FTL.
    log_map
        As in `ftlab.Block`, for this FTL.
    """

    registered = "sast"

    _: KW_ONLY
    data: int | None = setting("sast.data")
    logs: int | None = setting("sast.logs")
    log_blocks: int | None = setting("log.blocks")
    log_map: LogMap | None = setting("log.map")


class AFTL(NamedFtl):
    """Replacement blocks whose pages get mappings of their own instead of a merge.

    Source: Wu & Kuo, ICCAD 2006.

    Parameters
    ----------
    entries
        Entries of the fine table. Default: half as many as logical blocks, in the RAM of a block
        table. Unit: entries. Source: choices.md#aftl-rules.
    power_safe
        As in `ftlab.BlockOptimized`, for this FTL.
    log_blocks
        As in `ftlab.NFTL`, for this FTL.
    log_map
        As in `ftlab.Block`, for this FTL.
    """

    registered = "aftl"

    _: KW_ONLY
    entries: int | None = setting("aftl.entries")
    power_safe: bool | None = setting("ftl.power_safe")
    log_blocks: int | None = setting("log.blocks")
    log_map: LogMap | None = setting("log.map")


class WAFTL(NamedFtl):
    """A zone logs all writes; its pages move to data blocks where many, else are page-mapped.

    Source: Wei et al., MSST 2011.

    Parameters
    ----------
    zone
        Share of the log blocks that are the buffer zone, one at least. Default: 5%. Range: 0 to 1.
        Source: choices.md#waftl-rules.
    threshold
        Share of a block's pages from which on they are merged into its data block. Default: 50%.
        Range: 0 to 1. Source: choices.md#waftl-rules.
    power_safe
        As in `ftlab.BlockOptimized`, for this FTL.
    log_blocks
        As in `ftlab.NFTL`, for this FTL.
    log_map
        As in `ftlab.Block`, for this FTL.
    """

    registered = "waftl"

    _: KW_ONLY
    zone: Quantity | None = setting("waftl.zone")
    threshold: Quantity | None = setting("waftl.threshold")
    power_safe: bool | None = setting("ftl.power_safe")
    log_blocks: int | None = setting("log.blocks")
    log_map: LogMap | None = setting("log.map")


class MNFTL(NamedFtl):
    """Blocks of each logical block's own, written in order; its page map in their OOBs.

    Source: Qin, Wang, Liu, Shao & Guan, DAC 2011.

    Parameters
    ----------
    victim
        The block to collect. ``"most-blocks-first"``: The least valid full block of the logical
        block with most blocks. Among equals it is the oldest block, and the lowest logical block.
        ``"global"``: The least valid full block of all, the lowest number among equals. Default:
        global. Source: MNFTL 4.3, the rule that it states first; choices.md#mnftl-victim.
    mapping
        The place of the first version of a page. ``"concentrated"``: In the block to which its
        logical block writes, among updates of other pages. ``"separated"``: In a block of first
        versions. Updates and copies go to other blocks of the logical block. Default: concentrated.
        Source: MNFTL 3, Figure 2; choices.md#mnftl-mapping.
    rows
        Rows of a subtable; each is a page number. Default: the largest power of two that fits into
        an OOB. Unit: rows. Range: at least 1. Source: choices.md#mnftl-rows.
    idle_blocks
        Collect in idle time while a logical block has at least this number of blocks. With one
        block there is nothing to gain. Default: never. Unit: blocks. Range: at least 2. Source:
        MNFTL 4.3 suggests it; choices.md#mnftl-idle.
    cache
        RAM for a cache of subtables. Default: 0B. Source: the paper has none;
        choices.md#mnftl-cache.
    gc_low, gc_high, gc_mode
        As in `ftlab.GC`, for this FTL.
    """

    registered = "mnftl"

    _: KW_ONLY
    victim: Literal["most-blocks-first", "global"] | None = setting("mnftl.victim")
    mapping: Literal["concentrated", "separated"] | None = setting("mnftl.mapping")
    rows: int | None = setting("mnftl.rows")
    idle_blocks: int | None = setting("mnftl.idle_blocks")
    cache: Quantity | None = setting("mnftl.cache")
    gc_low: int | None = setting("gc.low")
    gc_high: int | None = setting("gc.high")
    gc_mode: GcMode | None = setting("gc.mode")


class MNFTLHybrid(NamedFtl):
    """Mnftl behind a log of blocks in SLC mode; needs device.cell mlc or tlc.

    Source: this project; Qin et al., DAC 2011, section 6; the parameters of mnftl.

    Parameters
    ----------
    victim, mapping, rows, idle_blocks, cache
        As in `ftlab.MNFTL`, for this FTL.
    slc_blocks
        Blocks in SLC mode. Default: a quarter of the spare blocks, at least one. Unit: blocks.
        Range: at least 1. Source: choices.md#mnftl-hybrid.
    gc_low, gc_high, gc_mode
        As in `ftlab.GC`, for this FTL.
    """

    registered = "mnftl-hybrid"

    _: KW_ONLY
    victim: Literal["most-blocks-first", "global"] | None = setting("mnftl.victim")
    mapping: Literal["concentrated", "separated"] | None = setting("mnftl.mapping")
    rows: int | None = setting("mnftl.rows")
    idle_blocks: int | None = setting("mnftl.idle_blocks")
    cache: Quantity | None = setting("mnftl.cache")
    slc_blocks: int | None = setting("mnftl-hybrid.slc_blocks")
    gc_low: int | None = setting("gc.low")
    gc_high: int | None = setting("gc.high")
    gc_mode: GcMode | None = setting("gc.mode")


class GFTL(NamedFtl):
    """One block for each logical block, cleaned step by step between requests; a write buffer.

    Source: Choudhuri & Givargis, CODES+ISSS 2008.

    Parameters
    ----------
    buffer
        Write buffer as a share of the logical blocks. Default: 16%, or what the device has. Range:
        0 to 10. Source: MNFTL 5.2; choices.md#gftl-buffer.
    power_safe
        As in `ftlab.BlockOptimized`, for this FTL.
    """

    registered = "gftl"

    _: KW_ONLY
    buffer: Quantity | None = setting("gftl.buffer")
    power_safe: bool | None = setting("ftl.power_safe")


class Superblock(NamedFtl):
    """Neighbouring logical blocks share data and log blocks; the page map in their OOBs.

    Source: Kang, Jo, Kim & Lee, EMSOFT 2006.

    Parameters
    ----------
    data
        Logical blocks of a superblock, and its data blocks at most. Default: 4. Unit: blocks.
        Range: 1 to 64. Source: MNFTL 5.1.
    logs
        Log blocks of a superblock at most. Default: 2. Unit: blocks. Range: 1 to 64. Source: MNFTL
        5.1.
    pieces
        Pieces of the page map of a superblock: each more makes a second OOB read more likely.
        Default: the fewest that fit into an OOB. Unit: pieces. Range: at least 1. Source:
        choices.md#superblock-pieces.
    log_blocks
        As in `ftlab.NFTL`, for this FTL.
    """

    registered = "superblock"

    _: KW_ONLY
    data: int | None = setting("superblock.data")
    logs: int | None = setting("superblock.logs")
    pieces: int | None = setting("superblock.pieces")
    log_blocks: int | None = setting("log.blocks")
