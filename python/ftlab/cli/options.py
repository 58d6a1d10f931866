"""The options that `run` and `compare` share, each once: how it is written, where it goes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias, TypeVar

import click

from ftlab import cores, trust
from ftlab.cli import parse
from ftlab.cli.completion import names
from ftlab.cli.say import say
from ftlab.config import Config, given, merge, nested
from ftlab.names import ftl
from ftlab.names import known as known_names
from ftlab.recording import joined
from ftlab.units import counted
from ftlab.variants import listed

Reader: TypeAlias = Callable[[str], Any]
"""Returns the value that a text of the command line stands for."""

Command = TypeVar("Command", bound=Callable[..., Any])


@dataclass(frozen=True)
class Setting:
    """An option whose text becomes one leaf of the configuration."""

    flag: str
    path: str
    metavar: str
    help: str
    names: str | None = None
    """The kind of the catalogue whose names it takes."""

    @property
    def name(self) -> str:
        """Return the name under which click passes the option."""
        return self.flag.removeprefix("--").replace("-", "_")


SOURCE = (
    Setting("--format", "input.format", "NAME", "Format of the trace [detected]."),
    Setting("--volume", "input.volume", "N", "Read only this volume of the trace."),
    Setting(
        "--columns",
        "input.columns",
        "WHAT=COLUMN,...",
        "Columns of a CSV file, as time=1:ms,offset=lba,...",
    ),
    Setting("--op", "input.op", "read|write", "Operation, if the trace has none."),
    Setting("--unit", "input.unit", "SIZE", "Page size of an ARC trace [512]."),
    Setting("--time-unit", "input.time_unit", "UNIT", "Unit of times: s, ms, us, ns or filetime."),
    Setting("--offset-unit", "input.offset_unit", "SIZE", "Unit of addresses, as 4KiB."),
    Setting("--stage", "input.stage", "Q|D|C", "Take block events of this stage as requests."),
    Setting("--clock", "input.order", "HOW", "Mend times: segments, drop, clamp, sort or error."),
    Setting("--since", "input.from", "TIME", "Begin at this time, as 90s or 1h."),
    Setting("--until", "input.until", "TIME", "End before this time, as 2h30m."),
    Setting("--skip", "input.skip", "N", "Skip the first N requests."),
)
MODEL = (
    Setting("--preset", "preset", "NAME", "Start from one of `ftlab list presets`.", "presets"),
    Setting("--capacity", "device.capacity", "SIZE", "Logical size of the device [the trace's]."),
    Setting("--page", "device.page", "SIZE", "Size of a flash page [4KiB]."),
    Setting("--pages-per-block", "device.pages_per_block", "N", "Pages per erase block [64]."),
    Setting(
        "--over-provisioning",
        "device.over_provisioning",
        "RATIO",
        "Spare space, as a share of capacity [15%].",
    ),
    Setting("--cache", "ftl.cache", "SIZE", "RAM for mappings, as 8KiB or 1/128 of the map."),
    Setting("--log-blocks", "log.blocks", "N", "Log blocks [all spare blocks but one]."),
    Setting("--buffer", "buffer.policy", "NAME", "One of `ftlab list buffers` [none].", "buffers"),
    Setting("--buffer-size", "buffer.size", "SIZE", "RAM of the write buffer [2MiB]."),
    Setting("--gc", "gc.policy", "POLICY", "One of `ftlab list gc` [greedy].", "policies"),
    Setting(
        "--separation",
        "ftl.separation",
        "NAME",
        "One of `ftlab list separations` [none].",
        "separations",
    ),
    Setting(
        "--warmup",
        "run.warmup",
        "MODE",
        "One of `ftlab list warmups`, as steady [none].",
    ),
    Setting("--address", "run.address", "POLICY", "compact, overlay or modulo [compact]."),
    Setting("--host", "host.mode", "MODE", "open (by timestamps), closed:QD or queued:QD [open]."),
    Setting("--time-scale", "host.time_scale", "FACTOR", "Multiply the gaps between requests."),
    Setting("--seed", "run.seed", "N", "Seed of every random choice [1]."),
)
ORDERS = ("sort", "clamp")
"""Values of the order of times that have a flag of their own."""


def source_options(command: Command) -> Command:
    """Add the argument TRACE and the options that say what to read.

    Several names are files of one recording: a shell makes them of a pattern.
    """
    return decorated(command, [_recording(), *_source()])


def repeated_options(command: Command) -> Command:
    """Add the options of `source_options`, with a result to repeat in place of the trace."""
    return decorated(command, [_recording(), *_source(repeats=True)])


def sources_options(command: Command) -> Command:
    """Add the argument TRACES, of which there may be several, and the same options."""
    return decorated(command, [_trace("traces", nargs=-1), *_source()])


def _recording() -> Callable[[Any], Any]:
    return _trace("trace", nargs=-1, callback=_one_recording)


def _one_recording(
    _context: click.Context, _parameter: click.Parameter, names: tuple[str, ...]
) -> str | None:
    odd = next((name for name in names[1:] if name in cores.ftls()), None)
    if odd is not None:
        raise click.UsageError(f"TRACE: found {odd}, which is an FTL; name it with --ftl {odd}")
    return joined(names) if names else None


def _trace(name: str, **how: Any) -> Callable[[Any], Any]:
    return click.argument(name, shell_complete=names("profiles", files=True), **how)


def _source(repeats: bool = False) -> list[Callable[[Any], Any]]:
    return [
        click.option(
            "--workload",
            metavar="PATTERN,KEY=VALUE,...",
            help="Generate requests, as randwrite,bs=4k,size=64MiB.",
        ),
        *_reading(repeats, type=parse.Count()),
    ]


def _reading(repeats: bool, **requests: Any) -> list[Callable[[Any], Any]]:
    """Return the options that say what to read of a file.

    ``--from`` names a result to repeat; with a time it is the old ``--since``.
    """
    help = "Repeat this result, on TRACE if given."
    return [
        *_options(SOURCE),
        click.option("--from", "from", metavar="RESULT", hidden=not repeats, help=help),
        click.option("--sort", is_flag=True, help="Sort requests by time."),
        click.option("--clamp", is_flag=True, help="Raise a time to the one before."),
        click.option("--requests", help="Stop after this many requests.", **requests),
        click.option("--flushes", is_flag=True, help="Keep flushes and FUA."),
    ]


def _since(options: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return options in which a time has its own name."""
    time = options["from"]
    if time is None:
        return options
    if options["since"]:
        raise click.UsageError(f"--from {time} and --since exclude each other")
    if time.lower().endswith((".json", ".json.gz")):
        raise click.UsageError(f"--from: found {time}, expected a time; run and compare repeat it")
    say(f"note: --from is for results; for a time, write --since {time}", err=True)
    return {**options, "since": time, "from": None}


