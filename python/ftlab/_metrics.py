"""The metrics of a result as attributes, with their types.

Made by `make settings` from the metrics of the core. Do not edit.
"""

from __future__ import annotations

from ftlab.record import Counts, Numbers, Record, Section


class DeviceMetrics(Section):
    """The metrics of ``device``."""

    capacity_bytes: int
    """Logical size. Unit: bytes."""
    blocks: int
    """Physical blocks. Unit: blocks."""
    logical_blocks: int
    """Blocks needed for the logical size. Unit: blocks."""
    planes: int
    """All planes of the device. Unit: planes."""
    program_order: str
    """``ascending``, or ``any`` where the FTL needs pages of a block in any order, or where
    ``device.program_order`` allows it for all FTLs. Unit: text."""
    cell: str | None
    """``slc``, ``mlc`` or ``tlc``. Unit: text. None if it is not set, so that all pages are
    alike."""
    effective_spare_ratio: float
    """Pages beyond the logical and the translation pages / logical pages. Unit: ratio."""
    written_ratio: float | None
    """Logical pages that the host has ever written, warm-up included / logical pages. The rest acts
    as spare space. Unit: ratio. None if reads are not verified."""


class TraceMetrics(Section):
    """The metrics of ``trace``."""

    name: str
    """File, profile or workload. Unit: text."""
    format: str
    """Name of the format. Unit: text."""
    digest: str | None
    """Digest of the decoded requests, 16 hexadecimal digits. Unit: text. None if the input is read
    once."""
    requests: int | None
    """Requests in the input. Unit: requests. None if the input is read once."""
    volumes: int | None
    """Volumes in the input. Unit: volumes. None if the input is read once."""
    span_bytes: int | None
    """Address space that the input needs. Unit: bytes. None if the input is read once."""


class WarmupMetrics(Section):
    """The metrics of ``warmup``."""

    mode: str
    """``run.warmup``, with its default filled in. Unit: text."""
    requests: int
    """Requests before measuring; a page that the mode itself writes counts as one. Unit:
    requests."""
    host_page_writes: int
    """Pages that these requests write. Unit: pages."""
    block_erases: int
    """Blocks erased before measuring, without those for checkpoints and for trims that last. Unit:
    blocks."""
    passes: int | None
    """Passes over the input. Unit: passes. None if the mode does not read the input."""
    window_page_writes: int | None
    """Minimum of page writes in a window. Unit: pages. None if the mode has no rule (warmup.md)."""
    windows: list[float | None] | None
    """Write amplification of each window. Unit: list of factors. None if the mode has no rule."""
    spread: float | None
    """Of the last five windows: (highest - lowest) / mean. Unit: ratio. None if the mode has no
    rule, and of fewer windows."""
    drift: float | None
    """Of the last five windows: change of the least-squares line from first to last / mean. Unit:
    ratio. None if the mode has no rule, and of fewer windows."""
    steady: bool | None
    """Whether the rule was met. Unit: yes or no. None if the mode has no rule, and if hardly
    anything is written to flash."""


