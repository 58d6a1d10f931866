//! What a run is measured by: latencies, a bounded time series, and the definitions of metrics.

pub mod backlog;
pub mod causes;
pub mod definitions;
pub mod energy;
mod histogram;
pub mod latency;
pub mod request_log;
pub mod samples;
pub mod series;
