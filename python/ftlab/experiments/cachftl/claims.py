"""What CACH-FTL's paper claims: C1 to C30, and A1 of its future work.

A figure of a trace is the mean over its volumes of the volumes' figures, as the bars of Figures 4
and 5 are one for each trace; a change is CACH-FTL / other - 1 of these means. The best setting of a
volume is that of least mean response time (choices.md#cachftl-means).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from statistics import fmean

from ftlab.experiments.cachftl.points import (
    ARRIVALS,
    FTLS,
    NAMES,
    SEQUENTIAL,
    SHORT,
    SPARES,
    THRESHOLDS,
    TRACES,
)
from ftlab.experiments.claims import (
    Claim,
    Figure,
    Finding,
    NotMeasuredError,
    Runs,
    bound,
    change,
    order,
    ratio,
    value,
)
from ftlab.experiments.volumes import volumes_of
from ftlab.result import Result

RESPONSE = "response_us.mean"
Key = tuple[str, ...]
Find = Callable[[Runs], Iterable[Finding]]


def erases(result: Result) -> float:
    """Return the blocks erased while measuring, of all kinds."""
    return float(sum(result["flash"]["erases"].values()))


def volumes(runs: Runs, *traces: str) -> list[str]:
    """Return the volumes of traces that were run."""
    names = sorted({key[0] for key in runs})
    return [volume for trace in traces for volume in volumes_of(trace, names)]


def best(runs: Runs, volume: str, ftl: str) -> Key:
    """Return the setting of least mean response time of an FTL on a volume."""
    spares = [str(spare) for spare in SPARES]
    settings: dict[str, list[Key]] = {
        "cachftl": [("cachftl", spare, str(each)) for spare in spares for each in THRESHOLDS],
        "fast": [("fast", spare) for spare in spares],
    }
    keys = [(volume, *setting) for setting in settings.get(ftl, [(ftl, "start")])]
    return min(keys, key=lambda key: runs(RESPONSE, *key))


def default(runs: Runs, volume: str, ftl: str) -> Key:
    """Return the point of an FTL with its default settings on a volume."""
    return volume, ftl


Choice = Callable[[Runs, str, str], Key]


def mean(runs: Runs, figure: Figure, trace: str, ftl: str, choice: Choice) -> float:
    """Return the mean of a figure over the volumes of a trace."""
    found = [runs(figure, *choice(runs, volume, ftl)) for volume in volumes(runs, trace)]
    if not found:
        raise NotMeasuredError(f"no volume of {trace} was run")
    return fmean(found)


def against(runs: Runs, figure: Figure, trace: str, other: str, choice: Choice = default) -> float:
    """Return CACH-FTL / other - 1 of the means over a trace's volumes."""
    ours, theirs = (mean(runs, figure, trace, ftl, choice) for ftl in ("cachftl", other))
    return ratio(ours, theirs) - 1


def changes(figure: Figure, trace: str, published: dict[str, float]) -> Find:
    """Return a finding for each rival: CACH-FTL's change on a trace."""
    rivals = {"bm": "block-optimized", "fast": "fast", "pm": "page"}
    return lambda runs: [
        change(f"vs {name.upper()}", said, against(runs, figure, trace, rivals[name]))
        for name, said in published.items()
    ]


def over_traces(
    figure: Figure, other: str, published: Sequence[float], choice: Choice = default
) -> Find:
    """Return a finding for each trace: CACH-FTL's change against one rival."""
    return lambda runs: [
        change(SHORT[trace], said, against(runs, figure, trace, other, choice))
        for trace, said in zip(TRACES, published, strict=True)
    ]


def share_better(figure: Figure, other: str, published: Sequence[float]) -> Find:
    """Return a finding for each trace: the share of volumes on which CACH-FTL is better."""

    def find(runs: Runs) -> Iterable[Finding]:
        for trace, said in zip(TRACES, published, strict=True):
            wins = [
                runs(figure, volume, "cachftl") < runs(figure, volume, other)
                for volume in volumes(runs, trace)
            ]
            yield value(SHORT[trace], said, ratio(sum(wins), len(wins)), "%")

    return find


