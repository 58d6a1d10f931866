"""The compiled core of ftlab: JSON in, JSON out, columns as numpy arrays."""

from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

_Progress: TypeAlias = Callable[[str, int, float | None], Any]

__all__ = [
    "ConfigError",
    "FtlabError",
    "InternalError",
    "Interrupted",
    "TraceError",
    "__version__",
    "catalog",
    "convert",
    "fit",
    "resolve",
    "simulate",
    "split",
    "trace_characteristics",
    "trace_columns",
    "trace_info",
]

__version__: str

class FtlabError(Exception): ...
class ConfigError(FtlabError): ...
class TraceError(FtlabError): ...
class InternalError(FtlabError): ...
class Interrupted(FtlabError): ...

def catalog() -> str: ...
def resolve(config: str) -> str: ...
def simulate(config: str, ftls: list[str], progress: _Progress | None = None) -> str: ...
def fit(config: str, progress: _Progress | None = None) -> str: ...
def trace_info(config: str, progress: _Progress | None = None) -> str: ...
def convert(
    config: str, output: str, to: str | None = None, progress: _Progress | None = None
) -> str: ...
def split(config: str, folder: str, progress: _Progress | None = None) -> str: ...
def trace_characteristics(config: str, progress: _Progress | None = None) -> str: ...
def trace_columns(
    config: str, limit: int | None = None
) -> dict[str, npt.NDArray[np.integer[Any]]]: ...
