"""The command by which a text of another tool is read reads it: as the message has it."""

import gzip
import json
import re
import subprocess
import sys
from itertools import product
from pathlib import Path

import pytest

from marks import long_but

COMMAND = str(Path(sys.executable).parent / "ftlab")

FTRACE = " fio-1 [000] d..1 {}: {}\n"
PERF = " fio  1000 [000] {}:   1 {}\n"
TIMES = ("5321.264519", "5321.264760")
APART = 241e-6

EVENTS = {
    "nvme": (
        "nvme_setup_cmd: nvme0: disk=nvme0n1, qid=1, cmdid=1, nsid=1, flags=0x0, meta=0x0, "
        "cmd=(nvme_cmd_{} slba={}, len=7, ctrl=0x0, dsmgmt=0, reftag=0)",
        ("read", "write"),
    ),
    "nvme, zones": (
        "nvme_setup_cmd: nvme0: disk=nvme0n1, qid=1, cmdid=1, nsid=1, flags=0x0, meta=0x0, "
        "cmd=(nvme_cmd_{} slba={}, len=7, ctrl=0x0, dsmgmt=0, reftag=0)",
        ("read", "zone_append"),
    ),
    "scsi": (
        "scsi_dispatch_cmd_start: host_no=0 channel=0 id=0 lun=0 data_sgl=1 prot_sgl=0 "
        "prot_op=SCSI_PROT_NORMAL cmnd=({}_10 lba={} txlen=8 protect=0 raw=2a 00)",
        ("READ", "WRITE"),
    ),
    "ufs": (
        "ufshcd_command: send_req: 0:0:0:0: tag: 0, DB: 0x1, size: 4096, IS: 0, LBA: {1}, "
        "opcode: {0}, group_id: 0x0, hwq_id: 0",
        ("0x28 (READ_10)", "0x2a (WRITE_10)"),
    ),
    "ufs, old": (
        "ufshcd_command: send: 1d84000.ufshc: tag: 0, DB: 0x1, size: 4096, IS: 0, LBA: {1}, "
        "opcode: {0}",
        ("0x28", "0x2a"),
    ),
}


def events(kind: str, line: str = FTRACE, before: str = "") -> str:
    """A read and a write of 4 KiB at block 256, with what comes before the name of the event."""
    event, words = EVENTS[kind]
    named = [before + event.format(word, 256) for word in words]
    return "".join(map(line.format, TIMES, named))


TEXTS = {
    **{kind: (events(kind), APART) for kind in EVENTS},
    **{f"{kind}, gaps": (events(kind, before="(+241) "), APART) for kind in EVENTS},
    **{f"{kind}, perf": (events(kind, PERF, f"{kind[:4]}:"), APART) for kind in EVENTS},
    **{f"{kind}, CRLF": (events(kind).replace("\n", "\r\n"), APART) for kind in EVENTS},
    "latency format": (
        " fio-1    0...1. 264519us+: block_bio_queue: 8,0 R 256 + 8 [fio]\n"
        " fio-1    0...1. 264760us : block_bio_queue: 8,0 W 256 + 8 [fio]\n",
        APART,
    ),
    "fs_usage": (
        "15:10:00.264519  RdMeta[ST3]  D=0x00000100  B=0x1000  /dev/disk1s1  /x 0.000019 W a 1 .1\n"
        "15:10:00.264760  PgOut[A]     D=0x00000100  B=0x1000  /dev/disk1s1  0.000019   a 15 b.1\n",
        APART,
    ),
    "blkparse -f": (
        "".join(
            f"  8,0 0 {n} 0.{n:06} 1000  {stage}  {rwbs} 256 8 fio\n"
            for n, (rwbs, stage) in enumerate(product(("R", "WS"), "QGIDC"))
        ),
        5e-6,
    ),
    "blkparse -f, arrivals": (
        "  8,0 0 1 0.264519 1000  Q  R 256 8 fio\n  8,0 0 1 0.264760 1000  Q  WS 256 8 fio\n",
        APART,
    ),
    "block_dump": (
        "[ 5321.264519] fio(1000): READ block 256 on sda1 (8 sectors)\n"
        "[ 5321.264760] fio(1000): WRITE block 256 on sda1 (8 sectors)\n",
        APART,
    ),
    "nbdkit": (
        "2024-01-15 10:30:45.264519 connection=1 Read id=1 offset=0x20000 count=0x1000 ...\n"
        "2024-01-15 10:30:45.264760 connection=1 Write id=2 offset=0x20000 count=0x1000 ...\n",
        APART,
    ),
    "QEMU": (
        "77@16.264519:blk_co_preadv blk 0x5 bs 0x5 offset 131072 bytes 4096 flags 0x0\n"
        "77@16.264760:blk_co_pwritev blk 0x5 bs 0x5 offset 131072 bytes 4096 flags 0x0\n",
        APART,
    ),
    "iosnoop": (
        "STARTs ENDs COMM PID TYPE DEV BLOCK BYTES LATms\n"
        "1.264519 1.6 a b 9 R 8,0 256 4096 1.0\n1.264760 1.8 a b 9 WS 8,0 256 4096 1.0\n",
        APART,
    ),
    "iosnoop -t": (
        "ENDs COMM PID TYPE DEV BLOCK BYTES LATms\n"
        "1.264519 a b 9 R 8,0 256 4096 0.25\n1.264760 a b 9 WS 8,0 256 4096 0.50\n",
        9e-6,
    ),
    "fio's iolog": (
        "0 /dev/sda add\n1 /dev/sda open\n"
        "9 /dev/sda read 131072 4096\n250 /dev/sda write 131072 4096\n",
        APART,
    ),
}


