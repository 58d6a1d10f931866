"""An FTL with the whole page map in RAM.

The rules, which `ftlab check` tests:

* `read`, `write` and `trim` get the logical pages (LPN) of a request, ascending. `begin_each` goes
  through them. Each page is then read, written or trimmed once, and no other page is.
* The pages of a block are programmed in ascending order, and once between two erases.
* `host_read` names the physical page (PPN) that holds the last write of the LPN.
* A page that is superseded is invalidated. A block is erased when none of its pages is valid.
* `ram` states the bytes of all that the FTL keeps.
"""

from heapq import heappop, heappush

from ftlab._core import DeviceInfo, Flash


class PageMapped:
    """The whole page map in RAM, with greedy garbage collection."""

    def __init__(self, device: DeviceInfo) -> None:
        self.device = device
        self.map: list[int | None] = [None] * device.logical_pages  # LPN to PPN
        self.free = [(0, block) for block in range(device.blocks)]  # by erases
        self.open = heappop(self.free)[1]
        self.closed: list[int] = []  # in the order in which they were filled

    def read(self, pages: list[int], flash: Flash) -> None:
        """Read the pages of a request."""
        for lpn in flash.begin_each(pages):
            flash.host_read(lpn, self.map[lpn])

    def write(self, pages: list[int], flash: Flash) -> None:
        """Write the pages of a request to new places."""
        for lpn in flash.begin_each(pages):
            self.make_room(flash)
            new = self.next_page(flash)
            flash.program(new, lpn)
            self.remap(lpn, new, flash)

    def trim(self, pages: list[int], flash: Flash) -> None:
        """Forget the pages of a request."""
        for lpn in flash.begin_each(pages):
            self.remap(lpn, None, flash)
            flash.trim(lpn)

    def remap(self, lpn: int, new: int | None, flash: Flash) -> None:
        """Have a logical page at a new place; the old one is stale."""
        old = self.map[lpn]
        if old is not None:
            flash.invalidate(old)
        self.map[lpn] = new

    def next_page(self, flash: Flash) -> int:
        """Return the next erased page of the open block."""
        if flash.is_full(self.open):
            self.closed.append(self.open)
            self.open = heappop(self.free)[1]
        return flash.next_page(self.open)

    def make_room(self, flash: Flash) -> None:
        """Collect blocks when few are free."""
        if len(self.free) <= self.device.gc_low and flash.is_full(self.open):
            while len(self.free) < self.device.gc_high:
                self.collect(self.victim(flash), flash)

    def victim(self, flash: Flash) -> int:
        """Return the closed block to collect: one with the fewest valid pages."""
        return min(self.closed, key=lambda block: (flash.valid_in(block), block))

    def collect(self, block: int, flash: Flash) -> None:
        """Move the valid pages of a block, and erase it."""
        self.closed.remove(block)
        for old in flash.valid_pages(block):
            new = self.next_page(flash)
            lpn = flash.relocate(old, new)
            if isinstance(lpn, int):  # a data page, and no part of a map on flash
                self.map[lpn] = new
        flash.erase(block)
        heappush(self.free, (flash.erases_of(block), block))

    def mapping(self, lpn: int) -> int | None:
        """Return where a logical page is: the checks compare it with the flash."""
        return self.map[lpn]

    def ram(self) -> int:
        """Return the bytes of the map."""
        return 4 * len(self.map)
