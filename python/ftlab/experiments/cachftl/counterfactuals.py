"""What is changed, one thing at a time, for claims of CACH-FTL's paper that do not agree."""

from __future__ import annotations

from ftlab.experiments.cachftl.points import PREFIX_VOLUME, RESERVE
from ftlab.experiments.claims import Counterfactual, of
from ftlab.experiments.runs import Key

SYNTHETIC = ("C22", "C23", "C24", "C25")
RESPONSES = ("C4", "C5", "C6", "C7", "C12", "C14")
ERASES = ("C8", "C9", "C10", "C11", "C13", "C15")
ENOUGH = (4, 8, 16)
THRESHOLDS = (6, 8, 16)


def _is_financial1(key: Key) -> bool:
    return key[0].startswith("financial1/") and len(key) == 2


COUNTERFACTUALS = (
    Counterfactual(
        "by the letter",
        "PMR-GC of any block with a superseded page (Algorithm 2)",
        (*RESPONSES, *ERASES, *SYNTHETIC),
        {"cachftl": {"enough": 1}},
        only=of("cachftl"),
    ),
    *(
        Counterfactual(
            f"{pages} pages",
            f"PMR-GC of blocks with {pages} superseded pages",
            (*RESPONSES, *ERASES, *SYNTHETIC),
            {"cachftl": {"enough": pages}},
            only=of("cachftl"),
        )
        for pages in ENOUGH
    ),
    *(
        Counterfactual(
            f"threshold {pages}",
            f"groups of up to {pages} pages to the PMR",
            (*RESPONSES, *ERASES),
            {"cachftl": {"threshold": pages}},
            only=of("cachftl"),
        )
        for pages in THRESHOLDS
    ),
    Counterfactual(
        "one stream",
        "sequential writes that go on where the last of them ended",
        SYNTHETIC,
        {"workload": {"sequential": "stream"}},
    ),
    Counterfactual(
        "reserve only",
        "PM with no more spare blocks than its GC needs",
        ("C1", "C2", "C7", "C16", "C22", "C24", "C25"),
        only=of("page"),
        point=lambda key: (*key, RESERVE) if key[1] == "page" else key,
    ),
    Counterfactual(
        "the beginning",
        "the real beginning of Financial1, looped, in place of its volumes",
        ("C4", "C7", "C8"),
        only=_is_financial1,
        point=lambda key: (PREFIX_VOLUME, *key[1:]) if _is_financial1(key) else key,
    ),
)