@pytest.mark.parametrize("kind", long_but([*TEXTS][::4], TEXTS))
def test_the_command_of_the_message_reads_the_text(ftlab, kind):
    text, duration_s = TEXTS[kind]
    Path("FILE").write_bytes(text.encode())
    told = ftlab("trace", "info", "FILE")
    assert told.exit_code == 2
    line = re.sub(r" \(read as \w+\)$", "", told.output.strip())
    options = r"(?: with (--[^;,]+ \S+?)(?:[,;] .*)?)?$"
    found = re.search(r"(?:with|as in) ((?:sed|awk|\(echo) .*) \| ftlab \.\.\. -" + options, line)
    assert found, told.output
    command, options = found[1], found[2] or ""
    options = options.replace(":B", ":sectors").replace("offset=4:4KiB", "offset=4:sectors")
    requests = subprocess.run(["bash", "-c", command], check=True, stdout=subprocess.PIPE).stdout
    read = [COMMAND, "trace", "info", "-", *options.split(), "--json"]
    done = subprocess.run(read, input=requests, capture_output=True, check=False)
    assert done.returncode == 0, (requests, done.stderr)
    info = json.loads(done.stdout)
    assert (info["reads"], info["writes"], info["mean_bytes"]) == (1, 1, 4096)
    assert (info["used_bytes"], info["end_bytes"]) == (4096, 256 * 512 + 4096)
    assert info["duration_s"] == pytest.approx(duration_s, abs=2e-9)


def test_the_command_of_the_message_unpacks_a_compressed_text(ftlab):
    text, _ = TEXTS["QEMU"]
    Path("FILE").write_bytes(gzip.compress(text.encode()))
    line = ftlab("trace", "info", "FILE").output
    command = re.search(r"with (gzip -dc FILE \| sed .*) \| ftlab", line)[1]
    done = subprocess.run(["bash", "-c", command], check=True, stdout=subprocess.PIPE)
    assert done.stdout.startswith(b"16.264519,read,131072,4096\n")


@pytest.mark.parametrize("kind", EVENTS)
def test_clocks_that_count_no_seconds_are_not_taken_for_some(ftlab, kind):
    Path("FILE").write_text(events(kind).replace(".", ""))
    line = ftlab("trace", "info", "FILE").output
    command = re.search(r"with (sed .*) \| ftlab", line)[1]
    assert not subprocess.run(["bash", "-c", command], check=True, stdout=subprocess.PIPE).stdout