def relative(new: float, old: float) -> float:
    """Return new / old - 1; 0 where both are 0, as in a volume that the buffer holds."""
    return 0.0 if new == old else ratio(new, old) - 1


def gaps(runs: Runs) -> list[float]:
    """Return CACH-FTL / PM - 1 with the best setting, for each volume."""
    found = []
    for volume in volumes(runs, *TRACES):
        ours, page = (runs(RESPONSE, *best(runs, volume, ftl)) for ftl in ("cachftl", "page"))
        found.append(relative(ours, page))
    if not found:
        raise NotMeasuredError("no volume was run")
    return found


def ram_saved(runs: Runs) -> float:
    """Return 1 - CACH-FTL's map / a page map with 25 % over-provisioning, as the paper counts.

    The paper's figures have a page map of all physical pages, and no valid bits.
    """
    volume = volumes(runs, *TRACES)[0]
    cach, page = runs[volume, "cachftl", "25", "4"], runs[volume, "page"]
    table = cach["ram_bytes"]["tables"] - cach["own"]["cachftl.valid_bits_bytes"]
    logical = page["device"]["logical_blocks"]
    page_map = page["ram_bytes"]["tables"] * cach["device"]["blocks"] / logical
    return float(1 - table / page_map)


def widest(runs: Runs, trace: str, published: float) -> Finding:
    """Return whether some volume gains as much over FAST as the paper's sample of the trace."""
    found = []
    for volume in volumes(runs, trace):
        ours, fast = (runs(RESPONSE, *best(runs, volume, ftl)) for ftl in ("cachftl", "fast"))
        found.append(relative(ours, fast))
    if not found:
        raise NotMeasuredError(f"no volume of {trace} was run")
    return bound("most of any volume", min(found), below=published, unit="%+")


def small_thresholds_hurt(runs: Runs) -> Finding:
    """Return whether the least threshold is worse than the greatest, where that matters most."""
    found = []
    for volume in volumes(runs, "cello99"):
        least, most = (
            runs(RESPONSE, volume, "cachftl", "10", str(THRESHOLDS[at])) for at in (0, -1)
        )
        found.append(relative(least, most))
    return bound("threshold 1 vs 32, most", max(found, default=0.0), above=0.02, unit="%+")


def covered(runs: Runs) -> Finding:
    """Return the share of volumes on which some setting is as good as FAST and BM."""
    wins = []
    for volume in volumes(runs, *TRACES):
        ours = runs(RESPONSE, *best(runs, volume, "cachftl"))
        rivals = [runs(RESPONSE, *best(runs, volume, ftl)) for ftl in ("fast", "block-optimized")]
        wins.append(ours <= min(rivals))
    return bound("volumes", ratio(sum(wins), len(wins)), above=0.9, unit="%")


def not_always_the_greatest(runs: Runs) -> Finding:
    """Return the share of volumes whose best setting is not the greatest of both."""
    greatest = (str(SPARES[-1]), str(THRESHOLDS[-1]))
    found = [best(runs, volume, "cachftl")[2:] != greatest for volume in volumes(runs, *TRACES)]
    share = ratio(sum(found), len(found))
    return bound("best not at 25 % and 32", share, above=0.02, unit="%")


def gap(runs: Runs, workload: str, other: str = "page") -> float:
    """Return CACH-FTL / other - 1 of the response time on a synthetic workload."""
    return runs.change(RESPONSE, (workload, "cachftl"), (workload, other))


def insensitive(runs: Runs, ftl: str) -> Finding:
    """Return how far response times lie apart over the mean times between arrivals."""
    found = [runs(RESPONSE, f"arrivals {each}", ftl) for each in ARRIVALS]
    return bound(f"{ftl}, spread", max(found) / min(found) - 1, below=0.1, unit="%")


def merges_per_reclaim(runs: Runs, workload: str) -> float:
    """Return FAST's full merges for each random log block that it reclaims."""
    result = runs[workload, "fast"]
    merges = result["merges"]["full"] - result["own"]["fast.sequential_full_merges"]
    return ratio(merges, result["own"]["fast.random_reclaims"])