def pair_options(command: Command) -> Command:
    """Add the arguments A and B, and the options that say what to read of each."""
    return decorated(command, [_trace("a"), _trace("b"), *_reading(False, metavar="N")])


def model_options(command: Command) -> Command:
    """Add the options that describe device, FTL, host and run."""
    options = [
        click.option("--config", metavar="FILE", help="Start from this configuration (TOML)."),
        *_options(MODEL),
        click.option("--no-verify", is_flag=True, help="Do not check the data of every read."),
        set_option("Set a key, as gc.policy=greedy; may be repeated."),
        click.option("--print-config", is_flag=True, help="Print the configuration and stop."),
        trust_option,
    ]
    return decorated(command, options)


def set_option(help: str) -> Callable[[Command], Command]:
    """Return a decorator that adds the option that sets keys, one each time."""
    return click.option("--set", "overrides", multiple=True, metavar="KEY=VALUE", help=help)


def measured_option(help: str) -> Callable[[Command], Command]:
    """Return a decorator that adds the option that measures what a model predicts."""
    return click.option("--seeds", type=click.IntRange(0), metavar="N", default=0, help=help)


def retold(helps: Mapping[str, str | None]) -> Callable[[Command], Command]:
    """Return a decorator with other help for options that are added below it; None hides one."""

    def change(command: Command) -> Command:
        for option in getattr(command, "__click_params__", []):
            if isinstance(option, click.Option) and option.name in helps:
                told = helps[option.name]
                option.help, option.hidden = told or option.help, told is None
        return command

    return change


refuses_print_config = retold({"print_config": None})
"""Hides an option of `model_options` that only runs of one configuration have."""


def trust_option(command: Command) -> Command:
    """Add the option that has Python loaded which only a file names that is read."""

    def trusted(_context: click.Context, _parameter: click.Parameter, asked: bool) -> None:
        if asked:
            trust.everything()

    return click.option(
        "--trust",
        is_flag=True,
        expose_value=False,
        callback=trusted,
        help="Run Python that only a data file names.",
    )(command)


def setting_options(flags: Sequence[str]) -> Callable[[Command], Command]:
    """Return a decorator that adds some of the options of `model_options`."""
    chosen = [each for each in MODEL if each.flag in flags]
    return lambda command: decorated(command, _options(chosen))


def setting_tree(flags: Sequence[str], options: Mapping[str, Any]) -> Config:
    """Return the tree that the options of `setting_options` describe."""
    return _tree([each for each in MODEL if each.flag in flags], options)