class HostMetrics(Section):
    """The metrics of ``host``."""

    requests: int
    """Requests served while measuring. Unit: requests."""
    reads: int
    """Read requests. Unit: requests."""
    writes: int
    """Write requests. Unit: requests."""
    trims: int
    """Trim requests. Unit: requests."""
    flushes: int
    """Flushes. Unit: requests."""
    writes_through: int
    """Writes with FUA (glossary.md#fua), which ``writes`` includes. Unit: requests."""
    page_reads: int
    """Page accesses of read requests. Unit: pages."""
    page_writes: int
    """Page accesses of write requests. Unit: pages."""
    partial_page_writes: int
    """Page writes of only part of a page; ``device.partial_writes`` sets their cost. Unit:
    pages."""
    page_trims: int
    """Pages trimmed. Unit: pages."""
    unwritten_page_reads: int
    """Page reads without data: the page was never written, or was trimmed. Unit: pages."""
    bytes_read: int
    """Bytes of reads in the pages that they access. Bytes beyond the device's end are not counted.
    With ``host.split = single``, bytes beyond the first page are not counted either. Unit:
    bytes."""
    bytes_written: int
    """Bytes of writes in the pages that they access, by the same rule. Unit: bytes."""
    folded_requests: int
    """Requests beyond the device that ``run.address = modulo`` maps to other addresses. Unit:
    requests."""
    cut_requests: int
    """Requests that ``run.address = modulo`` cuts at the device's end. Unit: requests."""
    duration_s: float
    """Simulated time of the last completion. Unit: s."""
    last_arrival_s: float | None
    """Arrival of the last request. Unit: s. None in a closed loop."""
    overloaded: bool | None
    """Whether requests arrived faster than the device served them, for a while or to the end.
    Response times then grow with the length of the input or of the burst; tables mark them. Unit:
    yes or no. None in a closed loop."""
    backlog_ratio: float | None
    """Share of reads and writes that arrived during a backlog, whether the run is overloaded or
    not. Unit: ratio. None in a closed loop."""
    backlog_from_s: float | None
    """Start of the first backlog. Unit: s. None without a backlog."""
    backlog_to_s: float | None
    """End of the last backlog. Unit: s. None without a backlog."""
    shared_pages_ratio: float | None
    """Share of the touched pages, warm-up included, to which ``overlay`` or ``modulo`` maps several
    addresses of the input. Unit: ratio. None if no page can have several addresses."""


class FlashMetrics(Section):
    """The metrics of ``flash``."""

    reads: Counts
    """Pages read. Unit: pages by cause."""
    oob_reads: Counts
    """Spare areas read alone (glossary.md#oob). Unit: reads by cause."""
    programs: Counts
    """Pages programmed: ``translation`` = N_tw, ``gc_data`` = N_md, ``gc_mapping`` = N_dt,
    ``gc_translation`` = N_mt. Unit: pages by cause."""
    copybacks: Counts
    """Pages moved inside a plane (glossary.md#copy-back). Unit: pages by cause."""
    erases: Counts
    """Blocks erased, by content: ``data``, ``log``, ``translation``, ``checkpoint`` and ``trim``.
    Unit: blocks by content."""
    wasted_pages: int | None
    """Pages skipped because copy-back keeps the parity of page numbers. Unit: pages. None without
    copy-back."""


class MappingMetrics(Section):
    """The metrics of ``mapping``."""

    lookups: int | None
    """Requested translations: one per page access, trims included. Unit: pages. None if the whole
    map is in RAM."""
    hits: int | None
    """Translations found in RAM. Unit: pages. None if the whole map is in RAM."""
    hit_ratio: float | None
    """Hits / lookups. Unit: ratio. None if the whole map is in RAM; without lookups."""
    replacements: int | None
    """Evicted entries. ``cdftl``, ``sftl`` and ``zftl`` evict translation pages or batches. Unit:
    entries. None if the whole map is in RAM."""
    dirty_replacements: int | None
    """Evicted entries that were dirty. Unit: entries. None if the whole map is in RAM."""
    dirty_replacement_probability: float | None
    """Dirty replacements / replacements. Unit: ratio. None if the whole map is in RAM; without
    replacements."""
    gc_hit_ratio: float | None
    """Mappings of moved pages found in the cache / pages moved. Unit: ratio. None if the whole map
    is in RAM; if GC moves no page."""
    translation_reads: int | None
    """Translation pages read, for any cause. Unit: pages. None if the whole map is in RAM."""
    translation_writes: int | None
    """Translation pages programmed, for any cause: N_tw + N_dt + N_mt. Unit: pages. None if the
    whole map is in RAM."""
    cached_entries: int | None
    """Entries in the cache at the end. Unit: entries. None if the whole map is in RAM."""
    cached_translation_pages: int | None
    """Translation pages with an entry in the cache at the end. Unit: pages. None if the whole map
    is in RAM."""
    space_utilization: float | None
    """Cached mappings x 8 B / budget of the cache, at the end. A full cache of DFTL has 1. Figure
    10 of TPFTL shows this minus 1, at most 8 / 6 - 1. FTLs that cache whole pages count all their
    mappings. Unit: ratio. None if the whole map is in RAM; without a cache."""


