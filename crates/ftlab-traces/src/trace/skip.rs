//! An input without its first requests: the second half of a trace, or what follows its warm-up.

use crate::error::Error;
use crate::request::{Input, Request, RequestSource, Wrapping};
use crate::units::Nanos;

/// `input` from its request number `skip`, counted from 0; that one is at time 0.
#[must_use]
pub fn skip(input: Box<dyn Input>, skip: u64) -> Box<dyn Input> {
    if skip == 0 { input } else { Box::new(Skipped { input, skip }) }
}

struct Skipped {
    input: Box<dyn Input>,
    skip: u64,
}

impl Wrapping for Skipped {
    fn start(&self) -> Result<Box<dyn RequestSource>, Error> {
        let source = self.input.open()?;
        Ok(Box::new(Rest { source, skip: self.skip, left: self.skip, start: None }))
    }

    fn inner(&self) -> &dyn Input {
        self.input.as_ref()
    }
}

struct Rest {
    source: Box<dyn RequestSource>,
    skip: u64,
    left: u64,
    /// Arrival of the first request that is not skipped, once it is known.
    start: Option<Nanos>,
}

impl RequestSource for Rest {
    fn fill(&mut self, batch: &mut Vec<Request>) -> Result<(), Error> {
        let from = batch.len();
        while batch.len() == from {
            self.source.fill(batch)?;
            let read = batch.len() - from;
            if read == 0 {
                return self.check_end();
            }
            let skipped = self.left.min(read as u64) as usize;
            self.left -= skipped as u64;
            batch.drain(from..from + skipped);
        }
        let start = *self.start.get_or_insert(batch[from].time);
        batch[from..].iter_mut().for_each(|request| request.time -= start);
        Ok(())
    }

    fn inner(&self) -> Option<&dyn RequestSource> {
        Some(self.source.as_ref())
    }
}

impl Rest {
    fn check_end(&self) -> Result<(), Error> {
        if self.start.is_some() {
            return Ok(());
        }
        let message = format!(
            "found {}, expected less than the input's {} requests",
            self.skip,
            self.skip - self.left
        );
        Err(Error::config("input.skip", message))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::workload::{self, WorkloadConfig};

    fn requests(skip: u64) -> Result<Vec<Request>, Error> {
        let config = WorkloadConfig { requests: Some(10_000), ..WorkloadConfig::default() };
        super::skip(workload::open(&config, 1)?, skip).open()?.rest()
    }

    #[test]
    fn the_rest_follows_and_begins_at_time_zero() {
        let all = requests(0).unwrap();
        for skip in [1, 4095, 4096, 4097, 9999] {
            let rest = requests(skip).unwrap();
            assert_eq!(rest.len(), 10_000 - skip as usize);
            for (found, expected) in rest.iter().zip(&all[skip as usize..]) {
                let time = expected.time - all[skip as usize].time;
                assert_eq!(*found, Request { time, ..*expected });
            }
        }
    }

    #[test]
    fn skipping_everything_is_a_mistake_that_tells_how_much_there_is() {
        for skip in [10_000, u64::MAX] {
            let message = requests(skip).unwrap_err().to_string();
            assert!(message.starts_with("input.skip: found"), "{message}");
            assert!(message.ends_with("less than the input's 10000 requests"), "{message}");
        }
    }
}
