"""The settings of a preset other than the device, which a comparison of devices should state."""

from __future__ import annotations

import json
from functools import cache
from typing import Any

from ftlab import _core

SHOWN = {"device", "run"}
"""Sections that the set-up of a result shows anyway, or that are the device itself."""


@cache
def beside_the_device(preset: str) -> dict[str, Any]:
    """Return the settings of a preset that are neither of its device nor the defaults, by key."""
    own, usual = (json.loads(_core.resolve(json.dumps(each))) for each in ({"preset": preset}, {}))
    return {
        f"{section}.{name}": value
        for section, settings in own.items()
        if isinstance(settings, dict) and section not in SHOWN
        for name, value in settings.items()
        if usual.get(section, {}).get(name) != value
    }
