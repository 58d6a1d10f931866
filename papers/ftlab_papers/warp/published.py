"""What WARP's artifact has: counters of its emulated drives.

``CUMULATIVE`` and ``INTERVAL`` are of the drive A2, 448 GiB in units of 128 MiB: twelve runs of
`archive/result-FIO/cylon448-II`. They are media bytes over host bytes. The former counts from the
trim to four times the capacity, as Table 2 of the paper does, the latter from four to six times.
Counters between two lines of a log are interpolated. ``LEVELS`` are of 224 GiB at five times the
capacity, Figure 17.
"""

from __future__ import annotations

THIRDS = {
    "Zipf 2.2": "zipf:2.2",
    "Zipf 1.2": "zipf:1.2",
    "80/20": "zoned:80/20:10/20:10/60",
    "uniform": "rand",
}
"""What the third stream draws."""

FDP, MIXED, NONE = PLACEMENTS = ("FDP", "mixed", "none")
"""A handle for each stream; the third with the first; one for all."""

CUMULATIVE = {
    "Zipf 2.2": {FDP: 1.049, MIXED: 2.190, NONE: 2.478},
    "Zipf 1.2": {FDP: 1.099, MIXED: 2.378, NONE: 2.585},
    "80/20": {FDP: 1.681, MIXED: 2.348, NONE: 2.638},
    "uniform": {FDP: 2.867, MIXED: 2.823, NONE: 3.045},
}

INTERVAL = {
    "Zipf 2.2": {FDP: 1.081, MIXED: 3.288, NONE: 3.833},
    "Zipf 1.2": {FDP: 1.153, MIXED: 3.838, NONE: 4.093},
    "80/20": {FDP: 2.163, MIXED: 3.963, NONE: 4.226},
    "uniform": {FDP: 3.852, MIXED: 4.136, NONE: 4.347},
}

TYPES = {"II": "initial", "PI": "persistent"}
UNITS = {"256 MB": 896, "128 MB": 1792}
"""Units of the 224 GiB, by their size."""

LEVELS = {
    ("256 MB", "II"): {5: 2.278, 7: 1.961, 10: 1.488, 14: 1.128},
    ("256 MB", "PI"): {5: 2.365, 7: 1.972, 10: 1.264, 14: 1.100},
    ("128 MB", "II"): {5: 1.884, 7: 1.403, 10: 1.203, 14: 1.118},
    ("128 MB", "PI"): {5: 1.908, 7: 1.476, 10: 1.264, 14: 1.062},
}
"""By over-provisioning in percent."""

SPARES = (3, 5, 7, 10, 14)
"""Those that are run, in percent."""
