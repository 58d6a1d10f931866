//! A backlog: stretches of a run in which requests arrived faster than they were served
//! (choices.md#backlog).

use super::series::{Sample, Sums};
use crate::units::Nanos;

/// A stretch has a backlog if its requests wait on average for longer than the device takes for
/// this number of requests.
pub const REQUESTS_BEHIND: f64 = 100.0;

/// The requests of a run that waited in a backlog.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Backlog {
    /// Share of all reads and writes that are in stretches with a backlog.
    pub requests: f64,
    /// Their share of all response times.
    pub response: f64,
    /// Their mean wait, in multiples of the time that the device takes for a request.
    pub wait: f64,
    /// When the first of these stretches begins, ns.
    pub from: Nanos,
    /// When the last of them ends, ns.
    pub to: Nanos,
}

impl Backlog {
    /// The backlog of the stretches of a run, on a device that takes `of_a_request` ns for a
    /// request. All values are zero without a backlog.
    #[must_use]
    pub fn of(stretches: &[Sample], of_a_request: f64) -> Self {
        let (mut from, mut begin, mut to) = (None, 0, 0);
        let (mut all, mut behind) = (Sums::default(), Sums::default());
        for stretch in stretches {
            let sums = stretch.sums;
            all = all.plus(sums);
            let wait = sums.wait() / sums.responses.max(1) as f64;
            if wait > REQUESTS_BEHIND * of_a_request {
                behind = behind.plus(sums);
                from = from.or(Some(begin));
                to = stretch.time;
            }
            begin = stretch.time;
        }
        let Some(from) = from else { return Backlog::default() };
        Backlog {
            requests: behind.responses as f64 / all.responses as f64,
            response: behind.response as f64 / all.response as f64,
            wait: behind.wait() / behind.responses as f64 / of_a_request,
            from,
            to,
        }
    }

    /// Whether the backlog contributes more to the mean response time than the device.
    #[must_use]
    pub fn rules(&self) -> bool {
        self.response > 0.5
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A stretch of 64 requests served in 10 ns each, with a mean wait of `wait` ns.
    fn stretch(time: Nanos, wait: u128) -> Sample {
        let service = 640;
        let response = service + 64 * wait;
        let sums = Sums { requests: 64, responses: 64, service, response, ..Sums::default() };
        Sample { time, sums, ..Sample::default() }
    }

    #[test]
    fn a_backlog_is_where_requests_wait_for_a_hundred_others() {
        let quiet = [stretch(100, 0), stretch(200, 1000), stretch(300, 5)];
        assert_eq!(Backlog::of(&quiet, 10.0), Backlog::default());
        assert!(!Backlog::default().rules());
        let burst = [stretch(100, 0), stretch(200, 3000), stretch(300, 1001), stretch(400, 0)];
        let found = Backlog::of(&burst, 10.0);
        assert_eq!((found.requests, found.from, found.to), (0.5, 100, 300));
        assert_eq!(found.wait, 200.05);
        assert!(found.response > 0.99 && found.rules());
    }

    #[test]
    fn a_short_backlog_leaves_the_mean_to_the_device() {
        let mut stretches = vec![stretch(100, 900); 30];
        stretches.push(stretch(200, 1001));
        let found = Backlog::of(&stretches, 10.0);
        assert_eq!(found.requests, 1.0 / 31.0);
        assert!(!found.rules(), "{found:?}");
    }
}
