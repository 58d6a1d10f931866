"""Live devices under clients: a model of our own, hostile ones, real ones, and kills."""

import json
import os
import random
import re
import shutil
import signal
import socket
import stat
import struct
import subprocess
import sys
import threading
import time
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

import nbd
from ftlab import ConfigError, TraceError, live, read_trace
from ftlab import configuration_file as files
from ftlab.simulation import execute
from ftlab.watch.live import asked, lines
from marks import long_but
from test_cli import failure

sys.path.append(str(Path(__file__).parent.parent / "tools"))

import kills

MIB = 1 << 20
SMALL = {
    "device": {"capacity": 2 * MIB, "page": 4096, "pages_per_block": 16, "over_provisioning": 0.4},
    "ftl": {"cache": 16384},
}
MOUNTING = ("page", "dftl", "tpftl", "fast", "dloop")


@pytest.fixture
def folder(tmp_path):
    """A folder whose paths are short enough for sockets."""
    return tmp_path


@contextmanager
def served(folder, ftl="tpftl", config=SMALL, **how):
    with live.Device(folder / "image", folder / "socket", ftl, config, **how) as device:
        yield device


def connected(folder, **how):
    return nbd.Client(folder / "socket", **how)


def bytes_of(rng, count):
    return rng.randbytes(count)


