//! Tokens ordered by an integer age that grows in steps of one: every operation in constant time.
//!
//! Tokens of equal age form a group, first come first; groups form a list by age, as in an O(1) LFU.

use super::links::{Links, List, NIL};
use super::slab::Slab;

#[derive(Clone, Copy, Debug)]
struct Group {
    age: u64,
    /// Tokens of this age; the back came first.
    tokens: List,
}

/// Tokens by age.
#[derive(Clone, Debug, Default)]
pub struct AgeList {
    groups: Slab<Group>,
    /// Groups by age; the front is the greatest.
    by_age: List,
    group_links: Links,
    token_links: Links,
    /// Group of each token, or [`NIL`].
    group_of: Vec<u32>,
    len: usize,
}

impl AgeList {
    /// Number of tokens.
    #[inline]
    #[must_use]
    pub const fn len(&self) -> usize {
        self.len
    }

    /// Whether there is no token.
    #[inline]
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Whether a token is in the list.
    #[inline]
    #[must_use]
    pub fn contains(&self, token: u32) -> bool {
        self.group_of.get(token as usize).is_some_and(|group| *group != NIL)
    }

    /// The age of a token in the list.
    #[inline]
    #[must_use]
    pub fn age(&self, token: u32) -> u64 {
        self.groups[self.group_of[token as usize]].age
    }

    /// The token of the lowest age that came to it first.
    #[inline]
    #[must_use]
    pub fn lowest(&self) -> Option<u32> {
        let group = Some(self.by_age.back()).filter(|group| *group != NIL)?;
        Some(self.groups[group].tokens.back())
    }

    /// Adds a token whose age is close to the greatest: the groups above it are walked over.
    #[inline]
    pub fn insert_high(&mut self, token: u32, age: u64) {
        let mut above = NIL;
        let mut group = self.by_age.front();
        while group != NIL && self.groups[group].age > age {
            above = group;
            group = self.group_links.older(group);
        }
        self.join(token, age, group, above);
    }

    /// Adds a token whose age is close to the lowest: the groups below it are walked over.
    pub fn insert_low(&mut self, token: u32, age: u64) {
        let mut group = self.by_age.back();
        while group != NIL && self.groups[group].age < age {
            group = self.group_links.newer(group);
        }
        match group {
            NIL => self.join(token, age, NIL, NIL),
            group if self.groups[group].age == age => self.join(token, age, group, NIL),
            above => self.join(token, age, NIL, above),
        }
    }

    /// Adds one to the age of a token.
    #[inline]
    pub fn grow_older(&mut self, token: u32) {
        let group = self.group_of[token as usize];
        let age = self.groups[group].age + 1;
        let above = self.group_links.newer(group);
        let next = if above != NIL && self.groups[above].age == age { above } else { NIL };
        if next == NIL && self.groups[group].tokens.len() == 1 {
            self.groups[group].age = age;
            return;
        }
        self.token_links.remove(&mut self.groups[group].tokens, token);
        match next {
            NIL => self.add_group(token, age, group),
            next => self.enter(token, next),
        }
        self.drop_if_empty(group);
    }

    /// Forgets a token.
    #[inline]
    pub fn remove(&mut self, token: u32) {
        let group = std::mem::replace(&mut self.group_of[token as usize], NIL);
        self.token_links.remove(&mut self.groups[group].tokens, token);
        self.drop_if_empty(group);
        self.len -= 1;
    }

    /// Puts a new token into `group` if that has its age, else into a new group below `above`.
    fn join(&mut self, token: u32, age: u64, group: u32, above: u32) {
        if self.group_of.len() <= token as usize {
            self.group_of.resize(token as usize + 1, NIL);
            self.token_links.grow(token as usize + 1);
        }
        self.len += 1;
        if group != NIL && self.groups[group].age == age {
            return self.enter(token, group);
        }
        let new = self.new_group(age);
        match above {
            NIL => self.group_links.push_front(&mut self.by_age, new),
            above => self.group_links.insert_behind(&mut self.by_age, above, new),
        }
        self.enter(token, new);
    }

    /// Puts a token into a new group right above `below`.
    fn add_group(&mut self, token: u32, age: u64, below: u32) {
        let new = self.new_group(age);
        match self.group_links.newer(below) {
            NIL => self.group_links.push_front(&mut self.by_age, new),
            above => self.group_links.insert_behind(&mut self.by_age, above, new),
        }
        self.enter(token, new);
    }

    fn new_group(&mut self, age: u64) -> u32 {
        let group = self.groups.insert(Group { age, tokens: List::default() });
        self.group_links.grow(self.groups.tokens());
        group
    }

    #[inline]
    fn enter(&mut self, token: u32, group: u32) {
        self.token_links.push_front(&mut self.groups[group].tokens, token);
        self.group_of[token as usize] = group;
    }

    #[inline]
    fn drop_if_empty(&mut self, group: u32) {
        if self.groups[group].tokens.is_empty() {
            self.group_links.remove(&mut self.by_age, group);
            self.groups.remove(group);
        }
    }

    /// Checks the order and the counts.
    ///
    /// # Panics
    /// When they are wrong.
    pub fn audit(&self) {
        self.group_links.audit(&self.by_age);
        let groups: Vec<u32> = self.group_links.from_oldest(&self.by_age).collect();
        let ages: Vec<u64> = groups.iter().map(|group| self.groups[*group].age).collect();
        assert!(ages.windows(2).all(|pair| pair[0] < pair[1]), "groups by age: {ages:?}");
        let mut tokens = 0;
        for group in groups {
            self.token_links.audit(&self.groups[group].tokens);
            tokens += self.groups[group].tokens.len();
            let mut members = self.token_links.from_oldest(&self.groups[group].tokens);
            assert!(members.all(|token| self.group_of[token as usize] == group), "members");
        }
        assert_eq!(tokens, self.len, "tokens in the groups");
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::Rng;

    /// A vector sorted by age, first come first, is the model.
    #[test]
    fn an_age_list_behaves_as_a_sorted_vector() {
        let mut rng = Rng::new(1, "ages");
        let mut list = AgeList::default();
        let mut model: Vec<(u64, u32)> = Vec::new();
        let enter = |model: &mut Vec<(u64, u32)>, age: u64, token: u32| {
            let at = model.partition_point(|(other, _)| *other <= age);
            model.insert(at, (age, token));
        };
        for _ in 0..50_000 {
            let token = rng.below(30) as u32;
            let age = rng.below(12);
            match (list.contains(token), rng.below(3)) {
                (false, 0) => {
                    list.insert_low(token, age);
                    enter(&mut model, age, token);
                }
                (false, _) => {
                    list.insert_high(token, age);
                    enter(&mut model, age, token);
                }
                (true, 0) => {
                    list.remove(token);
                    model.retain(|(_, other)| *other != token);
                }
                (true, _) => {
                    let age = list.age(token) + 1;
                    list.grow_older(token);
                    model.retain(|(_, other)| *other != token);
                    enter(&mut model, age, token);
                }
            }
            list.audit();
            assert_eq!(list.len(), model.len());
            assert_eq!(list.lowest(), model.first().map(|(_, token)| *token));
        }
    }
}
