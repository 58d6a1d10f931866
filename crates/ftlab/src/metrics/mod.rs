//! What a run is measured by: latencies, a bounded time series, energy, and what time is spent on.

pub mod backlog;
pub mod causes;
pub mod energy;
mod histogram;
pub mod latency;
pub mod request_log;
pub mod samples;
pub mod series;
