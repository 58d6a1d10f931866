"""Figures of volumes, and of traces: means over their volumes.

A figure of a trace is the mean of its volumes' figures: Figures 4 and 5 have one bar for each
trace. A change is CACH-FTL / other - 1 of these means. The best setting of a volume is that of
least mean response time (choices.md#cachftl-means).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from statistics import fmean

from ftlab import Result
from ftlab_papers.cachftl.points import ALL_THRESHOLDS, SPARES, THRESHOLDS, TRACES
from ftlab_papers.measures import Measure, Of, Term, relative
from ftlab_papers.quantities import RESPONSE, erases
from ftlab_papers.runs import Figure, Key, NotMeasuredError, Runs, ratio
from ftlab_papers.volumes import volumes_of

SAMPLES = {"cello99": -0.27, "financial1": -0.90, "financial2": -0.68}
"""What the volumes of Figure 7 gain over FAST: (a), (b), (c)."""

RIVALS = {"bm": "block-optimized", "fast": "fast", "pm": "page"}


def volumes(runs: Runs, *traces: str) -> list[str]:
    """Return the volumes of traces that were run."""
    names = sorted({key[0] for key in runs})
    return [volume for trace in traces for volume in volumes_of(trace, names)]


def traces_of(runs: Runs) -> list[str]:
    """Return the traces of which a volume was run."""
    return [trace for trace in TRACES if volumes(runs, trace)]


def thresholds(runs: Runs, volume: str) -> Sequence[int]:
    """Return the thresholds with which a volume was run."""
    spare = str(SPARES[0])
    run = [each for each in ALL_THRESHOLDS if (volume, "cachftl", spare, str(each)) in runs]
    return run or THRESHOLDS


def best(runs: Runs, volume: str, ftl: str) -> Key:
    """Return the setting of least mean response time of an FTL on a volume."""
    return _setting_of_least(RESPONSE, runs, volume, ftl)


def sparing(runs: Runs, volume: str, ftl: str) -> Key:
    """Return the setting of fewest erases of an FTL on a volume."""
    return _setting_of_least(erases, runs, volume, ftl)


def _setting_of_least(figure: Figure, runs: Runs, volume: str, ftl: str) -> Key:
    spares, varied = [str(spare) for spare in SPARES], thresholds(runs, volume)
    settings: dict[str, list[Key]] = {
        "cachftl": [("cachftl", spare, str(each)) for spare in spares for each in varied],
        "fast": [("fast", spare) for spare in spares],
    }
    keys = [(volume, *setting) for setting in settings.get(ftl, [(ftl, "start")])]
    return min(keys, key=lambda key: runs(figure, *key))


def default(runs: Runs, volume: str, ftl: str) -> Key:
    """Return the point of an FTL with its default settings on a volume."""
    return volume, ftl


Choice = Callable[[Runs, str, str], Key]


def mean(runs: Runs, figure: Figure, trace: str, ftl: str, choice: Choice) -> float:
    """Return the mean of a figure over the volumes of a trace."""
    return fmean(runs(figure, *choice(runs, volume, ftl)) for volume in _volumes(runs, trace))


@cache
def of_trace(figure: Figure, trace: str, ftl: str, choice: Choice = default) -> Measure:
    """Return the mean of a figure over the volumes of a trace, the same term for the same."""
    return Of(lambda found: found, (lambda runs: mean(runs, figure, trace, ftl, choice),))


@dataclass(frozen=True)
class Against(Measure):
    """CACH-FTL / other - 1 on a trace: of the means over its volumes.

    With a ``middle`` it is what that makes of the volumes' own changes.
    """

    figure: Figure
    trace: str
    other: str
    choice: Choice
    middle: Callable[[Iterable[float]], float] | None = None

    def __call__(self, runs: Runs) -> float:
        """Return the change."""
        if self.middle is not None:
            return self.middle(
                change_of(*(runs(self.figure, *self.choice(runs, volume, ftl)) for ftl in self._of))
                for volume in _volumes(runs, self.trace)
            )
        ours, theirs = (of_trace(self.figure, self.trace, ftl, self.choice) for ftl in self._of)
        return (ours / theirs - 1)(runs)

    @property
    def _of(self) -> tuple[str, str]:
        return "cachftl", self.other


def against(figure: Figure, trace: str, other: str, choice: Choice = default) -> Measure:
    """Return CACH-FTL / other - 1 of the means over a trace's volumes."""
    return Against(figure, trace, other, choice)


def share(runs: Runs, holds: Callable[[Runs, str], bool], *traces: str) -> float:
    """Return the share of volumes of which something holds."""
    return fmean(holds(runs, volume) for volume in _volumes(runs, *traces))


