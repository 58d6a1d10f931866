//! A range of time of any input.

use crate::error::Error;
use crate::request::{BATCH, Input, Request, RequestSource, Wrapping};
use crate::units::{Duration, Nanos};

/// The requests of an input in a range of time, with the first one at 0.
pub(super) struct Windowed {
    pub(super) input: Box<dyn Input>,
    /// Counted from the input's first request, like `until`.
    pub(super) from: Option<Duration>,
    pub(super) until: Option<Duration>,
    /// The most requests in the range.
    pub(super) requests: Option<u64>,
}

impl Wrapping for Windowed {
    fn start(&self) -> Result<Box<dyn RequestSource>, Error> {
        Ok(Box::new(Source {
            source: self.input.open()?,
            from: self.from.map_or(0, |from| from.0),
            until: self.until.map_or(Nanos::MAX, |until| until.0),
            left: self.requests.unwrap_or(u64::MAX),
            first: None,
            last: 0,
        }))
    }

    fn inner(&self) -> &dyn Input {
        self.input.as_ref()
    }
}

struct Source {
    source: Box<dyn RequestSource>,
    from: Nanos,
    until: Nanos,
    left: u64,
    /// Time of the first request that passed.
    first: Option<Nanos>,
    /// Time of the last request that came.
    last: Nanos,
}

impl Source {
    /// The error if nothing has passed.
    fn check_end(&self) -> Result<(), Error> {
        if self.first.is_some() {
            return Ok(());
        }
        let (last, from) = (self.last as f64 / 1e9, self.from as f64 / 1e9);
        Err(if self.last < self.from {
            let message = format!("found {from} s, but the last request comes after {last} s");
            Error::config("input.from", message)
        } else {
            let until = self.until as f64 / 1e9;
            let message = format!("found no request from {from} s until before {until} s");
            Error::config("input.until", message)
        })
    }
}

impl RequestSource for Source {
    fn fill(&mut self, batch: &mut Vec<Request>) -> Result<(), Error> {
        let begin = batch.len();
        let mut whole = Vec::with_capacity(BATCH);
        while batch.len() == begin && self.left > 0 {
            whole.clear();
            self.source.fill(&mut whole)?;
            let Some(last) = whole.last() else { break };
            self.last = last.time;
            let inside = self.from..self.until;
            let inside = whole.iter().filter(|request| inside.contains(&request.time));
            for request in inside.take(usize::try_from(self.left).unwrap_or(usize::MAX)) {
                let first = *self.first.get_or_insert(request.time);
                batch.push(Request { time: request.time - first, ..*request });
            }
            self.left -= (batch.len() - begin) as u64;
            if self.last >= self.until {
                self.left = 0;
            }
        }
        if batch.len() == begin { self.check_end() } else { Ok(()) }
    }

    fn inner(&self) -> Option<&dyn RequestSource> {
        Some(self.source.as_ref())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::request::Op;

    /// A request each second from 0 to 9, in batches of 4.
    struct Seconds;
    struct From(u64);

    impl Input for Seconds {
        fn open(&self) -> Result<Box<dyn RequestSource>, Error> {
            Ok(Box::new(From(0)))
        }
        fn name(&self) -> String {
            "seconds".into()
        }
        fn format(&self) -> String {
            "generated".into()
        }
    }

    impl RequestSource for From {
        fn fill(&mut self, batch: &mut Vec<Request>) -> Result<(), Error> {
            let next = self.0..(self.0 + 4).min(10);
            self.0 = next.end;
            batch.extend(next.map(|second| {
                Request::new(Op::Read, 4096 * second, 4096).at(second * 1_000_000_000)
            }));
            Ok(())
        }
    }

    fn seconds(
        from: Option<u64>,
        until: Option<u64>,
        requests: Option<u64>,
    ) -> Result<Vec<(u64, u64)>, String> {
        let duration = |seconds: u64| Duration(seconds * 1_000_000_000);
        let (from, until) = (from.map(duration), until.map(duration));
        let windowed = Windowed { input: Box::new(Seconds), from, until, requests };
        let all = windowed.open().and_then(|mut source| source.rest());
        let pair = |r: &Request| (r.time / 1_000_000_000, r.offset / 4096);
        Ok(all.map_err(|error| error.to_string())?.iter().map(pair).collect())
    }

    #[test]
    fn the_first_that_passes_is_at_0_and_the_end_is_not_inside() {
        assert_eq!(seconds(Some(3), Some(6), None), Ok(vec![(0, 3), (1, 4), (2, 5)]));
        assert_eq!(seconds(Some(8), None, None), Ok(vec![(0, 8), (1, 9)]));
        assert_eq!(seconds(None, Some(2), None), Ok(vec![(0, 0), (1, 1)]));
        assert_eq!(seconds(None, None, None).map(|all| all.len()), Ok(10));
    }

    #[test]
    fn a_limit_counts_what_is_inside() {
        assert_eq!(seconds(Some(5), None, Some(2)), Ok(vec![(0, 5), (1, 6)]));
    }

    #[test]
    fn a_window_without_requests_is_told_by_its_key() {
        let late = seconds(Some(60), None, None).unwrap_err();
        assert_eq!(late, "input.from: found 60 s, but the last request comes after 9 s");
        let empty = seconds(Some(9), Some(9), None).unwrap_err();
        assert!(empty.starts_with("input.until: found no request from 9 s"), "{empty}");
    }
}
