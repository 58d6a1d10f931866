//! Doubly linked lists threaded through an arena of dense tokens; any number of lists share one
//! arena, and an element moves between them in constant time.

/// The token that is no element.
pub const NIL: u32 = u32::MAX;

/// One list of an arena: its two ends and its length. The front is the newest element by custom.
#[derive(Clone, Copy, Debug)]
pub struct List {
    front: u32,
    back: u32,
    len: u32,
}

impl Default for List {
    fn default() -> Self {
        List { front: NIL, back: NIL, len: 0 }
    }
}

impl List {
    /// Number of elements.
    #[inline]
    #[must_use]
    pub const fn len(&self) -> usize {
        self.len as usize
    }

    /// Whether there is no element.
    #[inline]
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The first element, or [`NIL`].
    #[inline]
    #[must_use]
    pub const fn front(&self) -> u32 {
        self.front
    }

    /// The last element, or [`NIL`].
    #[inline]
    #[must_use]
    pub const fn back(&self) -> u32 {
        self.back
    }
}

#[derive(Clone, Copy, Debug)]
struct Link {
    newer: u32,
    older: u32,
}

/// The arena: for each token, its neighbours in the list that it is on.
#[derive(Clone, Debug, Default)]
pub struct Links {
    links: Vec<Link>,
}

impl Links {
    /// Makes room for tokens below `tokens`.
    pub fn grow(&mut self, tokens: usize) {
        if self.links.len() < tokens {
            self.links.resize(tokens, Link { newer: NIL, older: NIL });
        }
    }

    /// The neighbour towards the front, or [`NIL`].
    #[inline]
    #[must_use]
    pub fn newer(&self, token: u32) -> u32 {
        self.links[token as usize].newer
    }

    /// The neighbour towards the back, or [`NIL`].
    #[inline]
    #[must_use]
    pub fn older(&self, token: u32) -> u32 {
        self.links[token as usize].older
    }

    /// Puts a token that is on no list at the front.
    #[inline]
    pub fn push_front(&mut self, list: &mut List, token: u32) {
        self.links[token as usize] = Link { newer: NIL, older: list.front };
        match list.front {
            NIL => list.back = token,
            front => self.links[front as usize].newer = token,
        }
        list.front = token;
        list.len += 1;
    }

    /// Puts a token that is on no list at the back.
    #[inline]
    pub fn push_back(&mut self, list: &mut List, token: u32) {
        self.links[token as usize] = Link { newer: list.back, older: NIL };
        match list.back {
            NIL => list.front = token,
            back => self.links[back as usize].older = token,
        }
        list.back = token;
        list.len += 1;
    }

    /// Puts a token that is on no list right behind (older than) another of this list.
    #[inline]
    pub fn insert_behind(&mut self, list: &mut List, leader: u32, token: u32) {
        let older = self.links[leader as usize].older;
        self.links[token as usize] = Link { newer: leader, older };
        self.links[leader as usize].older = token;
        match older {
            NIL => list.back = token,
            older => self.links[older as usize].newer = token,
        }
        list.len += 1;
    }

    /// Takes a token off the list that it is on.
    #[inline]
    pub fn remove(&mut self, list: &mut List, token: u32) {
        let Link { newer, older } = self.links[token as usize];
        match newer {
            NIL => list.front = older,
            newer => self.links[newer as usize].older = older,
        }
        match older {
            NIL => list.back = newer,
            older => self.links[older as usize].newer = newer,
        }
        list.len -= 1;
    }

    /// Moves a token of this list to its front.
    #[inline]
    pub fn touch(&mut self, list: &mut List, token: u32) {
        if list.front != token {
            self.remove(list, token);
            self.push_front(list, token);
        }
    }

    /// The tokens from back (oldest) to front (newest).
    pub fn from_oldest<'a>(&'a self, list: &List) -> impl Iterator<Item = u32> + 'a {
        let start = Some(list.back).filter(|token| *token != NIL);
        std::iter::successors(start, |token| Some(self.newer(*token)).filter(|t| *t != NIL))
    }

    /// Checks that the list is linked consistently both ways.
    ///
    /// # Panics
    /// When it is not.
    pub fn audit(&self, list: &List) {
        // A list that goes round has no end.
        let tokens: Vec<u32> = self.from_oldest(list).take(list.len() + 1).collect();
        assert_eq!(tokens.len(), list.len(), "length of the list");
        assert_eq!(tokens.last().copied().unwrap_or(NIL), list.front, "front of the list");
        for pair in tokens.windows(2) {
            assert_eq!(self.older(pair[1]), pair[0], "links of {pair:?}");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::Rng;
    use std::collections::VecDeque;

    /// Two lists over one arena behave as two deques.
    #[test]
    fn lists_behave_as_deques() {
        let mut rng = Rng::new(1, "links");
        let mut links = Links::default();
        links.grow(16);
        let mut lists = [List::default(), List::default()];
        let mut models = [VecDeque::new(), VecDeque::new()];
        for _ in 0..20_000 {
            let token = rng.below(16) as u32;
            let target = rng.below(2) as usize;
            if let Some(home) = models.iter().position(|m| m.contains(&token)) {
                links.remove(&mut lists[home], token);
                models[home].retain(|t| *t != token);
            }
            match rng.below(4) {
                0 => {
                    links.push_front(&mut lists[target], token);
                    models[target].push_front(token);
                }
                1 => {
                    links.push_back(&mut lists[target], token);
                    models[target].push_back(token);
                }
                2 if !models[target].is_empty() => {
                    let at = rng.below(models[target].len() as u64) as usize;
                    links.insert_behind(&mut lists[target], models[target][at], token);
                    models[target].insert(at + 1, token);
                }
                _ => {}
            }
            for (list, model) in lists.iter().zip(&models) {
                links.audit(list);
                let tokens: Vec<u32> = links.from_oldest(list).collect();
                assert!(tokens.iter().rev().eq(model.iter()));
            }
        }
    }
}