class PrefetchMetrics(Section):
    """The metrics of ``prefetch``."""

    on_ratio: float | None
    """Lookups while selective prefetching is on / lookups. Unit: ratio. None unless the FTL
    prefetches single mappings, as ``tpftl`` does; without lookups."""
    switches: int | None
    """Times that selective prefetching is switched on or off. Unit: switches. None unless the FTL
    prefetches single mappings, as ``tpftl`` does."""
    request_loaded: int | None
    """Entries loaded because the request goes on to them. Unit: entries. None unless the FTL
    prefetches single mappings, as ``tpftl`` does."""
    request_used: int | None
    """Of these, looked up by the host before they are evicted. Unit: entries. None unless the FTL
    prefetches single mappings, as ``tpftl`` does."""
    request_unused: int | None
    """Of these, evicted before the host looks them up. Unit: entries. None unless the FTL
    prefetches single mappings, as ``tpftl`` does."""
    successors_loaded: int | None
    """Entries loaded because they follow a cached run. Unit: entries. None unless the FTL
    prefetches single mappings, as ``tpftl`` does."""
    successors_used: int | None
    """Of these, looked up by the host before they are evicted. Unit: entries. None unless the FTL
    prefetches single mappings, as ``tpftl`` does."""
    successors_unused: int | None
    """Of these, evicted before the host looks them up. Unit: entries. None unless the FTL
    prefetches single mappings, as ``tpftl`` does."""
    misses_new: int | None
    """Misses of mappings that were not in the cache since measuring started. Unit: misses. None
    unless the FTL prefetches single mappings, as ``tpftl`` does."""
    misses_evicted: int | None
    """Misses of mappings that were evicted after the host used them. Unit: misses. None unless the
    FTL prefetches single mappings, as ``tpftl`` does."""
    misses_evicted_unused: int | None
    """Misses of mappings that were prefetched and evicted before the host used them. Unit: misses.
    None unless the FTL prefetches single mappings, as ``tpftl`` does."""
    misses_in_sequence: int | None
    """Of all misses, those of a page whose predecessor is cached while selective prefetching is
    off. Unit: misses. None unless the FTL prefetches single mappings, as ``tpftl`` does."""


class GcMetrics(Section):
    """The metrics of ``gc``."""

    runs: int | None
    """Starts of GC; a run may collect several blocks (glossary.md#victim). Unit: runs. None if the
    FTL merges blocks."""
    data_blocks: int | None
    """Data blocks collected. Unit: blocks. None if the FTL merges blocks."""
    translation_blocks: int | None
    """Translation blocks collected. Unit: blocks. None if the FTL merges blocks."""
    copied_pages: int | None
    """Valid pages that GC moves. Unit: pages. None if the FTL merges blocks."""
    mean_valid_data: float | None
    """Mean of the valid pages in a collected data block. Unit: pages. None if the FTL merges
    blocks; if none is collected."""
    mean_valid_translation: float | None
    """Mean of the valid pages in a collected translation block. Unit: pages. None if the FTL merges
    blocks; if none is collected."""
    low: int | None
    """Free blocks at which GC starts: ``gc.low``, or the minimum of the FTL if that is higher.
    Unit: blocks. None if the FTL merges blocks."""
    high: int | None
    """Free blocks at which a batch ends: ``gc.high``, or the minimum of the FTL if that is higher.
    Unit: blocks. None if the FTL merges blocks."""
    forced_victims: int | None
    """Victims that the policy did not choose: at the last free block, or to end a run. Unit:
    blocks. None if the FTL merges blocks."""
    background_runs: int | None
    """Starts of GC in idle time. Unit: runs. None if the FTL merges blocks; if GC never starts in
    idle time."""


class MergesMetrics(Section):
    """The metrics of ``merges``."""

    switch: int | None
    """Merges in which a log block held all pages at their offsets: no copies. Unit: merges. None if
    the FTL collects garbage."""
    partial: int | None
    """Merges in which a log block held some pages at their offsets, and was completed. Unit:
    merges. None if the FTL collects garbage."""
    full: int | None
    """Merges in which the newest pages were copied to a fresh block. Unit: merges. None if the FTL
    collects garbage."""
    copied_pages: int | None
    """Pages copied by merges and by rewrites of blocks. Unit: pages. None if the FTL collects
    garbage."""


