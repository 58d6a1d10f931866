"""A result as the core returns it, for tests of what is made of one."""

from typing import Any

POINTS = 40


def times(mean: float) -> dict[str, float]:
    factors = {"mean": 1, "stddev": 0.5, "p50": 0.7, "p90": 2, "p99": 4, "p999": 6, "max": 9.5}
    return {key: mean * factor for key, factor in factors.items()}


def cdf(mean: float) -> dict[str, list[float]]:
    return {
        "value": [mean * 1.2**step for step in range(POINTS)],
        "fraction": [(step + 1) / POINTS for step in range(POINTS)],
    }


def timeline(hit_ratio: float | None) -> dict[str, list[Any]]:
    return {
        "time_s": [float(step) for step in range(POINTS)],
        "requests": [10] * POINTS,
        "hit_ratio": [hit_ratio] * POINTS,
        "write_amplification": [None] * 5 + [1.5] * (POINTS - 5),
        "mean_response_us": [100.0] * POINTS,
    }


def flash(translation: int) -> dict[str, Any]:
    return {
        "reads": {"host": 300, "translation": translation, "gc_data": 50, "gc_mapping": 0},
        "oob_reads": {"host": 0},
        "programs": {"host": 1000, "translation": translation // 2, "gc_data": 50, "gc_mapping": 0},
        "copybacks": {},
        "erases": {"data": 16, "translation": translation // 64},
        "wasted_pages": 0,
    }


def mapping(hit_ratio: float, translation: int) -> dict[str, Any]:
    return {
        "lookups": 1300,
        "hits": round(1300 * hit_ratio),
        "hit_ratio": hit_ratio,
        "replacements": 100,
        "dirty_replacement_probability": 0.25,
        "gc_hit_ratio": None,
        "translation_reads": translation,
        "translation_writes": translation // 2,
    }


def config(ftl: str) -> dict[str, Any]:
    return {
        "device": {"capacity": None, "page": 4096, "pages_per_block": 64},
        "ftl": {"name": ftl, "cache": 8192},
        "host": {"mode": "open"},
        "run": {"warmup": "footprint", "address": "overlay", "seed": 1, "verify": True},
    }


def host() -> dict[str, Any]:
    return {
        "requests": 400,
        "reads": 100,
        "writes": 300,
        "page_reads": 300,
        "page_writes": 1000,
        "bytes_read": 1228800,
        "bytes_written": 4096000,
        "duration_s": 3600.5,
    }


def warmup() -> dict[str, Any]:
    return {
        "mode": "steady:5%",
        "requests": 21000,
        "host_page_writes": 20000,
        "passes": 6,
        "window_page_writes": 1000,
        "windows": [1.2, 1.9, 2.0, 2.02, 1.99, 2.0, 2.01, 2.0, 2.0],
        "spread": 0.015,
        "drift": -0.001,
        "steady": True,
    }


def result(
    ftl: str = "page", mean: float = 900.0, hit_ratio: float | None = None, translation: int = 0
) -> dict[str, Any]:
    """Return a complete result; an FTL with the whole map in RAM has no hit ratio."""
    return {
        "ftlab": "0.1.0",
        "ftl": ftl,
        "warnings": [f"{ftl} never collected garbage; use a smaller device"],
        "config": config(ftl),
        "device": {"capacity_bytes": 536870912, "blocks": 2355, "planes": 1},
        "trace": {"name": "sample.spc", "format": "spc", "digest": "0123", "requests": 400},
        "seed": 1,
        "warmup": warmup(),
        "host": host(),
        "flash": flash(translation),
        "mapping": None if hit_ratio is None else mapping(hit_ratio, translation),
        "gc": {"runs": 16, "copied_pages": 50, "mean_valid_data": 3.125},
        "merges": None,
        "write_amplification": (1050 + translation // 2) / 1000,
        "response_us": times(mean),
        "read_response_us": times(mean / 2),
        "write_response_us": times(mean * 1.1),
        "service_us": times(mean / 3),
        "planes": {"requests": [200, 200], "sdrpp": 0.0, "busy_fraction": [0.5, 0.25]},
        "channels": {"busy_fraction": [0.1]},
        "wear": {"erases_total": 16, "erases_min": 0, "erases_max": 2},
        "own": {} if hit_ratio is None else {f"{ftl}.prefetched_entries": 7},
        "ram_bytes": {"tables": 512, "cache": 8192, "buffer": 0},
        "speed": {"wall_s": 0.5, "requests_per_s": 8e5, "flash_ops_per_s": 2e7, "trace_read_s": 0},
        "checks": {"reads_verified": 300, "rules_checked": 5000, "violations": 0},
        "distributions": {
            "response_us": cdf(mean),
            "read_response_us": cdf(mean / 2),
            "write_response_us": None,
        },
        "timeline": timeline(hit_ratio),
    }
