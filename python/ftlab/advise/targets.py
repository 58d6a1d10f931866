"""What a device must do, and what its parts cost."""

from __future__ import annotations

from dataclasses import dataclass

from ftlab.endurance import YEAR_DAYS


@dataclass(frozen=True)
class Targets:
    """How long a device must last, at which rate, and how fast it must be.

    ``dwpd`` takes the place of the input's own rate; ``p99_us`` holds at the input's rate, or in
    the closed loop if the input has no times.
    """

    years: float = 5.0
    dwpd: float | None = None
    p99_us: float | None = None

    @property
    def days(self) -> float:
        """How long it must last."""
        return YEAR_DAYS * self.years


@dataclass(frozen=True)
class Prices:
    """The price of 10^9 bytes of flash and of RAM; by default in units of the flash."""

    flash: float = 1.0
    ram: float = 50.0

    def of(self, flash_bytes: float, ram_bytes: float) -> float:
        """Return what flash and RAM cost together."""
        return (self.flash * flash_bytes + self.ram * ram_bytes) / 1e9
