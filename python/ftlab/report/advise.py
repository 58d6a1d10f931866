"""Advice as a table, sentences, JSON and one HTML file."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from math import isfinite

from ftlab.advise import Advice, Candidate, Prices
from ftlab.advise.candidate import FAILED, FIGURES, LATENCY, LIFETIME, NO_GC, RATE
from ftlab.report.doubts import doubts
from ftlab.report.html import configuration, document, escaped, figure, figures, section, table_of
from ftlab.report.numbers import significant, written
from ftlab.report.summary import setup_line
from ftlab.report.tables import ABSENT, Table, csv_of_rows
from ftlab.result import Comparison
from ftlab.titles import FtlName, title

COST, LIFE, P99 = range(3)
"""Places among the goals of a candidate."""

OP = "device.over_provisioning"
COLUMNS = {OP: "over-provisioning"}
"""Settings with another name in a sentence."""


def table(advice: Advice) -> Table:
    """Return a row for each candidate, the cheapest first; costs on the front are marked."""
    ranked = sorted(advice.candidates, key=lambda each: (each.cost is None, each.cost or 0.0))
    header = ["candidate", "cost", "years", "DWPD", "WA", f"p99 QD{advice.depth}", "p99 rate"]
    front = advice.front()
    best = {(row, 1) for row, each in enumerate(ranked) if each in front}
    return Table([*header, "RAM", "misses"], [_row(each) for each in ranked], frozenset(best))


def _row(each: Candidate) -> list[str]:
    misses, wear = each.misses(), each.wear()
    at_rate = FIGURES["response_us.p99"].cell(each.results[1]) if each.has_times else ABSENT
    amplification = each.figure("write_amplification")
    return [
        FtlName(" ".join([each.ftl, *_settings(each)])),
        *(_number(value) for value in (each.cost, wear["years"], wear["dwpd"])),
        ABSENT if amplification is None else f"{amplification:.2f}",
        written(each.p99, "us"),
        at_rate,
        written(each.figure("ram_bytes"), "bytes"),
        ", ".join(misses) or ABSENT,
    ]


def _settings(each: Candidate) -> list[str]:
    """Return the settings of a candidate: the over-provisioning alone, others behind their keys."""
    return [value if key == OP else f"{key}={value}" for key, value in each.settings.items()]


def _number(value: float | None) -> str:
    return ABSENT if value is None else significant(value, 3)


def named(each: Candidate) -> str:
    """Return an FTL with its settings, as a sentence has it."""
    told = (f"{COLUMNS.get(key, key)} {value}" for key, value in each.settings.items())
    settings = ", ".join(told)
    return f"{title(each.ftl)} with {settings}" if settings else title(each.ftl)


def verdict(advice: Advice) -> list[str]:
    """Return which candidate to choose and why, or that none meets the targets."""
    pick, count = advice.pick(), len(advice.candidates)
    if pick is None:
        return _none(advice)
    meeting = len(advice.meeting())
    among = f"It is the cheapest of the {meeting} candidates that meet all targets."
    if meeting == 1:
        among = f"It alone of {count} candidates meets all targets."
    return [f"Choose {named(pick)}. {among}", _reasons(advice, pick), *_others(advice, pick)]


def _others(advice: Advice, pick: Candidate) -> list[str]:
    """Return how the pick differs from the next in cost, the longest-lived and the fastest."""
    known = [(each, goals) for each in advice.meeting() if (goals := each.goals())]
    own = pick.goals()
    rest = [(each, goals) for each, goals in known if each is not pick]
    if own is None or not rest:
        return []
    last = len(own) - 1 if pick.has_times else P99
    roles: dict[tuple[str, str], list[str]] = {}
    for goal, role in ((COST, "next in cost"), (LIFE, "longest-lived"), (last, "fastest")):
        each, goals = min(rest, key=lambda found: (found[1][goal], found[1]))
        if goal == COST or goals[goal] < own[goal]:
            roles.setdefault((named(each), _difference(goals, own, last)), []).append(role)
    lines = [f"{name} is the {' and the '.join(r)}: {told}." for (name, told), r in roles.items()]
    return [f"Of the others that meet all targets, {' '.join(lines)}"]


def _difference(goals: Sequence[float], own: Sequence[float], last: int) -> str:
    """Return how goals differ from those of the pick."""
    told = [f"{100 * (goals[COST] / own[COST] - 1):.3g} % more cost"] if own[COST] else []
    named = ((LIFE, "the lifetime"), (last, "the p99"))
    finite = [(goal, name) for goal, name in named if isfinite(own[goal]) and own[goal]]
    return ", ".join([*told, *(f"{goals[g] / own[g]:.3g} x {name}" for g, name in finite)])


def _reasons(advice: Advice, each: Candidate) -> str:
    """Return what a candidate costs, how long it lasts, and how fast it is."""
    years, p99, at_rate = each.wear()["years"], each.p99, each.p99_at_rate
    told = [] if each.cost is None else [_price(each.cost, each.prices)]
    if years is not None:
        rate = "the trace's rate" if advice.targets.dwpd is None else "the target's rate"
        told.append(f"It lasts {_number(years)} years at most, at {rate}.")
    times = [] if p99 is None else [f"{written(p99, 'us')} at queue depth {advice.depth}"]
    times += [] if at_rate is None else [f"{written(at_rate, 'us')} at the trace's rate"]
    told += [f"Its p99 is {' and '.join(times)}."] if times else []
    return " ".join(told)


def _price(cost: float, prices: Prices) -> str:
    unit = " GB of flash" if prices.flash == 1 else ""
    return f"It costs {_number(cost)}{unit}."


def _none(advice: Advice) -> list[str]:
    """Return which targets are missed how often, what is nearest, and what would help."""
    counts = Counter(miss for each in advice.candidates for miss in each.misses())
    told = ", ".join(f"{count} miss {MISSED.get(name, name)}" for name, count in counts.items())
    lines = [f"No candidate meets all targets: of {len(advice.candidates)}, {told}."]
    nearest = advice.nearest()
    if nearest is None:
        return lines
    missed = " and ".join(MISSED.get(miss, miss) for miss in nearest.misses())
    lines.append(
        f"The nearest is {named(nearest)}, which misses {missed}. {_reasons(advice, nearest)}"
    )
    needed, dwpd = nearest.needed_per_day, nearest.wear()["dwpd"]
    if LIFETIME in nearest.misses() and advice.targets.dwpd is None and needed and dwpd:
        lines.append(
            f"With {written(needed / dwpd, 'bytes')} of capacity and the same write amplification "
            f"it would last {advice.targets.years:g} years."
        )
    return lines


MISSED = {
    LIFETIME: "the lifetime",
    RATE: "the trace's rate (overload)",
    LATENCY: "the p99 limit",
    NO_GC: "a known lifetime, as GC never ran",
    FAILED: "every target, as they failed",
}
"""Targets in a sentence."""


def targets_line(advice: Advice) -> str:
    """Return what the device must do, and of what the cost is made."""
    first, targets = _sound(advice), advice.targets
    rate, per_day = "at the trace's rate", first.needed_per_day
    if targets.dwpd is not None:
        rate = f"at {targets.dwpd:g} drive writes per day"
    told = f"{targets.years:g} years {rate}"
    if per_day is None:
        told = "no lifetime, as the input has no times (set --dwpd)"
    elif targets.dwpd is None:
        told += f" ({written(per_day, 'bytes')} per day)"
    parts = [told]
    parts += ["no overload at that rate"] if first.has_times else []
    if targets.p99_us is not None:
        where = "at the trace's rate" if first.has_times else f"at queue depth {advice.depth}"
        parts.append(f"p99 within {written(targets.p99_us, 'us')} {where}")
    return f"Targets: {'; '.join(parts)}."


def legend(advice: Advice) -> str:
    """Return what the columns of the table are."""
    known = [each for each in advice.candidates if each.goals()]
    all_of = ""
    if len(advice.front()) == len(known) > 1:
        all_of = f" (here all {len(known)}: each is better than any other in one of them)"
    prices, first = advice.candidates[0].prices, _sound(advice)
    unit = f"flash at {prices.flash:g}"
    if prices.flash == 1:
        unit = "GB of flash"
    return (
        f"Marked costs are on the Pareto front of cost, lifetime and p99{all_of}. "
        f"Years and DWPD are upper bounds, at {first.endurance:,} erases per block; DWPD is over "
        f"{advice.targets.years:g} years. "
        f"Cost: {unit}, plus RAM at {prices.ram:g} per GB."
    )


def _sound(advice: Advice) -> Candidate:
    """Return the first candidate with results."""
    return next(each for each in advice.candidates if each.results)


def setup(advice: Advice) -> str:
    """Return one line that says what all were run on."""
    return setup_line(Comparison([_sound(advice).results[0]]))


def as_json(advice: Advice) -> str:
    """Return targets, prices, every candidate, the front, the pick, and what not to believe."""
    places = {id(each): place for place, each in enumerate(advice.candidates)}
    first, pick = _sound(advice), advice.pick()
    result, targets, prices = first.results[0], advice.targets, first.prices
    tree = {
        "ftlab": result["ftlab"],
        "trace": result["trace"].to_dict(),
        "targets": {"years": targets.years, "dwpd": targets.dwpd, "p99_us": targets.p99_us},
        "prices": {"flash_per_gb": prices.flash, "ram_per_gb": prices.ram},
        "endurance": first.endurance,
        "endurance_assumed": advice.is_assumed,
        "depth": advice.depth,
        "needed_bytes_per_day": first.needed_per_day,
        "written_bytes_per_day": first.written_per_day,
        "drive_fills": first.fills,
        "candidates": [each.row() for each in advice.candidates],
        "front": [places[id(each)] for each in advice.front()],
        "pick": None if pick is None else places[id(pick)],
        "verdict": verdict(advice),
        "doubts": doubts(advice),
    }
    return json.dumps(tree, indent=2, ensure_ascii=False) + "\n"


def notes(advice: Advice) -> list[str]:
    """Return everything below the table."""
    return [targets_line(advice), legend(advice), *verdict(advice), *doubts(advice)]


def as_csv(advice: Advice) -> str:
    """Return a row for each candidate, with a column for each setting."""
    rows = []
    for each in advice.candidates:
        row = each.row()
        texts = {key: " ".join(row.pop(key)) for key in ("misses", "points")}
        rows.append({"ftl": row.pop("ftl"), **row.pop("settings"), **row, **texts})
    return csv_of_rows(rows)


def as_text(advice: Advice, form: str) -> str:
    """Return the table in Markdown, LaTeX or aligned text, with all that is below it."""
    return table(advice).with_notes(form, notes(advice))


def as_html(advice: Advice) -> str:
    """Return the advice as a complete HTML document."""
    heading = f"Advice for {_sound(advice).results[0].find('trace.name')}"
    items = "".join(f"<li>{escaped(each)}</li>" for each in doubts(advice))
    body = [
        f"<h1>{escaped(heading)}</h1>",
        *(f'<p class="lead">{escaped(sentence)}</p>' for sentence in verdict(advice)),
        f'<p class="quiet">{escaped(targets_line(advice))}</p>',
        f'<p class="quiet">{escaped(setup(advice))}</p>',
        section(
            "Candidates",
            f'{table_of(table(advice), "pinned")}\n<p class="quiet">{escaped(legend(advice))}</p>',
        ),
        *_figures(advice),
        section("What not to believe", f'<ul class="warnings">{items}</ul>'),
        section("Configuration", _configuration(advice)),
    ]
    return document(heading, "\n".join(body))


def _figures(advice: Advice) -> list[str]:
    """Return the figures in a section, if there is matplotlib."""
    try:
        from ftlab.plot_advise import PANELS, drawn
        from ftlab.style import image
    except ImportError:
        return []
    caption = "A dot has a ring on the Pareto front, and a large one if it is the pick."
    each = (figure(image(drawn(advice, names=[name])), caption, name) for name in PANELS)
    return [section("Figures", figures(each))]


def _configuration(advice: Advice) -> str:
    """Return the resolved configuration of the pick, or of the nearest candidate, folded."""
    chosen = advice.pick() or advice.nearest() or _sound(advice)
    return configuration(named(chosen), chosen.results[0])
