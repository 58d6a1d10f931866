"""Whole processes are timed in rounds, and what cannot be timed is said in one line."""

import json
import subprocess
import sys
from pathlib import Path

TOOL = Path(__file__).parent.parent / "tools" / "bench_peers.py"


def bench(*arguments):
    command = [sys.executable, str(TOOL), *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def test_each_round_runs_every_command_once_and_ratios_are_of_one_round(tmp_path):
    file = tmp_path / "rounds.json"
    log = tmp_path / "log"
    one, two = (
        f"{sys.executable} -c \"open('{log}', 'a').write('{name}')\"" for name in ("a", "b")
    )
    ended = bench(f"one={one}", f"two={two}", "--rounds", 3, "--json", file)
    assert ended.returncode == 0, ended.stderr
    assert log.read_text() == "abbaab", "they begin in turn"
    assert "3 rounds, not steady: a limit was hit" in ended.stdout
    found = json.loads(file.read_text())
    assert [list(each) for each in found["rounds"]] == [["one", "two"]] * 3
    assert all(each[name]["cpu"] > 0 for each in found["rounds"] for name in each)
    assert found["machine"]["cores"] >= 1 and found["commands"]["two"] == two
    header, _, row = ended.stdout.splitlines()[:3]
    assert header.endswith("wall, of one") and row.startswith("two")


def test_what_fails_or_is_not_there_is_told():
    failing = bench("x=ls /no/such/file")
    assert failing.returncode == 1 and failing.stderr.startswith("x: exit code 2: ls: ")
    missing = bench("x=/no/such/command")
    assert missing.stderr == "x: No such file or directory: /no/such/command\n"
    assert "# Other simulators" in bench().stdout
    assert "expected NAME=COMMAND" in bench("no name").stderr
    assert "expected each once" in bench("a=true", "a=true").stderr
