//! Pages of a device as a source of requests.

use crate::error::Error;
use crate::request::{Op, Request, RequestSource};

/// Writes handed on at a time: few enough to remain in the first cache from their creation to their
/// service.
const BATCH: u64 = 512;

/// Writes of whole pages of a device, for [`crate::simulate::Role::Fill`]. The source restarts
/// after its end; its passes may differ.
pub struct Pages<F> {
    page_of: F,
    page_bytes: u32,
    per_pass: u64,
    next: u64,
}

impl<F: FnMut(u64) -> u32> Pages<F> {
    /// Passes of `per_pass` writes; `page_of` maps the number of a write in its pass, from 0, to
    /// its page.
    pub const fn new(page_bytes: u32, per_pass: u64, page_of: F) -> Self {
        Pages { page_of, page_bytes, per_pass, next: 0 }
    }
}

impl<F: FnMut(u64) -> u32 + Send> RequestSource for Pages<F> {
    fn fill(&mut self, batch: &mut Vec<Request>) -> Result<(), Error> {
        let end = self.per_pass.min(self.next + BATCH);
        let (length, page_of) = (self.page_bytes, &mut self.page_of);
        batch.extend((self.next..end).map(|write| {
            let offset = u64::from(page_of(write)) * u64::from(length);
            Request::new(Op::Write, offset, length)
        }));
        self.next = if self.next == end { 0 } else { end };
        Ok(())
    }

    fn progress(&self) -> Option<f64> {
        Some(self.next as f64 / self.per_pass.max(1) as f64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pass_ends_with_nothing_and_the_next_one_goes_on_drawing() {
        let mut drawn = 0;
        let mut pages = Pages::new(512, BATCH + 2, |_| {
            drawn += 1;
            drawn
        });
        let mut passes = Vec::new();
        for _ in 0..6 {
            let mut batch = Vec::new();
            pages.fill(&mut batch).expect("pages");
            passes.push((batch.len(), batch.first().map(|first| first.offset / 512)));
        }
        let pass = |first| [(BATCH as usize, Some(first)), (2, Some(first + BATCH)), (0, None)];
        assert_eq!(passes, [pass(1), pass(BATCH + 3)].concat());
    }
}
