"""Kills the server of a live device at random moments under load, and looks what is left.

Run `make kills`, or `python tools/kills.py --kills 20 dftl`. A server is a process of its own; each
is killed while requests are in flight, the image is checked, served again and read: every sector
must be what was acknowledged last, or what was written to it since. Prints a row for each FTL, and
ends with 1 if anything is lost or stale. It says nothing of cuts of the machine, in which the
caches of the system are lost: those are a property in `crates/ftlab-serve/src/image/tests.rs`.
"""

from __future__ import annotations

import argparse
import os
import random
import signal
import sys
import tempfile
import threading
import time
import traceback
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import astuple, dataclass, field
from pathlib import Path
from typing import NoReturn, Protocol

sys.path.append(str(Path(__file__).parent.parent / "tests"))

import nbd
from ftlab import live
from ftlab.report.tables import Table

SECTOR = 512
SECTORS = 4096
CONFIG = {
    "device": {"capacity": SECTORS * SECTOR, "pages_per_block": 16, "over_provisioning": 0.5},
    "ftl": {"cache": 8192},
}
SECTORS_OF_PAGE = 8
WHAT = ("write", "durable write", "zeroes", "trim", "flush")
SHARES = (46, 2, 4, 4, 1)
LONGEST_LIFE_S = 0.25
IN_FLIGHT = 8
LONGEST_REQUEST = 24
"""Sectors of most requests: three pages."""

LONG_REQUEST = 320
"""Sectors of one in eight: more than two blocks."""


