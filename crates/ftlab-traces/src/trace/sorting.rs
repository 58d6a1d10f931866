//! Requests that are held back so that they pass in the order of time.
//!
//! Most come in order even where some do not, so those wait in a queue, and only the late ones in a heap.

use super::gate::{Arrival, RawRequest};
use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};

/// Arrival, then place in the file, then the request.
type Held = (Arrival, u64, RawRequest);

/// Requests in the order of arrival, and of the file where that is the same.
#[derive(Default)]
pub(super) struct Sorting {
    in_order: VecDeque<Held>,
    late: BinaryHeap<Reverse<Held>>,
    arrived: u64,
}

impl Sorting {
    /// Requests that are held.
    pub(super) fn len(&self) -> usize {
        self.in_order.len() + self.late.len()
    }

    pub(super) fn push(&mut self, arrival: Arrival, raw: RawRequest) {
        let held = (arrival, self.arrived, raw);
        self.arrived += 1;
        match self.in_order.back() {
            Some((latest, ..)) if arrival < *latest => self.late.push(Reverse(held)),
            _ => self.in_order.push_back(held),
        }
    }

    /// The earliest request.
    pub(super) fn pop(&mut self) -> Option<(Arrival, RawRequest)> {
        let is_late = match (self.late.peek(), self.in_order.front()) {
            (Some(Reverse(late)), Some(next)) => (late.0, late.1) < (next.0, next.1),
            (late, _) => late.is_some(),
        };
        let held = if is_late {
            self.late.pop().map(|Reverse(held)| held)
        } else {
            self.in_order.pop_front()
        };
        held.map(|(arrival, _, raw)| (arrival, raw))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::request::Op;
    use crate::rng::Rng;

    #[test]
    fn requests_leave_as_a_stable_sort_has_them() {
        let mut rng = Rng::new(7, "sorting");
        let mut sorting = Sorting::default();
        let mut expected = Vec::new();
        for number in 0..1000 {
            let arrival = (0, number / 3 + rng.below(40) * rng.below(2));
            sorting.push(arrival, RawRequest::new(Op::Read, number, 512));
            expected.push((arrival, number));
        }
        expected.sort_by_key(|(arrival, _)| *arrival);
        assert_eq!(sorting.len(), 1000);
        let popped = std::iter::from_fn(|| sorting.pop());
        let popped: Vec<_> = popped.map(|(arrival, raw)| (arrival, raw.offset)).collect();
        assert_eq!(popped, expected);
    }
}
