"""Points that wait for a worker: those of one input one after another, the longest first.

What runs last decides when all is done, so that should be short. How long a point takes is learned
from those that have ended (`ftlab.points.costs`); until then one point of each FTL goes first.

Points of one input share a reading, which takes memory from the first of them to the last. The
worker that takes the first of them opens it; meanwhile others take points of the next input. The
devices of an array are opened together, in one pass over the requests of all. While a worker does a
warm-up that points share (`ftlab.points.warmups`), others take other points.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Sequence
from itertools import count
from operator import attrgetter
from threading import Condition
from typing import Any

from ftlab.points.batch import by_pass
from ftlab.points.costs import Costs
from ftlab.points.point import Point
from ftlab.points.warmups import Warmups


class Queue:
    """Points that wait for one of N workers."""

    def __init__(self, points: Sequence[Point], workers: int) -> None:
        self._changed = Condition()
        self._costs = Costs(points)
        self.warmups = Warmups(points)
        self._ended = 0
        self._most_open = max(2, workers // 2)
        passes = min(workers, self._most_open)
        self.most_kept = passes + workers - 1
        """Inputs whose requests are in memory at a time: those that are open, and last points."""
        self._open: list[Input] = []
        self._numbers = count()
        together = by_pass(points, passes)
        self._waiting = deque(Input(next(self._numbers), groups) for groups in together)
        self.has_arrays = any(each.is_of_array for each in self._waiting)

    def take(self) -> tuple[Point, Input, bool] | None:
        """Return the point that runs next, its input, and whether this worker opens that.

        It is None if no point is left. Waits while the inputs that are open are being read, and no
        more of them may be.
        """
        with self._changed:
            while True:
                ready = [each for each in self._open if each.is_ready]
                found = next((each for each in ready if self._free(each)), None)
                opens = found is None and bool(self._waiting) and len(self._open) < self._most_open
                if opens:
                    found = self._waiting.popleft()
                    self._open.append(found)
                    opens = not found.is_ready
                elif found is None and ready:
                    found = ready[0]
                if found is not None:
                    point = self._free(found) or found.points[0]
                    found.points.remove(point)
                    self.warmups.begin(point)
                    if not found.points:
                        self._open.remove(found)
                    return point, found, opens
                if not self._open:
                    return None
                self._changed.wait()

    def _free(self, input: Input) -> Point | None:
        """Return the next point of an input that has not to wait for a warm-up.

        What goes on from a warm-up that is done comes first: then few are kept in memory.
        """
        done = next((each for each in input.points if self.warmups.is_done(each)), None)
        return done or next((each for each in input.points if self.warmups.is_free(each)), None)

    def opened(self, input: Input, left: Sequence[Point] = ()) -> None:
        """Note that an input is open: other workers may take its points.

        The devices of the points that are ``left`` are not, and wait for another pass.
        """
        with self._changed:
            input.is_ready = True
            if left:
                self._waiting.appendleft(Input(next(self._numbers), input.give_up(left)))
                if not input.points and input in self._open:
                    self._open.remove(input)
            self._changed.notify_all()

    def ended(self, point: Point, seconds: float) -> None:
        """Note how long a point took.

        The order is made anew whenever twice as many have ended: it is learned fast, and costs
        little however many there are.
        """
        with self._changed:
            self._costs.learn(point, seconds)
            self._ended += 1
            if self._ended & (self._ended - 1) == 0:
                for each in [*self._open, *self._waiting]:
                    each.sort(self._costs)
                self._waiting = deque(
                    sorted(self._waiting, key=attrgetter("longest"), reverse=True)
                )


class Input:
    """Points of one input that wait, and the reading that they share.

    It may be several devices of an array. Each has points and a reading of its own.
    """

    def __init__(self, number: int, devices: Sequence[Sequence[Point]]) -> None:
        points = [point for device in devices for point in device]
        refused = points[0].refusal is not None
        self.number = number
        self.points = deque(_of_each_ftl(points))
        self._readings: dict[int, Any] = {}
        for device in devices:
            reading = None if refused else device[0].core.Reading()
            self._readings.update((id(point), reading) for point in device)
        self.is_of_array = not refused and points[0].resolved["input"]["shard"] is not None
        self.is_ready = refused or (len(points) == 1 and not self.is_of_array)
        """Whether no worker has to wait for it."""
        self.longest = 0.0
        """How many seconds the longest of the points takes."""

    def reading(self, point: Point) -> Any:
        """Return the reading of a point, which is kept for those that wait."""
        return self._readings.pop(id(point))

    def devices(self, first: Point) -> tuple[list[Point], list[Any]]:
        """Return a point of each device and the readings; a point that was taken is the first."""
        found: dict[int, Point] = {}
        for point in [first, *self.points]:
            found.setdefault(id(self._readings[id(point)]), point)
        points = list(found.values())
        return points, [self._readings[id(point)] for point in points]

    def give_up(self, left: Sequence[Point]) -> list[list[Point]]:
        """Return the points of the devices of some points, and no longer have them."""
        of = self._readings
        devices = [[each for each in self.points if of[id(each)] is of[id(one)]] for one in left]
        gone = {id(point) for device in devices for point in device}
        self.points = deque(point for point in self.points if id(point) not in gone)
        return devices

    def sort(self, costs: Costs) -> None:
        """Put what takes longest first, but for one point of each FTL of which nothing is known."""
        new = {str(each.ftl): each for each in reversed(self.points)}
        first = [id(each) for ftl, each in new.items() if not costs.knows(ftl)]
        seconds = {id(point): costs.of(point) for point in self.points}
        self.longest = max(seconds.values())
        ordered = sorted(self.points, key=lambda point: seconds[id(point)], reverse=True)
        self.points = deque(sorted(ordered, key=lambda point: id(point) not in first))


def _of_each_ftl(points: Sequence[Point]) -> list[Point]:
    """Return the first point of each FTL, then the second of each, and so on."""
    seen: Counter[str] = Counter()
    turns = []
    for point in points:
        ftl = str(point.ftl)
        turns.append(seen[ftl])
        seen[ftl] += 1
    return [points[place] for place in sorted(range(len(points)), key=turns.__getitem__)]
