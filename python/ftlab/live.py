"""An FTL as a live block device: an NBD server over an image file."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from ftlab import configuration_file, cores
from ftlab.catalogue import catalog
from ftlab.config import Config, Progress, merge
from ftlab.errors import ConfigError
from ftlab.files import check_writable, write_atomically
from ftlab.record import Record
from ftlab.report.numbers import brief, count, size
from ftlab.report.tables import Table
from ftlab.result import Result
from ftlab.titles import FtlName

Name = str | os.PathLike[str]
COLUMNS = "time=time:ns,offset=offset,length=length,op=op"
"""What the columns of a recorded session are."""
REPLAY_END = ".toml"
"""What is behind the name of a recording in that of the file which replays it."""


class Device:
    """A device that clients may use from now on, until it is stopped or a ``with`` block ends."""

    def __init__(
        self,
        image: Name,
        socket: Name,
        ftl: str | None = None,
        config: Mapping[str, Any] | None = None,
        *,
        tcp: bool = False,
        metrics: Name | None = None,
        paced: bool = False,
        record: Name | None = None,
        hint: str | None = None,
    ) -> None:
        """Serve an image (``docs/live-device.md``).

        Parameters
        ----------
        image
            A file; it is made if there is none. Else the FTL mounts on it.
        socket
            Path of a socket that clients connect to, made with mode 0600.
        ftl
            An FTL that mounts; that of the image if there is one.
        config
            Settings; those that say what a device is have to be those of the image.
        tcp
            Whether ``socket`` is a ``host:port`` instead. Whoever reaches it may do everything.
        metrics
            Path of a socket on which figures are told, in the text format of Prometheus.
        paced
            Whether answers come when the emulated device would have given them.
        record
            A new file to which the session is written as a trace, for a new image. What replays it
            is written to the same name with ``.toml`` behind it.
        hint
            What the placement handles of writes follow from: ``export``, each handle having an
            export of its own; ``range:BYTE:BYTE..`` or ``size:BYTES:BYTES..``, as of
            ``input.hint_by``. The FTL has ``ftl.separation = handles`` then.

        Raises
        ------
        ftlab.ConfigError, ftlab.TraceError
            when settings are wrong or are not those of the image, or files cannot be used
        """
        tree = merge([config or {}])
        replayed = f"{os.fspath(record)}{REPLAY_END}" if record is not None else None
        if replayed:
            check_writable(replayed, [image])
            if os.path.lexists(replayed):
                raise ConfigError(f"{replayed}: is there already, expected a new name to record to")
        self._server = cores.server(
            tree,
            ftl and cores.utf8(ftl),
            image=os.fspath(image),
            socket=cores.utf8(os.fspath(socket)),
            tcp=tcp,
            metrics=metrics if metrics is None else os.fspath(metrics),
            paced=paced,
            record=record if record is None else os.fspath(record),
            hint=hint,
        )
        try:
            self.opened: Record = Record(json.loads(self._server.opened()))
            """``ftl``, ``config``, ``capacity_bytes``, and what the ``mount`` has cost (None for a
            new image)."""
            if record is not None and replayed:
                write_atomically(
                    replayed, self._replay(Path(record), hint is not None), place="new"
                )
        except BaseException:
            self._server.stop()
            raise

    def __enter__(self) -> Self:
        """Return the device."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        """Stop it."""
        self.stop()

    @property
    def is_fine(self) -> bool:
        """Whether nothing has broken the device; else `stop` raises what has."""
        fine: bool = self._server.is_fine()
        return fine

    def figures(self) -> dict[str, float]:
        """Return the figures of the session so far, by their names with labels."""
        return figures_of(self._server.figures())

    def stop(self) -> Result:
        """End all connections, make everything durable and return the result of the session.

        Raises
        ------
        ftlab.InternalError, ftlab.TraceError
            a rule or an invariant that the FTL broke, or what the disk of the image answered
        """
        return Result(json.loads(self._server.stop()))

    def _replay(self, record: Path, hinted: bool) -> str:
        source = {
            "trace": str(record.resolve()),
            "format": "csv",
            "columns": COLUMNS + (",hint=hint" if hinted else ""),
            "flushes": True,
        }
        config = self.opened.config.to_dict()
        return configuration_file.dump(
            {**config, "input": source, "workload": {}}, [self.opened.ftl]
        )


def ftls() -> list[str]:
    """Return the FTLs to serve: those that come back from a power cut with every write."""
    return [each["name"] for each in catalog().ftls if each["mounts"] == "yes"]


def fsck(image: Name) -> Record:
    """Check every checksum of an image that nobody serves, and whether its FTL mounts.

    Nothing is changed.

    Returns
    -------
    Record
        ``ftl``, ``capacity_bytes``, ``pages`` and those ``programmed``; ``damaged`` pages and the
        ``first_damaged`` of them; logical pages ``holding_data``; the ``mount`` and what it costs;
        ``broken``: why it does not mount, or None.

    Raises
    ------
    ftlab.ConfigError, ftlab.TraceError
        when it is no image, is served, or cannot be read
    """
    return Record(json.loads(cores.fsck(os.fspath(image))))


def replay(file: Name, progress: Progress | None = None) -> Result:
    """Run a recorded session once more, without clients, and return its result.

    Parameters
    ----------
    file
        The ``.toml`` file beside the recording.
    progress
        As of `ftlab.simulate`.

    Raises
    ------
    ftlab.ConfigError, ftlab.TraceError
        when the file or the recording cannot be used
    """
    config = configuration_file.load(file)
    match config.pop("ftls", None):
        case [str(ftl)]:
            return Result(json.loads(cores.replay(config, ftl, progress)))
        case found:
            raise ConfigError(f"{file}: ftls: found {found}, expected that of the session")


def is_clean(report: Record) -> bool:
    """Tell whether `fsck` has found nothing wrong."""
    return not report.damaged and report.broken is None


def told(report: Record) -> Table:
    """Return what `fsck` has found as a table."""
    mount = report.mount
    damaged = count(report.damaged)
    if report.damaged:
        damaged += f": physical pages {', '.join(map(str, report.first_damaged))}"
        damaged += ", ..." if report.damaged > len(report.first_damaged) else ""
    rows = [
        ["FTL", FtlName(report.ftl)],
        ["capacity", size(report.capacity_bytes)],
        ["pages programmed", f"{count(report.programmed)} of {count(report.pages)}"],
        ["pages damaged", damaged],
        ["logical pages with data", count(report.holding_data)],
        ["journal", f"{count(mount.journal_entries)} entries, {count(mount.given_up)} given up"],
        ["mount", report.broken or mounted(mount)],
    ]
    return Table(["", "found"], rows)


def mounted(mount: Record) -> str:
    """Return what a mount costs in one line."""
    return (
        f"{count(mount.oob_reads)} OOBs read, {count(mount.programs)} pages programmed, "
        f"{count(mount.erases)} blocks erased: {brief(mount.device_us, 'us')} of the device"
    )


def figures_of(text: str) -> dict[str, float]:
    """Return the figures in a text for Prometheus."""
    lines = (line for line in text.splitlines() if line and not line.startswith("#"))
    pairs = (line.rsplit(" ", 1) for line in lines)
    try:
        return {name: float(value) for name, value in pairs}
    except ValueError as error:
        raise ConfigError("found a text that has no figures, expected those of a device") from error


def config_of(tree: Config) -> Config:
    """Return what of a configuration matters to a device: clients are the input."""
    return {name: leaves for name, leaves in tree.items() if name not in ("input", "workload")}
