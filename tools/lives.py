"""Runs random set-ups whole beside what `ftlab endurance` projects of them.

`python tools/lives.py [NUMBER] [SEED]` prints a line for each set-up: how far first failure, end
and share of used erases are off, or that nothing is projected. It exits with 1 where one is more
than 3 % off.
"""

from __future__ import annotations

import random
import sys
from collections.abc import Sequence
from typing import Any

from ftlab.endurance import endurance
from ftlab.errors import ConfigError

FTLS = ("page", "dftl", "tpftl", "cftl", "dloop", "sepbit", "hat", "fast", "bast", "last", "kast")
IN_PLACE = ("nftl", "rnftl", "mnftl", "superblock", "waftl", "aftl", "cachftl", "block-optimized")
MOST_OFF = 0.03


def draw(rng: random.Random) -> tuple[dict[str, Any], str]:
    """Return a configuration and an FTL."""
    ftl = rng.choice(FTLS + IN_PLACE)
    megabytes = rng.choice((4, 8))
    share = rng.choice((0.05, 0.3, 0.8, 1.0))
    policy = rng.choice(("none", "dynamic", "dynamic", "static"))
    gap = rng.choice((4, 8, 12)) if policy == "static" else 16
    cycles = rng.randrange(800, 1200)
    pattern = rng.choice(("rand", "rand", "hotcold", "zipf", "seq"))
    workload = {
        "pattern": pattern,
        "size": int(share * megabytes * 2**20) // 4096 * 4096,
        "requests": rng.choice((5_000, 50_000)),
        "read_share": rng.choice((0.0, 0.3)),
    }
    device = {
        "capacity": f"{megabytes}MiB",
        "pages_per_block": rng.choice((16, 64)),
        "endurance": cycles,
        "endurance_spread": rng.choice(("0%", "0%", "10%")),
        "spare_blocks": rng.choice(("0%", "2%", "5%")),
        "over_provisioning": "50%",
        **({"channels": 2} if ftl == "dloop" else {}),
    }
    warmup = rng.choice(("none", "sequential", "sequential", "random:1"))
    config = {
        "workload": workload,
        "device": device,
        "wear": {"policy": policy, "gap": gap},
        "run": {"warmup": warmup, "seed": rng.randrange(1000)},
    }
    return config, ftl


def compared(config: dict[str, Any], ftl: str) -> tuple[str, float]:
    """Return how far a projection is off, in words and at most; 0 where there is none."""
    try:
        guess = endurance(config, ftl, scale=4)
    except ConfigError as error:
        is_of_scale = str(error).startswith("scale: ")
        return f"not projected: {error}" if is_of_scale else f"refused: {error}", 0.0
    life = endurance(config, ftl, scale=1)
    pairs = (
        (guess.failures[0], life.failures[0]),
        (guess.life, life.life),
        (guess.used, life.used),
    )
    off = [found / true - 1 for found, true in pairs]
    told = ", ".join(f"{100 * each:+.1f} %" for each in off)
    return f"{told} (measured {100 * guess.error:.1f} %)", max(map(abs, off))


def main(asked: Sequence[str]) -> int:
    """Compare set-ups; return 1 where one is off."""
    number, seed = (int(text) for text in (*asked, *("100", "1")[len(asked) :]))
    wrong = projected = refused = 0
    for case in range(number):
        config, ftl = draw(random.Random(f"{seed} {case}"))
        told, off = compared(config, ftl)
        wrong += off > MOST_OFF
        projected += "measured" in told
        refused += told.startswith("refused")
        flag = "  WRONG" if off > MOST_OFF else ""
        print(f"{case:3} {ftl} {config}: {told}{flag}", flush=True)
    print(
        f"{number} set-ups: {projected} projected, {wrong} of them more than {100 * MOST_OFF:.0f} "
        f"% off; {number - projected - refused} not projected, {refused} that cannot be run"
    )
    return int(wrong > 0)


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
