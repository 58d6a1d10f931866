"""Kills the server of a live device below a mounted ext4, and looks what the file system has.

Run `make kills-ext4`, or `python tools/kills_ext4.py --kills 20 dftl`, as root. An image is served,
made a block device by `nbdfuse` and a loop device, and mounted; files are written, replaced,
extended, deleted and synced until the server is killed. Then the image is served and mounted
again: every file that was synced must be there as it was, and `e2fsck` must find nothing. Prints a
row for each FTL and ends with 1 if anything is lost, or if nothing could be tested as a program is
missing or not permitted.
"""

from __future__ import annotations

import errno
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import kills

from ftlab import live

PACKAGES = {
    "nbdfuse": "libnbd-bin",
    "losetup": "mount",
    "mount": "mount",
    "umount": "mount",
    "mke2fs": "e2fsprogs",
    "e2fsck": "e2fsprogs",
}
DEVICES = ("/dev/fuse", "/dev/loop-control")
CONFIG = {
    "device": {"capacity": "48MiB", "page": 4096, "pages_per_block": 32, "over_provisioning": 0.3},
    "ftl": {"cache": 32768},
}
LONGEST_LIFE_S = 1.0
NAMES = 40
LONGEST_FILE = 96 << 10
WAIT_S = 30


class FailedError(Exception):
    """A program is missing, or has failed."""


@dataclass
class Killed:
    """What came of the kills of an FTL."""

    kills: int = 0
    syncs: int = 0
    """Of a file and its folder, that were answered."""
    files: int = 0
    """Of those synced, all kills together, that were looked at."""
    wrong: list[str] = field(default_factory=list)


@dataclass
class Files:
    """What the file system has promised: versions of files by name, 0 for none."""

    synced: dict[str, int] = field(default_factory=dict)
    in_flight: tuple[str, int] | None = None
    last: int = 0

    def wrong(self, folder: Path) -> list[str]:
        """Return what is not as it was promised, and take what is there as it is."""
        wrong = []
        for name in list(self.synced):
            allowed = {self.synced[name]}
            if self.in_flight and self.in_flight[0] == name:
                allowed.add(self.in_flight[1])
            path = folder / name
            found = path.read_bytes() if path.exists() else None
            there = [each for each in allowed if found == (content(name, each) if each else None)]
            if not there:
                size = "none" if found is None else f"{len(found)} B"
                wrong.append(f"file {name}: found {size}, expected version {sorted(allowed)}")
            self.synced[name] = there[0] if there else 0
        self.in_flight = None
        return wrong


def content(name: str, version: int) -> bytes:
    """Return what a version of a file holds."""
    rng = random.Random(f"{name} {version}")
    return rng.randbytes(rng.randrange(1, LONGEST_FILE))


def main() -> None:
    """Print the table."""
    arguments = kills.asked(__doc__, kills=100)
    if why := not_permitted():
        sys.exit(f"EXT4 NOT TESTED: {why}")
    kills.report(arguments, ["kills", "files synced", "files compared", "wrong"], kill)


def not_permitted() -> str | None:
    """Return why nothing can be tested here, if so; mounts a device that nobody kills."""
    for name, package in PACKAGES.items():
        if not shutil.which(name):
            return f"found no {name} (apt-get install {package})"
    if os.geteuid():
        return "found an ordinary user, expected root"
    for device in DEVICES:
        if not os.access(device, os.R_OK | os.W_OK):
            return f"found no {device} that can be opened"
    try:
        with tempfile.TemporaryDirectory() as name, served("page", Path(name)) as (_, disk):
            make(disk)
            with mounted(disk, Path(name)):
                pass
    except FailedError as why:
        return str(why)
    return None


def kill(ftl: str, count: int, seed: int, folder: Path) -> Killed:
    """Kill servers of one image below a file system, one after another."""
    rng = random.Random(f"{ftl} {seed}")
    files, killed = Files(), Killed()
    for number in range(count):
        with served(ftl, folder) as (server, disk):
            if number == 0:
                make(disk)
            with mounted(disk, folder) as root:
                look(root, files, killed)
                life = rng.uniform(0.05, LONGEST_LIFE_S)
                killer = threading.Timer(life, os.kill, (server, signal.SIGKILL))
                killer.start()
                write(root, files, killed, rng)
                killer.join()
                killed.kills += 1
        report = live.fsck(folder / "image")
        if not live.is_clean(report):
            killed.wrong.append(f"fsck: {report.to_dict()}")
        check(ftl, folder, killed)
    with served(ftl, folder) as (_, disk), mounted(disk, folder) as root:
        look(root, files, killed)
    return killed


