"""``ftlab serve``, ``fsck`` and ``replay``: a live block device, its image, a session again."""

from __future__ import annotations

import json
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any
from urllib.parse import quote

import click

from ftlab import configuration_file, ending, live
from ftlab.cli import parse
from ftlab.cli.options import ftl_option, model_config, model_options
from ftlab.cli.output import Outputs, in_form, output_options, rendered
from ftlab.cli.progress import meter
from ftlab.cli.say import hand_over, say
from ftlab.cli.sections import Verb
from ftlab.cli.show import show_sections, show_table, show_warnings
from ftlab.cli.written import Written
from ftlab.config import Config, merge
from ftlab.report.numbers import size
from ftlab.report.summary import run_summary
from ftlab.result import Comparison, Result
from ftlab.simulation import check_obeyed

LOOK_S = 0.1
"""How often the command looks whether something has broken the device."""


@click.command(cls=Verb)
@click.option("--image", metavar="FILE", required=True, help="Image file, created if missing.")
@click.option("--socket", metavar="PATH", help="Socket for clients, created with mode 0600.")
@click.option("--tcp", metavar="HOST:PORT", help="Listen on TCP instead, open to all who reach it.")
@ftl_option("NAME", "An FTL that mounts (`ftlab list ftls`) [that of the image].")
@click.option("--metrics", metavar="PATH", help="Serve Prometheus metrics on this socket.")
@click.option(
    "--pace",
    type=click.Choice(["none", "device"]),
    default="none",
    show_default=True,
    help="Answer at once, or after the simulated time.",
)
@click.option(
    "--record",
    type=Written(live.REPLAY_END),
    metavar="FILE",
    help="Record the session on a new image.",
)
@click.option("--hint", metavar="BY", help="Handles by export, range:BYTE:.. or size:BYTES:..")
@model_options
@output_options
def serve(
    image: str,
    socket: str | None,
    tcp: str | None,
    ftl: str | None,
    metrics: str | None,
    pace: str,
    record: str | None,
    hint: str | None,
    print_config: bool,
    **options: Any,
) -> None:
    """Serve an FTL as a network block device (NBD).

    The data is in an image file. Acknowledged writes survive a kill of the server; flushed writes
    survive a power cut of the machine, too. Ctrl-C ends the session and prints a summary.
    """
    if (socket is None) == (tcp is None):
        raise click.UsageError("give either --socket PATH or --tcp HOST:PORT")
    config, ftl = _configuration(options, ftl)
    if print_config:
        hand_over(configuration_file.dump(config, [ftl] if ftl else []))
        return
    outputs = Outputs.of(options, config)
    if ftl:
        check_obeyed(config, [ftl])
    with _stopping() as stopping:
        device = live.Device(
            image,
            socket or str(tcp),
            ftl,
            config,
            tcp=tcp is not None,
            metrics=metrics,
            paced=pace == "device",
            record=record,
            hint=hint,
        )
        stopping.defers = True
        _say_ready(device, image, socket, tcp)
        while device.is_fine and not stopping.asked.wait(LOOK_S):
            pass
        _tell(outputs, device.stop())
    if record:
        say(f"Replay: ftlab replay {record}{live.REPLAY_END}", err=True)


def _configuration(options: dict[str, Any], ftl: str | None) -> tuple[Config, str | None]:
    file = configuration_file.load(options["config"]) if options["config"] else {}
    listed = file.pop("ftls", [])
    known = [listed] if isinstance(listed, str) else listed
    names = parse.names(ftl) if ftl else known
    if len(names) > 1:
        raise click.UsageError(f"serve takes one FTL, found {', '.join(names)}")
    # Clients are the input.
    device = {name: leaves for name, leaves in file.items() if name not in ("input", "workload")}
    tree = merge([device, model_config(options)])
    return tree, names[0] if names else None


def _say_ready(device: live.Device, image: str, socket: str | None, tcp: str | None) -> None:
    opened = device.opened
    how = "new" if opened.mount is None else f"mounted, {live.mounted(opened.mount)}"
    uri = f"nbd+unix:///?socket={quote(socket)}" if socket else f"nbd://{tcp}"
    say(f"{opened.ftl}, {size(opened.capacity_bytes)} in {image}: {how}", err=True)
    say(f"Ready: {uri} (Ctrl-C ends it)", err=True)


def _tell(outputs: Outputs, result: Result) -> None:
    comparison = Comparison([result])
    text = rendered(outputs.form, comparison, single=True)
    outputs.result(text, lambda: show_sections(run_summary(result)))
    show_warnings(comparison)


class _Stopping:
    """Whether the session is to end; before there is one, signals end the command."""

    def __init__(self) -> None:
        self.asked = threading.Event()
        self.defers = False

    def __call__(self, number: int, frame: FrameType | None) -> None:
        self.asked.set()
        if not self.defers:
            ending.end(number, frame)


@contextmanager
def _stopping() -> Iterator[_Stopping]:
    """Yield what is told of signals that end a command."""
    stopping = _Stopping()
    numbers = [each for each in ending.SIGNALS if signal.getsignal(each) is not signal.SIG_IGN]
    before = [signal.signal(number, stopping) for number in numbers]
    try:
        yield stopping
    finally:
        for number, handler in zip(numbers, before, strict=True):
            signal.signal(number, handler)


@click.command()
@click.argument("image")
@output_options
def fsck(image: str, **options: Any) -> None:
    """Check IMAGE: its checksums, its FTL and every page.

    Nothing is changed. The exit code is 1 if anything is damaged or lost.
    """
    outputs = Outputs.of(options)
    report = live.fsck(image)
    table = live.told(report)
    text = in_form(outputs.form, table, json.loads(report.to_json()))
    outputs.result(text, lambda: show_table(table, prose=True))
    if not live.is_clean(report):
        raise click.exceptions.Exit(1)


@click.command()
@click.argument("file")
@output_options
def replay(file: str, **options: Any) -> None:
    """Replay a session that `ftlab serve --record` wrote.

    FILE is the one whose name ends in .toml. A replay has the same counts.
    """
    outputs = Outputs.of(options, configuration_file.load(file))
    with meter() as progress:
        result = live.replay(file, progress)
    _tell(outputs, result)
