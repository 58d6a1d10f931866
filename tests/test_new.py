"""`ftlab new` writes what the tutorials show, and what it writes runs, builds and passes."""

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

import ftlab as ftlab_
from ftlab import starts
from ftlab.check import verdicts
from test_own_ftl import BUILD, done

ROOT = Path(__file__).parent.parent
TUTORIAL = (ROOT / "docs" / "tutorial-rust.md").read_text("utf-8")
PYTHON = (ROOT / "docs" / "tutorial-python.md").read_text("utf-8")
BLOCKS = re.findall(
    r"^<!-- run by tests/test_new.py(?:: (\S+))? -->\n```(\w+)\n(.*?)^```",
    TUTORIAL,
    re.DOTALL | re.MULTILINE,
)
README = "README.md"


def typed(folder: Path) -> dict[str, str]:
    """The files of the tutorial, with the clone where it is, each saved part after part."""
    files: dict[str, list[str]] = {}
    for name, _, text in BLOCKS:
        if name:
            files.setdefault(name, []).append(text.replace('"../ftlab/', f'"{ROOT}/'))
    whole = {name: "\n".join(parts) for name, parts in files.items()}
    for name, text in whole.items():
        file = folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, "utf-8")
    return whole


def commands() -> list[str]:
    """The commands of the tutorial, in order."""
    return [line for name, _, text in BLOCKS if not name for line in text.splitlines()]


def test_the_start_in_python_is_that_of_the_tutorial(ftlab):
    told = ftlab("new", "my_ftl.py")
    assert told.exit_code == 0, told.output
    assert told.stdout.splitlines()[-1] == "ftlab check my_ftl.py"
    written = Path("my_ftl.py").read_text("utf-8")
    assert f"```python\n{written}```" in PYTHON
    assert "$ ftlab new my_ftl.py\n" in PYTHON


@pytest.mark.long
def test_the_start_in_python_keeps_the_rules_and_is_used(ftlab, monkeypatch):
    ftlab("new", "hot_2.py")
    assert ftlab("check", "hot_2.py", "--cases", "10").exit_code == 0
    run = ftlab("run", "--workload", "randwrite,bs=4k,size=16MiB,requests=200", "--ftl", "hot_2.py")
    assert "Hot2" in run.stdout
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "python")}
    done([sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider"], env=environment)


@pytest.mark.long
def test_the_tests_of_the_start_find_a_bug(ftlab):
    ftlab("new", "wrong.py")
    text = Path("wrong.py").read_text("utf-8")
    lines = "        if old is not None:\n            flash.invalidate(old)\n"
    assert lines in text
    Path("wrong.py").write_text(text.replace(lines, ""), "utf-8")
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider"]
    found = subprocess.run(command, capture_output=True, text=True)
    assert (found.returncode, "test_every_rule_holds" in found.stdout) == (1, True)


def test_the_class_to_derive_from_does_as_page():
    workload = ftlab_.Workload("randwrite", bs="4k", size="16MiB", requests=8_000)
    device = ftlab_.Device(capacity="16MiB", over_provisioning=0.15)
    mine, page = ftlab_.compare(
        workload, [ftlab_.PageMapped, "page"], device=device, warmup="sequential"
    )
    assert mine.flash == page.flash
    assert mine.flash.erases.data > 0


@pytest.mark.long
def test_a_class_of_a_few_lines_derives_from_it(tmp_path):
    class Fifo(ftlab_.PageMapped):
        def victim(self, flash):
            return self.closed[0]

    assert [each for each in verdicts(Fifo, cases=10) if not each.holds] == []


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("dftl.py", "the name of the FTL dftl"),
        ("S_FTL.py", "the name of the FTL sftl"),
        ("flash.py", "a word that has a meaning"),
        ("class.py", "a word that has a meaning"),
        ("none.py", "a word that has a meaning"),
        ("heapq.py", "the name of an installed module"),
        ("ftlab.py", "the name of an installed module"),
        ("a b.py", "a name that cannot be used"),
        ("a\nb.py", "a name that cannot be used"),
        ("é.py", "a name that cannot be used"),
        (".py", "write NAME.py"),
        ("a.txt", "write NAME.py"),
        ("", "write NAME.py"),
        ("a.b.py", "a name that cannot be used"),
        ("nowhere/a.py", "does not exist"),
        (f"{'a' * 300}.py", "cannot be written"),
    ],
)
def test_a_name_in_python_that_cannot_be_is_refused(ftlab, name, why):
    refused(ftlab("new", "--", name), why)


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("tpftl", "the name of the FTL tpftl"),
        ("s_ftl", "the name of the FTL sftl"),
        ("gc", "a section of the settings"),
        ("Mine", "a name that cannot be used"),
        ("a-b", "a name that cannot be used"),
        ('"x', "a name that cannot be used"),
        ("..", "a name that cannot be used"),
        ("", "a name that cannot be used"),
        ("a.py", "a name that cannot be used"),
        ("a" * 300, "cannot be written"),
    ],
)
def test_a_name_in_rust_that_cannot_be_is_refused(ftlab, name, why):
    refused(ftlab("new", "--rust", "--", name), why)


