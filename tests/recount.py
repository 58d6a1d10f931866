"""TPFTL's mapping cache once more: what it prefetches, and what misses come from.

A dictionary and lists that are searched from end to end. It knows the map and no flash, so it
holds for runs in which GC writes nothing of the map.
"""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field

ENTRY = 6


@dataclass
class Entry:
    """A cached mapping: the access that touched it last, and why it was loaded until it is used."""

    touched: int
    waits: str = ""
    dirty: bool = False


@dataclass
class Cache:
    """The nodes by translation page, each with its entries, the most recent first."""

    budget: int
    entries_per_page: int
    features: str = "rsbc"
    threshold: int = 3
    node_bytes: int = 6
    nodes: dict[int, dict[int, Entry]] = field(default_factory=dict)
    accesses: int = 0
    counter: int = 0
    is_on: bool = False
    past: dict[int, str] = field(default_factory=dict)
    counts: Counter[str] = field(default_factory=Counter)

    def requests(self, requests: Iterable[tuple[bool, int, int]]) -> Counter[str]:
        """Serve requests (whether it writes, first page, last page); return what was counted."""
        for writes, first, last in requests:
            for page in range(first, last + 1):
                self.look_up(page, last).dirty |= writes
        return self.counts

    def restart(self) -> None:
        """Count from now on."""
        self.counts.clear()
        self.past.clear()
        for node in self.nodes.values():
            for entry in node.values():
                entry.waits = ""

    def look_up(self, page: int, last: int) -> Entry:
        was_on = self.is_on
        self.accesses += 1
        self.counts["lookups"] += 1
        self.counts["on"] += was_on
        number = page // self.entries_per_page
        node = self.nodes.get(number, {})
        if page in node:
            entry = node.pop(page)
            self.counts["hits"] += 1
            self.counts[f"{entry.waits}_used"] += 1
            entry.touched, entry.waits = self.accesses, ""
            self.nodes[number] = {page: entry, **node}
            return entry
        self.counts[f"misses_{self.past.get(page, 'new')}"] += 1
        self.counts["misses_in_sequence"] += not was_on and page - 1 in node
        self.load(page, last, number)
        self.counts["switches"] += was_on != self.is_on
        return self.nodes[number][page]

    def load(self, page: int, last: int, number: int) -> None:
        own = self.nodes.get(number, {})
        in_request = last if "r" in self.features else page
        end = in_request
        if self.is_on:
            run = 0
            while page - run - 1 in own:
                run += 1
            end = max(end, page + run)
        end = min(end, (number + 1) * self.entries_per_page - 1)
        others = [each for each in self.nodes if each != number] or list(self.nodes)
        victim = min(others, key=self.warmth, default=None)
        room = self.free()
        if victim is not None:
            room += ENTRY * len(self.nodes[victim]) + self.node_bytes
        if not own or victim == number:
            room -= self.node_bytes
        load = [page]
        for following in range(page + 1, end + 1):
            if ENTRY * (len(load) + 1) > room:
                break
            load += [following] if following not in own else []
        needed = ENTRY * len(load) + (0 if own else self.node_bytes)
        while self.free() < needed:
            self.evict(victim)
        if number not in self.nodes:
            self.nodes[number] = {}
            self.count_nodes(1)
        for each in load[1:]:
            self.counts["request_loaded" if each <= in_request else "successors_loaded"] += 1
        waits = ["", *("request" if each <= in_request else "successors" for each in load[1:])]
        new = {each: Entry(self.accesses, why) for each, why in zip(load, waits, strict=True)}
        self.nodes[number] = {**new, **self.nodes[number]}

    def free(self) -> int:
        held = sum(ENTRY * len(node) + self.node_bytes for node in self.nodes.values())
        return self.budget - held

    def warmth(self, number: int) -> tuple[float, int]:
        touches = [entry.touched for entry in self.nodes[number].values()]
        return sum(touches) / len(touches), touches[0]

    def evict(self, number: int) -> None:
        node = self.nodes[number]
        oldest_first = list(reversed(node))
        clean = [page for page in oldest_first if not node[page].dirty]
        page = (clean if clean and "c" in self.features else oldest_first)[0]
        if node[page].dirty and "b" in self.features:
            for entry in node.values():
                entry.dirty = False
        waits = node.pop(page).waits
        self.past[page] = "evicted_unused" if waits else "evicted"
        self.counts[f"{waits}_unused"] += 1
        if not node:
            del self.nodes[number]
            self.count_nodes(-1)

    def count_nodes(self, change: int) -> None:
        self.counter += change
        if abs(self.counter) >= self.threshold:
            self.is_on = self.counter < 0 and "s" in self.features
            self.counter = 0
