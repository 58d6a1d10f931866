"""Where bugs are seeded in the core: around statements, so that conditions read as they work."""

import re
from pathlib import Path

CORE = Path(__file__).resolve().parent.parent / "crates/ftlab/src"
IN_A_CONDITION = re.compile(r"(?:\b(?:if|while)|&&|\)\s*\|\|)\s+unless_bug!\(\s*(\w+)")


def in_conditions(source: str) -> list[str]:
    return IN_A_CONDITION.findall(source)


def test_no_bug_is_seeded_in_a_condition() -> None:
    found = {path.name: in_conditions(path.read_text("utf-8")) for path in CORE.rglob("*.rs")}
    found.pop("unless_bug.rs")
    assert {name: bugs for name, bugs in found.items() if bugs} == {}


def test_conditions_are_told_from_statements() -> None:
    conditions = "if unless_bug!(A, x, y) {} while unless_bug!(\n B, x, y) && unless_bug!(C, z, w)"
    assert in_conditions(conditions) == ["A", "B", "C"]
    assert in_conditions("let is_new = || unless_bug!(D, x, y); unless_bug!(E, return);") == []