def look(root: Path, files: Files, killed: Killed) -> None:
    """Compare every file with what was promised."""
    killed.wrong += files.wrong(root)
    killed.files += len(files.synced)


def check(ftl: str, folder: Path, killed: Killed) -> None:
    """Have the kernel replay the journal of the file system, and `e2fsck` look at all of it."""
    with served(ftl, folder) as (_, disk):
        with mounted(disk, folder):
            pass
        line = ["e2fsck", "-f", "-n", disk]
        checked = subprocess.run(line, capture_output=True, text=True, check=False)
        if checked.returncode:
            killed.wrong.append(f"e2fsck: {checked.stdout}{checked.stderr}")


def write(root: Path, files: Files, killed: Killed, rng: random.Random) -> None:
    """Replace, extend and delete files and sync each, until the server is gone."""
    gone = (errno.EIO, errno.EROFS, errno.ENOTCONN, errno.ENODEV, errno.ESHUTDOWN)
    try:
        while True:
            name = f"{rng.randrange(NAMES)}"
            files.last += 1
            version = 0 if files.synced.get(name) and rng.random() < 0.1 else files.last
            files.synced.setdefault(name, 0)
            files.in_flight = (name, version)
            replace(root / name, content(name, version) if version else None)
            files.synced[name], files.in_flight = version, None
            killed.syncs += 1
    except OSError as error:
        if error.errno not in gone:
            raise


def replace(path: Path, data: bytes | None) -> None:
    """Give a file other content, or none at all; when this returns, that is durable."""
    if data is None:
        path.unlink()
    else:
        new = path.with_suffix(".new")
        with new.open("wb") as file:
            for at in range(0, len(data), 4096):
                file.write(data[at : at + 4096])
            file.flush()
            os.fsync(file.fileno())
        new.rename(path)
    folder = os.open(path.parent, os.O_RDONLY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)


@contextmanager
def served(ftl: str, folder: Path) -> Iterator[tuple[int, str]]:
    """Serve the image of a folder as a block device; the process and the device are yielded."""
    image, socket = folder / "image", folder / "socket"
    with kills.serving(ftl, image, socket, CONFIG) as server, block_device(folder) as disk:
        yield server, disk


def make(disk: str) -> None:
    """Make a file system."""
    run("mke2fs", "-q", "-t", "ext4", "-b", "4096", "-J", "size=4", disk)


@contextmanager
def block_device(folder: Path) -> Iterator[str]:
    """Make what is served a block device, whose name is yielded."""
    fuse = folder / "fuse"
    fuse.mkdir(exist_ok=True)
    kills.connected(folder / "socket").socket.close()
    uri = f"nbd+unix:///?socket={folder / 'socket'}"
    client = subprocess.Popen(["nbdfuse", fuse, uri], stderr=subprocess.PIPE, text=True)
    wait_for(fuse / "nbd", client)
    try:
        disk = run("losetup", "--find", "--show", fuse / "nbd").strip()
        try:
            yield disk
        finally:
            run("losetup", "--detach", disk)
    finally:
        # The kernel lets the loop device go a little later.
        end = time.monotonic() + WAIT_S
        while subprocess.run(["umount", fuse], capture_output=True, check=False).returncode:
            if time.monotonic() > end:
                break
            time.sleep(0.05)
        client.terminate()
        client.communicate()


def wait_for(path: Path, client: subprocess.Popen[str]) -> None:
    """Wait for the file of a client that was started."""
    end = time.monotonic() + WAIT_S
    while not path.exists():
        if client.poll() is not None or time.monotonic() > end:
            client.terminate()
            raise FailedError(f"nbdfuse: {(client.communicate()[1] or '').strip()}")
        time.sleep(0.01)


@contextmanager
def mounted(disk: str, folder: Path) -> Iterator[Path]:
    """Mount a file system; its folder is yielded."""
    root = folder / "root"
    root.mkdir(exist_ok=True)
    run("mount", "-t", "ext4", disk, root)
    try:
        yield root
    finally:
        run("umount", root)


def run(*line: object) -> str:
    """Run a program; return what it says."""
    words = [str(word) for word in line]
    ended = subprocess.run(words, capture_output=True, text=True, check=False)
    if ended.returncode:
        raise FailedError(f"{' '.join(words)}: {ended.stderr.strip()}")
    return ended.stdout


if __name__ == "__main__":
    main()
