//! What a run is measured by: latencies, a bounded time series, and the result.

pub mod definitions;
pub mod latency;
pub mod result;
pub mod samples;
pub mod series;
