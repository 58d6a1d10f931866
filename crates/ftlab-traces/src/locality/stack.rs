//! The LRU stack: how many other members were touched since a member was touched last.
//!
//! An LRU cache of `c` pages hits exactly the references whose distance is below `c`. One pass
//! yields the hit ratio of every size (R. L. Mattson, J. Gecsei, D. R. Slutz and I. L. Traiger,
//! Evaluation techniques for storage hierarchies, IBM Systems Journal 9(2), 1970). With a tree over
//! the times of last use, a reference takes O(log n) (B. T. Bennett and V. J. Kruskal, LRU stack
//! processing, IBM Journal of Research and Development 19(4), 1975).
//!
//! Every touch takes the next slot of a line of slots. When all slots are used, the members move to
//! the front and keep their order.

use super::ranked_bits::RankedBits;

/// Slots for each member after moving to the front: moving costs a third of a step for each touch.
const SLOTS_PER_MEMBER: u32 = 4;

const SLOTS_MIN: u32 = 1 << 12;

/// Members are numbered from 0 in the order in which they came.
#[derive(Clone, Debug)]
pub(super) struct LruStack {
    /// By member.
    slots: Vec<u32>,
    used: RankedBits,
    next: u32,
}

impl LruStack {
    pub(super) fn new() -> Self {
        Self { slots: Vec::new(), used: RankedBits::filled(0, SLOTS_MIN), next: 0 }
    }

    /// Puts a new member on top; its number is the count of those before.
    pub(super) fn push(&mut self) {
        self.make_room();
        self.slots.push(self.next);
        self.used.insert(self.next);
        self.next += 1;
    }

    /// Brings a member to the top. Returns how many were above it.
    #[inline]
    pub(super) fn touch(&mut self, member: u32) -> u32 {
        self.make_room();
        let slot = &mut self.slots[member as usize];
        let below = self.used.below(*slot);
        self.used.remove(*slot);
        self.used.insert(self.next);
        *slot = self.next;
        self.next += 1;
        self.slots.len() as u32 - 1 - below
    }

    /// Forgets the members for which `kept` is false and numbers the others anew, in their order.
    pub(super) fn retain(&mut self, kept: impl Fn(usize) -> bool) {
        let mut member = 0;
        let used = &mut self.used;
        self.slots.retain(|&slot| {
            let keeps = kept(member);
            member += 1;
            if !keeps {
                used.remove(slot);
            }
            keeps
        });
        self.move_to_front();
    }

    #[inline]
    fn make_room(&mut self) {
        if self.next == self.used.size() {
            self.move_to_front();
        }
    }

    fn move_to_front(&mut self) {
        for slot in &mut self.slots {
            *slot = self.used.below(*slot);
        }
        self.next = self.slots.len() as u32;
        let size = self.next.saturating_mul(SLOTS_PER_MEMBER).max(SLOTS_MIN);
        self.used = RankedBits::filled(self.next, size);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// The stack as it is drawn: the top at the front.
    #[derive(Default)]
    struct Naive(Vec<u32>);

    impl Naive {
        fn touch(&mut self, member: u32) -> Option<u32> {
            let at = self.0.iter().position(|&each| each == member);
            let found = at.map(|at| self.0.remove(at));
            self.0.insert(0, found.unwrap_or(member));
            at.map(|at| at as u32)
        }
    }

    proptest! {
        #[test]
        fn distances_are_those_of_a_naive_stack(
            members in prop::collection::vec(0..300_u32, 1..12_000),
        ) {
            let (mut stack, mut naive) = (LruStack::new(), Naive::default());
            let mut numbers = vec![None; 300];
            let mut count = 0;
            for member in members {
                let number = &mut numbers[member as usize];
                let found = number.map(|number| stack.touch(number));
                if number.is_none() {
                    *number = Some(count);
                    count += 1;
                    stack.push();
                }
                prop_assert_eq!(found, naive.touch(member));
            }
        }
    }

    #[test]
    fn forgetting_members_keeps_the_order_of_the_others() {
        let mut stack = LruStack::new();
        (0..10).for_each(|_| stack.push());
        stack.touch(2);
        stack.retain(|member| member % 2 == 0);
        // From the top: 2, 8, 6, 4, 0, now numbered 1, 4, 3, 2, 0.
        assert_eq!([1, 4, 3, 2, 0].map(|member| stack.touch(member)), [0, 1, 2, 3, 4]);
    }
}