class ClassesMetrics(Section):
    """The metrics of ``classes``."""

    write_amplification: list[float | None] | None
    """Write amplification: (pages of the host + copies by last writer) / pages of the host. Unit:
    list of factors. None unless pages are separated; of classes without pages of the host."""
    written: list[int] | None
    """Pages of the host. Unit: list of pages. None unless pages are separated."""
    copied_by_writer: list[int] | None
    """Pages that GC moves, by the class that the host's last write gave them. Unit: list of pages.
    None unless pages are separated."""
    copied_by_unit: list[int] | None
    """Pages that GC moves, by the class of the unit that they leave. Unit: list of pages. None
    unless pages are separated."""
    copied_to_unit: list[int] | None
    """Pages that GC moves, by the class of the unit that they go to. Unit: list of pages. None
    unless pages are separated."""
    died: list[int] | None
    """Pages that are superseded or trimmed, by the class of the unit that they lie in. Unit: list
    of pages. None unless pages are separated."""
    lifespan: list[float | None] | None
    """How long those lived since the host wrote them: mean, in page writes of the host. Unit: list
    of page writes. None unless pages are separated; of classes in which no page died."""
    resident: list[int] | None
    """Pages with data, at the end. Unit: list of pages. None unless pages are separated."""
    units: list[int] | None
    """Units that are not erased, at the end. Unit: list of blocks. None unless pages are
    separated."""
    erased: list[int] | None
    """Units that GC collects. Unit: list of blocks. None unless pages are separated."""
    garbage_at_collection: list[float | None] | None
    """Of the pages of those, the share without data when they were collected. Unit: list of shares.
    None unless pages are separated; of classes of which no unit was collected."""


class FdpLogMetrics(Section):
    """The metrics of ``fdp.log``."""

    kind: list[str] | None
    """The kind of each. Unit: texts. None unless pages are separated by handles, and on zones."""
    time_s: list[float] | None
    """Arrival of the request that caused it. Unit: list of s. None unless pages are separated by
    handles, and on zones."""
    handle: list[int] | None
    """The handle, as the host names it. Unit: list of numbers. None unless pages are separated by
    handles, and on zones."""


class FdpMetrics(Section):
    """The metrics of ``fdp``."""

    host_bytes_written: int | None
    """HBMW: bytes that the host writes. Unit: bytes. None unless pages are separated by handles,
    and on zones."""
    media_bytes_written: int | None
    """MBMW: bytes of user data that host and controller write. Unit: bytes. None unless pages are
    separated by handles, and on zones."""
    media_bytes_erased: int | None
    """MBE: bytes of user units that are erased. Unit: bytes. None unless pages are separated by
    handles, and on zones."""
    events: Counts | None
    """Events that the drive would log, by kind. Unit: events by kind. None unless pages are
    separated by handles, and on zones."""
    log: FdpLogMetrics
    updates: int | None
    """Updates of handles: the host moves them to new units. Unit: updates. None unless pages are
    separated by handles, and on zones."""
    unwritten: int | None
    """Pages of the units before that are not written. Unit: pages. None unless pages are separated
    by handles, and on zones."""
    available_media_writes: list[int] | None
    """RUAMW: logical blocks of ``device.sector`` that the unit of each handle still takes, at the
    end. Unit: list of logical blocks. None unless pages are separated by handles, and on zones."""
    copied_by_owner: list[int] | None
    """Pages that GC moves, by the handle that owns the unit that they leave; the last is that of
    all initially isolated handles. Unit: list of pages. None unless pages are separated by handles,
    and on zones."""
    erased_by_owner: list[int] | None
    """Units that GC erases, by the same. Unit: list of blocks. None unless pages are separated by
    handles, and on zones."""
    write_amplification: list[float | None] | None
    """Write amplification by handle: (pages of the host + copies by last writer) / pages of the
    host. Unit: list of factors. None unless pages are separated by handles, and on zones; of
    handles without writes."""