def _volumes(runs: Runs, *traces: str) -> list[str]:
    found = volumes(runs, *traces)
    if not found:
        raise NotMeasuredError(f"no volume of {', '.join(traces)} was run")
    return found


def change_of(new: float, old: float) -> float:
    """Return new / old - 1; 0 where both are 0, as in a volume that the buffer holds."""
    return 0.0 if new == old else ratio(new, old) - 1


def gaps(runs: Runs, other: str, *traces: str) -> list[float]:
    """Return CACH-FTL / other - 1 with the best settings, for each volume."""
    return [
        change_of(*(runs(RESPONSE, *best(runs, volume, ftl)) for ftl in ("cachftl", other)))
        for volume in _volumes(runs, *traces)
    ]


def ram_saved(runs: Runs) -> float:
    """Return 1 - CACH-FTL's map / a page map with 25 % over-provisioning, as the paper counts.

    The paper's figures have a page map of all physical pages, and no valid bits.
    """
    volume = _volumes(runs, *TRACES)[0]
    cach, page = runs[volume, "cachftl", "25", "4"], runs[volume, "page"]
    table = cach["ram_bytes"]["tables"] - cach["own"]["cachftl.valid_bits_bytes"]
    logical = page["device"]["logical_blocks"]
    page_map = page["ram_bytes"]["tables"] * cach["device"]["blocks"] / logical
    return float(1 - table / page_map)


def sample(runs: Runs, trace: str) -> str:
    """Return the volume of a trace that stands for the paper's sample, which it does not name.

    It is the one whose gain over FAST is nearest to that of the sample.
    """
    said = SAMPLES[trace]
    found = zip(_volumes(runs, trace), gaps(runs, "fast", trace), strict=True)
    return min(found, key=lambda each: abs(each[1] - said))[0]


def least_threshold_of_sample(runs: Runs) -> float:
    """Return how much slower Cello99's sample is with the least threshold than with FAST."""
    volume = sample(runs, "cello99")
    keys = ("cachftl", "10", str(THRESHOLDS[0])), ("fast", "10")
    return change_of(*(runs(RESPONSE, volume, *key) for key in keys))


def covered(figure: Figure, choice: Choice) -> Term:
    """Return the share of volumes on which the setting chosen is as good as FAST's, and as BM."""

    def is_covered(runs: Runs, volume: str) -> bool:
        ftls = ("cachftl", "fast", "block-optimized")
        ours, *rivals = (runs(figure, *choice(runs, volume, ftl)) for ftl in ftls)
        return ours <= min(rivals)

    return lambda runs: share(runs, is_covered, *TRACES)


def not_the_greatest(choice: Choice) -> Term:
    """Return the share of volumes whose setting is not the greatest of both."""

    def is_less(runs: Runs, volume: str) -> bool:
        return choice(runs, volume, "cachftl")[2:] != (str(SPARES[-1]), str(THRESHOLDS[-1]))

    return lambda runs: share(runs, is_less, *TRACES)


def gap(workload: str, other: str = "page") -> Measure:
    """Return CACH-FTL / other - 1 of the response time on a synthetic workload."""
    return relative(RESPONSE, (workload, "cachftl"), (workload, other))


def merges_per_reclaim(result: Result) -> float:
    """Return FAST's full merges for each random log block that it reclaims."""
    merges = result["merges"]["full"] - result["own"]["fast.sequential_full_merges"]
    return ratio(merges, result["own"]["fast.random_reclaims"])


def adaptive_against(pick: Callable[[Sequence[float]], float]) -> Term:
    """Return the mean change of the adaptive threshold against one of the fixed ones."""

    def find(runs: Runs) -> float:
        found = []
        for volume in _volumes(runs, *TRACES):
            varied = thresholds(runs, volume)
            fixed = [runs(RESPONSE, volume, "cachftl", "10", str(each)) for each in varied]
            ours = runs(RESPONSE, volume, "cachftl", "adaptive", "threshold")
            found.append(change_of(ours, pick(fixed)))
        return fmean(found)

    return find


def to_bmr(result: Result) -> float:
    """Return the share of the groups that C-lash evicts that go to the BMR."""
    small, large = (result["own"][f"cachftl.{region}_groups"] for region in ("pmr", "bmr"))
    return float(large / max(small + large, 1))


def rewrites(result: Result) -> float:
    """Return the share of all programs that copy pages when blocks of the BMR are rewritten."""
    programs = result["flash"]["programs"]
    return float(programs["merge"] / max(sum(programs.values()), 1))
