"""The flash device of a run."""

from __future__ import annotations

from dataclasses import asdict, dataclass

from ftlab.config import Config, Quantity, given


@dataclass(frozen=True, kw_only=True)
class Device:
    """A NAND device; what is left ``None`` comes from the preset or the core's defaults.

    Sizes are bytes or text (``"512MiB"``, ``"4k"``), times nanoseconds or text (``"25us"``),
    ratios fractions or text (``"15%"``).

    Attributes
    ----------
    capacity
        Logical size that the host sees; by default as large as the trace's address space.
    page
        Data and spare size of a flash page.
    pages_per_block
        Pages of an erase block.
    over_provisioning
        Physical space beyond the capacity, as a share of the capacity.
    blocks
        Physical blocks, instead of `over_provisioning`.
    channels, chips_per_channel, dies_per_chip, planes_per_die
        The geometry.
    read, oob_read, program, erase
        Time of the operation in the cells.
    transfer_per_byte
        Time on the channel for each byte.
    program_order
        ``"ascending"`` or ``"any"``: the order of programs inside a block. By default each FTL gets
        the strictest that it can work with, and its result tells which.
    oob
        Bytes of each page's spare area that an FTL may fill.
    cell
        ``"slc"``, ``"mlc"`` or ``"tlc"``: pages of one, two or three types.
    read_by_bit, program_by_bit
        Times of the page types, LSB first.
    bandwidth
        Bytes per second of a channel, instead of `transfer_per_byte`.
    command
        Time of the command and address cycles of an operation.
    bus
        ``"placement"`` or ``"gaps"``: whether a transfer may go into a gap between earlier ones.
    interleave
        Whether the dies of a chip work at the same time.
    multi_plane
        Whether the planes of a die take one command together, and none apart.
    cache_read, cache_program
        Whether a page is on the bus while the array works on the next, or on the one before.
    suspend
        Time to stop a program or erase for a read and to take it up again.
    """

    capacity: Quantity | None = None
    page: Quantity | None = None
    pages_per_block: int | None = None
    over_provisioning: Quantity | None = None
    blocks: int | None = None
    channels: int | None = None
    chips_per_channel: int | None = None
    dies_per_chip: int | None = None
    planes_per_die: int | None = None
    read: Quantity | None = None
    oob_read: Quantity | None = None
    program: Quantity | None = None
    erase: Quantity | None = None
    transfer_per_byte: Quantity | None = None
    program_order: str | None = None
    oob: Quantity | None = None
    cell: str | None = None
    read_by_bit: list[Quantity] | None = None
    program_by_bit: list[Quantity] | None = None
    bandwidth: Quantity | None = None
    command: Quantity | None = None
    bus: str | None = None
    interleave: bool | None = None
    multi_plane: bool | None = None
    cache_read: bool | None = None
    cache_program: bool | None = None
    suspend: Quantity | None = None

    def config(self) -> Config:
        """Return the ``device`` section of the configuration, only what was given."""
        return given(**asdict(self))