class ZonesMetrics(Section):
    """The metrics of ``zones``."""

    host_write_amplification: float | None
    """Write amplification of the host: pages that its FTL writes to zones / pages of the input.
    Unit: factor. None unless the drive is zoned; without writes."""
    device_write_amplification: float | None
    """Write amplification of the drive: pages programmed / pages that the host writes to zones.
    Unit: factor. None unless the drive is zoned; without writes."""
    written: int | None
    """Pages that the host writes to zones. Unit: pages. None unless the drive is zoned."""
    unwritten: int | None
    """Pages that are left when zones are finished. Unit: pages. None unless the drive is zoned."""
    opened: int | None
    """Zones that become open from empty. Unit: zones. None unless the drive is zoned."""
    closed_for_others: int | None
    """Zones that the drive closes because another is opened. Unit: zones. None unless the drive is
    zoned."""
    finished: int | None
    """Zones that are finished before they are full. Unit: zones. None unless the drive is zoned."""
    resets: int | None
    """Zones with something written that are reset. Unit: zones. None unless the drive is zoned."""
    refused: Counts | None
    """Commands that the drive refuses, by status. Unit: commands by status. None unless the drive
    is zoned."""
    most_open: int | None
    """Most zones that are open at a time. Unit: zones. None unless the drive is zoned."""
    most_active: int | None
    """Most zones that are active at a time. Unit: zones. None unless the drive is zoned."""
    zones: int | None
    """Zones of the drive. Unit: zones. None unless the drive is zoned."""
    zone_pages: int | None
    """Pages of a zone that can be written. Unit: pages. None unless the drive is zoned."""


class BufferFlushedAtEndMetrics(Section):
    """The metrics of ``buffer.flushed_at_end``."""

    groups: int | None
    """Groups given to the FTL. Unit: groups. None without a write buffer; of a live device."""
    pages: int | None
    """Pages programmed for the host. Unit: pages. None without a write buffer; of a live device."""
    programs: int | None
    """Pages programmed in all. Unit: pages. None without a write buffer; of a live device."""
    erases: int | None
    """Blocks erased. Unit: blocks. None without a write buffer; of a live device."""
    time_us: float | None
    """Time from the first flash operation to the last. Unit: us. None without a write buffer; of a
    live device."""


class BufferMetrics(Section):
    """The metrics of ``buffer``."""

    hits: int | None
    """Page accesses of the host that hit the buffer. Unit: pages. None without a write buffer."""
    read_hits: int | None
    """Reads among the hits. Unit: pages. None without a write buffer."""
    hit_ratio: float | None
    """Hits / page reads and writes of the host. Unit: ratio. None without a write buffer; without
    reads and writes."""
    absorbed: int | None
    """Page writes never programmed: overwritten or trimmed in RAM. Unit: pages. None without a
    write buffer."""
    flushed_groups: int | None
    """Groups written to the FTL. Unit: groups. None without a write buffer."""
    flushed_pages: int | None
    """Page writes of the host in these groups. Unit: pages. None without a write buffer."""
    mean_group_pages: float | None
    """Mean size of a group, padding included. Unit: pages. None without a write buffer; without
    groups."""
    padded_pages: int | None
    """Pages read from flash and programmed again to complete a group. Unit: pages. None without a
    write buffer."""
    at_risk_bytes_mean: float | None
    """Data whose newest version is only in RAM, in the buffer or in the FTL: the mean over
    requests. Unit: bytes. None without a write buffer."""
    at_risk_bytes_max: int | None
    """The largest amount of such data after a request. Unit: bytes. None without a write buffer."""
    flushed_at_end: BufferFlushedAtEndMetrics


class OptimumMetrics(Section):
    """The metrics of ``optimum``."""

    write_amplification: float | None
    """Write amplification of the best division of the spare space over pages that are written
    equally often. Unit: factor. None where ``absent`` says why."""
    gap: float | None
    """Write amplification / that of the best division - 1. It is below 0 where a run is not in
    steady state, or knows the future. Unit: ratio. None where ``absent`` says why, or without
    writes."""
    absent: str | None
    """Why there is no bound. Unit: text. None where there is one."""


class ResponseUsMetrics(Section):
    """The metrics of ``response_us`` and others."""

    mean: float | None
    """Mean, exact. Unit: us. None without such requests."""
    stddev: float | None
    """Population standard deviation, exact. Unit: us. None without such requests."""
    p50: float | None
    """Median, within 0.1 %. Unit: us. None without such requests."""
    p90: float | None
    """90th percentile, within 0.1 %. Unit: us. None without such requests."""
    p99: float | None
    """99th percentile, within 0.1 %. Unit: us. None without such requests."""
    p999: float | None
    """99.9th percentile, within 0.1 %. Unit: us. None without such requests."""
    p9999: float | None
    """99.99th percentile, within 0.1 %. Unit: us. None without such requests; of fewer than 100,000
    requests, as it would rest on less than ten."""
    max: float | None
    """Maximum, exact. Unit: us. None without such requests."""