def adaptive(runs: Runs) -> Iterable[Finding]:
    """Return how the adaptive threshold does against the best and the worst fixed one."""
    of_best, of_worst = [], []
    for volume in volumes(runs, *TRACES):
        fixed = [runs(RESPONSE, volume, "cachftl", "10", str(each)) for each in THRESHOLDS]
        ours = runs(RESPONSE, volume, "cachftl", "adaptive", "threshold")
        of_best.append(relative(ours, min(fixed)))
        of_worst.append(relative(ours, max(fixed)))
    if not of_best:
        raise NotMeasuredError("no volume was run")
    yield bound("against the best fixed threshold, mean", fmean(of_best), below=0.1, unit="%+")
    yield bound("against the worst, mean", fmean(of_worst), below=0.0, unit="%+")


def gc_of_pm(runs: Runs) -> str:
    """Return why PM and CACH-FTL do or do not change places at many writes."""
    page, cach = (runs["writes 5000000", ftl] for ftl in ("page", "cachftl"))
    return (
        f"With 5 M writes PM amplifies writes {page['write_amplification']:.2f} times in "
        f"{page['gc']['runs']:,} GC runs, all while a write waits. CACH-FTL erased "
        f"{cach['flash']['erases']['data']:,} blocks of the BMR and "
        f"{cach['flash']['erases']['log']:,} of the PMR, in {cach['gc']['background_runs']:,} "
        f"idle runs and {cach['gc']['runs']:,} that writes waited for."
    )


def idle(runs: Runs) -> str:
    """Return in how much of its GC CACH-FTL made requests wait."""
    found = [runs[volume, "cachftl"]["gc"] for volume in volumes(runs, *TRACES)]
    waited = sum(each["runs"] for each in found)
    free = sum(each["background_runs"] for each in found)
    never = sum(each["background_runs"] == 0 for each in found)
    return (
        f"CACH-FTL's GC ran {waited:,} times while a write waited and {free:,} times in idle "
        f"time; on {never} of {len(found)} volumes never in idle time."
    )


def blocks_erased(runs: Runs) -> str:
    """Return which blocks are erased, and what decides how many."""
    said = []
    for trace in TRACES:
        names = volumes(runs, trace)
        blocks = "; ".join(
            f"{name} {fmean(runs(f'flash.erases.{kind}', each, ftl) for each in names):,.0f} {what}"
            for name, ftl, kind, what in (
                ("CACH-FTL", "cachftl", "log", "of the PMR"),
                ("CACH-FTL", "cachftl", "data", "of the BMR"),
                ("FAST", "fast", "log", "of the log"),
                ("FAST", "fast", "data", "with data"),
                ("BM", "block-optimized", "data", "with data"),
            )
        )
        said.append(f"{SHORT[trace]}: {blocks}")
    return (
        f"Blocks erased, mean over volumes. {'. '.join(said)}. How many superseded pages make a "
        "block of the PMR worth an erase (cachftl.enough) decides that, not GC in idle time."
    )


def amount(workload: str) -> Callable[[Runs], str]:
    """Return how much the FTLs program and erase on a synthetic workload."""

    def why(runs: Runs) -> str:
        def said(ftl: str) -> str:
            result = runs[workload, ftl]
            return f"{NAMES[ftl]} {result['write_amplification']:.2f} and {erases(result):,.0f}"

        counted = "; ".join(said(ftl) for ftl in FTLS)
        own = runs[workload, "cachftl"]["own"]
        groups = own["cachftl.pmr_groups"] + own["cachftl.bmr_groups"]
        share = ratio(own["cachftl.bmr_groups"], groups)
        return (
            f"Write amplification and erases, {workload}: {counted}. Of the groups that C-lash "
            f"evicts {share:.1%} go to the BMR."
        )

    return why