def source_config(options: Mapping[str, Any], known: str | None = None) -> Config:
    """Return the section that names the requests, from the options of `source_options`.

    It may leave their source to a configuration that has the ``known`` section.
    """
    options = _since(options)
    trace, workload, requests = options["trace"], options["workload"], options["requests"]
    if trace is None and workload is None and known == "workload":
        _refuse_input_options(options)
        return {"workload": given(requests=requests)} if requests else {}
    if (trace is None) == (workload is None) and (trace is not None or known is None):
        raise click.UsageError(
            "give either a TRACE (a file, - for standard input, or a profile's name) "
            "or --workload PATTERN,KEY=VALUE,..."
        )
    if workload is not None:
        _refuse_input_options(options)
        sizes = given(requests=requests)
        return counted(known_names({"workload": {**parse.workload(workload), **sizes}}))
    flushes = options["flushes"] or None
    leaves = given(trace=trace, requests=requests, order=_order(options), flushes=flushes)
    return counted(known_names(merge([{"input": leaves}, _tree(SOURCE, options)])))


def pair_config(options: Mapping[str, Any]) -> list[Config]:
    """Return the sections that name two streams of requests, from the options of `pair_options`.

    The text of an option holds for both, or one part before a comma for each; that of ``--columns``
    has commas of its own and holds for both.
    """
    options = _since(options)
    split = ["requests", *(each.name for each in SOURCE if each.flag != "--columns")]
    sides = {name: _sides(_flag(name), options[name]) for name in split}
    return [
        source_config(
            {
                **options,
                **{name: texts[side] for name, texts in sides.items()},
                "requests": _count(sides["requests"][side]),
                "trace": options["ab"[side]],
                "workload": None,
            }
        )
        for side in (0, 1)
    ]


def _sides(flag: str, text: str | None) -> tuple[str | None, str | None]:
    """Return what an option says of A and of B."""
    parts = text.split(",") if text is not None else [None]
    if len(parts) > 2 or "" in parts:
        raise click.UsageError(f"{flag}: found {text}, expected one value, or two as A,B")
    return parts[0], parts[-1]


def _count(text: str | None) -> int | None:
    return None if text is None else parse.Count()(text, click.Option([_flag("requests")]))


def model_config(options: Mapping[str, Any], read: Reader = parse.value) -> Config:
    """Return the tree that the options of `model_options` describe; ``--set`` is strongest."""
    if read is parse.value:
        _refuse_lists(options)
    verify = {"run": {"verify": False}} if options["no_verify"] else {}
    tree = [_tree(MODEL, options, read), verify, parse.overrides(options["overrides"], read)]
    return counted(known_names(merge(tree)))


def _refuse_lists(options: Mapping[str, Any]) -> None:
    """Fail for an option that has several values, which are a sweep."""
    for each in MODEL:
        text = options[each.name]
        if text is not None and "," in text:
            message = f"{each.flag}: found {text}, expected one value; `ftlab sweep` takes several"
            raise click.UsageError(message)


def _refuse_input_options(options: Mapping[str, Any]) -> None:
    """Fail if an option was given that only says how to read a file."""
    names = (*ORDERS, "flushes", *(each.name for each in SOURCE))
    useless = next((name for name in names if options[name]), None)
    if useless:
        raise click.UsageError(f"{_flag(useless)} says how to read a TRACE; --workload reads none")


def _options(settings: Iterable[Setting]) -> list[Callable[[Any], Any]]:
    return [
        click.option(
            each.flag,
            metavar=each.metavar,
            help=each.help,
            shell_complete=names(each.names) if each.names else None,
        )
        for each in settings
    ]


def ftl_option(metavar: str, help: str) -> Callable[[Command], Command]:
    """Return a decorator that adds the option that names one or several FTLs."""
    complete = names("ftls", files=True)
    return click.option(
        "--ftl", metavar=metavar, callback=_ftls, help=help, shell_complete=complete
    )


def _ftls(context: click.Context, option: click.Parameter, text: str | None) -> str | None:
    """Return the names of FTLs as the catalogue has them."""
    return text and ",".join(listed(text, ftl))


def decorated(command: Command, options: Sequence[Callable[[Command], Command]]) -> Command:
    """Apply decorators so that the help lists them in the order written."""
    for option in reversed(options):
        command = option(command)
    return command


def _tree(
    settings: Iterable[Setting], options: Mapping[str, Any], read: Reader = parse.value
) -> Config:
    chosen = [each for each in settings if options[each.name] is not None]
    return merge(nested(each.path, read(options[each.name])) for each in chosen)


def _order(options: Mapping[str, Any]) -> str | None:
    chosen = [order for order in ORDERS if options[order]]
    if len(chosen) + (options["clock"] is not None) > 1:
        raise click.UsageError("--sort, --clamp and --clock exclude each other")
    return chosen[0] if chosen else None


def _flag(name: str) -> str:
    """Return the option that click passes under a name."""
    return "--" + name.replace("_", "-")
