"""What a terminal and a page show of a frame, and in which colours."""

from ftlab.frames import DATA, LOG, OPEN, TRANSLATION
from ftlab.looks import AMBER, GREEN, PINK, SKY

COLOURS = {DATA: SKY, LOG: PINK, TRANSLATION: AMBER, OPEN: GREEN}
"""Of blocks that are not free."""

FIGURES = {
    "mapping hit ratio": ("hit_ratio", "ratio"),
    "write amplification": ("write_amplification", "factor"),
    "mean response": ("mean_us", "us"),
    "p99 response": ("p99_us", "us"),
}
"""The attribute of `Figures` and its unit, by what it is called."""
