"""What is published of drives: write amplification, and which of it calibrates a twin.

The 7450 MAX is of SSD-iq (PVLDB 18, 2025): uniform random writes to a part of 800 GB. SSD A and
SSD B are of WARP (FAST 2026): one stream of 128 KiB over the whole drive, each place once in a
pass. The half pass is the one before an integral number of passes, the middle of the published
range.
"""

from __future__ import annotations

GIB = 1 << 30

MAX = "7450 MAX"
LEVELS = {
    372.6: 1.104,
    447.1: 1.177,
    521.6: 1.278,
    596.2: 1.408,
    670.7: 1.602,
    745.2: 1.889,
}
"""Write amplification by GiB in use."""

CALIBRATED = (447.1, 670.7)
"""The fill levels that calibrate: the second lowest and the second highest."""

LAST, ALL, HALF = "last tenth", "cumulative", "half pass"
"""What is published of one stream; the last tenth calibrates."""

STREAMS = {
    "SSD A": {LAST: 2.04, ALL: 2.01, HALF: 1.67},
    "SSD B": {LAST: 3.69, ALL: 3.57, HALF: 2.375},
}

GUESSES = {"SSD A": (1.29, 1.33, 1.37), "SSD B": (1.14, 1.16, 1.18)}
"""Physical over logical pages between which the calibration lies."""