def _claims() -> list[Claim]:
    improve = {
        "C4": ("Financial1", "financial1", {"bm": -0.47, "fast": -0.71}),
        "C5": ("Financial2", "financial2", {"bm": -0.65, "fast": -0.58}),
        "C6": ("Cello99", "cello99", {"bm": -0.86, "fast": -0.38}),
    }
    erased = {
        "C8": ("Financial1", "financial1", {"bm": 0.08, "fast": -0.06}),
        "C9": ("Financial2", "financial2", {"bm": -0.55, "fast": -0.05}),
        "C10": ("Cello99", "cello99", {"bm": -0.89, "fast": -0.69}),
    }
    head = [
        Claim(
            "C1",
            "abstract",
            "less than 15 % slower than PM in most cases",
            lambda runs: [
                bound("volumes", fmean(each < 0.15 for each in gaps(runs)), above=0.5, unit="%")
            ],
            idle,
        ),
        Claim(
            "C2",
            "abstract",
            "4 % slower than PM on average with the best settings",
            lambda runs: [change("", 0.04, fmean(gaps(runs)))],
            idle,
        ),
        Claim(
            "C3",
            "abstract",
            "at least 78 % less RAM for the map than PM",
            lambda runs: [bound("", ram_saved(runs), above=0.78, unit="%")],
        ),
    ]
    figure_4 = [
        Claim(name, "Figure 4a", f"response on {what}", changes(RESPONSE, trace, said), idle)
        for name, (what, trace, said) in improve.items()
    ]
    figure_4 += [
        Claim(
            "C7",
            "Figure 4a",
            "response against PM",
            over_traces(RESPONSE, "page", (0.39, 0.21, 0.35)),
            idle,
        )
    ]
    figure_4 += [
        Claim(name, "Figure 4b", f"erases on {what}", changes(erases, trace, said), blocks_erased)
        for name, (what, trace, said) in erased.items()
    ]
    return head + figure_4 + _of_all_volumes() + _synthetic() + _of_settings()


def _fewest_with_pm(runs: Runs) -> Iterable[Finding]:
    for trace in TRACES:
        found = {
            name: mean(runs, erases, trace, ftl, default)
            for name, ftl in (("PM", "page"), ("CACH-FTL", "cachftl"))
        }
        yield order(SHORT[trace], found)


def _of_all_volumes() -> list[Claim]:
    shares: list[tuple[str, str, Figure, str, tuple[float, float, float]]] = [
        ("C12", "response better than BM", RESPONSE, "block-optimized", (0.792, 0.947, 0.8)),
        ("C13", "erases better than BM", erases, "block-optimized", (0.917, 0.895, 0.8)),
        ("C14", "response better than FAST", RESPONSE, "fast", (0.875, 0.842, 1.0)),
        ("C15", "erases better than FAST", erases, "fast", (0.667, 0.684, 1.0)),
    ]
    claims = [Claim("C11", "Figure 4b", "PM erases least by far", _fewest_with_pm)]
    claims += [
        Claim(
            name,
            "6.1",
            f"share of volumes with {what}",
            share_better(figure, other, said),
            blocks_erased if figure is erases else idle,
        )
        for name, what, figure, other, said in shares
    ]
    bests: list[tuple[str, str, str, tuple[float, float, float]]] = [
        ("C16", "against PM", "page", (0.04, 0.03, 0.0)),
        ("C17", "against BM", "block-optimized", (-0.36, -0.56, -0.94)),
        ("C18", "against FAST", "fast", (-0.61, -0.56, -0.48)),
    ]
    claims += [
        Claim(
            name, "Figure 5", f"best setting {what}", over_traces(RESPONSE, other, said, best), idle
        )
        for name, what, other, said in bests
    ]
    return claims


def _fewer_erases(runs: Runs) -> Iterable[Finding]:
    for trace in TRACES:
        for name, other in (("BM", "block-optimized"), ("FAST", "fast")):
            ours = against(runs, erases, trace, other, best)
            yield bound(f"{SHORT[trace]} vs {name}", ours, below=-0.69, unit="%+")


def _more_erases(runs: Runs) -> Iterable[Finding]:
    for trace in TRACES:
        figures = {
            name: mean(runs, erases, trace, ftl, best)
            for name, ftl in (("PM", "page"), ("CACH-FTL", "cachftl"))
        }
        yield order(SHORT[trace], figures)


