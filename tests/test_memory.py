"""Points run on as many cores as memory allows."""

import pytest

import ftlab
from ftlab.points import Point, memory


def test_no_more_points_run_at_a_time_than_memory_holds(monkeypatch):
    source = ftlab.Workload("randwrite", requests=100)
    points = [
        Point.of(source, "page", ftlab.Device(capacity=size)) for size in ("1GiB", "64MiB", "64MiB")
    ]
    needed = points[0].memory
    assert needed is not None and needed > 1 << 20
    for free, cores, expected in [
        (10 * needed, 4, 4),
        (2 * needed, 4, 2),
        (2 * needed, 2, 2),
        (needed // 2, 4, 1),
        (None, 4, 4),
    ]:
        monkeypatch.setattr(memory, "free_bytes", lambda free=free: free)
        if expected < min(cores, len(points)):
            with pytest.warns(memory.MemoryWarning, match=f"{expected} of {cores} cores are used"):
                assert memory.at_a_time(points, cores) == expected
        else:
            assert memory.at_a_time(points, cores) == expected


def test_requests_of_arrays_take_half_of_what_points_leave(monkeypatch):
    source = ftlab.Workload("randwrite", requests=100)
    point = Point.of(source, "page", ftlab.Device(capacity="1GiB"))
    needed, least = point.memory, memory.LEAST_ROOM
    for free, workers, expected in [
        (4 * least + 2 * needed, 2, 2 * least),
        (4 * least + 2 * needed, 1, 2 * least + needed // 2),
        (needed, 2, least),
        (None, 2, least),
    ]:
        monkeypatch.setattr(memory, "free_bytes", lambda free=free: free)
        assert memory.room_for_requests([point], workers) == expected


def test_what_is_free_is_the_least_that_anybody_tells(monkeypatch, tmp_path):
    (tmp_path / "meminfo").write_text("MemTotal: 9 kB\nMemAvailable:    5 kB\n")
    monkeypatch.setattr(memory, "MEMINFO", tmp_path / "meminfo")
    monkeypatch.setattr(memory, "CGROUP", tmp_path)
    assert memory.free_bytes() == 5 << 10
    (tmp_path / "memory.current").write_text("1000\n")
    (tmp_path / "memory.max").write_text("max\n")
    assert memory.free_bytes() == 5 << 10
    (tmp_path / "memory.max").write_text("3000\n")
    (tmp_path / "memory.stat").write_text("anon 700\ninactive_file 300\n")
    assert memory.free_bytes() == 2300, "what files have read is free"
    (tmp_path / "meminfo").unlink()
    (tmp_path / "memory.max").unlink()
    assert memory.free_bytes() is None
