"""An FTL as a live block device: an NBD server over an image file."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Self

from ftlab import _core, configuration_file, cores
from ftlab.catalogue import catalog
from ftlab.config import Progress, merge
from ftlab.errors import ConfigError
from ftlab.files import check_writable, write_atomically
from ftlab.record import Record
from ftlab.report.numbers import brief, count, size
from ftlab.report.tables import Table
from ftlab.result import Result
from ftlab.titles import FtlName

Name = str | os.PathLike[str]
COLUMNS = "time=time:ns,offset=offset,length=length,op=op"
"""The columns of a recorded session."""
REPLAY_END = ".toml"
"""The suffix that the name of a recording gets for the file that replays it."""


class Device:
    """A device in use by clients until it is stopped or a ``with`` block ends."""

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
            The image file. It is made if it does not exist; otherwise the FTL recovers from it.
        socket
            Path of a socket for clients, made with mode 0600.
        ftl
            An FTL that recovers with every write; by default that of the image.
        config
            Settings; those that define the device must equal those of the image.
        tcp
            Whether ``socket`` is a ``host:port`` instead. Users who can reach it have full access.
        metrics
            Path of a socket that serves metrics in the text format of Prometheus.
        paced
            Whether answers come when the emulated device would give them.
        record
            A new file to which the session is written as a trace, for a new image. The file that
            replays it has the same name with ``.toml`` appended.
        hint
            How the placement handles of writes are derived. With ``export``, each handle has a
            separate export. ``range:BYTE:BYTE..`` and ``size:BYTES:BYTES..`` are as in
            ``input.hint_by``. The FTL then has ``ftl.separation = handles``.

        Raises
        ------
        ftlab.ConfigError, ftlab.TraceError
            when settings are invalid or differ from the image, or files cannot be used
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
            """``ftl``, ``config``, ``capacity_bytes``, and ``mount``, the recovery; None if new."""
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

    def __exit__(self, *_: object) -> None:
        """Stop it."""
        self.stop()

    @property
    def is_fine(self) -> bool:
        """Whether the device is not broken; otherwise `stop` raises the error."""
        fine: bool = self._server.is_fine()
        return fine

    def figures(self) -> dict[str, float]:
        """Return the metrics of the session so far, by their names with labels."""
        return figures_of(self._server.figures())

    def stop(self) -> Result:
        """End all connections, make everything durable and return the result of the session.

        Raises
        ------
        ftlab.InternalError, ftlab.TraceError
            a rule or an invariant that the FTL broke, or an error of the image's disk
        """
        return Result(json.loads(self._server.stop()))

    def _replay(self, record: Path, hinted: bool) -> str:
        config = self.opened.config.to_dict()
        updated = hinted and config["input"]["update_every"] is not None
        attributes = ["hint"] * hinted + ["update"] * updated
        source = {
            "trace": str(record.resolve()),
            "format": "csv",
            "columns": COLUMNS + "".join(f",{name}={name}" for name in attributes),
            "flushes": True,
        }
        return configuration_file.dump(
            {**config, "input": source, "workload": {}}, [self.opened.ftl]
        )


def ftls() -> list[str]:
    """Return the FTLs that can be served: those that recover from a power cut with every write."""
    return [each["name"] for each in catalog().ftls if each["mounts"] == "yes"]


def fsck(image: Name) -> Record:
    """Check every checksum of an image that is not served, and whether its FTL recovers.

    It changes nothing.

    Returns
    -------
    Record
        Metrics are as follows:

        * ``ftl``, ``capacity_bytes``: the device
        * ``pages``: pages of the device, and ``programmed`` ones
        * ``damaged``: pages with a wrong checksum, and the ``first_damaged`` ones
        * ``holding_data``: logical pages with data
        * ``mount``: the cost of recovery
        * ``broken``: why recovery fails, or None

    Raises
    ------
    ftlab.ConfigError, ftlab.TraceError
        when it is no image, is being served, or cannot be read
    """
    return Record(json.loads(_core.fsck(os.fspath(image))))


def replay(file: Name, progress: Progress | None = None) -> Result:
    """Rerun a recorded session without clients, and return its result.

    Parameters
    ----------
    file
        The ``.toml`` file next to the recording.
    progress
        Called as by `ftlab.simulate`.

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
    """Return whether `fsck` has found no fault."""
    return not report.damaged and report.broken is None


def told(report: Record) -> Table:
    """Return the findings of `fsck` as a table."""
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
    """Return the cost of recovery in one line."""
    return (
        f"{count(mount.oob_reads)} OOBs read, {count(mount.programs)} pages programmed, "
        f"{count(mount.erases)} blocks erased: {brief(mount.device_us, 'us')} of the device"
    )


def figures_of(text: str) -> dict[str, float]:
    """Return the metrics in a text for Prometheus."""
    lines = (line for line in text.splitlines() if line and not line.startswith("#"))
    pairs = (line.rsplit(" ", 1) for line in lines)
    try:
        return {name: float(value) for name, value in pairs}
    except ValueError as error:
        raise ConfigError("found a text that has no figures, expected those of a device") from error
