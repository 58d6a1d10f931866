"""The names that ``ftlab`` offers; the package imports this when one is requested."""

from ftlab import _settings, model
from ftlab._core import DeviceInfo, Features, Flash, Meta, __version__
from ftlab._settings import *  # noqa: F403
from ftlab.catalogue import catalog
from ftlab.check import verdicts
from ftlab.curve import MissRatioCurve, miss_ratio_curve
from ftlab.errors import (
    ConfigError,
    FileError,
    FtlabError,
    InternalError,
    Interrupted,
    ResourceError,
    RuleError,
    TooSmall,
    TraceError,
)
from ftlab.ftls import Ftl
from ftlab.page_mapped import PageMapped
from ftlab.plugins import PythonFtl
from ftlab.record import Record
from ftlab.result import Comparison, Result
from ftlab.similarity import TraceComparison, compare_traces
from ftlab.simulation import compare, simulate
from ftlab.sweeps import Sweep, sweep
from ftlab.traces import Model, profile, read_trace

__all__ = [
    "Comparison",
    "ConfigError",
    "DeviceInfo",
    "Features",
    "FileError",
    "Flash",
    "Ftl",
    "FtlabError",
    "InternalError",
    "Interrupted",
    "Meta",
    "MissRatioCurve",
    "Model",
    "PageMapped",
    "PythonFtl",
    "Record",
    "ResourceError",
    "Result",
    "RuleError",
    "Sweep",
    "TooSmall",
    "TraceComparison",
    "TraceError",
    "__version__",
    "catalog",
    "compare",
    "compare_traces",
    "miss_ratio_curve",
    "model",
    "profile",
    "read_trace",
    "simulate",
    "sweep",
    "verdicts",
]
__all__ += _settings.__all__
