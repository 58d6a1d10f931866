"""What MNFTL's paper prints: Table 1, Table 2 and the RAM of section 5.1.

As printed, slips included (choices.md#mnftl-averages).
"""

from __future__ import annotations

from dataclasses import dataclass

FTLS = ("page", "dftl", "gftl", "superblock", "mnftl")
NAMES = {
    "page": "page-level",
    "dftl": "DFTL",
    "gftl": "GFTL",
    "superblock": "SFTL",
    "mnftl": "MNFTL",
}


@dataclass(frozen=True)
class Trace:
    """A row of Table 1."""

    name: str
    requests: int
    write_share: float

    @property
    def writes(self) -> int:
        """Write requests, rounded: the share has two digits."""
        return round(self.requests * self.write_share)

    @property
    def reads(self) -> int:
        """Read requests."""
        return self.requests - self.writes


@dataclass(frozen=True)
class Cell:
    """What Table 2 has for a trace and an FTL."""

    response_us: int
    copies: int
    erases: int


TRACES = {
    "financial1": Trace("Financial1", 1_333_747, 0.7856),
    "financial2": Trace("Financial2", 3_699_194, 0.1765),
    "websearch3": Trace("Websearch", 4_261_709, 0.0002),
    "systemdisk1": Trace("Systemdisk1", 1_040_692, 0.7404),
    "systemdisk2": Trace("Systemdisk2", 2_636_016, 0.6196),
    "systemdisk3": Trace("Systemdisk3", 1_312_945, 0.5810),
}

_TABLE_2 = {
    "financial1": (
        (789, 220_166, 5_554),
        (1375, 507_002, 12_465),
        (1996, 1_634_667, 17_905),
        (1433, 1_140_088, 18_947),
        (1171, 476_069, 11_443),
    ),
    "financial2": (
        (192, 5_856, 796),
        (375, 79_170, 5_260),
        (1417, 579_596, 7_484),
        (1369, 4_759_207, 88_347),
        (223, 72_352, 3_507),
    ),
    "websearch3": ((60, 0, 0), (170, 0, 0), (1488, 0, 0), (95, 0, 0), (80, 0, 0)),
    "systemdisk1": (
        (610, 0, 1_668),
        (986, 34_431, 4_983),
        (1009, 84_631, 4_892),
        (3758, 3_634_681, 73_856),
        (652, 20_665, 4_343),
    ),
    "systemdisk2": (
        (525, 6_993, 8_463),
        (699, 897_032, 7_998),
        (1056, 11_857, 2_252),
        (5577, 148_806_666, 282_710),
        (562, 70_164, 9_691),
    ),
    "systemdisk3": (
        (492, 1_024, 1_616),
        (960, 111_216, 6_566),
        (1093, 4_047, 1_028),
        (4677, 6_099_928, 130_315),
        (523, 17_144, 4_143),
    ),
}

TABLE_2 = {
    (trace, ftl): Cell(*figures)
    for trace, row in _TABLE_2.items()
    for ftl, figures in zip(FTLS, row, strict=True)
}

KIB = 1 << 10
RAM_BYTES = {
    "page": 12 * KIB * KIB,
    "dftl": 176 * KIB,
    "gftl": 446 * KIB,
    "superblock": 62 * KIB,
    "mnftl": 34 * 32 * KIB,
}
"""RAM of the address mapping of 8 GB; MNFTL's is the product that section 5.1 gives."""