class CausesMetrics(Section):
    """The metrics of ``causes``."""

    service_us: Numbers | None
    """What each part adds to the mean service time. Parts that are 0 are left out. Unit: us by
    part. None unless ``run.causes`` asks for it."""
    wait_us: Numbers | None
    """What waiting for each part adds to the mean response time. Unit: us by part. None unless
    ``run.causes`` asks for it."""
    pauses: int | None
    """Reads and writes during which blocks are cleaned, by GC, merges or wear levelling. Unit:
    requests. None unless ``run.causes`` asks for it."""
    pause_us_mean: float | None
    """Mean time of their cleaning. Unit: us. None unless ``run.causes`` asks for it; without
    pauses."""
    pause_us_max: float | None
    """Longest time of their cleaning. Unit: us. None unless ``run.causes`` asks for it; without
    pauses."""
    waiting_for_pauses_ratio: float | None
    """Share of reads and writes that wait for the cleaning of others. Unit: ratio. None unless
    ``run.causes`` asks for it; without reads and writes."""
    slowest: list[Record] | None
    """The ten slowest reads and writes: ``request`` (from 0), ``op``, ``arrival_s``,
    ``response_us``, and by part ``service_us`` and ``wait_us``. Unit: list of objects. None unless
    ``run.causes`` asks for it."""


class PlanesMetrics(Section):
    """The metrics of ``planes``."""

    requests: list[int]
    """Flash operations of each plane. Unit: list of operations."""
    sdrpp: float | None
    """Natural logarithm of the population standard deviation of flash operations over planes. Unit:
    ln(operations). None if planes do not differ."""
    host_requests: list[int]
    """Flash operations of each plane for the host and the map, without GC and merges. Their causes
    are ``host``, ``translation``, ``padding`` and ``read_modify_write``. Unit: list of
    operations."""
    host_sdrpp: float | None
    """The same logarithm of ``host_requests``. Unit: ln(operations). None if planes do not
    differ."""
    busy_fraction: list[float]
    """Share of the time in use of each plane, until all is done. With ``device.suspend`` only its
    array counts. Unit: list of ratios."""


class ChannelsMetrics(Section):
    """The metrics of ``channels``."""

    busy_fraction: list[float]
    """Share of the time in use of each channel, until all is done. Unit: list of ratios."""


class WearMetrics(Section):
    """The metrics of ``wear``."""

    erases_total: int
    """Erases of all blocks since the device was new, warm-up included. Unit: erases."""
    erases_min: int
    """Erases of the least erased block. Unit: erases."""
    erases_max: int
    """Erases of the most erased block. Unit: erases."""
    erases_mean: float
    """Mean over blocks. Unit: erases."""
    erases_stddev: float
    """Population standard deviation over blocks. Unit: erases."""
    blocks_by_erases: list[list[int]]
    """An erase count, and the number of blocks with it, fewest erases first. Unit: list of
    pairs."""
    planes: list[Record]
    """``erases_min``, ``erases_max``, ``erases_mean`` and ``erases_stddev`` of each plane. Unit:
    list of objects."""
    moved_blocks: int
    """Blocks moved to level wear (wear.md) in the measured phase. Unit: blocks."""
    levelled_within: int | None
    """Largest difference of erases between two blocks of a partition at the end. Unit: erases. None
    unless ``wear.policy = static``."""


class LifetimeMetrics(Section):
    """The metrics of ``lifetime``."""

    worn_out_blocks: int | None
    """Blocks at the end of their endurance, since the device was new, warm-up included. Unit:
    blocks. None without ``device.endurance``."""
    bytes_at_failure: list[int] | None
    """For each of them, bytes of the pages that the host had written by then. Unit: list of bytes.
    None without ``device.endurance``."""
    spare_blocks: int | None
    """Spare blocks left. Unit: blocks. None without ``device.endurance``."""
    read_only: bool | None
    """Whether the device takes no more writes. Unit: yes or no. None without
    ``device.endurance``."""
    refused_requests: int | None
    """Writes, trims and flushes that it refused in the measured phase. Unit: requests. None without
    ``device.endurance``."""