def refused(answer, why: str) -> None:
    """One line, the exit code of a mistake, and nothing written."""
    assert (answer.exit_code, answer.stderr.count("\n"), answer.stdout) == (2, 1, ""), answer.stderr
    assert why in answer.stderr
    assert list(Path().iterdir()) == []


def test_nothing_is_written_over(ftlab):
    Path("test_a.py").symlink_to("nowhere")
    answer = ftlab("new", "a.py")
    assert (answer.exit_code, Path("a.py").exists()) == (2, False)
    assert "test_a.py: exists" in answer.stderr
    Path("b").mkdir()
    answer = ftlab("new", "--rust", "b")
    assert (answer.exit_code, list(Path("b").iterdir())) == (2, [])


def test_sources_of_another_version_or_none_are_refused(ftlab, tmp_path):
    answer = ftlab("new", "--rust", "a", "--source", tmp_path)
    assert (answer.exit_code, "no sources of ftlab" in answer.stderr) == (2, True)
    other = tmp_path / "other"
    other.mkdir()
    (other / "Cargo.toml").write_text('[workspace.package]\nversion = "0.0.1"\n')
    answer = ftlab("new", "--rust", "a", "--source", other)
    assert (answer.exit_code, "found ftlab 0.0.1" in answer.stderr) == (2, True)
    assert not Path("a").exists()


def test_a_path_to_the_sources_may_hold_anything(tmp_path):
    import tomllib

    clone = tmp_path / 'a "b\\ \x7f{x} c'
    clone.symlink_to(ROOT)
    starts.rust(tmp_path / "mine", clone)
    crate = tomllib.loads((tmp_path / "mine" / "Cargo.toml").read_text("utf-8"))
    assert crate["dependencies"]["ftlab"]["path"] == str(clone / "crates" / "ftlab")
    assert crate["package"]["name"] == "ftlab-mine"


def test_the_start_in_rust_is_that_of_the_tutorial(ftlab):
    told = ftlab("new", "--rust", "hotcold")
    assert told.exit_code == 0, told.output
    assert told.stdout.splitlines()[-1] == "ftlab check hotcold"
    folder = Path("hotcold")
    found = {
        str(file.relative_to(folder)): file.read_text("utf-8")
        for file in folder.rglob("*")
        if file.is_file() and file.name not in (README, *starts.COPIED)
    }
    shown = typed(Path("typed"))
    del shown["use.py"]
    assert found == shown
    assert "hotcold" not in "".join(
        file.read_text("utf-8") for file in starts.rust(Path("other").absolute())
    )


@pytest.mark.long
def test_the_tutorial_in_rust_is_typed_from_nothing(tmp_path):
    crate, packages = tmp_path / "hotcold", tmp_path / "packages"
    typed(crate)
    environment = {**BUILD, "PYTHONPATH": str(packages)}
    target = ["--quiet", "--no-build-isolation", "--no-deps", "--target", str(packages)]
    fitted = {
        "ftlab new --rust hotcold": "true",
        "cp ../ftlab/Cargo.lock .": shlex.join(["cp", str(ROOT / "Cargo.lock"), "."]),
        "pip install .": shlex.join([sys.executable, "-m", "pip", "install", *target, "."]),
    }
    assert set(fitted) < set(commands())
    for command in commands():
        fit = fitted.get(command, command)
        fit = re.sub("^ftlab ", f"{shlex.quote(sys.executable)} -m ftlab ", fit)
        told = done(["sh", "-c", fit], cwd=crate, env=environment)
        if command == "cargo test":
            assert "test ftl::tests::laws ... ok" in told
    assert (crate / "hotcold.svg").stat().st_size > 10_000
    done([sys.executable, "use.py"], cwd=crate, env=environment)
    done(["cargo", "fmt", "--check", "--", "--config-path", str(ROOT)], cwd=crate, env=environment)
