"""What a terminal and a page show of a frame, and in which colours."""

from ftlab.frames import CLASSES, DATA, LOG, OPEN, TRANSLATION
from ftlab.looks import (
    AMBER,
    BLUE,
    BROWN,
    GREEN,
    GREY,
    OLIVE,
    PINK,
    RED,
    SKY,
    TEAL,
    VERMILION,
    VIOLET,
)

OF_CLASSES = (SKY, BLUE, VERMILION, PINK, VIOLET, TEAL, RED, OLIVE, BROWN, GREY)
"""Of classes in turn; beyond the last they begin again."""

COLOURS = {
    DATA: SKY,
    LOG: PINK,
    TRANSLATION: AMBER,
    OPEN: GREEN,
    **{OPEN + 1 + number: OF_CLASSES[number % len(OF_CLASSES)] for number in range(CLASSES)},
}
"""Of blocks that are not free."""

FIGURES = {
    "mapping hit ratio": ("hit_ratio", "ratio"),
    "write amplification": ("write_amplification", "factor"),
    "mean response": ("mean_us", "us"),
    "p99 response": ("p99_us", "us"),
}
"""The attribute of `Figures` and its unit, by what it is called."""
