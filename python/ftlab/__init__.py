"""A laboratory for flash translation layers: any FTL on one checked NAND model.

>>> import ftlab
>>> trace = ftlab.Workload("randwrite", bs="4k", size="64MiB", requests=2000)
>>> result = ftlab.simulate(trace, ftl=ftlab.TPFTL(cache="1KiB"))
>>> result.checks.violations
0
"""

from ftlab import model
from ftlab._core import __version__
from ftlab.catalogue import catalog
from ftlab.curve import MissRatioCurve, miss_ratio_curve
from ftlab.devices import Device
from ftlab.errors import ConfigError, FtlabError, InternalError, Interrupted, TraceError
from ftlab.ftls import (
    AFTL,
    APS,
    BAST,
    CACHFTL,
    CDFTL,
    CFTL,
    DFTL,
    DLOOP,
    FAST,
    GFTL,
    HAT,
    KAST,
    LAST,
    MNFTL,
    NFTL,
    SFTL,
    TPFTL,
    WAFTL,
    ZFTL,
    Block,
    BlockOptimized,
    Ftl,
    MNFTLHybrid,
    NFTLChain,
    Page,
    Superblock,
    TPFTLAdaptive,
    TreeFTL,
)
from ftlab.result import Comparison, Record, Result
from ftlab.similarity import TraceComparison, compare_traces
from ftlab.simulation import compare, simulate
from ftlab.traces import Model, Trace, Workload, profile, read_trace

__all__ = [
    "AFTL",
    "APS",
    "BAST",
    "CACHFTL",
    "CDFTL",
    "CFTL",
    "DFTL",
    "DLOOP",
    "FAST",
    "GFTL",
    "HAT",
    "KAST",
    "LAST",
    "MNFTL",
    "NFTL",
    "SFTL",
    "TPFTL",
    "WAFTL",
    "ZFTL",
    "Block",
    "BlockOptimized",
    "Comparison",
    "ConfigError",
    "Device",
    "Ftl",
    "FtlabError",
    "InternalError",
    "Interrupted",
    "MNFTLHybrid",
    "MissRatioCurve",
    "Model",
    "NFTLChain",
    "Page",
    "Record",
    "Result",
    "Superblock",
    "TPFTLAdaptive",
    "Trace",
    "TraceComparison",
    "TraceError",
    "TreeFTL",
    "Workload",
    "__version__",
    "catalog",
    "compare",
    "compare_traces",
    "miss_ratio_curve",
    "model",
    "profile",
    "read_trace",
    "simulate",
]