@pytest.mark.parametrize("ftl", long_but(["tpftl"], MOUNTING))
def test_what_is_written_is_read_and_outlives_the_session(folder, ftl):
    rng = random.Random(ftl)
    model = bytearray(2 * MIB)
    known = bytearray(b"\1" * (2 * MIB))

    def compare(client, offset, length):
        found = client.read(offset, length)
        pairs = zip(found, model[offset : offset + length], known[offset:], strict=False)
        assert all(a == b for a, b, is_known in pairs if is_known), (offset, length)

    for session in range(3):
        with served(folder, ftl), connected(folder, structured=session % 2 == 0) as client:
            compare(client, 0, 2 * MIB)
            for _ in range(400):
                length = 512 * rng.choice((1, 3, 8, 8, 8, 40))
                offset = 512 * rng.randrange((2 * MIB - length) // 512 + 1)
                place = slice(offset, offset + length)
                what = rng.random()
                if what < 0.6:
                    data = bytes_of(rng, length)
                    client.write(offset, data, flags=nbd.FUA if what < 0.05 else 0)
                    model[place], known[place] = data, b"\1" * length
                elif what < 0.65:
                    client.zero(offset, length, flags=nbd.NO_HOLE)
                    model[place], known[place] = bytes(length), b"\1" * length
                elif what < 0.7:
                    client.trim(offset, length)
                    known[place] = bytes(length)
                elif what < 0.72:
                    client.flush()
                else:
                    compare(client, offset, length)
            compare(client, 0, 2 * MIB)
    report = live.fsck(folder / "image")
    assert live.is_clean(report)
    assert report.mount.given_up == 0


def test_the_export_is_told_as_it_is(folder):
    with served(folder), connected(folder) as client:
        assert client.bytes == 2 * MIB
        assert client.block_sizes == (512, 4096, 32 * MIB)
        flush, fua, trim, zero, df, many = 1 << 2, 1 << 3, 1 << 5, 1 << 6, 1 << 7, 1 << 8
        assert client.flags == 1 | flush | fua | trim | zero | df | many
        assert stat.S_IMODE(os.stat(folder / "socket").st_mode) == 0o600
        for wrong, errno in (
            (lambda: client.read(2 * MIB, 512), nbd.EINVAL),
            (lambda: client.read(100, 512), nbd.EINVAL),
            (lambda: client.write(2 * MIB - 512, bytes(1024)), nbd.ENOSPC),
            (lambda: client.zero(2**63, 512), nbd.ENOSPC),
        ):
            with pytest.raises(nbd.NbdError) as raised:
                wrong()
            assert raised.value.args == (errno,)
        client.write(0, b"x" * 512)
        assert client.read(0, 512) == b"x" * 512
    assert not (folder / "socket").exists()


def test_a_flush_on_one_connection_covers_another(folder):
    with served(folder) as device, connected(folder) as one, connected(folder) as other:
        one.write(0, b"a" * 4096)
        assert other.read(0, 4096) == b"a" * 4096
        other.flush()
        figures = device.figures()
    assert figures["ftlab_flushes_total"] == 1
    assert figures["ftlab_connections"] == 2
    assert figures['ftlab_requests_total{op="write"}'] == 1


HANDLES = {**SMALL, "ftl": {"separation": "handles"}, "handles": {"count": 3}}


def written(device):
    figures = device.figures()
    return [figures[f'ftlab_handle_written_bytes_total{{handle="{each}"}}'] for each in range(3)]


def test_each_handle_has_an_export(folder):
    with served(folder, "page", HANDLES, hint="export") as device:
        for export, count in ((b"", 1), (b"1", 2), (b"2", 3)):
            with connected(folder, export=export) as client:
                for page in range(count):
                    client.write(4096 * page, bytes([count]) * 4096)
        with connected(folder, export=b"1") as client:
            assert client.read(0, 4096) == b"\3" * 4096, "all of them are one device"
            names = [data[4:] for kind, data in raw_names(folder) if kind == 2]
            assert names == [b"", b"1", b"2"]
        for export in (b"3", b"0", b"01", b"x"):
            with pytest.raises(AssertionError), connected(folder, export=export) as client:
                assert client.bytes, export
        assert written(device) == [4096, 2 * 4096, 3 * 4096]
        result = device.stop()
    assert result.to_dict()["classes"]["written"][:3] == [1, 2, 3]


def raw_names(folder):
    """What LIST tells."""
    client = nbd.Client.__new__(nbd.Client)
    client.socket = socket.socket(socket.AF_UNIX)
    with client.socket:
        client.socket.connect(str(folder / "socket"))
        client._take(18)
        client.socket.sendall(b"\0\0\0\1")
        return client.option(nbd.LIST)


@pytest.mark.parametrize("every", [None, "100KiB"])
def test_addresses_have_handles_and_replay_with_them(folder, every):
    record = folder / "session.csv"
    how = {"hint": "range:64KiB:1MiB", "record": record}
    config = {**HANDLES, "input": {"update_every": every}} if every else HANDLES
    with served(folder, "page", config, **how) as device, connected(folder) as client:
        for offset, count in ((0, 5), (64 << 10, 6), (1 << 20, 7)):
            for page in range(count * 40):
                client.write(offset + 4096 * (page % count), bytes(4096))
        client.trim(0, 4096)
        assert written(device) == [5 * 40 * 4096, 6 * 40 * 4096, 7 * 40 * 4096]
        session = device.stop().to_dict()
    columns = "time,offset,length,op,hint" + (",update" if every else "")
    assert record.read_text().splitlines()[0] == columns
    assert session["fdp"]["updates"] == (7 + 9 + 11 if every else 0)
    replayed = live.replay(f"{record}.toml").to_dict()
    assert replayed["classes"] == session["classes"]
    assert replayed["fdp"] == session["fdp"]


def test_sizes_have_handles(folder):
    with served(folder, "page", HANDLES, hint="size:8KiB") as device, connected(folder) as client:
        client.write(0, bytes(4096))
        client.write(0, bytes(8192))
        assert written(device) == [4096, 8192, 0]


def test_hints_that_nobody_hears_are_refused(folder):
    record = folder / "session.csv"
    for ftl, hint, config, message in (
        ("page", "export", SMALL, "hint: found ftl.separation = none, expected handles"),
        ("page", "volume", HANDLES, 'hint: found "volume", expected export, range'),
        ("page", "range:2:1", HANDLES, "ascending borders"),
        ("zones", "export", HANDLES, "hint: found an FTL without handles"),
    ):
        with pytest.raises(ConfigError, match=re.escape(message)):
            live.Device(folder / "image", folder / "socket", ftl, config, hint=hint, record=record)
        assert not (folder / "image").exists() and not record.exists()
    with served(folder) as device, connected(folder):
        assert not any("handle" in name for name in device.figures())


@pytest.mark.parametrize("ftl", long_but(["dftl", "block"], [*MOUNTING, "sepbit", "block", "bast"]))
def test_the_recorded_session_replays_with_the_same_counts(folder, ftl):
    rng = random.Random(ftl)
    record = folder / "session.csv"
    device = live.Device(folder / "image", folder / "socket", ftl, SMALL, record=record)
    with connected(folder) as client:
        for _ in range(1500):
            offset, length = 512 * rng.randrange(4000), 512 * rng.randint(1, 90)
            if rng.random() < 0.8:
                client.write(offset, bytes(length))
            elif rng.random() < 0.5:
                client.trim(offset, length)
            else:
                client.read(offset, length)
    session = device.stop()
    replays = [live.replay(f"{record}.toml")]
    tree = files.load(f"{record}.toml")
    assert tree.pop("ftls") == [ftl]
    replays += execute([(tree, ftl)])
    # Those that cross a boundary of pieces are two.
    assert session.host.requests > 1500
    same = ("host", "flash", "mapping", "gc", "merges", "write_amplification", "wear", "own")
    for replay in replays:
        for key in (*same, "response_us", "service_us", "planes"):
            assert session.to_dict()[key] == replay.to_dict()[key], key


@pytest.mark.long
def test_servers_that_are_killed_lose_nothing(tmp_path):
    for ftl in MOUNTING:
        place = tmp_path / ftl
        place.mkdir()
        killed = kills.kill(ftl, 4, seed=7, folder=place)
        assert killed.wrong == []
        assert killed.kills == 4
        assert killed.writes > 0


@pytest.mark.long
@pytest.mark.parametrize("ftl", ["page", "dftl", "fast", "mnftl", "gftl"])
def test_what_was_trimmed_for_good_stays_so_when_servers_are_killed(ftl, tmp_path):
    killed = kills.kill(ftl, 6, seed=8, folder=tmp_path, trim="durable")
    assert killed.wrong == []


def test_a_promise_that_is_broken_is_told():
    promises = kills.Promises()
    first, second = promises.write(range(2)), promises.write(range(2))
    promises.acknowledge(range(2), first, durable=True)
    assert [promises.wrong(0, found) for found in (first, second)] == [None, None]
    assert "flushed was 1" in promises.wrong(0, 0)
    promises.acknowledge(range(2), second, durable=False)
    assert "acknowledged was 2" in promises.wrong(0, first)
    promises.trim(range(1))
    assert promises.wrong(0, first) is None
    assert promises.wrong(0, -1)
    assert promises.wrong(1, first)
    promises = kills.Promises(keeps_trims=True)
    written = promises.write(range(24))
    promises.acknowledge(range(24), written, durable=False)
    pages, trimmed = promises.trim(range(1, 23))
    assert pages == range(8, 16)
    assert [promises.wrong(8, found) for found in (written, 0)] == [None, None]
    promises.acknowledge(pages, trimmed, durable=False)
    assert "acknowledged was 2" in promises.wrong(8, written)
    assert [promises.wrong(8, 0), promises.wrong(7, written)] == [None, None]


def garbage(path):
    """Connections that talk nonsense, each in a way of its own."""

    def raw():
        connection = socket.socket(socket.AF_UNIX)
        connection.connect(str(path))
        connection.recv(18, socket.MSG_WAITALL)
        return connection

    rng = random.Random(1)
    for count in (1, 3, 4, 100, 100_000):
        connection = raw()
        with suppress(OSError):
            connection.sendall(rng.randbytes(count))
        yield connection
    connection = raw()
    connection.sendall(struct.pack(">I8sII", 3, b"IHAVEOPT", nbd.GO, 0xFFFFFFFF))
    yield connection
    connection = raw()
    connection.sendall(struct.pack(">I8sII", 3, b"IHAVEOPT", nbd.EXPORT_NAME, 0xFFFFFFFF))
    yield connection
    for head in (
        (0x25609513, 0, nbd.WRITE, 1, 0, 0xFFFFFE00),
        (0x25609513, 0, nbd.WRITE, 1, 0, MIB),
        (0x25609513, 0xFFFF, 0xFFFF, 1, 2**64 - 1, 0xFFFFFFFF),
        (0xDEADBEEF, 0, 0, 1, 0, 512),
    ):
        client = nbd.Client(path)
        client.socket.sendall(nbd.REQUEST.pack(*head) + bytes(100))
        yield client.socket
    # Asks for much, and goes without reading any of it.
    client = nbd.Client(path)
    for _ in range(64):
        client.send(nbd.READ, 0, MIB)
    yield client.socket


def memory_mib(process):
    status = Path(f"/proc/{process}/status").read_text()
    return int(next(line.split()[1] for line in status.splitlines() if "VmRSS" in line)) / 1024


def test_hostile_clients_hurt_nobody_else(folder):
    with kills.serving("tpftl", folder / "image", folder / "socket") as server:
        good = kills.connected(folder / "socket")
        good.write(0, b"mine" * 1024)
        before = memory_mib(server)
        for _ in range(5):
            open_ones = list(garbage(folder / "socket"))
            assert good.read(0, 4096) == b"mine" * 1024
            for connection in open_ones:
                connection.close()
        for _ in range(100):
            nbd.Client(folder / "socket").socket.close()
        assert good.read(0, 4096) == b"mine" * 1024
        assert memory_mib(server) - before < 64
        good.flush()
        good.socket.close()
    assert live.is_clean(live.fsck(folder / "image"))


@pytest.mark.long
@pytest.mark.parametrize("ftl", ["mnftl", "mnftl-hybrid", "superblock"])
def test_an_image_keeps_what_oobs_have_of_a_map(folder, ftl):
    rng = random.Random(ftl)
    cell = {"cell": "mlc"} if ftl == "mnftl-hybrid" else {}
    config = {**SMALL, "device": {**SMALL["device"], **cell}}
    with served(folder, ftl, config), connected(folder) as client:
        for _ in range(2000):
            client.write(4096 * rng.randrange(512), rng.randbytes(4096))
    report = live.fsck(folder / "image")
    assert live.is_clean(report)
    assert report.mount.programs == 0


def test_a_long_command_lets_others_in_between(folder):
    config = {"device": {"capacity": 128 * MIB, "page": 4096}}
    with kills.serving("page", folder / "image", folder / "socket", config) as server:
        other, one = kills.connected(folder / "socket"), connected(folder)
        other.write(0, b"mine" * 1024)
        for command in (nbd.ZERO, nbd.TRIM):
            before = memory_mib(server)
            one.send(command, MIB, 127 * MIB)
            start, longest = time.monotonic(), 0.0
            one.socket.settimeout(0)
            while True:
                asked = time.monotonic()
                assert other.read(0, 4096) == b"mine" * 1024
                longest = max(longest, time.monotonic() - asked)
                with suppress(BlockingIOError):
                    one.socket.recv(1, socket.MSG_PEEK)
                    break
            took = time.monotonic() - start
            one.socket.settimeout(60)
            assert one.receive()[1] == 0
            # The other waits for a piece of 64 pages, not for all 508; a TRIM is too short to tell.
            assert took < 0.1 or longest < took / 4, (command, longest, took)
            assert memory_mib(server) - before < 64
        one.socket.close()
        other.socket.close()


def test_there_are_so_many_connections_and_no_more(folder):
    with served(folder) as device:
        clients = [connected(folder) for _ in range(64)]
        with pytest.raises((nbd.GoneError, OSError)):
            connected(folder)
        clients[0].write(0, bytes(512))
        assert device.figures()["ftlab_connections_refused_total"] == 1
        for client in clients:
            client.socket.close()


def test_damage_is_found_and_told(folder):
    with served(folder, "page"), connected(folder) as client:
        for page in range(64):
            client.write(4096 * page, bytes([page + 1]) * 4096)
    image = folder / "image"
    data = bytearray(image.read_bytes())
    at = data.index(bytes([7]) * 4096)
    data[at + 100] ^= 1
    image.write_bytes(data)
    report = live.fsck(image)
    assert (report.damaged, len(report.first_damaged), report.broken) == (1, 1, None)
    assert not live.is_clean(report)
    with served(folder, "page") as device, connected(folder) as client:
        with pytest.raises(nbd.NbdError):
            client.read(4096 * 6, 4096)
        assert client.read(4096 * 7, 4096) == bytes([8]) * 4096
        with pytest.raises(nbd.NbdError):
            client.write(4096 * 6, bytes(512))
        client.write(4096 * 6, b"new!" * 1024)
        assert client.read(4096 * 6, 4096) == b"new!" * 1024
        assert device.figures()["ftlab_damaged_reads_total"] == 2


def test_what_cannot_be_served_is_refused(folder):
    image, socket_path = folder / "image", folder / "socket"

    def refused(message, ftl="page", config=SMALL, **how):
        where = how.pop("image", image), how.pop("socket", socket_path)
        with pytest.raises((ConfigError, TraceError), match=message):
            live.Device(*where, ftl, config, **how)

    refused("ftl: found treeftl, expected one that keeps no data of the host", "treeftl")
    refused("ftl: found none, expected the FTL of the new image", None)
    refused("device.capacity: found none, expected the size", config={})
    refused(
        "buffer.policy: found lru, expected none", config={**SMALL, "buffer": {"policy": "lru"}}
    )
    refused("run.warmup: found random", config={**SMALL, "run": {"warmup": "random:1"}})
    refused("host.mode: expected open", config={**SMALL, "host": {"mode": "closed:2"}}, paced=True)
    assert list(folder.iterdir()) == []
    with served(folder, "page"):
        refused("which is served already", socket=folder / "another")
        with pytest.raises(ConfigError, match="which is served already"):
            live.fsck(image)
        (folder / "second").mkdir()
        refused("where somebody listens", image=folder / "second" / "image")
    refused("ftl: found dftl, expected page, that of the image", "dftl")
    refused("device.page: found 8192, expected 4096", config={"device": {"page": 8192}})
    refused("expected a new image: a replay", record=folder / "session.csv")
    with live.Device(image, socket_path):
        pass
    (folder / "other").write_bytes(b"what is this" * 10000)
    refused("expected an image of ftlab", image=folder / "other")


def test_a_device_at_its_own_pace_takes_its_time(folder):
    slow = {**SMALL, "device": {**SMALL["device"], "program": "30ms", "read": "20ms"}}

    def seconds(place, paced):
        place.mkdir()
        with served(place, "page", slow, paced=paced), connected(place) as client:
            start = time.monotonic()
            client.write(0, bytes(4096))
            client.read(0, 4096)
            took = time.monotonic() - start
            for _ in range(8):
                client.send(nbd.READ, 0, 4096)
            answers = [client.receive() for _ in range(8)]
            assert [error for _, error, _ in answers] == [0] * 8
            return took, time.monotonic() - start - took

    one, eight = seconds(folder / "paced", True)
    assert one >= 0.05
    assert eight >= 8 * 0.02
    assert sum(seconds(folder / "not", False)) < 0.05


def ask(path, question):
    with socket.socket(socket.AF_UNIX) as connection:
        connection.connect(str(path))
        connection.sendall(question)
        return b"".join(iter(lambda: connection.recv(4096), b"")).decode()


def test_figures_are_told_to_prometheus(folder):
    told = folder / "told"
    with served(folder, metrics=told), connected(folder) as client:
        for page in range(100):
            client.write(4096 * page, bytes(4096))
        head, _, body = ask(told, b"GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n").partition("\r\n\r\n")
        assert head.startswith("HTTP/1.1 200 OK")
        figures = live.figures_of(body)
        assert figures["ftlab_write_amplification"] >= 1
        assert figures['ftlab_host_bytes_total{op="write"}'] == 100 * 4096
        assert 'ftlab_response_seconds{quantile="0.99"}' in figures
        assert 0 <= figures["ftlab_mapping_hit_ratio"] <= 1
        assert ask(told, b"GET /else HTTP/1.1\r\n\r\n").startswith("HTTP/1.1 404")
        with suppress(ConnectionResetError):
            assert ask(told, b"x" * 10_000) == ""
        assert stat.S_IMODE(os.stat(told).st_mode) == 0o600
    kinds = [line.split()[2] for line in body.splitlines() if line.startswith("# TYPE")]
    assert len(kinds) == len(set(kinds))


def test_a_live_device_can_be_watched(tmp_path, ftlab, monkeypatch):
    told = tmp_path / "told"
    device = live.Device(tmp_path / "image", tmp_path / "socket", "dftl", SMALL, metrics=told)
    seen = lines(str(told))
    with connected(tmp_path) as client:
        client.write(0, bytes(8192))
        first = next(seen)
        client.read(0, 512)
        second = next(seen)
    assert first.startswith("1 requests: hits ")
    assert "WA 1" in first
    assert second.startswith("2 requests (+1): ")
    assert second.endswith("connections 1")

    def asked_once(path):
        figures = asked(path)
        device.stop()
        return figures

    monkeypatch.setattr("ftlab.watch.live.asked", asked_once)
    shown = ftlab("watch", "--live", told, "--speed", "10")
    assert shown.exit_code == 0
    assert shown.stdout.startswith("2 requests: ")
    assert list(seen) == []
    assert "found no server of metrics" in failure(ftlab("watch", "--live", told))


class Command:
    """``ftlab serve`` in a process of its own."""

    def __init__(self, folder, *more):
        self.uri = f"nbd+unix:///?socket={folder / 'socket'}"
        places = ("--image", folder / "image", "--socket", folder / "socket")
        line = (sys.executable, "-m", "ftlab", "serve", *places, *more)
        pipe = subprocess.PIPE
        self.process = subprocess.Popen([*map(str, line)], stdout=pipe, stderr=pipe, text=True)
        self.first = [self.process.stderr.readline(), self.process.stderr.readline()]

    def end(self, number=signal.SIGINT):
        self.process.send_signal(number)
        out, err = self.process.communicate(timeout=60)
        return self.process.returncode, out, err


DEVICE = ("--ftl", "dftl", "--capacity", "8MiB", "--pages-per-block", "32")


def test_the_command_line_serves_mounts_and_ends_with_a_result(folder, ftlab):
    command = Command(folder, *DEVICE, "--record", folder / "s.csv", "--json")
    assert command.first[0].startswith("dftl, 8 MiB in ")
    assert command.first[1].startswith(f"Ready: {command.uri} ")
    with connected(folder) as client:
        client.write(0, b"kept" * 1024)
    code, out, err = command.end()
    assert (code, json.loads(out)["host"]["writes"]) == (0, 1)
    assert f"Replay: ftlab replay {folder / 's.csv'}.toml" in err
    replay = ftlab("replay", f"{folder / 's.csv'}.toml", "--json")
    assert json.loads(replay.stdout)["flash"] == json.loads(out)["flash"]

    again = Command(folder)
    assert "mounted, " in again.first[0]
    with connected(folder) as client:
        assert client.read(0, 4096) == b"kept" * 1024
    code, out, _ = again.end(signal.SIGTERM)
    assert code == 0
    assert "write amplification" in out

    looked = ftlab("fsck", folder / "image")
    assert looked.exit_code == 0
    assert "pages damaged" in looked.stdout
    found = json.loads(ftlab("fsck", folder / "image", "--json").stdout)
    assert (found["ftl"], found["damaged"], found["broken"]) == ("dftl", 0, None)


def test_mistakes_on_the_command_line_are_one_line(folder, ftlab):
    image = folder / "image"
    for line, message in (
        (("--image", image), "give either --socket PATH or --tcp HOST:PORT"),
        (("--image", image, "--socket", "s", "--tcp", "localhost:0"), "give either --socket"),
        (("--image", image, "--socket", "s", "--ftl", "aps"), "expected one that keeps no data"),
        (("--image", image, "--socket", "s", "--ftl", "page,dftl"), "serve takes one FTL"),
        (("--image", "no/such/folder", "--socket", "s", *DEVICE), "No such file"),
    ):
        assert message in failure(ftlab("serve", *line))
    assert "No such file" in failure(ftlab("fsck", image))


def test_nothing_listens_on_an_address_unless_asked(folder):
    def listening():
        lines = Path("/proc/net/tcp").read_text().splitlines()[1:]
        inodes = {line.split()[9] for line in lines if line.split()[3] == "0A"}
        own = Path("/proc/self/fd").iterdir()
        links = (os.readlink(each) for each in own if os.path.lexists(each))
        return [each for each in links if each.removeprefix("socket:[").rstrip("]") in inodes]

    before = listening()
    with served(folder):
        assert listening() == before
    with live.Device(folder / "image", "127.0.0.1:0", tcp=True):
        assert len(listening()) == len(before) + 1


def tool(name):
    """The path of a program, without which a test is skipped."""
    found = shutil.which(name)
    if not found:
        pytest.skip(f"REAL CLIENT NOT TESTED: {name} is not installed (Debian: {PACKAGES[name]})")
    return found


PACKAGES = {
    "nbdinfo": "libnbd-bin",
    "nbdcopy": "libnbd-bin",
    "qemu-img": "qemu-utils",
    "qemu-io": "qemu-utils",
    "fio": "fio",
}


def ran(*line):
    ended = subprocess.run([*map(str, line)], capture_output=True, text=True, timeout=120)
    assert ended.returncode == 0, ended.stdout + ended.stderr
    return ended.stdout


def uri(folder):
    return f"nbd+unix:///?socket={folder / 'socket'}"


def test_nbdinfo_and_nbdcopy(folder):
    nbdinfo, nbdcopy = tool("nbdinfo"), tool("nbdcopy")
    source, target = folder / "source", folder / "target"
    source.write_bytes(random.Random(1).randbytes(MIB) + bytes(MIB))
    with served(folder):
        (export,) = json.loads(ran(nbdinfo, "--json", uri(folder)))["exports"]
        assert export["export-size"] == 2 * MIB
        assert export["can_multi_conn"] and export["can_fua"] and export["can_trim"]
        ran(nbdcopy, "--flush", source, uri(folder))
        ran(nbdcopy, uri(folder), target)
    assert target.read_bytes() == source.read_bytes()


def test_qemu(folder):
    qemu_img, qemu_io = tool("qemu-img"), tool("qemu-io")
    source = folder / "source"
    source.write_bytes(random.Random(2).randbytes(2 * MIB))
    with served(folder, "fast"):
        assert (
            json.loads(ran(qemu_img, "info", "--output=json", uri(folder)))["virtual-size"]
            == 2 * MIB
        )
        ran(qemu_img, "convert", "-n", "-f", "raw", "-O", "raw", source, uri(folder))
        ran(qemu_img, "compare", "-f", "raw", "-F", "raw", source, uri(folder))
        asked = ("write -P 7 0 64k", "write -f -P 8 512 1k", "flush", "discard 128k 64k")
        asked += ("write -z 256k 8k", "read -P 7 1536 1k", "read -P 8 512 1k", "read -P 0 256k 8k")
        line = [part for each in asked for part in ("-c", each)]
        out = ran(qemu_io, "-f", "raw", *line, uri(folder))
        assert "verification failed" not in out
        assert "error" not in out.lower()


@pytest.mark.parametrize("ftl", MOUNTING)
def test_fio_verifies_what_it_writes(folder, ftl):
    fio = tool("fio")
    if "nbd" not in ran(fio, "--enghelp"):
        pytest.skip("REAL CLIENT NOT TESTED: this fio has no engine nbd")
    verify = ("--rw=randwrite", "--verify=crc32c", "--verify_fatal=1", "--verify_state_save=0")
    shared = ("--ioengine=nbd", f"--uri={uri(folder)}", "--iodepth=16", "--size=1900k")
    with served(folder, ftl):
        trim = ("--name=trim", "--rw=randtrimwrite", "--bs=4k", "--fsync=50")
        ran(fio, *shared, *trim)
        ran(fio, "--name=pages", *shared, *verify, "--bs=4k", "--loops=4", "--fsync=50")
        ran(fio, "--name=parts", *shared, *verify, "--bsrange=512-16k")
    assert live.is_clean(live.fsck(folder / "image"))


@pytest.mark.parametrize("kind", ["file", "folder", "link"])
def test_what_is_no_socket_is_left_alone_and_no_image_made(folder, kind):
    (folder / "thesis").write_text("a thesis")
    path = folder / "socket"
    made = {"file": path.touch, "folder": path.mkdir, "link": lambda: path.symlink_to("thesis")}
    made[kind]()
    before = sorted(os.listdir(folder))
    told = "socket: found .*socket, which is there and is no socket, expected another name"
    with pytest.raises(ConfigError, match=told), served(folder):
        pass
    assert sorted(os.listdir(folder)) == before
    assert (folder / "thesis").read_text() == "a thesis"


def test_what_cannot_be_bound_makes_no_image_and_no_record(folder):
    long = folder / ("s" * 120)
    for how in ({"socket": long}, {"socket": folder / "s", "metrics": long}):
        where = folder / "image", how.pop("socket")
        with pytest.raises(TraceError, match="sss"):
            live.Device(*where, "page", SMALL, record=folder / "r.csv", **how)
    assert os.listdir(folder) == []


def test_a_new_image_is_its_owners_and_no_other_file_is_touched(folder):
    (folder / "image.new").write_text("a thesis")
    with served(folder):
        assert stat.S_IMODE((folder / "image").stat().st_mode) == 0o600
    (folder / "linked.new").symlink_to("image.new")
    with live.Device(folder / "linked", folder / "socket", "page", SMALL):
        pass
    assert not (folder / "linked").is_symlink()
    assert (folder / "image.new").read_text() == "a thesis"
    assert sorted(os.listdir(folder)) == ["image", "image.new", "linked", "linked.new"]


def test_a_link_that_leads_nowhere_is_no_new_image(folder):
    (folder / "image").symlink_to("thesis")
    with pytest.raises(TraceError, match=r"image: .*exists"), served(folder):
        pass
    assert os.listdir(folder) == ["image"]


def test_a_recording_takes_the_place_of_nothing(folder):
    (folder / "s.csv.toml").write_text("a thesis")
    with (
        pytest.raises(ConfigError, match=r"s\.csv\.toml: is there already"),
        served(folder, record=folder / "s.csv"),
    ):
        pass
    assert os.listdir(folder) == ["s.csv.toml"]
    assert (folder / "s.csv.toml").read_text() == "a thesis"


def test_a_server_that_ends_leaves_the_socket_of_another(folder):
    first = live.Device(folder / "image", folder / "socket", "page", SMALL)
    (folder / "socket").unlink()
    with live.Device(folder / "other", folder / "socket", "page", SMALL):
        first.stop()
        with connected(folder) as client:
            assert client.read(0, 512) == bytes(512)
    assert sorted(os.listdir(folder)) == ["image", "other"]


@pytest.mark.parametrize("verb", ["fsck", "serve --socket s --image"])
def test_a_pipe_is_no_image_and_nothing_waits_for_it(folder, ftlab, verb):
    os.mkfifo(folder / "fifo")
    line = failure(ftlab(*verb.split(), folder / "fifo"))
    assert "fifo, expected an image of ftlab" in line


def dripped(path: Path, question: bytes, ended: threading.Event) -> None:
    """Send a question byte by byte, until the server has enough of it."""
    with socket.socket(socket.AF_UNIX) as connection, suppress(OSError):
        connection.connect(str(path))
        for byte in question:
            if ended.wait(0.2):
                break
            connection.sendall(bytes([byte]))


def test_who_drips_bytes_at_the_figures_stalls_no_other_and_not_the_end(folder):
    # Each of them sends for 100 s.
    told, ended = folder / "told", threading.Event()
    with served(folder, metrics=told):
        slow = (told, b"GET /" + bytes(500), ended)
        drips = [threading.Thread(target=dripped, args=slow) for _ in range(8)]
        for each in drips:
            each.start()
        time.sleep(0.5)
        start = time.monotonic()
        assert ask(told, b"GET / HTTP/1.1\r\n\r\n").startswith("HTTP/1.1 200 OK")
        assert time.monotonic() - start < 5
        start = time.monotonic()
    assert time.monotonic() - start < 5
    ended.set()
    for each in drips:
        each.join()


@pytest.mark.long
def test_a_handshake_that_drips_ends_after_its_time_in_all(folder):
    ended = threading.Event()
    option = struct.pack(">I8sII", 1, b"IHAVEOPT", nbd.LIST, 1000) + bytes(1000)
    with served(folder) as device:
        drip = threading.Thread(target=dripped, args=(folder / "socket", option, ended))
        drip.start()
        time.sleep(8)
        assert device.figures()["ftlab_connections"] == 1
        time.sleep(5)
        assert device.figures()["ftlab_connections"] == 0
        ended.set()
        drip.join()


@pytest.mark.parametrize("key", ["endurance", "checkpoint"])
def test_what_an_image_has_no_place_for_is_refused(folder, key):
    config = {**SMALL, "device": {**SMALL["device"], key: 1000}}
    with pytest.raises(ConfigError, match=f"device.{key}: found 1000, expected none"):
        live.Device(folder / "image", folder / "socket", "page", config)
    assert not (folder / "image").exists()


def test_what_fio_logs_is_what_the_device_was_asked(folder):
    """The same requests by fio's log, the device's own recording and fio's report."""
    fio = tool("fio")
    if "nbd" not in ran(fio, "--enghelp"):
        pytest.skip("REAL CLIENT NOT TESTED: this fio has no engine nbd")
    log, record = folder / "log", folder / "record.csv"
    # A request that crosses a multiple of 256 KiB is served in pieces; aligned ones do not.
    sizes = ("--bsrange=512-16k", "--blockalign=16k", "--size=1888k", "--io_size=1m")
    job = ("--rw=randrw", "--fsync=20", *sizes)
    where = ("--ioengine=nbd", f"--uri={uri(folder)}", f"--write_iolog={log}")
    with served(folder, "page", record=record):
        told = ran(fio, "--name=a", *where, *job, "--output-format=json")

    def requests(trace):
        found = trace.to_numpy()
        return list(
            zip(*(found[name].tolist() for name in ("op", "offset", "length")), strict=True)
        )

    logged = requests(read_trace(log, flushes=True))
    asked = requests(read_trace(record, columns=live.COLUMNS, flushes=True))
    assert logged == asked
    (report,) = json.loads(told[told.index("{") :])["jobs"]
    for op, direction in enumerate(("read", "write")):
        lengths = [length for found, _, length in logged if found == op]
        assert len(lengths) == report[direction]["total_ios"]
        assert sum(lengths) == report[direction]["io_bytes"]