def _synthetic() -> list[Claim]:
    least, greatest = SEQUENTIAL[0], SEQUENTIAL[-1]
    return [
        Claim(
            "C19", "Figure 5", "best setting: over 69 % fewer erases", _fewer_erases, blocks_erased
        ),
        Claim("C20", "Figure 5", "best setting: more erases than PM", _more_erases),
        Claim(
            "C21",
            "6.1",
            "with 25 % over-provisioning PM has 80 % more RAM for its map",
            lambda runs: [value("of PM's", 0.8, ram_saved(runs), "%")],
        ),
        Claim(
            "C22",
            "Figure 6a",
            "the gap to PM shrinks with sequentiality, to 4 % at 90 %",
            lambda runs: [
                change("at 90 %", 0.04, gap(runs, f"sequential {greatest}")),
                order(
                    "", {f"{each} %": gap(runs, f"sequential {each}") for each in SEQUENTIAL[::-1]}
                ),
            ],
            amount(f"sequential {greatest}"),
        ),
        Claim(
            "C23",
            "Figure 6a",
            "far better than BM and FAST on very random writes",
            lambda runs: [
                change("vs BM", -0.41, gap(runs, f"sequential {least}", "block-optimized")),
                change("vs FAST", -0.64, gap(runs, f"sequential {least}", "fast")),
            ],
            amount(f"sequential {least}"),
        ),
        Claim(
            "C24",
            "Figure 6b",
            "times between arrivals",
            _arrivals,
            amount(f"arrivals {ARRIVALS[-1]}"),
        ),
        Claim(
            "C25",
            "Figure 6c",
            "faster than PM above 500,000 writes to 1 GB",
            lambda runs: [
                order(
                    f"{writes:,} writes",
                    {
                        "CACH-FTL": runs(RESPONSE, f"writes {writes}", "cachftl"),
                        "PM": runs(RESPONSE, f"writes {writes}", "page"),
                    },
                    "us",
                )
                for writes in (1_000_000, 2_000_000, 5_000_000)
            ],
            gc_of_pm,
        ),
    ]


def _arrivals(runs: Runs) -> Iterable[Finding]:
    yield change("at 500 ms, vs PM", 0.15, gap(runs, f"arrivals {ARRIVALS[-1]}"))
    yield insensitive(runs, "page")
    yield insensitive(runs, "block-optimized")
    short, long = (runs(RESPONSE, f"arrivals {ARRIVALS[at]}", "fast") for at in (0, -1))
    yield order("FAST", {"500 ms": long, "50 ms": short}, "us")


def _of_settings() -> list[Claim]:
    return [
        Claim(
            "C26",
            "Figure 7a",
            "a Cello volume: 27 % better than FAST, very bad with small thresholds",
            lambda runs: [widest(runs, "cello99", -0.27), small_thresholds_hurt(runs)],
        ),
        Claim(
            "C27",
            "Figure 7b",
            "a Financial volume: 90 % better than FAST",
            lambda runs: [widest(runs, "financial1", -0.90)],
            idle,
        ),
        Claim(
            "C28",
            "Figure 7c",
            "another one: 68 % better than FAST",
            lambda runs: [widest(runs, "financial2", -0.68)],
            idle,
        ),
        Claim(
            "C29",
            "6.2",
            "on nearly every volume some setting is as good as FAST and BM",
            lambda runs: [covered(runs), not_always_the_greatest(runs)],
        ),
        Claim(
            "C30",
            "6.1",
            "FAST merges as many blocks as a log block has pages of different ones",
            lambda runs: [
                order(
                    "merges of a log block",
                    {
                        f"{percent} %": merges_per_reclaim(runs, f"sequential {percent}")
                        for percent in (90, 10)
                    },
                ),
                bound("of 64 pages, at 10 %", merges_per_reclaim(runs, "sequential 10"), above=2),
            ],
        ),
        Claim("A1", "7", "ours: a threshold tuned online against fixed ones", adaptive),
    ]


CLAIMS = _claims()
