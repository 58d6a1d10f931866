"""Pictures of what is in RAM and on flash, drawn from a few lines of text.

A line is a row of structures, each a title and its cells, in brackets what belongs together:

    RAM: map[9 5* 2] | GTD[T0 T1]
    flash: data blocks[0 1 x .][3 4 . .] | translation block[T0 T1 x .]
    map -> translation block: a miss reads a page

A cell is `.` (erased), `x` (superseded), `T...` (of the map), `...*` (changed in RAM alone) or
data. Lines with an arrow are steps: their numbers are in the picture, their words below it.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from html import escape

CELL, CHARACTER, GROUP_GAP, GAP = 24, 7, 6, 34
TITLE, LINE = 18, 96
WIDE, NARROW = 720, 356
"""The widest drawings, px: of a page, and of a telephone that is 390 px wide."""
KINDS = {
    "data": "data",
    "map": "map on flash, and its numbers",
    "dirty": "changed in RAM alone",
    "old": "superseded",
    "free": "erased",
}


Point = tuple[float, float]


class PictureError(ValueError):
    """Text that draws nothing."""


@dataclass(frozen=True)
class Step:
    """What goes from one structure to another."""

    number: int
    source: str
    target: str
    words: str


@dataclass
class Structure:
    """Cells under a title."""

    title: str
    groups: list[list[str]]
    row: int
    x: float = 0.0
    line: int = 0
    """Which line of the drawing it is in; a row that is too wide has several."""
    ends: dict[bool, list[Step]] = field(default_factory=lambda: {False: [], True: []})
    """The steps that touch its lower (False) and its upper side (True), from left to right."""

    @property
    def cells_width(self) -> float:
        """Return how wide its cells are, px."""
        cells = sum(width(cell) for group in self.groups for cell in group)
        return cells + GROUP_GAP * (len(self.groups) - 1)

    @property
    def width(self) -> float:
        """Return how wide it is, px."""
        return max(self.cells_width, 6.5 * len(self.title))

    @property
    def top(self) -> int:
        """Return where its cells begin."""
        return self.line * LINE + TITLE

    def side(self, step: Step, is_upper: bool) -> Point:
        """Return where a step touches it."""
        ends = self.ends[is_upper]
        share = (ends.index(step) + 1) / (len(ends) + 1)
        return self.x + share * self.cells_width, self.top + (3 - TITLE if is_upper else CELL + 2)


def width(cell: str) -> float:
    """Return the width of a cell, px."""
    return max(CELL, CHARACTER * len(cell.rstrip("*")) + 8)


def kind_of(cell: str) -> str:
    """Return which of the kinds a cell is."""
    if cell in ("x", "."):
        return "old" if cell == "x" else "free"
    if cell.endswith("*"):
        return "dirty"
    return "map" if re.match(r"T\d?", cell) else "data"


def parse(text: str) -> tuple[list[str], dict[str, Structure], list[Step]]:
    """Return the names of rows, the structures by their titles, and the steps."""
    rows: list[str] = []
    structures: dict[str, Structure] = {}
    steps: list[Step] = []
    for line in filter(None, map(str.strip, text.splitlines())):
        if arrow := re.fullmatch(r"(.+?) -> (.+?): (.+)", line):
            steps.append(Step(len(steps) + 1, *arrow.groups()))
            continue
        row, _, content = line.partition(":")
        for part in content.split(" | "):
            found = re.fullmatch(r"\s*([^\[\]]+?)\s*((?:\[[^\[\]]+\])+)\s*", part)
            if found is None:
                raise PictureError(f"found {part!r}, expected TITLE[CELL ...]")
            groups = [group.split() for group in re.findall(r"\[([^\]]+)\]", found[2])]
            structures[found[1]] = Structure(found[1], groups, len(rows))
        rows.append(row)
    for step in steps:
        for name in (step.source, step.target):
            if name not in structures:
                raise PictureError(f"found {name!r} in a step, expected one of {[*structures]}")
    return rows, structures, steps


def draw(text: str, title: str) -> tuple[str, list[str]]:
    """Return the picture as SVG, for pages and for telephones, and the words of its steps."""
    steps = parse(text)[2]
    svgs = [drawn(text, title, *each) for each in ((WIDE, "wide"), (NARROW, "narrow"))]
    return "\n".join(svgs), [step.words for step in steps]


def drawn(text: str, title: str, limit: float, kind: str) -> str:
    """Return a drawing as SVG that is at most so wide, px."""
    rows, structures, steps = parse(text)
    left = max(10 + CHARACTER * len(line) for name in rows for line in name.split(", "))
    place(structures.values(), left, limit)
    connect(structures, steps)
    kinds = {kind_of(c) for each in structures.values() for group in each.groups for c in group}
    low = max(each.top for each in structures.values()) + CELL + 46
    key, *end = key_of([kind for kind in KINDS if kind in kinds], left, low, limit)
    size = max(end[0], *(each.x + each.width + 4 for each in structures.values())), end[1]
    head = (
        f'<svg class="memory {kind}" role="img" viewBox="0 0 {size[0]:.0f} {size[1]:.0f}" '
        f'width="{size[0]:.0f}" xmlns="http://www.w3.org/2000/svg">'
    )
    first = {each.row: each.top for each in reversed(structures.values())}
    shafts, numbers = arrows(steps, structures)
    shapes = [
        *(name for row, names in enumerate(rows) for name in row_names(first[row], names)),
        *shafts,
        *(shape for each in structures.values() for shape in shapes_of(each)),
        *numbers,
        key,
    ]
    return "\n".join([head, f"<title>{escape(title)}</title>", *shapes, "</svg>"])


def place(structures: Iterable[Structure], left: float, limit: float) -> None:
    """Give each structure its place: its row in a line, or in several if that is too wide."""
    row, line, x = 0, 0, left
    for each in structures:
        if each.row != row or (x > left and x + each.width > limit):
            row, line, x = each.row, line + 1, left
        each.line, each.x = line, x
        x += each.width + GAP


def connect(structures: dict[str, Structure], steps: Iterable[Step]) -> None:
    """Tell each structure which steps touch it, in the order that crosses least."""
    for step in steps:
        source, target = structures[step.source], structures[step.target]
        source.ends[target.line < source.line].append(step)
        if source is not target:
            target.ends[source.line < target.line].append(step)
    for each in structures.values():
        for ends in each.ends.values():
            ends.sort(key=lambda step: sum(structures[n].x for n in (step.source, step.target)))


def row_names(top: float, names: str) -> Iterator[str]:
    """Yield the name of a row, a line for each part of it."""
    for line, name in enumerate(names.split(", ")):
        yield words(0, top + 17 + 15 * line, name, "row")


def shapes_of(each: Structure) -> Iterator[str]:
    """Yield title and cells of a structure."""
    yield words(each.x, each.top - 5, each.title, "title")
    x = each.x
    for group in each.groups:
        for cell in group:
            yield box(x, each.top, width(cell), kind_of(cell))
            if cell not in ("x", "."):
                yield words(x + width(cell) / 2, each.top + 16, cell.rstrip("*"), "cell")
            x += width(cell)
        x += GROUP_GAP


def box(x: float, y: float, wide: float, kind: str, high: int = CELL) -> str:
    """Return a cell; one that is superseded is crossed out."""
    place = f'x="{x:.0f}" y="{y}" width="{wide:.0f}" height="{high}"'
    shape = f'<rect class="ground" {place}/><rect class="{kind}" {place}/>'
    if kind != "old":
        return shape
    return f'{shape}<path d="M{x:.0f} {y}l{wide:.0f} {high}m0 -{high}l-{wide:.0f} {high}"/>'


def arrows(steps: Iterable[Step], structures: dict[str, Structure]) -> tuple[list[str], list[str]]:
    """Return the arrows, and their numbers, which keep away from each other and from cells."""
    shafts: list[str] = []
    numbers: list[tuple[Point, int]] = []
    for step in steps:
        source, target = structures[step.source], structures[step.target]
        if source.line == target.line:
            start = source.side(step, False)
            end = (start[0] + 30, start[1]) if source is target else target.side(step, False)
            low = start[1] + min(24 + 0.08 * abs(end[0] - start[0]), 42)
            path = f"M{at(start)}C{start[0]:.0f} {low:.0f} {end[0]:.0f} {low:.0f} {at(end)}"
            shafts += [shaft(path), tip(end, (0.0, -1.0))]
            places = [bow(start, end, low - start[1], share) for share in (0.5, 0.3, 0.7)]
        else:
            up = target.line < source.line
            start, end = source.side(step, up), target.side(step, not up)
            length = math.dist(start, end)
            towards = ((end[0] - start[0]) / length, (end[1] - start[1]) / length)
            shafts += [shaft(f"M{at(start)}L{at(end)}"), tip(end, towards)]
            shares = (0.5, 0.35, 0.65, 0.2, 0.8, 0.12, 0.88)
            places = [between(start, end, share) for share in shares]
        lines = [each.top for each in structures.values()]
        free = [place for place in places if not any(covers(top, place) for top in lines)]
        place = max(free or places, key=lambda place: free_around(place, numbers))
        numbers.append((place, step.number))
    shapes = [
        f'<circle class="step" cx="{x:.0f}" cy="{y:.0f}" r="8"/>'
        + words(x, y + 4, str(number), "number")
        for (x, y), number in numbers
    ]
    return shafts, shapes


def covers(top: float, number: Point) -> bool:
    """Tell whether a number is on a line of titles and cells."""
    return top - TITLE - 6 < number[1] < top + CELL + 8


def bow(start: Point, end: Point, depth: float, share: float) -> Point:
    """Return the point so far along an arc that swings below two points of one height."""
    x, _ = between(start, end, share * share * (3 - 2 * share))
    return x, start[1] + 3 * share * (1 - share) * depth


def free_around(point: Point, numbers: Iterable[tuple[Point, int]]) -> float:
    """Return how far the next number is, up to what is far enough."""
    return min([24.0, *(math.dist(point, other) for other, _ in numbers)])


def at(point: Point) -> str:
    """Return a point as a path has it."""
    return f"{point[0]:.0f} {point[1]:.0f}"


def between(start: Point, end: Point, share: float) -> Point:
    """Return the point so far along a line."""
    return start[0] + share * (end[0] - start[0]), start[1] + share * (end[1] - start[1])


def shaft(path: str) -> str:
    """Return the line of an arrow."""
    return f'<path class="arrow" d="{path}"/>'


def tip(end: Point, towards: Point) -> str:
    """Return the head of an arrow, given its end and a direction of length 1."""
    (x, y), (dx, dy) = end, towards
    left, right = ((x - 8 * dx + side * dy, y - 8 * dy - side * dx) for side in (4, -4))
    return f'<path class="tip" d="M{at(end)}L{at(left)}L{at(right)}Z"/>'


def key_of(kinds: Iterable[str], left: float, y: float, limit: float) -> tuple[str, float, float]:
    """Return the legend of some kinds, and its right and its lower end."""
    shapes, x, right = [], left, left
    for kind in kinds:
        wide = 28 + 6.2 * len(KINDS[kind])
        if x > left and x + wide > limit:
            x, y = left, y + 22
        shapes.append(box(x, y, 16, kind, 14) + words(x + 22, y + 12, KINDS[kind], "key"))
        x += wide + 16
        right = max(right, x - 16)
    return "".join(shapes), right, y + 22


def words(x: float, y: float, text: str, what: str) -> str:
    """Return a piece of text."""
    return f'<text class="{what}" x="{x:.0f}" y="{y:.0f}">{escape(text)}</text>'