@dataclass
class Promises:
    """What each sector may hold: the numbers of writes, 0 for zeroes."""

    acknowledged: list[int] = field(default_factory=lambda: [0] * SECTORS)
    flushed: list[int] = field(default_factory=lambda: [0] * SECTORS)
    in_flight: list[list[int]] = field(default_factory=lambda: [[] for _ in range(SECTORS)])
    """Writes behind the one that was acknowledged."""
    trimmed: list[int] = field(default_factory=lambda: [-1] * SECTORS)
    """The write before the last trim: a sector that was trimmed behind all may hold anything."""
    keeps_trims: bool = False
    zeroes: set[int] = field(default_factory=set)
    """The numbers of writes of zeroes, durable trims among them."""
    last: int = 0

    def write(self, sectors: range) -> int:
        """Return the number of a new write."""
        self.last += 1
        for sector in sectors:
            self.in_flight[sector].append(self.last)
        return self.last

    def trim(self, sectors: range) -> tuple[range, int]:
        """Take note of a trim that is sent: a durable one is a write of zeroes to whole pages."""
        if not self.keeps_trims:
            for sector in sectors:
                self.trimmed[sector] = self.last
            return range(0), 0
        pages = range(-(-sectors.start // SECTORS_OF_PAGE), sectors.stop // SECTORS_OF_PAGE)
        whole = range(pages.start * SECTORS_OF_PAGE, pages.stop * SECTORS_OF_PAGE)
        number = self.write(whole)
        self.zeroes.add(number)
        return whole, number

    def acknowledge(self, sectors: range, number: int, durable: bool) -> None:
        """Take note of an answer to a write."""
        for sector in sectors:
            self.acknowledged[sector] = number
            flight = self.in_flight[sector]
            self.in_flight[sector] = [each for each in flight if each > number]
            if durable:
                self.flushed[sector] = number

    def wrong(self, sector: int, found: int) -> str | None:
        """Return what is wrong with what was found, if anything is."""
        least, flight = self.acknowledged[sector], self.in_flight[sector]
        may_be = [0 if each in self.zeroes else each for each in (least, *flight)]
        if found in may_be or (self.trimmed[sector] >= least and found >= 0):
            return None
        how = "flushed" if found < self.flushed[sector] else "acknowledged"
        return f"sector {sector} has write {found}, {how} was {least}, in flight {flight}"

    def settle(self, found: list[int]) -> None:
        """Take it that sectors hold what was found."""
        self.acknowledged, self.flushed = list(found), list(found)
        self.in_flight = [[] for _ in found]
        self.trimmed = [-1 for _ in found]


@dataclass
class Killed:
    """What came of the kills of an FTL."""

    kills: int = 0
    writes: int = 0
    flushes: int = 0
    wrong: list[str] = field(default_factory=list)


class Counted(Protocol):
    """What came of the kills of an FTL: a dataclass of counts, the last field what was wrong."""

    wrong: list[str]


Kill = Callable[[str, int, int, Path], Counted]
"""Kill the server of an FTL so many times, with a seed, in a folder of its own."""


def main() -> None:
    """Print the table."""
    arguments = asked(__doc__, kills=1000)
    report(arguments, ["kills", "writes", "flushes", "lost or stale"], kill_with_both_trims)


def asked(about: str, kills: int) -> argparse.Namespace:
    """Return what the command line asks for."""
    parser = argparse.ArgumentParser(
        description=about, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--kills", type=int, default=kills, help=f"of all FTLs [{kills}]")
    parser.add_argument("--seed", type=int, default=1, help="[1]")
    parser.add_argument("ftls", nargs="*", help="[all that mount]")
    return parser.parse_args()


def report(arguments: argparse.Namespace, columns: list[str], kill: Kill) -> NoReturn:
    """Print a row for each FTL, and end with 1 if anything is wrong."""
    ftls = arguments.ftls or live.ftls()
    rows, wrong = [], []
    for number, ftl in enumerate(ftls):
        kills = (arguments.kills + number) // len(ftls)
        with tempfile.TemporaryDirectory() as folder:
            killed = kill(ftl, kills, arguments.seed, Path(folder))
        *counts, _ = astuple(killed)
        rows.append([ftl, *(f"{each:,}" for each in (*counts, len(killed.wrong)))])
        wrong += [f"{ftl}: {each}" for each in killed.wrong]
    print(Table(["FTL", *columns], rows).markdown(), end="")
    print(*wrong, sep="\n", end="", file=sys.stderr)
    sys.exit(bool(wrong))


def kill_with_both_trims(ftl: str, kills: int, seed: int, folder: Path) -> Killed:
    """Kill servers of two images, half of the times where trims are durable."""
    both = Killed()
    for trim, times in (("hint", kills - kills // 2), ("durable", kills // 2)):
        place = folder / trim
        place.mkdir()
        killed = kill(ftl, times, seed, place, trim)
        both.kills += killed.kills
        both.writes += killed.writes
        both.flushes += killed.flushes
        both.wrong += killed.wrong
    return both


def kill(ftl: str, kills: int, seed: int, folder: Path, trim: str = "hint") -> Killed:
    """Kill servers of one image, one after another."""
    config = {**CONFIG, "device": {**CONFIG["device"], "trim": trim}}
    rng = random.Random(f"{ftl} {seed}")
    image, socket = folder / "image", folder / "socket"
    promises, killed = Promises(keeps_trims=trim == "durable"), Killed()
    for _ in range(kills):
        with serving(ftl, image, socket, config) as server:
            look(socket, promises, killed)
            client = connected(socket)
            life = rng.uniform(0, LONGEST_LIFE_S)
            killer = threading.Timer(life, os.kill, (server, signal.SIGKILL))
            killer.start()
            load(client, promises, killed, rng)
            killer.join()
            killed.kills += 1
        report = live.fsck(image)
        # A kill leaves the caches of the system alone: nothing is to be given up.
        if not live.is_clean(report) or report.mount.given_up:
            killed.wrong.append(f"fsck: {report.to_dict()}")
    with serving(ftl, image, socket, config):
        look(socket, promises, killed)
    return killed


@contextmanager
def serving(
    ftl: str, image: Path, socket: Path, config: Mapping[str, object] = CONFIG
) -> Iterator[int]:
    """Serve an image in a process of its own, whose number is yielded; wait until it has gone."""
    server = os.fork()
    if not server:
        try:
            with live.Device(image, socket, ftl, config):
                while True:
                    signal.pause()
        except BaseException:
            traceback.print_exc()
        finally:
            os._exit(1)
    try:
        yield server
    finally:
        os.kill(server, signal.SIGKILL)
        os.waitpid(server, 0)


def connected(socket: Path) -> nbd.Client:
    """Return a client, once somebody listens."""
    for _ in range(1000):
        try:
            return nbd.Client(socket)
        except (FileNotFoundError, ConnectionRefusedError):
            time.sleep(0.01)
    raise TimeoutError(f"nobody listens on {socket}")


def look(socket: Path, promises: Promises, killed: Killed) -> None:
    """Read every sector and compare it with what was promised."""
    with connected(socket) as client:
        data = client.read(0, SECTORS * SECTOR)
    found = [_number(data[at : at + SECTOR]) for at in range(0, len(data), SECTOR)]
    wrong = (promises.wrong(sector, number) for sector, number in enumerate(found))
    killed.wrong += [each for each in wrong if each]
    promises.settle(found)


Asked = tuple[str, range, int | list[int]]
"""A request in flight: what, the sectors, and the number of a write or what a flush covers."""


def load(client: nbd.Client, promises: Promises, killed: Killed, rng: random.Random) -> None:
    """Write, trim and flush until the server is killed."""
    in_flight: dict[int, Asked] = {}
    try:
        while True:
            while len(in_flight) < IN_FLIGHT:
                _ask(client, promises, in_flight, killed, rng)
            cookie, error, _ = client.receive()
            if error:
                killed.wrong.append(f"error {error}")
            what, sectors, covers = in_flight.pop(cookie)
            if isinstance(covers, list):
                promises.flushed = covers
            else:
                promises.acknowledge(sectors, covers, durable=what == "durable write")
    except (nbd.GoneError, OSError):
        pass
    finally:
        client.socket.close()


def _ask(
    client: nbd.Client,
    promises: Promises,
    in_flight: dict[int, Asked],
    killed: Killed,
    rng: random.Random,
) -> None:
    longest = LONG_REQUEST if rng.random() < 1 / 8 else LONGEST_REQUEST
    first = rng.randrange(SECTORS - longest)
    sectors = range(first, first + rng.randint(1, longest))
    offset, length = first * SECTOR, len(sectors) * SECTOR
    what = rng.choices(WHAT, SHARES)[0]
    covers: int | list[int] = 0
    if what == "flush":
        killed.flushes += 1
        covers = list(promises.acknowledged)
        cookie = client.send(nbd.FLUSH)
    elif what == "trim":
        cookie = client.send(nbd.TRIM, offset, length)
        sectors, covers = promises.trim(sectors)
    elif what == "zeroes":
        killed.writes += 1
        covers = promises.write(sectors)
        promises.zeroes.add(covers)
        cookie = client.send(nbd.ZERO, offset, length)
    else:
        killed.writes += 1
        covers = promises.write(sectors)
        data = b"".join(_sector(sector, covers) for sector in sectors)
        cookie = client.send(nbd.WRITE, offset, data=data, flags=nbd.FUA * (what != "write"))
    in_flight[cookie] = (what, sectors, covers)


def _sector(sector: int, number: int) -> bytes:
    return (sector.to_bytes(4, "little") + number.to_bytes(4, "little")) * (SECTOR // 8)


def _number(data: bytes) -> int:
    """Return the write that a sector holds; -1 for what nobody has written."""
    number = int.from_bytes(data[4:8], "little")
    sector = int.from_bytes(data[:4], "little")
    whole = data == (_sector(sector, number) if number else bytes(SECTOR))
    return number if whole else -1


if __name__ == "__main__":
    main()
