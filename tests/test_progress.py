"""How far long work is, where nobody looks at a terminal."""

from __future__ import annotations

from ftlab.cli import progress


def test_a_log_has_a_line_at_times(monkeypatch, capsys):
    now = 0.0
    monkeypatch.setattr(progress.time, "monotonic", lambda: now)
    with progress.points_meter() as tell:
        for done in range(5):
            now = 0.4 * progress.LINE_S * done
            tell(done, 8, done / 8)
    output = capsys.readouterr()
    assert output.out == ""
    assert output.err == "3/8 points, 38%\n"