class RecoveryMetrics(Section):
    """The metrics of ``recovery``."""

    time_s: float | None
    """Simulated time until the FTL has mounted. Unit: s. None unless ``run.recovery`` asks for it;
    if the FTL does not mount, or not without ``ftl.power_safe``."""
    oob_reads: int | None
    """OOBs that the mount reads, not counted elsewhere. Unit: pages. None unless ``run.recovery``
    asks for it; if the FTL does not mount, or not without ``ftl.power_safe``."""
    page_reads: int | None
    """Pages that it reads, not counted elsewhere. Unit: pages. None unless ``run.recovery`` asks
    for it; if the FTL does not mount, or not without ``ftl.power_safe``."""
    programs: int | None
    """Pages that it programs, not counted elsewhere. Unit: pages. None unless ``run.recovery`` asks
    for it; if the FTL does not mount, or not without ``ftl.power_safe``."""
    erases: int | None
    """Blocks that it erases, not counted elsewhere. Unit: blocks. None unless ``run.recovery`` asks
    for it; if the FTL does not mount, or not without ``ftl.power_safe``."""
    ram_bytes: int | None
    """RAM of the mount: 12 for each logical page and for each translation page of a map on flash.
    Unit: bytes. None unless ``run.recovery`` asks for it; if the FTL does not mount, or not without
    ``ftl.power_safe``."""
    at_risk_bytes: int | None
    """Acknowledged data that the cut would lose. Unit: bytes. None unless ``run.recovery`` asks for
    it; if that is not known."""
    at_risk_bytes_max: int | None
    """The maximum of ``timeline.at_risk_bytes``. Unit: bytes. None unless ``run.recovery`` asks for
    it; if that is not known."""


class RamBytesMetrics(Section):
    """The metrics of ``ram_bytes``."""

    tables: int | None
    """Tables that are always resident. Unit: bytes. None if the FTL does not state its RAM."""
    cache: int
    """Budget of the mapping cache. Unit: bytes."""
    buffer: int
    """Pages of the write buffer, and pages that an FTL cleans with. Unit: bytes."""


class EnergyMetrics(Section):
    """The metrics of ``energy``."""

    flash_j: Numbers
    """Power of planes and buses x time of each operation. Unit: J by cause."""
    ram_j: float | None
    """``energy.ram`` x RAM x time until the device is done. Unit: J. None if the FTL does not state
    its RAM."""
    total_j: float | None
    """Energy of flash and RAM. Unit: J. None if the FTL does not state its RAM."""
    nj_per_host_byte: float | None
    """``energy.total_j`` / bytes that the host reads and writes. Unit: nJ. None if the FTL does not
    state its RAM, and without such bytes."""


class SpeedMetrics(Section):
    """The metrics of ``speed``."""

    wall_s: float
    """Wall-clock time of the simulation alone. Unit: s."""
    requests_per_s: float
    """Requests / ``wall_s``. Unit: 1/s."""
    flash_ops_per_s: float
    """(reads + programs + 2 copy-backs + erases) / ``wall_s``. Unit: 1/s."""
    trace_read_s: float
    """Wall-clock time of reading or generating requests, which overlaps the simulation. Unit: s."""


class ChecksMetrics(Section):
    """The metrics of ``checks``."""

    reads_verified: int
    """Reads compared with the last write of their page. Unit: pages."""
    rules_checked: int
    """Rules of NAND checked. Unit: rules."""
    violations: int
    """Broken rules and invariants: always 0, as a run with a violation fails. Unit: violations."""


class DistributionsResponseUsMetrics(Section):
    """The metrics of ``distributions.response_us`` and others."""

    value: list[float]
    """Response times, ascending; 20 points a decade of the slowest requests. Unit: list of us."""
    fraction: list[float]
    """Share of the requests that complete within this time. Unit: list of ratios."""


class DistributionsMetrics(Section):
    """The metrics of ``distributions``."""

    response_us: DistributionsResponseUsMetrics
    """reads and writes."""
    read_response_us: DistributionsResponseUsMetrics
    """reads."""
    write_response_us: DistributionsResponseUsMetrics
    """writes."""


