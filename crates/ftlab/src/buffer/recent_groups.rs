//! Groups by recency in two parts: those used last, up to a number of pages, and the others.

use super::groups::Groups;
use crate::cache::links::{Links, List};
use crate::units::Ratio;

crate::settings! {
    /// Settings of the buffers that distinguish recent groups from the others.
    pub struct RecentConfig in "buffer" {
        /// CLC and REF: groups used last count as recent while they have this share of the pages.
        recent: Ratio = Ratio(0.1), in 0.0..=1.0, laws [0.0, 0.1, 0.5, 1.0].map(Ratio),
            source "choices.md#recent-groups";
    }
}

impl RecentConfig {
    /// Pages of a buffer that count as recent.
    #[must_use]
    pub fn pages(&self, capacity: usize) -> usize {
        (capacity as f64 * self.recent.0) as usize
    }
}

/// Where a group is.
#[derive(Clone, Copy, Debug, Default)]
struct Place {
    pages: u32,
    recent: bool,
}

/// The recent part and the old part of an LRU list.
#[derive(Clone, Debug)]
pub struct RecentGroups {
    links: Links,
    recent: List,
    old: List,
    places: Vec<Place>,
    recent_pages: usize,
    most_recent_pages: usize,
}

impl RecentGroups {
    /// Groups used last count as recent while they have at most `most_recent_pages` pages together.
    #[must_use]
    pub fn new(most_recent_pages: usize) -> Self {
        RecentGroups {
            links: Links::default(),
            recent: List::default(),
            old: List::default(),
            places: Vec::new(),
            recent_pages: 0,
            most_recent_pages,
        }
    }

    /// Notes a use of a group, which is here or enters, and now has `pages` pages. `aged` receives
    /// each group that is thereby no longer recent.
    pub fn touch(&mut self, group: u32, pages: u32, is_new: bool, mut aged: impl FnMut(u32, u32)) {
        if is_new {
            self.places.resize(self.places.len().max(group as usize + 1), Place::default());
            self.links.grow(self.places.len());
        } else {
            self.remove(group);
        }
        self.places[group as usize] = Place { pages, recent: true };
        self.links.push_front(&mut self.recent, group);
        self.recent_pages += pages as usize;
        while self.recent_pages > self.most_recent_pages {
            let oldest = self.recent.back();
            let pages = self.places[oldest as usize].pages;
            self.remove(oldest);
            self.places[oldest as usize].recent = false;
            self.links.push_front(&mut self.old, oldest);
            aged(oldest, pages);
        }
    }

    /// Whether a group is in the recent part.
    #[must_use]
    pub fn is_recent(&self, group: u32) -> bool {
        self.places[group as usize].recent
    }

    /// A group has lost a page, which is not a use.
    pub fn shrink(&mut self, group: u32, pages: u32) {
        let place = &mut self.places[group as usize];
        if place.recent {
            self.recent_pages -= (place.pages - pages) as usize;
        }
        place.pages = pages;
    }

    /// The group used longest ago of all. There must be one.
    #[must_use]
    pub fn oldest(&self) -> u32 {
        if self.old.is_empty() { self.recent.back() } else { self.old.back() }
    }

    /// Forgets a group.
    pub fn remove(&mut self, group: u32) {
        let place = self.places[group as usize];
        if place.recent {
            self.recent_pages -= place.pages as usize;
            self.links.remove(&mut self.recent, group);
        } else {
            self.links.remove(&mut self.old, group);
        }
    }

    /// Counts again.
    ///
    /// # Panics
    /// When the counts are wrong.
    pub fn audit(&self, groups: &Groups) {
        self.links.audit(&self.recent);
        self.links.audit(&self.old);
        assert_eq!(self.recent.len() + self.old.len(), groups.len(), "groups by recency");
        let recent = groups.iter().filter(|(token, _)| self.is_recent(*token));
        let pages: usize = recent.map(|(_, group)| group.pages as usize).sum();
        assert_eq!(pages, self.recent_pages, "pages of the recent part");
        assert!(pages <= self.most_recent_pages, "the recent part is too large");
    }
}