class TimelineMetrics(Section):
    """The metrics of ``timeline``."""

    time_s: list[float]
    """End of each interval. Unit: list of s."""
    requests: list[int]
    """Requests completed by then. Unit: list of requests."""
    hit_ratio: list[float | None]
    """Hit ratio of the mapping cache in the interval. Unit: list of ratios. None of intervals
    without lookups."""
    write_amplification: list[float | None]
    """Write amplification of the interval. Unit: list of factors. None of intervals without
    writes."""
    mean_response_us: list[float]
    """Mean response time of reads and writes in the interval. Unit: list of us."""
    at_risk_bytes: list[int | None]
    """Data that a power cut at the end of the interval would lose, as its newest version is only in
    RAM. With ``run.recovery`` 0 for an FTL that mounts. Unit: list of bytes. None without a
    buffer."""
    written_by_class: list[list[int]] | None
    """Pages of the host in the interval, by class of a separation: of ``handles``, by placement
    handle. Unit: lists of pages. None unless pages are separated."""
    copied_by_class: list[list[int]] | None
    """Pages that GC moves in the interval, by the class that the host's last write gave them. Unit:
    lists of pages. None unless pages are separated."""


class SamplesMetrics(Section):
    """The metrics of ``samples``."""

    every: int | None
    """Page accesses between two samples (``run.samples``). Unit: pages. None without a sample."""
    page_accesses: list[int] | None
    """Page reads and writes served before each sample. Unit: list of pages. None without a
    sample."""
    entries: list[int] | None
    """Entries in the cache. Unit: list of entries. None without a sample."""
    dirty_entries: list[int] | None
    """Dirty entries in the cache. Unit: list of entries. None without a sample."""
    translation_pages: list[int] | None
    """Translation pages with an entry in the cache. Unit: list of pages. None without a sample."""
    pages_by_dirty_entries: list[int] | None
    """Translation pages with 0, 1, 2, ... dirty entries in the cache, over all samples. Unit: list
    of pages. None without a sample."""


class Metrics(Section):
    """The metrics of a result."""

    ftlab: str
    """Version of ftlab. Unit: text."""
    ftl: str
    """Name of the FTL. Unit: text."""
    config: Record
    """The configuration with all defaults, by section. Unit: tree."""
    device: DeviceMetrics
    trace: TraceMetrics
    seed: int
    """Seed of every random choice. Unit: number."""
    warmup: WarmupMetrics
    host: HostMetrics
    flash: FlashMetrics
    mapping: MappingMetrics
    prefetch: PrefetchMetrics
    gc: GcMetrics
    merges: MergesMetrics
    classes: ClassesMetrics
    fdp: FdpMetrics
    zones: ZonesMetrics
    buffer: BufferMetrics
    write_amplification: float | None
    """Pages programmed / pages written by the host. Unit: factor. None without writes."""
    optimum: OptimumMetrics
    byte_write_amplification: float | None
    """Bytes programmed / bytes written by the host; higher where the host writes parts of pages.
    Unit: factor. None without writes."""
    response_us: ResponseUsMetrics
    """completion - issue of reads and writes."""
    read_response_us: ResponseUsMetrics
    """completion - issue of reads."""
    write_response_us: ResponseUsMetrics
    """completion - issue of writes."""
    flush_response_us: ResponseUsMetrics
    """completion - issue of flushes."""
    service_us: ResponseUsMetrics
    """end of a request's last flash operation - start of its first."""
    causes: CausesMetrics
    planes: PlanesMetrics
    channels: ChannelsMetrics
    wear: WearMetrics
    lifetime: LifetimeMetrics
    recovery: RecoveryMetrics
    ram_bytes: RamBytesMetrics
    energy: EnergyMetrics
    own: Numbers
    """Metrics of this FTL only, by name. Unit: number by name."""
    speed: SpeedMetrics
    checks: ChecksMetrics
    warnings: list[str]
    """Warnings for the reader. Unit: texts."""
    distributions: DistributionsMetrics
    timeline: TimelineMetrics
    samples: SamplesMetrics
    schedule: list[Record]
    """Single flash operations, as configured by ``run.timeline``. Unit: list of objects."""
